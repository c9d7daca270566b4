//! The unit as hardware in rust-hdl, and its Verilog exporter.
