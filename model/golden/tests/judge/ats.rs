//! Mode `ats`: Translation Requests, what their answers allow, and invalidations with their scope.

use crate::trace::{AT_00, AT_10, Request, Trace, function, message, page_address, pasid, region, request};
use golden::Violation;
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::FunctionCfg;
use types::tlp::status;
use types::{Event, Iova, Mode, Op, PageSize, PasidPrefix, Region, Syndrome, TlpAddr};

const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: types::Pasid(0), exec: false, privileged: false };
const BUS: u64 = 0xb0_0000_0000;

/// 4 KiB at `address`, readable and writable.
fn rw(address: u64) -> TranslationEntry {
    TranslationEntry { address: TlpAddr(address), read: true, write: true, ..TranslationEntry::default() }
}

fn range(iova: u64, size: PageSize) -> InvalidateRange {
    InvalidateRange { global: false, iova: Iova(iova & !size.offset_mask().0), size: Some(size) }
}

/// A write of 4 bytes to page 0, translated or not.
fn write(at: types::AddressType, address: u64) -> Request {
    Request::write(at, address, &message(0, 4))
}

/// Mode `ats` with one open write to page 0.
fn writing() -> Trace {
    let mut t = Trace::new(Mode::Ats);
    t.write(1, 0, 4);
    t
}

#[test]
fn an_access_needs_an_answer_that_grants_it() {
    let mut t = writing();
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::NoTranslation { .. })));
    let mut t = writing();
    assert!(matches!(t.out(&write(AT_00, page_address(0))), Err(Violation::NoTranslation { .. })));
    let mut t = writing();
    t.translation(page_address(0), false, 7, rw(BUS));
    t.sent(&write(AT_10, BUS));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
    // Not yet answered; the IOVA instead of the answer; the answer's address untranslated.
    let mut t = writing();
    t.sent(&Request::translate(page_address(0), 1, false, 7));
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::NoTranslation { .. })));
    t.complete(7, 8, &rw(BUS).encode());
    assert!(t.out(&write(AT_10, page_address(0))).is_err());
    assert!(matches!(t.out(&write(AT_00, BUS)), Err(Violation::AddressType { .. })));
}

#[test]
fn permissions_are_those_of_the_answer() {
    let read_only = TranslationEntry { write: false, ..rw(BUS) };
    let mut t = writing();
    t.translation(page_address(0), false, 7, read_only);
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::NoTranslation { .. })));
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
    let mut t = writing();
    t.read(2, 0x100, 4);
    t.translation(page_address(0), true, 7, read_only);
    assert!(t.out(&Request::read(AT_10, BUS + 0x100, 4, 1)).is_err(), "the write comes first");
    // W = 0 in an answer to NW = 1 does not refuse a write: it has to be asked again.
    assert!(matches!(t.done(1, Syndrome::TRANSLATION_ACCESS), Err(Violation::Syndrome { .. })));
    t.translation(page_address(0), false, 7, rw(BUS));
    t.sent(&write(AT_10, BUS));
    t.sent(&Request::read(AT_10, BUS + 0x100, 4, 1));
    // Nothing there: R = W = 0.
    let mut t = writing();
    t.translation(page_address(0), false, 7, TranslationEntry::default());
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
    // A refusal from before the request is none: such an answer is never cached.
    let mut t = writing();
    t.translation(page_address(0), false, 7, TranslationEntry::default());
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
    t.write(2, 0, 4);
    assert!(matches!(t.done(2, Syndrome::TRANSLATION_ACCESS), Err(Violation::Syndrome { .. })));
}

#[test]
fn untranslated_access_only() {
    let begin = || {
        let mut t = writing();
        t.translation(page_address(0), false, 7, TranslationEntry { untranslated: true, ..rw(BUS) });
        t
    };
    begin().sent(&write(AT_00, page_address(0)));
    assert!(begin().out(&write(AT_10, BUS)).is_err());
    assert!(matches!(begin().out(&write(AT_10, page_address(0))), Err(Violation::AddressType { .. })));
}

#[test]
fn one_answer_may_cover_more_than_was_asked() {
    // 2 MiB at BUS holds pages 0 and 1, which lie 1 MiB apart.
    let large = TranslationEntry { size: PageSize::M2, ..rw(BUS) };
    let mut t = writing();
    t.write(2, 0x1000, 4);
    t.translation(page_address(0), false, 7, large);
    t.sent(&write(AT_10, BUS | page_address(0) & 0x1f_ffff));
    t.sent(&write(AT_10, BUS | page_address(1) & 0x1f_ffff));
}

#[test]
fn several_translations_in_two_completions() {
    // One 16 KiB page of the region, asked for as four units of 4 KiB.
    let begin = || {
        let mut t = Trace::bare();
        t.map(&Region { page_size: PageSize::from_log2(14).unwrap(), ..region(Mode::Ats) });
        t.read(1, 0, 0x4000);
        t.sent(&Request::translate(page_address(0), 4, true, 7));
        t
    };
    let bytes = |pages: &[u64]| pages.iter().flat_map(|p| rw(*p).encode()).collect::<Vec<_>>();
    let mut t = begin();
    t.complete(7, 24, &bytes(&[BUS]));
    t.complete(7, 16, &bytes(&[BUS + 0x9000, BUS + 0x5000]));
    for (i, at) in [BUS, BUS + 0x9000, BUS + 0x5000].into_iter().enumerate() {
        t.sent(&Request::read(AT_10, at, 0x1000, 10 + i as u16));
    }
    // Three of four came: the fourth is not translated.
    assert!(matches!(t.out(&Request::read(AT_10, BUS + 0x6000, 0x1000, 20)), Err(Violation::NoTranslation { .. })));
    t.sent(&Request::translate(page_address(0) + 0x3000, 1, true, 7));
    // More than asked for, half an entry, two sizes: malformed.
    let two_sizes = [rw(BUS).encode(), TranslationEntry { size: PageSize::K64, ..rw(BUS) }.encode()].concat();
    for (count, data) in [(40, bytes(&[BUS; 5])), (12, bytes(&[BUS; 2])[..12].to_vec()), (16, two_sizes)] {
        let mut t = begin();
        t.complete(7, count, &data);
        assert!(t.out(&Request::read(AT_10, BUS, 0x1000, 10)).is_err());
        assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
    }
}

#[test]
fn failed_translation_requests() {
    for status in [status::UR, status::CA, status::RRS] {
        let mut t = writing();
        t.sent(&Request::translate(page_address(0), 1, false, 7));
        assert!(matches!(t.done(1, Syndrome::TRANSLATION_FAILED), Err(Violation::Syndrome { .. })));
        t.fail(7, status);
        assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
    }
    // A size below the STU counts as UR.
    let mut t = Trace::new(Mode::Ats);
    t.ok(Event::Configured(&FunctionCfg { ats_stu: 4, ..function(1) }));
    t.write(1, 0, 4);
    t.translation(page_address(0), false, 7, rw(BUS));
    assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
}

#[test]
fn translation_requests_are_for_what_is_needed() {
    let good = Request::translate(page_address(0), 1, false, 7);
    assert_eq!(writing().out(&good), Ok(()));
    // Those behind it may be asked for with it, up to the Read Completion Boundary: 64 bytes are 8.
    assert_eq!(writing().out(&Request::translate(page_address(0), 8, false, 7)), Ok(()));
    for wrong in [
        Request::translate(page_address(1), 1, false, 7),
        Request::translate(page_address(0) + 0x1000, 1, false, 7),
        Request::translate(page_address(0) - 0x1000, 2, false, 7),
        Request::translate(page_address(0), 9, false, 7),
        Request::translate(page_address(0), 1, true, 7),
        Request { length_dw: 0, ..good.clone() },
        Request { length_dw: 3, ..good.clone() },
        Request { length_dw: 18, ..good.clone() },
        Request { first_be: 0xe, ..good.clone() },
        Request { address: page_address(0) + 0x800, ..good.clone() },
        Request { pasid: pasid(1), ..good.clone() },
        Request { requester: crate::trace::PF, ..good.clone() },
    ] {
        assert!(matches!(writing().out(&wrong), Err(Violation::TranslationRequest { .. })), "{wrong:x?}");
    }
    let mut t = writing();
    t.ok(Event::Configured(&FunctionCfg { ats_enable: false, ..function(1) }));
    assert!(matches!(t.out(&good), Err(Violation::AtsOff { .. })));
    // Other modes, other permissions, nothing left to send.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0, 4);
    assert!(matches!(t.out(&good), Err(Violation::TranslationRequest { .. })));
    let mut t = Trace::new(Mode::Ats);
    t.read(1, 0, 4);
    assert!(matches!(t.out(&good), Err(Violation::TranslationRequest { .. })), "NW = 0 for a read");
    t.sent(&Request { no_write: true, ..good.clone() });
    let mut t = writing();
    t.translation(page_address(0), false, 7, rw(BUS));
    t.sent(&write(AT_10, BUS));
    assert!(matches!(t.out(&good), Err(Violation::TranslationRequest { .. })));
    let mut t = writing();
    t.sent(&good);
    assert!(matches!(t.out(&good), Err(Violation::TagReuse { .. })));
}

#[test]
fn a_translation_is_legal_until_its_invalidation_is_complete() {
    let begin = || {
        let mut t = Trace::new(Mode::Ats);
        t.write(1, 0, 4);
        t.write(2, 0, 4);
        t.translation(page_address(0), false, 7, rw(BUS));
        t.invalidate(3, range(page_address(0), PageSize::K4), NONE);
        t
    };
    begin().sent(&write(AT_10, BUS));
    let mut t = begin();
    assert!(matches!(t.invalidated(1 << 4, 1), Err(Violation::InvalidationUnknown { itag: 4, .. })));
    assert!(matches!(t.0.finish(), Err(Violation::Owed { .. })));
    assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::Stale { .. })));
    assert!(matches!(t.invalidated(1 << 3, 1), Err(Violation::InvalidationUnknown { itag: 3, .. })));
    // Two traffic classes: complete only with both copies.
    let mut t = begin();
    assert_eq!(t.invalidated(1 << 3, 2), Ok(()));
    t.sent(&write(AT_10, BUS));
    assert_eq!(t.completed(1 << 3, 2, |tlp| tlp.tc = 1), Ok(()));
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::Stale { .. })));
    // Asked for anew after it was accepted: not covered.
    let mut t = begin();
    t.translation(page_address(0), false, 8, rw(BUS + 0x1000));
    assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
    t.sent(&write(AT_10, BUS + 0x1000));
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::Stale { .. })));
    let mut t = Trace::new(Mode::Ats);
    t.invalidate(3, range(page_address(0), PageSize::K4), NONE);
    assert!(matches!(t.0.finish(), Err(Violation::InvalidationOwed { itag: 3, .. })));
}

#[test]
fn an_answer_under_way_is_covered() {
    // Asked, invalidated, answered: legal before the completion, stale after it; late answers too.
    for answered_before in [true, false] {
        let mut t = writing();
        t.write(2, 0, 4);
        t.sent(&Request::translate(page_address(0), 1, false, 7));
        t.invalidate(3, range(page_address(0), PageSize::K4), NONE);
        if answered_before {
            t.complete(7, 8, &rw(BUS).encode());
            t.sent(&write(AT_10, BUS));
            assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
        } else {
            assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
            t.complete(7, 8, &rw(BUS).encode());
        }
        assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::Stale { .. })));
    }
    // A 4 KiB request returns 2 MiB; another page of it was invalidated meanwhile: only what is outside may be used.
    let large = TranslationEntry { size: PageSize::M2, ..rw(BUS) };
    let mut t = writing();
    t.write(2, 0x1000, 4);
    t.sent(&Request::translate(page_address(0), 1, false, 7));
    t.invalidate(3, range(page_address(1), PageSize::K4), NONE);
    assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
    t.complete(7, 8, &large.encode());
    t.sent(&write(AT_10, BUS | page_address(0) & 0x1f_ffff));
    assert!(matches!(t.out(&write(AT_10, BUS | page_address(1) & 0x1f_ffff)), Err(Violation::Stale { .. })));
}

#[test]
fn scope_of_an_invalidation() {
    let iova = page_address(0);
    let all = InvalidateRange { global: false, iova: Iova(0), size: None };
    let global = InvalidateRange { global: true, ..range(iova, PageSize::K4) };
    let near = range(iova, PageSize::K4);
    let far = range(iova + 0x1000, PageSize::K4);
    // (prefix of the translation, global entry, range, prefix of the invalidation, covered)
    for (scope, entry_global, range, prefix, covered) in [
        (NONE, false, near, NONE, true),
        (NONE, false, far, NONE, false),
        (NONE, false, range(iova, PageSize::M2), NONE, true),
        (NONE, false, all, NONE, true),
        (NONE, false, near, pasid(0), false),
        (pasid(0), false, near, pasid(0), true),
        (pasid(5), false, near, pasid(5), true),
        (pasid(5), false, far, pasid(5), false),
        (pasid(5), false, near, pasid(6), false),
        (pasid(5), true, near, pasid(5), false),
        (pasid(5), true, global, pasid(5), true),
        (pasid(5), true, global, pasid(6), true),
        (pasid(5), false, near, NONE, true),
        (pasid(5), false, far, NONE, true),
    ] {
        let mut t = Trace::bare();
        t.map(&Region { pasid: scope, ..region(Mode::Ats) });
        t.write(1, 0, 4);
        t.sent(&Request { pasid: scope, ..Request::translate(iova, 1, false, 7) });
        t.complete(7, 8, &TranslationEntry { global: entry_global, ..rw(BUS) }.encode());
        t.invalidate(0, range, prefix);
        assert_eq!(t.invalidated(1, 1), Ok(()));
        let out = t.out(&write(AT_10, BUS));
        let label = format!("{scope:?} {entry_global} {range:?} {prefix:?}: {out:?}");
        assert_eq!(matches!(out, Err(Violation::Stale { .. })), covered, "{label}");
        assert_eq!(out.is_ok(), !covered, "{label}");
    }
}

#[test]
fn translations_belong_to_their_pasid_and_function() {
    let with = |scope, entry_global, user| {
        let mut t = Trace::bare();
        t.map(&Region { pasid: scope, ..region(Mode::Ats) });
        t.write(1, 0, 4);
        t.sent(&Request { pasid: scope, ..Request::translate(page_address(0), 1, false, 7) });
        t.complete(7, 8, &TranslationEntry { global: entry_global, ..rw(BUS) }.encode());
        t.sent(&write(AT_10, BUS));
        // Another region maps the same IOVA, for another PASID.
        let key = types::Key::new(2, 7);
        let page = types::PageIndex(0);
        t.ok(Event::Mapped { key, region: &Region { pasid: user, ..region(Mode::Ats) } });
        t.ok(Event::PageMapped { key, page, entry: crate::trace::entry(page_address(0), types::Owner::Host) });
        t.accept(types::port::WorkRequest { key, ..request(Op::WRITE, 2, 0, 4) });
        t.give(2, 0, 4);
        t.out(&write(AT_10, BUS))
    };
    assert_eq!(with(pasid(5), false, pasid(5)), Ok(()));
    assert!(matches!(with(pasid(5), false, pasid(6)), Err(Violation::NoTranslation { .. })));
    assert!(matches!(with(NONE, false, pasid(0)), Err(Violation::NoTranslation { .. })), "no PASID is not PASID 0");
    assert!(matches!(with(pasid(0), false, NONE), Err(Violation::NoTranslation { .. })));
    assert_eq!(with(pasid(5), true, pasid(6)), Ok(()));
    assert!(matches!(with(pasid(5), true, NONE), Err(Violation::NoTranslation { .. })));
    let privileged = PasidPrefix { privileged: true, ..pasid(5) };
    // Not enabled in the function: the attribute is not sent and does not tell entries apart.
    assert_eq!(with(pasid(5), false, privileged), Ok(()));
    // The other function's translation.
    let mut t = writing();
    t.translation(page_address(0), false, 7, rw(BUS));
    let other = Region { function: types::FunctionId(0), variant: 8, ..region(Mode::Ats) };
    t.ok(Event::Mapped { key: types::Key::new(1, 8), region: &other });
    let entry = crate::trace::entry(page_address(0), types::Owner::Host);
    t.ok(Event::PageMapped { key: types::Key::new(1, 8), page: types::PageIndex(0), entry });
    let wr = types::port::WorkRequest {
        function: types::FunctionId(0),
        key: types::Key::new(1, 8),
        stream: types::StreamId(2),
        ..request(Op::READ, 2, 0, 4)
    };
    t.accept(wr);
    let read = Request { requester: crate::trace::PF, ..Request::read(AT_10, BUS, 4, 1) };
    assert!(matches!(t.out(&read), Err(Violation::NoTranslation { .. })));
}

#[test]
fn enabling_ats_empties_the_cache_and_disabling_does_not_use_it() {
    let off = FunctionCfg { ats_enable: false, ..function(1) };
    let mut t = writing();
    t.translation(page_address(0), false, 7, rw(BUS));
    t.ok(Event::Configured(&off));
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::AtsOff { .. })));
    t.ok(Event::Configured(&function(1)));
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::NoTranslation { .. })));
    t.translation(page_address(0), false, 7, rw(BUS));
    t.sent(&write(AT_10, BUS));
    // An answer to a request from before Enable 0 → 1 is void.
    let mut t = writing();
    t.sent(&Request::translate(page_address(0), 1, false, 7));
    t.ok(Event::Configured(&off));
    t.ok(Event::Configured(&function(1)));
    t.complete(7, 8, &rw(BUS).encode());
    assert!(matches!(t.out(&write(AT_10, BUS)), Err(Violation::NoTranslation { .. })));
}

#[test]
fn the_page_behind_one_that_is_needed_may_be_asked_ahead_where_the_unit_may_prefetch() {
    let ahead = |no_write| Request::translate(page_address(0) + 0x1000, 1, no_write, 8);
    let prefetching = |t: &mut Trace| t.0 = std::mem::take(&mut t.0).with_prefetch();
    let refused = |seen| matches!(seen, Err(Violation::TranslationRequest { .. }));
    // Page 0 is mapped at an address whose neighbour is mapped for nobody.
    assert!(refused(writing().out(&ahead(false))), "without prefetch nobody needs it");
    let mut t = writing();
    prefetching(&mut t);
    assert!(refused(t.out(&ahead(true))), "the write before it asks with NW = 0");
    // Two pages behind, the page before, two at a time, another PASID.
    for address in [page_address(0) + 0x2000, page_address(0) - 0x1000] {
        assert!(refused(t.out(&Request::translate(address, 1, false, 8))));
    }
    assert!(refused(t.out(&Request::translate(page_address(0) + 0x1000, 2, false, 8))));
    assert!(refused(t.out(&Request { pasid: pasid(3), ..ahead(false) })));
    t.sent(&ahead(false));
    t.complete(8, 8, &rw(BUS + 0x5000).encode());
    // What came is no licence: the page is not the request's.
    assert!(t.out(&write(AT_10, BUS + 0x5000)).is_err());
    let mut t = Trace::new(Mode::Ats);
    prefetching(&mut t);
    t.read(1, 0, 4);
    t.sent(&ahead(true));
    // A failure of what nobody needs fails nobody.
    t.fail(8, status::UR);
    assert!(matches!(t.done(1, Syndrome::TRANSLATION_FAILED), Err(Violation::Syndrome { .. })));
}

#[test]
fn what_is_asked_ahead_may_leave_after_the_request_it_was_for_has_ended() {
    let mut t = writing();
    t.0 = std::mem::take(&mut t.0).with_prefetch();
    t.translation(page_address(0), false, 7, rw(BUS));
    t.sent(&write(AT_10, BUS));
    t.sent(&Request::translate(page_address(0) + 0x1000, 1, false, 8));
    t.complete(8, 8, &rw(BUS + 0x5000).encode());
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.sent(&Request::translate(page_address(0) + 0x1000, 1, false, 9));
    t.complete(9, 8, &rw(BUS + 0x5000).encode());
    t.finish();
}

#[test]
fn asking_ahead_stays_in_the_same_2_mib() {
    // The last page of a block of 2 MiB.
    let last = 0x5_001f_f000;
    let mut t = Trace::new(Mode::Ats);
    t.0 = std::mem::take(&mut t.0).with_prefetch();
    t.page(0, crate::trace::entry(last, types::Owner::Host));
    t.read(1, 0, 4);
    t.sent(&Request::translate(last, 1, true, 7));
    let seen = t.out(&Request::translate(last + 0x1000, 1, true, 8));
    assert!(matches!(seen, Err(Violation::TranslationRequest { .. })), "{seen:?}");
}
