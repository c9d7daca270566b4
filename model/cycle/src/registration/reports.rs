//! Registrations that have taken effect and are not reported: what they take away is revoked first.

use std::collections::VecDeque;
use types::port::{Completion, Revocation};
use types::{StreamId, Syndrome};

/// Registrations that wait for their report.
pub(super) const REPORTS: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Report {
    completion: Completion,
    /// Valid until the revocation is over.
    revocation: Revocation,
}

/// Reports in order of their registrations. Those of one stream leave in this order; those of others pass.
#[derive(Clone, Debug)]
pub(super) struct Reports {
    open: VecDeque<Report>,
    /// The output registers.
    command: Revocation,
    completion: Completion,
}

impl Reports {
    pub(super) fn new() -> Self {
        Self {
            open: VecDeque::with_capacity(REPORTS),
            command: Revocation::default(),
            completion: Completion::default(),
        }
    }

    pub(super) fn reset(&mut self) {
        self.open.clear();
        (self.command, self.completion) = (Revocation::default(), Completion::default());
    }

    /// Whether there is a place for one more.
    pub(super) fn room(&self) -> bool {
        self.open.len() < REPORTS
    }

    /// A registration has taken effect, or was refused; `revocation` is not valid where nothing is taken away.
    pub(super) fn push(&mut self, completion: Completion, revocation: Revocation) {
        self.open.push_back(Report { completion, revocation });
    }

    pub(super) fn command(&self) -> Revocation {
        self.command
    }
    pub(super) fn completion(&self) -> Completion {
        self.completion
    }

    pub(super) fn idle(&self) -> bool {
        self.open.is_empty() && !self.command.valid && !self.completion.valid
    }

    /// One edge: whether the command offered is over, and its flush failed; whether the completion is taken.
    pub(super) fn step(&mut self, done: bool, failed: bool, taken: bool) {
        if done && self.command.valid {
            // The port goes low for a cycle, so that the next one is seen as another.
            self.command = Revocation::default();
            if let Some(report) = self.open.iter_mut().find(|r| r.revocation.valid) {
                report.revocation = Revocation::default();
                if failed {
                    report.completion.syndrome = Syndrome::UNSUPPORTED_REQUEST;
                }
            }
        } else if !self.command.valid
            && let Some(report) = self.open.iter().find(|r| r.revocation.valid)
        {
            self.command = report.revocation;
        }
        if self.completion.valid && !taken {
            return;
        }
        self.completion = Completion::default();
        let stream = |n: usize| -> StreamId { self.open[n].completion.stream };
        let first = |n: &usize| (0..*n).all(|older| stream(older) != stream(*n));
        let next = (0..self.open.len()).find(|n| !self.open[*n].revocation.valid && first(n));
        if let Some(report) = next.and_then(|n| self.open.remove(n)) {
            self.completion = report.completion;
        }
    }
}
