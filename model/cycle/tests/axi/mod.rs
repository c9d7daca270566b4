//! What every stream test needs: the AXI rules as a monitor, and a seeded source of chance.
#![allow(dead_code, reason = "each test binary uses its part")]

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt::Debug;
use types::ports::Block;

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

/// Samples the outputs of a block; those written over earlier ones are those written into zeros.
pub(crate) fn sample<B: Block<Out: PartialEq + Debug>>(dut: &B, out: &mut B::Out) {
    dut.outputs(out);
    let mut fresh = B::Out::default();
    dut.outputs(&mut fresh);
    assert_eq!(*out, fresh);
}

/// Takes an edge; a block that calls itself idle with these inputs changes no output, not even after a few edges more.
pub(crate) fn edge<B: Block<Out: PartialEq + Debug> + Clone>(dut: &mut B, inp: &B::In, out: &B::Out) {
    if dut.idle_until(inp).is_some() {
        let mut ahead = dut.clone();
        for _ in 0..3 {
            ahead.step(inp);
            let mut after = B::Out::default();
            ahead.outputs(&mut after);
            assert_eq!(after, *out, "changed while idle");
        }
    }
    dut.step(inp);
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
