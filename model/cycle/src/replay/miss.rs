//! Misses on their way to `ats`, and what becomes of the segments that wait for a Translation Request.

use super::{Entry, Replay, key_of, needs};
use types::port::{AtsMiss, MappedSegment, ReplayIn};

impl Replay {
    /// Takes a grant and the end of a Translation Request: its slots look up again, fail, or may wait for their page.
    pub(super) fn wake(&mut self, inp: &ReplayIn) {
        if inp.grant_valid && inp.grant_first {
            self.first.insert(inp.grant_slot);
        }
        // A request that ends gives its index back in the same cycle: a grant beside the wake is the next request's.
        let granted = inp.grant_valid.then_some((usize::from(inp.grant_index), inp.grant_slot));
        if !inp.wake.valid {
            if let Some((index, slot)) = granted {
                self.waiting[index].insert(slot);
            }
            return;
        }
        let mut woken = std::mem::take(&mut self.waiting[usize::from(inp.wake.index)]);
        while let Some(slot) = woken.first() {
            woken.remove(slot);
            let first = self.first.contains(slot);
            self.first.remove(slot);
            let Entry { mapped: MappedSegment { tag, .. }, rounds, .. } = &mut self.entries[usize::from(slot.0)];
            let (reads, writes) = needs(tag);
            let fails = match (reads, writes) {
                (false, false) => inp.wake.fail_reads && inp.wake.fail_writes,
                _ => reads && inp.wake.fail_reads || writes && inp.wake.fail_writes,
            };
            if !(fails && first) {
                self.parked = self.parked.saturating_sub(1);
                self.retry.insert(slot);
                continue;
            }
            // One that may wait for its page stays parked.
            if let Some(syndrome) = self.pages.fault(slot, tag, *rounds, inp.wake.syndrome) {
                tag.syndrome = syndrome;
                self.parked = self.parked.saturating_sub(1);
                self.finish(slot);
            }
        }
        if let Some((index, slot)) = granted {
            self.waiting[index].insert(slot);
        }
    }

    /// Offers the next miss to `ats`.
    pub(super) fn offer_miss(&mut self, ready: bool, previous: AtsMiss) {
        self.out.miss = previous;
        if previous.valid && !ready {
            return;
        }
        self.out.miss = match self.misses.pop_front() {
            Some(slot) => {
                let mapped = &self.entries[usize::from(slot.0)].mapped;
                AtsMiss { valid: true, slot, key: key_of(mapped), write: needs(&mapped.tag).1 }
            }
            None => AtsMiss::default(),
        };
    }
}
