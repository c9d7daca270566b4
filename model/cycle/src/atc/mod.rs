//! `atc`: the Address Translation Cache alone.
//!
//! ```text
//!            lookup ──►┌───────────────┐ e0 read   ┌──────────────┐
//!                      │ base granule  │──────────►│ s1 large     │ e1
//!   fill ──►buffer─┐   │ sets × ways   │           │ s2 pending   │ e2 ──► s3 ──e3──► result
//!                  ├──►│ tag, data, LRU│◄──────────│ LRU update   │
//!   invalidate ────┘ B │ large-page    │  write    └──────────────┘
//!   buffer     engine  └───────────────┘
//! ```
//!
//! **Lookup**: one a cycle, never stalled, result 4 cycles later. The edge that samples a lookup reads tag, data and
//! replacement RAM of its set and the function's generation (`e0`, old value on a write to the same address). At `e1` the
//! large-page array is compared, at `e2` the pending invalidation and the epoch, at `e3` the result register is loaded
//! and the set's replacement state written back.
//!
//! **Engine** (second read port, the only writer of tags): one fill, invalidation or clear at a time. A fill taken with
//! or before an invalidation is written before the invalidation's sweep starts. A fill writes 4 cycles after it was
//! taken; into the large array it first walks the entries, then clears the victim and lets lookups under way pass
//! before it writes, so that no lookup pairs the old tag with the new data.
//!
//! **Invalidation**: from the edge that takes it the range is *pending*: a lookup it covers misses. The sweep reads one
//! set and one large entry a cycle; three cycles after the last write the range is released. Whole-function
//! invalidation bumps the function's generation, which is part of the tag, and sweeps only when the generation wraps.
//! After reset all RAM is cleared the same way, one set a cycle; everything misses until then.

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
struct Owner {
    function: u16,
    generation: u8,
    pasid_valid: bool,
    pasid: u32,
    privileged: bool,
    global: bool,
}

impl Owner {
    fn of(key: &AtcKey, global: bool, generation: u8) -> Self {
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

    /// Whether an entry of this owner is dead because `newer` carries its function's current generation.
    fn outlived_by(&self, newer: &Owner) -> bool {
        self.function == newer.function && self.generation != newer.generation
    }

    /// Whether an invalidation means entries of this owner, and whether at all addresses (PCIe 6.x 10.3.8).
    fn scope(&self, inv: &AtcInvalidate) -> (bool, bool) {
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
        self.out = AtcOut::default();
    }

    fn result(&mut self) {
        let s3 = self.s3;
        if !s3.lookup.valid {
            return;
        }
        let usable = !s3.pending;
        let (base, large) = (usable && s3.base.hit, usable && s3.large.hit);
        let out = &mut self.out;
        out.result = AtcResult { valid: true, slot: s3.lookup.slot, epoch: s3.epoch, ..AtcResult::default() };
        if base || large {
            let probe = if base { s3.base } else { s3.large };
            out.result.hit = true;
            out.result.untranslated = probe.attributes.untranslated;
            out.result.no_snoop = probe.attributes.no_snoop;
            out.result.address =
                TlpAddr(if probe.attributes.untranslated { s3.lookup.key.iova.0 } else { probe.address });
        }
        out.stat_hit_base = base;
        out.stat_hit_large = large && !base;
        out.stat_miss = !(base || large);
        out.stat_miss_permission = usable && !(base || large) && (s3.base.named || s3.large.named);
        out.stat_miss_pending = s3.pending;
        out.stat_parity = s3.parity;
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
            out: AtcOut::default(),
        }
    }

    fn outputs(&self, out: &mut AtcOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &AtcIn) {
        if inp.reset {
            self.reset();
            return;
        }
        self.out = AtcOut::default();
        self.result();
        // e3: the replacement state read at e0 goes back; a fill's write of the same edge wins.
        let touched = self.s3;
        let usable_hit = touched.lookup.valid && touched.base.hit && !touched.pending;
        // e2
        self.s3 = self.s2;
        if self.s3.lookup.valid {
            self.s3.pending = self.engine.masks(&self.s3.asked, self.s3.lookup.key.iova.0);
            self.s3.epoch = self.engine.epoch();
        }
        // e1
        self.s2 = self.s1;
        if self.s2.lookup.valid {
            self.s2.large = self.large.probe(&self.s2.asked, &self.s2.lookup);
        }
        // e0
        self.s1 = Stage::default();
        if inp.lookup.valid {
            let key = &inp.lookup.key;
            let generation = self.generation.get(usize::from(key.function.0)).copied().unwrap_or(0);
            let asked = Owner::of(key, false, generation);
            let (base, state, parity) = self.base.probe(&asked, &inp.lookup);
            self.s1 = Stage { lookup: inp.lookup, asked, base, state, parity, ..Stage::default() };
        }
        if usable_hit {
            self.base.touch(touched.lookup.key.iova.0, touched.base.way, touched.state);
        }
        self.engine.step(inp, &mut self.base, &mut self.large, &mut self.generation, &mut self.out);
    }

    fn idle_until(&self, inp: &AtcIn) -> Option<Cycle> {
        let busy = inp.reset || inp.lookup.valid || inp.fill.valid || inp.invalidate.valid;
        let still = !(self.s1.lookup.valid || self.s2.lookup.valid || self.s3.lookup.valid || self.out.result.valid);
        // A one-cycle pulse on an output is a change at the next edge.
        (!busy && still && self.engine.resting() && self.out == self.engine.resting_outputs())
            .then_some(Cycle(u64::MAX))
    }
}
