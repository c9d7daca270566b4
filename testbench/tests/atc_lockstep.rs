//! Lockstep of `atc`: the cycle model and the rust-hdl block agree on every output at every clock edge; broken copies
//! are caught.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::atc::Atc as Model;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRng, TestRunner};
use rtl::atc::{Fault, Large, Medium, Small, Tiny};
use rtl::sim::with_stack;
use std::cell::Cell;
use testbench::lockstep::{Interface, Mismatch, compare};
use testbench::rtl::atc::AtcRtl;
use testbench::stimulus::atc::{Access, AtcStimulus, Fill, RandomRows, Row, rows};
use types::port::AtcIn;
use types::{BlockDut, Dut, Ports, UnitCfg};

/// Rows of a property case at most.
const ROWS: usize = 2000;
/// A rust-hdl tree is deep.
const STACK: usize = 256 << 20;

/// Runs `dut` against the cycle model.
fn run(cfg: &UnitCfg, dut: &mut dyn Dut, asked: impl Iterator<Item = Row>, seed: u64, n: u64) -> Result<(), Mismatch> {
    let mut stimulus = AtcStimulus::new(cfg, asked, seed);
    compare(&Interface::of::<Model>(cfg), &mut BlockDut::<Model>::new(cfg), dut, &mut stimulus, n)
}

/// Property cases that shrink; returns the rows compared, or the smallest case found and its mismatch.
fn property(cfg: &UnitCfg, cases: u32, make: impl Fn() -> Box<dyn Dut>) -> Result<u64, (Vec<Row>, String)> {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let compared = Cell::new(0);
    let result = TestRunner::new_with_rng(config, rng).run(&rows(ROWS), |case| {
        // Clearing takes a row a set; what is under way at the end comes out.
        let n = case.len() as u64 + 40;
        compared.set(compared.get() + n);
        let seed = case.len() as u64;
        run(cfg, make().as_mut(), case.into_iter(), seed, n).map_err(|m| TestCaseError::fail(m.to_string()))
    });
    match result {
        Ok(()) => Ok(compared.get()),
        Err(TestError::Fail(reason, case)) => Err((case, reason.to_string())),
        Err(other) => Err((vec![], other.to_string())),
    }
}

/// 128 cases of 1000 rows in the mean; eight times as many in the long run, which sets PROPTEST_CASES.
fn cases() -> u32 {
    if Config::default().cases > 256 { 1024 } else { 128 }
}

fn named(name: &str) -> UnitCfg {
    UnitCfg::named(name).unwrap()
}

#[test]
fn tiny_in_lockstep() {
    let run = || property(&named("tiny"), cases(), || Box::new(AtcRtl::new(&named("tiny"), Tiny::new()).unwrap()));
    let compared = with_stack(STACK, run).unwrap();
    let compared = compared.unwrap_or_else(|(case, reason)| panic!("{reason}; the rows: {case:#?}"));
    println!("rows compared: {compared}");
    assert!(compared >= 100_000);
}

#[test]
fn small_in_lockstep() {
    let run = || property(&named("small"), cases(), || Box::new(AtcRtl::new(&named("small"), Small::new()).unwrap()));
    let compared = with_stack(STACK, run).unwrap();
    let compared = compared.unwrap_or_else(|(case, reason)| panic!("{reason}; the rows: {case:#?}"));
    println!("rows compared: {compared}");
    assert!(compared >= 100_000);
}

/// A reset of one row, at every distance from a lookup that hits: nothing of it may come out.
#[test]
fn a_reset_of_one_row_meets_a_lookup_in_every_stage() {
    with_stack(STACK, || {
        let cfg = named("tiny");
        for at in 0..8 {
            let mut dut = AtcRtl::new(&cfg, Tiny::new()).unwrap();
            let access = Access { page: 0, owner: 0, rights: 3, offset: 0 };
            let fill = Fill { access, ..Fill::default() };
            // 4 rows of reset, 4 of sets, 2 more; the fill takes 8.
            let rows = (0..60).map(|n| Row {
                fill: (n == 12).then_some(fill),
                lookup: (n == 40).then_some(access),
                reset: n == 40 + at,
                ..Row::default()
            });
            run(&cfg, &mut dut, rows, 0, 60).unwrap();
        }
    })
    .unwrap();
}

#[test]
fn medium_and_large_in_lockstep() {
    with_stack(STACK, || {
        let (medium, large) = (named("medium"), named("large"));
        let mut dut = AtcRtl::new(&medium, Medium::new()).unwrap();
        run(&medium, &mut dut, RandomRows::new(&medium, 1), 1, 5000).unwrap();
        let mut dut = AtcRtl::new(&large, Large::new()).unwrap();
        run(&large, &mut dut, RandomRows::new(&large, 2), 2, 4000).unwrap();
    })
    .unwrap();
}

#[test]
fn faults_inside_are_caught() {
    with_stack(STACK, || {
        let cfg = named("tiny");
        for fault in Fault::ALL {
            let mut dut = AtcRtl::new(&cfg, Tiny::broken(fault)).unwrap();
            let mismatch = run(&cfg, &mut dut, RandomRows::new(&cfg, 1), 1, 20_000).unwrap_err();
            println!("{fault:?}: {mismatch}");
        }
    })
    .unwrap();
}

/// A copy whose inputs are broken: what a block would do that ignores them.
struct Deaf<D> {
    cfg: UnitCfg,
    dut: D,
    forget: fn(&mut AtcIn),
}

impl<D: Dut> Dut for Deaf<D> {
    fn cycle(&mut self, inp: &[u64], out: &mut [u64]) {
        let mut heard = AtcIn::unpack(&self.cfg, inp);
        (self.forget)(&mut heard);
        let mut row = vec![0; inp.len()];
        heard.pack(&self.cfg, &mut row);
        self.dut.cycle(&row, out);
    }
}

/// Changes the inputs of a row.
type Edit = fn(&mut AtcIn);

const DEAF: [(&str, Edit); 8] = [
    ("no PASID is PASID 0", |i| {
        i.lookup.key.pasid.valid = true;
        i.fill.key.pasid.valid = true;
    }),
    ("the top bit of the tag is not compared", |i| {
        i.lookup.key.iova.0 &= u64::MAX >> 1;
        i.fill.key.iova.0 &= u64::MAX >> 1;
    }),
    ("the lowest bit of the tag is not compared", |i| {
        i.lookup.key.iova.0 &= !(1 << 14);
        i.fill.key.iova.0 &= !(1 << 14);
    }),
    ("write permission is not asked for", |i| i.lookup.write = false),
    ("Global is forgotten", |i| i.fill.global = false),
    ("invalidations are never of the whole function", |i| i.invalidate.all = false),
    ("parity is not checked", |i| i.inject_parity = false),
    ("privileged mode is not part of the tag", |i| {
        i.lookup.key.pasid.privileged = false;
        i.fill.key.pasid.privileged = false;
    }),
];

#[test]
fn faults_at_the_inputs_are_caught() {
    with_stack(STACK, || {
        let cfg = named("tiny");
        for (name, forget) in DEAF {
            let dut = AtcRtl::new(&cfg, Tiny::new()).unwrap();
            let mut deaf = Deaf { cfg: cfg.clone(), dut, forget };
            let Err(mismatch) = run(&cfg, &mut deaf, RandomRows::new(&cfg, 1), 1, 60_000) else {
                panic!("not caught: {name}");
            };
            println!("{name}: {mismatch}");
        }
    })
    .unwrap();
}

#[test]
fn a_failing_case_shrinks_to_a_few_rows() {
    let broken =
        || -> Box<dyn Dut> { Box::new(AtcRtl::new(&named("tiny"), Tiny::broken(Fault::ReleasedEarly)).unwrap()) };
    let found = with_stack(STACK, move || property(&named("tiny"), cases(), broken)).unwrap();
    let (case, reason) = found.unwrap_err();
    println!("{} rows: {reason}", case.len());
    // Clearing takes 4 rows of reset, 4 of sets and 2 more; an invalidation is then taken, and 30 cycles are enough.
    assert!(case.len() <= 60, "{} rows: {reason}", case.len());
    assert!(case.iter().filter(|row| row.invalidate.is_some()).count() <= 2, "{case:?}");
}
