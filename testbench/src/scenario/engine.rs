//! One run of a scenario.

use super::agent::{Invalidator, Wanted};
use super::book::{FRAMES, Frames, Place, spec};
use super::finding::Finding;
use super::jury::{Freed, Jury};
use super::schema::{
    Action, CreditClass, FunctionSetup, InvalidateSetup, Marker, Operation, RemapOrder, RequestSetup, RevokeSetup,
    Scenario,
};
use super::work::Work;
use crate::checker::Direction;
use crate::faults::Faulty;
use std::collections::BTreeMap;
use system::driver::RegionSpec;
use system::fabric::{Class, nic_function};
use system::{Config, Observer, RunError, System, Time, Workload};
use types::ats::InvalidateRange;
use types::port::{FunctionCfg, UnitIn, UnitOut, WorkRequest};
use types::{Block, ByteCount, FunctionId, Iova, Length, Mode, Op, Owner, PageSize, Pasid, PasidPrefix, StreamId, Va};

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
    freeing: Vec<(u64, u64)>,
    /// The mapping is still to be changed, after the invalidation: the wrong order.
    change_after: bool,
    /// A revoked region has lost its mapping.
    unmapped: bool,
}

/// A run under way.
pub(super) struct Run<'a, U, O> {
    pub(super) scenario: &'a Scenario,
    pub(super) system: System<Faulty<U>, (Jury, O)>,
    pub(super) work: Work,
    pub(super) invalidator: Invalidator,
    pub(super) steps: Vec<Progress>,
    places: BTreeMap<String, Place>,
    frames: Frames,
    /// First cycle after the boot.
    start: u64,
    /// Whether the order of all TLPs is known beforehand.
    ordered: bool,
    /// Ranges that requests write, by region: step, first byte, bytes.
    written: BTreeMap<String, Vec<(i64, i64)>>,
}

impl<'a, U: Block<In = UnitIn, Out = UnitOut>, O: Observer<Faulty<U>>> Run<'a, U, O> {
    pub(super) fn new(scenario: &'a Scenario, cfg: &Config, watcher: O) -> Result<Self, Finding> {
        let jury = Jury::new(!scenario.interfere.is_empty());
        let mut system = System::with_observer(cfg, (jury, watcher));
        let moves = |name: &str| {
            scenario.steps.iter().any(|s| match &s.action {
                Action::Remap(r) => r.region == name,
                Action::Deregister(r) => r == name,
                Action::Revoke(r) => r.region == name,
                _ => false,
            })
        };
        let wrong = |reason: String| Finding::Scenario(reason);
        let mut places = BTreeMap::new();
        let mut frames = Frames::default();
        for setup in &scenario.regions {
            let spec = spec(setup).map_err(wrong)?;
            let registered = system.register(&spec).map_err(|e| wrong(e.to_string()))?;
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
            if place.moves && !frames.has(spec.owner, spec.io_page) {
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
            frames,
            start: 0,
            ordered,
            written: written(scenario),
        };
        for setup in &scenario.functions {
            run.configure(setup);
        }
        Ok(run)
    }

    pub(super) fn jury(&mut self) -> &mut Jury {
        &mut self.system.observer.0
    }

    fn place(&self, name: &str) -> Result<&Place, Finding> {
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
        let mut last = (0, self.start);
        let mut waiting: Vec<usize> = (0..self.steps.len()).collect();
        let mut open: Vec<usize> = Vec::new();
        while quiet < QUIET {
            let now = self.system.cycles().0;
            let moved =
                self.work.progress() + self.system.observer.0.total() + (self.steps.len() - waiting.len()) as u64;
            if moved != last.0 || waiting.iter().any(|i| self.reached(&self.scenario.steps[*i].when).is_some()) {
                last = (moved, now);
            }
            if now - self.start > self.scenario.bound || now - last.1 > STILL {
                return Err(self.stuck(now - self.start, &waiting));
            }
            let due = |run: &Self, i: usize| {
                let step = &run.scenario.steps[i];
                run.reached(&step.when).is_some_and(|at| at + step.plus <= now)
            };
            let mut fired = false;
            for at in 0..waiting.len() {
                let i = waiting[at];
                if due(self, i) {
                    self.fire(i, now)?;
                    open.push(i);
                    fired = true;
                }
            }
            if fired {
                waiting.retain(|i| self.steps[*i].fired.is_none());
            }
            while let Some(packet) = self.invalidator.send() {
                let time = self.system.now();
                self.system.fabric.send_message(time, packet);
            }
            self.cycle()?;
            self.host();
            for i in std::mem::take(&mut open) {
                if self.finished(i) {
                    self.steps[i].done = Some(now);
                } else {
                    open.push(i);
                }
            }
            let over = waiting.is_empty()
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
        while let Some(packet) = self.system.fabric.receive_message() {
            self.invalidator.receive(&packet.tlp);
            self.system.fabric.recycle(packet);
        }
        for landing in self.work.landings.drain(..) {
            self.system.observer.0.used("a write that reached memory", landing.address.0, true);
        }
    }

    fn finished(&mut self, i: usize) -> bool {
        if self.work.open_of(i) > 0 && !self.abandoned(i) || self.invalidator.open_of(i) {
            return false;
        }
        if let Action::Remap(setup) = &self.scenario.steps[i].action {
            if std::mem::take(&mut self.steps[i].change_after)
                && let Some(place) = self.places.get_mut(&setup.region)
            {
                let freed = place.remap(&mut self.system.fabric, setup, &mut self.frames);
                self.steps[i].freeing = freed;
            }
            let freed = std::mem::take(&mut self.steps[i].freeing);
            if setup.order != RemapOrder::Silent {
                // A write to a peer goes another way than the message that answers an invalidation.
                let pushed = self.places.get(&setup.region).is_some_and(|p| p.owner == Owner::Host);
                self.free(freed, pushed);
            }
        }
        if let Action::Revoke(setup) = &self.scenario.steps[i].action {
            return self.revoke_finished(i, setup);
        }
        true
    }

    fn free(&mut self, ranges: Vec<(u64, u64)>, pushed: bool) {
        let freed = ranges.into_iter().map(|(first, last)| Freed { first, last, pushed });
        self.system.observer.0.freed.extend(freed);
    }

    /// What follows the report of a revocation: mapping and ATC. Whether that is over.
    fn revoke_finished(&mut self, i: usize, setup: &RevokeSetup) -> bool {
        let Some(place) = self.places.get_mut(&setup.region) else { return true };
        if !self.system.revoked(place.registered.key) {
            return false;
        }
        if self.steps[i].unmapped {
            return true;
        }
        self.steps[i].unmapped = true;
        let freed = place.unmap(&mut self.system.fabric);
        let (flushed, mode) = (place.flushed(setup), place.registered.mode);
        let region = Some(setup.region.clone());
        self.free(freed, flushed);
        if mode == Mode::Ats
            && let Ok(wanted) = self.invalidation(i, &InvalidateSetup { region, ..InvalidateSetup::default() })
        {
            self.invalidator.want(wanted);
            return false;
        }
        true
    }

    pub(super) fn abandoned(&self, i: usize) -> bool {
        self.scenario.expect.abandoned.contains(&self.scenario.steps[i].name)
    }

    fn stuck(&self, cycles: u64, waiting: &[usize]) -> Finding {
        let steps: Vec<String> = waiting.iter().map(|i| format!("step {} never came", i + 1)).collect();
        let open = format!(
            "{}; {}; {}; {}",
            self.work.items.iter().filter(|i| i.outcome.is_none()).count(),
            self.invalidator.describe(),
            steps.join(", "),
            self.system.describe(&self.work)
        );
        Finding::Liveness { cycles, open: format!("requests open: {open}") }
    }

    fn fire(&mut self, i: usize, now: u64) -> Result<(), Finding> {
        self.steps[i].fired = Some(now);
        let scenario = self.scenario;
        match &scenario.steps[i].action {
            Action::Request(setup) => self.request(i, setup),
            Action::Invalidate(setup) => {
                let wanted = self.invalidation(i, setup)?;
                (0..setup.count).for_each(|_| self.invalidator.want(wanted));
                Ok(())
            }
            Action::Remap(setup) => {
                self.place(&setup.region)?;
                if setup.order == RemapOrder::AtcFirst {
                    self.steps[i].change_after = true;
                } else if let Some(place) = self.places.get_mut(&setup.region) {
                    self.steps[i].freeing = place.remap(&mut self.system.fabric, setup, &mut self.frames);
                }
                if setup.order != RemapOrder::Silent {
                    let wanted = self.invalidation_of_pages(i, &setup.region, setup.page, setup.pages)?;
                    self.invalidator.want(wanted);
                }
                Ok(())
            }
            Action::Configure(setup) => {
                self.configure(setup);
                Ok(())
            }
            Action::Stall { link, cycles } => {
                let period = 1_000_000 / u64::from(self.system.config().unit.clock_mhz);
                let until = self.system.now() + Time(cycles * period);
                self.system.fabric.stall(*link, until);
                Ok(())
            }
            Action::HoldCredits(class) => {
                self.system.fabric.hold_credits(fabric_class(*class), true);
                Ok(())
            }
            Action::ReturnCredits(class) => {
                self.system.fabric.hold_credits(fabric_class(*class), false);
                Ok(())
            }
            Action::Revoke(setup) => {
                let place = self.place(&setup.region)?;
                let registered = place.registered;
                let flush = place.flushed(setup).then(|| registered.place(0));
                self.system.withdraw(registered.key);
                self.system.revoke(&registered, flush);
                Ok(())
            }
            Action::Release(name) => {
                let time = self.system.now();
                self.system.fabric.release_held(time, name);
                Ok(())
            }
            Action::Deregister(name) => {
                let key = self.place(name)?.registered.key;
                self.system.deregister(key);
                Ok(())
            }
        }
    }

    /// The machine's configuration of a function, and what is given.
    fn configure(&mut self, setup: &FunctionSetup) {
        let size = |bytes: u32| (bytes.trailing_zeros() as u8).saturating_sub(7);
        let function = FunctionId(setup.number);
        let base = self.system.function(function);
        let cfg = FunctionCfg {
            bus_master: setup.bus_master.unwrap_or(base.bus_master),
            ats_enable: setup.ats.unwrap_or(base.ats_enable),
            pasid_enable: setup.pasid.unwrap_or(base.pasid_enable),
            pasid_priv_enable: setup.pasid_privileged.unwrap_or(base.pasid_priv_enable),
            mps: setup.max_payload_bytes.map_or(base.mps, size),
            mrrs: setup.max_read_request_bytes.map_or(base.mrrs, size),
            relaxed_ordering: setup.relaxed_ordering.unwrap_or(base.relaxed_ordering),
            reset: setup.reset,
            ..base
        };
        if setup.denied_by_agent {
            self.system.fabric.deny_ats(nic_function(function));
        }
        if setup.reset {
            self.invalidator.excuse(function);
            self.work.abandon(function);
        }
        self.system.configure(cfg);
    }

    fn request(&mut self, i: usize, setup: &RequestSetup) -> Result<(), Finding> {
        let place = self.place(&setup.region)?.clone();
        let region = &place.registered.region;
        for n in 0..i64::from(setup.count) {
            let offset = setup.offset.wrapping_add(n.wrapping_mul(setup.stride.unwrap_or(i64::from(setup.bytes))));
            let wr = WorkRequest {
                valid: true,
                id: self.work.next_id(),
                function: setup.function.map_or(region.function, FunctionId),
                stream: StreamId(setup.stream),
                op: match setup.op {
                    Operation::Write => Op::WRITE,
                    Operation::Read => Op::READ,
                    Operation::Atomic => Op::FETCH_ADD,
                },
                remote: !setup.local,
                on_fault: true,
                key: types::Key(place.registered.key.0 ^ setup.key_xor),
                va: Va(region.start.0.wrapping_add(offset as u64)),
                length: Length(setup.bytes),
                pd: types::Pd(region.pd.0 ^ setup.pd_xor),
            };
            let inside = region.contains(wr.va, setup.bytes);
            let lost = wr.op == Op::WRITE && !place.writable();
            let known = inside && !place.moves && !lost && !self.overlapped(setup, offset);
            let places = if known { place.places(offset as u64, setup.bytes) } else { Vec::new() };
            if self.ordered && inside {
                let direction = if wr.op == Op::WRITE { Direction::Write } else { Direction::Read };
                let pieces = place.leaves(place.registered.mode, offset as u64, setup.bytes);
                self.jury().pieces.insert((wr.stream, wr.id), (direction, pieces));
            }
            self.work.push(i, wr, places);
        }
        Ok(())
    }

    /// Whether another request writes some of these bytes.
    fn overlapped(&self, setup: &RequestSetup, offset: i64) -> bool {
        let end = offset + i64::from(setup.bytes);
        let hits = |(first, last): &&(i64, i64)| *first < end && offset < *last;
        let count = self.written.get(&setup.region).map_or(0, |w| w.iter().filter(hits).count());
        count > usize::from(setup.op == Operation::Write)
    }

    fn invalidation_of_pages(&self, step: usize, name: &str, page: u64, pages: u64) -> Result<Wanted, Finding> {
        let log2 = self.place(name)?.registered.io.page.log2() - 12;
        let setup = InvalidateSetup {
            region: Some(name.to_string()),
            page: page << log2,
            pages: pages << log2,
            ..InvalidateSetup::default()
        };
        self.invalidation(step, &setup)
    }

    fn invalidation(&self, step: usize, setup: &InvalidateSetup) -> Result<Wanted, Finding> {
        let place = setup.region.as_ref().map(|name| self.place(name)).transpose()?;
        let own = place.map(|p| p.registered.region.pasid).unwrap_or_default();
        let pasid = match setup.pasid {
            None => PasidPrefix { exec: false, privileged: false, ..own },
            Some(n) if n < 0 => PasidPrefix::default(),
            Some(n) => PasidPrefix { valid: true, pasid: Pasid(n as u32), ..PasidPrefix::default() },
        };
        let size = if setup.pages == 0 {
            None
        } else {
            let log2 = setup.pages.is_power_of_two().then(|| 12 + setup.pages.trailing_zeros() as u8);
            let size = log2.and_then(PageSize::from_log2);
            Some(size.ok_or_else(|| Finding::Scenario(format!("{} pages are no range", setup.pages)))?)
        };
        let base = place.map_or(Iova(0), |p| Iova(p.registered.io.base.0 + (setup.page << 12)));
        let iova = size.map_or(Iova(0), |s| Iova(base.0 & !s.offset_mask().0));
        let function = setup.function.map(FunctionId);
        let function = function.or_else(|| place.map(|p| p.registered.region.function)).unwrap_or_default();
        Ok(Wanted { step, function, range: InvalidateRange { global: setup.global, iova, size }, pasid })
    }
}

fn fabric_class(class: CreditClass) -> Class {
    match class {
        CreditClass::Posted => Class::Posted,
        CreditClass::NonPosted => Class::NonPosted,
    }
}

/// Ranges that requests write, by region.
fn written(scenario: &Scenario) -> BTreeMap<String, Vec<(i64, i64)>> {
    let mut out: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for step in &scenario.steps {
        if let Action::Request(r) = &step.action
            && r.op == Operation::Write
        {
            for n in 0..i64::from(r.count) {
                let first = r.offset.wrapping_add(n.wrapping_mul(r.stride.unwrap_or(i64::from(r.bytes))));
                out.entry(r.region.clone()).or_default().push((first, first.wrapping_add(i64::from(r.bytes))));
            }
        }
    }
    out
}
