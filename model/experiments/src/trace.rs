//! A point seen from inside, for wave files.

use crate::model::{Model, PointError, Run};
use crate::points::Point;
use std::ops::Range;
use system::{Tap, Watch};

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

impl Model {
    /// Measures one point while `watch` sees the cycles of `window`, counted from power-on. The run goes on to its end, so
    /// that every byte is checked.
    pub fn trace<W: Watch>(
        &self,
        point: &Point,
        window: Range<u64>,
        watch: &mut W,
    ) -> Result<Run, TraceError<W::Error>> {
        let mut tap = Tap::new(self.config(), window, watch);
        let result = self.run_observed(point, &mut tap);
        // A watch that gave up has stopped the run; its reason is the one that counts.
        tap.finish().map_err(TraceError::Watch)?;
        Ok(result?)
    }
}
