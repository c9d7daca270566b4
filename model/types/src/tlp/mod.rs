//! Transaction layer packets: a typed form and its codec to header DWs.

mod codec;

pub use codec::TlpError;

use crate::access::{AddressType, PasidPrefix};
use crate::addr::{RequesterId, Tag, TlpAddr};
use crate::bits::{BitReader, BitWriter};
use crate::config::UnitCfg;
use crate::ports::{Field, PortValue};

/// A TLP header as four DWs, DW0 first, each as drawn in the specification. A 3DW header leaves DW3 zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Header(pub [u32; 4]);

/// On a 128-bit port DW0 stands in bits 127:96.
impl PortValue for Header {
    fn fields(_: &UnitCfg, name: &str, _: Option<u32>, doc: &'static str, out: &mut Vec<Field>) {
        out.push(Field { name: name.into(), width: 128, doc });
    }
    fn put(&self, _: &UnitCfg, _: Option<u32>, out: &mut BitWriter<'_>) {
        self.0.iter().rev().for_each(|dw| out.put(u64::from(*dw), 32));
    }
    fn get(_: &UnitCfg, _: Option<u32>, from: &mut BitReader<'_>) -> Self {
        let mut dws: [u32; 4] = std::array::from_fn(|_| from.get(32) as u32);
        dws.reverse();
        Self(dws)
    }
}

/// What kind of TLP a descriptor asks for (3 bits on a port).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TlpOp(pub u8);

impl TlpOp {
    /// Memory Read Request.
    pub const READ: Self = Self(0);
    /// Memory Write Request.
    pub const WRITE: Self = Self(1);
    /// FetchAdd AtomicOp Request.
    pub const FETCH_ADD: Self = Self(2);
    /// Unconditional Swap AtomicOp Request.
    pub const SWAP: Self = Self(3);
    /// Compare and Swap AtomicOp Request.
    pub const CAS: Self = Self(4);
    /// Message without data, routed by ID.
    pub const MESSAGE_BY_ID: Self = Self(5);
    /// Message without data, routed to the root complex.
    pub const MESSAGE_TO_ROOT: Self = Self(6);
}
crate::port_leaf!(TlpOp, 3, |v| u64::from(v.0), |b| TlpOp(b as u8));

/// Attributes of a TLP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// Relaxed Ordering, `Attr[1]`.
    pub relaxed: bool,
    /// ID-Based Ordering, `Attr[2]`.
    pub id_order: bool,
    /// No Snoop, `Attr[0]`.
    pub no_snoop: bool,
}

/// Kind of a memory request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOp {
    /// MRd.
    Read,
    /// MWr.
    Write,
    /// FetchAdd.
    FetchAdd,
    /// Swap.
    Swap,
    /// CAS.
    Cas,
}

impl MemoryOp {
    /// Whether the request carries a payload.
    pub const fn has_data(self) -> bool {
        !matches!(self, Self::Read)
    }
    /// Whether the request is posted.
    pub const fn posted(self) -> bool {
        matches!(self, Self::Write)
    }
    /// Whether memory is read and changed in one step.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::FetchAdd | Self::Swap | Self::Cas)
    }
}

/// Routing of a message, the low three bits of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Routing {
    /// 000: to the root complex.
    ToRoot,
    /// 010: by ID.
    ById,
    /// Any other value.
    Other(u8),
}

/// Message codes used by ATS and PRI.
pub mod message_code {
    /// Invalidate Request.
    pub const INVALIDATE_REQUEST: u8 = 0x01;
    /// Invalidate Completion.
    pub const INVALIDATE_COMPLETION: u8 = 0x02;
    /// Page Request.
    pub const PAGE_REQUEST: u8 = 0x04;
    /// PRG Response.
    pub const PRG_RESPONSE: u8 = 0x05;
}

/// The part of a TLP that depends on its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// A memory request. A 4DW header is used when the address needs it (PCIe 6.x 2.2.4.1).
    Memory {
        /// Kind.
        op: MemoryOp,
        /// AT field.
        at: AddressType,
        /// Sender.
        requester: RequesterId,
        /// Tag.
        tag: Tag,
        /// First DW Byte Enables; reserved in an atomic, and so zero.
        first_be: u8,
        /// Last DW Byte Enables; reserved in an atomic, and so zero.
        last_be: u8,
        /// Address, bits 63:2.
        address: TlpAddr,
        /// Bit 0 of the last address DW: NW (no write) of a Translation Request.
        no_write: bool,
    },
    /// A completion.
    Completion {
        /// Whether it carries data (CplD).
        with_data: bool,
        /// Completer ID.
        completer: RequesterId,
        /// Completion Status: 000 SC, 001 UR, 010 CRS, 100 CA.
        status: u8,
        /// Byte Count, 1 to 4096 (0 in the field means 4096).
        byte_count: u16,
        /// ID of the requester it answers.
        requester: RequesterId,
        /// Tag it answers.
        tag: Tag,
        /// Lower Address, 7 bits; reserved in the answer to an atomic.
        lower_address: u8,
    },
    /// A message.
    Message {
        /// Whether it carries data (MsgD).
        with_data: bool,
        /// Routing.
        routing: Routing,
        /// Sender.
        requester: RequesterId,
        /// Tag; the ITag of an Invalidate Request.
        tag: Tag,
        /// Message code.
        code: u8,
        /// Third header DW.
        dw2: u32,
        /// Fourth header DW.
        dw3: u32,
    },
}

/// A TLP without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tlp {
    /// Traffic class, 3 bits.
    pub tc: u8,
    /// Attributes.
    pub attributes: Attributes,
    /// EP: the payload is poisoned.
    pub poisoned: bool,
    /// Length in DW: of the payload, or of the data asked for; 1 to 1024, 0 for TLPs without either.
    pub length_dw: u16,
    /// Kind-dependent part.
    pub body: Body,
    /// PASID TLP prefix.
    pub pasid: PasidPrefix,
}

impl Tlp {
    /// Payload in DW.
    pub const fn payload_dw(&self) -> u16 {
        match self.body {
            Body::Memory { op, .. } if op.has_data() => self.length_dw,
            Body::Completion { with_data: true, .. } | Body::Message { with_data: true, .. } => self.length_dw,
            _ => 0,
        }
    }
    /// Whether it travels in the posted class.
    pub const fn posted(&self) -> bool {
        match self.body {
            Body::Memory { op, .. } => op.posted(),
            Body::Message { .. } => true,
            Body::Completion { .. } => false,
        }
    }
}

/// Completion Status values (PCIe 6.x 2.2.9).
pub mod status {
    /// Successful Completion.
    pub const SC: u8 = 0b000;
    /// Unsupported Request.
    pub const UR: u8 = 0b001;
    /// Request Retry Status; malformed for memory requests.
    pub const RRS: u8 = 0b010;
    /// Completer Abort.
    pub const CA: u8 = 0b100;
}

/// Length in DW and byte enables of an access of `length` bytes at `address` (PCIe 6.x 2.2.5); a zero-length read is
/// one DW with no byte enabled. `length` is at most 4096.
pub const fn byte_enables(address: TlpAddr, length: u32) -> (u16, u8, u8) {
    let offset = (address.0 & 3) as u32;
    if length == 0 {
        return (1, 0, 0);
    }
    let dws = (offset + length).div_ceil(4);
    let first = (0xf << offset) & 0xf;
    let last = 0xf >> (4 * dws - offset - length);
    if dws == 1 { (1, (first & last) as u8, 0) } else { (dws as u16, first as u8, last as u8) }
}
