//! Why a run is not right.

use crate::checker::{Blocked, Breach};
use golden::Violation;
use system::RunError;
use types::TlpAddr;

/// What was found, by whom.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// The golden judge refused an event, or something is owed at the end.
    #[error("judge: {0}")]
    Judge(Violation),
    /// The TLP checker refused a TLP of the unit.
    #[error("checker: {0}")]
    Checker(Breach),
    /// The TLP checker refused a TLP of the surroundings, though nothing interfered with it.
    #[error("surroundings: {0}")]
    Surroundings(Breach),
    /// The unit broke the rules of its ports.
    #[error("ports: {0}")]
    Ports(RunError),
    /// Memory was used after the driver knew that it was free.
    #[error("use after free: {what} at {address}, which was taken away and reported so")]
    UseAfterFree {
        /// What.
        what: &'static str,
        /// Bus address.
        address: TlpAddr,
    },
    /// A function was held up by one of another partition.
    #[error("isolation: {0}")]
    Isolation(Blocked),
    /// Not everything ended in time.
    #[error("liveness: after {cycles} cycles not over: {open}")]
    Liveness {
        /// Cycles.
        cycles: u64,
        /// What is open.
        open: String,
    },
    /// Data at the far end is not what it should be.
    #[error("data: {0}")]
    Data(String),
    /// What must be seen was not.
    #[error("expected: {0}")]
    Expected(String),
    /// The scenario itself cannot be run.
    #[error("scenario: {0}")]
    Scenario(String),
}

/// Who watches every run; see [`Finding::by`].
pub const WATCHERS: [&str; 9] =
    ["judge", "checker", "surroundings", "ports", "use-after-free", "isolation", "liveness", "data", "expected"];

impl Finding {
    /// Whether another finding is of the same kind: the same rule of the same watcher.
    pub fn is_like(&self, other: &Self) -> bool {
        let rule = |violation: &Violation| std::mem::discriminant(violation);
        match (self, other) {
            (Self::Judge(a), Self::Judge(b)) => rule(a) == rule(b),
            _ => self.by() == other.by(),
        }
    }

    /// Who found it.
    pub fn by(&self) -> &'static str {
        match self {
            Self::Judge(_) => "judge",
            Self::Checker(_) => "checker",
            Self::Surroundings(_) => "surroundings",
            Self::Ports(_) => "ports",
            Self::UseAfterFree { .. } => "use-after-free",
            Self::Isolation(_) => "isolation",
            Self::Liveness { .. } => "liveness",
            Self::Data(_) => "data",
            Self::Expected(_) => "expected",
            Self::Scenario(_) => "scenario",
        }
    }
}
