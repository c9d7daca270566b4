//! Accesses that an invalidation or a revocation has passed: an engine of `dma` has them judged again before its next TLP.
//!
//! A TLP counts as using its mapping from its commit on. Before that an engine compares the epochs of its segment with its
//! copy of the unit's; when they differ it sends the TLP's access through the whole unit once more (protection, table,
//! translation) and waits for the answer, which may be stale again.

use types::access::{Mode, Op};
use types::addr::{Length, Va};
use types::port::{ReleasedSegment, Retranslate, Retranslated, SegmentTag};

/// Both epochs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Epochs {
    /// Advances with every invalidation; concerns translations that came through the ATC.
    pub(super) invalidation: u8,
    /// Advances with every revocation; concerns everything.
    pub(super) grant: u8,
}

impl Epochs {
    /// Whether a mapping of epochs `of` may no longer be used.
    pub(super) fn outdate(&self, through_atc: bool, of: Epochs) -> bool {
        self.grant != of.grant || through_atc && self.invalidation != of.invalidation
    }
}

/// Whether the segment's translation came through the ATC, so that invalidations concern it.
pub(super) fn through_atc(tag: &SegmentTag) -> bool {
    tag.mode == Mode::Ats && (tag.length != Length(0) || tag.op != Op::WRITE)
}

/// The epochs of a segment's mapping.
pub(super) fn epochs_of(segment: &ReleasedSegment) -> Epochs {
    Epochs { invalidation: segment.epoch, grant: segment.tag.asked.grant }
}

/// One engine's accesses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    engine: bool,
    waiting: bool,
    /// The access that was asked about has ended meanwhile: the answer is for nothing.
    void: bool,
    request: Retranslate,
}

impl Again {
    pub(super) fn new(engine: bool) -> Self {
        Self { engine, ..Self::default() }
    }

    /// The registered request: high for one cycle.
    pub(super) fn request(&self) -> Retranslate {
        self.request
    }

    pub(super) fn idle(&self) -> bool {
        !self.waiting && !self.request.valid
    }

    /// Ends the request's cycle.
    pub(super) fn step(&mut self) {
        self.request = Retranslate::default();
    }

    /// Asks for `length` bytes from `va`, unless an answer is under way. Returns whether it asked.
    pub(super) fn ask(&mut self, tag: &SegmentTag, va: Va, length: u32) -> bool {
        if self.waiting {
            return false;
        }
        self.waiting = true;
        self.request = Retranslate {
            valid: true,
            engine: self.engine,
            function: tag.function,
            op: tag.op,
            on_fault: tag.on_fault,
            asked: tag.asked,
            va,
            length: Length(length),
        };
        true
    }

    /// The access at the head has ended: an answer that is under way is not for the next one.
    pub(super) fn ended(&mut self) {
        self.void |= self.waiting;
    }

    /// The answer for this engine, if `from` is one.
    pub(super) fn answer(&mut self, from: &Retranslated) -> Option<Retranslated> {
        if !from.valid || from.engine != self.engine || !self.waiting {
            return None;
        }
        self.waiting = false;
        if std::mem::take(&mut self.void) { None } else { Some(*from) }
    }
}

/// Puts an answer for the byte `done` bytes into `segment` in the place of its mapping.
pub(super) fn apply(segment: &mut ReleasedSegment, done: u32, answer: &Retranslated) {
    if !answer.syndrome.is_ok() {
        segment.tag.syndrome = answer.syndrome;
        return;
    }
    segment.address.0 = answer.address.0.wrapping_sub(u64::from(done));
    segment.at = answer.at;
    segment.no_snoop = answer.no_snoop;
    segment.epoch = answer.epoch;
    segment.tag.asked.grant = answer.grant;
}
