//! The base-granule array: sets × ways in block RAM, valid bits included.

use super::{Attributes, Owner, Probe, overlap};
use crate::replacement::{Policy, SetState};
use types::bits::mask;
use types::config::Partitions;
use types::port::{AtcInvalidate, AtcLookup};
use types::{FunctionId, UnitCfg};

/// One way of one set: tag and data words with their parity.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub(super) valid: bool,
    pub(super) owner: Owner,
    /// Granule number: IOVA shifted right by the granule's logarithm.
    pub(super) granule: u64,
    /// Bus address of the granule; the IOVA where the access leaves untranslated.
    pub(super) address: u64,
    pub(super) attributes: Attributes,
    /// A stored parity bit was flipped.
    pub(super) bad_parity: bool,
}

/// The registers of the tag and data RAM's write port.
#[derive(Clone, Copy, Debug, Default)]
struct Write {
    set: usize,
    /// Ways written, a bit each.
    ways: u32,
    /// The way that gets `entry`; the others written are cleared.
    filled: Option<u32>,
    entry: Entry,
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
    shares: Partitions,
    write: Write,
    /// Write port of the replacement RAM.
    state_write: Option<(usize, SetState)>,
}

/// What the engine's read port finds in the set of a fill.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choice {
    /// Ways that the fill clears, a bit each: they answer a lookup that it answers, or have a parity error.
    rivals: u32,
    /// Ways that are free: invalid, or of an old generation.
    free: u32,
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
            shares: cfg.shares(),
            write: Write::default(),
            state_write: None,
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

    /// The edge: what stands in the registers of the write ports is written. Called first in a step: reads of the
    /// replacement RAM see it; `written` tells a lookup which ways it must take for empty.
    pub(super) fn commit(&mut self) -> (usize, u32) {
        if let Some((set, state)) = self.state_write.take() {
            self.states[set] = state;
        }
        let Write { set, ways, filled, entry } = std::mem::take(&mut self.write);
        for way in (0..self.ways as u32).filter(|way| ways >> way & 1 == 1) {
            self.entries[set * self.ways + way as usize] = if filled == Some(way) { entry } else { Entry::default() };
        }
        (set, ways)
    }

    /// Reset: nothing stands on the write ports any more.
    pub(super) fn forget(&mut self) {
        self.write = Write::default();
        self.state_write = None;
    }

    /// Nothing stands in the registers of the write ports.
    pub(super) fn resting(&self) -> bool {
        self.write.ways == 0 && self.state_write.is_none()
    }

    /// The lookup's read; a way that is `written` at this edge counts as empty. A fill leaves no two ways that answer one
    /// lookup, so the address is that of the way that names the page.
    pub(super) fn probe(&self, asked: &Owner, lookup: &AtcLookup, written: (usize, u32)) -> (Probe, SetState, bool) {
        let iova = lookup.key.iova.0;
        let (set, granule) = (self.set_of(iova), iova >> self.granule_log2);
        let mut probe = Probe::default();
        let mut parity = false;
        for (way, entry) in self.row(set).iter().enumerate() {
            if !entry.valid || written.0 == set && written.1 >> way & 1 == 1 {
                continue;
            }
            parity |= entry.bad_parity;
            if entry.bad_parity || entry.granule != granule || !entry.owner.answers(asked) {
                continue;
            }
            probe.named = true;
            if entry.attributes.grant(lookup) {
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
        self.state_write = Some((self.set_of(iova), self.policy.touch(state, way, false)));
    }

    /// The replacement state of a set as the engine reads it at this edge.
    pub(super) fn state(&self, set: usize) -> SetState {
        self.states[set]
    }

    /// The engine's read for a fill.
    pub(super) fn choose(&self, owner: &Owner, iova: u64) -> Choice {
        let (set, granule) = (self.set_of(iova), iova >> self.granule_log2);
        let mut choice = Choice::default();
        for (way, e) in self.row(set).iter().enumerate() {
            let same = e.granule == granule && e.owner.generation == owner.generation && e.owner.rivals(owner);
            choice.rivals |= u32::from(e.valid && (e.bad_parity || same)) << way;
            choice.free |= u32::from(!e.valid || e.owner.outlived_by(owner)) << way;
        }
        choice
    }

    /// Puts a fill on the write port: into the first rival, else the first free way, else the victim, among the ways of
    /// its function's partition. Returns the way and whether a live entry is replaced.
    pub(super) fn write(&mut self, choice: Choice, state: SetState, entry: Entry) -> (u32, bool) {
        let partition = self.shares.of(FunctionId(entry.owner.function));
        let (first, count) = self.shares.part(partition, self.ways as u32);
        let own = (mask(count) as u32) << first;
        let ways = if choice.rivals & own != 0 { choice.rivals & own } else { choice.free & own };
        let way = if ways != 0 { ways.trailing_zeros() } else { self.policy.victim_among(state, first, count) };
        let set = entry.granule as usize & (self.sets - 1);
        self.write = Write { set, ways: 1 << way | choice.rivals, filled: Some(way), entry };
        (way, ways == 0)
    }

    /// Notes that a fill has used `way`; it wins over a lookup of the same edge.
    pub(super) fn filled(&mut self, set: usize, way: u32, state: SetState) {
        self.state_write = Some((set, self.policy.touch(state, way, true)));
        self.policy.advance();
    }

    /// Puts the clearing of a set on the write ports, as after reset.
    pub(super) fn clear(&mut self, set: usize) {
        self.write = Write { set, ways: u32::MAX, ..Write::default() };
        self.state_write = Some((set, self.policy.cleared()));
    }

    /// The ways of `set` that an invalidation means, a bit each; one with bad parity is always dropped.
    pub(super) fn doomed(&self, set: usize, inv: &AtcInvalidate) -> u32 {
        let mut ways = 0;
        for (way, entry) in self.row(set).iter().enumerate() {
            let (meant, everywhere) = entry.owner.scope(inv);
            let inside = everywhere
                || overlap(entry.granule << self.granule_log2, self.granule_log2, inv.iova.0, u32::from(inv.size_log2));
            ways |= u32::from(entry.valid && (entry.bad_parity || meant && inside)) << way;
        }
        ways
    }

    /// Puts the clearing of `ways` on the write port.
    pub(super) fn drop_ways(&mut self, set: usize, ways: u32) {
        self.write = Write { set, ways, ..Write::default() };
    }
}
