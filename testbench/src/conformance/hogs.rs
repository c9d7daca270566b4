//! Random neighbours: one function takes what it can and is not answered, another one works beside it.

use super::machine::Machine;
use crate::scenario::Scenario;
use crate::scenario::schema::{Action, Expect, FunctionSetup, Marker, Operation, RegionSetup, RequestSetup, Step};
use proptest::prelude::*;
use std::collections::BTreeMap;
use system::fabric::{Act, Rule, TlpKind};
use types::{Mode, Owner};

/// Name of the hold, of the victim's last step, and bytes of its region.
const ANSWERS: &str = "answers";
const VICTIM: u64 = 1 << 16;
const HOG: u64 = 1 << 20;

/// What is drawn for a request: write, place in pages, bytes, stream of its function.
type Draw = (bool, u64, u32, u16);

fn draws(pages: u64, bytes: std::ops::Range<u32>, count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Draw>> {
    prop::collection::vec((any::<bool>(), 0..pages, bytes, 0..4_u16), count)
}

/// Machines of two partitions: function 1 reads and writes all over its megabyte while its answers are held back, those to
/// Translation Requests or those to table fetches; function 0, whose tables are cached, must not notice.
pub fn hogs() -> impl Strategy<Value = Scenario> {
    let hog = draws(HOG / 4096 - 16, 16_384..65_536, 2..8);
    let victim = draws(VICTIM / 4096 - 2, 1..8192, 1..8);
    let machine = (prop::sample::select(&[1_i64, 4][..]), prop::sample::select(&[0_i64, 20][..]), 0..1000_i64);
    (any::<bool>(), any::<bool>(), hog, victim, machine).prop_map(|(tables, gpu, hog, victim, machine)| {
        let mut cfg = Machine::new();
        cfg.insert("unit.configuration".into(), "small".into());
        cfg.insert("unit.mode".into(), "emtt".into());
        cfg.insert("unit.sizes.partitions".into(), 2.into());
        cfg.insert("link.nic.tlps_per_credit_update".into(), machine.0.into());
        cfg.insert("disorder.stall_percent".into(), machine.1.into());
        cfg.insert("seed".into(), machine.2.into());
        assemble(cfg, tables, gpu, &hog, &victim)
    })
}

fn assemble(machine: Machine, tables: bool, gpu: bool, hog: &[Draw], victim: &[Draw]) -> Scenario {
    let request = |region: &str, first_stream: u16, (write, page, bytes, stream): Draw| {
        Action::Request(RequestSetup {
            region: region.into(),
            op: if write { Operation::Write } else { Operation::Read },
            offset: 4096 * page as i64,
            bytes,
            count: 1,
            stream: first_stream + 2 * stream,
            ..RequestSetup::default()
        })
    };
    let named = |name: String, when: Marker, plus: u64, action| Step { name, when, plus, ..Step::of(action) };
    let done = |name: &str| Marker { done: Some(name.into()), ..Marker::default() };
    // Two lines of eight pages each: with the MPT line three fetches. The fourth is that of the neighbour's MPT line.
    let mut steps: Vec<Step> = (0..2)
        .map(|n| {
            let when = if n == 0 { Marker::default() } else { done("warm0") };
            named(format!("warm{n}"), when, 0, request("victim", 0, (false, 8 * n, 64, 0)))
        })
        .collect();
    steps.extend(hog.iter().map(|draw| named(String::new(), done("warm1"), 0, request("hog", 1, *draw))));
    // Once the neighbour has all it can get; the victim's requests are of one stream each, so that the last to end is one.
    let mut outcome = BTreeMap::new();
    for (n, draw) in victim.iter().enumerate() {
        outcome.insert(format!("v{n}"), vec!["ok".into()]);
        let when = if n == 0 { done("warm1") } else { done(&format!("v{}", n - 1)) };
        let plus = if n == 0 { 3000 } else { 0 };
        steps.push(named(format!("v{n}"), when, plus, request("victim", 0, *draw)));
    }
    let last = done(&format!("v{}", victim.len() - 1));
    steps.push(named(String::new(), last, 1, Action::Release(ANSWERS.into())));
    let (tlp, nth) = if tables { (TlpKind::TableCompletion, 5) } else { (TlpKind::TranslationCompletion, 1) };
    let mode = if tables { Mode::Direct } else { Mode::Ats };
    Scenario {
        title: "a neighbour that is not answered".into(),
        bound: 300_000,
        machine,
        functions: (0..2).map(|number| FunctionSetup { number, ..FunctionSetup::default() }).collect(),
        regions: vec![
            RegionSetup { memory: if gpu { Owner::Gpu } else { Owner::Host }, ..RegionSetup::new("victim", VICTIM) },
            RegionSetup { function: 1, mode, ..RegionSetup::new("hog", HOG) },
        ],
        steps,
        interfere: vec![Rule { tlp, nth, count: 10_000, act: Act::Hold(ANSWERS.into()) }],
        expect: Expect { outcome, loses_data: true, ..Expect::default() },
        ..Scenario::default()
    }
}
