//! Points run in parallel give the same rows in the same order.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use experiments::{Model, Point, bench, iterations, points, run_points};
use std::sync::atomic::{AtomicUsize, Ordering};

fn some(n: u64) -> Vec<Point> {
    (0..n).map(|i| Point { config: 0, bytes: 1 << (i * 7 % 20), iterations: 1 + i }).collect()
}

#[test]
fn order_is_that_of_the_points_on_any_number_of_threads() {
    let points = some(40);
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
    let points = some(40);
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
fn configurations_stand_side_by_side() {
    let order: Vec<_> = points(2, &[10, 20], Some(3)).iter().map(|p| (p.bytes, p.config, p.iterations)).collect();
    assert_eq!(order, [(10, 0, 3), (10, 1, 3), (20, 0, 3), (20, 1, 3)]);
}

/// Real points, on several numbers of threads: the rows are the same but for the host's time.
#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let models: Vec<Model> =
        ["stellar-ats", "stellar-emtt"].iter().map(|preset| Model::load(preset, &[]).unwrap()).collect();
    let points = points(models.len(), &[1 << 10, 20_000, 64 << 10], Some(2));
    let run = |threads| {
        let mut rows = bench(&models, &points, threads, |_| {}).unwrap();
        rows.iter_mut().for_each(|stats| stats.row.wall_s = 0.0);
        rows
    };
    let one = run(1);
    assert_eq!(one.len(), 6);
    for threads in [2, 3, 16] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}
