//! Replacement state of a set, kept beside the tags in block RAM.
//!
//! Exact LRU is a rank a way (0 = most recent), four bits each, so that a set of up to 16 ways is one word. Tree PLRU is
//! one bit an inner node, FIFO one pointer. Random needs no state a set but a linear-feedback shift register.

use types::Replacement;

/// One set's replacement state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetState(u64);

/// A policy for sets of `ways` ways.
#[derive(Clone, Debug)]
pub struct Policy {
    kind: Replacement,
    ways: u32,
    lfsr: u16,
}

impl Policy {
    /// A policy; tree PLRU rounds the number of ways up to a power of two and never picks a way that is not there.
    pub fn new(kind: Replacement, ways: u32) -> Self {
        Self { kind, ways, lfsr: 0xace1 }
    }

    /// The state of a set after it is cleared: way 0 most recent, the last way the first victim.
    pub fn cleared(&self) -> SetState {
        match self.kind {
            Replacement::Lru => SetState((0..self.ways).fold(0, |s, way| s | u64::from(way) << (4 * way))),
            _ => SetState(0),
        }
    }

    /// The state after `way` was used: hit, or filled (`filled`).
    pub fn touch(&self, state: SetState, way: u32, filled: bool) -> SetState {
        match self.kind {
            Replacement::Lru => {
                let rank = |w: u32| state.0 >> (4 * w) & 15;
                let own = rank(way);
                let mut next = 0;
                for w in 0..self.ways {
                    let r = if w == way { 0 } else { rank(w) + u64::from(rank(w) < own) };
                    next |= r << (4 * w);
                }
                SetState(next)
            }
            Replacement::TreePlru => {
                // Node n has children 2n and 2n+1; a bit says which half holds the next victim: away from `way`.
                let (mut bits, mut node, levels) = (state.0, 1u32, self.ways.next_power_of_two().trailing_zeros());
                for level in (0..levels).rev() {
                    let right = way >> level & 1;
                    bits = bits & !(1 << node) | u64::from(right == 0) << node;
                    node = 2 * node + right;
                }
                SetState(bits)
            }
            Replacement::Fifo if filled => SetState(if way + 1 >= self.ways { 0 } else { u64::from(way) + 1 }),
            Replacement::Fifo | Replacement::Random => state,
        }
    }

    /// The way to replace when every way is in use.
    pub fn victim(&self, state: SetState) -> u32 {
        match self.kind {
            Replacement::Lru => {
                let oldest = u64::from(self.ways - 1);
                (0..self.ways).find(|w| state.0 >> (4 * w) & 15 == oldest).unwrap_or(0)
            }
            Replacement::TreePlru => {
                let (mut node, mut way, levels) = (1u32, 0, self.ways.next_power_of_two().trailing_zeros());
                for _ in 0..levels {
                    let right = (state.0 >> node & 1) as u32;
                    way = 2 * way + right;
                    node = 2 * node + right;
                }
                way.min(self.ways - 1)
            }
            Replacement::Fifo => state.0 as u32,
            Replacement::Random => u32::from(self.lfsr) % self.ways,
        }
    }

    /// The way to replace among `count` ways from `first` on, when all of those are in use.
    pub fn victim_among(&self, state: SetState, first: u32, count: u32) -> u32 {
        if count == self.ways {
            return self.victim(state);
        }
        let ways = first..first + count;
        let chosen = match self.kind {
            Replacement::Lru => ways.max_by_key(|way| state.0 >> (4 * way) & 15),
            Replacement::TreePlru => {
                // Only halves that hold one of the ways are walked into.
                let levels = self.ways.next_power_of_two().trailing_zeros();
                let (mut node, mut way) = (1u32, 0);
                for level in (0..levels).rev() {
                    let holds = |way: u32| way << level < first + count && (way + 1) << level > first;
                    let right = (state.0 >> node & 1) as u32;
                    let right = if holds(2 * way + right) { right } else { 1 - right };
                    way = 2 * way + right;
                    node = 2 * node + right;
                }
                Some(way)
            }
            // The pointer may stand in another partition: the first way from it on.
            Replacement::Fifo => ways.clone().find(|way| u64::from(*way) >= state.0).or(Some(first)),
            Replacement::Random => Some(first + u32::from(self.lfsr) % count),
        };
        chosen.unwrap_or(first)
    }

    /// Advances the random source by one fill (x^16 + x^14 + x^13 + x^11 + 1, sixteen steps).
    pub fn advance(&mut self) {
        for _ in 0..16 {
            let bit = (self.lfsr ^ self.lfsr >> 2 ^ self.lfsr >> 3 ^ self.lfsr >> 5) & 1;
            self.lfsr = self.lfsr >> 1 | bit << 15;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lru_picks_the_way_used_longest_ago() {
        let policy = Policy::new(Replacement::Lru, 4);
        let mut state = policy.cleared();
        for way in [2, 0, 3, 1, 2] {
            state = policy.touch(state, way, false);
        }
        assert_eq!(policy.victim(state), 0);
    }

    #[test]
    fn tree_plru_never_picks_the_way_just_used() {
        for ways in [2, 4, 8] {
            let policy = Policy::new(Replacement::TreePlru, ways);
            let mut state = policy.cleared();
            for way in (0..ways).chain((0..ways).rev()) {
                state = policy.touch(state, way, false);
                assert_ne!(policy.victim(state), way);
            }
        }
    }

    #[test]
    fn fifo_ignores_hits() {
        let policy = Policy::new(Replacement::Fifo, 3);
        let mut state = policy.cleared();
        for way in 0..3 {
            assert_eq!(policy.victim(state), way);
            state = policy.touch(policy.touch(state, way, true), 0, false);
        }
        assert_eq!(policy.victim(state), 0);
    }

    #[test]
    fn random_reaches_every_way_about_as_often() {
        let mut policy = Policy::new(Replacement::Random, 4);
        let mut seen = [0u32; 4];
        for _ in 0..4000 {
            seen[policy.victim(SetState::default()) as usize] += 1;
            policy.advance();
        }
        // 1000 expected, standard deviation 27: six of them.
        assert!(seen.iter().all(|n| n.abs_diff(1000) < 165), "{seen:?}");
    }
}
