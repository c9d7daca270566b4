//! The scenario files: each passes, and fails with each of the faults that it names.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use testbench::conformance::{Style, scenarios};
use testbench::scenario::{Scenario, Verdict, judge, run};

/// Every file, in order of its name.
fn files() -> Vec<PathBuf> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    assert!(files.iter().all(|f| f.extension().is_some_and(|e| e == "toml")), "{files:?}");
    files
}

fn name(path: &std::path::Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Fails with one line for each entry.
fn none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_scenario_passes() {
    let verdict = |path: &PathBuf| (name(path), run(path.to_str().unwrap()));
    let verdicts: Vec<(String, Verdict)> = files().iter().map(verdict).collect();
    verdicts.iter().for_each(|(name, v)| eprintln!("{name}: {}", v.reason));
    none(verdicts.into_iter().filter(|(_, v)| !v.passed).map(|(name, v)| format!("{name}: {}", v.reason)).collect());
}

#[test]
fn every_scenario_fails_with_its_faults() {
    let mut wrong = Vec::new();
    for path in files() {
        let scenario = Scenario::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        if scenario.fails_with.is_empty() && scenario.expect.found_by.is_none() {
            wrong.push(format!("{}: names no fault", name(&path)));
        }
        for (fault, by) in &scenario.fails_with {
            match judge(&scenario, Some(*fault)) {
                Ok(report) => wrong.push(format!("{} passes with {fault:?}: {report}", name(&path))),
                Err(finding) if finding.by() == by => eprintln!("{} with {fault:?}: {finding}", name(&path)),
                Err(finding) => wrong.push(format!("{} with {fault:?} is not found by {by}: {finding}", name(&path))),
            }
        }
    }
    none(wrong);
}

/// A random scenario can be written to a file and read again: it keeps the rules that files are held to.
#[test]
fn random_scenarios_can_be_read_as_files() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for style in [Style::Orderly, Style::Wild] {
        let strategy = scenarios(style);
        for _ in 0..100 {
            let scenario = strategy.new_tree(&mut runner).unwrap().current();
            let text = scenario.to_text();
            assert_eq!(Scenario::parse(&text).as_ref(), Ok(&scenario), "{text}");
        }
    }
}
