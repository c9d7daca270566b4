//! Registration by work requests: each rule with a legal trace, and a minimally wrong one that is refused.

use crate::trace::{AT_00, AT_10, KEY, PF, Request, START, TABLES, Trace, VF, page_address, region, request};
use golden::Violation;
use types::port::{FunctionCfg, WorkRequest};
use types::tlp::MemoryOp;
use types::{
    BusAddr, ByteCount, Event, FastPath, FunctionId, Iova, Key, Line, Mode, Op, Pd, Region, Rights, StreamId, Syndrome,
    Va, WrId,
};

const IMAGES: u64 = TABLES + 0x8000;
const MPT_ENTRIES: u32 = 64;
const READ: Rights = Rights { local_write: false, remote_read: true, remote_write: false, remote_atomic: false };

/// The usual region, set aside for work requests.
fn base() -> Region {
    Region { fast: FastPath { allowed: true, ..FastPath::default() }, ..region(Mode::Emtt) }
}

/// A trace in which work requests may register, with `region` under the usual key.
fn trace(region: &Region) -> Trace {
    let mut t = Trace::bare();
    let (mpt, images) = (Iova(TABLES), Iova(IMAGES));
    t.ok(Event::Registrations { mpt, entries: MPT_ENTRIES, images, count: 16 });
    t.map(region);
    t
}

fn bytes(line: &Line) -> Vec<u8> {
    line.0.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The write of the MPT line of key index `index`.
fn line(index: u64, region: &Region) -> Request {
    Request { requester: PF, ..Request::write(AT_00, TABLES + 64 * index, &bytes(&region.encode())) }
}

/// A registration by the first image.
fn register(id: u16, key: Key) -> WorkRequest {
    WorkRequest { key, va: Va(IMAGES), ..request(Op::FAST_REGISTER, id, 0, 0) }
}

/// The image is fetched.
fn image(t: &mut Trace, region: &Region) {
    t.sent(&Request::fetch(IMAGES, 0));
    t.complete_as(PF, 0, types::tlp::status::SC, 64, &bytes(&region.encode()), false);
}

/// A registration up to where its line leaves.
fn fetched(old: &Region, new: &Region) -> Trace {
    let mut t = trace(old);
    t.accept(register(1, Key::new(1, new.variant)));
    image(&mut t, new);
    t
}

#[test]
fn exactly_the_line_of_the_image_may_be_written() {
    let new = Region { rights: READ, ..base() };
    let mut t = fetched(&base(), &new);
    t.sent(&line(1, &new));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
    let wrong: [(&str, Request); 8] = [
        ("another line", line(1, &Region { rights: Rights::ALL, ..new })),
        ("another index", line(2, &new)),
        ("a virtual function", Request { requester: VF, ..line(1, &new) }),
        ("a PASID", Request { pasid: crate::trace::pasid(1), ..line(1, &new) }),
        ("half of it", Request { requester: PF, ..Request::write(AT_00, TABLES + 64, &[0; 32]) }),
        ("outside the MPT", line(u64::from(MPT_ENTRIES), &new)),
        ("translated", Request { at: AT_10, ..line(1, &new) }),
        ("relaxed", {
            let mut r = line(1, &new);
            r.attributes.id_order = true;
            r
        }),
    ];
    for (what, request) in wrong {
        assert!(fetched(&base(), &new).out(&request).is_err(), "{what}");
    }
    // Once, and not before the image has come.
    let mut t = fetched(&base(), &new);
    t.sent(&line(1, &new));
    assert!(matches!(t.out(&line(1, &new)), Err(Violation::TableWrite { .. })));
    let mut t = trace(&base());
    t.accept(register(1, KEY));
    assert!(matches!(t.out(&line(1, &new)), Err(Violation::TableWrite { .. })));
}

#[test]
fn without_memory_for_images_no_line_may_be_written() {
    let mut t = Trace::bare();
    t.map(&base());
    t.accept(register(1, KEY));
    assert!(t.out(&line(1, &base())).is_err());
    let mut t = Trace::bare();
    t.map(&Region { rights: Rights::ALL, ..base() });
    t.accept(WorkRequest { va: Va(START), ..register(1, KEY) });
    assert_eq!(t.done(1, Syndrome::UNSUPPORTED_OP), Ok(()));
}

/// How a registration may end that is not legal.
fn refused(old: &Region, new: &Region, wr: WorkRequest, expected: Syndrome) {
    let start = || {
        let mut t = trace(old);
        t.accept(wr);
        if (IMAGES..IMAGES + 16 * 64).contains(&wr.va.0) && wr.va.0.is_multiple_of(64) && wr.key.index() < MPT_ENTRIES {
            image(&mut t, new);
        }
        t
    };
    assert_eq!(start().done(1, expected), Ok(()), "{expected}");
    assert!(start().done(1, Syndrome::OK).is_err(), "{expected}");
    let other = if expected == Syndrome::BAD_IMAGE { Syndrome::KEY_STATE } else { Syndrome::BAD_IMAGE };
    assert!(start().done(1, other).is_err(), "{expected}");
    assert!(start().out(&line(1, new)).is_err(), "{expected}");
}

#[test]
fn each_refusal_has_its_syndrome() {
    let (b, wr) = (base(), register(1, KEY));
    let fast = |fast: FastPath| Region { fast, ..b };
    let bad = Syndrome::BAD_IMAGE;
    refused(&b, &Region { valid: false, ..b }, wr, bad);
    refused(&b, &Region { variant: 8, ..b }, wr, bad);
    refused(&b, &Region { coherent: true, ..b }, wr, bad);
    refused(&b, &Region { length: ByteCount(0), ..b }, wr, bad);
    refused(&b, &Region { start: Va(u64::MAX), length: ByteCount(2), ..b }, wr, bad);
    refused(&b, &Region { mtt: Iova(TABLES + 0x1004), ..b }, wr, bad);
    refused(&b, &fast(FastPath { allowed: false, ..b.fast }), wr, bad);
    refused(&b, &fast(FastPath { window: true, ..b.fast }), wr, bad);
    refused(&b, &fast(FastPath { bind: true, ..b.fast }), wr, bad);
    refused(&b, &b, WorkRequest { va: Va(IMAGES + 16 * 64), ..wr }, bad);
    refused(&b, &b, WorkRequest { va: Va(IMAGES + 4), ..wr }, bad);
    refused(&b, &b, WorkRequest { key: Key::new(MPT_ENTRIES, 7), ..wr }, Syndrome::INVALID_KEY);
    refused(&fast(FastPath::default()), &b, wr, Syndrome::KEY_STATE);
    refused(&fast(FastPath { window: true, ..b.fast }), &b, wr, Syndrome::KEY_STATE);
    refused(&Region { pd: Pd(6), ..b }, &b, wr, Syndrome::PD);
    refused(&b, &Region { pd: Pd(6), ..b }, wr, Syndrome::PD);
    refused(&Region { function: FunctionId(0), ..b }, &b, wr, Syndrome::FUNCTION);
}

#[test]
fn a_fetch_that_failed_or_a_function_that_is_off_is_a_cause_and_nothing_else_is() {
    let mut t = trace(&base());
    t.accept(register(1, KEY));
    t.sent(&Request::fetch(IMAGES, 0));
    t.complete_as(PF, 0, types::tlp::status::UR, 4, &[], false);
    assert_eq!(t.done(1, Syndrome::TABLE_FETCH), Ok(()));
    assert!(fetched(&base(), &base()).done(1, Syndrome::TABLE_FETCH).is_err());
    let mut t = fetched(&base(), &base());
    t.ok(Event::Configured(&FunctionCfg { bus_master: false, ..crate::trace::function(1) }));
    assert_eq!(t.done(1, Syndrome::BUS_MASTER_OFF), Ok(()));
    assert!(fetched(&base(), &base()).done(1, Syndrome::BUS_MASTER_OFF).is_err());
}

/// A read of the usual key's first bytes as it leaves, from stream 1.
fn read(tag: u16) -> Request {
    Request::read(AT_00, page_address(0), 4, tag)
}

#[test]
fn what_is_behind_a_registration_goes_by_its_line() {
    let (old, new) =
        (Region { rights: READ, ..base() }, Region { rights: Rights { remote_read: false, ..READ }, ..base() });
    // The read behind it may not leave: by the new line it is refused.
    let start = || {
        let mut t = fetched(&old, &new);
        t.read(2, 0, 4);
        t
    };
    let mut t = start();
    t.sent(&line(1, &new));
    assert!(t.out(&read(1)).is_err());
    let mut t = start();
    t.sent(&line(1, &new));
    assert_eq!(t.done(2, Syndrome::RIGHTS), Ok(()));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.finish();
    // If it leaves before the line, the registration has to fail.
    let mut t = start();
    t.sent(&read(1));
    assert!(matches!(t.out(&line(1, &new)), Err(Violation::RegistrationOrder { .. })));
    // Of another stream it may leave until the report, and not after.
    let other = WorkRequest { stream: StreamId(2), ..request(Op::READ, 2, 0, 4) };
    for reported in [false, true] {
        let mut t = fetched(&old, &new);
        t.accept(other);
        t.sent(&line(1, &new));
        if reported {
            assert_eq!(t.done(1, Syndrome::OK), Ok(()));
        }
        assert_eq!(t.out(&read(1)).is_ok(), !reported, "{reported}");
    }
}

#[test]
fn what_is_before_a_registration_goes_by_the_line_it_replaces() {
    let (old, new) =
        (Region { rights: READ, ..base() }, Region { rights: Rights { remote_read: false, ..READ }, ..base() });
    let start = || {
        let mut t = trace(&old);
        t.read(2, 0, 4);
        t.accept(register(1, KEY));
        image(&mut t, &new);
        t.sent(&line(1, &new));
        t
    };
    // It may still leave, by the old line; it may not be refused by the new one.
    let mut t = start();
    t.sent(&read(1));
    t.complete(1, 4, &[1, 2, 3, 4]);
    assert_eq!(t.deliver(2, 0, &[1, 2, 3, 4]), Ok(()));
    assert_eq!(t.done(2, Syndrome::OK), Ok(()));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    assert!(start().done(2, Syndrome::RIGHTS).is_err());
}

#[test]
fn an_invalidation_ends_what_the_key_allowed() {
    let wr = |op| request(op, 1, 0, 0);
    let gone = Region { valid: false, ..base() };
    let mut t = trace(&base());
    t.accept(wr(Op::LOCAL_INVALIDATE));
    assert!(matches!(t.done(1, Syndrome::OK), Err(Violation::DoneEarly { .. })));
    let mut t = trace(&base());
    t.accept(wr(Op::LOCAL_INVALIDATE));
    t.sent(&line(1, &gone));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    t.read(2, 0, 4);
    assert!(t.out(&read(1)).is_err());
    // A remote peer needs the line's permission.
    let mut t = trace(&base());
    t.accept(wr(Op::REMOTE_INVALIDATE));
    assert!(t.out(&line(1, &gone)).is_err());
    let mut t = trace(&base());
    t.accept(wr(Op::REMOTE_INVALIDATE));
    assert_eq!(t.done(1, Syndrome::RIGHTS), Ok(()));
    for (region, change, expected) in [
        (gone, wr(Op::LOCAL_INVALIDATE), Syndrome::INVALID_KEY),
        (base(), WorkRequest { key: Key::new(1, 8), ..wr(Op::LOCAL_INVALIDATE) }, Syndrome::KEY_VARIANT),
        (base(), WorkRequest { pd: Pd(6), ..wr(Op::LOCAL_INVALIDATE) }, Syndrome::PD),
        (base(), WorkRequest { function: FunctionId(0), ..wr(Op::LOCAL_INVALIDATE) }, Syndrome::FUNCTION),
        (Region { fast: FastPath::default(), ..base() }, wr(Op::LOCAL_INVALIDATE), Syndrome::KEY_STATE),
    ] {
        let mut t = trace(&region);
        t.accept(change);
        assert_eq!(t.done(1, expected), Ok(()), "{expected}");
    }
}

#[test]
fn the_report_for_gpu_memory_follows_the_flush() {
    let flush = 0x70_0000_0000;
    let fast = FastPath { flush: Some(BusAddr(flush)), ..base().fast };
    let old = Region { fast, ..base() };
    let start = || {
        let mut t = trace(&old);
        t.accept(request(Op::LOCAL_INVALIDATE, 1, 0, 0));
        t.sent(&line(1, &Region { valid: false, ..old }));
        t
    };
    assert!(matches!(start().done(1, Syndrome::OK), Err(Violation::RevocationUnflushed { .. })));
    let mut t = start();
    let read = Request { first_be: 0, op: MemoryOp::Read, ..Request::read(AT_10, flush, 4, 9) };
    t.sent(&read);
    assert!(t.done(1, Syndrome::OK).is_err());
    let mut t = start();
    t.sent(&read);
    t.complete(9, 1, &[0; 4]);
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
}

#[test]
fn a_window_is_a_part_of_its_parent() {
    let fast = FastPath { bind: true, ..FastPath::default() };
    let parent = Region { fast, ..region(Mode::Emtt) };
    let free = FastPath { allowed: true, window: true, ..FastPath::default() };
    let window = Key::new(2, 3);
    let asked = Region {
        valid: true,
        variant: 3,
        pd: Pd(5),
        function: FunctionId(1),
        start: Va(START + 0x1800),
        length: ByteCount(0x1000),
        rights: READ,
        fast: FastPath { parent: KEY, ..free },
        ..Region::default()
    };
    // From the second page of the parent on.
    let bound = Region { mtt: Iova(parent.mtt.0 + 8), mode: Mode::Emtt, ..asked };
    let old = Region { pd: Pd(5), function: FunctionId(1), fast: free, ..Region::default() };
    let start = |asked: &Region| {
        let mut t = trace(&parent);
        t.ok(Event::Mapped { key: Key::new(2, 0), region: &old });
        t.accept(WorkRequest { key: window, va: Va(IMAGES), ..request(Op::BIND, 1, 0, 0) });
        image(&mut t, asked);
        t
    };
    let mut t = start(&asked);
    t.sent(&line(2, &bound));
    assert_eq!(t.done(1, Syndrome::OK), Ok(()));
    let through = |op, offset: u64, length| WorkRequest { key: window, ..request(op, 2, offset, length) };
    t.accept(through(Op::READ, 0x1800, 4));
    t.sent(&Request::read(AT_00, page_address(1) + 0x800, 4, 1));
    // As asked, without what is the parent's, it may not be written.
    assert!(start(&asked).out(&line(2, &asked)).is_err());
    for (wrong, expected) in [
        (Region { length: ByteCount(0x2801), ..asked }, Syndrome::BOUNDS),
        (Region { start: Va(START - 1), ..asked }, Syndrome::BOUNDS),
        (Region { rights: Rights { local_write: true, ..READ }, ..asked }, Syndrome::RIGHTS),
        (Region { fast: FastPath { parent: Key::new(1, 8), ..asked.fast }, ..asked }, Syndrome::BIND_PARENT),
        (Region { fast: FastPath { parent: Key::new(9, 8), ..asked.fast }, ..asked }, Syndrome::BIND_PARENT),
        (Region { fast: FastPath { window: false, ..asked.fast }, ..asked }, Syndrome::BAD_IMAGE),
        (Region { coherent: true, ..asked }, Syndrome::BAD_IMAGE),
    ] {
        assert_eq!(start(&wrong).done(1, expected), Ok(()), "{expected}");
        assert!(start(&wrong).done(1, Syndrome::OK).is_err(), "{expected}");
    }
    let whole = Region { length: ByteCount(0x2800), ..asked };
    start(&whole).sent(&line(2, &Region { length: ByteCount(0x2800), ..bound }));
}

#[test]
fn a_line_may_be_that_of_either_of_two_registrations() {
    let new = Region { rights: READ, ..base() };
    let second = WorkRequest { stream: StreamId(2), id: WrId(2), ..register(2, KEY) };
    let mut t = trace(&base());
    t.accept(register(1, KEY));
    t.accept(second);
    image(&mut t, &new);
    t.sent(&line(1, &new));
    // It was the second one's.
    assert_eq!(t.observe(Event::MessageDone { stream: StreamId(2), id: WrId(2), syndrome: Syndrome::OK }), Ok(()));
    assert!(t.done(1, Syndrome::OK).is_err());
}

#[test]
fn reports_of_a_stream_come_in_order_and_pass_those_of_accesses() {
    let new = Region { rights: READ, ..base() };
    let mut t = fetched(&base(), &new);
    t.accept(request(Op::LOCAL_INVALIDATE, 2, 0, 0));
    t.read(3, 0, 4);
    t.sent(&line(1, &new));
    t.sent(&line(1, &Region { valid: false, ..new }));
    assert_eq!(t.done(3, Syndrome::INVALID_KEY), Ok(()));
    assert!(matches!(t.done(2, Syndrome::OK), Err(Violation::DoneOrder { .. })));
}
