//! The system around the unit: PCIe fabric, memories, IOMMU, driver, traffic, configuration.
//!
//! Behavioural and event driven; time is in picoseconds. [`System`] attaches a unit, any view of it that is a
//! [`types::Block`], to the fabric and runs a [`Workload`] on it.

mod attach;
pub mod config;
pub mod driver;
pub mod fabric;
mod memory;
pub mod observer;
pub mod pattern;
pub mod random;
mod statistics;
mod tap;
mod time;
pub mod traffic;
mod workload;

pub use attach::{RunError, System};
pub use config::{Config, ConfigError};
pub use memory::Memory;
pub use observer::{Observer, Probe, Unobserved};
pub use statistics::{BusCounter, Statistics};
pub use tap::{Inside, Tap, Watch};
pub use time::{Clock, Time};
pub use traffic::Measurement;
pub use workload::Workload;
