//! `dma` alone, against byte movement worked out here one byte at a time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod again;
mod atomic;
#[path = "../axi/mod.rs"]
mod axi;
mod bench;
mod errors;
mod read;
mod timing;
mod write;
