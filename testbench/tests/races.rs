//! Random interleavings of requests with everything that may change under them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use testbench::conformance::{Disturbance, Search, explore, races, registrations};
use testbench::faults::Fault;
use testbench::scenario::{Scenario, judge};

fn survives(name: &str, disturbance: Disturbance, seed: u64) {
    if let Err(failure) = explore(races(disturbance), Search::new(150, seed), |_| {}) {
        let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), name).unwrap();
        panic!("{}\nscenario: {}", failure.finding, path.display());
    }
}

macro_rules! seeds {
    ($($name:ident: $disturbance:ident, $seed:expr;)*) => {
        $(#[test] fn $name() { survives(stringify!($name), Disturbance::$disturbance, $seed); })*
    };
}

// Several seeds, so that they run beside each other.
seeds! {
    mappings_change_1: Mappings, 1;
    mappings_change_2: Mappings, 2;
    mappings_change_3: Mappings, 3;
    everything_at_once_1: Everything, 1;
    everything_at_once_2: Everything, 2;
    everything_at_once_3: Everything, 3;
    everything_at_once_4: Everything, 4;
}

fn registers(name: &str, disturbance: Disturbance, seed: u64) {
    if let Err(failure) = explore(registrations(disturbance), Search::new(150, seed), |_| {}) {
        let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), name).unwrap();
        panic!("{}\nscenario: {}", failure.finding, path.display());
    }
}

macro_rules! registering {
    ($($name:ident: $disturbance:ident, $seed:expr;)*) => {
        $(#[test] fn $name() { registers(stringify!($name), Disturbance::$disturbance, $seed); })*
    };
}

registering! {
    keys_change_1: Mappings, 1;
    keys_change_2: Mappings, 2;
    keys_change_with_everything_1: Everything, 1;
    keys_change_with_everything_2: Everything, 2;
}

#[test]
fn what_fails_shrinks_to_a_scenario_that_can_be_read() {
    let fault = Fault::InvalidationIgnored;
    let search = Search { shrink: 300, ..Search::new(150, 1).with_fault(fault) };
    let failure = explore(races(Disturbance::Mappings), search, |_| {}).unwrap_err();
    let text = failure.scenario.to_text();
    eprintln!("{}\n{text}", failure.finding);
    // A request, what takes its mapping away, and another request, or little more.
    assert!(failure.scenario.steps.len() <= 5 && failure.scenario.regions.len() <= 2, "{text}");
    let again = Scenario::parse(&text).unwrap();
    assert_eq!(judge(&again, Some(fault)).unwrap_err().by(), failure.finding.by());
    assert!(judge(&again, None).is_ok());
}
