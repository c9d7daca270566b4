//! Generation counters of coherent regions: what tells an MTT entry that an invalidation has passed from one that counts.
//!
//! ```text
//!  invalidate (as `atc` takes it) ─┬─► overlaps range n? ──► counter of range n  + 1
//!                                  └─► its function ───────► counter of function + 1
//!  entry's generation, counter's number ──► equal and not 0: fresh
//! ```
//!
//! A GPU entry of a coherent region carries the generation that its counter had when its translation was asked for. An
//! invalidation that overlaps begins the next generation at the very edge at which `atc` takes it, so that every entry of
//! before is stale from the next edge on, wherever it is: in memory, on its way here, or in the cache. Nothing is looked for
//! and nothing is swept.
//!
//! Each range of addresses that the driver has named has a counter. Regions for which there was no range share the counter
//! of their function, which any invalidation of the function moves on.
//!
//! A counter has eight bits and never names a generation twice: behind 255 comes 0, where it stays, and by which nothing is
//! fresh, until the driver starts it anew; before that the driver has taken away every entry that bears one of its
//! generations. After reset every counter is 0.

use crate::atc::Owner;
use types::bits::index_bits;
use types::config::RETRANSLATE_SLOTS;
use types::port::{AtcInvalidate, AtcKey, CoherentRange};
use types::{FunctionId, Iova, UnitCfg};

#[derive(Clone, Copy, Debug, Default)]
struct Range {
    /// First and last page of 4 KiB.
    first: u64,
    last: u64,
    owner: Owner,
    generation: u8,
}

impl Range {
    /// Whether an invalidation takes translations of the range away.
    fn hit(&self, inv: &AtcInvalidate) -> bool {
        let (meant, everywhere) = self.owner.scope(inv);
        let low = (inv.iova.0 >> 12) & (u64::MAX << inv.size_log2.saturating_sub(12));
        let high = low | !(u64::MAX << inv.size_log2.saturating_sub(12));
        // 63 stands for every address.
        meant && (everywhere || inv.size_log2 >= 63 || low <= self.last && self.first <= high)
    }
}

fn next(generation: u8) -> u8 {
    // Behind 255 comes 0, and behind 0 comes 0.
    if generation == 0 { 0 } else { generation.wrapping_add(1) }
}

/// Every counter.
#[derive(Clone, Debug)]
pub struct Generations {
    functions: Vec<u8>,
    ranges: Vec<Range>,
}

/// Bits of storage that coherent regions add to a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    /// The counters of the functions.
    pub functions: u32,
    /// The ranges with their counters.
    pub ranges: u32,
    /// What requests and segments carry along: I/O virtual address of the page, counter, a flag.
    pub carried: u32,
    /// The driver's registers.
    pub registers: u32,
}

impl Generations {
    /// Bits of storage that coherent regions add to a unit of a configuration.
    pub fn bits(cfg: &UnitCfg) -> Bits {
        // First and last page of 52 bits, function, PASID and whether there is one, generation.
        let range = 52 + 52 + cfg.function_bits() + 21 + 8;
        // A flag, 52 bits of the page's address, the counter's number.
        let page = 1 + 52 + index_bits(cfg.coherent_ranges + 1);
        let queued = (cfg.streams + RETRANSLATE_SLOTS) * cfg.seg_depth();
        // `mtt` keeps parked segments and its queue, `replay` and both queues of `dma` the flag alone.
        let carried = page * queued + (page + 1) * 2 * cfg.slots() + cfg.slots() + 2 * cfg.dma_queue();
        // Function, PASID, address, pages, command, status, entry, stale note.
        let registers = 8 + 22 + 52 + 32 + 14 + 8 + 64 + 25;
        Bits { functions: 8 * cfg.functions, ranges: range * cfg.coherent_ranges, carried, registers }
    }

    /// The counters of a unit.
    pub fn new(cfg: &UnitCfg) -> Self {
        Self {
            functions: vec![0; cfg.functions as usize],
            ranges: vec![Range::default(); cfg.coherent_ranges as usize],
        }
    }

    /// Nothing is fresh any more.
    pub fn reset(&mut self) {
        self.functions.fill(0);
        self.ranges.fill(Range::default());
    }

    /// What a counter is at; 0 for one that there is not.
    pub fn of(&self, function: FunctionId, counter: u16) -> u8 {
        match usize::from(counter).checked_sub(1) {
            None => self.functions.get(usize::from(function.0)).copied().unwrap_or(0),
            Some(range) => self.ranges.get(range).map_or(0, |r| r.generation),
        }
    }

    /// Whether an entry of a generation still counts.
    pub fn fresh(&self, function: FunctionId, counter: u16, generation: u8) -> bool {
        generation != 0 && generation == self.of(function, counter)
    }

    /// One edge: a counter that starts anew, then an invalidation that `atc` takes. Whether a generation began.
    pub fn step(&mut self, range: &CoherentRange, invalidate: Option<&AtcInvalidate>) -> bool {
        if range.valid {
            self.start(range);
        }
        let mut began = false;
        let mut advance = |generation: &mut u8| {
            began |= *generation != 0;
            *generation = next(*generation);
        };
        let Some(inv) = invalidate else { return false };
        if let Some(generation) = self.functions.get_mut(usize::from(inv.function.0)) {
            advance(generation);
        }
        self.ranges.iter_mut().filter(|r| r.generation != 0 && r.hit(inv)).for_each(|r| advance(&mut r.generation));
        began
    }

    fn start(&mut self, range: &CoherentRange) {
        let generation = u8::from(range.pages > 0);
        match usize::from(range.counter).checked_sub(1) {
            None => {
                if let Some(counter) = self.functions.get_mut(usize::from(range.function.0)) {
                    *counter = generation;
                }
            }
            Some(n) => {
                if let Some(entry) = self.ranges.get_mut(n) {
                    let key = AtcKey { function: range.function, pasid: range.pasid, iova: Iova(range.first << 12) };
                    let last = range.first + u64::from(range.pages).saturating_sub(1);
                    *entry = Range { first: range.first, last, owner: Owner::of(&key, false, 0), generation };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Pasid, PasidPrefix};

    fn pasid(n: u32) -> PasidPrefix {
        PasidPrefix { valid: true, pasid: Pasid(n), ..PasidPrefix::default() }
    }

    /// A unit with four ranges, of which range 1 (counter 2) is pages 0x10 to 0x1f of function 1.
    fn started(pasid: PasidPrefix) -> Generations {
        let mut g = Generations::new(&UnitCfg { coherent_ranges: 4, ..UnitCfg::named("small").unwrap() });
        let range = CoherentRange { valid: true, function: FunctionId(1), pasid, first: 0x10, pages: 16, counter: 2 };
        g.step(&range, None);
        g.step(&CoherentRange { counter: 0, ..range }, None);
        g
    }

    fn invalidation(iova: u64, size_log2: u8) -> AtcInvalidate {
        let function = FunctionId(1);
        AtcInvalidate { valid: true, function, iova: Iova(iova), size_log2, ..AtcInvalidate::default() }
    }

    /// What range and function are at after an invalidation.
    fn after(own: PasidPrefix, inv: AtcInvalidate) -> (u8, u8) {
        let mut g = started(own);
        g.step(&CoherentRange::default(), Some(&inv));
        (g.of(FunctionId(1), 2), g.of(FunctionId(1), 0))
    }

    #[test]
    fn a_range_moves_on_with_what_overlaps_and_its_function_with_everything() {
        let none = PasidPrefix::default();
        for (iova, log2, hit) in [
            (0x0_f000, 12, false),
            (0x1_0000, 12, true),
            (0x1_f000, 12, true),
            (0x2_0000, 12, false),
            (0x0_0000, 16, false),
            (0x0_0000, 17, true),
            (0x1_0000, 16, true),
            (0, 21, true),
            (1 << 40, 40, false),
            (0, 63, true),
        ] {
            assert_eq!(after(none, invalidation(iova, log2)), (1 + u8::from(hit), 2), "{iova:#x} {log2}");
        }
        let other = AtcInvalidate { function: FunctionId(0), ..invalidation(0x1_0000, 12) };
        assert_eq!(after(none, other), (1, 1));
    }

    /// PCIe 6.x 10.3.8.
    #[test]
    fn pasids_are_meant_as_the_specification_says() {
        let (inside, outside) = (invalidation(0x1_0000, 12), invalidation(0x5_0000, 12));
        let with = |n, global, inv| AtcInvalidate { pasid: pasid(n), global, ..inv };
        // No PASID: every entry with one, at all addresses.
        assert_eq!(after(pasid(5), outside), (2, 2));
        assert_eq!(after(pasid(5), with(5, false, inside)), (2, 2));
        assert_eq!(after(pasid(5), with(5, false, outside)), (1, 2));
        assert_eq!(after(pasid(5), with(6, false, inside)), (1, 2));
        assert_eq!(after(pasid(5), with(6, true, inside)), (2, 2));
        assert_eq!(after(PasidPrefix::default(), with(5, false, inside)), (1, 2));
        let all = AtcInvalidate { all: true, ..invalidation(0, 63) };
        assert_eq!(after(pasid(5), all), (2, 2));
    }

    #[test]
    fn no_generation_is_named_twice() {
        let mut g = started(PasidPrefix::default());
        let mut seen = [false; 256];
        for _ in 0..1000 {
            let generation = g.of(FunctionId(1), 2);
            assert!(generation == 0 || !std::mem::replace(&mut seen[usize::from(generation)], true));
            assert_eq!(g.fresh(FunctionId(1), 2, generation), generation != 0);
            g.step(&CoherentRange::default(), Some(&invalidation(0x1_0000, 12)));
        }
        assert_eq!(g.of(FunctionId(1), 2), 0);
        assert_eq!(seen.iter().filter(|s| **s).count(), 255);
    }

    #[test]
    fn a_counter_that_there_is_not_makes_nothing_fresh() {
        let g = started(PasidPrefix::default());
        for generation in 0..=255 {
            assert!(!g.fresh(FunctionId(1), 5, generation) && !g.fresh(FunctionId(9), 0, generation));
        }
    }

    #[test]
    fn an_invalidation_at_the_edge_that_starts_a_counter_counts() {
        let mut g = started(PasidPrefix::default());
        let range = CoherentRange {
            valid: true,
            function: FunctionId(1),
            first: 0x10,
            pages: 1,
            counter: 3,
            ..Default::default()
        };
        g.step(&range, Some(&invalidation(0x1_0000, 12)));
        assert_eq!(g.of(FunctionId(1), 3), 2);
    }
}
