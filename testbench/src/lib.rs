//! Lockstep, recordings, conformance and independent checks.

pub mod checker;
pub mod conformance;
pub mod faults;
pub mod lockstep;
pub mod scenario;
pub mod stimulus;
