//! Conformance: random scenarios, each run watched by everything that watches a scenario.
//!
//! Scenarios come out of proptest strategies, so that one that fails shrinks; what is left is written as a scenario file.

mod machine;
mod traffic;

pub use traffic::{Style, scenarios};

use crate::faults::Fault;
use crate::scenario::{Finding, Report, Scenario, judge};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// A scenario that failed, as short as it would get.
#[derive(Debug)]
pub struct Failure {
    /// The scenario.
    pub scenario: Scenario,
    /// What was found.
    pub finding: Finding,
}

impl Failure {
    /// Writes the scenario to a file in `directory`.
    pub fn write(&self, directory: &Path, name: &str) -> std::io::Result<PathBuf> {
        let path = directory.join(format!("{name}.toml"));
        std::fs::create_dir_all(directory)?;
        std::fs::write(
            &path,
            format!("# {}\n{}", self.finding.to_string().replace('\n', "\n# "), self.scenario.to_text()),
        )?;
        Ok(path)
    }
}

/// Runs `cases` scenarios of a strategy, the same ones with the same `seed`. Each report is shown to `seen`. With a fault
/// planted, the scenario that finds it is not shrunk.
pub fn explore(
    strategy: impl Strategy<Value = Scenario>,
    cases: u32,
    seed: u8,
    fault: Option<Fault>,
    seen: impl FnMut(&Report),
) -> Result<(), Box<Failure>> {
    let max_shrink_iters = if fault.is_some() { 0 } else { 1500 };
    let config = Config { cases, failure_persistence: None, max_shrink_iters, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
    let seen = RefCell::new(seen);
    let outcome = runner.run(&strategy, |scenario| match judge(&scenario, fault) {
        Ok(report) => {
            (seen.borrow_mut())(&report);
            Ok(())
        }
        Err(finding) => Err(TestCaseError::fail(finding.to_string())),
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(TestError::Fail(_, scenario)) => {
            let finding = judge(&scenario, fault).err();
            let finding = finding.unwrap_or_else(|| Finding::Scenario("the failure does not come again".into()));
            Err(Box::new(Failure { scenario, finding }))
        }
        Err(TestError::Abort(reason)) => {
            let finding = Finding::Scenario(reason.to_string());
            Err(Box::new(Failure { scenario: Scenario::default(), finding }))
        }
    }
}
