//! Coherent eMTT in the system: filled by the unit's own Translation Requests, and then as quick as plain eMTT.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cycle::unit::Unit;
use system::{Config, Measurement, System};
use types::ByteCount;

const K: u64 = 1 << 10;
const M: u64 = 1 << 20;
const COHERENT: [&str; 2] = ["region.coherent=true", "unit.sizes.coherent_ranges=64"];

fn run(size: u64, sets: &[&str]) -> (Measurement, u64) {
    let cfg = Config::load("stellar-emtt", sets).unwrap();
    let mut system = System::<Unit>::new(&cfg);
    let m = system.run(ByteCount(size), (4 * M / size).clamp(1, 64)).unwrap();
    assert_eq!(m.wrong, 0, "{size} {sets:?}");
    let filled = system.statistics().get("driver.filled").unwrap();
    (m, filled)
}

#[test]
fn coherent_emtt_has_the_bandwidth_of_plain_emtt_within_1_percent_and_asks_only_at_registration() {
    for size in [64 * K, 2 * M, 16 * M] {
        let (plain, none) = run(size, &[]);
        let (coherent, filled) = run(size, &COHERENT);
        // One entry for each 4 KiB, before the first message.
        assert_eq!((none, filled), (0, size / 4096));
        let (a, b) = (coherent.bw_average_gbps, plain.bw_average_gbps);
        assert!((a - b).abs() <= 0.01 * b, "{size}: {a} against {b}");
        assert_eq!(coherent.measured.get("ats.request"), Some(0), "{size}");
        assert_eq!(coherent.measured.get("mtt.stale"), Some(0), "{size}");
        // The entries of large regions may be put in the tables at once: the same thing, quicker to run.
        let (at_once, filled) = run(size, &[&COHERENT[..], &["driver.fills_at_once=true"]].concat());
        assert_eq!((at_once.bw_average_gbps, filled), (a, 0), "{size}");
    }
}

#[test]
fn entries_that_were_never_filled_work_by_ats() {
    // Answers of 4 KiB for pages of 4 KiB, refused at registration: the agent is asked when they are used.
    let sets = ["region.coherent=true", "region.filled_on_demand=true", "driver.page_events=true"];
    let (m, filled) = run(64 * K, &sets);
    assert_eq!(filled, 0);
    assert!(m.measured.get("mtt.stale").unwrap() > 0);
}

#[test]
fn what_cannot_be_coherent_is_refused() {
    for (sets, key) in [
        (["region.coherent=true", "region.mode=ats"], "region.coherent"),
        (["region.coherent=true", "region.memory=host"], "region.coherent"),
        (["unit.sizes.coherent_ranges=257", "seed=1"], "unit.sizes.coherent_ranges"),
    ] {
        let error = Config::load("stellar-emtt", &sets).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}
