//! The large-page array: a few fully associative entries in registers, for the size classes below.
//!
//! A class is compared by chunks of the address (63:30, 29:21, 20:16) that fixed masks select, not by a mask an entry.
//! No two entries answer one lookup: a fill drops what overlaps it.

use super::{Attributes, Owner, Probe, overlap};
use types::config::Partitions;
use types::port::{AtcInvalidate, AtcLookup};
use types::{FunctionId, UnitCfg};

/// Size classes: base-two logarithms of 64 KiB, 2 MiB and 1 GiB. Those not above the base granule are unused.
pub(super) const CLASSES: [u32; 3] = [16, 21, 30];

/// One entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub(super) valid: bool,
    pub(super) owner: Owner,
    pub(super) class_log2: u32,
    /// IOVA of the page, aligned to the class.
    pub(super) iova: u64,
    /// Bus address of the page; the IOVA where the access leaves untranslated.
    pub(super) address: u64,
    pub(super) attributes: Attributes,
}

impl Entry {
    fn names(&self, owner: &Owner, iova: u64) -> bool {
        self.valid && (self.iova ^ iova) >> self.class_log2 == 0 && self.owner.answers(owner)
    }
}

/// The array; replaced round robin.
#[derive(Clone, Debug)]
pub(super) struct LargeArray {
    granule_log2: u32,
    entries: Vec<Entry>,
    shares: Partitions,
    /// Next victim of each partition, from its first entry on.
    next: Vec<u32>,
}

impl LargeArray {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        Self {
            granule_log2: cfg.atc_granule_log2,
            entries: vec![Entry::default(); cfg.atc_large as usize],
            shares: cfg.shares(),
            next: vec![0; cfg.shares().count()],
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// The largest class that a translation of `size_log2` fills, if it is above the base granule.
    pub(super) fn class_of(&self, size_log2: u32) -> Option<u32> {
        CLASSES.into_iter().rev().find(|class| *class <= size_log2 && *class > self.granule_log2)
    }

    /// Compares every entry.
    pub(super) fn probe(&self, asked: &Owner, lookup: &AtcLookup) -> Probe {
        let iova = lookup.key.iova.0;
        let mut probe = Probe::default();
        for entry in self.entries.iter().filter(|e| e.names(asked, iova)) {
            probe.named = true;
            if entry.attributes.grant(lookup) {
                debug_assert!(!probe.hit, "two large entries answer one lookup");
                probe.hit = true;
                probe.address = entry.address | iova & ((1 << entry.class_log2) - 1);
                probe.attributes = entry.attributes;
            }
        }
        probe
    }

    /// A fill walks past entry `index`: drops it if both would answer some lookup; returns whether it is free then, and one
    /// of those that the fill's function may take.
    pub(super) fn make_way(&mut self, index: usize, new: &Entry) -> bool {
        let entry = &mut self.entries[index];
        if entry.owner.rivals(&new.owner) && overlap(entry.iova, entry.class_log2, new.iova, new.class_log2) {
            entry.valid = false;
        }
        let free = !entry.valid;
        let (first, count) = self.part(FunctionId(new.owner.function));
        free && (index as u32).wrapping_sub(first) < count
    }

    /// The entries that a function may take: the first one, and how many.
    fn part(&self, function: FunctionId) -> (u32, u32) {
        self.shares.part(self.shares.of(function), self.len())
    }

    /// The next victim of a function's fill, round robin.
    pub(super) fn victim(&mut self, function: FunctionId) -> u32 {
        let (first, count) = self.part(function);
        let next = &mut self.next[self.shares.of(function)];
        let victim = first + *next;
        *next = if *next + 1 == count { 0 } else { *next + 1 };
        victim
    }

    pub(super) fn clear(&mut self, index: usize) {
        self.entries[index].valid = false;
    }

    pub(super) fn reset(&mut self) {
        self.entries.fill(Entry::default());
        self.next.fill(0);
    }

    pub(super) fn write(&mut self, index: usize, entry: Entry) {
        self.entries[index] = entry;
    }

    /// Drops entry `index` if an invalidation means it.
    pub(super) fn sweep(&mut self, index: usize, inv: &AtcInvalidate) {
        let entry = &mut self.entries[index];
        let (meant, everywhere) = entry.owner.scope(inv);
        if meant && (everywhere || overlap(entry.iova, entry.class_log2, inv.iova.0, u32::from(inv.size_log2))) {
            entry.valid = false;
        }
    }
}
