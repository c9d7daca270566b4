//! TLPs that several open requests could have sent: no guess is made, later events decide.

use crate::trace::{AT_00, Request, Trace, message, page_address, request};
use golden::Violation;
use types::port::WorkRequest;
use types::{Event, Mode, Offset, Op, StreamId, Syndrome, WrId};

fn other(op: Op, length: u32) -> WorkRequest {
    WorkRequest { stream: StreamId(2), ..request(op, 1, 0, length) }
}

fn give_other(t: &mut Trace, bytes: &[u8]) {
    t.ok(Event::WriteData { stream: StreamId(2), id: WrId(1), offset: Offset(0), bytes });
}

fn done_other(t: &mut Trace, syndrome: Syndrome) -> Result<(), Violation> {
    t.observe(Event::MessageDone { stream: StreamId(2), id: WrId(1), syndrome })
}

/// Two streams write to one address: the same four bytes, then others.
fn twins() -> Trace {
    let mut t = Trace::new(Mode::Emtt);
    t.accept(request(Op::WRITE, 1, 0, 8));
    t.accept(other(Op::WRITE, 8));
    t.ok(Event::WriteData { stream: StreamId(1), id: WrId(1), offset: Offset(0), bytes: &[1, 2, 3, 4, 5, 6, 7, 8] });
    give_other(&mut t, &[1, 2, 3, 4, 15, 16, 17, 18]);
    t
}

#[test]
fn payload_decides_at_once() {
    let mut t = twins();
    t.sent(&Request::write(AT_00, page_address(0), &[1, 2, 3, 4, 15, 16, 17, 18]));
    assert_eq!(done_other(&mut t, Syndrome::OK), Ok(()));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { done: 0, .. })));
}

#[test]
fn a_later_part_decides() {
    let head = Request::write(AT_00, page_address(0), &[1, 2, 3, 4]);
    let tail = |bytes: &[u8]| Request::write(AT_00, page_address(0) + 4, bytes);
    for (first, second) in [([5, 6, 7, 8], [15, 16, 17, 18]), ([15, 16, 17, 18], [5, 6, 7, 8])] {
        let mut t = twins();
        t.sent(&head);
        t.sent(&tail(&first));
        // Only the one whose tail was seen can be done.
        let (one, two) = (first[0] == 5, first[0] == 15);
        let mut u = twins();
        u.sent(&head);
        u.sent(&tail(&first));
        assert_eq!(u.done(1, Syndrome::OK).is_ok(), one);
        let mut u = twins();
        u.sent(&head);
        u.sent(&tail(&first));
        assert_eq!(done_other(&mut u, Syndrome::OK).is_ok(), two);
        t.sent(&head);
        t.sent(&tail(&second));
        assert_eq!(t.done(1, Syndrome::OK), Ok(()));
        assert_eq!(done_other(&mut t, Syndrome::OK), Ok(()));
        t.finish();
    }
    // A tail without a head of its own.
    let mut t = twins();
    t.sent(&head);
    t.sent(&tail(&[5, 6, 7, 8]));
    assert!(t.out(&tail(&[15, 16, 17, 18])).is_err());
}

#[test]
fn the_completion_decides() {
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0, 4);
    t.accept(other(Op::WRITE, 4));
    give_other(&mut t, &message(0, 4));
    let write = Request::write(AT_00, page_address(0), &message(0, 4));
    t.sent(&write);
    assert_eq!(done_other(&mut t, Syndrome::OK), Ok(()));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { done: 0, .. })));
    t.sent(&write);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
    // One write is not two.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0, 4);
    t.accept(other(Op::WRITE, 4));
    give_other(&mut t, &message(0, 4));
    t.sent(&write);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    assert!(done_other(&mut t, Syndrome::OK).is_err());
}

#[test]
fn reads_of_one_address() {
    let read = |tag| Request::read(AT_00, page_address(0), 4, tag);
    let deliver = |t: &mut Trace, stream, bytes: &[u8]| {
        t.observe(Event::ReadData { stream: StreamId(stream), id: WrId(1), offset: Offset(0), bytes })
    };
    let begin = || {
        let mut t = Trace::new(Mode::Emtt);
        t.read(1, 0, 4);
        t.accept(other(Op::READ, 4));
        t.sent(&read(3));
        t.sent(&read(4));
        t.complete(3, 4, &[3; 4]);
        t.complete(4, 4, &[4; 4]);
        t
    };
    for (one, two) in [(3, 4), (4, 3)] {
        let mut t = begin();
        assert_eq!(deliver(&mut t, 1, &[one; 4]), Ok(()));
        assert_eq!(deliver(&mut t, 2, &[two; 4]), Ok(()));
        assert_eq!(t.done(1, Syndrome::OK), Ok(()));
        assert_eq!(done_other(&mut t, Syndrome::OK), Ok(()));
        t.finish();
    }
    assert!(matches!(deliver(&mut begin(), 1, &[5; 4]), Err(Violation::ReadData { .. })));
    // A third read belongs to nobody.
    assert!(begin().out(&read(5)).is_err());
}

#[test]
fn long_twins_stay_cheap() {
    // Two streams write the same 64 KiB to the same place, four bytes at a time: the attributions merge, and stay few.
    let mut t = Trace::new(Mode::Emtt);
    t.write(1, 0, 0x1000);
    t.accept(other(Op::WRITE, 0x1000));
    give_other(&mut t, &message(0, 0x1000));
    for i in (0..0x1000).step_by(4) {
        let write = Request::write(AT_00, page_address(0) + i, &message(i as u32, 4));
        t.sent(&write);
        t.sent(&write);
    }
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    assert_eq!(done_other(&mut t, Syndrome::OK), Ok(()));
    t.finish();
}
