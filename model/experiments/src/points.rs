//! Running points in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

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
    order.sort_by_key(|i| std::cmp::Reverse(points[*i].bytes.saturating_mul(points[*i].iterations + 1)));
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<R, E>>>> = points.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, points.len().max(1)) {
            scope.spawn(|| {
                while let Some(i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = run(&points[*i]);
                    let failed = result.is_err();
                    *slots[*i].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                    if failed {
                        // Nothing after this counts any more: let every thread run out of work.
                        next.store(order.len(), Ordering::Relaxed);
                    }
                    done(&points[*i]);
                }
            });
        }
    });
    // A slot is empty only behind a failure, which ends the collection first or is found among those that follow.
    let mut results: Vec<_> =
        slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    if let Some(i) = results.iter().position(Result::is_err) {
        return results.swap_remove(i).map(|_| Vec::new());
    }
    results.into_iter().collect()
}
