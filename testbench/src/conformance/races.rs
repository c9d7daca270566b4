//! Random interleavings: requests while mappings change, invalidations of every scope come, functions are switched off and
//! reset, credits and links stand still, and answers come late or out of order.

use super::machine::{Machine, machines};
use super::traffic::{BOUND, RegionDraw, RequestDraw, Style, regions, requests};
use crate::scenario::Scenario;
use crate::scenario::schema::{
    Action, CreditClass, Expect, FunctionSetup, InvalidateSetup, Marker, RegionSetup, RemapOrder, RemapSetup,
    RevokeSetup, Step,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use system::fabric::{Act, LinkDirection, Rule, TlpKind};
use types::Mode;

/// How rough it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// Mappings change and are invalidated; links and credits stall; answers come late.
    Mappings,
    /// Also completions that are lost, poisoned or refused, time-outs, functions switched off and reset, revocations.
    Everything,
}

/// When something happens.
fn moments() -> impl Strategy<Value = Marker> {
    let kinds = select(
        &[
            TlpKind::DataWrite,
            TlpKind::DataRead,
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
    Invalidate { region: Option<Index>, page: Index, pages: u32, no_pasid: bool, global: bool, count: u32 },
    Stall(LinkDirection, u64),
    Starve(CreditClass, u64),
    Toggle { function: u16, ats: bool, cycles: u64 },
    Reset,
    Revoke(Index),
}

fn events(disturbance: Disturbance) -> impl Strategy<Value = Event> {
    let to = select(&["moved", "moved", "moved", "rw", "r", "w", ""][..]);
    let remap = (any::<Index>(), any::<Index>(), 0..3_u32, to, prop::bool::weighted(0.2))
        .prop_map(|(region, page, pages, to, silent)| Event::Remap { region, page, pages, to, silent });
    let scope = (prop::option::weighted(0.8, any::<Index>()), any::<Index>(), 0..8_u32);
    let invalidate = (scope, prop::bool::weighted(0.2), prop::bool::weighted(0.2), 1..4_u32).prop_map(
        |((region, page, pages), no_pasid, global, count)| Event::Invalidate {
            region,
            page,
            pages,
            no_pasid,
            global,
            count,
        },
    );
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
            1 => Just(Event::Reset),
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
            TlpKind::TableCompletion,
            TlpKind::InvalidateRequest,
            TlpKind::FlushCompletion,
        ][..],
    );
    let late = prop_oneof![3 => (100..8000_u64).prop_map(Act::DelayNs), 1 => Just(Act::Reorder)];
    let bad = prop_oneof![
        Just(Act::Drop),
        Just(Act::Poison),
        Just(Act::Status(1)),
        Just(Act::Status(4)),
        Just(Act::ByteCount(-4)),
        Just(Act::ShortenDw(1)),
        Just(Act::LengthenDw(1)),
        (1..5000_u64).prop_map(Act::DuplicateNs),
    ];
    let act = match disturbance {
        Disturbance::Mappings => late.boxed(),
        Disturbance::Everything => prop_oneof![3 => late, 1 => bad].boxed(),
    };
    (kinds, 1..20_u64, 1..3_u64, act).prop_map(|(tlp, nth, count, act)| {
        // Losing an Invalidate Request is losing a posted TLP, which links do not; a twin would reuse its ITag.
        let act = match act {
            Act::DelayNs(ns) => Act::DelayNs(ns),
            _ if tlp == TlpKind::InvalidateRequest => Act::DelayNs(500),
            act => act,
        };
        Rule { tlp, nth, count, act }
    })
}

/// What a region is beside its draw: function and PASID.
fn owners() -> impl Strategy<Value = (u16, Option<u32>)> {
    (0..2_u16, select(&[None, None, Some(1), Some(2)][..]))
}

/// Random machines, requests and disturbances.
pub fn races(disturbance: Disturbance) -> impl Strategy<Value = Scenario> {
    let mode = select(&[Mode::Ats, Mode::Ats, Mode::Ats, Mode::Emtt, Mode::Direct][..]);
    let regions = prop::collection::vec((regions(Style::Orderly), owners()), 1..4);
    let requests = prop::collection::vec(requests(), 1..20);
    let events = prop::collection::vec((moments(), 0..60_u64, events(disturbance)), 1..10);
    let rules = prop::collection::vec(rules(disturbance), 0..4);
    (machines(mode), regions, requests, events, rules).prop_map(move |(machine, regions, requests, events, rules)| {
        assemble(disturbance, machine, &regions, &requests, &events, rules)
    })
}

fn assemble(
    disturbance: Disturbance,
    machine: Machine,
    draws: &[(RegionDraw, (u16, Option<u32>))],
    requests: &[RequestDraw],
    events: &[(Marker, u64, Event)],
    interfere: Vec<Rule>,
) -> Scenario {
    let streams = if machine.get("unit.configuration").and_then(|v| v.as_str()) == Some("tiny") { 2 } else { 8 };
    let setup = |(i, (draw, (function, pasid))): (usize, &(RegionDraw, (u16, Option<u32>)))| {
        // The unit sends no PASID on translated requests, so a region with one is translated through ATS or not at all.
        RegionSetup { function: *function, pasid: *pasid, ..draw.setup(i) }
    };
    let regions: Vec<RegionSetup> = draws.iter().enumerate().map(setup).collect();
    let mut cycle = 0;
    let mut steps: Vec<Step> = Vec::new();
    for request in requests {
        cycle += request.pause;
        steps.push(request.step(Style::Orderly, &regions, streams, cycle));
    }
    let mut reset = false;
    let mut revoked = vec![false; regions.len()];
    for (n, (when, plus, event)) in events.iter().enumerate() {
        let first = Step {
            name: format!("e{n}"),
            when: when.clone(),
            plus: *plus,
            optional: true,
            ..Step::of(Action::Release(String::new()))
        };
        event.steps(first, &regions, &mut reset, &mut revoked, &mut steps);
    }
    let functions = (0..2).map(|number| FunctionSetup { number, pasid: Some(true), ..FunctionSetup::default() });
    let bad = disturbance == Disturbance::Everything;
    Scenario {
        title: "random interleaving".into(),
        bound: BOUND,
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

impl Event {
    fn steps(&self, first: Step, regions: &[RegionSetup], reset: &mut bool, revoked: &mut [bool], out: &mut Vec<Step>) {
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
            Self::Invalidate { region, page, pages, no_pasid, global, count } => {
                let region = region.map(|r| &regions[r.index(regions.len())]);
                let all = region.map_or(1, |r| r.bytes.div_ceil(4096));
                let pages = 1_u64 << pages;
                go(Action::Invalidate(InvalidateSetup {
                    region: region.map(|r| r.name.clone()),
                    page: page.index(all as usize) as u64 / pages * pages,
                    pages: if region.is_some() { pages } else { 0 },
                    pasid: no_pasid.then_some(-1),
                    global: *global && region.is_some_and(|r| r.pasid.is_some()) && !no_pasid,
                    count: *count,
                    function: None,
                }));
            }
            Self::Stall(link, cycles) => go(Action::Stall { link: *link, cycles: *cycles }),
            Self::Starve(class, cycles) => {
                go(Action::HoldCredits(*class));
                out.push(then(*cycles, Action::ReturnCredits(*class)));
            }
            Self::Toggle { function, ats, cycles } => {
                let (number, base) = (*function, FunctionSetup { pasid: Some(true), ..FunctionSetup::default() });
                let off = if *ats {
                    FunctionSetup { ats: Some(false), ..base }
                } else {
                    FunctionSetup { bus_master: Some(false), ..base }
                };
                go(Action::Configure(FunctionSetup { number, ..off }));
                out.push(then(*cycles, Action::Configure(FunctionSetup { number, ..base })));
            }
            Self::Reset if !*reset => {
                // Function 1 stays down: what it had under way ends, what comes is refused.
                *reset = true;
                let off = FunctionSetup { number: 1, reset: true, ats: Some(false), ..FunctionSetup::default() };
                go(Action::Configure(FunctionSetup { bus_master: Some(false), pasid: Some(true), ..off }));
            }
            Self::Reset => {}
            Self::Revoke(region) => {
                let index = region.index(regions.len());
                if !std::mem::replace(&mut revoked[index], true) {
                    go(Action::Revoke(RevokeSetup { region: regions[index].name.clone(), flush: None }));
                }
            }
        }
    }
}
