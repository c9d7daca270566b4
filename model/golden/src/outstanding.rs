//! Non-posted requests under way: what each asked for, and what its completions bring.

use crate::translations::{Answer, Failure, Invalidation, Translations, Used};
use crate::versions::Serial;
use std::collections::BTreeMap;
use types::ats::TranslationEntry;
use types::tlp::{Body, status};
use types::{FunctionId, Iova, Line, PageSize, PasidPrefix, RequesterId, Syndrome, Tag, Tlp, TlpAddr};

/// What a tag stands for.
#[derive(Clone, Debug)]
pub(crate) enum Pending {
    /// A fetch of the table line at an address, and the bytes so far.
    Fetch(Iova, Vec<u8>),
    /// A zero-length read of an address, and the translations that it may have used.
    Flush(TlpAddr, Vec<Used>),
    Translation(TranslationRequest),
    /// A data read, by its number.
    Read(Serial),
}

/// A Translation Request under way.
#[derive(Clone, Debug)]
pub(crate) struct TranslationRequest {
    pub(crate) function: FunctionId,
    pub(crate) iova: Iova,
    /// Translations asked for, of `unit` each.
    pub(crate) count: u32,
    pub(crate) unit: PageSize,
    pub(crate) no_write: bool,
    pub(crate) scope: PasidPrefix,
    pub(crate) asked: Serial,
    /// Entry bytes so far.
    pub(crate) bytes: Vec<u8>,
    /// What has come is poisoned or malformed.
    pub(crate) failed: bool,
    /// Invalidations completed since it left.
    pub(crate) invalidations: Vec<Invalidation>,
}

/// A data read TLP. Which of its claims is the true one stays open; read data decides by content.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    /// Request and message offset it may belong to.
    pub(crate) claims: Vec<(Serial, u32)>,
    pub(crate) address: TlpAddr,
    pub(crate) length: u32,
    pub(crate) data: Vec<u8>,
    pub(crate) poisoned: bool,
    /// How it ended, once it has.
    outcome: Option<Syndrome>,
    /// It may have met a completion that nothing had asked for: for the unit it may have ended, and in any way.
    met: bool,
    /// The translations that it may have used.
    used: Vec<Used>,
    /// An atomic: all of it comes in one completion.
    whole: bool,
    /// An invalidation of what it used was completed before it came back: it has taken too long, and its request cannot
    /// succeed any more.
    pub(crate) overdue: bool,
}

impl Read {
    pub(crate) fn new(claims: Vec<(Serial, u32)>, address: TlpAddr, length: u32, used: Vec<Used>) -> Self {
        let (data, outcome) = (Vec::new(), None);
        let (poisoned, met, whole, overdue) = (false, false, false, false);
        Self { claims, address, length, data, poisoned, outcome, met, used, whole, overdue }
    }

    /// The same as one that a single completion answers.
    pub(crate) fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// Whether it has ended, or may have for the unit.
    pub(crate) fn may_be_over(&self) -> bool {
        self.outcome.is_some() || self.met
    }

    /// Whether it may have ended so.
    pub(crate) fn may_be(&self, outcome: Syndrome) -> bool {
        self.outcome == Some(outcome) || self.met
    }

    /// The error in which it has certainly ended.
    pub(crate) fn failure(&self) -> Option<Syndrome> {
        self.outcome.filter(|o| !o.is_ok() && !self.met)
    }

    /// Whether it may have ended in an error, so that its data may be anything.
    pub(crate) fn may_have_failed(&self) -> bool {
        self.met || self.outcome.is_some_and(|o| !o.is_ok())
    }

    /// Whether it may have taken too long for a request that has been delivered `delivered` bytes, of which `at` is its first:
    /// what has come may have come too late, unless it was delivered.
    pub(crate) fn may_be_late(&self, at: u32, delivered: u32) -> bool {
        self.outcome.is_none() || self.met || at + self.length > delivered
    }

    /// The offset claimed for a request.
    pub(crate) fn claim(&self, number: Serial) -> Option<u32> {
        self.claims.iter().find(|(n, _)| *n == number).map(|(_, offset)| *offset)
    }

    /// Whether no other request can be the one it belongs to.
    pub(crate) fn only(&self, number: Serial) -> bool {
        self.claims.iter().all(|(n, _)| *n == number)
    }
}

/// Everything non-posted that has not ended, and the reads that still matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outstanding {
    tags: BTreeMap<(RequesterId, Tag), Pending>,
    pub(crate) reads: BTreeMap<Serial, Read>,
    /// Lines whose fetch failed, and when.
    fetch_failures: Vec<(Iova, Serial)>,
    /// Lines whose fetch brought them, and when.
    fetched: Vec<(Iova, Serial)>,
}

/// What a completion does for a request that is still owed bytes.
enum Brought<'a> {
    /// Bytes, and whether they are the last.
    Bytes(&'a [u8], bool),
    /// The end, in an error.
    End(Syndrome),
}

/// Reads a completion for a request that is owed `owed` bytes from `address` on (PCIe 6.x 2.3.2): the byte count is
/// what is owed, and the payload has no DW beyond it. Status 010 is malformed here, reserved values count as UR.
fn bring<'a>(tlp: &Tlp, payload: &'a [u8], address: TlpAddr, owed: u32) -> Brought<'a> {
    let Body::Completion { with_data, status, byte_count, .. } = tlp.body else {
        return Brought::End(Syndrome::MALFORMED_COMPLETION);
    };
    let skip = (address.0 & 3) as usize;
    let fields_fit = u32::from(byte_count) == owed
        && payload.len() == 4 * usize::from(tlp.length_dw)
        && usize::from(tlp.length_dw) <= (skip + owed as usize).div_ceil(4);
    match (with_data, status) {
        (false, status::CA) => Brought::End(Syndrome::COMPLETER_ABORT),
        (false, status::SC | status::RRS) => Brought::End(Syndrome::MALFORMED_COMPLETION),
        (false, _) => Brought::End(Syndrome::UNSUPPORTED_REQUEST),
        (true, status::SC) if fields_fit => {
            let bytes = payload.get(skip..).unwrap_or_default();
            let bytes = &bytes[..bytes.len().min(owed as usize)];
            Brought::Bytes(bytes, bytes.len() == owed as usize)
        }
        (true, _) => Brought::End(Syndrome::MALFORMED_COMPLETION),
    }
}

impl Outstanding {
    pub(crate) fn uses(&self, requester: RequesterId, tag: Tag) -> bool {
        self.tags.contains_key(&(requester, tag))
    }

    /// Whether the read under way with a tag may have been answered by what nothing had asked for.
    pub(crate) fn read_that_met(&self, requester: RequesterId, tag: Tag) -> bool {
        let Some(Pending::Read(number)) = self.tags.get(&(requester, tag)) else { return false };
        self.reads.get(number).is_some_and(|r| r.met)
    }

    /// A non-posted request has left; `met`: it may have met a completion that nothing had asked for.
    pub(crate) fn insert(&mut self, requester: RequesterId, tag: Tag, pending: Pending, met: bool) {
        if let Pending::Read(number) = &pending
            && let Some(read) = self.reads.get_mut(number)
        {
            read.met = met;
        }
        self.tags.insert((requester, tag), pending);
    }

    /// A completion arrived. One for no outstanding tag changes nothing. A table line that is complete is returned.
    pub(crate) fn completion(
        &mut self,
        tlp: &Tlp,
        payload: &[u8],
        translations: &mut Translations,
        now: Serial,
    ) -> Option<(Iova, Line)> {
        let Body::Completion { requester, tag, .. } = tlp.body else {
            return None;
        };
        let mut line = None;
        let ended = match self.tags.get_mut(&(requester, tag))? {
            Pending::Flush(..) => true,
            Pending::Fetch(address, bytes) => match bring(tlp, payload, TlpAddr(address.0), 64 - bytes.len() as u32) {
                // Completions are cut at multiples of the Read Completion Boundary, so that a line comes whole.
                Brought::Bytes(more, true) if !tlp.poisoned => {
                    bytes.extend_from_slice(more);
                    line = Some((*address, to_line(bytes)));
                    self.fetched.push((*address, now));
                    true
                }
                Brought::Bytes(..) | Brought::End(_) => {
                    self.fetch_failures.push((*address, now));
                    true
                }
            },
            Pending::Translation(request) => request.completion(tlp, payload, translations, now),
            Pending::Read(number) => match self.reads.get_mut(number) {
                Some(read) => read.completion(tlp, payload),
                None => true,
            },
        };
        if ended {
            self.tags.remove(&(requester, tag));
        }
        line
    }

    /// Whether a completion is that of a fetch.
    pub(crate) fn ends_fetch(&self, tlp: &Tlp) -> bool {
        let Body::Completion { requester, tag, .. } = tlp.body else { return false };
        matches!(self.tags.get(&(requester, tag)), Some(Pending::Fetch(..)))
    }

    /// Lines whose fetch has not been answered.
    pub(crate) fn fetches(&self) -> impl Iterator<Item = Iova> {
        self.tags.values().filter_map(|p| if let Pending::Fetch(line, _) = p { Some(*line) } else { None })
    }

    /// Lines whose fetch may have failed since an event. With `timeouts` one that has not been answered may have been given
    /// up, and so may one that was answered since.
    pub(crate) fn failed_fetches(&self, since: Serial, timeouts: bool) -> impl Iterator<Item = Iova> {
        let late = self.fetched.iter().filter(move |_| timeouts);
        let ended = self.fetch_failures.iter().chain(late).filter(move |(_, at)| *at > since).map(|(line, _)| *line);
        ended.chain(self.fetches().filter(move |_| timeouts))
    }

    /// Reads of data, and Translation Requests, that have not ended.
    pub(crate) fn open(&self) -> (usize, usize) {
        let count = |test: fn(&Pending) -> bool| self.tags.values().filter(|p| test(p)).count();
        (count(|p| matches!(p, Pending::Read(_) | Pending::Flush(..))), count(|p| matches!(p, Pending::Translation(_))))
    }

    /// Whether a Translation Request of a function for some of these addresses has not been answered.
    pub(crate) fn asks(&self, function: FunctionId, (first, last): (Iova, Iova)) -> bool {
        self.tags.values().any(|p| {
            let Pending::Translation(t) = p else { return false };
            t.function == function && t.iova <= last && t.last() >= first
        })
    }

    /// The address of a read that can only have used what an invalidation takes away, and has not come back. Where
    /// completions may take too long it is overdue.
    pub(crate) fn reads_by(&mut self, invalidation: &Invalidation, timeouts: bool) -> Option<TlpAddr> {
        let taken = |used: &[Used]| !used.is_empty() && used.iter().all(|u| invalidation.takes_use(u));
        let mine = |address: TlpAddr| (!timeouts).then_some(address);
        for pending in self.tags.values() {
            let found = match pending {
                Pending::Flush(address, used) if taken(used) => mine(*address),
                Pending::Read(number) => self.reads.get_mut(number).and_then(|read| {
                    let late = !read.may_be_over() && taken(&read.used);
                    read.overdue |= late && timeouts;
                    if late { mine(read.address) } else { None }
                }),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// An invalidation is complete: answers to requests that left before it was accepted come too late for its range.
    pub(crate) fn invalidate(&mut self, invalidation: &Invalidation) {
        for pending in self.tags.values_mut() {
            if let Pending::Translation(request) = pending
                && request.function == invalidation.function
            {
                request.invalidations.push(*invalidation);
            }
        }
    }

    /// Answers to Translation Requests of a function under way are void.
    pub(crate) fn void_translations(&mut self, function: FunctionId) {
        self.tags.retain(|_, p| !matches!(p, Pending::Translation(t) if t.function == function));
    }

    /// A requester was reset: its late completions are unexpected ones.
    pub(crate) fn reset(&mut self, requester: RequesterId) {
        self.tags.retain(|(r, _), _| *r != requester);
    }

    /// Forgets what no open request can have met.
    pub(crate) fn forget(&mut self, open: impl Fn(Serial) -> bool, oldest: Serial) {
        self.reads.retain(|_, read| !read.may_be_over() || read.claims.iter().any(|(n, _)| open(*n)));
        self.fetch_failures.retain(|(_, at)| *at > oldest);
        self.fetched.retain(|(_, at)| *at > oldest);
    }
}

fn to_line(bytes: &[u8]) -> Line {
    let mut line = Line::default();
    for (word, chunk) in line.0.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    line
}

impl Read {
    /// Whether it has ended with this completion. Poisoned data goes on to the last byte.
    fn completion(&mut self, tlp: &Tlp, payload: &[u8]) -> bool {
        let done = self.data.len() as u32;
        match bring(tlp, payload, TlpAddr(self.address.0.wrapping_add(u64::from(done))), self.length - done) {
            Brought::Bytes(_, false) if self.whole => self.outcome = Some(Syndrome::MALFORMED_COMPLETION),
            Brought::Bytes(bytes, last) => {
                self.data.extend_from_slice(bytes);
                self.poisoned |= tlp.poisoned;
                self.outcome = last.then_some(if self.poisoned { Syndrome::POISONED } else { Syndrome::OK });
            }
            Brought::End(syndrome) => self.outcome = Some(syndrome),
        }
        self.outcome.is_some()
    }
}

impl TranslationRequest {
    /// The last address asked for.
    fn last(&self) -> Iova {
        let last = self.iova.0 | self.unit.offset_mask().0;
        Iova(last.saturating_add(u64::from(self.count.saturating_sub(1)) << self.unit.log2()))
    }

    /// Whether it has ended with this completion: one or two CplDs of whole entries, all of one size not below the STU
    /// and no more of them than asked for (PCIe 6.x 10.2.3).
    fn completion(&mut self, tlp: &Tlp, payload: &[u8], translations: &mut Translations, now: Serial) -> bool {
        let first = self.bytes.is_empty();
        let Body::Completion { byte_count, .. } = tlp.body else {
            return true;
        };
        // The byte count of the first completion says how many entries there are.
        let owed = u32::from(byte_count);
        let shape = |total: u32| total.is_multiple_of(8) && total <= 8 * self.count && payload.len().is_multiple_of(8);
        let last = match bring(tlp, payload, TlpAddr(0), owed) {
            Brought::Bytes(bytes, last) if shape(self.bytes.len() as u32 + owed) && (first || last) => {
                self.bytes.extend_from_slice(bytes);
                last
            }
            _ => {
                self.failed = true;
                true
            }
        };
        // The second of two comes whatever the first has brought.
        self.failed |= tlp.poisoned;
        let answers = if self.failed { None } else { self.answers(now) };
        self.failed |= answers.is_none();
        answers.into_iter().flatten().for_each(|(iova, answer)| translations.add(self.function, iova, answer));
        if last && self.failed {
            let (function, first, last) = (self.function, self.iova, self.last());
            translations.failures.push(Failure { function, first, last, arrived: now });
        }
        last
    }

    /// The translations brought so far, each with an IOVA in its range; `None` if they are malformed.
    fn answers(&self, now: Serial) -> Option<Vec<(Iova, Answer)>> {
        let mut out: Vec<(Iova, Answer)> = Vec::new();
        for bytes in self.bytes.as_chunks::<8>().0 {
            let entry = TranslationEntry::decode(*bytes)?;
            let iova = match out.last() {
                None => self.iova,
                Some((_, a)) if a.entry.size != entry.size => return None,
                Some((iova, a)) => Iova((iova.0 & !a.entry.size.offset_mask().0).wrapping_add(a.entry.size.bytes().0)),
            };
            if entry.size < self.unit {
                return None;
            }
            let (scope, no_write, asked, arrived) = (self.scope, self.no_write, self.asked, now);
            let mut answer = Answer { scope, entry, no_write, asked, arrived, flushed: false, excluded: Vec::new() };
            self.invalidations.iter().for_each(|i| i.apply(&mut answer));
            out.push((iova, answer));
        }
        Some(out)
    }
}
