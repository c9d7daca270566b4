//! Experiments over the system model: bench and its results.
