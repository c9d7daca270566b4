//! Tests that need Icarus Verilog, Verilator and yosys: the exported Verilog against the rust-hdl simulation.
//!
//! They are built with the feature `eda` only, and then fail if a tool is missing.
#![allow(missing_docs, unreachable_pub, reason = "circuits of a test")]
#![allow(clippy::precedence, reason = "how operators bind is what is tested")]

mod bench;
mod circuits;
mod fuzz;
mod prim;
#[path = "../stimulus/mod.rs"]
mod stimulus;
mod tools;
