//! What is counted of a lookup, and until when a victim answers.

use super::{Bench, M2, key, page, range};
use types::port::{AtcFill, AtcIn, AtcLookup, AtcOut};
use types::{Slot, UnitCfg};

/// The victim is cleared three edges before the new entry is written: a lookup that has matched it reads its data two edges later. One
/// sampled at the edge of the clear still sees it.
#[test]
fn a_large_victim_answers_until_three_edges_before_it_is_replaced() {
    let mut b = Bench::new(&UnitCfg::named("tiny").unwrap());
    let k = |n: u64| key(0, n * M2);
    let fill = |n: u64| AtcFill { size_log2: 21, ..page(k(n), (9 + n) * M2) };
    (0..2).for_each(|n| _ = b.fill(fill(n)));
    let lookup = AtcLookup { valid: true, slot: Slot(0), key: k(0), read: true, write: false };
    let (mut last_hit, mut written) = (0, None);
    for n in 0..40 {
        let fill = if n == 0 { fill(2) } else { AtcFill::default() };
        b.step(&AtcIn { lookup, fill, ..AtcIn::default() });
        written = written.or(b.out.fill_done.then_some(n));
        if b.out.result.hit {
            // What is visible now was sampled three edges before this one.
            last_hit = n - 3;
        }
    }
    assert_eq!(last_hit, written.unwrap() - 3);
}

/// A lookup counts as a hit of one array or as a miss, and a miss for one reason at most.
#[test]
fn every_lookup_is_counted_once_with_its_reason() {
    let reasons = |out: &AtcOut| {
        [out.stat_hit_base, out.stat_hit_large, out.stat_miss, out.stat_miss_permission, out.stat_miss_pending]
    };
    let mut b = Bench::small();
    let (base, large) = (key(0, 0x9000), key(0, 5 * M2));
    b.fill(AtcFill { write: false, ..page(base, 0x1000) });
    b.fill(AtcFill { size_log2: 21, write: false, ..page(large, 7 * M2) });
    assert_eq!(reasons(&b.lookup(base, true, false)), [true, false, false, false, false]);
    assert_eq!(reasons(&b.lookup(large, true, false)), [false, true, false, false, false]);
    for k in [base, large] {
        assert_eq!(reasons(&b.lookup(k, true, true)), [false, false, true, true, false]);
    }
    assert_eq!(reasons(&b.lookup(key(0, 0xa000), true, false)), [false, false, true, false, false]);
    // The range of an invalidation is pending from the edge that takes it; which of its pages are held does not count.
    for (k, write) in [(base, false), (base, true), (key(0, 0xa000), false)] {
        b.fill(AtcFill { write: false, ..page(base, 0x1000) });
        b.step(&AtcIn { invalidate: range(0, 0x8000, 14), ..AtcIn::default() });
        assert_eq!(reasons(&b.lookup(k, true, write)), [false, false, true, false, true]);
        while !b.out.invalidate_ready {
            b.step(&AtcIn::default());
        }
    }
}

/// Two entries, replaced in turn: the last two pages filled are held.
#[test]
fn large_victims_go_round_robin() {
    let mut b = Bench::new(&UnitCfg::named("tiny").unwrap());
    for n in 0..9 {
        b.fill(AtcFill { size_log2: 21, ..page(key(0, n * M2), (20 + n) * M2) });
        let held: Vec<u64> = (0..9).filter(|k| b.hit(key(0, k * M2)).is_some()).collect();
        assert_eq!(held, (n.saturating_sub(1)..=n).collect::<Vec<_>>());
    }
}
