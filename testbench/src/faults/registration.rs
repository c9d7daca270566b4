//! Faults around registration by work requests.

use super::Fault;
use super::inbound::completion_of;
use super::pins::{Plant, Use};
use std::collections::{BTreeSet, VecDeque};
use system::driver::registers;
use types::port::{TlpBeat, UnitIn, UnitOut, WorkRequest};
use types::tlp::{Body, MemoryOp, Tlp};
use types::{AddressType, StreamId, WrId};

/// Cycles for which a request is held back for one behind it.
const PATIENCE: u32 = 60;

/// Cycles from a line's first beat to a report that waits for nothing else: its stream goes on by then.
const EARLY: u32 = 24;

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Registering {
    /// IOVA and entries of the MPT, as the driver has written them.
    mpt: u64,
    entries: u64,
    /// Registrations that have been accepted and not reported: those whose line has not left in order.
    open: VecDeque<WorkRequest>,
    unreported: BTreeSet<(StreamId, WrId)>,
    /// Registrations whose line has left, and the cycles until they are reported.
    early: VecDeque<(u32, WorkRequest)>,
    /// Requests that are held back, for how long, and whether they are being let go.
    held: VecDeque<WorkRequest>,
    waited: u32,
    releasing: bool,
    /// An order has been changed: no other will be.
    changed: bool,
}

impl Registering {
    /// Index of the MPT line that a TLP writes.
    fn written(&self, tlp: &Tlp) -> Option<u32> {
        let Body::Memory { op: MemoryOp::Write, at: AddressType::UNTRANSLATED, address, .. } = tlp.body else {
            return None;
        };
        let offset = address.0.wrapping_sub(self.mpt);
        (offset < 64 * self.entries).then_some((offset / 64) as u32)
    }
}

impl Plant {
    /// Whether no work request is accepted in this cycle.
    pub(super) fn refuses_work(&self) -> bool {
        let r = &self.registering;
        match self.fault {
            Fault::RegistrationFirst | Fault::RegistrationLast => r.releasing,
            Fault::StreamsWait => !r.unreported.is_empty(),
            _ => false,
        }
    }

    /// Whether completions may be made up.
    pub(super) fn forges(&self) -> bool {
        matches!(self.fault, Fault::DoneBeforeSent | Fault::RegistrationEarly)
    }

    /// Changes what the unit is shown of the work requests; remembers those that register.
    pub(super) fn registering(&mut self, inp: &mut UnitIn, own: &UnitOut) {
        if self.refuses_work() {
            if self.fault == Fault::StreamsWait {
                inp.wr = WorkRequest::default();
            } else {
                self.release(inp, own);
            }
        } else if inp.wr.valid && own.wr_ready {
            if inp.wr.op.registers() {
                self.registering.open.push_back(inp.wr);
                self.registering.unreported.insert((inp.wr.stream, inp.wr.id));
            }
            self.hold(inp);
        } else if !self.registering.held.is_empty() {
            self.registering.waited += 1;
            self.registering.releasing = self.registering.waited > PATIENCE;
        }
        if own.completion.valid && inp.completion_ready {
            self.registering.unreported.remove(&(own.completion.stream, own.completion.id));
        }
    }

    /// Reports that come too early, last in a cycle: they are shown from the next one on.
    pub(super) fn report_early(&mut self) {
        self.registering.early.iter_mut().for_each(|(left, _)| *left -= 1);
        if let Some((_, wr)) = self.registering.early.pop_front_if(|(left, _)| *left == 0)
            && self.registering.unreported.contains(&(wr.stream, wr.id))
        {
            self.swallowed.insert((wr.stream, wr.id));
            self.forged.push_back(completion_of(&wr));
        }
    }

    /// Remembers where the MPT is.
    pub(super) fn mpt_register(&mut self, inp: &UnitIn) {
        match self.register {
            registers::MPT_BASE_LO if inp.axil_wvalid => {
                self.registering.mpt = self.registering.mpt & !0xffff_ffff | u64::from(inp.axil_wdata);
            }
            registers::MPT_BASE_HI if inp.axil_wvalid => {
                self.registering.mpt = self.registering.mpt & 0xffff_ffff | u64::from(inp.axil_wdata) << 32;
            }
            registers::MPT_ENTRIES if inp.axil_wvalid => self.registering.entries = u64::from(inp.axil_wdata),
            _ => {}
        }
    }

    fn hold(&mut self, inp: &mut UnitIn) {
        let r = &mut self.registering;
        let held = match self.fault {
            Fault::RegistrationFirst => !inp.wr.op.registers(),
            Fault::RegistrationLast => inp.wr.op.registers(),
            _ => return,
        };
        if held && !r.changed {
            r.held.push_back(inp.wr);
            r.waited = 0;
            inp.wr = WorkRequest::default();
        } else if !r.held.is_empty() {
            (r.releasing, r.changed) = (true, true);
        }
    }

    fn release(&mut self, inp: &mut UnitIn, own: &UnitOut) {
        let r = &mut self.registering;
        inp.wr = r.held.front().copied().unwrap_or_default();
        if own.wr_ready {
            r.held.pop_front();
        }
        r.releasing = !r.held.is_empty();
    }

    /// The first beat of a posted TLP is taken: a registration is reported as soon as its line leaves.
    pub(super) fn line_left(&mut self, tlp: &Tlp) {
        let Some(index) = self.registering.written(tlp) else { return };
        let Some(at) = self.registering.open.iter().position(|wr| wr.key.index() == index) else { return };
        let Some(wr) = self.registering.open.remove(at) else { return };
        if self.fault == Fault::RegistrationEarly {
            self.registering.early.push_back((EARLY, wr));
        }
    }

    /// Changes a beat of a posted TLP that writes a line.
    pub(super) fn line(&self, beat: &mut TlpBeat) {
        if self.fault == Fault::LineBit
            && beat.sop
            && let Ok(tlp) = Tlp::parse(beat.hdr, beat.pasid)
            && self.registering.written(&tlp).is_some()
        {
            // The lowest bit of the key variant.
            beat.data.0[0] ^= 1;
        }
    }

    /// Changes a word of an MPT line that comes back.
    pub(super) fn mpt_word(&self, of: Use, number: usize, word: &mut u64) {
        match self.fault {
            Fault::ParentUnbounded if of == Use::Mpt && number == 3 && *word > 0 => *word |= 1 << 40,
            Fault::RemoteInvalidateUnchecked if of == Use::Mpt && number == 0 && *word >> 63 == 1 => *word |= 1 << 62,
            Fault::KeyStateIgnored if of == Use::Mpt && number == 0 && *word >> 56 & 1 == 1 => *word |= 1 << 63,
            _ => {}
        }
    }
}
