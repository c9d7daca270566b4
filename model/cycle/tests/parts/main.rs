//! The parts that several blocks are built of, each by its own contract.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../axi/mod.rs"]
mod axi;
mod line_cache;
mod lives;
mod page_events;
mod prim;
mod replacement;
mod slot_set;
mod table_write;
mod timeout;
