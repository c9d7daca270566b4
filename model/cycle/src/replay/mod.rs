//! `replay`: every segment passes it; it looks ATS segments up, parks those that miss, and restores stream order.
//!
//! ```text
//!  issued ──► order: a linked list of slots a stream
//!  mapped ─┬► slot storage ──────────────────────────────┐
//!          ├─ no lookup needed: done                      ├─► pick (round robin over streams whose head is done) ─► released
//!          └─ lookup ─► atc ─► result ─ hit: done ────────┘
//!      retry ▲ first           └ miss ─► miss fifo ─► ats ─► grant, wake
//!            └───────────────────────────────────────────────────┘
//! ```
//!
//! Lookup is out of order, release in order: later segments of a stream look up and start misses while its head waits.
//! Storage is indexed by slot, so nothing overflows and nothing stalls `mtt`. A parked segment looked up again goes
//! before new ones. Three cycles from `mapped` to `released` without a lookup, five more with one that hits.
//!
//! An invalidation or a revocation may pass a segment. `dma` compares its epoch with its function's before each TLP and has
//! the access judged again; it comes through here in a slot of its own, one an engine, and its answer goes straight back
//! to `dma`. A segment takes its epoch from the edge that starts its lookup, so that it is never newer than the result. One
//! of a coherent region that needs no lookup takes it from the edge at which it arrives: its entry was compared with its
//! counter an edge before, and counters move on an edge before epochs do.
//!
//! Where an ordered stream that has written changes its path, a flush goes first (path.rs).
//!
//! A segment whose translation lacks the access it needs may wait for the page (page.rs).
//!
//! Progress: a released segment needs room in `dma`, counted per direction; a read waits until the writes of its stream
//! have been sent, never the other way round.

mod lookup;
mod page;
mod path;

use crate::lives::{Enabling, Lives};
use crate::progress::{Wait, wait};
use crate::slot_set::SlotSet;
use page::Pages;
use path::Path;
use std::collections::VecDeque;
use types::config::Partitions;
use types::port::{AtcKey, MappedSegment, ReleasedSegment, ReplayIn, ReplayOut, Retranslated, SegmentTag, SlotNote};
use types::{AddressType, Block, Cycle, Iova, Length, Mode, Op, PasidPrefix, Slot, StreamId, UnitCfg};
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("replay.segment", "mtt.fetch", "its table line is not cached"),
    wait("replay.segment", "mtt.event", "its table entry is not present"),
    wait("replay.segment", "ats.request", "its translation is not cached"),
    wait("replay.segment", "ats.prefetch", "it joined one that has been sent"),
    wait("replay.segment", "ats.page", "its translation lacks the access it needs"),
    wait("replay.segment", "dma.write_queue", "it writes and the queue is full"),
    wait("replay.segment", "dma.read_queue", "it reads and the queue is full"),
    wait("replay.segment", "dma.unsent", "it reads behind a write of its stream"),
    wait("replay.segment", "dma.read_slot", "a flush goes before it"),
    wait("replay.again", "mtt.fetch", "its table line is not cached"),
    wait("replay.again", "mtt.event", "its table entry is not present"),
    wait("replay.again", "ats.request", "its translation is not cached"),
    wait("replay.again", "ats.page", "its translation lacks the access it needs"),
    wait("replay.again", "ats.prefetch", "it joined one that has been sent"),
];

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    head: Slot,
    tail: Slot,
    /// Segments in order; `head` and `tail` count only when it is not 0.
    length: u32,
    /// Write segments released and not yet sent.
    writes: u32,
    path: Path,
}

/// What was picked for release, its storage read.
#[derive(Clone, Copy, Debug)]
enum Picked {
    /// A slot.
    Segment(Slot),
    /// A stream's flush.
    Flush(ReleasedSegment),
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    mapped: MappedSegment,
    no_snoop: bool,
    epoch: u32,
    /// Times its page was said to be there.
    rounds: u8,
    /// The next slot of the stream.
    next: Slot,
}

/// The replay block.
#[derive(Clone, Debug)]
pub struct Replay {
    entries: Vec<Entry>,
    streams: Vec<Stream>,
    work_streams: usize,
    done: SlotSet,
    /// Streams whose head is done, one bit each.
    ready: u64,
    /// Streams whose head is a read, one bit each; counts only where `ready` is set.
    reads: u64,
    /// Streams with writes that have not been sent, one bit each.
    unsent: u64,
    next: usize,
    write_room: u32,
    /// Room of `dma` for reads, by partition of functions.
    read_room: Vec<u32>,
    /// Streams by the partition of what leaves next, one bit each.
    of_partition: Vec<u64>,
    shares: Partitions,
    /// New segments that wait for a lookup, in order of arrival.
    fresh: VecDeque<Slot>,
    /// Parked segments to look up again.
    retry: SlotSet,
    retry_from: Slot,
    /// A slot read from storage, looked up at the next edge.
    fetched: Option<Slot>,
    /// Misses to offer, by partition, and the partition whose turn it is.
    misses: Vec<VecDeque<Slot>>,
    turn: usize,
    /// Slots that wait for each Translation Request.
    waiting: Vec<SlotSet>,
    /// Those among them whose granule was asked for first: a failure is theirs.
    first: SlotSet,
    parked: u32,
    /// First slot of the lookups for `dma`; their answers wait in `again`.
    again_base: u16,
    again: VecDeque<Retranslated>,
    /// Invalidation epoch of each function.
    epochs: Vec<u32>,
    lives: Lives,
    enabling: Enabling,
    pages: Pages,
    may_ask: Vec<MayAsk>,
    picked: Option<Picked>,
    out: ReplayOut,
}

const fn needs(tag: &SegmentTag) -> (bool, bool) {
    let data = tag.length.0 > 0;
    (data && tag.op.reads(), data && tag.op.writes())
}

/// What a function may ask for in a PASID prefix beside the PASID: Execute, Privileged Mode.
#[derive(Clone, Copy, Debug, Default)]
struct MayAsk {
    exec: bool,
    privileged: bool,
}

/// Whether a segment has to ask the ATC.
fn asks(mapped: &MappedSegment) -> bool {
    let tag = &mapped.tag;
    tag.mode == Mode::Ats
        && tag.syndrome.is_ok()
        && mapped.at == AddressType::UNTRANSLATED
        && (tag.length != Length(0) || tag.op != Op::WRITE)
}

impl Replay {
    fn reset(&mut self) {
        self.streams.fill(Stream::default());
        self.waiting.fill(SlotSet::default());
        self.first = SlotSet::default();
        (self.done, self.retry, self.retry_from) = Default::default();
        (self.ready, self.reads, self.unsent) = (0, 0, 0);
        (self.next, self.parked) = (0, 0);
        self.write_room = DMA_QUEUE;
        self.read_room.fill(DMA_QUEUE);
        self.of_partition.fill(0);
        self.turn = 0;
        self.fresh.clear();
        self.misses.iter_mut().for_each(VecDeque::clear);
        self.again.clear();
        self.epochs.fill(0);
        self.lives.reset();
        self.enabling.reset();
        self.pages.reset();
        self.may_ask.fill(MayAsk::default());
        (self.fetched, self.picked) = (None, None);
        self.out = ReplayOut::default();
    }

    /// What names the translation of a segment: with the prefix that its function may ask with. Execute is asked for where
    /// bytes are read.
    fn key_of(&self, mapped: &MappedSegment) -> AtcKey {
        let tag = &mapped.tag;
        let mut pasid = if tag.pasid.valid { tag.pasid } else { PasidPrefix::default() };
        let may = self.may_ask.get(usize::from(tag.function.0)).copied().unwrap_or_default();
        pasid.exec &= may.exec && tag.op == Op::READ && tag.length != Length(0);
        pasid.privileged &= may.privileged;
        AtcKey { function: tag.function, pasid, iova: Iova(mapped.address.0) }
    }

    /// Marks a slot as done and its stream as ready if it is the head.
    fn finish(&mut self, slot: Slot) {
        if let Some(engine) = slot.0.checked_sub(self.again_base) {
            let Entry { mapped, no_snoop, epoch, .. } = self.entries[usize::from(slot.0)];
            self.again.push_back(Retranslated {
                valid: true,
                engine: engine == 1,
                syndrome: mapped.tag.syndrome,
                address: mapped.address,
                at: mapped.at,
                no_snoop,
                epoch,
                grant: mapped.tag.asked.grant,
                coherent: mapped.tag.coherent || mapped.tag.mode == Mode::Ats,
            });
            return;
        }
        self.done.insert(slot);
        let stream = usize::from(self.entries[usize::from(slot.0)].mapped.tag.stream.0);
        self.refresh(stream);
    }

    fn refresh(&mut self, i: usize) {
        let s = &self.streams[i];
        let head = &self.entries[usize::from(s.head.0)].mapped;
        let done = s.length > 0 && self.done.contains(s.head);
        let ready = !s.path.blocked() && (done || s.path.ending());
        // A flush is a read.
        let read = head.tag.op != Op::WRITE || s.path.before(head);
        let set = |word: &mut u64, bit: bool| *word = *word & !(1 << i) | u64::from(bit) << i;
        set(&mut self.ready, ready);
        set(&mut self.reads, read);
        set(&mut self.unsent, s.writes > 0);
        if self.of_partition.len() > 1 {
            let function = if s.path.before(head) { s.path.function() } else { head.tag.function };
            let own = self.shares.of(function);
            for (partition, streams) in self.of_partition.iter_mut().enumerate() {
                *streams = *streams & !(1 << i) | u64::from(partition == own) << i;
            }
        }
    }

    /// Loads the output register from the storage read, then picks the next.
    fn release(&mut self) {
        match self.picked.take() {
            Some(Picked::Segment(slot)) => self.output(slot),
            Some(Picked::Flush(flush)) => {
                self.out.released = flush;
                self.out.stat_flush = true;
            }
            None => {}
        }
        self.pick();
    }

    fn output(&mut self, slot: Slot) {
        let entry = &self.entries[usize::from(slot.0)];
        let mapped = &entry.mapped;
        self.out.released = ReleasedSegment {
            valid: true,
            tag: mapped.tag,
            address: mapped.address,
            at: mapped.at,
            no_snoop: entry.no_snoop,
            epoch: entry.epoch,
            flush: false,
        };
        self.out.free = SlotNote { valid: true, slot, stream: mapped.tag.stream };
        self.out.stat_release = true;
        let stream = usize::from(mapped.tag.stream.0);
        self.streams[stream].path.pass(&mut self.out.released);
        self.refresh(stream);
    }

    /// Streams whose next read has a place in `dma`.
    fn streams_with_room(&self) -> u64 {
        match &self.read_room[..] {
            [room] => u64::from(*room > 0).wrapping_neg(),
            rooms => rooms.iter().zip(&self.of_partition).filter(|(room, _)| **room > 0).fold(0, |all, (_, s)| all | s),
        }
    }

    /// Chooses what leaves next, round robin over streams.
    fn pick(&mut self) {
        let reads = self.reads & !self.unsent & self.streams_with_room();
        let writes = if self.write_room > 0 { !self.reads } else { 0 };
        let candidates = self.ready & (reads | writes);
        let from_next = candidates >> self.next << self.next;
        let i = match (from_next, candidates) {
            (_, 0) => {
                self.out.stat_stall_dma = self.ready != 0;
                self.out.stat_stall_translation = self.ready == 0 && self.parked > 0;
                return;
            }
            (0, all) => all.trailing_zeros(),
            (some, _) => some.trailing_zeros(),
        } as usize;
        let s = &mut self.streams[i];
        self.next = if i + 1 == self.work_streams { 0 } else { i + 1 };
        let slot = s.head;
        let entry = &self.entries[usize::from(slot.0)];
        if s.path.before(&entry.mapped) {
            let head = (s.length > 0).then_some(&entry.mapped);
            self.picked = Some(Picked::Flush(s.path.flush(StreamId(i as u16), head)));
            let Some(Picked::Flush(flush)) = &self.picked else { return };
            self.read_room[self.shares.of(flush.tag.function)] -= 1;
            self.refresh(i);
            return;
        }
        s.head = entry.next;
        s.length -= 1;
        self.done.remove(slot);
        if entry.mapped.tag.op == Op::WRITE {
            s.writes += 1;
            self.write_room -= 1;
        } else {
            self.read_room[self.shares.of(entry.mapped.tag.function)] -= 1;
        }
        self.picked = Some(Picked::Segment(slot));
        self.refresh(i);
    }

    fn append(&mut self, slot: Slot, stream: StreamId) {
        if slot.0 >= self.again_base {
            return;
        }
        let i = usize::from(stream.0);
        let s = &mut self.streams[i];
        if s.length == 0 {
            s.head = slot;
        } else {
            self.entries[usize::from(s.tail.0)].next = slot;
        }
        s.tail = slot;
        s.length += 1;
        self.refresh(i);
    }
}

/// Depth of each segment queue of `dma`.
const DMA_QUEUE: u32 = 8;

impl Block for Replay {
    type In = ReplayIn;
    type Out = ReplayOut;

    fn new(cfg: &UnitCfg) -> Self {
        debug_assert_eq!(cfg.dma_queue(), DMA_QUEUE);
        let slots = cfg.slots() as usize;
        Self {
            entries: vec![Entry::default(); slots],
            streams: vec![Stream::default(); cfg.streams as usize],
            work_streams: cfg.streams as usize,
            done: SlotSet::default(),
            ready: 0,
            reads: 0,
            unsent: 0,
            next: 0,
            write_room: DMA_QUEUE,
            read_room: vec![DMA_QUEUE; cfg.shares().count()],
            of_partition: vec![0; cfg.shares().count()],
            shares: cfg.shares(),
            turn: 0,
            fresh: VecDeque::with_capacity(slots),
            retry: SlotSet::default(),
            retry_from: Slot(0),
            fetched: None,
            misses: vec![VecDeque::with_capacity(slots); cfg.shares().count()],
            waiting: vec![SlotSet::default(); cfg.ats_requests as usize],
            first: SlotSet::default(),
            parked: 0,
            again_base: cfg.segment_slots() as u16,
            again: VecDeque::with_capacity(2),
            epochs: vec![0; cfg.functions as usize],
            lives: Lives::new(cfg.functions),
            enabling: Enabling::new(cfg.functions),
            pages: Pages::new(cfg),
            may_ask: vec![MayAsk::default(); cfg.functions as usize],
            picked: None,
            out: ReplayOut::default(),
        }
    }

    fn outputs(&self, out: &mut ReplayOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &ReplayIn) {
        if inp.reset {
            self.reset();
            return;
        }
        let ReplayOut { miss, page, .. } = self.out;
        self.out = ReplayOut::default();
        if inp.cfg.valid
            && let Some(may) = self.may_ask.get_mut(usize::from(inp.cfg.function.0))
        {
            *may = MayAsk { exec: inp.cfg.pasid_exec_enable, privileged: inp.cfg.pasid_priv_enable };
        }
        // Everything below sees the state before this edge, except where a later step of the same slot needs it.
        self.release();
        self.write_room += u32::from(inp.write_room);
        if inp.read_room
            && let Some(room) = self.read_room.get_mut(usize::from(inp.read_room_partition))
        {
            *room += 1;
        }
        if inp.write_sent.valid
            && let Some(s) = self.streams.get_mut(usize::from(inp.write_sent.stream.0))
        {
            s.writes = s.writes.saturating_sub(1);
            s.path.sent(&inp.write_sent, s.writes == 0);
            self.refresh(usize::from(inp.write_sent.stream.0));
        }
        if inp.flushed.valid
            && let Some(s) = self.streams.get_mut(usize::from(inp.flushed.stream.0))
        {
            s.path.flushed(&inp.flushed);
            self.refresh(usize::from(inp.flushed.stream.0));
        }
        self.offer_miss((inp.miss_ready, inp.miss_room), miss);
        let mut arrived = None;
        if inp.mapped.valid {
            let slot = inp.mapped.tag.slot;
            let entry = &mut self.entries[usize::from(slot.0)];
            *entry = Entry { mapped: inp.mapped, next: entry.next, ..Entry::default() };
            if asks(&inp.mapped) {
                arrived = Some(slot);
            } else {
                if inp.mapped.tag.coherent {
                    entry.epoch = self.epochs.get(usize::from(inp.mapped.tag.function.0)).copied().unwrap_or_default();
                }
                self.out.stat_bypass = true;
                self.finish(slot);
            }
        }
        self.look_up(arrived);
        self.out.retranslated = self.again.pop_front().unwrap_or_default();
        self.results(inp);
        self.wake(inp);
        self.step_pages(inp, page);
        if inp.issued.valid {
            self.append(inp.issued.slot, inp.issued.stream);
        }
        if inp.invalidated.valid
            && let Some(epoch) = self.epochs.get_mut(usize::from(inp.invalidated.function.0))
        {
            *epoch = inp.invalidated.epoch;
        }
        self.lives.configure(&inp.cfg);
        self.enabling.note(&inp.invalidated);
        self.enabling.configure(&inp.cfg);
    }

    fn idle_until(&self, inp: &ReplayIn) -> Option<Cycle> {
        let inputs = inp.reset
            || inp.issued.valid
            || inp.mapped.valid
            || inp.result.valid
            || inp.grant_valid
            || inp.wake.valid
            || inp.cfg.valid
            || inp.page_answer.valid
            || inp.page_wake.valid
            || inp.write_room
            || inp.read_room
            || inp.write_sent.valid
            || inp.flushed.valid
            || inp.invalidated.valid;
        let working = !self.again.is_empty()
            || self.picked.is_some()
            || self.fetched.is_some()
            || !self.fresh.is_empty()
            || !self.retry.is_empty();
        let offering =
            if self.out.miss.valid { inp.miss_ready } else { self.misses.iter().any(|misses| !misses.is_empty()) };
        // A stalled cycle is counted, so a block with segments to release or to wait for is never idle.
        let counting = self.ready != 0 || self.parked > 0;
        let pulses = self.out.retranslated.valid
            || self.out.released.valid
            || self.out.lookup.valid
            || self.out.stat_fields().0 != 0;
        (!inputs && !working && !offering && !counting && !pulses).then_some(Cycle(u64::MAX))
    }
}
