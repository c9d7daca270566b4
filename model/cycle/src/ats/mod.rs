//! `ats`: outstanding Translation Requests, Invalidate Requests (invalidate.rs), Page Requests (page_request.rs), and what
//! the driver has translated (command.rs).
//!
//! ```text
//!  miss ─► m ─► merge with an open request, or open one ─► grant
//!                         │ to send ─► request (to tlp_tx)
//!  cpl ──► first beat ─► answer[index] ─► fill (to atc), fill_done ─► wake
//!                                     └─ no access, error ───────────► wake (fail)
//! ```
//!
//! A request asks for the base granule of the ATC (2^(STU+12) bytes) that missed, and for those behind it where `ats_entries`
//! says so (request.rs). A miss joins an open request that asks for its granule under the same function and PASID, unless it needs write permission and the request was sent with NW. An answer is kept
//! before the segments that wait for it look up again; R = W = 0 is never kept. Completions are always sunk: an answer has
//! its place from the moment the request is opened.
//!
//! Invalidations and answers are unordered (10.3.6), so at the edge at which `atc` takes an invalidation every request in
//! flight is compared with it: one that asked inside the range is discarded, and its segments ask again; any other of
//! the function is cut to the granule it asked for, since its answer might cover more and reach into the range.
//!
//! With `ats_prefetch` a miss also asks for the page behind it (prefetch.rs). With 5-bit tags there may be fewer numbers
//! than requests (`UnitCfg::tags_in`); those without a number are not opened.

mod command;
mod invalidate;
mod messages;
mod page_request;
mod permission;
mod place;
mod prefetch;
mod request;

use crate::lives::Lives;
use crate::progress::{Wait, wait};
use crate::timeout::Timeouts;
use command::Command;
use invalidate::Invalidations;
use messages::{Flush, NO_MESSAGE, response_of};
use page_request::PageRequests;
use permission::refuses;
use prefetch::Prefetch;
use request::{ENTRIES, Request, State};
use std::collections::VecDeque;
use types::config::Partitions;
use types::port::{AtcFill, AtcKey, AtsIn, AtsMiss, AtsOut, AtsWake, CplBeat, FunctionCfg, TlpDescriptor};
use types::tlp::TlpOp;
use types::{AddressType, Block, Cycle, FunctionId, Iova, RequesterId, Syndrome, TlpAddr, UnitCfg};
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("ats.request", "tlp_tx.ats_request", "it has not been sent"),
    wait("ats.request", "agent.completion", "it has been sent"),
    wait("ats.request", "atc.fill", "its answer is being kept"),
    wait("ats.prefetch", "ats.request", "requests for misses go first"),
    wait("ats.prefetch", "tlp_tx.ats_request", "it has not been sent"),
    wait("ats.prefetch", "agent.completion", "it has been sent"),
    wait("ats.prefetch", "atc.fill", "its answer is being kept"),
    wait("ats.command", "ats.request", "every request of its partition is in use"),
    wait("ats.command", "tlp_tx.ats_request", "it has not been sent"),
    wait("ats.command", "agent.completion", "it has been sent"),
    wait("ats.invalidation", "ats.request", "a fill is on its way into the ATC: its answer is there already"),
    wait("ats.invalidation", "ats.prefetch", "a fill is on its way into the ATC: its answer is there already"),
    wait("ats.invalidation", "atc.engine", "its range is swept"),
    wait("ats.invalidation", "dma.committed", "TLPs of the old epoch are in flight"),
    wait("ats.invalidation", "tlp_tx.posted", "its completion leaves"),
    wait("ats.revocation", "dma.committed", "TLPs of the old epoch are in flight"),
    wait("ats.revocation", "dma.posted_sent", "GPU memory: older writes leave first"),
    wait("ats.revocation", "ats.flush", "GPU memory: what was written is flushed"),
    wait("ats.flush", "tlp_tx.ats_request", "it has not been sent, or another one before it"),
    wait("ats.flush", "host.completion", "it has been sent, or another one before it"),
    wait("ats.page", "tlp_tx.posted", "its Page Request leaves"),
    wait("ats.page", "agent.page_response", "it has been sent, or the function's allocation is used up"),
];

/// For whom a request is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    Miss,
    /// A miss of before a function-level reset.
    Over,
    /// The driver.
    Command,
}

/// The Translation Request block.
#[derive(Clone, Debug)]
pub struct Ats {
    granule_log2: u32,
    /// Granules asked for at a time.
    entries: u32,
    tag_base: u16,
    /// Requests that have a tag in each tag width, and in the one in force.
    tags: [usize; 3],
    usable: usize,
    functions: Vec<FunctionCfg>,
    requests: Vec<Request>,
    /// Misses that were taken and have no request yet, by partition.
    misses: Vec<VecDeque<AtsMiss>>,
    lives: Lives,
    /// The partition whose miss is placed next.
    turn: usize,
    shares: Partitions,
    to_send: VecDeque<u8>,
    prefetch: Prefetch,
    answered: VecDeque<u8>,
    /// The request whose fill `atc` has taken and not yet made visible.
    filling: Option<u8>,
    open: u32,
    timeouts: Timeouts,
    invalidations: Invalidations,
    /// The flush read has been put on `request`.
    flush_sent: bool,
    flush: Flush,
    flush_function: FunctionId,
    /// The flush of `dma` that has not been put on `request`, and whether the one that has is one of `dma`.
    path_flush: TlpDescriptor,
    of_dma: bool,
    pages: PageRequests,
    /// The message that leaves is one of `pages`.
    page_leaves: bool,
    command: Command,
    out: AtsOut,
}

impl Ats {
    fn reset(&mut self) {
        self.requests.fill(Request::default());
        self.functions.fill(FunctionCfg::default());
        self.invalidations.reset();
        self.timeouts.reset();
        (self.flush_sent, self.page_leaves) = (false, false);
        (self.flush, self.flush_function) = Default::default();
        (self.path_flush, self.of_dma) = Default::default();
        self.pages.reset();
        self.misses.iter_mut().for_each(VecDeque::clear);
        self.turn = 0;
        self.lives.reset();
        self.usable = self.tags[0];
        self.to_send.clear();
        self.prefetch.reset();
        self.answered.clear();
        self.filling = None;
        self.open = 0;
        self.command = Command::None;
        self.out = AtsOut::default();
    }

    fn granule(&self, iova: Iova) -> u64 {
        iova.0 >> self.granule_log2
    }

    fn function(&self, function: FunctionId) -> FunctionCfg {
        self.functions.get(usize::from(function.0)).copied().unwrap_or_default()
    }

    fn open(&mut self, index: usize, miss: &AtsMiss, asker: Asker) {
        let command = asker == Asker::Command;
        let key = AtcKey { iova: Iova(self.granule(miss.key.iova) << self.granule_log2), ..miss.key };
        let function = self.function(key.function);
        let spent = self.requests[index].state == State::Retired;
        let refused = match () {
            () if spent => Some(Syndrome::COMPLETION_TIMEOUT),
            () if asker == Asker::Over => Some(Syndrome::BUS_MASTER_OFF),
            () => refuses(&function, &key),
        };
        let state = if refused.is_some() { State::Answered } else { State::ToSend };
        // No more than a completion may carry (10.2.2), and not past the end of the address space.
        let most = if function.rcb { ENTRIES } else { ENTRIES / 2 };
        let left = (u64::MAX >> self.granule_log2) - self.granule(key.iova) + 1;
        let asked = if command { 1 } else { u64::from(self.entries).min(most as u64).min(left) as u8 };
        let write = miss.write;
        let sender = self.requests[index].sender;
        self.requests[index] = Request { state, key, asked, write, command, late: spent, sender, ..Request::default() };
        self.open += u32::from(!spent);
        match refused {
            Some(syndrome) => self.answer(index, syndrome, (true, true)),
            None => {
                self.to_send.push_back(index as u8);
                if !command {
                    self.expect_next(index, miss.write);
                }
            }
        }
    }

    fn send(&mut self, ready: bool, previous: TlpDescriptor) {
        self.out.request = previous;
        if previous.valid && !ready {
            return;
        }
        self.out.request = TlpDescriptor::default();
        if self.invalidations.wants_flush() || self.path_flush.valid {
            return;
        }
        let Some(index) = self.to_send.pop_front().or_else(|| self.prefetch.next()) else { return };
        let request = &mut self.requests[usize::from(index)];
        request.state = State::Sent;
        request.sender = request.key.function;
        self.timeouts.start(usize::from(index));
        self.out.request = TlpDescriptor {
            valid: true,
            op: TlpOp::READ,
            function: request.key.function,
            at: AddressType::TRANSLATION_REQUEST,
            address: TlpAddr(request.key.iova.0 | u64::from(!request.write)),
            length_dw: 2 * u16::from(request.asked),
            first_be: 0xf,
            last_be: 0xf,
            tag: self.tag_base + u16::from(index),
            pasid: request.key.pasid,
            ..TlpDescriptor::default()
        };
        self.out.stat_request = true;
        self.out.stat_prefetch = request.ahead;
    }

    /// The request ends; its segments are woken once what it brought is kept.
    fn answer(&mut self, index: usize, syndrome: Syndrome, fails: (bool, bool)) {
        let request = &mut self.requests[index];
        request.state = State::Answered;
        request.wake = AtsWake { valid: true, index: index as u8, syndrome, fail_reads: fails.0, fail_writes: fails.1 };
        self.answered.push_back(index as u8);
    }

    /// Takes a beat of a Translation Completion.
    fn complete(&mut self, cpl: &CplBeat) {
        let index = usize::from(cpl.index);
        let own = |r: &&mut Request| cpl.valid && r.sender == cpl.function;
        let Some(request) = self.requests.get_mut(index).filter(own) else { return };
        if cpl.eop {
            // The late completion of a request that timed out gives its tag back.
            request.late = false;
            if request.state == State::Retired {
                *request = Request::default();
                self.open -= 1;
                return;
            }
        }
        if request.state != State::Sent {
            return;
        }
        self.out.stat_completion = cpl.eop;
        let Some((syndrome, fails)) = request.take(cpl, self.granule_log2) else { return };
        self.out.stat_error = syndrome == Syndrome::TRANSLATION_FAILED;
        self.out.stat_no_access = !self.out.stat_error && (fails.0 || fails.1);
        self.out.stat_discard = request.discard || request.cut;
        self.answer(index, syndrome, fails);
    }

    fn end(&mut self, index: u8) {
        let request = &mut self.requests[usize::from(index)];
        if request.command {
            self.out.translated = command::told(request, self.command);
        } else {
            self.out.wake = request.wake;
        }
        if request.discard {
            (self.out.wake.fail_reads, self.out.wake.fail_writes) = (false, false);
        }
        if !(self.out.wake.fail_reads || self.out.wake.fail_writes) {
            self.out.wake.syndrome = Syndrome::OK;
        }
        if request.late {
            let Request { key, sender, .. } = *request;
            *request = Request { state: State::Retired, key, sender, ..Request::default() };
        } else {
            *request = Request::default();
            self.open -= 1;
        }
    }

    /// Ends a request whose completion is overdue.
    fn expire(&mut self, limit: u16) {
        let under_way = self.open > 0 || self.flush != Flush::Free;
        let Some(index) = self.timeouts.step(under_way, limit) else { return };
        if index == self.requests.len() {
            if self.flush == Flush::Sent {
                (self.flush, self.out.stat_timeout) = (Flush::Overdue, true);
            }
            return;
        }
        if self.requests[index].state == State::Sent {
            self.requests[index].late = true;
            self.out.stat_timeout = true;
            self.answer(index, Syndrome::COMPLETION_TIMEOUT, (true, true));
        }
    }

    /// Fills and wakes, one request at a time, in order of their answers.
    fn drain(&mut self, inp: &AtsIn, offered: AtcFill) {
        self.out.fill = offered;
        if offered.valid && inp.fill_ready {
            self.out.fill = AtcFill::default();
        }
        match self.filling {
            Some(_) if !inp.fill_done => {}
            Some(index) => self.fill_or_end(index),
            None => {
                if let Some(index) = self.answered.front().copied() {
                    self.fill_or_end(index);
                }
            }
        }
    }

    /// Offers the next translation of the answer at work, or ends its request when none is left.
    fn fill_or_end(&mut self, index: u8) {
        // A fill offered beside an invalidation could be taken after it.
        if self.invalidations.offering() {
            self.filling = None;
            return;
        }
        match self.requests[usize::from(index)].next_fill(self.granule_log2 as u8) {
            Some(fill) => {
                self.out.fill = fill;
                self.filling = Some(index);
            }
            None => {
                self.filling = None;
                self.answered.pop_front();
                self.end(index);
            }
        }
    }
}

/// Requests that have a tag, by tag width.
fn tags_of(cfg: &UnitCfg) -> [usize; 3] {
    [0, 1, 2].map(|mode| {
        let map = cfg.tags_in(mode);
        (map.data - map.ats) as usize
    })
}

impl Block for Ats {
    type In = AtsIn;
    type Out = AtsOut;

    fn new(cfg: &UnitCfg) -> Self {
        let requests = cfg.ats_requests as usize;
        Self {
            granule_log2: cfg.atc_granule_log2,
            entries: cfg.ats_entries,
            tag_base: cfg.tags().ats as u16,
            tags: tags_of(cfg),
            usable: tags_of(cfg)[0],
            functions: vec![FunctionCfg::default(); cfg.functions as usize],
            requests: vec![Request::default(); requests],
            misses: vec![VecDeque::with_capacity(2); cfg.shares().count()],
            turn: 0,
            lives: Lives::new(cfg.functions),
            shares: cfg.shares(),
            to_send: VecDeque::with_capacity(requests),
            prefetch: Prefetch::new(cfg),
            answered: VecDeque::with_capacity(requests),
            filling: None,
            open: 0,
            // The last one is the flush read's.
            timeouts: Timeouts::new(cfg.ats_requests + 1),
            invalidations: Invalidations::new(cfg),
            flush_sent: false,
            flush: Flush::default(),
            flush_function: FunctionId::default(),
            path_flush: TlpDescriptor::default(),
            of_dma: false,
            pages: PageRequests::new(cfg),
            page_leaves: false,
            command: Command::None,
            out: AtsOut::default(),
        }
    }

    fn outputs(&self, out: &mut AtsOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &AtsIn) {
        if inp.reset {
            self.reset();
            return;
        }
        let AtsOut { miss_ready, request, fill, answer, .. } = self.out;
        self.out = AtsOut { stat_busy: self.open > 0, ..AtsOut::default() };
        self.configure(&inp.cfg);
        self.drain(inp, fill);
        self.send(inp.request_ready, request);
        self.complete(&inp.cpl);
        self.expire(inp.timeout);
        let response = response_of(&inp.message);
        self.invalidate(inp, if response.is_some() { &NO_MESSAGE } else { &inp.message });
        self.page(inp, response);
        self.messages(inp.answer_ready, answer);
        if !self.open_command(&inp.translate) {
            self.place();
        }
        if miss_ready && inp.miss.valid {
            self.misses[self.shares.of(inp.miss.key.function)].push_back(inp.miss);
        }
        self.offer_room();
        // The queue has a place for every request that may be outstanding.
        self.out.message_ready = true;
    }

    fn idle_until(&self, inp: &AtsIn) -> Option<Cycle> {
        let inputs =
            inp.reset || inp.cfg.valid || inp.miss.valid || inp.cpl.valid || inp.message.valid || inp.command.valid;
        let inputs = inputs || inp.page.valid || inp.registration.valid || inp.flush.valid;
        let inputs = inputs || inp.translate.valid != (self.command != Command::None);
        // Cycles with a request in flight are counted.
        let still = self.invalidations.idle()
            && self.pages.idle()
            && !self.out.answer.valid
            && self.open == 0
            && self.flush == Flush::Free
            && !(self.path_flush.valid || self.out.flush_done.valid)
            && self.misses.iter().all(VecDeque::is_empty)
            && self.prefetch.idle()
            && self.out.stat_fields().0 == 0
            && !self.out.wake.valid
            && !self.out.translated.valid
            && self.command != Command::Wanted;
        (!inputs && still && !self.out.grant_valid).then_some(Cycle(u64::MAX))
    }
}
