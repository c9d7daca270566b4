//! Layouts of the MTT: lines that describe no region, and which lost or empty table line may end which request.

use crate::trace::{KEY, PF, Request, TABLES, Trace, entry, page_address, region, request};
use golden::Violation;
use types::tlp::status;
use types::{ByteCount, Event, Iova, Key, Mode, MttLayout, Op, Owner, PageIndex, Region, Syndrome};

/// The usual region, with a directory instead of entries at its place.
fn two_level() -> Region {
    Region { layout: MttLayout::TwoLevel, ..region(Mode::Direct) }
}

fn mapped(region: &Region) -> Trace {
    let mut t = Trace::bare();
    t.ok(Event::Mapped { key: Key::new(KEY.index(), region.variant), region });
    t
}

/// The physical function fetches a line and gets these words.
fn fetched(t: &mut Trace, at: u64, words: [u64; 8]) {
    t.sent(&Request::fetch(at, 40));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    t.complete_as(PF, 40, status::SC, 64, &bytes, false);
}

/// The fetch of a line is aborted.
fn lost(t: &mut Trace, at: u64) {
    t.sent(&Request::fetch(at, 41));
    t.complete_as(PF, 41, status::CA, 4, &[], false);
}

fn refused(t: &mut Trace, syndrome: Syndrome) -> bool {
    matches!(t.done(1, syndrome), Err(Violation::Syndrome { .. }))
}

#[test]
fn a_line_that_describes_no_region_is_an_invalid_key() {
    let inline = Region { layout: MttLayout::Inline, ..region(Mode::Direct) };
    let reserved = Region { layout: MttLayout::Reserved, ..inline };
    // One byte more than four pages.
    let long = Region { length: ByteCount(0x4001), ..inline };
    for (region, expected) in [(inline, None), (reserved, Some(())), (long, Some(()))] {
        let mut t = mapped(&region);
        for page in 0..4 {
            t.page(page, entry(page_address(page), Owner::Host));
        }
        t.write(1, 8, 4);
        let bad = t.done(1, Syndrome::INVALID_KEY).is_ok();
        assert_eq!(bad.then_some(()), expected, "{region:?}");
    }
}

#[test]
fn entries_in_the_mpt_line_wait_for_no_driver() {
    for (layout, fails) in [(MttLayout::Inline, true), (MttLayout::OneLevel, false)] {
        let mut t = mapped(&Region { layout, ..region(Mode::Direct) });
        t.ok(Event::PageEvents(true));
        t.page(0, types::MttEntry::default());
        let mut wr = request(Op::READ, 1, 0, 4);
        wr.on_fault = false;
        t.accept(wr);
        assert_eq!(t.done(1, Syndrome::NOT_PRESENT).is_ok(), fails, "{layout:?}");
    }
}

#[test]
fn a_lost_directory_or_leaf_concerns_those_whose_pages_it_leads_to() {
    let directory = TABLES + 0x1000;
    let leaf = TABLES + 0x8000;
    // Lines: the directory, the leaf of pages 0 to 7, another of its lines, a line of another leaf.
    for (at, concerns) in [(directory, true), (leaf, true), (leaf + 64, false), (directory + 64, false)] {
        // What lies in no region's MTT may hold an MPT entry; a second region takes the rest of the window.
        let mut t = mapped(&two_level());
        let rest = Region { mtt: Iova(TABLES), length: ByteCount(0x10_0000 << 9), variant: 9, ..region(Mode::Direct) };
        t.ok(Event::Mapped { key: Key::new(2, 9), region: &rest });
        fetched(&mut t, directory, [leaf | 8, 0, 0, 0, 0, 0, 0, 0]);
        for page in 0..4 {
            t.page(page, entry(page_address(page), Owner::Host));
        }
        t.write(1, 0x2000, 4);
        lost(&mut t, at);
        assert_eq!(t.done(1, Syndrome::TABLE_FETCH).is_ok(), concerns, "{at:#x}");
    }
}

#[test]
fn a_word_of_the_directory_that_is_not_present_ends_those_behind_it() {
    let directory = TABLES + 0x1000;
    for (words, at, allowed) in [
        // The word of the first 512 pages is not present.
        ([TABLES | 7, 8, 8, 8, 8, 8, 8, 8], directory, true),
        // That of the next ones.
        ([TABLES | 8, 0, 8, 8, 8, 8, 8, 8], directory, false),
        // Entry 2 of the leaf, once the directory has said where that is.
        ([8, 8, 0, 8, 8, 8, 8, 8], TABLES + 0x8000, true),
        ([8, 8, 8, 0, 8, 8, 8, 8], TABLES + 0x8000, false),
    ] {
        let mut t = mapped(&two_level());
        for page in 0..4 {
            t.ok(Event::PageMapped { key: KEY, page: PageIndex(page), entry: entry(page_address(page), Owner::Host) });
        }
        if at != directory {
            fetched(&mut t, directory, [(TABLES + 0x8000) | 8, 0, 0, 0, 0, 0, 0, 0]);
        }
        t.write(1, 0x2000, 4);
        fetched(&mut t, at, words);
        assert_eq!(!refused(&mut t, Syndrome::NOT_PRESENT), allowed, "{words:x?} at {at:#x}");
    }
}
