//! Splits the one big `update` of a block into the smallest independent processes.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{Checked, Refusal};
use super::expr::{Nets, Role};
use super::names::source_name;
use super::stmt::{Stmt, check_process};

/// Statements that must stand in one `always` block (or one `assign`), in source order.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) statements: Vec<Stmt>,
    pub(crate) targets: BTreeSet<String>,
}

/// A top-level statement with the comments above it.
struct Item {
    statements: Vec<Stmt>,
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
}

/// Groups the statements of a block into processes and checks them.
pub(crate) fn processes(statements: Vec<Stmt>, nets: &Nets) -> Checked<Vec<Process>> {
    let mut items = items(statements);
    drop_dead_defaults(&mut items);
    check_order(&items, nets)?;
    let mut groups: BTreeMap<usize, Process> = BTreeMap::new();
    let roots = roots(&items);
    for (item, root) in items.into_iter().zip(roots) {
        let process = groups.entry(root).or_insert_with(|| Process { statements: vec![], targets: BTreeSet::new() });
        process.statements.extend(item.statements);
        process.targets.extend(item.writes);
    }
    let groups: Vec<Process> = groups.into_values().collect();
    groups.iter().try_for_each(|process| check(process, nets))?;
    Ok(groups)
}

fn items(statements: Vec<Stmt>) -> Vec<Item> {
    let mut out = vec![];
    let mut comments = vec![];
    for statement in statements {
        if matches!(statement, Stmt::Comment(_)) {
            comments.push(statement);
            continue;
        }
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        statement.reads(&mut reads);
        statement.writes(&mut writes);
        let mut statements = std::mem::take(&mut comments);
        statements.push(statement);
        out.push(Item { statements, reads, writes });
    }
    out
}

/// Drops an assignment that a later one of the whole signal replaces before any read: `dff_setup`'s `d = q` in front of
/// a plain `d = expression`.
fn drop_dead_defaults(items: &mut Vec<Item>) {
    let whole = |item: &Item| match item.statements.last() {
        Some(Stmt::Set { net, part: None, .. }) => Some(net.clone()),
        _ => None,
    };
    let mut at = 0;
    while at < items.len() {
        let dead = matches!(items[at].statements.last(), Some(Stmt::Set { .. }))
            && items[at].writes.iter().all(|net| {
                let later = items[at + 1..].iter().find(|item| item.reads.contains(net) || item.writes.contains(net));
                later.is_some_and(|item| !item.reads.contains(net) && whole(item).as_ref() == Some(net))
            });
        if dead {
            items.remove(at);
        } else {
            at += 1;
        }
    }
}

/// A local signal or an output that is read above its first assignment has, in the simulation, the value of the pass
/// before; in Verilog it would have the new one.
fn check_order(items: &[Item], nets: &Nets) -> Checked<()> {
    let mut first: BTreeMap<&String, usize> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        for net in &item.writes {
            first.entry(net).or_insert(at);
        }
    }
    for (at, item) in items.iter().enumerate() {
        for net in &item.reads {
            let own = matches!(nets[net].role, Role::Local | Role::Output);
            if own && first.get(net).is_none_or(|&written| written > at) {
                return Err(Refusal::ReadBeforeWrite(source_name(net)));
            }
        }
    }
    Ok(())
}

/// Which items belong together: those that write a common signal, and one that reads a signal between two of its
/// writes, for it must see the value in between. Returns the first item of each item's group.
fn roots(items: &[Item]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..items.len()).collect();
    let mut span: BTreeMap<&String, (usize, usize)> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        for net in &item.writes {
            let entry = span.entry(net).or_insert((at, at));
            entry.1 = at;
            join(&mut parent, entry.0, at);
        }
    }
    for (at, item) in items.iter().enumerate() {
        for net in &item.reads {
            if let Some(&(first, last)) = span.get(net)
                && first < at
                && at < last
            {
                join(&mut parent, first, at);
            }
        }
    }
    (0..items.len()).map(|at| root(&parent, at)).collect()
}

fn root(parent: &[usize], mut at: usize) -> usize {
    while parent[at] != at {
        at = parent[at];
    }
    at
}

fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

fn check(process: &Process, nets: &Nets) -> Checked<()> {
    for net in &process.targets {
        if !matches!(nets[net].role, Role::Output | Role::Local | Role::ChildInput) {
            return Err(Refusal::AssignedInput(source_name(net)));
        }
    }
    let mut reads = BTreeSet::new();
    process.statements.iter().for_each(|s| s.reads(&mut reads));
    for net in &reads {
        if nets[net].role == Role::ChildInput && process.targets.contains(net) {
            return Err(Refusal::ChildInputRead(source_name(net)));
        }
    }
    check_process(&process.statements, &process.targets, nets)?;
    let plain = process.statements.iter().all(|s| matches!(s, Stmt::Set { part: None, .. } | Stmt::Comment(_)));
    let constant = |net: &String| nets[net].role == Role::Constant || process.targets.contains(net);
    if let (false, true, Some(net)) = (plain, reads.iter().all(constant), process.targets.first()) {
        return Err(Refusal::ReadsNothing(source_name(net)));
    }
    Ok(())
}
