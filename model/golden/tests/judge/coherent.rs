//! Coherent regions: AT = 10 only for addresses that came through ATS and have not been invalidated since, whatever the
//! table holds (PCIe 6.x 10.1.2).

use crate::trace::{AT_00, AT_10, Request, Trace, entry, function, page_address, region, request};
use golden::Violation;
use types::ats::{InvalidateRange, TranslationEntry};
use types::{Event, FunctionId, Iova, Mode, Op, Owner, PageSize, PasidPrefix, Region, Syndrome, TlpAddr};

const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: types::Pasid(0), exec: false, privileged: false };
const BUS: u64 = 0xb0_0000_0000;
const IOVA: u64 = 0x7000_0000;
const ITAG: u32 = 1 << 3;

fn rw(address: u64) -> TranslationEntry {
    TranslationEntry { address: TlpAddr(address), read: true, write: true, ..TranslationEntry::default() }
}

fn iova(page: u64) -> u64 {
    IOVA + (page << 12)
}

/// The usual region as a coherent one: pages 0 and 1 are the host's, 2 and 3 the GPU's, with [`page_address`] in the table.
fn coherent() -> Trace {
    let mut t = Trace::bare();
    t.map(&Region { coherent: true, iova: Iova(IOVA), ..region(Mode::Emtt) });
    t
}

/// The driver has a page translated; the answer comes.
fn filled(t: &mut Trace, page: u64, tag: u16, answer: TranslationEntry) {
    asked(t, page, false);
    t.translation(iova(page), false, tag, answer);
}

fn asked(t: &mut Trace, page: u64, no_write: bool) {
    t.ok(Event::TranslationAsked { function: FunctionId(1), pasid: NONE, iova: Iova(iova(page)), no_write });
}

fn invalidate(t: &mut Trace, page: u64) {
    t.invalidate(3, InvalidateRange { global: false, iova: Iova(iova(page)), size: Some(PageSize::K4) }, NONE);
}

#[test]
fn what_the_table_holds_is_no_licence() {
    let mut t = coherent();
    t.read(1, 0x2000, 8);
    let by_table = Request::read(AT_10, page_address(2), 8, 1);
    assert!(matches!(t.out(&by_table), Err(Violation::NoTranslation { .. })));
    // Of a plain region it is.
    let mut t = Trace::new(Mode::Emtt);
    t.read(1, 0x2000, 8);
    t.sent(&by_table);
}

#[test]
fn an_answer_that_the_driver_asked_for_serves_from_then_on() {
    let mut t = coherent();
    filled(&mut t, 2, 7, rw(BUS));
    for (id, tag) in [(1, 1), (2, 2)] {
        t.read(id, 0x2010, 8);
        t.sent(&Request::read(AT_10, BUS + 0x10, 8, tag));
        t.complete(tag, 8, &[0; 8]);
    }
    // Not for another page, and not untranslated.
    t.read(3, 0x3000, 8);
    assert!(t.out(&Request::read(AT_10, BUS + 0x1000, 8, 3)).is_err());
    let mut t = coherent();
    filled(&mut t, 2, 7, rw(BUS));
    t.read(1, 0x2000, 8);
    assert!(t.out(&Request::read(AT_00, iova(2), 8, 1)).is_err());
}

#[test]
fn after_an_invalidation_the_entry_is_stale_until_asked_for_again() {
    let start = || {
        let mut t = coherent();
        filled(&mut t, 2, 7, rw(BUS));
        invalidate(&mut t, 2);
        t.read(1, 0x2000, 8);
        t
    };
    // Until the completion it may be used.
    let mut t = start();
    t.sent(&Request::read(AT_10, BUS, 8, 1));
    // And then the completion waits for it.
    assert!(matches!(t.invalidated(ITAG, 1), Err(Violation::InvalidationEarly { itag: 3, .. })));
    let mut t = start();
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    assert!(matches!(t.out(&Request::read(AT_10, BUS, 8, 1)), Err(Violation::Stale { .. })));
    // The access itself asks.
    let mut t = start();
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.translation(iova(2), true, 8, rw(BUS + 0x10_0000));
    t.sent(&Request::read(AT_10, BUS + 0x10_0000, 8, 1));
    // An answer asked for before the invalidation was accepted comes too late.
    let mut t = coherent();
    asked(&mut t, 2, false);
    t.sent(&Request::translate(iova(2), 1, false, 7));
    invalidate(&mut t, 2);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.complete(7, 8, &rw(BUS).encode());
    t.read(1, 0x2000, 8);
    assert!(t.out(&Request::read(AT_10, BUS, 8, 1)).is_err());
}

#[test]
fn enable_and_reset_take_every_entry_away() {
    let off = types::port::FunctionCfg { ats_enable: false, ..function(1) };
    let reset = types::port::FunctionCfg { reset: true, ..off };
    for change in [off, reset] {
        let mut t = coherent();
        filled(&mut t, 2, 7, rw(BUS));
        t.ok(Event::Configured(&change));
        t.ok(Event::Configured(&function(1)));
        t.read(1, 0x2000, 8);
        assert!(matches!(t.out(&Request::read(AT_10, BUS, 8, 1)), Err(Violation::NoTranslation { .. })), "{change:?}");
    }
}

#[test]
fn permissions_are_those_of_the_answer() {
    let mut t = coherent();
    // The table says nothing may be done with page 2.
    t.page(2, types::MttEntry { read: false, write: false, ..entry(0, Owner::Gpu) });
    filled(&mut t, 2, 7, TranslationEntry { write: false, ..rw(BUS) });
    t.read(1, 0x2000, 8);
    t.sent(&Request::read(AT_10, BUS, 8, 1));
    t.write(2, 0x2000, 8);
    let write = Request::write(AT_10, BUS, &crate::trace::message(0, 8));
    let mut other = Trace(t.0.clone());
    assert!(other.out(&write).is_err());
    // It is asked for again, with NW = 0, and refused: an error of the translation, not of the page.
    t.translation(iova(2), false, 8, TranslationEntry { write: false, ..rw(BUS) });
    assert!(Trace(t.0.clone()).done(2, Syndrome::PAGE_RIGHTS).is_err());
    assert_eq!(t.done(2, Syndrome::TRANSLATION_ACCESS), Ok(()));
}

#[test]
fn untranslated_only_pages_leave_untranslated() {
    let mut t = coherent();
    filled(&mut t, 2, 7, TranslationEntry { untranslated: true, ..rw(BUS) });
    t.read(1, 0x2000, 8);
    t.sent(&Request::read(AT_00, iova(2), 8, 1));
    t.complete(1, 8, &[0; 8]);
    // The entry becomes the host's, and is not subject to invalidation.
    t.page(2, entry(iova(2), Owner::Host));
    invalidate(&mut t, 2);
    assert_eq!(t.invalidated(ITAG, 1), Ok(()));
    t.read(2, 0x2000, 8);
    t.sent(&Request::read(AT_00, iova(2), 8, 2));
}

#[test]
fn only_what_the_driver_wants_is_asked_for_without_a_request() {
    let refused = |t: &mut Trace, r: &Request| matches!(t.out(r), Err(Violation::TranslationRequest { .. }));
    let ask = Request::translate(iova(2), 1, false, 7);
    assert!(refused(&mut coherent(), &ask));
    let mut t = coherent();
    asked(&mut t, 2, false);
    // Another page, NW, several, another PASID: not what was wanted.
    for other in [
        Request::translate(iova(3), 1, false, 7),
        Request::translate(iova(2), 1, true, 7),
        Request::translate(iova(2), 2, false, 7),
        Request { pasid: crate::trace::pasid(4), ..ask.clone() },
    ] {
        assert!(refused(&mut Trace(t.0.clone()), &other), "{other:x?}");
    }
    t.sent(&ask);
    // Once.
    assert!(refused(&mut t, &Request { tag: 8, ..ask }));
}

#[test]
fn host_pages_and_other_modes_are_as_ever() {
    let mut t = coherent();
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 1));
    let mut t = Trace::bare();
    t.map(&Region { coherent: true, iova: Iova(IOVA), ..region(Mode::Direct) });
    t.accept(request(Op::READ, 1, 0x2000, 8));
    t.sent(&Request::read(AT_00, page_address(2), 8, 1));
}
