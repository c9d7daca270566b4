//! Cycle-exact model of the translation unit, one file (or folder) a hardware block.
//!
//! Every block is a Moore machine: sample the outputs of all blocks, then step all blocks. Streams between `seg` and the
//! exit of `replay` have no back pressure: a segment holds a *slot* from the cycle it is cut until it is released, and
//! storage indexed by slot cannot overflow.

pub mod atc;
pub mod ats;
pub mod coherent_regs;
pub mod dma;
pub mod generations;
pub mod line_cache;
pub mod line_fetch;
pub mod lives;
pub mod mpt;
pub mod mtt;
pub mod page_events;
pub mod prim;
pub mod progress;
pub mod registration;
pub mod regs;
pub mod replacement;
pub mod replay;
pub mod seg;
pub mod slot_set;
pub mod table_write;
pub mod timeout;
pub mod tlp_rx;
pub mod tlp_tx;
pub mod unit;
