//! The write engine of `dma`: pulls message bytes and commits write TLPs.
//!
//! ```text
//! segment ─► queue(8) ─► cut ─┬─► [write_data_request]           up to 4 ranges asked and not answered
//!                             ├─► pending(4): descriptor, pad ─┐
//!                             └─► unsent(64): target, outcome  │
//! write_data ─────────────────────────────────► shift by pad ──┴─► [posted] two-entry skid
//! posted_sent ─► sent counter ─► unsent head reached? ─► [write_sent], completion
//! ```
//! The operands of atomics come on the same stream of message bytes, between those of writes; `Operands` of the read engine
//! keeps a place for each range before it is asked for, so that they never stand in the way of what is behind them.
//!
//! | stage | from edge to edge |
//! |---|---|
//! | queue | segment taken at k, head in cycle k+1 |
//! | cut | one TLP a cycle: range asked in cycle k+2 |
//! | shift | bytes taken at d stand on `posted` in cycle d+1; one extra beat when pad and payload spill over |
//! | retire | `posted_sent` at s: `write_sent` in cycle s+2, completion behind the arbiter in cycle s+3 |
//!
//! The address of a TLP is looked at again with its last beat, its commit: a translation that an invalidation has passed
//! is asked for again, and the engine takes no more bytes until it is there (write/judged.rs). If it is refused, the TLP and
//! those of its request behind it are dropped: their bytes are taken, `tlp_tx` forgets their beats, and the request ends with
//! the failure. If it sends the TLP on another path than its stream has written on before, a flush goes first
//! (write/path.rs).
//!
//! Progress: the cutter waits for the source's ready, for a pending place (freed by data) and for an unsent place
//! (freed by the link); none of these waits for the read engine, which always has a place for the operands it has asked
//! for. Completions and flushes are all that can hold `unsent`: the former need nothing but the completion stream's ready,
//! the latter the link and a completion.

mod judged;
pub(super) mod path;
mod shift;

use super::Stats;
use super::again::{Again, EpochTable, Epochs, epochs_of};
use super::cut::{Cut, OpenRequest, admit, size_limit};
use super::operands::Wanted;
use crate::lives::Lives;
use path::{For, Paths, WantedFlush};
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::{AddressType, Syndrome};
use types::addr::{Length, Offset, StreamId, Va};
use types::port::{
    Beat, Completion, DmaIn, FunctionCfg, Operands, PostedBeat, ReleasedSegment, Retranslate, SegmentTag,
    TlpDescriptor, WriteData, WriteDataRequest, WriteSent,
};

/// Ranges asked for and not yet answered.
const PENDING: usize = 4;
/// Write segments cut and not yet sent.
const UNSENT: usize = 64;
/// Completions waiting for the arbiter.
const COMPLETIONS: usize = 2;

/// A range that was asked for, with the TLP its bytes make.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    tlp: TlpDescriptor,
    /// Bytes of the first DW in front of the payload.
    pad: u32,
    /// Payload bytes.
    length: u32,
    /// Epochs of its mapping.
    epochs: Epochs,
    /// Virtual address of the first byte, and what was asked.
    va: Va,
    tag: SegmentTag,
    /// Place of its segment in `unsent`, modulo `UNSENT`.
    segment: u8,
    /// Number of the TLP, modulo 2^16.
    number: u16,
    /// The translation was refused: the TLP is dropped.
    refused: Syndrome,
    /// No write's: the operands of an atomic of this partition.
    operands: Option<u8>,
}

/// What has left of a segment.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// Path of the last TLP.
    at: AddressType,
    /// One of its TLPs went on another path than the one before it of its request.
    changed: bool,
}

/// What a request carries from segment to segment.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    syndrome: Syndrome,
    changed: bool,
}

/// A segment that was cut: done when `target` TLPs of the engine have been sent.
#[derive(Clone, Copy, Debug)]
struct Unsent {
    note: Completion,
    first: bool,
    last: bool,
    target: u16,
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct WriteEngine {
    bytes: u32,
    depth: usize,
    largest: u32,
    segments: VecDeque<ReleasedSegment>,
    /// Bytes of the head segment that have been cut.
    done: u32,
    requests: Box<[OpenRequest]>,
    request: WriteDataRequest,
    room: bool,
    pending: VecDeque<Pending>,
    /// Bytes of the head range taken from the source.
    taken: u32,
    /// DWs of the head TLP put on `posted`.
    sent_dw: u32,
    /// Last bytes of the beat before, which the shift moves into this one; right-aligned.
    carry: u64,
    /// The head TLP needs one more beat and no more bytes.
    spill: bool,
    posted: VecDeque<PostedBeat>,
    /// TLPs cut and TLPs sent, modulo 2^16; their distance is bounded by the buffers behind.
    cut_count: u16,
    sent_count: u16,
    unsent: VecDeque<Unsent>,
    /// Segments put into `unsent`, and taken out, modulo `UNSENT`.
    unsent_in: u8,
    unsent_out: u8,
    /// Failure of a segment after its cut, by its place in `unsent`.
    late: [Syndrome; UNSENT],
    /// What has been committed of an ordered region's segment, by its place in `unsent`.
    left: [Option<Left>; UNSENT],
    /// Late failure of the segments of a stream's request so far, at their retirement, and whether it changed its path.
    carried: Box<[Carried]>,
    paths: Paths,
    /// The head TLP goes on another path than what its stream has written: a flush goes first.
    crosses: bool,
    /// A message waits for a flush to end.
    ending: Option<StreamId>,
    /// Numbers of dropped TLPs: they count as sent in their turn.
    dropped: VecDeque<u16>,
    again: Again,
    /// An epoch has passed the mapping of the head TLP: it has to be asked for again.
    stale: bool,
    /// TLPs committed, modulo 2^16, and as of the last change of an epoch.
    committed: u16,
    old_committed: u16,
    /// Beats on `posted` that were put there under an older epoch.
    old_beats: usize,
    write_sent: WriteSent,
    completions: VecDeque<Completion>,
    /// Operands of an atomic as they come in, and the partition whose are whole.
    operands: Operands,
    whole: Option<u8>,
}

impl WriteEngine {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        let depth = cfg.dma_queue() as usize;
        Self {
            bytes: cfg.data_bytes(),
            depth,
            largest: cfg.posted_buffer_bytes,
            segments: VecDeque::with_capacity(depth),
            done: 0,
            requests: vec![OpenRequest::default(); 1 << cfg.stream_bits()].into(),
            request: WriteDataRequest::default(),
            room: false,
            pending: VecDeque::with_capacity(PENDING),
            taken: 0,
            sent_dw: 0,
            carry: 0,
            spill: false,
            posted: VecDeque::with_capacity(2),
            cut_count: 0,
            sent_count: 0,
            unsent: VecDeque::with_capacity(UNSENT),
            unsent_in: 0,
            unsent_out: 0,
            late: [Syndrome::OK; UNSENT],
            left: [None; UNSENT],
            carried: vec![Carried::default(); 1 << cfg.stream_bits()].into(),
            paths: Paths::new(1 << cfg.stream_bits()),
            crosses: false,
            ending: None,
            dropped: VecDeque::with_capacity(PENDING),
            again: Again::new(false),
            stale: false,
            committed: 0,
            old_committed: 0,
            old_beats: 0,
            write_sent: WriteSent::default(),
            completions: VecDeque::with_capacity(COMPLETIONS),
            operands: Operands::default(),
            whole: None,
        }
    }

    /// Whether nothing is under way.
    pub(super) fn idle(&self) -> bool {
        self.segments.is_empty()
            && self.pending.is_empty()
            && self.unsent.is_empty()
            && self.posted.is_empty()
            && self.completions.is_empty()
            && self.again.idle()
            && self.paths.idle()
            && !(self.request.valid || self.room || self.write_sent.valid || self.whole.is_some())
    }

    pub(super) fn room(&self) -> bool {
        self.room
    }
    pub(super) fn write_sent(&self) -> WriteSent {
        self.write_sent
    }
    pub(super) fn request(&self) -> &WriteDataRequest {
        &self.request
    }
    pub(super) fn data_ready(&self) -> bool {
        let Some(head) = self.pending.front() else { return false };
        head.operands.is_some() || !self.spill && self.posted.len() < 2 && !(self.stale || self.crosses)
    }
    /// The operands of an atomic that have come, for one cycle, and whose they are.
    pub(super) fn operands(&self) -> Option<(u8, Operands)> {
        self.whole.map(|partition| (partition, self.operands))
    }
    /// Accesses judged again.
    pub(super) fn again(&self) -> &Again {
        &self.again
    }
    pub(super) fn retranslate(&self) -> Retranslate {
        self.again.request()
    }
    /// An epoch has begun: what stands on `posted` is of an older one.
    fn advance(&mut self) {
        self.old_beats = self.posted.len();
        self.old_committed = self.committed;
    }
    /// Whether every TLP of an older epoch has been sent on the link.
    pub(super) fn all_sent(&self) -> bool {
        self.sent_count.wrapping_sub(self.old_committed) < 1 << 15
    }
    /// Whether no beat of an older epoch waits for `tlp_tx`.
    pub(super) fn drained(&self) -> bool {
        self.old_beats == 0 && self.paths.drained()
    }
    pub(super) fn posted(&self) -> Option<&PostedBeat> {
        self.posted.front()
    }
    /// A stream's flush as a zero-length read of what it has written last. One that only ends a failed request stays as it
    /// is.
    pub(super) fn flush(&self, asked: &ReleasedSegment) -> ReleasedSegment {
        if !asked.tag.syndrome.is_ok() {
            return *asked;
        }
        let mut flush = *self.paths.last(asked.tag.stream);
        flush.tag.slot = asked.tag.slot;
        (flush.tag.id, flush.tag.first, flush.tag.last) = (asked.tag.id, asked.tag.first, asked.tag.last);
        flush
    }
    /// Where streams have written.
    pub(super) fn paths(&mut self) -> &mut Paths {
        &mut self.paths
    }
    /// The flush that leaves.
    pub(super) fn flush_read(&self) -> &TlpDescriptor {
        self.paths.read()
    }
    /// The completion queue, for the arbiter.
    pub(super) fn completions(&mut self) -> &mut VecDeque<Completion> {
        &mut self.completions
    }

    /// One edge; `segment` is a write segment or none, `wanted` are operands that the read engine asks for, `flush` is a read
    /// that waits for one. Returns whether it takes the operands over. The arbiter pops completions after this.
    pub(super) fn step(
        &mut self,
        inp: &DmaIn,
        (segment, wanted, flush): (Option<&ReleasedSegment>, Option<&Wanted>, Option<WantedFlush>),
        functions: &[FunctionCfg],
        (epochs, begun): (&EpochTable, bool),
        stat: &mut Stats,
    ) -> bool {
        // What the source was shown before this edge.
        let ready = self.data_ready();
        self.retire();
        let flush_answer = self.judge(inp, functions, stat);
        // The cutter sees how full `pending` was before this edge.
        self.room = false;
        if self.request.valid && inp.write_data_request_ready {
            self.request = WriteDataRequest::default();
        }
        let asked = wanted.and_then(|wanted| self.ask(wanted));
        let taken = asked.is_some();
        let cut = asked.or_else(|| self.cut(functions, &epochs.lives));
        self.shift(inp, ready, stat);
        self.pending.extend(cut);
        // Commits at this edge went by what `write_data_ready` showed: an epoch counts here from the next one on.
        if begun {
            self.advance();
        }
        let outdated = |p: &Pending| p.operands.is_none() && p.refused.is_ok() && epochs.outdate(&p.tag, p.epochs);
        self.stale = self.pending.front().is_some_and(outdated);
        let flush = flush.filter(|flush| !self.paths.serves(For::Read(flush.partition)));
        self.change_path(inp, (flush, flush_answer), functions, epochs, stat);
        // All at once (at most as many as wait for bytes), so that a notification is never counted for one of them.
        while self.dropped.front() == Some(&self.sent_count) {
            self.dropped.pop_front();
            self.sent_count = self.sent_count.wrapping_add(1);
        }
        // A notification for nothing is ignored.
        if inp.posted_sent && self.sent_count != self.cut_count {
            self.sent_count = self.sent_count.wrapping_add(1);
        }
        if let Some(segment) = segment
            && self.segments.len() < self.depth
        {
            self.segments.push_back(*segment);
        }
        taken
    }

    /// Asks for the operands of an atomic, where a range may be asked for.
    fn ask(&mut self, wanted: &Wanted) -> Option<Pending> {
        if self.request.valid || self.pending.len() == PENDING {
            return None;
        }
        self.request = wanted.range;
        Some(Pending { length: wanted.range.length.0, operands: Some(wanted.partition), ..Pending::default() })
    }

    /// Reports the oldest segment whose TLPs have all been sent.
    fn retire(&mut self) {
        self.write_sent = WriteSent::default();
        let Some(head) = self.unsent.front() else { return };
        let sent = !path::before(self.sent_count, head.target);
        if !sent || head.last && self.completions.len() == COMPLETIONS {
            return;
        }
        let (place, stream) = (usize::from(self.unsent_out), head.note.stream);
        let (late, left) = (self.late[place], self.left[place]);
        let before = if head.first { Carried::default() } else { self.carried[usize::from(stream.0)] };
        let carried = Carried {
            syndrome: if before.syndrome.is_ok() { late } else { before.syndrome },
            changed: before.changed || left.is_some_and(|left| left.changed),
        };
        let mut syndrome = if head.note.syndrome.is_ok() { carried.syndrome } else { head.note.syndrome };
        if head.last && syndrome.is_ok() && carried.changed {
            match self.paths.ended(For::End) {
                None if self.paths.unflushed(stream) || self.paths.serves(For::End) => {
                    self.ending = Some(stream);
                    return;
                }
                flushed => syndrome = flushed.unwrap_or_default(),
            }
        }
        self.ending = None;
        (self.late[place], self.left[place]) = (Syndrome::OK, None);
        let at = left.map_or_else(Default::default, |left| left.at);
        self.write_sent = WriteSent { valid: true, stream, syndrome, left: left.is_some(), at };
        self.carried[usize::from(stream.0)] = if head.last { Carried::default() } else { carried };
        if head.last {
            self.completions.push_back(Completion { syndrome, ..head.note });
        }
        self.unsent.pop_front();
        self.unsent_out = (self.unsent_out + 1) % UNSENT as u8;
    }

    /// Cuts one TLP off the head segment, or ends a segment that sends none.
    fn cut(&mut self, functions: &[FunctionCfg], lives: &Lives) -> Option<Pending> {
        let segment = *self.segments.front()?;
        let tag = &segment.tag;
        let function = functions.get(usize::from(tag.function.0)).copied().unwrap_or_default();
        let open = &mut self.requests[usize::from(tag.stream.0)];
        let failure = match open.failure(&segment, self.done) {
            Syndrome::OK => admit(&segment, &function, lives.of(tag.function)),
            earlier => earlier,
        };
        let tlp = failure.is_ok() && tag.length.0 != 0;
        let limit = size_limit(function.mps).min(self.largest);
        let cut = Cut::next(&segment, self.done, limit);
        let ends = !tlp || cut.last;
        let blocked =
            (tlp && (self.request.valid || self.pending.len() == PENDING)) || (ends && self.unsent.len() == UNSENT);
        if blocked {
            return None;
        }
        open.enter(&segment, self.done);
        open.syndrome = failure;
        let mut pending = None;
        if tlp {
            self.request = WriteDataRequest {
                valid: true,
                stream: tag.stream,
                id: tag.id,
                offset: Offset(tag.message_offset.0.wrapping_add(self.done)),
                length: Length(cut.length),
            };
            pending = Some(Pending {
                tlp: cut.descriptor(&segment, &function),
                pad: (cut.address.0 & 3) as u32,
                length: cut.length,
                epochs: epochs_of(&segment),
                va: Va(tag.va.0.wrapping_add(u64::from(self.done))),
                tag: *tag,
                segment: self.unsent_in,
                number: self.cut_count,
                refused: Syndrome::OK,
                operands: None,
            });
            self.cut_count = self.cut_count.wrapping_add(1);
        }
        if ends {
            let note =
                Completion { valid: true, id: tag.id, function: tag.function, stream: tag.stream, syndrome: failure };
            open.open = !tag.last;
            self.unsent.push_back(Unsent { note, first: tag.first, last: tag.last, target: self.cut_count });
            self.unsent_in = (self.unsent_in + 1) % UNSENT as u8;
            self.segments.pop_front();
            self.room = true;
            self.done = 0;
        } else {
            self.done += cut.length;
        }
        pending
    }
}
