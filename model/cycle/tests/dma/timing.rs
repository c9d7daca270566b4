//! Latencies and rates, exact to the cycle.

use crate::bench::{Bench, function, segment, wide};
use types::UnitCfg;
use types::access::Op;

#[test]
fn write_latencies() {
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.segments.push_back(segment(Op::WRITE, 1, 1, 0x1000, 8));
    bench.finish(1);
    let given = bench.given[0];
    assert_eq!(bench.requests[0].0, given + 2, "segment to range asked for");
    // The source answers in the next cycle, given + 3.
    let beat = bench.posted[0].beats[0];
    assert_eq!(beat, given + 4, "bytes to posted beat: 1");
    // The bench reports it sent in the next cycle.
    assert_eq!(bench.write_sent[0].0, beat + 1 + 2);
    assert_eq!(bench.completions[0].0, beat + 1 + 3);
}

#[test]
fn read_latencies() {
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.segments.push_back(segment(Op::READ, 1, 1, 0x1000, 8));
    let mut answered = 0;
    while bench.completions.is_empty() {
        bench.tick();
        if bench.inp.cpl.valid {
            answered = bench.cycle - 1;
        }
    }
    assert_eq!(bench.reads[0].0, bench.given[0] + 2, "segment to descriptor");
    assert_eq!(bench.packets[0].beats[0], answered + 5, "last completion beat to read data");
    assert_eq!(bench.completions[0].0, bench.packets[0].beats[0] + 2);
}

#[test]
fn one_read_a_cycle_until_tags_run_out() {
    let cfg = UnitCfg { read_tags: 64, read_slots: 128, ..wide(64) };
    // Within a segment, and with a segment for every read.
    for single in [true, false] {
        let mut bench = Bench::new(cfg.clone(), function(128, 128), 0, 1);
        bench.answer = false;
        if single {
            bench.segments.push_back(segment(Op::READ, 1, 1, 0, 1 << 16));
        } else {
            bench.segments.extend((0..100).map(|i| segment(Op::READ, i % 8, i, 0x1000 * u64::from(i), 64)));
        }
        (0..200).for_each(|_| bench.tick());
        let first = bench.given[0] + 2;
        let cycles: Vec<u64> = bench.reads.iter().map(|(c, _)| *c).collect();
        assert_eq!(cycles, (first..first + 64).collect::<Vec<_>>());
        assert!(bench.stats["stall_tag"] > 100);
    }
}

#[test]
fn slots_bound_reads_like_tags() {
    let cfg = UnitCfg { read_tags: 64, read_slots: 16, ..wide(64) };
    let mut bench = Bench::new(cfg, function(128, 128), 0, 1);
    bench.answer = false;
    bench.segments.push_back(segment(Op::READ, 1, 1, 0, 1 << 16));
    (0..200).for_each(|_| bench.tick());
    assert_eq!(bench.reads.len(), 16);
    assert!(bench.stats["stall_buffer"] > 100 && bench.stats["stall_tag"] == 0);
}

/// Beats of a write of `length` bytes at `address`: ⌈(pad + payload) / width⌉.
fn beats(address: u64, length: u32, width: u32) -> u64 {
    ((address as u32 & 3) + length).div_ceil(width / 8).into()
}

#[test]
fn writes_leave_back_to_back() {
    for width in [64, 128, 256, 512] {
        for length in [1, 4, 29, 61, 62, 63, 64, 65, 125, 128] {
            for pad in 0..4u64 {
                let mut bench = Bench::new(wide(width), function(256, 256), 0, 1);
                // One request a segment; one segment of eight TLPs in between.
                let mut expected = 0;
                for i in 0..40u16 {
                    let address = 0x1000 * u64::from(i) + pad;
                    bench.segments.push_back(segment(Op::WRITE, i % 8, i, address, length));
                    expected += beats(address, length, width);
                    if i == 20 {
                        bench.segments.push_back(segment(Op::WRITE, 0, 100, 0x10_0000, 2048));
                        expected += 8 * beats(0, 256, width);
                    }
                }
                bench.finish(41);
                let cycles: Vec<u64> = bench.posted.iter().flat_map(|p| p.beats.clone()).collect();
                assert_eq!(cycles.len() as u64, expected);
                let first = cycles[0];
                let contiguous: Vec<u64> = (first..first + expected).collect();
                assert_eq!(cycles, contiguous, "width {width}, {length} bytes at offset {pad}");
            }
        }
    }
}

#[test]
fn a_slow_source_is_asked_up_to_four_ahead() {
    let mut bench = Bench::new(wide(512), function(256, 256), 0, 1);
    bench.segments.push_back(segment(Op::WRITE, 0, 0, 0, 4096));
    bench.hold_write_data = true;
    (0..100).for_each(|_| bench.tick());
    assert_eq!(bench.requests.len(), 4);
    let first = bench.given[0] + 2;
    assert_eq!(bench.requests.iter().map(|r| r.0).collect::<Vec<_>>(), (first..first + 4).collect::<Vec<_>>());
    bench.hold_write_data = false;
    bench.finish(1);
}

#[test]
fn one_beat_in_and_one_beat_out_a_cycle() {
    for width in [64, 128, 256, 512] {
        for pad in 0..4 {
            // Sixteen reads answered in order without a gap: the data leaves without a gap.
            let mut bench = Bench::new(wide(width), function(512, 512), 0, 1);
            bench.answer = false;
            bench.rcb = 4096;
            let length = 512 - pad as u32;
            bench.segments.extend((0..16).map(|i| segment(Op::READ, 1, i, 0x1000 * u64::from(i) + pad, length)));
            (0..100).for_each(|_| bench.tick());
            for (_, mut cpls) in std::mem::take(&mut bench.answers) {
                let cpl = cpls.pop_front().unwrap();
                bench.send(&cpl);
            }
            let start = bench.cycle;
            let per_read = 4096 / u64::from(width);
            bench.finish(16);
            // Data of read i is complete with its last beat; from then 5 cycles to the first beat out.
            let first = start + per_read - 1 + 5;
            let cycles: Vec<u64> = bench.packets.iter().flat_map(|p| p.beats.clone()).collect();
            assert_eq!(cycles, (first..first + 16 * per_read).collect::<Vec<_>>(), "width {width}, offset {pad}");
        }
    }
}

#[test]
fn a_freed_tag_is_used_three_cycles_later() {
    let cfg = UnitCfg { read_tags: 1, ..wide(64) };
    let mut bench = Bench::new(cfg, function(128, 128), 0, 1);
    (bench.answer, bench.rcb) = (false, 4096);
    bench.segments.push_back(segment(Op::READ, 0, 0, 0, 256));
    (0..50).for_each(|_| bench.tick());
    let cpl = bench.answers.remove(&0).unwrap().pop_front().unwrap();
    bench.send(&cpl);
    let mut last = 0;
    while bench.reads.len() < 2 {
        bench.tick();
        if bench.inp.cpl.eop {
            last = bench.cycle - 1;
        }
    }
    assert_eq!(bench.reads[1].0, last + 3);
}
