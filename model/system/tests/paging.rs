//! Do pages that are asked for come, in the IOMMU through Page Requests and in the MTT through driver events?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{config, translation, watch};
use cycle::unit::Unit;
use system::config::PageAnswer;
use system::fabric::{Fabric, IoRange, Packet, ROOT_ID, Scatter, nic_function};
use system::{Config, RunError, System, Time};
use types::ats::TranslationEntry;
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::Body;
use types::{ByteCount, FunctionId, Iova, PageSize, Pasid, PasidPrefix, Syndrome};

const IOVA: u64 = 0x55_0000_0000;
const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: Pasid(0), exec: false, privileged: false };

/// 64 pages of 4 KiB that may be read and come when they are asked for.
fn fabric(sets: &[&str]) -> Fabric {
    let small =
        ["unit.sizes.atc_granule_log2=12", "function.smallest_translation_unit_bytes=4096", "iommu.page_ns=3000"];
    let mut fabric = Fabric::new(&config(&[&small, sets].concat()));
    fabric.map(IoRange {
        base: Iova(IOVA),
        length: ByteCount(64 << 12),
        page: PageSize::K4,
        scatter: Scatter::linear(fabric.gpu_base()),
        read: true,
        write: false,
        exec: false,
        untranslated_only: false,
        pasid: None,
        paged: true,
    });
    fabric
}

fn ask(page: u64, group: u16) -> PageRequest {
    PageRequest { address: Iova(IOVA + (page << 12)), group, last: true, write: false, read: true }
}

/// Sends requests at time 0 and returns the responses with their times.
fn responses(fabric: &mut Fabric, requests: &[PageRequest], pasid: PasidPrefix) -> Vec<(Time, PageResponse)> {
    let from = fabric.transmitter_free();
    for request in requests {
        let tlp = request.message(nic_function(FunctionId(0)), pasid);
        fabric.send(from, Packet { tlp, payload: Vec::new() });
    }
    let (packets, _) = watch(fabric, from + Time::from_ns(100_000));
    packets
        .into_iter()
        .map(|(at, packet)| {
            let Body::Message { requester, .. } = packet.tlp.body else { panic!("{packet:?}") };
            assert_eq!((requester, packet.tlp.pasid), (ROOT_ID, pasid));
            (Time(at.0 - from.0), PageResponse::of(&packet.tlp).unwrap())
        })
        .collect()
}

/// R and W of the translation of a page.
fn access(fabric: &mut Fabric, page: u64) -> (bool, bool) {
    let from = fabric.transmitter_free();
    fabric.send(from, translation(5, IOVA + (page << 12), 1));
    let (packets, _) = watch(fabric, from + Time::from_ns(100_000));
    let entry = TranslationEntry::decode(packets[0].1.payload[..8].try_into().unwrap()).unwrap();
    (entry.read, entry.write)
}

#[test]
fn a_page_comes_after_it_was_asked_for_and_not_before_its_time() {
    let mut fabric = fabric(&[]);
    assert_eq!(access(&mut fabric, 3), (false, false));
    let seen = responses(&mut fabric, &[ask(3, 0x1a5)], NONE);
    let target = nic_function(FunctionId(0));
    let expected = PageResponse { target, code: ResponseCode::SUCCESS, group: 0x1a5 };
    assert_eq!(seen.iter().map(|s| s.1).collect::<Vec<_>>(), [expected]);
    // 3 µs for the page, and two ways of less than a microsecond each.
    assert!(seen[0].0 >= Time::from_ns(3000) && seen[0].0 < Time::from_ns(5000), "{:?}", seen[0].0);
    assert_eq!((access(&mut fabric, 3), access(&mut fabric, 4)), ((true, false), (false, false)));
    fabric.page_out(Iova(IOVA + 0x3000), None);
    assert_eq!(access(&mut fabric, 3), (false, false));
    assert_eq!(fabric.page_counts().requests, 1);
}

#[test]
fn what_is_not_the_functions_is_invalid() {
    let code = |fabric: &mut Fabric, request, pasid| responses(fabric, &[request], pasid)[0].1.code;
    let mut fabric = fabric(&[]);
    // Write access that the range does not grant; an address outside; another address space.
    assert_eq!(code(&mut fabric, PageRequest { write: true, ..ask(1, 0) }, NONE), ResponseCode::INVALID);
    assert_eq!(code(&mut fabric, ask(64, 1), NONE), ResponseCode::INVALID);
    let pasid = PasidPrefix { valid: true, pasid: Pasid(9), ..NONE };
    assert_eq!(code(&mut fabric, ask(1, 2), pasid), ResponseCode::INVALID);
    assert_eq!(access(&mut fabric, 1), (false, false));
    assert_eq!(fabric.page_counts().refused, 3);
    for (answer, expected) in [(PageAnswer::Refuse, ResponseCode::INVALID), (PageAnswer::Fail, ResponseCode::FAILURE)] {
        fabric.set_page_answer(answer);
        assert_eq!(code(&mut fabric, ask(2, 3), NONE), expected);
    }
}

#[test]
fn a_group_has_one_response_and_a_stop_marker_has_none() {
    let mut fabric = fabric(&[]);
    let more = |page, group| PageRequest { last: false, ..ask(page, group) };
    let seen = responses(&mut fabric, &[more(1, 7), more(2, 7), ask(3, 7)], NONE);
    assert_eq!(seen.iter().map(|s| s.1.code).collect::<Vec<_>>(), [ResponseCode::SUCCESS]);
    // One page of a group that is refused refuses the group.
    let seen = responses(&mut fabric, &[more(70, 7), ask(4, 7)], NONE);
    assert_eq!(seen.iter().map(|s| s.1.code).collect::<Vec<_>>(), [ResponseCode::INVALID]);
    let pasid = PasidPrefix { valid: true, pasid: Pasid(9), ..NONE };
    assert_eq!(responses(&mut fabric, &[PageRequest::STOP_MARKER], pasid), []);
    assert_eq!(fabric.page_counts().stop_markers, 1);
}

const PAGED: [&str; 3] = ["region.paged=true", "function.page_requests=8", "iommu.page_ns=2000"];

#[test]
fn traffic_over_pages_that_come_when_asked_for_is_whole_and_asks_once_a_page() {
    for op in ["traffic.op=write", "traffic.op=read"] {
        for disorder in [&[][..], &["disorder.jitter_ns=500", "disorder.stall_percent=20", "traffic.qps=3"]] {
            let cfg = Config::load("stellar-ats", &[&PAGED, &[op][..], disorder].concat()).unwrap();
            let mut system = System::<Unit>::new(&cfg);
            let m = system.run(ByteCount(1 << 20), 2).unwrap_or_else(|e| panic!("{op} {disorder:?}: {e}"));
            assert_eq!(m.wrong, 0, "{op} {disorder:?}");
            let statistics = system.statistics();
            // 1 MiB a queue pair in translations of 64 KiB.
            let pages = 16 * u64::from(cfg.traffic.qps);
            assert_eq!(statistics.get("pager.requests"), Some(pages), "{op} {disorder:?}");
            assert_eq!(statistics.get("ats.page_response"), Some(pages));
            // Once a page is there it costs nothing.
            assert_eq!(m.measured.get("pager.requests"), Some(0));
        }
    }
}

const FILLED: [&str; 3] = ["region.filled_on_demand=true", "driver.page_events=true", "driver.fill_ns=1000"];

#[test]
fn traffic_over_entries_that_are_filled_on_events_is_whole() {
    for preset in ["stellar-emtt", "stellar-ats"] {
        for op in ["traffic.op=write", "traffic.op=read"] {
            let cfg = Config::load(preset, &[&FILLED, &[op, "traffic.qps=2"][..]].concat()).unwrap();
            let mut system = System::<Unit>::new(&cfg);
            let m = system.run(ByteCount(128 << 10), 2).unwrap_or_else(|e| panic!("{preset} {op}: {e}"));
            assert_eq!(m.wrong, 0, "{preset} {op}");
            // 64 pages of 4 KiB; an access that was on its way when its page was filled may ask once more.
            let events = system.statistics().get("driver.page_events").unwrap();
            assert!((64..=96).contains(&events), "{preset} {op}: {events}");
        }
    }
}

#[test]
fn both_at_once() {
    let cfg = Config::load("stellar-ats", &[&PAGED[..], &FILLED].concat()).unwrap();
    assert_eq!(System::<Unit>::new(&cfg).run(ByteCount(256 << 10), 2).unwrap().wrong, 0);
}

#[test]
fn a_page_that_is_refused_ends_the_run_with_its_syndrome() {
    for (sets, own, expected) in [
        (PAGED, "iommu.page_answer=refuse", Syndrome::PAGE_INVALID),
        (PAGED, "iommu.page_answer=fail", Syndrome::PAGE_FAILURE),
        (FILLED, "driver.refuse=true", Syndrome::PAGE_REFUSED),
    ] {
        let cfg = Config::load("stellar-ats", &[&sets, &[own][..]].concat()).unwrap();
        let seen = System::<Unit>::new(&cfg).run(ByteCount(64 << 10), 1);
        assert!(matches!(seen, Err(RunError::Request { syndrome, .. }) if syndrome == expected), "{own}: {seen:?}");
    }
}

#[test]
fn configurations_that_cannot_page_are_refused() {
    for (sets, expected) in [
        (&["region.paged=true"][..], "function.page_requests = (missing): must be at least 1"),
        (&["function.page_requests=513"], "function.page_requests = 513: must be 0 to 512"),
        (
            &["region.paged=true", "function.page_requests=1", "region.mode=direct"],
            "region.paged = true: must be false",
        ),
        (&["region.filled_on_demand=true"], "driver.page_events = (missing): must be true"),
        (&["iommu.page_answer=maybe"], "iommu.page_answer = \"maybe\""),
        (&["iommu.page_ns=2000000000"], "iommu.page_ns = 2000000000: must be 0 to 1000000000"),
        (&["driver.page_events=true", "driver.fill_ns=2000000000"], "driver.fill_ns = 2000000000"),
    ] {
        let message = Config::load("stellar-ats", sets).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    // What is not said changes nothing: not even the fingerprint.
    let plain = Config::load::<&str>("stellar-ats", &[]).unwrap();
    let said = ["function.page_requests=0", "region.paged=false", "iommu.page_ns=0", "driver.page_events=false"];
    assert_eq!(Config::load("stellar-ats", &said).unwrap().fingerprint(), plain.fingerprint());
}
