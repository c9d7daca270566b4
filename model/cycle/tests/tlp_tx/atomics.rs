//! Atomics on the non-posted stream: header, operands, data credits.

use crate::bench::{Bench, PLENTY, atomic, meant, payload, read, wide};
use types::port::Credits;
use types::tlp::TlpOp;

const ALL: [(TlpOp, u16); 7] = [
    (TlpOp::FETCH_ADD, 1),
    (TlpOp::FETCH_ADD, 2),
    (TlpOp::SWAP, 1),
    (TlpOp::SWAP, 2),
    (TlpOp::CAS, 2),
    (TlpOp::CAS, 4),
    (TlpOp::CAS, 8),
];

#[test]
fn headers_and_operands_among_reads_in_order() {
    for (width, stall) in [(64, 0), (64, 40), (128, 0), (256, 40), (512, 0)] {
        let mut bench = Bench::new(wide(width), stall, 7);
        let mut expected = vec![];
        for (n, (op, dws)) in ALL.iter().cycle().take(60).enumerate() {
            let address = if n % 2 == 0 { 0x5_0000_1000 } else { 0x7000_0000 };
            let next = if n % 5 == 4 { read(n as u16) } else { atomic(*op, n as u16, address, *dws) };
            let carried = if next.op == TlpOp::READ { vec![] } else { payload(next.length_dw, n as u64) };
            expected.push((meant(&next), carried));
            bench.reads.push_back(next);
        }
        bench.run(1000);
        assert_eq!(bench.non_posted_tlps(), expected, "width {width}");
    }
}

#[test]
fn latency_of_two_and_beats_back_to_back() {
    for (width, beats) in [(64, 4), (128, 2), (256, 1), (512, 1)] {
        let mut bench = Bench::new(wide(width), 0, 1);
        (0..10).for_each(|n| bench.reads.push_back(atomic(TlpOp::CAS, n, 0x1000, 8)));
        bench.run(100);
        let cycles: Vec<_> = bench.non_posted.iter().map(|x| x.0).collect();
        assert_eq!(cycles, (2..2 + 10 * beats).collect::<Vec<_>>(), "width {width}");
    }
}

#[test]
fn data_credits_to_the_last_one() {
    // 8 DWs take two of 16 bytes, 2 DWs one.
    for (op, dws, npd, expected) in [
        (TlpOp::CAS, 8, 5, 2),
        (TlpOp::CAS, 8, 4, 2),
        (TlpOp::CAS, 8, 1, 0),
        (TlpOp::SWAP, 2, 3, 3),
        (TlpOp::SWAP, 1, 0, 0),
    ] {
        let mut bench = Bench::new(wide(512), 0, 1);
        bench.give_back = false;
        bench.fc = Credits { npd, ..PLENTY };
        (0..10).for_each(|n| bench.reads.push_back(atomic(op, n, 0x1000, dws)));
        bench.run(50);
        let cycles: Vec<_> = bench.non_posted.iter().map(|x| x.0).collect();
        assert_eq!(cycles, (2..2 + expected).collect::<Vec<_>>(), "{dws} DW, NPD {npd}");
        assert!(bench.stall_non_posted > 20);
        let cycle = bench.cycle;
        bench.fc = Credits { nph: 1, npd: 2, ..PLENTY };
        bench.run(10);
        assert_eq!(bench.non_posted[expected as usize].0, cycle + 1);
    }
}

#[test]
fn what_carries_no_data_passes_one_without_data_credits() {
    let mut bench = Bench::new(wide(64), 0, 1);
    bench.fc.npd = 0;
    bench.reads.extend([atomic(TlpOp::SWAP, 0, 0x1000, 2), read(1)]);
    bench.ats.extend((10..20).map(read));
    bench.mpt.push_back(types::port::LineRequest { valid: true, ..Default::default() });
    bench.run(30);
    // Ten of one source and one of another; the read stands behind the atomic.
    assert_eq!(bench.non_posted.len(), 11);
    bench.fc.npd = 1;
    bench.run(10);
    assert_eq!(bench.non_posted.len(), 13);
}
