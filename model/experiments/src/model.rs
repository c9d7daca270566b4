//! One configuration, ready to be run at any message size.

use crate::points::Point;
use cycle::unit::Unit;
use system::config::PRESETS;
use system::{Config, ConfigError, Measurement, Observer, RunError, System};
use types::{ByteCount, Mode};

/// A configuration and how its results are labelled.
#[derive(Clone, Debug)]
pub struct Model {
    source: String,
    config: Config,
    every_cycle: bool,
}

/// What one point of one model gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was measured after the first pass.
    pub measurement: Measurement,
    /// Clock cycles of the unit from power-on, all of them.
    pub cycles: u64,
    /// Those of them that were passed over, for nothing could happen in them.
    pub skipped: u64,
}

/// A point that could not be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{source_name}, messages of {bytes} bytes: {error}")]
pub struct PointError {
    /// Preset or file of the configuration.
    pub source_name: String,
    /// Message size.
    pub bytes: u64,
    /// What happened.
    pub error: RunError,
}

impl PointError {
    /// Whether what was asked for is impossible, rather than that the run went wrong.
    pub fn is_input(&self) -> bool {
        matches!(self.error, RunError::Region(_) | RunError::Size { .. })
    }
}

/// Name and title of every preset in the program.
pub fn presets() -> Result<Vec<(&'static str, String)>, ConfigError> {
    PRESETS.iter().map(|(name, _)| Ok((*name, Config::load::<&str>(name, &[])?.title))).collect()
}

impl Model {
    /// The preset or file called `source`, with `--set` assignments over it.
    pub fn load(source: &str, sets: &[String]) -> Result<Self, ConfigError> {
        Ok(Self { source: source.into(), config: Config::load(source, sets)?, every_cycle: false })
    }

    /// The same model with every cycle simulated, idle ones too. Results are the same.
    pub fn every_cycle(self) -> Self {
        Self { every_cycle: true, ..self }
    }

    /// The preset or file it was loaded from.
    pub fn source(&self) -> &str {
        &self.source
    }
    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }
    /// How the region of the traffic is translated.
    pub fn mode(&self) -> Mode {
        self.config.region.mode.or(self.config.unit.mode)
    }
    /// `512 bits at 500 MHz`.
    pub fn clock_and_width(&self) -> String {
        format!("{} bits at {} MHz", self.config.unit.sizes.data_bits, self.config.unit.clock_mhz)
    }
    /// The configuration's fingerprint in hexadecimal.
    pub fn config_hash(&self) -> String {
        format!("{:016x}", self.config.fingerprint())
    }

    /// Measures one point on a fresh system.
    pub fn run(&self, point: &Point) -> Result<Run, PointError> {
        self.finish(point, System::<Unit>::new(&self.config))
    }

    /// Measures one point on a fresh system that `observer` watches from power-on.
    pub fn run_observed(&self, point: &Point, observer: impl Observer<Unit>) -> Result<Run, PointError> {
        self.finish(point, System::<Unit, _>::with_observer(&self.config, observer))
    }

    fn finish<O: Observer<Unit>>(&self, point: &Point, mut system: System<Unit, O>) -> Result<Run, PointError> {
        let named = |error| PointError { source_name: self.source.clone(), bytes: point.bytes, error };
        system.skip_idle(!self.every_cycle);
        let measurement = system.run(ByteCount(point.bytes), point.iterations).map_err(named)?;
        Ok(Run { measurement, cycles: system.cycles().0, skipped: system.cycles_skipped() })
    }
}
