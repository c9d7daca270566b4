//! Scenarios: what happens to a unit in its system, when, and what must be seen.
//!
//! A scenario is a TOML file. Every run, whatever its scenario expects, is watched by the golden judge, by the TLP checker,
//! by a comparison of the data at the far end, and by the driver's own book of memory that was taken away; and it has to
//! end within the bound that it states, with nothing owed.
//!
//! | part | |
//! |---|---|
//! | `schema` | the form of a file |
//! | `read`, `check` | reading one, and what its parts must keep with each other |
//! | `engine`, `actions` | one run: steps at their time, and what they do |
//! | `atomics` | what atomics did to memory |
//! | `registration` | registration by work requests |
//! | `work`, `book`, `agent` | requests, pages, invalidations as the host sees them |
//! | `jury` | who watches |
//! | `verdict` | what must be seen at the end |

mod actions;
mod agent;
mod atomics;
mod book;
mod check;
mod check_registration;
mod engine;
mod expect;
mod finding;
mod jury;
mod read;
mod registration;
pub mod schema;
mod verdict;
mod work;

pub use finding::{Finding, WATCHERS};
pub use jury::Jury;
pub use schema::Scenario;
pub use verdict::{Report, Verdict};

use crate::faults::{Fault, Faulty};
use cycle::unit::Unit;
use engine::Run;
use std::path::Path;
use system::{Config, ConfigError, Observer, Unobserved};
use types::Block;
use types::port::{UnitIn, UnitOut};

/// The test machine.
const MACHINE: &str = include_str!("machine.toml");

impl Scenario {
    /// The machine it runs on.
    pub fn config(&self) -> Result<Config, Finding> {
        let sets: Vec<String> = self.machine.iter().map(|(key, value)| format!("{key}={value}")).collect();
        Config::parse("the test machine", MACHINE, &sets).map_err(|e| {
            Finding::Scenario(match e {
                ConfigError::Value { key, value, allowed, .. } => format!("machine: {key} = {value}: {allowed}"),
                e => format!("machine: {e}"),
            })
        })
    }
}

/// Runs a scenario on the cycle-exact unit. `scenario` is the path of a file or its text.
pub fn run(scenario: &str) -> Verdict {
    let path = Path::new(scenario);
    let scenario = if path.is_file() { Scenario::read(path) } else { Scenario::parse(scenario) };
    Verdict::of(&scenario.and_then(|scenario| judge(&scenario, None)))
}

/// Runs a scenario on the cycle-exact unit, with a fault or without.
pub fn judge(scenario: &Scenario, fault: Option<Fault>) -> Result<Report, Finding> {
    watch::<Unit, _>(scenario, fault, Unobserved)
}

/// Runs a scenario on a unit `U`, with a fault or without, while `watcher` looks on.
pub fn watch<U, O>(scenario: &Scenario, fault: Option<Fault>, watcher: O) -> Result<Report, Finding>
where
    U: Block<In = UnitIn, Out = UnitOut>,
    O: Observer<Faulty<U>>,
{
    trial::<U, O>(scenario, fault, watcher)?.outcome
}

/// A run that has come to its end, right or wrong.
#[derive(Clone, Debug)]
pub struct Trial {
    /// What was seen, or what was wrong.
    pub outcome: Result<Report, Finding>,
    /// What was found where the scenario is about a run that is wrong, and it was the watcher that has to find it.
    pub found: Option<Finding>,
    /// Cycles from power-on to the end; a finding was made in the last of them.
    pub cycles: u64,
    /// Cycles from power-on to the end of the boot, from which a scenario counts; `cycles` if the run did not come so far.
    pub boot: u64,
}

/// Runs a scenario on the cycle-exact unit, with a fault or without, while `watcher` looks on. An error if the scenario
/// cannot be run at all.
pub fn attempt<O: Observer<Faulty<Unit>>>(
    scenario: &Scenario,
    fault: Option<Fault>,
    watcher: O,
) -> Result<Trial, Finding> {
    let trial = trial::<Unit, O>(scenario, fault, watcher)?;
    match trial.outcome {
        Err(finding @ Finding::Scenario(_)) => Err(finding),
        _ => Ok(trial),
    }
}

fn trial<U, O>(scenario: &Scenario, fault: Option<Fault>, watcher: O) -> Result<Trial, Finding>
where
    U: Block<In = UnitIn, Out = UnitOut>,
    O: Observer<Faulty<U>>,
{
    let cfg = scenario.config()?;
    let mut run = Run::<U, O>::new(scenario, &cfg, watcher)?;
    if let Some(fault) = fault {
        run.system.unit.plant(fault);
    }
    let outcome = run.go().and_then(|()| verdict::close(&mut run));
    let (outcome, found) = match (&scenario.expect.found_by, outcome) {
        (None, outcome) => (outcome, None),
        (Some(by), Ok(_)) => (Err(Finding::Expected(format!("a finding by {by}"))), None),
        (Some(by), Err(finding)) if finding.by() == by => (Ok(verdict::report(&mut run)), Some(finding)),
        (Some(_), Err(finding)) => (Err(finding), None),
    };
    let cycles = run.system.cycles().0;
    let boot = if run.start > 0 { run.start } else { cycles };
    Ok(Trial { outcome, found, cycles, boot })
}
