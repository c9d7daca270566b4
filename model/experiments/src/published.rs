//! Rows beside published figures.

use crate::model::Model;
use crate::plot::PublishedPoint;
use crate::row::Row;
use system::config::Role;

/// Unit of the figures that a bandwidth is compared with.
const UNIT: &str = "Gb/s";

/// A published bandwidth and what the model gave at the same message size.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The figure.
    pub published: PublishedPoint,
    /// The model's average bandwidth, Gb/s.
    pub gbps: f64,
}

impl Compared {
    /// Distance from the figure as a fraction of it.
    pub fn off(&self) -> f64 {
        self.gbps / self.published.gbps - 1.0
    }
    /// Whether the distance is within the figure's tolerance.
    pub fn met(&self) -> bool {
        self.off().abs() <= self.published.tolerance
    }
}

/// The published bandwidths of a model.
pub fn gbps_points(model: &Model) -> Vec<PublishedPoint> {
    // Figures of another quantity belong to an experiment.
    let of_unit = model.config().published.iter().filter(|p| p.unit == UNIT && p.quantity.is_empty());
    let point = |p: &system::config::Published| PublishedPoint {
        bytes: p.x,
        gbps: p.y,
        tolerance: p.tolerance,
        fitted: p.role == Role::Fit,
    };
    of_unit.map(point).collect()
}

/// Every published bandwidth of `model` for whose message size there is one of its rows.
pub fn compare<'a>(model: &Model, rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<Compared> {
    let find = |published: PublishedPoint| {
        let row = rows.clone().find(|row| row.bytes == published.bytes)?;
        Some(Compared { published, gbps: row.bw_average_gbps })
    };
    gbps_points(model).into_iter().filter_map(find).collect()
}
