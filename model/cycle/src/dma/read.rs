//! The read engine of `dma`: issues reads in order and hands their data over in the same order.
//!
//! ```text
//! segment ─► queue(8) ─► cut ─► slot, tag ─► [read]            reads to tlp_tx
//!                                 ▲    ▲
//!                 delivery ───────┘    └── free tags ◄── reassembly ◄── completions
//! ```
//!
//! | stage | from edge to edge |
//! |---|---|
//! | queue | segment taken at k, head in cycle k+1 |
//! | cut | one read a cycle: descriptor on `read` in cycle k+2, its tag and slot reserved at that edge |
//!
//! A flush is a zero-length read without a request, or with one that completes with it; its end is noted to `replay` from
//! its place in the order of delivery, or at once where it sends nothing: there is nothing to push, or its page is not on
//! that path any more. A read that another translation has sent another way than its stream's writes waits for a flush
//! itself (write/path.rs).
//!
//! An atomic is issued like a read, once its operands are there (operands.rs), and its answer goes the same way.
//!
//! A request that sends no TLP at its end (it failed) takes a slot without data, so that its completion keeps its place.
//!
//! A tag whose completion is overdue is retired until it comes. Where all that a request could have are retired, it ends as
//! they did, in COMPLETION_TIMEOUT.
//!
//! Progress: issue waits for `read`'s ready, a tag (freed by completions alone) and a slot (freed by delivery); an atomic
//! also for its operands, which stand behind the bytes of the writes asked for before.

use super::Stats;
use super::again::{self, Again, EpochTable, epochs_of};
use super::cut::{Cut, OpenRequest, admit, size_limit};
use super::deliver::Deliver;
use super::operands::{Place, Wanted};
use super::reassembly::{Asked, Reassembly, SlotEntry};
use super::tags::TagPool;
use super::write::path::{For, Paths, WantedFlush};
use crate::timeout::Timeouts;
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::Syndrome;
use types::addr::{Offset, Va};
use types::config::Partitions;
use types::port::{
    Completion, DmaIn, FlushNote, FunctionCfg, Operands, ReadData, ReleasedSegment, Retranslate, TlpDescriptor,
};
use types::tlp::TlpOp;

/// The segments of one partition of functions.
#[derive(Clone, Debug, Default)]
struct Queue {
    segments: VecDeque<ReleasedSegment>,
    /// Bytes of the head segment that have been cut.
    done: u32,
    /// Its reads in flight, and its tags kept back because their read timed out.
    live: u16,
    retired: u16,
    /// Operands of the atomic at the head.
    operands: Place,
    /// Another translation has sent the head another way: another path, for a flush the one it was to push on.
    moved: bool,
    /// The flush in front of a head that has moved.
    flush: Before,
}

/// A flush in front of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Before {
    #[default]
    None,
    Wanted,
    Over,
    /// The read that wanted it has ended, and it is still under way.
    Void,
}

impl Before {
    /// The head is another, or goes another way: a flush that is under way is not for it.
    fn forget(&mut self, under_way: bool) {
        *self = if under_way { Self::Void } else { Self::None };
    }
}

impl Queue {
    /// The flush in front of the head has ended.
    fn flushed(&mut self, outcome: Syndrome) {
        let void = self.flush == Before::Void;
        self.flush = if void { Before::None } else { Before::Over };
        if let Some(head) = self.segments.front_mut().filter(|_| !void && !outcome.is_ok()) {
            head.tag.syndrome = outcome;
        }
    }
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct ReadEngine {
    depth: usize,
    largest: u32,
    /// Segments, by partition of functions.
    queues: Vec<Queue>,
    shares: Partitions,
    /// The partition whose head is looked at first.
    turn: usize,
    /// The partition whose head is judged again.
    judged: usize,
    requests: Box<[OpenRequest]>,
    read: TlpDescriptor,
    operands: Operands,
    /// Partition whose queue has room for one more.
    room: Option<u8>,
    tags: TagPool,
    buffer: Reassembly,
    deliver: Deliver,
    /// A flush that sent nothing has ended.
    unsent_flush: FlushNote,
    again: Again,
    timeouts: Timeouts,
    /// Reads in flight, and those among them that were issued under an older epoch.
    live: u16,
    old: u16,
    /// Tags kept back because their read timed out, and the partition each tag was last used by.
    retired: u16,
    users: Box<[u8]>,
    /// Flips with the epoch; a read keeps the value it was issued under.
    parity: bool,
}

impl ReadEngine {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        let depth = cfg.dma_queue() as usize;
        Self {
            depth,
            largest: cfg.read_slot_bytes,
            queues: vec![Queue { segments: VecDeque::with_capacity(depth), ..Queue::default() }; cfg.shares().count()],
            shares: cfg.shares(),
            turn: 0,
            judged: 0,
            requests: vec![OpenRequest::default(); 1 << cfg.stream_bits()].into(),
            read: TlpDescriptor::default(),
            operands: Operands::default(),
            room: None,
            tags: TagPool::new(cfg),
            buffer: Reassembly::new(cfg),
            deliver: Deliver::new(cfg),
            unsent_flush: FlushNote::default(),
            again: Again::new(true),
            timeouts: Timeouts::new(cfg.read_tags),
            retired: 0,
            users: vec![0; cfg.read_tags as usize].into(),
            live: 0,
            old: 0,
            parity: false,
        }
    }

    /// Whether nothing is under way.
    pub(super) fn idle(&self) -> bool {
        let empty = |q: &Queue| q.segments.is_empty() && q.operands.idle();
        let engine = self.queues.iter().all(empty) && !(self.read.valid || self.room.is_some());
        let engine = engine && self.again.idle() && self.retired == 0;
        let engine = engine && !self.unsent_flush.valid;
        engine && self.buffer.idle() && self.deliver.idle()
    }
    /// The end of a flush. One that sends nothing waits a cycle where delivery has one of its own.
    pub(super) fn flushed(&self) -> FlushNote {
        let delivered = self.deliver.flushed();
        if delivered.valid { delivered } else { self.unsent_flush }
    }
    pub(super) fn retranslate(&self) -> Retranslate {
        self.again.request()
    }
    /// Accesses judged again.
    pub(super) fn again(&self) -> &Again {
        &self.again
    }
    /// An epoch has begun: every read in flight is of an older one.
    pub(super) fn advance(&mut self) {
        self.old = self.live;
        self.parity = !self.parity;
    }
    /// Whether no read of an older epoch is in flight.
    pub(super) fn drained(&self) -> bool {
        self.old == 0
    }
    /// Whether one more segment may come, and of which partition.
    pub(super) fn room(&self) -> (bool, u8) {
        (self.room.is_some(), self.room.unwrap_or(0))
    }
    pub(super) fn read(&self) -> &TlpDescriptor {
        &self.read
    }
    /// Payload of the atomic on `read`.
    pub(super) fn operands(&self) -> Operands {
        self.operands
    }
    /// Operands that the write engine is to ask for, the partitions in turn.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        let count = self.queues.len();
        (0..count).map(|n| (self.turn + n) & (count - 1)).find_map(|partition| {
            let range = self.queues[partition].operands.wanted()?;
            Some(Wanted { partition: partition as u8, range })
        })
    }
    /// A read that waits for a flush.
    pub(super) fn wanted_flush(&self) -> Option<WantedFlush> {
        let waits = |q: &&Queue| q.flush == Before::Wanted;
        let head = self.queues.iter().find(waits)?.segments.front()?;
        let partition = self.shares.of(head.tag.function) as u8;
        Some(WantedFlush { partition, stream: head.tag.stream, at: head.at })
    }
    /// The write engine has asked for some operands, or some have come.
    pub(super) fn take_operands(&mut self, asked: Option<&Wanted>, come: Option<(u8, Operands)>) {
        if let Some((partition, operands)) = come {
            self.queues[usize::from(partition)].operands.come(operands);
        }
        if let Some(wanted) = asked {
            self.queues[usize::from(wanted.partition)].operands.asked();
        }
    }
    pub(super) fn read_data(&self) -> &ReadData {
        self.deliver.read_data()
    }
    /// The completion queue, for the arbiter.
    pub(super) fn completions(&mut self) -> &mut VecDeque<Completion> {
        self.deliver.completions()
    }
    /// The unit's tag width changes.
    pub(super) fn set_tag_mode(&mut self, mode: u8) {
        self.tags.wanted = mode;
    }

    /// One edge; `segment` is a read segment or none. The arbiter has popped completions before this.
    pub(super) fn step(
        &mut self,
        inp: &DmaIn,
        segment: Option<&ReleasedSegment>,
        functions: &[FunctionCfg],
        (epochs, may_ask, paths): (&EpochTable, bool, &Paths),
        stat: &mut Stats,
    ) {
        if !self.deliver.flushed().valid {
            self.unsent_flush = FlushNote::default();
        }
        self.again.step();
        if let Some(answer) = self.again.answer(&inp.retranslated)
            && let Queue { segments, done, moved, flush, .. } = &mut self.queues[self.judged]
            && let Some(segment) = segments.front_mut()
        {
            if answer.syndrome.is_ok() && answer.at != segment.at {
                *moved = true;
                flush.forget(paths.serves(For::Read(self.judged as u8)));
            }
            again::apply(segment, *done, &answer);
        }
        for (partition, queue) in self.queues.iter_mut().enumerate() {
            if let Some(outcome) = paths.ended(For::Read(partition as u8)) {
                queue.flushed(outcome);
            }
        }
        // Each stage sees what the stage behind it held before this edge.
        let slot_free = self.buffer.room();
        self.deliver.step(inp, &mut self.buffer);
        self.issue(inp, slot_free, functions, (epochs, may_ask, paths), stat);
        let (ended, late) = self.buffer.step(&inp.cpl, stat);
        if let Some(tag) = late {
            self.retired -= 1;
            self.queues[usize::from(self.users[usize::from(tag)])].retired -= 1;
            self.tags.returned.push_back(tag);
        }
        let over = self.timeouts.step(self.live + self.retired > 0, inp.timeout);
        // One read ends at an edge; an overdue one has another turn.
        let expired = over.filter(|_| ended.is_none()).and_then(|tag| self.buffer.expire(tag as u16));
        stat.timeout = expired.is_some();
        if let Some(ended) = ended.or(expired) {
            self.live -= 1;
            let queue = &mut self.queues[self.shares.of(ended.function)];
            queue.live -= 1;
            queue.retired += u16::from(!ended.tag_free);
            self.old -= u16::from(ended.parity != self.parity);
            if ended.tag_free {
                self.tags.returned.push_back(ended.tag);
            } else {
                self.retired += 1;
            }
            let open = &mut self.requests[usize::from(ended.stream.0)];
            if open.open && open.id == ended.id && open.syndrome.is_ok() {
                open.syndrome = ended.syndrome;
            }
        }
        if let Some(segment) = segment
            && let queue = &mut self.queues[self.shares.of(segment.tag.function)].segments
            && queue.len() < self.depth
        {
            queue.push_back(*segment);
        }
    }

    /// Issues one read of a head segment, or ends a segment that sends none; the partitions in turn.
    fn issue(
        &mut self,
        inp: &DmaIn,
        slot_free: u8,
        functions: &[FunctionCfg],
        (epochs, may_ask, paths): (&EpochTable, bool, &Paths),
        stat: &mut Stats,
    ) {
        self.room = None;
        if self.read.valid {
            if inp.read_ready {
                let atomic = self.read.op != TlpOp::READ;
                (stat.read_tlp, stat.atomic_tlp) = (!atomic, atomic);
                self.read = TlpDescriptor::default();
                self.operands = Operands::default();
            } else {
                stat.stall_tx = true;
            }
        }
        let tags_settled = self.tags.settle();
        for n in 0..self.queues.len() {
            let partition = (self.turn + n) & (self.queues.len() - 1);
            if self.issue_from(partition, (tags_settled, slot_free), functions, (epochs, may_ask, paths), stat) {
                self.turn = (partition + 1) & (self.queues.len() - 1);
                return;
            }
        }
    }

    /// The same from one partition's queue; returns whether something was done.
    fn issue_from(
        &mut self,
        partition: usize,
        (tags_settled, slot_free): (bool, u8),
        functions: &[FunctionCfg],
        (epochs, may_ask, paths): (&EpochTable, bool, &Paths),
        stat: &mut Stats,
    ) -> bool {
        let Queue { segments, done, live, retired, operands: place, moved, flush } = &mut self.queues[partition];
        let Some(segment) = segments.front() else { return false };
        let (segment, tag) = (*segment, &segment.tag);
        let function = functions.get(usize::from(tag.function.0)).copied().unwrap_or_default();
        let open = &mut self.requests[usize::from(tag.stream.0)];
        let in_share = u32::from(*live + *retired) < self.shares.share(u32::from(self.tags.range().1)).max(1);
        let tag_free = tags_settled && self.tags.available() && in_share;
        // No tag can come but with a late completion, which may be never.
        let (waits_live, waits_retired) = if tags_settled { (*live, *retired) } else { (self.live, self.retired) };
        let spent = !tag_free && waits_live == 0 && waits_retired > 0;
        let failure = match open.failure(&segment, *done) {
            Syndrome::OK => match admit(&segment, &function, epochs.lives.of(tag.function)) {
                Syndrome::OK if spent => Syndrome::COMPLETION_TIMEOUT,
                failure => failure,
            },
            failure => failure,
        };
        let tlp = failure.is_ok();
        let limit = size_limit(function.mrrs).min(self.largest);
        let cut = Cut::next(&segment, *done, limit);
        if tlp && epochs.outdate(tag, epochs_of(&segment)) {
            let va = Va(tag.va.0.wrapping_add(u64::from(*done)));
            let ask = |again: &mut Again| match segment.flush {
                true => again.ask_flush(tag),
                false => again.ask(tag, va, tag.length.0 - *done),
            };
            if may_ask && ask(&mut self.again) {
                stat.retranslate = true;
                self.judged = partition;
            }
            return false;
        }
        let crosses = *moved && !segment.flush && !tag.unordered && paths.between(tag.stream, segment.at);
        if tlp && crosses && *flush != Before::Over {
            if *flush == Before::None {
                *flush = Before::Wanted;
            }
            return false;
        }
        let tlp = tlp && !(segment.flush && (*moved || !paths.unflushed(tag.stream)));
        let operands = if tlp && tag.op.is_atomic() { place.of(&segment) } else { Some(Operands::default()) };
        let Some(operands) = operands.filter(|_| !place.waits()) else { return false };
        let ends = !tlp || cut.last;
        if (tlp || tag.last) && slot_free >> partition & 1 == 0 {
            stat.stall_buffer = true;
            return false;
        }
        if tlp && !tag_free {
            stat.stall_tag = true;
            return false;
        }
        if tlp && self.read.valid {
            return false;
        }
        let unsent_flush = segment.flush && !tlp && !tag.last;
        if unsent_flush && self.unsent_flush.valid {
            return false;
        }
        if unsent_flush {
            self.unsent_flush = FlushNote { valid: true, stream: tag.stream, syndrome: failure };
        }
        open.enter(&segment, *done);
        open.syndrome = failure;
        if tlp || tag.last {
            let slot = self.buffer.reserve(
                partition,
                SlotEntry {
                    stream: tag.stream,
                    id: tag.id,
                    function: tag.function,
                    offset: Offset(tag.message_offset.0.wrapping_add(*done)),
                    length: if tlp { cut.length } else { 0 },
                    pad: (cut.address.0 & 3) as u32,
                    end: ends && tag.last,
                    flush: segment.flush,
                    syndrome: failure,
                },
                !tlp,
            );
            if tlp {
                let number = self.tags.take();
                let asked = Asked { address: cut.address, length: cut.length, atomic: tag.op.is_atomic() };
                self.users[usize::from(number)] = partition as u8;
                self.buffer.start(number, slot, asked, self.parity);
                self.timeouts.start(usize::from(number));
                self.live += 1;
                *live += 1;
                self.again.committed();
                self.read = TlpDescriptor { tag: self.tags.range().0 + number, ..cut.descriptor(&segment, &function) };
                self.operands = operands;
            }
        }
        if ends {
            open.open = !tag.last;
            segments.pop_front();
            if segment.tag.op.is_atomic() {
                place.end();
            }
            if self.judged == partition {
                self.again.ended();
            }
            self.room = Some(partition as u8);
            *moved = false;
            flush.forget(paths.serves(For::Read(partition as u8)));
            *done = 0;
        } else {
            *done += cut.length;
        }
        true
    }
}
