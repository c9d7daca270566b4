//! Our headers as `rtlp-lib` reads them: a decoder by others, for PCIe 1.0 to 5.0 framing.
//!
//! What it does not decode, and so is not compared here: messages with the reserved routings 110 and 111, PASID prefixes (it names the kind of a prefix, not its fields), the
//! routing of a message beyond its type code, the parts of DW3 and DW4 of a message (they are compared as they are, whatever
//! the message code), the operands of atomics (it ties their size to the header's, which the specification does not).
//! It has no encoder. Attributes, AT, EP, T9/T8 and Length have no public getter; they are read from its debug text.

use super::draw::any_tlp;
use proptest::prelude::*;
use rtlp_lib::{TlpMode, TlpPacket, TlpType, new_cmpl_req, new_mem_req, new_msg_req};
use types::tlp::{Attributes, Body, MemoryOp, Routing, message_code};
use types::{PasidPrefix, RequesterId, Tag, Tlp};

/// A header's bytes as they go over the link: three or four DWs, most significant byte first.
fn bytes(tlp: &Tlp) -> Vec<u8> {
    let dws = tlp.header().0;
    let count = if dws[0] >> 29 & 1 == 1 { 4 } else { 3 };
    dws[..count].iter().flat_map(|dw| dw.to_be_bytes()).collect()
}

/// Everything behind DW0, field by field.
#[derive(Debug, PartialEq)]
enum Rest {
    Request { requester: u16, tag: u8, last_be: u8, first_be: u8, address: u64 },
    Completion { completer: u16, status: u8, byte_count: u16, requester: u16, tag: u8, lower_address: u8 },
    Message { requester: u16, tag: u8, code: u8, dws: [u32; 2] },
}

/// What `rtlp-lib` reads in the bytes of a header: type, DW0, the rest.
fn read(bytes: &[u8]) -> Result<(TlpType, String, Rest), String> {
    let refused = |e| format!("{e:?}");
    let packet = TlpPacket::new(bytes.to_vec(), TlpMode::NonFlit).map_err(refused)?;
    let kind = packet.tlp_type().map_err(refused)?;
    let rest = match kind {
        TlpType::MsgReq | TlpType::MsgReqData => {
            let m = new_msg_req(packet.data()).map_err(refused)?;
            Rest::Message { requester: m.req_id(), tag: m.tag(), code: m.msg_code(), dws: [m.dw3(), m.dw4()] }
        }
        TlpType::Cpl | TlpType::CplData => {
            let c = new_cmpl_req(packet.data()).map_err(refused)?;
            if c.bcm() != 0 {
                return Err("BCM is set".into());
            }
            Rest::Completion {
                completer: c.cmpl_id(),
                status: c.cmpl_stat(),
                byte_count: c.byte_cnt(),
                requester: c.req_id(),
                tag: c.tag(),
                lower_address: c.laddr(),
            }
        }
        _ => {
            let format = packet.tlp_format().map_err(refused)?;
            let r = new_mem_req(packet.data(), &format).map_err(refused)?;
            Rest::Request {
                requester: r.req_id(),
                tag: r.tag(),
                last_be: r.ldwbe(),
                first_be: r.fdwbe(),
                address: r.address(),
            }
        }
    };
    Ok((kind, format!("{:?}", packet.header()), rest))
}

/// What it should read. Fmt and Type are those of PCIe 6.x table 2-3.
fn expected(tlp: &Tlp) -> (TlpType, String, Rest) {
    let (kind, format, code, at, tag, rest) = match tlp.body {
        Body::Memory { op, at, requester, tag, first_be, last_be, address, no_write } => {
            let (kind, data, code) = match op {
                MemoryOp::Read => (TlpType::MemReadReq, 0, 0b0_0000),
                MemoryOp::Write => (TlpType::MemWriteReq, 2, 0b0_0000),
                MemoryOp::FetchAdd => (TlpType::FetchAddAtomicOpReq, 2, 0b0_1100),
                MemoryOp::Swap => (TlpType::SwapAtomicOpReq, 2, 0b0_1101),
                MemoryOp::Cas => (TlpType::CompareSwapAtomicOpReq, 2, 0b0_1110),
            };
            let long = u8::from(address.0 >= 1 << 32);
            // Bits 1:0 of the address are reserved; bit 0 is NW, which the decoder leaves in the address.
            let address = address.0 | u64::from(no_write);
            let rest = Rest::Request { requester: requester.0, tag: tag.0 as u8, last_be, first_be, address };
            (kind, data | long, code, at.0, tag, rest)
        }
        Body::Completion { with_data, completer, status, byte_count, requester, tag, lower_address } => {
            let (kind, format) = if with_data { (TlpType::CplData, 2) } else { (TlpType::Cpl, 0) };
            let rest = Rest::Completion {
                completer: completer.0,
                status,
                // 4096 is encoded as 0.
                byte_count: byte_count % 4096,
                requester: requester.0,
                tag: tag.0 as u8,
                lower_address,
            };
            (kind, format, 0b0_1010, 0, tag, rest)
        }
        Body::Message { with_data, routing, requester, tag, code, dw2, dw3 } => {
            let (kind, format) = if with_data { (TlpType::MsgReqData, 3) } else { (TlpType::MsgReq, 1) };
            let routing = match routing {
                Routing::ToRoot => 0,
                Routing::ById => 2,
                Routing::Other(bits) => bits,
            };
            let rest = Rest::Message { requester: requester.0, tag: tag.0 as u8, code, dws: [dw2, dw3] };
            (kind, format, 0b1_0000 | routing, 0, tag, rest)
        }
    };
    let Attributes { relaxed, id_order, no_snoop } = tlp.attributes;
    let (t9, t8, ep, ido) = (tag.0 >> 9 & 1, tag.0 >> 8 & 1, u8::from(tlp.poisoned), u8::from(id_order));
    let attributes = u8::from(relaxed) << 1 | u8::from(no_snoop);
    let dw0 = format!(
        "TlpPacketHeader {{ format: {format}, type: {code}, tc: {}, t9: {t9}, t8: {t8}, attr_b2: {ido}, ln: 0, th: 0, \
         td: 0, ep: {ep}, attr: {attributes}, at: {at}, length: {} }}",
        tlp.tc,
        tlp.length_dw % 1024
    );
    (kind, dw0, rest)
}

/// Any TLP of a type that the decoder knows.
fn known_tlp() -> impl Strategy<Value = Tlp> {
    let known = |tlp: &Tlp| !matches!(tlp.body, Body::Message { routing: Routing::Other(6 | 7), .. });
    any_tlp().prop_filter("a message with a reserved routing", known)
}

/// A message as ATS and PRI use them (PCIe 6.x 10.3, 10.4).
fn ats_message() -> impl Strategy<Value = Tlp> {
    let drawn = (0..4usize, any::<u16>(), 0..32u16, any::<u32>(), any::<u32>(), 0..8u8);
    drawn.prop_map(|(which, requester, itag, dw2, dw3, tc)| {
        let (code, routing, with_data) = [
            (message_code::INVALIDATE_REQUEST, Routing::ById, true),
            (message_code::INVALIDATE_COMPLETION, Routing::ById, false),
            (message_code::PAGE_REQUEST, Routing::ToRoot, false),
            (message_code::PRG_RESPONSE, Routing::ById, false),
        ][which];
        let tag = Tag(if with_data { itag } else { 0 });
        let body = Body::Message { with_data, routing, requester: RequesterId(requester), tag, code, dw2, dw3 };
        let length_dw = if with_data { 2 } else { 0 };
        let (attributes, pasid) = (Attributes::default(), PasidPrefix::default());
        Tlp { tc, attributes, poisoned: false, length_dw, body, pasid }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn rtlp_reads_what_was_meant(tlp in known_tlp()) {
        prop_assert_eq!(read(&bytes(&tlp)), Ok(expected(&tlp)));
    }

    #[test]
    fn rtlp_reads_the_messages_of_ats_and_pri(tlp in ats_message()) {
        prop_assert_eq!(read(&bytes(&tlp)), Ok(expected(&tlp)));
    }
}

proptest! {
    /// The comparison can fail: a header in which any one bit is another one is not taken for the same.
    #[test]
    fn every_wrong_bit_is_seen(tlp in known_tlp()) {
        let right = bytes(&tlp);
        for bit in 0..8 * right.len() {
            let mut wrong = right.clone();
            wrong[bit / 8] ^= 0x80 >> (bit % 8);
            // Bit 7 of DW2 of a completion is reserved: the decoder looks away, and our encoder leaves it clear.
            let reserved = matches!(tlp.body, Body::Completion { .. }) && bit == 64 + 24;
            prop_assert_eq!(read(&wrong) == Ok(expected(&tlp)), reserved, "bit {}", bit);
        }
    }
}
