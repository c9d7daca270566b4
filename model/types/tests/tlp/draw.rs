//! Random TLPs.

use proptest::prelude::*;
use types::tlp::{Attributes, Body, MemoryOp, Routing};
use types::{AddressType, Pasid, PasidPrefix, RequesterId, Tag, Tlp, TlpAddr};

prop_compose! {
    /// Any PASID prefix, or none.
    pub(crate) fn any_prefix()(valid in any::<bool>(), pasid in 0u32..1 << 20, exec in any::<bool>(), privileged in any::<bool>())
        -> PasidPrefix {
        PasidPrefix { valid, pasid: Pasid(pasid), exec, privileged }
    }
}

fn any_body() -> impl Strategy<Value = (u16, Body)> {
    let op = prop_oneof![
        Just(MemoryOp::Read),
        Just(MemoryOp::Write),
        Just(MemoryOp::FetchAdd),
        Just(MemoryOp::Swap),
        Just(MemoryOp::Cas)
    ];
    let address = prop_oneof![any::<u64>(), any::<u32>().prop_map(u64::from)];
    let request = (1..=1024u16, op, 0..4u8, any::<u16>(), 0..1024u16, (0..16u8, 0..16u8), address, any::<bool>())
        .prop_map(|(length, op, at, requester, tag, (first_be, last_be), address, no_write)| {
            let (at, requester, tag) = (AddressType(at), RequesterId(requester), Tag(tag));
            let address = TlpAddr(address & !3);
            (length, Body::Memory { op, at, requester, tag, first_be, last_be, address, no_write })
        });
    let completion =
        (proptest::option::of(1..=1024u16), any::<u16>(), 0..8u8, 1..=4096u16, any::<u16>(), 0..1024u16, 0..128u8)
            .prop_map(|(data, completer, status, byte_count, requester, tag, lower_address)| {
                let (completer, requester, tag) = (RequesterId(completer), RequesterId(requester), Tag(tag));
                let with_data = data.is_some();
                let body = Body::Completion { with_data, completer, status, byte_count, requester, tag, lower_address };
                (data.unwrap_or(0), body)
            });
    let routing = (0..8u8).prop_map(|r| match r {
        0 => Routing::ToRoot,
        2 => Routing::ById,
        other => Routing::Other(other),
    });
    let message =
        (proptest::option::of(1..=1024u16), routing, any::<u16>(), 0..1024u16, any::<u8>(), any::<u32>(), any::<u32>())
            .prop_map(|(data, routing, requester, tag, code, dw2, dw3)| {
                let (requester, tag, with_data) = (RequesterId(requester), Tag(tag), data.is_some());
                (data.unwrap_or(0), Body::Message { with_data, routing, requester, tag, code, dw2, dw3 })
            });
    prop_oneof![request, completion, message]
}

prop_compose! {
    /// Any TLP that the codec knows.
    pub(crate) fn any_tlp()(
        (length_dw, body) in any_body(),
        pasid in any_prefix(),
        tc in 0..8u8,
        (relaxed, id_order, no_snoop, poisoned) in any::<(bool, bool, bool, bool)>(),
    ) -> Tlp {
        let attributes = Attributes { relaxed, id_order, no_snoop };
        Tlp { tc, attributes, poisoned, length_dw, body, pasid }
    }
}
