//! What ATS has answered: translations that may be used, and the invalidations that take them away.
//!
//! An Invalidate Completion may be sent under four conditions (PCIe 6.x 10.3.3). Two are seen in what follows it: no
//! request uses the translation any more, and answers to requests from before it are discarded. Two are seen in what
//! comes before it: reads that used the translation have come back (`outstanding`), and writes that used it have been
//! sent, in every traffic class that carried some: each has its own copy of the completion.

use crate::versions::Serial;
use crate::violation::Violation;
use std::collections::{BTreeMap, BTreeSet};
use types::ats::{InvalidateRange, TranslationEntry};
use types::tlp::Attributes;
use types::{FunctionId, Iova, PasidPrefix, RequesterId, TlpAddr};

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
    /// ATS Enable has been set since: what uses it has been committed before.
    pub(crate) flushed: bool,
    /// First and last IOVA of ranges that completed invalidations have taken away.
    pub(crate) excluded: Vec<(Iova, Iova)>,
}

impl Answer {
    /// Whether an access with `prefix` may use it: PASID and privilege must agree, but a global entry serves every
    /// PASID of its function. "No PASID" is not PASID 0. (Execute is a permission of the entry.)
    fn serves(&self, prefix: PasidPrefix) -> bool {
        self.scope.valid == prefix.valid
            && (!prefix.valid
                || self.scope.privileged == prefix.privileged
                    && (self.entry.global || self.scope.pasid == prefix.pasid))
    }

    /// Exe, which implies R: without R it grants nothing (10.2.3).
    pub(crate) fn grants_execute(&self) -> bool {
        self.entry.exec && self.entry.read
    }

    /// Its use at `iova`.
    pub(crate) fn used(&self, function: FunctionId, iova: Iova) -> Used {
        let Self { scope, entry, asked, .. } = *self;
        Used { function, scope, global: entry.global, snooped: entry.no_snoop, iova, asked }
    }

    /// Whether `iova` may still be accessed through it.
    pub(crate) fn in_force(&self, iova: Iova) -> bool {
        !self.excluded.iter().any(|(first, last)| (*first..=*last).contains(&iova))
    }
}

/// A translation as one access used it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    function: FunctionId,
    scope: PasidPrefix,
    global: bool,
    /// N: whoever uses it must not ask for No Snoop.
    pub(crate) snooped: bool,
    iova: Iova,
    asked: Serial,
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
    pub(crate) itag: u8,
    /// Who asked.
    agent: RequesterId,
    range: (Iova, Iova),
    prefix: PasidPrefix,
    global: bool,
    pub(crate) accepted: Serial,
    /// Traffic classes in which an Invalidate Completion was seen, a bit each.
    copies: u8,
    /// How many there will be, once one has been seen.
    classes: Option<u32>,
    /// The function was reset meanwhile: no completion is owed.
    excused: bool,
}

impl Invalidation {
    pub(crate) fn new(
        function: FunctionId,
        (agent, itag): (RequesterId, u8),
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
            agent,
            range: range_ends,
            prefix,
            global: range.global,
            accepted: now,
            copies: 0,
            classes: None,
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

    /// Whether it takes a translation away as it was used.
    pub(crate) fn takes_use(&self, used: &Used) -> bool {
        let range = self.takes(used.scope, used.global);
        used.function == self.function
            && used.asked < self.accepted
            && range.is_some_and(|(first, last)| (first..=last).contains(&used.iova))
    }

    /// Takes its range out of an answer that was asked for before it was accepted.
    pub(crate) fn apply(&self, answer: &mut Answer) {
        if answer.asked < self.accepted {
            answer.excluded.extend(self.takes(answer.scope, answer.entry.global));
        }
    }
}

/// An Invalidate Completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completed {
    pub(crate) function: FunctionId,
    pub(crate) requester: RequesterId,
    /// To whom it goes.
    pub(crate) agent: RequesterId,
    pub(crate) itags: u32,
    /// Traffic class it travels in, and in how many there is one.
    pub(crate) class: u8,
    pub(crate) classes: u32,
    pub(crate) attributes: Attributes,
}

/// Every answer, by function, size and start of the range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translations {
    answers: BTreeMap<(FunctionId, u8, Iova), Vec<Answer>>,
    sizes: BTreeSet<u8>,
    pub(crate) failures: Vec<Failure>,
    pending: Vec<Invalidation>,
    /// Functions that have been reset and not configured since: they need not answer.
    down: BTreeSet<FunctionId>,
    /// Traffic classes in which a function has sent translated writes, a bit each.
    carried: BTreeMap<FunctionId, u8>,
}

impl Translations {
    /// A translated write left.
    pub(crate) fn written(&mut self, function: FunctionId, class: u8) {
        *self.carried.entry(function).or_default() |= 1 << (class & 7);
    }

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
                || a.flushed
                || a.asked > answer.asked
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

    /// Whether an answer about some of these addresses has come since `serial`.
    pub(crate) fn arrived_since(&self, function: FunctionId, range: (Iova, Iova), serial: Serial) -> bool {
        let mut mine = self.answers.iter().filter(|((f, ..), _)| *f == function);
        mine.any(|((_, log2, start), answers)| {
            let last = start.0 | ((1 << log2) - 1);
            start.0 <= range.1.0 && last >= range.0.0 && answers.iter().any(|a| a.arrived > serial)
        })
    }

    /// Everything of a function is gone: reset, or ATS Enable 0 → 1 (10.3.6).
    pub(crate) fn clear(&mut self, function: FunctionId) {
        self.answers.retain(|(f, _, _), _| *f != function);
        self.failures.retain(|f| f.function != function);
    }

    /// Everything of a function is gone, but `late` uses of it may have been committed before.
    pub(crate) fn enabled(&mut self, function: FunctionId, late: bool) {
        if !late {
            return self.clear(function);
        }
        let mine = self.answers.iter_mut().filter(|((f, ..), _)| *f == function);
        mine.flat_map(|(_, answers)| answers).for_each(|a| a.flushed = true);
    }

    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn accepted(&mut self, mut invalidation: Invalidation) {
        invalidation.excused = self.down.contains(&invalidation.function);
        // One from before a reset is forgotten when its ITag comes again.
        let again = |p: &Invalidation| (p.function, p.itag) == (invalidation.function, invalidation.itag);
        self.pending.retain(|p| !(p.excused && again(p)));
        self.pending.push(invalidation);
    }

    /// A function sent an Invalidate Completion for a vector of ITags. The invalidations that are complete by it.
    pub(crate) fn completed(&mut self, seen: &Completed) -> Result<Vec<Invalidation>, Violation> {
        let requester = seen.requester;
        let wrong = |why| Violation::InvalidationForm { requester, why };
        if seen.attributes.relaxed || seen.attributes.id_order {
            return Err(wrong("with relaxed or ID-based ordering, which pushes no write ahead"));
        }
        let carried = self.carried.get(&seen.function).copied().unwrap_or(0);
        let mut complete = Vec::new();
        for itag in (0..32u8).filter(|itag| seen.itags >> itag & 1 == 1) {
            let position = self.pending.iter().position(|p| p.function == seen.function && p.itag == itag);
            let position = position.ok_or(Violation::InvalidationUnknown { requester, itag })?;
            let pending = &mut self.pending[position];
            if pending.agent != seen.agent {
                return Err(wrong("to another agent than the one that asked"));
            }
            if pending.classes.is_some_and(|classes| classes != seen.classes) {
                return Err(wrong("with another number of copies than the one before"));
            }
            if pending.copies >> (seen.class & 7) & 1 == 1 {
                return Err(wrong("a second time in one traffic class"));
            }
            pending.classes = Some(seen.classes);
            pending.copies |= 1 << (seen.class & 7);
            if pending.copies.count_ones() < seen.classes {
                continue;
            }
            if carried & !pending.copies != 0 {
                return Err(wrong("and none in a traffic class that has carried translated writes"));
            }
            complete.push(self.pending.remove(position));
        }
        for invalidation in &complete {
            for ((f, ..), answers) in &mut self.answers {
                if *f == seen.function {
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

    /// A function is configured again after a reset.
    pub(crate) fn up(&mut self, function: FunctionId) {
        self.down.remove(&function);
    }

    /// A function was reset: its invalidations need no completion.
    pub(crate) fn drop_pending(&mut self, function: FunctionId) {
        self.down.insert(function);
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
