//! Lockstep, recordings, conformance and independent checks.

pub mod checker;
pub mod lockstep;
pub mod stimulus;
