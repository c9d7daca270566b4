//! The named configurations: sizes as const generics, tied to the table in `types` by a test.

use super::Atc;
use rust_hdl::prelude::Constant;

/// `tiny`: 4 × 2 and 2 large entries, 2 functions, 8 slots.
pub type Tiny = Atc<1, 3, 2, 2, 2, 1, 87, 75>;
/// `small`: 64 × 4 and 16 large entries, 4 functions, 32 slots.
pub type Small = Atc<2, 5, 6, 4, 16, 4, 88, 76>;
/// `medium`: 256 × 4 and 16 large entries, 64 functions, 80 slots.
pub type Medium = Atc<6, 7, 8, 4, 16, 4, 92, 80>;
/// `large`: 1024 × 4 and 32 large entries, 256 functions, 144 slots.
pub type Large = Atc<8, 8, 10, 4, 32, 5, 94, 82>;

impl<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> Atc<F, S, A, W, N, AL, TW, LW>
{
    /// The block, not yet connected.
    pub fn new() -> Box<Self> {
        let mut atc = Box::<Self>::default();
        // Pairs of ways (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3) of which both exist.
        let pairs: u64 = [0b00_0001, 0b00_1011, 0b11_1111][W.clamp(2, 4) - 2];
        atc.base.lru.pairs = Constant::new(pairs.into());
        atc
    }
}
