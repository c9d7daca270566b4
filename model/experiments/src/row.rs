//! One line of a result.

use crate::model::{Model, Run};
use crate::points::Point;
use serde::Serialize;
use std::collections::BTreeMap;
use system::Statistics;

/// What one configuration reached at one message size. Field names are the keys of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Preset or file the configuration came from.
    pub preset: String,
    /// How the unit translates: direct, ats, emtt.
    pub mode: String,
    /// Message size in bytes.
    pub bytes: u64,
    /// Messages of each queue pair that were measured; the first, which warms the caches, is not among them.
    pub iterations: u64,
    /// Bandwidth of the fastest measured message (with several queue pairs: round of messages), Gb/s (10^9 bits).
    pub bw_peak_gbps: f64,
    /// Bandwidth over all messages measured, Gb/s (10^9 bits).
    pub bw_average_gbps: f64,
    /// Messages a second, millions.
    pub msg_rate_mpps: f64,
    /// Bytes that were not as sent at the far end, or never arrived there, the first pass included.
    pub wrong: u64,
    /// MTT cache misses after the first pass.
    pub mtt_misses: u64,
    /// ATC misses after the first pass.
    pub atc_misses: u64,
    /// Clock of the unit, MHz.
    pub clock_mhz: u32,
    /// Width of the unit's data streams, bits.
    pub data_bits: u32,
    /// Clock cycles of the unit simulated, from power-on.
    pub cycles: u64,
    /// Host time the point took, s.
    pub wall_s: f64,
    /// Seed of the run.
    pub seed: u64,
    /// Version of the program.
    pub version: String,
    /// Hash of the whole configuration: rows with the same hash were measured on the same thing.
    pub config_hash: String,
}

/// A row with every counter of its run: what `--stats` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// The row.
    #[serde(flatten)]
    pub row: Row,
    /// Every counter over the measured messages, by its key (`<block>.<noun>[_<cause>]`).
    pub counters: BTreeMap<String, u64>,
    /// The same over the first pass.
    pub first_pass: BTreeMap<String, u64>,
}

impl Stats {
    /// What `run` of `model` at `point` says, after `wall_s` seconds of host time.
    pub(crate) fn new(model: &Model, point: &Point, run: &Run, wall_s: f64) -> Self {
        let m = &run.measurement;
        let map = |s: &Statistics| s.iter().map(|(key, value)| (key.to_string(), value)).collect();
        let count = |key: &str| m.measured.get(key).unwrap_or(0);
        let config = model.config();
        let row = Row {
            preset: model.source().into(),
            mode: model.mode().to_string(),
            bytes: point.bytes,
            iterations: m.iterations,
            bw_peak_gbps: m.bw_peak_gbps,
            bw_average_gbps: m.bw_average_gbps,
            msg_rate_mpps: m.msg_rate_mpps,
            wrong: m.wrong,
            mtt_misses: count("mtt.miss"),
            atc_misses: count("atc.miss"),
            clock_mhz: config.unit.clock_mhz,
            data_bits: config.unit.sizes.data_bits,
            cycles: run.cycles,
            wall_s,
            seed: config.seed,
            version: env!("CARGO_PKG_VERSION").into(),
            config_hash: model.config_hash(),
        };
        Self { row, counters: map(&m.measured), first_pass: map(&m.first_pass) }
    }
}
