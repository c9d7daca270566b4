//! Form of requests: memory requests and messages.

use super::wire::{Kind, Wire};
use super::{Breach, Checker};
use types::port::FunctionCfg;
use types::{PasidPrefix, Tag, TlpAddr};

/// Byte enables of 2.2.5: one DW has no last enables; several have both, without holes towards each other unless they
/// are two DW on an 8-byte line.
fn byte_enables_allowed(address: u64, length_dw: u32, first: u8, last: u8) -> bool {
    if length_dw == 1 {
        return last == 0;
    }
    let quadword = length_dw == 2 && address.is_multiple_of(8);
    let reaches_end = [0b1111, 0b1110, 0b1100, 0b1000].contains(&first);
    let reaches_start = [0b1111, 0b0111, 0b0011, 0b0001].contains(&last);
    first != 0 && last != 0 && (quadword || reaches_end && reaches_start)
}

impl Checker {
    fn function(&self, wire: &Wire) -> Result<FunctionCfg, Breach> {
        let seen = wire.requester();
        self.functions.get(&seen).copied().ok_or(Breach::Requester { seen })
    }

    pub(super) fn memory(&mut self, wire: &Wire, kind: Kind, pasid: PasidPrefix) -> Result<(), Breach> {
        let mut cfg = self.function(wire)?;
        if let Some((posted, non_posted)) = self.late.get_mut(&cfg.requester) {
            let left = if kind == Kind::Write { posted } else { non_posted };
            if *left > 0 {
                *left -= 1;
                (cfg.bus_master, cfg.ats_enable, cfg.atomic_enable) = (true, true, true);
            }
        }
        if !cfg.bus_master {
            return Err(Breach::BusMaster { requester: cfg.requester });
        }
        let address = TlpAddr(wire.address());
        if wire.four_dw() && address.0 >> 32 == 0 {
            return Err(Breach::LongHeader { address });
        }
        let (length_dw, first, last) = (wire.length_dw(), wire.first_be(), wire.last_be());
        if kind == Kind::Atomic {
            atomic(wire, &cfg)?;
        } else if !byte_enables_allowed(address.0, length_dw, first, last) {
            return Err(Breach::ByteEnables { address, length_dw, first, last });
        }
        address_type(wire, kind, &cfg)?;
        pasid_prefix(wire, &cfg, pasid)?;
        if kind != Kind::Write {
            tag_width(wire.tag(), cfg.tag_mode)?;
        }
        if kind == Kind::Read && wire.at() == 0b01 {
            return translation_request(wire, &cfg);
        }
        let seen = 4 * length_dw;
        let (mps, mrrs) = (128 << (cfg.mps & 7), 128 << (cfg.mrrs & 7));
        if kind == Kind::Read && seen > mrrs {
            return Err(Breach::MaxReadRequest { limit: mrrs, seen });
        }
        if kind != Kind::Read && seen > mps {
            return Err(Breach::MaxPayload { limit: mps, seen });
        }
        // An atomic accesses one operand, aligned, however many it carries.
        if kind != Kind::Atomic && (address.0 & 0xfff) + u64::from(seen) > 0x1000 {
            return Err(Breach::Crosses4K { address, length_dw });
        }
        Ok(())
    }

    /// The unit sends Invalidate Completions, routed by ID, and Page Requests, routed to the root complex.
    pub(super) fn message(&self, wire: &Wire) -> Result<(), Breach> {
        self.function(wire)?;
        let code = wire.message_code();
        let wrong = |why| Err(Breach::Message { code, why });
        match (code, wire.fmt_type()) {
            (0x02, 0b001_10010) if wire.0[3] == 0 => wrong("the ITag vector is empty"),
            (0x02, 0b001_10010) if wire.0[2] & 0xfff8 != 0 => wrong("DW2 15:3 must be zero"),
            (0x02, 0b001_10010) | (0x04, 0b001_10000) => Ok(()),
            (0x02, _) => wrong("an Invalidate Completion has no data and is routed by ID"),
            (0x04, _) => wrong("a Page Request has no data and is routed to the root complex"),
            _ => wrong("not one that the unit sends"),
        }
    }
}

/// An atomic: operand sizes and their alignment (2.2.7.1); byte enables are reserved.
fn atomic(wire: &Wire, cfg: &FunctionCfg) -> Result<(), Breach> {
    let (address, bytes) = (TlpAddr(wire.address()), 4 * wire.length_dw());
    // FetchAdd and Swap carry one operand of 32 or 64 bits, CAS two of up to 128.
    let (operands, largest) = if wire.fmt_type() & 0x1f == 0b01110 { (2, 16) } else { (1, 8) };
    let size = bytes / operands;
    let why = if (wire.first_be(), wire.last_be()) != (0, 0) {
        "its byte enables are reserved"
    } else if !(4..=largest).contains(&size) || !size.is_power_of_two() || size * operands != bytes {
        "it has no such operands"
    } else if !address.0.is_multiple_of(u64::from(size)) {
        "its operand is not at a multiple of its size"
    } else if !cfg.atomic_enable {
        "the function may not send any"
    } else {
        return Ok(());
    };
    Err(Breach::Atomic { address, why })
}

fn address_type(wire: &Wire, kind: Kind, cfg: &FunctionCfg) -> Result<(), Breach> {
    let why = match (wire.at(), kind) {
        (0b11, _) => "it is reserved",
        (0b01, Kind::Write | Kind::Atomic) => "only a read can be a Translation Request",
        (0b01 | 0b10, _) if !cfg.ats_enable => "ATS of the function is off",
        _ => return Ok(()),
    };
    Err(Breach::AddressType { seen: wire.at(), why })
}

fn pasid_prefix(wire: &Wire, cfg: &FunctionCfg, pasid: PasidPrefix) -> Result<(), Breach> {
    let why = match pasid {
        PasidPrefix { valid: false, .. } => return Ok(()),
        _ if wire.at() == 0b10 => "a translated request carries none",
        _ if !cfg.pasid_enable => "PASID of the function is off",
        PasidPrefix { exec: true, .. } if !cfg.pasid_exec_enable => "execute permission of the function is off",
        PasidPrefix { privileged: true, .. } if !cfg.pasid_priv_enable => "privileged mode of the function is off",
        PasidPrefix { pasid, .. } if pasid.0 >> 20 != 0 => "a PASID has 20 bits",
        _ => return Ok(()),
    };
    Err(Breach::Pasid { why })
}

fn tag_width(tag: u16, mode: u8) -> Result<(), Breach> {
    let (bits, allowed) = match mode {
        0 => (5, 0..32),
        1 => (8, 0..256),
        // A 10-bit requester may not use tags whose two upper bits are zero.
        _ => (10, 256..1024),
    };
    if allowed.contains(&tag) { Ok(()) } else { Err(Breach::TagWidth { tag: Tag(tag), bits }) }
}

fn translation_request(wire: &Wire, cfg: &FunctionCfg) -> Result<(), Breach> {
    let rcb_dw = if cfg.rcb { 32 } else { 16 };
    let why = if !wire.length_dw().is_multiple_of(2) {
        "the length is odd"
    } else if wire.length_dw() > rcb_dw {
        "the length exceeds the Read Completion Boundary"
    } else if wire.first_be() != 0xf || wire.last_be() != 0xf {
        "byte enables are not all set"
    } else if wire.address() & 0xfff != 0 {
        "the address is not that of a page"
    } else {
        return Ok(());
    };
    Err(Breach::TranslationRequest { why })
}
