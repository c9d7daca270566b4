//! The cache of table lines: exact LRU, by reads that hit and by fills.

use cycle::line_cache::{LineCache, NewLine};
use types::config::Partitions;
use types::{Line, UnitCfg};

/// Edges from a fill to its line.
const WRITTEN: usize = 4;

fn shares() -> Partitions {
    UnitCfg::named("tiny").unwrap().shares()
}

/// A cache of `lines` lines that has been cleared, a set a cycle.
fn cleared(lines: u32, ways: u32) -> LineCache {
    let mut cache = LineCache::new(lines, ways, shares());
    for _ in 0..lines / ways {
        assert!(!cache.cleared());
        cache.step(None, false);
    }
    assert!(cache.cleared());
    cache
}

fn fill(cache: &mut LineCache, key: u64) {
    cache.step(Some(NewLine { key, line: Line([key; 8]), user: 7, partition: 0 }), false);
    let done: Vec<_> = (1..WRITTEN).map(|_| cache.step(None, false).0).collect();
    assert_eq!(done, [None, None, Some(7)]);
}

/// Those of `keys` that are there, without using them.
fn held(cache: &LineCache, keys: std::ops::Range<u64>) -> Vec<u64> {
    keys.filter(|key| cache.read(*key).line.inspect(|line| assert_eq!(*line, Line([*key; 8]))).is_some()).collect()
}

#[test]
fn the_line_used_longest_ago_goes() {
    let mut cache = cleared(4, 4);
    (0..4).for_each(|key| fill(&mut cache, key));
    // Of the lines filled 0, 1, 2, 3 the first two are used again: 2, 3, 0, 1.
    for key in [0, 1] {
        let read = cache.read(key);
        cache.touch(key, &read);
    }
    for (key, left) in [(4, vec![0, 1, 3, 4]), (5, vec![0, 1, 4, 5]), (6, vec![1, 4, 5, 6])] {
        fill(&mut cache, key);
        assert_eq!(held(&cache, 0..7), left);
    }
}

/// Sets are chosen by the low bits of the line's number, so that lines next to one another displace nothing.
#[test]
fn consecutive_lines_stand_in_different_sets() {
    let mut cache = cleared(8, 2);
    (0..8).for_each(|key| fill(&mut cache, key));
    assert_eq!(held(&cache, 0..8), (0..8).collect::<Vec<_>>());
    // The first set has the lines 0 and 4.
    fill(&mut cache, 8);
    assert_eq!(held(&cache, 0..9), [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// A sweep takes a set a cycle, after four cycles for the fills under way and four for its own writes; from its first edge on
/// reads of its lines miss.
#[test]
fn a_sweep_drops_its_lines_and_no_other() {
    for (first, count, sets) in [(2, 1, 1), (2, 3, 3), (0, 100, 4)] {
        let mut cache = cleared(8, 2);
        (0..8).for_each(|key| fill(&mut cache, key));
        let left: Vec<_> = (0..8).filter(|key| !(first..first + count).contains(key)).collect();
        cache.revoke(first, count);
        for n in 0..4 + sets + 4 {
            assert_eq!((cache.busy(), held(&cache, 0..8)), (true, left.clone()), "cycle {n}");
            assert!(!cache.step(None, false).1, "cycle {n}");
        }
        assert!(cache.step(None, false).1);
        assert_eq!((cache.busy(), held(&cache, 0..8)), (false, left));
    }
}

#[test]
fn a_line_filled_again_keeps_its_place() {
    let mut cache = cleared(4, 4);
    [0, 1, 2, 3, 0].into_iter().for_each(|key| fill(&mut cache, key));
    assert_eq!(held(&cache, 0..4), [0, 1, 2, 3]);
    fill(&mut cache, 4);
    assert_eq!(held(&cache, 0..5), [0, 2, 3, 4]);
}

#[test]
fn a_reset_clears_what_was_held_and_what_was_on_its_way() {
    let mut cache = cleared(8, 2);
    fill(&mut cache, 1);
    cache.step(Some(NewLine { key: 2, line: Line([2; 8]), user: 7, partition: 0 }), false);
    cache.revoke(0, 1);
    cache.reset();
    for _ in 0..4 {
        assert_eq!((cache.cleared(), held(&cache, 0..8)), (false, vec![]));
        assert_eq!(cache.step(None, false), (None, false));
    }
    assert_eq!((cache.busy(), held(&cache, 0..8)), (false, vec![]));
}
