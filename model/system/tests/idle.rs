//! Is a run that passes over idle cycles the same, cycle for cycle, as one that simulates them all?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cycle::unit::Unit;
use std::hash::{DefaultHasher, Hasher};
use system::random::Random;
use system::traffic::{RandomSpec, RandomTraffic, Together};
use system::{Config, Observer, RunError, Statistics, System, Time, Workload};
use types::port::{UnitIn, UnitOut};
use types::ports::{Ports, row_words};
use types::{Block, ByteCount, Cycle, Event, Op};

/// What was seen of a run: one number a cycle for everything at the unit's pins, and the events, with the cycle of each.
#[derive(Debug)]
struct Book {
    config: types::UnitCfg,
    row: Vec<u64>,
    cycles: Vec<u64>,
    events: Vec<(usize, u64)>,
}

impl Book {
    fn new(config: &types::UnitCfg) -> Self {
        let words = row_words::<UnitIn>(config).max(row_words::<UnitOut>(config));
        Self { config: config.clone(), row: vec![0; words], cycles: Vec::new(), events: Vec::new() }
    }
}

fn number(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish()
}

impl<U> Observer<U> for Book {
    fn event(&mut self, event: &Event<'_>) {
        self.events.push((self.cycles.len(), number(format!("{event:?}").as_bytes())));
    }
    fn cycle(&mut self, cycle: Cycle, _: &U, inp: &UnitIn, out: &UnitOut) {
        assert_eq!(cycle.0, self.cycles.len() as u64, "every cycle is seen once");
        let mut hasher = DefaultHasher::new();
        for ports in [inp as &dyn Packed, out] {
            self.row.fill(0);
            ports.packed(&self.config, &mut self.row);
            self.row.iter().for_each(|word| hasher.write_u64(*word));
        }
        self.cycles.push(hasher.finish());
    }
}

trait Packed {
    fn packed(&self, config: &types::UnitCfg, row: &mut [u64]);
}
impl<P: Ports> Packed for P {
    fn packed(&self, config: &types::UnitCfg, row: &mut [u64]) {
        self.pack(config, row);
    }
}

/// A run, and what it came to.
type Run<U, R> = fn(&mut System<U, Book>) -> Result<R, RunError>;

/// A run with every cycle simulated and one without the idle ones, on units `U`; how many cycles there were, and how many
/// of them were passed over.
fn both<U: Block<In = UnitIn, Out = UnitOut>, R: PartialEq + std::fmt::Debug>(
    what: &str,
    config: &Config,
    run: Run<U, R>,
) -> Result<(u64, u64), String> {
    let one = |skip| {
        let mut system = System::<U, Book>::with_observer(config, Book::new(config.unit_cfg()));
        system.skip_idle(skip);
        let result = run(&mut system);
        let statistics: Statistics = system.statistics();
        (result, statistics, system.cycles_skipped(), system.observer)
    };
    let (whole, short) = (one(false), one(true));
    assert_eq!(whole.2, 0);
    let cycles = whole.3.cycles.len();
    if let Some(cycle) = (0..cycles).find(|i| short.3.cycles.get(*i) != Some(&whole.3.cycles[*i])) {
        return Err(format!("{what}: the pins differ in cycle {cycle}"));
    }
    let same =
        (&whole.0, &whole.1, cycles, &whole.3.events) == (&short.0, &short.1, short.3.cycles.len(), &short.3.events);
    if !same {
        return Err(format!("{what}: {:?} {:?} against {:?} {:?}", short.0, short.1, whole.0, whole.1));
    }
    Ok((cycles as u64, short.2))
}

/// Messages of 3000 bytes, so that packets are of two sizes.
fn messages<U: Block<In = UnitIn, Out = UnitOut>>(
    system: &mut System<U, Book>,
) -> Result<system::Measurement, RunError> {
    system.run(ByteCount(3000), 6)
}

fn config(sets: &[String]) -> Config {
    Config::load("stellar-ats", sets).unwrap()
}

fn strings(sets: &[&str]) -> Vec<String> {
    sets.iter().map(|s| (*s).to_string()).collect()
}

#[test]
fn messages_on_a_slow_line_are_the_same() {
    for mode in ["direct", "ats", "emtt"] {
        for op in ["write", "read"] {
            for memory in ["host", "gpu"] {
                let sets =
                    [&format!("unit.mode={mode}"), &format!("traffic.op={op}"), &format!("region.memory={memory}")];
                let mut sets: Vec<String> = sets.map(Clone::clone).into();
                if memory == "gpu" && mode == "direct" {
                    continue;
                }
                sets.extend(strings(&["traffic.line_gbps=2", "traffic.qps=2", "traffic.queue_depth=2"]));
                let (cycles, skipped) = both(&format!("{sets:?}"), &config(&sets), messages::<Unit>).unwrap();
                eprintln!("{mode} {op} {memory}: {skipped} of {cycles} cycles passed over");
                // 3000 bytes take 6000 cycles of this line, and the unit a few hundred of them.
                assert!(skipped > cycles / 2, "{mode} {op} {memory}: {skipped} of {cycles}");
            }
        }
    }
}

/// Reads at random places that pause, beside messages: two workloads that take turns.
fn together(system: &mut System<Unit, Book>) -> Result<(u64, u64), RunError> {
    let page =
        system::driver::RegionSpec { page: types::PageSize::K4, ..system::driver::RegionSpec::of(ByteCount(1 << 16)) };
    let region = system.register(&page)?;
    let spec = |first, streams, pause| RandomSpec {
        regions: vec![region],
        window: 1 << 16,
        bytes: 100,
        align: 128,
        op: Op::READ,
        streams: (first, streams),
        depth: 2,
        pause: Time::from_ns(pause),
    };
    let seed = system.config().seed;
    let first = RandomTraffic::new(spec(0, 1, 3_000), seed, "first");
    let mut traffic = Together::new(first, RandomTraffic::new(spec(1, 2, 5_000), seed, "second"));
    system.run_until(&mut traffic, |t, _| t.progress() >= 60)?;
    Ok((traffic.victim.wrong(), traffic.neighbour.tally().requests))
}

#[test]
fn two_workloads_that_take_turns_are_the_same() {
    for mode in ["ats", "emtt"] {
        let config = config(&[format!("unit.mode={mode}"), "region.memory=host".into()]);
        let (cycles, skipped) = both(mode, &config, together).unwrap();
        eprintln!("{mode}: {skipped} of {cycles} cycles passed over");
        assert!(skipped > cycles / 4, "{mode}: {skipped} of {cycles}");
    }
}

/// One of the values.
fn pick<'a>(random: &mut Random, values: &[&'a str]) -> &'a str {
    values[random.below(values.len() as u64) as usize]
}

/// Random configurations: latencies, credits, disorder, pages that come when they are asked for, events to the driver.
#[test]
fn random_configurations_are_the_same() {
    let mut random = Random::new(9, "idle");
    let keys: &[(&str, &[&str])] = &[
        ("seed", &["1", "2", "3"]),
        ("unit.mode", &["ats", "emtt"]),
        ("unit.configuration", &["tiny", "small", "large"]),
        ("unit.clock_mhz", &["250", "333", "500"]),
        ("region.memory", &["host", "gpu"]),
        ("traffic.op", &["read", "write"]),
        ("traffic.qps", &["1", "2"]),
        ("traffic.line_gbps", &["3", "10", "200"]),
        ("traffic.queue_depth", &["1", "4"]),
        ("link.nic.latency_ns", &["0", "50", "2000"]),
        ("link.nic.posted_header_credits", &["1", "4", "127"]),
        ("link.nic.non_posted_header_credits", &["1", "127"]),
        ("link.nic.generation", &["1", "4"]),
        ("memory.gpu_read_ns", &["1", "300", "4000"]),
        ("root.memory_read_ns", &["1", "150", "4000"]),
        ("iommu.walk_ns", &["1", "411", "9000"]),
        ("disorder.random_splits", &["true", "false"]),
        ("disorder.jitter_ns", &["0", "0", "500"]),
        ("disorder.stall_percent", &["0", "0", "0", "20"]),
    ];
    let (mut all, mut skipped) = (0, 0);
    for case in 0..48 {
        let mut sets: Vec<String> =
            keys.iter().map(|(key, values)| format!("{key}={}", pick(&mut random, values))).collect();
        sets.extend(strings(&["unit.sizes.stream_depth=4", "unit.sizes.atc_granule_log2=12"]));
        sets.extend(strings(&["function.smallest_translation_unit_bytes=4096", "region.translation_bytes=4096"]));
        let emtt = sets.iter().any(|s| s == "unit.mode=emtt");
        match case % 6 {
            0 if !emtt => {
                sets.extend(strings(&["region.paged=true", "function.page_requests=4", "iommu.page_ns=9000"]))
            }
            1 => sets.extend(strings(&[
                "region.filled_on_demand=true",
                "driver.page_events=true",
                "driver.fill_ns=7000",
            ])),
            _ => {}
        }
        let config = Config::load("stellar-ats", &sets).unwrap();
        let (cycles, passed) = both(&format!("case {case}, {sets:?}"), &config, messages::<Unit>).unwrap();
        if sets.iter().any(|s| s == "disorder.stall_percent=20") {
            // Whether a handshake pauses is drawn in every cycle.
            assert_eq!(passed, 0, "{sets:?}");
        } else {
            (all, skipped) = (all + cycles, skipped + passed);
        }
    }
    eprintln!("{skipped} of {all} cycles passed over");
    assert!(skipped > all / 8, "{skipped} of {all}");
}

/// A unit that says it is idle while something is under way.
#[derive(Debug)]
struct Sleepy(Unit);

impl Block for Sleepy {
    type In = UnitIn;
    type Out = UnitOut;
    fn new(cfg: &types::UnitCfg) -> Self {
        Self(Unit::new(cfg))
    }
    fn outputs(&self, out: &mut UnitOut) {
        self.0.outputs(out);
    }
    fn step(&mut self, inp: &UnitIn) {
        self.0.step(inp);
    }
    fn idle_until(&self, _: &UnitIn) -> Option<Cycle> {
        Some(Cycle(u64::MAX))
    }
}

/// The comparison finds a unit whose word cannot be taken.
#[test]
fn a_unit_that_is_not_idle_when_it_says_so_is_found() {
    let sets = strings(&["traffic.line_gbps=2", "unit.mode=emtt"]);
    let found = both("sleepy", &config(&sets), messages::<Sleepy>).unwrap_err();
    assert!(found.contains("the pins differ"), "{found}");
}

/// A run that stands still ends at the same cycle with the same words.
#[test]
fn a_run_that_stands_still_is_given_up_in_the_same_cycle() {
    fn stuck(system: &mut System<Unit, Book>) -> Result<u64, RunError> {
        let spec = system::driver::RegionSpec::of(ByteCount(1 << 16));
        let regions = vec![system.register(&spec)?];
        let (bytes, align, streams, op) = (64, 64, (0, 0), Op::READ);
        let spec = RandomSpec { regions, window: 1 << 16, bytes, align, op, streams, depth: 1, pause: Time(0) };
        let mut nothing = RandomTraffic::new(spec, 1, "nothing");
        system.run_until(&mut nothing, |_, _| false)?;
        Ok(0)
    }
    let config = config(&strings(&["traffic.stall_cycles=5000"]));
    let (cycles, skipped) = both("stuck", &config, stuck).unwrap();
    assert_eq!(cycles, 5001);
    // The first 2048 cycles clear the caches.
    assert!(skipped > 2900, "{skipped}");
}
