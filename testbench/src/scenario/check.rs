//! What the parts of a scenario must keep with each other, and with the machine: names that exist, numbers in range. What
//! is wrong here would otherwise be a step that never comes or a number that the unit cannot be given.

use super::book::FRAMES;
use super::finding::{Finding, WATCHERS};
use super::schema::{Action, FunctionSetup, Marker, RegionSetup, RequestSetup, Scenario, Step};
use crate::faults::name_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use system::Config;
use system::fabric::{Act, Rule};
use types::{Mode, Owner, PageSize, Syndrome};

pub(super) type Outcome = Result<(), Finding>;

/// Most requests of a scenario: names of work requests have 16 bits.
const REQUESTS: u64 = 1 << 16;
/// Most bytes of all requests together: the host's book lists every 4 KiB of them.
const BYTES: u64 = 1 << 34;
/// Longest time in cycles or nanoseconds: four seconds of the test machine.
const LONG: u64 = 1_000_000_000;
/// Largest PASID: 20 bits.
const PASIDS: i64 = (1 << 20) - 1;

pub(super) fn broken(key: impl Display, value: impl Display, allowed: impl Display) -> Outcome {
    Err(Finding::Scenario(format!("{key} = {value}: {allowed}")))
}

pub(super) fn range(key: impl Display, value: u64, low: u64, high: u64) -> Outcome {
    if (low..=high).contains(&value) { Ok(()) } else { broken(key, value, format!("must be {low} to {high}")) }
}

fn power(key: impl Display, value: u64, low: u64, high: u64) -> Outcome {
    if value.is_power_of_two() && (low..=high).contains(&value) {
        Ok(())
    } else {
        broken(key, value, format!("must be a power of two from {low} to {high}"))
    }
}

pub(super) fn letters(key: impl Display, value: &str, allowed: &str) -> Outcome {
    if value.chars().all(|c| allowed.contains(c)) {
        Ok(())
    } else {
        broken(key, format!("\"{value}\""), format!("must be letters of \"{allowed}\""))
    }
}

/// `name` is one of `names`, which are `what`.
pub(super) fn one_of<'a>(
    key: impl Display,
    name: &str,
    what: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Outcome {
    let names: Vec<&str> = names.into_iter().filter(|n| !n.is_empty()).collect();
    if names.contains(&name) {
        return Ok(());
    }
    let list = if names.is_empty() { "none".into() } else { names.join(", ") };
    broken(key, format!("\"{name}\""), format!("must be {what}: {list}"))
}

fn unique<'a>(key: &str, names: impl Iterator<Item = &'a str>) -> Outcome {
    let mut seen = BTreeSet::new();
    for (i, name) in names.enumerate() {
        if !name.is_empty() && !seen.insert(name) {
            return broken(format!("{key}[{i}].name"), format!("\"{name}\""), "another one has this name");
        }
    }
    Ok(())
}

/// A scenario and its machine.
pub(super) struct Rules<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) cfg: &'a Config,
}

pub(super) fn check(scenario: &Scenario, cfg: &Config) -> Outcome {
    let rules = Rules { scenario, cfg };
    range("bound", scenario.bound, 1, LONG)?;
    for (fault, by) in &scenario.fails_with {
        one_of(format!("fails_with.{}", fault.name()), by, "a watcher", WATCHERS)?;
    }
    unique("region", scenario.regions.iter().map(|r| r.name.as_str()))?;
    let regions = scenario.regions.iter().map(|r| r.name.as_str());
    unique("window", regions.chain(scenario.windows.iter().map(|w| w.name.as_str())))?;
    unique("step", scenario.steps.iter().map(|s| s.name.as_str()))?;
    for (i, setup) in scenario.functions.iter().enumerate() {
        rules.function(&format!("function[{i}]"), setup)?;
    }
    for (i, region) in scenario.regions.iter().enumerate() {
        rules.region_setup(i, region)?;
    }
    for (i, window) in scenario.windows.iter().enumerate() {
        rules.function_number(format!("window[{i}].function"), window.function)?;
    }
    for (i, step) in scenario.steps.iter().enumerate() {
        rules.step(&format!("step[{i}]"), step)?;
    }
    rules.sums()?;
    for (i, rule) in scenario.interfere.iter().enumerate() {
        interfere(&format!("interfere[{i}]"), rule)?;
    }
    rules.expect()
}

fn interfere(key: &str, rule: &Rule) -> Outcome {
    range(format!("{key}.nth"), rule.nth, 1, LONG)?;
    range(format!("{key}.count"), rule.count, 1, LONG)?;
    let act = |name: &str, value: u64, high| range(format!("{key}.act.{name}"), value, 0, high);
    match rule.act {
        Act::DelayNs(ns) => act("delay-ns", ns, LONG),
        Act::DuplicateNs(ns) => act("duplicate-ns", ns, LONG),
        Act::Status(status) => act("status", status.into(), 7),
        Act::LengthenDw(dw) => act("lengthen-dw", dw.into(), 1023),
        Act::ShortenDw(dw) => act("shorten-dw", dw.into(), 1023),
        Act::TagXor(bits) => act("tag-xor", bits.into(), 1023),
        _ => Ok(()),
    }
}

impl Rules<'_> {
    pub(super) fn function_number(&self, key: impl Display, number: u16) -> Outcome {
        range(key, number.into(), 0, u64::from(self.cfg.unit_cfg().functions) - 1)
    }

    fn function(&self, key: &str, setup: &FunctionSetup) -> Outcome {
        self.function_number(format!("{key}.number"), setup.number)?;
        for (name, value) in
            [("max_payload_bytes", setup.max_payload_bytes), ("max_read_request_bytes", setup.max_read_request_bytes)]
        {
            power(format!("{key}.{name}"), value.unwrap_or(128).into(), 128, 4096)?;
        }
        Ok(())
    }

    fn region_setup(&self, i: usize, region: &RegionSetup) -> Outcome {
        let key = |name: &str| format!("region[{i}].{name}");
        if region.name.is_empty() {
            return broken(key("name"), "\"\"", "must not be empty");
        }
        for (name, bytes) in [("page_bytes", region.page_bytes), ("translation_bytes", region.translation_bytes)] {
            if !bytes.is_power_of_two() || PageSize::from_log2(bytes.trailing_zeros() as u8).is_none() {
                return broken(key(name), bytes, "must be a power of two from 4096, a page size");
            }
        }
        range(key("bytes"), region.bytes, 1, 1 << 46)?;
        if let Some(name) = &region.iova_of {
            let before = self.scenario.regions[..i].iter().map(|r| r.name.as_str());
            one_of(key("iova_of"), name, "a region that stands before", before)?;
        }
        let mode = region.mode.or(self.cfg.unit.mode);
        if region.coherent && (mode != Mode::Emtt || region.memory != Owner::Gpu || region.iova_of.is_some()) {
            let allowed =
                "must be false: only GPU memory in mode emtt, at IOVAs of its own, has entries that came through ATS";
            return broken(key("coherent"), true, allowed);
        }
        self.function_number(key("function"), region.function)?;
        range(key("pasid"), region.pasid.unwrap_or(0).into(), 0, PASIDS as u64)?;
        letters(key("rights"), &region.rights, "LRWA")?;
        letters(key("pages"), &region.pages, "rw")?;
        letters(key("work_requests"), &region.work_requests, "rib")?;
        if region.work_requests.contains('b') && region.work_requests.contains('r') {
            let text = "must not have both \"r\" and \"b\": a region with windows is the driver's";
            return broken(key("work_requests"), format!("\"{}\"", region.work_requests), text);
        }
        if region.free && !region.work_requests.contains('r') {
            return broken(key("free"), true, "must be a region whose key work requests register");
        }
        if region.coherent && region.work_requests.contains('r') {
            return broken(key("coherent"), true, "must be false for a region whose key work requests register");
        }
        letters(key("translations"), region.translations.as_deref().unwrap_or_default(), "rwxu")
    }

    pub(super) fn region(&self, key: impl Display, name: &str) -> Outcome {
        one_of(key, name, "a region", self.scenario.regions.iter().map(|r| r.name.as_str()))
    }

    /// A region or a window.
    pub(super) fn place(&self, key: impl Display, name: &str) -> Outcome {
        let regions = self.scenario.regions.iter().map(|r| r.name.as_str());
        one_of(key, name, "a region or a window", regions.chain(self.scenario.windows.iter().map(|w| w.name.as_str())))
    }

    pub(super) fn stream(&self, key: impl Display, stream: u16) -> Outcome {
        range(key, stream.into(), 0, u64::from(self.cfg.unit_cfg().streams) - 1)
    }

    fn steps(&self) -> impl Iterator<Item = &str> {
        self.scenario.steps.iter().map(|s| s.name.as_str())
    }

    fn marker(&self, key: &str, marker: &Marker) -> Outcome {
        let given = [marker.cycle.is_some(), marker.tlp.is_some(), marker.step.is_some(), marker.done.is_some()]
            .map(usize::from);
        if given.iter().sum::<usize>() > 1 || marker.nth.is_some() && marker.tlp.is_none() {
            let text = "must be one of cycle, tlp (with nth or without), step, done";
            return Err(Finding::Scenario(format!("{key}: {text}")));
        }
        range(format!("{key}.cycle"), marker.cycle.unwrap_or(0), 0, LONG)?;
        range(format!("{key}.nth"), marker.nth.unwrap_or(1), 1, LONG)?;
        for (field, name) in [("step", &marker.step), ("done", &marker.done)] {
            if let Some(name) = name {
                one_of(format!("{key}.{field}"), name, "the name of a step", self.steps())?;
            }
        }
        Ok(())
    }

    fn step(&self, key: &str, step: &Step) -> Outcome {
        self.marker(&format!("{key}.when"), &step.when)?;
        range(format!("{key}.plus"), step.plus, 0, LONG)?;
        match &step.action {
            Action::Request(r) => self.request(&format!("{key}.do.request"), r),
            Action::Invalidate(i) => {
                let key = format!("{key}.do.invalidate");
                if let Some(name) = &i.region {
                    self.region(format!("{key}.region"), name)?;
                }
                self.function_number(format!("{key}.function"), i.function.unwrap_or(0))?;
                range(format!("{key}.page"), i.page, 0, 1 << 34)?;
                if i.pages > 0 {
                    power(format!("{key}.pages"), i.pages, 1, 1 << 34)?;
                }
                if !(-1..=PASIDS).contains(&i.pasid.unwrap_or(0)) {
                    return broken(format!("{key}.pasid"), i.pasid.unwrap_or(0), format!("must be -1 to {PASIDS}"));
                }
                range(format!("{key}.count"), i.count.into(), 1, REQUESTS)
            }
            Action::Remap(r) => {
                let key = format!("{key}.do.remap");
                self.region(format!("{key}.region"), &r.region)?;
                let region = self.scenario.regions.iter().find(|region| region.name == r.region);
                // A region that does not start at a page start has a page more.
                let last = region.map_or(0, |region| region.bytes.div_ceil(region.translation_bytes));
                range(format!("{key}.page"), r.page, 0, last)?;
                power(format!("{key}.pages"), r.pages, 1, 1 << 20)?;
                range(format!("{key}.pause"), r.pause, 0, LONG)?;
                if matches!(r.to.as_str(), "moved" | "out") {
                    Ok(())
                } else {
                    letters(format!("{key}.to"), &r.to, "rw")
                }
            }
            Action::Configure(setup) => self.function(&format!("{key}.do.configure"), setup),
            Action::Stall { cycles, .. } => range(format!("{key}.do.stall.cycles"), *cycles, 0, LONG),
            Action::Revoke(r) => self.region(format!("{key}.do.revoke.region"), &r.region),
            Action::Deregister(name) => self.region(format!("{key}.do.deregister"), name),
            Action::Release(name) => {
                let holds = self.scenario.interfere.iter().filter_map(|rule| match &rule.act {
                    Act::Hold(name) => Some(name.as_str()),
                    _ => None,
                });
                one_of(format!("{key}.do.release"), name, "the name of a hold", holds)
            }
            Action::HoldCredits(_) | Action::ReturnCredits(_) | Action::AnswerPages(_) => Ok(()),
            action => self.registration(key, action),
        }
    }

    /// What the steps ask for together.
    fn sums(&self) -> Outcome {
        let (mut requests, mut registrations, mut bytes, mut moved) = (0, 0, 0, BTreeMap::new());
        for (i, step) in self.scenario.steps.iter().enumerate() {
            let key = |name: &str| format!("step[{i}].do.{name}, with all before");
            match &step.action {
                Action::Request(r) => {
                    requests += u64::from(r.count);
                    range(key("request.count"), requests, 1, REQUESTS)?;
                    bytes += u64::from(r.count) * u64::from(r.bytes);
                    range(key("request.bytes"), bytes, 0, BYTES)?;
                }
                action if action.is_request() => {
                    requests += 1;
                    registrations += 1;
                    range(key("registrations"), registrations, 1, system::driver::IMAGES.into())?;
                }
                Action::Remap(r) if r.to == "moved" => {
                    let place = self.scenario.regions.iter().find(|region| region.name == r.region);
                    let pages = moved.entry(place.map(|p| (p.memory == Owner::Gpu, p.translation_bytes))).or_insert(0);
                    *pages += r.pages;
                    range(key("remap.pages"), *pages, 1, FRAMES)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn request(&self, key: &str, r: &RequestSetup) -> Outcome {
        self.place(format!("{key}.region"), &r.region)?;
        range(format!("{key}.stream"), r.stream.into(), 0, u64::from(self.cfg.unit_cfg().streams) - 1)?;
        range(format!("{key}.count"), r.count.into(), 1, REQUESTS)?;
        self.function_number(format!("{key}.function"), r.function.unwrap_or(0))
    }

    fn expect(&self) -> Outcome {
        let expect = &self.scenario.expect;
        if let Some(by) = &expect.found_by {
            one_of("expect.found_by", by, "a watcher", WATCHERS)?;
        }
        let requests = || self.scenario.steps.iter().filter(|s| s.action.is_request());
        for (step, allowed) in &expect.outcome {
            let key = format!("expect.outcome.{step}");
            one_of(&key, step, "the name of a step with requests", requests().map(|s| s.name.as_str()))?;
            for text in allowed {
                one_of(&key, text, "an outcome", Syndrome::TABLE.iter().map(|(_, text)| *text))?;
            }
        }
        let counts = expect.tlps.iter().map(|(kind, range)| (format!("tlps.{}", name_of(kind)), range));
        for (key, [least, most]) in counts.chain(expect.counter.iter().map(|(key, r)| (format!("counter.{key}"), r))) {
            if least > most {
                return broken(format!("expect.{key}"), format!("[{least}, {most}]"), "must be [least, most]");
            }
        }
        for (i, order) in expect.orders.iter().enumerate() {
            self.marker(&format!("expect.order[{i}].first"), &order.first)?;
            self.marker(&format!("expect.order[{i}].then"), &order.then)?;
        }
        Ok(())
    }
}
