//! Order across paths: translated and untranslated requests have no order among each other (PCIe 6.x 10.2.3.5), so an
//! ordered stream that has written on one path and goes on on the other has a zero-length read on the first path come
//! back before, and a message that changed its path completes behind such a read as well.
//!
//! The read goes where the stream has written last. Once that page lies on another path, or may not be written, nothing is
//! read there any more: its mapping was taken away, and what was written by it is the affair of whoever did that. No flush
//! is owed then.

use crate::Judge;
use crate::data::Access;
use crate::request::Open;
use crate::translations::Used;
use crate::versions::{Serial, When};
use crate::violation::Violation;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use types::{AddressType, BusAddr, FunctionId, Key, RequesterId, StreamId, Syndrome, Tag, TlpAddr};

/// A write of a stream that no flush has followed and that may be its last.
#[derive(Clone, Debug)]
struct Written {
    open: Open,
    number: Serial,
    at: AddressType,
    /// Offset of its first byte in the message.
    offset: u32,
    /// It has to be flushed; otherwise it may be.
    owed: bool,
    /// When its TLP left.
    left: Serial,
}

/// A flush that the revocation of a key asks for.
#[derive(Clone, Debug)]
struct Wanted {
    key: Key,
    address: BusAddr,
    since: Serial,
    /// Requester and tag of its zero-length read.
    sent: Option<(FunctionId, RequesterId, Tag)>,
    answered: bool,
}

/// A write: its stream, its request, and its offset in the message.
type Place = (StreamId, Serial, u32);

/// Writes that a stream is remembered by, where it is not clear which was its last.
const REMEMBERED: usize = 64;

/// What streams have written where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    written: BTreeMap<StreamId, Vec<Written>>,
    /// Writes before those, the last of each request: the flush behind one may have failed a request that ends later than
    /// what was written since.
    past: BTreeMap<StreamId, VecDeque<Written>>,
    /// Path of the last write of an open request.
    last: BTreeMap<Serial, AddressType>,
    /// Open requests that have written on both paths.
    changed: BTreeSet<Serial>,
    /// Zero-length reads under way, and the writes they follow: stream, request, offset.
    flushes: BTreeMap<(RequesterId, Tag), Vec<Place>>,
    /// Flushes that revocations ask for.
    wanted: Vec<Wanted>,
    /// The flush of a revocation that was given up: there is no other before its late completion.
    lost: Option<(RequesterId, Tag)>,
    /// Streams of which a flush came back with an error: a request behind it fails.
    broken: BTreeSet<StreamId>,
}

impl Paths {
    /// The request with this number has ended.
    pub(crate) fn ended(&mut self, number: Serial, stream: StreamId, outcome: Syndrome) {
        self.last.remove(&number);
        self.changed.remove(&number);
        if !outcome.is_ok() {
            // It may have ended for its flush, which then is not owed any more.
            self.written.entry(stream).or_default().iter_mut().for_each(|w| w.owed = false);
        }
    }

    fn remember(&mut self, stream: StreamId, before: impl Iterator<Item = Written>) {
        let past = self.past.entry(stream).or_default();
        for w in before {
            if past.len() == REMEMBERED {
                past.pop_front();
            }
            past.push_back(w);
        }
    }

    /// A zero-length read left: it follows every write of its function on its path.
    pub(crate) fn flush_sent(&mut self, key: (RequesterId, Tag), access: &Access<'_>) {
        let follows = |w: &&Written| w.open.wr.function == access.function && w.at == access.at;
        let all = self.written.iter().flat_map(|(stream, list)| list.iter().filter(follows).map(|w| (*stream, w)));
        self.flushes.insert(key, all.map(|(stream, w)| (stream, w.number, w.offset)).collect());
    }

    /// A revocation started.
    pub(crate) fn driver_flush_wanted(&mut self, key: Key, flush: Option<BusAddr>, now: Serial) {
        let wanted = |address| Wanted { key, address, since: now, sent: None, answered: false };
        self.wanted.extend(flush.map(wanted));
    }

    /// Whether a zero-length read is one that a revocation asks for.
    pub(crate) fn driver_flush_sent(&mut self, key: (RequesterId, Tag), access: &Access<'_>) -> bool {
        let here = |w: &&mut Wanted| w.sent.is_none() && w.address.0 & !3 == access.address.0;
        if access.at != AddressType::TRANSLATED {
            return false;
        }
        let wanted = self.wanted.iter_mut().find(here);
        wanted.map(|w| w.sent = Some((access.function, key.0, key.1))).is_some()
    }

    /// A tag was answered.
    pub(crate) fn answered(&mut self, key: (RequesterId, Tag), ok: bool) {
        self.lost = self.lost.filter(|lost| *lost != key);
        for w in &mut self.wanted {
            w.answered |= w.sent.is_some_and(|(_, requester, tag)| (requester, tag) == key);
        }
        for (stream, number, offset) in self.flushes.remove(&key).into_iter().flatten() {
            for w in self.written.entry(stream).or_default() {
                // Not what was written since.
                w.owed &= (w.number, w.offset) != (number, offset);
            }
            if !ok {
                self.broken.insert(stream);
            }
        }
    }

    /// A function was reset.
    pub(crate) fn reset(&mut self, function: FunctionId) {
        self.written.values_mut().for_each(|list| list.retain(|w| w.open.wr.function != function));
        self.past.values_mut().for_each(|list| list.retain(|w| w.open.wr.function != function));
    }
}

impl Judge {
    /// A data TLP that belongs to one of `claims`: whether its stream may go on on this path.
    pub(crate) fn path_of(&mut self, access: &Access<'_>, claims: &[(Serial, u32)]) -> Result<(), Violation> {
        let left = self.now;
        let opens = claims.iter().filter_map(|(n, offset)| Some((*n, *offset, self.requests.open.get(n)?)));
        let opens: Vec<_> = opens.collect();
        let [(number, offset, open)] = opens[..] else {
            // Whose it is stays open, and so does the path of the streams it may belong to.
            let maybe = |(number, offset, open): (Serial, u32, &Open)| {
                let open = Open::remembered(open);
                Written { open, number, at: access.at, offset, owed: false, left }
            };
            for written in opens.into_iter().map(maybe).collect::<Vec<_>>() {
                let list = self.paths.written.entry(written.open.wr.stream).or_default();
                list.iter_mut().for_each(|w| w.owed = false);
                if access.write() && list.len() < REMEMBERED {
                    list.push(written);
                }
            }
            return Ok(());
        };
        let mut regions = self.tables.verdicts(&open.wr, When::Now).filter_map(|(_, region)| region);
        if regions.any(|r| r.unordered) {
            return Ok(());
        }
        let stream = open.wr.stream;
        let list = || self.paths.written.get(&stream).into_iter().flatten();
        if let Some(w) = list().find(|w| w.at != access.at && w.number <= number && self.owes_flush(w)) {
            let (request, written) = (open.name(), w.open.name());
            return Err(Violation::PathOrder { request, written, seen: access.address });
        }
        if access.write() {
            let open = Open::remembered(open);
            if self.paths.last.insert(number, access.at).is_some_and(|at| at != access.at) {
                self.paths.changed.insert(number);
            }
            let written = Written { open, number, at: access.at, offset, owed: true, left };
            let before = self.paths.written.insert(stream, vec![written]).unwrap_or_default();
            self.paths.remember(stream, before.into_iter().filter(|w| w.number != number));
        }
        Ok(())
    }

    /// Whether a write has to be flushed: its page has lain on its path ever since, and nothing may have refused the flush.
    fn owes_flush(&self, w: &Written) -> bool {
        // It is asked for once the write has left: what was before that refuses nothing.
        let mut flush = Open::remembered(&w.open);
        (flush.accepted, flush.since) = (w.left, w.left);
        let refused = || Syndrome::TABLE.iter().any(|(s, _)| !s.is_ok() && self.own_cause(&flush, 0, *s));
        w.owed && self.stays_on(w.at, (&w.open, w.offset), w.left) && !refused()
    }

    /// Mappings are about to be forgotten: what they say of the paths of pages is kept.
    pub(crate) fn keep_paths(&mut self) {
        let all = self.paths.written.iter().flat_map(|(stream, list)| list.iter().map(|w| (*stream, w)));
        let lost = all.filter(|(_, w)| w.owed && !self.owes_flush(w)).map(|(s, w)| (s, w.number, w.offset));
        for (stream, number, offset) in lost.collect::<Vec<_>>() {
            let list = self.paths.written.entry(stream).or_default();
            list.iter_mut().filter(|w| (w.number, w.offset) == (number, offset)).for_each(|w| w.owed = false);
        }
    }

    /// The ways in which a zero-length read can be a stream's flush: it goes to a page that the request of the stream's last
    /// write has written, with the same AT, and may still go there, by the translation named.
    pub(crate) fn flushes<'a>(&'a self, access: &'a Access<'a>) -> impl Iterator<Item = Option<Used>> {
        let page = |address: TlpAddr| address.0 & !0xfff;
        let here = |w: &&Written| w.open.wr.function == access.function && w.at == access.at;
        let written = self.paths.written.values().flatten().filter(here);
        let pages = written.flat_map(|w| {
            // The page of each byte up to the last write, by 4 KiB steps.
            let first = 4096 - (w.open.wr.va.0 & 0xfff) as u32;
            std::iter::once(0).chain((first..=w.offset).step_by(4096)).map(move |offset| (w, offset))
        });
        // As the write, or as what it is: a read of no bytes, which needs less.
        let ways = pages.map(|(w, offset)| (&w.open, offset)).flat_map(|(open, offset)| {
            let read = self.legal(&open.read_of_nothing(offset), 0).collect::<Vec<_>>();
            self.legal(open, offset).chain(read)
        });
        ways.filter(move |(at, address, _)| *at == access.at && page(*address) == page(access.address)).map(|w| w.2)
    }

    /// A revocation was reported: its flush has come back, unless its function may not send it.
    pub(crate) fn driver_flushed(&mut self, key: Key) -> Result<(), Violation> {
        let Some(position) = self.paths.wanted.iter().position(|w| w.key == key) else { return Ok(()) };
        let w = self.paths.wanted.remove(position);
        let owner = self.tables.owner(key);
        let silent = owner.is_none_or(|f| self.functions.was(f, w.since, |c| !c.bus_master || !c.ats_enable));
        // Reported as failed: its completion took too long, or that of an earlier one did, of whatever kind.
        let given_up =
            self.timeouts && (w.sent.is_some() || self.paths.lost.is_some() || !self.paths.flushes.is_empty());
        if let Some((_, requester, tag)) = w.sent.filter(|_| !w.answered) {
            self.paths.lost = Some((requester, tag));
        }
        if w.answered || silent || given_up {
            Ok(())
        } else {
            Err(Violation::RevocationUnflushed { key, address: w.address })
        }
    }

    /// Whether a write that changed its path is reported before it was flushed.
    pub(crate) fn unflushed(&self, number: Serial, open: &Open) -> bool {
        let mine = |w: &Written| w.number == number && self.owes_flush(w);
        self.paths.changed.contains(&number)
            && self.paths.written.get(&open.wr.stream).is_some_and(|l| l.iter().any(mine))
    }

    /// Whether the flush of a write may have been refused: it is judged like what it follows.
    fn refuses_flush(&self, w: &Written, syndrome: Syndrome) -> bool {
        self.own_cause(&w.open, 0, syndrome)
    }

    /// Whether a request may have ended with the failure of the flush in front of it.
    pub(crate) fn failed_flush(&self, open: &Open, syndrome: Syndrome) -> bool {
        let of_completion = syndrome >= Syndrome::UNSUPPORTED_REQUEST && syndrome <= Syndrome::MALFORMED_COMPLETION;
        let broken = self.paths.broken.contains(&open.wr.stream) && of_completion;
        // One that is late holds up the next, of whatever stream.
        let under_way = !self.paths.flushes.is_empty();
        // The flush may have been refused, for what it follows may not be used any more.
        let stream = &open.wr.stream;
        let past = self.paths.past.get(stream).into_iter().flatten().filter(|w| w.number < open.accepted);
        let mut refused = self.paths.written.get(stream).into_iter().flatten().chain(past);
        broken
            || self.timeouts && under_way && syndrome == Syndrome::COMPLETION_TIMEOUT
            || refused.any(|w| w.number != open.accepted && self.refuses_flush(w, syndrome))
    }
}
