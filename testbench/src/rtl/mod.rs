//! Blocks of `rtl` as [`types::Dut`], so that lockstep can run them.

pub mod atc;
