//! The primitives: exported Verilog against the simulation, block RAM on two families, and properties.

use rtl::export::VerilogFile;
use rtl::prim::{Fifo, Ram1w1r, Ram1w2r, RamBe, Skid2};
use rtl::rust_hdl::prelude::*;
use rtl::sim::{Sim, connect};

use crate::bench::{Recording, agrees, dut};
use crate::stimulus::{self, Stimulus};
use crate::tools;

const CYCLES: usize = 20_000;

/// Records a primitive under random stimulus, and replays it on the Verilog exported before and after.
macro_rules! replay {
    ($block:ty, $seed:literal, |$stimulus:ident, $k:ident| $row:expr, $drive:path) => {{
        let mut sim = Sim::new(Box::<$block>::default(), |b| &mut b.clock).expect("connects");
        let files = dut(sim.block());
        let mut $stimulus = Stimulus::new($seed);
        let recording = Recording::clocked(&mut sim, CYCLES, |b, $k| $drive(b, &$row));
        assert_eq!(dut(sim.block()), files, "contents are not baked in");
        agrees(&files, &recording);
    }};
}

#[test]
fn ram_1w1r() {
    replay!(stimulus::Ram, 11, |s, _k| s.ram(3, 33, 0), stimulus::drive_ram);
}

#[test]
fn ram_1w2r() {
    replay!(stimulus::Ram2, 12, |s, _k| s.ram(3, 5, 0), stimulus::drive_ram2);
}

#[test]
fn ram_be() {
    replay!(stimulus::RamBytes, 13, |s, _k| s.ram(2, 32, 4), stimulus::drive_ram_be);
}

#[test]
fn skid2() {
    replay!(stimulus::Skid, 14, |s, k| s.stream(k, 8), stimulus::drive_skid);
}

#[test]
fn fifo_of_two() {
    replay!(stimulus::ShortFifo, 15, |s, k| s.stream(k, 8), stimulus::drive_short_fifo);
}

#[test]
fn fifo_of_sixteen() {
    replay!(stimulus::LongFifo, 16, |s, k| s.stream(k, 12), stimulus::drive_long_fifo);
}

// ---- block RAM --------------------------------------------------------------------------------------------------------

fn export<B: Block + Default>() -> Vec<VerilogFile> {
    let mut block = Box::<B>::default();
    connect(block.as_mut()).expect("connects");
    dut(block.as_ref())
}

/// Synthesises for both families: `rams` block RAMs, and no memory in logic.
///
/// 512 words of 36 bits are 18 Kbit, the size of one DP16KD (ECP5) and of one RAMB18E2 (UltraScale+).
fn infers<B: Block + Default>(rams: usize) {
    let files = export::<B>();
    let ecp5 =
        format!("synth_ecp5 -top dut; select -assert-count {rams} t:DP16KD; select -assert-none t:TRELLIS_DPR16X4");
    tools::yosys(&files, &ecp5);
    let xcup = format!(
        "synth_xilinx -family xcup -flatten -noiopad -top dut; select -assert-count {rams} t:RAMB18E2; \
         select -assert-none t:RAMB36E2 t:RAM32* t:RAM64* t:RAM128* t:RAM256*"
    );
    tools::yosys(&files, &xcup);
}

#[test]
fn ram_1w1r_is_one_block_ram() {
    infers::<Ram1w1r<36, 9>>(1);
}

#[test]
fn a_disjoint_ram_is_the_block_ram_alone() {
    let files = export::<Ram1w1r<36, 9, true>>();
    let only = "select -assert-count 1 t:DP16KD; select -assert-none t:TRELLIS_FF t:LUT4";
    tools::yosys(&files, &format!("synth_ecp5 -top dut; {only}"));
}

#[test]
fn ram_1w2r_is_two_block_rams() {
    infers::<Ram1w2r<36, 9>>(2);
}

#[test]
fn ram_be_is_one_block_ram() {
    infers::<RamBe<32, 4, 9>>(1);
}

#[test]
fn fifo_is_one_block_ram() {
    infers::<Fifo<36, 9, 10>>(1);
}

#[test]
fn skid2_is_registers() {
    infers::<Skid2<36>>(0);
}

// ---- properties -------------------------------------------------------------------------------------------------------

#[test]
fn skid2_keeps_its_properties() {
    assert_eq!(tools::prove(&export::<Skid2<8>>(), "dut"), Ok(()));
}

#[test]
fn fifo_keeps_its_properties() {
    assert_eq!(tools::prove(&export::<Fifo<4, 3, 4>>(), "dut"), Ok(()));
}

#[test]
fn a_broken_fifo_is_found_out() {
    let mut files = export::<Fifo<4, 3, 4>>();
    let top = files.iter_mut().find(|f| f.name == "dut.v").expect("has a top");
    let wrong = top.text.replace("ready_d = held != depth;", "ready_d = held != depth + 4'h1;");
    assert_ne!(wrong, top.text);
    top.text = wrong;
    assert!(tools::prove(&files, "dut").is_err());
}
