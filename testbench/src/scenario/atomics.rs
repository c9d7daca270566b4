//! What atomics did to memory: whether there is an order of them in which each returned what the one before had left.
//!
//! Each atomic that was executed is an edge from the value it returned to the value it left. All of one operand must form
//! one path from the value before the first to the value in memory, each edge used once: then such an order exists, and none
//! without that path does. So nothing has to be known about which of several streams came first.

use std::collections::BTreeMap;
use types::{BusAddr, Op};

/// An atomic that was executed.
#[derive(Clone, Debug)]
pub(super) struct Executed {
    pub(super) op: Op,
    /// Operands as they travel.
    pub(super) operands: Vec<u8>,
    /// What it returned.
    pub(super) before: Vec<u8>,
}

/// The atomics of one operand.
#[derive(Clone, Debug, Default)]
pub(super) struct Operand {
    /// What it held before the first.
    pub(super) first: Vec<u8>,
    pub(super) executed: Vec<Executed>,
}

/// Operands by address.
pub(super) type Operands = BTreeMap<BusAddr, Operand>;

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u128::from(*byte))
}

impl Executed {
    /// The value returned and the value left.
    fn edge(&self) -> (u128, u128) {
        let size = self.before.len();
        let all = if size == 16 { u128::MAX } else { (1 << (8 * size)) - 1 };
        let (first, second) = self.operands.split_at(size.min(self.operands.len()));
        let (before, first, second) = (little_endian(&self.before), little_endian(first), little_endian(second));
        let after = match self.op {
            Op::FETCH_ADD => before.wrapping_add(first) & all,
            Op::SWAP => first,
            _ if before == first => second,
            _ => before,
        };
        (before, after)
    }
}

impl Operand {
    /// Why what was returned and what memory holds cannot have come about, if so.
    pub(super) fn wrong(&self, memory: &[u8]) -> Option<String> {
        let (start, end) = (little_endian(&self.first), little_endian(memory));
        // Out of each value less into it: a path starts with one more out and ends with one more in (Euler).
        let mut balance: BTreeMap<u128, i64> = BTreeMap::new();
        let mut next: BTreeMap<u128, Vec<u128>> = BTreeMap::new();
        for (before, after) in self.executed.iter().map(Executed::edge) {
            *balance.entry(before).or_default() += 1;
            *balance.entry(after).or_default() -= 1;
            next.entry(before).or_default().push(after);
        }
        *balance.entry(start).or_default() -= 1;
        *balance.entry(end).or_default() += 1;
        if let Some((value, _)) = balance.iter().find(|(_, n)| **n != 0) {
            return Some(format!(
                "{value:#x} was returned and left a different number of times; memory holds {end:#x}"
            ));
        }
        // And every value that was returned is reached from the first.
        let (mut reached, mut open) = (BTreeMap::new(), vec![start]);
        while let Some(value) = open.pop() {
            if reached.insert(value, ()).is_none() {
                open.extend(next.get(&value).into_iter().flatten());
            }
        }
        let lost = next.keys().find(|value| !reached.contains_key(*value));
        lost.map(|value| format!("{value:#x} was returned, which nothing had left"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(before: u32, operand: u32) -> Executed {
        let operands = operand.to_le_bytes().to_vec();
        Executed { op: Op::FETCH_ADD, operands, before: before.to_le_bytes().to_vec() }
    }

    fn wrong(executed: &[Executed], memory: u32) -> bool {
        let operand = Operand { first: 5_u32.to_le_bytes().to_vec(), executed: executed.to_vec() };
        operand.wrong(&memory.to_le_bytes()).is_some()
    }

    #[test]
    fn sums_in_some_order_and_nothing_else() {
        assert!(!wrong(&[], 5) && wrong(&[], 6));
        // 5 + 1, + 2: in either order of the list.
        assert!(!wrong(&[add(5, 1), add(6, 2)], 8) && !wrong(&[add(6, 2), add(5, 1)], 8));
        // Both saw 5: one sum is lost, whatever memory holds.
        assert!([6, 7, 8].iter().all(|memory| wrong(&[add(5, 1), add(5, 2)], *memory)));
        assert!(wrong(&[add(5, 1), add(6, 2)], 7));
        // One executed twice.
        assert!(wrong(&[add(5, 1)], 7));
        // A loop beside the path: returned out of nothing.
        let max = u32::MAX;
        assert!(wrong(&[add(9, max), add(8, 1)], 5));
    }

    #[test]
    fn swaps_and_compares() {
        let with = |op, before: u32, operands: &[u32]| Executed {
            op,
            operands: operands.iter().flat_map(|n| n.to_le_bytes()).collect(),
            before: before.to_le_bytes().to_vec(),
        };
        assert!(!wrong(&[with(Op::SWAP, 5, &[9]), with(Op::CAS, 9, &[9, 4])], 4));
        // What is not as expected stays.
        assert!(!wrong(&[with(Op::CAS, 5, &[6, 4])], 5) && wrong(&[with(Op::CAS, 5, &[6, 4])], 4));
    }
}
