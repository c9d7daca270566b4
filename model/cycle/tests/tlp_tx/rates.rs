//! Latency, rates, credits, fairness and order, exact to the cycle.

use crate::bench::{Bench, message, read, wide, write};
use cycle::tlp_tx::POSTED_TLPS;
use types::addr::Iova;
use types::port::{Credits, LineRequest};
use types::tlp::{Body, Tlp};

#[test]
fn latency_of_two_with_credits() {
    let mut bench = Bench::new(wide(64), 0, 1);
    bench.write(write(0x1000, 4), 1);
    bench.reads.push_back(read(30));
    bench.messages.push_back(message(1));
    bench.run(20);
    // The last beat of the write was taken in taken[0]; reads and messages likewise.
    assert_eq!(bench.posted.iter().find(|(_, b)| b.strb == 0).unwrap().0, bench.taken[2][0] + 2);
    let mut alone = Bench::new(wide(64), 0, 1);
    alone.write(write(0x1000, 4), 1);
    alone.run(20);
    assert_eq!(alone.posted[0].0, alone.taken[0][0] + 2);
    assert_eq!(bench.non_posted[0].0, bench.taken[1][0] + 2);
}

#[test]
fn table_fetches_also_take_two() {
    let mut bench = Bench::new(wide(64), 0, 1);
    bench.mpt.push_back(LineRequest { valid: true, index: 1, address: Iova(0x40) });
    bench.run(10);
    // Offered and taken in cycle 0.
    assert_eq!(bench.non_posted[0].0, 2);
}

#[test]
fn one_header_a_cycle() {
    let mut bench = Bench::new(wide(64), 0, 1);
    bench.reads.extend((0..100).map(read));
    bench.run(110);
    let cycles: Vec<_> = bench.non_posted.iter().map(|x| x.0).collect();
    assert_eq!(cycles, (2..102).collect::<Vec<_>>());
}

#[test]
fn posted_beats_leave_back_to_back() {
    for width in [64, 128, 256, 512] {
        for dws in [1, 2, 15, 16, 17, 64] {
            let mut bench = Bench::new(wide(width), 0, 1);
            (0..50).for_each(|i| bench.write(write(i << 12, dws), i));
            bench.run(3000);
            let beats = 50 * u64::from(dws).div_ceil(u64::from(width) / 32);
            let cycles: Vec<_> = bench.posted.iter().map(|x| x.0).collect();
            // Whole TLPs only: the first leaves two cycles after its last beat.
            let first = u64::from(dws).div_ceil(u64::from(width) / 32) - 1 + 2;
            assert_eq!(cycles, (first..first + beats).collect::<Vec<_>>(), "width {width}, {dws} DW");
        }
    }
}

#[test]
fn posted_tlp_is_offered_only_when_wholly_buffered() {
    let mut bench = Bench::new(wide(64), 0, 1);
    bench.write(write(0, 64), 1);
    let last = bench.writes.pop_back().unwrap();
    bench.run(200);
    assert!(!bench.out.tx_wr_req_tlp.valid && bench.posted.is_empty());
    bench.writes.push_back(last);
    bench.run(40);
    assert_eq!(bench.posted.len(), 32);
}

#[test]
fn posted_never_waits_behind_non_posted() {
    let mut bench = Bench::new(wide(64), 0, 1);
    bench.fc.nph = 0;
    bench.reads.extend((0..10).map(read));
    bench.mpt.push_back(LineRequest { valid: true, index: 0, address: Iova(0) });
    bench.run(20);
    let cycle = bench.cycle;
    bench.write(write(0, 2), 1);
    bench.run(10);
    assert_eq!(bench.posted[0].0, cycle + 2);
    assert!(bench.non_posted.is_empty() && bench.stall_non_posted > 20);
    // And the other way round.
    bench.fc = Credits { ph: 0, pd: 0, nph: 20, npd: 0 };
    bench.write(write(0, 2), 1);
    bench.run(30);
    assert_eq!((bench.non_posted.len(), bench.posted.len()), (11, 1));
    assert!(bench.stall_posted > 10);
}

#[test]
fn credits_to_the_last_one() {
    // Exactly as many TLPs leave as credits allow, back to back, and the next the cycle after the credit shows.
    for (ph, pd, expected) in [(3, 4095, 3), (255, 9, 2), (255, 8, 2), (255, 7, 1), (1, 4, 1), (0, 100, 0)] {
        let mut bench = Bench::new(wide(512), 0, 1);
        bench.give_back = false;
        bench.fc = Credits { ph, pd, nph: 0, npd: 0 };
        // 13 DWs take 4 PD.
        (0..10).for_each(|i| bench.write(write(i << 12, 13), i));
        bench.run(50);
        let cycles: Vec<_> = bench.posted.iter().map(|x| x.0).collect();
        assert_eq!(cycles, (2..2 + expected).collect::<Vec<_>>(), "ph {ph} pd {pd}");
        let cycle = bench.cycle;
        bench.fc = Credits { ph: 1, pd: 4, nph: 0, npd: 0 };
        bench.run(10);
        assert_eq!(bench.posted[expected as usize..].iter().map(|x| x.0).collect::<Vec<_>>(), [cycle + 1]);
    }
    for nph in [0, 1, 2, 5] {
        let mut bench = Bench::new(wide(64), 0, 1);
        bench.give_back = false;
        bench.fc.nph = nph;
        bench.reads.extend((0..10).map(read));
        bench.run(50);
        assert_eq!(bench.non_posted.len(), usize::from(nph));
        let cycle = bench.cycle;
        bench.fc.nph = 1;
        bench.run(10);
        assert_eq!(bench.non_posted[usize::from(nph)..].iter().map(|x| x.0).collect::<Vec<_>>(), [cycle + 1]);
    }
}

#[test]
fn non_posted_sources_take_turns() {
    let mut bench = Bench::new(wide(64), 0, 1);
    for i in 0..20u64 {
        bench.reads.push_back(read(300));
        bench.ats.push_back(read(301));
        bench.mpt.push_back(LineRequest { valid: true, index: 0, address: Iova(64 * i) });
        bench.mtt.push_back(LineRequest { valid: true, index: 0, address: Iova(64 * i) });
    }
    bench.run(100);
    let tags: Vec<_> = bench
        .non_posted
        .iter()
        .map(|(_, b)| match Tlp::parse(b.hdr, b.pasid).unwrap().body {
            Body::Memory { tag, .. } => tag.0 - 256,
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(tags, [0, 2, 301, 300].repeat(20));
}

#[test]
fn messages_never_pass_writes_and_are_not_held_by_them() {
    let mut bench = Bench::new(wide(512), 0, 1);
    (0..200).for_each(|i| bench.write(write(i << 12, 1), i));
    bench.messages.extend((0..20).map(message));
    bench.run(400);
    // In the order in which they were taken: commits and messages merged by cycle.
    let mut taken: Vec<_> = bench.taken[0].iter().map(|c| (*c, false)).collect();
    taken.extend(bench.taken[2].iter().map(|c| (*c, true)));
    taken.sort();
    let left: Vec<_> = bench.posted_tlps().iter().map(|(t, _)| matches!(t.body, Body::Message { .. })).collect();
    assert_eq!(left, taken.iter().map(|t| t.1).collect::<Vec<_>>());
    // A message each other cycle at most, from the start.
    assert_eq!(bench.taken[2], (0..20).map(|i| 1 + 2 * i).collect::<Vec<_>>());
    assert_eq!(bench.posted_sent.len(), 200);
}

#[test]
fn messages_get_in_while_the_order_queue_is_full() {
    let mut bench = Bench::new(wide(512), 0, 1);
    bench.fc.ph = 0;
    (0..100).for_each(|i| bench.write(write(i << 12, 1), i));
    bench.run(100);
    assert_eq!(bench.taken[0].len(), POSTED_TLPS);
    bench.messages.push_back(message(1));
    bench.run(10);
    assert!(bench.taken[2].is_empty());
    bench.fc.ph = 1;
    bench.give_back = false;
    bench.run(10);
    assert_eq!(bench.taken[2].len(), 1, "the first free place goes to the message");
}

#[test]
fn sequence_numbers_are_used_again_only_when_sent() {
    let mut bench = Bench::new(wide(512), 0, 1);
    bench.hold_sent = true;
    (0..100).for_each(|i| bench.write(write(i << 12, 1), i));
    bench.run(300);
    assert_eq!(bench.posted.iter().map(|(_, b)| b.seq).collect::<Vec<_>>(), (0..64).collect::<Vec<_>>());
    bench.hold_sent = false;
    bench.run(300);
    assert_eq!(bench.posted.len(), 100);
    let expected: Vec<_> = bench.sent.iter().map(|c| c + 1).collect();
    assert_eq!(bench.posted_sent, expected, "one cycle after the link says so");
}
