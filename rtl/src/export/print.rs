//! Expressions and statements as Verilog text.
//!
//! One rule makes it safe: **every operand is printed with exactly the width of its place.** Verilog widens operands
//! only when widths differ; when they never differ it computes the same bits as Rust. A change of width is always
//! explicit: `{n'h0, x}` to widen, a part select of a named signal to cut. What has no width is refused.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::core::ast::{VerilogOp as Op, VerilogOpUnary as Unary};
use rust_hdl::prelude::clog2;

use super::error::{Checked, Refusal};
use super::expr::{Expr, Nets, Role, is_comparison, literal, number, symbol};
use super::names::{Names, enum_name};

/// Prints the expressions of one module and keeps what they need declared.
pub(crate) struct Printer<'a> {
    pub(crate) nets: &'a Nets,
    pub(crate) names: &'a mut Names,
    /// Temporaries that no process writes into: (name, width, text) of a wire.
    pub(crate) wires: Vec<(String, usize, String)>,
    /// Temporaries that are computed inside a process: (name, width).
    pub(crate) variables: Vec<(String, usize)>,
    /// Assignments to [`Self::variables`] that must stand before the statement being printed.
    pub(crate) pending: Vec<String>,
    /// Signals that the process being printed assigns.
    pub(crate) targets: BTreeSet<String>,
    /// Constants that were printed, by path.
    pub(crate) constants: BTreeSet<String>,
    /// Variants that were printed: label to (value, width).
    pub(crate) variants: BTreeMap<String, (usize, usize)>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(nets: &'a Nets, names: &'a mut Names) -> Self {
        Self {
            nets,
            names,
            wires: vec![],
            variables: vec![],
            pending: vec![],
            targets: BTreeSet::new(),
            constants: BTreeSet::new(),
            variants: BTreeMap::new(),
        }
    }

    /// `expr` as exactly `width` bits, fit to be an operand.
    pub(crate) fn at(&mut self, expr: &Expr, width: usize) -> Checked<String> {
        if let Some(found) = expr.width(self.nets).filter(|&found| found != width) {
            return Err(Refusal::WidthMismatch { found, expected: width, expression: expr.to_string() });
        }
        match expr {
            Expr::Number(value) => number(*value, width),
            Expr::Bool(value) => number(i128::from(*value), 1),
            Expr::Net(path) => {
                if self.nets[path].role == Role::Constant {
                    self.constants.insert(path.clone());
                }
                Ok(self.nets[path].name.clone())
            }
            Expr::Variant { label, value, width } => {
                self.variants.insert(label.clone(), (*value, *width));
                Ok(enum_name(label))
            }
            Expr::Cast(inner, _) => self.cast(inner, width),
            Expr::Unary(Unary::Not, inner) => Ok(format!("(~{})", self.at(inner, width)?)),
            Expr::Unary(op, inner) => {
                let operand = inner.sized(self.nets, "a reduction's operand")?;
                let sign = match op {
                    Unary::All => "&",
                    Unary::Any => "|",
                    Unary::Xor => "^",
                    _ => return Err(Refusal::Operator("-")),
                };
                Ok(format!("({sign}{})", self.at(inner, operand)?))
            }
            Expr::Binary(left, op, right) => self.binary(left, op, right, width),
            Expr::Bit(base, position) => self.bit(base, position),
            Expr::Slice(base, _, position) => self.slice(base, width, position),
            Expr::Replace(base, position, bit) => self.replace(base, position, bit),
        }
    }

    /// The right side of an assignment: as [`Self::at`], without a redundant outer pair of parentheses.
    pub(crate) fn value(&mut self, expr: &Expr, width: usize) -> Checked<String> {
        Ok(bare(self.at(expr, width)?))
    }

    fn cast(&mut self, inner: &Expr, width: usize) -> Checked<String> {
        if let Expr::Number(value) = inner {
            return number(*value, width);
        }
        let have = inner.sized(self.nets, "a cast's operand")?;
        if have == width {
            self.at(inner, width)
        } else if have < width {
            Ok(format!("{{{}, {}}}", literal("0", width - have)?, self.value(inner, have)?))
        } else {
            Ok(format!("{}{}", self.named(inner, have)?, part(have, 0, width)))
        }
    }

    fn binary(&mut self, left: &Expr, op: &Op, right: &Expr, width: usize) -> Checked<String> {
        let (a, b) = match op {
            Op::Mul => return Err(Refusal::Operator("*")),
            Op::LogicalAnd | Op::LogicalOr => (self.at(left, 1)?, self.at(right, 1)?),
            Op::Shl | Op::Shr => {
                left.sized(self.nets, "a shifted value")?;
                let amount = match right {
                    // A shift amount is self-determined: its width does not reach the result.
                    Expr::Number(n @ 0..=0xffff) => n.to_string(),
                    _ => {
                        let n = right.sized(self.nets, "a shift amount")?;
                        self.at(right, n)?
                    }
                };
                (self.at(left, width)?, amount)
            }
            op if is_comparison(op) => {
                let operand = match left.width(self.nets) {
                    Some(width) => width,
                    None => right.sized(self.nets, "a comparison's operands")?,
                };
                (self.at(left, operand)?, self.at(right, operand)?)
            }
            _ => (self.at(left, width)?, self.at(right, width)?),
        };
        Ok(format!("({a} {} {b})", symbol(op)))
    }

    fn bit(&mut self, base: &Expr, position: &Expr) -> Checked<String> {
        let n = base.sized(self.nets, "a bit's base")?;
        if let Expr::Number(i) = *position {
            in_range(i, n)?;
            return self.slice(base, 1, position);
        }
        if n == 1 {
            return self.at(base, 1);
        }
        let i = self.position(position, n)?;
        Ok(format!("{}[{i}]", self.named(base, n)?))
    }

    /// `get_bits` shifts right and truncates: bits past the end read as zero.
    fn slice(&mut self, base: &Expr, width: usize, position: &Expr) -> Checked<String> {
        let n = base.sized(self.nets, "a slice's base")?;
        let Expr::Number(low) = *position else {
            let shifted = Expr::Binary(Box::new(base.clone()), Op::Shr, Box::new(position.clone()));
            return self.select(&shifted, n, 0, width);
        };
        // A slice inside a constant slice is one slice, as long as no padding is involved.
        if let Expr::Slice(inner, have, start) = base
            && let Expr::Number(start) = **start
        {
            let total = inner.sized(self.nets, "a slice's base")? as i128;
            let end = low + width as i128;
            if low >= 0 && end <= *have as i128 && start >= 0 && start + end <= total {
                return self.slice(inner, width, &Expr::Number(start + low));
            }
        }
        if low == n as i128 {
            return literal("0", width); // legal in Rust: nothing but padding
        }
        self.select(base, n, in_range(low, n)?, width)
    }

    /// `width` bits of `base` (`n` bits wide) from `low` on, zero beyond its end.
    fn select(&mut self, base: &Expr, n: usize, low: usize, width: usize) -> Checked<String> {
        let name = self.named(base, n)?;
        let left = n - low;
        if width <= left {
            Ok(format!("{name}{}", part(n, low, width)))
        } else {
            Ok(format!("{{{}, {name}{}}}", literal("0", width - left)?, part(n, low, left)))
        }
    }

    fn replace(&mut self, base: &Expr, position: &Expr, bit: &Expr) -> Checked<String> {
        let n = base.sized(self.nets, "replace_bit's base")?;
        let at = match *position {
            Expr::Number(i) => in_range(i, n)?.to_string(),
            _ => self.position(position, n)?,
        };
        let (base, one) = (self.at(base, n)?, number(1, n)?);
        let cleared = format!("({base} & (~({one} << {at})))");
        Ok(match bit {
            Expr::Bool(true) => format!("({base} | ({one} << {at}))"),
            Expr::Bool(false) => cleared,
            _ => {
                let bit = self.cast(bit, n)?;
                format!("({cleared} | ({bit} << {at}))")
            }
        })
    }

    /// A bit position with exactly the bits that `n` positions need. Rust panics beyond `n`, so cutting loses nothing.
    fn position(&mut self, position: &Expr, n: usize) -> Checked<String> {
        let (have, need) = (position.sized(self.nets, "a bit position")?, clog2(n).max(1));
        match have == need {
            true => self.at(position, need),
            false => self.cast(position, need),
        }
    }

    /// A name for `expr`, so that a part of it can be selected: the signal itself, or a temporary.
    fn named(&mut self, expr: &Expr, width: usize) -> Checked<String> {
        let text = self.value(expr, width)?;
        if matches!(expr, Expr::Net(path) if self.nets[path].role != Role::Constant) {
            return Ok(text);
        }
        let mut reads = BTreeSet::new();
        expr.reads(&mut reads);
        let free = reads.is_disjoint(&self.targets);
        if free && let Some(wire) = self.wires.iter().find(|wire| wire.1 == width && wire.2 == text) {
            return Ok(wire.0.clone());
        }
        let hint = self.targets.first().map_or("value", |path| self.nets[path].name.as_str());
        let name = self.names.make(&format!("{hint}_part"));
        if free {
            self.wires.push((name.clone(), width, text));
        } else {
            self.pending.push(format!("{name} = {text};"));
            self.variables.push((name.clone(), width));
        }
        Ok(name)
    }
}

/// A constant position, checked against the width of the value.
fn in_range(index: i128, width: usize) -> Checked<usize> {
    usize::try_from(index).ok().filter(|&i| i < width).ok_or(Refusal::IndexRange { index, width })
}

/// `[high:low]` of a signal of `n` bits; nothing for the whole of it.
pub(crate) fn part(n: usize, low: usize, width: usize) -> String {
    match width {
        _ if low == 0 && width == n => String::new(),
        1 => format!("[{low}]"),
        _ => format!("[{}:{low}]", low + width - 1),
    }
}

/// `[n-1:0] ` before a declared name; nothing for one bit.
pub(crate) fn range(width: usize) -> String {
    if width > 1 { format!("[{}:0] ", width - 1) } else { String::new() }
}

/// Declarations in aligned columns.
#[derive(Default)]
pub(crate) struct Declarations(Vec<(&'static str, usize, String)>);

impl Declarations {
    /// Adds `kind [width-1:0] rest;`.
    pub(crate) fn add(&mut self, kind: &'static str, width: usize, rest: String) {
        self.0.push((kind, width, rest));
    }

    /// The lines.
    pub(crate) fn text(&self) -> String {
        let kinds = self.0.iter().map(|d| d.0.len()).max().unwrap_or(0);
        let ranges = self.0.iter().map(|d| range(d.1).len()).max().unwrap_or(0);
        let line =
            |(kind, width, rest): &(&str, usize, String)| format!("  {kind:kinds$} {:ranges$}{rest};\n", range(*width));
        self.0.iter().map(line).collect()
    }
}

/// Drops one redundant outer pair of parentheses.
fn bare(text: String) -> String {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return text };
    let mut depth = 0i32;
    for c in inner.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return text; // the first parenthesis closes before the end: two operands
        }
    }
    inner.to_string()
}
