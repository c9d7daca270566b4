//! Coherent regions at the pins of the unit: entries of the table that an ATS invalidation alone takes out of use.

use crate::bench::{Bench, MPT, MTT, SHIFT, function, request};
use crate::invalidate::waits_for_a_read;
use crate::requests::region;
use types::ats::InvalidateRange;
use types::port::FunctionCfg;
use types::tlp::{Body, Tlp};
use types::{AddressType, Iova, Mode, MttEntry, Op, Owner, PageSize, Region, TableWord, TlpAddr, UnitCfg};

/// Counter of the function, and of range 0 and 1.
pub(crate) const OF_FUNCTION: u16 = 0;
pub(crate) const RANGE: u16 = 1;

fn iova(n: u64) -> u64 {
    0x4000_0000 + (n << 12)
}

pub(crate) fn page(n: u64) -> InvalidateRange {
    InvalidateRange { global: false, iova: Iova(iova(n)), size: Some(PageSize::K4) }
}

/// Writes the entry of a page into memory.
fn fill(b: &mut Bench, n: u64, entry: MttEntry) {
    b.memory.insert(MTT + 8 * n, entry.encode().0);
}

/// A GPU entry with the bus address that the agent gives now.
fn gpu(b: &Bench, n: u64, generation: u8) -> MttEntry {
    let address = TlpAddr(iova(n) + b.shift);
    MttEntry { address, present: true, owner: Owner::Gpu, write: true, read: true, generation }
}

/// Starts a counter over pages `first` to `first + pages` of the region.
fn start(b: &mut Bench, counter: u16, first: u64, pages: u64) {
    let at = iova(first);
    for (at, value) in
        [(0x68, 0), (0x6c, 0), (0x90, at as u32), (0x94, (at >> 32) as u32), (0x98, pages as u32), (0x7c, 1 << 31)]
    {
        b.write_register(at, value | if at == 0x7c { u32::from(counter) } else { 0 });
    }
}

/// The bench's region as a coherent one under `counter`; its 64 entries are of `generation`.
fn coherent(config: &str, counter: u16, generation: u8) -> Bench {
    coherent_with(UnitCfg { coherent_ranges: 2, ..UnitCfg::named(config).unwrap() }, counter, generation)
}

pub(crate) fn coherent_with(cfg: UnitCfg, counter: u16, generation: u8) -> Bench {
    let mut b = Bench::with(cfg, Mode::Emtt);
    let region = Region { coherent: true, counter, iova: Iova(iova(0)), ..region() };
    for (n, word) in region.encode().0.into_iter().enumerate() {
        b.memory.insert(MPT + 3 * 64 + 8 * n as u64, word);
    }
    (0..64).for_each(|n| {
        let entry = gpu(&b, n, generation);
        fill(&mut b, n, entry);
    });
    start(&mut b, counter, 0, 64);
    b
}

fn seen(b: &Bench) -> Vec<(AddressType, u64)> {
    let place = |(_, tlp): &(u64, Tlp)| {
        let Body::Memory { at, address, .. } = tlp.body else { panic!("{tlp:?}") };
        (at, address.0)
    };
    b.tlps.iter().map(place).collect()
}

/// Cycles in which Invalidate Completions left.
fn completed(b: &Bench) -> Vec<u64> {
    b.messages.iter().map(|(at, _)| *at).collect()
}

/// Asks for the translation of page `n` as the driver does; the status and the entry.
fn translate(b: &mut Bench, n: u64, command: u32) -> (u32, u64) {
    ask(b, n, command);
    answer(b)
}

fn ask(b: &mut Bench, n: u64, command: u32) {
    let at = iova(n);
    for (at, value) in [(0x90, at as u32), (0x94, (at >> 32) as u32), (0x7c, 1 << 30 | command)] {
        b.write_register(at, value);
    }
}

fn answer(b: &mut Bench) -> (u32, u64) {
    let mut status = b.read_register(0x80);
    while status & 1 == 1 {
        status = b.read_register(0x80);
    }
    (status, u64::from(b.read_register(0x84)) | u64::from(b.read_register(0x88)) << 32)
}

#[test]
fn a_fresh_entry_leaves_translated_at_once_and_in_the_same_time_as_a_plain_one() {
    for config in ["small", "medium", "large"] {
        for counter in [OF_FUNCTION, RANGE] {
            let mut b = coherent(config, counter, 1);
            b.warm(1);
            let taken = b.send(request(1, 0, Op::READ, 0x40, 64));
            b.idle(60);
            // The budget of emtt: 4 + 2 + 4 + 3 + 2 + 2.
            assert_eq!(b.tlps[0].0 - taken, 17, "{config} {counter}");
            assert_eq!(seen(&b), [(AddressType::TRANSLATED, SHIFT + iova(0) + 0x40)]);
            assert_eq!(b.script.asked.len(), 0);
        }
    }
}

#[test]
fn a_stale_entry_asks_by_ats_and_then_costs_what_ats_costs() {
    // Never filled, and of another generation than the counter's.
    for generation in [0, 2] {
        let mut b = coherent("small", RANGE, generation);
        let before = b.read_register(0x8c);
        b.warm(1);
        let taken = b.send(request(1, 0, Op::READ, 0x40, 64));
        b.idle(60);
        // The budget of ats on a hit: five more than without a lookup.
        assert_eq!(b.tlps[0].0 - taken, 22);
        assert_eq!(seen(&b), [(AddressType::TRANSLATED, SHIFT + iova(0) + 0x40)]);
        assert_eq!(b.script.asked(), [(iova(0), true)]);
        // The driver is told which region: MPT index 3.
        assert_eq!((before, b.read_register(0x8c)), (0, 1 << 31 | 3));
        b.write_register(0x8c, 0);
        assert_eq!(b.read_register(0x8c), 0);
    }
}

#[test]
fn an_invalidation_alone_takes_the_range_out_of_use() {
    for (counter, others_stay) in [(RANGE, true), (OF_FUNCTION, false)] {
        let mut b = coherent("small", counter, 1);
        b.warm(2);
        let old = b.shift;
        b.shift = 2 * SHIFT;
        // Beside the range: page 64 is of another region.
        b.invalidate(1, page(64));
        b.idle(60);
        b.send(request(1, 0, Op::READ, 0, 64));
        b.idle(400);
        let expected = if others_stay { old } else { 2 * SHIFT };
        assert_eq!(seen(&b), [(AddressType::TRANSLATED, expected + iova(0))]);
        // Within it: every entry of the range is stale, that of the page and those of others.
        b.invalidate(2, page(0));
        b.idle(60);
        assert_eq!(completed(&b).len(), 2);
        b.tlps.clear();
        b.send(request(2, 0, Op::READ, 0, 64));
        b.send(request(3, 0, Op::WRITE, 1 << 12, 64));
        b.idle(600);
        let new = |n| (AddressType::TRANSLATED, 2 * SHIFT + iova(n));
        assert_eq!(seen(&b), [new(0), new(1)]);
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0, 0, 0]);
    }
}

#[test]
fn no_access_leaves_by_an_old_entry_behind_the_completion_whenever_it_comes() {
    for op in [Op::READ, Op::WRITE] {
        for after in 0..90 {
            let mut b = coherent("small", RANGE, 1);
            b.warm(1);
            b.send(request(1, 0, op, 0, 4096));
            b.idle(after);
            b.shift = 2 * SHIFT;
            b.invalidate(3, page(0));
            b.send(request(2, 1, op, 64, 64));
            b.idle(1500);
            let done = completed(&b)[0];
            for (at, tlp) in &b.tlps {
                let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
                let old = address.0 & SHIFT != 0;
                assert!(!old || *at < done, "{op:?} after {after}: {tlp:?} at {at}, completion at {done}");
            }
            assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0, 0], "{op:?} after {after}");
        }
    }
}

#[test]
fn the_completion_waits_for_reads_that_used_an_entry() {
    let mut b = coherent("small", RANGE, 1);
    waits_for_a_read(&mut b, page(0));
    assert_eq!(completed(&b).len(), 1);
}

#[test]
fn a_write_that_waits_for_its_data_is_judged_again_and_holds_nothing_up() {
    let mut b = coherent("small", RANGE, 1);
    b.warm(1);
    b.hold_data = true;
    b.send(request(1, 0, Op::WRITE, 0, 700));
    b.idle(60);
    b.shift = 2 * SHIFT;
    b.invalidate(3, page(0));
    b.idle(60);
    assert_eq!((completed(&b).len(), b.tlps.len()), (1, 0));
    b.hold_data = false;
    b.idle(600);
    // 700 bytes at MPS 256.
    let at = |n: u64| (AddressType::TRANSLATED, 2 * SHIFT + iova(0) + 256 * n);
    assert_eq!(seen(&b), [at(0), at(1), at(2)]);
}

#[test]
fn an_invalidation_does_not_wait_for_a_table_read() {
    let mut b = coherent("small", RANGE, 1);
    b.warm(1);
    // Page 8 is in another line: its fetch takes 2000 cycles.
    b.delay = 2000;
    b.send(request(1, 0, Op::READ, 8 << 12, 64));
    b.idle(60);
    let accepted = b.cycle;
    b.invalidate(1, page(8));
    b.idle(100);
    // Sweep of one set and two large entries, drain, message: no more than without a fetch in flight.
    assert!(completed(&b)[0] - accepted < 40, "{:?}", completed(&b));
    b.shift = 2 * SHIFT;
    b.idle(6000);
    // The line came with the old entry, which is stale.
    assert_eq!(seen(&b), [(AddressType::TRANSLATED, 2 * SHIFT + iova(8))]);
}

#[test]
fn permission_that_an_entry_lacks_is_asked_for_again() {
    let mut b = coherent("small", RANGE, 1);
    let entry = MttEntry { write: false, ..gpu(&b, 1, 1) };
    fill(&mut b, 1, entry);
    b.send(request(1, 0, Op::WRITE, 1 << 12, 64));
    b.idle(1500);
    // With NW = 0.
    assert_eq!(b.script.asked(), [(iova(1), false)]);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0]);
    // In another line, which is not cached yet.
    b.deny_writes = Some(iova(9));
    let entry = MttEntry { write: false, ..gpu(&b, 9, 1) };
    fill(&mut b, 9, entry);
    b.send(request(2, 0, Op::WRITE, 9 << 12, 64));
    b.idle(1500);
    // 9: the agent gave no access.
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0, 9]);
    assert_eq!(b.read_register(0x8c), 0, "nothing was stale");
}

#[test]
fn the_driver_gets_entries_ready_for_the_table() {
    let mut b = coherent("small", RANGE, 0);
    b.script.agent = Some(|address, entry| match address {
        0x4000_1000 => types::ats::TranslationEntry { untranslated: true, ..entry },
        0x4000_2000 => types::ats::TranslationEntry { write: false, ..entry },
        0x4000_3000 => types::ats::TranslationEntry { read: false, write: false, ..entry },
        _ => entry,
    });
    let decode = |word| MttEntry::decode(TableWord(word));
    let (status, word) = translate(&mut b, 0, RANGE.into());
    assert_eq!((status, decode(word)), (12 << 8, gpu(&b, 0, 1)));
    // U: host-owned, with the I/O virtual address.
    let (_, word) = translate(&mut b, 1, RANGE.into());
    let host = MttEntry { address: TlpAddr(iova(1)), owner: Owner::Host, generation: 0, ..gpu(&b, 1, 1) };
    assert_eq!(decode(word), host);
    // NW asks for reading alone.
    let (_, word) = translate(&mut b, 2, u32::from(RANGE) | 1 << 29);
    assert_eq!(decode(word), MttEntry { write: false, ..gpu(&b, 2, 1) });
    // Without access, without a translation: never fresh.
    let (status, word) = translate(&mut b, 3, RANGE.into());
    assert_eq!((status & 2, decode(word).generation), (0, 0));
    assert_eq!(b.script.asked(), [(iova(0), false), (iova(1), false), (iova(2), true), (iova(3), false)]);
    b.configure(FunctionCfg { ats_enable: false, ..function() });
    let (status, word) = translate(&mut b, 4, RANGE.into());
    assert_eq!((status & 2, decode(word).generation, b.script.asked.len()), (2, 0, 4));
}

#[test]
fn a_large_answer_gives_the_page_that_was_asked_for() {
    let mut b = coherent("small", RANGE, 0);
    b.size = PageSize::M2;
    let (status, word) = translate(&mut b, 5, RANGE.into());
    assert_eq!(status, 21 << 8);
    assert_eq!(MttEntry::decode(TableWord(word)), gpu(&b, 5, 1));
}

#[test]
fn an_invalidation_that_passes_the_drivers_request_makes_its_entry_stale() {
    let mut b = coherent("small", RANGE, 0);
    b.delay = 500;
    ask(&mut b, 0, RANGE.into());
    b.idle(60);
    // The answer with the old address is on its way.
    let (old, _) = (b.shift, b.invalidate(1, page(0)));
    b.idle(100);
    assert_eq!(completed(&b).len(), 1, "the invalidation does not wait for the driver's request");
    let (_, word) = answer(&mut b);
    let entry = MttEntry::decode(TableWord(word));
    assert_eq!((entry.address.0, entry.generation), (old + iova(0), 1));
    fill(&mut b, 0, entry);
    b.shift = 2 * SHIFT;
    b.delay = 100;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(1500);
    assert_eq!(seen(&b), [(AddressType::TRANSLATED, 2 * SHIFT + iova(0))]);
    // Asked for again, it is fresh.
    let (_, word) = translate(&mut b, 0, RANGE.into());
    assert_eq!(MttEntry::decode(TableWord(word)), gpu(&b, 0, 2));
}

#[test]
fn a_counter_that_has_named_every_generation_makes_nothing_fresh_until_it_is_started_anew() {
    let mut b = coherent("small", RANGE, 1);
    b.warm(1);
    for n in 0..255 {
        b.invalidate(n % 32, page(0));
        b.idle(60);
    }
    assert_eq!(completed(&b).len(), 255);
    for generation in [0, 1, 254, 255] {
        // Pages 8, 16, ...: in lines of their own.
        let n = 8 * (1 + u64::from(generation % 7));
        let entry = gpu(&b, n, generation);
        fill(&mut b, n, entry);
        b.send(request(1, 0, Op::READ, n << 12, 64));
        b.idle(1500);
    }
    // All four have asked.
    assert_eq!((b.script.asked.len(), b.tlps.len()), (4, 4));
    start(&mut b, RANGE, 0, 64);
    let entry = gpu(&b, 56, 1);
    fill(&mut b, 56, entry);
    b.send(request(1, 0, Op::READ, 56 << 12, 64));
    b.idle(1500);
    assert_eq!((b.script.asked.len(), b.tlps.len()), (4, 5));
}

#[test]
fn enable_0_to_1_and_a_function_level_reset_make_every_entry_of_the_function_stale() {
    for off in [FunctionCfg { ats_enable: false, ..function() }, FunctionCfg { reset: true, ..function() }] {
        let mut b = coherent("small", RANGE, 1);
        b.warm(1);
        b.configure(off);
        b.idle(60);
        b.configure(function());
        b.idle(60);
        b.shift = 2 * SHIFT;
        b.send(request(1, 0, Op::READ, 0, 64));
        b.idle(600);
        assert_eq!(seen(&b), [(AddressType::TRANSLATED, 2 * SHIFT + iova(0))]);
    }
}

#[test]
fn the_driver_is_served_while_every_request_is_wanted_by_misses() {
    let mut b = coherent("tiny", RANGE, 0);
    b.delay = 300;
    // Never filled: every read misses, for tiny's ATC holds fewer pages. Its two requests are always wanted.
    for n in 0..64 {
        b.send(request(n, n % 2, Op::READ, u64::from(n) << 12, 64));
        if n == 20 {
            let before = b.cycle;
            ask(&mut b, 5, RANGE.into());
            let (_, word) = answer(&mut b);
            assert_eq!(MttEntry::decode(TableWord(word)), gpu(&b, 5, 1));
            // A request under way ends, its own comes back, and the registers.
            assert!(b.cycle - before < 900, "{}", b.cycle - before);
        }
    }
    b.idle(20_000);
    assert_eq!(b.done.iter().filter(|d| d.2 == 0).count(), 64);
}

#[test]
fn a_segment_does_not_cross_what_one_translation_may_be() {
    // Pages of 64 KiB in the table; the agent's are of 4 KiB, scattered: every other one lies elsewhere.
    let mut b = coherent("small", RANGE, 0);
    b.script.agent = Some(|address, entry| {
        let scattered = TlpAddr(entry.address.0 | (address >> 12 & 1) << 45);
        types::ats::TranslationEntry { address: scattered, ..entry }
    });
    let line = b.memory[&(MPT + 3 * 64)] & !(0x3f << 48) | 16 << 48;
    b.memory.insert(MPT + 3 * 64, line);
    b.send(request(1, 0, Op::READ, 0xf80, 256));
    b.idle(1500);
    let at = |n: u64, offset| (AddressType::TRANSLATED, (SHIFT + iova(n) + offset) | n << 45);
    assert_eq!(seen(&b), [at(0, 0xf80), at(1, 0)]);
}

#[test]
fn an_entry_filled_after_enable_0_to_1_counts_though_the_atc_is_not_flushed_yet() {
    let mut b = coherent("small", RANGE, 0);
    b.warm(1);
    // An invalidation that waits for a read stands before the flush.
    b.hold_completions = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(60);
    b.invalidate(0, page(63));
    b.idle(60);
    b.configure(FunctionCfg { ats_enable: false, ..function() });
    b.configure(function());
    let (_, word) = translate(&mut b, 8, RANGE.into());
    fill(&mut b, 8, MttEntry::decode(TableWord(word)));
    assert_eq!(completed(&b).len(), 0);
    b.let_completions_go();
    b.idle(600);
    let asked = b.script.asked.len();
    b.send(request(2, 0, Op::READ, 8 << 12, 64));
    b.idle(1500);
    assert_eq!((b.script.asked.len(), seen(&b)[1]), (asked, (AddressType::TRANSLATED, SHIFT + iova(8))));
}
