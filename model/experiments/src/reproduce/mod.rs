//! Published experiments, run on the cycle model and set beside their figures.
//!
//! An [`Experiment`] is a function of this crate with the presets it uses; device figures and published figures stand in
//! the presets, each with its evidence. It gives a [`Report`]: checks, tables, pictures, and its answer in words.

mod bars;
mod farm;
mod gdr2013;
mod gdr2014;
mod isolation;
mod layouts;
mod measure;
mod p2p;
mod pciebench;
mod picture;
mod report;
mod scale;
mod stellar;

pub use picture::PictureError;
pub use report::{Check, Grid, Judge, Picture, Preset, Report, Standing, summary};

use crate::Model;
use crate::points::{Point, run_points};
use system::{Config, ConfigError, RunError};

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A few points: does it still come out? Published figures that need more points are left out.
    Small,
    /// All points.
    Full,
}

/// What an experiment is given.
#[derive(Clone, Debug)]
pub struct Context {
    /// How much is run.
    pub effort: Effort,
    /// Threads.
    pub threads: usize,
    /// Values set over every preset, `a.b=value`; what an experiment itself sets or sweeps comes after them.
    pub sets: Vec<String>,
}

/// An experiment that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// A preset and its overrides do not fit together.
    #[error("{0}")]
    Config(#[from] ConfigError),
    /// A run failed.
    #[error("{what}: {error}")]
    Run {
        /// Which one.
        what: String,
        /// What happened.
        error: RunError,
    },
    /// Bytes were wrong.
    #[error("{what}: {bytes} bytes were wrong at the far end")]
    Wrong {
        /// Which run.
        what: String,
        /// How many.
        bytes: u64,
    },
    /// A picture could not be drawn.
    #[error("{0}")]
    Picture(#[from] PictureError),
}

/// A published experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// The question it answers.
    pub question: &'static str,
    /// Presets it uses.
    pub presets: &'static [&'static str],
    run: fn(&Context) -> Result<Report, ReproduceError>,
}

impl Experiment {
    /// Runs it.
    pub fn run(&self, context: &Context) -> Result<Report, ReproduceError> {
        let mut report = (self.run)(context)?;
        report.name = self.name.into();
        report.question = self.question.into();
        report.version = env!("CARGO_PKG_VERSION").into();
        report.presets = self.presets.iter().map(|name| preset(name, &context.sets)).collect::<Result<_, _>>()?;
        Ok(report)
    }
}

/// Every experiment, in the order in which `all` runs them.
pub const EXPERIMENTS: &[Experiment] = &[
    stellar::EXPERIMENT,
    pciebench::EXPERIMENT,
    farm::EXPERIMENT,
    gdr2013::EXPERIMENT,
    gdr2014::EXPERIMENT,
    isolation::EXPERIMENT,
    scale::EXPERIMENT,
    layouts::EXPERIMENT,
    p2p::EXPERIMENT,
];

/// The experiment called `name`.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}

impl Context {
    /// A preset with the values that are set over it.
    fn config(&self, preset: &str, sets: &[String]) -> Result<Config, ReproduceError> {
        Ok(Config::load(preset, &[&self.sets, sets].concat())?)
    }

    /// One of two things, by the effort.
    fn pick<T>(&self, small: T, full: T) -> T {
        match self.effort {
            Effort::Small => small,
            Effort::Full => full,
        }
    }

    /// Does `run` to each item, on all threads; results are in the order of the items. `weight` is larger for items that
    /// take longer.
    fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        weight: impl Fn(&T) -> u64,
        run: impl Fn(&T) -> Result<R, ReproduceError> + Sync,
    ) -> Result<Vec<R>, ReproduceError> {
        let point = |(config, item)| Point { config, bytes: weight(item), iterations: 1 };
        let points: Vec<Point> = items.iter().enumerate().map(point).collect();
        run_points(&points, self.threads, |p| run(&items[p.config]), |_| {})
    }
}

/// What a report says of a preset.
fn preset(name: &str, sets: &[String]) -> Result<Preset, ReproduceError> {
    let model = Model::load(name, sets)?;
    let cfg = model.config();
    Ok(Preset {
        name: name.into(),
        clock_mhz: cfg.unit.clock_mhz,
        data_bits: cfg.unit.sizes.data_bits,
        seed: cfg.seed,
        config_hash: model.config_hash(),
    })
}

/// `512 bits at 500 MHz`: clock and width stand beside every bandwidth.
fn clock_and_width(cfg: &Config) -> String {
    format!("{} bits at {} MHz", cfg.unit.sizes.data_bits, cfg.unit.clock_mhz)
}
