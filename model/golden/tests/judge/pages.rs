//! Page Requests (PCIe 6.x 10.4) and driver events: who may ask, when, and how a request may end by the answer.

use crate::trace::{AT_10, PF, Request, Trace, VF, entry, function, message, page_address, pasid, region, request};
use golden::Violation;
use types::ats::TranslationEntry;
use types::port::{FunctionCfg, WorkRequest};
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::{Body, Routing};
use types::{
    Event, FunctionId, Iova, Mode, MttEntry, Op, Owner, PasidPrefix, Region, RequesterId, StreamId, Syndrome, Tlp,
    TlpAddr,
};

const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: types::Pasid(0), exec: false, privileged: false };
const BUS: u64 = 0xb0_0000_0000;

fn rw(address: u64) -> TranslationEntry {
    TranslationEntry { address: TlpAddr(address), read: true, write: true, ..TranslationEntry::default() }
}

fn enabled(allocation: u16) -> FunctionCfg {
    FunctionCfg { pri_enable: true, pri_allocation: allocation, ..function(1) }
}

/// A request that waits on faults.
fn waits(op: Op, id: u16, offset: u64, length: u32) -> WorkRequest {
    WorkRequest { on_fault: false, ..request(op, id, offset, length) }
}

/// The request for page `n` as a write needs it.
fn ask(n: u64, group: u16) -> PageRequest {
    PageRequest { address: Iova(page_address(n)), group, last: true, write: true, read: false }
}

fn send(t: &mut Trace, request: PageRequest) -> Result<(), Violation> {
    t.observe(Event::PageRequested { tlp: &request.message(VF, NONE) })
}

fn respond(t: &mut Trace, group: u16, code: ResponseCode) {
    let response = PageResponse { target: VF, code, group };
    t.ok(Event::PageResponded { tlp: &response.message(RequesterId(8), NONE) });
}

/// One open write to page 0, whose translation gives nothing.
fn refused(cfg: &FunctionCfg, wr: WorkRequest) -> Trace {
    let mut t = Trace::new(Mode::Ats);
    t.ok(Event::Configured(cfg));
    t.accept(wr);
    t.give(1, 0, wr.length.0);
    t.translation(page_address(0), false, 7, TranslationEntry::default());
    t
}

fn waiting() -> Trace {
    refused(&enabled(4), waits(Op::WRITE, 1, 0, 4))
}

fn wrong(seen: Result<(), Violation>, expected: &str) {
    match seen {
        Err(Violation::PageRequest { why, .. }) => assert!(why.contains(expected), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_refused_request_that_waits_may_ask_and_go_on() {
    let mut t = waiting();
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::SUCCESS);
    t.translation(page_address(0), false, 8, rw(BUS));
    t.sent(&Request::write(AT_10, BUS, &message(0, 4)));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
}

#[test]
fn the_form_of_a_page_request() {
    let with = |change: &dyn Fn(&mut Tlp)| {
        let mut tlp = ask(0, 3).message(VF, NONE);
        change(&mut tlp);
        waiting().observe(Event::PageRequested { tlp: &tlp })
    };
    assert_eq!(with(&|_| {}), Ok(()));
    wrong(with(&|tlp| tlp.tc = 1), "traffic class 0");
    wrong(
        with(&|tlp| {
            if let Body::Message { routing, .. } = &mut tlp.body {
                *routing = Routing::ById;
            }
        }),
        "root complex",
    );
    wrong(
        with(&|tlp| {
            if let Body::Message { with_data, .. } = &mut tlp.body {
                *with_data = true;
            }
        }),
        "without data",
    );
    wrong(
        with(&|tlp| {
            if let Body::Message { code, .. } = &mut tlp.body {
                *code = 5;
            }
        }),
        "another message",
    );
    let stranger = ask(0, 3).message(RequesterId(0x0300), NONE);
    let seen = waiting().observe(Event::PageRequested { tlp: &stranger });
    assert!(matches!(seen, Err(Violation::Requester { .. })));
    // R = W = 0 asks for nothing; with a PASID it is a Stop Marker.
    wrong(send(&mut waiting(), PageRequest { write: false, ..ask(0, 3) }), "no access");
}

#[test]
fn without_the_interface_nobody_asks() {
    for (cfg, why) in [
        (function(1), "interface is off"),
        (FunctionCfg { pri_allocation: 8, ..function(1) }, "interface is off"),
        (enabled(0), "allocation"),
    ] {
        let mut t = refused(&cfg, waits(Op::WRITE, 1, 0, 4));
        let seen = send(&mut t, ask(0, 3));
        let Err(Violation::PageRequest { why: text, .. }) = seen else { panic!("{seen:?}") };
        assert!(text.to_lowercase().contains(why), "{text}");
        assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
    }
    // The other function's interface is not this one's.
    let mut t = waiting();
    let tlp = ask(0, 3).message(PF, NONE);
    wrong(t.observe(Event::PageRequested { tlp: &tlp }), "is off");
    // One that was on its way when the interface was turned off is not held against the unit.
    let mut t = waiting();
    t.ok(Event::Configured(&function(1)));
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
    t.accept(waits(Op::WRITE, 2, 0, 4));
    t.translation(page_address(0), false, 9, TranslationEntry::default());
    wrong(send(&mut t, ask(0, 4)), "is off");
}

#[test]
fn a_request_that_reports_faults_never_asks() {
    let mut t = refused(&enabled(4), request(Op::WRITE, 1, 0, 4));
    wrong(send(&mut t, ask(0, 3)), "report faults");
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
}

#[test]
fn only_a_page_whose_translation_lacks_the_access_is_asked_for() {
    // Before any answer.
    let mut t = Trace::new(Mode::Ats);
    t.ok(Event::Configured(&enabled(4)));
    t.accept(waits(Op::WRITE, 1, 0, 4));
    wrong(send(&mut t, ask(0, 3)), "lacks");
    // After an answer that gives it.
    t.translation(page_address(0), false, 7, rw(BUS));
    wrong(send(&mut t, ask(0, 3)), "lacks");
    // Another page; another access; W = 0 in an answer to NW = 1.
    wrong(send(&mut waiting(), ask(1, 3)), "lacks");
    wrong(send(&mut waiting(), PageRequest { read: true, write: false, ..ask(0, 3) }), "lacks");
    wrong(send(&mut waiting(), PageRequest { read: true, ..ask(0, 3) }), "lacks");
    let mut t = Trace::new(Mode::Ats);
    t.ok(Event::Configured(&enabled(4)));
    t.accept(waits(Op::READ, 1, 0, 4));
    t.accept(WorkRequest { stream: StreamId(2), ..waits(Op::WRITE, 2, 0, 4) });
    t.translation(page_address(0), true, 7, TranslationEntry { write: false, ..rw(BUS) });
    wrong(send(&mut t, ask(0, 3)), "lacks");
    // The answer to NW = 0 counts.
    t.translation(page_address(0), false, 8, TranslationEntry { write: false, ..rw(BUS) });
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    // A refusal from before the request is none.
    let mut t = waiting();
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::INVALID);
    assert_eq!(t.done(1, Syndrome::PAGE_INVALID), Ok(()));
    t.accept(waits(Op::WRITE, 2, 0, 4));
    wrong(send(&mut t, ask(0, 4)), "lacks");
}

#[test]
fn once_the_page_is_there_it_is_not_asked_for_again() {
    let mut t = waiting();
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::SUCCESS);
    // Another round needs another refusal.
    t.translation(page_address(0), false, 8, rw(BUS));
    wrong(send(&mut t, ask(0, 3)), "lacks");
    let mut t = waiting();
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::SUCCESS);
    t.translation(page_address(0), false, 8, TranslationEntry::default());
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
}

/// Open writes to pages 0 and 1, both refused.
fn two(allocation: u16) -> Trace {
    let mut t = refused(&enabled(allocation), waits(Op::WRITE, 1, 0, 4));
    t.accept(WorkRequest { stream: StreamId(2), ..waits(Op::WRITE, 2, 0x1000, 4) });
    t.translation(page_address(1), false, 8, TranslationEntry::default());
    t
}

#[test]
fn no_more_than_the_allocation_and_no_index_twice() {
    let mut t = two(1);
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    wrong(send(&mut t, ask(1, 4)), "allocation");
    // The response returns the credit, whatever it says; a response to nobody returns none.
    for code in [ResponseCode::SUCCESS, ResponseCode::INVALID] {
        let mut t = two(1);
        assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
        respond(&mut t, 5, code);
        wrong(send(&mut t, ask(1, 4)), "allocation");
        let mut t = two(1);
        assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
        respond(&mut t, 3, code);
        assert_eq!(send(&mut t, ask(1, 4)), Ok(()));
    }
    let mut t = two(2);
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    wrong(send(&mut t, ask(1, 3)), "owed already");
    // A group may have several requests, up to its last.
    let mut t = two(2);
    assert_eq!(send(&mut t, PageRequest { last: false, ..ask(0, 3) }), Ok(()));
    assert_eq!(send(&mut t, ask(1, 3)), Ok(()));
    // After a reset of the function every credit is there.
    let mut t = two(1);
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    t.ok(Event::Reset(Some(FunctionId(1))));
    t.ok(Event::Configured(&enabled(1)));
    t.accept(waits(Op::WRITE, 9, 0, 4));
    t.translation(page_address(0), false, 9, TranslationEntry::default());
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
}

#[test]
fn each_response_explains_its_syndrome_and_no_other() {
    let pages = [Syndrome::PAGE_INVALID, Syndrome::PAGE_FAILURE, Syndrome::PAGE_RETRIES, Syndrome::PAGE_REFUSED];
    for (code, syndrome) in [
        (None, None),
        (Some(ResponseCode::SUCCESS), None),
        (Some(ResponseCode::INVALID), Some(Syndrome::PAGE_INVALID)),
        (Some(ResponseCode::FAILURE), Some(Syndrome::PAGE_FAILURE)),
        // Reserved codes count as a failure.
        (Some(ResponseCode(0b0100)), Some(Syndrome::PAGE_FAILURE)),
    ] {
        for seen in pages {
            let mut t = waiting();
            assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
            if let Some(code) = code {
                respond(&mut t, 3, code);
            }
            let expected = Some(seen) == syndrome;
            assert_eq!(t.done(1, seen).is_ok(), expected, "{code:?} {seen}");
        }
    }
    // A request that waits does not end for want of access.
    let mut t = waiting();
    assert!(matches!(t.done(1, Syndrome::TRANSLATION_ACCESS), Err(Violation::Syndrome { .. })));
    // One that reports does not end by a response.
    let mut t = refused(&enabled(4), request(Op::WRITE, 1, 0, 4));
    t.accept(WorkRequest { stream: StreamId(2), ..waits(Op::WRITE, 2, 0, 4) });
    t.translation(page_address(0), false, 8, TranslationEntry::default());
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::INVALID);
    assert!(t.done(1, Syndrome::PAGE_INVALID).is_err());
    // Nor does one of another page.
    let mut t = two(4);
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::INVALID);
    let other = Event::MessageDone { stream: StreamId(2), id: types::WrId(2), syndrome: Syndrome::PAGE_INVALID };
    assert!(t.observe(other).is_err());
}

#[test]
fn retries_are_exhausted_after_three_rounds_and_not_before() {
    for rounds in 0..=3 {
        let mut t = waiting();
        for round in 0..rounds {
            assert_eq!(send(&mut t, ask(0, round)), Ok(()));
            respond(&mut t, round, ResponseCode::SUCCESS);
            t.translation(page_address(0), false, 8, TranslationEntry::default());
        }
        assert_eq!(t.done(1, Syndrome::PAGE_RETRIES).is_ok(), rounds == 3, "{rounds}");
    }
}

#[test]
fn a_failure_stops_the_function_until_it_is_enabled_again() {
    let mut t = two(4);
    assert_eq!(send(&mut t, ask(0, 3)), Ok(()));
    respond(&mut t, 3, ResponseCode::FAILURE);
    assert_eq!(t.done(1, Syndrome::PAGE_FAILURE), Ok(()));
    // What was on its way may still leave; a new request may not ask, and may end for want of access.
    assert_eq!(send(&mut t, ask(1, 4)), Ok(()));
    let other = Event::MessageDone { stream: StreamId(2), id: types::WrId(2), syndrome: Syndrome::PAGE_FAILURE };
    t.ok(other);
    let again = |t: &mut Trace, id, tag| {
        t.accept(waits(Op::WRITE, id, 0, 4));
        t.translation(page_address(0), false, tag, TranslationEntry::default());
        send(t, ask(0, 5))
    };
    wrong(again(&mut t, 3, 9), "stopped");
    assert_eq!(t.done(3, Syndrome::TRANSLATION_ACCESS), Ok(()));
    t.ok(Event::Configured(&function(1)));
    t.ok(Event::Configured(&enabled(4)));
    assert_eq!(again(&mut t, 4, 10), Ok(()));
}

#[test]
fn a_pasid_goes_with_the_request_and_a_stop_marker_ends_its_use() {
    let trace = || {
        let mut t = Trace::bare();
        t.ok(Event::Configured(&enabled(4)));
        t.map(&Region { pasid: pasid(9), ..region(Mode::Ats) });
        t.accept(waits(Op::WRITE, 1, 0, 4));
        t.sent(&Request { pasid: pasid(9), ..Request::translate(page_address(0), 1, false, 7) });
        t.complete(7, 8, &TranslationEntry::default().encode());
        t
    };
    let with = |t: &mut Trace, request: PageRequest, prefix| {
        t.observe(Event::PageRequested { tlp: &request.message(VF, prefix) })
    };
    assert_eq!(with(&mut trace(), ask(0, 3), pasid(9)), Ok(()));
    wrong(with(&mut trace(), ask(0, 3), NONE), "lacks");
    wrong(with(&mut trace(), ask(0, 3), pasid(8)), "lacks");
    // A response with the prefix of another PASID is not for it.
    let mut t = trace();
    assert_eq!(with(&mut t, ask(0, 3), pasid(9)), Ok(()));
    let response = PageResponse { target: VF, code: ResponseCode::INVALID, group: 3 };
    t.ok(Event::PageResponded { tlp: &response.message(RequesterId(8), pasid(8)) });
    wrong(with(&mut t, ask(0, 3), pasid(9)), "owed already");
    // A Stop Marker while the PASID is in use, and once it is not.
    wrong(with(&mut trace(), PageRequest::STOP_MARKER, pasid(9)), "Stop Marker");
    let mut t = trace();
    assert_eq!(with(&mut t, ask(0, 3), pasid(9)), Ok(()));
    t.ok(Event::Configured(&FunctionCfg { pasid_enable: false, ..enabled(4) }));
    assert_eq!(with(&mut t, PageRequest::STOP_MARKER, pasid(9)), Ok(()));
    assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS), Ok(()));
}

/// An open request of page 0, whose entry is not present.
fn not_present(on: bool, wr: WorkRequest) -> Trace {
    let mut t = Trace::new(Mode::Emtt);
    t.ok(Event::PageEvents(on));
    t.page(0, MttEntry { present: false, ..entry(page_address(0), Owner::Host) });
    // The old entry is legal until a revocation is reported; a request accepted after it sees the new one alone.
    t.ok(Event::RevocationStarted { key: crate::trace::KEY, flush: None });
    t.ok(Event::RevocationReported { key: crate::trace::KEY });
    t.accept(wr);
    t
}

#[test]
fn an_entry_that_is_not_present_waits_for_the_driver_where_events_are_on() {
    let answer = |t: &mut Trace, index, refuse| t.ok(Event::PageEventAnswered { index, refuse });
    let wr = waits(Op::WRITE, 1, 0, 4);
    for (on, wr, at_once) in [(false, wr, true), (true, wr, false), (true, request(Op::WRITE, 1, 0, 4), true)] {
        assert_eq!(not_present(on, wr).done(1, Syndrome::NOT_PRESENT).is_ok(), at_once, "{on} {wr:?}");
    }
    // Events turned off meanwhile end the wait.
    let mut t = not_present(true, wr);
    t.ok(Event::PageEvents(false));
    assert_eq!(t.done(1, Syndrome::NOT_PRESENT), Ok(()));
    // A refusal of the region, and not of another; none for a request that reports.
    for (index, wr, ok) in [(1, wr, true), (2, wr, false), (1, request(Op::WRITE, 1, 0, 4), false)] {
        let mut t = not_present(true, wr);
        answer(&mut t, index, true);
        assert_eq!(t.done(1, Syndrome::PAGE_REFUSED).is_ok(), ok, "{index}");
    }
    let mut t = not_present(true, wr);
    answer(&mut t, 1, false);
    assert!(t.done(1, Syndrome::PAGE_REFUSED).is_err());
    for rounds in 0..=3 {
        let mut t = not_present(true, wr);
        (0..rounds).for_each(|_| answer(&mut t, 1, false));
        assert_eq!(t.done(1, Syndrome::PAGE_RETRIES).is_ok(), rounds == 3);
    }
    // A page that is present needs no driver.
    let mut t = Trace::new(Mode::Emtt);
    t.ok(Event::PageEvents(true));
    t.accept(wr);
    answer(&mut t, 1, true);
    assert!(t.done(1, Syndrome::PAGE_REFUSED).is_err());
}
