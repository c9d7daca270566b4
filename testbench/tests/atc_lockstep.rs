//! Lockstep of `atc`: the cycle model and the rust-hdl block agree on every output at every clock edge.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::atc::Atc as Model;
use rtl::atc::{Small, Tiny};
use testbench::lockstep::{Interface, compare};
use testbench::rtl::atc::AtcRtl;
use testbench::stimulus::atc::{AtcStimulus, RandomRows};
use types::{BlockDut, UnitCfg};

#[test]
fn tiny_quick() {
    rtl::sim::with_stack(64 << 20, || {
        let cfg = UnitCfg::named("tiny").unwrap();
        for seed in 0..20 {
            let mut dut = AtcRtl::new(&cfg, Tiny::new()).unwrap();
            let interface = Interface::of::<Model>(&cfg);
            let mut stimulus = AtcStimulus::new(&cfg, RandomRows::new(&cfg, seed), seed);
            let t = std::time::Instant::now();
            compare(&interface, &mut BlockDut::<Model>::new(&cfg), &mut dut, &mut stimulus, 2000).unwrap_or_else(|m| panic!("seed {seed}: {m}"));
            println!("{seed} {:?}", t.elapsed());
        }
    })
    .unwrap();
}
#[test]
fn small_quick() {
    rtl::sim::with_stack(64 << 20, || {
        let cfg = UnitCfg::named("small").unwrap();
        for seed in 0..8 {
            let mut dut = AtcRtl::new(&cfg, Small::new()).unwrap();
            let interface = Interface::of::<Model>(&cfg);
            let mut stimulus = AtcStimulus::new(&cfg, RandomRows::new(&cfg, seed), seed);
            let t = std::time::Instant::now();
            compare(&interface, &mut BlockDut::<Model>::new(&cfg), &mut dut, &mut stimulus, 2000).unwrap_or_else(|m| panic!("seed {seed}: {m}"));
            println!("{seed} {:?}", t.elapsed());
        }
    })
    .unwrap();
}
