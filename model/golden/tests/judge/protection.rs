//! Protection: each check alone, their order, and no TLP for what is refused.

use crate::trace::{AT_00, KEY, Request, START, Trace, message, page_address, region, request};
use golden::Violation;
use types::port::WorkRequest;
use types::{ByteCount, FunctionId, Key, Mode, Op, Pd, Region, Rights, Syndrome, Va};

/// `wr` must end with `expected`: no other protection syndrome, no success, no TLP.
fn must_end(region: &Region, wr: WorkRequest, expected: Syndrome) {
    let begin = || {
        let mut t = Trace::bare();
        t.map(region);
        t.accept(wr);
        t
    };
    let mut t = begin();
    assert_eq!(t.done(wr.id.0, expected), Ok(()));
    t.finish();
    for seen in (0..=Syndrome::RIGHTS.0).map(Syndrome).filter(|s| *s != expected) {
        let refused = begin().done(wr.id.0, seen).unwrap_err();
        assert!(
            matches!(refused, Violation::Syndrome { expected: e, .. } if e == expected || expected.is_ok())
                || matches!(refused, Violation::DoneEarly { .. }),
            "{seen}: {refused}"
        );
    }
    if !expected.is_ok() {
        let mut t = begin();
        let bytes = message(0, 4);
        t.ok(types::Event::WriteData { stream: wr.stream, id: wr.id, offset: types::Offset(0), bytes: &bytes });
        let sent = match wr.op {
            Op::READ => t.out(&Request::read(AT_00, page_address(0), 4, 1)),
            _ => t.out(&Request::write(AT_00, page_address(0), &bytes)),
        };
        let refused = sent.unwrap_err();
        assert!(
            matches!(refused, Violation::Refused { expected: e, .. } if e == expected)
                || matches!(refused, Violation::Unexpected { .. })
                // Out of bounds there is no page, or the TLP is not for the page of `va`.
                || expected == Syndrome::BOUNDS && matches!(refused, Violation::Address { .. }),
            "{expected}: {refused}"
        );
    }
}

fn usual() -> (Region, WorkRequest) {
    (region(Mode::Emtt), request(Op::WRITE, 1, 0, 4))
}

#[test]
fn each_check_has_its_syndrome() {
    let (r, wr) = usual();
    must_end(&r, WorkRequest { key: Key::new(2, 7), ..wr }, Syndrome::INVALID_KEY);
    must_end(&Region { valid: false, ..r }, wr, Syndrome::INVALID_KEY);
    must_end(&r, WorkRequest { key: Key::new(1, 8), ..wr }, Syndrome::KEY_VARIANT);
    must_end(&r, WorkRequest { pd: Pd(6), ..wr }, Syndrome::PD);
    must_end(&r, WorkRequest { function: FunctionId(0), ..wr }, Syndrome::FUNCTION);
    must_end(&r, WorkRequest { va: Va(START - 1), ..wr }, Syndrome::BOUNDS);
    let none = Rights::default();
    must_end(&Region { rights: none, ..r }, wr, Syndrome::RIGHTS);
    must_end(&Region { rights: none, ..r }, WorkRequest { op: Op::READ, ..wr }, Syndrome::RIGHTS);
}

#[test]
fn rights_of_the_other_side_do_not_help() {
    let (r, wr) = usual();
    let none = Rights::default();
    let local = Region { rights: Rights { local_write: true, ..none }, ..r };
    must_end(&local, wr, Syndrome::RIGHTS);
    let read_only = Region { rights: Rights { remote_read: true, ..none }, ..r };
    must_end(&read_only, wr, Syndrome::RIGHTS);
    // A local write is refused with remote rights only; with the local right it is owed four bytes.
    must_end(&r, WorkRequest { remote: false, ..wr }, Syndrome::RIGHTS);
    let mut t = Trace::bare();
    t.map(&local);
    t.accept(WorkRequest { remote: false, ..wr });
    t.give(1, 0, 4);
    t.sent(&Request::write(AT_00, page_address(0), &message(0, 4)));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
}

#[test]
fn checks_come_in_the_order_of_their_syndromes() {
    // Everything is wrong at first; then one fault after the other is mended, in order.
    let (r, wr) = usual();
    let mut region = Region { valid: false, rights: Rights::default(), ..r };
    let mut wr =
        WorkRequest { key: Key::new(KEY.index(), 9), pd: Pd(6), function: FunctionId(0), va: Va(START - 1), ..wr };
    must_end(&region, wr, Syndrome::INVALID_KEY);
    region.valid = true;
    must_end(&region, wr, Syndrome::KEY_VARIANT);
    wr.key = KEY;
    must_end(&region, wr, Syndrome::PD);
    wr.pd = Pd(5);
    must_end(&region, wr, Syndrome::FUNCTION);
    wr.function = FunctionId(1);
    must_end(&region, wr, Syndrome::BOUNDS);
    wr.va = Va(START);
    must_end(&region, wr, Syndrome::RIGHTS);
}

#[test]
fn bounds_to_the_byte() {
    let (r, _) = usual();
    let at = |offset, length| request(Op::WRITE, 1, offset, length);
    must_end(&r, at(0, 0x4001), Syndrome::BOUNDS);
    must_end(&r, at(0x3fff, 2), Syndrome::BOUNDS);
    must_end(&r, at(0x4000, 1), Syndrome::BOUNDS);
    must_end(&r, at(0u64.wrapping_sub(1), 2), Syndrome::BOUNDS);
    // The last byte is inside.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0x3fff, 1);
    t.sent(&Request::write(crate::trace::AT_10, page_address(3) + 0xfff, &message(0, 1)));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    // Off by one: the TLP of a request one byte too long is refused.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0x3fff, 2);
    let refused = t.out(&Request::write(crate::trace::AT_10, page_address(3) + 0xfff, &message(0, 1)));
    assert!(matches!(refused, Err(Violation::Refused { expected: Syndrome::BOUNDS, .. })), "{refused:?}");
}

#[test]
fn a_range_that_wraps_is_out_of_bounds() {
    let (r, wr) = usual();
    let low = Region { start: Va(0), ..r };
    must_end(&low, WorkRequest { va: Va(u64::MAX - 15), length: types::Length(32), ..wr }, Syndrome::BOUNDS);
    let top = Region { start: Va(u64::MAX - 0xfff), length: ByteCount(0x1000), ..r };
    must_end(&top, WorkRequest { va: Va(u64::MAX - 15), length: types::Length(32), ..wr }, Syndrome::BOUNDS);
    let wraps = Region { start: Va(u64::MAX - 0xfff), length: ByteCount(0x2000), ..r };
    must_end(&wraps, WorkRequest { va: Va(u64::MAX - 15), ..wr }, Syndrome::BOUNDS);
}

#[test]
fn nothing_to_send_is_done_at_once() {
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0x4000, 0);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
    must_end(&region(Mode::Emtt), request(Op::WRITE, 1, 0x4001, 0), Syndrome::BOUNDS);
    // A read of no bytes still has a place.
    must_end(&region(Mode::Emtt), request(Op::READ, 1, 0x4000, 0), Syndrome::BOUNDS);
}

#[test]
fn operations_the_unit_does_not_have() {
    let mut t = Trace::bare();
    t.map(&Region { rights: Rights::ALL, ..region(Mode::Emtt) });
    t.accept(request(Op(5), 1, 0, 8));
    t.accept(request(Op(9), 2, 0, 8));
    assert_eq!(t.done(1, Syndrome::UNSUPPORTED_OP), Ok(()));
    assert_eq!(t.done(2, Syndrome::UNSUPPORTED_OP), Ok(()));
    t.write(3, 0, 4);
    assert!(matches!(t.done(3, Syndrome::UNSUPPORTED_OP), Err(Violation::Syndrome { .. })));
}
