//! How fast the simulation itself is: runs timed on the host, those that are compared one after the other in turns.

use crate::model::{Model, PointError};
use crate::points::Point;
use cycle::unit::Unit;
use std::time::Instant;
use system::driver::RegionSpec;
use system::traffic::{RandomSpec, RandomTraffic};
use system::{Config, ConfigError, RunError, System, Time};
use types::{ByteCount, Mode, Op};

/// A run and the host's time for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// Cycles of the unit from power-on, those passed over among them.
    pub cycles: u64,
    /// Cycles passed over.
    pub skipped: u64,
    /// What was moved: bytes of messages, or requests.
    pub moved: u64,
    /// Host time, s.
    pub seconds: f64,
}

impl Timed {
    /// Cycles a host second.
    pub fn cycle_rate(&self) -> f64 {
        self.cycles as f64 / self.seconds
    }
    /// What was moved in a host second.
    pub fn rate(&self) -> f64 {
        self.moved as f64 / self.seconds
    }
}

/// A measurement that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SpeedError {
    /// A configuration does not fit together.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A run of messages failed.
    #[error(transparent)]
    Point(#[from] PointError),
    /// A run of requests failed.
    #[error("requests of 64 bytes: {0}")]
    Run(#[from] RunError),
    /// Bytes were wrong.
    #[error("{0} bytes were wrong at the far end")]
    Wrong(u64),
}

/// Times messages of `bytes` bytes through `model`, one to warm up and `iterations` more; every byte is checked.
pub fn messages(model: &Model, bytes: u64, iterations: u64) -> Result<Timed, SpeedError> {
    let start = Instant::now();
    let run = model.run(&Point { config: 0, bytes, iterations })?;
    let seconds = start.elapsed().as_secs_f64();
    if run.measurement.wrong > 0 {
        return Err(SpeedError::Wrong(run.measurement.wrong));
    }
    let moved = bytes * (iterations + 1) * u64::from(model.config().traffic.qps);
    Ok(Timed { cycles: run.cycles, skipped: run.skipped, moved, seconds })
}

/// The shorter of `count` runs of each of two: they take turns, so that both meet the same host.
pub fn in_turns<E>(
    count: u32,
    mut first: impl FnMut() -> Result<Timed, E>,
    mut second: impl FnMut() -> Result<Timed, E>,
) -> Result<(Timed, Timed), E> {
    let mut best = (first()?, second()?);
    for _ in 1..count {
        best = (shorter(best.0, first()?), shorter(best.1, second()?));
    }
    Ok(best)
}

fn shorter(a: Timed, b: Timed) -> Timed {
    if b.seconds < a.seconds { b } else { a }
}

/// Bytes of a small request.
pub const SMALL: u32 = 64;

/// Small writes at random places of 1 MiB of GPU memory, as fast as the unit and its link take them, in `mode`; every
/// translation they need is in the unit after the first thousands.
#[derive(Debug)]
pub struct SmallRequests {
    system: System<Unit>,
    traffic: RandomTraffic,
}

impl SmallRequests {
    /// A system that has done the first requests.
    pub fn warm(mode: Mode) -> Result<Self, SpeedError> {
        // A preset of the comparison with four streams.
        let config = Config::load("stellar-ats", &[format!("unit.mode={mode}"), "traffic.qps=4".into()])?;
        let mut system = System::<Unit>::new(&config);
        let window = 1 << 20;
        let spec = RegionSpec {
            page: config.page(),
            io_page: config.translation_page(),
            owner: config.region.memory,
            mode: config.region.mode,
            ..RegionSpec::of(ByteCount(window))
        };
        let spec = RandomSpec {
            regions: vec![system.register(&spec)?],
            window,
            bytes: SMALL,
            align: SMALL.into(),
            op: Op::WRITE,
            streams: (0, 4),
            depth: 64,
            pause: Time(0),
        };
        let traffic = RandomTraffic::new(spec, config.seed, "small requests");
        let mut small = Self { system, traffic };
        small.run(4_000)?;
        Ok(small)
    }

    /// Times another `count` requests.
    pub fn run(&mut self, count: u64) -> Result<Timed, SpeedError> {
        let Self { system, traffic } = self;
        let (cycles, skipped) = (system.cycles().0, system.cycles_skipped());
        let (first, misses) = (traffic.tally().requests, self::misses(system));
        let start = Instant::now();
        system.run_until(traffic, |t, _| t.tally().requests >= first + count || t.failure().is_some())?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(failure) = traffic.failure() {
            return Err(failure.into());
        }
        debug_assert!(first == 0 || misses == self::misses(system));
        Ok(Timed {
            cycles: system.cycles().0 - cycles,
            skipped: system.cycles_skipped() - skipped,
            moved: traffic.tally().requests - first,
            seconds,
        })
    }
}

/// Translations that were not in the unit.
fn misses(system: &mut System<Unit>) -> u64 {
    let statistics = system.statistics();
    ["mtt.miss", "atc.miss"].iter().filter_map(|key| statistics.get(key)).sum()
}
