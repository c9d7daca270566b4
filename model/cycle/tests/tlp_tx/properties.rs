//! Headers against the codec of `types`, and nothing lost or reordered whatever the surroundings do.

use crate::axi::Chance;
use crate::bench::{Bench, meant, message, payload, read, requester, wide, write};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use types::access::{AddressType, PasidPrefix};
use types::addr::{FunctionId, Iova, Pasid, TlpAddr};
use types::config::UnitCfg;
use types::port::{Credits, LineRequest, TlpDescriptor};
use types::tlp::{Body, Tlp, TlpOp};

fn any_descriptor() -> impl Strategy<Value = TlpDescriptor> {
    let ops = vec![TlpOp::READ, TlpOp::WRITE, TlpOp::MESSAGE_BY_ID, TlpOp::MESSAGE_TO_ROOT];
    let address = prop_oneof![any::<u64>(), (0u64..1 << 32)];
    let be = (0u8..16, 0u8..16);
    (prop::sample::select(ops), 0u16..4, 0u8..3, address, 1u16..=1024, be, 0u16..512, any::<[bool; 6]>(), 0u32..1 << 20)
        .prop_map(|(op, function, at, address, length_dw, (first_be, last_be), tag, b, pasid)| {
            let is_message = matches!(op, TlpOp::MESSAGE_BY_ID | TlpOp::MESSAGE_TO_ROOT);
            let at = if is_message { AddressType::UNTRANSLATED } else { AddressType(at) };
            // The address is DW aligned; bit 0 is NW in a Translation Request.
            let low = if at == AddressType::TRANSLATION_REQUEST { 2 } else { 3 };
            TlpDescriptor {
                valid: true,
                op,
                function: FunctionId(function),
                at,
                address: TlpAddr(if is_message { address } else { address & !low }),
                length_dw: if op == TlpOp::WRITE { length_dw % 64 + 1 } else { length_dw },
                first_be,
                last_be,
                tag,
                relaxed: b[0],
                id_order: b[1],
                no_snoop: b[2],
                pasid: if b[3] {
                    PasidPrefix { valid: true, pasid: Pasid(pasid), exec: b[4], privileged: b[5] }
                } else {
                    PasidPrefix::default()
                },
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn headers_are_what_the_descriptors_mean(d in any_descriptor()) {
        let mut bench = Bench::new(wide(64), 0, 1);
        match d.op {
            TlpOp::READ => bench.reads.push_back(d),
            TlpOp::WRITE => bench.write(d, 1),
            _ => bench.messages.push_back(d),
        }
        bench.run(100);
        let all: Vec<_> = bench.posted.iter().chain(&bench.non_posted).filter(|(_, b)| b.sop).collect();
        prop_assert_eq!(all.len(), 1);
        prop_assert_eq!(Tlp::parse(all[0].1.hdr, all[0].1.pasid), Ok(meant(&d)));
        prop_assert_eq!(all[0].1.hdr, meant(&d).header());
    }

    #[test]
    fn nothing_is_lost_or_reordered_under_random_back_pressure_and_scarce_credits(
        width in prop::sample::select(vec![64u32, 128, 256, 512]),
        stall in 0u64..70,
        seed in any::<u64>(),
    ) {
        let mut bench = Bench::new(UnitCfg { posted_buffer_bytes: 1024, ..wide(width) }, stall, seed);
        // A 64-DW write needs 16 PD.
        bench.fc = Credits { ph: 2, pd: 17, nph: 2, npd: 0 };
        let mut chance = Chance::new(seed);
        let mut writes = vec![];
        for i in 0..60u16 {
            let d = write(u64::from(i) << 12, 1 + chance.below(64) as u16);
            bench.write(d, u64::from(i));
            writes.push((meant(&d), payload(d.length_dw, u64::from(i))));
            bench.reads.push_back(read(i));
            bench.ats.push_back(read(100 + i));
            bench.mpt.push_back(LineRequest { valid: true, index: (i % 2) as u8, address: Iova(64 * u64::from(i)) });
            bench.mtt.push_back(LineRequest { valid: true, index: (i % 4) as u8, address: Iova((1 << 20) | (64 * u64::from(i))) });
            if i % 7 == 0 {
                bench.messages.push_back(message(u32::from(i)));
            }
        }
        bench.run(60_000);
        let (messages, got): (Vec<_>, Vec<_>) =
            bench.posted_tlps().into_iter().partition(|(t, _)| matches!(t.body, Body::Message { .. }));
        prop_assert!(got == writes);
        prop_assert_eq!(messages.len(), 9);
        prop_assert_eq!(bench.posted_sent.len(), 60, "messages are not reported to dma");
        // Each source in its own order.
        let mut order = [vec![], vec![], vec![], vec![]];
        for (_, beat) in &bench.non_posted {
            let Body::Memory { tag, address, at, requester: r, .. } = Tlp::parse(beat.hdr, beat.pasid).unwrap().body
                else { unreachable!() };
            prop_assert_eq!((at, r), (AddressType::UNTRANSLATED, requester(0)));
            let number = u64::from(tag.0 - 256);
            // `small`: MPT tags 0 and 1, MTT tags 2 to 5. Table fetches are told by their address.
            match address.0 {
                0x1000 if number >= 100 => order[2].push(number - 100),
                a if a >= 1 << 20 => { prop_assert_eq!(number, 2 + (a >> 6 & 0x3fff) % 4); order[1].push(a >> 6 & 0x3fff); }
                a if a != 0x1000 => { prop_assert_eq!(number, (a >> 6) % 2); order[0].push(a >> 6); }
                _ => order[3].push(number),
            }
        }
        for (source, seen) in order.iter().enumerate() {
            prop_assert!(seen.is_sorted(), "source {} out of order: {:?}", source, seen);
        }
        prop_assert_eq!(bench.non_posted.len(), 240);
    }
}
