//! Input that is broken in ways that nobody means: one message, status 2, nothing left on disk.

use super::{names, refused, refused_in, run, succeed, text};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// A folder with a file, a folder and an empty file in it.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("taken"), "a file").unwrap();
    fs::write(dir.path().join("empty.toml"), "").unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    dir
}

#[test]
fn a_preset_that_is_empty_or_a_folder_is_refused_by_its_name() {
    let dir = folder();
    for command in [&["bench", "--preset"][..], &["trace", "--out", "w.vcd", "--preset"], &["presets", "show"]] {
        let with = |preset: &'static str| [command, &[preset]].concat();
        let says = ["error: empty.toml: unit.configuration = (missing)", "tiny, small", "base = \"PRESET\""];
        refused_in(dir.path(), &with("empty.toml"), &says);
        refused_in(dir.path(), &with("folder"), &["folder: not a preset (", "Is a directory"]);
        refused_in(dir.path(), &with(""), &["a value is required"]);
    }
    // Deep enough to overflow a stack.
    for deep in ["[".repeat(100_000), format!("[{}b]\nc = 1", "a.".repeat(100_000))] {
        fs::write(dir.path().join("deep.toml"), format!("x = {deep}")).unwrap();
        refused_in(dir.path(), &["presets", "show", "deep.toml"], &["deep.toml"]);
        refused_in(dir.path(), &["scenario", "deep.toml"], &["deep.toml"]);
    }
}

#[test]
fn a_setting_that_takes_a_table_away_is_refused() {
    let set = |value: &str, says: &[&str]| refused(&["presets", "show", "stellar-ats", "--set", value], says);
    set("unit=3", &["--set unit=3: unit = 3: must be a table"]);
    set("unit.sizes=3", &["--set unit.sizes=3: unit.sizes = 3: must be a table"]);
    set("link.nic=4", &["--set link.nic=4: link.nic = 4", "expected"]);
    set("seed=18446744073709551616", &["seed = \"18446744073709551616\"", "expected u64"]);
    set("unit.sizes.atc_sets=4294967296", &["unit.sizes.atc_sets = 4294967296", "u32"]);
    set("=3", &["--set =3", "a.b=value"]);
    set("unit..mode=ats", &["unit..mode=ats", "a.b=value"]);
    // As many parts as a command line takes.
    set(&format!("{}b=1", "a.".repeat(60_000)), &["a.b=value"]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    for (flag, value) in
        [("--threads", "0"), ("--threads", "99999999999"), ("--iterations", "1000001"), ("--sizes", "64K,,1M")]
    {
        refused(&["bench", flag, value], &[flag, value]);
    }
    refused(&["trace", "--preset", "stellar-ats", "--out", "w.vcd", "--cycles", "0"], &["--cycles", "'0'"]);
    let from = u64::MAX.to_string();
    let args = ["trace", "--preset", "stellar-ats", "--out", "w.vcd", "--from", &from, "--cycles", &from];
    refused(&args, &["--from 18446744073709551615"]);
    refused(&["fpga", "--block", "atc", "--config", "tiny", "--seeds", "0"], &["--seeds", "'0'"]);
}

#[test]
fn a_place_under_a_file_or_where_something_stands_is_refused_before_the_run() {
    let dir = folder();
    let refused = |args: &[&str], says: &[&str]| refused_in(dir.path(), args, says);
    let bench = ["bench", "--sizes", "64K"];
    refused(&[&bench[..], &["--out", "taken/x"]].concat(), &["cannot make the folder taken/x"]);
    refused(&[&bench[..], &["--stats", "folder"]].concat(), &["cannot write folder: it is a folder"]);
    // The plot would be written over the statistics, or the other way round.
    refused(&[&bench[..], &["--out", "folder", "--stats", "./folder/bandwidth.svg"]].concat(), &["--stats", "plot"]);
    let trace = ["trace", "--preset", "stellar-ats", "--out"];
    refused(&[&trace[..], &[".vcd"]].concat(), &["--out .vcd", "must end in .vcd"]);
    // The message names the file that was asked for, and no temporary one.
    let out = run(dir.path(), &[&trace[..], &["taken/w.vcd"]].concat());
    assert_eq!(text(&out.stderr), "error: cannot write taken/w.vcd: not a directory\n");
    let export = ["export", "--block", "atc", "--config", "tiny", "--out"];
    refused(&[&export[..], &["taken"]].concat(), &["taken is not empty and not an export package"]);
    refused(&[&export[..], &["taken/x"]].concat(), &["cannot make the folder taken/x"]);
    refused(&[&export[..], &["x", "--set", "atc_setz=4"]].concat(), &["`atc_setz=4`", "there are", "atc_sets"]);
    refused(&[&export[..], &["x", "--set", "atc_sets=9999999999"]].concat(), &["`atc_sets=9999999999`", "u32"]);
    let fpga = ["fpga", "--block", "atc", "--config", "tiny", "--out"];
    refused(&[&fpga[..], &["taken/x"]].concat(), &["cannot make the folder taken/x"]);
    assert_eq!(fs::read_to_string(dir.path().join("taken")).unwrap(), "a file");
}

/// The same size or preset twice is one point.
#[test]
fn what_is_given_twice_is_run_once() {
    let dir = TempDir::new().unwrap();
    let preset = ["--preset", "stellar-emtt", "--preset", "stellar-emtt"];
    let args = [&preset[..], &["--sizes", "64K,65536", "-n", "2", "--json"]].concat();
    let rows: Value = serde_json::from_str(&succeed(dir.path(), &args)).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    assert_eq!(names(dir.path()), ["out"]);
}
