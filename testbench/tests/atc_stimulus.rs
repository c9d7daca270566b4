//! The stimulus of `atc` reaches what lockstep is for: every statistic moves, in every named configuration.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::atc::Atc;
use testbench::lockstep::{Interface, Recording};
use testbench::stimulus::atc::{AtcStimulus, RandomRows};
use types::port::AtcOut;
use types::{BlockDut, Ports, config::NAMED};

#[test]
fn every_outcome_is_reached_in_fifty_thousand_rows() {
    for (name, cfg) in NAMED {
        let interface = Interface::of::<Atc>(cfg);
        let mut stimulus = AtcStimulus::new(cfg, RandomRows::new(cfg, 1), 1);
        let recording = Recording::of(&interface, &mut BlockDut::<Atc>::new(cfg), &mut stimulus, 50_000);
        let mut counts = [0u64; 9];
        for row in recording.rows() {
            let (bits, width) = AtcOut::unpack(cfg, row.outputs).stat_bits();
            assert_eq!(width, 9);
            (0..9).for_each(|i| counts[i] += bits >> i & 1);
        }
        println!("{name}: {counts:?}");
        assert!(counts.iter().all(|n| *n >= 10), "{name}: {counts:?}");
    }
}
