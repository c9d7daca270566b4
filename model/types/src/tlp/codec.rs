//! Packing and parsing of headers, field by field as PCIe 6.x 2.2 draws them (non-flit mode).

use super::{Attributes, Body, Header, MemoryOp, Routing, Tlp};
use crate::access::{AddressType, PasidPrefix};
use crate::addr::{RequesterId, Tag, TlpAddr};

/// A header that is not one of the kinds this project knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlpError {
    /// Fmt and Type name no kind known here.
    #[error("unknown TLP format and type {0:#04x}")]
    UnknownType(u8),
    /// A 64-bit request with an address below 4 GiB (PCIe 6.x 2.2.4.1 forbids it).
    #[error("64-bit header with the address {0:#x} below 4 GiB")]
    ShortAddress(u64),
}

/// Sets bits `high..=low` of a DW that are zero, numbered as in the specification.
#[inline]
fn put(dws: &mut [u32; 4], dw: usize, high: usize, low: usize, value: u32) {
    dws[dw] |= (value & field(high, low)) << low;
}

#[inline]
fn get(dws: &[u32; 4], dw: usize, high: usize, low: usize) -> u32 {
    dws[dw] >> low & field(high, low)
}

/// A mask as wide as bits `high..=low`.
const fn field(high: usize, low: usize) -> u32 {
    u32::MAX >> (31 - (high - low))
}

const FMT_4DW: u8 = 0x20;
const FMT_DATA: u8 = 0x40;

fn memory_type(op: MemoryOp) -> u8 {
    match op {
        MemoryOp::Read | MemoryOp::Write => 0x00,
        MemoryOp::FetchAdd => 0x0c,
        MemoryOp::Swap => 0x0d,
        MemoryOp::Cas => 0x0e,
    }
}

fn put_tag(dws: &mut [u32; 4], dw: usize, tag: Tag) {
    put(dws, dw, 15, 8, u32::from(tag.0 & 0xff));
    put(dws, 0, 23, 23, u32::from(tag.0 >> 9 & 1));
    put(dws, 0, 19, 19, u32::from(tag.0 >> 8 & 1));
}

fn get_tag(dws: &[u32; 4], dw: usize) -> Tag {
    Tag((get(dws, 0, 23, 23) << 9 | get(dws, 0, 19, 19) << 8 | get(dws, dw, 15, 8)) as u16)
}

impl Tlp {
    /// The header of this TLP. Address bits 1:0 other than NW are not carried.
    pub fn header(&self) -> Header {
        let mut d = [0; 4];
        put(&mut d, 0, 22, 20, u32::from(self.tc));
        put(&mut d, 0, 18, 18, u32::from(self.attributes.id_order));
        put(&mut d, 0, 14, 14, u32::from(self.poisoned));
        put(&mut d, 0, 13, 13, u32::from(self.attributes.relaxed));
        put(&mut d, 0, 12, 12, u32::from(self.attributes.no_snoop));
        // 1024 DW is encoded as 0.
        put(&mut d, 0, 9, 0, u32::from(self.length_dw & 0x3ff));
        let kind = match self.body {
            Body::Memory { op, at, requester, tag, first_be, last_be, address, no_write } => {
                put(&mut d, 0, 11, 10, u32::from(at.0));
                put(&mut d, 1, 31, 16, u32::from(requester.0));
                put_tag(&mut d, 1, tag);
                put(&mut d, 1, 7, 4, u32::from(last_be));
                put(&mut d, 1, 3, 0, u32::from(first_be));
                let (high, low) = ((address.0 >> 32) as u32, address.0 as u32 & !3 | u32::from(no_write));
                let long = high != 0;
                if long {
                    d[2] = high;
                    d[3] = low;
                } else {
                    d[2] = low;
                }
                memory_type(op) | if op.has_data() { FMT_DATA } else { 0 } | if long { FMT_4DW } else { 0 }
            }
            Body::Completion { with_data, completer, status, byte_count, requester, tag, lower_address } => {
                put(&mut d, 1, 31, 16, u32::from(completer.0));
                put(&mut d, 1, 15, 13, u32::from(status));
                put(&mut d, 1, 11, 0, u32::from(byte_count & 0xfff));
                put(&mut d, 2, 31, 16, u32::from(requester.0));
                put_tag(&mut d, 2, tag);
                put(&mut d, 2, 6, 0, u32::from(lower_address));
                0x0a | if with_data { FMT_DATA } else { 0 }
            }
            Body::Message { with_data, routing, requester, tag, code, dw2, dw3 } => {
                put(&mut d, 1, 31, 16, u32::from(requester.0));
                put_tag(&mut d, 1, tag);
                put(&mut d, 1, 7, 0, u32::from(code));
                d[2] = dw2;
                d[3] = dw3;
                let routing = match routing {
                    Routing::ToRoot => 0b000,
                    Routing::ById => 0b010,
                    Routing::Other(bits) => bits & 7,
                };
                0x30 | routing | if with_data { FMT_DATA } else { 0 }
            }
        };
        put(&mut d, 0, 31, 24, u32::from(kind));
        Header(d)
    }

    /// The TLP of a header; the PASID prefix travels beside it.
    pub fn parse(header: Header, pasid: PasidPrefix) -> Result<Self, TlpError> {
        let d = &header.0;
        let kind = get(d, 0, 31, 24) as u8;
        let data = kind & FMT_DATA != 0;
        let body = match kind & 0x1f {
            t @ (0x00 | 0x0c | 0x0d | 0x0e) if kind & 0x80 == 0 => {
                let op = match (t, data) {
                    (0x00, false) => MemoryOp::Read,
                    (0x00, true) => MemoryOp::Write,
                    (0x0c, true) => MemoryOp::FetchAdd,
                    (0x0d, true) => MemoryOp::Swap,
                    (0x0e, true) => MemoryOp::Cas,
                    _ => return Err(TlpError::UnknownType(kind)),
                };
                let address = if kind & FMT_4DW != 0 {
                    let address = u64::from(d[2]) << 32 | u64::from(d[3]);
                    if d[2] == 0 {
                        return Err(TlpError::ShortAddress(address));
                    }
                    address
                } else {
                    u64::from(d[2])
                };
                Body::Memory {
                    op,
                    at: AddressType(get(d, 0, 11, 10) as u8),
                    requester: RequesterId(get(d, 1, 31, 16) as u16),
                    tag: get_tag(d, 1),
                    first_be: get(d, 1, 3, 0) as u8,
                    last_be: get(d, 1, 7, 4) as u8,
                    address: TlpAddr(address & !3),
                    no_write: address & 1 == 1,
                }
            }
            0x0a if kind & !FMT_DATA == 0x0a => Body::Completion {
                with_data: data,
                completer: RequesterId(get(d, 1, 31, 16) as u16),
                status: get(d, 1, 15, 13) as u8,
                byte_count: match get(d, 1, 11, 0) as u16 {
                    0 => 4096,
                    n => n,
                },
                requester: RequesterId(get(d, 2, 31, 16) as u16),
                tag: get_tag(d, 2),
                lower_address: get(d, 2, 6, 0) as u8,
            },
            t @ 0x10..=0x17 if kind & 0xa0 == 0x20 => Body::Message {
                with_data: data,
                routing: match t & 7 {
                    0b000 => Routing::ToRoot,
                    0b010 => Routing::ById,
                    bits => Routing::Other(bits),
                },
                requester: RequesterId(get(d, 1, 31, 16) as u16),
                tag: get_tag(d, 1),
                code: get(d, 1, 7, 0) as u8,
                dw2: d[2],
                dw3: d[3],
            },
            _ => return Err(TlpError::UnknownType(kind)),
        };
        let carries_length = data || matches!(body, Body::Memory { .. });
        let length_dw = match get(d, 0, 9, 0) as u16 {
            _ if !carries_length => 0,
            0 => 1024,
            n => n,
        };
        Ok(Self {
            tc: get(d, 0, 22, 20) as u8,
            attributes: Attributes {
                relaxed: get(d, 0, 13, 13) == 1,
                id_order: get(d, 0, 18, 18) == 1,
                no_snoop: get(d, 0, 12, 12) == 1,
            },
            poisoned: get(d, 0, 14, 14) == 1,
            length_dw,
            body,
            pasid,
        })
    }
}
