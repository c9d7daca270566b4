//! Random pages that come and go under random requests: whatever happens, the judge accepts it, bytes are right at the far
//! end, and everything ends.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::path::Path;
use system::config::PageAnswer;
use testbench::conformance::{Search, explore};
use testbench::faults::Fault;
use testbench::scenario::Scenario;
use testbench::scenario::schema::{
    Action, FunctionSetup, Marker, Operation, RegionSetup, RemapSetup, RequestSetup, Step,
};
use toml::Value;
use types::Mode;

/// Pages of each region.
const PAGES: u64 = 6;

fn machines() -> impl Strategy<Value = BTreeMap<String, Value>> {
    let unit = (select(&["tiny", "small"][..]), 1..1_000_000_i64, 1..5_i64);
    let times = (select(&[0_i64, 400, 3000][..]), select(&[0_i64, 2000][..]), select(&[0_i64, 300][..]));
    (unit, times, select(&[0_i64, 30][..]), select(&[127_i64, 1][..])).prop_map(
        |((unit, seed, allocation), (page, fill, jitter), stall, credits)| {
            let keys: [(&str, Value); 9] = [
                ("unit.configuration", unit.into()),
                ("seed", seed.into()),
                ("function.page_requests", allocation.into()),
                ("iommu.page_ns", page.into()),
                ("driver.page_events", true.into()),
                ("driver.fill_ns", fill.into()),
                ("disorder.jitter_ns", jitter.into()),
                ("disorder.stall_percent", stall.into()),
                ("link.nic.posted_header_credits", credits.into()),
            ];
            keys.map(|(key, value)| (key.to_string(), value)).into()
        },
    )
}

fn regions() -> impl Strategy<Value = Vec<RegionSetup>> {
    let region = (any::<bool>(), any::<bool>(), select(&["", "r", "rw", "rw"][..]));
    prop::collection::vec(region, 1..4).prop_map(|draws| {
        draws
            .into_iter()
            .enumerate()
            .map(|(i, (paged, filled_on_demand, translations))| RegionSetup {
                mode: Mode::Ats,
                paged,
                filled_on_demand,
                // What the IOMMU never gives makes a page request invalid.
                translations: Some(translations.to_string()),
                ..RegionSetup::new(&format!("r{i}"), PAGES << 12)
            })
            .collect()
    })
}

#[derive(Clone, Debug)]
enum Draw {
    Request { write: bool, stream: u16, page: u64, from: i64, bytes: u32, wait: bool },
    Out { page: u64 },
    Toggle { on: bool },
    Answer(PageAnswer),
}

fn draws(toggles: bool) -> impl Strategy<Value = Draw> {
    let request = (any::<bool>(), 0..2_u16, 0..PAGES, 0..4096_i64, 0..6000_u32, any::<bool>());
    let request = request.prop_map(|(write, stream, page, from, bytes, wait)| Draw::Request {
        write,
        stream,
        page,
        from,
        bytes,
        wait,
    });
    let out = (0..PAGES).prop_map(|page| Draw::Out { page });
    let answer = select(&[PageAnswer::Map, PageAnswer::Refuse, PageAnswer::Fail][..]).prop_map(Draw::Answer);
    let toggle = any::<bool>().prop_map(|on| Draw::Toggle { on });
    let weight = u32::from(toggles);
    prop_oneof![12 => request, 3 => out, weight => toggle, weight => answer]
}

fn step(draw: &Draw, region: &RegionSetup, cycle: u64) -> Step {
    let action = match draw {
        Draw::Request { write, stream, page, from, bytes, wait } => {
            let offset = (*page << 12) as i64 + from;
            Action::Request(RequestSetup {
                region: region.name.clone(),
                op: if *write { Operation::Write } else { Operation::Read },
                stream: *stream,
                offset,
                bytes: (*bytes).min(((PAGES << 12) as i64 - offset) as u32),
                count: 1,
                wait: *wait,
                ..RequestSetup::default()
            })
        }
        Draw::Out { page } => Action::Remap(RemapSetup {
            region: region.name.clone(),
            page: *page,
            pages: 1,
            to: "out".into(),
            ..RemapSetup::default()
        }),
        Draw::Toggle { on } => {
            Action::Configure(FunctionSetup { page_requests: (!on).then_some(0), ..FunctionSetup::default() })
        }
        Draw::Answer(answer) => Action::AnswerPages(*answer),
    };
    Step { name: String::new(), when: Marker::at(cycle), plus: 0, optional: false, action }
}

fn scenarios(toggles: bool) -> impl Strategy<Value = Scenario> {
    let steps = prop::collection::vec((draws(toggles), any::<prop::sample::Index>(), 0..1500_u64), 2..24);
    (machines(), regions(), steps).prop_map(|(machine, regions, draws)| {
        let mut cycle = 0;
        let steps = draws.iter().map(|(draw, region, pause)| {
            cycle += pause;
            step(draw, &regions[region.index(regions.len())], cycle)
        });
        Scenario {
            title: "pages that come and go".into(),
            bound: 2_000_000,
            steps: steps.collect(),
            machine,
            regions: regions.clone(),
            ..Scenario::default()
        }
    })
}

fn conforms(name: &str, toggles: bool, cases: u32) {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let outcome = explore(scenarios(toggles), Search::new(cases, 1), |report| {
        for (syndrome, n) in &report.outcomes {
            *seen.entry(syndrome.to_string()).or_default() += n;
        }
        for key in ["ats.page_request", "ats.stall_page", "mtt.event", "dma.retranslate"] {
            *seen.entry(key.to_string()).or_default() += report.statistics.get(key).unwrap_or(0);
        }
    });
    if let Err(failure) = outcome {
        let path = failure.write(Path::new(env!("CARGO_TARGET_TMPDIR")), name).unwrap();
        panic!("{}\nscenario: {}", failure.finding, path.display());
    }
    eprintln!("{name}: {seen:?}");
    // What the runs are for has happened.
    for key in ["ok", "page-invalid", "translation-access", "not-present", "ats.page_request", "ats.stall_page"] {
        assert!(seen.get(key).is_some_and(|n| *n > u64::from(cases) / 20), "{key}: {seen:?}");
    }
    assert!(seen["mtt.event"] > u64::from(cases) / 4, "{seen:?}");
}

#[test]
fn pages_come_and_go() {
    conforms("paging", false, 300);
}

#[test]
fn pages_come_and_go_while_the_interface_is_turned_off_and_on_and_the_host_fails() {
    conforms("paging-toggles", true, 300);
}

#[test]
fn planted_faults_are_found() {
    for fault in [Fault::PageCreditsIgnored, Fault::PageGroupStuck, Fault::PageResponseLost, Fault::FaultsNotReported] {
        let outcome = explore(scenarios(false), Search::new(150, 1).with_fault(fault), |_| {});
        eprintln!("{fault:?}: {}", outcome.expect_err(&format!("{fault:?} was not found")).finding);
    }
}
