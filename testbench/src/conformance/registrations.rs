//! Random interleavings with registration by work requests: races whose regions are registered anew, switch rights, are
//! invalidated and have windows bound to them, from their own stream and from others.

use super::races::{Disturbance, moments, races};
use crate::scenario::Scenario;
use crate::scenario::schema::{
    Action, BindSetup, FastRegisterSetup, KeySetup, Marker, Operation, RegionSetup, RequestSetup, Spoil, Step,
    WindowSetup,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What is drawn for a registration.
#[derive(Clone, Debug)]
struct Draw {
    when: Marker,
    plus: u64,
    region: Index,
    kind: Kind,
    rights: &'static str,
    /// In another stream of the same function, where there is one.
    elsewhere: bool,
    cut: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Switch,
    NewVariant,
    Spoilt(usize, u32),
    Local,
    Remote,
    /// Invalidated and registered again at once.
    Renewed,
}

/// Bits of an image with which it is not right: variant, valid, layout, window, set aside, reserved, a parent.
const SPOILS: &[(usize, u32)] =
    &[(0, 3), (0, 56), (0, 58), (0, 60), (0, 61), (0, 63), (1, 36), (1, 40), (5, 0), (5, 40), (7, 63)];

fn draws() -> impl Strategy<Value = Draw> {
    let kind = prop_oneof![
        4 => Just(Kind::Switch),
        2 => Just(Kind::NewVariant),
        1 => select(SPOILS).prop_map(|(word, bit)| Kind::Spoilt(word, bit)),
        2 => Just(Kind::Local),
        2 => Just(Kind::Remote),
        2 => Just(Kind::Renewed),
    ];
    let rights = select(&["LRW", "LRW", "R", "W", "LR", ""][..]);
    let place = (any::<Index>(), prop::bool::weighted(0.3), 0..6000_u64);
    (moments(), 0..80_u64, kind, rights, place).prop_map(|(when, plus, kind, rights, (region, elsewhere, cut))| Draw {
        when,
        plus,
        region,
        kind,
        rights,
        elsewhere,
        cut,
    })
}

/// Random machines, requests, disturbances and registrations.
pub fn registrations(disturbance: Disturbance) -> impl Strategy<Value = Scenario> {
    let uses = prop::collection::vec(select(&["ri", "ri", "r", "b"][..]), 4);
    let draws = prop::collection::vec(draws(), 1..12);
    (races(disturbance), uses, draws).prop_map(|(scenario, uses, draws)| add(scenario, &uses, &draws))
}

/// Whether the driver changes a region, whose key then is its own.
fn of_driver(scenario: &Scenario, name: &str) -> bool {
    scenario.steps.iter().any(|step| match &step.action {
        Action::Remap(r) => r.region == name,
        Action::Revoke(r) => r.region == name,
        Action::Deregister(r) => r == name,
        _ => false,
    })
}

fn add(mut scenario: Scenario, uses: &[&str], draws: &[Draw]) -> Scenario {
    let tiny = scenario.machine.get("unit.configuration").and_then(|v| v.as_str()) == Some("tiny");
    let streams = if tiny { 2 } else { 8 };
    let free: Vec<bool> = scenario.regions.iter().map(|r| !of_driver(&scenario, &r.name)).collect();
    for (n, region) in scenario.regions.iter_mut().enumerate().filter(|(n, _)| free[*n]) {
        region.work_requests = uses[n % uses.len()].into();
    }
    let regions: Vec<(usize, RegionSetup)> = scenario.regions.iter().cloned().enumerate().collect();
    let regions: Vec<_> = regions.into_iter().filter(|(_, r)| !r.work_requests.is_empty()).collect();
    if regions.is_empty() {
        return scenario;
    }
    for (n, draw) in draws.iter().enumerate() {
        let (index, region) = &regions[draw.region.index(regions.len())];
        let own = (2 * *index as u16 + region.function) % streams;
        let stream = if draw.elsewhere { (own + 2) % streams } else { own };
        let step = |name: String, action| Step {
            name,
            when: draw.when.clone(),
            plus: draw.plus,
            optional: true,
            ..Step::of(action)
        };
        if region.work_requests == "b" {
            let name = format!("w{n}");
            let (function, remote_invalidate) = (region.function, draw.kind == Kind::Remote);
            // Bytes written through it are those of its region.
            scenario.expect.loses_data = true;
            scenario.windows.push(WindowSetup { name: name.clone(), function, remote_invalidate });
            scenario.steps.extend(window(&name, draw, region, stream).map(|(part, a)| step(format!("r{n}{part}"), a)));
            continue;
        }
        for (part, action) in key(draw, region, stream) {
            scenario.steps.push(step(format!("r{n}{part}"), action));
        }
    }
    scenario
}

/// A window over a part of the region, an access through it, and its end.
fn window(name: &str, draw: &Draw, region: &RegionSetup, stream: u16) -> [(&'static str, Action); 4] {
    let offset = draw.cut % region.bytes;
    // Sometimes a byte too far.
    let bytes = (region.bytes - offset).min(3000) + u64::from(draw.cut.is_multiple_of(7));
    let (window, of) = (name.to_string(), region.name.clone());
    let bind = BindSetup {
        window,
        region: of,
        stream,
        offset: offset as i64,
        bytes,
        rights: draw.rights.into(),
        parent_xor: 0,
    };
    let write = draw.cut.is_multiple_of(2);
    let access = RequestSetup {
        region: name.into(),
        op: if write { Operation::Write } else { Operation::Read },
        stream,
        bytes: bytes as u32,
        ..RequestSetup::default()
    };
    let end = KeySetup { region: name.into(), stream, ..KeySetup::default() };
    let end = if draw.kind == Kind::Remote { Action::RemoteInvalidate(end) } else { Action::LocalInvalidate(end) };
    let late = Action::Request(RequestSetup { bytes: 64, count: 1, ..access.clone() });
    [
        ("bind", Action::Bind(bind)),
        ("use", Action::Request(RequestSetup { count: 1, ..access })),
        ("end", end),
        ("late", late),
    ]
}

/// A change of a region's key.
fn key(draw: &Draw, region: &RegionSetup, stream: u16) -> Vec<(&'static str, Action)> {
    let register = FastRegisterSetup {
        region: region.name.clone(),
        stream,
        rights: Some(draw.rights.into()),
        bytes: Some((region.bytes - draw.cut.min(region.bytes - 1)).max(1)),
        ..FastRegisterSetup::default()
    };
    let end = KeySetup { region: region.name.clone(), stream, ..KeySetup::default() };
    match draw.kind {
        Kind::Switch => vec![("switch", Action::FastRegister(register))],
        Kind::NewVariant => {
            vec![("variant", Action::FastRegister(FastRegisterSetup { new_variant: true, ..register }))]
        }
        Kind::Spoilt(word, bit) => {
            let spoil = Some(Spoil { word, bit });
            vec![("spoilt", Action::FastRegister(FastRegisterSetup { spoil, ..register }))]
        }
        Kind::Local => vec![("local", Action::LocalInvalidate(end))],
        Kind::Remote => vec![("remote", Action::RemoteInvalidate(end))],
        Kind::Renewed => vec![
            ("old", Action::LocalInvalidate(end)),
            ("new", Action::FastRegister(FastRegisterSetup { new_variant: true, ..register })),
        ],
    }
}
