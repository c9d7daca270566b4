//! Replacement policies beside slow models of what their names mean.

use crate::axi::Chance;
use cycle::replacement::{Policy, SetState};
use std::collections::BTreeMap;
use types::Replacement;

/// Ways in the order of their use, the most recent first.
struct Used(Vec<u32>);

impl Used {
    fn touch(&mut self, way: u32) {
        self.0.retain(|w| *w != way);
        self.0.insert(0, way);
    }
    fn oldest(&self, ways: std::ops::Range<u32>) -> u32 {
        *self.0.iter().rfind(|way| ways.contains(way)).unwrap()
    }
}

#[test]
fn lru_replaces_the_way_used_longest_ago_of_all_and_of_a_part() {
    let mut chance = Chance::new(1);
    for ways in 1..=16 {
        let policy = Policy::new(Replacement::Lru, ways);
        let (mut state, mut used) = (policy.cleared(), Used((0..ways).collect()));
        for _ in 0..200 {
            assert_eq!(policy.victim(state), used.oldest(0..ways));
            let first = chance.below(u64::from(ways)) as u32;
            let count = 1 + chance.below(u64::from(ways - first)) as u32;
            assert_eq!(policy.victim_among(state, first, count), used.oldest(first..first + count));
            let way = chance.below(u64::from(ways)) as u32;
            state = policy.touch(state, way, chance.percent(50));
            used.touch(way);
        }
    }
}

/// A binary tree over the ways: each node points to the half that was not used last, at first to the lower one.
#[derive(Default)]
struct Tree(BTreeMap<(u32, u32), bool>);

impl Tree {
    fn touch(&mut self, way: u32, mut low: u32, mut high: u32) {
        while high - low > 1 {
            let middle = (low + high) / 2;
            let upper = way >= middle;
            self.0.insert((low, high), !upper);
            (low, high) = if upper { (middle, high) } else { (low, middle) };
        }
    }
    /// Walks where the nodes point, but not into a half without any of `ways`.
    fn victim(&self, ways: std::ops::Range<u32>, mut low: u32, mut high: u32) -> u32 {
        while high - low > 1 {
            let middle = (low + high) / 2;
            let points = self.0.get(&(low, high)).copied().unwrap_or(false);
            let upper = if ways.start >= middle { true } else { ways.end > middle && points };
            (low, high) = if upper { (middle, high) } else { (low, middle) };
        }
        low
    }
}

#[test]
fn tree_plru_walks_away_from_what_was_used() {
    let mut chance = Chance::new(2);
    for ways in [1, 2, 4, 8, 16] {
        let policy = Policy::new(Replacement::TreePlru, ways);
        let (mut state, mut tree) = (policy.cleared(), Tree::default());
        for _ in 0..200 {
            assert_eq!(policy.victim(state), tree.victim(0..ways, 0, ways));
            let first = chance.below(u64::from(ways)) as u32;
            let count = 1 + chance.below(u64::from(ways - first)) as u32;
            assert_eq!(policy.victim_among(state, first, count), tree.victim(first..first + count, 0, ways));
            let way = chance.below(u64::from(ways)) as u32;
            state = policy.touch(state, way, chance.percent(50));
            tree.touch(way, 0, ways);
        }
    }
}

#[test]
fn tree_plru_of_a_number_that_is_no_power_of_two_picks_a_way_that_is_there() {
    for ways in [3, 5, 6, 7, 11] {
        let policy = Policy::new(Replacement::TreePlru, ways);
        let mut state = policy.cleared();
        for n in 0..100 {
            let victim = policy.victim(state);
            assert!(victim < ways);
            state = policy.touch(state, if n % 3 == 0 { n % ways } else { victim }, true);
        }
    }
}

#[test]
fn fifo_goes_round_with_fills_and_in_a_part_takes_the_next_of_it() {
    for ways in [1, 3, 4, 8] {
        let policy = Policy::new(Replacement::Fifo, ways);
        let mut state = policy.cleared();
        for n in 0..3 * ways {
            let next = n % ways;
            assert_eq!(policy.victim(state), next);
            for first in 0..ways {
                for count in 1..ways - first {
                    let expected = if (first..first + count).contains(&next) { next } else { first };
                    assert_eq!(policy.victim_among(state, first, count), expected, "{next}: {first} and {count}");
                }
            }
            // A hit of any way changes nothing.
            state = policy.touch(state, n * 5 % ways, false);
            state = policy.touch(state, next, true);
        }
    }
}

/// x^16 + x^14 + x^13 + x^11 + 1 is primitive: the register goes through all 2^16 − 1 states but zero, and so it does sixteen steps
/// at a time, for 16 has no factor in common with 65535. With 2^16 "ways" a victim is the whole register.
#[test]
fn random_has_the_whole_period() {
    let mut policy = Policy::new(Replacement::Random, 1 << 16);
    let start = policy.victim(SetState::default());
    let mut seen = vec![false; 1 << 16];
    for _ in 0..65_535 {
        let state = policy.victim(SetState::default());
        assert!(state != 0 && !std::mem::replace(&mut seen[state as usize], true), "{state:#x}");
        policy.advance();
    }
    assert_eq!(policy.victim(SetState::default()), start);
}

#[test]
fn random_in_a_part_stays_in_it_and_reaches_all_of_it() {
    let mut policy = Policy::new(Replacement::Random, 8);
    let mut seen = [0; 8];
    for _ in 0..300 {
        seen[policy.victim_among(SetState::default(), 2, 3) as usize] += 1;
        policy.advance();
    }
    // 100 each of three, standard deviation 8: five of them.
    assert!(seen[2..5].iter().all(|n| (60..140).contains(n)), "{seen:?}");
    assert_eq!(seen[2..5].iter().sum::<i32>(), 300);
}
