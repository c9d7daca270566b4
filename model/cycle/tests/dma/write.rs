//! Writes: which TLPs, which bytes, in which order.

use crate::bench::{Bench, function, message, random_messages, segment, tlps_of, wide};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use types::access::{AddressType, Op, PasidPrefix, Syndrome};
use types::addr::Pasid;
use types::port::ReleasedSegment;
use types::tlp::TlpOp;

/// Checks the TLPs of write segments against the byte-by-byte reference.
fn check(bench: &Bench, segments: &[ReleasedSegment], limit: u64) {
    let mut posted = bench.posted.iter();
    for s in segments {
        for (address, length) in tlps_of(s.address.0, s.tag.length.0, limit) {
            let got = posted.next().expect("a TLP for every part");
            assert_eq!(got.tlp.op, TlpOp::WRITE);
            assert_eq!(got.tlp.address.0, address & !3, "{length} bytes at {address:#x}");
            assert_eq!(got.payload.len(), 4 * usize::from(got.tlp.length_dw));
            // Enabled bytes are exactly the part's, and hold the message.
            let dws = usize::from(got.tlp.length_dw);
            for (i, byte) in got.payload.iter().enumerate() {
                let be = match i / 4 {
                    0 => got.tlp.first_be,
                    n if n + 1 == dws => got.tlp.last_be,
                    _ => 0xf,
                };
                let at = (address & !3) + i as u64;
                let inside = at >= address && at < address + u64::from(length);
                assert_eq!(be >> (i % 4) & 1 == 1, inside, "byte enable of {at:#x}");
                assert!(inside || *byte == 0, "nothing of other messages beside the enabled bytes");
                if inside {
                    let offset = s.tag.message_offset.0 + (at - s.address.0) as u32;
                    assert_eq!(*byte, message(s.tag.stream, s.tag.id, offset), "byte at {at:#x}");
                }
            }
            assert!(dws > 1 || got.tlp.last_be == 0);
        }
    }
    assert!(posted.next().is_none(), "no TLP beyond the parts");
}

fn run(width: u32, mps: u32, stall: u64, segments: &[ReleasedSegment]) -> Bench {
    let mut bench = Bench::new(wide(width), function(mps, 512), stall, u64::from(width) + stall);
    bench.segments.extend(segments);
    bench.finish(segments.iter().filter(|s| s.tag.last).count());
    assert!(bench.outcomes().iter().all(|o| o.2 == Syndrome::OK));
    assert_eq!(bench.write_sent.len(), segments.len());
    check(&bench, segments, u64::from(mps));
    bench
}

#[test]
fn every_offset_around_a_line_and_every_length_near_the_limits() {
    for width in [64, 128, 256, 512] {
        for mps in [128, 256] {
            let mut segments = vec![];
            for offset in (0..4).chain(4092..4096) {
                for length in (1..=9).chain(mps - 5..=mps + 5).chain(4090..=4098) {
                    segments.push(segment(Op::WRITE, 1, segments.len() as u16, 0x7_0000_0000 + offset, length));
                }
            }
            run(width, mps, 0, &segments);
        }
    }
}

#[test]
fn exactly_the_limit_is_one_tlp_and_one_byte_more_is_two() {
    // Scenario 19: 256 bytes at MPS 256 aligned: one; 257: two. With an offset of 1, 255 bytes fill 64 DWs.
    for (address, length, tlps) in [(0x1000, 256, 1), (0x1000, 257, 2), (0x1001, 255, 1), (0x1001, 256, 2)] {
        assert_eq!(run(64, 256, 0, &[segment(Op::WRITE, 0, 0, address, length)]).posted.len(), tlps);
    }
}

#[test]
fn one_byte_across_a_line_splits_at_the_line() {
    // Scenario 16: 4095 + 2 bytes: one byte each side of the line.
    let bench = run(64, 256, 0, &[segment(Op::WRITE, 0, 0, 0x1fff, 2)]);
    let got: Vec<_> = bench.posted.iter().map(|p| (p.tlp.address.0, p.tlp.first_be, p.tlp.last_be)).collect();
    assert_eq!(got, [(0x1ffc, 0b1000, 0), (0x2000, 0b0001, 0)]);
}

#[test]
fn a_write_of_no_bytes_completes_in_order_without_a_tlp() {
    let segments =
        [segment(Op::WRITE, 3, 7, 0x1000, 64), segment(Op::WRITE, 3, 8, 0x1000, 0), segment(Op::WRITE, 3, 9, 0, 4)];
    let bench = run(128, 256, 0, &segments);
    assert_eq!(bench.outcomes(), [(3, 7, Syndrome::OK), (3, 8, Syndrome::OK), (3, 9, Syndrome::OK)]);
    assert_eq!(bench.posted.len(), 2);
}

#[test]
fn attributes_follow_the_function_and_the_region() {
    let mut relaxed = function(256, 256);
    (relaxed.relaxed_ordering, relaxed.id_ordering, relaxed.pasid_enable) = (true, true, true);
    let mut bench = Bench::new(wide(64), relaxed, 0, 1);
    let mut unordered = segment(Op::WRITE, 0, 0, 0x1000, 4);
    unordered.tag.unordered = true;
    unordered.no_snoop = true;
    unordered.tag.pasid = PasidPrefix { valid: true, pasid: Pasid(0xabcde), exec: true, privileged: true };
    let mut translated = unordered;
    translated.at = AddressType::TRANSLATED;
    bench.segments.extend([unordered, segment(Op::WRITE, 0, 1, 0x1000, 4), translated]);
    bench.finish(3);
    let tlps: Vec<_> = bench.posted.iter().map(|p| p.tlp).collect();
    // N in the translation: No Snoop must be clear (PCIe 6.x 10.2.3).
    assert_eq!((tlps[0].relaxed, tlps[0].id_order, tlps[0].no_snoop), (true, true, false));
    // Execute and Privileged Mode are not enabled at this function, so they are not asked for.
    assert_eq!(tlps[0].pasid, PasidPrefix { valid: true, pasid: Pasid(0xabcde), exec: false, privileged: false });
    assert_eq!((tlps[1].relaxed, tlps[1].id_order, tlps[1].no_snoop), (false, true, false));
    assert_eq!((tlps[2].at, tlps[2].pasid), (AddressType::TRANSLATED, PasidPrefix::default()));
}

#[test]
fn completion_waits_until_the_last_tlp_is_sent() {
    let mut bench = Bench::new(wide(64), function(128, 128), 0, 1);
    bench.hold_sent = true;
    bench.segments.push_back(segment(Op::WRITE, 0, 5, 0x1000, 512));
    (0..500).for_each(|_| bench.tick());
    assert_eq!(bench.posted.len(), 4);
    assert!(bench.completions.is_empty() && bench.write_sent.is_empty());
    bench.hold_sent = false;
    bench.finish(1);
}

#[test]
fn at_most_64_segments_wait_for_the_link() {
    let mut bench = Bench::new(wide(64), function(128, 128), 0, 1);
    bench.hold_sent = true;
    bench.segments.extend((0..100).map(|i| segment(Op::WRITE, i % 8, i, 0x1000, 4)));
    (0..500).for_each(|_| bench.tick());
    assert_eq!(bench.posted.len(), 64);
    bench.hold_sent = false;
    bench.finish(100);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_segments_with_random_back_pressure(
        width in prop::sample::select(vec![64u32, 128, 256, 512]),
        mps in prop::sample::select(vec![128u32, 256, 512, 4096]),
        stall in 0u64..70,
        seed in any::<u64>(),
    ) {
        let segments = random_messages(Op::WRITE, seed);
        run(width, mps, stall, &segments);
    }
}
