//! Makes a scenario that fails shorter: what it fails without as well is left out.

use crate::faults::Fault;
use crate::scenario::{Finding, Scenario, judge};

/// Leaves out what is not needed for a finding of the same kind: steps, interferences, regions, values of the
/// machine. proptest has shrunk what was drawn; this takes away what was not drawn, or has shrunk to a usual value.
pub(super) fn trim(mut scenario: Scenario, finding: &mut Finding, fault: Option<Fault>) -> Scenario {
    let first = finding.clone();
    let mut keep = |shorter: &Scenario| match judge(shorter, fault) {
        // It becomes a file: nothing in it may name what was left out.
        _ if Scenario::parse(&shorter.to_text()).is_err() => false,
        Err(found) if found.is_like(&first) => {
            *finding = found;
            true
        }
        _ => false,
    };
    let mut attempt = |scenario: &mut Scenario, shorter: Scenario| {
        if keep(&shorter) {
            *scenario = shorter;
        }
    };
    let without = |scenario: &Scenario, part: Part, n: usize| {
        let mut shorter = scenario.clone();
        match part {
            Part::Steps => drop(shorter.steps.remove(n)),
            Part::Rules => drop(shorter.interfere.remove(n)),
            Part::Regions => drop(shorter.regions.remove(n)),
        }
        shorter
    };
    for part in [Part::Steps, Part::Rules, Part::Regions] {
        for n in (0..part.count(&scenario)).rev() {
            let shorter = without(&scenario, part, n);
            attempt(&mut scenario, shorter);
        }
    }
    for key in scenario.machine.keys().cloned().collect::<Vec<_>>() {
        let mut shorter = scenario.clone();
        shorter.machine.remove(&key);
        attempt(&mut scenario, shorter);
    }
    scenario
}

#[derive(Clone, Copy)]
enum Part {
    Steps,
    Rules,
    Regions,
}

impl Part {
    fn count(self, of: &Scenario) -> usize {
        match self {
            Self::Steps => of.steps.len(),
            Self::Rules => of.interfere.len(),
            Self::Regions => of.regions.len(),
        }
    }
}
