//! A function whose neighbour is not answered goes on within the bound, and the bound tells a unit without partitions.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use testbench::conformance::{Search, explore, hogs};
use testbench::faults::Fault;

#[test]
fn nobody_waits_for_a_neighbour_that_is_not_answered() {
    let mut worst = 0;
    let outcome = explore(hogs(), Search::new(80, 1), |report| {
        worst = worst.max(report.statistics.get("isolation.held_up_0").unwrap());
    });
    if let Err(failure) = outcome {
        let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), "hogs").unwrap();
        panic!("{}\nscenario: {}", failure.finding, path.display());
    }
    eprintln!("held up for {worst} cycles at most");
    assert!(worst > 0);
}

#[test]
fn without_partitions_it_is_found() {
    let search = Search::new(80, 1).with_fault(Fault::PartitionsIgnored);
    let failure = explore(hogs(), search, |_| {}).expect_err("nobody found it");
    assert_eq!(failure.finding.by(), "isolation", "{}", failure.finding);
}
