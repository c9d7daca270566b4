//! `bench-sim`: what it prints; how fast it is depends on the host.

use super::{run, succeed, text};
use serde_json::Value;
use tempfile::TempDir;

#[test]
fn every_line_has_a_figure_and_the_gap_is_stated() {
    let dir = TempDir::new().unwrap();
    let out = run(dir.path(), &["bench-sim", "--small", "--json"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("Not measured: the whole unit against Verilator"), "{}", text(&out.stderr));
    let lines: Vec<Value> = serde_json::from_slice(&out.stdout).unwrap();
    for line in &lines {
        assert!(line["value"].as_f64().unwrap() > 0.0, "{line}");
    }
    for what in ["stellar-ats, every cycle", "cycles passed over", "ats, run of 100000", "cycle model over rust-hdl"] {
        assert!(lines.iter().any(|l| l["what"].as_str().unwrap().starts_with(what)), "{what}: {lines:?}");
    }
}

#[test]
fn idle_cycles_change_nothing_but_the_time() {
    let dir = TempDir::new().unwrap();
    let rows = |more: &[&str]| {
        let args =
            ["bench", "--preset", "stellar-ats", "--sizes", "64K", "-n", "2", "--set", "traffic.line_gbps=5", "--json"];
        let mut rows: Vec<Value> = serde_json::from_str(&succeed(dir.path(), &[&args, more].concat())).unwrap();
        rows.iter_mut().for_each(|row| row["wall_s"] = Value::Null);
        rows
    };
    assert_eq!(rows(&[]), rows(&["--every-cycle"]));
}
