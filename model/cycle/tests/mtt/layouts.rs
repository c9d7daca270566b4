//! Inline entries and tables of two levels at the pins of `mtt`. Expected addresses come from the words in memory.

use super::{Bench, host, line, segment};
use proptest::prelude::*;
use std::collections::BTreeMap;
use types::port::{LineFill, MttIn, RevokeLines, Segment};
use types::{Iova, Line, MttEntry, MttLayout, Op, Slot, Syndrome, TableWord, TlpAddr};

/// A directory at 0x9000 whose first word points at the page 0x5_0000 of entries, the second at 0x8_0000.
const DIRECTORY: u64 = 0x9000;
const LEAVES: [u64; 2] = [0x5_0000, 0x8_0000];

fn directory() -> Line {
    let mut words = [0; 8];
    // Present is bit 3; the other low bits are ignored.
    (words[0], words[1]) = (LEAVES[0] | 8, LEAVES[1] | 0xfff);
    Line(words)
}

/// A segment for the entry `page` of a region with that directory.
fn walk(slot: u16, page: u64) -> Segment {
    let entry = Iova(DIRECTORY + 8 * (page / 512));
    Segment { layout: MttLayout::TwoLevel, leaf: (page % 512) as u16, ..segment(slot, entry) }
}

fn inline(slot: u16, entry: MttEntry) -> Segment {
    Segment { layout: MttLayout::Inline, ..segment(slot, Iova(entry.encode().0)) }
}

fn answer(b: &mut Bench, n: usize, line: Line) {
    b.idle(20);
    assert_eq!(b.fetches.len(), n + 1, "{:x?}", b.fetches);
    b.fill(b.fetches[n].0, true, line);
}

#[test]
fn an_entry_that_came_along_leaves_after_four_cycles_and_nothing_is_fetched() {
    let mut b = Bench::new();
    let taken = b.send(inline(3, host()));
    let mut read = inline(4, MttEntry { read: false, ..host() });
    read.tag.op = Op::READ;
    b.send(read);
    b.send(inline(5, MttEntry { present: false, ..host() }));
    b.idle(20);
    let seen: Vec<_> = b.mapped.iter().map(|(at, m)| (at - taken, m.tag.slot.0, m.tag.syndrome)).collect();
    assert_eq!(seen, [(4, 3, Syndrome::OK), (5, 4, Syndrome::PAGE_RIGHTS), (6, 5, Syndrome::NOT_PRESENT)]);
    assert_eq!(b.mapped[0].1.address, TlpAddr(0x5_0123));
    assert_eq!((b.fetches.len(), b.inline, b.walks), (0, 3, 0));
}

#[test]
fn an_inline_entry_waits_for_no_driver_event() {
    let mut b = Bench::new();
    b.step(MttIn { page_events: true, segment: inline(0, MttEntry::default()), ..MttIn::default() });
    (0..20).for_each(|_| b.step(MttIn { page_events: true, ..MttIn::default() }));
    assert_eq!(b.mapped.iter().map(|(_, m)| m.tag.syndrome).collect::<Vec<_>>(), [Syndrome::NOT_PRESENT]);
}

#[test]
fn a_walk_reads_the_directory_then_the_leaf_and_takes_four_cycles_more_on_hits() {
    let mut b = Bench::new();
    b.send(walk(1, 512 + 9));
    answer(&mut b, 0, directory());
    answer(&mut b, 1, line(host()));
    b.idle(20);
    // Entry 521 is number 9 of the second leaf: its line is the second one, and it is the second of that line.
    assert_eq!(b.fetches.iter().map(|f| f.1.0).collect::<Vec<_>>(), [DIRECTORY, LEAVES[1] + 64]);
    assert_eq!(b.mapped.iter().map(|(_, m)| m.address).collect::<Vec<_>>(), [TlpAddr(0x5_1123)]);
    b.mapped.clear();
    let taken = b.send(walk(2, 512 + 15));
    b.idle(20);
    let [(at, mapped)] = b.mapped[..] else { panic!("{:?}", b.mapped) };
    assert_eq!((at, mapped.address), (taken + 8, TlpAddr(0x5_7123)));
    assert_eq!((b.fetches.len(), b.walks), (2, 2));
}

#[test]
fn walks_share_fetches_line_by_line_and_several_are_in_flight() {
    let mut b = Bench::new();
    // One directory line for all; entries 0 and 1 in one line of the first leaf, 700 in the second leaf.
    for (slot, page) in [(1, 0), (2, 1), (3, 700)] {
        b.send(walk(slot, page));
    }
    answer(&mut b, 0, directory());
    b.idle(20);
    let places: Vec<_> = b.fetches.iter().map(|f| f.1.0).collect();
    // 700 - 512 = 188: line 23 of the leaf.
    assert_eq!((places, b.merges), (vec![DIRECTORY, LEAVES[0], LEAVES[1] + 23 * 64], 3));
    // The later leaf answers first, and its segment leaves first.
    b.fill(b.fetches[2].0, true, line(host()));
    b.idle(20);
    b.fill(b.fetches[1].0, true, line(host()));
    b.idle(20);
    assert_eq!(b.mapped.iter().map(|(_, m)| m.tag.slot.0).collect::<Vec<_>>(), [3, 1, 2]);
}

#[test]
fn a_word_that_is_not_present_or_a_line_that_is_lost_ends_the_walk_and_leads_nowhere() {
    // What the fetch of the directory brings: a line that is not present, or nothing.
    let absent = (true, Line([LEAVES[0] | 7; 8]), Syndrome::NOT_PRESENT);
    for (ok, line, syndrome) in [absent, (false, Line::default(), Syndrome::TABLE_FETCH)] {
        let mut b = Bench::new();
        b.send(walk(1, 3));
        b.idle(20);
        b.fill(b.fetches[0].0, ok, line);
        b.idle(30);
        assert_eq!(b.mapped.iter().map(|(_, m)| m.tag.syndrome).collect::<Vec<_>>(), [syndrome]);
        assert_eq!((b.fetches.len(), b.walks), (1, 0));
    }
    // A leaf that is lost is not kept: the next walk asks for it again, and for it alone.
    let mut b = Bench::new();
    b.send(walk(1, 3));
    answer(&mut b, 0, directory());
    b.idle(20);
    b.fill(b.fetches[1].0, false, Line::default());
    b.idle(20);
    b.send(walk(2, 3));
    b.idle(20);
    assert_eq!(b.mapped[0].1.tag.syndrome, Syndrome::TABLE_FETCH);
    assert_eq!(b.fetches.iter().map(|f| f.1.0).collect::<Vec<_>>(), [DIRECTORY, LEAVES[0], LEAVES[0]]);
}

#[test]
fn a_revocation_drops_directory_and_leaf_in_flight_too() {
    let revoke =
        RevokeLines { valid: true, index: 0, first: DIRECTORY >> 6, count: ((LEAVES[1] - DIRECTORY) >> 6) as u32 };
    let mut b = Bench::new();
    b.send(walk(1, 3));
    answer(&mut b, 0, directory());
    answer(&mut b, 1, line(host()));
    b.idle(20);
    b.step(MttIn { revoke, fetch_ready: true, ..MttIn::default() });
    b.idle(100);
    b.send(walk(2, 3));
    answer(&mut b, 2, directory());
    b.idle(20);
    // The leaf is on its way when the next revocation comes: what it brings is not kept.
    b.step(MttIn { revoke, fetch_ready: true, ..MttIn::default() });
    b.fill(b.fetches[3].0, true, line(MttEntry { address: TlpAddr(0xbad_0000), ..host() }));
    // Reads of the range miss until it has been swept.
    b.idle(100);
    answer(&mut b, 4, line(host()));
    b.idle(20);
    let places: Vec<_> = b.fetches.iter().map(|f| f.1.0).collect();
    assert_eq!(places, [DIRECTORY, LEAVES[0], DIRECTORY, LEAVES[0], LEAVES[0]]);
    assert!(b.mapped.iter().all(|(_, m)| m.address == TlpAddr(0x5_3123)), "{:x?}", b.mapped);
}

#[test]
fn a_parity_error_in_a_directory_is_a_miss_of_its_line() {
    let mut b = Bench::new();
    b.send(walk(1, 3));
    b.idle(20);
    b.fill_badly(b.fetches[0].0, Line([0xbad_0008; 8]));
    answer(&mut b, 1, directory());
    answer(&mut b, 2, line(host()));
    b.idle(20);
    assert_eq!((b.fetches[1].1.0, b.parity, b.mapped[0].1.address), (DIRECTORY, 1, TlpAddr(0x5_3123)));
}

/// What is drawn for a segment: layout, page, cycles before the next.
type Draw = (u8, u64, u32);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Segments of every layout in any mixture, answers in any order: each leaves once, with what the words in memory say.
    #[test]
    fn every_segment_leaves_with_the_entry_of_its_page(
        draws in prop::collection::vec((0u8..3, 0u64..1024, 0u32..6), 1..24),
        order in prop::collection::vec(any::<prop::sample::Index>(), 64),
        gap in 0u32..12,
    ) {
        // Leaf entries that are not present, and a second directory with a word that is not.
        let mut memory: BTreeMap<u64, u64> = BTreeMap::new();
        for (leaf, at) in LEAVES.iter().enumerate() {
            memory.insert(DIRECTORY + 8 * leaf as u64, at | 8);
            for n in 0..512 {
                let page = 512 * leaf as u64 + n;
                let entry = MttEntry { address: TlpAddr(0x1000_0000 + 4096 * page), present: page % 13 != 5, ..host() };
                memory.insert(at + 8 * n, entry.encode().0);
            }
        }
        let word = |at: u64| memory.get(&at).copied().unwrap_or(0);
        // One level: the entries of the first leaf are a table of their own.
        let one_level = |page: u64| LEAVES[0] + 8 * (page % 512);
        let mut b = Bench::new();
        let mut expected: BTreeMap<u16, (TlpAddr, Syndrome)> = BTreeMap::new();
        let mut answered = 0;
        let mut pending: Vec<(u8, u64)> = Vec::new();
        let mut order = order.into_iter().cycle();
        let serve = |b: &mut Bench, pending: &mut Vec<(u8, u64)>, answered: &mut usize, pick: prop::sample::Index| {
            pending.extend(b.fetches[*answered..].iter().map(|(i, at)| (*i, at.0)));
            *answered = b.fetches.len();
            if pending.is_empty() {
                return;
            }
            let (index, at) = pending.swap_remove(pick.index(pending.len()));
            let line = Line(std::array::from_fn(|i| word(at + 8 * i as u64)));
            b.step(MttIn { fill: LineFill { valid: true, index, ok: true, line }, fetch_ready: true, ..MttIn::default() });
        };
        for (slot, (layout, page, pause)) in (0u16..).zip(draws.iter().copied().map(|d: Draw| d)) {
            let leaf = LEAVES[(page / 512) as usize];
            let (segment, at) = match layout {
                0 => (segment(slot, Iova(one_level(page))), one_level(page)),
                1 => {
                    let entry = MttEntry::decode(TableWord(word(one_level(page))));
                    (inline(slot, entry), one_level(page))
                }
                _ => (walk(slot, page), leaf + 8 * (page % 512)),
            };
            let entry = MttEntry::decode(TableWord(word(at)));
            let outcome = if entry.present {
                (TlpAddr(entry.address.0 | 0x123), Syndrome::OK)
            } else {
                (TlpAddr(0), Syndrome::NOT_PRESENT)
            };
            expected.insert(slot, outcome);
            b.send(segment);
            b.idle(pause);
            if pause == 0 {
                serve(&mut b, &mut pending, &mut answered, order.next().unwrap());
            }
        }
        for _ in 0..200 {
            b.idle(gap + 1);
            serve(&mut b, &mut pending, &mut answered, order.next().unwrap());
        }
        let seen: BTreeMap<u16, _> =
            b.mapped.iter().map(|(_, m)| (m.tag.slot.0, (m.address, m.tag.syndrome))).collect();
        prop_assert_eq!(b.mapped.len(), draws.len(), "each leaves once");
        prop_assert_eq!(seen, expected);
        prop_assert_eq!(b.mapped.iter().filter(|(_, m)| m.tag.slot == Slot(0)).count(), 1);
    }
}
