//! Page Requests and driver events: when a page may be asked for, and what the answers explain (PCIe 6.x 10.4).
//!
//! A page may be asked for only by a function whose Page Request Interface is on and has not been stopped by a failure,
//! within its allocation, under a group index that is not outstanding, and only where a request that waits on faults was
//! refused by a translation newer than the last response for that page. Messages already on their way when the
//! configuration changes are not held against the unit: what was on since the oldest open request counts.

use crate::Judge;
use crate::ending::Page;
use crate::function::{executes, prefix, seen_prefix};
use crate::request::Open;
use crate::tables::{Path, grants};
use crate::versions::{Serial, Versions, When};
use crate::violation::Violation;
use std::collections::BTreeMap;
use types::config::PAGE_ROUNDS;
use types::port::FunctionCfg;
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::{Body, Routing};
use types::{FunctionId, Iova, MttEntry, MttLayout, PasidPrefix, Syndrome, Tlp};

/// A page request group whose response is owed.
#[derive(Clone, Debug)]
struct Group {
    pages: Vec<PageRequest>,
    prefix: PasidPrefix,
    /// Its last request has left.
    closed: bool,
}

/// A response that was owed.
#[derive(Clone, Copy, Debug)]
struct Response {
    function: FunctionId,
    request: PageRequest,
    code: ResponseCode,
    at: Serial,
}

/// The driver's answer to the events of a region.
#[derive(Clone, Copy, Debug)]
struct Answer {
    /// MPT index of the region.
    index: u32,
    refuse: bool,
    at: Serial,
}

/// What has been asked for, and how it was answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages {
    groups: BTreeMap<(FunctionId, u16), Group>,
    responses: Vec<Response>,
    /// Functions whose interface a failure has stopped, and when.
    stopped: BTreeMap<FunctionId, Serial>,
    /// Whether entries that are not present are driver events; off before it is told.
    events: Versions<bool>,
    answers: Vec<Answer>,
}

impl Pages {
    /// The interface of a function starts anew: reset, or Enable changed.
    pub(crate) fn forget_function(&mut self, function: FunctionId) {
        self.groups.retain(|(f, _), _| *f != function);
        self.stopped.remove(&function);
    }

    /// Forgets answers that no request accepted after `oldest` can have met.
    pub(crate) fn forget(&mut self, oldest: Serial) {
        self.responses.retain(|r| r.at > oldest);
        self.answers.retain(|a| a.at > oldest);
    }

    /// Driver events are turned on or off.
    pub(crate) fn switch_events(&mut self, on: bool, now: Serial, oldest: Serial) {
        self.events.push(on, now);
        self.events.retire(now, now, oldest);
    }

    /// The driver answered the events of a region.
    pub(crate) fn answered(&mut self, index: u32, refuse: bool, now: Serial) {
        self.answers.push(Answer { index, refuse, at: now });
    }

    fn events_off(&self, since: Serial) -> bool {
        self.events.is_empty() || self.events.seen(When::Since(since)).any(|on| !on)
    }

    /// A response reached the unit. One that is not owed changes nothing.
    pub(crate) fn responded(&mut self, function: FunctionId, response: &PageResponse, seen: PasidPrefix, now: Serial) {
        let name = (function, response.group);
        let named = |g: &Group| !seen.valid || g.prefix.valid && g.prefix.pasid == seen.pasid;
        if !self.groups.get(&name).is_some_and(named) {
            return;
        }
        let Some(group) = self.groups.remove(&name) else { return };
        let code = match response.code {
            code @ (ResponseCode::SUCCESS | ResponseCode::INVALID) => code,
            _ => ResponseCode::FAILURE,
        };
        self.responses.extend(group.pages.iter().map(|request| Response {
            function,
            request: *request,
            code,
            at: now,
        }));
        if code == ResponseCode::FAILURE {
            self.groups.retain(|(f, _), _| *f != function);
            self.stopped.insert(function, now);
        }
    }
}

impl Judge {
    /// A Page Request or a Stop Marker left the unit.
    pub(crate) fn page_requested(&mut self, tlp: &Tlp) -> Result<(), Violation> {
        let (Some(request), Body::Message { with_data, routing, requester, .. }) = (PageRequest::of(tlp), tlp.body)
        else {
            return Err(Violation::PageRequest {
                function: FunctionId(0),
                page: Iova(0),
                why: "it is another message",
            });
        };
        let cfg = *self.functions.of(requester).ok_or(Violation::Requester { seen: requester })?;
        let (function, page, seen) = (cfg.function, request.address, seen_prefix(tlp.pasid));
        let refuse = |why| Err(Violation::PageRequest { function, page, why });
        if with_data || routing != Routing::ToRoot || tlp.tc != 0 {
            return refuse("it is a message without data to the root complex in traffic class 0");
        }
        let oldest = self.requests.oldest(self.now);
        if !self.functions.was(function, oldest, |c| c.pri_enable) {
            return refuse("the function's Page Request Interface is off");
        }
        if request.is_stop_marker(seen) {
            let used = |o: &Open| o.wr.function == function && self.uses(o, seen);
            let used = cfg.pasid_enable && self.requests.open.values().any(used);
            return if used { refuse("a Stop Marker for a PASID that an open request uses") } else { Ok(()) };
        }
        if !(request.read || request.write) {
            return refuse("it asks for no access");
        }
        let name = (function, request.group);
        if self.pages.groups.get(&name).is_some_and(|g| g.closed) {
            return refuse("a response to its group is owed already");
        }
        let outstanding: usize =
            self.pages.groups.iter().filter(|((f, _), _)| *f == function).map(|(_, g)| g.pages.len()).sum();
        if !self.functions.was(function, oldest, |c| outstanding < usize::from(c.pri_allocation)) {
            return refuse("the function's allocation is used up");
        }
        let stopped = self.pages.stopped.get(&function).copied();
        let open = self.requests.open.values().filter(|o| o.wr.function == function);
        let needs: Vec<&Open> = open.filter(|o| self.lacks(o, &request, seen)).collect();
        if needs.is_empty() {
            return refuse("no open request lacks that access there");
        }
        if needs.iter().all(|o| o.wr.on_fault) {
            return refuse("the requests that lack the access report faults");
        }
        if stopped.is_some_and(|at| needs.iter().all(|o| o.accepted > at)) {
            return refuse("a failure has stopped the function's Page Request Interface");
        }
        if stopped.is_none() {
            let new = || Group { pages: Vec::new(), prefix: seen, closed: false };
            let group = self.pages.groups.entry(name).or_insert_with(new);
            group.pages.push(request);
            group.closed = request.last;
        }
        Ok(())
    }

    /// Whether an open request uses a PASID.
    fn uses(&self, open: &Open, seen: PasidPrefix) -> bool {
        let mut regions = self.tables.verdicts(&open.wr, When::Now).filter_map(|(_, region)| region);
        regions.any(|r| r.pasid.valid && r.pasid.pasid == seen.pasid)
    }

    /// Whether a request lacks the access that is asked for: its translation was refused since it was accepted, and since
    /// the last response for that access to that page or in the newest answer. (Who waits for another access to the page
    /// was refused earlier, and may have had to wait for a credit since.)
    fn lacks(&self, open: &Open, request: &PageRequest, seen: PasidPrefix) -> bool {
        let (wr, since) = (&open.wr, When::Since(open.accepted));
        // A zero-length read asks for read access, since asking for none is a Stop Marker.
        let writes = wr.length.0 > 0 && wr.op.writes();
        let reads = !writes || wr.op.reads();
        if (request.read, request.write) != (reads, writes) {
            return false;
        }
        let (first, last) = (request.address.0, request.address.0 | 0xfff);
        let asked = |r: &PageRequest| (r.address, r.read, r.write);
        let same = |r: &&Response| r.function == wr.function && asked(&r.request) == asked(request);
        let responded = self.pages.responses.iter().filter(same).map(|r| r.at).max().unwrap_or(0);
        self.pages(open, self.requests.least_sent(open.accepted), since).any(|p| {
            let legal = |c: &FunctionCfg| prefix(c, p.region.pasid, executes(wr)) == seen;
            let mut entries = self.tables.entries(p.region, wr.key, p.index, since);
            self.functions.was(wr.function, self.requests.oldest(self.now), legal)
                && entries.any(|e| {
                    let (low, high) = p.range(&self.tables, e);
                    let ats =
                        self.tables.page_check(p.region, e, wr).is_ok() && self.tables.path(p.region, e) == Path::Ats;
                    ats && low.0 <= last && high.0 >= first && {
                        let iova = Iova(low.0.max(first));
                        let newest = self.translations.covering(wr.function, seen, iova).map(|(a, _)| a.arrived).max();
                        let refusals = self.refusals(open, seen, iova);
                        refusals.max().is_some_and(|at| at > responded || Some(at) == newest)
                    }
                })
        })
    }

    /// When answers that refuse a request the byte at `iova` have arrived since the oldest request open with it was accepted.
    pub(crate) fn refusals(&self, open: &Open, scope: PasidPrefix, iova: Iova) -> impl Iterator<Item = Serial> {
        let answers = self.translations.covering(open.wr.function, scope, iova);
        answers.filter_map(move |(answer, _)| {
            let (read, write) = (answer.entry.read, answer.entry.write);
            // W = 0 in an answer to NW = 1 is no refusal.
            // Neither is Exe = 0 in one to a request that did not ask for Execute.
            let no_execute = scope.exec && answer.scope.exec && !answer.grants_execute();
            let refused = no_execute || !grants(read, write || answer.no_write && open.wr.op.writes(), &open.wr);
            (answer.arrived > open.since && refused).then_some(answer.arrived)
        })
    }

    /// Whether a request whose translation lacks the access may end at once: it reports faults, or its function could
    /// not ask for pages at some time since it was accepted.
    pub(crate) fn may_not_wait(&self, open: &Open, page: &Page<'_>) -> bool {
        let wr = &open.wr;
        let off =
            |c: &FunctionCfg| !c.pri_enable || c.pri_allocation == 0 || page.region.pasid.valid && !c.pasid_enable;
        wr.on_fault
            || self.pages.stopped.contains_key(&wr.function)
            || self.functions.was(wr.function, open.accepted, off)
    }

    /// Responses with a code since a request was accepted, for a page that it still needs.
    fn responses(&self, open: &Open, page: &Page<'_>, entry: &MttEntry, code: ResponseCode) -> usize {
        let (first, last) = page.range(&self.tables, entry);
        let mine = |r: &&Response| {
            r.at > open.accepted
                && r.code == code
                && r.function == open.wr.function
                && r.request.address.0 <= last.0
                && r.request.address.0 | 0xfff >= first.0
        };
        self.pages.responses.iter().filter(mine).count()
    }

    /// Whether a page or an entry that was asked for explains the end of a request.
    pub(crate) fn page_cause(&self, open: &Open, sent: u32, syndrome: Syndrome) -> bool {
        let (wr, since) = (&open.wr, When::Since(open.accepted));
        if wr.on_fault {
            return false;
        }
        let any = |test: &dyn Fn(&Page<'_>, &MttEntry) -> bool| {
            self.pages(open, sent, since)
                .any(|p| self.tables.entries(p.region, wr.key, p.index, since).any(|e| test(&p, e)))
        };
        let answers = |refuse| {
            let mine = |a: &&Answer| a.at > open.accepted && a.index == wr.key.index() && a.refuse == refuse;
            self.pages.answers.iter().filter(mine).count()
        };
        let rounds = usize::from(PAGE_ROUNDS);
        let absent = || self.absent(open, sent);
        match syndrome {
            Syndrome::PAGE_INVALID => any(&|p, e| self.responses(open, p, e, ResponseCode::INVALID) > 0),
            Syndrome::PAGE_FAILURE => {
                let mut responses = self.pages.responses.iter().filter(|r| r.function == wr.function);
                responses.any(|r| r.code == ResponseCode::FAILURE && r.at > open.accepted)
            }
            Syndrome::PAGE_RETRIES => {
                any(&|p, e| self.responses(open, p, e, ResponseCode::SUCCESS) >= rounds && self.denied(open, p, e))
                    || answers(false) >= rounds && absent()
            }
            Syndrome::PAGE_REFUSED => answers(true) > 0 && absent(),
            _ => false,
        }
    }

    /// Whether an entry that a request needs was not present at some time since it was accepted.
    fn absent(&self, open: &Open, sent: u32) -> bool {
        let (wr, since) = (&open.wr, When::Since(open.accepted));
        self.pages(open, sent, since).any(|p| {
            let mut entries = self.tables.entries(p.region, wr.key, p.index, since);
            self.tables.absent(p.region, wr.key, p.index, open.accepted) || entries.any(|e| !e.present)
        })
    }

    /// Whether an entry that is not present explains the end of a request. One that stands in the MPT line itself is no
    /// driver event: only a revocation has that line read again.
    pub(crate) fn not_present(&self, open: &Open, sent: u32) -> bool {
        let (wr, since) = (&open.wr, When::Since(open.accepted));
        let inline = || self.pages(open, sent, since).any(|p| p.region.layout == MttLayout::Inline);
        let at_once = wr.on_fault || self.pages.events_off(open.accepted) || inline();
        at_once && self.absent(open, sent)
    }
}
