//! What ATS has answered: translations that may be used, and the invalidations that take them away.

use crate::versions::Serial;
use crate::violation::Violation;
use std::collections::{BTreeMap, BTreeSet};
use types::ats::{InvalidateRange, TranslationEntry};
use types::{FunctionId, Iova, PasidPrefix, TlpAddr};

/// One entry of a Translation Completion.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Prefix of the Translation Request.
    pub(crate) scope: PasidPrefix,
    pub(crate) entry: TranslationEntry,
    /// NW of the Translation Request: W = 0 in the answer does not mean that a write is refused.
    pub(crate) no_write: bool,
    /// When it was asked for and when it arrived.
    pub(crate) asked: Serial,
    pub(crate) arrived: Serial,
    /// First and last IOVA of ranges that completed invalidations have taken away.
    pub(crate) excluded: Vec<(Iova, Iova)>,
}

impl Answer {
    /// Whether an access with `prefix` may use it: PASID and privilege must agree, but a global entry serves every
    /// PASID of its function. "No PASID" is not PASID 0.
    fn serves(&self, prefix: PasidPrefix) -> bool {
        self.scope.valid == prefix.valid
            && (!prefix.valid
                || self.scope.privileged == prefix.privileged
                    && (self.entry.global || self.scope.pasid == prefix.pasid))
    }

    /// Whether `iova` may still be accessed through it.
    pub(crate) fn in_force(&self, iova: Iova) -> bool {
        !self.excluded.iter().any(|(first, last)| (*first..=*last).contains(&iova))
    }
}

/// A Translation Request that ended without an answer: UR, CA, or a malformed one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub(crate) function: FunctionId,
    pub(crate) first: Iova,
    pub(crate) last: Iova,
    pub(crate) arrived: Serial,
}

/// An Invalidate Request that was accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Invalidation {
    pub(crate) function: FunctionId,
    itag: u8,
    range: (Iova, Iova),
    prefix: PasidPrefix,
    global: bool,
    pub(crate) accepted: Serial,
    /// Invalidate Completions seen; it is complete with one from each traffic class used.
    copies: u32,
    /// The function was reset meanwhile: no completion is owed.
    excused: bool,
}

impl Invalidation {
    pub(crate) fn new(
        function: FunctionId,
        itag: u8,
        range: InvalidateRange,
        prefix: PasidPrefix,
        now: Serial,
    ) -> Self {
        let range_ends = match range.size {
            Some(size) => (range.iova, Iova(range.iova.0 | size.offset_mask().0)),
            None => (Iova(0), Iova(u64::MAX)),
        };
        Self {
            function,
            itag,
            range: range_ends,
            prefix,
            global: range.global,
            accepted: now,
            copies: 0,
            excused: false,
        }
    }

    /// The IOVAs at which it takes away an entry (PCIe 6.x 10.3.8). Without a PASID: entries without one in the range,
    /// and every entry with one at all addresses. With a PASID: its entries in range that are not global; with Global
    /// Invalidate those of every PASID, global ones too.
    fn takes(&self, scope: PasidPrefix, entry_global: bool) -> Option<(Iova, Iova)> {
        match (self.prefix.valid, scope.valid) {
            (false, false) => Some(self.range),
            (false, true) => Some((Iova(0), Iova(u64::MAX))),
            (true, false) => None,
            (true, true) if self.global => Some(self.range),
            (true, true) => (self.prefix.pasid == scope.pasid && !entry_global).then_some(self.range),
        }
    }

    /// Takes its range out of an answer that was asked for before it was accepted.
    pub(crate) fn apply(&self, answer: &mut Answer) {
        if answer.asked < self.accepted {
            answer.excluded.extend(self.takes(answer.scope, answer.entry.global));
        }
    }
}

/// Every answer, by function, size and start of the range.
#[derive(Debug, Default)]
pub(crate) struct Translations {
    answers: BTreeMap<(FunctionId, u8, Iova), Vec<Answer>>,
    sizes: BTreeSet<u8>,
    pub(crate) failures: Vec<Failure>,
    pending: Vec<Invalidation>,
}

impl Translations {
    /// An answer for the range that holds `iova`.
    pub(crate) fn add(&mut self, function: FunctionId, iova: Iova, answer: Answer) {
        let log2 = answer.entry.size.log2();
        self.sizes.insert(log2);
        let start = Iova(iova.0 & !answer.entry.size.offset_mask().0);
        let answers = self.answers.entry((function, log2, start)).or_default();
        // The same answer again: only the newest asking counts, unless an invalidation tells them apart.
        answers.retain(|a| {
            a.scope != answer.scope
                || a.entry != answer.entry
                || a.no_write != answer.no_write
                || !a.excluded.is_empty()
        });
        answers.push(answer);
    }

    /// The answers for an IOVA that serve `prefix`, each with the translated address.
    pub(crate) fn covering(
        &self,
        function: FunctionId,
        prefix: PasidPrefix,
        iova: Iova,
    ) -> impl Iterator<Item = (&Answer, TlpAddr)> {
        self.sizes.iter().flat_map(move |log2| {
            let offset = iova.0 & ((1 << log2) - 1);
            let answers = self.answers.get(&(function, *log2, Iova(iova.0 - offset)));
            let answers = answers.into_iter().flatten().filter(move |a| a.serves(prefix));
            answers.map(move |a| (a, TlpAddr(a.entry.address.0 | offset)))
        })
    }

    /// Everything of a function is gone: reset, or ATS Enable 0 → 1 (10.3.6).
    pub(crate) fn clear(&mut self, function: FunctionId) {
        self.answers.retain(|(f, _, _), _| *f != function);
        self.failures.retain(|f| f.function != function);
    }

    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn accepted(&mut self, invalidation: Invalidation) {
        self.pending.push(invalidation);
    }

    /// A function sent Invalidate Completions for a vector of ITags, each the copy of one traffic class out of
    /// `classes`. The invalidations that are complete by it.
    pub(crate) fn completed(
        &mut self,
        function: FunctionId,
        itags: u32,
        classes: u32,
        unknown: impl Fn(u8) -> Violation,
    ) -> Result<Vec<Invalidation>, Violation> {
        let mut complete = Vec::new();
        for itag in (0..32u8).filter(|itag| itags >> itag & 1 == 1) {
            let position = self.pending.iter().position(|p| p.function == function && p.itag == itag);
            let position = position.ok_or_else(|| unknown(itag))?;
            self.pending[position].copies += 1;
            if self.pending[position].copies >= classes {
                complete.push(self.pending.remove(position));
            }
        }
        for invalidation in &complete {
            for ((f, ..), answers) in &mut self.answers {
                if *f == function {
                    answers.iter_mut().for_each(|a| invalidation.apply(a));
                }
            }
        }
        Ok(complete)
    }

    /// An invalidation that is not complete.
    pub(crate) fn owed(&self) -> Option<(FunctionId, u8)> {
        self.pending.iter().find(|p| !p.excused).map(|p| (p.function, p.itag))
    }

    /// A function was reset: its invalidations need no completion.
    pub(crate) fn drop_pending(&mut self, function: FunctionId) {
        self.pending.iter_mut().filter(|p| p.function == function).for_each(|p| p.excused = true);
    }

    /// Forgets failures that no request accepted after `oldest` can have met, and answers wholly taken away.
    pub(crate) fn forget(&mut self, oldest: Serial) {
        self.failures.retain(|f| f.arrived > oldest);
        self.answers.retain(|(_, log2, start), answers| {
            let last = start.0 | ((1 << log2) - 1);
            let gone = |a: &Answer| a.excluded.iter().any(|(f, l)| f.0 <= start.0 && l.0 >= last);
            answers.retain(|a| a.arrived > oldest || !gone(a));
            !answers.is_empty()
        });
    }
}
