//! Translations that an invalidation has passed: an engine of `dma` asks for them again before its next TLP.
//!
//! A TLP counts as using a translation from its commit on. Before that an engine compares the translation's epoch with
//! its copy of the unit's; when they differ it asks `replay` once and waits. The answer may be stale again.

use types::access::{AddressType, Mode, Op};
use types::addr::{Iova, Length};
use types::port::{ReleasedSegment, Retranslate, Retranslated, SegmentTag};

/// Whether the segment's translation came through the ATC, so that invalidations concern it.
pub(super) fn through_atc(segment: &ReleasedSegment) -> bool {
    let tag = &segment.tag;
    tag.mode == Mode::Ats && tag.syndrome.is_ok() && (tag.length != Length(0) || tag.op != Op::WRITE)
}

/// One engine's lookups.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Again {
    engine: bool,
    waiting: bool,
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

    /// Asks for the translation of `iova`, unless an answer is under way. Returns whether it asked.
    pub(super) fn ask(&mut self, tag: &SegmentTag, iova: Iova) -> bool {
        if self.waiting {
            return false;
        }
        self.waiting = true;
        let data = tag.length != Length(0);
        self.request = Retranslate {
            valid: true,
            engine: self.engine,
            function: tag.function,
            pasid: tag.pasid,
            iova,
            read: data && tag.op.reads(),
            write: data && tag.op.writes(),
        };
        true
    }

    /// The answer for this engine, if `from` is one.
    pub(super) fn answer(&mut self, from: &Retranslated) -> Option<Retranslated> {
        if !from.valid || from.engine != self.engine || !self.waiting {
            return None;
        }
        self.waiting = false;
        Some(*from)
    }
}

/// Puts an answer for the byte `done` bytes into `segment` in the place of its translation.
pub(super) fn apply(segment: &mut ReleasedSegment, done: u32, answer: &Retranslated) {
    if !answer.syndrome.is_ok() {
        segment.tag.syndrome = answer.syndrome;
        return;
    }
    segment.address.0 = answer.address.0.wrapping_sub(u64::from(done));
    segment.at = answer.at;
    segment.no_snoop = answer.no_snoop;
    segment.epoch = answer.epoch;
    debug_assert!(segment.at != AddressType::TRANSLATION_REQUEST);
}
