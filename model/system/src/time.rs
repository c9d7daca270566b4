//! Simulated time.

use std::fmt;
use std::ops::{Add, AddAssign};

/// A point in simulated time or a span of it, in picoseconds from the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// Later than everything.
    pub const NEVER: Self = Self(u64::MAX);

    /// `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1000)
    }
    /// This span in nanoseconds.
    pub fn as_ns(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// The span from `earlier` to this point, zero if that lies ahead.
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, span: Self) {
        *self = *self + span;
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ns", self.as_ns())
    }
}

/// The unit's clock: edge `k` is at k / `mhz` microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    mhz: u64,
}

impl Clock {
    /// A clock of `mhz` megahertz, at least 1.
    pub fn from_mhz(mhz: u32) -> Self {
        Self { mhz: u64::from(mhz.max(1)) }
    }
    /// The time of edge `cycle`, rounded down to a picosecond.
    pub const fn edge(&self, cycle: types::Cycle) -> Time {
        Time(cycle.0 * 1_000_000 / self.mhz)
    }
    /// The first edge at or after `time`.
    pub const fn first_edge(&self, time: Time) -> types::Cycle {
        let whole = (time.0 as u128 * self.mhz as u128).div_ceil(1_000_000);
        types::Cycle(if whole > u64::MAX as u128 { u64::MAX } else { whole as u64 })
    }
}
