//! Running points in parallel.

use rayon::ThreadPoolBuilder;
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

/// One configuration at one message size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Index of the configuration in the caller's list.
    pub config: usize,
    /// Message size in bytes.
    pub bytes: u64,
    /// Messages to measure.
    pub iterations: u64,
}

/// Messages to measure at a size: at least two, and about 24 MiB in all where messages are small. In the steady state a
/// message is like the one before it, so more of them add host time and no digits.
pub fn iterations(bytes: u64) -> u64 {
    ((24 << 20) / bytes.max(1)).clamp(2, 1000)
}

/// Runs every point on `threads` threads and gives the results in the order of `points`; `done` is called after each.
///
/// The points with most to move start first, so that the last thread to finish is not left with a long one. `run` must
/// depend on its point alone: then so do the results, whatever the number of threads.
pub fn run_points<R: Send, E: Send>(
    points: &[Point],
    threads: usize,
    run: impl Fn(&Point) -> Result<R, E> + Sync,
    done: impl Fn(&Point) + Sync,
) -> Result<Vec<R>, E> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|i| Reverse(points[*i].bytes.saturating_mul(points[*i].iterations + 1)));
    let failed = AtomicBool::new(false);
    let one = |i: usize| {
        // Nothing after a failure counts any more.
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        let result = run(&points[i]);
        failed.fetch_or(result.is_err(), Ordering::Relaxed);
        done(&points[i]);
        Some((i, result))
    };
    let pool = ThreadPoolBuilder::new().num_threads(threads.clamp(1, points.len().max(1))).build();
    let mut results: Vec<(usize, Result<R, E>)> = match pool {
        // The bridge hands points out one by one in their order.
        Ok(pool) => pool.install(|| order.into_iter().par_bridge().filter_map(one).collect()),
        // Where threads cannot be had, this one does it all.
        Err(_) => order.into_iter().filter_map(one).collect(),
    };
    results.sort_unstable_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, result)| result).collect()
}
