//! Atomics.

use crate::trace::{AT_00, AT_10, Request, Trace, entry, function, message, page_address, region, request};
use golden::Violation;
use types::ats::TranslationEntry;
use types::port::FunctionCfg;
use types::tlp::{MemoryOp, status};
use types::{Event, Mode, MttEntry, Op, Owner, PageSize, Region, Rights, Syndrome, TlpAddr};

fn all() -> Region {
    Region { rights: Rights::ALL, ..region(Mode::Emtt) }
}

/// A request under way whose operands have been handed over.
fn begin(op: Op, offset: u64, size: u32) -> Trace {
    let mut t = Trace::bare();
    t.map(&all());
    t.accept(request(op, 1, offset, size));
    t.give(1, 0, op.operand_bytes(size));
    t
}

const OPERATIONS: [(Op, MemoryOp, u32); 7] = [
    (Op::FETCH_ADD, MemoryOp::FetchAdd, 4),
    (Op::FETCH_ADD, MemoryOp::FetchAdd, 8),
    (Op::SWAP, MemoryOp::Swap, 4),
    (Op::SWAP, MemoryOp::Swap, 8),
    (Op::CAS, MemoryOp::Cas, 4),
    (Op::CAS, MemoryOp::Cas, 8),
    (Op::CAS, MemoryOp::Cas, 16),
];

#[test]
fn each_operation_from_its_request_to_its_result() {
    for (op, kind, size) in OPERATIONS {
        for (offset, at, page) in [(0x10, AT_00, 0), (0x2010, AT_10, 2)] {
            let mut t = begin(op, offset, size);
            let operands = message(0, op.operand_bytes(size));
            t.sent(&Request::atomic(kind, at, page_address(page) + 0x10, &operands, 3));
            let before = vec![7; size as usize];
            t.complete(3, size as u16, &before);
            assert_eq!(t.deliver(1, 0, &before), Ok(()));
            assert_eq!(t.done(1, Syndrome::OK), Ok(()));
            t.finish();
        }
    }
}

#[test]
fn what_leaves_must_be_the_request() {
    let operands = message(0, 8);
    let right = Request::atomic(MemoryOp::FetchAdd, AT_00, page_address(0) + 8, &operands, 3);
    let out = |r: &Request| begin(Op::FETCH_ADD, 8, 8).out(r);
    assert_eq!(out(&right), Ok(()));
    let wrong_form = |r: Request| matches!(out(&r), Err(Violation::Atomic { .. }));
    // Reserved byte enables; an alignment and sizes that there are not.
    assert!(wrong_form(Request { first_be: 0xf, last_be: 0xf, ..right.clone() }));
    assert!(wrong_form(Request { address: right.address + 4, ..right.clone() }));
    for bytes in [12, 16, 32] {
        assert!(wrong_form(Request::atomic(MemoryOp::FetchAdd, AT_00, right.address, &message(0, bytes), 3)));
    }
    // Another size than the request's.
    assert!(wrong_form(Request::atomic(MemoryOp::FetchAdd, AT_00, right.address, &message(0, 4), 3)));
    let unexpected = |r: Request| matches!(out(&r), Err(Violation::Unexpected { .. }));
    assert!(unexpected(Request { op: MemoryOp::Swap, ..right.clone() }));
    assert!(unexpected(Request::read(AT_00, right.address, 8, 3)));
    assert!(unexpected(Request::write(AT_00, right.address, &operands)));
    assert!(matches!(out(&Request { at: AT_10, ..right.clone() }), Err(Violation::AddressType { .. })));
    assert!(matches!(
        out(&Request { address: page_address(1) + 8, ..right.clone() }),
        Err(Violation::Address { .. } | Violation::Unexpected { .. })
    ));
    let mut other = operands.clone();
    other[7] ^= 1;
    assert!(matches!(out(&Request { payload: other, ..right.clone() }), Err(Violation::Payload { .. })));
    // Twice: it is committed once.
    let mut t = begin(Op::FETCH_ADD, 8, 8);
    t.sent(&right);
    assert!(matches!(t.out(&Request { tag: 4, ..right.clone() }), Err(Violation::Unexpected { .. })));
    assert!(matches!(t.out(&right), Err(Violation::TagReuse { .. })));
    // Before its operands were handed over.
    let mut t = Trace::bare();
    t.map(&all());
    t.accept(request(Op::FETCH_ADD, 1, 8, 8));
    assert!(matches!(t.out(&right), Err(Violation::NotGiven { .. })));
}

#[test]
fn what_is_refused_and_why() {
    let must_end = |change: &dyn Fn(&mut Trace), op, offset, size, syndrome| {
        let begin = || {
            let mut t = Trace::bare();
            t.map(&all());
            change(&mut t);
            t.accept(request(op, 1, offset, size));
            t.give(1, 0, op.operand_bytes(size));
            t
        };
        assert_eq!(begin().done(1, syndrome), Ok(()), "{op:?} {offset:#x} {size}");
        let other = if syndrome == Syndrome::RIGHTS { Syndrome::BOUNDS } else { Syndrome::RIGHTS };
        for wrong in [Syndrome::OK, other] {
            assert!(begin().done(1, wrong).is_err());
        }
        let kind = if op == Op::CAS { MemoryOp::Cas } else { MemoryOp::Swap };
        let operands = message(0, op.operand_bytes(size));
        assert!(begin().out(&Request::atomic(kind, AT_00, page_address(0) + offset, &operands, 1)).is_err());
    };
    let none = |_: &mut Trace| {};
    for (op, size) in [(Op::SWAP, 16), (Op::SWAP, 12), (Op::SWAP, 2), (Op::CAS, 32), (Op::CAS, 12)] {
        must_end(&none, op, 0, size, Syndrome::ATOMIC_SIZE);
    }
    for (op, offset, size) in [(Op::SWAP, 2, 4), (Op::SWAP, 4, 8), (Op::CAS, 8, 16), (Op::CAS, 0xffc, 8)] {
        must_end(&none, op, offset, size, Syndrome::ATOMIC_ALIGNMENT);
    }
    let off = |t: &mut Trace| t.ok(Event::Configured(&FunctionCfg { atomic_enable: false, ..function(1) }));
    must_end(&off, Op::SWAP, 0, 8, Syndrome::ATOMIC_OFF);
    let lacks =
        |read, write| move |t: &mut Trace| t.page(0, MttEntry { read, write, ..entry(page_address(0), Owner::Host) });
    for (read, write) in [(true, false), (false, true), (false, false)] {
        // The page as it was before is in force until a removal is reported: here there was none.
        let t = |t: &mut Trace| {
            *t = Trace::bare();
            t.ok(Event::Mapped { key: crate::trace::KEY, region: &all() });
            lacks(read, write)(t);
        };
        must_end(&t, Op::SWAP, 0, 8, Syndrome::PAGE_RIGHTS);
    }
    let rights = |rights| {
        move |t: &mut Trace| {
            *t = Trace::bare();
            t.map(&Region { rights, ..region(Mode::Emtt) });
        }
    };
    must_end(&rights(Rights { remote_atomic: false, ..Rights::ALL }), Op::SWAP, 0, 8, Syndrome::RIGHTS);
}

#[test]
fn local_atomics_need_the_right_to_write() {
    for local_write in [true, false] {
        let mut t = Trace::bare();
        t.map(&Region { rights: Rights { local_write, ..Rights::default() }, ..region(Mode::Emtt) });
        t.accept(types::port::WorkRequest { remote: false, ..request(Op::SWAP, 1, 0, 8) });
        t.give(1, 0, 8);
        let sent = t.out(&Request::atomic(MemoryOp::Swap, AT_00, page_address(0), &message(0, 8), 1));
        assert_eq!(sent.is_ok(), local_write);
    }
}

#[test]
fn the_answer_is_one_completion_and_decides_the_outcome() {
    let begin = || {
        let mut t = begin(Op::CAS, 0, 8);
        t.sent(&Request::atomic(MemoryOp::Cas, AT_00, page_address(0), &message(0, 16), 3));
        t
    };
    assert!(matches!(begin().done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    // Delivered as brought, and delivered at all.
    let mut t = begin();
    t.complete(3, 8, &[1; 8]);
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    assert!(matches!(t.deliver(1, 0, &[2; 8]), Err(Violation::ReadData { .. })));
    for (code, syndrome) in [(status::UR, Syndrome::UNSUPPORTED_REQUEST), (status::CA, Syndrome::COMPLETER_ABORT)] {
        let mut t = begin();
        t.fail(3, code);
        assert!(t.done(1, Syndrome::OK).is_err());
        let mut t = begin();
        t.fail(3, code);
        assert_eq!(t.done(1, syndrome), Ok(()));
    }
    // A part of it is malformed, though its byte count is right.
    let mut t = begin();
    t.complete(3, 8, &[1; 4]);
    assert_eq!(t.done(1, Syndrome::MALFORMED_COMPLETION), Ok(()));
    let mut t = begin();
    t.complete_as(crate::trace::VF, 3, status::SC, 8, &[1; 8], true);
    assert_eq!(t.done(1, Syndrome::POISONED), Ok(()));
}

#[test]
fn in_a_stream_it_goes_behind_what_is_before_it() {
    let swap = |tag| Request::atomic(MemoryOp::Swap, AT_00, page_address(0) + 8, &message(0, 8), tag);
    for first in [Op::WRITE, Op::READ, Op::CAS] {
        let mut t = Trace::bare();
        t.map(&all());
        t.accept(request(first, 1, 0x100, 8));
        t.give(1, 0, first.operand_bytes(8));
        t.accept(request(Op::SWAP, 2, 8, 8));
        t.give(2, 0, 8);
        assert!(matches!(t.out(&swap(2)), Err(Violation::StreamOrder { .. })), "{first:?}");
    }
    // A write behind it may pass it.
    let mut t = Trace::bare();
    t.map(&all());
    t.accept(request(Op::SWAP, 1, 8, 8));
    t.give(1, 0, 8);
    t.write(2, 0x100, 8);
    t.sent(&Request::write(AT_00, page_address(0) + 0x100, &message(0, 8)));
    t.sent(&swap(1));
}

#[test]
fn a_translation_must_grant_both_and_is_asked_for_with_nw_clear() {
    let begin = || {
        let mut t = Trace::bare();
        t.map(&Region { mode: Mode::Ats, ..all() });
        t.accept(request(Op::SWAP, 1, 0, 8));
        t.give(1, 0, 8);
        t
    };
    let iova = page_address(0);
    assert!(matches!(begin().out(&Request::translate(iova, 1, true, 9)), Err(Violation::TranslationRequest { .. })));
    let bus = 0x7_0000_0000;
    let answer = |read, write| TranslationEntry {
        address: TlpAddr(bus),
        size: PageSize::K4,
        read,
        write,
        ..TranslationEntry::default()
    };
    let swap = Request::atomic(MemoryOp::Swap, AT_10, bus, &message(0, 8), 3);
    for (read, write) in [(true, true), (true, false), (false, true)] {
        let mut t = begin();
        t.translation(iova, false, 9, answer(read, write));
        let both = read && write;
        assert_eq!(t.out(&swap).is_ok(), both);
        let mut t = begin();
        t.translation(iova, false, 9, answer(read, write));
        assert_eq!(t.done(1, Syndrome::TRANSLATION_ACCESS).is_ok(), !both);
    }
    // While the function may send none, nobody needs one.
    let mut t = begin();
    t.ok(Event::Configured(&FunctionCfg { atomic_enable: false, ..function(1) }));
    assert!(matches!(t.out(&Request::translate(iova, 1, false, 9)), Err(Violation::TranslationRequest { .. })));
}
