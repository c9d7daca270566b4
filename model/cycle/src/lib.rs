//! Cycle-exact model of the translation unit, one file a hardware block.

pub mod prim;
