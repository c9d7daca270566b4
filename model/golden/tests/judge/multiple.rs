//! Translation Requests for several translations: one or two completions, shorter answers, holes, other sizes.

use crate::trace::{AT_10, Request, Trace, VF, function, page_address, region};
use golden::Violation;
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::FunctionCfg;
use types::tlp::status;
use types::{Event, Iova, Mode, PageSize, PasidPrefix, Region, Syndrome, TlpAddr};

const BUS: u64 = 0xb0_0000_0000;

fn rw(address: u64) -> TranslationEntry {
    TranslationEntry { address: TlpAddr(address), read: true, write: true, ..TranslationEntry::default() }
}

fn bytes(entries: &[TranslationEntry]) -> Vec<u8> {
    entries.iter().flat_map(TranslationEntry::encode).collect()
}

/// A region of one page of 64 KiB, so that its IOVAs follow each other, one open read of all of it, and a Translation
/// Request for `count` pages of 4 KiB from its start, tag 7.
fn asked(count: u16) -> Trace {
    let mut t = Trace::bare();
    t.ok(Event::Configured(&FunctionCfg { rcb: true, ..function(1) }));
    t.map(&Region { page_size: PageSize::K64, ..region(Mode::Ats) });
    t.read(1, 0, 0x4000);
    t.sent(&Request::translate(page_address(0), count, true, 7));
    t
}

fn read(t: &mut Trace, page: u64) -> Result<(), Violation> {
    t.out(&Request::read(AT_10, BUS + 0x10_0000 * page, 0x1000, 16 + page as u16))
}

/// Pages 0 to 3 at places that do not follow each other.
fn four() -> [TranslationEntry; 4] {
    std::array::from_fn(|i| rw(BUS + 0x10_0000 * i as u64))
}

#[test]
fn up_to_sixteen_with_a_boundary_of_128_bytes() {
    asked(16);
    let mut t = Trace::bare();
    t.ok(Event::Configured(&FunctionCfg { rcb: true, ..function(1) }));
    t.map(&Region { page_size: PageSize::K64, ..region(Mode::Ats) });
    t.read(1, 0, 4);
    let out = t.out(&Request::translate(page_address(0), 17, true, 7));
    assert!(matches!(out, Err(Violation::TranslationRequest { .. })));
}

#[test]
fn one_completion_or_two_of_whole_entries() {
    for first in 1..=4 {
        let mut t = asked(4);
        let all = bytes(&four());
        t.complete(7, 32, &all[..8 * first]);
        if first < 4 {
            // The tag is in use until the second.
            let again = Request::translate(page_address(0), 1, true, 7);
            assert!(matches!(t.out(&again), Err(Violation::TagReuse { .. })));
            let mut t = asked(4);
            t.complete(7, 32, &all[..8 * first]);
            t.complete(7, 32 - 8 * first as u16, &all[8 * first..]);
            (0..4).for_each(|page| assert_eq!(read(&mut t, page), Ok(())));
        } else {
            (0..4).for_each(|page| assert_eq!(read(&mut t, page), Ok(())));
        }
    }
    // Entries of the first may be used before the second comes.
    let mut t = asked(4);
    t.complete(7, 32, &bytes(&four()[..2]));
    assert_eq!((read(&mut t, 0), read(&mut t, 1)), (Ok(()), Ok(())));
    assert!(matches!(read(&mut t, 2), Err(Violation::NoTranslation { .. })));
}

#[test]
fn three_completions_are_malformed() {
    let mut t = asked(4);
    t.complete(7, 32, &bytes(&four()[..1]));
    t.complete(7, 24, &bytes(&four()[1..2]));
    assert!(read(&mut t, 1).is_err());
    assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
}

#[test]
fn half_an_entry_is_malformed() {
    for n in [4, 12, 20] {
        let mut t = asked(4);
        t.complete(7, 32, &bytes(&four())[..n]);
        assert!(read(&mut t, 0).is_err());
        assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
    }
}

#[test]
fn fewer_are_legal_and_more_are_not() {
    for n in 1..4 {
        let mut t = asked(4);
        t.complete(7, 8 * n as u16, &bytes(&four()[..n]));
        (0..n as u64).for_each(|page| assert_eq!(read(&mut t, page), Ok(())));
        assert!(matches!(read(&mut t, n as u64), Err(Violation::NoTranslation { .. })));
        (0..n as u16).for_each(|page| t.complete(16 + page, 0x1000, &vec![0; 0x1000]));
        // Nobody has refused the rest: it has to be asked for again.
        assert!(matches!(t.done(1, Syndrome::TRANSLATION_ACCESS), Err(Violation::Syndrome { .. })));
    }
    let mut t = asked(2);
    t.complete(7, 24, &bytes(&four()[..3]));
    assert!(read(&mut t, 0).is_err());
    assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
}

#[test]
fn nothing_there_is_one_entry_about_the_first() {
    let mut t = asked(4);
    t.complete(7, 8, &TranslationEntry::default().encode());
    assert!(read(&mut t, 0).is_err());
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
}

#[test]
fn entries_without_access_between_others() {
    let mut entries = four();
    entries[1] = TranslationEntry::default();
    let mut t = asked(4);
    t.complete(7, 32, &bytes(&entries));
    assert_eq!(read(&mut t, 0), Ok(()));
    assert!(matches!(read(&mut t, 1), Err(Violation::NoTranslation { .. })));
    // The read stops there.
    t.complete(16, 0x1000, &vec![0; 0x1000]);
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
}

#[test]
fn larger_entries_cover_ranges_that_follow_each_other() {
    // Two of 8 KiB for a request that starts in the middle of the first.
    let two: PageSize = PageSize::from_log2(13).unwrap();
    let mut t = Trace::bare();
    t.map(&Region { page_size: PageSize::K64, ..region(Mode::Ats) });
    t.read(1, 0x1000, 0x3000);
    t.sent(&Request::translate(page_address(0) + 0x1000, 3, true, 7));
    let entries = [BUS, BUS + 0x10_0000].map(|address| TranslationEntry { size: two, ..rw(address) });
    t.complete(7, 16, &bytes(&entries));
    for (tag, at) in [(1, BUS + 0x1000), (2, BUS + 0x10_0000), (3, BUS + 0x10_1000)] {
        t.sent(&Request::read(AT_10, at, 0x1000, tag));
    }
    // Entries of two sizes are malformed.
    let mut t = asked(4);
    t.complete(7, 16, &bytes(&[entries[0], rw(BUS)]));
    assert!(read(&mut t, 0).is_err());
    assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
}

#[test]
fn an_error_is_about_all_of_them() {
    for status in [status::UR, status::CA] {
        let mut t = asked(4);
        t.complete_as(VF, 7, status, 4, &[], false);
        assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
    }
    // The second completion of two is poisoned: the first stands, the rest has failed.
    let mut t = asked(4);
    t.complete(7, 32, &bytes(&four()[..2]));
    t.complete_as(VF, 7, status::SC, 16, &bytes(&four()[2..]), true);
    assert_eq!(read(&mut t, 0), Ok(()));
    t.complete(16, 0x1000, &vec![0; 0x1000]);
    assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
    // The first is: the request has failed, and its tag is held until the second has come.
    let mut t = asked(4);
    let again = Request::translate(page_address(0), 4, true, 7);
    t.complete_as(VF, 7, status::SC, 32, &bytes(&four()[..2]), true);
    assert!(matches!(t.out(&again), Err(Violation::TagReuse { .. })));
    let mut t = asked(4);
    t.complete_as(VF, 7, status::SC, 32, &bytes(&four()[..2]), true);
    t.complete(7, 16, &bytes(&four()[2..]));
    assert!(read(&mut t, 2).is_err(), "nothing it has brought counts");
    let mut t = asked(4);
    t.complete_as(VF, 7, status::SC, 32, &bytes(&four()[..2]), true);
    t.complete(7, 16, &bytes(&four()[2..]));
    assert_eq!(t.done(1, Syndrome::TRANSLATION_FAILED), Ok(()));
}

#[test]
fn an_invalidation_takes_its_part_of_a_late_answer() {
    let none = PasidPrefix::default();
    let mut t = asked(4);
    let range = InvalidateRange { global: false, iova: Iova(page_address(0) + 0x1000), size: Some(PageSize::K4) };
    t.invalidate(3, range, none);
    assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
    t.complete(7, 32, &bytes(&four()));
    assert_eq!(read(&mut t, 0), Ok(()));
    assert!(matches!(read(&mut t, 1), Err(Violation::Stale { .. })));
    let mut t = asked(4);
    t.complete(7, 32, &bytes(&four()));
    t.invalidate(3, InvalidateRange { size: Some(PageSize::K64), iova: Iova(page_address(0)), global: false }, none);
    assert_eq!(t.invalidated(1 << 3, 1), Ok(()));
    assert!(matches!(read(&mut t, 0), Err(Violation::Stale { .. })));
}
