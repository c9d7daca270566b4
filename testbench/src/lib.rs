//! Lockstep, recordings, conformance and independent checks.

pub mod lockstep;
pub mod stimulus;
