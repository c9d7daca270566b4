//! `seg`: cuts requests into segments.
//!
//! ```text
//!  checked ──► queue [stream][8] ──► pick (round robin) ──► cut ──► segment (to mtt; its slot also to replay)
//!                                      ▲ free slots, slots held by stream
//!  free ───────────────────────────────┘
//! ```
//!
//! A segment never crosses a page of its region; in mode `ats`, and in a coherent region, it never crosses the ATC's base
//! granule either, so that one lookup covers it. Every segment takes a slot, which is its reserved place in `mtt` and `replay`: nothing behind `seg`
//! ever stalls it. A stream holds at most `stream_slots` of them, and a partition of functions its share. What `dma` has judged again has a slot of its own, one an
//! engine, behind those of the segments. Latency 2, one segment a cycle.

use crate::progress::{Wait, wait};
use std::collections::VecDeque;
use types::config::{Partitions, RETRANSLATE_SLOTS};
use types::layout::LEAF_ENTRIES;
use types::port::{CheckedRequest, CoherentPage, SegIn, SegOut, Segment, SegmentTag, StreamNote};
use types::{Block, Cycle, EntryWords, Iova, Length, Mode, MttLayout, Offset, Slot, StreamId, UnitCfg, Va};
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("seg.queue", "seg.slot", "no slot is free, or the stream holds its share"),
    wait("seg.slot", "replay.segment", "a slot is held until its segment is released"),
    wait("seg.again", "replay.again", "always: the engine's own slot"),
];

#[derive(Clone, Debug, Default)]
struct Stream {
    queue: VecDeque<CheckedRequest>,
    /// Bytes of the head that have been cut.
    done: u32,
    /// Slots held.
    held: u32,
}

/// The segmentation block.
#[derive(Clone, Debug)]
pub struct Seg {
    streams: Vec<Stream>,
    stream_slots: u32,
    granule_log2: u32,
    slots: u32,
    shares: Partitions,
    /// Slots held by each partition, and the partition that holds each slot.
    held: Vec<u32>,
    holders: Vec<u8>,
    /// Streams of work requests; those behind are the engines of `dma`.
    work_streams: usize,
    free: VecDeque<Slot>,
    next: usize,
    /// Streams with something to cut, one bit each.
    waiting: u64,
    out: SegOut,
}

impl Seg {
    fn reset(&mut self) {
        for s in &mut self.streams {
            s.queue.clear();
            (s.done, s.held) = (0, 0);
        }
        self.held.fill(0);
        self.free.clear();
        self.free.extend((0..self.slots as u16).map(Slot));
        (self.next, self.waiting) = (0, 0);
        self.out = SegOut::default();
    }

    /// Round robin over the streams that may take a slot.
    fn pick(&self) -> Option<usize> {
        // Streams from `next` on first.
        let order = [self.waiting >> self.next << self.next, self.waiting & !(u64::MAX << self.next)];
        for mut candidates in order {
            while candidates != 0 {
                let i = candidates.trailing_zeros() as usize;
                if i >= self.work_streams
                    || !self.free.is_empty() && self.streams[i].held < self.stream_slots && self.in_share(i)
                {
                    return Some(i);
                }
                candidates &= candidates - 1;
            }
        }
        None
    }

    /// Whether the partition of a stream's next segment holds less than its share of slots.
    fn in_share(&self, i: usize) -> bool {
        let partition = self.streams[i].queue.front().map_or(0, |request| self.shares.of(request.function));
        self.held[partition] < self.shares.share(self.slots)
    }

    fn cut(&mut self, i: usize, slot: Slot) {
        let s = &mut self.streams[i];
        let Some(request) = s.queue.front().copied() else { return };
        let va = request.va.0.wrapping_add(u64::from(s.done));
        let page_log2 = u32::from(request.page_log2);
        let coherent = request.coherent;
        let cut_log2 =
            if request.mode == Mode::Ats || coherent.valid { page_log2.min(self.granule_log2) } else { page_log2 };
        let inside = |log2: u32| if log2 == 0 { 0 } else { va & (u64::MAX >> (64 - log2)) };
        let remaining = request.length.0 - s.done;
        let to_boundary = (1u64 << cut_log2) - inside(cut_log2);
        let length = u64::from(remaining).min(to_boundary) as u32;
        let last = length == remaining;
        let pages = (va >> page_log2).wrapping_sub(request.va.0 >> page_log2);
        let (entry, leaf) = entry_of(&request, pages);
        self.out.segment = Segment {
            valid: true,
            tag: SegmentTag {
                slot,
                id: request.id,
                function: request.function,
                stream: request.stream,
                op: request.op,
                on_fault: request.on_fault,
                first: s.done == 0,
                last,
                message_offset: Offset(s.done),
                length: Length(length),
                mode: request.mode,
                unordered: request.unordered,
                pasid: request.pasid,
                syndrome: request.syndrome,
                asked: request.asked,
                va: Va(va),
                coherent: coherent.valid,
            },
            layout: request.layout,
            entry,
            leaf,
            page_log2: request.page_log2,
            page_offset: Iova(inside(page_log2)),
            coherent: CoherentPage {
                iova: Iova(coherent.iova.0.wrapping_add(if coherent.valid { pages << page_log2 } else { 0 })),
                ..coherent
            },
        };
        self.out.stat_segment = true;
        s.held += u32::from(i < self.work_streams);
        if i < self.work_streams {
            let partition = self.shares.of(request.function);
            self.held[partition] += 1;
            self.holders[usize::from(slot.0)] = partition as u8;
        }
        s.done += length;
        if last {
            s.queue.pop_front();
            s.done = 0;
            self.out.room = StreamNote { valid: true, stream: StreamId(i as u16) };
            if s.queue.is_empty() {
                self.waiting &= !(1 << i);
            }
        }
        self.next = if i + 1 == self.streams.len() { 0 } else { i + 1 };
    }
}

/// Where the MTT entry of the page `pages` behind a request's first one stands, or what it is; and its number in its leaf.
fn entry_of(request: &CheckedRequest, pages: u64) -> (Iova, u16) {
    let EntryWords(behind) = request.behind;
    match (request.layout, pages) {
        (MttLayout::OneLevel | MttLayout::Reserved, _) => (Iova(request.entry.0.wrapping_add(8 * pages)), 0),
        (MttLayout::Inline, 0) => (request.entry, 0),
        (MttLayout::Inline, _) => (Iova(behind.get(pages as usize - 1).copied().unwrap_or_default().0), 0),
        (MttLayout::TwoLevel, _) => {
            let number = u64::from(request.leaf) + pages;
            let word = request.entry.0.wrapping_add(8 * (number / LEAF_ENTRIES));
            (Iova(word), (number % LEAF_ENTRIES) as u16)
        }
    }
}

impl Block for Seg {
    type In = SegIn;
    type Out = SegOut;

    fn new(cfg: &UnitCfg) -> Self {
        let depth = cfg.seg_depth() as usize;
        let stream = || Stream { queue: VecDeque::with_capacity(depth), ..Stream::default() };
        let mut seg = Self {
            work_streams: cfg.streams as usize,
            streams: (0..cfg.streams + RETRANSLATE_SLOTS).map(|_| stream()).collect(),
            stream_slots: cfg.stream_slots,
            granule_log2: cfg.atc_granule_log2,
            slots: cfg.segment_slots(),
            shares: cfg.shares(),
            held: vec![0; cfg.shares().count()],
            holders: vec![0; cfg.segment_slots() as usize],
            free: VecDeque::with_capacity(cfg.segment_slots() as usize),
            next: 0,
            waiting: 0,
            out: SegOut::default(),
        };
        seg.reset();
        seg
    }

    fn outputs(&self, out: &mut SegOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &SegIn) {
        if inp.reset {
            self.reset();
            return;
        }
        self.out = SegOut::default();
        if self.waiting != 0 {
            match self.pick() {
                Some(i) => {
                    let own =
                        i.checked_sub(self.work_streams).map(|engine| Slot((self.slots as usize + engine) as u16));
                    if let Some(slot) = own.or_else(|| self.free.pop_front()) {
                        self.cut(i, slot);
                    }
                }
                None if self.free.is_empty() => self.out.stat_stall_slot = true,
                None => self.out.stat_stall_stream = true,
            }
        }
        if inp.free.valid {
            self.free.push_back(inp.free.slot);
            if let Some(holder) = self.holders.get(usize::from(inp.free.slot.0)) {
                let held = &mut self.held[usize::from(*holder)];
                *held = held.saturating_sub(1);
            }
            if let Some(s) = self.streams.get_mut(usize::from(inp.free.stream.0)) {
                s.held = s.held.saturating_sub(1);
            }
        }
        if inp.checked.valid
            && let Some(s) = self.streams.get_mut(usize::from(inp.checked.stream.0))
        {
            s.queue.push_back(inp.checked);
            self.waiting |= 1 << inp.checked.stream.0;
        }
    }

    fn idle_until(&self, inp: &SegIn) -> Option<Cycle> {
        let inputs = inp.reset || inp.checked.valid || inp.free.valid;
        let still = self.waiting == 0 && self.out == SegOut::default();
        (!inputs && still).then_some(Cycle(u64::MAX))
    }
}
