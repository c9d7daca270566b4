//! Building blocks, cycle for cycle as `rtl::prim`: memories, a two-entry buffer and a FIFO.
//!
//! Outputs are read with getters before the edge; `step` is one rising edge and allocates nothing. A payload is any
//! `Copy` type whose default is the hardware's zero.

mod fifo;
mod ram;
mod skid2;

pub use fifo::Fifo;
pub use ram::{Ram1w1r, Ram1w2r, RamBe};
pub use skid2::Skid2;

/// Inputs of a buffer between two streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferIn<T> {
    /// Synchronous, active high.
    pub reset: bool,
    /// Input stream: an entry is offered.
    pub in_valid: bool,
    /// Input stream: the entry.
    pub in_data: T,
    /// Output stream: the entry is taken.
    pub out_ready: bool,
}
