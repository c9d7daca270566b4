//! Does the adapter keep to the ports' rules, check every byte, tell observers everything, and give up when it must?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cycle::unit::Unit;
use system::fabric::nic_function;
use system::{Config, Observer, Probe, RunError, System};
use types::port::{UnitIn, UnitOut};
use types::{Block, ByteCount, Cycle, Event, FunctionId, Syndrome, UnitCfg};

fn config(preset: &str, sets: &[&str]) -> Config {
    Config::load(preset, sets).unwrap()
}

#[test]
fn data_survives_disorder_in_every_direction_mode_and_memory() {
    let disorder = ["disorder.random_splits=true", "disorder.jitter_ns=700", "disorder.stall_percent=30"];
    for (i, mode) in ["direct", "ats", "emtt"].into_iter().enumerate() {
        for op in ["write", "read"] {
            for memory in ["host", "gpu"] {
                for (name, translation) in [("medium", 4096), ("large", 65536)] {
                    let own = [
                        format!("unit.mode={mode}"),
                        format!("traffic.op={op}"),
                        format!("region.memory={memory}"),
                        format!("unit.configuration={name}"),
                        format!("region.translation_bytes={translation}"),
                        format!("seed={}", 17 * i + 3),
                        "traffic.qps=3".into(),
                    ];
                    let mut sets: Vec<&str> = own.iter().map(String::as_str).collect();
                    sets.extend(disorder);
                    let cfg = config("stellar-ats-4k", &sets);
                    // Not a multiple of anything: a last packet of 905 bytes.
                    let m =
                        System::<Unit>::new(&cfg).run(ByteCount(37_769), 3).unwrap_or_else(|e| panic!("{own:?}: {e}"));
                    assert_eq!(m.wrong, 0, "{own:?}");
                    assert_eq!(m.measured.get("dma.done"), Some(3 * 3 * 37_769_u64.div_ceil(2048)), "{own:?}");
                }
            }
        }
    }
}

#[test]
fn a_run_is_the_same_every_time_and_another_seed_moves_other_bytes() {
    let run = |seed: &str| {
        let cfg = config("stellar-ats-4k", &["disorder.jitter_ns=100", "disorder.stall_percent=10", seed]);
        System::<Unit>::new(&cfg).run(ByteCount(100_000), 2).unwrap()
    };
    let first = run("seed=5");
    assert_eq!(first, run("seed=5"));
    assert_ne!(first.round_times, run("seed=6").round_times);
}

#[test]
fn a_second_run_on_the_same_system_works() {
    let mut system = System::<Unit>::new(&config("stellar-emtt", &[]));
    let first = system.run(ByteCount(65_536), 2).unwrap();
    let second = system.run(ByteCount(65_536), 2).unwrap();
    assert_eq!((first.wrong, second.wrong), (0, 0));
    assert_eq!(first.measured.get("dma.done"), second.measured.get("dma.done"));
}

/// Turns one bit of one posted payload beat around.
#[derive(Debug)]
struct Flipping {
    unit: Unit,
    beats: u32,
    flip: bool,
}

impl Block for Flipping {
    type In = UnitIn;
    type Out = UnitOut;
    fn new(cfg: &UnitCfg) -> Self {
        Self { unit: Unit::new(cfg), beats: 0, flip: false }
    }
    fn outputs(&self, out: &mut UnitOut) {
        self.unit.outputs(out);
        if self.flip && out.tx_wr_req_tlp.valid {
            out.tx_wr_req_tlp.data.0[0] ^= 1 << 40;
        }
    }
    fn step(&mut self, inp: &UnitIn) {
        let mut out = UnitOut::default();
        self.unit.outputs(&mut out);
        if out.tx_wr_req_tlp.valid && inp.tx_wr_req_tlp_ready {
            self.beats += 1;
        }
        self.flip = self.beats == 100;
        self.unit.step(inp);
    }
    fn idle_until(&self, _: &UnitIn) -> Option<Cycle> {
        None
    }
}

#[test]
fn one_wrong_bit_is_one_wrong_byte() {
    let m = System::<Flipping>::new(&config("stellar-emtt", &[])).run(ByteCount(65_536), 1).unwrap();
    assert_eq!(m.wrong, 1);
}

/// Never answers.
#[derive(Debug)]
struct Dead;

impl Block for Dead {
    type In = UnitIn;
    type Out = UnitOut;
    fn new(_: &UnitCfg) -> Self {
        Self
    }
    fn outputs(&self, out: &mut UnitOut) {
        *out = UnitOut::default();
    }
    fn step(&mut self, _: &UnitIn) {}
    fn idle_until(&self, _: &UnitIn) -> Option<Cycle> {
        None
    }
}

#[test]
fn a_stall_is_an_error_with_the_state_in_it() {
    let cfg = config("stellar-ats", &["traffic.stall_cycles=5000"]);
    let Err(RunError::Stall { cycles, at, state }) = System::<Dead>::new(&cfg).run(ByteCount(65_536), 1) else {
        panic!("a dead unit moves nothing");
    };
    assert_eq!((cycles, at), (5001, 5001));
    assert!(state.contains("registers busy") && state.contains("NIC credits"), "{state}");
}

#[test]
fn a_request_that_fails_ends_the_run_with_its_syndrome() {
    let mut system = System::<Unit>::new(&config("stellar-ats-4k", &[]));
    system.fabric.deny_ats(nic_function(FunctionId(0)));
    let error = system.run(ByteCount(4096), 1).unwrap_err();
    let expected = Syndrome::TRANSLATION_FAILED;
    assert!(matches!(error, RunError::Request { stream: 0, syndrome, .. } if syndrome == expected), "{error}");
}

/// Counts events and checks their order.
#[derive(Debug, Default)]
struct Count {
    mapped: u64,
    pages: u64,
    accepted: u64,
    done: u64,
    written: u64,
    delivered: u64,
    out: u64,
    out_payload: u64,
    cpl: u64,
    ready: (bool, bool, bool),
    cycles: u64,
}

impl Observer<Unit> for Count {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::TableMemory { .. } => self.ready.0 = true,
            Event::Configured(f) => self.ready.1 = f.function == FunctionId(0) && f.bus_master,
            Event::DefaultMode(_) => self.ready.2 = true,
            Event::Mapped { .. } => self.mapped += 1,
            Event::PageMapped { .. } => self.pages += 1,
            Event::RequestAccepted(_) => {
                assert_eq!(self.ready, (true, true, true), "programmed first");
                self.accepted += 1;
            }
            Event::WriteData { bytes, .. } => self.written += bytes.len() as u64,
            Event::ReadData { bytes, .. } => self.delivered += bytes.len() as u64,
            Event::TlpOut { payload, .. } => {
                self.out += 1;
                self.out_payload += payload.len() as u64;
            }
            Event::TlpIn { .. } => self.cpl += 1,
            Event::MessageDone { syndrome, .. } => {
                assert!(syndrome.is_ok());
                self.done += 1;
                assert!(self.done <= self.accepted);
            }
            _ => {}
        }
    }
    fn cycle(&mut self, cycle: Cycle, _: &Unit, inp: &UnitIn, _: &UnitOut) {
        assert_eq!(cycle.0, self.cycles);
        // Reset is held in rows 0 to 3.
        assert_eq!(inp.reset, cycle.0 < 4);
        self.cycles += 1;
    }
}

#[test]
fn observers_are_told_everything_once() {
    let mut system = System::<Unit, Count>::with_observer(&config("stellar-ats-4k", &[]), Count::default());
    let m = system.run(ByteCount(40_000), 2).unwrap();
    let seen = &system.observer;
    // Three messages of 40 000 bytes in packets of 2048; 10 pages in two lines of 8 entries.
    let packets = 3 * 40_000_u64.div_ceil(2048);
    assert_eq!((seen.mapped, seen.pages), (1, 10));
    assert_eq!((seen.accepted, seen.done, seen.written, seen.delivered), (packets, packets, 120_000, 0));
    assert_eq!(seen.out_payload, 120_000);
    // One MPT line, two MTT lines, ten translations.
    assert_eq!(seen.cpl, 13);
    let tlps = m.first_pass.get("link.up_tlps").unwrap() + m.measured.get("link.up_tlps").unwrap();
    assert_eq!(seen.out, tlps);
    assert_eq!(seen.cycles, system.cycles().0);
}

#[test]
fn reads_deliver_every_byte_to_the_observer() {
    let cfg = config("stellar-emtt", &["traffic.op=read"]);
    let mut system = System::<Unit, Count>::with_observer(&cfg, Count::default());
    system.run(ByteCount(40_000), 1).unwrap();
    assert_eq!(system.observer.delivered, 80_000);
}

#[test]
fn a_probe_sees_the_unit_in_every_cycle() {
    let mut cycles = Vec::new();
    let probe = Probe(|_: &Unit, cycle: Cycle| cycles.push(cycle.0));
    let mut system = System::with_observer(&config("stellar-emtt", &[]), probe);
    system.run(ByteCount(4096), 1).unwrap();
    let end = system.cycles().0;
    drop(system);
    assert_eq!(cycles, (0..end).collect::<Vec<_>>());
}

/// Ends the run after a number of cycles.
struct Stop(u64);

impl Observer<Unit> for Stop {
    fn cycle(&mut self, _: Cycle, _: &Unit, _: &UnitIn, _: &UnitOut) {
        self.0 = self.0.saturating_sub(1);
    }
    fn stop(&self) -> bool {
        self.0 == 0
    }
}

#[test]
fn an_observer_can_end_the_run() {
    let mut system = System::with_observer(&config("stellar-emtt", &[]), Stop(50));
    assert_eq!(system.run(ByteCount(4096), 1).unwrap_err(), RunError::Stopped(50));
}
