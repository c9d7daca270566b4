//! Conformance: random scenarios, each run watched by everything that watches a scenario.
//!
//! Scenarios come out of proptest strategies, so that one that fails shrinks; what is left is written as a scenario file.

mod hogs;
mod machine;
mod races;
mod registrations;
mod soak;
mod traffic;
mod trim;

pub use hogs::hogs;
pub use races::{Disturbance, races};
pub use registrations::registrations;
pub use soak::{Tally, soak};
pub use traffic::{Style, scenarios};

use crate::faults::Fault;
use crate::scenario::{Finding, Report, Scenario, judge};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use trim::trim;

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

/// Which scenarios of a strategy are looked at, and how.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// How many.
    pub cases: u32,
    /// The same ones with the same seed.
    pub seed: u64,
    /// Fault planted in the unit.
    pub fault: Option<Fault>,
    /// Runs spent on making a scenario that fails shorter.
    pub shrink: u32,
}

impl Search {
    /// `cases` scenarios of a unit without a fault.
    pub fn new(cases: u32, seed: u64) -> Self {
        Self { cases, seed, fault: None, shrink: 400 }
    }

    /// The same for a unit with a fault. The scenario that finds it is not made shorter.
    pub fn with_fault(self, fault: Fault) -> Self {
        Self { fault: Some(fault), shrink: 0, ..self }
    }
}

/// Runs scenarios of a strategy. Each report is shown to `seen`.
pub fn explore(
    strategy: impl Strategy<Value = Scenario>,
    search: Search,
    seen: impl FnMut(&Report),
) -> Result<(), Box<Failure>> {
    let Search { cases, seed, fault, shrink: max_shrink_iters } = search;
    // A run that hangs is slow to shrink.
    let max_shrink_time = 15_000;
    let config = Config { cases, failure_persistence: None, max_shrink_iters, max_shrink_time, ..Config::default() };
    let seed = std::array::from_fn::<u8, 32, _>(|i| seed.to_le_bytes()[i % 8]);
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
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
            let mut finding = finding.unwrap_or_else(|| Finding::Scenario("the failure does not come again".into()));
            let scenario = if search.shrink > 0 { trim(scenario, &mut finding, fault) } else { scenario };
            Err(Box::new(Failure { scenario, finding }))
        }
        Err(TestError::Abort(reason)) => {
            let finding = Finding::Scenario(reason.to_string());
            Err(Box::new(Failure { scenario: Scenario::default(), finding }))
        }
    }
}
