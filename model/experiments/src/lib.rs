//! Experiments over the system model: what the command line and the Python package call.
//!
//! A [`Point`] is one configuration at one message size. [`run_points`] runs points on as many threads as there are and
//! gives their [`Row`]s in the order of the points, whatever the number of threads. [`table`], [`plot`] and JSON show them.

pub mod plot;
mod points;
mod row;
mod sizes;
pub mod table;

pub use points::{Point, iterations, run_points};
pub use row::{Row, bandwidth_peak_gbps};
pub use sizes::{DEFAULT_SIZES, SizeError, parse_sizes, size_label};
