//! From rust-hdl's syntax tree to [`Stmt`] and [`Expr`]: loops unrolled, names resolved, constants folded.

use std::collections::BTreeMap;

use rust_hdl::core::ast::{
    VerilogBlock, VerilogBlockOrConditional as Otherwise, VerilogExpression as Tree, VerilogLink, VerilogLinkDetails,
    VerilogOp as Op, VerilogOpUnary as Unary, VerilogStatement as TreeStmt,
};

use super::error::{Checked, Refusal};
use super::expr::{Expr, Nets, fold, hex_of, is_bool};
use super::index::{Variables, integer, resolve_path, variable};
use super::names::source_name;
use super::stmt::Stmt;

/// Variants by label (`State$Idle`): value and width.
pub(crate) type Variants = BTreeMap<String, (usize, usize)>;

/// The translation of one module.
pub(crate) struct Lower<'a> {
    nets: &'a Nets,
    variants: &'a Variants,
    variables: Variables,
}

impl<'a> Lower<'a> {
    pub(crate) fn new(nets: &'a Nets, variants: &'a Variants) -> Self {
        Self { nets, variants, variables: vec![] }
    }

    /// Appends the statements of `block` to `out`.
    pub(crate) fn block(&mut self, block: &VerilogBlock, out: &mut Vec<Stmt>) -> Checked<()> {
        block.iter().try_for_each(|statement| self.statement(statement, out))
    }

    fn nested(&mut self, block: &VerilogBlock) -> Checked<Vec<Stmt>> {
        let mut out = vec![];
        self.block(block, &mut out)?;
        Ok(out)
    }

    fn statement(&mut self, statement: &TreeStmt, out: &mut Vec<Stmt>) -> Checked<()> {
        match statement {
            TreeStmt::Assignment(target, value) => {
                out.push(Stmt::Set { net: self.target(target)?, part: None, value: self.expr(value)? });
            }
            TreeStmt::SliceAssignment { base, width, offset, replacement } => {
                let net = self.target(base)?;
                let Expr::Number(low) = self.expr(offset)? else {
                    return Err(Refusal::ComputedOffset(source_name(&net)));
                };
                let low = usize::try_from(low).map_err(|_| Refusal::ComputedOffset(source_name(&net)))?;
                out.push(Stmt::Set { net, part: Some((low, *width)), value: self.expr(replacement)? });
            }
            TreeStmt::If(conditional) => {
                let test = self.expr(&conditional.test)?;
                let yes = self.nested(&conditional.then)?;
                let mut no = vec![];
                match &conditional.otherwise {
                    Otherwise::Block(block) => self.block(block, &mut no)?,
                    Otherwise::Conditional(statement) => self.statement(statement, &mut no)?,
                    Otherwise::None => {}
                }
                match test {
                    Expr::Bool(known) => out.extend(if known { yes } else { no }),
                    test => out.push(Stmt::If(test, yes, no)),
                }
            }
            TreeStmt::Match(tree) => {
                let subject = self.expr(&tree.test)?;
                let mut arms = vec![];
                for case in &tree.cases {
                    let label = match case.condition.as_str() {
                        "default" => None,
                        pattern => Some(self.pattern(pattern)?),
                    };
                    arms.push((label, self.nested(&case.block)?));
                }
                if arms.iter().rev().skip(1).any(|arm| arm.0.is_none()) {
                    return Err(Refusal::MatchOrder);
                }
                out.push(Stmt::Case(subject, arms));
            }
            TreeStmt::Loop(tree) => {
                for value in tree.from.as_usize()..tree.to.as_usize() {
                    self.variables.push((tree.index.clone(), value as i128));
                    let result = self.block(&tree.block, out);
                    self.variables.pop();
                    result?;
                }
            }
            TreeStmt::Macro(block) => self.block(block, out)?,
            TreeStmt::Comment(text) => out.push(Stmt::Comment(comment(text))),
            TreeStmt::Link(links) => {
                for link in links {
                    out.push(self.link(link)?);
                }
            }
        }
        Ok(())
    }

    /// One signal of an interface that is joined or linked.
    fn link(&self, link: &VerilogLink) -> Checked<Stmt> {
        let path = |base: &str, details: &VerilogLinkDetails| match details.my_name.trim_start_matches('.') {
            "" => base.to_string(),
            member => format!("{base}${}", member.replace('.', "$")),
        };
        let (to, from) = match link {
            VerilogLink::Forward(d) => (path(&d.other_name, d), path(&d.owner_name, d)),
            VerilogLink::Backward(d) => (path(&d.owner_name, d), path(&d.other_name, d)),
            VerilogLink::Bidirectional(d) => return Err(Refusal::InOut(source_name(&d.owner_name))),
        };
        Ok(Stmt::Set { net: self.net(&to)?, part: None, value: Expr::Net(self.net(&from)?) })
    }

    fn target(&self, tree: &Tree) -> Checked<String> {
        match tree {
            Tree::Signal(path) => self.net(path),
            other => Err(Refusal::Target(self.expr(other)?.to_string())),
        }
    }

    fn net(&self, path: &str) -> Checked<String> {
        let path = resolve_path(path, &self.variables)?;
        match self.nets.contains_key(&path) {
            true => Ok(path),
            false => Err(Refusal::UnknownName(source_name(&path))),
        }
    }

    fn name(&self, name: &str) -> Checked<Expr> {
        if let Some(value) = variable(&self.variables, name) {
            return Ok(Expr::Number(value));
        }
        match self.variants.get(name) {
            Some(&(value, width)) => Ok(Expr::Variant { label: name.into(), value, width }),
            None => Ok(Expr::Net(self.net(name)?)),
        }
    }

    /// A `match` pattern, which reaches the syntax tree as Rust tokens.
    fn pattern(&self, pattern: &str) -> Checked<Expr> {
        match pattern {
            "true" => Ok(Expr::Bool(true)),
            "false" => Ok(Expr::Bool(false)),
            _ => integer(pattern).map_or_else(|| self.name(pattern), |value| Ok(Expr::Number(value))),
        }
    }

    fn expr(&self, tree: &Tree) -> Checked<Expr> {
        let boxed = |tree: &Tree| self.expr(tree).map(Box::new);
        Ok(match tree {
            Tree::Signal(name) => self.name(name)?,
            Tree::Literal(literal) if is_bool(literal) => Expr::Bool(hex_of(literal) == "1"),
            Tree::Literal(literal) => {
                let hex = hex_of(literal);
                Expr::Number(i128::from_str_radix(&hex, 16).map_err(|_| Refusal::Literal { literal: hex, width: 127 })?)
            }
            Tree::Paren(inner) => self.expr(inner)?,
            Tree::Cast(inner, width) => match self.expr(inner)? {
                Expr::Slice(base, wide, position) if *width <= wide => Expr::Slice(base, *width, position),
                inner => Expr::Cast(Box::new(inner), *width),
            },
            Tree::Signed(inner) | Tree::Unsigned(inner) => return Err(Refusal::Signed(self.expr(inner)?.to_string())),
            Tree::Unary(Unary::Neg, inner) => match self.expr(inner)? {
                Expr::Number(n) => Expr::Number(-n),
                _ => return Err(Refusal::Operator("-")),
            },
            Tree::Unary(op, inner) => match (op, self.expr(inner)?) {
                (Unary::Not, Expr::Bool(known)) => Expr::Bool(!known),
                (op, inner) => Expr::Unary(op.clone(), Box::new(inner)),
            },
            Tree::Binary(left, op, right) => match (self.expr(left)?, self.expr(right)?) {
                (Expr::Number(a), Expr::Number(b)) => fold(a, op, b).ok_or_else(|| {
                    let whole = Expr::Binary(Box::new(Expr::Number(a)), op.clone(), Box::new(Expr::Number(b)));
                    Refusal::Constant(whole.to_string())
                })?,
                _ if matches!(op, Op::Mul) => return Err(Refusal::Operator("*")),
                (left, right) => Expr::Binary(Box::new(left), op.clone(), Box::new(right)),
            },
            Tree::Index(base, position) => Expr::Bit(boxed(base)?, self.position(position)?),
            Tree::Slice(base, width, position) => Expr::Slice(boxed(base)?, *width, self.position(position)?),
            Tree::IndexReplace(base, position, bit) => {
                Expr::Replace(boxed(base)?, self.position(position)?, boxed(bit)?)
            }
        })
    }

    /// A bit position. `(x + 1).index()` wraps at the width of `x` and `x.index() + 1` does not, and both have the same
    /// syntax tree: a position may not be computed.
    fn position(&self, tree: &Tree) -> Checked<Box<Expr>> {
        match self.expr(tree)? {
            // A cast takes Bits, so what is inside it wraps at its own width.
            plain @ (Expr::Number(_) | Expr::Net(_) | Expr::Slice(..) | Expr::Cast(..)) => Ok(Box::new(plain)),
            computed => Err(Refusal::IndexArithmetic(computed.to_string())),
        }
    }
}

/// The text of `comment!("text")`; rust-hdl strips what is around it only if rustc prints the tokens as it expects.
fn comment(tokens: &str) -> String {
    let name = |text: &str| text.trim_end_matches(|c: char| c == '!' || c.is_whitespace()) == "comment";
    let head = tokens.split_once("(\"").filter(|(before, _)| name(before));
    let text = head.map_or(tokens, |(_, text)| text);
    text.strip_suffix("\")").unwrap_or(text).replace('\n', " ")
}
