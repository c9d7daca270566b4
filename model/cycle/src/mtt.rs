//! `mtt`: the cached Memory Translation Table.
//!
//! ```text
//!  segment ─┬► fifo ─┐
//!           └────────┴► e0 read cache ─► s1 ─► s2 ─► s3 apply entry ──► mapped
//!  retry (parked[slot]) ─┘ first                     │ miss
//!  fill ─► cache, wakes the slots that wait ◄─────────┴─► parked[slot], fetch (merged by line)
//! ```
//!
//! Misses park in the storage of their slot and look up again when their line has been written; several lines may be in
//! flight, and segments that hit pass. Segments may leave in any order; `replay` restores it. A segment looked up again
//! goes before new ones, which then queue in a FIFO that has a place for every slot. Latency 4 on a hit, one a cycle.
//! A parity error in the cache is a miss with a counter.
//!
//! A region that keeps its entries in its MPT line (inline) sends them with its segments: those pass the same stages and
//! read nothing. With two levels the first lookup finds the word of the directory and the segment then looks up its entry
//! in the page that it points at, by way of `retry`: 4 cycles more where both lines are cached, two lookups a segment. A
//! segment holds no line between the two, so that lines may come and go in any order, and a fetch waits for no other.
//!
//! A segment whose entry is not present may wait for the driver (page_events.rs); its line is then fetched again, past what
//! the cache holds. So may one whose word of the directory is not. An entry that came with its segment cannot change under
//! it: the segment fails.
//!
//! In a coherent region a GPU entry counts while its generation is its counter's (generations.rs). A stale one, and one
//! that lacks the access needed, sends its segment on as if the mode were `ats`, with the I/O virtual address that the
//! region says. It waits for nothing here.
//!
//! Tables are trusted, written by the driver; a line whose fetch failed is not cached and its segments end with a syndrome.

use crate::generations::Generations;
use crate::line_cache::{LineCache, Read};
use crate::line_fetch::LineFetches;
use crate::page_events::{Inputs, PageEvents};
use crate::progress::{Wait, wait};
use crate::slot_set::SlotSet;
use std::collections::VecDeque;
use types::port::{
    AtcInvalidate, CoherentRange, FunctionCfg, MappedSegment, MttIn, MttOut, Segment, SegmentTag, StaleNote,
    TranslateCommand,
};
use types::{
    AddressType, Block, Cycle, Iova, Length, Mode, MttEntry, MttLayout, Op, Owner, Slot, Syndrome, TableWord, TlpAddr,
    UnitCfg,
};
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("mtt.fetch", "tlp_tx.mtt_fetch", "it has not been sent"),
    wait("mtt.fetch", "host.completion", "it has been sent"),
    wait("mtt.event", "driver.resume", "its entry is not present"),
    wait("mtt.event", "mtt.fetch", "the driver has answered: its line is fetched again"),
];

#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    segment: Segment,
    read: Read,
}

/// The Memory Translation Table block.
#[derive(Clone, Debug)]
pub struct Mtt {
    cache: LineCache,
    fetches: LineFetches,
    /// Slots that wait for each fetch.
    waiting: Vec<SlotSet>,
    parked: Vec<Segment>,
    /// Parked segments that no fetch was free for.
    unassigned: SlotSet,
    /// Parked segments to look up again.
    retry: SlotSet,
    events: PageEvents,
    /// Segments whose line in the cache is older than the driver's answer.
    refetch: SlotSet,
    fifo: VecDeque<Segment>,
    stages: [Stage; 3],
    generations: Generations,
    /// ATS Enable of each function.
    ats_on: Vec<bool>,
    /// The generation that was caught for the driver's command under way.
    caught: Option<u8>,
    out: MttOut,
}

/// Whether a segment needs no entry: it failed protection, or writes nothing.
fn passes(segment: &Segment) -> bool {
    let tag = &segment.tag;
    !tag.syndrome.is_ok() || tag.length == Length(0) && tag.op == Op::WRITE
}

fn line_of(segment: &Segment) -> u64 {
    segment.entry.0 >> 6
}

impl Mtt {
    fn reset(&mut self) {
        self.fetches.reset();
        self.waiting.fill(SlotSet::default());
        (self.unassigned, self.retry, self.refetch) = Default::default();
        self.events.reset();
        self.fifo.clear();
        self.stages = Default::default();
        self.generations.reset();
        self.ats_on.fill(false);
        self.caught = None;
        self.cache.reset();
        self.out = MttOut::default();
    }

    fn fail(&mut self, segment: &Segment, syndrome: Syndrome) {
        self.out.mapped = MappedSegment { valid: true, tag: segment.tag, ..MappedSegment::default() };
        self.out.mapped.tag.syndrome = syndrome;
    }

    fn apply(&mut self) {
        let Stage { segment, read } = self.stages[2];
        if !segment.valid {
            return;
        }
        if passes(&segment) {
            self.out.mapped = MappedSegment { valid: true, tag: segment.tag, ..MappedSegment::default() };
            return;
        }
        let word = if segment.layout == MttLayout::Inline {
            self.out.stat_inline = true;
            segment.entry.0
        } else {
            let Some(line) = read.line else {
                self.out.stat_miss = true;
                self.out.stat_parity = read.bad_parity;
                self.park(&segment);
                return;
            };
            self.out.stat_hit = true;
            self.cache.touch(line_of(&segment), &read);
            line.0[(segment.entry.0 >> 3) as usize & 7]
        };
        let entry = MttEntry::decode(TableWord(word));
        let tag = &segment.tag;
        if segment.layout == MttLayout::TwoLevel && entry.present {
            self.descend(segment, entry.address);
            return;
        }
        let granted = match (tag.op, tag.length) {
            (_, Length(0)) => entry.read || entry.write,
            (op, _) => (entry.read || !op.reads()) && (entry.write || !op.writes()),
        };
        let inside = u64::MAX >> (64 - u32::from(segment.page_log2).max(1));
        if segment.coherent.valid && entry.present && entry.owner == Owner::Gpu {
            let fresh = self.generations.fresh(tag.function, segment.coherent.counter, entry.generation);
            if !fresh {
                self.out.stat_stale = true;
                self.out.stale = StaleNote { valid: true, index: tag.asked.key.index() };
            }
            // Missing permission is asked for again as well; an entry does not keep Exe.
            if !fresh || !granted || tag.pasid.exec {
                let iova = TlpAddr(segment.coherent.iova.0 & !inside | segment.page_offset.0);
                let tag = SegmentTag { mode: Mode::Ats, ..*tag };
                self.out.mapped = MappedSegment { valid: true, tag, address: iova, at: AddressType::UNTRANSLATED };
                return;
            }
        }
        if !entry.present || !granted {
            self.out.stat_fault = true;
            let waits = match segment.layout {
                _ if entry.present => Err(Syndrome::PAGE_RIGHTS),
                MttLayout::Inline => Err(Syndrome::NOT_PRESENT),
                _ => self.events.wait(&segment),
            };
            match waits {
                Ok(raised) => {
                    self.out.stat_event = raised;
                    self.parked[usize::from(segment.tag.slot.0)] = segment;
                }
                Err(syndrome) => self.fail(&segment, syndrome),
            }
            return;
        }
        let translated = tag.mode == Mode::Emtt && entry.owner == Owner::Gpu;
        self.out.mapped = MappedSegment {
            valid: true,
            tag: *tag,
            address: TlpAddr(entry.address.0 & !inside | segment.page_offset.0),
            at: if translated { AddressType::TRANSLATED } else { AddressType::UNTRANSLATED },
        };
    }

    /// The second step of a walk: the entry in the page of entries that the directory points at.
    fn descend(&mut self, segment: Segment, leaf_page: TlpAddr) {
        let slot = segment.tag.slot;
        let entry = Iova(leaf_page.0 | (8 * u64::from(segment.leaf)));
        self.parked[usize::from(slot.0)] = Segment { layout: MttLayout::OneLevel, entry, ..segment };
        self.retry.insert(slot);
        self.out.stat_walk = true;
    }

    fn park(&mut self, segment: &Segment) {
        let slot = segment.tag.slot;
        self.parked[usize::from(slot.0)] = *segment;
        let line = line_of(segment);
        let joined = self.fetches.find(line);
        self.out.stat_merge = joined.is_some();
        match joined.or_else(|| self.fetches.open(line, segment.tag.function)) {
            Some(fetch) => self.waiting[usize::from(fetch)].insert(slot),
            None => match self.fetches.refusal(segment.tag.function) {
                Some(syndrome) => self.fail(segment, syndrome),
                None => self.unassigned.insert(slot),
            },
        }
    }

    fn fill(&mut self, inp: &MttIn) {
        let arrival = self.fetches.arrival(&inp.fill, inp.timeout);
        let (written, swept) = self.cache.step(arrival.and_then(|a| a.keep()), inp.inject_parity);
        self.out.revoke_done = swept;
        self.out.renewed = self.cache.renewed();
        let unusable = arrival.filter(|a| a.data.is_none());
        let fault = unusable.is_some_and(|a| !a.stale);
        self.out.stat_fetch_error = fault;
        for (ended, fault) in [(written, false), (unusable.map(|a| a.fetch), fault)] {
            let Some(ended) = ended else { continue };
            self.fetches.close(ended);
            let mut waiting = std::mem::take(&mut self.waiting[usize::from(ended)]);
            self.retry.union(&waiting);
            if written == Some(ended) {
                self.refetch.subtract(&waiting);
            }
            self.retry.union(&std::mem::take(&mut self.unassigned));
            // Those of a failed fetch pass through the pipeline once more, as failed.
            while let Some(slot) = waiting.first().filter(|_| fault) {
                waiting.remove(slot);
                self.parked[usize::from(slot.0)].tag.syndrome = Syndrome::TABLE_FETCH;
            }
        }
        if self.fetches.freed() {
            self.retry.union(&std::mem::take(&mut self.unassigned));
        }
    }

    /// Driver events: what the driver has answered looks up again, or fails.
    fn step_events(&mut self, inp: &MttIn) {
        let resumed = self.events.step(&event_inputs(inp));
        if !resumed.again.is_empty() {
            // A line on its way may be older than the driver's answer.
            self.fetches.revoke();
            self.refetch.union(&resumed.again);
            self.retry.union(&resumed.again);
        }
        self.retry.union(&resumed.aside);
        for (mut slots, syndrome) in resumed.failed {
            self.retry.union(&slots);
            while let Some(slot) = slots.first() {
                slots.remove(slot);
                self.parked[usize::from(slot.0)].tag.syndrome = syndrome;
            }
        }
    }

    /// Whether a configuration takes every translation of its function away: function-level reset, ATS Enable 0→1 (10.3.7).
    fn takes_all_away(&mut self, cfg: &FunctionCfg) -> bool {
        let Some(on) = self.ats_on.get_mut(usize::from(cfg.function.0)).filter(|_| cfg.valid) else { return false };
        let before = std::mem::replace(on, cfg.ats_enable);
        cfg.reset || cfg.ats_enable && !before
    }

    /// Counters as of this edge; the entries applied at it were compared with those of before.
    fn step_generations(&mut self, inp: &MttIn) {
        // Caught before the request can leave, and before what passes at this edge.
        let TranslateCommand { valid, function, counter, .. } = inp.translate;
        let caught = || self.generations.of(function, counter);
        self.caught = valid.then(|| self.caught.unwrap_or_else(caught));
        self.out.generation = self.caught.unwrap_or(0);
        let taken = inp.invalidate.valid && inp.invalidate_ready && !inp.invalidate_implicit;
        let taken = taken.then_some(&inp.invalidate);
        if inp.range.valid || taken.is_some() {
            self.out.stat_generation = self.generations.step(&inp.range, taken);
        }
        if self.takes_all_away(&inp.cfg) {
            // At once. The invalidation that it stands for comes to the ATC later, when entries may have been filled anew.
            let function = inp.cfg.function;
            let all = AtcInvalidate { valid: true, function, all: true, size_log2: 63, ..AtcInvalidate::default() };
            self.out.stat_generation |= self.generations.step(&CoherentRange::default(), Some(&all));
        }
    }

    fn next_retry(&mut self) -> Option<Segment> {
        let slot: Slot = self.retry.first()?;
        self.retry.remove(slot);
        Some(self.parked[usize::from(slot.0)])
    }
}

fn event_inputs(inp: &MttIn) -> Inputs<'_> {
    Inputs { cfg: &inp.cfg, enabled: inp.page_events, event_ready: inp.event_ready, resume: &inp.resume }
}

impl Block for Mtt {
    type In = MttIn;
    type Out = MttOut;

    fn new(cfg: &UnitCfg) -> Self {
        let slots = cfg.slots() as usize;
        Self {
            cache: LineCache::new(cfg.mtt_entries / 8, cfg.mtt_ways, cfg.shares()),
            fetches: LineFetches::new(cfg.mtt_fetches, cfg.shares()),
            waiting: vec![SlotSet::default(); cfg.mtt_fetches as usize],
            parked: vec![Segment::default(); slots],
            unassigned: SlotSet::default(),
            retry: SlotSet::default(),
            events: PageEvents::new(cfg),
            refetch: SlotSet::default(),
            fifo: VecDeque::with_capacity(slots),
            stages: Default::default(),
            generations: Generations::new(cfg),
            ats_on: vec![false; cfg.functions as usize],
            caught: None,
            out: MttOut::default(),
        }
    }

    fn outputs(&self, out: &mut MttOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &MttIn) {
        if inp.reset {
            self.reset();
            return;
        }
        self.out = MttOut::default();
        if inp.revoke.valid {
            self.fetches.revoke();
            self.cache.revoke(inp.revoke.first, u64::from(inp.revoke.count));
        }
        if inp.renew.valid {
            // What is under way may be older than the registration.
            self.fetches.revoke();
            self.cache.renew(inp.renew.first, u64::from(inp.renew.count));
        }
        self.step_events(inp);
        let retry = self.next_retry();
        let mut segment = retry.or_else(|| self.fifo.pop_front()).unwrap_or_default();
        if inp.segment.valid {
            self.events.admit(inp.segment.tag.slot);
            if segment.valid || !self.fifo.is_empty() {
                self.fifo.push_back(inp.segment);
            } else {
                segment = inp.segment;
            }
        }
        let cached = segment.valid && !passes(&segment) && segment.layout != MttLayout::Inline;
        let cached = cached && !self.refetch.contains(segment.tag.slot);
        let read = if cached { self.cache.read(line_of(&segment)) } else { Read::default() };
        self.apply();
        self.step_generations(inp);
        self.stages = [Stage { segment, read }, self.stages[0], self.stages[1]];
        self.fill(inp);
        self.out.event = self.events.event();
        self.out.stat_fetch = self.fetches.step(inp.fetch_ready, Iova(0));
        self.fetches.configure(&inp.cfg);
        self.out.fetch = self.fetches.request();
    }

    fn idle_until(&self, inp: &MttIn) -> Option<Cycle> {
        let inputs = inp.reset || inp.segment.valid || inp.fill.valid || inp.revoke.valid || inp.renew.valid;
        let inputs = inputs || self.events.busy(&event_inputs(inp)) || inp.invalidate.valid || inp.range.valid;
        let inputs = inputs || inp.translate.valid != self.caught.is_some();
        let under_way = self.stages.iter().any(|s| s.segment.valid) || !self.fifo.is_empty() || !self.retry.is_empty();
        let timing = inp.timeout != 0 && self.fetches.outstanding();
        let sending = timing || self.fetches.busy(inp.fetch_ready);
        let pulses = self.out.mapped.valid || self.out.revoke_done || self.out.renewed || self.out.stat_fields().0 != 0;
        (!inputs && !under_way && !sending && !pulses && !self.cache.busy()).then_some(Cycle(u64::MAX))
    }
}
