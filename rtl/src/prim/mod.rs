//! Building blocks: block RAMs, a two-entry buffer and a FIFO.
//!
//! All are Moore machines: every output comes from a register, that of a RAM from the register at its read port. Every
//! memory and register is zero at power-on in the simulation, in Verilog simulators and on an FPGA. Streams are
//! valid/ready with AXI4-Stream rules; a payload is zero while its valid is low. Each has a twin in plain Rust in
//! `cycle::prim`, tied to it cycle by cycle by the tests of this crate.

mod fifo;
mod ram_1w1r;
mod ram_1w2r;
mod ram_be;
mod skid2;

pub use fifo::Fifo;
pub use ram_1w1r::Ram1w1r;
pub use ram_1w2r::Ram1w2r;
pub use ram_be::RamBe;
pub use skid2::Skid2;
