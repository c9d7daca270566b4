//! The counters of unit and fabric, by name.

use super::System;
use crate::observer::Observer;
use crate::statistics::Statistics;
use types::Block;
use types::port::{UnitIn, UnitOut};

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<U>> System<U, O> {
    /// Counters of unit and fabric so far.
    pub fn statistics(&mut self) -> Statistics {
        let mut out = self.counter.totals(self.cfg.unit_cfg());
        let (iommu, root) = (self.fabric.iommu_counts(), self.fabric.root_counts());
        let (answered, refused) = self.fabric.agent_counts();
        let pages = self.fabric.page_counts();
        let (up, down) = self.fabric.link_counts();
        let redirected = self.fabric.redirect_counts();
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
            ("switch.redirected_acs", redirected.acs),
            ("switch.redirected_lut", redirected.lut),
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
