//! Broken copies of the block, for tests that must see them caught.

use super::Atc;
use rust_hdl::prelude::Constant;

/// A mistake inside the block that leaves its ports as they are. Nothing of it is in the hardware: a fault is another
/// value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The order of use is not kept: the first victim is the same for ever.
    OrderLost,
    /// The range of an invalidation is released before the last set is written.
    ReleasedEarly,
    /// A large fill writes its data while a lookup that matched the old entry is on its way to them.
    LargeWrittenEarly,
    /// Walks over the large entries leave out the last one.
    WalkStopsShort,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 4] = [Self::OrderLost, Self::ReleasedEarly, Self::LargeWrittenEarly, Self::WalkStopsShort];
}

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
    /// A copy with `fault`, not yet connected.
    pub fn broken(fault: Fault) -> Box<Self> {
        let mut atc = Self::new();
        match fault {
            Fault::OrderLost => atc.base.lru.pairs = Constant::new(0u64.into()),
            Fault::ReleasedEarly => atc.engine.sweep_end = Constant::new(5u64.into()),
            Fault::LargeWrittenEarly => atc.engine.large_end = Constant::new(2u64.into()),
            Fault::WalkStopsShort => atc.big.last = Constant::new((N as u64 - 2).into()),
        }
        atc
    }
}
