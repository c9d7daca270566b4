//! Counting the unit's statistics bus, and the counters of a run by name.

use types::UnitCfg;
use types::port::{StatBus, stat_sources};

/// Bits of the bit-sliced counters; they are emptied into 64-bit ones before they can overflow.
const PLANES: usize = 8;
const ROUNDS: u32 = (1 << PLANES) - 1;
const WORDS: usize = std::mem::size_of::<StatBus>() / 8;

/// Accumulates the statistics bus, 64 bits.
///
/// Each bit of the bus is one counter; all of them count at once, bit-sliced: plane p holds bit p of every counter.
#[derive(Clone, Debug)]
pub struct BusCounter {
    planes: [[u64; PLANES]; WORDS],
    rounds: u32,
    totals: Vec<u64>,
}

impl BusCounter {
    /// All zero.
    pub fn new() -> Self {
        Self { planes: [[0; PLANES]; WORDS], rounds: 0, totals: vec![0; 64 * WORDS] }
    }

    /// Adds one cycle's increments.
    #[inline]
    pub fn add(&mut self, bus: &StatBus) {
        for (planes, word) in self.planes.iter_mut().zip(bus.0) {
            let mut carry = word;
            for plane in planes {
                if carry == 0 {
                    break;
                }
                let next = *plane & carry;
                *plane ^= carry;
                carry = next;
            }
        }
        self.rounds += 1;
        if self.rounds == ROUNDS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.rounds = 0;
        for (word, planes) in self.planes.iter_mut().enumerate() {
            for (p, plane) in planes.iter_mut().enumerate() {
                let mut bits = std::mem::take(plane);
                while bits != 0 {
                    self.totals[64 * word + bits.trailing_zeros() as usize] += 1 << p;
                    bits &= bits - 1;
                }
            }
        }
    }

    /// The count of every source, in order of [`stat_sources`].
    pub fn totals(&mut self, cfg: &UnitCfg) -> Statistics {
        self.flush();
        let mut bit = 0;
        let mut out = Statistics::default();
        for source in stat_sources(cfg) {
            let total = (0..source.width as usize).map(|i| self.totals[bit + i] << i).sum();
            bit += source.width as usize;
            out.push(&source.key, total);
        }
        out
    }
}

impl Default for BusCounter {
    fn default() -> Self {
        Self::new()
    }
}

/// Counters by name, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics(Vec<(String, u64)>);

impl Statistics {
    /// Appends a counter.
    pub fn push(&mut self, key: &str, value: u64) {
        self.0.push((key.to_string(), value));
    }
    /// The counter called `key`.
    pub fn get(&self, key: &str) -> Option<u64> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| *v)
    }
    /// All counters.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(k, v)| (k.as_str(), *v))
    }
    /// What was counted since `earlier`, which has the same counters.
    pub fn since(&self, earlier: &Self) -> Self {
        let old = |i: usize| earlier.0.get(i).map_or(0, |(_, v)| *v);
        Self(self.0.iter().enumerate().map(|(i, (k, v))| (k.clone(), v - old(i))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_counted_with_its_width() {
        let cfg = UnitCfg::named("tiny").unwrap();
        let sources = stat_sources(&cfg);
        let mut counter = BusCounter::new();
        // Source i steps by (cycle × (i + 3)) mod 2^width.
        let step = |cycle: u64, i: usize| cycle * (i as u64 + 3) % (1 << sources[i].width);
        let mut expected = vec![0; sources.len()];
        for cycle in 0..1000 {
            let mut bus = StatBus::default();
            let mut bit = 0;
            for (i, source) in sources.iter().enumerate() {
                let value = step(cycle, i);
                expected[i] += value;
                for b in 0..source.width as usize {
                    bus.0[(bit + b) / 64] |= (value >> b & 1) << ((bit + b) % 64);
                }
                bit += source.width as usize;
            }
            counter.add(&bus);
        }
        let totals = counter.totals(&cfg);
        for (i, source) in sources.iter().enumerate() {
            assert_eq!(totals.get(&source.key), Some(expected[i]), "{}", source.key);
        }
    }
}
