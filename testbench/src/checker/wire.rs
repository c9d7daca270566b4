//! Fields of a header, cut out of the raw DWs by shifts and masks (PCIe 6.x 2.2, non-flit mode).

use super::Breach;
use types::RequesterId;

/// Kind of TLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Atomic,
    Completion,
    Message,
}

/// A raw header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire(pub(super) [u32; 4]);

impl Wire {
    pub(super) fn fmt_type(&self) -> u8 {
        (self.0[0] >> 24) as u8
    }

    pub(super) fn kind(&self) -> Option<Kind> {
        Some(match self.fmt_type() {
            0b000_00000 | 0b001_00000 => Kind::Read,
            0b010_00000 | 0b011_00000 => Kind::Write,
            0b010_01100 | 0b011_01100 | 0b010_01101 | 0b011_01101 | 0b010_01110 | 0b011_01110 => Kind::Atomic,
            0b000_01010 | 0b010_01010 => Kind::Completion,
            t if t & 0b1011_1000 == 0b0011_0000 => Kind::Message,
            _ => return None,
        })
    }

    pub(super) fn has_data(&self) -> bool {
        self.fmt_type() & 0b010_00000 != 0
    }
    pub(super) fn four_dw(&self) -> bool {
        self.fmt_type() & 0b001_00000 != 0
    }
    /// Length in DW; 0 in the field means 1024.
    pub(super) fn length_dw(&self) -> u32 {
        match self.0[0] & 0x3ff {
            0 => 1024,
            n => n,
        }
    }
    pub(super) fn at(&self) -> u8 {
        (self.0[0] >> 10 & 3) as u8
    }
    pub(super) fn requester(&self) -> RequesterId {
        RequesterId((self.0[1] >> 16) as u16)
    }
    /// Tag of a request, T9 and T8 on top.
    pub(super) fn tag(&self) -> u16 {
        self.tag_from(self.0[1])
    }
    fn tag_from(&self, dw: u32) -> u16 {
        ((self.0[0] >> 23 & 1) << 9 | (self.0[0] >> 19 & 1) << 8 | dw >> 8 & 0xff) as u16
    }
    pub(super) fn first_be(&self) -> u8 {
        (self.0[1] & 0xf) as u8
    }
    pub(super) fn last_be(&self) -> u8 {
        (self.0[1] >> 4 & 0xf) as u8
    }
    /// Address DWs as they stand, with the two low bits.
    pub(super) fn raw_address(&self) -> u64 {
        if self.four_dw() { u64::from(self.0[2]) << 32 | u64::from(self.0[3]) } else { u64::from(self.0[2]) }
    }
    /// DW-aligned address.
    pub(super) fn address(&self) -> u64 {
        self.raw_address() & !3
    }
    /// Address of the first enabled byte.
    pub(super) fn first_byte(&self) -> u64 {
        let offset = (0..4).find(|b| self.first_be() >> b & 1 == 1).unwrap_or(0);
        self.address() + offset
    }
    /// Bytes from the first enabled to the last, holes included; 0 for a zero-length read.
    pub(super) fn enabled_bytes(&self) -> u32 {
        let (first, last) = (self.first_be(), self.last_be());
        let span = |be: u8| (be.leading_zeros().saturating_sub(4), be.trailing_zeros());
        match (self.length_dw(), first) {
            (1, 0) => 0,
            (1, _) => 4 - span(first).0 - span(first).1,
            (n, _) => 4 * n - first.trailing_zeros().min(4) - span(last).0,
        }
    }

    pub(super) fn status(&self) -> u8 {
        (self.0[1] >> 13 & 7) as u8
    }
    /// Byte count of a completion; 0 in the field means 4096.
    pub(super) fn byte_count(&self) -> u32 {
        match self.0[1] & 0xfff {
            0 => 4096,
            n => n,
        }
    }
    pub(super) fn cpl_requester(&self) -> RequesterId {
        RequesterId((self.0[2] >> 16) as u16)
    }
    pub(super) fn cpl_tag(&self) -> u16 {
        self.tag_from(self.0[2])
    }
    pub(super) fn lower_address(&self) -> u32 {
        self.0[2] & 0x7f
    }
    pub(super) fn message_code(&self) -> u8 {
        self.0[1] as u8
    }

    /// The payload is as long as the header says; without data there is none.
    pub(super) fn payload_fits(&self, payload: &[u8]) -> Result<(), Breach> {
        let expected = if self.has_data() { 4 * self.length_dw() } else { 0 };
        let seen = payload.len() as u32;
        if seen == expected { Ok(()) } else { Err(Breach::PayloadLength { expected, seen }) }
    }

    /// Fields that this unit never uses: LN, TH, TD, the fourth DW of a 3DW header, Length without data or request, bit
    /// 1 of the address (bit 0 is NW, in Translation Requests only).
    pub(super) fn reserved_are_zero(&self, kind: Kind) -> Result<(), Breach> {
        let memory = matches!(kind, Kind::Read | Kind::Write | Kind::Atomic);
        let low = if memory && self.at() == 0b01 { 0b10 } else { 0b11 };
        let fields = [
            ("LN", self.0[0] >> 17 & 1),
            ("TH", self.0[0] >> 16 & 1),
            ("TD", self.0[0] >> 15 & 1),
            ("DW3", if self.four_dw() { 0 } else { self.0[3] }),
            ("Length", if memory || self.has_data() { 0 } else { self.0[0] & 0x3ff }),
            ("AT", if memory { 0 } else { u32::from(self.at()) }),
            ("Address[1:0]", if memory { self.raw_address() as u32 & low } else { 0 }),
        ];
        match fields.into_iter().find(|(_, value)| *value != 0) {
            Some((field, seen)) => Err(Breach::Reserved { field, seen }),
            None => Ok(()),
        }
    }
}
