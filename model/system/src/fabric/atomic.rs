//! Atomics at the memory that executes them: read, change and write in one step (PCIe 6.x 6.15).

use super::Memories;
use super::completer::enabled_range;
use types::tlp::{Body, MemoryOp};
use types::{BusAddr, Tlp};

/// Largest operand in bytes.
const LARGEST: usize = 16;

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u128::from(*byte))
}

/// What memory holds after an atomic: operands are little-endian, and a sum wraps. A compare-and-swap has the value to
/// compare with first, then the one to store.
fn after(op: MemoryOp, before: &[u8], operands: &[u8]) -> u128 {
    let size = before.len();
    let operand = |n: usize| number(operands.get(n * size..(n + 1) * size).unwrap_or_default());
    match op {
        MemoryOp::FetchAdd => number(before).wrapping_add(operand(0)),
        MemoryOp::Swap => operand(0),
        MemoryOp::Cas if number(before) == operand(0) => operand(1),
        _ => number(before),
    }
}

impl Memories {
    /// Executes an atomic at `address`: what was there before goes to `before`, which is empty.
    pub(super) fn atomic(&mut self, request: &Tlp, address: BusAddr, operands: &[u8], before: &mut Vec<u8>) {
        let Body::Memory { op, .. } = request.body else { return };
        let size = usize::from(enabled_range(request).1).min(LARGEST);
        before.resize(size, 0);
        self.read(address, before);
        let after = after(op, before, operands).to_le_bytes();
        self.store(address, &after[..size]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_on_little_endian_operands() {
        let before = 0xffff_fffe_u32.to_le_bytes();
        let after = |op, operands: &[u32]| {
            let bytes: Vec<u8> = operands.iter().flat_map(|n| n.to_le_bytes()).collect();
            // Four bytes are kept.
            super::after(op, &before, &bytes) as u32
        };
        // 0xffff_fffe + 3 wraps to 1.
        assert_eq!(after(MemoryOp::FetchAdd, &[3]), 1);
        assert_eq!(after(MemoryOp::Swap, &[7]), 7);
        assert_eq!(after(MemoryOp::Cas, &[0xffff_fffe, 9]), 9);
        assert_eq!(after(MemoryOp::Cas, &[0xffff_ffff, 9]), 0xffff_fffe);
    }
}
