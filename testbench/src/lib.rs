//! Lockstep, recordings, conformance and independent checks.

pub mod checker;
