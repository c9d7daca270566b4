//! Order across paths: an ordered stream flushes what it has written before it goes on on the other path.

use crate::bench::{Bench, MPT, MTT, request};
use types::tlp::{Body, MemoryOp};
use types::{AddressType, Mode, Op, Syndrome};

pub(crate) const HOST: AddressType = AddressType::UNTRANSLATED;
pub(crate) const GPU: AddressType = AddressType::TRANSLATED;

/// Odd pages of the bench's region are host memory, even ones the GPU's.
fn bench() -> Bench {
    let mut b = Bench::new("small", Mode::Emtt);
    for page in (1..64).step_by(2) {
        b.memory.entry(MTT + 8 * page).and_modify(|word| *word &= !0b100);
    }
    b.warm(2);
    b
}

/// What left: operation, path, low address bits, length in DW.
pub(crate) fn seen(b: &Bench) -> Vec<(MemoryOp, AddressType, u64, u16)> {
    let part = |tlp: &types::Tlp| {
        let Body::Memory { op, at, address, first_be, .. } = tlp.body else { panic!("{tlp:?}") };
        (op, at, address.0 & 0xffff, if first_be == 0 { 0 } else { tlp.length_dw })
    };
    b.tlps.iter().map(|(_, tlp)| part(tlp)).collect()
}

#[test]
fn a_message_over_two_paths_flushes_between_them_and_before_it_completes() {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0xf80, 256));
    b.idle(1000);
    use MemoryOp::{Read, Write};
    assert_eq!(
        seen(&b),
        [(Write, GPU, 0xf80, 32), (Read, GPU, 0xf80, 0), (Write, HOST, 0x1000, 32), (Read, HOST, 0x1000, 0)]
    );
    let at: Vec<_> = b.tlps.iter().map(|(at, _)| *at).collect();
    assert!(at[2] > at[1] + b.delay, "the second write waits for the flush to return");
    let [(done, 1, 0)] = b.done[..] else { panic!("{:?}", b.done) };
    assert!(done > at[3] + b.delay, "the message completes behind its last flush");
}

#[test]
fn messages_on_one_path_and_reads_need_no_flush() {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0, 256));
    b.send(request(2, 0, Op::WRITE, 2 << 12, 256));
    b.send(request(3, 1, Op::READ, 0xf80, 256));
    b.idle(1500);
    assert!(seen(&b).iter().all(|s| s.3 != 0));
    assert_eq!(b.done.len(), 3);
}

#[test]
fn the_next_message_on_the_other_path_waits_for_one_flush_and_other_streams_do_not() {
    let mut b = bench();
    b.delay = 2000;
    b.send(request(1, 0, Op::WRITE, 0, 64));
    b.send(request(2, 0, Op::WRITE, 1 << 12, 64));
    b.send(request(3, 1, Op::WRITE, (1 << 12) + 64, 64));
    b.idle(300);
    let paths: Vec<_> = seen(&b).iter().map(|s| (s.1, s.3)).collect();
    assert_eq!(paths.len(), 3);
    assert!(paths.contains(&(HOST, 16)), "stream 1 has gone on");
    b.idle(4000);
    assert_eq!(seen(&b).iter().filter(|s| s.3 == 0).count(), 1);
    let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    done.sort_unstable();
    assert_eq!(done, [(1, 0), (2, 0), (3, 0)]);
}

#[test]
fn an_unordered_region_does_without() {
    let mut b = Bench::new("small", Mode::Emtt);
    for page in (1..64).step_by(2) {
        b.memory.entry(MTT + 8 * page).and_modify(|word| *word &= !0b100);
    }
    b.memory.entry(MPT + 3 * 64).and_modify(|word| *word |= 1 << 57);
    b.warm(2);
    b.send(request(1, 0, Op::WRITE, 0xf80, 256));
    b.idle(600);
    assert_eq!(seen(&b).iter().map(|s| s.3).collect::<Vec<_>>(), [32, 32]);
}

#[test]
fn a_flush_that_does_not_return_fails_the_message_behind_it_and_no_other() {
    let mut b = bench();
    b.write_register(0x1c, 1);
    b.lose_completions = true;
    b.send(request(1, 0, Op::WRITE, 0, 64));
    b.send(request(2, 0, Op::WRITE, 1 << 12, 64));
    b.idle(4 * 1024);
    b.lose_completions = false;
    b.send(request(3, 0, Op::WRITE, (1 << 12) + 64, 64));
    b.idle(1500);
    let done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    assert_eq!(done, [(1, 0), (2, Syndrome::COMPLETION_TIMEOUT.0), (3, 0)]);
}

#[test]
fn a_long_message_that_changes_its_path_at_every_page_keeps_every_byte() {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0, 8 << 12));
    b.idle(12_000);
    let writes: u64 = seen(&b).iter().filter(|s| s.0 == MemoryOp::Write).map(|s| u64::from(s.3) * 4).sum();
    let flushes = seen(&b).iter().filter(|s| s.3 == 0).count();
    // Seven changes, and the end.
    assert_eq!((writes, flushes, b.done.len()), (8 << 12, 8, 1));
}

#[test]
fn what_was_refused_before_it_left_is_not_flushed_and_fails_nothing_behind_it() {
    let mut b = bench();
    // Key 4 names the same pages.
    for word in (0..64).step_by(8) {
        let value = b.memory.get(&(MPT + 3 * 64 + word)).copied().unwrap_or(0);
        b.memory.insert(MPT + 4 * 64 + word, value);
    }
    b.hold_data = true;
    b.send(request(1, 0, Op::WRITE, 0, 64));
    b.idle(200);
    b.memory.insert(MPT + 3 * 64, 0);
    crate::revoke::revoke(&mut b, None);
    b.idle(400);
    b.hold_data = false;
    let mut next = request(2, 0, Op::WRITE, 1 << 12, 64);
    next.key.0 += 1 << 8;
    b.send(next);
    b.idle(1000);
    let done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    assert_eq!(done, [(1, Syndrome::INVALID_KEY.0), (2, 0)]);
    assert_eq!(seen(&b), [(MemoryOp::Write, HOST, 0x1000, 16)]);
}
