//! What a unit and its blocks say of their idle cycles can be taken at its word: in every scenario, and in random ones, a
//! unit whose idle edges and blocks are left out gives the same outputs and statistics in every cycle as one that takes
//! every edge with every block.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::unit::Unit;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use system::Unobserved;
use testbench::conformance::{Disturbance, Style, races, scenarios};
use testbench::scenario::{Scenario, watch};
use types::port::{UnitIn, UnitOut};
use types::{Block, Cycle, UnitCfg};

thread_local! {
    /// Edges of the units of this thread, and those that one of the two did not take.
    static EDGES: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Two units with the same inputs; one does not take the edges that its `idle_until` gives away, or with `ANY` any edge
/// with inputs like those before.
#[derive(Clone, Debug)]
struct Twins<const ANY: bool> {
    every: Unit,
    lazy: Unit,
    /// The inputs with which the lazy one rests, and for how many more edges.
    rest: Option<(UnitIn, u64)>,
}

impl<const ANY: bool> Block for Twins<ANY> {
    type In = UnitIn;
    type Out = UnitOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self { every: Unit::new(cfg), lazy: Unit::new(cfg), rest: None }
    }

    fn outputs(&self, out: &mut UnitOut) {
        let mut lazy = UnitOut::default();
        self.lazy.outputs(&mut lazy);
        self.every.outputs(out);
        assert_eq!(*out, lazy, "the lazy unit differs at its pins");
        // Written out only when it fails: every port of every block.
        let same = self.every.wires() == self.lazy.wires();
        assert!(same, "the lazy unit differs inside: {:#?} {:#?}", self.every.wires(), self.lazy.wires());
    }

    fn step(&mut self, inp: &UnitIn) {
        self.every.step_every_block(inp);
        self.rest = match self.rest {
            Some((held, edges)) if held == *inp && edges > 0 => Some((held, edges - 1)),
            _ if ANY => Some((*inp, u64::MAX)),
            _ => self.lazy.idle_until(inp).filter(|edges| edges.0 > 0).map(|edges| (*inp, edges.0 - 1)),
        };
        let (all, left_out) = EDGES.get();
        EDGES.set((all + 1, left_out + u64::from(self.rest.is_some())));
        if self.rest.is_none() {
            self.lazy.step(inp);
        }
    }

    fn idle_until(&self, _: &UnitIn) -> Option<Cycle> {
        None
    }
}

/// Runs a scenario on twins; whatever its verdict, they must not differ.
fn run(scenario: &Scenario) -> Result<(), String> {
    let verdict = watch::<Twins<false>, _>(scenario, None, Unobserved);
    match verdict {
        Err(fault) if scenario.expect.found_by.is_none() => Err(fault.to_string()),
        _ => Ok(()),
    }
}

#[test]
fn in_every_scenario() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    for path in files {
        let scenario = Scenario::read(&path).unwrap();
        run(&scenario).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let (all, left_out) = EDGES.get();
    eprintln!("{left_out} of {all} edges left out");
    assert!(left_out > all / 20, "{left_out} of {all} edges left out");
}

#[test]
fn in_random_scenarios() {
    let mut runner = TestRunner::deterministic();
    let strategies =
        [scenarios(Style::Orderly).boxed(), scenarios(Style::Wild).boxed(), races(Disturbance::Everything).boxed()];
    for case in 0..150 {
        let scenario = strategies[case % 3].new_tree(&mut runner).unwrap().current();
        run(&scenario).unwrap_or_else(|e| panic!("{e}\n{}", scenario.to_text()));
    }
    let (all, left_out) = EDGES.get();
    eprintln!("{left_out} of {all} edges left out");
    assert!(left_out > all / 100, "{left_out} of {all} edges left out");
}

/// The comparison finds a unit whose word cannot be taken.
#[test]
#[should_panic(expected = "the lazy unit differs")]
fn a_unit_that_is_not_idle_is_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    let path = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).min().unwrap();
    _ = watch::<Twins<true>, _>(&Scenario::read(&path).unwrap(), None, Unobserved);
}
