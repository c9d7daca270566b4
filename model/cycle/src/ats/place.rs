//! Places for misses: each joins a request that is open, or opens one of its partition's.

use super::request::{Request, State};
use super::{Asker, Ats};
use std::collections::VecDeque;
use types::port::AtsMiss;

impl Ats {
    /// Finds a place for a miss that was taken, the partitions in turn.
    pub(super) fn place(&mut self) {
        if self.misses.iter().all(VecDeque::is_empty) {
            self.open_prefetch();
            return;
        }
        for n in 0..self.misses.len() {
            let partition = (self.turn + n) & (self.misses.len() - 1);
            let Some(miss) = self.misses[partition].front().copied() else { continue };
            if self.place_one(partition, &miss) {
                self.misses[partition].pop_front();
                self.turn = (partition + 1) & (self.misses.len() - 1);
                self.out.stat_stall_full = false;
                return;
            }
        }
    }

    /// Whether a partition has its share of requests in flight.
    pub(super) fn full(&self, partition: usize) -> bool {
        // A prefetch that has not been sent gives way.
        let counts = |r: &Request| r.state != State::Free && !(r.ahead && r.state == State::ToSend);
        let held = |r: &&Request| counts(r) && self.shares.of(r.key.function) == partition;
        let held = self.requests.iter().filter(held).count();
        held >= self.shares.share(self.usable as u32) as usize
    }

    /// A retired request of a partition that has no other left: nothing more can be asked until a late completion comes, which
    /// may be never, so a miss ends as the lost ones did, under this number.
    pub(super) fn spent(&self, partition: usize) -> Option<usize> {
        let own = |r: &Request| r.state != State::Free && self.shares.of(r.key.function) == partition;
        let mut own = self.requests.iter().enumerate().filter(|(_, r)| own(r));
        let share = self.shares.share(self.usable as u32) as usize;
        let retired = |(_, r): (usize, &Request)| r.state == State::Retired;
        (own.clone().count() >= share && own.clone().all(retired)).then(|| own.next().map(|(index, _)| index))?
    }

    /// Joins a miss to an open request, or opens one; returns whether there was a place.
    pub(super) fn place_one(&mut self, partition: usize, miss: &AtsMiss) -> bool {
        // Of before a function-level reset: nothing is asked for any more.
        let over = miss.life != self.lives.of(miss.key.function);
        let joins = self.requests.iter().position(|r| {
            r.under_way()
                && !r.command
                && r.key.function == miss.key.function
                && r.key.pasid == miss.key.pasid
                && r.covers(miss.key.iova, self.granule_log2)
                && (r.write || !miss.write)
                && !over
        });
        let index = match joins {
            Some(index) => {
                self.out.stat_merge = true;
                self.claim_prefetch(index, miss);
                index
            }
            None => {
                let free = self.free().next();
                let index = if self.full(partition) { None } else { free.or_else(|| self.give_way(partition)) };
                let Some(index) = index.or_else(|| self.spent(partition)) else {
                    self.out.stat_stall_full = true;
                    return false;
                };
                self.open(index, miss, if over { Asker::Over } else { Asker::Miss });
                index
            }
        };
        self.out.grant_valid = true;
        self.out.grant_slot = miss.slot;
        self.out.grant_index = index as u8;
        let request = &self.requests[index];
        // A failure is reported only for what was asked for: nobody asked for a prefetch.
        self.out.grant_first = !request.ahead && self.granule(request.key.iova) == self.granule(miss.key.iova);
        true
    }

    /// With partitions two more misses of one may come before it sees that it has no room, and they have their places.
    pub(super) fn offer_room(&mut self) {
        let alone = self.misses.len() == 1;
        self.out.miss_ready = !alone || self.misses[0].is_empty();
        self.out.miss_room = 0;
        for (partition, misses) in self.misses.iter().enumerate() {
            self.out.miss_room |= u8::from(alone || misses.is_empty()) << partition;
        }
    }

    /// Requests that are free and have a tag.
    pub(super) fn free(&self) -> impl Iterator<Item = usize> {
        let numbered = self.requests.iter().take(self.usable).enumerate();
        numbered.filter(|(_, r)| r.state == State::Free).map(|(index, _)| index)
    }
}
