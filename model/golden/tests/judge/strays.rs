//! Completions that nothing under way has asked for: a read that was committed and had not left may have met one.

use crate::trace::{AT_00, Request, Trace, page_address};
use golden::Violation;
use types::{Mode, Syndrome};

/// A read of 4 bytes that leaves under tag 3, behind a completion for that tag that nothing had asked for and `between` other
/// reads; the unit commits at most two at a time.
fn met(between: u16) -> Trace {
    let mut t = Trace::new(Mode::Emtt);
    t.0 = std::mem::take(&mut t.0).with_committed(0, 2);
    t.complete(3, 4, &[9; 4]);
    for n in 0..between {
        t.read(10 + n, 0, 4);
        t.sent(&Request::read(AT_00, page_address(0), 4, 20 + n));
    }
    t.read(1, 16, 4);
    t.sent(&Request::read(AT_00, page_address(0) + 16, 4, 3));
    t
}

#[test]
fn a_read_that_leaves_soon_after_may_have_met_it() {
    // As an answer, with its bytes, before anything has come for it.
    assert_eq!(met(0).deliver(1, 0, &[9; 4]), Ok(()));
    assert_eq!(met(1).deliver(1, 0, &[9; 4]), Ok(()));
    // Or as one that is wrong.
    assert_eq!(met(0).done(1, Syndrome::MALFORMED_COMPLETION), Ok(()));
}

#[test]
fn or_not() {
    let mut t = met(0);
    t.complete(3, 4, &[1; 4]);
    assert_eq!(t.deliver(1, 0, &[1; 4]), Ok(()));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
}

#[test]
fn one_that_leaves_later_has_not_nor_where_nothing_is_committed_before_it_leaves() {
    assert!(matches!(met(2).deliver(1, 0, &[9; 4]), Err(Violation::ReadData { .. })));
    let mut t = Trace::new(Mode::Emtt);
    t.complete(3, 4, &[9; 4]);
    t.read(1, 16, 4);
    t.sent(&Request::read(AT_00, page_address(0) + 16, 4, 3));
    t.complete(3, 4, &[1; 4]);
    assert!(matches!(t.done(1, Syndrome::MALFORMED_COMPLETION), Err(Violation::Syndrome { .. })));
}

#[test]
fn nor_has_one_under_another_tag() {
    let mut t = met(0);
    t.read(2, 32, 4);
    t.sent(&Request::read(AT_00, page_address(0) + 32, 4, 4));
    assert!(matches!(t.deliver(2, 0, &[9; 4]), Err(Violation::ReadData { .. })));
}

#[test]
fn its_tag_may_be_free_for_the_unit_and_the_next_read_gets_what_is_its_own() {
    let again = Request::read(AT_00, page_address(0) + 32, 4, 3);
    let mut t = met(0);
    t.read(2, 32, 4);
    t.sent(&again);
    t.complete(3, 4, &[1; 4]);
    assert_eq!(t.deliver(2, 0, &[1; 4]), Ok(()));
    // One that has met nothing keeps its tag.
    let mut t = met(2);
    t.read(2, 32, 4);
    assert!(matches!(t.out(&again), Err(Violation::TagReuse { .. })));
}
