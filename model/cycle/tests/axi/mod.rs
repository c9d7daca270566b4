//! What every stream test needs: the AXI rules as a monitor, and a seeded source of chance.
#![allow(dead_code, reason = "each test binary uses its part")]

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt::Debug;

/// Watches one valid/ready stream: payload and valid hold until ready, payload is zero while valid is low.
#[derive(Debug)]
pub(crate) struct Stream<T> {
    name: &'static str,
    held: Option<T>,
}

impl<T: Copy + Default + PartialEq + Debug> Stream<T> {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, held: None }
    }

    /// One cycle; `payload` includes the valid bit. Whether a transfer happens.
    pub(crate) fn observe(&mut self, valid: bool, ready: bool, payload: &T) -> bool {
        assert!(valid || *payload == T::default(), "{}: payload without valid: {payload:?}", self.name);
        if let Some(held) = &self.held {
            assert_eq!(held, payload, "{}: changed while valid and not ready", self.name);
        }
        self.held = (valid && !ready).then_some(*payload);
        valid && ready
    }
}

/// Seeded chance.
#[derive(Debug)]
pub(crate) struct Chance(Pcg64Mcg);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0.next_u64() % n
    }
    /// True in `percent` of 100.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A byte that depends on every bit of `x`.
pub(crate) fn byte_of(x: u64) -> u8 {
    (x.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}
