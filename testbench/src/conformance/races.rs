//! Random interleavings: requests while mappings change, invalidations of every scope come, functions are switched off and
//! reset, credits and links stand still, and answers come late or out of order.

use super::machine::{Machine, machines, rough};
use super::traffic::{RegionDraw, RequestDraw, Style, regions, requests};
use crate::scenario::Scenario;
use crate::scenario::schema::{
    Action, CreditClass, Expect, FunctionSetup, InvalidateSetup, Marker, RegionSetup, RemapOrder, RemapSetup,
    RevokeSetup, Step,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use system::fabric::{Act, LinkDirection, Rule, TlpKind};
use types::Mode;

/// Largest request, in bytes.
const LARGEST: u32 = 16_384;

/// Cycles within which 20 requests of that size end on the slowest machine drawn: 20 × 128 TLPs of 128 bytes, each a round
/// trip of credits of 750 cycles, is 1.92 million; with what stalls, starves and waits for time-outs.
const RACE_BOUND: u64 = 2_500_000;

/// How rough it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// Mappings change and are invalidated; links and credits stall; answers come late.
    Mappings,
    /// Also completions that are lost, poisoned or refused, time-outs, functions switched off and reset, revocations.
    Everything,
}

/// When something happens.
pub(super) fn moments() -> impl Strategy<Value = Marker> {
    let kinds = select(
        &[
            TlpKind::DataWrite,
            TlpKind::DataRead,
            TlpKind::DataAtomic,
            TlpKind::TranslationRequest,
            TlpKind::TranslationCompletion,
            TlpKind::DataCompletion,
            TlpKind::TableRead,
            TlpKind::InvalidateRequest,
        ][..],
    );
    prop_oneof![
        1 => (0..4000_u64).prop_map(Marker::at),
        2 => (kinds, 1..30_u64).prop_map(|(kind, nth)| Marker::tlp(kind, nth)),
    ]
}

/// What is drawn for an event.
#[derive(Clone, Debug)]
enum Event {
    Remap { region: Index, page: Index, pages: u32, to: &'static str, silent: bool },
    Invalidate { region: Option<Index>, function: u16, page: Index, pages: u32, scope: Scope, count: u32 },
    Stall(LinkDirection, u64),
    Starve(CreditClass, u64),
    Toggle { function: u16, ats: bool, cycles: u64 },
    Reset { cycles: u64, again: bool },
    Revoke(Index),
}

/// What PASIDs an invalidation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// That of the region.
    Own,
    /// None is named.
    None,
    /// That of the region is named, and all are meant.
    Global,
}

fn events(disturbance: Disturbance) -> impl Strategy<Value = Event> {
    let to = select(&["moved", "moved", "moved", "rw", "r", "w", ""][..]);
    let remap = (any::<Index>(), any::<Index>(), 0..3_u32, to, prop::bool::weighted(0.2))
        .prop_map(|(region, page, pages, to, silent)| Event::Remap { region, page, pages, to, silent });
    let range = (prop::option::weighted(0.8, any::<Index>()), 0..2_u16, any::<Index>(), 0..8_u32);
    let scope = select(&[Scope::Own, Scope::Own, Scope::Own, Scope::None, Scope::Global][..]);
    let invalidate = (range, scope, 1..4_u32).prop_map(|((region, function, page, pages), scope, count)| {
        Event::Invalidate { region, function, page, pages, scope, count }
    });
    // Software waits for long after a reset: here until everything of before it has ended.
    let reset = (12_000..14_000_u64, any::<bool>()).prop_map(|(cycles, again)| Event::Reset { cycles, again });
    let links = select(
        &[
            LinkDirection::NicUp,
            LinkDirection::NicDown,
            LinkDirection::GpuDown,
            LinkDirection::GpuUp,
            LinkDirection::RootUp,
            LinkDirection::RootDown,
        ][..],
    );
    let stall = (links, 1..2000_u64).prop_map(|(link, cycles)| Event::Stall(link, cycles));
    let class = select(&[CreditClass::Posted, CreditClass::NonPosted][..]);
    let starve = (class, 1..3000_u64).prop_map(|(class, cycles)| Event::Starve(class, cycles));
    let toggle = (0..2_u16, any::<bool>(), 1..600_u64).prop_map(|(function, ats, cycles)| Event::Toggle {
        function,
        ats,
        cycles,
    });
    match disturbance {
        Disturbance::Mappings => prop_oneof![5 => remap, 4 => invalidate, 1 => stall, 1 => starve].boxed(),
        Disturbance::Everything => prop_oneof![
            4 => remap,
            3 => invalidate,
            1 => stall,
            1 => starve,
            1 => toggle,
            1 => reset,
            2 => any::<Index>().prop_map(Event::Revoke),
        ]
        .boxed(),
    }
}

/// Late answers, and with more disturbance lost and bad ones.
fn rules(disturbance: Disturbance) -> impl Strategy<Value = Rule> {
    let kinds = select(
        &[
            TlpKind::TranslationCompletion,
            TlpKind::TranslationCompletion,
            TlpKind::DataCompletion,
            TlpKind::AtomicCompletion,
            TlpKind::TableCompletion,
            TlpKind::InvalidateRequest,
            TlpKind::FlushCompletion,
        ][..],
    );
    let late = prop_oneof![3 => (100..8000_u64).prop_map(Act::DelayNs), 1 => Just(Act::Reorder)];
    // Bits of the first entry: N, U, Priv, Exe. Not Global, which outlives an invalidation of its PASID.
    let bits = select(&[(6_usize, 0x04_u8), (7, 0x04), (7, 0x10), (7, 0x08)][..]);
    let bits = bits.prop_map(|(byte, mask)| Act::Flip { byte, mask });
    // Lost for ever, or later than the time-out.
    let bad = prop_oneof![
        Just(Act::Drop),
        Just(Act::DelayNs(60_000)),
        Just(Act::Poison),
        Just(Act::Status(1)),
        Just(Act::Status(4)),
        Just(Act::ByteCount(-4)),
        Just(Act::ShortenDw(1)),
        Just(Act::LengthenDw(1)),
    ];
    let act = match disturbance {
        Disturbance::Mappings => late.boxed(),
        Disturbance::Everything => prop_oneof![4 => late, 2 => bad, 1 => bits].boxed(),
    };
    (kinds, 1..20_u64, 1..3_u64, act).prop_map(|(tlp, nth, count, act)| {
        // Losing an Invalidate Request is losing a posted TLP, which links do not; a twin would reuse its ITag.
        let act = match act {
            Act::DelayNs(ns) if ns < 60_000 => Act::DelayNs(ns),
            _ if tlp == TlpKind::InvalidateRequest => Act::DelayNs(500),
            // Data that is short looks like the first part of more.
            Act::ShortenDw(_) if tlp == TlpKind::DataCompletion => Act::Poison,
            // Other bits of an answer are addresses, and those of data are data.
            Act::Flip { .. } if tlp != TlpKind::TranslationCompletion => Act::DelayNs(900),
            act => act,
        };
        Rule { tlp, nth, count, act }
    })
}

/// What a region is beside its draw: function, PASID, privileged, execute, without order.
type Owner = (u16, Option<u32>, bool, bool, bool);

fn owners() -> impl Strategy<Value = Owner> {
    let pasid = select(&[None, None, Some(1), Some(2)][..]);
    let one_in_five = || prop::bool::weighted(0.2);
    (0..2_u16, pasid, one_in_five(), one_in_five(), one_in_five())
}

/// Random machines, requests and disturbances.
pub fn races(disturbance: Disturbance) -> impl Strategy<Value = Scenario> {
    let mode = select(&[Mode::Ats, Mode::Ats, Mode::Ats, Mode::Emtt, Mode::Direct][..]);
    let regions = prop::collection::vec((regions(Style::Orderly), owners()), 1..4);
    let requests = prop::collection::vec(requests(), 1..20);
    let events = prop::collection::vec((moments(), 0..60_u64, events(disturbance)), 1..10);
    let rules = prop::collection::vec(rules(disturbance), 0..4);
    (rough(machines(mode)), regions, requests, events, rules).prop_map(
        move |(machine, regions, requests, events, rules)| {
            assemble(disturbance, machine, &regions, &requests, &events, rules)
        },
    )
}

fn assemble(
    disturbance: Disturbance,
    mut machine: Machine,
    draws: &[(RegionDraw, Owner)],
    requests: &[RequestDraw],
    events: &[(Marker, u64, Event)],
    interfere: Vec<Rule>,
) -> Scenario {
    let streams = if machine.get("unit.configuration").and_then(|v| v.as_str()) == Some("tiny") { 2 } else { 8 };
    let unit = machine.get("unit.sizes.atc_granule_log2").and_then(toml::Value::as_integer).unwrap_or(12);
    let setup = |(i, (draw, owner)): (usize, &(RegionDraw, Owner))| {
        let (function, pasid, privileged, execute, unordered) = *owner;
        // The unit sends no PASID on translated requests, so a region with one is translated through ATS or not at all.
        let setup = RegionSetup { function, pasid, privileged, execute, unordered, ..draw.setup(i) };
        // Answers smaller than the unit are refused.
        RegionSetup { translation_bytes: setup.translation_bytes.max(1 << unit), ..setup }
    };
    let regions: Vec<RegionSetup> = draws.iter().enumerate().map(setup).collect();
    // A stream serves regions of both functions, which are then of one partition.
    machine.remove("unit.sizes.partitions");
    let mut cycle = 0;
    let mut steps: Vec<Step> = Vec::new();
    for request in requests {
        cycle += request.pause;
        steps.push(request.step(Style::Orderly, &regions, streams, cycle));
        if let Some(Action::Request(setup)) = steps.last_mut().map(|step| &mut step.action) {
            if !setup.op.op().is_atomic() {
                setup.bytes = setup.bytes.min(LARGEST);
            }
            // A stream belongs to a function.
            let index = regions.iter().position(|r| r.name == setup.region).unwrap_or(0) as u16;
            setup.stream = (2 * index + regions[usize::from(index)].function) % streams;
        }
    }
    let mut revoked = vec![false; regions.len()];
    // After a reset nobody switches the function on before it is time.
    let resets = events.iter().any(|(.., event)| matches!(event, Event::Reset { .. }));
    for (n, (when, plus, event)) in events.iter().enumerate() {
        let event = match event {
            Event::Toggle { ats, cycles, .. } if resets => &Event::Toggle { function: 0, ats: *ats, cycles: *cycles },
            event => event,
        };

        let first = Step {
            name: format!("e{n}"),
            when: when.clone(),
            plus: *plus,
            optional: true,
            ..Step::of(Action::Release(String::new()))
        };
        event.steps(first, &regions, unit as u32 - 12, &mut revoked, &mut steps);
    }
    let functions = (0..2).map(on);
    let bad = disturbance == Disturbance::Everything;
    Scenario {
        title: "random interleaving".into(),
        bound: RACE_BOUND,
        // 8 ticks of 1024 cycles: longer than any delay of above, which is 8 µs or 2000 cycles.
        completion_timeout_ticks: bad.then_some(8),
        machine,
        functions: functions.collect(),
        regions,
        steps,
        interfere,
        expect: Expect { loses_data: bad, ..Expect::default() },
        ..Scenario::default()
    }
}

/// A function with everything on.
fn on(number: u16) -> FunctionSetup {
    FunctionSetup {
        number,
        pasid: Some(true),
        pasid_privileged: Some(true),
        pasid_execute: Some(true),
        atomics: Some(true),
        ..FunctionSetup::default()
    }
}

impl Event {
    /// Adds its steps; `unit_log2` is that of the smallest range that can be invalidated, in pages of 4 KiB.
    fn steps(&self, first: Step, regions: &[RegionSetup], unit_log2: u32, revoked: &mut [bool], out: &mut Vec<Step>) {
        let then = |plus: u64, action: Action| Step {
            when: Marker { step: Some(first.name.clone()), ..Marker::default() },
            plus,
            optional: true,
            ..Step::of(action)
        };
        let mut go = |action: Action| out.push(Step { action, ..first.clone() });
        match self {
            Self::Remap { region, page, pages, to, silent } => {
                let index = region.index(regions.len());
                let region = &regions[index];
                let all = region.bytes.div_ceil(region.translation_bytes).max(1);
                let pages = 1_u64 << (*pages).min(all.ilog2());
                let page = page.index(all as usize) as u64 / pages * pages;
                if revoked[index] || page + pages > all {
                    return;
                }
                go(Action::Remap(RemapSetup {
                    region: region.name.clone(),
                    page,
                    pages,
                    to: (*to).into(),
                    untranslated_only: None,
                    order: if *silent { RemapOrder::Silent } else { RemapOrder::IommuFirst },
                    pause: 0,
                }));
            }
            Self::Invalidate { region, function, page, pages, scope, count } => {
                let region = region.map(|r| &regions[r.index(regions.len())]);
                let all = region.map_or(1, |r| r.bytes.div_ceil(4096));
                let pages = 1_u64 << (*pages).max(unit_log2);
                go(Action::Invalidate(InvalidateSetup {
                    region: region.map(|r| r.name.clone()),
                    page: page.index(all as usize) as u64 / pages * pages,
                    pages: if region.is_some() { pages } else { 0 },
                    pasid: (*scope == Scope::None).then_some(-1),
                    global: *scope == Scope::Global && region.is_some_and(|r| r.pasid.is_some()),
                    count: *count,
                    function: region.is_none().then_some(*function),
                }));
            }
            Self::Stall(link, cycles) => go(Action::Stall { link: *link, cycles: *cycles }),
            Self::Starve(class, cycles) => {
                go(Action::HoldCredits(*class));
                out.push(then(*cycles, Action::ReturnCredits(*class)));
            }
            Self::Toggle { function, ats, cycles } => {
                let base = on(*function);
                let off = if *ats {
                    FunctionSetup { ats: Some(false), ..base }
                } else {
                    FunctionSetup { bus_master: Some(false), ..base }
                };
                go(Action::Configure(off));
                out.push(then(*cycles, Action::Configure(base)));
            }
            Self::Reset { cycles, again } => {
                // The physical function stays: table fetches are its own.
                let off = FunctionSetup { reset: true, ats: Some(false), bus_master: Some(false), ..on(1) };
                go(Action::Configure(off));
                if *again {
                    out.push(then(*cycles, Action::Configure(on(1))));
                }
            }
            Self::Revoke(region) => {
                let index = region.index(regions.len());
                if !std::mem::replace(&mut revoked[index], true) {
                    go(Action::Revoke(RevokeSetup { region: regions[index].name.clone(), flush: None }));
                }
            }
        }
    }
}
