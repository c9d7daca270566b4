//! The exported Verilog of `atc` against recordings of the cycle model, in Verilator and Icarus; broken copies are caught.
//! TLP headers against those of cocotbext-pcie. Built with the feature `eda` only; a missing tool is a failed test.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test fails by panicking")]

mod export_package;
mod replay;
mod tlp;
