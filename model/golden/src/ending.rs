//! The end of a request: whether its syndrome has a cause, and whether everything owed has been done.

use crate::Judge;
use crate::function::{executes, pasid_off, prefix};
use crate::outstanding::Read;
use crate::request::Open;
use crate::tables::{Path, Tables, part_in, protect, reach};
use crate::versions::{Serial, When};
use crate::violation::Violation;
use types::{FunctionId, Iova, MttEntry, Op, PageIndex, Region, StreamId, Syndrome, Tlp, Va, WrId};

/// Syndromes of what is asked for, whatever the region: operation, operand size, alignment.
const OF_OPERATION: [Syndrome; 3] = [Syndrome::UNSUPPORTED_OP, Syndrome::ATOMIC_SIZE, Syndrome::ATOMIC_ALIGNMENT];

/// A page with bytes that a request has not sent yet.
pub(crate) struct Page<'a> {
    pub(crate) region: &'a Region,
    pub(crate) index: PageIndex,
    /// First and last address in the page that the request still needs.
    pub(crate) first: Va,
    pub(crate) last: Va,
}

impl Page<'_> {
    /// The addresses still needed, as an entry maps them.
    pub(crate) fn range(&self, tables: &Tables, entry: &MttEntry) -> (Iova, Iova) {
        let mask = self.region.page_size.offset_mask().0;
        let Iova(start) = tables.page_address(self.region, self.index, entry);
        let map = |va: Va| Iova(start | va.0 & mask);
        (map(self.first), map(self.last))
    }
}

impl Judge {
    /// The pages a request still needs after `sent` bytes, in each region that allows it.
    pub(crate) fn pages<'a>(&'a self, open: &'a Open, sent: u32, when: When) -> impl Iterator<Item = Page<'a>> {
        let wr = &open.wr;
        let allowed = self.tables.verdicts(wr, when).filter(move |(s, _)| s.is_ok() && sent < reach(wr));
        allowed.filter_map(|(_, region)| region).flat_map(move |region| {
            // In bounds, so that nothing wraps.
            let from = wr.va.0.wrapping_add(u64::from(sent));
            let end = wr.va.0.wrapping_add(u64::from(reach(wr)) - 1);
            let mask = region.page_size.offset_mask().0;
            let index = |va: u64| region.page_index(Va(va)).0;
            (index(from)..=index(end)).map(move |i| {
                let start = (region.start.0 & !mask).wrapping_add(i << region.page_size.log2());
                Page { region, index: PageIndex(i), first: Va(start.max(from)), last: Va((start | mask).min(end)) }
            })
        })
    }

    /// Whether a request that has sent `sent` bytes may have ended in an error.
    pub(crate) fn may_fail(&self, open: &Open, sent: u32) -> bool {
        Syndrome::TABLE.iter().any(|(s, _)| !s.is_ok() && self.cause(open, sent, *s))
    }

    /// Whether there is a cause for an error: one that existed since the request was accepted and lies in what it had
    /// not sent yet.
    fn cause(&self, open: &Open, sent: u32, syndrome: Syndrome) -> bool {
        self.own_cause(open, sent, syndrome) || self.failed_flush(open, syndrome)
    }

    pub(crate) fn own_cause(&self, open: &Open, sent: u32, syndrome: Syndrome) -> bool {
        let (wr, since) = (&open.wr, When::Since(open.accepted));
        let pages = || self.pages(open, sent, since);
        let entry = |test: &dyn Fn(&Page<'_>, &MttEntry) -> bool| {
            pages().any(|p| self.tables.entries(p.region, wr.key, p.index, since).any(|e| test(&p, e)))
        };
        let reads = || self.outstanding.reads.values().filter_map(|r| r.claim(open.accepted).map(|at| (at, r)));
        let read = |test: &dyn Fn(&Read) -> bool| reads().any(|(_, r)| test(r));
        let check = |p: &Page<'_>, e: &MttEntry| self.tables.page_check(p.region, e, wr);
        let ats = |p: &Page<'_>, e: &MttEntry| check(p, e).is_ok() && self.tables.path(p.region, e) == Path::Ats;
        match syndrome {
            s if s <= Syndrome::RIGHTS || OF_OPERATION.contains(&s) => {
                let again = s == Syndrome::RIGHTS && self.judged_again(open);
                self.tables.verdicts(wr, since).any(|(verdict, region)| {
                    let part = region.filter(|_| again && verdict == Syndrome::BOUNDS);
                    let part = part.and_then(|r| part_in(r, wr, sent).map(|part| protect(Some(r), &part)));
                    verdict == s || part == Some(s)
                })
            }
            Syndrome::NOT_PRESENT => self.not_present(open, sent),
            Syndrome::PAGE_RIGHTS => entry(&|p, e| check(p, e) == syndrome),
            Syndrome::TRANSLATION_ACCESS => {
                entry(&|p, e| ats(p, e) && self.denied(open, p, e) && self.may_not_wait(open, p))
            }
            Syndrome::TRANSLATION_FAILED => entry(&|p, e| {
                let (first, last) = p.range(&self.tables, e);
                let failures = self.translations.failures.iter().filter(|f| f.arrived > open.since);
                ats(p, e) && failures.filter(|f| f.function == wr.function).any(|f| f.first <= last && f.last >= first)
            }),
            Syndrome::TABLE_FETCH => {
                let mut failed = self.outstanding.failed_fetches(open.since, self.timeouts);
                failed.any(|line| self.tables.may_concern(line, wr))
                    || self.no_fetch(true, open.since) && pages().next().is_some()
                    || self.no_master(open.accepted)
            }
            Syndrome::UNSUPPORTED_REQUEST | Syndrome::COMPLETER_ABORT | Syndrome::MALFORMED_COMPLETION => {
                read(&|r| r.may_be(syndrome))
            }
            // Poisoned data may come before another error.
            Syndrome::POISONED => read(&|r| r.may_be(syndrome) || r.poisoned && r.may_have_failed()),
            Syndrome::COMPLETION_TIMEOUT if self.timeouts => {
                let in_flight = self.outstanding.open();
                let (no_read, no_translation) =
                    self.lost.map_or((false, false), |l| (in_flight.0 >= l.reads, in_flight.1 >= l.translations));
                no_read && wr.op.reads()
                    || no_translation && entry(&|p, e| ats(p, e))
                    || reads().any(|(at, r)| r.may_be_late(at, open.delivered))
                    || entry(&|p, e| {
                        // An answer may have come after it was given up.
                        let range = p.range(&self.tables, e);
                        let answered = self.translations.arrived_since(wr.function, range, open.since);
                        ats(p, e) && (answered || self.outstanding.asks(wr.function, range))
                    })
            }
            Syndrome::BUS_MASTER_OFF => self.functions.was(wr.function, open.accepted, |c| !c.bus_master),
            Syndrome::ATS_OFF => {
                self.functions.was(wr.function, open.accepted, |c| !c.ats_enable)
                    && entry(&|p, e| self.tables.path(p.region, e) != Path::Untranslated)
            }
            Syndrome::ATOMIC_OFF => {
                wr.op.is_atomic()
                    && self.functions.was(wr.function, open.accepted, |c| !c.atomic_enable)
                    && self.tables.verdicts(wr, since).any(|(verdict, _)| verdict.is_ok())
            }
            Syndrome::PASID_OFF => {
                let off = |r: &Region| self.functions.was(wr.function, open.accepted, |c| pasid_off(c, r));
                let path = |p: &Page<'_>, e: &MttEntry| self.tables.path(p.region, e);
                // A write of no bytes has no page.
                let mut regions = self.tables.verdicts(wr, since).filter(|(s, _)| s.is_ok() && reach(wr) == 0);
                entry(&|p, e| check(p, e).is_ok() && path(p, e) != Path::Translated && off(p.region))
                    || regions.any(|(_, r)| r.is_some_and(off))
            }
            _ => self.page_cause(open, sent, syndrome),
        }
    }

    /// Whether tables could not be fetched at some time since `since`: the physical function, which fetches them, may have had
    /// bus mastering off.
    pub(crate) fn no_master(&self, since: Serial) -> bool {
        self.functions.was(FunctionId(0), since, |c| !c.bus_master)
    }

    /// Whether every fetch that a function has at least, of lines of MTT entries or of others, may have been lost at some
    /// time since `since`, so that no line could be fetched any more.
    pub(crate) fn no_fetch(&self, mtt: bool, since: Serial) -> bool {
        self.all_fetching(mtt) || self.fetching[usize::from(mtt)] > since
    }

    /// Whether all of them are under way.
    fn all_fetching(&self, mtt: bool) -> bool {
        let under_way = || self.outstanding.fetches().filter(|line| self.tables.in_mtt(*line) == mtt).count();
        self.lost.is_some_and(|l| under_way() >= if mtt { l.mtt_fetches } else { l.mpt_fetches })
    }

    /// A completion arrives: if it ends a fetch, all may have been under way until now.
    pub(crate) fn fetch_ends(&mut self, tlp: &Tlp) {
        if self.lost.is_some() && self.outstanding.ends_fetch(tlp) {
            for mtt in [false, true] {
                if self.all_fetching(mtt) {
                    self.fetching[usize::from(mtt)] = self.now;
                }
            }
        }
    }

    /// Whether the translation agent has refused an access: an answer since the request was accepted that lacks R for a
    /// read, or lacks W for a write though it was asked for (NW = 0). What was cached before cannot refuse: R = W = 0 is
    /// never cached, and missing permission is asked for again.
    pub(crate) fn denied(&self, open: &Open, page: &Page<'_>, entry: &MttEntry) -> bool {
        let (first, last) = page.range(&self.tables, entry);
        // The PASID's use may have ended meanwhile.
        self.functions.was(open.wr.function, open.accepted, |cfg| {
            let scope = prefix(cfg, page.region.pasid, executes(&open.wr));
            let steps = (first.0 & !0xfff..=last.0).step_by(4096);
            let mut iovas = steps.map(|iova| Iova(iova.max(first.0)));
            iovas.any(|iova| self.refusals(open, scope, iova).next().is_some())
        })
    }

    /// A completion was reported for a request.
    pub(crate) fn done(&mut self, stream: StreamId, id: WrId, seen: Syndrome) -> Result<(), Violation> {
        let number = self.requests.number(stream, id, "a completion was reported")?;
        let Some(open) = self.requests.open.get(&number) else {
            return Ok(());
        };
        let (request, length) = (open.name(), open.wr.length.0);
        self.registrations.passed(&open.wr, number)?;
        if let Some(earlier) = self.requests.earlier(number) {
            return Err(Violation::DoneOrder { request, earlier });
        }
        if open.registers {
            return self.registered(number, seen);
        }
        let early = |done, what| Violation::DoneEarly { request, length, done, what };
        // Reads that can only be its own must have ended, in success or not.
        let mut own = self.outstanding.reads.values().filter(|r| r.only(number));
        let given_up = seen == Syndrome::COMPLETION_TIMEOUT || self.timeouts && !seen.is_ok();
        if !given_up && own.clone().any(|r| !r.may_be_over()) {
            return Err(early(open.delivered, "delivered and reads under way"));
        }
        if seen.is_ok() && own.clone().any(|r| r.overdue) {
            return Err(early(open.delivered, "delivered and a read that has taken too long"));
        }
        let failed = own.find_map(Read::failure);
        let keep = if seen.is_ok() {
            let verdicts = || self.tables.verdicts(&open.wr, When::Since(number)).map(|(s, _)| s);
            let refused = if verdicts().any(Syndrome::is_ok) { None } else { verdicts().next() };
            if let Some(expected) = refused.or(failed) {
                return Err(Violation::Syndrome { request, expected, seen });
            }
            if open.wr.op.reads() && open.delivered < length {
                return Err(early(open.delivered, "delivered"));
            }
            let answered = |r: &Read| r.claim(number).is_some() && r.may_be(Syndrome::OK);
            if open.wr.op == Op::READ && length == 0 && !self.outstanding.reads.values().any(answered) {
                return Err(early(0, "read: no zero-length read has come back"));
            }
            if self.unflushed(number, open) {
                return Err(early(length, "sent and the last of them not flushed"));
            }
            // A request passed over as failed has bytes left.
            self.requests.states.iter().map(|s| s.of(number).sent == length).collect::<Vec<_>>()
        } else {
            self.requests.states.iter().map(|s| self.cause(open, s.of(number).sent, seen)).collect()
        };
        if !keep.contains(&true) {
            let sent = self.requests.least_sent(number);
            let causes = Syndrome::TABLE.iter().map(|(s, _)| *s).filter(|s| !s.is_ok());
            let expected = causes.into_iter().find(|s| self.cause(open, sent, *s)).unwrap_or(Syndrome::OK);
            return Err(if seen.is_ok() {
                early(sent, "sent")
            } else {
                Violation::Syndrome { request, expected, seen }
            });
        }
        let mut keep = keep.into_iter();
        self.requests.states.retain(|_| keep.next() == Some(true));
        if let Some(stream) = self.requests.open.get(&number).map(|open| open.wr.stream) {
            self.paths.ended(number, stream, seen);
        }
        self.finished(number);
        Ok(())
    }

    /// Read data was delivered: in order, and as the completions brought it. Data of a read that failed may be anything,
    /// or missing, for its request must end in that error.
    pub(crate) fn delivered(&mut self, stream: StreamId, id: WrId, offset: u32, bytes: &[u8]) -> Result<(), Violation> {
        let number = self.requests.number(stream, id, "read data was delivered")?;
        let Some(open) = self.requests.open.get_mut(&number) else {
            return Ok(());
        };
        let (request, wrong) = (open.name(), |why| Violation::ReadData { request: open.name(), offset, why });
        let mine = || self.outstanding.reads.values().filter_map(|r| r.claim(number).map(|at| (at, r)));
        let any_failed = mine().any(|(_, r)| r.may_have_failed());
        if offset < open.delivered || offset > open.delivered && !any_failed {
            return Err(wrong("not the next bytes of the message"));
        }
        let (mut at, mut rest) = (offset, bytes);
        while !rest.is_empty() {
            let candidates = || mine().filter(|(start, r)| (*start..*start + r.length).contains(&at));
            let step = candidates().find_map(|(start, r)| {
                let n = rest.len().min((start + r.length - at) as usize);
                let brought = r.data.get((at - start) as usize..).and_then(|d| d.get(..n));
                (r.may_have_failed() || brought == Some(&rest[..n])).then_some(n)
            });
            let Some(n) = step else {
                return Err(Violation::ReadData {
                    request,
                    offset: at,
                    why: if candidates().next().is_none() {
                        "never asked for"
                    } else {
                        "not what the completions brought"
                    },
                });
            };
            (at, rest) = (at + n as u32, &rest[n..]);
        }
        open.delivered = at;
        // What has been delivered has been asked for.
        self.requests.keep(|s| s.of(number).sent >= at);
        Ok(())
    }
}
