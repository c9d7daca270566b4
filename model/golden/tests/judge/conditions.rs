//! The four conditions under which an Invalidate Completion may be sent (PCIe 6.x 10.3.3), and its form.

use crate::trace::{AT_10, Request, Trace, function, message, page_address, region};
use golden::Violation;
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::FunctionCfg;
use types::tlp::Body;
use types::{Event, Iova, Mode, PageSize, PasidPrefix, Syndrome, TlpAddr};

const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: types::Pasid(0), exec: false, privileged: false };
const BUS: u64 = 0xb0_0000_0000;
const ITAG: u32 = 1 << 3;

fn rw(address: u64) -> TranslationEntry {
    TranslationEntry { address: TlpAddr(address), read: true, write: true, ..TranslationEntry::default() }
}

fn invalidate(t: &mut Trace, page: u64) {
    let range = InvalidateRange { global: false, iova: Iova(page_address(page)), size: Some(PageSize::K4) };
    t.invalidate(3, range, NONE);
}

/// A read of page 0 under way with tag 1, by a translation from before the invalidation of `page`.
fn reading(page: u64) -> Trace {
    let mut t = Trace::new(Mode::Ats);
    t.read(1, 0, 8);
    t.read(2, 0, 8);
    t.translation(page_address(0), true, 7, rw(BUS));
    t.sent(&Request::read(AT_10, BUS, 8, 1));
    invalidate(&mut t, page);
    t
}

/// Condition 1: no new request uses the translation.
#[test]
fn nothing_uses_it_after_the_completion() {
    let mut t = reading(0);
    t.complete(1, 8, &[0; 8]);
    // Before the completion it may still be used.
    t.sent(&Request::read(AT_10, BUS, 8, 2));
    t.complete(2, 8, &[0; 8]);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.read(3, 0, 8);
    assert!(matches!(t.out(&Request::read(AT_10, BUS, 8, 1)), Err(Violation::Stale { .. })));
}

/// Condition 2: reads that used it have come back.
#[test]
fn reads_that_used_it_have_come_back() {
    let early = |t: &mut Trace| matches!(t.invalidated(ITAG, 1), Err(Violation::InvalidationEarly { itag: 3, .. }));
    assert!(early(&mut reading(0)));
    // The first of two completions is not enough.
    let mut t = reading(0);
    t.complete(1, 8, &[0; 4]);
    assert!(early(&mut t));
    let mut t = reading(0);
    t.complete(1, 8, &[0; 8]);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    // Another page's invalidation does not wait for it.
    assert_eq!(reading(1).invalidated(ITAG, 1), Ok(()));
    // Nor does another function's.
    let mut t = reading(1);
    t.invalidate_of(crate::trace::PF, 4, InvalidateRange { global: false, iova: Iova(0), size: None }, NONE);
    let of_other = |tlp: &mut types::Tlp| {
        if let Body::Message { requester, .. } = &mut tlp.body {
            *requester = crate::trace::PF;
        }
    };
    assert_eq!(t.completed(1 << 4, 1, of_other), Ok(()));
    // An error ends a read as well.
    let mut t = reading(0);
    t.fail(1, types::tlp::status::UR);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    // A read that may have used a translation asked for since does not count.
    let mut t = reading(0);
    t.complete(1, 8, &[0; 8]);
    t.translation(page_address(0), true, 8, rw(BUS));
    t.sent(&Request::read(AT_10, BUS, 8, 2));
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    // A reset ends it, and excuses the invalidation.
    let mut t = reading(0);
    t.ok(Event::Configured(&FunctionCfg { reset: true, ..function(1) }));
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
}

/// The same for a zero-length read: it is a request like any other.
#[test]
fn flushes_that_used_it_have_come_back() {
    let begin = || {
        let mut t = Trace::new(Mode::Ats);
        t.write(1, 0, 4);
        t.translation(page_address(0), false, 7, rw(BUS));
        t.sent(&Request::write(AT_10, BUS, &message(0, 4)));
        t.sent(&Request { first_be: 0, ..Request::read(AT_10, BUS, 4, 9) });
        invalidate(&mut t, 0);
        t
    };
    assert!(matches!(begin().invalidated(ITAG, 1), Err(Violation::InvalidationEarly { .. })));
    let mut t = begin();
    t.complete(9, 1, &[0; 4]);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
}

/// Condition 2 where completions may take longer than the unit waits: the read is given up, and its request with it.
#[test]
fn a_read_that_was_given_up_does_not_succeed() {
    let begin = || {
        let mut t = reading(0);
        t.0 = std::mem::take(&mut t.0).with_timeouts();
        assert_eq!(t.invalidated(ITAG, 1), Ok(()));
        t
    };
    assert_eq!(begin().done(1, Syndrome::COMPLETION_TIMEOUT), Ok(()));
    // Its late completion is for nothing.
    let mut t = begin();
    t.complete(1, 8, &[0; 8]);
    assert_eq!(t.deliver(1, 0, &[0; 8]), Ok(()));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
}

/// Condition 3: answers to requests from before it are discarded.
#[test]
fn answers_from_before_it_are_discarded() {
    let mut t = Trace::new(Mode::Ats);
    t.read(1, 0, 8);
    t.sent(&Request::translate(page_address(0), 1, true, 7));
    invalidate(&mut t, 0);
    // It need not wait for the answer.
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.complete(7, 8, &rw(BUS).encode());
    assert!(matches!(t.out(&Request::read(AT_10, BUS, 8, 1)), Err(Violation::Stale { .. })));
}

/// A late answer from before it takes nothing from the same answer asked for after it.
#[test]
fn a_late_answer_does_not_hide_a_newer_one() {
    let mut t = Trace::new(Mode::Ats);
    t.read(1, 0, 8);
    t.sent(&Request::translate(page_address(0), 1, true, 7));
    invalidate(&mut t, 0);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.translation(page_address(0), true, 8, rw(BUS));
    t.complete(7, 8, &rw(BUS).encode());
    t.sent(&Request::read(AT_10, BUS, 8, 1));
}

/// Condition 4: writes that used it have left ahead of the completion, in each traffic class.
#[test]
fn writes_that_used_it_are_ahead_in_every_traffic_class() {
    let write = |class| Request { class, ..Request::write(AT_10, BUS, &message(0, 4)) };
    let begin = |classes: &[u8]| {
        let mut t = Trace::new(Mode::Ats);
        t.translation_for_writes(classes.len() as u16 + 1);
        classes.iter().for_each(|class| t.sent(&write(*class)));
        invalidate(&mut t, 0);
        t
    };
    let in_class = |t: &mut Trace, classes, class| t.completed(ITAG, classes, |tlp| tlp.tc = class);
    // Behind the completion none may follow.
    let mut t = begin(&[0]);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    assert!(matches!(t.out(&write(0)), Err(Violation::Stale { .. })));
    // One class: the copy travels in it.
    assert!(matches!(in_class(&mut begin(&[0]), 1, 1), Err(Violation::InvalidationForm { .. })));
    assert_eq!(in_class(&mut begin(&[5]), 1, 5), Ok(()));
    // Two classes: a copy each, and not the same one twice.
    assert!(matches!(in_class(&mut begin(&[0, 2]), 1, 0), Err(Violation::InvalidationForm { .. })));
    let mut t = begin(&[0, 2]);
    assert_eq!(in_class(&mut t, 2, 0), Ok(()));
    assert!(matches!(in_class(&mut t, 2, 0), Err(Violation::InvalidationForm { .. })));
    let mut t = begin(&[0, 2]);
    assert_eq!(in_class(&mut t, 2, 0), Ok(()));
    t.sent(&write(2));
    assert_eq!(in_class(&mut t, 2, 2), Ok(()));
    assert!(matches!(
        t.out(&write(0)),
        Err(Violation::NotOpen { .. } | Violation::Unexpected { .. } | Violation::Stale { .. })
    ));
    // CC = 0 is eight copies.
    let mut t = begin(&[0]);
    (0..8).for_each(|class| assert_eq!(in_class(&mut t, 0, class), Ok(())));
    assert!(matches!(in_class(&mut t, 0, 0), Err(Violation::InvalidationUnknown { .. })));
    // The copies agree on their number.
    let mut t = begin(&[0]);
    assert_eq!(in_class(&mut t, 2, 0), Ok(()));
    assert!(matches!(in_class(&mut t, 3, 1), Err(Violation::InvalidationForm { .. })));
}

/// It pushes the writes, and reaches who asked.
#[test]
fn form_of_the_completion() {
    let begin = || {
        let mut t = Trace::new(Mode::Ats);
        invalidate(&mut t, 0);
        t
    };
    assert_eq!(begin().completed(ITAG, 1, |_| {}), Ok(()));
    let wrong: [fn(&mut types::Tlp); 3] = [
        |tlp| tlp.attributes.relaxed = true,
        |tlp| tlp.attributes.id_order = true,
        |tlp| {
            if let Body::Message { dw2, .. } = &mut tlp.body {
                *dw2 ^= 1 << 16;
            }
        },
    ];
    for wrong in wrong {
        assert!(matches!(begin().completed(ITAG, 1, wrong), Err(Violation::InvalidationForm { .. })));
    }
    // Another function's.
    let other = |tlp: &mut types::Tlp| {
        if let Body::Message { requester, .. } = &mut tlp.body {
            *requester = crate::trace::PF;
        }
    };
    assert!(matches!(begin().completed(ITAG, 1, other), Err(Violation::InvalidationUnknown { .. })));
}

/// Requests are answered with bus mastering off and with ATS off.
#[test]
fn completions_are_due_whatever_is_enabled() {
    for off in [FunctionCfg { bus_master: false, ..function(1) }, FunctionCfg { ats_enable: false, ..function(1) }] {
        let mut t = Trace::bare();
        t.map(&region(Mode::Ats));
        t.ok(Event::Configured(&off));
        invalidate(&mut t, 0);
        assert!(matches!(t.0.finish(), Err(Violation::InvalidationOwed { itag: 3, .. })));
        assert_eq!(t.invalidated(ITAG, 1), Ok(()));
        t.finish();
    }
}

/// 32 may be outstanding, each with its ITag; a completion may name several.
#[test]
fn thirty_two_at_once_and_merged_completions() {
    let mut t = Trace::new(Mode::Ats);
    let range = InvalidateRange { global: false, iova: Iova(page_address(0)), size: Some(PageSize::K4) };
    (0..32).for_each(|itag| t.invalidate(itag, range, NONE));
    assert_eq!(t.invalidated(0x0000_ffff, 1), Ok(()));
    assert!(matches!(t.0.finish(), Err(Violation::InvalidationOwed { itag: 16, .. })));
    assert!(matches!(t.invalidated(0x0001_0001, 1), Err(Violation::InvalidationUnknown { itag: 0, .. })));
    let mut t = Trace::new(Mode::Ats);
    (0..32).for_each(|itag| t.invalidate(itag, range, NONE));
    assert_eq!(t.invalidated(u32::MAX, 1), Ok(()));
    t.finish();
}

/// A reset excuses what was outstanding; the ITag may come again, and is owed again.
#[test]
fn an_itag_from_before_a_reset_may_come_again() {
    let mut t = Trace::new(Mode::Ats);
    invalidate(&mut t, 0);
    t.ok(Event::Configured(&FunctionCfg { reset: true, ..function(1) }));
    t.finish();
    // What still reaches it before it is configured again need not be answered either.
    invalidate(&mut t, 0);
    t.finish();
    t.ok(Event::Configured(&function(1)));
    invalidate(&mut t, 0);
    assert!(matches!(t.0.finish(), Err(Violation::InvalidationOwed { itag: 3, .. })));
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.finish();
}

impl Trace {
    /// Page 0 translated, and `n` open writes of the same 4 bytes.
    fn translation_for_writes(&mut self, n: u16) {
        (1..=n + 1).for_each(|id| self.write(id, 0, 4));
        self.translation(page_address(0), false, 7, rw(BUS));
    }
}
