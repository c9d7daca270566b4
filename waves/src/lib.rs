//! Wave capture and viewer layouts: what the packed rows of the port tables look like in a wave viewer.
//!
//! [`Capture`] streams rows into a VCD as they come, changes only; [`save_file`] writes the GTKWave save file that stands
//! beside it, with the signals grouped as the port tables group them. Nothing here knows a model: a [`Scope`] is made
//! from a port table, so waves of the cycle model, of a recording and of the replayed Verilog look the same.

mod capture;
mod group;
mod layout;
mod scope;

pub use capture::{Capture, CaptureError};
pub use group::{Group, Radix, groups, radix};
pub use layout::save_file;
pub use scope::{Scope, TOP, unit_scopes};
