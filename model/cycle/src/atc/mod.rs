//! `atc`: the Address Translation Cache alone.
//!
//! ```text
//!            lookup ──►┌───────────────┐ e0 read   ┌──────────────┐
//!                      │ base granule  │──────────►│ e1 pending   │ ──► e2 ──► e3 ──► result ──► e4 statistics,
//!   fill ──►buffer─┐   │ sets × ways   │           │    range     │                              order of use
//!                  ├──►│ tag, data, LRU│◄──────────│              │
//!   invalidate ────┘ B │ large-page    │  write    └──────────────┘
//!   buffer     engine  └───────────────┘
//! ```
//!
//! **Lookup**: one a cycle, never stalled, result 4 cycles later, its statistics one cycle after that. The edge that
//! samples a lookup reads tag, data and replacement RAM of its set and the function's generation, and compares the
//! large-page array (`e0`). A way that is written at that very edge counts as empty, so a stale tag never meets a new
//! valid bit and the RAM needs no logic for collisions. At `e1` the pending invalidation and the epoch are compared, at
//! `e3` the result register is loaded. The set's replacement state is on the write port from `e4` on; a fill of the same
//! edge wins.
//!
//! No two entries of an array answer one lookup: a fill clears those that would (the same page under the same owner, or
//! under a global one). The large-page array goes before the base-granule array.
//!
//! **Engine** (second read port, the only writer of tags): one fill, invalidation or clear at a time. A fill taken with
//! or before an invalidation is written before the invalidation's sweep starts. A fill is visible to lookups 8 cycles
//! after the cycle that offers it; one into the large array first walks the entries and drops those it overlaps, then
//! clears the victim and lets lookups under way pass before it writes, so that no lookup pairs the old tag with the new
//! data.
//!
//! **Invalidation**: from the edge that takes it the range is *pending*: a lookup sampled at that edge or later misses
//! and carries the new epoch. The sweep reads one set and one large entry a cycle; an edge after the last write the range
//! is released. Whole-function invalidation bumps the function's generation, which is part of the tag, drops the
//! function's large entries, and sweeps the sets only when the generation wraps. After reset all RAM is cleared the same
//! way, one set a cycle; everything misses until then.

mod base;
mod engine;
mod large;

use crate::progress::{Wait, wait};
use base::BaseArray;
use engine::Engine;
use large::LargeArray;
use types::port::{AtcIn, AtcInvalidate, AtcKey, AtcLookup, AtcOut, AtcResult};
use types::{Block, Cycle, TlpAddr, UnitCfg};

/// Generations a function can have before a sweep is needed: a 4-bit field of the tag.
pub const GENERATIONS: u8 = 16;
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[wait("atc.fill", "atc.engine", "a sweep or another fill is at work")];

/// What an entry grants and how an access through it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attributes {
    read: bool,
    write: bool,
    exec: bool,
    untranslated: bool,
    no_snoop: bool,
}

impl Attributes {
    fn grant(self, lookup: &AtcLookup) -> bool {
        (self.read || !lookup.read) && (self.write || !lookup.write) && (self.exec || !lookup.key.pasid.exec)
    }
}

/// The PASID part of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    function: u16,
    generation: u8,
    pasid_valid: bool,
    pasid: u32,
    privileged: bool,
    global: bool,
}

impl Owner {
    pub(crate) fn of(key: &AtcKey, global: bool, generation: u8) -> Self {
        Self {
            function: key.function.0,
            generation,
            pasid_valid: key.pasid.valid,
            pasid: if key.pasid.valid { key.pasid.pasid.0 } else { 0 },
            privileged: key.pasid.valid && key.pasid.privileged,
            global: global && key.pasid.valid,
        }
    }

    /// Whether an entry of this owner answers `asked`; Global matches any PASID of the function.
    fn answers(&self, asked: &Owner) -> bool {
        self.function == asked.function
            && self.generation == asked.generation
            && self.pasid_valid == asked.pasid_valid
            && self.privileged == asked.privileged
            && (self.global || self.pasid == asked.pasid)
    }

    /// Whether a lookup exists that entries of both owners answer, were they of one page and generation.
    fn rivals(&self, other: &Owner) -> bool {
        self.function == other.function
            && self.pasid_valid == other.pasid_valid
            && self.privileged == other.privileged
            && (self.global || other.global || self.pasid == other.pasid)
    }

    /// Whether an entry of this owner is dead because `newer` carries its function's current generation.
    fn outlived_by(&self, newer: &Owner) -> bool {
        self.function == newer.function && self.generation != newer.generation
    }

    /// Whether an invalidation means entries of this owner, and whether at all addresses (PCIe 6.x 10.3.8).
    pub(crate) fn scope(&self, inv: &AtcInvalidate) -> (bool, bool) {
        if self.function != inv.function.0 {
            (false, false)
        } else if inv.all || (!inv.pasid.valid && self.pasid_valid) {
            (true, true)
        } else if !inv.pasid.valid {
            (true, false)
        } else {
            let own = !self.global && self.pasid == inv.pasid.pasid.0;
            (self.pasid_valid && (inv.global || own), false)
        }
    }
}

/// Whether two aligned power-of-two ranges overlap.
fn overlap(a: u64, a_log2: u32, b: u64, b_log2: u32) -> bool {
    let log2 = a_log2.max(b_log2);
    // 63 stands for every address.
    log2 >= 63 || (a ^ b) >> log2 == 0
}

/// A lookup on its way through the pipeline.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    lookup: AtcLookup,
    asked: Owner,
    base: Probe,
    large: Probe,
    state: crate::replacement::SetState,
    parity: bool,
    pending: bool,
    epoch: u8,
}

/// What one array says to a lookup.
#[derive(Clone, Copy, Debug, Default)]
struct Probe {
    /// An entry names the page, whatever it grants.
    named: bool,
    /// An entry grants the access.
    hit: bool,
    way: u32,
    address: u64,
    attributes: Attributes,
}

/// The Address Translation Cache.
#[derive(Clone, Debug)]
pub struct Atc {
    base: BaseArray,
    large: LargeArray,
    engine: Engine,
    generation: Vec<u8>,
    s1: Stage,
    s2: Stage,
    s3: Stage,
    /// A lookup that hit the base array, on its way to the replacement RAM.
    touch: Option<Stage>,
    /// Statistics of the result that is visible now; they are visible an edge later.
    statistics: AtcOut,
    out: AtcOut,
}

impl Atc {
    /// Whether every set has been cleared since reset.
    pub fn cleared(&self) -> bool {
        self.engine.cleared()
    }

    fn reset(&mut self) {
        self.engine = Engine::default();
        (self.s1, self.s2, self.s3) = Default::default();
        self.touch = None;
        self.statistics = AtcOut::default();
        self.out = AtcOut::default();
        self.base.forget();
    }

    /// e3: loads the result register.
    fn result(&mut self) {
        self.touch = None;
        self.statistics = AtcOut::default();
        let s3 = self.s3;
        if !s3.lookup.valid {
            return;
        }
        // The large-page array goes first.
        let probe = if s3.large.hit { s3.large } else { s3.base };
        let hit = probe.hit && !s3.pending;
        let out = &mut self.out;
        out.result = AtcResult { valid: true, slot: s3.lookup.slot, epoch: s3.epoch, ..AtcResult::default() };
        if hit {
            out.result.hit = true;
            out.result.untranslated = probe.attributes.untranslated;
            out.result.no_snoop = probe.attributes.no_snoop;
            out.result.address = TlpAddr(probe.address);
        }
        self.touch = (hit && !s3.large.hit).then_some(s3);
        self.statistics = AtcOut {
            stat_hit_base: hit && !s3.large.hit,
            stat_hit_large: hit && s3.large.hit,
            stat_miss: !hit,
            stat_miss_permission: !hit && !s3.pending && (s3.base.named || s3.large.named),
            stat_miss_pending: s3.pending,
            stat_parity: s3.parity,
            ..AtcOut::default()
        };
    }
}

impl Block for Atc {
    type In = AtcIn;
    type Out = AtcOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self {
            base: BaseArray::new(cfg),
            large: LargeArray::new(cfg),
            engine: Engine::default(),
            generation: vec![0; cfg.functions as usize],
            s1: Stage::default(),
            s2: Stage::default(),
            s3: Stage::default(),
            touch: None,
            statistics: AtcOut::default(),
            out: AtcOut::default(),
        }
    }

    fn outputs(&self, out: &mut AtcOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &AtcIn) {
        // The RAMs have no reset: what stands on their write ports is written.
        let written = self.base.commit();
        if inp.reset {
            self.reset();
            return;
        }
        // e4
        if let Some(touch) = self.touch {
            self.base.touch(touch.lookup.key.iova.0, touch.base.way, touch.state);
        }
        self.out = self.statistics;
        // e3
        self.result();
        // e2
        self.s3 = self.s2;
        // e1
        self.s2 = self.s1;
        if self.s2.lookup.valid {
            let iova = self.s2.lookup.key.iova.0;
            self.s2.pending = self.engine.masks(&self.s2.asked, iova, self.base.granule_log2());
            self.s2.epoch = self.engine.epoch();
        }
        // e0
        self.s1 = Stage::default();
        if inp.lookup.valid {
            let key = &inp.lookup.key;
            let generation = self.generation.get(usize::from(key.function.0)).copied().unwrap_or(0);
            let asked = Owner::of(key, false, generation);
            let (base, state, parity) = self.base.probe(&asked, &inp.lookup, written);
            let large = self.large.probe(&asked, &inp.lookup);
            self.s1 = Stage { lookup: inp.lookup, asked, base, large, state, parity, ..Stage::default() };
        }
        self.engine.step(inp, &mut self.base, &mut self.large, &mut self.generation, &mut self.out);
    }

    fn idle_until(&self, inp: &AtcIn) -> Option<Cycle> {
        let busy = inp.reset || inp.lookup.valid || inp.fill.valid || inp.invalidate.valid;
        let still = !(self.s1.lookup.valid || self.s2.lookup.valid || self.s3.lookup.valid || self.out.result.valid)
            && self.touch.is_none()
            && self.statistics == AtcOut::default()
            && self.base.resting();
        // A one-cycle pulse on an output is a change at the next edge.
        (!busy && still && self.engine.resting() && self.out == self.engine.resting_outputs())
            .then_some(Cycle(u64::MAX))
    }
}
