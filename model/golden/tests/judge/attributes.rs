//! Attributes of requests: relaxed and ID-based ordering, No Snoop.

use crate::trace::{AT_00, AT_10, Request, Trace, function, message, page_address, region};
use golden::Violation;
use types::ats::TranslationEntry;
use types::port::FunctionCfg;
use types::tlp::Attributes;
use types::{Event, Mode, Region, TlpAddr};

const RELAXED: Attributes = Attributes { relaxed: true, id_order: false, no_snoop: false };
const ID: Attributes = Attributes { relaxed: false, id_order: true, no_snoop: false };
const NO_SNOOP: Attributes = Attributes { relaxed: false, id_order: false, no_snoop: true };

/// One write of 4 bytes in mode `emtt` with these attributes.
fn write(cfg: FunctionCfg, unordered: bool, attributes: Attributes) -> Result<(), Violation> {
    let mut t = Trace::bare();
    t.ok(Event::Configured(&cfg));
    t.map(&Region { unordered, ..region(Mode::Emtt) });
    t.write(1, 0, 4);
    t.out(&Request { attributes, ..Request::write(AT_00, page_address(0), &message(0, 4)) })
}

fn refused(outcome: &Result<(), Violation>) -> bool {
    matches!(outcome, Err(Violation::Attributes { .. }))
}

#[test]
fn relaxed_ordering_is_for_unordered_regions_of_functions_that_have_it_on() {
    let on = FunctionCfg { relaxed_ordering: true, ..function(1) };
    assert_eq!(write(on, true, RELAXED), Ok(()));
    assert_eq!(write(on, true, Attributes::default()), Ok(()));
    assert!(refused(&write(on, false, RELAXED)));
    assert!(refused(&write(function(1), true, RELAXED)));
}

#[test]
fn id_based_ordering_is_for_functions_that_have_it_on() {
    let on = FunctionCfg { id_ordering: true, ..function(1) };
    assert_eq!(write(on, false, ID), Ok(()));
    assert!(refused(&write(function(1), false, ID)));
    // What was on when the request was made.
    let mut t = Trace::bare();
    t.ok(Event::Configured(&on));
    t.map(&region(Mode::Emtt));
    t.write(1, 0, 4);
    t.ok(Event::Configured(&function(1)));
    t.sent(&Request { attributes: ID, ..Request::write(AT_00, page_address(0), &message(0, 4)) });
    t.done(1, types::Syndrome::OK).unwrap();
    t.write(2, 0, 4);
    assert!(refused(&t.out(&Request { attributes: ID, ..Request::write(AT_00, page_address(0), &message(0, 4)) })));
}

#[test]
fn an_answer_with_n_obliges_to_snoop() {
    let bus = 0xb0_0000_0000;
    let out = |no_snoop, attributes| {
        let mut t = Trace::new(Mode::Ats);
        t.write(1, 0, 4);
        let rw = TranslationEntry { address: TlpAddr(bus), read: true, write: true, ..TranslationEntry::default() };
        t.translation(page_address(0), false, 7, TranslationEntry { no_snoop, ..rw });
        t.out(&Request { attributes, ..Request::write(AT_10, bus, &message(0, 4)) })
    };
    assert_eq!(out(true, Attributes::default()), Ok(()));
    assert_eq!(out(false, Attributes::default()), Ok(()));
    assert_eq!(out(false, NO_SNOOP), Ok(()));
    assert!(refused(&out(true, NO_SNOOP)));
}

#[test]
fn a_flush_has_no_relaxed_ordering() {
    // Page 0 is the host's, page 2 the GPU's: between them the path changes, and the stream flushes.
    let flush = |attributes| {
        let mut t = Trace::bare();
        t.ok(Event::Configured(&FunctionCfg { relaxed_ordering: true, ..function(1) }));
        t.map(&region(Mode::Emtt));
        t.write(1, 0, 4);
        t.sent(&Request::write(AT_00, page_address(0), &message(0, 4)));
        t.out(&Request { first_be: 0, attributes, ..Request::read(AT_00, page_address(0), 4, 9) })
    };
    assert_eq!(flush(Attributes::default()), Ok(()));
    assert!(refused(&flush(RELAXED)));
}
