//! Scenarios: what happens to a unit in its system, when, and what must be seen.
//!
//! A scenario is a TOML file. Every run, whatever its scenario expects, is watched by the golden judge, by the TLP checker,
//! by a comparison of the data at the far end, and by the driver's own book of memory that was taken away; and it has to
//! end within the bound that it states, with nothing owed.
//!
//! | part | |
//! |---|---|
//! | `schema` | the form of a file |
//! | `engine`, `actions` | one run: steps at their time, and what they do |
//! | `work`, `book`, `agent` | requests, pages, invalidations as the host sees them |
//! | `jury` | who watches |
//! | `verdict` | what must be seen at the end |

mod actions;
mod agent;
mod book;
mod engine;
mod finding;
mod jury;
pub mod schema;
mod verdict;
mod work;

pub use finding::Finding;
pub use jury::Jury;
pub use schema::Scenario;
pub use verdict::{Report, Verdict};

use crate::faults::{Fault, Faulty};
use cycle::unit::Unit;
use engine::Run;
use std::path::Path;
use system::{Config, Observer, Unobserved};
use types::Block;
use types::port::{UnitIn, UnitOut};

/// The test machine.
const MACHINE: &str = include_str!("machine.toml");

impl Scenario {
    /// The scenario of a text.
    pub fn parse(text: &str) -> Result<Self, Finding> {
        toml::from_str(text).map_err(|e| Finding::Scenario(e.to_string()))
    }

    /// The text of a scenario.
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_else(|e| format!("# {e}"))
    }

    /// The machine it runs on.
    pub fn config(&self) -> Result<Config, Finding> {
        let sets: Vec<String> = self.machine.iter().map(|(key, value)| format!("{key}={value}")).collect();
        Config::parse("the test machine", MACHINE, &sets).map_err(|e| Finding::Scenario(e.to_string()))
    }
}

/// Runs a scenario on the cycle-exact unit. `scenario` is the path of a file or its text.
pub fn run(scenario: &str) -> Verdict {
    let text = if Path::new(scenario).is_file() {
        std::fs::read_to_string(scenario).map_err(|e| Finding::Scenario(format!("{scenario}: {e}")))
    } else {
        Ok(scenario.to_string())
    };
    match text.and_then(|text| Scenario::parse(&text)) {
        Ok(scenario) => Verdict::of(&judge(&scenario, None)),
        Err(finding) => Verdict::of(&Err(finding)),
    }
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
    let cfg = scenario.config()?;
    let mut run = Run::<U, O>::new(scenario, &cfg, watcher)?;
    if let Some(fault) = fault {
        run.system.unit.plant(fault);
    }
    let outcome = run.go().and_then(|()| verdict::close(&mut run));
    match (&scenario.expect.found_by, outcome) {
        (None, outcome) => outcome,
        (Some(by), Ok(_)) => Err(Finding::Expected(format!("a finding by {by}"))),
        (Some(by), Err(finding)) if finding.by() == by => Ok(verdict::report(&mut run)),
        (Some(_), Err(finding)) => Err(finding),
    }
}
