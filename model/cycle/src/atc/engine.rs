//! The engine behind the second port: clears after reset, writes fills, sweeps invalidations, one at a time.

use super::base::{self, BaseArray, Choice};
use super::large::{self, LargeArray};
use super::{Attributes, GENERATIONS, Owner, overlap};
use types::port::{AtcFill, AtcIn, AtcInvalidate, AtcOut};

/// Cycles that a sweep's read needs to reach its write: RAM, output register, compare.
const SWEEP_LATENCY: u32 = 3;
/// Cycles in which lookups that read before the last write still pass the pending compare.
const DRAIN: u32 = 3;

/// What the engine is doing.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Clearing RAM after reset; the next index to clear.
    Clear(u32),
    Idle,
    /// A base fill: cycles left until its write; the choice was read at the start.
    FillBase {
        left: u32,
        choice: Choice,
        generation: u8,
    },
    /// A large fill looks at entry `index`.
    FillScan {
        index: u32,
        same: Option<u32>,
        free: Option<u32>,
        generation: u8,
    },
    /// A large fill has cleared `index` and lets lookups pass.
    FillLarge {
        index: u32,
        left: u32,
        evicts: bool,
        generation: u8,
    },
    /// A sweep: reads `index` of `count`, sets from `first` on.
    Sweep {
        index: u32,
        first: u32,
        count: u32,
    },
    /// Lookups that read before the last write pass the compare.
    Drain(u32),
}

#[derive(Clone, Debug)]
pub(super) struct Engine {
    state: State,
    fill: AtcFill,
    inject_parity: bool,
    /// The invalidation at work or waiting; its range is pending from the edge that took it.
    pending: AtcInvalidate,
    epoch: u8,
    /// An entry with a PASID has been filled since the last clear: plain invalidations must visit every set.
    pasid_used: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Self {
            state: State::Clear(0),
            fill: AtcFill::default(),
            inject_parity: false,
            pending: AtcInvalidate::default(),
            epoch: 0,
            pasid_used: false,
        }
    }
}

impl Engine {
    pub(super) fn epoch(&self) -> u8 {
        self.epoch
    }

    pub(super) fn cleared(&self) -> bool {
        !matches!(self.state, State::Clear(_))
    }

    pub(super) fn resting(&self) -> bool {
        matches!(self.state, State::Idle) && !self.fill.valid && !self.pending.valid
    }

    /// The outputs of an engine at rest.
    pub(super) fn resting_outputs(&self) -> AtcOut {
        AtcOut { fill_ready: true, invalidate_ready: true, ..AtcOut::default() }
    }

    /// Whether a lookup must miss: a pending invalidation covers it, or the RAM is still being cleared.
    pub(super) fn masks(&self, asked: &Owner, iova: u64) -> bool {
        if !self.cleared() {
            return true;
        }
        if !self.pending.valid {
            return false;
        }
        let (meant, everywhere) = asked.scope(&self.pending);
        meant && (everywhere || overlap(iova, 0, self.pending.iova.0, u32::from(self.pending.size_log2)))
    }

    /// One edge: works on what stands in the buffers, then takes what the streams offer.
    pub(super) fn step(
        &mut self,
        inp: &AtcIn,
        base: &mut BaseArray,
        large: &mut LargeArray,
        generation: &mut [u8],
        out: &mut AtcOut,
    ) {
        let (fill_ready, invalidate_ready) = (self.fill_ready(), self.invalidate_ready());
        self.work(base, large, generation, out);
        if fill_ready && inp.fill.valid {
            self.fill = inp.fill;
            self.inject_parity = inp.inject_parity;
            self.pasid_used |= inp.fill.key.pasid.valid;
        }
        if invalidate_ready && inp.invalidate.valid {
            self.pending = inp.invalidate;
            self.epoch = (self.epoch + 1) & 15;
        }
        out.fill_ready = self.fill_ready();
        out.invalidate_ready = self.invalidate_ready();
    }

    /// Ready outputs as registered: they follow the state after the edge.
    fn fill_ready(&self) -> bool {
        self.cleared() && !self.fill.valid && !self.pending.valid
    }

    fn invalidate_ready(&self) -> bool {
        self.cleared() && !self.pending.valid
    }

    fn work(&mut self, base: &mut BaseArray, large: &mut LargeArray, generation: &mut [u8], out: &mut AtcOut) {
        self.state = match self.state {
            State::Clear(index) => {
                if index == 0 {
                    large.reset();
                }
                if index < base.sets() {
                    base.clear(index as usize);
                }
                if let Some(g) = generation.get_mut(index as usize) {
                    *g = 0;
                }
                let last = base.sets().max(generation.len() as u32);
                if index + 1 == last { State::Idle } else { State::Clear(index + 1) }
            }
            State::Idle if self.fill.valid => self.start_fill(base, large, generation, out),
            State::Idle if self.pending.valid => self.start_sweep(base, large, generation),
            State::Idle => State::Idle,
            State::FillBase { left, choice, generation } => {
                if left > 0 {
                    State::FillBase { left: left - 1, choice, generation }
                } else {
                    let entry = self.base_entry(base, generation);
                    out.stat_evict = base.write(choice, entry);
                    self.end_fill(out, true)
                }
            }
            State::FillScan { index, same, free, generation } => self.scan(index, same, free, generation, large),
            State::FillLarge { index, left, evicts, generation } => {
                if left > 0 {
                    State::FillLarge { index, left: left - 1, evicts, generation }
                } else {
                    // The scan was started for this class only.
                    let entry = self.large_entry(large, generation);
                    large.write(index as usize, entry);
                    out.stat_evict = evicts;
                    self.end_fill(out, true)
                }
            }
            State::Sweep { index, first, count } => {
                if let Some(at) = index.checked_sub(SWEEP_LATENCY) {
                    if at < count {
                        base.sweep((first + at) as usize & (base.sets() as usize - 1), &self.pending);
                    }
                    if at < large.len() {
                        large.sweep(at as usize, &self.pending);
                    }
                }
                let last = count.max(large.len()) + SWEEP_LATENCY - 1;
                if index == last { State::Drain(0) } else { State::Sweep { index: index + 1, first, count } }
            }
            State::Drain(n) if n + 1 < DRAIN => State::Drain(n + 1),
            State::Drain(_) => {
                self.pending = AtcInvalidate::default();
                out.invalidate_done = true;
                out.stat_invalidate = true;
                State::Idle
            }
        };
    }

    fn end_fill(&mut self, out: &mut AtcOut, written: bool) -> State {
        self.fill = AtcFill::default();
        self.inject_parity = false;
        out.fill_done = true;
        out.stat_fill = written;
        State::Idle
    }

    fn start_fill(&mut self, base: &BaseArray, large: &LargeArray, generation: &[u8], out: &mut AtcOut) -> State {
        let fill = &self.fill;
        let size_log2 = u32::from(fill.size_log2);
        let usable = (fill.read || fill.write) && size_log2 >= base.granule_log2();
        let Some(generation) = generation.get(usize::from(fill.key.function.0)).copied().filter(|_| usable) else {
            // Nothing that may be held: R = W = 0 is never cached.
            return self.end_fill(out, false);
        };
        if large.class_of(size_log2).is_some() {
            return State::FillScan { index: 0, same: None, free: None, generation };
        }
        let owner = Owner::of(&fill.key, fill.global, generation);
        State::FillBase { left: 2, choice: base.choose(&owner, fill.key.iova.0), generation }
    }

    fn scan(&self, index: u32, same: Option<u32>, free: Option<u32>, generation: u8, large: &mut LargeArray) -> State {
        let entry = self.large_entry(large, generation);
        let (is_free, is_same) = large.inspect(index as usize, &entry.owner, entry.class_log2, entry.iova);
        let same = same.or(is_same.then_some(index));
        let free = free.or(is_free.then_some(index));
        if index + 1 < large.len() {
            return State::FillScan { index: index + 1, same, free, generation };
        }
        let (index, evicts) = match same.or(free) {
            Some(index) => (index, false),
            None => (large.victim() as u32, true),
        };
        large.clear(index as usize);
        State::FillLarge { index, left: DRAIN, evicts, generation }
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read: self.fill.read,
            write: self.fill.write,
            exec: self.fill.exec,
            untranslated: self.fill.untranslated,
            no_snoop: self.fill.no_snoop,
        }
    }

    /// The bus address of the 2^`log2` bytes around the fill's IOVA.
    fn part(&self, log2: u32) -> u64 {
        let inside = (1u64 << self.fill.size_log2) - 1;
        (self.fill.address.0 & !inside) | self.fill.key.iova.0 & inside & !((1 << log2) - 1)
    }

    fn base_entry(&self, base: &BaseArray, generation: u8) -> base::Entry {
        let log2 = base.granule_log2();
        base::Entry {
            valid: true,
            owner: Owner::of(&self.fill.key, self.fill.global, generation),
            granule: self.fill.key.iova.0 >> log2,
            address: self.part(log2),
            attributes: self.attributes(),
            bad_parity: self.inject_parity,
        }
    }

    fn large_entry(&self, large: &LargeArray, generation: u8) -> large::Entry {
        let class_log2 = large.class_of(u32::from(self.fill.size_log2)).unwrap_or(63);
        large::Entry {
            valid: true,
            owner: Owner::of(&self.fill.key, self.fill.global, generation),
            class_log2,
            iova: self.fill.key.iova.0 >> class_log2 << class_log2,
            address: self.part(class_log2),
            attributes: self.attributes(),
        }
    }

    fn start_sweep(&self, base: &BaseArray, large: &LargeArray, generation: &mut [u8]) -> State {
        let inv = &self.pending;
        if inv.all
            && let Some(g) = generation.get_mut(usize::from(inv.function.0))
        {
            *g = (*g + 1) % GENERATIONS;
            if *g != 0 {
                return State::Drain(0);
            }
        }
        // Entries with a PASID are meant at all addresses by a plain invalidation.
        let everywhere = inv.all || (!inv.pasid.valid && self.pasid_used);
        let granules = u64::from(inv.size_log2).saturating_sub(u64::from(base.granule_log2()));
        let count = if everywhere || granules >= 32 {
            base.sets()
        } else {
            (1u64 << granules).min(u64::from(base.sets())) as u32
        };
        let first = if everywhere { 0 } else { base.set_of(inv.iova.0) as u32 };
        debug_assert!(count > 0 && large.len() > 0);
        State::Sweep { index: 0, first, count }
    }
}
