//! Atomics: operands are pulled with the bytes of writes, go with the descriptor, and what memory held comes back.

use crate::bench::{Bench, Cpl, function, memory, message, random_messages, segment, wide};
use std::collections::VecDeque;
use types::access::{Op, Syndrome};
use types::addr::{StreamId, WrId};
use types::port::{CplBeat, EpochNote, FunctionCfg, Operands, ReleasedSegment, Retranslated};
use types::tlp::{TlpOp, status};

/// Every operation with every operand size.
const ALL: [(Op, TlpOp, u32); 7] = [
    (Op::FETCH_ADD, TlpOp::FETCH_ADD, 4),
    (Op::FETCH_ADD, TlpOp::FETCH_ADD, 8),
    (Op::SWAP, TlpOp::SWAP, 4),
    (Op::SWAP, TlpOp::SWAP, 8),
    (Op::CAS, TlpOp::CAS, 4),
    (Op::CAS, TlpOp::CAS, 8),
    (Op::CAS, TlpOp::CAS, 16),
];

/// Bytes of the operands of an atomic of `size` bytes: a CAS has two.
fn carried(op: Op, size: u32) -> u32 {
    if op == Op::CAS { 2 * size } else { size }
}

fn operands(stream: u16, id: u16, bytes: u32) -> Operands {
    let mut words = [0; 4];
    for i in 0..bytes {
        words[i as usize / 8] |= u64::from(message(StreamId(stream), WrId(id), i)) << (8 * (i % 8));
    }
    Operands(words)
}

#[test]
fn operands_leave_with_the_descriptor_and_the_old_value_comes_back() {
    for width in [64, 128, 256, 512] {
        for (op, tlp, size) in ALL {
            let mut bench = Bench::new(wide(width), function(256, 256), 0, 1);
            bench.segments.push_back(segment(op, 1, 1, 0x5_0000_1010, size));
            bench.finish(1);
            assert_eq!(bench.outcomes(), [(1, 1, Syndrome::OK)]);
            let (bytes, read) = (carried(op, size), bench.reads[0].1);
            assert_eq!((read.op, read.address.0, read.length_dw), (tlp, 0x5_0000_1010, (bytes / 4) as u16));
            assert_eq!((read.first_be, read.last_be), (0, 0), "byte enables are reserved");
            assert_eq!(bench.operands, [operands(1, 1, bytes)], "{op:?} {size}");
            assert_eq!((bench.requests.len(), bench.requests[0].1.length.0), (1, bytes));
            let before: Vec<u8> = (0x5_0000_1010..0x5_0000_1010 + u64::from(size)).map(memory).collect();
            assert_eq!(bench.packets.iter().map(|p| p.bytes.clone()).collect::<Vec<_>>(), [before]);
            assert!(bench.packets[0].first.last);
        }
    }
}

#[test]
fn among_writes_and_reads_with_stalls_each_has_its_own_bytes() {
    for (width, seed) in [(64, 1), (64, 2), (128, 3), (256, 4), (512, 5)] {
        let mut bench = Bench::new(wide(width), function(256, 256), 40, seed);
        let writes = random_messages(Op::WRITE, seed);
        let reads = random_messages(Op::READ, seed + 100);
        let whole = |list: &[ReleasedSegment]| list.iter().filter(|s| s.tag.last).count();
        // Reads are as many segments as there are writes, at most, and their last request may be cut short.
        let reads = &reads[..reads.len().min(writes.len())];
        let reads = &reads[..reads.iter().rposition(|s| s.tag.last).map_or(0, |last| last + 1)];
        let atomics = reads.len();
        let requests = whole(&writes) + whole(reads) + atomics;
        for (n, (w, r)) in writes.iter().zip(reads).enumerate() {
            let (op, _, size) = ALL[n % ALL.len()];
            // Names of their own.
            let mut read = *r;
            read.tag.id.0 += 100;
            bench.segments.extend([*w, segment(op, 9, 200 + n as u16, (n as u64) << 12 | 0x20, size), read]);
        }
        bench.segments.extend(writes.iter().skip(reads.len()));
        bench.finish(requests);
        assert!(bench.completions.iter().all(|(_, c)| c.syndrome.is_ok()));
        let seen: Vec<_> = bench.reads.iter().zip(&bench.operands).filter(|(r, _)| r.1.op != TlpOp::READ).collect();
        assert_eq!(seen.len(), atomics);
        for (n, (read, seen)) in seen.into_iter().enumerate() {
            let (op, tlp, size) = ALL[n % ALL.len()];
            assert_eq!((read.1.op, *seen), (tlp, operands(9, 200 + n as u16, carried(op, size))));
        }
        // The writes are what they are without atomics between them.
        let mut alone = Bench::new(wide(width), function(256, 256), 0, 1);
        alone.segments.extend(&writes);
        alone.finish(whole(&writes));
        let sent = |b: &Bench| b.posted.iter().map(|p| (p.tlp.address.0, p.payload.clone())).collect::<Vec<_>>();
        assert_eq!(sent(&bench), sent(&alone));
    }
}

#[test]
fn it_is_committed_once_its_operands_are_there_and_judged_again_before() {
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.hold_write_data = true;
    bench.segments.push_back(segment(Op::CAS, 1, 1, 0x1000, 8));
    (0..50).for_each(|_| bench.tick());
    assert_eq!((bench.requests.len(), bench.reads.len()), (1, 0));
    // A revocation passes: nothing has been committed, so that it waits for nothing.
    bench.inp.revoked = EpochNote { valid: true, epoch: 7, ..EpochNote::default() };
    bench.tick();
    bench.inp.revoked = EpochNote::default();
    let mut asked = 0;
    for _ in 0..50 {
        bench.tick();
        assert!(bench.out.drained);
        asked += u32::from(bench.out.retranslate.valid);
    }
    assert_eq!(asked, 1);
    bench.hold_write_data = false;
    (0..50).for_each(|_| bench.tick());
    assert!(bench.reads.is_empty(), "the operands have come, the answer has not");
    let at = types::AddressType::TRANSLATED;
    bench.inp.retranslated =
        Retranslated { valid: true, engine: true, address: types::TlpAddr(0x9000), at, grant: 7, ..Default::default() };
    bench.tick();
    bench.inp.retranslated = Retranslated::default();
    bench.finish(1);
    assert_eq!((bench.reads.len(), bench.reads[0].1.address.0, bench.reads[0].1.at), (1, 0x9000, at));
    assert_eq!(bench.operands, [operands(1, 1, 16)]);
    assert_eq!(bench.requests.len(), 1, "operands are asked for once");
}

#[test]
fn operands_of_one_that_has_failed_are_not_the_next_ones() {
    let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
    bench.hold_write_data = true;
    bench.segments.push_back(segment(Op::SWAP, 1, 1, 0x1000, 8));
    (0..30).for_each(|_| bench.tick());
    bench.inp.cfg = FunctionCfg { atomic_enable: false, ..function(256, 256) };
    bench.tick();
    bench.inp.cfg = FunctionCfg::default();
    (0..30).for_each(|_| bench.tick());
    assert!(bench.completions.is_empty(), "its bytes have been asked for and not come");
    bench.hold_write_data = false;
    bench.finish(1);
    assert_eq!((bench.outcomes(), bench.reads.len()), (vec![(1, 1, Syndrome::ATOMIC_OFF)], 0));
    bench.inp.cfg = function(256, 256);
    bench.tick();
    bench.inp.cfg = FunctionCfg::default();
    bench.segments.push_back(segment(Op::SWAP, 1, 2, 0x1000, 8));
    bench.finish(2);
    assert_eq!(bench.operands, [operands(1, 2, 8)]);
}

#[test]
fn a_function_that_may_send_none_pulls_nothing() {
    let mut bench = Bench::new(wide(64), FunctionCfg { atomic_enable: false, ..function(256, 256) }, 0, 1);
    bench.segments.push_back(segment(Op::CAS, 1, 1, 0x1000, 16));
    bench.finish(1);
    assert_eq!((bench.outcomes(), bench.requests.len()), (vec![(1, 1, Syndrome::ATOMIC_OFF)], 0));
}

#[test]
fn one_whole_completion_answers_it_and_anything_else_ends_it_once() {
    let right = CplBeat { byte_count: 8, length_dw: 2, ..CplBeat::default() };
    let cases = [
        (right, 8, Syndrome::OK),
        (CplBeat { lower_address: 0x7f, ..right }, 8, Syndrome::OK),
        (CplBeat { status: status::UR, length_dw: 0, ..right }, 0, Syndrome::UNSUPPORTED_REQUEST),
        (CplBeat { status: status::CA, length_dw: 0, ..right }, 0, Syndrome::COMPLETER_ABORT),
        (CplBeat { poisoned: true, ..right }, 8, Syndrome::POISONED),
        // Half of it, with the count of all: an atomic's answer is never split.
        (CplBeat { length_dw: 1, ..right }, 4, Syndrome::MALFORMED_COMPLETION),
        (CplBeat { byte_count: 4, length_dw: 1, ..right }, 4, Syndrome::MALFORMED_COMPLETION),
        (CplBeat { length_dw: 4, byte_count: 16, ..right }, 16, Syndrome::MALFORMED_COMPLETION),
        (CplBeat { length_dw: 0, ..right }, 0, Syndrome::MALFORMED_COMPLETION),
    ];
    for (n, (head, bytes, syndrome)) in cases.into_iter().enumerate() {
        let mut bench = Bench::new(wide(64), function(256, 256), 0, 1);
        bench.answer = false;
        bench.segments.push_back(segment(Op::CAS, 1, 1, 0x1008, 8));
        while bench.reads.is_empty() {
            bench.tick();
        }
        let index = bench.reads[0].1.tag - bench.cfg.tags().data as u16;
        bench.answers.clear();
        bench.send(&Cpl { head: CplBeat { index, ..head }, payload: vec![3; bytes], beats: None });
        bench.finish(1);
        assert_eq!(bench.outcomes(), [(1, 1, syndrome)], "case {n}");
        // Its tag is free: as many more as there are tags.
        bench.answer = true;
        let tags = bench.cfg.read_tags as usize;
        let more: VecDeque<ReleasedSegment> =
            (0..tags as u16).map(|n| segment(Op::SWAP, 2, n, u64::from(n) << 12, 8)).collect();
        bench.segments.extend(more);
        bench.finish(1 + tags);
        assert_eq!(bench.stats["unexpected"], 0);
    }
}
