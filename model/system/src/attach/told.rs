//! What is told of a run: events of the driver, counters.

use super::revoke::News;
use super::{System, coherent, page_events};
use crate::driver::registers::{self, Access};
use crate::observer::Observer;
use crate::statistics::Statistics;
use types::port::{UnitIn, UnitOut};
use types::{Block, Event};

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<U>> System<U, O> {
    /// Counters of unit and fabric so far.
    pub fn statistics(&mut self) -> Statistics {
        let mut out = self.counter.totals(self.cfg.unit_cfg());
        let (iommu, root) = (self.fabric.iommu_counts(), self.fabric.root_counts());
        let (answered, refused) = self.fabric.agent_counts();
        let pages = self.fabric.page_counts();
        let (up, down) = self.fabric.link_counts();
        for (key, value) in [
            ("iommu.hit", iommu.hit),
            ("iommu.miss", iommu.miss),
            ("iommu.unmapped", iommu.unmapped),
            ("iommu.refused", iommu.refused),
            ("agent.answered", answered),
            ("agent.refused", refused),
            ("pager.requests", pages.requests),
            ("pager.refused", pages.refused),
            ("pager.stop_markers", pages.stop_markers),
            ("driver.page_events", self.page_events.served()),
            ("driver.filled", self.coherent.filled()),
            ("root.dropped_writes", root.dropped_writes),
            ("root.refused_reads", root.refused_reads),
            ("root.peer_reads", root.peer_reads),
            ("root.peer_writes", root.peer_writes),
            ("link.up_tlps", up.tlps),
            ("link.up_tlp_bytes", up.tlp_bytes),
            ("link.up_payload_bytes", up.payload_bytes),
            ("link.up_dllp_bytes", up.dllp_bytes),
            ("link.down_tlps", down.tlps),
            ("link.down_tlp_bytes", down.tlp_bytes),
            ("link.down_payload_bytes", down.payload_bytes),
            ("link.down_dllp_bytes", down.dllp_bytes),
        ] {
            out.push(key, value);
        }
        out
    }
}

/// What an observer is told of a register access that has ended.
pub(super) fn told(
    access: &Access,
    news: Option<News>,
    events: Option<page_events::News>,
    filling: Option<coherent::News>,
    mut tell: impl FnMut(&Event<'_>),
) {
    match filling {
        Some(coherent::News::Asked { function, pasid, iova, no_write }) => {
            tell(&Event::TranslationAsked { function, pasid, iova, no_write });
        }
        Some(coherent::News::Filled { key, page, entry }) => tell(&Event::PageMapped { key, page, entry }),
        None => {}
    }
    match news {
        Some(News::Started(key, flush)) => tell(&Event::RevocationStarted { key, flush }),
        Some(News::Reported(key)) => tell(&Event::RevocationReported { key }),
        None => {}
    }
    match events {
        Some(page_events::News::Enabled(on)) => tell(&Event::PageEvents(on)),
        Some(page_events::News::Answered { index, refuse }) => tell(&Event::PageEventAnswered { index, refuse }),
        Some(page_events::News::CommandDone | page_events::News::Stale(_)) | None => {}
    }
    if let Access::Write { offset: registers::CONTROL, value } = access {
        tell(&Event::DefaultMode(types::Mode::from_bits((value >> 1) as u8)));
    }
}
