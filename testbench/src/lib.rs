//! Lockstep, recordings, conformance and independent checks.

pub mod checker;
pub mod fpga;
pub mod lockstep;
pub mod package;
pub mod rtl;
pub mod stimulus;
