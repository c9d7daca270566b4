//! Translation by the MTT: owner and mode choose the AT, page rights, versions of regions and pages, enables, PASID,
//! table fetches.

use crate::trace::{
    AT_00, AT_10, KEY, PF, Request, TABLES, Trace, VF, entry, function, message, page_address, pasid, region, request,
};
use golden::Violation;
use types::port::FunctionCfg;
use types::{
    AddressType, Event, FunctionId, Mode, MttEntry, Op, Owner, PageSize, PasidPrefix, Region, RequesterId, Rights,
    Syndrome,
};

/// A write of 4 bytes to `page` must leave with `at` at the entry's address, and with no other AT.
fn leaves_with(mode: Mode, page: u64, at: AddressType) {
    for seen in [AT_00, AT_10] {
        let mut t = Trace::new(mode);
        t.write(1, 0x1000 * page + 8, 4);
        let out = t.out(&Request::write(seen, page_address(page) + 8, &message(0, 4)));
        if seen == at {
            assert_eq!(out, Ok(()));
            assert_eq!(t.done(1, Syndrome::OK), Ok(()));
            t.finish();
        } else {
            let wrong =
                matches!(out, Err(Violation::AddressType { expected, seen: s, .. }) if expected == at && s == seen);
            assert!(wrong, "{out:?}");
        }
    }
}

#[test]
fn owner_and_mode_choose_the_address_type() {
    for page in 0..4 {
        leaves_with(Mode::Direct, page, AT_00);
        leaves_with(Mode::Emtt, page, if page < 2 { AT_00 } else { AT_10 });
        // The unit's default is emtt in these traces.
        leaves_with(Mode::Inherit, page, if page < 2 { AT_00 } else { AT_10 });
    }
}

#[test]
fn the_default_mode_is_for_regions_that_inherit() {
    let mut t = Trace::new(Mode::Inherit);
    t.ok(Event::DefaultMode(Mode::Direct));
    t.write(1, 0x2000, 4);
    t.sent(&Request::write(AT_00, page_address(2), &message(0, 4)));
}

#[test]
fn the_address_is_that_of_the_page() {
    for (offset, address, legal) in [
        (0x1ffc, page_address(1) + 0xffc, true),
        (0x1ffc, page_address(1) + 0xff8, false),
        (0x1ffc, page_address(0) + 0xffc, false),
        (0x1ffc, 0x10_1ffc, false),
    ] {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, offset, 4);
        let out = t.out(&Request::write(AT_00, address, &message(0, 4)));
        if legal {
            assert_eq!(out, Ok(()));
        } else {
            assert!(matches!(out, Err(Violation::Address { .. })), "{out:?}");
        }
    }
}

#[test]
fn larger_pages_and_a_start_inside_a_page() {
    let mut t = Trace::bare();
    let r = Region { start: types::Va(0x12_3000), page_size: PageSize::K64, ..region(Mode::Emtt) };
    t.ok(Event::Mapped { key: KEY, region: &r });
    // Page 0 holds the start: 0x12_0000 … 0x12_ffff.
    t.page(0, entry(0x7_0001_0000, Owner::Host));
    t.accept(types::port::WorkRequest { va: types::Va(0x12_5008), ..request(Op::READ, 1, 0, 8) });
    t.sent(&Request::read(AT_00, 0x7_0001_5008, 8, 3));
}

#[test]
fn page_rights() {
    let page = |write, read| MttEntry { write, read, ..entry(page_address(0), Owner::Host) };
    for (op, entry, legal) in [
        (Op::WRITE, page(true, false), true),
        (Op::WRITE, page(false, true), false),
        (Op::READ, page(false, true), true),
        (Op::READ, page(true, false), false),
        (Op::READ, MttEntry { present: false, ..page(true, true) }, false),
    ] {
        let begin = || {
            let mut t = Trace::bare();
            t.ok(Event::Mapped { key: KEY, region: &region(Mode::Emtt) });
            t.page(0, entry);
            t.accept(request(op, 1, 0, 4));
            t
        };
        let mut t = begin();
        let out = match op {
            Op::READ => t.out(&Request::read(AT_00, page_address(0), 4, 0)),
            _ => {
                t.give(1, 0, 4);
                t.out(&Request::write(AT_00, page_address(0), &message(0, 4)))
            }
        };
        let fault = if entry.present { Syndrome::PAGE_RIGHTS } else { Syndrome::NOT_PRESENT };
        if legal {
            assert_eq!(out, Ok(()));
            assert!(matches!(begin().done(1, fault), Err(Violation::Syndrome { .. })));
        } else {
            assert!(matches!(out, Err(Violation::Refused { expected, .. }) if expected == fault), "{out:?}");
            assert_eq!(begin().done(1, fault), Ok(()));
            let other = if entry.present { Syndrome::NOT_PRESENT } else { Syndrome::PAGE_RIGHTS };
            assert!(matches!(begin().done(1, other), Err(Violation::Syndrome { .. })));
        }
    }
}

#[test]
fn old_and_new_page_are_legal_until_the_revocation_is_reported() {
    let old = Request::write(AT_00, page_address(0), &message(0, 4));
    let new = Request::write(AT_10, 0x8_0000_0000, &message(0, 4));
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.page(0, entry(0x8_0000_0000, Owner::Gpu));
        t
    };
    for legal in [&old, &new] {
        let mut t = begin();
        t.write(1, 0, 4);
        t.sent(legal);
    }
    // Each version has its own AT: the old address with the new one's AT was never legal.
    let mut t = begin();
    t.write(1, 0, 4);
    assert!(matches!(t.out(&Request { at: AT_10, ..old.clone() }), Err(Violation::AddressType { .. })));
    let mut t = begin();
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.write(1, 0, 4);
    t.write(2, 0, 4);
    t.sent(&old);
    t.ok(Event::RevocationReported { key: KEY });
    assert!(matches!(t.out(&old), Err(Violation::Stale { .. })));
    let mut t = begin();
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.ok(Event::RevocationReported { key: KEY });
    t.write(1, 0, 4);
    t.sent(&new);
}

#[test]
fn a_change_after_the_start_is_not_covered_by_the_report() {
    let mut t = Trace::new(Mode::Emtt);
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.page(0, entry(0x8_0000_0000, Owner::Gpu));
    t.ok(Event::RevocationReported { key: KEY });
    t.write(1, 0, 4);
    t.sent(&Request::write(AT_00, page_address(0), &message(0, 4)));
}

#[test]
fn an_unmapped_region_is_legal_until_the_revocation_is_reported() {
    let write = Request::write(AT_00, page_address(0), &message(0, 4));
    let mut t = Trace::new(Mode::Emtt);
    t.ok(Event::Unmapped { key: KEY });
    t.write(1, 0, 4);
    t.write(2, 0, 4);
    t.write(3, 0, 4);
    t.sent(&write);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    assert_eq!(t.done(2, Syndrome::INVALID_KEY), Ok(()));
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.ok(Event::RevocationReported { key: KEY });
    assert!(t.out(&write).is_err());
    let mut t = Trace::new(Mode::Emtt);
    assert!(matches!(t.observe(Event::RevocationReported { key: KEY }), Err(Violation::RevocationUnknown { .. })));
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    assert_eq!(t.0.finish(), Err(Violation::RevocationOwed { key: KEY }));
}

#[test]
fn taking_a_right_away_and_granting_one() {
    let mut t = Trace::new(Mode::Emtt);
    let narrow = Region { rights: Rights { remote_read: true, ..Rights::default() }, ..region(Mode::Emtt) };
    t.ok(Event::Mapped { key: KEY, region: &narrow });
    t.write(1, 0, 4);
    t.sent(&Request::write(AT_00, page_address(0), &message(0, 4)));
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.ok(Event::RevocationReported { key: KEY });
    t.write(2, 0, 4);
    let out = t.out(&Request::write(AT_00, page_address(0), &message(0, 4)));
    assert!(out.is_err());
    // What was taken away explains the outcome of requests from before the report, and of no later one.
    let mut t = Trace::new(Mode::Emtt);
    t.ok(Event::Mapped { key: KEY, region: &narrow });
    t.write(1, 0, 0);
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.ok(Event::RevocationReported { key: KEY });
    t.write(2, 0, 0);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    assert!(matches!(t.done(2, Syndrome::OK), Err(Violation::Syndrome { expected: Syndrome::RIGHTS, .. })));
    // A grant needs no report.
    let mut t = Trace::bare();
    t.map(&narrow);
    t.write(1, 0, 4);
    t.ok(Event::Mapped { key: KEY, region: &region(Mode::Emtt) });
    t.sent(&Request::write(AT_00, page_address(0), &message(0, 4)));
}

#[test]
fn enables_and_requesters() {
    let write = Request::write(AT_00, page_address(0), &message(0, 4));
    let gpu = Request::write(AT_10, page_address(2), &message(0, 4));
    let with = |cfg: FunctionCfg, offset| {
        let mut t = Trace::new(Mode::Emtt);
        t.ok(Event::Configured(&cfg));
        t.write(1, offset, 4);
        t
    };
    let off = FunctionCfg { bus_master: false, ..function(1) };
    assert!(matches!(with(off, 0).out(&write), Err(Violation::BusMasterOff { function: FunctionId(1), .. })));
    assert_eq!(with(off, 0).done(1, Syndrome::BUS_MASTER_OFF), Ok(()));
    assert!(matches!(with(function(1), 0).done(1, Syndrome::BUS_MASTER_OFF), Err(Violation::Syndrome { .. })));
    // ATS off: untranslated accesses go on, nothing leaves translated, and not untranslated with the bus address.
    let off = FunctionCfg { ats_enable: false, ..function(1) };
    with(off, 0).sent(&write);
    assert!(matches!(with(off, 0x2000).out(&gpu), Err(Violation::AtsOff { .. })));
    assert!(matches!(with(off, 0x2000).out(&Request { at: AT_00, ..gpu.clone() }), Err(Violation::AddressType { .. })));
    assert_eq!(with(off, 0x2000).done(1, Syndrome::ATS_OFF), Ok(()));
    assert!(matches!(with(off, 0).done(1, Syndrome::ATS_OFF), Err(Violation::Syndrome { .. })));
    // The right requester: another function's, or nobody's.
    let t = || with(function(1), 0);
    t().sent(&write);
    assert!(matches!(t().out(&Request { requester: PF, ..write.clone() }), Err(Violation::Unexpected { .. })));
    let nobody = RequesterId(0x0200);
    assert_eq!(t().out(&Request { requester: nobody, ..write.clone() }), Err(Violation::Requester { seen: nobody }));
}

#[test]
fn pasid_prefixes() {
    let prefixed = |offset, at, page, prefix, cfg: FunctionCfg| {
        let mut t = Trace::bare();
        t.ok(Event::Configured(&cfg));
        t.map(&Region { pasid: pasid(0x42), ..region(Mode::Emtt) });
        t.write(1, offset, 4);
        t.out(&Request { pasid: prefix, ..Request::write(at, page_address(page), &message(0, 4)) })
    };
    let none = PasidPrefix::default();
    let on = function(1);
    assert_eq!(prefixed(0, AT_00, 0, pasid(0x42), on), Ok(()));
    for wrong in [none, pasid(0x43), pasid(0), PasidPrefix { privileged: true, ..pasid(0x42) }] {
        assert!(matches!(prefixed(0, AT_00, 0, wrong, on), Err(Violation::Pasid { .. })));
    }
    // A translated request carries none.
    assert_eq!(prefixed(0x2000, AT_10, 2, none, on), Ok(()));
    assert!(matches!(prefixed(0x2000, AT_10, 2, pasid(0x42), on), Err(Violation::Pasid { .. })));
    // Where the function has PASID off nothing leaves that needs one.
    let off = FunctionCfg { pasid_enable: false, ..on };
    for prefix in [none, pasid(0x42)] {
        assert!(matches!(prefixed(0, AT_00, 0, prefix, off), Err(Violation::Refused { .. })));
    }
    assert_eq!(prefixed(0x2000, AT_10, 2, none, off), Ok(()));
}

#[test]
fn table_fetches() {
    let fetch = Request::fetch(TABLES + 0x1040, 9);
    let out = |r: &Request| Trace::new(Mode::Emtt).out(r);
    assert_eq!(out(&fetch), Ok(()));
    let last = TABLES + 0x10_0000 - 64;
    assert_eq!(out(&Request::fetch(last, 9)), Ok(()));
    for wrong in [
        Request { requester: VF, ..fetch.clone() },
        Request { at: AT_10, ..fetch.clone() },
        Request { pasid: pasid(1), ..fetch.clone() },
        Request { length_dw: 8, ..fetch.clone() },
        Request { last_be: 0x7, ..fetch.clone() },
        Request::fetch(TABLES + 0x1020, 9),
    ] {
        assert!(matches!(out(&wrong), Err(Violation::TableFetch { .. })), "{wrong:x?}: {:?}", out(&wrong));
    }
    // Outside the memory that holds tables.
    for address in [TABLES - 64, TABLES + 0x10_0000] {
        assert!(matches!(out(&Request::fetch(address, 9)), Err(Violation::Unexpected { .. })));
    }
}

#[test]
fn a_page_missing_when_its_line_was_fetched() {
    let begin = |fetched: bool| {
        let mut t = Trace::bare();
        t.ok(Event::Mapped { key: KEY, region: &region(Mode::Emtt) });
        if fetched {
            t.sent(&Request::fetch(TABLES + 0x1000, 9));
            t.complete_as(PF, 9, 0, 64, &[0; 64], false);
        }
        t.page(0, entry(page_address(0), Owner::Host));
        t.read(1, 0, 4);
        t
    };
    // The line was cached before the page was written: both outcomes are legal until a removal is reported.
    assert_eq!(begin(true).done(1, Syndrome::NOT_PRESENT), Ok(()));
    begin(true).sent(&Request::read(AT_00, page_address(0), 4, 0));
    assert!(matches!(begin(false).done(1, Syndrome::NOT_PRESENT), Err(Violation::Syndrome { .. })));
    let mut t = begin(true);
    t.ok(Event::RevocationStarted { key: KEY, flush: None });
    t.ok(Event::RevocationReported { key: KEY });
    t.read(2, 0, 4);
    assert_eq!(t.done(1, Syndrome::NOT_PRESENT), Ok(()));
    assert!(matches!(t.done(2, Syndrome::NOT_PRESENT), Err(Violation::Syndrome { .. })));
    // Never written at all.
    let mut t = Trace::bare();
    t.ok(Event::Mapped { key: KEY, region: &region(Mode::Emtt) });
    t.read(1, 0, 4);
    assert_eq!(t.done(1, Syndrome::NOT_PRESENT), Ok(()));
}
