//! The host's side of the Page Request Interface (PCIe 6.x 10.4): pages that are asked for come after a while, or do not.

use super::completer::{Completer, Reply};
use super::iommu::Iommu;
use super::packet::Packet;
use super::root::ROOT_ID;
use crate::config::{IommuConfig, PageAnswer};
use crate::time::Time;
use std::collections::BTreeMap;
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::Body;
use types::{RequesterId, Tlp};

/// Counters of the pager.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Page Requests that reached the host.
    pub requests: u64,
    /// Groups answered with anything but success.
    pub refused: u64,
    /// Stop Markers.
    pub stop_markers: u64,
}

/// Serves Page Requests.
#[derive(Clone, Debug)]
pub(super) struct Pager {
    latency: Time,
    answer: PageAnswer,
    /// Worst outcome so far of each group whose last request has not been served.
    open: BTreeMap<(RequesterId, u16), ResponseCode>,
    counts: PageCounts,
}

impl Pager {
    pub(super) fn new(cfg: &IommuConfig) -> Self {
        let latency = Time::from_ns(cfg.page_ns);
        Self { latency, answer: cfg.page_answer, open: BTreeMap::new(), counts: PageCounts::default() }
    }

    pub(super) fn counts(&self) -> PageCounts {
        self.counts
    }

    /// What is answered from now on.
    pub(super) fn set_answer(&mut self, answer: PageAnswer) {
        self.answer = answer;
    }

    /// A Page Request or a Stop Marker reached the host at `now`.
    pub(super) fn request(&mut self, now: Time, tlp: &Tlp, completer: &mut Completer) {
        if PageRequest::of(tlp).is_some_and(|r| r.is_stop_marker(tlp.pasid)) {
            self.counts.stop_markers += 1;
            return;
        }
        self.counts.requests += 1;
        completer.schedule(now + self.latency, Reply::Page(*tlp));
    }

    /// The time of a request has come: the response, if it is the last of its group.
    pub(super) fn serve(&mut self, tlp: &Tlp, iommu: &mut Iommu) -> Option<Packet> {
        let (Some(request), Body::Message { requester, .. }) = (PageRequest::of(tlp), tlp.body) else { return None };
        let code = match self.answer {
            PageAnswer::Fail => ResponseCode::FAILURE,
            PageAnswer::Map if iommu.page_in(request.address, tlp.pasid, request.read, request.write) => {
                ResponseCode::SUCCESS
            }
            _ => ResponseCode::INVALID,
        };
        let worst = self.open.entry((requester, request.group)).or_default();
        worst.0 = worst.0.max(code.0);
        if !request.last {
            return None;
        }
        let code = self.open.remove(&(requester, request.group)).unwrap_or(code);
        self.counts.refused += u64::from(code != ResponseCode::SUCCESS);
        let response = PageResponse { target: requester, code, group: request.group };
        // The prefix of the request: PRG Response PASID Required.
        let tlp = response.message(ROOT_ID, tlp.pasid);
        Some(Packet { tlp, payload: Vec::new() })
    }
}
