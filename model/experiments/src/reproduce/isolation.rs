//! A victim streams while a neighbour runs the attacks that Husky and Collie found to hurt RDMA NICs.

use super::bars::{Bars, draw_bars};
use super::measure::{failed, region_spec, regions};
use super::report::{Check, Grid, Judge, Report};
use super::{Context, Experiment, ReproduceError, clock_and_width};
use cycle::unit::Unit;
use system::driver::{RegionSpec, Registered};
use system::fabric::{Packet, ROOT_ID, nic_function};
use system::traffic::{Buffers, Perftest, RandomSpec, RandomTraffic, Together, WriteTraffic};
use system::{RunError, System, Time};
use types::ats::InvalidateRange;
use types::tlp::{Attributes, Body, Routing};
use types::{ByteCount, FunctionId, Op, Owner, PageSize, Tag, Tlp};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "isolation",
    question: "what does a neighbour's attack on the shared tables and caches cost a victim that streams?",
    presets: &["stellar-ats-4k", "stellar-emtt"],
    run,
};

const MODES: [(&str, &str); 2] = [("ATS", "stellar-ats-4k"), ("eMTT", "stellar-emtt")];
/// The controls that the unit has: segments that one stream may have in the pipeline and parked, 96 of 144 as a rule (with
/// 24, the four streams of a neighbour leave 48 of the 144 to the victim); two partitions of what functions share; and with
/// them 2000 cycles, 4 us, between two invalidations of a function at least.
const CAPS: [(&str, &[&str]); 4] = [
    ("shared", &[]),
    ("24 segments a stream", &["unit.sizes.stream_slots=24"]),
    ("two partitions", &["unit.sizes.partitions=2"]),
    ("partitions and rate limit", &["unit.sizes.partitions=2", "unit.sizes.invalidate_interval=2000"]),
];
const K: u64 = 1 << 10;
const M: u64 = 1 << 20;
/// The victim's message: half of the ATC's reach.
const VICTIM: u64 = M;
/// Cycles without any message of the victim after which it counts as starved: 20 ms, where 1 MiB takes 0.044 ms.
const CYCLES: u64 = 10_000_000;
/// What registering and deregistering takes a host, in each loop: tens of microseconds a call are usual.
const HOST_NS: u64 = 10_000;

/// What the neighbour does.
#[derive(Clone, Copy, Debug)]
enum Attack {
    None,
    /// Random reads: regions and bytes of each, bytes of a read, streams, reads open on each.
    Reads {
        regions: (u64, u64),
        bytes: u32,
        streams: u16,
        depth: u16,
    },
    /// Six loops that register and deregister regions of so many bytes, each deregistration with an ATC invalidation.
    /// The pause between two is the host's.
    Churn {
        bytes: u64,
        pause_ns: u64,
    },
}

/// Husky's and Collie's workloads. Four clients have a queue pair each, with as many reads open as the unit takes.
const ATTACKS: [(&str, Attack); 11] = [
    ("nobody", Attack::None),
    ("one region of 4 KiB (control)", Attack::Reads { regions: (1, 4 * K), bytes: 64, streams: 4, depth: 64 }),
    ("4096 regions of 512 B", Attack::Reads { regions: (4096, 512), bytes: 64, streams: 4, depth: 64 }),
    ("1024 regions of 1 MB", Attack::Reads { regions: (1024, M), bytes: 64, streams: 4, depth: 64 }),
    ("one region of 1 GB", Attack::Reads { regions: (1, K * M), bytes: 64, streams: 4, depth: 64 }),
    ("many QPs, 512 B, 1 GB", Attack::Reads { regions: (1, K * M), bytes: 512, streams: 60, depth: 8 }),
    ("deregistration loops, 1 KB", Attack::Churn { bytes: K, pause_ns: HOST_NS }),
    ("deregistration loops, 1 MB", Attack::Churn { bytes: M, pause_ns: HOST_NS }),
    ("deregistration loops, 1 GB", Attack::Churn { bytes: K * M, pause_ns: HOST_NS }),
    ("deregistrations of 1 KB, 1 us apart", Attack::Churn { bytes: K, pause_ns: 1000 }),
    ("deregistrations, back to back", Attack::Churn { bytes: K, pause_ns: 0 }),
];
const CONTROL: usize = 1;
const ONE_LARGE: usize = 4;
/// Invalidations as fast as the unit answers.
const BACK_TO_BACK: usize = 10;
const LOOPS: u16 = 6;

/// What a run gave: the victim's bandwidth, the neighbour's operations a microsecond.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    gbps: f64,
    neighbour: f64,
}

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let chosen: Vec<usize> = context.pick(vec![0, CONTROL, ONE_LARGE], (0..ATTACKS.len()).collect());
    let mut runs = Vec::new();
    for mode in 0..MODES.len() {
        for cap in 0..CAPS.len() {
            runs.extend(chosen.iter().map(|attack| Case { mode, cap, attack: *attack }));
        }
    }
    let messages = context.pick((1, 2), (4, 12));
    let outcomes = context.each(
        &runs,
        |_| 1,
        |case| {
            one(context, case, messages).map_err(|e| match e {
                Failure::Run(e) => {
                    let (preset, cap, name) = (MODES[case.mode].1, CAPS[case.cap].0, ATTACKS[case.attack].0);
                    failed(&format!("{preset}, {cap}, neighbour: {name}"), e)
                }
                Failure::Other(e) => e,
            })
        },
    )?;
    let results = Results { runs, outcomes, chosen };
    let mut report = Report { clock: clock_and_width(&context.config(MODES[0].1, &[])?), ..Report::default() };
    report.grids.push(results.grid());
    results.check(&mut report);
    results.answer(&mut report);
    report.notes.push(
        "The victim is function 0, the neighbour function 1, so that two partitions part them. Neighbours read, so that what lands in memory is the victim's. Collie's 512 queue \
         pairs are 60, the unit's streams; deregistration is an invalidation that the unit must complete before the next \
         one of its loop, with no access to the region."
            .into(),
    );
    report.pictures.push(results.picture(&report.clock)?);
    Ok(report)
}

/// A run: indices of the mode, the cap, the attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    mode: usize,
    cap: usize,
    attack: usize,
}

struct Results {
    runs: Vec<Case>,
    outcomes: Vec<Outcome>,
    chosen: Vec<usize>,
}

impl Results {
    fn at(&self, mode: usize, cap: usize, attack: usize) -> Outcome {
        let at = self.runs.iter().position(|r| *r == Case { mode, cap, attack });
        at.map_or(Outcome { gbps: 0.0, neighbour: 0.0 }, |i| self.outcomes[i])
    }

    /// Percent of what the victim has alone, with the same cap.
    fn loss(&self, mode: usize, cap: usize, attack: usize) -> f64 {
        100.0 * (1.0 - self.at(mode, cap, attack).gbps / self.at(mode, cap, 0).gbps)
    }

    fn worst(&self, mode: usize, cap: usize) -> (&'static str, f64) {
        let loss = |a: &usize| (ATTACKS[*a].0, self.loss(mode, cap, *a));
        self.chosen.iter().map(loss).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    fn grid(&self) -> Grid {
        let row = |a: &usize| {
            let mut row = vec![ATTACKS[*a].0.to_string()];
            for mode in 0..MODES.len() {
                let shared = self.at(mode, 0, *a);
                row.extend([format!("{:.1}", shared.gbps), format!("{:.1} %", self.loss(mode, 0, *a))]);
                row.push(format!("{:.2}", shared.neighbour));
                row.extend((1..CAPS.len()).map(|cap| format!("{:.1} %", self.loss(mode, cap, *a))));
            }
            row
        };
        let columns = ["neighbour", "ATS: Gb/s", "loss", "its M op/s", "capped", "parted", "and limited"];
        let columns =
            columns.into_iter().chain(["eMTT: Gb/s", "loss", "its M op/s", "capped", "parted", "and limited"]);
        Grid {
            title: format!(
                "A victim streams 1 MiB messages: its bandwidth and loss with everything shared; its loss capped ({}), parted \
                 ({}), parted and limited:",
                CAPS[1].0, CAPS[2].0
            ),
            columns: columns.map(String::from).collect(),
            rows: self.chosen.iter().map(row).collect(),
        }
    }

    fn check(&self, report: &mut Report) {
        for (mode, (name, _)) in MODES.iter().enumerate() {
            // 190 Gb/s less 2 %: the victim alone is the published plateau.
            let what = format!("{name}, victim alone");
            report.checks.push(Check::control(&what, "Gb/s", 186.2, Judge::AtLeast, self.at(mode, 0, 0).gbps));
        }
        // Hits go on during a sweep outside its range, so that a neighbour's invalidations should cost little.
        for (mode, (name, _)) in MODES.iter().enumerate().filter(|_| self.chosen.contains(&BACK_TO_BACK)) {
            let what = format!("{name}, neighbour invalidates back to back: victim");
            let bound = 0.9 * self.at(mode, 0, 0).gbps;
            report.checks.push(Check::control(
                &what,
                "Gb/s",
                bound,
                Judge::AtLeast,
                self.at(mode, 0, BACK_TO_BACK).gbps,
            ));
        }
    }

    fn answer(&self, report: &mut Report) {
        for (mode, (name, _)) in MODES.iter().enumerate() {
            let [shared, capped, parted, limited] = [0, 1, 2, 3].map(|cap| self.worst(mode, cap));
            report.answer.push(format!(
                "With {name} the worst neighbour, {}, takes {:.1} % of the victim's bandwidth; with {} the worst one, {}, \
                 takes {:.1} %; with {} {:.1} % ({}), with the rate limit as well {:.1} %.",
                shared.0, shared.1, CAPS[1].0, capped.0, capped.1, CAPS[2].0, parted.1, parted.0, limited.1
            ));
        }
        report.answer.push(format!(
            "What the link alone costs is the control: {:.1} % with ATS, {:.1} % with eMTT.",
            self.loss(0, 0, CONTROL),
            self.loss(1, 0, CONTROL)
        ));
    }

    /// The loss by neighbour.
    fn picture(&self, clock: &str) -> Result<super::Picture, ReproduceError> {
        // The cap and the rate limit change little: they are in the table.
        let kinds: Vec<(usize, usize)> = (0..MODES.len()).flat_map(|m| [0, 2].map(|c| (m, c))).collect();
        let group = |a: &usize| {
            let values = kinds.iter().map(|(m, c)| self.loss(*m, *c, *a).max(0.0)).collect();
            (ATTACKS[*a].0.to_string(), values)
        };
        let bars = Bars {
            axis: "victim's loss [%]",
            top: 100.0,
            series: kinds.iter().map(|(m, c)| format!("{}, {}", MODES[*m].0, CAPS[*c].0)).collect(),
            groups: self.chosen.iter().filter(|a| **a > 0).map(group).collect(),
        };
        let subtitle = format!("model of the unit: {clock}; workloads of Husky and Collie");
        Ok(draw_bars("isolation", "What a neighbour costs a victim that streams 1 MiB messages", &subtitle, &bars)?)
    }
}

enum Failure {
    Run(RunError),
    Other(ReproduceError),
}

impl From<RunError> for Failure {
    fn from(e: RunError) -> Self {
        Self::Run(e)
    }
}

fn one(context: &Context, case: &Case, (warm, measure): (u64, u64)) -> Result<Outcome, Failure> {
    let sets: Vec<String> = CAPS[case.cap].1.iter().map(|s| (*s).into()).collect();
    let cfg = context.config(MODES[case.mode].1, &sets).map_err(Failure::Other)?;
    let mut system = System::<Unit>::new(&cfg);
    let (stride, spec) = Buffers::spec(&cfg, VICTIM);
    let buffers = Buffers { region: system.register(&spec)?, size: VICTIM, stride };
    let victim = WriteTraffic::start(&cfg, buffers, system.now());
    let (spec, mut churn) = neighbour(&mut system, ATTACKS[case.attack].1)?;
    let mut traffic = Together::new(victim, RandomTraffic::new(spec, cfg.seed, "neighbour"));
    traffic.victim.go_on(warm);
    let operations =
        |t: &Together<WriteTraffic>, c: &Option<Churn>| c.as_ref().map_or(t.neighbour.tally().requests, |c| c.done);
    if !go(&mut system, &mut traffic, &mut churn)? {
        return Ok(Outcome { gbps: 0.0, neighbour: 0.0 });
    }
    let (start, before) = (system.now(), operations(&traffic, &churn));
    traffic.victim.go_on(measure);
    if !go(&mut system, &mut traffic, &mut churn)? {
        return Ok(Outcome { gbps: 0.0, neighbour: 0.0 });
    }
    let span = system.now().since(start).as_ns();
    let done = operations(&traffic, &churn) - before;
    // Bytes that are missing now are still on their way; a wrong one that has landed is counted.
    Ok(Outcome { gbps: 8.0 * (measure * VICTIM) as f64 / span, neighbour: 1e3 * done as f64 / span })
}

/// The neighbour's regions and traffic, all in function 1.
fn neighbour(system: &mut System<Unit>, attack: Attack) -> Result<(RandomSpec, Option<Churn>), RunError> {
    let idle = Attack::Reads { regions: (1, 4 * K), bytes: 64, streams: 0, depth: 1 };
    let (reads, churn) = match attack {
        Attack::Reads { .. } => (attack, None),
        Attack::None => (idle, None),
        Attack::Churn { bytes, pause_ns } => (idle, Some(Churn::start(system, bytes, Time::from_ns(pause_ns))?)),
    };
    let Attack::Reads { regions: (count, length), bytes, streams, depth } = reads else {
        return Err(RunError::Protocol { reason: "no reads".into() });
    };
    let spec = RandomSpec {
        regions: regions(system, (count, length), (1, 1))?,
        window: length,
        bytes,
        align: u64::from(bytes),
        op: Op::READ,
        streams: (1, streams),
        depth,
        pause: Time(0),
    };
    Ok((spec, churn))
}

/// Runs until the victim's messages are done; false when it is starved.
fn go(
    system: &mut System<Unit>,
    traffic: &mut Together<WriteTraffic>,
    churn: &mut Option<Churn>,
) -> Result<bool, RunError> {
    let (mut from, mut rounds) = (system.cycles().0, 0);
    while !traffic.victim.rounds().all_done() {
        system.step(traffic)?;
        if let Some(churn) = churn {
            churn.tick(system)?;
        }
        if let Some(failure) = traffic.victim.failure().or(traffic.neighbour.failure()) {
            return Err(failure);
        }
        let done = traffic.victim.rounds().done();
        if done > rounds {
            (from, rounds) = (system.cycles().0, done);
        } else if system.cycles().0 - from > CYCLES {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Loops that register and deregister.
struct Churn {
    spec: RegionSpec,
    /// The region of each loop; the loop's number is its ITag.
    live: Vec<Registered>,
    /// From a completed invalidation to the next of its loop, and when that is, by loop.
    pause: Time,
    next: [Time; LOOPS as usize],
    done: u64,
}

impl Churn {
    fn start(system: &mut System<Unit>, bytes: u64, pause: Time) -> Result<Self, RunError> {
        system.configure(system.function(FunctionId(1)));
        // Pages as large as the region, so that one invalidation names it exactly.
        let page = PageSize::from_log2(bytes.max(4 * K).trailing_zeros() as u8).unwrap_or_default();
        let spec = region_spec(system.config(), bytes);
        let spec = RegionSpec { page, io_page: page, owner: Owner::Host, function: FunctionId(1), ..spec };
        let live = (0..LOOPS).map(|_| system.register(&spec)).collect::<Result<Vec<_>, _>>()?;
        // The loops start one after the other, once the unit is out of reset.
        let next = std::array::from_fn(|i| Time(1_000_000 + pause.0 * i as u64 / u64::from(LOOPS)));
        Ok(Self { spec, live, pause, next, done: 0 })
    }

    /// Takes the region away and asks the unit to forget it.
    fn deregister(&self, system: &mut System<Unit>, which: u16) {
        let region = &self.live[usize::from(which)];
        system.deregister(region.key);
        let range = InvalidateRange { global: false, iova: region.io.base, size: Some(self.spec.io_page) };
        let mut payload = system.fabric.buffer();
        payload.extend_from_slice(&range.encode());
        let body = Body::Message {
            with_data: true,
            routing: Routing::ById,
            requester: ROOT_ID,
            tag: Tag(which),
            code: 1,
            dw2: u32::from(nic_function(FunctionId(1)).0) << 16,
            dw3: 0,
        };
        let attributes = Attributes::default();
        let tlp = Tlp { tc: 0, attributes, poisoned: false, length_dw: 2, body, pasid: Default::default() };
        let now = system.now();
        system.fabric.send_message(now, Packet { tlp, payload });
    }

    /// A loop whose invalidation is complete registers again, and after its pause deregisters.
    fn tick(&mut self, system: &mut System<Unit>) -> Result<(), RunError> {
        let now = system.now();
        while let Some(packet) = system.fabric.receive_message(now) {
            let Body::Message { code: 2, dw3, .. } = packet.tlp.body else { continue };
            for which in (0..LOOPS).filter(|i| dw3 >> i & 1 == 1) {
                let spec = RegionSpec { length: ByteCount(self.spec.length.0), ..self.spec };
                self.live[usize::from(which)] = system.register(&spec)?;
                self.done += 1;
                self.next[usize::from(which)] = now + self.pause;
            }
        }
        for which in 0..LOOPS {
            if self.next[usize::from(which)] <= now {
                self.next[usize::from(which)] = Time::NEVER;
                self.deregister(system, which);
            }
        }
        Ok(())
    }
}
