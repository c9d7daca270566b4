//! The stimulus of `atc` reaches what lockstep is for: every statistic moves in every named configuration; counters wrap,
//! every tag bit decides, everything meets on one set in one cycle, buffers are full and empty.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::atc::Atc;
use testbench::lockstep::{Interface, Recording};
use testbench::stimulus::atc::{AtcStimulus, RandomRows};
use types::port::{AtcIn, AtcOut};
use types::{BlockDut, Ports, UnitCfg, config::NAMED};

fn record(cfg: &UnitCfg, seed: u64, rows: u64) -> Vec<(AtcIn, AtcOut)> {
    let mut stimulus = AtcStimulus::new(cfg, RandomRows::new(cfg, seed), seed);
    let recording = Recording::of(&Interface::of::<Atc>(cfg), &mut BlockDut::<Atc>::new(cfg), &mut stimulus, rows);
    recording.rows().map(|row| (AtcIn::unpack(cfg, row.inputs), AtcOut::unpack(cfg, row.outputs))).collect()
}

#[test]
fn every_outcome_is_reached_in_fifty_thousand_rows() {
    for (name, cfg) in NAMED {
        let mut counts = [0u64; 9];
        for (_, out) in record(cfg, 1, 50_000) {
            let (bits, width) = out.stat_bits();
            assert_eq!(width, 9);
            (0..9).for_each(|i| counts[i] += bits >> i & 1);
        }
        println!("{name}: {counts:?}");
        assert!(counts.iter().all(|n| *n >= 10), "{name}: {counts:?}");
    }
}

/// What a run has shown beyond the statistics.
#[derive(Debug, Default)]
struct Coverage {
    /// Lookup, fill and invalidation taken in one cycle on one set.
    meetings: u64,
    /// Fills and invalidations offered while their buffer is full, and rows in which both are empty.
    fill_waits: u64,
    invalidate_waits: u64,
    empty: u64,
    /// The epoch of a result is 0 after one of 15, and a function's generation has wrapped.
    epoch_wraps: u64,
    generation_wraps: u64,
    /// Bits of the IOVA that were 1 in a lookup that hit the base array, and bits in which the page filled last on a
    /// set differs from a lookup of that set that missed.
    ones: u64,
    differing: u64,
}

fn coverage(cfg: &UnitCfg, rows: &[(AtcIn, AtcOut)]) -> Coverage {
    let mut c = Coverage::default();
    let set = |iova: u64| (iova >> 12) % u64::from(cfg.atc_sets);
    let mut bumps = vec![0u64; cfg.functions as usize];
    let mut last = vec![0u64; cfg.atc_sets as usize];
    let mut epoch = 0;
    for (n, (i, o)) in rows.iter().enumerate().skip(4) {
        if i.reset {
            bumps.fill(0);
        }
        let (fill, invalidate) = (i.fill.valid && o.fill_ready, i.invalidate.valid && o.invalidate_ready);
        let sets = [i.lookup.key.iova.0, i.fill.key.iova.0, i.invalidate.iova.0].map(set);
        c.meetings += u64::from(i.lookup.valid && fill && invalidate && sets[0] == sets[1] && sets[1] == sets[2]);
        c.fill_waits += u64::from(i.fill.valid && !o.fill_ready);
        c.invalidate_waits += u64::from(i.invalidate.valid && !o.invalidate_ready);
        c.empty += u64::from(o.fill_ready && o.invalidate_ready);
        if invalidate && i.invalidate.all {
            let bump = &mut bumps[usize::from(i.invalidate.function.0)];
            *bump += 1;
            c.generation_wraps += u64::from(bump.is_multiple_of(16));
        }
        if fill {
            last[sets[1] as usize] = i.fill.key.iova.0;
        }
        if o.result.valid {
            c.epoch_wraps += u64::from(epoch == 15 && o.result.epoch == 0);
            epoch = o.result.epoch;
            // The result belongs to the lookup four rows before.
            let asked = rows[n - 4].0.lookup.key.iova.0;
            match o.result.hit {
                true => c.ones |= asked,
                false => c.differing |= asked ^ last[set(asked) as usize],
            }
        }
    }
    c
}

#[test]
fn corners_are_reached() {
    for name in ["tiny", "small"] {
        let cfg = UnitCfg::named(name).unwrap();
        let seen = coverage(&cfg, &record(&cfg, 2, 400_000));
        println!("{name}: {seen:?}");
        assert!(seen.meetings >= 5 && seen.epoch_wraps >= 5 && seen.generation_wraps >= 3, "{name}: {seen:?}");
        assert!(seen.fill_waits >= 1000 && seen.invalidate_waits >= 100 && seen.empty >= 1000, "{name}: {seen:?}");
        // Every bit above the offset of a page.
        let tag = u64::MAX << 12;
        assert_eq!((seen.ones & tag, seen.differing & tag), (tag, tag), "{name}: {seen:?}");
    }
}
