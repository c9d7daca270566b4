//! Page Requests at the pins of the unit (PCIe 6.x 10.4): who asks, how often, and what a response does.

use crate::bench::{Bench, SHIFT, function, request};
use types::ats::InvalidateRange;
use types::port::{FunctionCfg, WorkRequest};
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::{Body, Routing, Tlp};
use types::{Iova, Mode, Op, PageSize, Pasid, PasidPrefix, RequesterId, Syndrome, TlpAddr};

const FUNCTION: RequesterId = RequesterId(0x100);
const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: Pasid(0), exec: false, privileged: false };

/// IOVA of page `n` of the bench's region.
fn iova(n: u64) -> u64 {
    0x4000_0000 + (n << 12)
}

fn enabled(allocation: u16) -> FunctionCfg {
    FunctionCfg { pri_enable: true, pri_allocation: allocation, ..function() }
}

/// A unit whose function may have `allocation` Page Requests outstanding.
fn bench(config: &str, allocation: u16) -> Bench {
    let mut b = Bench::new(config, Mode::Ats);
    b.configure(enabled(allocation));
    b.warm(1);
    b
}

/// A request of 64 bytes at page `n`.
fn at(id: u16, stream: u16, op: Op, n: u64) -> WorkRequest {
    request(id, stream, op, n << 12, 64)
}

/// Page Requests that left.
fn asked(b: &Bench) -> Vec<PageRequest> {
    b.messages.iter().filter_map(|(_, tlp)| PageRequest::of(tlp)).collect()
}

fn respond(b: &mut Bench, group: u16, code: ResponseCode) {
    b.message(&PageResponse { target: FUNCTION, code, group }.message(RequesterId(0x8), NONE));
}

/// Outcomes by id.
fn outcomes(b: &Bench) -> Vec<(u16, u8)> {
    let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    done.sort_unstable();
    done
}

fn address(tlp: &Tlp) -> TlpAddr {
    let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
    address
}

/// Runs for `cycles` and counts the messages that were dropped.
fn dropped(b: &mut Bench, cycles: u64) -> u32 {
    (0..cycles)
        .map(|_| {
            b.edge();
            u32::from(b.unit.wires().ats.stat_message_dropped)
        })
        .sum()
}

#[test]
fn a_request_that_reports_and_a_function_without_pri_end_at_once_and_alike() {
    let run = |cfg: FunctionCfg, on_fault: bool| {
        let mut b = Bench::new("small", Mode::Ats);
        b.configure(enabled(4));
        b.warm(1);
        b.configure(cfg);
        b.idle(20);
        b.refuse = Some(iova(1));
        let sent = b.send(WorkRequest { on_fault, ..at(1, 0, Op::READ, 1) });
        b.idle(2000);
        assert_eq!(asked(&b), []);
        b.done.iter().map(|(at, id, syndrome)| (at - sent, *id, *syndrome)).collect::<Vec<_>>()
    };
    let ends = run(function(), true);
    assert_eq!(ends[0].2, Syndrome::TRANSLATION_ACCESS.0);
    assert_eq!(run(function(), false), ends);
    assert_eq!(run(enabled(4), true), ends);
    // No allocation is no interface.
    assert_eq!(run(enabled(0), false), ends);
    // Without ATS there is nothing to ask for.
    let off = run(FunctionCfg { ats_enable: false, ..enabled(4) }, false);
    assert_eq!(off[0].2, Syndrome::ATS_OFF.0);
}

#[test]
fn a_page_that_is_not_there_is_asked_for_and_then_read() {
    let mut b = bench("small", 4);
    b.refuse = Some(iova(1));
    b.send(at(1, 0, Op::READ, 1));
    b.idle(1000);
    assert_eq!((b.messages.len(), b.done.len(), b.tlps.len()), (1, 0, 0));
    let Tlp { tc, pasid, body: Body::Message { with_data, routing, requester, code, .. }, .. } = b.messages[0].1 else {
        panic!("{:?}", b.messages)
    };
    // Code 0x04 to the root complex in TC 0, without data, from the function.
    assert_eq!((tc, pasid.valid, with_data, code, requester), (0, false, false, 4, FUNCTION));
    assert_eq!(routing, Routing::ToRoot);
    let PageRequest { address: page, group, last, read, write } = asked(&b)[0];
    assert_eq!((page, last, read, write), (Iova(iova(1)), true, true, false));
    b.refuse = None;
    respond(&mut b, group, ResponseCode::SUCCESS);
    b.idle(1000);
    assert_eq!((outcomes(&b), address(&b.tlps[0].1)), (vec![(1, 0)], TlpAddr(SHIFT + iova(1))));
    // Asked for a second time, once the page was there.
    assert_eq!((b.translation_requests, b.messages.len()), (2, 1));
}

#[test]
fn a_write_to_a_page_without_write_access_asks_for_write_access() {
    let mut b = bench("small", 4);
    b.deny_writes = Some(iova(2));
    // The page is cached with R alone first.
    b.send(at(1, 0, Op::READ, 2));
    b.idle(500);
    b.send(at(2, 0, Op::WRITE, 2));
    b.idle(1000);
    let request = asked(&b)[0];
    assert_eq!((request.read, request.write, request.last), (false, true, true));
    assert_eq!((outcomes(&b), b.tlps.len()), (vec![(1, 0)], 1), "no write before the page may be written");
    b.deny_writes = None;
    respond(&mut b, request.group, ResponseCode::SUCCESS);
    b.idle(1000);
    assert_eq!((outcomes(&b), asked(&b).len()), (vec![(1, 0), (2, 0)], 1));
}

#[test]
fn a_read_of_no_bytes_asks_for_read_access_since_neither_would_be_a_stop_marker() {
    let mut b = bench("small", 4);
    b.refuse = Some(iova(1));
    b.send(request(1, 0, Op::READ, 1 << 12, 0));
    b.idle(1000);
    assert_eq!(asked(&b).iter().map(|r| (r.read, r.write)).collect::<Vec<_>>(), [(true, false)]);
}

#[test]
fn each_response_code_has_its_outcome() {
    for (code, syndrome) in [
        (ResponseCode::INVALID, Syndrome::PAGE_INVALID),
        (ResponseCode::FAILURE, Syndrome::PAGE_FAILURE),
        // A reserved code is taken for a failure.
        (ResponseCode(0b0111), Syndrome::PAGE_FAILURE),
    ] {
        let mut b = bench("small", 4);
        b.refuse = Some(iova(1));
        b.send(at(1, 0, Op::READ, 1));
        b.idle(1000);
        let group = asked(&b)[0].group;
        respond(&mut b, group, code);
        b.idle(200);
        assert_eq!((outcomes(&b), b.tlps.len()), (vec![(1, syndrome.0)], 0), "{code:?}");
    }
}

#[test]
fn a_failure_stops_the_interface_until_it_is_enabled_again() {
    let mut b = bench("small", 2);
    // Three pages, so that one is beyond the allocation.
    b.refuse = Some(iova(1));
    b.send(at(1, 0, Op::READ, 1));
    b.idle(1000);
    b.refuse = Some(iova(2));
    b.send(at(2, 1, Op::READ, 2));
    b.idle(1000);
    b.refuse = Some(iova(3));
    b.send(at(3, 2, Op::READ, 3));
    b.idle(1000);
    let groups: Vec<_> = asked(&b).iter().map(|r| r.group).collect();
    assert_eq!(groups.len(), 2);
    respond(&mut b, groups[0], ResponseCode::FAILURE);
    b.idle(300);
    let (failure, access) = (Syndrome::PAGE_FAILURE.0, Syndrome::TRANSLATION_ACCESS.0);
    assert_eq!(outcomes(&b), [(1, failure), (2, failure), (3, access)]);
    // It asks no more, and what the host still answers is for nobody.
    b.send(at(4, 0, Op::READ, 3));
    b.idle(1000);
    respond(&mut b, groups[1], ResponseCode::SUCCESS);
    assert_eq!(dropped(&mut b, 50), 1);
    assert_eq!((outcomes(&b).last(), asked(&b).len()), (Some(&(4, access)), 2));
    b.configure(FunctionCfg { pri_enable: false, ..enabled(2) });
    b.configure(enabled(2));
    b.send(at(5, 0, Op::READ, 3));
    b.idle(1000);
    assert_eq!(asked(&b).len(), 3);
}

#[test]
fn a_page_that_is_never_there_ends_after_three_rounds() {
    let mut b = bench("small", 4);
    b.refuse = Some(iova(1));
    b.send(at(1, 0, Op::READ, 1));
    for round in 1..=3 {
        b.idle(1000);
        assert_eq!((asked(&b).len(), b.done.len()), (round, 0));
        let group = asked(&b)[round - 1].group;
        respond(&mut b, group, ResponseCode::SUCCESS);
    }
    b.idle(2000);
    assert_eq!((outcomes(&b), asked(&b).len()), (vec![(1, Syndrome::PAGE_RETRIES.0)], 3));
    // Once before the first request and once after each response.
    assert_eq!(b.translation_requests, 4);
}

#[test]
fn segments_of_one_page_and_one_right_share_a_request() {
    let mut b = bench("small", 16);
    b.refuse = Some(iova(1));
    for n in 0..6 {
        b.send(request(n, n, Op::READ, (1 << 12) + 64 * u64::from(n), 64));
    }
    b.send(at(6, 6, Op::WRITE, 1));
    b.send(at(7, 7, Op::WRITE, 1));
    b.idle(1500);
    let mut requests = asked(&b);
    requests.sort_unstable_by_key(|r| r.write);
    assert_eq!(requests.iter().map(|r| (r.read, r.write)).collect::<Vec<_>>(), [(true, false), (false, true)]);
    b.refuse = None;
    for r in requests {
        respond(&mut b, r.group, ResponseCode::SUCCESS);
    }
    b.idle(1500);
    assert_eq!(outcomes(&b), (0..8).map(|n| (n, 0)).collect::<Vec<_>>());
}

/// The agent gives no access to any page; the host lets pages in one by one.
fn many(b: &mut Bench, pages: u16) {
    b.refuse_all = true;
    for n in 0..pages {
        b.send(at(n, n % b.cfg.streams as u16, Op::READ, 10 + u64::from(n)));
    }
    b.idle(3000);
}

#[test]
fn beyond_the_allocation_requests_are_held_back_and_none_is_lost() {
    for (config, allocation, pages) in [("small", 2, 7), ("medium", 1, 5), ("large", 40, 40), ("tiny", 3, 4)] {
        let mut b = bench(config, allocation);
        many(&mut b, pages);
        // The unit has 16 groups, and a slot of the function each.
        let most = usize::from(allocation).min(16).min(b.cfg.segment_slots() as usize).min(usize::from(pages));
        let mut open: Vec<PageRequest> = asked(&b);
        assert!(open.len() <= most, "{config}: {}", open.len());
        if config != "tiny" {
            assert_eq!(open.len(), most, "{config}");
        }
        b.refuse_all = false;
        let (mut seen, mut answered) = (open.len(), 0);
        while !open.is_empty() {
            let mut groups: Vec<_> = open.iter().map(|r| r.group).collect();
            groups.sort_unstable();
            groups.dedup();
            assert_eq!(groups.len(), open.len(), "{config}: indices are unique among those outstanding");
            assert!(open.len() <= most);
            let next = open.remove(answered % open.len());
            answered += 1;
            respond(&mut b, next.group, ResponseCode::SUCCESS);
            b.idle(1500);
            let all = asked(&b);
            open.extend(&all[seen..]);
            seen = all.len();
        }
        assert_eq!(outcomes(&b), (0..pages).map(|n| (n, 0)).collect::<Vec<_>>(), "{config}");
    }
}

#[test]
fn without_posted_credit_requests_wait_and_invalidations_beside_them_lose_nothing() {
    let mut b = bench("small", 16);
    b.inp.tx_fc.ph = 0;
    many(&mut b, 6);
    for itag in 0..6 {
        b.invalidate(itag, InvalidateRange { global: false, iova: Iova(iova(50)), size: Some(PageSize::K4) });
    }
    b.idle(2000);
    assert_eq!(b.messages.len(), 0);
    b.inp.tx_fc.ph = 200;
    b.idle(500);
    assert_eq!(asked(&b).len(), 6);
    let answered = b.messages.iter().filter_map(|(_, tlp)| match tlp.body {
        Body::Message { code: 2, dw3, .. } => Some(dw3),
        _ => None,
    });
    assert_eq!(answered.fold(0, |all, itags| all | itags), 0x3f);
}

#[test]
fn a_response_for_an_unknown_group_or_from_elsewhere_is_counted_and_ignored() {
    let mut b = bench("small", 4);
    b.refuse = Some(iova(1));
    b.send(at(1, 0, Op::READ, 1));
    b.idle(1000);
    let group = asked(&b)[0].group;
    b.refuse = None;
    // Another index, a later use of the same group, another function, and none at all.
    for (target, group) in [(0x100, group ^ 1), (0x100, group ^ 0x10), (0x101, group), (0x300, group)] {
        for code in [ResponseCode::SUCCESS, ResponseCode::FAILURE] {
            let response = PageResponse { target: RequesterId(target), code, group };
            b.message(&response.message(RequesterId(0x8), NONE));
            assert_eq!(dropped(&mut b, 300), 1);
        }
    }
    assert_eq!((b.done.len(), b.translation_requests), (0, 1));
    respond(&mut b, group, ResponseCode::SUCCESS);
    b.idle(500);
    assert_eq!(outcomes(&b), [(1, 0)]);
    // The same once more.
    respond(&mut b, group, ResponseCode::SUCCESS);
    assert_eq!(dropped(&mut b, 50), 1);
}

#[test]
fn nothing_else_waits_while_a_segment_waits_for_its_page() {
    // Two Translation Requests at a time: one that a waiting segment held would be missed.
    let mut b = bench("tiny", 4);
    b.refuse = Some(iova(1));
    b.send(at(1, 0, Op::READ, 1));
    b.idle(600);
    assert_eq!(asked(&b).len(), 1);
    // The next of the stream is translated already; its page is invalidated, and the host holds back the response
    // until it is told.
    b.send(at(2, 0, Op::READ, 0));
    b.idle(100);
    b.shift = 2 * SHIFT;
    let before = b.cycle;
    b.invalidate(3, InvalidateRange { global: false, iova: Iova(iova(0)), size: Some(PageSize::K4) });
    while b.messages.len() < 2 {
        b.edge();
        assert!(b.cycle - before < 100, "the drain waits");
    }
    for n in 2..8 {
        b.send(at(n as u16 + 8, 1, Op::READ, n));
        b.idle(400);
    }
    assert_eq!(outcomes(&b), (2..8).map(|n| (n + 8, 0)).collect::<Vec<_>>(), "another stream goes on");
    b.refuse = None;
    let group = asked(&b)[0].group;
    respond(&mut b, group, ResponseCode::SUCCESS);
    b.idle(1000);
    // In order, and the second with its new translation.
    let order: Vec<_> = b.done.iter().rev().take(2).map(|d| d.1).collect();
    assert_eq!(order, [2, 1]);
    assert_eq!(address(&b.tlps.last().unwrap().1), TlpAddr(2 * SHIFT + iova(0)));
}

#[test]
fn an_access_that_loses_its_page_on_its_way_asks_for_it_and_puts_no_invalidation_off() {
    let mut b = bench("small", 4);
    b.hold_data = true;
    b.send(request(1, 0, Op::WRITE, 0, 512));
    b.idle(60);
    b.refuse = Some(iova(0));
    let page = |n| InvalidateRange { global: false, iova: Iova(iova(n)), size: Some(PageSize::K4) };
    b.invalidate(1, page(0));
    b.idle(600);
    let request = asked(&b)[0];
    assert_eq!((request.address, request.write), (Iova(iova(0)), true));
    // The host holds back the response until this one is complete: it is not put off for the access.
    let before = b.cycle;
    b.invalidate(2, page(9));
    while b.messages.len() < 3 {
        b.edge();
        assert!(b.cycle - before < 100);
    }
    b.refuse = None;
    b.hold_data = false;
    respond(&mut b, request.group, ResponseCode::SUCCESS);
    b.idle(1500);
    assert_eq!((outcomes(&b), b.tlps.len()), (vec![(1, 0)], 2));
}

#[test]
fn what_is_turned_off_ends_the_wait_and_returns_every_credit() {
    let off = Syndrome::BUS_MASTER_OFF.0;
    let access = Syndrome::TRANSLATION_ACCESS.0;
    for (cfg, syndrome, still_owed) in [
        (FunctionCfg { pri_enable: false, ..enabled(2) }, access, false),
        (FunctionCfg { bus_master: false, ..enabled(2) }, off, true),
        (FunctionCfg { ats_enable: false, ..enabled(2) }, Syndrome::ATS_OFF.0, true),
        (FunctionCfg { reset: true, ..enabled(2) }, access, false),
        (FunctionCfg { reset: true, bus_master: false, pri_enable: false, ..enabled(2) }, off, false),
    ] {
        // Two outstanding, and one beyond the allocation.
        let mut b = bench("small", 2);
        many(&mut b, 3);
        let old: Vec<_> = asked(&b).iter().map(|r| r.group).collect();
        assert_eq!((old.len(), b.done.len()), (2, 0));
        b.configure(cfg);
        b.refuse_all = false;
        b.idle(1000);
        let ended = outcomes(&b);
        assert_eq!(ended[..2], [(0, syndrome), (1, syndrome)], "{cfg:?}");
        // The third may have been put back, and then asks with the function as it is now.
        assert_eq!(ended.len(), if cfg.reset && cfg.pri_enable { 2 } else { 3 }, "{cfg:?}");
        b.done.clear();
        b.configure(enabled(2));
        b.idle(1500);
        b.refuse_all = true;
        for n in 0..2 {
            b.send(at(10 + n, n, Op::READ, 30 + u64::from(n)));
        }
        b.idle(2000);
        // Where the host still answers, the credits come back with the answers.
        let expected = if still_owed { 2 } else { 4 };
        assert_eq!(asked(&b).len(), expected, "{cfg:?}");
        let mut ignored = 0;
        for group in &old {
            respond(&mut b, *group, ResponseCode::SUCCESS);
            ignored += dropped(&mut b, 600);
        }
        assert_eq!(ignored, if still_owed { 0 } else { 2 }, "{cfg:?}");
        assert_eq!(asked(&b).len(), 4, "{cfg:?}: two credits again");
        b.refuse_all = false;
        let mut answered = 2;
        while answered < asked(&b).len() {
            let group = asked(&b)[answered].group;
            respond(&mut b, group, ResponseCode::SUCCESS);
            b.idle(1000);
            answered += 1;
        }
        assert!(outcomes(&b).iter().rev().take(2).all(|(id, s)| *id >= 10 && *s == 0), "{cfg:?}: {:?}", b.done);
    }
}

#[test]
fn a_pasid_goes_with_the_request_and_a_stop_marker_follows_its_use() {
    let pasid = PasidPrefix { valid: true, pasid: Pasid(0x12345), ..NONE };
    let mut b = Bench::new("small", Mode::Ats);
    let on = FunctionCfg { pasid_enable: true, ..enabled(4) };
    b.configure(on);
    b.set_pasid(pasid);
    b.warm(1);
    many(&mut b, 2);
    let prefixes = |b: &Bench| b.messages.iter().map(|(_, tlp)| tlp.pasid).collect::<Vec<_>>();
    assert_eq!((asked(&b).len(), prefixes(&b)), (2, vec![pasid; 2]));
    let groups: Vec<_> = asked(&b).iter().map(|r| r.group).collect();
    b.configure(enabled(4));
    b.idle(200);
    assert_eq!(outcomes(&b), [(0, Syndrome::TRANSLATION_ACCESS.0), (1, Syndrome::TRANSLATION_ACCESS.0)]);
    // One marker for the PASID: last, neither read nor write, no index, no address.
    assert_eq!((asked(&b).len(), asked(&b)[2], prefixes(&b)[2]), (3, PageRequest::STOP_MARKER, pasid));
    assert_eq!(b.messages[2].1.header().0[2..], [0, 0x4]);
    // The responses return their credits and change nothing.
    for group in groups {
        respond(&mut b, group, ResponseCode::SUCCESS);
        assert_eq!(dropped(&mut b, 100), 0);
    }
    b.configure(on);
    b.done.clear();
    b.send(at(9, 0, Op::READ, 40));
    b.idle(1000);
    let request = asked(&b)[3];
    // A response with the prefix of another PASID is not for it.
    let response = PageResponse { target: FUNCTION, code: ResponseCode::SUCCESS, group: request.group };
    b.message(&response.message(RequesterId(0x8), PasidPrefix { pasid: Pasid(7), ..pasid }));
    assert_eq!(dropped(&mut b, 100), 1);
    b.refuse_all = false;
    b.message(&response.message(RequesterId(0x8), pasid));
    b.idle(500);
    assert_eq!(outcomes(&b), [(9, 0)]);
}
