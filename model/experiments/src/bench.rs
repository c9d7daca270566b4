//! The bandwidth comparison: every configuration at every message size.

use crate::model::{Model, PointError};
use crate::points::{Point, iterations, run_points};
use crate::row::Stats;
use std::time::Instant;

/// The points of a comparison, sizes outermost: the configurations stand side by side at each size.
pub fn points(configs: usize, sizes: &[u64], messages: Option<u64>) -> Vec<Point> {
    let at = |bytes: u64| (0..configs).map(move |config| (config, bytes));
    let point = |(config, bytes)| Point { config, bytes, iterations: messages.unwrap_or_else(|| iterations(bytes)) };
    sizes.iter().flat_map(|bytes| at(*bytes)).map(point).collect()
}

/// Runs `points` of `models` on `threads` threads; `done` is called after each.
pub fn bench(
    models: &[Model],
    points: &[Point],
    threads: usize,
    done: impl Fn(&Point) + Sync,
) -> Result<Vec<Stats>, PointError> {
    let one = |point: &Point| {
        let (model, start) = (&models[point.config], Instant::now());
        let run = model.run(point)?;
        Ok(Stats::new(model, point, &run, start.elapsed().as_secs_f64()))
    };
    run_points(points, threads, one, done)
}
