//! Atomics: AtomicOp requests that read memory and change it in one step (PCIe 6.x 2.2.7.1, 6.15).
//!
//! | rule | |
//! |---|---|
//! | operand of 4 or 8 bytes, of a compare-and-swap also 16, at a multiple of its size | refused by protection, or a violation when sent |
//! | AtomicOp Requester Enable of the function | off: nothing leaves |
//! | payload | the operand of the request; of a compare-and-swap the compare value, then the swap value |
//! | byte enables | reserved: zero |
//! | answer | one completion with the whole operand as it was |
//!
//! In a stream an atomic goes like a read: behind earlier writes, reads and atomics. It needs both permissions of its page.

use crate::Judge;
use crate::data::Access;
use crate::outbound::Request;
use crate::outstanding::{Pending, Read};
use crate::violation::Violation;
use types::port::{FunctionCfg, WorkRequest};
use types::tlp::MemoryOp;
use types::{Op, Syndrome, TlpAddr};

/// What is wrong with the operation of a work request, if anything is.
pub(crate) fn operation_check(wr: &WorkRequest) -> Syndrome {
    let sizes = wr.op.operand_sizes();
    if wr.op == Op::WRITE || wr.op == Op::READ {
        Syndrome::OK
    } else if sizes.is_empty() {
        Syndrome::UNSUPPORTED_OP
    } else if !sizes.contains(&wr.length.0) {
        Syndrome::ATOMIC_SIZE
    } else if !wr.va.0.is_multiple_of(u64::from(wr.length.0)) {
        Syndrome::ATOMIC_ALIGNMENT
    } else {
        Syndrome::OK
    }
}

/// Operation and number of operands of an AtomicOp request.
fn operation(op: MemoryOp) -> Option<(Op, u32)> {
    match op {
        MemoryOp::FetchAdd => Some((Op::FETCH_ADD, 1)),
        MemoryOp::Swap => Some((Op::SWAP, 1)),
        MemoryOp::Cas => Some((Op::CAS, 2)),
        MemoryOp::Read | MemoryOp::Write => None,
    }
}

impl Judge {
    /// Whether a function may send atomics, or could have committed one when it still might.
    pub(crate) fn atomics_allowed(&self, cfg: &FunctionCfg) -> bool {
        cfg.atomic_enable || self.may_be_late(cfg.function, false, false)
    }

    /// An atomic left the unit.
    pub(crate) fn atomic(&mut self, r: &Request<'_>) -> Result<Option<Pending>, Violation> {
        let (address, at) = (r.address, r.at);
        let wrong = |why| Err(Violation::Atomic { address, at, why });
        let Some((op, operands)) = operation(r.op) else { return wrong("is none") };
        let payload = 4 * u32::from(r.length_dw);
        let size = payload / operands;
        if !op.operand_sizes().contains(&size) || size * operands != payload {
            return wrong("has operands of a size that its operation does not have");
        }
        if r.enables != (0, 0) {
            return wrong("has byte enables, which are reserved");
        }
        if !address.0.is_multiple_of(u64::from(size)) {
            return wrong("does not stand at a multiple of its operand's size");
        }
        if !self.atomics_allowed(&r.cfg) {
            return wrong("leaves though AtomicOp Requester Enable of its function is off");
        }
        let (function, prefix, bytes) = (r.cfg.function, r.prefix, r.payload);
        let access = Access { function, op, at, prefix, address, length: size, bytes };
        let (claims, used) = self.attributed(r, &access)?;
        Ok(Some(self.reading(Read::new(claims, TlpAddr(address.0), size, used).whole())))
    }
}
