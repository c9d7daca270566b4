//! Partitions and the rate limit at the pins of the unit: what one function takes, another does not miss.

use crate::bench::{Bench, function, request};
use types::ats::InvalidateRange;
use types::port::{FunctionCfg, MessageTlp, WorkRequest};
use types::tlp::Body;
use types::{FunctionId, Iova, Key, Mode, Op, PageSize, RequesterId, UnitCfg};

/// Requester ID of the function that takes all it can.
const OTHER: u16 = 0x101;

fn bench(cfg: UnitCfg, mode: Mode) -> Bench {
    cfg.check().unwrap();
    let mut b = Bench::with(cfg, mode);
    b.configure(FunctionCfg { function: FunctionId(1), requester: RequesterId(OTHER), ..function() });
    b.region_of(4, FunctionId(1));
    b
}

fn small(partitions: u32) -> UnitCfg {
    UnitCfg { partitions, ..UnitCfg::named("small").unwrap() }
}

fn other(wr: WorkRequest) -> WorkRequest {
    WorkRequest { function: FunctionId(1), key: Key::new(4, 7), ..wr }
}

/// Cycles from the acceptance of a read of 64 bytes on stream 0 to its completion, if it ends within `bound`.
fn latency(b: &mut Bench, page: u64, bound: u64) -> Option<u64> {
    let taken = b.send(request(100, 0, Op::READ, page << 12, 64));
    b.idle(bound);
    let end = b.done.iter().find(|d| d.1 == 100)?;
    assert_eq!(end.2, 0);
    Some(end.0 - taken)
}

/// The other function reads all of its region on six streams, and nobody answers it.
fn flood(b: &mut Bench) {
    b.hold_of = Some(OTHER);
    for stream in 1..7 {
        for id in 0..2 {
            b.send(other(request(id, stream, Op::READ, 0, 64 << 12)));
        }
    }
    b.idle(600);
}

#[test]
fn a_function_with_its_share_does_not_wait_for_one_that_nobody_answers() {
    for mode in [Mode::Direct, Mode::Ats, Mode::Emtt] {
        // A page that is in no cache: a fetch, in mode ats a Translation Request, and the read, each with an answer.
        let alone = latency(&mut bench(small(2), mode), 9, 2000).unwrap();
        let mut b = bench(small(2), mode);
        flood(&mut b);
        let beside = latency(&mut b, 9, 2000).expect("it ends");
        // The other's tables and requests share the link: at most a few of its TLPs go first on each of the three ways.
        assert!(beside <= alone + 3 * 16, "{mode}: {beside} beside, {alone} alone");
        // The same without partitions: every tag, slot or request is the other's.
        let mut b = bench(small(1), mode);
        flood(&mut b);
        assert_eq!(latency(&mut b, 9, 2000), None, "{mode}");
    }
}

#[test]
fn what_a_function_keeps_in_its_ways_stays_there() {
    let tiny = UnitCfg { mpt_fetches: 2, stream_slots: 4, ..UnitCfg::named("tiny").unwrap() };
    // Four sets of two ways: one way a partition holds four pages in a row.
    for (partitions, again) in [(2, 0..=0), (1, 1..=4)] {
        let mut b = bench(UnitCfg { partitions, ..tiny.clone() }, Mode::Ats);
        b.warm(4);
        for n in 0..32 {
            b.send(other(request(n, 1, Op::READ, u64::from(n) << 12, 8)));
            b.idle(600);
        }
        let before = b.translation_requests;
        for n in 0..4 {
            b.send(request(n, 0, Op::READ, u64::from(n) << 12, 8));
            b.idle(600);
        }
        assert!(
            again.contains(&(b.translation_requests - before)),
            "{partitions}: {}",
            b.translation_requests - before
        );
        assert!(b.done.iter().all(|d| d.2 == 0));
    }
}

#[test]
fn invalidations_of_one_function_begin_an_interval_apart_and_let_others_pass() {
    const INTERVAL: u64 = 700;
    let mut b = bench(UnitCfg { invalidate_interval: INTERVAL as u32, ..small(1) }, Mode::Ats);
    // Setting Enable was an invalidation, too.
    b.idle(INTERVAL);
    let page = InvalidateRange { global: false, iova: Iova(0x4000_0000), size: Some(PageSize::K4) };
    for itag in 0..8 {
        b.offer_invalidate(u32::from(OTHER), itag, page);
        b.edge();
        b.inp.rx_msg_tlp = MessageTlp::default();
    }
    b.invalidate(9, page);
    let offered = b.cycle;
    b.idle(9 * INTERVAL);
    let answers: Vec<_> = b
        .messages
        .iter()
        .map(|(at, tlp)| {
            let Body::Message { requester, dw3, .. } = tlp.body else { panic!("{tlp:?}") };
            (*at, requester.0, dw3)
        })
        .collect();
    let own: Vec<_> = answers.iter().filter(|a| a.1 == 0x100).collect();
    // A sweep of one set and 16 large entries, the way of the epoch and of the message, twice: the other's first goes before.
    assert!(own.len() == 1 && own[0].2 == 1 << 9 && own[0].0 - offered < 2 * 64, "{answers:?}, offered at {offered}");
    let others: Vec<_> = answers.iter().filter(|a| a.1 == OTHER).collect();
    assert_eq!(others.iter().fold(0, |all, a| all | a.2), 0xff);
    for (n, pair) in others.windows(2).enumerate() {
        assert!(pair[1].0 - pair[0].0 >= INTERVAL - 1, "{n}: {answers:?}");
        assert!(pair[1].0 - pair[0].0 < INTERVAL + 64, "{n}: {answers:?}");
    }
}

#[test]
fn pages_asked_ahead_stay_within_the_share_of_their_function() {
    // Two partitions of 8 requests, four each. Pages 2 and 5 miss; half of the share stays for misses, so that a page is
    // asked ahead for the first of them alone.
    let mut b = bench(UnitCfg { ats_prefetch: true, ats_requests: 8, ..small(2) }, Mode::Ats);
    b.warm(1);
    b.script.asked.clear();
    b.delay = 2000;
    for (id, page) in [(1, 2), (2, 5)] {
        b.send(request(id, 0, Op::READ, page << 12, 64));
        b.idle(200);
    }
    let asked: Vec<_> = b.script.asked().iter().map(|(address, _)| address >> 12 & 0xff).collect();
    assert_eq!(asked, [2, 3, 5]);
}
