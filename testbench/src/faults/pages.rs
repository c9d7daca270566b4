//! Faults around Page Requests and driver events.

use super::Fault;
use super::pins::Plant;
use system::driver::registers;
use types::port::{FunctionCfg, MessageTlp, UnitIn, UnitOut};
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::Tlp;

/// What it remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asking {
    /// Groups whose response is owed.
    open: u32,
    /// Group of the last Page Request.
    last: u16,
}

impl Asking {
    /// A message of the unit has left.
    pub(super) fn left(&mut self, tlp: &Tlp) {
        if let Some(request) = PageRequest::of(tlp).filter(|r| !r.is_stop_marker(tlp.pasid)) {
            self.open += 1;
            self.last = request.group;
        }
    }
}

/// The PRG Response that a message is.
fn response(message: &MessageTlp) -> Option<(Tlp, PageResponse)> {
    let tlp = message.valid.then(|| Tlp::parse(message.hdr, message.pasid).ok())??;
    PageResponse::of(&tlp).map(|response| (tlp, response))
}

impl Plant {
    pub(super) fn page_configuration(&self, cfg: &mut FunctionCfg) {
        match self.fault {
            Fault::PageCreditsIgnored => cfg.pri_allocation = u16::MAX,
            Fault::PageEnableIgnored => (cfg.pri_enable, cfg.pri_allocation) = (true, 16),
            _ => {}
        }
    }

    /// Changes what the unit is shown of the message in this cycle.
    pub(super) fn page_message(&mut self, inp: &mut UnitIn, own: &UnitOut, shown: &UnitOut) {
        let arrives = response(&inp.rx_msg_tlp);
        let taken = shown.rx_msg_tlp_ready && arrives.is_some();
        self.asking_pages.open = self.asking_pages.open.saturating_sub(u32::from(taken));
        if self.fault == Fault::DrainWaitsForPage {
            self.withhold(inp, own, arrives.is_some());
            return;
        }
        let Some((tlp, mut response)) = arrives else { return };
        match self.fault {
            Fault::PageResponseLost => {
                inp.rx_msg_tlp = MessageTlp::default();
                return;
            }
            Fault::PageResponseTrusted => response.code = ResponseCode::SUCCESS,
            Fault::PageGroupIgnored => response.group = self.asking_pages.last,
            _ => return,
        }
        let types::tlp::Body::Message { requester, .. } = tlp.body else { return };
        inp.rx_msg_tlp.hdr = response.message(requester, tlp.pasid).header();
    }

    /// Invalidate Requests are accepted, and shown to the unit once no page is being asked for.
    fn withhold(&mut self, inp: &mut UnitIn, own: &UnitOut, page: bool) {
        if page {
            return;
        }
        if inp.rx_msg_tlp.valid && own.rx_msg_tlp_ready {
            self.withheld.push_back(inp.rx_msg_tlp);
        }
        inp.rx_msg_tlp = match self.withheld.front() {
            Some(message) if self.asking_pages.open == 0 => *message,
            _ => MessageTlp::default(),
        };
        if inp.rx_msg_tlp.valid && own.rx_msg_tlp_ready {
            self.withheld.pop_front();
        }
    }

    pub(super) fn page_register(&self, inp: &mut UnitIn) {
        if self.fault == Fault::ResumeIgnored && self.register == registers::EVENT_RESUME {
            inp.axil_wdata ^= 1 << 10;
        }
    }

    pub(super) fn page_header(&self, tlp: &mut Tlp) {
        let Some(request) = PageRequest::of(tlp).filter(|_| self.fault == Fault::PageGroupStuck) else { return };
        if let types::tlp::Body::Message { requester, .. } = tlp.body {
            *tlp = PageRequest { group: 0, ..request }.message(requester, tlp.pasid);
        }
    }
}
