//! Runs that the experiments share.

use super::{Context, ReproduceError};
use cycle::unit::Unit;
use std::collections::BTreeMap;
use system::driver::{RegionSpec, Registered};
use system::traffic::{RandomSpec, RandomTraffic};
use system::{Config, Measurement, Observer, RunError, Statistics, System, Time};
use types::port::{UnitIn, UnitOut};
use types::tlp::Body;
use types::{AddressType, ByteCount, Cycle, Event, FunctionId, Op};

/// A name for a run, for its errors.
pub(super) fn failed(what: &str, error: RunError) -> ReproduceError {
    ReproduceError::Run { what: what.into(), error }
}

/// Refuses a run with wrong bytes.
fn right(what: &str, bytes: u64) -> Result<(), ReproduceError> {
    if bytes == 0 { Ok(()) } else { Err(ReproduceError::Wrong { what: what.into(), bytes }) }
}

/// Messages of one size through a preset with overrides.
pub(super) fn messages(
    context: &Context,
    preset: &str,
    sets: &[String],
    size: u64,
    count: u64,
) -> Result<Measurement, ReproduceError> {
    let what = format!("{preset}, messages of {size} bytes {sets:?}");
    let cfg = context.config(preset, sets)?;
    let m = System::<Unit>::new(&cfg).run(ByteCount(size), count).map_err(|e| failed(&what, e))?;
    right(&what, m.wrong)?;
    Ok(m)
}

/// A counter of a run.
pub(super) fn count(statistics: &Statistics, key: &str) -> f64 {
    statistics.get(key).unwrap_or(0) as f64
}

/// The configured kind of region over `length` bytes.
pub(super) fn region_spec(cfg: &Config, length: u64) -> RegionSpec {
    RegionSpec {
        page: cfg.page(),
        io_page: cfg.translation_page(),
        owner: cfg.region.memory,
        mode: cfg.region.mode,
        coherent: cfg.region.coherent,
        filled_at_once: cfg.driver.fills_at_once,
        ..RegionSpec::of(ByteCount(length))
    }
}

/// Registers `count` regions of `length` bytes, in turn over `functions` functions from `first` on, which are configured.
pub(super) fn regions(
    system: &mut System<Unit>,
    (count, length): (u64, u64),
    (first, functions): (u16, u16),
) -> Result<Vec<Registered>, RunError> {
    for f in first..first + functions {
        if f > 0 {
            system.configure(system.function(FunctionId(f)));
        }
    }
    let spec = region_spec(system.config(), length);
    let function = |i: u64| FunctionId(first + (i % u64::from(functions)) as u16);
    (0..count).map(|i| system.register(&RegionSpec { function: function(i), ..spec })).collect()
}

/// Random accesses over registered memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random {
    /// Regions, and bytes of each.
    pub(super) regions: (u64, u64),
    /// Functions they are spread over.
    pub(super) functions: u16,
    /// Bytes of an access.
    pub(super) bytes: u32,
    /// Places are multiples of this.
    pub(super) align: u64,
    pub(super) op: Op,
    /// Accesses to warm the caches, and to measure.
    pub(super) accesses: (u64, u64),
}

/// What random accesses gave.
#[derive(Clone, Debug)]
pub(super) struct Accessed {
    /// Accesses a microsecond.
    pub(super) rate: f64,
    /// Mean time of one, ns.
    pub(super) latency_ns: f64,
    /// Counters of the measured part.
    pub(super) counters: Statistics,
    /// Accesses measured.
    pub(super) accesses: f64,
}

/// Runs random accesses; `traffic.qps` streams with `traffic.queue_depth` accesses each are kept open.
pub(super) fn random(cfg: &Config, random: &Random) -> Result<Accessed, ReproduceError> {
    let what = format!("{}, {random:?}", cfg.name);
    let run = || -> Result<_, RunError> {
        let mut system = System::<Unit>::new(cfg);
        let regions = regions(&mut system, random.regions, (0, random.functions))?;
        let spec = RandomSpec {
            regions,
            window: random.regions.1,
            bytes: random.bytes,
            align: random.align,
            op: random.op,
            streams: (0, cfg.traffic.qps as u16),
            depth: cfg.traffic.queue_depth as u16,
            pause: Time(0),
        };
        let mut traffic = RandomTraffic::new(spec, cfg.seed, "traffic");
        let (warm, measure) = random.accesses;
        let until = |n| move |t: &RandomTraffic, _: &_| t.tally().requests >= n || t.failure().is_some();
        system.run_until(&mut traffic, until(warm))?;
        let (start, before, counters) = (system.now(), traffic.tally(), system.statistics());
        system.run_until(&mut traffic, until(warm + measure))?;
        let (end, after) = (system.now(), traffic.tally());
        if let Some(failure) = traffic.failure() {
            return Err(failure);
        }
        let requests = (after.requests - before.requests) as f64;
        let accessed = Accessed {
            rate: requests / (end.since(start).as_ns() / 1e3),
            latency_ns: (after.latency_ps - before.latency_ps) as f64 / requests / 1e3,
            counters: system.statistics().since(&counters),
            accesses: requests,
        };
        Ok((accessed, traffic.wrong()))
    };
    let (accessed, wrong) = run().map_err(|e| failed(&what, e))?;
    right(&what, wrong)?;
    Ok(accessed)
}

/// Registers a coherent region of `bytes` bytes: entries filled, and the time from the end of the other programming on, ns.
pub(super) fn fill(cfg: &Config, bytes: u64) -> Result<(f64, f64), ReproduceError> {
    let what = format!("{}, filling {bytes} bytes", cfg.name);
    let run = || -> Result<_, RunError> {
        let mut empty = System::<Unit>::new(cfg);
        let mut system = System::<Unit>::new(cfg);
        let registered = regions(&mut system, (1, bytes), (0, 1))?;
        let idle = |window| RandomSpec {
            regions: registered.clone(),
            window,
            bytes: 1,
            align: 1,
            op: Op::WRITE,
            streams: (0, 1),
            depth: 1,
            pause: Time(0),
        };
        // No request is offered before the driver is done.
        let mut traffic = RandomTraffic::new(idle(bytes), cfg.seed, "traffic");
        empty.run_until(&mut traffic, |_, s| s.booted())?;
        system.run_until(&mut traffic, |_, s| s.booted())?;
        let entries = system.statistics().get("driver.filled").unwrap_or(0) as f64;
        Ok((entries, system.now().since(empty.now()).as_ns()))
    };
    run().map_err(|e| failed(&what, e))
}

/// Times seen at the unit's pins: Translation Requests, and requests of the traffic.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    now: u64,
    asked: BTreeMap<u16, u64>,
    accepted: BTreeMap<(u16, u16), u64>,
    /// Cycles of each Translation Request from the pins to the answer at the pins.
    pub(super) translations: Vec<u64>,
    /// Cycles of each request of the traffic, from its acceptance to its completion.
    pub(super) requests: Vec<u64>,
}

impl Observer<Unit> for Times {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::TlpOut { tlp, .. } => {
                if let Body::Memory { at: AddressType::TRANSLATION_REQUEST, tag, .. } = tlp.body {
                    self.asked.insert(tag.0, self.now);
                }
            }
            Event::TlpIn { tlp, .. } => {
                if let Body::Completion { tag, .. } = tlp.body
                    && let Some(then) = self.asked.remove(&tag.0)
                {
                    self.translations.push(self.now - then);
                }
            }
            Event::RequestAccepted(wr) => {
                self.accepted.insert((wr.stream.0, wr.id.0), self.now);
            }
            Event::MessageDone { stream, id, .. } => {
                if let Some(then) = self.accepted.remove(&(stream.0, id.0)) {
                    self.requests.push(self.now - then);
                }
            }
            _ => {}
        }
    }
    fn cycle(&mut self, cycle: Cycle, _: &Unit, _: &UnitIn, _: &UnitOut) {
        self.now = cycle.0;
    }
}

/// Messages through a preset, with the times seen at the pins: of translations those of all messages, of requests those of
/// the messages after the first.
pub(super) fn timed(
    context: &Context,
    preset: &str,
    sets: &[String],
    size: u64,
    count: u64,
) -> Result<(Measurement, Times), ReproduceError> {
    let what = format!("{preset}, messages of {size} bytes {sets:?}");
    let cfg = context.config(preset, sets)?;
    let mut system = System::<Unit, Times>::with_observer(&cfg, Times::default());
    let m = system.run(ByteCount(size), count).map_err(|e| failed(&what, e))?;
    right(&what, m.wrong)?;
    let mut times = system.observer;
    // Every message has as many requests.
    times.requests.drain(..times.requests.len() / (count as usize + 1));
    Ok((m, times))
}

/// Mean, and the value that 99 % do not exceed.
pub(super) fn mean_and_p99(cycles: &[u64], clock_mhz: u32) -> (f64, f64) {
    let mut sorted = cycles.to_vec();
    sorted.sort_unstable();
    let ns = 1e3 / f64::from(clock_mhz);
    let count = sorted.len().max(1);
    let mean = sorted.iter().sum::<u64>() as f64 / count as f64;
    let p99 = sorted.get(count * 99 / 100).or(sorted.last()).copied().unwrap_or(0);
    (mean * ns, p99 as f64 * ns)
}
