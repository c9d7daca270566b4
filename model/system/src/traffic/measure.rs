//! What a run measured.

use crate::statistics::Statistics;
use crate::time::Time;
use types::ByteCount;

/// When each round of messages, one a queue pair, was done.
#[derive(Clone, Debug)]
pub struct Rounds {
    qps: u64,
    total: u64,
    /// Messages done in each round, while it is open.
    open: std::collections::VecDeque<u64>,
    times: Vec<Time>,
}

impl Rounds {
    /// One round of `qps` messages.
    pub(super) fn new(qps: u64) -> Self {
        Self { qps, total: 1, open: Default::default(), times: Vec::new() }
    }

    /// Another `rounds`.
    pub(super) fn extend(&mut self, rounds: u64) {
        self.total = self.total.saturating_add(rounds);
        self.times.reserve(rounds.min(1 << 20) as usize);
    }
    /// Rounds asked for so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Message number `round` of some queue pair was done at `at`.
    pub(super) fn message_done(&mut self, round: u64, at: Time) {
        // Messages of a queue pair are done in order, so that rounds are done in order.
        let index = round.saturating_sub(self.times.len() as u64) as usize;
        while self.open.len() <= index {
            self.open.push_back(0);
        }
        self.open[index] += 1;
        while self.open.front().is_some_and(|done| *done >= self.qps) {
            self.open.pop_front();
            self.times.push(at);
        }
    }

    /// Rounds done.
    pub fn done(&self) -> u64 {
        self.times.len() as u64
    }
    /// Whether all are.
    pub fn all_done(&self) -> bool {
        self.done() >= self.total
    }
}

/// The result of moving messages of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Bytes of a message.
    pub bytes: ByteCount,
    /// Measured messages of each queue pair, without the first.
    pub iterations: u64,
    /// Bandwidth of the fastest measured round of messages, Gb/s.
    pub bw_peak_gbps: f64,
    /// Bandwidth over all measured rounds, Gb/s.
    pub bw_average_gbps: f64,
    /// Messages per microsecond over all measured rounds.
    pub msg_rate_mpps: f64,
    /// Bytes that were wrong, or missing, at the far end, all messages included.
    pub wrong: u64,
    /// Cycles of the first pass.
    pub first_pass_cycles: u64,
    /// Cycles of the measured rounds.
    pub cycles: u64,
    /// Duration of each measured round; the first has the time to fill the pipeline in it.
    pub round_times: Vec<Time>,
    /// Counters of the first pass.
    pub first_pass: Statistics,
    /// Counters of the measured rounds.
    pub measured: Statistics,
}

impl Measurement {
    pub(super) fn new(
        bytes: ByteCount,
        qps: u64,
        (start, rounds): (Time, &Rounds),
        wrong: u64,
        [first, warm, last]: [u64; 3],
        [first_pass, measured]: [Statistics; 2],
    ) -> Self {
        let measured_rounds = rounds.times.get(1..).unwrap_or_default();
        let befores = std::iter::once(&start).chain(measured_rounds);
        let round_times: Vec<Time> = measured_rounds.iter().zip(befores).map(|(end, from)| end.since(*from)).collect();
        let whole: u64 = round_times.iter().map(|t| t.0).sum();
        let fastest = round_times.iter().map(|t| t.0).min().unwrap_or(0);
        let iterations = round_times.len() as u64;
        // Bits per picosecond are Tb/s.
        let gbps = |rounds: u64, ps: u64| 8e3 * (bytes.0 * qps * rounds) as f64 / ps.max(1) as f64;
        Self {
            bytes,
            iterations,
            bw_peak_gbps: gbps(1, fastest),
            bw_average_gbps: gbps(iterations, whole),
            msg_rate_mpps: 1e6 * (iterations * qps) as f64 / whole.max(1) as f64,
            wrong,
            first_pass_cycles: warm - first,
            cycles: last - warm,
            round_times,
            first_pass,
            measured,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_is_bytes_over_time_between_rounds() {
        let mut rounds = Rounds::new(2);
        // Two queue pairs; a round is done with its later message.
        for at in [100, 200] {
            rounds.message_done(0, Time::from_ns(at));
        }
        assert!(rounds.all_done());
        rounds.extend(2);
        assert!(!rounds.all_done());
        for (round, at) in [(1, 350), (1, 400), (2, 440), (2, 480)] {
            rounds.message_done(round, Time::from_ns(at));
        }
        assert!(rounds.all_done());
        let stats = [Statistics::default(), Statistics::default()];
        let m = Measurement::new(ByteCount(1000), 2, (Time::from_ns(300), &rounds), 0, [0, 1, 2], stats);
        // Measured from 300 ns on; rounds end at 400 and 480 ns: 100 and 80 ns for 2000 bytes each.
        assert_eq!(m.round_times, [Time::from_ns(100), Time::from_ns(80)]);
        // 16 000 bits in 80 ns = 200 Gb/s; 32 000 in 180 ns = 177.8 Gb/s; 4 messages in 180 ns = 22.2 per microsecond.
        assert!((m.bw_peak_gbps - 200.0).abs() < 1e-9);
        assert!((m.bw_average_gbps - 32_000.0 / 180.0).abs() < 1e-9);
        assert!((m.msg_rate_mpps - 4000.0 / 180.0).abs() < 1e-9);
    }
}
