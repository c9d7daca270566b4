//! Expressions between rust-hdl's syntax tree and Verilog text: names resolved, constants folded, widths known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rust_hdl::core::ast::{VerilogLiteral, VerilogOp as Op, VerilogOpUnary as Unary};

use super::error::{Checked, Refusal};
use super::names::source_name;

/// An expression. A number has no width of its own and takes that of its place; everything else has one.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Number(i128),
    Bool(bool),
    /// A signal, by path.
    Net(String),
    /// A variant of an enum.
    Variant {
        label: String,
        value: usize,
        width: usize,
    },
    /// `bit_cast` and `bits`.
    Cast(Box<Expr>, usize),
    Binary(Box<Expr>, Op, Box<Expr>),
    Unary(Unary, Box<Expr>),
    /// `get_bit`.
    Bit(Box<Expr>, Box<Expr>),
    /// `get_bits`: value, width, position.
    Slice(Box<Expr>, usize, Box<Expr>),
    /// `replace_bit`: value, position, bit.
    Replace(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// What a path stands for in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Input pin of the module.
    Input,
    /// Output pin of the module.
    Output,
    /// Internal signal.
    Local,
    /// Constant field.
    Constant,
    /// Input pin of a sub-block.
    ChildInput,
    /// Output pin of a sub-block.
    ChildOutput,
}

/// A signal of a module.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    /// Verilog name.
    pub(crate) name: String,
    /// Bits.
    pub(crate) width: usize,
    pub(crate) role: Role,
    pub(crate) clock: bool,
}

/// The signals of a module by path.
pub(crate) type Nets = BTreeMap<String, Net>;

impl Expr {
    /// The signals read.
    pub(crate) fn reads(&self, out: &mut BTreeSet<String>) {
        match self {
            Self::Number(_) | Self::Bool(_) | Self::Variant { .. } => {}
            Self::Net(path) => {
                out.insert(path.clone());
            }
            Self::Cast(a, _) | Self::Unary(_, a) => a.reads(out),
            Self::Binary(a, _, b) | Self::Bit(a, b) | Self::Slice(a, _, b) => {
                a.reads(out);
                b.reads(out);
            }
            Self::Replace(a, b, c) => {
                a.reads(out);
                b.reads(out);
                c.reads(out);
            }
        }
    }

    /// Width in bits; `None` for a number, which takes the width of its place.
    pub(crate) fn width(&self, nets: &Nets) -> Option<usize> {
        match self {
            Self::Number(_) => None,
            Self::Bool(_) | Self::Bit(..) | Self::Unary(Unary::All | Unary::Any | Unary::Xor, _) => Some(1),
            Self::Net(path) => nets.get(path).map(|net| net.width),
            Self::Variant { width, .. } | Self::Cast(_, width) | Self::Slice(_, width, _) => Some(*width),
            Self::Unary(_, a) | Self::Replace(a, ..) => a.width(nets),
            Self::Binary(a, op, b) => match op {
                op if is_comparison(op) => Some(1),
                Op::LogicalAnd | Op::LogicalOr => Some(1),
                Op::Shl | Op::Shr => a.width(nets),
                _ => a.width(nets).or_else(|| b.width(nets)),
            },
        }
    }

    /// The width, or a refusal that names the role of the expression.
    pub(crate) fn sized(&self, nets: &Nets, what: &'static str) -> Checked<usize> {
        self.width(nets).ok_or_else(|| Refusal::Unsized { what, expression: self.to_string() })
    }
}

/// Whether the operator compares its operands, so that its result has one bit whatever their width.
pub(crate) fn is_comparison(op: &Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

/// Verilog's (and Rust's) sign for an operator.
pub(crate) fn symbol(op: &Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::LogicalAnd => "&&",
        Op::LogicalOr => "||",
        Op::BitXor => "^",
        Op::BitAnd => "&",
        Op::BitOr => "|",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Eq => "==",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Ne => "!=",
        Op::Ge => ">=",
        Op::Gt => ">",
    }
}

/// As the source has it, for messages.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Net(path) => f.write_str(&source_name(path)),
            Self::Variant { label, .. } => f.write_str(&label.replace('$', "::")),
            Self::Cast(a, width) => write!(f, "bit_cast::<{width}, _>({a})"),
            Self::Binary(a, op, b) => write!(f, "({a} {} {b})", symbol(op)),
            Self::Unary(Unary::Not, a) => write!(f, "!{a}"),
            Self::Unary(Unary::Neg, a) => write!(f, "-{a}"),
            Self::Unary(Unary::All, a) => write!(f, "{a}.all()"),
            Self::Unary(Unary::Any, a) => write!(f, "{a}.any()"),
            Self::Unary(Unary::Xor, a) => write!(f, "{a}.xor()"),
            Self::Bit(a, i) => write!(f, "{a}.get_bit({i})"),
            Self::Slice(a, width, i) => write!(f, "{a}.get_bits::<{width}>({i})"),
            Self::Replace(a, i, b) => write!(f, "{a}.replace_bit({i}, {b})"),
        }
    }
}

/// The value of a literal as hexadecimal digits. rust-hdl keeps its fields private; `{:x}` prints `<bits>'h<value>`.
pub(crate) fn hex_of(literal: &VerilogLiteral) -> String {
    let text = format!("{literal:x}");
    text.split_once("'h").map_or_else(String::new, |(_, value)| value.to_string())
}

/// Whether a literal came from a Rust `bool`: the one case in which rust-hdl's literal size means anything.
pub(crate) fn is_bool(literal: &VerilogLiteral) -> bool {
    format!("{literal:x}").starts_with("1'")
}

/// A sized Verilog literal from hexadecimal digits: `8'h1f`, and `1'b1` for single bits.
pub(crate) fn literal(hex: &str, width: usize) -> Checked<String> {
    let digits = hex.trim_start_matches('0');
    let lead = digits.chars().next().and_then(|c| c.to_digit(16));
    // Bits used: four a digit, fewer in the first.
    let bits = lead.map_or(0, |d| digits.len() * 4 - (d.leading_zeros() as usize - 28));
    if bits > width {
        return Err(Refusal::Literal { literal: format!("0x{hex}"), width });
    }
    let digits = if digits.is_empty() { "0" } else { digits };
    Ok(format!("{width}'{}{digits}", if width == 1 { 'b' } else { 'h' }))
}

/// A sized Verilog literal of a number.
pub(crate) fn number(value: i128, width: usize) -> Checked<String> {
    literal(&format!("{value:x}"), width)
        .ok()
        .filter(|_| value >= 0)
        .ok_or_else(|| Refusal::Literal { literal: value.to_string(), width })
}

/// `a op b` over numbers that Rust computes in `usize` or an integer type.
pub(crate) fn fold(a: i128, op: &Op, b: i128) -> Option<Expr> {
    Some(match op {
        Op::Add => Expr::Number(a.checked_add(b)?),
        Op::Sub => Expr::Number(a.checked_sub(b)?),
        Op::Mul => Expr::Number(a.checked_mul(b)?),
        Op::BitAnd => Expr::Number(a & b),
        Op::BitOr => Expr::Number(a | b),
        Op::BitXor => Expr::Number(a ^ b),
        Op::Eq => Expr::Bool(a == b),
        Op::Ne => Expr::Bool(a != b),
        Op::Lt => Expr::Bool(a < b),
        Op::Le => Expr::Bool(a <= b),
        Op::Gt => Expr::Bool(a > b),
        Op::Ge => Expr::Bool(a >= b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_sized_or_refused() {
        assert_eq!(literal("001f", 8), Ok("8'h1f".into()));
        assert_eq!(literal("1f", 5), Ok("5'h1f".into()));
        assert_eq!(literal("0", 1), Ok("1'b0".into()));
        assert!(literal("1f", 4).is_err());
        assert!(literal("20", 5).is_err());
        assert!(number(-1, 8).is_err());
        assert_eq!(number(1 << 100, 101), Ok(format!("101'h1{}", "0".repeat(25))));
    }
}
