//! Requests that end in an error: each syndrome needs its cause, and others of the stream go on.

use crate::trace::{AT_00, PF, Request, TABLES, Trace, VF, entry, message, page_address, request};
use golden::Violation;
use types::tlp::status;
use types::{Mode, MttEntry, Op, Owner, Syndrome};

/// A read of 8 bytes under way with tag 3.
fn reading() -> Trace {
    let mut t = Trace::new(Mode::Emtt);
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    t
}

/// The read ends with `syndrome` and with nothing else.
fn ends_only(begin: impl Fn() -> Trace, syndrome: Syndrome) {
    for (other, _) in Syndrome::TABLE {
        let done = begin().done(1, *other);
        if *other == syndrome {
            assert_eq!(done, Ok(()), "{other}");
        } else {
            assert!(matches!(done, Err(Violation::Syndrome { .. })), "{other}: {done:?}");
        }
    }
}

#[test]
fn completion_errors_of_data_reads() {
    for (status, syndrome) in [
        (status::UR, Syndrome::UNSUPPORTED_REQUEST),
        (status::CA, Syndrome::COMPLETER_ABORT),
        (status::RRS, Syndrome::MALFORMED_COMPLETION),
        (0b111, Syndrome::UNSUPPORTED_REQUEST),
        (status::SC, Syndrome::MALFORMED_COMPLETION),
    ] {
        ends_only(
            || {
                let mut t = reading();
                t.fail(3, status);
                t
            },
            syndrome,
        );
    }
    // Too long, too short a byte count, data with an error status.
    for (status, count, dws) in [(status::SC, 8, 3), (status::SC, 4, 1), (status::SC, 12, 2), (status::UR, 8, 2)] {
        ends_only(
            || {
                let mut t = reading();
                t.complete_as(VF, 3, status, count, &[0; 12][..4 * dws], false);
                t
            },
            Syndrome::MALFORMED_COMPLETION,
        );
    }
}

#[test]
fn poisoned_data_is_awaited_to_the_end() {
    let begin = |whole: bool| {
        let mut t = reading();
        t.complete_as(VF, 3, status::SC, 8, &[1, 2, 3, 4], true);
        if whole {
            t.complete(3, 4, &[5, 6, 7, 8]);
        }
        t
    };
    ends_only(|| begin(true), Syndrome::POISONED);
    assert!(matches!(begin(false).done(1, Syndrome::POISONED), Err(Violation::DoneEarly { .. })));
    // Another error behind the poison: the request has met both.
    for syndrome in [Syndrome::POISONED, Syndrome::MALFORMED_COMPLETION] {
        let mut t = begin(false);
        t.complete(3, 4, &[0; 8]);
        assert_eq!(t.done(1, syndrome), Ok(()));
    }
    // Its data may be delivered, or not; success is out of reach either way.
    let mut t = begin(true);
    assert_eq!(t.deliver(1, 0, &[0; 8]), Ok(()));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::Syndrome { expected: Syndrome::POISONED, .. })));
    assert_eq!(t.done(1, Syndrome::POISONED), Ok(()));
}

#[test]
fn an_error_waits_for_the_other_reads_of_its_request() {
    let mut t = Trace::new(Mode::Emtt);
    t.read(1, 0, 12);
    t.sent(&Request::read(AT_00, page_address(0), 4, 3));
    t.sent(&Request::read(AT_00, page_address(0) + 4, 4, 4));
    t.fail(3, status::UR);
    assert!(matches!(t.done(1, Syndrome::UNSUPPORTED_REQUEST), Err(Violation::DoneEarly { .. })));
    t.complete(4, 4, &[5, 6, 7, 8]);
    // The failed packet is dropped, the other is delivered.
    assert_eq!(t.deliver(1, 4, &[5, 6, 7, 8]), Ok(()));
    assert_eq!(t.done(1, Syndrome::UNSUPPORTED_REQUEST), Ok(()));
    t.finish();
}

#[test]
fn without_a_cause_there_is_no_error() {
    // Page rights, translation, fetch, completion: none of it happened.
    for (syndrome, _) in Syndrome::TABLE.iter().filter(|(s, _)| !s.is_ok()) {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0, 8);
        assert!(matches!(t.done(1, *syndrome), Err(Violation::Syndrome { expected: Syndrome::OK, .. })), "{syndrome}");
    }
    // A read under way may have taken too long, where that is possible at all.
    assert!(reading().done(1, Syndrome::COMPLETION_TIMEOUT).is_err());
    let mut t = reading();
    t.0 = std::mem::take(&mut t.0).with_timeouts();
    assert_eq!(t.done(1, Syndrome::COMPLETION_TIMEOUT), Ok(()));
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0, 8);
    assert!(matches!(t.done(1, Syndrome(77)), Err(Violation::Syndrome { .. })));
}

#[test]
fn a_fault_lies_in_what_was_not_sent() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.page(1, MttEntry { present: false, ..entry(page_address(1), Owner::Host) });
        t.ok(types::Event::RevocationStarted { key: crate::trace::KEY, flush: None });
        t.ok(types::Event::RevocationReported { key: crate::trace::KEY });
        t
    };
    let mut t = begin();
    t.write(1, 0xffc, 8);
    t.sent(&Request::write(AT_00, page_address(0) + 0xffc, &message(0, 4)));
    assert!(matches!(
        t.out(&Request::write(AT_00, page_address(1), &message(4, 4))),
        Err(Violation::Refused { expected: Syndrome::NOT_PRESENT, .. })
    ));
    assert_eq!(t.done(1, Syndrome::NOT_PRESENT), Ok(()));
    // Another page of the region is no cause.
    let mut t = begin();
    t.write(1, 0x800, 8);
    assert!(matches!(t.done(1, Syndrome::NOT_PRESENT), Err(Violation::Syndrome { .. })));
}

#[test]
fn later_requests_go_on_past_one_that_has_failed() {
    let begin = |present| {
        let mut t = Trace::bare();
        t.map(&crate::trace::region(Mode::Emtt));
        let missing = MttEntry { present, ..entry(0x7777_7000, Owner::Host) };
        t.page(1, missing);
        t.ok(types::Event::RevocationStarted { key: crate::trace::KEY, flush: None });
        t.ok(types::Event::RevocationReported { key: crate::trace::KEY });
        t.write(1, 0xffc, 8);
        t.write(2, 0x100, 4);
        t.sent(&Request::write(AT_00, page_address(0) + 0xffc, &message(0, 4)));
        t
    };
    let later = Request::write(AT_00, page_address(0) + 0x100, &message(0, 4));
    let mut t = begin(false);
    t.sent(&later);
    // By that the first must have ended in its error: it can no longer succeed, nor send.
    assert!(t.done(1, Syndrome::OK).is_err());
    assert_eq!(t.done(1, Syndrome::NOT_PRESENT), Ok(()));
    assert_eq!(t.done(2, Syndrome::OK), Ok(()));
    t.finish();
    assert!(matches!(begin(true).out(&later), Err(Violation::StreamOrder { .. })));
}

/// The physical function fetches for the others.
#[test]
fn no_table_is_fetched_while_the_physical_function_has_bus_mastering_off() {
    let off = types::port::FunctionCfg { bus_master: false, ..crate::trace::function(0) };
    for during in [false, true] {
        let mut t = Trace::new(Mode::Emtt);
        t.ok(types::Event::Configured(&off));
        if during {
            t.write(1, 0, 8);
        }
        t.ok(types::Event::Configured(&crate::trace::function(0)));
        if !during {
            t.write(1, 0, 8);
        }
        assert_eq!(t.done(1, Syndrome::TABLE_FETCH).is_ok(), during);
    }
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0, 8);
    t.ok(types::Event::Configured(&off));
    assert!(matches!(t.out(&Request::fetch(TABLES + 0x1000, 9)), Err(Violation::BusMasterOff { .. })));
    assert_eq!(t.done(1, Syndrome::TABLE_FETCH), Ok(()));
}

#[test]
fn table_fetch_errors() {
    let fetched = |address, status, poisoned, data: &[u8]| {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0, 8);
        t.sent(&Request::fetch(address, 9));
        t.complete_as(PF, 9, status, 64, data, poisoned);
        t.done(1, Syndrome::TABLE_FETCH)
    };
    let mtt = TABLES + 0x1000;
    assert_eq!(fetched(mtt, status::UR, false, &[]), Ok(()));
    assert_eq!(fetched(mtt, status::CA, false, &[]), Ok(()));
    assert_eq!(fetched(mtt, status::SC, true, &[0; 64]), Ok(()));
    assert_eq!(fetched(mtt, status::SC, false, &[0; 68]), Ok(()));
    // An MPT line: in no region's MTT.
    assert_eq!(fetched(TABLES + 64, status::UR, false, &[]), Ok(()));
    assert!(fetched(mtt, status::SC, false, &[0; 64]).is_err());
    // Another region's line.
    let mut t = Trace::new(Mode::Emtt);
    let other = types::Region { mtt: types::Iova(TABLES + 0x2000), ..crate::trace::region(Mode::Emtt) };
    t.ok(types::Event::Mapped { key: types::Key::new(2, 7), region: &other });
    t.write(1, 0, 8);
    t.sent(&Request::fetch(TABLES + 0x2000, 9));
    t.complete_as(PF, 9, status::UR, 4, &[], false);
    assert!(matches!(t.done(1, Syndrome::TABLE_FETCH), Err(Violation::Syndrome { .. })));
    // Before the request came.
    let mut t = Trace::new(Mode::Emtt);
    t.sent(&Request::fetch(mtt, 9));
    t.complete_as(PF, 9, status::UR, 4, &[], false);
    t.accept(request(Op::WRITE, 1, 0, 8));
    assert!(matches!(t.done(1, Syndrome::TABLE_FETCH), Err(Violation::Syndrome { .. })));
}
