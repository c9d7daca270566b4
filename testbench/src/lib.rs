//! Lockstep, recordings, conformance and independent checks.
