//! The soak of docs/reference/scenarios.md, shorter: cycles enough that races come which 400 scenarios do not show.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use testbench::conformance::soak;

#[test]
fn two_million_cycles_without_a_violation() {
    match soak(2_000_000, 7, |_| {}) {
        Ok(tally) => {
            assert!(tally.cycles >= 2_000_000, "{tally}");
            assert!(tally.requests > 1000 && tally.invalidations > 100, "{tally}");
            eprintln!("{tally}");
        }
        Err(failure) => {
            let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), "soak").unwrap();
            panic!("{}\nscenario: {}", failure.finding, path.display());
        }
    }
}
