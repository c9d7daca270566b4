//! The two message streams of `ats`: which part a message that arrives is for, and which part sends the next one.

use super::Ats;
use super::invalidate::{Events, Inputs};
use super::page_request::function_of;
use super::request::State;
use types::port::{AtsIn, CplBeat, MessageTlp, TlpDescriptor};
use types::pri::PageResponse;
use types::tlp::{Tlp, message_code, status};
use types::{Header, Pasid, PasidPrefix, RequesterId};

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
        let flushed = self.flushed(&inp.cpl);
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
            mpt_done: inp.mpt_revoke_done,
            mtt_done: inp.mtt_revoke_done,
            flushed,
            flush_taken: self.flush_sent,
            flush_retired: self.flush == Flush::Retired,
            fills_quiet: self.filling.is_none(),
            judging: inp.judging && !self.pages.holds_engine(),
            renewed: inp.renewed,
        };
        let Events { taken, accepted, dropped, answered, command_done, failed, flush } =
            self.invalidations.step(&inputs, find);
        // The flush read goes before Translation Requests that wait.
        self.flush_sent = flush.is_some() && !self.out.request.valid;
        if let Some(flush) = flush.filter(|_| self.flush_sent) {
            self.out.request = flush;
            self.flush = Flush::Sent;
            self.timeouts.start(self.requests.len());
        }
        self.out.command_done = command_done;
        self.out.command_failed = failed;
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
        self.out.invalidated = self.invalidations.invalidated();
    }

    /// Whether the flush read has come back, and whether it succeeded.
    fn flushed(&mut self, cpl: &CplBeat) -> Option<bool> {
        let own = cpl.valid && cpl.eop && usize::from(cpl.index) == self.requests.len();
        match (self.flush, own) {
            (Flush::Sent, true) => {
                self.flush = Flush::Free;
                Some(cpl.status == status::SC && !cpl.poisoned)
            }
            (Flush::Overdue, late) => {
                self.flush = if late { Flush::Free } else { Flush::Retired };
                Some(false)
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
