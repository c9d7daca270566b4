//! Random stimulus of single blocks, for lockstep.

pub mod atc;

use rand_core::Rng;

/// A uniform number below `bound`.
pub(crate) fn below(rng: &mut rand_pcg::Pcg64Mcg, bound: u32) -> u32 {
    // Bias of at most bound / 2^32 does not matter to a stimulus.
    ((u64::from(rng.next_u32()) * u64::from(bound)) >> 32) as u32
}
