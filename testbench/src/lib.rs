//! Lockstep, recordings, conformance and independent checks.

pub mod checker;
pub mod conformance;
pub mod coverage;
pub mod faults;
pub mod fpga;
pub mod lockstep;
pub mod package;
pub mod rtl;
pub mod scenario;
pub mod speed;
pub mod stimulus;
