//! Points run in parallel give the same rows in the same order.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use experiments::{Point, bandwidth_peak_gbps, iterations, run_points};
use std::sync::atomic::{AtomicUsize, Ordering};

fn points(n: u64) -> Vec<Point> {
    (0..n).map(|i| Point { config: 0, bytes: 1 << (i * 7 % 20), iterations: 1 + i }).collect()
}

#[test]
fn order_is_that_of_the_points_on_any_number_of_threads() {
    let points = points(40);
    let expected: Vec<u64> = points.iter().map(|p| p.bytes * 3 + p.iterations).collect();
    for threads in [0, 1, 2, 3, 64] {
        let done = AtomicUsize::new(0);
        let result = run_points(
            &points,
            threads,
            |p| Ok::<_, ()>(p.bytes * 3 + p.iterations),
            |_| {
                done.fetch_add(1, Ordering::Relaxed);
            },
        );
        assert_eq!(result, Ok(expected.clone()));
        assert_eq!(done.into_inner(), 40);
    }
    assert_eq!(run_points(&[], 2, |_| Ok::<u64, ()>(0), |_| {}), Ok(vec![]));
}

#[test]
fn a_failure_is_the_result_and_ends_the_run() {
    let points = points(40);
    for threads in [1, 2] {
        let started = AtomicUsize::new(0);
        let result = run_points(
            &points,
            threads,
            |p| {
                started.fetch_add(1, Ordering::Relaxed);
                if p.bytes == 1 << 19 { Err("broken") } else { Ok(p.bytes) }
            },
            |_| {},
        );
        assert_eq!(result, Err("broken"));
        // 2^19 bytes are the largest messages, so they start first; at most one more point a thread runs beside them.
        assert!(started.into_inner() < 40);
    }
}

#[test]
fn large_messages_are_few_and_small_ones_many() {
    assert_eq!(iterations(64 << 20), 2);
    assert_eq!(iterations(1 << 20), 24);
    assert_eq!(iterations(64 << 10), 384);
    assert_eq!(iterations(1), 1000);
    assert_eq!(iterations(0), 1000);
}

#[test]
fn peak_is_the_best_run_of_messages() {
    // Three messages of 1000 bytes posted at 0; completed at 100, 150 and 400 ns. Times a message: 100, 75, 133 ns; from
    // the second posting on: 150 and 200 ns; the third alone: 400 ns. The best is 8000 bits in 75 ns = 106.67 Gb/s.
    let peak = bandwidth_peak_gbps(1000, &[0, 0, 0], &[100_000, 150_000, 400_000], 3);
    assert!((peak - 8000.0 / 75.0).abs() < 1e-9, "{peak}");
    // With runs of one message only: 100 ns.
    assert!((bandwidth_peak_gbps(1000, &[0, 0, 0], &[100_000, 150_000, 400_000], 1) - 80.0).abs() < 1e-9);
    assert_eq!(bandwidth_peak_gbps(1000, &[], &[], 4), 0.0);
}
