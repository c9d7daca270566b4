//! The bandwidth comparison: every configuration at every message size.

use crate::points::{Point, iterations, run_points};
use crate::row::{Row, bandwidth_peak_gbps};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// Messages in a row over which the peak bandwidth is looked for.
const PEAK_RUN: usize = 16;

/// What the rows of one configuration say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Preset or file it came from.
    pub preset: String,
    /// How the unit translates: direct, ats, emtt.
    pub mode: String,
    /// Clock of the unit, MHz.
    pub clock_mhz: u32,
    /// Width of the unit's data streams, bits.
    pub data_bits: u32,
    /// Seed.
    pub seed: u64,
    /// Hash of the whole configuration.
    pub config_hash: String,
}

/// What one run measured: the messages after those that warm the caches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// When each message was posted, ps, in order.
    pub posted_ps: Vec<u64>,
    /// When each was completed, ps, in the same order.
    pub completed_ps: Vec<u64>,
    /// Bytes wrong at the far end.
    pub wrong: u64,
    /// Clock cycles of the unit, warming and idle ones among them.
    pub cycles: u64,
    /// Every counter over the measured messages, by its key (`<block>.<noun>[_<cause>]`).
    pub counters: BTreeMap<String, u64>,
}

/// A row with every counter of its run: what `--stats` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// Every counter over the measured messages.
    pub counters: BTreeMap<String, u64>,
}

/// The points of a comparison, sizes outermost: the configurations stand side by side at each size.
pub fn points(configs: usize, sizes: &[u64], messages: Option<u64>) -> Vec<Point> {
    let at = |bytes: u64| (0..configs).map(move |config| (config, bytes));
    let point = |(config, bytes)| Point { config, bytes, iterations: messages.unwrap_or_else(|| iterations(bytes)) };
    sizes.iter().flat_map(|bytes| at(*bytes)).map(point).collect()
}

/// Runs `points` over `setups`; `run` measures one point of one configuration, `done` is called after each.
pub fn bench<E: Send>(
    setups: &[Setup],
    points: &[Point],
    threads: usize,
    run: impl Fn(&Point) -> Result<Measured, E> + Sync,
    done: impl Fn(&Point) + Sync,
) -> Result<Vec<Stats>, E> {
    let one = |point: &Point| {
        let start = Instant::now();
        let measured = run(point)?;
        Ok(stats(&setups[point.config], point, measured, start.elapsed().as_secs_f64()))
    };
    run_points(points, threads, one, done)
}

fn stats(setup: &Setup, point: &Point, measured: Measured, wall_s: f64) -> Stats {
    let Measured { posted_ps, completed_ps, wrong, cycles, counters } = measured;
    let messages = completed_ps.len() as u64;
    let first = posted_ps.iter().min().copied().unwrap_or(0);
    let last = completed_ps.iter().max().copied().unwrap_or(0);
    let seconds = last.saturating_sub(first) as f64 * 1e-12;
    let rate = if seconds > 0.0 { messages as f64 / seconds } else { 0.0 };
    let count = |key: &str| counters.get(key).copied().unwrap_or(0);
    let average = rate * point.bytes as f64 * 8e-9;
    let row = Row {
        preset: setup.preset.clone(),
        mode: setup.mode.clone(),
        bytes: point.bytes,
        iterations: messages,
        // All messages are a run of messages as well.
        bw_peak_gbps: bandwidth_peak_gbps(point.bytes, &posted_ps, &completed_ps, PEAK_RUN).max(average),
        bw_average_gbps: average,
        msg_rate_mpps: rate * 1e-6,
        wrong,
        mtt_misses: count("mtt.miss"),
        atc_misses: count("atc.miss"),
        clock_mhz: setup.clock_mhz,
        data_bits: setup.data_bits,
        cycles,
        wall_s,
        seed: setup.seed,
        version: env!("CARGO_PKG_VERSION").into(),
        config_hash: setup.config_hash.clone(),
    };
    Stats { row, counters }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        Setup {
            preset: "p".into(),
            mode: "ats".into(),
            clock_mhz: 500,
            data_bits: 512,
            seed: 1,
            config_hash: "h".into(),
        }
    }

    #[test]
    fn configurations_stand_side_by_side() {
        let points = points(2, &[10, 20], Some(3));
        let order: Vec<_> = points.iter().map(|p| (p.bytes, p.config, p.iterations)).collect();
        assert_eq!(order, [(10, 0, 3), (10, 1, 3), (20, 0, 3), (20, 1, 3)]);
    }

    #[test]
    fn bandwidth_is_bits_over_time() {
        // Four messages of 1 MB, posted 10 µs apart from 5 µs on, each done 40 µs after its posting: the last at 75 µs.
        // 4 MB in 70 µs: 32e6 bits / 70e-6 s = 457.142857 Gb/s, 4 / 70 µs = 0.0571428 M messages a second. A message of
        // its own takes 40 µs, four in a row 70/4 = 17.5 µs each: the peak is 8e6 / 17.5e-6 = 457.142857 Gb/s as well.
        let posted_ps: Vec<u64> = (0..4).map(|i| (5 + 10 * i) * 1_000_000).collect();
        let completed_ps = posted_ps.iter().map(|t| t + 40_000_000).collect();
        let counters = BTreeMap::from([("mtt.miss".to_string(), 7), ("atc.miss".to_string(), 9)]);
        let measured = Measured { posted_ps, completed_ps, wrong: 3, cycles: 100, counters };
        let point = Point { config: 0, bytes: 1_000_000, iterations: 4 };
        let row = bench(&[setup()], &[point], 1, |_| Ok::<_, ()>(measured.clone()), |_| {}).unwrap().remove(0).row;
        assert!((row.bw_average_gbps - 457.142857).abs() < 1e-6, "{row:?}");
        assert!((row.bw_peak_gbps - 457.142857).abs() < 1e-6, "{row:?}");
        assert!((row.msg_rate_mpps - 4.0 / 70.0).abs() < 1e-9, "{row:?}");
        assert_eq!((row.iterations, row.wrong, row.mtt_misses, row.atc_misses, row.cycles), (4, 3, 7, 9, 100));
    }

    #[test]
    fn a_run_without_messages_has_no_bandwidth() {
        let point = Point { config: 0, bytes: 64, iterations: 0 };
        let rows = bench(&[setup()], &[point], 1, |_| Ok::<_, ()>(Measured::default()), |_| {}).unwrap();
        assert_eq!((rows[0].row.bw_average_gbps, rows[0].row.bw_peak_gbps), (0.0, 0.0));
    }

    #[test]
    fn json_has_the_documented_keys() {
        let point = Point { config: 0, bytes: 64, iterations: 1 };
        let rows = bench(&[setup()], &[point], 1, |_| Ok::<_, ()>(Measured::default()), |_| {}).unwrap();
        let value = serde_json::to_value(&rows[0]).unwrap();
        for key in [
            "preset",
            "mode",
            "bytes",
            "iterations",
            "bw_peak_gbps",
            "bw_average_gbps",
            "msg_rate_mpps",
            "wrong",
            "cycles",
            "wall_s",
            "seed",
            "version",
            "config_hash",
            "clock_mhz",
            "data_bits",
            "counters",
        ] {
            assert!(value.get(key).is_some(), "{key}");
        }
    }
}
