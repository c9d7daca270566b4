//! The host's side of invalidation: Invalidate Requests with their ITags, and what comes back.

use std::collections::VecDeque;
use system::fabric::{Packet, ROOT_ID, nic_function};
use types::ats::InvalidateRange;
use types::tlp::{Attributes, Body, Routing, message_code};
use types::{FunctionId, PasidPrefix, Tag, Tlp};

/// An Invalidate Request to send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Index of the step it belongs to.
    pub(super) step: usize,
    pub(super) function: FunctionId,
    pub(super) range: InvalidateRange,
    pub(super) pasid: PasidPrefix,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    wanted: Wanted,
    itag: u8,
    copies: u32,
    /// Its function was reset: it need not be answered.
    excused: bool,
}

/// Invalidate Requests that are wanted, and those under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Invalidator {
    wanted: VecDeque<Wanted>,
    pending: Vec<Pending>,
    /// Next ITag to try.
    next: u8,
    /// Functions that have been reset and not configured since.
    down: Vec<FunctionId>,
    /// Invalidate Completions that answered nothing.
    pub(super) unexpected: u64,
}

impl Invalidator {
    pub(super) fn want(&mut self, wanted: Wanted) {
        // A function that is down has nothing to invalidate, and answers nothing.
        if !self.down.contains(&wanted.function) {
            self.wanted.push_back(wanted);
        }
    }

    /// A function is configured again.
    pub(super) fn up(&mut self, function: FunctionId) {
        self.down.retain(|f| *f != function);
    }

    /// Whether everything is answered.
    pub(super) fn idle(&self) -> bool {
        self.wanted.is_empty() && self.pending.iter().all(|p| p.excused)
    }

    /// Invalidations of a step that are not complete.
    pub(super) fn open_of(&self, step: usize) -> bool {
        self.wanted.iter().any(|w| w.step == step) || self.pending.iter().any(|p| p.wanted.step == step && !p.excused)
    }

    /// What is open, for a person.
    pub(super) fn describe(&self) -> String {
        let itags: Vec<u8> = self.pending.iter().map(|p| p.itag).collect();
        format!("ITags {itags:?} without completion, {} requests not sent", self.wanted.len())
    }

    /// A function was reset: its invalidations need not be answered.
    pub(super) fn excuse(&mut self, function: FunctionId) {
        self.down.push(function);
        self.wanted.retain(|w| w.function != function);
        self.pending.iter_mut().filter(|p| p.wanted.function == function).for_each(|p| p.excused = true);
    }

    /// The next Invalidate Request that may be sent: a function has at most 32 under way (PCIe 6.x 10.3.5).
    pub(super) fn send(&mut self) -> Option<Packet> {
        let wanted = *self.wanted.front()?;
        let used = |itag: u8| self.pending.iter().any(|p| p.wanted.function == wanted.function && p.itag == itag);
        let itag = (0..32).map(|i| (self.next + i) & 31).find(|itag| !used(*itag))?;
        self.wanted.pop_front();
        self.next = (itag + 1) & 31;
        self.pending.push(Pending { wanted, itag, copies: 0, excused: false });
        let body = Body::Message {
            with_data: true,
            routing: Routing::ById,
            requester: ROOT_ID,
            tag: Tag(u16::from(itag)),
            code: message_code::INVALIDATE_REQUEST,
            dw2: u32::from(nic_function(wanted.function).0) << 16,
            dw3: 0,
        };
        let (attributes, pasid) = (Attributes::default(), wanted.pasid);
        let tlp = Tlp { tc: 0, attributes, poisoned: false, length_dw: 2, body, pasid };
        Some(Packet { tlp, payload: wanted.range.encode().to_vec() })
    }

    /// A message has reached the host.
    pub(super) fn receive(&mut self, tlp: &Tlp) {
        let Body::Message { code: message_code::INVALIDATE_COMPLETION, requester, dw2, dw3, .. } = tlp.body else {
            return;
        };
        // CC = 0 means 8 copies.
        let copies = if dw2 & 7 == 0 { 8 } else { dw2 & 7 };
        for itag in (0..32u8).filter(|itag| dw3 >> itag & 1 == 1) {
            let mine = |p: &Pending| nic_function(p.wanted.function) == requester && p.itag == itag;
            match self.pending.iter().position(mine) {
                Some(at) => {
                    self.pending[at].copies += 1;
                    if self.pending[at].copies >= copies {
                        self.pending.remove(at);
                    }
                }
                None => self.unexpected += 1,
            }
        }
    }
}
