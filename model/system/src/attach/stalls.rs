//! Pauses in handshakes, for tests.

use crate::random::Random;

/// Decides whether a handshake pauses in this cycle.
#[derive(Clone, Debug)]
pub(super) struct Stalls {
    percent: u32,
    random: Random,
}

impl Stalls {
    pub(super) fn new(percent: u32, seed: u64) -> Self {
        Self { percent, random: Random::new(seed, "attach.stalls") }
    }
    /// Whether handshakes pause at all.
    pub(super) fn active(&self) -> bool {
        self.percent > 0
    }
    #[inline]
    pub(super) fn pause(&mut self) -> bool {
        self.percent > 0 && self.random.percent(self.percent)
    }
}
