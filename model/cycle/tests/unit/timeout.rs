//! Completion time-outs: when they strike, what ends, and that a retired tag is not used before its late completion.

use crate::bench::{Bench, request};
use types::tlp::Body;
use types::{Mode, Op, Syndrome, UnitCfg};

/// Cycles in a tick of TIMEOUT.
const TICK: u64 = 1024;

fn bench(mode: Mode, ticks: u32) -> Bench {
    let mut b = Bench::new("small", mode);
    b.warm(1);
    b.write_register(0x1c, ticks);
    b
}

fn tags(b: &Bench) -> Vec<u16> {
    let tag = |tlp: &types::Tlp| match tlp.body {
        Body::Memory { tag, .. } => tag.0,
        other => panic!("{other:?}"),
    };
    b.tlps.iter().map(|(_, tlp)| tag(tlp)).collect()
}

#[test]
fn a_read_ends_after_its_limit_and_not_before() {
    for ticks in [1, 3] {
        let mut b = bench(Mode::Emtt, ticks);
        b.lose_completions = true;
        b.send(request(1, 0, Op::READ, 0, 64));
        let sent = b.cycle;
        // Stamps are whole ticks: at least `ticks` of them pass, at most one more, then the sweep of 32 tags and delivery.
        b.idle(u64::from(ticks) * TICK);
        assert!(b.done.is_empty(), "{} cycles", b.cycle - sent);
        b.idle(TICK + 32 + 40);
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [Syndrome::COMPLETION_TIMEOUT.0]);
    }
}

#[test]
fn no_limit_no_time_out() {
    let mut b = bench(Mode::Emtt, 0);
    b.lose_completions = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(20 * TICK);
    assert!(b.done.is_empty());
}

#[test]
fn a_retired_tag_waits_for_its_late_completion() {
    let mut b = bench(Mode::Emtt, 1);
    b.lose_completions = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(3 * TICK);
    let lost = tags(&b)[0];
    b.lose_completions = false;
    b.tlps.clear();
    // Three times around the 32 tags of `small`.
    for n in 0..96 {
        b.send(request(n, 0, Op::READ, 0, 64));
        b.idle(150);
    }
    assert_eq!(b.tlps.len(), 96);
    assert!(!tags(&b).contains(&lost));
    b.let_completions_go();
    b.tlps.clear();
    b.idle(100);
    for n in 0..64 {
        b.send(request(n, 0, Op::READ, 0, 64));
        b.idle(150);
    }
    assert!(tags(&b).contains(&lost));
    assert!(b.done.iter().skip(1).all(|d| d.2 == 0));
}

#[test]
fn a_translation_request_and_a_table_fetch_end_too() {
    let mut b = bench(Mode::Ats, 1);
    b.lose_completions = true;
    b.send(request(1, 0, Op::READ, 5 << 12, 64));
    b.idle(3 * TICK);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [Syndrome::COMPLETION_TIMEOUT.0]);
    // The late answer changes nothing, and the page can be asked for again.
    b.let_completions_go();
    b.idle(200);
    b.send(request(2, 0, Op::READ, 5 << 12, 64));
    b.idle(600);
    assert_eq!((b.done[1].2, b.translation_requests), (0, 2));

    let mut b = bench(Mode::Emtt, 1);
    b.lose_completions = true;
    b.send(request(1, 0, Op::READ, 40 << 12, 64));
    b.idle(3 * TICK);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [Syndrome::TABLE_FETCH.0]);
    b.lose_completions = false;
    b.send(request(2, 0, Op::READ, 40 << 12, 64));
    b.idle(600);
    assert_eq!(b.done[1].2, 0);
}

#[test]
fn an_invalidation_is_answered_once_the_read_it_waits_for_has_timed_out() {
    let mut b = bench(Mode::Ats, 1);
    b.lose_completions = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(60);
    b.invalidate(4, types::ats::InvalidateRange { global: false, iova: types::Iova(0x4000_0000), size: None });
    b.idle(800);
    assert!(b.messages.is_empty());
    b.idle(2 * TICK);
    assert_eq!(b.messages.len(), 1);
}

/// One MPT and one MTT fetch at a time, as `tiny` has them; a read of page 40 is under way and its fetch will be lost: that of
/// the MPT line, or with `warm`, which has that line cached, of the MTT line.
fn with_a_lost_fetch(warm: bool) -> Bench {
    let cfg = UnitCfg { mpt_fetches: 1, mtt_fetches: 1, ..UnitCfg::named("small").unwrap() };
    let mut b = Bench::with(cfg, Mode::Emtt);
    if warm {
        b.warm(1);
    }
    b.write_register(0x1c, 1);
    b.lose_completions = true;
    b.send(request(1, 0, Op::READ, 40 << 12, 64));
    b
}

/// What is behind a lost one ends, and goes on with the late answer.
#[test]
fn requests_behind_a_retired_table_fetch_end_and_go_on_once_it_is_back() {
    for warm in [false, true] {
        let mut b = with_a_lost_fetch(warm);
        b.idle(3 * TICK);
        // Two more, on the stream of the first and on another: nothing can be fetched for them.
        b.send(request(2, 0, Op::READ, 40 << 12, 64));
        b.send(request(3, 1, Op::READ, 48 << 12, 64));
        b.idle(3 * TICK);
        let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
        done.sort_unstable();
        let lost = Syndrome::TABLE_FETCH.0;
        assert_eq!(done, [(1, lost), (2, lost), (3, lost)], "warm {warm}");
        b.let_completions_go();
        b.idle(50);
        b.send(request(4, 0, Op::READ, 40 << 12, 64));
        b.idle(600);
        assert_eq!(b.done.last().map(|d| (d.1, d.2)), Some((4, 0)), "warm {warm}");
    }
}

/// A request that waits for any fetch is woken by the late completion of one that had timed out.
#[test]
fn a_late_table_completion_wakes_who_waits_for_a_fetch() {
    for warm in [false, true] {
        let mut b = with_a_lost_fetch(warm);
        b.send(request(2, 1, Op::READ, 48 << 12, 64));
        // Just over the time-out, so that the second has been woken and has asked, or has failed.
        b.idle(2 * TICK + 64);
        b.let_completions_go();
        b.idle(3 * TICK);
        assert_eq!(b.done.len(), 2, "warm {warm}: {:?}", b.done);
        b.send(request(3, 1, Op::READ, 48 << 12, 64));
        b.idle(600);
        assert_eq!(b.done.last().map(|d| (d.1, d.2)), Some((3, 0)), "warm {warm}");
    }
}

/// As many reads as there are tags, all lost: what is behind them ends as they did, and goes on with the late answers.
#[test]
fn reads_behind_lost_tags_end_and_go_on_once_those_are_back() {
    for (partitions, tags, stream) in [(1, 4, 0), (2, 2, 1)] {
        let cfg = UnitCfg { read_tags: 4, partitions, ..UnitCfg::named("small").unwrap() };
        let mut b = Bench::with(cfg, Mode::Emtt);
        b.warm(1);
        b.write_register(0x1c, 1);
        b.lose_completions = true;
        for n in 0..tags {
            b.send(request(n, stream, Op::READ, 0, 64));
        }
        b.idle(3 * TICK);
        b.send(request(8, stream, Op::READ, 0, 64));
        b.idle(200);
        let timeout = Syndrome::COMPLETION_TIMEOUT.0;
        assert_eq!(b.tlps.len(), usize::from(tags), "{partitions}");
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), vec![timeout; usize::from(tags) + 1]);
        b.let_completions_go();
        b.idle(200);
        b.send(request(9, stream, Op::READ, 0, 64));
        b.idle(600);
        assert_eq!(b.done.last().map(|d| (d.1, d.2)), Some((9, 0)), "{partitions}");
    }
}

/// The same with Translation Requests.
#[test]
fn requests_behind_lost_translation_requests_end_and_go_on_once_those_are_back() {
    for (partitions, lost) in [(1, 2), (2, 1)] {
        let cfg = UnitCfg { ats_requests: 2, partitions, ..UnitCfg::named("small").unwrap() };
        let mut b = Bench::with(cfg, Mode::Ats);
        b.warm(1);
        b.write_register(0x1c, 1);
        b.lose_completions = true;
        // Pages of one MTT line, which is cached.
        for n in 0..lost {
            b.send(request(n, n % 2, Op::READ, u64::from(2 + n) << 12, 64));
        }
        b.idle(3 * TICK);
        let asked = b.translation_requests;
        b.send(request(8, 0, Op::READ, 6 << 12, 64));
        b.send(request(9, 1, Op::READ, 7 << 12, 64));
        b.idle(400);
        let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
        done.sort_unstable();
        let timeout = Syndrome::COMPLETION_TIMEOUT.0;
        let ended: Vec<_> = (0..lost).chain([8, 9]).map(|id| (id, timeout)).collect();
        assert_eq!((done, b.translation_requests), (ended, asked), "{partitions}");
        b.let_completions_go();
        b.idle(200);
        b.send(request(10, 0, Op::READ, 6 << 12, 64));
        b.idle(600);
        assert_eq!(b.done.last().map(|d| (d.1, d.2)), Some((10, 0)), "{partitions}");
    }
}

/// A revocation whose flush read is lost ends as failed, an invalidation behind it is answered, and another revocation that
/// wants a flush fails until the late completion has come.
#[test]
fn a_lost_flush_read_fails_its_revocation_and_holds_nothing_up() {
    let mut b = bench(Mode::Emtt, 1);
    b.lose_completions = true;
    // Registers: bit 1 of COMMAND_STATUS says that the flush failed, bits 31:16 count commands.
    let status = |b: &mut Bench| b.read_register(0x40);
    let acknowledge = |b: &mut Bench| b.write_register(0x48, 1);
    crate::revoke::revoke(&mut b, Some(0x9_0000_0000));
    b.invalidate(4, types::ats::InvalidateRange { global: false, iova: types::Iova(0x4000_0000), size: None });
    b.idle(TICK);
    assert!(b.messages.is_empty(), "one is worked on at a time");
    b.idle(2 * TICK);
    assert_eq!((status(&mut b), b.messages.len()), (1 << 16 | 1 << 1, 1));
    acknowledge(&mut b);
    crate::revoke::revoke(&mut b, Some(0x9_0000_0000));
    b.idle(200);
    assert_eq!(status(&mut b), 2 << 16 | 1 << 1);
    acknowledge(&mut b);
    b.let_completions_go();
    b.lose_completions = false;
    b.idle(200);
    crate::revoke::revoke(&mut b, Some(0x9_0000_0000));
    b.idle(400);
    assert_eq!(status(&mut b), 3 << 16);
}
