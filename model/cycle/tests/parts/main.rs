//! The parts that several blocks are built of, each by its own contract.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod line_cache;
mod lives;
mod page_events;
