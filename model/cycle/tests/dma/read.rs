//! Reads: which TLPs, which bytes come back, in which order.

use crate::axi::Chance;
use crate::bench::{Bench, function, memory, random_messages, segment, tlps_of, wide};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use types::UnitCfg;
use types::access::{Op, Syndrome};
use types::port::ReleasedSegment;
use types::tlp::TlpOp;

/// Checks reads and read data of segments against the byte-by-byte reference.
fn check(bench: &Bench, segments: &[ReleasedSegment], limit: u64) {
    let (mut reads, mut packets) = (bench.reads.iter(), bench.packets.iter());
    for s in segments {
        for (address, length) in tlps_of(s.address.0, s.tag.length.0, limit) {
            let (_, read) = reads.next().expect("a read for every part");
            let last = address + u64::from(length) - 1;
            assert_eq!((read.op, read.address.0), (TlpOp::READ, address & !3));
            assert_eq!(u64::from(read.length_dw), last / 4 - address / 4 + 1);
            // First and last enabled byte of the TLP.
            let first_byte = read.address.0 + u64::from(read.first_be.trailing_zeros());
            let be = if read.length_dw == 1 { read.first_be } else { read.last_be };
            let last_byte = read.address.0 + 4 * u64::from(read.length_dw - 1) + 7 - u64::from(be.leading_zeros());
            assert_eq!((first_byte, last_byte), (address, last));

            let packet = packets.next().expect("a packet for every read");
            assert!(packet.first.last);
            assert_eq!((packet.first.stream, packet.first.id), (s.tag.stream, s.tag.id));
            assert_eq!(u64::from(packet.first.offset.0), u64::from(s.tag.message_offset.0) + address - s.address.0);
            let expected: Vec<u8> = (address..=last).map(memory).collect();
            assert!(packet.bytes == expected, "{length} bytes at {address:#x}");
        }
    }
    assert!(reads.next().is_none() && packets.next().is_none());
}

fn run(cfg: UnitCfg, mrrs: u32, stall: u64, rcb: u64, seed: u64, segments: &[ReleasedSegment]) -> Bench {
    let limit = u64::from(mrrs.min(cfg.read_slot_bytes));
    let mut bench = Bench::new(cfg, function(256, mrrs), stall, seed);
    bench.rcb = rcb;
    bench.segments.extend(segments);
    bench.finish(segments.iter().filter(|s| s.tag.last).count());
    assert!(bench.outcomes().iter().all(|o| o.2 == Syndrome::OK));
    assert_eq!(bench.stats["unexpected"], 0);
    check(&bench, segments, limit);
    bench
}

#[test]
fn every_offset_around_a_line_and_every_length_near_the_limits() {
    for width in [64, 128, 256, 512] {
        for mrrs in [128, 512] {
            let mut segments = vec![];
            for offset in (0..4).chain(4092..4096) {
                for length in (1..=9).chain(mrrs - 5..=mrrs + 5).chain(4090..=4098) {
                    segments.push(segment(Op::READ, 1, segments.len() as u16, 0x7_0000_0000 + offset, length));
                }
            }
            run(wide(width), mrrs, 0, 64, 1, &segments);
        }
    }
}

#[test]
fn exactly_the_limit_is_one_tlp_and_one_byte_more_is_two() {
    for (address, length, tlps) in [(0x1000, 512, 1), (0x1000, 513, 2), (0x1003, 509, 1), (0x1003, 510, 2)] {
        let s = [segment(Op::READ, 0, 0, address, length)];
        assert_eq!(run(wide(64), 512, 0, 64, 1, &s).reads.len(), tlps);
    }
}

#[test]
fn mrrs_is_cut_to_the_read_slot() {
    // 4096 bytes with slots of 512: eight reads, although MRRS allows one.
    assert_eq!(run(wide(64), 4096, 0, 64, 1, &[segment(Op::READ, 0, 0, 0x1000, 4096)]).reads.len(), 8);
}

#[test]
fn a_read_of_no_bytes_is_one_dw_without_byte_enables_and_no_packet() {
    let segments = [segment(Op::READ, 2, 1, 0x1003, 0), segment(Op::READ, 2, 2, 0x1003, 5)];
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.segments.extend(segments);
    bench.finish(2);
    let read = bench.reads[0].1;
    assert_eq!((read.address.0, read.length_dw, read.first_be, read.last_be), (0x1000, 1, 0, 0));
    assert_eq!(bench.packets.len(), 1);
    assert_eq!(bench.outcomes(), [(2, 1, Syndrome::OK), (2, 2, Syndrome::OK)]);
}

#[test]
fn completion_waits_for_the_data_to_be_taken() {
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.segments.push_back(segment(Op::READ, 0, 0, 0x1000, 256));
    while bench.packets.is_empty() {
        bench.tick();
    }
    bench.stall = 100;
    (0..200).for_each(|_| bench.tick());
    assert!(bench.completions.is_empty());
    bench.stall = 0;
    bench.finish(1);
    assert!(bench.completions[0].0 > *bench.packets[0].beats.last().unwrap());
}

#[test]
fn tags_fit_the_tag_width() {
    // `small`: 2 MPT, 4 MTT, 1 flush and 16 ATS tags come first, so data tags start at 23; 5-bit tags leave 9 of them.
    let mut five_bit = function(128, 128);
    five_bit.tag_mode = 0;
    let mut bench = Bench::new(wide(64), five_bit, 0, 1);
    bench.answer = false;
    bench.segments.push_back(segment(Op::READ, 0, 0, 0, 4096));
    (0..100).for_each(|_| bench.tick());
    let tags: Vec<_> = bench.reads.iter().map(|(_, r)| r.tag).collect();
    assert_eq!(tags, (23..32).collect::<Vec<u16>>());
    bench.answer = true;
    bench.finish(1);
}

#[test]
fn delivery_holds_no_tags() {
    // 40 reads with 32 tags and 64 slots: all leave although nothing of their data is taken.
    let mut bench = Bench::new(wide(64), function(128, 128), 0, 1);
    bench.hold_data = true;
    bench.segments.push_back(segment(Op::READ, 0, 0, 0, 40 * 128));
    (0..4000).for_each(|_| bench.tick());
    assert_eq!(bench.reads.len(), 40);
    assert!(bench.packets.is_empty());
    bench.hold_data = false;
    bench.finish(1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_segments_splits_interleaving_and_back_pressure(
        width in prop::sample::select(vec![64u32, 128, 256, 512]),
        mrrs in prop::sample::select(vec![128u32, 256, 512, 4096]),
        slot in prop::sample::select(vec![128u32, 512, 4096]),
        rcb in prop::sample::select(vec![64u64, 128]),
        stall in 0u64..70,
        seed in any::<u64>(),
    ) {
        let segments = random_messages(Op::READ, seed);
        let cfg = UnitCfg { read_slot_bytes: slot, read_slots: 8, read_tags: 6, ..wide(width) };
        run(cfg, mrrs, stall, rcb, seed, &segments);
    }

    #[test]
    fn reads_and_writes_together(stall in 0u64..70, seed in any::<u64>()) {
        let mut bench = Bench::new(wide(128), function(256, 256), stall, seed);
        let mut chance = Chance::new(seed);
        for id in 0..40 {
            let op = if chance.percent(50) { Op::READ } else { Op::WRITE };
            bench.segments.push_back(segment(op, chance.below(8) as u16, id, chance.below(1 << 30), 1 + chance.below(2000) as u32));
        }
        let all: Vec<_> = bench.segments.iter().copied().collect();
        bench.finish(40);
        // Completions of one stream and kind come in order.
        for stream in 0..8 {
            for op in [Op::READ, Op::WRITE] {
                let ids = |s: &&ReleasedSegment| s.tag.stream.0 == stream && s.tag.op == op;
                let asked: Vec<_> = all.iter().filter(ids).map(|s| s.tag.id.0).collect();
                let got: Vec<_> = bench.outcomes().iter().map(|o| o.1).filter(|id| asked.contains(id)).collect();
                assert_eq!(asked, got);
            }
        }
    }
}
