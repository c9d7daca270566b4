//! Which translated requests the switch sends straight to a peer, and why the others take the way through the root.

use crate::config::SwitchConfig;
use types::{AddressType, RequesterId};

/// Requests of the NIC to the GPU that went the long way although they were translated, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedirectCounts {
    /// ACS redirects: Direct Translated P2P is off.
    pub acs: u64,
    /// The look-up table of the switch has no entry left for the requester.
    pub lut: u64,
}

/// The rule, and the look-up table of requesters.
#[derive(Clone, Debug)]
pub(super) struct Redirect {
    direct: bool,
    entries: usize,
    lut: Vec<RequesterId>,
    counts: RedirectCounts,
}

impl Redirect {
    pub(super) fn new(cfg: &SwitchConfig) -> Self {
        let entries = cfg.lut_entries as usize;
        Self {
            direct: cfg.direct_translated,
            entries,
            lut: Vec::with_capacity(entries),
            counts: RedirectCounts::default(),
        }
    }

    /// Whether a request that is for a peer may go there at once.
    pub(super) fn straight(&self, at: AddressType, requester: RequesterId) -> bool {
        let room = self.entries == 0 || self.lut.len() < self.entries || self.lut.contains(&requester);
        at == AddressType::TRANSLATED && self.direct && room
    }

    /// A request for a peer has left: the first of a requester that goes straight takes an entry.
    pub(super) fn sent(&mut self, at: AddressType, requester: RequesterId) {
        if self.straight(at, requester) {
            if self.entries > 0 && !self.lut.contains(&requester) {
                self.lut.push(requester);
            }
        } else if at == AddressType::TRANSLATED {
            let cause = if self.direct { &mut self.counts.lut } else { &mut self.counts.acs };
            *cause += 1;
        }
    }

    pub(super) fn counts(&self) -> RedirectCounts {
        self.counts
    }
}
