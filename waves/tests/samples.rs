//! The sample waves load, and show the unit as its port tables are now.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use types::UnitCfg;
use waves::{TOP, unit_scopes};

#[test]
fn the_sample_shows_every_port_of_every_block() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut wave = wellen::simple::read(folder.join("ats-miss-and-hit.vcd")).unwrap();
    let cfg = UnitCfg::named("small").unwrap();
    for scope in unit_scopes(&cfg) {
        let path: Vec<&str> = if scope.block.is_empty() { vec![TOP] } else { vec![TOP, &scope.block] };
        for field in &scope.fields {
            let var = wave.hierarchy().lookup_var(&path, &field.name);
            let var = var.unwrap_or_else(|| panic!("{path:?} {} is missing: write the sample anew", field.name));
            let width = wave.hierarchy()[var].length(wave.hierarchy());
            assert!(width.is_none_or(|w| w == field.width), "{path:?} {}: {width:?} bits", field.name);
        }
    }
    // Two messages of 384 bytes, MPS 256: four write TLPs leave, and each block has released two segments.
    for (block, name, expected) in
        [("dma", "stat_write_tlp", 4), ("replay", "released_valid", 2), ("ats", "stat_request", 1)]
    {
        let signal = wave.hierarchy()[wave.hierarchy().lookup_var(&[TOP, block], name).unwrap()].signal_ref();
        wave.load_signals(&[signal]);
        let signal = wave.get_signal(signal).unwrap();
        let rises = signal.iter_changes().filter(|(_, value)| value.to_bit_string().unwrap() == "1").count();
        assert_eq!(rises, expected, "{block} {name}");
    }
}
