//! Functions: their configuration as versions, and what it says about TLPs.

use crate::versions::{Serial, Versions, When};
use std::collections::BTreeMap;
use types::port::{FunctionCfg, WorkRequest};
use types::{FunctionId, Op, PasidPrefix, Region, RequesterId};

/// Configuration of every function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Functions(BTreeMap<FunctionId, Versions<FunctionCfg>>);

impl Functions {
    /// A configuration took effect. Whether it turned ATS on.
    pub(crate) fn configure(&mut self, cfg: FunctionCfg, now: Serial, oldest: Serial) -> bool {
        let versions = self.0.entry(cfg.function).or_default();
        let was_on = versions.current().is_some_and(|c| c.ats_enable);
        versions.push(cfg, now);
        versions.retire(now, now, oldest);
        cfg.ats_enable && !was_on
    }

    /// A function-level reset clears the enables.
    pub(crate) fn reset(&mut self, function: FunctionId, now: Serial, oldest: Serial) {
        if let Some(current) = self.get(function) {
            let cleared = FunctionCfg { function, requester: current.requester, ..FunctionCfg::default() };
            self.configure(cleared, now, oldest);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn get(&self, function: FunctionId) -> Option<&FunctionCfg> {
        self.0.get(&function).and_then(Versions::current)
    }

    /// The function with a requester ID.
    pub(crate) fn of(&self, requester: RequesterId) -> Option<&FunctionCfg> {
        self.0.values().filter_map(Versions::current).find(|c| c.requester == requester)
    }

    /// Whether a configuration since `serial` satisfies `test`; a function never configured has everything off.
    pub(crate) fn was(&self, function: FunctionId, serial: Serial, test: impl Fn(&FunctionCfg) -> bool) -> bool {
        match self.0.get(&function) {
            Some(versions) => versions.seen(When::Since(serial)).any(test),
            None => test(&FunctionCfg::default()),
        }
    }
}

/// The PASID prefix of an untranslated request or a Translation Request: what the region says, where the function has
/// it enabled; `reads` from [`executes`]. A translated request carries none (Translated Requests with PASID is
/// not a capability of this unit).
pub(crate) fn prefix(cfg: &FunctionCfg, region: PasidPrefix, reads: bool) -> PasidPrefix {
    if !(cfg.pasid_enable && region.valid) {
        return PasidPrefix::default();
    }
    PasidPrefix {
        valid: true,
        pasid: region.pasid,
        exec: region.exec && cfg.pasid_exec_enable && reads,
        privileged: region.privileged && cfg.pasid_priv_enable,
    }
}

/// Whether a request asks for Execute where its region says so: a read of at least a byte (PCIe 6.x 6.20.2).
pub(crate) fn executes(wr: &WorkRequest) -> bool {
    wr.op == Op::READ && wr.length.0 > 0
}

/// Whether accesses of a region need a PASID prefix that the function may not send: they are refused, for without it
/// they would go to another address space.
pub(crate) fn pasid_off(cfg: &FunctionCfg, region: &Region) -> bool {
    region.pasid.valid && !cfg.pasid_enable
}

/// A prefix with nothing in it when it is not there, so that two can be compared.
pub(crate) fn seen_prefix(prefix: PasidPrefix) -> PasidPrefix {
    if prefix.valid { prefix } else { PasidPrefix::default() }
}
