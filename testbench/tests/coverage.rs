//! Functional coverage of the scenario files and of a part of the random runs together: every point is reached.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use testbench::conformance::{Disturbance, Search, Style, explore, races, registrations, scenarios};
use testbench::coverage::{Coverage, POINTS};
use testbench::scenario::{Scenario, judge};

/// Random runs of each kind: a part of those that conformance.rs and races.rs look at.
const CASES: u32 = 120;

#[test]
fn every_point_is_reached() {
    let mut coverage = Coverage::default();
    let mut failures = Vec::new();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    for entry in std::fs::read_dir(directory).unwrap() {
        let scenario = Scenario::parse(&std::fs::read_to_string(entry.unwrap().path()).unwrap()).unwrap();
        coverage.add(&judge(&scenario, None).unwrap().coverage);
    }
    let search = Search::new(CASES, 1);
    let mut random = |outcome: Result<(), _>| failures.extend(outcome.err());
    random(explore(scenarios(Style::Orderly), search, |r| coverage.add(&r.coverage)));
    random(explore(scenarios(Style::Wild), search, |r| coverage.add(&r.coverage)));
    random(explore(races(Disturbance::Mappings), search, |r| coverage.add(&r.coverage)));
    random(explore(registrations(Disturbance::Mappings), search, |r| coverage.add(&r.coverage)));
    random(explore(registrations(Disturbance::Everything), search, |r| coverage.add(&r.coverage)));
    for seed in 1..=4 {
        let search = Search::new(150, seed);
        random(explore(races(Disturbance::Everything), search, |r| coverage.add(&r.coverage)));
    }
    assert!(failures.is_empty(), "{failures:?}");
    Coverage::points().for_each(|point| eprintln!("{:>8} {point}", coverage.count(&point)));
    assert!(coverage.missing().is_empty(), "never reached: {:#?}", coverage.missing());
}

#[test]
fn a_point_that_no_run_reaches_is_missing() {
    // A run without any invalidation.
    let quiet = Scenario::parse("title = 'nothing happens'\nbound = 10000").unwrap();
    let coverage = judge(&quiet, None).unwrap().coverage;
    assert!(coverage.missing().iter().any(|point| point == "invalidate.4k"));
    // All but what the boot reaches.
    assert!(coverage.missing().len() + 2 >= Coverage::points().count(), "{:?}", coverage.missing());
    assert!(POINTS.len() > 50);
}
