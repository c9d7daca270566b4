//! One run of a scenario.

use super::actions::{Changed, written};
use super::agent::Invalidator;
use super::book::{FRAMES, Frames, Place, spec};
use super::finding::Finding;
use super::jury::Jury;
use super::schema::{Action, Marker, Scenario};
use super::work::Work;
use crate::faults::Faulty;
use std::collections::BTreeMap;
use system::driver::{RegionSpec, Registered};
use system::fabric::IoRange;
use system::{Config, Observer, RunError, System, Time, Workload};
use types::port::{UnitIn, UnitOut};
use types::{Block, ByteCount, PageSize};

/// Cycles for which nothing moves before a run is over: longer than any path through the unit.
const QUIET: u64 = 100;

/// Cycles without any TLP, data or step after which a run is given up before its bound: 200 µs at 250 MHz.
const STILL: u64 = 50_000;

/// State of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    pub(super) fired: Option<u64>,
    pub(super) done: Option<u64>,
    /// A mapping that is being taken away: bus addresses to free once its invalidation is complete.
    pub(super) freeing: Vec<(u64, u64)>,
    /// The mapping is still to be changed, after the invalidation: the wrong order.
    pub(super) change_after: bool,
    /// When that invalidation was complete.
    pub(super) answered: Option<u64>,
    /// Mappings of a region that is registered in other memory, to take away once that is reported.
    pub(super) moving: Vec<IoRange>,
    /// A revoked region has lost its mapping.
    pub(super) unmapped: bool,
}

/// A run under way.
pub(super) struct Run<'a, U, O> {
    pub(super) scenario: &'a Scenario,
    pub(super) system: System<Faulty<U>, (Jury, O)>,
    pub(super) work: Work,
    pub(super) invalidator: Invalidator,
    pub(super) steps: Vec<Progress>,
    pub(super) places: BTreeMap<String, Place>,
    /// Windows as the driver has made them.
    pub(super) windows: BTreeMap<String, Registered>,
    pub(super) frames: Frames,
    /// First cycle after the boot.
    pub(super) start: u64,
    /// Whether the order of all TLPs is known beforehand.
    pub(super) ordered: bool,
    /// A function has been reset.
    pub(super) reset: bool,
    /// What requests change, by region.
    pub(super) written: BTreeMap<String, Vec<Changed>>,
}

impl<'a, U: Block<In = UnitIn, Out = UnitOut>, O: Observer<Faulty<U>>> Run<'a, U, O> {
    pub(super) fn new(scenario: &'a Scenario, cfg: &Config, watcher: O) -> Result<Self, Finding> {
        let timeouts = scenario.completion_timeout_ticks.is_some_and(|ticks| ticks > 0);
        let jury = Jury::new(&cfg.unit.sizes, !scenario.interfere.is_empty(), timeouts);
        let mut system = System::with_observer(cfg, (jury, watcher));
        let moves = |name: &str| {
            scenario.steps.iter().any(|s| match &s.action {
                Action::Remap(r) => r.region == name,
                Action::Deregister(r) => r == name,
                Action::Revoke(r) => r.region == name,
                Action::FastRegister(r) => r.moved && r.region == name,
                _ => false,
            })
        };
        let wrong = |reason: String| Finding::Scenario(reason);
        let mut places = BTreeMap::new();
        let mut frames = Frames::default();
        for setup in &scenario.regions {
            let spec = spec(setup).map_err(wrong)?;
            let registered = system.register(&spec).map_err(|e| wrong(format!("region \"{}\": {e}", setup.name)))?;
            let mut place = Place::new(registered, setup.memory);
            place.moves = moves(&setup.name);
            if let Some(name) = &setup.iova_of {
                let other = places.get(name).ok_or_else(|| wrong(format!("there is no region called {name}")))?;
                for (page, entry) in place.stand_at(&mut system.fabric, other) {
                    system.set_entry(registered.key, page, entry);
                }
            }
            if let Some(rights) = &setup.translations {
                place.restrict(&mut system.fabric, rights);
            }
            if place.moves && setup.work_requests.is_empty() && !frames.has(spec.owner, spec.io_page) {
                let bytes = ByteCount(FRAMES * spec.io_page.bytes().0);
                let (page, io_page, owner) = (PageSize::K4, spec.io_page, spec.owner);
                let spare = RegionSpec { page, io_page, owner, ..RegionSpec::of(bytes) };
                let region = system.register(&spare).map_err(|e| wrong(e.to_string()))?;
                frames.add(owner, io_page, region);
            }
            if places.insert(setup.name.clone(), place).is_some() {
                return Err(wrong(format!("two regions are called {}", setup.name)));
            }
        }
        let fast = scenario.regions.iter().any(|r| !r.work_requests.is_empty());
        if fast || !scenario.windows.is_empty() {
            system.enable_registrations();
        }
        let mut windows = BTreeMap::new();
        for setup in &scenario.windows {
            let window =
                system.register(&setup.spec()).map_err(|e| wrong(format!("window \"{}\": {e}", setup.name)))?;
            windows.insert(setup.name.clone(), window);
        }
        system.fabric.interfere(scenario.interfere.iter().cloned());
        let ordered = scenario.expect.all_ok && places.values().all(|p| !p.moves);
        let (seed, depth) = (cfg.seed, cfg.unit_cfg().stream_depth);
        let mut run = Self {
            scenario,
            work: Work::new(seed, depth),
            system,
            invalidator: Invalidator::default(),
            steps: vec![Progress::default(); scenario.steps.len()],
            places,
            windows,
            frames,
            start: 0,
            ordered,
            reset: false,
            written: written(scenario),
        };
        if let Some(ticks) = scenario.completion_timeout_ticks {
            run.system.set_completion_timeout(ticks);
        }
        for setup in &scenario.functions {
            run.configure(setup);
        }
        Ok(run)
    }

    pub(super) fn jury(&mut self) -> &mut Jury {
        &mut self.system.observer.0
    }

    pub(super) fn place(&self, name: &str) -> Result<&Place, Finding> {
        self.places.get(name).ok_or_else(|| Finding::Scenario(format!("there is no region called {name}")))
    }

    /// The cycle in which a point was reached, counted from the start of the system.
    pub(super) fn reached(&self, marker: &Marker) -> Option<u64> {
        let named = |name: &String| self.scenario.steps.iter().position(|s| s.name == *name);
        if let Some(cycle) = marker.cycle {
            return Some(self.start + cycle);
        }
        if let Some(kind) = marker.tlp {
            let nth = marker.nth.unwrap_or(1).max(1) as usize;
            return self.system.observer.0.seen.get(&kind)?.get(nth - 1).copied();
        }
        if let Some(name) = &marker.step {
            return self.steps[named(name)?].fired;
        }
        if let Some(name) = &marker.done {
            return self.steps[named(name)?].done;
        }
        Some(self.start)
    }

    /// Runs to the end.
    pub(super) fn go(&mut self) -> Result<(), Finding> {
        while !self.system.booted() {
            self.cycle()?;
        }
        self.start = self.system.cycles().0;
        let mut quiet = 0;
        let mut still = (u64::MAX, self.start);
        // Steps that have not been taken, each with its cycle once that is known.
        let mut waiting: Vec<(usize, Option<u64>)> = (0..self.steps.len()).map(|i| (i, None)).collect();
        let mut open: Vec<usize> = Vec::new();
        let mut done = 0;
        while quiet < QUIET {
            let now = self.system.cycles().0;
            let taken = (self.steps.len() - waiting.len()) as u64;
            let moved = self.work.progress() + self.system.observer.0.total() + taken + done;
            if moved != still.0 {
                still = (moved, now);
                // Nothing else makes a point come.
                for (i, at) in waiting.iter_mut().filter(|(_, at)| at.is_none()) {
                    let step = &self.scenario.steps[*i];
                    *at = self.reached(&step.when).map(|at| at + step.plus);
                }
            }
            if waiting.iter().any(|(_, at)| at.is_some()) {
                still.1 = now;
            }
            if now - self.start > self.scenario.bound || now - still.1 > STILL {
                return Err(self.stuck(now - self.start, &waiting));
            }
            let due = |(_, at): &(usize, Option<u64>)| at.is_some_and(|at| at <= now);
            if waiting.iter().any(due) {
                let (fired, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(due);
                waiting = rest;
                for (i, _) in fired {
                    self.fire(i, now)?;
                    open.push(i);
                }
            }
            while let Some(packet) = self.invalidator.send() {
                let time = self.system.now();
                self.system.fabric.send_message(time, packet);
            }
            self.cycle()?;
            self.host();
            open.retain(|i| {
                let finished = self.finished(*i);
                if finished {
                    self.steps[*i].done = Some(now);
                    done += 1;
                }
                !finished
            });
            let over = waiting.iter().all(|(i, _)| self.scenario.steps[*i].optional)
                && open.is_empty()
                && self.invalidator.idle()
                && self.system.driver_idle()
                && self.system.fabric.held() == 0
                && self.system.fabric.next_event() == Time::NEVER;
            quiet = if over { quiet + 1 } else { 0 };
        }
        Ok(())
    }

    fn cycle(&mut self) -> Result<(), Finding> {
        let outcome = self.system.step(&mut self.work);
        if let Some(finding) = self.system.observer.0.finding() {
            return Err(finding.clone());
        }
        match outcome {
            Err(error @ RunError::Protocol { .. }) => Err(Finding::Ports(error)),
            Err(error) => Err(Finding::Scenario(error.to_string())),
            Ok(()) => match self.work.strange.take() {
                Some(strange) => Err(Finding::Ports(RunError::Protocol { reason: strange })),
                None => Ok(()),
            },
        }
    }

    /// What has reached the host: messages, and bytes in memory.
    fn host(&mut self) {
        // Bytes that have reached memory come first: a message pushes the writes before it.
        for landing in self.work.landings.drain(..) {
            self.system.observer.0.used("a write that reached memory", landing.address.0, true);
        }
        let now = self.system.now();
        while let Some(packet) = self.system.fabric.receive_message(now) {
            self.invalidator.receive(&packet.tlp);
            self.system.fabric.recycle(packet);
        }
    }

    fn finished(&mut self, i: usize) -> bool {
        if self.work.open_of(i) > 0 || self.invalidator.open_of(i) {
            return false;
        }
        match &self.scenario.steps[i].action {
            Action::Remap(setup) => self.remap_finished(i, setup),
            Action::Revoke(setup) => self.revoke_finished(i, setup),
            Action::FastRegister(_) => self.registration_finished(i),
            _ => true,
        }
    }

    fn stuck(&self, cycles: u64, waiting: &[(usize, Option<u64>)]) -> Finding {
        let steps: Vec<String> = waiting.iter().map(|(i, _)| format!("step {} never came", i + 1)).collect();
        let open = format!(
            "{}; {}; {}; {}",
            self.work.items.iter().filter(|i| i.outcome.is_none()).count(),
            self.invalidator.describe(),
            steps.join(", "),
            self.system.describe(&self.work)
        );
        Finding::Liveness { cycles, open: format!("requests open: {open}") }
    }
}
