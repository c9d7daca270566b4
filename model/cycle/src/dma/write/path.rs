//! Where streams have written, and the flush before an access that another translation has sent another way.
//!
//! `replay` decides a segment's path when it releases it, and has a flush go between two paths (replay/path.rs). An access
//! that is judged again behind that can get the other path: U set or cleared in the answer, or another owner. So what a
//! stream has written last is kept here, and a write on another path than that waits before its commit, a read that has
//! changed its path before its tag, until a zero-length read has come back that pushes the stream's writes. A message that
//! has changed its path here completes behind one as well.
//!
//! ```text
//! idle ─► wanted: is what it follows sent? protection, function, epochs of the flush ─► out ─► ended
//!             └─ refused, or the page is not on that path any more ───────────────────────┘
//! ```
//!
//! The flush leaves under the tag of `ats`, so that it needs no buffer and no place in the queue of reads: an atomic
//! there may wait for operands that stand behind the write that waits here. One is under way at a time.
//!
//! Where the page written last is not on its path any more, nothing can flush it: an invalidation or a revocation has
//! passed, and who asked for that has what was written to the old page on his hands. The access then goes on.

use super::super::again::{self, EpochTable, epochs_of};
use super::super::cut::{Cut, admit, size_limit};
use types::access::{AddressType, Syndrome};
use types::addr::{FunctionId, StreamId};
use types::port::{FlushDone, FunctionCfg, ReleasedSegment, Retranslated, TlpDescriptor};

/// Who waits for a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum For {
    /// The write with this number, before its commit.
    Write(u16),
    /// The end of a message.
    End,
    /// The head of this partition's reads.
    Read(u8),
}

/// A read that waits: the partition of its function, its stream and its path.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct WantedFlush {
    pub(in super::super) partition: u8,
    pub(in super::super) stream: StreamId,
    pub(in super::super) at: AddressType,
}

/// What a stream has written.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// Its last write, as a zero-length read.
    last: ReleasedSegment,
    /// Number of that TLP, where no flush has followed.
    unflushed: Option<u16>,
}

/// A flush under way.
#[derive(Clone, Copy, Debug)]
struct Flush {
    whose: For,
    stream: StreamId,
    segment: ReleasedSegment,
    /// Number of the TLP that it follows; once it is out, TLPs with lower numbers are pushed by it.
    upto: u16,
    /// Its translation is asked for again.
    asked: bool,
    /// It has left.
    out: bool,
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(in super::super) struct Paths {
    streams: Box<[Written]>,
    flush: Option<Flush>,
    read: TlpDescriptor,
    /// The flush that is out was committed under an older epoch.
    old: bool,
    /// What has ended at this edge.
    ended: Option<(For, Syndrome)>,
}

/// Whether number `n` comes before number `m`, modulo 2^16.
pub(super) fn before(n: u16, m: u16) -> bool {
    n.wrapping_sub(m) >= 1 << 15
}

impl Paths {
    pub(in super::super) fn new(streams: usize) -> Self {
        let streams = vec![Written::default(); streams].into();
        Self { streams, flush: None, read: TlpDescriptor::default(), old: false, ended: None }
    }

    pub(in super::super) fn idle(&self) -> bool {
        self.flush.is_none() && !self.read.valid && self.ended.is_none()
    }

    /// The flush that leaves, for one cycle.
    pub(in super::super) fn read(&self) -> &TlpDescriptor {
        &self.read
    }

    /// Whether no flush committed under an older epoch is out.
    pub(in super::super) fn drained(&self) -> bool {
        !self.old
    }

    /// An epoch begins.
    pub(in super::super) fn advance(&mut self) {
        self.old = self.flush.is_some_and(|f| f.out);
    }

    /// Whether a flush is under way for someone.
    pub(in super::super) fn serves(&self, whose: For) -> bool {
        self.flush.is_some_and(|f| f.whose == whose)
    }

    /// How a flush for someone has ended, at the edge at which it has.
    pub(in super::super) fn ended(&self, whose: For) -> Option<Syndrome> {
        self.ended.filter(|(w, _)| *w == whose).map(|(_, syndrome)| syndrome)
    }

    /// Whether a stream has written something that no flush has followed.
    pub(in super::super) fn unflushed(&self, stream: StreamId) -> bool {
        self.streams[usize::from(stream.0)].unflushed.is_some()
    }

    /// Whether a flush belongs between what a stream has written and an access on path `at`.
    pub(in super::super) fn between(&self, stream: StreamId, at: AddressType) -> bool {
        let written = &self.streams[usize::from(stream.0)];
        written.unflushed.is_some() && written.last.at != at
    }

    /// What a stream has written last.
    pub(super) fn last(&self, stream: StreamId) -> &ReleasedSegment {
        &self.streams[usize::from(stream.0)].last
    }

    /// A write of an ordered region is committed.
    pub(super) fn committed(&mut self, as_read: ReleasedSegment, number: u16) {
        self.streams[usize::from(as_read.tag.stream.0)] = Written { last: as_read, unflushed: Some(number) };
    }

    /// A flush of `replay` has ended: all that the stream had written had been sent before it.
    pub(in super::super) fn flushed(&mut self, stream: StreamId) {
        self.streams[usize::from(stream.0)].unflushed = None;
    }

    /// A function was reset: it flushes nothing any more.
    pub(super) fn forget(&mut self, function: FunctionId) {
        let mine = |w: &&mut Written| w.last.tag.function == function;
        self.streams.iter_mut().filter(mine).for_each(|w| w.unflushed = None);
    }

    /// Begins a flush for the first of those who want one, or ends it at once where there is nothing to push.
    fn begin(&mut self, whose: For, stream: StreamId, at: Option<AddressType>) {
        let written = &self.streams[usize::from(stream.0)];
        match written.unflushed {
            Some(upto) if at.is_none_or(|at| at != written.last.at) => {
                self.flush = Some(Flush { whose, stream, segment: written.last, upto, asked: false, out: false });
            }
            _ => self.ended = Some((whose, Syndrome::OK)),
        }
    }

    fn end(&mut self, flush: &Flush, syndrome: Syndrome) {
        let unflushed = &mut self.streams[usize::from(flush.stream.0)].unflushed;
        // Not what was written since.
        *unflushed = unflushed.filter(|number| !before(*number, flush.upto) && (flush.out || *number != flush.upto));
        self.flush = None;
        self.old = false;
        self.ended = Some((flush.whose, syndrome));
    }

    /// Whether an answer to an access judged again is for the flush.
    pub(super) fn asked(&self) -> bool {
        self.flush.is_some_and(|f| f.asked)
    }

    /// The flush has been judged again.
    pub(super) fn answer(&mut self, answer: &Retranslated) {
        let Some(mut flush) = self.flush.take() else { return };
        flush.asked = false;
        if !answer.syndrome.is_ok() || answer.at != flush.segment.at {
            self.end(&flush, answer.syndrome);
        } else {
            again::apply(&mut flush.segment, 0, answer);
            self.flush = Some(flush);
        }
    }

    /// One edge. `wanted` are those who want a flush, the most urgent first; `sent` is the number up to which TLPs have been
    /// sent. Returns the flush whose translation has to be asked for again.
    pub(super) fn step(
        &mut self,
        done: &FlushDone,
        mut wanted: impl Iterator<Item = (For, StreamId, Option<AddressType>)>,
        sent: u16,
        functions: &[FunctionCfg],
        epochs: &EpochTable,
    ) -> Option<ReleasedSegment> {
        self.read = TlpDescriptor::default();
        let Some(flush) = self.flush else {
            let next = wanted.next().filter(|_| self.ended.is_none());
            if let Some((whose, stream, at)) = next {
                self.begin(whose, stream, at);
            }
            return None;
        };
        if flush.out {
            if done.valid {
                self.end(&flush, done.syndrome);
            }
            return None;
        }
        if flush.asked {
            return None;
        }
        if !self.unflushed(flush.stream) {
            self.end(&flush, Syndrome::OK);
            return None;
        }
        // It must not overtake what it follows.
        if !before(flush.upto, sent) {
            return None;
        }
        let tag = &flush.segment.tag;
        let function = functions.get(usize::from(tag.function.0)).copied().unwrap_or_default();
        let refused = admit(&flush.segment, &function, epochs.lives.of(tag.function));
        if !refused.is_ok() {
            self.end(&flush, refused);
            return None;
        }
        if epochs.outdate(tag, epochs_of(&flush.segment)) {
            return Some(flush.segment);
        }
        let cut = Cut::next(&flush.segment, 0, size_limit(function.mrrs));
        self.read = cut.descriptor(&flush.segment, &function);
        self.flush = Some(Flush { upto: sent, out: true, ..flush });
        None
    }

    /// The flush's translation is being asked for.
    pub(super) fn asks(&mut self) {
        if let Some(flush) = &mut self.flush {
            flush.asked = true;
        }
    }

    /// Whether one has ended at this edge.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// What has ended has been seen.
    pub(super) fn clear(&mut self) {
        self.ended = None;
    }
}
