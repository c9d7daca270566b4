//! The two message streams of `ats`: which part a message that arrives is for, and which part sends the next one.

use super::Ats;
use super::page_request::function_of;
use types::port::{AtsIn, MessageTlp, TlpDescriptor};
use types::pri::PageResponse;
use types::tlp::{Tlp, message_code};
use types::{Header, Pasid, PasidPrefix};

impl Ats {
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
