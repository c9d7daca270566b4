//! The program from outside: exit status, messages, what is left on disk.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod bench_sim;
mod broken;
mod reproduce;
mod scenario;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn program(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rnic-xlat"));
    command.current_dir(dir).stdin(Stdio::null());
    command
}

fn run(dir: &Path, args: &[&str]) -> Output {
    program(dir).args(args).output().unwrap()
}

/// A run that must succeed; its standard output.
fn succeed(dir: &Path, args: &[&str]) -> String {
    let out = run(dir, args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Bad input in `dir`: status 2, nothing on standard output, one message that holds every word of `says`, and nothing on
/// disk that was not there.
fn refused_in(dir: &Path, args: &[&str], says: &[&str]) {
    let before = names(dir);
    let out = run(dir, args);
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{args:?}: {message}");
    assert!(out.stdout.is_empty(), "{args:?}");
    for word in says {
        assert!(message.contains(word), "{args:?}: '{word}' is not in: {message}");
    }
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    assert_eq!(names(dir), before, "{args:?}");
}

fn refused(args: &[&str], says: &[&str]) {
    refused_in(TempDir::new().unwrap().path(), args, says);
}

#[test]
fn a_command_line_that_cannot_be_read_is_refused() {
    refused(&["--no-such-flag"], &["--no-such-flag"]);
    refused(&["frobnicate"], &["frobnicate"]);
    refused(&["bench", "--sizes", "64Q"], &["64Q", "64K = 65536"]);
    refused(&["bench", "--sizes", "0"], &["'0'", "1 to 4294967295"]);
    refused(&["bench", "--sizes", "8G"], &["'8G'", "1 to 4294967295"]);
    refused(&["bench", "--iterations", "0"], &["--iterations", "0"]);
    refused(&["bench", "--threads", "many"], &["--threads", "many"]);
    refused(&["trace", "--preset", "stellar-ats"], &["--out"]);
    refused(&["trace", "--preset", "stellar-ats", "--out", "waves.txt"], &["waves.txt", ".vcd"]);
    refused(&["trace", "--preset", "stellar-ats", "--out", "w.vcd", "--size", "1K,2K"], &["1K,2K"]);
    refused(&["trace", "--preset", "stellar-ats", "--out", "w.vcd", "--from", "99999999"], &["--from 99999999"]);
}

#[test]
fn a_preset_that_is_not_there_is_refused_with_those_that_are() {
    for command in [&["bench", "--preset", "no-such"][..], &["presets", "show", "no-such"]] {
        refused(command, &["no-such", "stellar-ats, stellar-ats-4k, stellar-emtt", "No such file"]);
    }
    refused(&["trace", "--preset", "no-such.toml", "--out", "w.vcd"], &["no-such.toml", "stellar-emtt"]);
}

#[test]
fn a_bad_setting_is_refused_with_key_value_and_what_is_allowed() {
    let set = |value, says: &[&str]| refused(&["bench", "--set", value], says);
    set("nonsense", &["--set nonsense", "a.b=value"]);
    set("unit.clok_mhz=400", &["unit.clok_mhz = 400", "unknown field", "clock_mhz"]);
    set("unit.clock_mhz=fast", &["unit.clock_mhz = \"fast\"", "expected u32"]);
    set("traffic.qps=4096", &["traffic.qps = 4096", "must be 1 to "]);
    set("unit.mode=magic", &["unit.mode", "magic", "emtt"]);
    set("unit.configuration=huge", &["unit.configuration = \"huge\"", "tiny, small, medium, large"]);
}

#[test]
fn a_bad_file_is_refused_by_name_and_key() {
    let dir = TempDir::new().unwrap();
    for (name, content, says) in [
        ("key.toml", "base = \"stellar-ats\"\n[iommu]\nwalk = 3\n", &["key.toml", "iommu.walk = 3", "walk_ns"][..]),
        (
            "value.toml",
            "base = \"stellar-ats\"\n[link.nic]\nlanes = 3\n",
            &["value.toml", "lanes = 3", "1, 2, 4, 8, 16"],
        ),
        ("base.toml", "base = \"connectx\"\n", &["base.toml", "base = \"connectx\"", "stellar-ats"]),
        ("syntax.toml", "base = \"stellar-ats\n", &["syntax.toml", "line 1"]),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
        refused_in(dir.path(), &["bench", "--preset", name], says);
    }
    fs::write(dir.path().join("bytes.toml"), [0xff, 0xfe, 0]).unwrap();
    refused_in(dir.path(), &["bench", "--preset", "bytes.toml"], &["bytes.toml"]);
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_run() {
    refused(&["bench", "--sizes", "64K", "--stats", "no/such/stats.json"], &["no/such/stats.json"]);
    refused(&["bench", "--sizes", "64K", "--stats", "."], &["is a folder"]);
    refused(&["trace", "--preset", "stellar-ats", "--out", "no/folder/waves.vcd"], &["no/folder/waves.vcd"]);
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("taken"), "a file").unwrap();
    refused_in(dir.path(), &["bench", "--sizes", "64K", "--out", "taken"], &["taken"]);
    assert_eq!(fs::read_to_string(dir.path().join("taken")).unwrap(), "a file");
}

#[test]
fn messages_that_do_not_fit_in_the_memory_of_a_preset_are_refused() {
    let args = ["bench", "--preset", "stellar-emtt", "--set", "memory.gpu_gib=1", "--sizes", "2G"];
    refused(&args, &["stellar-emtt", "2147483648 bytes", "do not fit"]);
}

/// A run that fails is no bad input. The data path is made to stand still: nothing can be done within a thousand cycles
/// when a Translation Request takes 10 us, 5000 cycles of 2 ns.
#[test]
fn a_run_that_stalls_is_status_1_and_says_where() {
    let dir = TempDir::new().unwrap();
    let sets = ["--set", "iommu.ats_ns=10000", "--set", "traffic.stall_cycles=1000"];
    let args = [&["bench", "--preset", "stellar-ats", "--sizes", "64K", "--stats", "s.json"][..], &sets].concat();
    let out = run(dir.path(), &args);
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{message}");
    assert!(message.contains("stellar-ats, messages of 65536 bytes: no progress for"), "{message}");
    assert_eq!(names(dir.path()), Vec::<String>::new());
}

#[test]
fn help_has_examples_for_every_command() {
    let dir = TempDir::new().unwrap();
    let help = succeed(dir.path(), &["--help"]);
    for word in
        ["rnic-xlat bench --preset", "rnic-xlat trace", "rnic-xlat presets show", "--sizes", "--json", "Exit status"]
    {
        assert!(help.contains(word), "{word}");
    }
    for command in ["bench", "reproduce", "trace", "scenario", "export", "fpga", "presets"] {
        succeed(dir.path(), &[command, "--help"]);
    }
}

#[test]
fn json_is_an_array_of_rows_and_statistics_hold_every_counter() {
    let dir = TempDir::new().unwrap();
    let presets = ["--preset", "stellar-ats", "--preset", "stellar-emtt"];
    let rest = ["--sizes", "128K,64K", "-n", "3", "--json", "--stats", "stats.json", "--out", "plots"];
    let out = succeed(dir.path(), &[&["bench"][..], &presets, &rest].concat());
    let rows: Value = serde_json::from_str(&out).unwrap();
    let rows = rows.as_array().unwrap();
    let order: Vec<_> = rows.iter().map(|r| (r["bytes"].as_u64().unwrap(), r["mode"].as_str().unwrap())).collect();
    assert_eq!(order, [(65_536, "ats"), (65_536, "emtt"), (131_072, "ats"), (131_072, "emtt")]);
    for row in rows {
        assert_eq!(row["wrong"], 0, "{row}");
        assert_eq!(row["iterations"], 3, "{row}");
        assert!(row["bw_average_gbps"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["bw_peak_gbps"].as_f64() >= row["bw_average_gbps"].as_f64(), "{row}");
        assert!(row["cycles"].as_u64().unwrap() > 0, "{row}");
        for key in ["preset", "msg_rate_mpps", "wall_s", "seed", "version", "config_hash", "clock_mhz", "data_bits"] {
            assert!(row.get(key).is_some(), "{key}: {row}");
        }
    }
    let stats: Value = serde_json::from_slice(&fs::read(dir.path().join("stats.json")).unwrap()).unwrap();
    // 3 messages of 64 KiB at page starts in TLPs of MPS 256 bytes: 3 x 256 of them, and 256 in the first pass.
    assert_eq!(stats[0]["counters"]["dma.write_tlp"], 3 * 256, "{stats}");
    assert_eq!(stats[0]["first_pass"]["dma.write_tlp"], 256, "{stats}");
    // 64 KiB is one granule of stellar-ats: one Translation Request in the first pass and none after it. eMTT asks nothing.
    assert_eq!(stats[0]["first_pass"]["ats.request"], 1, "{stats}");
    assert_eq!(stats[0]["counters"]["ats.request"], 0, "{stats}");
    assert_eq!(stats[1]["first_pass"]["ats.request"], 0, "{stats}");
    assert_eq!(names(dir.path()), ["plots", "stats.json"]);
    assert!(fs::read_to_string(dir.path().join("plots/bandwidth.svg")).unwrap().contains("stellar-emtt"));
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let dir = TempDir::new().unwrap();
    let rows = |threads: &str| {
        let out = succeed(dir.path(), &["--sizes", "64K,256K", "-n", "4", "--json", "--threads", threads]);
        let mut rows: Value = serde_json::from_str(&out).unwrap();
        for row in rows.as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove("wall_s");
        }
        rows
    };
    assert_eq!(rows("1"), rows("3"));
}

#[test]
fn a_file_and_settings_override_a_preset() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("mine.toml"), "base = \"stellar-ats\"\n[unit]\nmode = \"direct\"\nclock_mhz = 450\n")
        .unwrap();
    let args = ["--preset", "mine.toml", "--set", "unit.clock_mhz=400", "--sizes", "64K", "-n", "2", "--json"];
    let rows: Value = serde_json::from_str(&succeed(dir.path(), &args)).unwrap();
    assert_eq!(rows[0]["mode"], "direct");
    assert_eq!(rows[0]["clock_mhz"], 400);
}

#[test]
fn the_table_has_perftest_columns_clock_and_width_and_plain_words() {
    let dir = TempDir::new().unwrap();
    let out = run(dir.path(), &["--sizes", "64K", "-n", "2"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let table = text(&out.stdout);
    for word in [
        "#bytes",
        "#iterations",
        "BW peak[Gb/sec]",
        "BW average[Gb/sec]",
        "MsgRate[Mpps]",
        "mode",
        "#wrong",
        "#mtt.miss",
        "500 MHz x 512",
        "exposed misses",
        "calibration, no prediction",
        "fitted: ",
        "0 MTT misses after the first pass",
    ] {
        assert!(table.contains(word), "'{word}' is not in:\n{table}");
    }
    // No progress bar where standard error is not a terminal.
    assert_eq!(text(&out.stderr), "");
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let dir = TempDir::new().unwrap();
    let mut child = program(dir.path())
        .args(["presets", "show", "stellar-ats"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(text(&out.stderr), "");
    // Either all was written before the pipe closed, or the program stopped as a shell reports SIGPIPE.
    assert!([Some(0), Some(141)].contains(&out.status.code()), "{:?}", out.status);
}

#[test]
fn presets_are_listed_and_every_value_is_shown_with_its_evidence() {
    let dir = TempDir::new().unwrap();
    let list = succeed(dir.path(), &["presets"]);
    for name in ["stellar-ats", "stellar-ats-4k", "stellar-emtt"] {
        assert!(list.lines().any(|l| l.split_whitespace().next() == Some(name)), "{list}");
        let shown = succeed(dir.path(), &["presets", "show", name]);
        assert!(!shown.contains("no evidence"), "{shown}");
        for word in ["link.nic.generation = 4", "documented", "iommu.walk_ns", "assumed", "500 MHz"] {
            assert!(shown.contains(word), "{name}: {word}");
        }
    }
    let shown = succeed(dir.path(), &["presets", "show", "stellar-ats", "--set", "traffic.qps=4"]);
    assert!(shown.contains("traffic.qps = 4"), "{shown}");
    assert!(shown.contains("170 Gb/s, within 2 %: values were fitted to it"), "{shown}");
}
