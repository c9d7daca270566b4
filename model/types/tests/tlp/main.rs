//! TLP headers: fixed vectors worked out by hand from the figures of PCIe 6.x 2.2, round trips, and what another decoder reads.

#![allow(clippy::unwrap_used, reason = "test code")]

mod draw;
mod rtlp;

use draw::{any_prefix, any_tlp};
use proptest::prelude::*;
use types::tlp::{Attributes, Body, MemoryOp, Routing, TlpError, byte_enables, message_code, status};
use types::{AddressType, Header, Pasid, PasidPrefix, RequesterId, Tag, Tlp, TlpAddr};

const NO_PASID: PasidPrefix = PasidPrefix { valid: false, pasid: Pasid(0), exec: false, privileged: false };

fn plain(length_dw: u16, body: Body) -> Tlp {
    Tlp { tc: 0, attributes: Attributes::default(), poisoned: false, length_dw, body, pasid: NO_PASID }
}

fn memory(op: MemoryOp, address: u64, tag: u16, first_be: u8, last_be: u8) -> Body {
    Body::Memory {
        op,
        at: AddressType::UNTRANSLATED,
        requester: RequesterId(0x0100),
        tag: Tag(tag),
        first_be,
        last_be,
        address: TlpAddr(address),
        no_write: false,
    }
}

/// The header is `dws`, and `dws` is read as the TLP.
fn is(tlp: Tlp, dws: [u32; 4]) {
    assert_eq!(tlp.header().0, dws, "packing {tlp:?}: {:08x?}", tlp.header().0);
    assert_eq!(Tlp::parse(Header(dws), NO_PASID), Ok(tlp));
}

#[test]
fn translation_request_vectors() {
    // MRd64 with AT = 01: Fmt/Type 0x20, AT in DW0 11:10 = 0x400, two DW; requester 01:00.0, tag 0x5a, both BE 0xf.
    for (no_write, last) in [(false, 0x5678_9000), (true, 0x5678_9001)] {
        let body = Body::Memory {
            op: MemoryOp::Read,
            at: AddressType::TRANSLATION_REQUEST,
            requester: RequesterId(0x0100),
            tag: Tag(0x5a),
            first_be: 0xf,
            last_be: 0xf,
            address: TlpAddr(0x1234_5678_9000),
            no_write,
        };
        is(plain(2, body), [0x2000_0402, 0x0100_5aff, 0x0000_1234, last]);
    }
}

#[test]
fn memory_request_vectors() {
    // MRd32: Fmt 000, 3DW, DW3 zero. 16 DW = 0x10.
    is(plain(16, memory(MemoryOp::Read, 0x8000_1040, 3, 0xf, 0xf)), [0x0000_0010, 0x0100_03ff, 0x8000_1040, 0]);
    // MWr32: Fmt 010 = 0x40. One DW, the middle two bytes.
    is(plain(1, memory(MemoryOp::Write, 0x0000_0ffc, 0, 0x6, 0)), [0x4000_0001, 0x0100_0006, 0x0000_0ffc, 0]);
    // MRd64: Fmt 001 = 0x20; 1024 DW is encoded as 0.
    is(
        plain(1024, memory(MemoryOp::Read, 0x1_0000_0000, 0xff, 0xf, 0xf)),
        [0x2000_0000, 0x0100_ffff, 0x0000_0001, 0x0000_0000],
    );
    // MWr64: Fmt 011 = 0x60. First BE 0xe (starts at byte 1), last BE 0x3 (ends after byte 1).
    is(
        plain(64, memory(MemoryOp::Write, 0xfedc_ba98_7654_3210, 0, 0xe, 0x3)),
        [0x6000_0040, 0x0100_003e, 0xfedc_ba98, 0x7654_3210],
    );
}

#[test]
fn attributes_and_wide_tags() {
    // AT = 10 is 0x800; RO is bit 13, NS bit 12, IDO bit 18, EP bit 14, TC 22:20, T9 bit 23, T8 bit 19.
    let mut tlp = plain(1, memory(MemoryOp::Write, 0x1000, 0x2a5, 0xf, 0));
    if let Body::Memory { at, .. } = &mut tlp.body {
        *at = AddressType::TRANSLATED;
    }
    is(tlp, [0x4080_0801, 0x0100_a50f, 0x1000, 0]);
    tlp.attributes.relaxed = true;
    is(tlp, [0x4080_2801, 0x0100_a50f, 0x1000, 0]);
    tlp.attributes.id_order = true;
    is(tlp, [0x4084_2801, 0x0100_a50f, 0x1000, 0]);
    tlp.attributes.no_snoop = true;
    is(tlp, [0x4084_3801, 0x0100_a50f, 0x1000, 0]);
    tlp.poisoned = true;
    tlp.tc = 5;
    is(tlp, [0x40d4_7801, 0x0100_a50f, 0x1000, 0]);
    is(plain(1, memory(MemoryOp::Read, 0x1000, 0x100, 0xf, 0)), [0x0008_0001, 0x0100_000f, 0x1000, 0]);
}

#[test]
fn atomic_vectors() {
    // FetchAdd 0_1100, Swap 0_1101, CAS 0_1110, all with data: 0x4c…0x4e with three DW, 0x6c…0x6e with four.
    is(plain(2, memory(MemoryOp::FetchAdd, 0x1008, 7, 0xf, 0xf)), [0x4c00_0002, 0x0100_07ff, 0x1008, 0]);
    is(plain(1, memory(MemoryOp::Swap, 0x1008, 7, 0xf, 0)), [0x4d00_0001, 0x0100_070f, 0x1008, 0]);
    is(plain(4, memory(MemoryOp::Cas, 0x2_0000_1008, 7, 0xf, 0xf)), [0x6e00_0004, 0x0100_07ff, 0x2, 0x1008]);
}

#[test]
fn completion_vectors() {
    let body = |with_data, status, byte_count, lower_address| Body::Completion {
        with_data,
        completer: RequesterId(0x0008),
        status,
        byte_count,
        requester: RequesterId(0x0100),
        tag: Tag(0x5a),
        lower_address,
    };
    // CplD 0x4a, SC; byte count 11:0 of DW1; requester, tag and lower address in DW2.
    is(plain(2, body(true, status::SC, 8, 0)), [0x4a00_0002, 0x0008_0008, 0x0100_5a00, 0]);
    // 4096 bytes left is encoded as 0.
    is(plain(32, body(true, status::SC, 4096, 0x7c)), [0x4a00_0020, 0x0008_0000, 0x0100_5a7c, 0]);
    // Cpl 0x0a; UR = 001, CA = 100 in DW1 15:13.
    is(plain(0, body(false, status::UR, 4, 0)), [0x0a00_0000, 0x0008_2004, 0x0100_5a00, 0]);
    is(plain(0, body(false, status::CA, 4, 0)), [0x0a00_0000, 0x0008_8004, 0x0100_5a00, 0]);
}

#[test]
fn message_vectors() {
    let body = |with_data, routing, code, tag, dw2, dw3| Body::Message {
        with_data,
        routing,
        requester: RequesterId(0x0008),
        tag: Tag(tag),
        code,
        dw2,
        dw3,
    };
    // MsgD routed by ID: 0x72; ITag 31 in the Tag field; target 01:00.0 in DW2 31:16; two DW of body.
    is(
        plain(2, body(true, Routing::ById, message_code::INVALIDATE_REQUEST, 31, 0x0100_0000, 0)),
        [0x7200_0002, 0x0008_1f01, 0x0100_0000, 0],
    );
    // Msg routed by ID: 0x32; CC = 1, ITag vector with bit 31.
    is(
        plain(0, body(false, Routing::ById, message_code::INVALIDATE_COMPLETION, 0, 0x0008_0001, 0x8000_0000)),
        [0x3200_0000, 0x0008_0002, 0x0008_0001, 0x8000_0000],
    );
    // Page Request: Msg to the root complex, 0x30, code 4; address in DW2 and DW3.
    is(
        plain(0, body(false, Routing::ToRoot, message_code::PAGE_REQUEST, 0, 0x0000_1234, 0x5678_9007)),
        [0x3000_0000, 0x0008_0004, 0x0000_1234, 0x5678_9007],
    );
}

#[test]
fn what_is_not_known_is_refused() {
    let parse = |dw0| Tlp::parse(Header([dw0, 0, 0, 0]), NO_PASID);
    // IORd, CfgRd0, a TLP prefix, FetchAdd without data.
    for (dw0, kind) in [(0x0200_0000, 0x02), (0x0400_0001, 0x04), (0x9100_0000, 0x91), (0x0c00_0001, 0x0c)] {
        assert_eq!(parse(dw0), Err(TlpError::UnknownType(kind)));
    }
    assert_eq!(
        Tlp::parse(Header([0x2000_0001, 0xf, 0, 0x1000]), NO_PASID),
        Err(TlpError::ShortAddress(0x1000)),
        "64-bit header below 4 GiB"
    );
}

#[test]
fn byte_enable_vectors() {
    // (address, length) → (DWs, first, last); PCIe 6.x 2.2.5.
    for (address, length, expected) in [
        (0x1000, 0, (1, 0x0, 0x0)), // zero-length read
        (0x1000, 1, (1, 0x1, 0x0)), // byte 0
        (0x1003, 1, (1, 0x8, 0x0)), // byte 3
        (0x1001, 2, (1, 0x6, 0x0)), // bytes 1 and 2
        (0x1000, 4, (1, 0xf, 0x0)), // a DW
        (0x1001, 4, (2, 0xe, 0x1)), // bytes 1…4
        (0x1003, 2, (2, 0x8, 0x1)), // bytes 3 and 4
        (0x1000, 8, (2, 0xf, 0xf)), // two DW
        (0x1002, 5, (2, 0xc, 0x7)), // bytes 2…6
        (0x1000, 4096, (1024, 0xf, 0xf)),
        (0x1001, 4095, (1024, 0xe, 0xf)),
    ] {
        assert_eq!(byte_enables(TlpAddr(address), length), expected, "{address:#x} + {length}");
    }
}

proptest! {
    #[test]
    fn headers_round_trip(tlp in any_tlp()) {
        prop_assert_eq!(Tlp::parse(tlp.header(), tlp.pasid), Ok(tlp));
    }

    #[test]
    fn any_header_is_read_or_refused(dws in any::<[u32; 4]>(), pasid in any_prefix()) {
        // No panic; and what is read once is a fixed point: packing and reading again changes nothing.
        if let Ok(tlp) = Tlp::parse(Header(dws), pasid) {
            prop_assert_eq!(Tlp::parse(tlp.header(), pasid), Ok(tlp));
        }
    }

    #[test]
    fn byte_enables_name_exactly_the_bytes(offset in 0u64..4096, length in 1u32..=4096) {
        let length = length.min(4096 - offset as u32);
        let (dws, first, last) = byte_enables(TlpAddr(offset), length);
        let enable = |dw: u16| if dw == 0 { first } else if dw + 1 == dws { last } else { 0xf };
        let bytes: Vec<u64> = (0..dws)
            .flat_map(|dw| (0..4u64).filter(move |b| enable(dw) >> b & 1 == 1).map(move |b| u64::from(dw) * 4 + b))
            .map(|b| (offset & !3) + b)
            .collect();
        prop_assert_eq!(bytes, (offset..offset + u64::from(length)).collect::<Vec<_>>());
    }
}
