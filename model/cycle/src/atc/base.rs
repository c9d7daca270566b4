//! The base-granule array: sets × ways in block RAM, valid bits included.

use super::{Attributes, Owner, Probe, overlap};
use crate::replacement::{Policy, SetState};
use types::UnitCfg;
use types::port::{AtcInvalidate, AtcLookup};

/// One way of one set: tag and data words with their parity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub(super) valid: bool,
    pub(super) owner: Owner,
    /// Granule number: IOVA shifted right by the granule's logarithm.
    pub(super) granule: u64,
    /// Bus address of the granule.
    pub(super) address: u64,
    pub(super) attributes: Attributes,
    /// A stored parity bit was flipped.
    pub(super) bad_parity: bool,
}

impl Entry {
    fn names(&self, owner: &Owner, granule: u64) -> bool {
        self.valid && !self.bad_parity && self.granule == granule && self.owner.answers(owner)
    }
}

/// The array.
#[derive(Clone, Debug)]
pub(super) struct BaseArray {
    granule_log2: u32,
    sets: usize,
    ways: usize,
    entries: Vec<Entry>,
    states: Vec<SetState>,
    policy: Policy,
}

/// What the engine's read port finds in the set of a fill.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choice {
    way: u32,
    state: SetState,
    evicts: bool,
}

impl BaseArray {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        let (sets, ways) = (cfg.atc_sets as usize, cfg.atc_ways as usize);
        Self {
            granule_log2: cfg.atc_granule_log2,
            sets,
            ways,
            entries: vec![Entry::default(); sets * ways],
            states: vec![SetState::default(); sets],
            policy: Policy::new(cfg.atc_replacement, cfg.atc_ways),
        }
    }

    pub(super) fn sets(&self) -> u32 {
        self.sets as u32
    }

    pub(super) fn granule_log2(&self) -> u32 {
        self.granule_log2
    }

    pub(super) fn set_of(&self, iova: u64) -> usize {
        (iova >> self.granule_log2) as usize & (self.sets - 1)
    }

    fn row(&self, set: usize) -> &[Entry] {
        &self.entries[set * self.ways..(set + 1) * self.ways]
    }

    /// The lookup's read: the lowest way that grants the access wins.
    pub(super) fn probe(&self, asked: &Owner, lookup: &AtcLookup) -> (Probe, SetState, bool) {
        let iova = lookup.key.iova.0;
        let (set, granule) = (self.set_of(iova), iova >> self.granule_log2);
        let mut probe = Probe::default();
        let mut parity = false;
        for (way, entry) in self.row(set).iter().enumerate() {
            parity |= entry.valid && entry.bad_parity;
            if !entry.names(asked, granule) {
                continue;
            }
            probe.named = true;
            if !probe.hit && entry.attributes.grant(lookup) {
                probe.hit = true;
                probe.way = way as u32;
                probe.address = entry.address | iova & ((1 << self.granule_log2) - 1);
                probe.attributes = entry.attributes;
            }
        }
        (probe, self.states[set], parity)
    }

    /// Writes back the replacement state read with a lookup that hit `way`.
    pub(super) fn touch(&mut self, iova: u64, way: u32, state: SetState) {
        let set = self.set_of(iova);
        self.states[set] = self.policy.touch(state, way, false);
    }

    /// The engine's read for a fill: same page first, then a free way (or one of an old generation), then the victim.
    pub(super) fn choose(&self, owner: &Owner, iova: u64) -> Choice {
        let (set, granule) = (self.set_of(iova), iova >> self.granule_log2);
        let row = self.row(set);
        let state = self.states[set];
        // The same page under the same owner is overwritten; a global entry only by a global one.
        let same = row.iter().position(|e| e.valid && !e.bad_parity && e.granule == granule && e.owner == *owner);
        let free = row.iter().position(|e| !e.valid || e.bad_parity || e.owner.outlived_by(owner));
        let (way, evicts) = match (same, free) {
            (Some(way), _) | (None, Some(way)) => (way as u32, false),
            (None, None) => (self.policy.victim(state), true),
        };
        Choice { way, state, evicts }
    }

    /// Writes a fill; returns whether it replaced a live entry.
    pub(super) fn write(&mut self, choice: Choice, entry: Entry) -> bool {
        let set = entry.granule as usize & (self.sets - 1);
        self.entries[set * self.ways + choice.way as usize] = entry;
        self.states[set] = self.policy.touch(choice.state, choice.way, true);
        self.policy.advance();
        choice.evicts
    }

    /// Clears a set, as after reset.
    pub(super) fn clear(&mut self, set: usize) {
        self.entries[set * self.ways..(set + 1) * self.ways].fill(Entry::default());
        self.states[set] = self.policy.cleared();
    }

    /// Drops the entries of `set` that an invalidation means; one with bad parity is always dropped.
    pub(super) fn sweep(&mut self, set: usize, inv: &AtcInvalidate) {
        for entry in &mut self.entries[set * self.ways..(set + 1) * self.ways] {
            let (meant, everywhere) = entry.owner.scope(inv);
            let inside = everywhere
                || overlap(entry.granule << self.granule_log2, self.granule_log2, inv.iova.0, u32::from(inv.size_log2));
            if entry.valid && (entry.bad_parity || meant && inside) {
                *entry = Entry::default();
            }
        }
    }
}
