//! Traffic as perftest shapes it: queue pairs that move messages of one size again and again.
//!
//! A queue pair touches exactly `size` bytes, the same ones with every message; n queue pairs touch n × size.

mod atomic;
mod line;
mod measure;
mod queue_pair;
mod random;
mod read;
mod together;
mod write;

pub use atomic::AtomicTraffic;
pub use measure::{Measurement, Rounds};
pub use random::{RandomSpec, RandomTraffic, Tally};
pub use read::ReadTraffic;
pub use together::Together;
pub use write::WriteTraffic;

use crate::attach::{RunError, System};
use crate::config::{Config, TrafficOp};
use crate::driver::{RegionSpec, Registered};
use crate::observer::Observer;
use crate::time::Time;
use crate::workload::Workload;
use types::port::{UnitIn, UnitOut};
use types::{Block, ByteCount};

/// Buffers of the queue pairs inside one registered region.
#[derive(Clone, Copy, Debug)]
pub struct Buffers {
    /// The region.
    pub region: Registered,
    /// Bytes of a message, and of each buffer.
    pub size: u64,
    /// Distance of two buffers: the size in whole pages.
    pub stride: u64,
}

impl Buffers {
    /// Distance of the buffers, and the region that holds `qps` of them, in pages of the configuration.
    pub fn spec(cfg: &Config, size: u64) -> (u64, RegionSpec) {
        // Buffers start at pages, as perftest aligns them.
        let stride = size.next_multiple_of(4096);
        let length = ByteCount(stride * u64::from(cfg.traffic.qps));
        let spec = RegionSpec {
            page: cfg.page(),
            io_page: cfg.translation_page(),
            owner: cfg.region.memory,
            mode: cfg.region.mode,
            paged: cfg.region.paged,
            filled_on_demand: cfg.region.filled_on_demand,
            coherent: cfg.region.coherent,
            filled_at_once: cfg.driver.fills_at_once,
            ..RegionSpec::of(length)
        };
        (stride, spec)
    }
}

/// What the two directions have in common.
pub trait Perftest: Workload {
    /// Traffic over `buffers`: one message a queue pair, then nothing until [`Perftest::go_on`].
    fn start(cfg: &Config, buffers: Buffers, now: Time) -> Self;
    /// Another `rounds` messages a queue pair.
    fn go_on(&mut self, rounds: u64);
    /// Times at which each round of messages was done.
    fn rounds(&self) -> &Rounds;
    /// A request that failed.
    fn failure(&self) -> Option<RunError>;
    /// Whether every message has been checked at the far end.
    fn checked(&self) -> bool;
    /// Bytes that were wrong at the far end, and those that never arrived.
    fn wrong(&self) -> u64;
}

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<U>> System<U, O> {
    /// Moves messages of `size` bytes, in the direction of the configuration: one a queue pair to warm up, and
    /// when these are done `iterations` a queue pair that are measured.
    pub fn run(&mut self, size: ByteCount, iterations: u64) -> Result<Measurement, RunError> {
        match self.config().traffic.op {
            TrafficOp::Write => self.run_perftest::<WriteTraffic>(size, iterations),
            TrafficOp::Read => self.run_perftest::<ReadTraffic>(size, iterations),
            op => {
                let allowed = op.sizes().unwrap_or_default();
                if !allowed.iter().any(|bytes| u64::from(*bytes) == size.0) {
                    return Err(RunError::Size { op, bytes: size.0, allowed });
                }
                self.run_perftest::<AtomicTraffic>(size, iterations)
            }
        }
    }

    fn run_perftest<W: Perftest>(&mut self, size: ByteCount, iterations: u64) -> Result<Measurement, RunError> {
        let size = size.0.max(1);
        let (stride, spec) = Buffers::spec(self.config(), size);
        let region = self.register(&spec)?;
        let buffers = Buffers { region, size, stride };
        let first_cycle = self.cycles().0;
        let before = self.statistics();
        let mut traffic = W::start(self.config(), buffers, self.now());
        self.finish(&mut traffic)?;
        let (warm_cycle, warm, start) = (self.cycles().0, self.statistics(), self.now());
        traffic.go_on(iterations);
        let last_cycle = self.finish(&mut traffic)?;
        let end = self.statistics();

        let qps = u64::from(self.config().traffic.qps);
        Ok(Measurement::new(
            ByteCount(size),
            qps,
            (start, traffic.rounds()),
            traffic.wrong(),
            [first_cycle, warm_cycle, last_cycle],
            [warm.since(&before), end.since(&warm)],
        ))
    }

    /// Runs until every message asked for is done, and then until it has been checked; the cycle when all were done. A
    /// failed request ends the run.
    fn finish<W: Perftest>(&mut self, traffic: &mut W) -> Result<u64, RunError> {
        self.run_until(traffic, |t, _| t.rounds().all_done() || t.failure().is_some())?;
        let done = self.cycles().0;
        // The last bytes are still on their way to memory. Once nothing moves any more, they never come.
        self.run_until(traffic, |t, system| t.checked() || system.fabric.next_event() == Time::NEVER)?;
        traffic.failure().map_or(Ok(done), Err)
    }
}
