//! The sample waves load, fit the layout beside them, and show what their description says.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use waves::TOP;

#[test]
fn the_sample_shows_a_miss_and_a_hit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut wave = wellen::simple::read(folder.join("ats-miss-and-hit.vcd")).unwrap();
    let layout = std::fs::read_to_string(folder.join("ats-miss-and-hit.gtkw")).unwrap();
    assert!(layout.contains("[dumpfile] \"ats-miss-and-hit.vcd\""));
    let mut shown = 0;
    for signal in layout.lines().filter(|l| l.starts_with(TOP)) {
        let names: Vec<&str> = signal.split('[').next().unwrap().split('.').collect();
        let (name, path) = names.split_last().unwrap();
        assert!(wave.hierarchy().lookup_var(path, *name).is_some(), "{signal} is not in the sample");
        shown += 1;
    }
    assert!(shown > 500, "{shown}");
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
