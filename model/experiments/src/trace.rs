//! A run seen from inside: the ports of every block, cycle by cycle, for wave files.

use crate::model::{Model, PointError, Run};
use crate::points::Point;
use cycle::unit::Unit;
use std::ops::Range;
use system::{Clock, Observer};
use types::Cycle;
use types::port::{UnitIn, UnitOut};

/// Receives the cycles of a trace.
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

/// A trace that did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum TraceError<E> {
    /// The run failed.
    #[error(transparent)]
    Run(#[from] PointError),
    /// The watch gave up.
    #[error(transparent)]
    Watch(E),
}

struct Tap<'a, W: Watch> {
    model: &'a Model,
    clock: Clock,
    window: Range<u64>,
    watch: &'a mut W,
    row: Vec<u64>,
    error: &'a mut Option<W::Error>,
}

impl<W: Watch> Tap<'_, W> {
    fn take(&mut self, cycle: Cycle, unit: &Unit, inp: &UnitIn) -> Result<(), W::Error> {
        self.watch.tick(cycle.0, self.clock.edge(cycle).0)?;
        let mut scope = 0;
        let mut result = Ok(());
        let Self { model, watch, row, .. } = self;
        unit.visit(model.config().unit_cfg(), inp, row, |block, output, row| {
            if result.is_ok() {
                result = watch.row(scope, block, output, row);
            }
            scope += 1;
        });
        result
    }
}

impl<W: Watch> Observer<Unit> for Tap<'_, W> {
    const EVENTS: bool = false;

    fn cycle(&mut self, cycle: Cycle, unit: &Unit, inp: &UnitIn, _: &UnitOut) {
        if self.error.is_none() && self.window.contains(&cycle.0) {
            *self.error = self.take(cycle, unit, inp).err();
        }
    }

    fn stop(&self) -> bool {
        self.error.is_some()
    }
}

impl Model {
    /// Measures one point while `watch` sees the cycles of `window`, counted from power-on. The run goes on to its end, so
    /// that every byte is checked.
    pub fn trace<W: Watch>(
        &self,
        point: &Point,
        window: Range<u64>,
        watch: &mut W,
    ) -> Result<Run, TraceError<W::Error>> {
        let mut error = None;
        let tap = Tap {
            model: self,
            clock: Clock::from_mhz(self.config().unit.clock_mhz),
            window,
            row: vec![0; watch.row_words()],
            watch,
            error: &mut error,
        };
        let result = self.run_observed(point, tap);
        // A watch that gave up has stopped the run; its reason is the one that counts.
        error.map_or_else(|| Ok(result?), |error| Err(TraceError::Watch(error)))
    }
}
