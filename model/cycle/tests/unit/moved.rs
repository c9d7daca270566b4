//! An access that is judged again before its commit may get the other path: a flush goes before it as before any other.

use crate::bench::{Bench, MPT, MTT, function, request};
use crate::path::{GPU, HOST, seen};
use crate::requests::region;
use crate::revoke::revoke;
use types::port::FunctionCfg;
use types::tlp::MemoryOp::{FetchAdd, Read, Write};
use types::{Mode, Op, Region, Rights, Syndrome};

/// Every page is the GPU's.
fn bench() -> Bench {
    let mut b = Bench::new("small", Mode::Emtt);
    b.configure(FunctionCfg { atomic_enable: true, ..function() });
    b.warm(3);
    b
}

/// Makes a page the host's, and has whatever has not been committed judged again.
fn move_page(b: &mut Bench, page: u64) {
    b.memory.entry(MTT + 8 * page).and_modify(|word| *word &= !0b100);
    revoke(b, None);
}

/// Runs until so many TLPs have left; then message bytes are held back.
fn hold_after(b: &mut Bench, tlps: usize) {
    for _ in 0..2000 {
        if b.tlps.len() >= tlps {
            b.hold_data = true;
            return;
        }
        b.idle(1);
    }
    panic!("{:?}", b.tlps);
}

/// A message of 16 TLPs in page 0 and as many in page 1, which is made the host's while the second half is on its way.
fn message_that_moves() -> Bench {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0, 2 << 12));
    hold_after(&mut b, 4);
    move_page(&mut b, 1);
    b.hold_data = false;
    b
}

#[test]
fn a_write_that_is_moved_waits_for_a_flush_and_its_message_ends_behind_another() {
    let mut b = message_that_moves();
    b.idle(3000);
    let seen = seen(&b);
    // 256 bytes a TLP; the flush goes to the last one of page 0.
    let page = |at, page: u64| (0..16).map(move |n| (Write, at, page << 12 | n << 8, 64));
    let mut owed: Vec<_> = page(GPU, 0).collect();
    owed.push((Read, GPU, 0xf00, 0));
    owed.extend(page(HOST, 1));
    owed.push((Read, HOST, 0x1f00, 0));
    assert_eq!(seen, owed);
    assert!(b.tlps[17].0 > b.tlps[16].0 + b.delay, "the second half waits for the flush to return");
    let [(done, 1, 0)] = b.done[..] else { panic!("{:?}", b.done) };
    assert!(done > b.tlps[33].0 + b.delay, "the message completes behind its last flush");
}

#[test]
fn what_lies_where_the_page_was_cannot_be_flushed() {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0, 1024));
    hold_after(&mut b, 2);
    move_page(&mut b, 0);
    b.hold_data = false;
    b.idle(1500);
    // How many had left by then depends on the bench; none is flushed, for page 0 is on the other path now.
    let seen = seen(&b);
    let gpu = seen.iter().filter(|s| s.1 == GPU).count();
    assert!((1..4).contains(&gpu), "{seen:?}");
    let owed = (0..4u64).map(|n| (Write, if (n as usize) < gpu { GPU } else { HOST }, n << 8, 64));
    assert_eq!(seen, owed.chain([(Read, HOST, 0x300, 0)]).collect::<Vec<_>>());
    assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, 0)]);
}

/// A region that grants writing alone has no right to read, but what is written there is flushed all the same.
#[test]
fn the_flush_of_a_write_is_judged_again_as_a_write() {
    let mut b = Bench::new("small", Mode::Emtt);
    let rights = Rights { local_write: true, remote_write: true, ..Rights::default() };
    let line = Region { rights, ..region() }.encode();
    for (n, word) in line.0.into_iter().enumerate() {
        b.memory.insert(MPT + 3 * 64 + 8 * n as u64, word);
    }
    // The tables are fetched with the first write; the region is revoked between the two, and the same again.
    b.send(request(1, 0, Op::WRITE, 0, 64));
    b.idle(1500);
    move_page(&mut b, 1);
    b.idle(1500);
    b.send(request(2, 0, Op::WRITE, 1 << 12, 64));
    b.idle(1500);
    assert_eq!(seen(&b), [(Write, GPU, 0, 16), (Read, GPU, 0, 0), (Write, HOST, 0x1000, 16)]);
    assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
}

#[test]
fn a_flush_that_is_lost_fails_the_write_that_waits_for_it() {
    let mut b = message_that_moves();
    b.write_register(0x1c, 1);
    b.hold_completions = true;
    b.idle(4 * 1024);
    b.hold_completions = false;
    b.send(request(2, 0, Op::WRITE, 2 << 12, 64));
    b.idle(1500);
    let done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    assert_eq!(done, [(1, Syndrome::COMPLETION_TIMEOUT.0), (2, 0)]);
    assert!(seen(&b).iter().all(|s| s.1 == GPU), "nothing has gone on on the other path");
}

#[test]
fn a_read_that_is_moved_waits_for_a_flush() {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0, 64));
    b.idle(500);
    // Eight reads of 512 bytes, of which the first wait for a credit, committed.
    let credits = std::mem::take(&mut b.inp.tx_fc.nph);
    b.send(request(2, 0, Op::READ, 1 << 12, 4096));
    b.idle(100);
    move_page(&mut b, 1);
    b.idle(50);
    b.inp.tx_fc.nph = credits;
    b.idle(2500);
    let seen = seen(&b);
    let committed = seen.iter().filter(|s| s.1 == GPU && s.3 == 128).count();
    assert!((1..8).contains(&committed), "{seen:?}");
    let read = |n: usize| (Read, if n < committed { GPU } else { HOST }, 0x1000 | (n as u64) << 9, 128);
    let mut owed = vec![(Write, GPU, 0, 16)];
    owed.extend((0..committed).map(read));
    owed.push((Read, GPU, 0, 0));
    owed.extend((committed..8).map(read));
    assert_eq!(seen, owed);
    let (flush, next) = (b.tlps[committed + 1].0, b.tlps[committed + 2].0);
    assert!(next > flush + b.delay, "the rest waits for the flush to return");
    assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
}

#[test]
fn an_atomic_whose_operands_stand_behind_a_write_that_is_moved_gets_them() {
    let mut b = message_that_moves();
    b.hold_data = true;
    b.send(request(2, 1, Op::FETCH_ADD, 2 << 12, 8));
    b.idle(300);
    b.hold_data = false;
    b.idle(3000);
    assert_eq!(seen(&b).iter().filter(|s| s.0 == FetchAdd).count(), 1);
    let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    done.sort_unstable();
    assert_eq!(done, [(1, 0), (2, 0)]);
}

#[test]
fn a_message_behind_one_that_was_moved_is_flushed_on_the_path_it_really_took() {
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 1 << 12, 256));
    b.hold_data = true;
    b.idle(200);
    // Nothing has left: the message goes to the host as a whole.
    move_page(&mut b, 1);
    b.hold_data = false;
    b.idle(800);
    b.send(request(2, 0, Op::READ, 2 << 12, 64));
    b.idle(800);
    let owed = [(Write, HOST, 0x1000, 64), (Read, HOST, 0x1000, 0), (Read, GPU, 0x2000, 16)];
    assert_eq!(seen(&b), owed);
    assert!(b.tlps[2].0 > b.tlps[1].0 + b.delay);
}

#[test]
fn the_flush_that_ends_a_message_does_not_overtake_what_the_stream_has_written_since() {
    // Both messages are on their way when their page is moved.
    let mut b = bench();
    b.send(request(1, 0, Op::WRITE, 0, 2 << 12));
    b.send(request(2, 0, Op::WRITE, (1 << 12) + 2048, 64));
    hold_after(&mut b, 4);
    b.idle(100);
    move_page(&mut b, 1);
    b.hold_data = false;
    // The last TLP of the first message leaves, the second message stays behind, committed and without a credit.
    let host = |b: &Bench| seen(b).iter().filter(|s| s.1 == HOST).count();
    while host(&b) < 15 {
        b.idle(1);
    }
    let credits = std::mem::take(&mut b.inp.tx_fc.ph);
    b.idle(100);
    while host(&b) < 16 {
        b.inp.tx_fc.ph = 1;
        b.idle(1);
        b.inp.tx_fc.ph = 0;
        b.idle(10);
    }
    assert_eq!(host(&b), 16);
    b.idle(400);
    b.inp.tx_fc.ph = credits;
    b.idle(1500);
    let seen = seen(&b);
    let flush = seen.iter().rposition(|s| s.3 == 0).unwrap();
    let written = seen.iter().rposition(|s| s.0 == Write).unwrap();
    // It goes where the stream has written last, which has left by then.
    assert!(flush > written && seen[flush] == (Read, HOST, 0x1800, 0), "{seen:?}");
    assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
}
