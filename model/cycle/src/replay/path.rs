//! Order across paths: what a stream has written where, and the flush between two paths.
//!
//! Translated and untranslated requests have no order among each other (PCIe 6.x 10.2.3.5). Where an ordered stream has
//! written on one path and goes on on the other, the writes are flushed first: once they have been sent, a zero-length
//! read of the last address written returns; `dma`, which knows what has left, fills the address in. A message that
//! changed its path completes behind such a flush as well. Writes of which nothing has left, since they were refused on
//! their way, need none. Regions marked unordered do without. Where an access gets another path after its release, `dma`
//! has a flush go itself.

use types::port::{FlushNote, MappedSegment, ReleasedSegment, SegmentTag, WriteSent};
use types::{AddressType, FunctionId, Length, Op, StreamId, Syndrome};

/// One stream's path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path {
    /// Path of the last ordered access.
    at: AddressType,
    /// Function of the last write on it.
    function: FunctionId,
    /// Writes on it are on their way: whether they leave is not known yet.
    on_their_way: bool,
    /// A write on it has left, and no flush has followed.
    written: bool,
    /// Path of the last write that has left.
    left_at: AddressType,
    /// The message under way has changed its path after a write.
    changed: bool,
    /// A message that completes with its flush.
    ending: Option<SegmentTag>,
    /// A flush is under way: nothing of the stream leaves.
    flushing: bool,
    /// It goes before a segment; otherwise a message completes with it.
    before_segment: bool,
    /// A segment of the message under way has failed: none behind it leaves.
    failed: bool,
    /// First failure of the message's write segments.
    failure: Syndrome,
    /// How the flush in front of the next segment failed.
    broken: Syndrome,
}

/// Whether a segment takes part in the order of paths.
fn ordered(mapped: &MappedSegment) -> bool {
    let tag = &mapped.tag;
    tag.syndrome.is_ok() && !tag.unordered && (tag.length != Length(0) || tag.op != Op::WRITE)
}

impl Path {
    /// Whether nothing of the stream may leave.
    pub(super) fn blocked(&self) -> bool {
        self.flushing
    }

    /// Function of the flush that goes next.
    pub(super) fn function(&self) -> FunctionId {
        self.function
    }

    /// Whether a message waits to complete.
    pub(super) fn ending(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether a flush must go before `head`; it may turn out that none is needed once the stream's writes have been sent.
    pub(super) fn before(&self, head: &MappedSegment) -> bool {
        let leaves = head.tag.first || !self.failed;
        self.ending.is_some() || (self.written || self.on_their_way) && leaves && ordered(head) && head.at != self.at
    }

    /// The flush of `stream`. `head` is the segment that waits for it, if there is one.
    pub(super) fn flush(&mut self, stream: StreamId, head: Option<&MappedSegment>) -> ReleasedSegment {
        self.flushing = true;
        self.before_segment = self.ending.is_none();
        let mut flush = ReleasedSegment { valid: true, flush: true, ..ReleasedSegment::default() };
        flush.tag.op = Op::READ;
        flush.tag.function = self.function;
        flush.tag.stream = stream;
        flush.tag.first = true;
        match self.ending.take() {
            Some(tag) => {
                flush.tag.id = tag.id;
                flush.tag.last = true;
                flush.tag.syndrome = if tag.syndrome.is_ok() { self.failure } else { tag.syndrome };
            }
            None => self.changed |= head.is_some_and(|h| !h.tag.first),
        }
        flush
    }

    /// A flush has returned.
    pub(super) fn flushed(&mut self, note: &FlushNote) {
        self.flushing = false;
        self.written = false;
        if self.before_segment {
            self.broken = note.syndrome;
        }
    }

    /// A write segment has been sent, or has failed; `all`: none is on its way any more.
    pub(super) fn sent(&mut self, note: &WriteSent, all: bool) {
        if self.failure.is_ok() {
            self.failure = note.syndrome;
        }
        if note.left {
            (self.written, self.left_at) = (true, note.at);
        }
        self.on_their_way &= !all;
        if all && self.written {
            // Another translation may have sent them another way than they were released for.
            self.at = self.left_at;
        }
    }

    /// A segment of the stream leaves: takes note of it, and keeps back the end of a message that changed its path.
    pub(super) fn pass(&mut self, released: &mut ReleasedSegment) {
        let tag = &mut released.tag;
        if tag.first {
            (self.changed, self.failed) = (false, false);
            self.failure = Syndrome::OK;
        }
        let broken = std::mem::take(&mut self.broken);
        if tag.syndrome.is_ok() {
            tag.syndrome = broken;
        }
        self.failed |= !tag.syndrome.is_ok();
        let write = tag.op == Op::WRITE;
        if !self.failed && !tag.unordered && (tag.length != Length(0) || !write) {
            self.at = released.at;
            if write {
                (self.function, self.on_their_way) = (released.tag.function, true);
            }
        }
        let tag = &mut released.tag;
        if tag.last && write && self.changed {
            self.ending = Some(*tag);
            tag.last = false;
        }
    }
}
