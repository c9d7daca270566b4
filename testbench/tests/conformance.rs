//! Random requests on random machines: everything the unit does is accepted by the judge and the checker, data is right at
//! the far end, and nothing is owed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use testbench::conformance::{Style, explore, scenarios};

fn conforms(name: &str, style: Style, cases: u32) {
    let mut requests = 0;
    let outcome = explore(scenarios(style), cases, 1, None, |report| requests += report.outcomes.values().sum::<u64>());
    if let Err(failure) = outcome {
        let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), name).unwrap();
        panic!("{}\nscenario: {}", failure.finding, path.display());
    }
    // Most scenarios have several requests.
    assert!(requests > 4 * u64::from(cases), "only {requests} requests");
}

#[test]
fn orderly_requests_all_succeed_in_order() {
    conforms("orderly", Style::Orderly, 400);
}

#[test]
fn wild_requests_end_as_they_must() {
    conforms("wild", Style::Wild, 400);
}
