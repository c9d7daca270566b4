//! Independent checker of the rules that every TLP at the unit's edge must keep, whatever it is for.
//!
//! It shares neither code nor knowledge with the golden judge: it reads raw header DWs itself, knows nothing of regions
//! and translations, and checks what a PCIe protocol analyser would.
//!
//! | rule | source (PCIe 6.x) | part |
//! |---|---|---|
//! | known Fmt and Type, reserved fields zero, 3DW header below 4 GiB | 2.2.1, 2.2.4.1 | `wire`, `request` |
//! | payload as long as the header says | 2.2.2 | `request`, `completion` |
//! | writes within MPS, reads within MRRS, no crossing of 4 KiB | 2.2.2, 2.2.7 | `request` |
//! | byte enables | 2.2.5 | `request` |
//! | atomics: operand sizes, alignment, requester enable | 2.2.7.1, 6.15 | `request` |
//! | AT by kind, Translation Requests, PASID prefix | 10.2.1, 10.2.2, 6.20 | `request` |
//! | requester known and allowed to send | 2.2.6, 7.5.1 | `request` |
//! | tag within the width, not in use | 2.2.6.2 | `completion` |
//! | completions: byte count, lower address, RCB, length | 2.2.9, 2.3.1 | `completion` |
//! | credits | 2.6.1 | `credits` |
//! | order within a stream, against the order of issue | – | `order` |
//!
//! Beside it [`Share`] watches that no function is held up by those of another partition.

mod breach;
mod completion;
mod credits;
mod order;
mod request;
mod share;
#[cfg(test)]
mod tests;
mod wire;

pub use breach::Breach;
pub use order::Direction;
pub use share::{Blocked, Share};

use std::collections::BTreeMap;
use types::port::{Credits, FunctionCfg};
use types::{ByteCount, Header, PasidPrefix, RequesterId, TlpAddr};
use wire::{Kind, Wire};

/// What the checker is told before the first TLP.
#[derive(Clone, Debug, Default)]
pub struct CheckerConfig {
    /// Configuration of each function; [`Checker::configure`] changes it.
    pub functions: Vec<FunctionCfg>,
    /// Credits granted at link initialisation.
    pub credits: Credits,
    /// Memory that is read for the unit's own purposes (tables), outside the order of any stream.
    pub tables: Vec<(TlpAddr, ByteCount)>,
    /// Posted and non-posted TLPs of a function that may be on their way out when its enables are cleared.
    pub committed: (u32, u32),
}

/// The checker of one link.
#[derive(Debug)]
pub struct Checker {
    functions: BTreeMap<RequesterId, FunctionCfg>,
    credits: credits::Ledger,
    live: completion::Live,
    order: order::Order,
    tables: Vec<(TlpAddr, ByteCount)>,
    committed: (u32, u32),
    /// Those of each function that may still come, posted and not.
    late: BTreeMap<RequesterId, (u32, u32)>,
}

impl Checker {
    /// A checker of a fresh link.
    pub fn new(config: CheckerConfig) -> Self {
        let mut checker = Self {
            functions: BTreeMap::new(),
            credits: credits::Ledger::default(),
            live: completion::Live::default(),
            order: order::Order::default(),
            tables: config.tables,
            committed: config.committed,
            late: BTreeMap::new(),
        };
        config.functions.iter().for_each(|f| checker.configure(f));
        checker.credits(&config.credits);
        checker
    }

    /// A function's configuration took effect.
    pub fn configure(&mut self, cfg: &FunctionCfg) {
        let was = self.functions.values().find(|f| f.function == cfg.function);
        let cleared = |f: &FunctionCfg| {
            f.bus_master && !cfg.bus_master || f.ats_enable && !cfg.ats_enable || f.atomic_enable && !cfg.atomic_enable
        };
        if was.is_some_and(cleared) {
            self.late.insert(cfg.requester, self.committed);
        }
        self.functions.retain(|_, f| f.function != cfg.function);
        self.functions.insert(cfg.requester, *cfg);
    }

    /// The link partner granted more credits: headers, and data in units of 16 bytes.
    pub fn credits(&mut self, granted: &Credits) {
        self.credits.grant(granted);
    }

    /// The accesses of one direction that a stream issues next, in order: `length` bytes from `address`. Until they have
    /// been sent, ranges of different streams must not overlap, or the order could not be told.
    pub fn issued(
        &mut self,
        stream: types::StreamId,
        direction: Direction,
        address: TlpAddr,
        length: types::Length,
    ) -> Result<(), Breach> {
        self.order.issue(stream, direction, address, length)
    }

    /// A TLP left the unit: four header DWs (the fourth zero in a 3DW header), payload, PASID prefix.
    pub fn tlp_out(&mut self, header: &Header, payload: &[u8], pasid: PasidPrefix) -> Result<(), Breach> {
        let wire = Wire(header.0);
        let kind = wire.kind().ok_or(Breach::UnknownType { seen: wire.fmt_type() })?;
        wire.payload_fits(payload)?;
        wire.reserved_are_zero(kind)?;
        match kind {
            Kind::Completion => return Err(Breach::NotARequester),
            Kind::Message => self.message(&wire)?,
            Kind::Read | Kind::Write | Kind::Atomic => self.memory(&wire, kind, pasid)?,
        }
        self.credits.spend(&wire, kind)?;
        if matches!(kind, Kind::Read | Kind::Atomic) {
            self.live.insert(&wire, kind)?;
        }
        self.in_order(&wire, kind)
    }

    /// A TLP reached the unit. An error here is one of the surroundings; the checker goes on as a requester would: an
    /// answer that breaks the rules ends its request.
    pub fn tlp_in(&mut self, header: &Header, payload: &[u8], _pasid: PasidPrefix) -> Result<(), Breach> {
        let wire = Wire(header.0);
        let kind = wire.kind().ok_or(Breach::UnknownType { seen: wire.fmt_type() })?;
        if kind != Kind::Completion {
            return wire.payload_fits(payload);
        }
        let cfg = self.functions.get(&wire.cpl_requester()).copied();
        self.live.completion(&wire, payload, cfg.as_ref())
    }

    /// The end: every non-posted request has been answered, every issued byte sent.
    pub fn finish(&self) -> Result<(), Breach> {
        self.live.finish()?;
        self.order.finish()
    }

    fn in_order(&mut self, wire: &Wire, kind: Kind) -> Result<(), Breach> {
        let direction = if kind == Kind::Write { Direction::Write } else { Direction::Read };
        let (address, length) = (wire.first_byte(), wire.enabled_bytes());
        let table = |(base, bytes): &(TlpAddr, ByteCount)| address.wrapping_sub(base.0) < bytes.0;
        let data = matches!(kind, Kind::Read | Kind::Write) && wire.at() != 0b01 && length > 0;
        if !data || self.tables.iter().any(table) {
            return Ok(());
        }
        self.order.sent(direction, address, length)
    }
}
