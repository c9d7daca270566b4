//! The unit as hardware in rust-hdl, and its Verilog exporter.

pub mod atc;
pub mod export;
pub mod package;
pub mod prim;
pub mod sim;

pub use rust_hdl;

/// A comment inside `update` that the exporter carries into the Verilog text; it does nothing in the simulation.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}
