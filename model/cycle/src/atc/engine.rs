//! The engine behind the second port: clears after reset, writes fills, sweeps invalidations, one at a time.

use super::base::{self, BaseArray, Choice};
use super::large::{self, LargeArray};
use super::{Attributes, GENERATIONS, Owner, overlap};
use crate::replacement::SetState;
use types::port::{AtcFill, AtcIn, AtcInvalidate, AtcOut};

/// What the engine is doing. `at` counts the edges since the work was started.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Clearing RAM after reset; the next index to clear.
    Clear(u32),
    /// The last clear reaches the RAM; edges so far.
    Settle(u32),
    Idle,
    /// A base fill: reads its set at 0 and the order of use at 1 and 2, stands on the write port at 4.
    Base(BaseFill),
    /// A large fill: walks the entries, picks one and clears it, and writes when lookups under way have passed.
    Large {
        at: u32,
        target: Option<u32>,
        evicts: bool,
        generation: u8,
    },
    /// An invalidation: `count` sets from `first` on, beside it all large entries.
    Sweep {
        at: u32,
        first: u32,
        count: u32,
    },
}

#[derive(Clone, Copy, Debug, Default)]
struct BaseFill {
    at: u32,
    generation: u8,
    choice: Choice,
    chosen_by: SetState,
    touched: SetState,
    way: u32,
    evicts: bool,
}

/// Edges from the start of a walk over the large entries to the edge that changes the first of them: RAM, compare, judge.
const WALK: u32 = 4;
/// Edges from the start of a sweep to that of its walks: the generation is read, raised and tested.
const SWEEP_START: u32 = 3;
/// Edges from reading a set in a sweep to its write: RAM, output register, compare, judge, write port.
const SET_READ_TO_WRITE: u32 = 5;
/// Edges from clearing a large entry to writing it: a lookup that has matched it reads its data two edges later.
const LARGE_CLEAR_TO_WRITE: u32 = 3;

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
        !matches!(self.state, State::Clear(_) | State::Settle(_))
    }

    pub(super) fn resting(&self) -> bool {
        matches!(self.state, State::Idle) && !self.fill.valid && !self.pending.valid
    }

    /// The outputs of an engine at rest.
    pub(super) fn resting_outputs(&self) -> AtcOut {
        AtcOut { fill_ready: true, invalidate_ready: true, ..AtcOut::default() }
    }

    /// Whether a lookup must miss: a pending invalidation covers it, or the RAM is still being cleared.
    pub(super) fn masks(&self, asked: &Owner, iova: u64, granule_log2: u32) -> bool {
        if !self.cleared() {
            return true;
        }
        if !self.pending.valid {
            return false;
        }
        let (meant, everywhere) = asked.scope(&self.pending);
        meant && (everywhere || overlap(iova, granule_log2, self.pending.iova.0, u32::from(self.pending.size_log2)))
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
                if index + 1 == last { State::Settle(0) } else { State::Clear(index + 1) }
            }
            State::Settle(0) => State::Settle(1),
            State::Settle(_) => State::Idle,
            State::Idle if self.fill.valid => self.start_fill(base, large, generation, out),
            State::Idle if self.pending.valid => self.start_sweep(base, generation),
            State::Idle => State::Idle,
            State::Base(fill) => self.base_fill(fill, base, out),
            State::Large { at, target, evicts, generation } => {
                self.large_fill(at, target, evicts, generation, large, out)
            }
            State::Sweep { at, first, count } => self.sweep(at, first, count, base, large, generation, out),
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
            return State::Large { at: 0, target: None, evicts: false, generation };
        }
        State::Base(BaseFill { generation, ..BaseFill::default() })
    }

    fn base_fill(&mut self, mut fill: BaseFill, base: &mut BaseArray, out: &mut AtcOut) -> State {
        let key = &self.fill.key;
        let set = base.set_of(key.iova.0);
        match fill.at {
            0 => fill.choice = base.choose(&Owner::of(key, self.fill.global, fill.generation), key.iova.0),
            1 => fill.chosen_by = base.state(set),
            2 => fill.touched = base.state(set),
            4 => {
                let entry = self.base_entry(base, fill.generation);
                (fill.way, fill.evicts) = base.write(fill.choice, fill.chosen_by, entry);
            }
            5 => {
                base.filled(set, fill.way, fill.touched);
                out.stat_evict = fill.evicts;
                return self.end_fill(out, true);
            }
            _ => {}
        }
        fill.at += 1;
        State::Base(fill)
    }

    fn large_fill(
        &mut self,
        at: u32,
        mut target: Option<u32>,
        mut evicts: bool,
        generation: u8,
        large: &mut LargeArray,
        out: &mut AtcOut,
    ) -> State {
        let pick = WALK + large.len();
        let entry = self.large_entry(large, generation);
        if let Some(index) = at.checked_sub(WALK).filter(|index| *index < large.len()) {
            let free = large.make_way(index as usize, &entry);
            target = target.or(free.then_some(index));
        } else if at == pick && target.is_none() {
            (target, evicts) = (Some(large.victim(self.fill.key.function)), true);
        }
        let index = target.unwrap_or(0) as usize;
        if at == pick + 1 {
            large.clear(index);
        }
        if at == pick + 1 + LARGE_CLEAR_TO_WRITE {
            large.write(index, entry);
            out.stat_evict = evicts;
            return self.end_fill(out, true);
        }
        State::Large { at: at + 1, target, evicts, generation }
    }

    #[allow(clippy::too_many_arguments, reason = "the arrays are lent to the state at work")]
    fn sweep(
        &mut self,
        at: u32,
        first: u32,
        count: u32,
        base: &mut BaseArray,
        large: &mut LargeArray,
        generation: &mut [u8],
        out: &mut AtcOut,
    ) -> State {
        let mut count = count;
        if at == SWEEP_START
            && self.pending.all
            && let Some(g) = generation.get_mut(usize::from(self.pending.function.0))
        {
            *g = (*g + 1) % GENERATIONS;
            // Entries of an old generation stay until they are overwritten, or the generation comes round.
            count = if *g == 0 { base.sets() } else { 0 };
        }
        if let Some(k) = at.checked_sub(SWEEP_START + SET_READ_TO_WRITE).filter(|k| *k < count) {
            let set = (first + k) as usize & (base.sets() as usize - 1);
            base.drop_ways(set, base.doomed(set, &self.pending));
        }
        if let Some(k) = at.checked_sub(SWEEP_START + WALK).filter(|k| *k < large.len()) {
            large.sweep(k as usize, &self.pending);
        }
        // The walks end, then the set read last is written, then the range is released an edge later.
        if at == SWEEP_START + count.max(large.len() + WALK - 1) + SET_READ_TO_WRITE + 1 {
            self.pending = AtcInvalidate::default();
            out.invalidate_done = true;
            out.stat_invalidate = true;
            return State::Idle;
        }
        State::Sweep { at: at + 1, first, count }
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

    /// The bus address of the 2^`log2` bytes around the fill's IOVA; the IOVA itself if it must leave untranslated.
    fn part(&self, log2: u32) -> u64 {
        let (iova, inside) = (self.fill.key.iova.0, (1u64 << self.fill.size_log2) - 1);
        let address = if self.fill.untranslated { iova } else { self.fill.address.0 & !inside | iova & inside };
        address & !((1 << log2) - 1)
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

    fn start_sweep(&self, base: &BaseArray, generation: &[u8]) -> State {
        let inv = &self.pending;
        // Entries with a PASID are meant at all addresses by a plain invalidation.
        let everywhere = inv.all || (!inv.pasid.valid && self.pasid_used);
        let granules = u64::from(inv.size_log2).saturating_sub(u64::from(base.granule_log2()));
        let count = if everywhere || granules >= 32 || usize::from(inv.function.0) >= generation.len() {
            base.sets()
        } else {
            (1u64 << granules).min(u64::from(base.sets())) as u32
        };
        let first = if everywhere { 0 } else { base.set_of(inv.iova.0) as u32 & !(count - 1) };
        State::Sweep { at: 0, first, count }
    }
}
