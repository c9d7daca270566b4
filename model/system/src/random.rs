//! Random numbers: each user has its own generator, derived from the seed and the user's path.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A generator of one component (PCG-64 MCG, pinned: results depend on it).
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// The generator of component `path` under `seed`.
    pub fn new(seed: u64, path: &str) -> Self {
        // FNV-1a over the path, so that components do not share a sequence.
        let hash =
            path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        Self(Pcg64Mcg::seed_from_u64(seed ^ hash))
    }
    /// A number below `bound`, or 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64 }
    }
    /// True in `percent` of 100 cases.
    pub fn percent(&mut self, percent: u32) -> bool {
        percent > 0 && self.below(100) < u64::from(percent)
    }
}
