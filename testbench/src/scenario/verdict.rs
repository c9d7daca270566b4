//! The end of a run: what is owed, data at the far end, what must be seen.

use super::engine::Run;
use super::finding::Finding;
use super::schema::Marker;
use crate::coverage::Coverage;
use crate::faults::Faulty;
use std::collections::BTreeMap;
use system::fabric::TlpKind;
use system::{Observer, Statistics};
use types::port::{UnitIn, UnitOut};
use types::{Block, Op, Syndrome};

/// What a run has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether everything was right.
    pub passed: bool,
    /// Why not, or what was seen.
    pub reason: String,
}

impl Verdict {
    /// The verdict on a run.
    pub fn of(outcome: &Result<Report, Finding>) -> Self {
        match outcome {
            Ok(report) => Self { passed: true, reason: report.to_string() },
            Err(finding) => Self { passed: false, reason: finding.to_string() },
        }
    }
}

/// What was seen in a run that was right.
#[derive(Clone, Debug)]
pub struct Report {
    /// Cycles.
    pub cycles: u64,
    /// Requests by outcome.
    pub outcomes: BTreeMap<Syndrome, u64>,
    /// TLPs at the unit's edge by kind.
    pub tlps: BTreeMap<TlpKind, u64>,
    /// Counters of unit and fabric.
    pub statistics: Statistics,
    /// Points of functional coverage.
    pub coverage: Coverage,
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} cycles; requests:", self.cycles)?;
        self.outcomes.iter().try_for_each(|(syndrome, n)| write!(f, " {n} {syndrome}"))?;
        write!(f, "; TLPs:")?;
        self.tlps.iter().try_for_each(|(kind, n)| write!(f, " {n} {kind:?}"))
    }
}

/// Closes a run that has ended.
pub(super) fn close<U, O>(run: &mut Run<'_, U, O>) -> Result<Report, Finding>
where
    U: Block<In = UnitIn, Out = UnitOut>,
    O: Observer<Faulty<U>>,
{
    run.jury().finish()?;
    if !run.scenario.expect.loses_data {
        data(run)?;
    }
    outcomes(run)?;
    let report = report(run);
    let statistics = &report.statistics;
    for (kind, [least, most]) in &run.scenario.expect.tlps {
        let seen = report.tlps.get(kind).copied().unwrap_or(0);
        if !(*least..=*most).contains(&seen) {
            return Err(Finding::Expected(format!("{least} to {most} TLPs of kind {kind:?}, seen {seen}")));
        }
    }
    for (key, [least, most]) in &run.scenario.expect.counter {
        let seen = statistics.get(key).ok_or_else(|| Finding::Scenario(format!("there is no counter {key}")))?;
        if !(*least..=*most).contains(&seen) {
            return Err(Finding::Expected(format!("{key} from {least} to {most}, seen {seen}")));
        }
    }
    for order in &run.scenario.expect.orders {
        let at = |marker: &Marker| {
            run.reached(marker).ok_or_else(|| Finding::Expected(format!("{marker:?}, which never came")))
        };
        let (first, then) = (at(&order.first)?, at(&order.then)?);
        if first >= then {
            let text = format!("{:?} before {:?}, seen in cycles {first} and {then}", order.first, order.then);
            return Err(Finding::Expected(text));
        }
    }
    Ok(report)
}

/// What was seen in a run.
pub(super) fn report<U, O>(run: &mut Run<'_, U, O>) -> Report
where
    U: Block<In = UnitIn, Out = UnitOut>,
    O: Observer<Faulty<U>>,
{
    let mut statistics = run.system.statistics();
    statistics.push("host.unexpected_completions", run.invalidator.unexpected);
    statistics.push("fabric.interfered", run.system.fabric.interfered());
    let jury = run.jury();
    for (partition, cycles) in jury.share.iter().flat_map(|share| share.worst().into_iter().enumerate()) {
        statistics.push(&format!("isolation.held_up_{partition}"), cycles);
    }
    jury.collector.close(&statistics);
    let coverage = jury.collector.coverage().clone();
    let outcomes = jury.outcomes.clone();
    let tlps = jury.seen.iter().map(|(kind, cycles)| (*kind, cycles.len() as u64)).collect();
    Report { cycles: run.system.cycles().0, outcomes, tlps, statistics, coverage }
}

fn outcomes<U, O>(run: &Run<'_, U, O>) -> Result<(), Finding>
where
    U: Block<In = UnitIn, Out = UnitOut>,
    O: Observer<Faulty<U>>,
{
    let expect = &run.scenario.expect;
    for item in &run.work.items {
        let step = &run.scenario.steps[item.step];
        let Some(outcome) = item.outcome else {
            if item.skipped {
                continue;
            }
            return Err(Finding::Expected(format!("an end of request {} of stream {}", item.wr.id, item.wr.stream)));
        };
        let ok = match expect.outcome.get(&step.name) {
            Some(allowed) => allowed.iter().any(|name| *name == outcome.to_string()),
            None => !expect.all_ok || outcome.is_ok(),
        };
        if !ok {
            let (id, stream) = (item.wr.id, item.wr.stream);
            return Err(Finding::Expected(format!(
                "another outcome of request {id} of stream {stream} than {outcome}"
            )));
        }
    }
    let named = |name: &String| run.scenario.steps.iter().any(|s| s.name == *name && s.action.is_request());
    match expect.outcome.keys().find(|name| !named(name)) {
        Some(name) => Err(Finding::Scenario(format!("no step with requests is called {name}"))),
        None => Ok(()),
    }
}

/// Compares what is in memory with what was written, and looks at what was read.
fn data<U, O>(run: &mut Run<'_, U, O>) -> Result<(), Finding>
where
    U: Block<In = UnitIn, Out = UnitOut>,
    O: Observer<Faulty<U>>,
{
    if let Some(wrong) = run.work.wrong() {
        return Err(Finding::Data(wrong.clone()));
    }
    if let Some(item) = run.work.undelivered() {
        return Err(Finding::Data(format!("request {} of stream {} is not whole", item.wr.id, item.wr.stream)));
    }
    if let Some(wrong) = run.work.atomics_wrong(&mut run.system.fabric.memories) {
        return Err(Finding::Data(wrong));
    }
    let mut bytes = Vec::new();
    for (index, item) in run.work.items.iter().enumerate() {
        if item.wr.op != Op::WRITE || item.outcome != Some(Syndrome::OK) {
            continue;
        }
        for (offset, address, length) in &item.places {
            bytes.resize(*length as usize, 0);
            run.system.fabric.memories.read(*address, &mut bytes);
            let wrong = run.work.pattern(index).wrong(u64::from(*offset), &bytes);
            if wrong > 0 {
                let (id, stream) = (item.wr.id, item.wr.stream);
                let text = format!("request {id} of stream {stream}: {wrong} bytes at {address} are not as written");
                return Err(Finding::Data(text));
            }
        }
    }
    Ok(())
}
