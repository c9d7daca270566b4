//! Accesses that an invalidation or a revocation has passed: an engine of `dma` has them judged again before its next TLP.
//!
//! A TLP counts as using its mapping from its commit on. Before that an engine compares the epochs of its segment with those
//! of its function; when they differ it sends what is left of the segment through the whole unit once more (protection,
//! table, translation) and waits for the answer, which serves all of the rest and may be outdated in its turn. Other
//! functions' invalidations and revocations concern it not at all.

use crate::lives::{Enabling, Lives};
use types::access::{Mode, Op};
use types::addr::{Length, Va};
use types::port::{EpochNote, FunctionCfg, ReleasedSegment, Retranslate, Retranslated, SegmentTag};

/// Both epochs of a function, or of what was looked up for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Epochs {
    /// Another with every invalidation; concerns translations that came through ATS.
    pub(super) invalidation: u32,
    /// Another with every revocation; concerns everything.
    pub(super) grant: u32,
}

/// The epochs of every function, and their lives: what commits compare with.
#[derive(Clone, Debug)]
pub(super) struct EpochTable {
    epochs: Box<[Epochs]>,
    pub(super) lives: Lives,
    enabling: Enabling,
}

impl EpochTable {
    pub(super) fn new(functions: u32) -> Self {
        let epochs = vec![Epochs::default(); functions as usize].into();
        Self { epochs, lives: Lives::new(functions), enabling: Enabling::new(functions) }
    }

    /// A function's configuration changes.
    pub(super) fn configure(&mut self, cfg: &FunctionCfg) {
        self.lives.configure(cfg);
        self.enabling.configure(cfg);
    }

    /// An epoch begins; returns whether one did.
    pub(super) fn begin(&mut self, invalidated: &EpochNote, revoked: &EpochNote) -> bool {
        self.enabling.note(invalidated);
        if invalidated.valid
            && let Some(epochs) = self.epochs.get_mut(usize::from(invalidated.function.0))
        {
            epochs.invalidation = invalidated.epoch;
        }
        if revoked.valid
            && let Some(epochs) = self.epochs.get_mut(usize::from(revoked.function.0))
        {
            epochs.grant = revoked.epoch;
        }
        invalidated.valid || revoked.valid
    }

    /// Whether a mapping of epochs `of` may no longer be used by `tag`'s function.
    pub(super) fn outdate(&self, tag: &SegmentTag, of: Epochs) -> bool {
        let now = self.epochs.get(usize::from(tag.function.0)).copied().unwrap_or_default();
        let dropped = now.invalidation != of.invalidation || self.enabling.under_way(tag.function);
        now.grant != of.grant || through_ats(tag) && dropped
    }
}

/// Whether the segment's translation came through ATS, by the ATC or by the table, so that invalidations concern it.
fn through_ats(tag: &SegmentTag) -> bool {
    (tag.mode == Mode::Ats || tag.coherent) && (tag.length != Length(0) || tag.op != Op::WRITE)
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
    /// A translation has come that no TLP has been committed with.
    renewed: bool,
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

    /// Whether an access is being judged again.
    pub(super) fn judging(&self) -> bool {
        self.waiting
    }

    /// Whether a translation has come that no TLP has been committed with.
    pub(super) fn renewed(&self) -> bool {
        self.renewed
    }

    /// A TLP has been committed.
    pub(super) fn committed(&mut self) {
        self.renewed = false;
    }

    /// Ends the request's cycle.
    pub(super) fn step(&mut self) {
        self.request = Retranslate::default();
    }

    /// Asks for the flush of a write: as one byte of that, since its region may grant nothing but writing.
    pub(super) fn ask_flush(&mut self, flush: &SegmentTag) -> bool {
        self.ask(&SegmentTag { op: Op::WRITE, ..*flush }, flush.va, 1)
    }

    /// Asks for the `length` bytes from `va` to the end of the segment, unless an answer is under way. Returns whether it asked.
    pub(super) fn ask(&mut self, tag: &SegmentTag, va: Va, length: u32) -> bool {
        if self.waiting {
            return false;
        }
        self.waiting = true;
        self.renewed = false;
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
        self.renewed = false;
    }

    /// The answer for this engine, if `from` is one.
    pub(super) fn answer(&mut self, from: &Retranslated) -> Option<Retranslated> {
        if !from.valid || from.engine != self.engine || !self.waiting {
            return None;
        }
        self.waiting = false;
        if std::mem::take(&mut self.void) {
            return None;
        }
        self.renewed = from.syndrome.is_ok();
        Some(*from)
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
    segment.tag.coherent = answer.coherent;
}
