//! Page Requests (PCIe 6.x 10.4): what a segment does whose translation lacks the access it needs.
//!
//! ```text
//!  page ─► m ─► join an open group, open one, put back, or refuse ─► page_answer
//!                      │ to send, within the function's allocation ─► message (to tlp_tx)
//!  PRG Response ───────┴─► ended ─► page_wake: look up again, or fail
//! ```
//!
//! A group is one page: its one Page Request is the last of it. Segments of one function, PASID and page that need the
//! same access share a group. A function opens no more groups than its Outstanding Page Request Allocation; beyond that a
//! segment is put back and offered again by `replay`, so that nothing is lost and other functions pass.
//!
//! A PRG index is the group's number in bits 3:0 and in bits 8:4 a count of the group's uses: the late response to a
//! request that has been forgotten names no open group.
//!
//! | what happens | segments that wait | the response that is owed |
//! |---|---|---|
//! | success | look up again, `PAGE_ROUNDS` times at most | |
//! | invalid request | `page-invalid` | |
//! | failure, or a reserved code | `page-failure`, all of the function; it asks no more until Enable 0→1 or reset | ignored |
//! | Page Request Enable 1→0, function-level reset | `translation-access`, or what is off | ignored |
//! | Bus Master Enable or ATS Enable 1→0 | what is off | returns the credit |
//! | PASID Enable 1→0 | `translation-access` | returns the credit; one Stop Marker a PASID leaves |
//!
//! Nothing waits for a page but the segments themselves: no tag, no invalidation, no other stream.

use super::{FunctionCfg, RequesterId, Syndrome, TlpDescriptor};
use std::collections::VecDeque;
use types::config::{PAGE_GROUPS, PAGE_ROUNDS, Partitions};
use types::port::{AtcKey, PageAnswer, PageMiss, PageWake};
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::{TlpOp, message_code};
use types::{AddressType, FunctionId, PasidPrefix, TlpAddr, UnitCfg};

/// Groups there are.
const GROUPS: usize = PAGE_GROUPS as usize;
/// Bits of a group's number in a PRG index; those above count its uses.
const NUMBER_BITS: u32 = 4;
const _: () = assert!(GROUPS == 1 << NUMBER_BITS && PAGE_ROUNDS > 0);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    ToSend,
    /// Sent: its response is owed.
    Asked,
    /// Its segments are to be woken; whether its response is still owed.
    Ended {
        syndrome: Syndrome,
        owed: bool,
    },
    /// Its segments have ended, its response is still owed and holds the credit.
    Owed,
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    state: State,
    /// Uses of the group, counted in the bits of a PRG index above its number.
    uses: u16,
    key: AtcKey,
    read: bool,
    write: bool,
    /// An engine of `dma` waits.
    again: bool,
}

impl Group {
    fn waits(&self) -> bool {
        matches!(self.state, State::ToSend | State::Asked)
    }
    /// Whether a response is owed to the host's knowledge: it counts against the allocation.
    fn owed(&self) -> bool {
        matches!(self.state, State::Asked | State::Owed | State::Ended { owed: true, .. })
    }
    /// Ends the wait of its segments; `owed` if a response that still comes returns the credit.
    fn end(&mut self, syndrome: Syndrome, owed: bool) {
        self.state = match self.state {
            State::ToSend => State::Ended { syndrome, owed: false },
            State::Asked => State::Ended { syndrome, owed },
            State::Ended { syndrome, owed: before } => State::Ended { syndrome, owed: before && owed },
            State::Owed if owed => State::Owed,
            State::Owed | State::Free => State::Free,
        };
    }
}

/// What happened at an edge, for the statistics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PageEvents {
    pub(super) response: bool,
    /// A response belongs to no group that is open.
    pub(super) dropped: bool,
    pub(super) put_back: bool,
}

#[derive(Clone, Debug)]
pub(super) struct PageRequests {
    granule_log2: u32,
    /// A partition of functions has its share of the groups.
    shares: Partitions,
    groups: [Group; GROUPS],
    /// Groups that are not free.
    open: usize,
    /// Functions that a failure has stopped.
    stopped: Vec<bool>,
    /// PASIDs whose use has ended, to be told.
    markers: VecDeque<(FunctionId, PasidPrefix)>,
    miss: PageMiss,
    answer: PageAnswer,
    wake: PageWake,
    /// Where the search for a request to send starts.
    next: usize,
}

impl PageRequests {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        Self {
            granule_log2: cfg.atc_granule_log2,
            shares: cfg.shares(),
            groups: Default::default(),
            open: 0,
            stopped: vec![false; cfg.functions as usize],
            markers: VecDeque::with_capacity(GROUPS),
            miss: PageMiss::default(),
            answer: PageAnswer::default(),
            wake: PageWake::default(),
            next: 0,
        }
    }

    pub(super) fn reset(&mut self) {
        self.groups.fill(Group::default());
        self.stopped.fill(false);
        self.markers.clear();
        self.miss = PageMiss::default();
        (self.answer, self.wake) = Default::default();
        (self.open, self.next) = (0, 0);
    }

    pub(super) fn ready(&self) -> bool {
        !self.miss.valid
    }

    /// What became of the segment taken last, for one cycle.
    pub(super) fn answer(&self) -> PageAnswer {
        self.answer
    }

    /// The group that has ended, for one cycle.
    pub(super) fn wake(&self) -> PageWake {
        self.wake
    }

    /// Whether an access that `dma` has judged again waits for a page: then invalidations are not put off for it.
    pub(super) fn holds_engine(&self) -> bool {
        self.open > 0 && self.groups.iter().any(|g| g.again && g.waits())
    }

    pub(super) fn idle(&self) -> bool {
        self.open == 0 && !self.miss.valid && !self.answer.valid && !self.wake.valid && self.markers.is_empty()
    }

    /// Why a function asks for no page.
    fn refusal(&self, cfg: &FunctionCfg, pasid: PasidPrefix) -> Option<Syndrome> {
        let stopped = self.stopped.get(usize::from(cfg.function.0)).copied().unwrap_or_default();
        if !cfg.bus_master {
            Some(Syndrome::BUS_MASTER_OFF)
        } else if !cfg.ats_enable {
            Some(Syndrome::ATS_OFF)
        } else if !cfg.pri_enable || cfg.pri_allocation == 0 || stopped || pasid.valid && !cfg.pasid_enable {
            Some(Syndrome::TRANSLATION_ACCESS)
        } else {
            None
        }
    }

    fn of(&mut self, function: FunctionId) -> impl Iterator<Item = &mut Group> {
        self.groups.iter_mut().filter(move |g| g.key.function == function && g.state != State::Free)
    }

    /// A function's configuration changes.
    pub(super) fn configure(&mut self, old: &FunctionCfg, new: &FunctionCfg) {
        let function = new.function;
        let forget = new.reset || old.pri_enable != new.pri_enable;
        if forget && let Some(stopped) = self.stopped.get_mut(usize::from(function.0)) {
            *stopped = false;
        }
        if forget {
            self.markers.retain(|(f, _)| *f != function);
        }
        if self.open == 0 {
            return;
        }
        let pasid_ends = old.pasid_enable && !new.pasid_enable && new.pri_enable && new.bus_master && !new.reset;
        for i in 0..GROUPS {
            let group = self.groups[i];
            if group.state == State::Free || group.key.function != function {
                continue;
            }
            if pasid_ends && group.key.pasid.valid && group.owed() {
                self.mark(function, group.key.pasid);
            }
            let refusal = self.refusal(new, group.key.pasid);
            if let Some(syndrome) = refusal.or(forget.then_some(Syndrome::TRANSLATION_ACCESS)) {
                self.groups[i].end(syndrome, !forget);
            }
        }
        self.count();
    }

    /// A PASID's use has ended. A function may leave the marker out, as here when there is no room for it.
    fn mark(&mut self, function: FunctionId, pasid: PasidPrefix) {
        let pasid = PasidPrefix { exec: false, privileged: false, ..pasid };
        if !self.markers.contains(&(function, pasid)) && self.markers.len() < GROUPS {
            self.markers.push_back((function, pasid));
        }
    }

    fn count(&mut self) {
        self.open = self.groups.iter().filter(|g| g.state != State::Free).count();
    }

    /// Takes a PRG Response for `function`; whether it belongs to an open group.
    fn respond(&mut self, response: &PageResponse, function: FunctionId, pasid: PasidPrefix) -> bool {
        let group = &mut self.groups[usize::from(response.group) % GROUPS];
        let named = group.key.function == function
            && group.uses == response.group >> NUMBER_BITS
            && (!pasid.valid || group.key.pasid.valid && group.key.pasid.pasid == pasid.pasid);
        if !named || !group.owed() {
            return false;
        }
        group.state = match group.state {
            State::Asked => match response.code {
                ResponseCode::SUCCESS => State::Ended { syndrome: Syndrome::OK, owed: false },
                ResponseCode::INVALID => State::Ended { syndrome: Syndrome::PAGE_INVALID, owed: false },
                _ => State::Ended { syndrome: Syndrome::PAGE_FAILURE, owed: false },
            },
            State::Ended { syndrome, .. } => State::Ended { syndrome, owed: false },
            _ => State::Free,
        };
        if !matches!(response.code, ResponseCode::SUCCESS | ResponseCode::INVALID) {
            // The interface has stopped: the others of the function are not answered any more.
            self.of(function).for_each(|g| g.end(Syndrome::PAGE_FAILURE, false));
            if let Some(stopped) = self.stopped.get_mut(usize::from(function.0)) {
                *stopped = true;
            }
        }
        self.count();
        true
    }

    /// One edge. `response` is the PRG Response that arrives, with the function it names and its prefix.
    pub(super) fn step(
        &mut self,
        page: &PageMiss,
        response: Option<(PageResponse, Option<FunctionId>, PasidPrefix)>,
        functions: &[FunctionCfg],
    ) -> PageEvents {
        let mut events = PageEvents::default();
        if let Some((response, function, pasid)) = response {
            events.response = function.is_some_and(|f| self.respond(&response, f, pasid));
            events.dropped = !events.response;
        }
        (self.answer, self.wake) = Default::default();
        if self.open > 0 {
            self.wake_one();
        }
        if self.miss.valid {
            let miss = std::mem::take(&mut self.miss);
            self.place(&miss, functions);
            events.put_back = !self.answer.waits && self.answer.syndrome.is_ok();
        } else if page.valid {
            self.miss = *page;
        }
        events
    }

    /// Wakes the segments of one group that has ended.
    fn wake_one(&mut self) {
        let ended = self.groups.iter_mut().enumerate().find_map(|(i, group)| match group.state {
            State::Ended { syndrome, owed } => Some((i, group, syndrome, owed)),
            _ => None,
        });
        if let Some((i, group, syndrome, owed)) = ended {
            group.state = if owed { State::Owed } else { State::Free };
            group.again = false;
            self.wake = PageWake { valid: true, group: i as u8, syndrome };
            self.count();
        }
    }

    /// Finds a group for a segment.
    fn place(&mut self, miss: &PageMiss, functions: &[FunctionCfg]) {
        self.answer = PageAnswer { valid: true, slot: miss.slot, ..PageAnswer::default() };
        let cfg = functions.get(usize::from(miss.key.function.0)).copied().unwrap_or_default();
        if let Some(syndrome) = self.refusal(&cfg, miss.key.pasid) {
            self.answer.syndrome = syndrome;
            return;
        }
        let page = |key: &AtcKey| key.iova.0 >> self.granule_log2;
        let same = |g: &Group| {
            g.waits()
                && (g.key.function, g.key.pasid) == (miss.key.function, miss.key.pasid)
                && page(&g.key) == page(&miss.key)
                && (g.read, g.write) == (miss.read, miss.write)
        };
        let joined = self.groups.iter().position(same);
        let taken = || self.groups.iter().filter(|g| g.state != State::Free).map(|g| g.key.function);
        let (own, of) = (miss.key.function, |f: FunctionId| self.shares.of(f));
        let room = taken().filter(|f| *f == own).count() < usize::from(cfg.pri_allocation)
            && taken().filter(|f| of(*f) == of(own)).count() < self.shares.share(PAGE_GROUPS) as usize;
        let free = || self.groups.iter().position(|g| g.state == State::Free);
        let Some(i) = joined.or_else(|| free().filter(|_| room)) else { return };
        let group = &mut self.groups[i];
        if joined.is_none() {
            let uses = (group.uses + 1) & (0x1ff >> NUMBER_BITS);
            let (key, read, write) = (miss.key, miss.read, miss.write);
            *group = Group { state: State::ToSend, uses, key, read, write, again: false };
            self.open += 1;
        }
        group.again |= miss.again;
        (self.answer.waits, self.answer.group) = (true, i as u8);
    }

    /// The next message, if there is one to send.
    pub(super) fn message(&mut self, functions: &[FunctionCfg]) -> Option<TlpDescriptor> {
        if let Some((function, pasid)) = self.markers.pop_front() {
            return Some(descriptor(function, &PageRequest::STOP_MARKER, pasid));
        }
        if self.open == 0 {
            return None;
        }
        let groups = &self.groups;
        let may = |g: &Group| {
            let owed = groups.iter().filter(|h| h.owed() && h.key.function == g.key.function).count();
            let cfg = functions.get(usize::from(g.key.function.0));
            g.state == State::ToSend && cfg.is_some_and(|cfg| owed < usize::from(cfg.pri_allocation))
        };
        let i = (self.next..self.next + GROUPS).map(|i| i % GROUPS).find(|i| may(&groups[*i]))?;
        self.next = (i + 1) % GROUPS;
        let group = &mut self.groups[i];
        group.state = State::Asked;
        let request = PageRequest {
            address: group.key.iova,
            group: group.uses << NUMBER_BITS | i as u16,
            last: true,
            write: group.write,
            read: group.read,
        };
        let cfg = functions.get(usize::from(group.key.function.0)).copied().unwrap_or_default();
        let asked = group.key.pasid;
        let pasid = PasidPrefix {
            exec: asked.exec && cfg.pasid_exec_enable,
            privileged: asked.privileged && cfg.pasid_priv_enable,
            ..asked
        };
        Some(descriptor(group.key.function, &request, pasid))
    }
}

fn descriptor(function: FunctionId, request: &PageRequest, pasid: PasidPrefix) -> TlpDescriptor {
    TlpDescriptor {
        valid: true,
        op: TlpOp::MESSAGE_TO_ROOT,
        function,
        at: AddressType::UNTRANSLATED,
        address: TlpAddr(request.encode()),
        first_be: message_code::PAGE_REQUEST & 15,
        last_be: message_code::PAGE_REQUEST >> 4,
        pasid,
        ..TlpDescriptor::default()
    }
}

/// The function with a requester ID.
pub(super) fn function_of(functions: &[FunctionCfg], id: RequesterId) -> Option<FunctionId> {
    let known = |f: &FunctionCfg| f.valid && f.requester == id;
    functions.iter().position(known).map(|i| FunctionId(i as u16))
}
