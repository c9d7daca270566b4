//! Translations that the driver has the unit ask for, to fill the MTT entries of coherent regions.
//!
//! What the driver then writes into an entry is not looked at. "AT is set only for addresses that came through ATS" (PCIe
//! 6.x 10.1.2) holds for a coherent region as for one in mode ats: its GPU pages may be accessed at the bus addresses that
//! Translation Completions for the function have named, and no longer once an invalidation of them is complete.

use crate::function::{prefix, seen_prefix};
use types::port::FunctionCfg;
use types::{FunctionId, Iova, PasidPrefix};

#[derive(Clone, Copy, Debug)]
struct Command {
    function: FunctionId,
    pasid: PasidPrefix,
    iova: Iova,
    no_write: bool,
}

/// The command whose Translation Request has not been seen: one is under way at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands(Option<Command>);

impl Commands {
    pub(crate) fn add(&mut self, function: FunctionId, pasid: PasidPrefix, iova: Iova, no_write: bool) {
        self.0 = Some(Command { function, pasid: seen_prefix(pasid), iova, no_write });
    }

    /// Whether a Translation Request for one unit is that of the command, which is then over.
    pub(crate) fn take(&mut self, cfg: &FunctionCfg, unit: (Iova, Iova), (scope, nw): (PasidPrefix, bool)) -> bool {
        let named = |c: &mut Command| {
            let own = prefix(cfg, c.pasid, false);
            (c.function, own, c.no_write) == (cfg.function, scope, nw) && (unit.0..=unit.1).contains(&c.iova)
        };
        self.0.take_if(named).is_some()
    }

    /// A function was reset.
    pub(crate) fn forget(&mut self, function: FunctionId) {
        self.0.take_if(|c| c.function == function);
    }
}
