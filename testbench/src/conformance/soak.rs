//! Soak: random scenarios back to back, each on a fresh machine, until the units have run for so many cycles.

use super::{Disturbance, Failure, Search, Style, explore, races, scenarios};
use crate::coverage::Coverage;
use crate::scenario::Report;
use std::fmt;
use system::fabric::TlpKind;

/// Scenarios of one kind in a row.
const BATCH: u32 = 20;

/// What a soak has come to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cycles of all units.
    pub cycles: u64,
    /// Scenarios.
    pub scenarios: u64,
    /// Work requests that have ended.
    pub requests: u64,
    /// TLPs at the units' edges.
    pub tlps: u64,
    /// Invalidate Requests.
    pub invalidations: u64,
    /// Points of functional coverage.
    pub coverage: Coverage,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.cycles += report.cycles;
        self.scenarios += 1;
        self.requests += report.outcomes.values().sum::<u64>();
        self.tlps += report.tlps.values().sum::<u64>();
        self.invalidations += report.tlps.get(&TlpKind::InvalidateRequest).copied().unwrap_or(0);
        self.coverage.add(&report.coverage);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |point| self.coverage.count(point);
        let all = Coverage::points().count();
        write!(
            f,
            "{} cycles, {} scenarios, {} requests, {} TLPs, {} invalidations, {} revocations, {} function-level resets, \
             {} of {all} points of coverage",
            self.cycles,
            self.scenarios,
            self.requests,
            self.tlps,
            self.invalidations,
            count("revoke.plain") + count("revoke.flush"),
            count("reset.function"),
            all - self.coverage.missing().len(),
        )
    }
}

/// Runs scenarios until the units have run for `cycles` cycles; the same ones with the same `seed`. `progress` is shown
/// what has been reached now and then. The first violation, of whatever watches a scenario, ends it.
pub fn soak(cycles: u64, seed: u64, mut progress: impl FnMut(&Tally)) -> Result<Tally, Box<Failure>> {
    let mut tally = Tally::default();
    for batch in 0.. {
        let seed = seed.wrapping_mul(1 << 32).wrapping_add(batch);
        let seen = |report: &Report| tally.add(report);
        let search = Search::new(BATCH, seed);
        match batch % 4 {
            0 => explore(scenarios(Style::Wild), search, seen)?,
            1 => explore(races(Disturbance::Mappings), search, seen)?,
            _ => explore(races(Disturbance::Everything), search, seen)?,
        }
        progress(&tally);
        if tally.cycles >= cycles {
            break;
        }
    }
    Ok(tally)
}
