//! Replay of recordings, and of broken copies of the Verilog.

use cycle::atc::Atc;
use rtl::export::VerilogFile;
use rtl::package::{Design, Request};
use std::path::Path;
use testbench::lockstep::Interface;
use testbench::lockstep::icarus;
use testbench::lockstep::verilator::{ReplayError, Verilated};
use testbench::package::recording;

/// Rows of a segment.
const SEGMENT: u64 = 1_000_000;

pub(crate) fn request(config: &str) -> Request {
    Request::named("atc", config).unwrap()
}

pub(crate) fn write(folder: &Path, files: &[VerilogFile]) -> Vec<String> {
    for file in files {
        std::fs::write(folder.join(&file.name), &file.text).unwrap();
    }
    files.iter().map(|f| f.name.clone()).filter(|n| n.ends_with(".v")).collect()
}

/// Replays `segments` recordings of `rows` rows with Verilator; returns the rows compared.
fn verilator(config: &str, design: &Design, segments: u64, rows: u64) -> Result<u64, ReplayError> {
    let cfg = request(config).cfg;
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &design.files);
    let model = Verilated::build(folder.path(), &design.top, &files, &Interface::of::<Atc>(&cfg))?;
    model.replay((1..=segments).map(|seed| recording(&cfg, seed, rows)))
}

fn in_icarus(config: &str, design: &Design, rows: u64) -> Result<u64, ReplayError> {
    let cfg = request(config).cfg;
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), &design.files);
    icarus::replay(folder.path(), &design.top, &files, &Interface::of::<Atc>(&cfg), &recording(&cfg, 5, rows))
}

#[test]
fn small_two_million_rows_in_verilator() {
    let design = request("small").verilog().unwrap();
    assert_eq!(verilator("small", &design, 2, SEGMENT).unwrap(), 2 * SEGMENT);
}

#[test]
fn tiny_medium_and_large_in_verilator() {
    for (config, rows) in [("tiny", SEGMENT), ("medium", SEGMENT / 2), ("large", SEGMENT / 2)] {
        let design = request(config).verilog().unwrap();
        assert_eq!(verilator(config, &design, 1, rows).unwrap(), rows, "{config}");
    }
}

#[test]
fn small_fifty_thousand_rows_in_icarus() {
    let design = request("small").verilog().unwrap();
    assert_eq!(in_icarus("small", &design, 50_000).unwrap(), 50_000);
}

/// Name, module, text that stands there once, and what it becomes.
const BROKEN: [(&str, &str, &str, &str); 7] = [
    (
        "a way that is being written is read all the same",
        "atc_way",
        "clash_d = write_en & lookup_clash",
        "clash_d = 1'b0",
    ),
    ("the generation is not compared", "atc_way", " & same_generation_q)", ")"),
    ("Global matches no other PASID", "atc_way", "((&same_pasid_q) | any_pasid_q)", "(&same_pasid_q)"),
    ("parity of the granule is not checked", "atc_way", "((^odd_granule_q) ^ even_granule_q)", "1'b0"),
    ("an entry is dropped only inside the range", "atc_way", "(broken | owner_everywhere) |", "broken |"),
    ("a pending range holds no lookup off", "atc_pending", "(everywhere_q | in_range)", "everywhere_q"),
    ("a use of way 0 is not noted", "atc_lru", "touched = touch_order | 6'h7", "touched = touch_order"),
];

#[test]
fn broken_copies_are_caught_by_both_simulators() {
    let design = request("tiny").verilog().unwrap();
    for (name, module, from, to) in BROKEN {
        let mut broken = design.clone();
        let file = broken.files.iter_mut().find(|f| f.name.starts_with(&format!("rnic_xlat_{module}_"))).unwrap();
        assert_eq!(file.text.matches(from).count(), 1, "{name}: `{from}` in {}", file.name);
        file.text = file.text.replace(from, to);
        match in_icarus("tiny", &broken, 20_000) {
            Err(ReplayError::Tool { log, .. }) if log.contains("expected") => {}
            other => panic!("{name}: Icarus says {other:?}"),
        }
        match verilator("tiny", &broken, 1, 20_000) {
            Err(ReplayError::Mismatch(mismatch)) => println!("{name}: {mismatch}"),
            other => panic!("{name}: Verilator says {other:?}"),
        }
    }
}
