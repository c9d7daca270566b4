//! Flow control credits: headers, and data in units of 16 bytes (PCIe 6.x 2.6.1).

use super::Breach;
use super::wire::{Kind, Wire};
use types::port::Credits;

/// One credit class.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    granted: u64,
    used: u64,
}

impl Account {
    fn spend(&mut self, class: &'static str, amount: u64) -> Result<(), Breach> {
        self.used += amount;
        if self.used <= self.granted {
            return Ok(());
        }
        Err(Breach::Credits { class, used: self.used, granted: self.granted })
    }
}

/// Granted and used credits of the classes that the unit sends in.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    ph: Account,
    pd: Account,
    nph: Account,
    npd: Account,
}

impl Ledger {
    pub(super) fn grant(&mut self, more: &Credits) {
        self.ph.granted += u64::from(more.ph);
        self.pd.granted += u64::from(more.pd);
        self.nph.granted += u64::from(more.nph);
        self.npd.granted += u64::from(more.npd);
    }

    /// A TLP left: one header credit, and a data credit for each 16 bytes begun.
    pub(super) fn spend(&mut self, wire: &Wire, kind: Kind) -> Result<(), Breach> {
        let data = if wire.has_data() { u64::from(wire.length_dw()).div_ceil(4) } else { 0 };
        match kind {
            Kind::Write | Kind::Message => {
                self.ph.spend("PH", 1)?;
                self.pd.spend("PD", data)
            }
            Kind::Read | Kind::Atomic | Kind::Completion => {
                self.nph.spend("NPH", 1)?;
                self.npd.spend("NPD", data)
            }
        }
    }
}
