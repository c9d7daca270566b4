//! Driver revocation at the pins of the unit: no use after the report, nothing waited for but what is in flight.

use crate::bench::{Bench, MPT, MTT, SHIFT, request};
use types::tlp::{Body, MemoryOp};
use types::{AddressType, Mode, Op, TlpAddr};

/// Takes the region of key 3 away in memory.
fn unmap(b: &mut Bench) {
    b.memory.insert(MPT + 3 * 64, 0);
}

/// Starts the command for key 3; `flush` names a bus address.
pub(crate) fn revoke(b: &mut Bench, flush: Option<u64>) {
    for (at, value) in [(0x20, 3), (0x24, 0), (0x28, MTT as u32), (0x2c, (MTT >> 32) as u32), (0x30, 64)] {
        b.write_register(at, value);
    }
    if let Some(address) = flush {
        b.write_register(0x34, address as u32);
        b.write_register(0x38, (address >> 32) as u32);
    }
    b.write_register(0x44, 1);
    b.write_register(0x3c, 1 | u32::from(flush.is_some()) << 1);
}

/// Runs until the interrupt; returns the cycle.
fn reported(b: &mut Bench, within: u64) -> Option<u64> {
    for _ in 0..within {
        if b.out.irq {
            return Some(b.cycle);
        }
        b.idle(1);
    }
    None
}

#[test]
fn after_the_report_the_key_is_dead() {
    for (mode, ..) in crate::MODES {
        let mut b = Bench::new("small", mode);
        b.warm(2);
        unmap(&mut b);
        revoke(&mut b, None);
        assert!(reported(&mut b, 400).is_some(), "{mode}");
        b.send(request(1, 0, Op::READ, 0, 64));
        b.idle(400);
        // 1: the key is not valid.
        assert_eq!((b.tlps.len(), b.done.iter().map(|d| d.2).collect::<Vec<_>>()), (0, vec![1]), "{mode}");
    }
}

#[test]
fn the_report_waits_for_reads_in_flight_and_for_nothing_else() {
    let mut b = Bench::new("small", Mode::Emtt);
    b.warm(1);
    b.hold_completions = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    // A write whose data does not come, and one that waits behind it.
    b.hold_data = true;
    b.send(request(2, 1, Op::WRITE, 0, 600));
    b.send(request(3, 1, Op::WRITE, 0, 600));
    b.idle(60);
    unmap(&mut b);
    revoke(&mut b, None);
    assert_eq!(reported(&mut b, 600), None);
    b.let_completions_go();
    let at = reported(&mut b, 600).unwrap();
    b.hold_data = false;
    b.idle(600);
    // The writes end in error and none of their TLPs leaves; the read, in flight before, ends well.
    assert!(b.tlps.iter().all(|(cycle, _)| *cycle < at), "{:?}", b.tlps);
    let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    done.sort_unstable();
    assert_eq!(done, [(1, 0), (2, 1), (3, 1)]);
}

#[test]
fn requests_under_way_of_other_keys_go_on() {
    let mut b = Bench::new("small", Mode::Emtt);
    b.warm(1);
    // Key 5 is another name for the same pages.
    for n in 0..8 {
        let word = b.memory[&(MPT + 3 * 64 + 8 * n)];
        b.memory.insert(MPT + 5 * 64 + 8 * n, word);
    }
    let other = |id, va| types::port::WorkRequest { key: types::Key::new(5, 7), ..request(id, 2, Op::WRITE, va, 4096) };
    b.send(other(9, 0));
    b.idle(300);
    b.done.clear();
    b.tlps.clear();
    b.send(request(1, 0, Op::WRITE, 0, 4096));
    b.send(other(2, 4096));
    unmap(&mut b);
    revoke(&mut b, None);
    assert!(reported(&mut b, 3000).is_some());
    b.idle(3000);
    let outcome = |id| b.done.iter().find(|d| d.1 == id).map(|d| d.2);
    assert_eq!(outcome(2), Some(0));
    assert!(outcome(1).is_some());
}

#[test]
fn a_changed_table_is_read_again_and_no_old_address_leaves_after_the_report() {
    let mut b = Bench::new("small", Mode::Emtt);
    b.warm(4);
    for page in 0..64 {
        // The page moves by 2^44; still present, GPU, R and W.
        b.memory.entry(MTT + 8 * page).and_modify(|word| *word += 1 << 44);
    }
    revoke(&mut b, None);
    let at = reported(&mut b, 600).unwrap();
    b.send(request(1, 0, Op::READ, 0x40, 64));
    b.idle(300);
    let (cycle, tlp) = b.tlps[0];
    let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
    assert!(cycle > at);
    assert_eq!(address, TlpAddr(0x4000_0040 + (1 << 44)));
}

#[test]
fn a_line_fetched_before_the_revocation_is_not_kept() {
    let mut b = Bench::new("small", Mode::Emtt);
    b.warm(1);
    b.delay = 600;
    // A line of the table that is not cached: its fetch is under way with the old contents when the page moves.
    b.send(request(1, 0, Op::READ, 20 << 12, 64));
    b.idle(60);
    for page in 0..64 {
        b.memory.entry(MTT + 8 * page).and_modify(|word| *word += 1 << 44);
    }
    revoke(&mut b, None);
    let at = reported(&mut b, 500).unwrap();
    b.idle(3000);
    let (cycle, tlp) = b.tlps[0];
    let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
    assert!(cycle > at, "the report does not wait for the fetch");
    assert_eq!(address, TlpAddr(0x4000_0000 + (20 << 12) + (1 << 44)));
}

#[test]
fn the_report_for_gpu_memory_follows_a_zero_length_read_behind_the_writes() {
    let mut b = Bench::new("small", Mode::Emtt);
    b.warm(1);
    b.inp.tx_fc.ph = 0;
    b.send(request(1, 0, Op::WRITE, 0, 512));
    b.idle(200);
    unmap(&mut b);
    revoke(&mut b, Some(SHIFT + 0x8000));
    // The writes have no credit: the flush read must not pass them.
    b.idle(300);
    assert!(b.tlps.is_empty() && !b.out.irq);
    b.inp.tx_fc.ph = 200;
    b.delay = 700;
    let at = reported(&mut b, 3000).unwrap();
    let (flushed, tlp) = *b.tlps.last().unwrap();
    let Body::Memory { op, at: kind, address, first_be, last_be, .. } = tlp.body else { panic!("{tlp:?}") };
    assert_eq!((op, kind, address), (MemoryOp::Read, AddressType::TRANSLATED, TlpAddr(SHIFT + 0x8000)));
    assert_eq!((tlp.length_dw, first_be, last_be, tlp.attributes.relaxed), (1, 0, 0, false));
    assert_eq!(b.tlps.len(), 3);
    assert!(at >= flushed + 700, "the report waits for the flush read's completion");
}

#[test]
fn revocations_follow_one_another_and_an_invalidation_between_them_is_answered() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(2);
    for n in 0..20 {
        revoke(&mut b, None);
        if n % 3 == 0 {
            b.invalidate(n, types::ats::InvalidateRange { global: false, iova: types::Iova(0x4000_0000), size: None });
        }
        assert!(reported(&mut b, 600).is_some(), "{n}");
        b.write_register(0x48, 1);
    }
    b.idle(300);
    assert_eq!(b.messages.len(), 7);
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(600);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0]);
}

#[test]
fn whatever_cycle_of_a_write_a_revocation_meets_nothing_leaves_after_its_report() {
    for config in ["tiny", "small"] {
        for after in 20..180 {
            let mut b = Bench::new(config, Mode::Emtt);
            b.warm(1);
            b.send(request(1, 0, Op::WRITE, 0, 4096));
            b.idle(after);
            unmap(&mut b);
            revoke(&mut b, None);
            let at = reported(&mut b, 2000).unwrap();
            b.idle(2000);
            assert!(b.posted_end < at, "{config}, {after}: report at {at}, last beat at {}", b.posted_end);
            assert_eq!(b.done.len(), 1, "{config}, {after}");
        }
    }
}
