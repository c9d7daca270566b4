//! Statements between rust-hdl's syntax tree and Verilog text, and the checks on what they assign.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Checked, Refusal};
use super::expr::{Expr, Nets};
use super::names::source_name;

/// A statement, loops unrolled.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// Assignment to a signal or to the part `(position, width)` of it.
    Set {
        net: String,
        part: Option<(usize, usize)>,
        value: Expr,
    },
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Subject and arms; the last arm may have no label.
    Case(Expr, Vec<(Option<Expr>, Vec<Stmt>)>),
    Comment(String),
}

impl Stmt {
    /// The signals read.
    pub(crate) fn reads(&self, out: &mut BTreeSet<String>) {
        match self {
            Self::Set { value, .. } => value.reads(out),
            Self::If(test, yes, no) => {
                test.reads(out);
                yes.iter().chain(no).for_each(|s| s.reads(out));
            }
            Self::Case(subject, arms) => {
                subject.reads(out);
                arms.iter().flat_map(|arm| &arm.1).for_each(|s| s.reads(out));
            }
            Self::Comment(_) => {}
        }
    }

    /// The signals assigned.
    pub(crate) fn writes(&self, out: &mut BTreeSet<String>) {
        match self {
            Self::Set { net, .. } => {
                out.insert(net.clone());
            }
            Self::If(_, yes, no) => yes.iter().chain(no).for_each(|s| s.writes(out)),
            Self::Case(_, arms) => arms.iter().flat_map(|arm| &arm.1).for_each(|s| s.writes(out)),
            Self::Comment(_) => {}
        }
    }
}

/// For each target of a process, which of its bits have been assigned.
type Assigned = BTreeMap<String, Vec<bool>>;

/// Checks that every bit of every target is assigned on every path and not read before.
pub(crate) fn check_process(process: &[Stmt], targets: &BTreeSet<String>, nets: &Nets) -> Checked<()> {
    let mut assigned: Assigned = targets.iter().map(|net| (net.clone(), vec![false; nets[net].width])).collect();
    walk(process, &mut assigned)?;
    match assigned.iter().find(|(_, bits)| bits.contains(&false)) {
        Some((net, _)) => Err(Refusal::Latch(source_name(net))),
        None => Ok(()),
    }
}

fn walk(statements: &[Stmt], assigned: &mut Assigned) -> Checked<()> {
    for statement in statements {
        match statement {
            Stmt::Set { net, part, value } => {
                check_read(value, assigned)?;
                if let Some(bits) = assigned.get_mut(net) {
                    let (low, width) = part.unwrap_or((0, bits.len()));
                    if low + width > bits.len() {
                        return Err(Refusal::IndexRange { index: (low + width) as i128 - 1, width: bits.len() });
                    }
                    bits[low..low + width].fill(true);
                }
            }
            Stmt::If(test, yes, no) => {
                check_read(test, assigned)?;
                branch(&[yes, no], assigned)?;
            }
            Stmt::Case(subject, arms) => {
                check_read(subject, assigned)?;
                branch(&arms.iter().map(|arm| &arm.1).collect::<Vec<_>>(), assigned)?;
            }
            Stmt::Comment(_) => {}
        }
    }
    Ok(())
}

/// After a branch, a bit counts as assigned if every arm has assigned it.
fn branch(arms: &[&Vec<Stmt>], assigned: &mut Assigned) -> Checked<()> {
    let mut after = Vec::with_capacity(arms.len());
    for arm in arms {
        let mut state = assigned.clone();
        walk(arm, &mut state)?;
        after.push(state);
    }
    for (net, bits) in assigned.iter_mut() {
        for (bit, set) in bits.iter_mut().enumerate() {
            *set = after.iter().all(|state| state[net][bit]);
        }
    }
    Ok(())
}

fn check_read(value: &Expr, assigned: &Assigned) -> Checked<()> {
    let mut reads = BTreeSet::new();
    value.reads(&mut reads);
    match reads.iter().find(|net| assigned.get(*net).is_some_and(|bits| bits.contains(&false))) {
        Some(net) => Err(Refusal::ReadBeforeWrite(source_name(net))),
        None => Ok(()),
    }
}
