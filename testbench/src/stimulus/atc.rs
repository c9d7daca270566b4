//! Stimulus of `atc`: lookups, fills and invalidations that meet in a few sets, over every bit of the tag.

use super::below;
use crate::lockstep::Stimulus;
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use types::port::{AtcFill, AtcIn, AtcInvalidate, AtcKey, AtcLookup, AtcOut};
use types::{FunctionId, Iova, Pasid, PasidPrefix, Ports, Slot, TlpAddr, UnitCfg};

/// What is asked in one row; numbers choose from small pools, so that things meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// A lookup of page `page` for owner `owner`, with this offset; bit 0 of `rights` asks R, bit 1 W.
    pub lookup: Option<Access>,
    /// A fill.
    pub fill: Option<Fill>,
    /// An invalidation.
    pub invalidate: Option<Invalidate>,
    /// Reset in this row.
    pub reset: bool,
}

/// A page and an owner out of the pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Index into the pool of pages.
    pub page: u8,
    /// Index into the pool of functions and PASIDs.
    pub owner: u8,
    /// Bit 0 R, bit 1 W.
    pub rights: u8,
    /// Offset inside the page.
    pub offset: u16,
}

/// A fill out of the pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// Page and owner; `rights` are the permissions given.
    pub access: Access,
    /// Bits: 0 Exe, 1 Global, 2 U, 3 N, 4 flip parity.
    pub flags: u8,
    /// Index into the pool of sizes.
    pub size: u8,
    /// Bits of the bus address.
    pub address: u64,
}

/// An invalidation out of the pools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Invalidate {
    /// Page and owner.
    pub access: Access,
    /// Base-two logarithm of the range, 12 to 63.
    pub size: u8,
    /// Bits: 0 Global, 1 the whole function.
    pub flags: u8,
}

const SIZES: [u8; 12] = [12, 12, 12, 12, 12, 13, 15, 16, 21, 25, 30, 63];
const PAGES: u32 = 16;
const OWNERS: u32 = 10;

/// Drives the rows asked for; a fill or an invalidation is held until it was taken.
#[derive(Clone, Debug)]
pub struct AtcStimulus<I> {
    cfg: UnitCfg,
    rows: I,
    pool: Vec<u64>,
    /// Draws new pages for the pool now and then.
    rng: Pcg64Mcg,
    inp: AtcIn,
    /// Row by row: fills offered and not yet taken are kept unless `rude`.
    rude: bool,
}

/// Rows without end from a seed.
#[derive(Clone, Debug)]
pub struct RandomRows {
    rng: Pcg64Mcg,
    /// One invalidation in this many rows: a sweep of every set must not fill the run.
    invalidate_every: u32,
    /// One reset in this many rows.
    reset_every: u32,
}

impl RandomRows {
    /// Rows of a seed for configuration `cfg`.
    pub fn new(cfg: &UnitCfg, seed: u64) -> Self {
        let rng = Pcg64Mcg::seed_from_u64(seed);
        Self { rng, invalidate_every: 60 + 3 * cfg.atc_sets, reset_every: 10_000 + 60 * cfg.atc_sets }
    }
}

impl Iterator for RandomRows {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let rng = &mut self.rng;
        let mut access = || {
            let bits = rng.next_u64();
            Access {
                page: bits as u8,
                owner: (bits >> 8) as u8,
                rights: (bits >> 16) as u8,
                offset: (bits >> 24) as u16,
            }
        };
        let (a, b, c) = (access(), access(), access());
        let bits = rng.next_u32();
        let address = rng.next_u64();
        // Lookups in most rows, invalidations rarely, a reset once in thousands of rows.
        let fill = Fill {
            access: b,
            flags: (bits >> 8) as u8 & (bits >> 12) as u8 & (bits >> 4) as u8,
            size: (bits >> 16) as u8,
            address,
        };
        let invalidate =
            Invalidate { access: c, size: 12 + (bits >> 24) as u8 % 52, flags: (bits >> 5) as u8 & (bits >> 11) as u8 };
        Some(Row {
            lookup: (below(rng, 8) > 0).then_some(a),
            fill: (below(rng, 6) == 0).then_some(fill),
            invalidate: (below(rng, self.invalidate_every) == 0).then_some(invalidate),
            reset: below(rng, self.reset_every) == 0,
        })
    }
}

impl<I: Iterator<Item = Row>> AtcStimulus<I> {
    /// Drives `rows` in configuration `cfg`; pages come from `seed`.
    pub fn new(cfg: &UnitCfg, rows: I, seed: u64) -> Self {
        let mut stimulus = Self {
            cfg: cfg.clone(),
            rows,
            pool: vec![0; PAGES as usize],
            rng: Pcg64Mcg::seed_from_u64(seed ^ 0x9e37_79b9_7f4a_7c15),
            inp: AtcIn::default(),
            rude: seed % 4 == 3,
        };
        (0..PAGES).for_each(|i| stimulus.draw(i));
        stimulus
    }

    /// A page of a few sets (the first, the last, one between) whose tag is zero, all ones, one bit, or random.
    fn draw(&mut self, i: u32) {
        let (granule, sets) = (self.cfg.atc_granule_log2, u64::from(self.cfg.atc_sets));
        let set = [0, 0, 0, sets - 1, sets / 2][below(&mut self.rng, 5) as usize];
        let tag_low = granule + sets.trailing_zeros();
        let tag = match below(&mut self.rng, 4) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (tag_low + below(&mut self.rng, 64 - tag_low)),
            _ => self.rng.next_u64(),
        };
        self.pool[i as usize] = (tag >> tag_low) << tag_low | set << granule;
    }

    fn key(&self, access: &Access) -> AtcKey {
        let functions = self.cfg.functions as u16;
        let page = self.pool[usize::from(access.page) % PAGES as usize];
        let (function, pasid) = match u32::from(access.owner) % OWNERS {
            0..=2 => (0, None),
            3 => (0, Some((0, false))),
            4 => (0, Some((1, false))),
            5 => (0, Some((0xf_ffff, true))),
            6 => (functions - 1, None),
            7 => (functions - 1, Some((1, false))),
            8 => (functions / 2, None),
            _ => (0, Some((1 << (access.owner % 20), false))),
        };
        let pasid = pasid.map_or(PasidPrefix::default(), |(pasid, exec)| PasidPrefix {
            valid: true,
            pasid: Pasid(pasid),
            exec: exec && access.owner & 64 != 0,
            privileged: exec && access.owner & 128 != 0,
        });
        AtcKey { function: FunctionId(function), pasid, iova: Iova(page | u64::from(access.offset) & 0xfff) }
    }

    fn apply(&mut self, row: &Row, last: &AtcOut) {
        let taken_fill = self.inp.fill.valid && last.fill_ready;
        let taken_invalidate = self.inp.invalidate.valid && last.invalidate_ready;
        self.inp.lookup = row.lookup.map_or(AtcLookup::default(), |a| AtcLookup {
            valid: true,
            slot: Slot(u16::from(a.page ^ a.owner) % self.cfg.slots() as u16),
            key: self.key(&a),
            read: a.rights & 1 != 0,
            write: a.rights & 2 != 0,
        });
        if !self.inp.fill.valid || taken_fill || self.rude {
            self.inp.fill = row.fill.map_or(AtcFill::default(), |f| self.fill(&f));
            self.inp.inject_parity = row.fill.is_some_and(|f| f.flags & 16 != 0);
        }
        if !self.inp.invalidate.valid || taken_invalidate || self.rude {
            self.inp.invalidate = row.invalidate.map_or(AtcInvalidate::default(), |i| {
                let key = self.key(&i.access);
                let size_log2 = i.size.clamp(12, 63);
                AtcInvalidate {
                    valid: true,
                    function: key.function,
                    pasid: key.pasid,
                    global: i.flags & 1 != 0,
                    all: i.flags & 2 != 0,
                    iova: Iova(key.iova.0 >> size_log2 << size_log2),
                    size_log2,
                }
            });
        }
        self.inp.reset = row.reset;
    }

    fn fill(&self, f: &Fill) -> AtcFill {
        let key = self.key(&f.access);
        let size_log2 = SIZES[usize::from(f.size) % SIZES.len()];
        AtcFill {
            valid: true,
            key,
            address: TlpAddr(f.address >> size_log2 << size_log2),
            size_log2,
            read: f.access.rights & 3 != 1,
            write: f.access.rights & 2 != 0,
            exec: f.flags & 1 != 0,
            global: f.flags & 2 != 0,
            untranslated: f.flags & 4 != 0,
            no_snoop: f.flags & 8 != 0,
        }
    }
}

impl<I: Iterator<Item = Row>> Stimulus for AtcStimulus<I> {
    fn drive(&mut self, row: u64, outputs: &[u64], inputs: &mut [u64]) {
        if row.is_multiple_of(512) {
            let i = below(&mut self.rng, PAGES);
            self.draw(i);
        }
        let asked = self.rows.next().unwrap_or_default();
        self.apply(&asked, &AtcOut::unpack(&self.cfg, outputs));
        self.inp.pack(&self.cfg, inputs);
    }
}

fn access() -> impl Strategy<Value = Access> {
    (any::<u8>(), any::<u8>(), any::<u8>(), any::<u16>()).prop_map(|(page, owner, rights, offset)| Access {
        page,
        owner,
        rights,
        offset,
    })
}

/// Up to `rows` rows that shrink to few and simple ones.
pub fn rows(rows: usize) -> impl Strategy<Value = Vec<Row>> {
    let fill = (access(), any::<u8>(), any::<u8>(), any::<u64>()).prop_map(|(access, flags, size, address)| Fill {
        access,
        flags: flags & (flags >> 3),
        size,
        address,
    });
    let invalidate = (access(), 12..64u8, 0..16u8).prop_map(|(access, size, flags)| Invalidate { access, size, flags });
    let row = (
        prop::option::weighted(0.8, access()),
        prop::option::weighted(0.2, fill),
        prop::option::weighted(0.03, invalidate),
        prop::bool::weighted(0.001),
    )
        .prop_map(|(lookup, fill, invalidate, reset)| Row { lookup, fill, invalidate, reset });
    // The length shrinks first, and by halves; then the rows.
    (1..=rows, prop::collection::vec(row, rows)).prop_map(|(n, mut rows)| {
        rows.truncate(n);
        rows
    })
}
