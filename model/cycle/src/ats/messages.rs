//! The two message streams of `ats`: which part a message that arrives is for, and which part sends the next one; and the
//! tag of flushes, which revocations and `dma` share.

use super::Ats;
use super::invalidate::{Events, Inputs};
use super::page_request::function_of;
use super::request::State;
use types::port::{AtsIn, CplBeat, FlushDone, FunctionCfg, MessageTlp, TlpDescriptor};
use types::pri::PageResponse;
use types::tlp::{Tlp, message_code, status};
use types::{AddressType, Header, Pasid, PasidPrefix, RequesterId, Syndrome};

/// The tag of the flush read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flush {
    #[default]
    Free,
    Sent,
    /// It has timed out at the edge before: its command ends as failed.
    Overdue,
    /// Kept back until its late completion; a command that wants a flush meanwhile fails.
    Retired,
}

impl Ats {
    /// Invalidations and revocations, and the flush read of one.
    pub(super) fn invalidate(&mut self, inp: &AtsIn, message: &MessageTlp) {
        let mut flushed = self.flushed(&inp.cpl);
        if self.of_dma
            && let Some(syndrome) = flushed.take()
        {
            self.out.flush_done = FlushDone { valid: true, syndrome };
        }
        let functions = &self.functions;
        let find = |id: RequesterId| function_of(functions, id);
        let inputs = Inputs {
            message,
            answer_ready: inp.answer_ready && !self.page_leaves,
            invalidate_ready: inp.invalidate_ready,
            invalidate_done: inp.invalidate_done,
            drained: inp.drained,
            sent: inp.sent,
            command: &inp.command,
            registration: &inp.registration,
            mpt_done: inp.mpt_revoke_done,
            mtt_done: inp.mtt_revoke_done,
            flushed: flushed.map(Syndrome::is_ok),
            flush_taken: self.flush_sent,
            flush_retired: self.flush == Flush::Retired,
            fills_quiet: self.filling.is_none(),
            judging: inp.judging && !self.pages.holds_engine(),
            renewed: inp.renewed,
        };
        let Events { taken, accepted, dropped, answered, command_done, failed, flush, registration } =
            self.invalidations.step(&inputs, find);
        self.flush_sent = flush.is_some_and(|flush| self.send_flush(flush, false));
        if !self.flush_sent {
            self.send_path_flush();
        }
        if inp.flush.valid {
            self.path_flush = inp.flush;
        }
        self.out.command_done = command_done && !registration;
        self.out.command_failed = failed && !registration;
        self.out.registration_done = command_done && registration;
        self.out.registration_failed = failed && registration;
        self.out.stat_revocation = command_done;
        self.out.revoke = self.invalidations.revoke();
        self.out.revoked = self.invalidations.revoked();
        if let Some(invalidate) = taken {
            for request in &mut self.requests {
                let less = request.compare(&invalidate, self.granule_log2);
                self.out.stat_discard |= less && request.state == State::Answered;
            }
        }
        self.out.stat_invalidate_request = accepted;
        self.out.stat_invalidate_completion = answered;
        self.out.stat_message_dropped = dropped;
        self.out.invalidate = self.invalidations.offer();
        self.out.invalidate_implicit = self.invalidations.offers_implicit();
        self.out.invalidated = self.invalidations.invalidated();
    }

    /// Puts a flush read on `request`, before Translation Requests that wait, where its tag is free. Returns whether it did.
    fn send_flush(&mut self, flush: TlpDescriptor, of_dma: bool) -> bool {
        let free = self.flush == Flush::Free && !self.out.request.valid;
        if free {
            self.out.request = flush;
            (self.flush, self.of_dma, self.flush_function) = (Flush::Sent, of_dma, flush.function);
            self.timeouts.start(self.requests.len());
        }
        free
    }

    /// The same for the flush of `dma`, which ends where its tag may never come back.
    fn send_path_flush(&mut self) {
        if !self.path_flush.valid {
            return;
        }
        let flush = TlpDescriptor { tag: self.invalidations.flush_tag(), ..self.path_flush };
        if self.flush == Flush::Retired {
            self.out.flush_done = FlushDone { valid: true, syndrome: Syndrome::COMPLETION_TIMEOUT };
            self.path_flush = TlpDescriptor::default();
        } else if self.send_flush(flush, true) {
            self.path_flush = TlpDescriptor::default();
        }
    }

    /// The flush of `dma` has not been sent, and its function may not send it any more, or was reset: it ends.
    pub(super) fn silence_flush(&mut self, cfg: &FunctionCfg) {
        let flush = &self.path_flush;
        let syndrome = match flush.at {
            _ if cfg.reset || !cfg.bus_master => Syndrome::BUS_MASTER_OFF,
            AddressType::TRANSLATED if !cfg.ats_enable => Syndrome::ATS_OFF,
            _ if flush.pasid.valid && !cfg.pasid_enable => Syndrome::PASID_OFF,
            _ => return,
        };
        if flush.valid && flush.function == cfg.function {
            self.out.flush_done = FlushDone { valid: true, syndrome };
            self.path_flush = TlpDescriptor::default();
        }
    }

    /// How the flush read that has come back has ended.
    fn flushed(&mut self, cpl: &CplBeat) -> Option<Syndrome> {
        let own = cpl.valid && cpl.eop && usize::from(cpl.index) == self.requests.len();
        let own = own && cpl.function == self.flush_function;
        match (self.flush, own) {
            (Flush::Sent, true) => {
                self.flush = Flush::Free;
                Some(match cpl.status {
                    status::SC if cpl.poisoned => Syndrome::POISONED,
                    status::SC => Syndrome::OK,
                    status::CA => Syndrome::COMPLETER_ABORT,
                    status::RRS => Syndrome::MALFORMED_COMPLETION,
                    _ => Syndrome::UNSUPPORTED_REQUEST,
                })
            }
            (Flush::Overdue, late) => {
                self.flush = if late { Flush::Free } else { Flush::Retired };
                Some(Syndrome::COMPLETION_TIMEOUT)
            }
            (Flush::Retired, true) => {
                self.flush = Flush::Free;
                None
            }
            _ => None,
        }
    }

    /// Page Requests: segments that may wait for a page, and the responses.
    pub(super) fn page(&mut self, inp: &AtsIn, response: Option<(PageResponse, PasidPrefix)>) {
        let response = response.map(|(r, pasid)| (r, function_of(&self.functions, r.target), pasid));
        let events = self.pages.step(&inp.page, response, &self.functions);
        self.out.stat_page_response = events.response;
        self.out.stat_message_dropped |= events.dropped;
        self.out.stat_stall_page = events.put_back;
        self.out.page_ready = self.pages.ready();
        self.out.page_answer = self.pages.answer();
        self.out.page_wake = self.pages.wake();
    }

    /// What leaves as a message: Invalidate Completions and Page Requests in turn.
    pub(super) fn messages(&mut self, ready: bool, previous: TlpDescriptor) {
        if previous.valid && !ready {
            self.out.answer = previous;
            return;
        }
        let completion = self.invalidations.answer();
        let turn = !(self.page_leaves && completion.valid);
        self.page_leaves = false;
        if turn && let Some(page) = self.pages.message(&self.functions) {
            self.page_leaves = true;
            self.out.stat_page_request = true;
            self.out.answer = page;
            return;
        }
        self.out.answer = completion;
    }
}

/// Stands in for a message that is not for the invalidations.
pub(super) const NO_MESSAGE: MessageTlp = MessageTlp {
    valid: false,
    hdr: Header([0; 4]),
    data: 0,
    pasid: PasidPrefix { valid: false, pasid: Pasid(0), exec: false, privileged: false },
};

/// The PRG Response that a message is, if it is one, and its prefix.
pub(super) fn response_of(message: &MessageTlp) -> Option<(PageResponse, PasidPrefix)> {
    let code = message.hdr.0[1] as u8;
    if !message.valid || code != message_code::PRG_RESPONSE {
        return None;
    }
    let tlp = Tlp::parse(message.hdr, message.pasid).ok()?;
    PageResponse::of(&tlp).map(|response| (response, message.pasid))
}
