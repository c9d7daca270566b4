//! Completions that take longer than the unit waits: requests end, tags stay retired, late answers change nothing.

use crate::trace::{AT_00, AT_10, PF, Request, TABLES, Trace, page_address};
use golden::{LeastTags, Violation};
use types::ats::TranslationEntry;
use types::tlp::status;
use types::{ByteCount, Event, Iova, Key, Mode, Region, Syndrome, TlpAddr};

fn slow(mut t: Trace) -> Trace {
    t.0 = std::mem::take(&mut t.0).with_timeouts();
    t
}

/// A read of 8 bytes whose completion takes too long: tag 3.
fn given_up() -> Trace {
    let mut t = slow(Trace::new(Mode::Emtt));
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    assert_eq!(t.done(1, Syndrome::COMPLETION_TIMEOUT), Ok(()));
    t
}

#[test]
fn a_tag_stays_retired_until_its_late_completion() {
    let again = Request::read(AT_00, page_address(0), 8, 3);
    let mut t = given_up();
    t.read(2, 0, 8);
    assert!(matches!(t.out(&again), Err(Violation::TagReuse { .. })));
    let mut t = given_up();
    t.read(2, 0, 8);
    t.complete(3, 8, &[1; 8]);
    assert_eq!(t.out(&again), Ok(()));
    // The late completion brought nothing to the next request.
    assert!(matches!(t.deliver(2, 0, &[1; 8]), Err(Violation::ReadData { .. })));
}

#[test]
fn or_until_a_reset() {
    let mut t = given_up();
    t.ok(Event::Configured(&types::port::FunctionCfg { reset: true, ..crate::trace::function(1) }));
    t.ok(Event::Configured(&crate::trace::function(1)));
    t.read(2, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
}

#[test]
fn half_of_its_completions_do_not_free_a_tag() {
    let mut t = given_up();
    t.read(2, 0, 8);
    t.complete(3, 8, &[1; 4]);
    assert!(matches!(t.out(&Request::read(AT_00, page_address(0), 8, 3)), Err(Violation::TagReuse { .. })));
}

#[test]
fn a_request_that_was_given_up_brings_nothing() {
    let mut t = given_up();
    t.complete(3, 8, &[1; 8]);
    assert!(matches!(t.deliver(1, 0, &[1; 8]), Err(Violation::NotOpen { .. })));
}

#[test]
fn only_where_something_is_under_way() {
    // Everything has come back, and was delivered: in time.
    let mut t = slow(Trace::new(Mode::Emtt));
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    t.complete(3, 8, &[1; 8]);
    assert_eq!(t.deliver(1, 0, &[1; 8]), Ok(()));
    assert!(matches!(t.done(1, Syndrome::COMPLETION_TIMEOUT), Err(Violation::Syndrome { .. })));
    // Nothing was asked.
    let mut t = slow(Trace::new(Mode::Emtt));
    t.read(1, 0, 8);
    assert!(matches!(t.done(1, Syndrome::COMPLETION_TIMEOUT), Err(Violation::Syndrome { .. })));
    // Writes are posted.
    let mut t = slow(Trace::new(Mode::Emtt));
    t.write(1, 0, 4);
    t.sent(&Request::write(AT_00, page_address(0), &crate::trace::message(0, 4)));
    assert!(matches!(t.done(1, Syndrome::COMPLETION_TIMEOUT), Err(Violation::Syndrome { .. })));
}

/// Reads of bytes 0 to 3 and 4 to 7 have both come back; the first `delivered` bytes were delivered.
fn back(delivered: usize) -> Result<(), Violation> {
    let mut t = slow(Trace::new(Mode::Emtt));
    t.read(1, 0, 8);
    for (offset, tag) in [(0, 3), (4, 4)] {
        t.sent(&Request::read(AT_00, page_address(0) + offset, 4, tag));
        t.complete(tag, 4, &[1; 4]);
    }
    t.deliver(1, 0, &[1; 8][..delivered])?;
    t.done(1, Syndrome::COMPLETION_TIMEOUT)
}

#[test]
fn a_completion_may_come_after_its_read_was_given_up_and_before_the_request_is_reported() {
    assert_eq!(back(0), Ok(()));
    assert_eq!(back(4), Ok(()));
    assert!(matches!(back(8), Err(Violation::Syndrome { .. })));
}

#[test]
fn translation_requests_and_table_fetches_take_too_long_as_well() {
    let mut t = slow(Trace::new(Mode::Ats));
    t.write(1, 0, 4);
    t.sent(&Request::translate(page_address(0), 1, false, 7));
    assert_eq!(t.done(1, Syndrome::COMPLETION_TIMEOUT), Ok(()));
    // Retired, too; another tag may ask.
    t.write(2, 0, 4);
    t.sent(&Request::translate(page_address(0), 1, false, 8));
    let rw = TranslationEntry { address: TlpAddr(0xb0_0000_0000), read: true, write: true, ..Default::default() };
    t.complete(8, 8, &rw.encode());
    assert!(matches!(t.out(&Request::translate(page_address(0), 1, false, 7)), Err(Violation::TagReuse { .. })));
    // A line may come after it was given up, and before its request is seen to end.
    for before in [false, true] {
        let mut t = slow(Trace::new(Mode::Emtt));
        let fetch = |t: &mut Trace| {
            t.sent(&Request::fetch(TABLES + 0x1000, 9));
            t.complete_as(PF, 9, status::SC, 64, &[0; 64], false);
        };
        if before {
            fetch(&mut t);
            t.write(1, 0, 4);
            assert!(matches!(t.done(1, Syndrome::TABLE_FETCH), Err(Violation::Syndrome { .. })));
        } else {
            t.write(1, 0, 4);
            fetch(&mut t);
            assert_eq!(t.done(1, Syndrome::TABLE_FETCH), Ok(()));
        }
    }
    let mut t = slow(Trace::new(Mode::Emtt));
    t.write(1, 0, 4);
    t.sent(&Request::fetch(TABLES + 0x1000, 9));
    assert_eq!(t.done(1, Syndrome::TABLE_FETCH), Ok(()));
    assert!(matches!(
        t.out(&Request { requester: PF, ..Request::fetch(TABLES + 0x1000, 9) }),
        Err(Violation::TagReuse { .. })
    ));
}

/// Two fetches of lines of another region's MTT are lost, in a unit that has `mtt_fetches` at least: how a write of 4 bytes
/// to page 0 may end.
fn with_fetches_lost(
    mtt_fetches: usize,
    end: impl FnOnce(&mut Trace) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let mut t = Trace::new(Mode::Emtt);
    let least = LeastTags { reads: 8, translations: 8, mpt_fetches: 2, mtt_fetches };
    t.0 = std::mem::take(&mut t.0).with_lost_tags(least);
    // 4096 pages of 4 KiB, eight entries in a line: 512 lines.
    let (length, mtt) = (ByteCount(0x100_0000), Iova(TABLES + 0x2000));
    let other = Region { length, mtt, ..crate::trace::region(Mode::Emtt) };
    t.ok(Event::Mapped { key: Key::new(2, 7), region: &other });
    t.sent(&Request::fetch(TABLES + 0x2000, 9));
    t.sent(&Request::fetch(TABLES + 0x2040, 10));
    t.write(1, 0, 4);
    end(&mut t)
}

#[test]
fn where_every_table_fetch_is_lost_no_line_can_be_fetched() {
    let fetch = |t: &mut Trace| t.done(1, Syndrome::TABLE_FETCH);
    assert_eq!(with_fetches_lost(2, fetch), Ok(()));
    // One is left.
    assert!(matches!(with_fetches_lost(3, fetch), Err(Violation::Syndrome { expected: Syndrome::OK, .. })));
    // One has come back: late for a request that was there before, but a later one finds it.
    let late = |t: &mut Trace| {
        t.complete_as(PF, 9, status::SC, 64, &[0; 64], false);
        t.done(1, Syndrome::TABLE_FETCH)
    };
    assert_eq!(with_fetches_lost(2, late), Ok(()));
    let back = |t: &mut Trace| {
        late(t)?;
        t.write(2, 0, 4);
        t.done(2, Syndrome::TABLE_FETCH)
    };
    assert!(matches!(with_fetches_lost(2, back), Err(Violation::Syndrome { expected: Syndrome::OK, .. })));
    // The whole message has left.
    let sent = |t: &mut Trace| {
        t.sent(&Request::write(AT_00, page_address(0), &crate::trace::message(0, 4)));
        t.done(1, Syndrome::TABLE_FETCH)
    };
    assert!(matches!(with_fetches_lost(2, sent), Err(Violation::Syndrome { .. })));
    // Fetches end in no other error.
    let other = |t: &mut Trace| t.done(1, Syndrome::COMPLETION_TIMEOUT);
    assert!(matches!(with_fetches_lost(2, other), Err(Violation::Syndrome { .. })));
    // A request that no region allows needs no entry.
    let outside = |t: &mut Trace| {
        t.write(2, 0x4000, 4);
        t.done(1, Syndrome::TABLE_FETCH)?;
        t.done(2, Syndrome::TABLE_FETCH)
    };
    let refused = with_fetches_lost(2, outside);
    assert!(matches!(refused, Err(Violation::Syndrome { expected: Syndrome::BOUNDS, .. })), "{refused:?}");
}

/// The translation of the write has come before the write left: nothing that takes too long explains a missing flush.
#[test]
fn what_has_come_in_time_excuses_no_flush() {
    let mut t = slow(Trace::new(Mode::Ats));
    let bus = 0xb0_0000_0000;
    let entry = TranslationEntry { address: TlpAddr(bus), read: true, write: true, ..Default::default() };
    t.write(1, 0xff0, 0x20);
    t.translation(page_address(0), false, 7, entry);
    t.translation(page_address(1), false, 8, TranslationEntry { untranslated: true, ..entry });
    let message = crate::trace::message(0, 0x20);
    t.sent(&Request::write(AT_10, bus + 0xff0, &message[..0x10]));
    let second = Request::write(AT_00, page_address(1), &message[0x10..]);
    assert!(matches!(t.out(&second), Err(Violation::PathOrder { .. })));
}
