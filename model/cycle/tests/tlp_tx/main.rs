//! `tlp_tx` alone.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod atomics;
#[path = "../axi/mod.rs"]
mod axi;
mod bench;
mod properties;
mod rates;
