//! Invalidation at the pins of the unit: what is used, what is asked again, and when the completion leaves.

use crate::bench::{Bench, SHIFT, request};
use types::ats::InvalidateRange;
use types::tlp::{Body, Tlp};
use types::{Iova, Mode, Op, PageSize, TlpAddr};

/// IOVA of page `n` of the bench's region.
fn iova(n: u64) -> u64 {
    0x4000_0000 + (n << 12)
}

fn page(n: u64) -> InvalidateRange {
    InvalidateRange { global: false, iova: Iova(iova(n)), size: Some(PageSize::K4) }
}

/// ITags of the completions that left: cycle and vector.
fn completions(b: &Bench) -> Vec<(u64, u32)> {
    b.messages
        .iter()
        .map(|(at, tlp)| {
            let Body::Message { code, requester, dw2, dw3, with_data, .. } = tlp.body else { panic!("{tlp:?}") };
            // Code 0x02, from the function to the agent, one copy: traffic class 0 alone carries writes.
            assert_eq!((code, requester.0, dw2, with_data), (2, 0x100, 0x8 << 16 | 1, false));
            (*at, dw3)
        })
        .collect()
}

fn address(tlp: &Tlp) -> TlpAddr {
    let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
    address
}

#[test]
fn after_the_completion_only_the_new_translation_is_used() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(2);
    b.shift = 2 * SHIFT;
    b.invalidate(5, page(0));
    b.idle(40);
    assert_eq!(completions(&b).iter().map(|c| c.1).collect::<Vec<_>>(), [1 << 5]);
    b.send(request(1, 0, Op::READ, 0, 64));
    b.send(request(2, 0, Op::READ, 1 << 12, 64));
    b.idle(300);
    // Page 1 was outside the range.
    assert_eq!(address(&b.tlps[0].1), TlpAddr(2 * SHIFT + iova(0)));
    assert_eq!(address(&b.tlps[1].1), TlpAddr(SHIFT + iova(1)));
    assert_eq!(b.translation_requests, 1);
}

/// A read of page 0 that has not come back holds the completion of an invalidation of it back.
pub(crate) fn waits_for_a_read(b: &mut Bench, range: InvalidateRange) {
    b.warm(1);
    b.hold_completions = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(60);
    b.invalidate(0, range);
    b.idle(500);
    assert_eq!((b.tlps.len(), b.messages.len()), (1, 0));
    b.let_completions_go();
    b.idle(60);
}

#[test]
fn the_completion_waits_for_reads_that_used_the_translation() {
    let mut b = Bench::new("small", Mode::Ats);
    waits_for_a_read(&mut b, page(0));
    assert_eq!(completions(&b).len(), 1);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0]);
}

#[test]
fn an_answer_that_an_invalidation_has_passed_is_discarded_and_asked_again() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.delay = 400;
    b.send(request(1, 0, Op::READ, 1 << 12, 64));
    b.idle(60);
    // The old answer is under way; the mapping changes, then the invalidation comes.
    b.shift = 2 * SHIFT;
    b.invalidate(1, page(1));
    b.idle(100);
    assert_eq!(completions(&b).len(), 1, "the drain does not wait for the request in flight");
    b.idle(1500);
    assert_eq!(b.translation_requests, 2);
    assert_eq!(address(&b.tlps[0].1), TlpAddr(2 * SHIFT + iova(1)));
}

#[test]
fn an_answer_beside_what_was_invalidated_is_used() {
    // Pages on either side of the one that is asked for, near and far: ranges that do not meet it.
    for other in [39, 41, 5, 63] {
        let mut b = Bench::new("small", Mode::Ats);
        b.warm(1);
        b.script.asked.clear();
        b.send(request(1, 0, Op::READ, 40 << 12, 64));
        while b.script.asked.is_empty() {
            b.idle(1);
        }
        b.invalidate(3, page(other));
        b.idle(800);
        assert_eq!((b.script.asked.len(), b.done.len(), b.done[0].2), (1, 1, 0), "{other}");
    }
}

#[test]
fn an_answer_larger_than_asked_is_cut_when_another_part_of_it_was_invalidated() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.size = PageSize::M2;
    b.delay = 400;
    b.send(request(1, 0, Op::READ, 1 << 12, 64));
    b.idle(60);
    b.invalidate(1, page(7));
    b.idle(1500);
    b.shift = 2 * SHIFT;
    b.send(request(2, 0, Op::READ, 7 << 12, 64));
    b.idle(1500);
    let seen: Vec<_> = b.tlps.iter().map(|(_, tlp)| address(tlp)).collect();
    assert_eq!(seen, [TlpAddr(SHIFT + iova(1)), TlpAddr(2 * SHIFT + iova(7))]);
}

#[test]
fn a_write_that_waits_for_data_is_translated_again_and_holds_nothing_up() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.hold_data = true;
    b.send(request(1, 0, Op::WRITE, 0, 700));
    b.idle(60);
    b.shift = 2 * SHIFT;
    b.invalidate(3, page(0));
    b.idle(60);
    assert_eq!((completions(&b).len(), b.tlps.len()), (1, 0));
    b.hold_data = false;
    b.idle(600);
    // 700 bytes at MPS 256.
    let seen: Vec<_> = b.tlps.iter().map(|(_, tlp)| address(tlp).0 - iova(0)).collect();
    assert_eq!(seen, [2 * SHIFT, 2 * SHIFT + 256, 2 * SHIFT + 512]);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_write_under_way_changes_address_between_two_of_its_tlps_and_the_completion_follows_the_old_ones() {
    for after in [40, 60, 80, 100, 120] {
        let mut b = Bench::new("small", Mode::Ats);
        b.warm(1);
        b.send(request(1, 0, Op::WRITE, 0, 4096));
        b.idle(after);
        b.shift = 2 * SHIFT;
        b.invalidate(3, page(0));
        b.idle(1500);
        let (done, _) = completions(&b)[0];
        assert_eq!(b.tlps.len(), 16);
        for (n, (at, tlp)) in b.tlps.iter().enumerate() {
            let old = address(tlp).0 == SHIFT + iova(0) + 256 * n as u64;
            let new = address(tlp).0 == 2 * SHIFT + iova(0) + 256 * n as u64;
            assert!(new || old && *at < done, "after {after}: TLP {n} at {at}, completion at {done}");
        }
        // A beat that the unit took without having said that it is ready stays with the source.
        assert!(b.data.is_empty(), "after {after}: {:?}", b.data);
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0]);
    }
}

#[test]
fn a_write_whose_new_translation_is_refused_ends_in_error_and_sends_no_more() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(2);
    b.hold_data = true;
    b.send(request(1, 0, Op::WRITE, 0, 512));
    b.send(request(2, 1, Op::WRITE, 1 << 12, 512));
    b.idle(60);
    b.refuse = Some(iova(0));
    b.invalidate(3, page(0));
    b.idle(60);
    b.hold_data = false;
    b.idle(800);
    assert_eq!(
        b.tlps.iter().map(|(_, tlp)| address(tlp).0).collect::<Vec<_>>(),
        [SHIFT + iova(1), SHIFT + iova(1) + 256]
    );
    let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    done.sort_unstable();
    // 9: the agent gave no access.
    assert_eq!(done, [(1, 9), (2, 0)]);
}

#[test]
fn thirty_two_requests_without_credit_are_all_accepted_and_all_answered_once_it_returns() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.inp.tx_fc.ph = 0;
    for itag in 0..32 {
        let before = b.cycle;
        b.invalidate(itag, page(u64::from(itag)));
        assert!(b.cycle - before <= 2, "accepting never waits");
    }
    b.idle(3000);
    assert_eq!(b.messages.len(), 0);
    b.inp.tx_fc.ph = 200;
    b.idle(200);
    let answered: Vec<_> = completions(&b).iter().map(|c| c.1).collect();
    assert_eq!(
        answered.iter().fold(0, |all, v| {
            assert_eq!(all & v, 0);
            all | v
        }),
        u32::MAX
    );
}

#[test]
fn finished_itags_that_wait_behind_writes_share_a_completion() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.inp.tx_fc.ph = 0;
    // As many writes as the 32 posted TLPs that are buffered: no message gets in behind them.
    for n in 0..32 {
        b.send(request(n, 0, Op::WRITE, 0, 8));
        b.idle(4);
    }
    b.idle(100);
    (0..8).for_each(|itag| b.invalidate(itag, page(0)));
    b.idle(1000);
    b.inp.tx_fc.ph = 200;
    b.idle(600);
    let answered: Vec<_> = completions(&b).iter().map(|c| c.1).collect();
    assert_eq!(answered.iter().fold(0, |all, v| all | v), 0xff);
    // The first stood on the message stream; the others share the second.
    assert_eq!(answered, [1, 0xfe]);
    assert_eq!((b.tlps.len(), b.done.len()), (32, 32));
}

#[test]
fn invalidate_all_is_what_the_wire_says() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(3);
    let all = InvalidateRange { global: false, iova: Iova(0), size: None };
    assert_eq!(all.encode(), [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0x00]);
    b.invalidate(9, all);
    b.idle(100);
    assert_eq!(completions(&b).len(), 1);
    for n in 0..3 {
        b.send(request(n, 0, Op::READ, u64::from(n) << 12, 64));
    }
    b.idle(600);
    assert_eq!(b.translation_requests, 3);
}

#[test]
fn a_read_of_no_bytes_in_a_page_without_access_ends_in_error() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.refuse = Some(iova(1));
    b.send(request(1, 0, Op::READ, 1 << 12, 0));
    b.idle(2000);
    // 9: the agent gave no access.
    assert_eq!((b.done.iter().map(|d| d.2).collect::<Vec<_>>(), b.translation_requests), (vec![9], 1));
}

#[test]
fn a_write_that_is_refused_on_its_way_sends_nothing_behind_what_was_refused() {
    for after in 20..110 {
        let mut b = Bench::new("small", Mode::Ats);
        b.warm(2);
        // 1 KiB of page 0 and 1 KiB of page 1.
        b.send(request(1, 0, Op::WRITE, 3 << 10, 2 << 10));
        b.idle(after);
        // Page 0 loses its access, page 1 keeps it.
        b.refuse = Some(iova(0));
        b.invalidate(3, page(0));
        b.idle(2500);
        let sent: Vec<u64> = b.tlps.iter().map(|(_, tlp)| address(tlp).0 - SHIFT - iova(0) - (3 << 10)).collect();
        // MPS 256: no hole.
        assert_eq!(sent, (0..sent.len() as u64).map(|n| 256 * n).collect::<Vec<_>>(), "after {after}");
        let whole = sent.len() == 8;
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [if whole { 0 } else { 9 }], "after {after}");
        assert!(b.data.is_empty());
    }
}
