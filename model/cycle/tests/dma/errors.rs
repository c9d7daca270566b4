//! What ends a request in error, and that the engine goes on.

use crate::bench::{Bench, Cpl, at_offset, function, memory, segment, wide};
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::{AddressType, Op, PasidPrefix, Syndrome};
use types::addr::{FunctionId, Pasid};
use types::port::{CplBeat, FunctionCfg, ReleasedSegment};
use types::tlp::status;

/// A bench that waits for answers to its reads.
fn waiting(segments: &[ReleasedSegment], reads: usize) -> Bench {
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.answer = false;
    bench.segments.extend(segments);
    (0..100).for_each(|_| bench.tick());
    assert_eq!(bench.reads.len(), reads);
    bench
}

/// A CplD of `bytes` bytes at `address` with `left` still owed.
fn cpl(address: u64, bytes: u64, left: u16) -> Cpl {
    let payload: Vec<u8> = (address..address + bytes).map(memory).collect();
    let head = CplBeat {
        byte_count: left,
        lower_address: (address & 0x7f) as u8,
        length_dw: (payload.len() / 4) as u16,
        ..CplBeat::default()
    };
    Cpl { head, payload, beats: None }
}

/// Every tag can be used again, and the stream too.
fn goes_on(bench: &mut Bench) {
    let done = bench.completions.len();
    let tags = bench.cfg.read_tags as usize;
    let reads = bench.reads.len();
    bench.answer = false;
    bench.segments.push_back(segment(Op::READ, 1, 999, 0x8000, 256 * tags as u32));
    (0..300).for_each(|_| bench.tick());
    assert_eq!(bench.reads.len() - reads, tags, "every tag is free again");
    bench.answer = true;
    bench.finish(done + 1);
    assert_eq!(bench.outcomes()[done], (1, 999, Syndrome::OK));
    let bytes: Vec<u8> = bench.packets.iter().filter(|p| p.first.id.0 == 999).flat_map(|p| p.bytes.clone()).collect();
    assert_eq!(bytes, (0x8000..0x8000 + bytes.len() as u64).map(memory).collect::<Vec<_>>());
    assert_eq!(bytes.len(), 256 * tags);
}

/// Reads 256 bytes at 0x1000 and answers with `answer`; expects `syndrome` and `unexpected` completions.
fn faulty(answer: impl IntoIterator<Item = Cpl>, syndrome: Syndrome, unexpected: u64) {
    let mut bench = waiting(&[segment(Op::READ, 1, 1, 0x1000, 256)], 1);
    let (tag, _) = bench.answers.pop_first().unwrap();
    let mut answer: VecDeque<Cpl> = answer.into_iter().collect();
    answer.iter_mut().for_each(|c| c.head.index = tag);
    answer.iter().for_each(|c| bench.send(c));
    bench.finish(1);
    assert_eq!(bench.outcomes(), [(1, 1, syndrome)]);
    assert_eq!(bench.stats["unexpected"], unexpected);
    assert_eq!(bench.stats["error"], 1);
    assert!(bench.packets.is_empty());
    goes_on(&mut bench);
}

fn with_status(status: u8) -> Cpl {
    Cpl { head: CplBeat { status, byte_count: 256, ..CplBeat::default() }, payload: vec![], beats: None }
}

#[test]
fn completion_status() {
    faulty([with_status(status::UR)], Syndrome::UNSUPPORTED_REQUEST, 0);
    faulty([with_status(status::CA)], Syndrome::COMPLETER_ABORT, 0);
    // Request Retry Status is for configuration requests only; reserved values count as UR.
    faulty([with_status(status::RRS)], Syndrome::MALFORMED_COMPLETION, 0);
    faulty([with_status(0b111)], Syndrome::UNSUPPORTED_REQUEST, 0);
    // Success without data answers no read.
    faulty([with_status(status::SC)], Syndrome::MALFORMED_COMPLETION, 0);
    // The second part fails.
    faulty([cpl(0x1000, 64, 256), with_status(status::CA)], Syndrome::COMPLETER_ABORT, 0);
}

#[test]
fn poison() {
    for which in 0..2 {
        let mut parts = [cpl(0x1000, 128, 256), cpl(0x1080, 128, 128)];
        parts[which].head.poisoned = true;
        faulty(parts, Syndrome::POISONED, 0);
    }
}

#[test]
fn oversize() {
    let malformed = Syndrome::MALFORMED_COMPLETION;
    faulty([cpl(0x1000, 260, 256)], malformed, 0);
    faulty([cpl(0x1000, 512, 512)], malformed, 0);
    faulty([cpl(0x1000, 128, 256), cpl(0x1080, 192, 128)], malformed, 0);
    // Beats beyond or short of the header's length.
    faulty([Cpl { beats: Some(33), ..cpl(0x1000, 256, 256) }], malformed, 0);
    faulty([Cpl { beats: Some(31), ..cpl(0x1000, 256, 256) }], malformed, 0);
}

#[test]
fn out_of_order_parts() {
    let malformed = Syndrome::MALFORMED_COMPLETION;
    // The tag stays in use until the part that was passed has come too.
    faulty([cpl(0x1040, 192, 192), cpl(0x1000, 64, 256)], malformed, 0);
    // At the same Lower Address a part from behind cannot be told from one that ends the read early.
    faulty([cpl(0x1080, 128, 128), cpl(0x1000, 128, 256)], malformed, 1);
}

#[test]
fn byte_count_that_is_wrong() {
    let malformed = Syndrome::MALFORMED_COMPLETION;
    faulty([cpl(0x1000, 256, 255)], malformed, 0);
    faulty([cpl(0x1000, 64, 64)], malformed, 0);
    faulty([cpl(0x1000, 128, 256), cpl(0x1080, 128, 127)], malformed, 0);
    faulty([cpl(0x1004, 256, 256)], malformed, 0);
}

#[test]
fn byte_count_says_done_before_the_last_beat() {
    // Scenario 18: one tag; a single completion of 512 bytes has the final Byte Count in its first of 64 beats.
    let cfg = UnitCfg { read_tags: 1, ..wide(64) };
    let mut bench = Bench::new(cfg, function(512, 512), 0, 1);
    bench.rcb = 4096;
    bench.segments.push_back(segment(Op::READ, 0, 0, 0x1000, 1024));
    let mut last_beat = 0;
    while bench.reads.len() < 2 {
        bench.tick();
        if bench.inp.cpl.eop {
            last_beat = bench.cycle - 1;
        }
        assert!(bench.reads.len() < 2 || last_beat != 0, "the tag is held until the last beat");
    }
    assert_eq!(bench.reads[1].0, last_beat + 3);
    bench.finish(1);
}

#[test]
fn unexpected_completions_are_counted_and_ignored() {
    let mut bench = waiting(&[segment(Op::READ, 1, 1, 0x1000, 256)], 1);
    for index in [31, 32, 1000] {
        let mut stray = cpl(0x1000, 256, 256);
        stray.head.index = index;
        bench.send(&stray);
    }
    // The tag is the read's, its function is not.
    let mut other = cpl(0x1000, 256, 256);
    other.head.function = types::FunctionId(1);
    bench.send(&other);
    (0..300).for_each(|_| bench.tick());
    assert_eq!(bench.stats["unexpected"], 4);
    assert!(bench.packets.is_empty() && bench.completions.is_empty());
    bench.answer = true;
    bench.finish(1);
    assert_eq!(bench.outcomes(), [(1, 1, Syndrome::OK)]);
    goes_on(&mut bench);
}

#[test]
fn unexpected_completion_with_nothing_in_flight() {
    let mut bench = waiting(&[], 0);
    bench.send(&cpl(0x1000, 8, 8));
    (0..20).for_each(|_| bench.tick());
    assert_eq!(bench.stats["unexpected"], 1);
    goes_on(&mut bench);
}

#[test]
fn a_failed_read_stops_its_request_and_no_other() {
    // Request 1 of stream 1 has three segments; its first fails before the second is given.
    let part = |i: u32| at_offset(segment(Op::READ, 1, 1, 0x1000 * u64::from(i + 1), 512), 512 * i, i == 0, i == 2);
    let mut bench = waiting(&[part(0), segment(Op::READ, 2, 9, 0x9000, 256)], 3);
    let ur = with_status(status::UR);
    bench.answers.insert(0, VecDeque::from([ur]));
    bench.answer = true;
    (0..300).for_each(|_| bench.tick());
    assert_eq!(bench.outcomes(), [(2, 9, Syndrome::OK)]);
    let reads = bench.reads.len();
    bench.segments.extend([part(1), part(2), segment(Op::READ, 1, 2, 0xa000, 256)]);
    bench.finish(3);
    assert_eq!(bench.reads.len(), reads + 1, "no read of the failed request's other segments");
    let ended = [(2, 9, Syndrome::OK), (1, 1, Syndrome::UNSUPPORTED_REQUEST), (1, 2, Syndrome::OK)];
    assert_eq!(bench.outcomes(), ended);
    goes_on(&mut bench);
}

#[test]
fn a_failed_read_ends_after_its_outstanding_reads() {
    // Four reads; the second aborts at once, the others are held back.
    let mut bench = waiting(&[segment(Op::READ, 1, 1, 0x1000, 1024)], 4);
    let mut abort = with_status(status::CA);
    abort.head.index = 1;
    bench.answers.remove(&1);
    bench.send(&abort);
    (0..300).for_each(|_| bench.tick());
    assert!(bench.completions.is_empty());
    bench.answer = true;
    bench.finish(1);
    assert_eq!(bench.outcomes(), [(1, 1, Syndrome::COMPLETER_ABORT)]);
    // What lies before the failure was delivered, nothing behind it.
    assert_eq!(bench.packets.iter().map(|p| p.first.offset.0).collect::<Vec<_>>(), [0]);
    goes_on(&mut bench);
}

#[test]
fn an_error_from_before_sends_nothing_and_keeps_the_place() {
    for op in [Op::READ, Op::WRITE] {
        let mut bad = at_offset(segment(op, 1, 1, 0x2000, 64), 64, false, false);
        bad.tag.syndrome = Syndrome::NOT_PRESENT;
        let mut alone = segment(op, 1, 2, 0, 0);
        alone.tag.syndrome = Syndrome::BOUNDS;
        let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
        bench.segments.extend([
            segment(op, 1, 0, 0x1000, 64),
            at_offset(segment(op, 1, 1, 0x1000, 64), 0, true, false),
            bad,
            at_offset(segment(op, 1, 1, 0x3000, 64), 128, false, true),
            alone,
            segment(op, 1, 3, 0x4000, 64),
        ]);
        bench.finish(4);
        let expected =
            [(1, 0, Syndrome::OK), (1, 1, Syndrome::NOT_PRESENT), (1, 2, Syndrome::BOUNDS), (1, 3, Syndrome::OK)];
        assert_eq!(bench.outcomes(), expected);
        // Request 0, the first segment of request 1, request 3.
        assert_eq!(bench.reads.len() + bench.posted.len(), 3);
    }
}

#[test]
fn what_the_function_may_not_do_ends_in_error() {
    let off = |f: &mut FunctionCfg| f.bus_master = false;
    let no_ats = |f: &mut FunctionCfg| f.ats_enable = false;
    let mut translated = segment(Op::READ, 1, 1, 0x1000, 64);
    translated.at = AddressType::TRANSLATED;
    let mut pasid = segment(Op::READ, 1, 1, 0x1000, 64);
    pasid.tag.pasid = PasidPrefix { valid: true, pasid: Pasid(0), exec: false, privileged: false };
    let plain = segment(Op::READ, 1, 1, 0x1000, 64);
    for op in [Op::READ, Op::WRITE] {
        for (change, mut s, syndrome) in [
            (&off as &dyn Fn(&mut FunctionCfg), plain, Syndrome::BUS_MASTER_OFF),
            (&off, segment(op, 1, 1, 0x1000, 0), Syndrome::BUS_MASTER_OFF),
            (&no_ats, translated, Syndrome::ATS_OFF),
            (&|_| {}, pasid, Syndrome::PASID_OFF),
        ] {
            let mut f = function(256, 256);
            change(&mut f);
            s.tag.op = op;
            let mut bench = Bench::new(wide(64), f, 0, 1);
            bench.segments.push_back(s);
            bench.finish(1);
            assert_eq!(bench.outcomes(), [(1, 1, syndrome)]);
            assert_eq!(bench.reads.len() + bench.posted.len() + bench.requests.len(), 0);
        }
    }
}

#[test]
fn bus_master_off_in_the_middle_of_a_request() {
    for op in [Op::READ, Op::WRITE] {
        let mut bench = Bench::new(wide(64), function(128, 128), 0, 1);
        bench.segments.push_back(segment(op, 1, 1, 0, 1 << 20));
        (0..100).for_each(|_| bench.tick());
        bench.inp.cfg = FunctionCfg { bus_master: false, ..function(128, 128) };
        bench.tick();
        bench.inp.cfg = FunctionCfg::default();
        let (reads, asked) = (bench.reads.len(), bench.requests.len());
        bench.finish(1);
        assert_eq!(bench.outcomes(), [(1, 1, Syndrome::BUS_MASTER_OFF)]);
        // One may have been cut before the change and taken after it.
        assert!(bench.reads.len() <= reads + 1 && bench.requests.len() <= asked + 1);
    }
}

#[test]
fn operations_that_do_not_exist() {
    for op in [Op(5), Op(15)] {
        let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
        bench.segments.push_back(segment(op, 1, 1, 0x1000, 8));
        bench.finish(1);
        assert_eq!(bench.outcomes(), [(1, 1, Syndrome::UNSUPPORTED_OP)]);
    }
}

#[test]
fn completions_of_both_engines_take_turns() {
    // Failed requests need no surroundings; while nobody takes completions, both engines have some waiting.
    let mut bench = Bench::new(wide(64), FunctionCfg { bus_master: false, ..function(256, 256) }, 0, 1);
    bench.hold_completions = true;
    for id in 0..6 {
        bench.segments.extend([segment(Op::READ, 1, id, 0, 4), segment(Op::WRITE, 2, id, 0, 4)]);
    }
    (0..100).for_each(|_| bench.tick());
    bench.hold_completions = false;
    bench.finish(12);
    let streams: Vec<_> = bench.outcomes().iter().map(|o| o.0).collect();
    assert!(streams.windows(2).all(|pair| pair[0] != pair[1]), "{streams:?}");
}

/// Four TLPs of a function that is switched off wait for their bytes; one of another function went before them and one comes
/// behind. Both of those are sent in cycles next to each other, so that the four must be counted as over in between.
#[test]
fn dropped_writes_are_over_before_the_next_one_is_counted() {
    let mut bench = Bench::new(wide(64), function(128, 128), 0, 1);
    let second = |bus_master| FunctionCfg { function: FunctionId(1), bus_master, ..function(128, 128) };
    bench.inp.cfg = second(true);
    bench.tick();
    bench.inp.cfg = FunctionCfg::default();
    bench.hold_sent = true;
    bench.segments.push_back(segment(Op::WRITE, 0, 0, 0x1000, 128));
    (0..60).for_each(|_| bench.tick());
    bench.hold_write_data = true;
    let mut other = segment(Op::WRITE, 1, 1, 0x2000, 512);
    other.tag.function = FunctionId(1);
    bench.segments.push_back(other);
    (0..60).for_each(|_| bench.tick());
    bench.inp.cfg = second(false);
    bench.tick();
    bench.inp.cfg = FunctionCfg::default();
    bench.hold_write_data = false;
    bench.segments.push_back(segment(Op::WRITE, 2, 2, 0x3000, 128));
    (0..200).for_each(|_| bench.tick());
    assert_eq!(bench.posted.iter().filter(|p| p.tlp.valid).count(), 2);
    bench.hold_sent = false;
    bench.finish(3);
    let outcomes: Vec<_> = bench.outcomes().iter().map(|o| (o.1, o.2)).collect();
    assert_eq!(outcomes, [(0, Syndrome::OK), (1, Syndrome::BUS_MASTER_OFF), (2, Syndrome::OK)]);
}
