//! Invalidate Completions that are made up: they leave before what they have to wait for, and the unit's own are swallowed;
//! or they answer Invalidate Requests that the unit never saw.

use std::collections::VecDeque;
use types::port::{MessageTlp, TlpBeat, UnitIn, UnitOut};
use types::tlp::{Attributes, Body, Routing, Tlp, message_code};
use types::{Header, RequesterId, Tag};

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Early {
    /// The unit's own completions do not leave.
    pub(super) swallow: bool,
    /// Completions to put in.
    forged: VecDeque<Header>,
    /// A TLP of the unit is under way, so that nothing can be put in.
    inside: bool,
    /// The beat on the pins is made up, in this cycle.
    showing: bool,
    /// Posted TLPs that were taken, in order: whether they are the unit's own.
    own: VecDeque<bool>,
    /// Sequence numbers of swallowed TLPs, to be reported as sent.
    swallowed: VecDeque<u8>,
}

fn completion(beat: &TlpBeat) -> bool {
    let tlp = Tlp::parse(beat.hdr, beat.pasid);
    let code = tlp.map(|t| if let Body::Message { code, .. } = t.body { code } else { 0 });
    beat.valid && beat.sop && code == Ok(message_code::INVALIDATE_COMPLETION)
}

impl Early {
    pub(super) fn outputs(&self, out: &mut UnitOut) {
        if self.showing
            && let Some(hdr) = self.forged.front()
        {
            out.tx_wr_req_tlp = TlpBeat { valid: true, sop: true, eop: true, hdr: *hdr, ..TlpBeat::default() };
        } else if self.swallow && completion(&out.tx_wr_req_tlp) {
            out.tx_wr_req_tlp = TlpBeat::default();
        }
    }

    pub(super) fn inputs(&mut self, inp: &mut UnitIn, own: &UnitOut) {
        self.sent(inp);
        let ready = inp.tx_wr_req_tlp_ready;
        let beat = own.tx_wr_req_tlp;
        if self.showing {
            // The unit's own beat waits.
            inp.tx_wr_req_tlp_ready = false;
            if ready {
                self.forged.pop_front();
                self.own.push_back(false);
                self.showing = false;
            }
        } else if self.swallow && completion(&beat) {
            inp.tx_wr_req_tlp_ready = true;
            self.swallowed.push_back(beat.seq);
        } else if beat.valid && ready {
            self.inside = !beat.eop;
            if beat.eop {
                self.own.push_back(true);
            }
        }
        // A made-up one keeps the rules of credits: the unit may be offering a TLP beside it.
        self.showing = !self.forged.is_empty() && !self.inside && inp.tx_fc.ph > 1;
    }

    /// Makes up the completion of an Invalidate Request.
    pub(super) fn answer(&mut self, message: &MessageTlp) {
        if let Ok(Tlp { body: Body::Message { requester, tag, dw2, .. }, .. }) = Tlp::parse(message.hdr, message.pasid)
        {
            self.forged.push_back(forged(requester, tag, dw2));
        }
    }

    /// Hides the notification of a TLP that was made up, and makes up that of one that was swallowed.
    fn sent(&mut self, inp: &mut UnitIn) {
        if inp.tx_wr_sent_valid && self.own.pop_front() == Some(false) {
            inp.tx_wr_sent_valid = false;
        }
        if !inp.tx_wr_sent_valid
            && let Some(seq) = self.swallowed.pop_front()
        {
            (inp.tx_wr_sent_valid, inp.tx_wr_sent_seq) = (true, seq);
        }
    }
}

fn forged(agent: RequesterId, itag: Tag, dw2: u32) -> Header {
    let body = Body::Message {
        with_data: false,
        routing: Routing::ById,
        requester: RequesterId((dw2 >> 16) as u16),
        tag: Tag(0),
        code: message_code::INVALIDATE_COMPLETION,
        dw2: u32::from(agent.0) << 16 | 1,
        dw3: 1 << (itag.0 & 31),
    };
    let attributes = Attributes::default();
    Tlp { tc: 0, attributes, poisoned: false, length_dw: 0, body, pasid: Default::default() }.header()
}
