//! Faults about coherent regions.

use super::Fault;
use super::pins::{Plant, Use, taken};
use system::driver::registers;
use types::port::{MessageTlp, UnitIn, UnitOut};
use types::tlp::{Body, MemoryOp, message_code};

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct Coherent {
    /// Register that is read.
    reading: u16,
    /// Invalidate Requests taken since the driver's last command.
    passed: u32,
    /// Table fetches in flight.
    pub(super) fetching: u32,
}

impl Plant {
    /// An MPT word, the n-th of its line, as the unit is shown it.
    pub(super) fn coherent_word(&self, n: usize, word: &mut u64) {
        match self.fault {
            Fault::CoherentIgnored if n == 0 => *word &= !(1 << 60),
            Fault::CounterMistaken if n == 5 && *word != 0 && *word & 0xfff == 0 => *word |= 1,
            _ => {}
        }
    }

    pub(super) fn coherent_register(&mut self, inp: &mut UnitIn) {
        if inp.axil_arvalid {
            self.coherent.reading = inp.axil_araddr;
        }
        if inp.axil_wvalid && self.register == registers::COHERENT_PAGES && self.fault == Fault::RangeNarrow {
            inp.axil_wdata = 1;
        }
        if inp.axil_wvalid && self.register == registers::COHERENT_COMMAND {
            self.coherent.passed = 0;
        }
    }

    /// Takes note of a message that is taken, before anything is changed in it; of a table fetch that leaves.
    pub(super) fn coherent_message(&mut self, message: &MessageTlp, taken: bool) {
        if taken && message.hdr.0[1] as u8 == message_code::INVALIDATE_REQUEST {
            self.coherent.passed += 1;
        }
    }

    pub(super) fn coherent_fetch(&mut self, own: &UnitOut, inp: &UnitIn) {
        if let Some(Body::Memory { op: MemoryOp::Read, tag, .. }) =
            taken(&own.tx_rd_req_tlp, inp.tx_rd_req_tlp_ready).map(|tlp| tlp.body)
            && matches!(self.used_for(tag), Use::Mpt | Use::Mtt)
        {
            self.coherent.fetching += 1;
        }
    }

    pub(super) fn coherent_outputs(&self, out: &mut UnitOut) {
        let low = self.coherent.reading == registers::COHERENT_ENTRY_LO;
        // A GPU entry that is fresh.
        if self.fault == Fault::GenerationLate && low && out.axil_rvalid && out.axil_rdata >> 4 & 0xff != 0 {
            out.axil_rdata += self.coherent.passed << 4;
        }
    }
}
