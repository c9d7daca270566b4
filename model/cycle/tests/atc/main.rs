//! `atc`: one behaviour a test. Times come from the block's contract: lookup 4 cycles, fill visible 5 cycles after it is
//! taken, an invalidation's range pending from the edge that takes it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod edges;

use cycle::atc::Atc;
use types::port::{AtcFill, AtcIn, AtcInvalidate, AtcKey, AtcLookup, AtcOut};
use types::{Block, FunctionId, Iova, Pasid, PasidPrefix, Replacement, Slot, TlpAddr, UnitCfg};

struct Bench {
    atc: Atc,
    out: AtcOut,
    cycle: u64,
}

const K4: u64 = 4096;
const M2: u64 = 2 << 20;

impl Bench {
    fn new(cfg: &UnitCfg) -> Self {
        let mut bench = Self { atc: Atc::new(cfg), out: AtcOut::default(), cycle: 0 };
        for _ in 0..4 {
            bench.step(&AtcIn { reset: true, ..AtcIn::default() });
        }
        let mut clearing = 0;
        while !bench.out.fill_ready {
            bench.step(&AtcIn::default());
            clearing += 1;
        }
        // One set a cycle, or one function where there are more; two for the last to reach the RAM.
        assert_eq!(clearing, u64::from(cfg.atc_sets.max(cfg.functions)) + 2);
        bench
    }

    fn small() -> Self {
        Self::new(&UnitCfg::named("small").unwrap())
    }

    /// Takes one edge; `self.out` is what is visible after it.
    fn step(&mut self, inp: &AtcIn) {
        self.atc.step(inp);
        self.atc.outputs(&mut self.out);
        self.cycle += 1;
    }

    fn lookup(&mut self, key: AtcKey, read: bool, write: bool) -> AtcOut {
        let lookup = AtcLookup { valid: true, slot: Slot(3), key, read, write };
        self.step(&AtcIn { lookup, ..AtcIn::default() });
        for _ in 0..3 {
            assert!(!self.out.result.valid);
            self.step(&AtcIn::default());
        }
        let result = self.out.result;
        assert!(result.valid && result.slot == Slot(3));
        // Its statistics follow one cycle later.
        self.step(&AtcIn::default());
        AtcOut { result, ..self.out }
    }

    fn hit(&mut self, key: AtcKey) -> Option<u64> {
        let out = self.lookup(key, true, false);
        out.result.hit.then_some(out.result.address.0)
    }

    fn fill_with(&mut self, fill: AtcFill, inject_parity: bool) -> u64 {
        while !self.out.fill_ready {
            self.step(&AtcIn::default());
        }
        self.step(&AtcIn { fill, inject_parity, ..AtcIn::default() });
        let mut cycles = 1;
        while !self.out.fill_done {
            self.step(&AtcIn::default());
            cycles += 1;
        }
        cycles
    }

    fn fill(&mut self, fill: AtcFill) -> u64 {
        self.fill_with(fill, false)
    }

    fn invalidate(&mut self, invalidate: AtcInvalidate) -> u64 {
        while !self.out.invalidate_ready {
            self.step(&AtcIn::default());
        }
        self.step(&AtcIn { invalidate, ..AtcIn::default() });
        let mut cycles = 1;
        while !self.out.invalidate_done {
            self.step(&AtcIn::default());
            cycles += 1;
        }
        cycles
    }
}

fn key(function: u16, iova: u64) -> AtcKey {
    AtcKey { function: FunctionId(function), pasid: PasidPrefix::default(), iova: Iova(iova) }
}

fn with_pasid(key: AtcKey, pasid: u32) -> AtcKey {
    AtcKey { pasid: PasidPrefix { valid: true, pasid: Pasid(pasid), ..PasidPrefix::default() }, ..key }
}

fn page(key: AtcKey, address: u64) -> AtcFill {
    AtcFill {
        valid: true,
        key,
        address: TlpAddr(address),
        size_log2: 12,
        read: true,
        write: true,
        ..AtcFill::default()
    }
}

fn range(function: u16, iova: u64, size_log2: u8) -> AtcInvalidate {
    AtcInvalidate {
        valid: true,
        function: FunctionId(function),
        iova: Iova(iova),
        size_log2,
        ..AtcInvalidate::default()
    }
}

#[test]
fn first_lookup_after_reset_misses_even_for_key_zero() {
    let mut b = Bench::small();
    assert_eq!(b.hit(key(0, 0)), None);
}

#[test]
fn reset_forgets_what_was_held() {
    let mut b = Bench::small();
    b.fill(page(key(0, 0x5000), 0xa000));
    assert_eq!(b.hit(key(0, 0x5123)), Some(0xa123));
    b.step(&AtcIn { reset: true, ..AtcIn::default() });
    // Also while the RAM is still being cleared.
    assert_eq!(b.hit(key(0, 0x5123)), None);
    while !b.out.fill_ready {
        b.step(&AtcIn::default());
    }
    assert_eq!(b.hit(key(0, 0x5123)), None);
}

#[test]
fn base_fill_is_visible_after_exactly_eight_cycles() {
    let k = key(1, 7 * K4);
    for (early, expected) in [(1, None), (0, Some(0x9000))] {
        let mut b = Bench::small();
        b.step(&AtcIn { fill: page(k, 0x9000), ..AtcIn::default() });
        // Buffer, key, tag RAM, word, compare, judgement, write port, RAM.
        for _ in 0..7 - early {
            assert!(!b.out.fill_done);
            b.step(&AtcIn::default());
        }
        assert_eq!(b.out.fill_done, early == 0);
        assert_eq!(b.hit(k), expected);
    }
}

#[test]
fn one_lookup_a_cycle_beside_a_fill_and_a_sweep_outside_its_range() {
    let mut b = Bench::small();
    for n in 0..8 {
        b.fill(page(key(0, n * K4), 0x10_0000 + n * K4));
    }
    let mut hits = 0;
    for n in 0..200u64 {
        let lookup = AtcLookup { valid: true, slot: Slot(0), key: key(0, n % 8 * K4), read: true, write: false };
        let mut inp = AtcIn { lookup, ..AtcIn::default() };
        if n == 20 {
            inp.fill = page(key(0, 20 * K4), 0x77_0000);
        }
        if n == 60 {
            // Sixteen sets elsewhere.
            inp.invalidate = range(0, 0x100_0000, 16);
        }
        b.step(&inp);
        hits += u32::from(b.out.result.hit);
    }
    for _ in 0..3 {
        b.step(&AtcIn::default());
        hits += u32::from(b.out.result.hit);
    }
    assert_eq!(hits, 200);
}

#[test]
fn range_is_pending_from_the_edge_that_takes_the_invalidation() {
    // The compare stands one edge behind the lookup's edge: a lookup sampled an edge before the invalidation is compared
    // before it is pending (and carries the old epoch), one sampled at the same edge is not.
    let k = key(0, 0x3000);
    for (before, hit) in [(2, true), (1, true), (0, false)] {
        let mut b = Bench::small();
        b.fill(page(k, 0x9000));
        let mut results = Vec::new();
        for n in 0..10 {
            let mut inp = AtcIn::default();
            if n == 2 - before {
                inp.lookup = AtcLookup { valid: true, slot: Slot(0), key: k, read: true, write: false };
            }
            if n == 2 {
                inp.invalidate = range(0, 0x3000, 12);
            }
            b.step(&inp);
            if b.out.result.valid {
                results.push((b.out.result.hit, b.out.result.epoch));
            }
        }
        assert_eq!(results, [(hit, u8::from(!hit))], "{before} edges before");
    }
}

#[test]
fn sweep_takes_one_cycle_a_set_and_leaves_nothing() {
    let cfg = UnitCfg { atc_large: 1, ..UnitCfg::named("small").unwrap() };
    let mut b = Bench::new(&cfg);
    for n in 0..64 {
        b.fill(page(key(0, n * K4), 0x40_0000 + n * K4));
    }
    // Taken 1, start 1, generation 3, a set a cycle (the one large entry: 1 + 3), RAM, word, compare, judgement, write
    // port, RAM 6, released 1.
    for (log2, sets) in [(12, 1), (14, 4), (18, 64), (30, 64)] {
        assert_eq!(b.invalidate(range(0, 0, log2)), 1 + 1 + 3 + sets.max(4) + 6 + 1, "2^{log2}");
    }
    assert!((0..64).all(|n| b.hit(key(0, n * K4)).is_none()));
}

#[test]
fn a_small_invalidation_inside_a_large_entry_drops_it() {
    let mut b = Bench::small();
    b.fill(AtcFill { size_log2: 21, ..page(key(0, 5 * M2), 8 * M2) });
    assert_eq!(b.hit(key(0, 5 * M2 + 0x1234)), Some(8 * M2 + 0x1234));
    b.invalidate(range(0, 5 * M2 + 0x7000, 12));
    assert_eq!(b.hit(key(0, 5 * M2 + 0x7000)), None);
    assert_eq!(b.hit(key(0, 5 * M2)), None);
}

#[test]
fn a_large_invalidation_drops_every_small_entry_inside_and_no_other() {
    let mut b = Bench::small();
    for n in [0, 1, 63, 511, 512] {
        b.fill(page(key(0, M2 + n * K4), 0x4000_0000 + n * K4));
    }
    b.invalidate(range(0, M2, 21));
    for n in [0, 1, 63, 511] {
        assert_eq!(b.hit(key(0, M2 + n * K4)), None);
    }
    assert_eq!(b.hit(key(0, M2 + 512 * K4)), Some(0x4000_0000 + 512 * K4));
}

#[test]
fn functions_do_not_share_entries() {
    let mut b = Bench::small();
    b.fill(page(with_pasid(key(1, 0x8000), 5), 0x1_0000));
    b.fill(page(with_pasid(key(2, 0x8000), 5), 0x2_0000));
    b.invalidate(range(1, 0x8000, 12));
    assert_eq!(b.hit(with_pasid(key(1, 0x8000), 5)), None);
    assert_eq!(b.hit(with_pasid(key(2, 0x8000), 5)), Some(0x2_0000));
}

#[test]
fn invalidation_scopes_of_pcie_10_3_8() {
    let plain = key(0, 0x8000);
    let (one, two) = (with_pasid(plain, 1), with_pasid(plain, 2));
    let elsewhere = with_pasid(key(0, 0x99_0000), 1);
    let fill_all = |b: &mut Bench| {
        b.fill(page(plain, 0xa_0000));
        b.fill(page(one, 0xb_0000));
        b.fill(page(two, 0xc_0000));
        b.fill(page(elsewhere, 0xd_0000));
        // A global entry at another page, seen by every PASID and not without one.
        b.fill(AtcFill { global: true, ..page(with_pasid(key(0, 0x9000), 1), 0xe_0000) });
        assert_eq!(b.hit(with_pasid(key(0, 0x9000), 7)), Some(0xe_0000));
        assert_eq!(b.hit(key(0, 0x9000)), None);
    };
    let global = with_pasid(key(0, 0x9000), 9);
    let held = |b: &mut Bench| [plain, one, two, elsewhere, global].map(|k| b.hit(k).is_some());
    // 2^13 from 0x8000 covers the pages 0x8000 and 0x9000.
    let base = range(0, 0x8000, 13);
    let pasid = PasidPrefix { valid: true, pasid: Pasid(1), ..PasidPrefix::default() };

    let mut b = Bench::small();
    fill_all(&mut b);
    b.invalidate(base);
    assert_eq!(held(&mut b), [false; 5], "no PASID: the range without PASID, and every PASID entry anywhere");

    let mut b = Bench::small();
    fill_all(&mut b);
    b.invalidate(AtcInvalidate { pasid, ..base });
    assert_eq!(held(&mut b), [true, false, true, true, true], "PASID 1: its non-global entries in range");

    let mut b = Bench::small();
    fill_all(&mut b);
    b.invalidate(AtcInvalidate { pasid, global: true, ..base });
    assert_eq!(held(&mut b), [true, false, false, true, false], "Global: all PASIDs and global entries in range");
}

#[test]
fn whole_function_invalidation_needs_no_sweep_until_the_generation_wraps() {
    let mut b = Bench::small();
    let everything = AtcInvalidate { all: true, ..range(1, 0, 63) };
    b.fill(page(key(2, 0x8000), 0x2_0000));
    for n in 1..=40 {
        b.fill(page(key(1, 0x8000), 0x1_0000));
        b.fill(AtcFill { size_log2: 21, ..page(key(1, M2), M2) });
        assert!(b.hit(key(1, 0x8000)).is_some() && b.hit(key(1, M2)).is_some());
        // As above with the 16 large entries, 16 + 3; at the wrap the 64 sets as well, at the same time.
        let expected = 1 + 1 + 3 + if n % 16 == 0 { 64 } else { 19 } + 6 + 1;
        assert_eq!(b.invalidate(everything), expected, "bump {n}");
        assert_eq!((b.hit(key(1, 0x8000)), b.hit(key(1, M2))), (None, None));
    }
    assert_eq!(b.hit(key(2, 0x8000)), Some(0x2_0000));
}

#[test]
fn permissions_are_as_given() {
    let mut b = Bench::small();
    let k = key(0, 0x4000);
    b.fill(AtcFill { write: false, ..page(k, 0x8000) });
    assert!(b.lookup(k, true, false).result.hit);
    let out = b.lookup(k, false, true);
    assert!(!out.result.hit && out.stat_miss && out.stat_miss_permission);
    // A later answer with W replaces it.
    b.fill(page(k, 0x8000));
    assert!(b.lookup(k, true, true).result.hit);
    // Nothing is kept for R = W = 0.
    let none = key(0, 0x5000);
    b.fill(AtcFill { read: false, write: false, ..page(none, 0x9000) });
    assert!(!b.lookup(none, false, false).result.hit);
}

#[test]
fn untranslated_only_entries_give_the_iova_back() {
    let mut b = Bench::small();
    let k = key(0, 0x6008);
    b.fill(AtcFill { untranslated: true, no_snoop: true, ..page(k, 0xfff_0000) });
    let result = b.lookup(k, true, false).result;
    assert!(result.hit && result.untranslated && result.no_snoop);
    assert_eq!(result.address.0, 0x6008);
}

#[test]
fn sizes_that_fit_neither_array_are_held_as_the_part_asked_for() {
    for (size_log2, held) in [(13, K4), (15, K4), (16, 1 << 16), (20, 1 << 16), (21, M2), (25, M2), (30, 1 << 30)] {
        let mut b = Bench::small();
        let size = 1u64 << size_log2;
        let (iova, address) = (7 * size, 12 * size);
        let asked = iova + size / 2 + 0x10;
        b.fill(AtcFill { size_log2, ..page(key(0, asked), address) });
        assert_eq!(b.hit(key(0, asked)), Some(address + size / 2 + 0x10), "2^{size_log2}");
        let part = (iova + size / 2) / held * held;
        assert!(b.hit(key(0, part)).is_some() && b.hit(key(0, part + held - 1)).is_some(), "2^{size_log2}");
        assert_eq!(b.hit(key(0, part + held)), None, "2^{size_log2}");
        assert_eq!(b.hit(key(0, part - 1)), None, "2^{size_log2}");
    }
}

#[test]
fn parity_error_is_a_miss_with_a_counter() {
    let mut b = Bench::small();
    let k = key(0, 0x4000);
    b.fill_with(page(k, 0x8000), true);
    let out = b.lookup(k, true, false);
    assert!(!out.result.hit && out.stat_miss && out.stat_parity);
    // The bad way is free for the next fill of its set.
    b.fill(page(k, 0x8000));
    let out = b.lookup(k, true, false);
    assert!(out.result.hit && !out.stat_parity);
}

#[test]
fn least_recently_used_way_goes_first() {
    let mut b = Bench::small();
    // Five pages of set 3.
    let k = |n: u64| key(0, (3 + 64 * n) * K4);
    for n in 0..4 {
        b.fill(page(k(n), 0x100_0000 + n * K4));
    }
    for n in [1, 0, 3, 2] {
        assert!(b.hit(k(n)).is_some());
    }
    b.fill(page(k(4), 0x200_0000));
    assert_eq!([0, 1, 2, 3, 4].map(|n| b.hit(k(n)).is_some()), [true, false, true, true, true]);
}

#[test]
fn cyclic_use_one_page_beyond_the_cache_never_hits_with_lru_but_does_with_random() {
    let base = UnitCfg::named("small").unwrap();
    for (policy, some) in [(Replacement::Lru, false), (Replacement::Fifo, false), (Replacement::Random, true)] {
        let cfg = UnitCfg { atc_sets: 16, atc_replacement: policy, ..base.clone() };
        let mut b = Bench::new(&cfg);
        let mut hits = 0;
        // 5 pages a set on 4 ways, six times around.
        for n in 0..6 * 80u64 {
            let k = key(0, n % 80 * K4);
            match b.hit(k) {
                Some(_) => hits += 1,
                None => {
                    b.fill(page(k, 0x100_0000 + n % 80 * K4));
                }
            }
        }
        assert_eq!(hits > 0, some, "{policy:?}: {hits} hits");
    }
}

#[test]
fn large_array_replaces_round_robin_and_counts_evictions() {
    let cfg = UnitCfg::named("tiny").unwrap();
    let mut b = Bench::new(&cfg);
    let k = |n: u64| key(0, n * M2);
    // Two entries: scan 2, clear and let lookups pass 4, write; taken and started 2.
    for n in 0..3 {
        b.fill(AtcFill { size_log2: 21, ..page(k(n), (9 + n) * M2) });
        assert_eq!(b.out.stat_evict, n == 2);
    }
    assert_eq!([0, 1, 2].map(|n| b.hit(k(n)).is_some()), [false, true, true]);
}

#[test]
fn a_fill_taken_together_with_an_invalidation_of_its_page_does_not_survive() {
    let mut b = Bench::small();
    let k = key(0, 0x3000);
    b.step(&AtcIn { fill: page(k, 0x9000), invalidate: range(0, 0x3000, 12), ..AtcIn::default() });
    while !b.out.invalidate_done {
        b.step(&AtcIn::default());
    }
    assert_eq!(b.hit(k), None);
}

#[test]
fn a_lookup_sampled_at_the_edge_of_a_write_sees_the_old_ways_without_the_one_written() {
    // Two pages of one set; the second is filled again while lookups of both run every cycle.
    let (k, other) = (key(0, 3 * K4), key(0, (3 + 64) * K4));
    for (asked, misses) in [(k, 0), (other, 1)] {
        let mut b = Bench::small();
        b.fill(page(k, 0x9000));
        b.fill(page(other, 0xa000));
        let mut missed = 0;
        for n in 0..30 {
            let lookup = AtcLookup { valid: true, slot: Slot(0), key: asked, read: true, write: false };
            let fill = if n == 5 { page(other, 0xa000) } else { AtcFill::default() };
            b.step(&AtcIn { lookup, fill, ..AtcIn::default() });
            missed += u32::from(b.out.result.valid && !b.out.result.hit);
        }
        assert_eq!(missed, misses);
    }
}

#[test]
fn no_two_base_entries_answer_one_lookup() {
    let plain = key(0, 0x8000);
    let (one, two) = (with_pasid(plain, 1), with_pasid(plain, 2));
    let mut b = Bench::small();
    b.fill(page(one, 0x1_0000));
    b.fill(page(two, 0x2_0000));
    assert_eq!((b.hit(one), b.hit(two)), (Some(0x1_0000), Some(0x2_0000)));
    // A global entry takes the place of both, and of nothing without a PASID.
    b.fill(page(plain, 0x3_0000));
    b.fill(AtcFill { global: true, ..page(one, 0x4_0000) });
    assert_eq!([plain, one, two].map(|k| b.hit(k)), [Some(0x3_0000), Some(0x4_0000), Some(0x4_0000)]);
    // And the other way round.
    b.fill(page(two, 0x5_0000));
    assert_eq!([plain, one, two].map(|k| b.hit(k)), [Some(0x3_0000), None, Some(0x5_0000)]);
}

#[test]
fn a_large_fill_drops_what_overlaps_it() {
    let mut b = Bench::small();
    let k = key(0, 1 << 30);
    let inside = key(0, (1 << 30) + 5 * M2);
    b.fill(AtcFill { size_log2: 30, ..page(k, 3 << 30) });
    assert_eq!(b.hit(inside), Some((3 << 30) + 5 * M2));
    b.fill(AtcFill { size_log2: 21, ..page(inside, 7 * M2) });
    assert_eq!((b.hit(inside), b.hit(k)), (Some(7 * M2), None));
    b.fill(AtcFill { size_log2: 30, ..page(k, 3 << 30) });
    assert_eq!((b.hit(inside), b.hit(k)), (Some((3 << 30) + 5 * M2), Some(3 << 30)));
    assert!(!b.out.stat_evict);
}

#[test]
fn the_large_page_array_goes_first() {
    let mut b = Bench::small();
    let k = key(0, 5 * M2);
    b.fill(page(k, 0x9000));
    b.fill(AtcFill { size_log2: 21, write: false, ..page(k, 7 * M2) });
    let out = b.lookup(k, true, false);
    assert!(out.stat_hit_large && !out.stat_hit_base && out.result.address.0 == 7 * M2);
    // It does not grant a write; the base entry does.
    let out = b.lookup(k, true, true);
    assert!(out.stat_hit_base && !out.stat_hit_large && out.result.address.0 == 0x9000);
}
