//! Next-page prefetch, where `ats_prefetch` is set.
//!
//! A miss that opens a request makes the page behind what it asks for the *candidate*; the first miss that joins a
//! prefetch does so too, so that a stream of misses keeps one ahead of itself. At the next edge without a miss the
//! candidate becomes a request of one granule, or is forgotten: it needs a free request beyond the half of its partition's
//! that stays for misses, an open request must not ask for it already, and it lies in the same 2 MiB as the page before it. `ats` knows
//! neither regions nor what the ATC holds, so a prefetch may be for nothing.
//!
//! Misses do not wait for prefetches: requests for misses are sent first, a miss that finds every request in use takes over
//! a prefetch that has not been sent, and one that joins such a prefetch makes it its own. A prefetch that has been sent ends
//! like any request. If it brings too little, those that joined it look up again and then ask for themselves: a failure is
//! reported only for what was asked for.

use super::permission::refuses;
use super::{Ats, Request, State};
use std::collections::VecDeque;
use types::port::{AtcKey, AtsMiss};
use types::{Iova, UnitCfg};

/// A prefetch stays in the same naturally aligned block of this size.
const BLOCK_LOG2: u32 = 21;

/// A page to ask for, and whether with write permission.
type Candidate = (AtcKey, bool);

/// What is asked for ahead of misses.
#[derive(Clone, Debug)]
pub(super) struct Prefetch {
    enabled: bool,
    candidate: Option<Candidate>,
    /// Prefetches that have not been sent.
    to_send: VecDeque<u8>,
}

impl Prefetch {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        let to_send = VecDeque::with_capacity(cfg.ats_requests as usize);
        Self { enabled: cfg.ats_prefetch, candidate: None, to_send }
    }

    pub(super) fn reset(&mut self) {
        self.candidate = None;
        self.to_send.clear();
    }

    /// Whether no page waits to be asked for.
    pub(super) fn idle(&self) -> bool {
        self.candidate.is_none()
    }

    /// The next prefetch to send.
    pub(super) fn next(&mut self) -> Option<u8> {
        self.to_send.pop_front()
    }

    /// A prefetch ends without being sent.
    pub(super) fn withdraw(&mut self, index: usize) {
        self.to_send.retain(|i| usize::from(*i) != index);
    }
}

impl Ats {
    /// Makes the page behind what a request asks for the candidate, with the permission that a miss of it needs.
    pub(super) fn expect_next(&mut self, index: usize, write: bool) {
        let Request { key, asked, .. } = &self.requests[index];
        let last = key.iova.0.wrapping_add(u64::from(asked - 1) << self.granule_log2);
        let next = last.wrapping_add(1 << self.granule_log2);
        if self.prefetch.enabled && (last ^ next) >> BLOCK_LOG2 == 0 {
            self.prefetch.candidate = Some((AtcKey { iova: Iova(next), ..*key }, write));
        }
    }

    /// Opens a request for the candidate, if that may be.
    pub(super) fn open_prefetch(&mut self) {
        let Some((key, write)) = self.prefetch.candidate.take() else { return };
        let covered = self.requests.iter().any(|r| {
            r.under_way()
                && r.key.function == key.function
                && r.key.pasid == key.pasid
                && r.covers(key.iova, self.granule_log2)
        });
        let allowed = refuses(&self.function(key.function), &key).is_none();
        // Half of the partition's share stays for misses.
        let share = self.shares.share(self.usable as u32) as usize;
        let own =
            |r: &&Request| r.state != State::Free && self.shares.of(r.key.function) == self.shares.of(key.function);
        let room = self.requests.iter().filter(own).count() + share.div_ceil(2) < share;
        let index = self.free().next().filter(|_| allowed && !covered && room);
        let Some(index) = index else { return };
        self.requests[index] =
            Request { state: State::ToSend, key, write, asked: 1, ahead: true, ..Request::default() };
        self.open += 1;
        self.prefetch.to_send.push_back(index as u8);
    }

    /// A miss joins a request. A prefetch that has not been sent becomes the miss's own.
    pub(super) fn claim_prefetch(&mut self, index: usize, miss: &AtsMiss) {
        let request = &mut self.requests[index];
        if !request.ahead || request.joined {
            return;
        }
        request.joined = true;
        if request.state == State::ToSend {
            (request.ahead, request.write) = (false, miss.write);
            self.prefetch.withdraw(index);
            self.to_send.push_back(index as u8);
        }
        self.expect_next(index, miss.write);
    }

    /// The place of a partition's last prefetch that has not been sent, for a miss of its own that finds no other.
    pub(super) fn give_way(&mut self, partition: usize) -> Option<usize> {
        let own = |i: &u8| self.shares.of(self.requests[usize::from(*i)].key.function) == partition;
        let last = self.prefetch.to_send.iter().rposition(own)?;
        let index = self.prefetch.to_send.remove(last)?;
        self.open -= 1;
        Some(usize::from(index))
    }
}
