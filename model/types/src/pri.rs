//! Wire formats of the Page Request Interface: Page Request, Stop Marker, PRG Response (PCIe 6.x 10.4).
//!
//! A Page Request is a message without data, code 0x04, routed to the root complex, in traffic class 0. Its last two
//! header DWs, read as one 64-bit word, are:
//!
//! | bits | field |
//! |---|---|
//! | 63:12 | page address |
//! | 11:3 | page request group (PRG) index |
//! | 2 | last request of its group |
//! | 1 | write access requested |
//! | 0 | read access requested |
//!
//! With a PASID, last, and neither read nor write it is a Stop Marker: the function has stopped using that PASID.
//!
//! A PRG Response is a message without data, code 0x05, routed by ID: DW2 bits 31:16 the function that asked, bits 15:12
//! the response code, bits 8:0 the PRG index; DW3 is reserved.

use crate::access::PasidPrefix;
use crate::addr::{Iova, RequesterId, Tag};
use crate::bits::mask;
use crate::tlp::{Attributes, Body, Routing, Tlp, message_code};

/// Bits of a PRG index.
pub const GROUP_BITS: u32 = 9;

/// The body of a Page Request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageRequest {
    /// Untranslated address of the page, bits 63:12.
    pub address: Iova,
    /// PRG index, 9 bits.
    pub group: u16,
    /// Last request of its group.
    pub last: bool,
    /// Write access requested.
    pub write: bool,
    /// Read access requested.
    pub read: bool,
}

impl PageRequest {
    /// The Stop Marker: it travels with the PASID that is no longer used.
    pub const STOP_MARKER: Self = Self { address: Iova(0), group: 0, last: true, write: false, read: false };

    /// The last two header DWs as one word, the third DW in bits 63:32.
    pub const fn encode(&self) -> u64 {
        self.address.0 & !mask(12)
            | (self.group as u64 & mask(GROUP_BITS)) << 3
            | (self.last as u64) << 2
            | (self.write as u64) << 1
            | self.read as u64
    }

    /// The body of the last two header DWs.
    pub const fn decode(word: u64) -> Self {
        Self {
            address: Iova(word & !mask(12)),
            group: (word >> 3 & mask(GROUP_BITS)) as u16,
            last: word >> 2 & 1 == 1,
            write: word >> 1 & 1 == 1,
            read: word & 1 == 1,
        }
    }

    /// Whether it says that the PASID of its prefix is no longer used.
    pub const fn is_stop_marker(&self, pasid: PasidPrefix) -> bool {
        pasid.valid && self.last && !self.write && !self.read
    }

    /// The whole message.
    pub fn message(&self, requester: RequesterId, pasid: PasidPrefix) -> Tlp {
        let word = self.encode();
        let body = (Routing::ToRoot, message_code::PAGE_REQUEST);
        message(body, requester, ((word >> 32) as u32, word as u32), pasid)
    }

    /// The body of a message, if it is a Page Request.
    pub const fn of(tlp: &Tlp) -> Option<Self> {
        match tlp.body {
            Body::Message { code: message_code::PAGE_REQUEST, dw2, dw3, .. } => {
                Some(Self::decode((dw2 as u64) << 32 | dw3 as u64))
            }
            _ => None,
        }
    }
}

/// Response Code of a PRG Response (4 bits).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResponseCode(pub u8);

impl ResponseCode {
    /// All pages of the group are there.
    pub const SUCCESS: Self = Self(0b0000);
    /// A page is not part of the function's address space, or lacks the access asked for.
    pub const INVALID: Self = Self(0b0001);
    /// A catastrophic error: the function's Page Request Interface stops. Reserved codes count as this one.
    pub const FAILURE: Self = Self(0b1111);
}

/// A PRG Response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PageResponse {
    /// Function that asked.
    pub target: RequesterId,
    /// Outcome.
    pub code: ResponseCode,
    /// PRG index, 9 bits.
    pub group: u16,
}

impl PageResponse {
    /// The whole message, from `agent`.
    pub fn message(&self, agent: RequesterId, pasid: PasidPrefix) -> Tlp {
        let dw2 = u32::from(self.target.0) << 16
            | u32::from(self.code.0 & 0xf) << 12
            | u32::from(self.group) & mask(GROUP_BITS) as u32;
        message((Routing::ById, message_code::PRG_RESPONSE), agent, (dw2, 0), pasid)
    }

    /// The response that a message is, if it is one.
    pub const fn of(tlp: &Tlp) -> Option<Self> {
        match tlp.body {
            Body::Message { code: message_code::PRG_RESPONSE, dw2, .. } => Some(Self {
                target: RequesterId((dw2 >> 16) as u16),
                code: ResponseCode((dw2 >> 12 & 0xf) as u8),
                group: (dw2 as u64 & mask(GROUP_BITS)) as u16,
            }),
            _ => None,
        }
    }
}

fn message((routing, code): (Routing, u8), requester: RequesterId, (dw2, dw3): (u32, u32), pasid: PasidPrefix) -> Tlp {
    Tlp {
        tc: 0,
        attributes: Attributes::default(),
        poisoned: false,
        length_dw: 0,
        body: Body::Message { with_data: false, routing, requester, tag: Tag(0), code, dw2, dw3 },
        pasid,
    }
}
