//! Experiments over the system model: what the command line and the Python package call.
//!
//! A [`Model`] is one configuration, a [`Point`] one model at one message size. [`bench()`] runs points on several threads
//! and gives their [`Row`]s in the order of the points, whatever the number of threads. [`table`], [`plot`] and JSON show
//! them, [`remarks()`] says what has to be said beside them.

mod bench;
mod describe;
mod model;
pub mod plot;
mod points;
mod published;
mod remarks;
pub mod reproduce;
mod row;
mod sizes;
pub mod speed;
pub mod table;
mod trace;

pub use bench::{bench, points};
pub use describe::describe;
pub use model::{Model, PointError, Run, presets};
pub use points::{Point, iterations, run_points};
pub use published::{Compared, compare, gbps_points};
pub use remarks::remarks;
pub use row::{Row, Stats};
pub use sizes::{DEFAULT_SIZES, SizeError, parse_sizes, size_label};
pub use system::{Tap, Unobserved, Watch};
pub use trace::TraceError;
