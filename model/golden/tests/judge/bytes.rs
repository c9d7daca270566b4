//! Every byte owed: once, in order, with the message's content; reads and their data; tags; the end of requests.

use crate::trace::{AT_00, AT_10, PF, Request, TABLES, Trace, message, page_address, request};
use golden::{Name, Violation};
use types::port::WorkRequest;
use types::tlp::status;
use types::{Event, Mode, Offset, Op, StreamId, Syndrome, WrId};

fn name(id: u16) -> Name {
    Name { stream: StreamId(1), id: WrId(id) }
}

/// A write of a part of the usual message.
fn part(at: types::AddressType, address: u64, from: u32, length: u32) -> Request {
    Request::write(at, address, &message(from, length))
}

#[test]
fn a_message_over_three_pages() {
    let mut t = Trace::new(Mode::Emtt);
    // 0xffe … 0x2003: two bytes of page 0, page 1 in two TLPs, four bytes of page 2, which is the GPU's.
    t.write(1, 0xffe, 0x1006);
    t.sent(&part(AT_00, page_address(0) + 0xffe, 0, 2));
    t.sent(&part(AT_00, page_address(1), 2, 0x801));
    t.sent(&part(AT_00, page_address(1) + 0x801, 0x803, 0x7ff));
    assert_eq!(
        t.done(1, Syndrome::OK),
        Err(Violation::DoneEarly { request: name(1), length: 0x1006, done: 0x1002, what: "sent" })
    );
    let flush = |at, address, tag| Request { first_be: 0, ..Request::read(at, address, 4, tag) };
    t.sent(&flush(AT_00, page_address(1), 5));
    t.complete(5, 1, &[0; 4]);
    t.sent(&part(AT_10, page_address(2), 0x1002, 4));
    t.sent(&flush(AT_10, page_address(2), 6));
    t.complete(6, 1, &[0; 4]);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
}

#[test]
fn bytes_are_written_once_and_in_order() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0, 16);
        t.sent(&part(AT_00, page_address(0), 0, 8));
        t
    };
    begin().sent(&part(AT_00, page_address(0) + 8, 8, 8));
    // Again, with a gap, one byte too many, one byte off.
    assert!(matches!(begin().out(&part(AT_00, page_address(0), 0, 8)), Err(Violation::Address { .. })));
    assert!(matches!(begin().out(&part(AT_00, page_address(0) + 12, 12, 4)), Err(Violation::Address { .. })));
    let long = begin().out(&part(AT_00, page_address(0) + 8, 8, 9));
    assert_eq!(long, Err(Violation::Overrun { request: name(1), offset: 8, owed: 8, seen: 9 }));
    assert!(matches!(begin().out(&part(AT_00, page_address(0) + 9, 8, 4)), Err(Violation::Address { .. })));
    // Across the end of the page.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0xffc, 8);
    assert!(matches!(t.out(&part(AT_00, page_address(0) + 0xffc, 0, 8)), Err(Violation::Overrun { owed: 4, .. })));
    // After the end.
    let mut t = begin();
    t.sent(&part(AT_00, page_address(0) + 8, 8, 8));
    assert!(matches!(t.out(&part(AT_00, page_address(0) + 16, 16, 4)), Err(Violation::Unexpected { .. })));
}

#[test]
fn the_payload_is_that_of_the_message() {
    let good = part(AT_00, page_address(0) + 1, 0, 6);
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 1, 6);
        t
    };
    begin().sent(&good);
    for byte in 0..8 {
        let mut r = good.clone();
        r.payload[byte] ^= 1;
        let out = begin().out(&r);
        // Bytes 0 and 7 of the two DWs are not enabled, so that they may be anything.
        if byte == 0 || byte == 7 {
            assert_eq!(out, Ok(()), "byte {byte}");
        } else {
            assert!(matches!(out, Err(Violation::Payload { offset: 0, length: 6, .. })), "byte {byte}: {out:?}");
        }
    }
    // Not handed over yet, or only in part.
    let mut t = Trace::new(Mode::Emtt);
    t.accept(request(Op::WRITE, 1, 1, 6));
    assert!(matches!(t.out(&good), Err(Violation::NotGiven { .. })));
    t.give(1, 0, 2);
    assert!(matches!(t.out(&good), Err(Violation::NotGiven { .. })));
    t.give(1, 2, 1);
    t.give(1, 3, 3);
    t.sent(&good);
    let bytes = message(0, 1);
    let late = Event::WriteData { stream: StreamId(1), id: WrId(2), offset: Offset(0), bytes: &bytes };
    assert!(matches!(t.observe(late), Err(Violation::NotOpen { .. })));
}

#[test]
fn byte_enables() {
    let good = part(AT_00, page_address(0) + 1, 0, 6);
    assert_eq!((good.first_be, good.last_be, good.length_dw), (0xe, 0x7, 2));
    let out = |r: Request| {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 1, 6);
        t.out(&r)
    };
    assert_eq!(out(good.clone()), Ok(()));
    // One byte more or less at either end.
    assert!(matches!(out(Request { first_be: 0xf, ..good.clone() }), Err(Violation::Address { .. })));
    assert!(matches!(out(Request { first_be: 0xc, ..good.clone() }), Err(Violation::Address { .. })));
    assert!(matches!(out(Request { last_be: 0xf, ..good.clone() }), Err(Violation::Overrun { .. })));
    // One byte less at the end is a legal TLP, but then that byte is still owed.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 1, 6);
    t.sent(&Request { last_be: 0x3, ..good.clone() });
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { done: 5, .. })));
    // Holes.
    for (first_be, last_be) in [(0xa, 0x7), (0xe, 0x5), (0xe, 0x6), (0xe, 0), (0, 0x7), (0x6, 0x7)] {
        let r = Request { first_be, last_be, ..good.clone() };
        assert!(matches!(out(r), Err(Violation::ByteEnables { .. })), "{first_be:x} {last_be:x}");
    }
    let one = Request { length_dw: 1, payload: good.payload[..4].to_vec(), ..good.clone() };
    assert!(matches!(out(Request { first_be: 0xa, last_be: 0, ..one.clone() }), Err(Violation::ByteEnables { .. })));
    assert!(matches!(out(Request { first_be: 0xe, last_be: 0x1, ..one }), Err(Violation::ByteEnables { .. })));
    let short = Request { payload: good.payload[..4].to_vec(), ..good };
    assert_eq!(out(short), Err(Violation::PayloadLength { expected: 8, seen: 4 }));
}

#[test]
fn requests_of_a_stream_keep_their_order() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0, 8);
        t.write(2, 0x100, 4);
        t.read(3, 0x200, 4);
        t.write(4, 0x300, 4);
        t
    };
    let first = part(AT_00, page_address(0), 0, 8);
    let second = part(AT_00, page_address(0) + 0x100, 0, 4);
    let read = Request::read(AT_00, page_address(0) + 0x200, 4, 0);
    let last = part(AT_00, page_address(0) + 0x300, 0, 4);
    let order = |request, earlier| Violation::StreamOrder {
        request: name(request),
        earlier: name(earlier),
        seen: types::TlpAddr(page_address(0) + 0x100 * u64::from(request - 1)),
    };
    let mut t = begin();
    [&first, &second, &read, &last].into_iter().for_each(|r| t.sent(r));
    // A write may pass a read, but not a write; a read passes neither.
    let mut t = begin();
    [&first, &second, &last, &read].into_iter().for_each(|r| t.sent(r));
    assert_eq!(begin().out(&second), Err(order(2, 1)));
    assert_eq!(begin().out(&read), Err(order(3, 1)));
    let mut t = begin();
    t.sent(&part(AT_00, page_address(0), 0, 7));
    assert_eq!(t.out(&second), Err(order(2, 1)));
    // Another stream is free.
    let mut t = begin();
    t.accept(WorkRequest { stream: StreamId(2), ..request(Op::READ, 3, 0x400, 4) });
    t.sent(&Request::read(AT_00, page_address(0) + 0x400, 4, 0));
}

#[test]
fn completions_of_a_stream_keep_their_order_among_their_kind() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0, 0);
        t.write(2, 0, 0);
        t.read(3, 0, 0);
        t
    };
    let mut t = begin();
    t.sent(&Request::read(AT_00, page_address(0), 0, 9));
    t.complete(9, 1, &[0; 4]);
    assert_eq!(t.done(3, Syndrome::OK), Ok(()));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    assert_eq!(
        t.done(1, Syndrome::OK),
        Err(Violation::NotOpen { request: name(1), what: "a completion was reported" })
    );
    assert_eq!(begin().done(2, Syndrome::OK), Err(Violation::DoneOrder { request: name(2), earlier: name(1) }));
    let mut t = begin();
    assert_eq!(
        t.observe(Event::RequestAccepted(&request(Op::READ, 2, 0, 4))),
        Err(Violation::NameInUse { request: name(2) })
    );
}

#[test]
fn a_read_in_two_parts() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        // 6 bytes of page 1 and 2 of page 2.
        t.read(1, 0x1ffa, 8);
        t.sent(&Request::read(AT_00, page_address(1) + 0xffa, 6, 3));
        t.sent(&Request::read(AT_10, page_address(2), 2, 4));
        t
    };
    // The second comes back first. The first in two completions: byte count 6 with two bytes, then 4.
    let mut t = begin();
    t.complete(4, 2, &[17, 18, 99, 99]);
    t.complete(3, 6, &[99, 99, 11, 12]);
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    t.complete(3, 4, &[13, 14, 15, 16]);
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { done: 0, .. })));
    assert_eq!(t.deliver(1, 0, &[11, 12, 13]), Ok(()));
    assert_eq!(t.deliver(1, 3, &[14, 15, 16, 17]), Ok(()));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { done: 7, .. })));
    assert_eq!(t.deliver(1, 7, &[18]), Ok(()));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
}

#[test]
fn read_data_is_what_the_completions_brought() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.read(1, 0, 8);
        t.sent(&Request::read(AT_00, page_address(0), 8, 3));
        t.complete(3, 8, &[1, 2, 3, 4, 5, 6, 7, 8]);
        t
    };
    assert_eq!(begin().deliver(1, 0, &[1, 2, 3, 4, 5, 6, 7, 8]), Ok(()));
    assert!(matches!(begin().deliver(1, 0, &[1, 2, 3, 4, 5, 6, 7, 9]), Err(Violation::ReadData { .. })));
    assert!(matches!(begin().deliver(1, 1, &[2]), Err(Violation::ReadData { .. })), "a gap");
    assert!(matches!(begin().deliver(1, 0, &[1, 2, 3, 4, 5, 6, 7, 8, 9]), Err(Violation::ReadData { .. })));
    let mut t = begin();
    assert_eq!(t.deliver(1, 0, &[1, 2, 3, 4]), Ok(()));
    assert!(matches!(t.deliver(1, 0, &[1, 2, 3, 4]), Err(Violation::ReadData { .. })), "twice");
    // Before its completion, and before it was asked for.
    let mut t = Trace::new(Mode::Emtt);
    t.read(1, 0, 8);
    assert!(matches!(t.deliver(1, 0, &[0]), Err(Violation::ReadData { why: "never asked for", .. })));
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    assert!(matches!(t.deliver(1, 0, &[0]), Err(Violation::ReadData { .. })));
    // Completions for a tag that is not outstanding change nothing.
    t.complete(4, 8, &[0; 8]);
    assert!(matches!(t.deliver(1, 0, &[0]), Err(Violation::ReadData { .. })));
}

#[test]
fn tags() {
    let read = |tag| Request::read(AT_00, page_address(0), 4, tag);
    let next = |tag| Request::read(AT_00, page_address(0) + 4, 4, tag);
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.read(1, 0, 8);
        t.sent(&read(3));
        t
    };
    assert!(matches!(begin().out(&next(3)), Err(Violation::TagReuse { .. })));
    begin().sent(&next(4));
    let mut t = begin();
    t.complete(3, 4, &[0; 4]);
    t.sent(&next(3));
    // A tag belongs to its requester: the physical function has its own.
    let mut t = begin();
    t.sent(&Request::fetch(TABLES, 3));
    assert!(matches!(t.out(&Request::fetch(TABLES, 3)), Err(Violation::TagReuse { .. })));
    t.complete_as(PF, 3, status::SC, 64, &[0; 64], false);
    t.sent(&Request::fetch(TABLES, 3));
    // In part: the tag is held until the last byte.
    let mut t = Trace::new(Mode::Emtt);
    t.read(1, 0, 16);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    t.complete(3, 8, &[0; 4]);
    assert!(matches!(t.out(&Request::read(AT_00, page_address(0) + 8, 8, 3)), Err(Violation::TagReuse { .. })));
}

#[test]
fn what_is_owed_at_the_end() {
    let mut t = Trace::new(Mode::Emtt);
    t.finish();
    t.write(1, 0, 8);
    t.sent(&part(AT_00, page_address(0), 0, 4));
    assert_eq!(t.0.finish(), Err(Violation::Owed { request: name(1), length: 8, done: 4 }));
    t.sent(&part(AT_00, page_address(0) + 4, 4, 4));
    assert_eq!(t.0.finish(), Err(Violation::Owed { request: name(1), length: 8, done: 8 }));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
}

#[test]
fn a_flush_goes_where_a_write_went() {
    let flush = |at, address| Request { first_be: 0, ..Request::read(at, address, 4, 5) };
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0x1ff0, 0x20);
        t.sent(&part(AT_00, page_address(1) + 0xff0, 0, 0x10));
        t
    };
    begin().sent(&flush(AT_00, page_address(1)));
    assert!(begin().out(&flush(AT_10, page_address(1))).is_err());
    assert!(begin().out(&flush(AT_10, page_address(2))).is_err(), "nothing was written there yet");
    // The message changes its path: not before the flush has come back, and it is not done before its own.
    let second = part(AT_10, page_address(2), 0x10, 0x10);
    let early = Violation::PathOrder { request: name(1), written: name(1), seen: types::TlpAddr(page_address(2)) };
    let mut t = begin();
    assert_eq!(t.out(&second), Err(early.clone()));
    let mut t = begin();
    t.sent(&flush(AT_00, page_address(1)));
    assert_eq!(t.out(&second), Err(early));
    let mut t = begin();
    t.sent(&flush(AT_00, page_address(1)));
    t.complete(5, 1, &[0; 4]);
    t.sent(&second);
    t.sent(&flush(AT_10, page_address(2)));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    t.complete(5, 1, &[0; 4]);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
}

#[test]
fn what_was_written_where_another_path_leads_now_needs_no_flush() {
    use types::Owner;
    let entry = |page, owner| crate::trace::entry(page_address(page), owner);
    let second = part(AT_10, page_address(2), 0x10, 0x10);
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.write(1, 0x1ff0, 0x20);
        t.sent(&part(AT_00, page_address(1) + 0xff0, 0, 0x10));
        t
    };
    // Page 1 has become the GPU's: a read of it does not go where the write went.
    let mut t = begin();
    t.page(1, entry(1, Owner::Gpu));
    t.sent(&second);
    // Another page has, or it is still the host's.
    for (page, owner) in [(0, Owner::Gpu), (1, Owner::Host)] {
        let mut t = begin();
        t.page(page, entry(page, owner));
        assert!(matches!(t.out(&second), Err(Violation::PathOrder { .. })), "page {page}");
    }
    // It had been the GPU's before the write.
    let mut t = Trace::new(Mode::Emtt);
    t.page(1, entry(1, Owner::Gpu));
    t.page(1, entry(1, Owner::Host));
    t.ok(types::Event::RevocationStarted { key: crate::trace::KEY, flush: None });
    t.ok(types::Event::RevocationReported { key: crate::trace::KEY });
    t.write(1, 0x1ff0, 0x20);
    t.sent(&part(AT_00, page_address(1) + 0xff0, 0, 0x10));
    assert!(matches!(t.out(&second), Err(Violation::PathOrder { .. })));
}

#[test]
fn an_unordered_region_needs_no_flush() {
    let mut t = Trace::bare();
    t.map(&types::Region { unordered: true, ..crate::trace::region(Mode::Emtt) });
    for (page, owner) in [(1, types::Owner::Host), (2, types::Owner::Gpu)] {
        t.page(page, crate::trace::entry(page_address(page), owner));
    }
    t.write(1, 0x1ff0, 0x20);
    t.sent(&part(AT_00, page_address(1) + 0xff0, 0, 0x10));
    t.sent(&part(AT_10, page_address(2), 0x10, 0x10));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
}

#[test]
fn resets() {
    // After a function's reset its requests owe nothing and may end in any way, once; late answers are nobody's.
    let mut t = Trace::new(Mode::Emtt);
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    t.ok(Event::Reset(Some(types::FunctionId(1))));
    t.finish();
    t.complete(3, 8, &[0; 8]);
    t.deliver(1, 0, &[7; 8]).unwrap();
    assert_eq!(t.done(1, Syndrome::TABLE_FETCH), Ok(()));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::NotOpen { .. })));
    t.ok(Event::Configured(&crate::trace::function(1)));
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
    // The unit's reset: mappings stay, configuration goes.
    t.ok(Event::Reset(None));
    t.finish();
    assert!(matches!(t.out(&Request::read(AT_00, page_address(0), 8, 3)), Err(Violation::Requester { .. })));
    t.ok(Event::Configured(&crate::trace::function(1)));
    t.read(1, 0, 8);
    t.sent(&Request::read(AT_00, page_address(0), 8, 3));
}

#[test]
fn a_read_of_no_bytes_is_one_zero_length_read_where_its_address_is_mapped() {
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.read(1, 0x10, 0);
        t
    };
    // Elsewhere it is the read of nobody.
    let elsewhere = Request::read(AT_00, page_address(1) + 0x10, 0, 3);
    assert!(matches!(begin().out(&elsewhere), Err(Violation::Unexpected { .. })));
    // Without it there is nothing that could have been done.
    assert!(matches!(begin().done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    let mut t = begin();
    t.sent(&Request::read(AT_00, page_address(0) + 0x10, 0, 3));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    t.complete(3, 1, &[0; 4]);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
}
