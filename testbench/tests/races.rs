//! Random interleavings of requests with everything that may change under them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use testbench::conformance::{Disturbance, explore, races};

fn survives(name: &str, disturbance: Disturbance, cases: u32) {
    let outcome = explore(races(disturbance), cases, 1, None, |_| {});
    if let Err(failure) = outcome {
        let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), name).unwrap();
        panic!("{}\nscenario: {}", failure.finding, path.display());
    }
}

#[test]
fn mappings_that_change_under_requests() {
    survives("mappings", Disturbance::Mappings, 400);
}

#[test]
fn everything_at_once() {
    survives("everything", Disturbance::Everything, 400);
}
