//! A run seen from inside: the ports of every block, cycle by cycle, for wave files.

use crate::config::Config;
use crate::observer::Observer;
use crate::time::Clock;
use cycle::unit::Unit;
use std::ops::Range;
use types::port::{UnitIn, UnitOut};
use types::ports::Ports;
use types::{Cycle, UnitCfg};

/// Receives the cycles of a run.
pub trait Watch {
    /// Why it cannot go on.
    type Error;
    /// Words of the longest port struct's row.
    fn row_words(&self) -> usize;
    /// A cycle begins, `time_ps` after power-on.
    fn tick(&mut self, cycle: u64, time_ps: u64) -> Result<(), Self::Error>;
    /// Port struct number `scope` of this cycle as a packed row. Numbers are given in a fixed order: the unit's own
    /// inputs and outputs, called `unit`, then those of each block in pipeline order.
    fn row(&mut self, scope: usize, block: &'static str, output: bool, row: &[u64]) -> Result<(), Self::Error>;
}

/// A unit whose blocks can be looked at.
pub trait Inside {
    /// Ports of every block in the current cycle, in pipeline order, with the inputs `inp` at the unit's pins: block name,
    /// whether outputs, packed row. `row` is room for the longest.
    fn blocks(&self, cfg: &UnitCfg, inp: &UnitIn, row: &mut [u64], f: &mut dyn FnMut(&'static str, bool, &[u64]));
}

impl Inside for Unit {
    fn blocks(&self, cfg: &UnitCfg, inp: &UnitIn, row: &mut [u64], f: &mut dyn FnMut(&'static str, bool, &[u64])) {
        self.visit(cfg, inp, row, |block, output, row| {
            if block != UNIT {
                f(block, output, row);
            }
        });
    }
}

/// What the unit's own ports are called.
const UNIT: &str = "unit";

/// An observer that shows the cycles of a window to a [`Watch`]. One that gives up sees no more, and the run may stop.
#[derive(Debug)]
pub struct Tap<'a, W: Watch> {
    cfg: UnitCfg,
    clock: Clock,
    window: Range<u64>,
    watch: &'a mut W,
    row: Vec<u64>,
    error: Option<W::Error>,
}

impl<'a, W: Watch> Tap<'a, W> {
    /// Shows `watch` the cycles of `window`, counted from power-on.
    pub fn new(config: &Config, window: Range<u64>, watch: &'a mut W) -> Self {
        let (cfg, clock) = (config.unit_cfg().clone(), Clock::from_mhz(config.unit.clock_mhz));
        let row = vec![0; watch.row_words()];
        Self { cfg, clock, window, watch, row, error: None }
    }

    /// The end of the run: why the watch gave up, if it did.
    pub fn finish(self) -> Result<(), W::Error> {
        self.error.map_or(Ok(()), Err)
    }

    fn take<U: Inside>(&mut self, cycle: Cycle, unit: &U, inp: &UnitIn, out: &UnitOut) -> Result<(), W::Error> {
        let Self { cfg, watch, row, .. } = self;
        watch.tick(cycle.0, self.clock.edge(cycle).0)?;
        inp.pack(cfg, row);
        watch.row(0, UNIT, false, row)?;
        out.pack(cfg, row);
        watch.row(1, UNIT, true, row)?;
        let mut scope = 2;
        let mut result = Ok(());
        unit.blocks(cfg, inp, row, &mut |block, output, row| {
            if result.is_ok() {
                result = watch.row(scope, block, output, row);
            }
            scope += 1;
        });
        result
    }
}

impl<U: Inside, W: Watch> Observer<U> for Tap<'_, W> {
    const EVENTS: bool = false;

    fn cycle(&mut self, cycle: Cycle, unit: &U, inp: &UnitIn, out: &UnitOut) {
        if self.error.is_none() && self.window.contains(&cycle.0) {
            self.error = self.take(cycle, unit, inp, out).err();
        }
    }

    fn stop(&self) -> bool {
        self.error.is_some()
    }
}
