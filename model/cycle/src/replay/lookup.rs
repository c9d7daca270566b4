//! Lookups in `atc`: new segments and parked ones, their results, and the misses that `ats` is offered.

use super::{Entry, Replay, needs};
use types::port::{AtcLookup, AtsMiss, MappedSegment, ReplayIn};
use types::{AddressType, Slot, Syndrome};

impl Replay {
    fn lookup(&mut self, slot: Slot) {
        let mapped = &self.entries[usize::from(slot.0)].mapped;
        if mapped.tag.asked.life != self.lives.of(mapped.tag.function) {
            self.entries[usize::from(slot.0)].mapped.tag.syndrome = Syndrome::BUS_MASTER_OFF;
            self.finish(slot);
            return;
        }
        // What it would find may be of before the function was enabled.
        if self.enabling.under_way(mapped.tag.function) {
            self.retry.insert(slot);
            return;
        }
        let epoch = self.epochs.get(usize::from(mapped.tag.function.0)).copied().unwrap_or_default();
        let (read, write) = needs(&mapped.tag);
        self.out.lookup = AtcLookup { valid: true, slot, key: self.key_of(mapped), read, write };
        self.entries[usize::from(slot.0)].epoch = epoch;
    }

    /// Starts a lookup: one whose storage has been read, else a segment that arrives and need not wait.
    pub(super) fn look_up(&mut self, arrived: Option<Slot>) {
        let ready = self.fetched.take();
        // The storage read for the next edge.
        self.fetched = match self.retry.next(self.retry_from) {
            Some(slot) => {
                self.retry.remove(slot);
                // Slots are handed out in turn, so that the next one up is the next in age.
                self.retry_from = Slot(slot.0 + 1);
                self.out.stat_replay = true;
                Some(slot)
            }
            None => self.fresh.pop_front(),
        };
        match (ready, arrived) {
            (Some(slot), Some(new)) => {
                self.lookup(slot);
                self.fresh.push_back(new);
            }
            (None, Some(new)) if self.fetched.is_none() => self.lookup(new),
            (None, Some(new)) => self.fresh.push_back(new),
            (Some(slot), None) => self.lookup(slot),
            (None, None) => {}
        }
    }

    pub(super) fn results(&mut self, inp: &ReplayIn) {
        if !inp.result.valid {
            return;
        }
        let slot = inp.result.slot;
        if !inp.result.hit {
            let function = self.entries[usize::from(slot.0)].mapped.tag.function;
            self.misses[self.shares.of(function)].push_back(slot);
            self.out.stat_park = true;
            self.parked += 1;
            return;
        }
        let entry = &mut self.entries[usize::from(slot.0)];
        entry.mapped.address = inp.result.address;
        entry.mapped.at = if inp.result.untranslated { AddressType::UNTRANSLATED } else { AddressType::TRANSLATED };
        entry.no_snoop = inp.result.no_snoop;
        self.finish(slot);
    }

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

    /// Offers the next miss, from the partitions that have room in turn.
    pub(super) fn offer_miss(&mut self, (ready, room): (bool, u8), previous: AtsMiss) {
        self.out.miss = previous;
        if previous.valid && !ready {
            return;
        }
        let count = self.misses.len();
        let order = (0..count).map(|n| (self.turn + n) & (count - 1));
        let next = order.filter(|p| room >> p & 1 == 1).find(|p| !self.misses[*p].is_empty()).unwrap_or(self.turn);
        self.turn = (next + 1) & (count - 1);
        let slot = if room >> next & 1 == 1 { self.misses[next].pop_front() } else { None };
        self.out.miss = match slot {
            Some(slot) => {
                let mapped = &self.entries[usize::from(slot.0)].mapped;
                AtsMiss {
                    valid: true,
                    slot,
                    key: self.key_of(mapped),
                    write: needs(&mapped.tag).1,
                    life: mapped.tag.asked.life,
                }
            }
            None => AtsMiss::default(),
        };
    }
}
