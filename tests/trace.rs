//! Waves of a run, read back with an independent reader (wellen).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use wellen::simple::Waveform;

const TOP: &str = "rnic_xlat";

fn trace(dir: &Path, args: &[&str]) -> (Waveform, String) {
    waves(dir, &[&["trace", "--out", "run.vcd"], args].concat(), 0)
}

/// Runs a command that writes `run.vcd`, and ends with `status`.
fn waves(dir: &Path, args: &[&str], status: i32) -> (Waveform, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_rnic-xlat")).current_dir(dir).args(args).output().unwrap();
    assert_eq!(out.status.code(), Some(status), "{}", String::from_utf8_lossy(&out.stderr));
    let wave = wellen::simple::read(dir.join("run.vcd")).unwrap();
    (wave, String::from_utf8(out.stdout).unwrap())
}

/// Changes of a signal: time in ps and bits, most significant first.
fn changes(wave: &mut Waveform, path: &[&str], name: &str) -> Vec<(u64, String)> {
    let var = wave.hierarchy().lookup_var(path, name).unwrap_or_else(|| panic!("{path:?} {name} is missing"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let signal = wave.get_signal(signal).unwrap();
    signal.iter_changes().map(|(t, v)| (times[t as usize], v.to_bit_string().unwrap())).collect()
}

/// Cycles in which a bit is 1, when a cycle takes `period_ps`.
fn high(changes: &[(u64, String)], end_ps: u64, period_ps: u64) -> u64 {
    let ends = changes.iter().skip(1).map(|(t, _)| *t).chain([end_ps]);
    changes.iter().zip(ends).filter(|((_, v), _)| v == "1").map(|((t, _), end)| (end - t) / period_ps).sum()
}

#[test]
fn waves_show_the_run_at_the_edge_and_between_the_blocks() {
    let dir = TempDir::new().unwrap();
    // Two messages of 8 KiB: one to warm up, one measured.
    let (mut wave, said) = trace(dir.path(), &["--preset", "stellar-ats-4k", "--size", "8K", "-n", "1"]);
    assert!(said.contains("0 bytes wrong") && said.contains("512 bits at 500 MHz"), "{said}");
    let end = *wave.time_table().last().unwrap();
    let mut cycles = |block: &[&str], name: &str| {
        let path = [&[TOP][..], block].concat();
        high(&changes(&mut wave, &path, name), end, 2000)
    };
    // Reset is held in the first four cycles, in the unit and in every block.
    for block in
        [&[][..], &["mpt"], &["seg"], &["mtt"], &["replay"], &["atc"], &["ats"], &["dma"], &["tlp_tx"], &["tlp_rx"]]
    {
        assert_eq!(cycles(block, "reset"), 4, "{block:?}");
    }
    // A line packet of 2048 bytes (traffic.mtu_bytes) is a work request: 2 x 8192 / 2048. It lies inside one page.
    assert_eq!(cycles(&["mpt"], "checked_valid"), 8);
    assert_eq!(cycles(&["seg"], "segment_valid"), 8);
    assert_eq!(cycles(&["replay"], "released_valid"), 8);
    // Two pages of 4 KiB, asked for once each: the measured message hits, and so do packets behind a miss that merge.
    assert_eq!(cycles(&["ats"], "stat_request"), 2);
    // What one block puts out is what the next takes in, at the same times.
    for (from, to, name) in [
        ("mpt", "seg", "checked_va"),
        ("seg", "mtt", "segment_entry"),
        ("mtt", "replay", "mapped_address"),
        ("replay", "atc", "lookup_valid"),
        ("atc", "replay", "result_valid"),
        ("dma", "tlp_tx", "posted_valid"),
        ("tlp_rx", "ats", "cpl_valid"),
    ] {
        let (out_name, in_name) = match (from, to) {
            ("tlp_rx", "ats") => ("ats_cpl_valid", name),
            _ => (name, name),
        };
        let (left, right) = (changes(&mut wave, &[TOP, from], out_name), changes(&mut wave, &[TOP, to], in_name));
        assert!(left.len() > 1, "{from}.{out_name} never changes");
        assert_eq!(left, right, "{from}.{out_name} and {to}.{in_name}");
    }
    let layout = fs::read_to_string(dir.path().join("run.gtkw")).unwrap();
    assert!(layout.contains("[dumpfile] \"run.vcd\""));
}

#[test]
fn a_window_is_the_same_cycles_of_the_same_run() {
    let dir = TempDir::new().unwrap();
    let preset = ["--preset", "stellar-emtt", "--size", "4K"];
    let (mut whole, _) = trace(dir.path(), &preset);
    let (mut part, said) = trace(dir.path(), &[&preset[..], &["--from", "300", "--cycles", "200"]].concat());
    assert!(said.contains("cycles 300 to 499 of"), "{said}");
    // Cycle k starts at k x 2 ns; the file ends with the last cycle.
    let (start, end) = (300 * 2000, 500 * 2000);
    assert_eq!(part.time_table().first(), Some(&start));
    assert_eq!(part.time_table().last(), Some(&end));
    for (block, name) in [("mtt", "mapped_address"), ("tlp_tx", "tx_wr_req_tlp_hdr"), ("dma", "posted_data")] {
        let before = changes(&mut whole, &[TOP, block], name);
        let first = before.iter().rev().find(|(t, _)| *t <= start).map(|(_, v)| (start, v.clone()));
        let inside = before.iter().filter(|(t, _)| (start + 1..end).contains(t)).cloned();
        let expected: Vec<_> = first.into_iter().chain(inside).collect();
        assert_eq!(changes(&mut part, &[TOP, block], name), expected, "{block}.{name}");
    }
}

/// The waves of a scenario show its run from power-on to the end. With a planted fault the unit's own ports are its pins,
/// where the fault stands, and the blocks are as they are inside.
#[test]
fn waves_of_a_scenario_show_the_fault_at_the_pins() {
    let dir = TempDir::new().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/testbench/scenarios/01-completion-behind-writes.toml");
    let args = ["scenario", file, "--trace", "run.vcd"];
    let names = [(&["tlp_tx"][..], "tx_rd_req_tlp_hdr"), (&["tlp_rx"], "rx_msg_tlp_data")];
    // AT is changed on its way out, the body of an Invalidate Request on its way in.
    let runs = [
        (None, 0, [false; 2]),
        (Some("wrong-at"), 1, [true, false]),
        (Some("invalidation-reversed"), 1, [false, true]),
    ];
    for (fault, status, differ) in runs {
        let planted: Vec<&str> = fault.iter().flat_map(|fault| ["--fault", fault]).collect();
        let (mut wave, said) = waves(dir.path(), &[&args[..], &planted].concat(), status);
        for ((block, name), differs) in names.iter().zip(differ) {
            let outside = changes(&mut wave, &[TOP], name);
            let inside = changes(&mut wave, &[&[TOP][..], block].concat(), name);
            assert!(fault.is_some() || outside.len() > 1, "{name} never changes");
            assert_eq!(outside != inside, differs, "{name} with {fault:?}");
        }
        // A cycle of 250 MHz takes 4 ns; the file ends with the last cycle of the run.
        let cycles = wave.time_table().last().unwrap() / 4000;
        assert!(said.contains(&format!("{cycles} cycles in run.vcd")), "{cycles}: {said}");
        let told = if status == 0 { format!("seen:    {cycles} cycles") } else { format!("cycle {} from", cycles - 1) };
        assert!(said.contains(&told), "{told}: {said}");
    }
}
