//! Replacement of the ATC at the pins: which page has to be asked for again.

use crate::bench::{Bench, request};
use types::{Mode, Op, Replacement, UnitCfg};

/// One set of four ways.
fn bench(policy: Replacement) -> Bench {
    let cfg = UnitCfg { atc_sets: 1, atc_ways: 4, atc_replacement: policy, ..UnitCfg::named("small").unwrap() };
    Bench::with(cfg, Mode::Ats)
}

fn touch(b: &mut Bench, page: u64) {
    b.send(request(page as u16, 0, Op::READ, page << 12, 64));
    b.idle(600);
}

/// Whether a page has to be asked for.
fn misses(b: &mut Bench, page: u64) -> bool {
    let before = b.script.asked.len();
    touch(b, page);
    b.script.asked.len() > before
}

#[test]
fn the_page_that_goes_is_that_of_the_policy() {
    // Pages 0 to 3 fill ways 0 to 3; they are used once more in this order; page 4 replaces one of them.
    for (policy, uses, victim) in [
        (Replacement::Lru, [3, 0, 1, 2], 3),
        (Replacement::Lru, [0, 2, 1, 3], 0),
        // The oldest fill, whatever was used since.
        (Replacement::Fifo, [3, 0, 1, 2], 0),
        (Replacement::Fifo, [0, 1, 2, 3], 0),
        // The half of 2 was used last, so the other one: ways 0 and 1; of those 1 was used last, so way 0.
        (Replacement::TreePlru, [3, 0, 1, 2], 0),
        // Way 1 last: the half of 2 and 3; 3 last of those: way 2, although 0 was used longest ago.
        (Replacement::TreePlru, [0, 2, 3, 1], 2),
    ] {
        for page in 0..4 {
            let mut b = bench(policy);
            (0..4).for_each(|p| touch(&mut b, p));
            uses.iter().for_each(|p| assert!(!misses(&mut b, *p), "{policy:?}: four pages fit"));
            assert!(misses(&mut b, 4));
            assert_eq!(misses(&mut b, page), page == victim, "{policy:?} {uses:?}: page {page}");
        }
    }
}

#[test]
fn random_replacement_keeps_some_of_a_cycle_that_is_one_page_too_long() {
    // Five pages in turn on four ways, ten times around: LRU and FIFO replace each page just before it comes again.
    for (policy, all) in [(Replacement::Lru, true), (Replacement::Fifo, true), (Replacement::Random, false)] {
        let mut b = bench(policy);
        let missed = (0..50).filter(|n| misses(&mut b, n % 5)).count();
        assert_eq!(missed == 50, all, "{policy:?}: {missed}");
        assert!(missed >= 5);
    }
}
