//! One line of a result.

use serde::Serialize;

/// What one configuration reached at one message size. Field names are the keys of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Preset or file the configuration came from.
    pub preset: String,
    /// How the unit translates: direct, ats, emtt.
    pub mode: String,
    /// Message size in bytes.
    pub bytes: u64,
    /// Messages measured; those that warm the caches are not among them.
    pub iterations: u64,
    /// Best bandwidth between a posting and a later completion, Gb/s (10^9 bits).
    pub bw_peak_gbps: f64,
    /// Bandwidth over all messages measured, Gb/s (10^9 bits).
    pub bw_average_gbps: f64,
    /// Messages a second, millions.
    pub msg_rate_mpps: f64,
    /// Bytes that were not as sent at the far end, and bytes written outside of the message.
    pub wrong: u64,
    /// MTT cache misses in the measured messages.
    pub mtt_misses: u64,
    /// ATC misses in the measured messages.
    pub atc_misses: u64,
    /// Clock of the unit, MHz.
    pub clock_mhz: u32,
    /// Width of the unit's data streams, bits.
    pub data_bits: u32,
    /// Clock cycles of the unit simulated, idle ones among them.
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

/// perftest's peak: the shortest time a message took on average in any run of consecutive messages, from posting the first
/// to completing the last, as a bandwidth in Gb/s.
///
/// `posted_ps` and `completed_ps` are in order of the messages and of one length. Runs longer than `longest` messages are
/// left out to bound the work.
pub fn bandwidth_peak_gbps(bytes: u64, posted_ps: &[u64], completed_ps: &[u64], longest: usize) -> f64 {
    let mut best = f64::INFINITY;
    for (first, posted) in posted_ps.iter().enumerate() {
        for (n, completed) in completed_ps[first..].iter().take(longest).enumerate() {
            best = best.min(completed.saturating_sub(*posted) as f64 / (n + 1) as f64);
        }
    }
    if best > 0.0 && best.is_finite() { 8000.0 * bytes as f64 / best } else { 0.0 }
}
