//! The Ethernet line: packets back to back at line rate.

use crate::config::TrafficConfig;
use crate::time::Time;

/// One direction of the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    fs_per_byte: u64,
    overhead: u64,
    busy_fs: u64,
}

impl Line {
    /// An idle line at `now`.
    pub(super) fn new(cfg: &TrafficConfig, now: Time) -> Self {
        Self {
            fs_per_byte: 8_000_000 / u64::from(cfg.line_gbps),
            overhead: u64::from(cfg.packet_overhead_bytes),
            busy_fs: now.0 * 1000,
        }
    }

    /// Nothing was sent until `now`.
    pub(super) fn idle_until(&mut self, now: Time) {
        self.busy_fs = self.busy_fs.max(now.0 * 1000);
    }

    /// Sends a packet behind the one before; the time is its end.
    pub(super) fn send(&mut self, payload: u32) -> Time {
        self.busy_fs += (u64::from(payload) + self.overhead) * self.fs_per_byte;
        Time(self.busy_fs.div_ceil(1000))
    }
}
