//! Registration by work requests at the pins of the unit: what is written, what is refused, and when it counts.

use crate::bench::{Bench, MPT, MTT, SHIFT, request};
use crate::requests::region;
use types::port::WorkRequest;
use types::tlp::{Body, MemoryOp};
use types::{
    AddressType, BusAddr, ByteCount, FastPath, FunctionId, Iova, Key, Mode, Op, Pd, Region, Rights, Syndrome, TlpAddr,
    Va,
};

/// Where the images stand.
pub(crate) const IMAGES: u64 = MPT + 0x8000;
pub(crate) const NOTHING: Rights =
    Rights { local_write: false, remote_read: false, remote_write: false, remote_atomic: false };
pub(crate) const READ: Rights = Rights { remote_read: true, ..NOTHING };

/// A region of key 3 that is set aside for work requests, as registered at first.
pub(crate) fn base() -> Region {
    Region { fast: FastPath { allowed: true, ..FastPath::default() }, ..region() }
}

/// A unit with room for 16 images and `region` under key 3.
pub(crate) fn bench(mode: Mode, region: &Region) -> Bench {
    let mut b = Bench::new("small", mode);
    for (at, value) in [(0x70, IMAGES as u32), (0x74, (IMAGES >> 32) as u32), (0x78, 16)] {
        b.write_register(at, value);
    }
    put(&mut b, MPT + 3 * 64, region);
    b
}

/// Puts a line in memory.
pub(crate) fn put(b: &mut Bench, at: u64, region: &Region) {
    b.memory.extend((0..8).map(|n| (at + 8 * n as u64, region.encode().0[n])));
}

/// A request that registers key 3 with variant `variant` by image `image`, which is put in memory.
pub(crate) fn register(b: &mut Bench, id: u16, stream: u16, image: u64, region: &Region) -> WorkRequest {
    put(b, IMAGES + 64 * image, region);
    let key = Key::new(3, region.variant);
    WorkRequest { key, ..request(id, stream, Op::FAST_REGISTER, IMAGES + 64 * image, 0) }
}

pub(crate) fn invalidate(id: u16, stream: u16) -> WorkRequest {
    request(id, stream, Op::LOCAL_INVALIDATE, 0, 0)
}

pub(crate) fn outcome(b: &Bench, id: u16) -> Option<u8> {
    b.done.iter().find(|d| d.1 == id).map(|d| d.2)
}

pub(crate) fn at(b: &Bench, id: u16) -> u64 {
    b.done.iter().find(|d| d.1 == id).unwrap().0
}

#[test]
fn a_key_that_was_set_aside_is_registered_and_used_by_the_next_request_of_the_stream() {
    for (mode, ..) in crate::MODES {
        let mut b = bench(mode, &Region { valid: false, ..base() });
        let image = Region { variant: 9, ..base() };
        let wr = register(&mut b, 1, 0, 3, &image);
        b.send(wr);
        b.send(WorkRequest { key: Key::new(3, 9), ..request(2, 0, Op::READ, 0x40, 64) });
        b.idle(1500);
        assert_eq!((outcome(&b, 1), outcome(&b, 2)), (Some(0), Some(0)), "{mode}");
        // One write, of exactly the image.
        assert_eq!(b.script.lines, [(MPT + 3 * 64, image.encode().0)], "{mode}");
    }
}

#[test]
fn with_no_memory_for_images_nothing_is_registered() {
    let mut b = Bench::new("small", Mode::Emtt);
    put(&mut b, MPT + 3 * 64, &base());
    let wr = register(&mut b, 1, 0, 0, &base());
    b.send(WorkRequest { va: Va(0), ..wr });
    b.send(invalidate(2, 0));
    b.idle(800);
    assert_eq!((outcome(&b, 1), outcome(&b, 2)), (Some(19), Some(19)));
    assert!(b.script.lines.is_empty());
}

/// What a request is refused with, for an image and a line under the key.
fn refused(old: &Region, image: &Region, change: impl Fn(&mut WorkRequest)) -> Syndrome {
    let mut b = bench(Mode::Emtt, old);
    let mut wr = register(&mut b, 1, 0, 0, image);
    change(&mut wr);
    b.send(wr);
    b.idle(1500);
    let outcome = outcome(&b, 1).unwrap();
    assert_eq!(b.script.lines.len(), usize::from(outcome == 0));
    Syndrome(outcome)
}

#[test]
fn an_image_that_is_not_right_is_refused_and_the_table_stays() {
    let base = base();
    let fast = |fast: FastPath| Region { fast, ..base };
    let none = |_: &mut WorkRequest| ();
    let bad = [
        Region { valid: false, ..base },
        Region { length: ByteCount(0), ..base },
        Region { start: Va(u64::MAX - 0xfff), length: ByteCount(0x1001), ..base },
        Region { mtt: Iova(MTT + 4), ..base },
        fast(FastPath { window: true, ..base.fast }),
        fast(FastPath { allowed: false, ..base.fast }),
        fast(FastPath { bind: true, ..base.fast }),
        fast(FastPath { parent: Key(1), ..base.fast }),
    ];
    for image in bad {
        assert_eq!(refused(&base, &image, none), Syndrome::BAD_IMAGE, "{image:?}");
    }
    // The key's variant is that of the image.
    assert_eq!(refused(&base, &base, |wr| wr.key = Key::new(3, 8)), Syndrome::BAD_IMAGE);
    // Images stand in their memory, at multiples of 64 bytes.
    for va in [IMAGES - 64, IMAGES + 16 * 64, IMAGES + 8, 0] {
        assert_eq!(refused(&base, &base, |wr| wr.va = Va(va)), Syndrome::BAD_IMAGE, "{va:#x}");
    }
    assert_eq!(refused(&base, &base, |wr| wr.key = Key::new(16, 7)), Syndrome::INVALID_KEY);
    assert_eq!(refused(&fast(FastPath { allowed: false, ..base.fast }), &base, none), Syndrome::KEY_STATE);
    assert_eq!(refused(&fast(FastPath { window: true, ..base.fast }), &base, none), Syndrome::KEY_STATE);
    assert_eq!(refused(&Region { pd: Pd(6), ..base }, &base, none), Syndrome::PD);
    assert_eq!(refused(&base, &Region { pd: Pd(6), ..base }, none), Syndrome::PD);
    assert_eq!(refused(&Region { function: FunctionId(1), ..base }, &base, none), Syndrome::FUNCTION);
    assert_eq!(refused(&base, &Region { function: FunctionId(1), ..base }, none), Syndrome::FUNCTION);
    // Up to the end of the address space is right.
    let top = Region { start: Va(u64::MAX - 0xfff), length: ByteCount(0x1000), ..base };
    assert_eq!(refused(&base, &top, none), Syndrome::OK);
}

#[test]
fn reserved_bits_of_an_image_are_refused() {
    // Word and bit: layout, coherent, of the PASID's word, of the parent's, of the last.
    for (word, bit) in [(0, 58), (0, 59), (0, 60), (1, 23), (1, 37), (5, 32), (6, 1), (7, 0)] {
        let mut b = bench(Mode::Emtt, &base());
        let wr = register(&mut b, 1, 0, 0, &base());
        *b.memory.get_mut(&(IMAGES + 8 * word)).unwrap() |= 1 << bit;
        b.send(wr);
        b.idle(1500);
        assert_eq!((outcome(&b, 1), b.script.lines.len()), (Some(Syndrome::BAD_IMAGE.0), 0), "{word} {bit}");
    }
}

#[test]
fn an_image_that_does_not_come_is_a_failed_fetch() {
    use crate::script::{Fault, Kind};
    for fault in [Fault::Status(1), Fault::Status(4), Fault::Poison] {
        let mut b = bench(Mode::Emtt, &base());
        b.script.fault = Some((Kind::Table, Some(IMAGES), fault));
        let wr = register(&mut b, 1, 0, 0, &Region { rights: READ, ..base() });
        b.send(wr);
        b.send(request(2, 0, Op::WRITE, 0, 64));
        b.idle(1500);
        // 11: the fetch failed; the table stays, and the stream goes on by it.
        assert_eq!((outcome(&b, 1), outcome(&b, 2), b.script.lines.len()), (Some(11), Some(0), 0), "{fault:?}");
    }
}

/// A region under key 4 that windows may be bound to, and a window under key 5.
fn windows(parent: &Region, window: &Region) -> Bench {
    let mut b = bench(Mode::Emtt, &base());
    put(&mut b, MPT + 4 * 64, parent);
    put(&mut b, MPT + 5 * 64, window);
    b
}

fn parent() -> Region {
    let flush = Some(BusAddr(SHIFT));
    Region { variant: 1, start: Va(0x10_0800), fast: FastPath { bind: true, flush, ..FastPath::default() }, ..base() }
}

fn free_window() -> Region {
    let fast = FastPath { allowed: true, window: true, ..FastPath::default() };
    Region { pd: Pd(5), fast, ..Region::default() }
}

/// Bytes 0x1800 to 0x2800 of the parent.
fn window() -> Region {
    let fast = FastPath { parent: Key::new(4, 1), ..free_window().fast };
    Region {
        valid: true,
        variant: 2,
        pd: Pd(5),
        start: Va(0x10_2000),
        length: ByteCount(0x1000),
        rights: READ,
        fast,
        ..Region::default()
    }
}

fn bind(b: &mut Bench, image: &Region) -> WorkRequest {
    put(b, IMAGES, image);
    WorkRequest { key: Key::new(5, image.variant), ..request(1, 0, Op::BIND, IMAGES, 0) }
}

#[test]
fn a_window_takes_pages_mode_and_flush_of_its_parent() {
    let mut b = windows(&parent(), &free_window());
    let wr = bind(&mut b, &window());
    b.send(wr);
    let through = |id, op, va| WorkRequest { key: Key::new(5, 2), ..request(id, 0, op, va, 64) };
    b.send(through(2, Op::READ, 0x10_2040));
    b.send(through(3, Op::READ, 0x10_1fff));
    b.send(through(4, Op::WRITE, 0x10_2040));
    b.idle(2500);
    // 5: outside the window; 6: not granted.
    assert_eq!([1, 2, 3, 4].map(|id| outcome(&b, id)), [Some(0), Some(0), Some(5), Some(6)]);
    // Page 2 of the parent, whose first page holds 0x10_0800.
    let (_, tlp) = b.tlps[0];
    let Body::Memory { op, at, address, .. } = tlp.body else { panic!("{tlp:?}") };
    assert_eq!((op, at, address), (MemoryOp::Read, AddressType::TRANSLATED, TlpAddr(0x4000_0000 + (2 << 12) + 0x40)));
    let fast = FastPath { flush: Some(BusAddr(SHIFT)), ..window().fast };
    let written = Region { mtt: Iova(MTT + 16), fast, ..window() };
    assert_eq!(b.script.lines, [(MPT + 5 * 64, written.encode().0)]);
}

#[test]
fn a_window_stays_inside_what_its_parent_allows() {
    let (p, w) = (parent(), window());
    let bound = |parent: &Region, old: &Region, image: &Region| {
        let mut b = windows(parent, old);
        let wr = bind(&mut b, image);
        b.send(wr);
        b.idle(2500);
        let outcome = outcome(&b, 1).unwrap();
        assert_eq!(b.script.lines.len(), usize::from(outcome == 0));
        Syndrome(outcome)
    };
    let free = free_window();
    let of_parent = |key: Key| Region { fast: FastPath { parent: key, ..w.fast }, ..w };
    assert_eq!(bound(&p, &free, &w), Syndrome::OK);
    for (start, length, expected) in [
        (0x10_0800, 64 << 12, Syndrome::OK),
        (0x10_07ff, 16, Syndrome::BOUNDS),
        (0x14_07ff, 1, Syndrome::OK),
        (0x14_07ff, 2, Syndrome::BOUNDS),
        (0x10_0801, 64 << 12, Syndrome::BOUNDS),
        (0, u64::MAX, Syndrome::BOUNDS),
    ] {
        let image = Region { start: Va(start), length: ByteCount(length), ..w };
        assert_eq!(bound(&p, &free, &image), expected, "{start:#x} {length:#x}");
    }
    assert_eq!(bound(&Region { rights: READ, ..p }, &free, &Region { rights: Rights::ALL, ..w }), Syndrome::RIGHTS);
    for wrong in [
        Region { valid: false, ..p },
        Region { pd: Pd(6), ..p },
        Region { function: FunctionId(1), ..p },
        Region { fast: FastPath::default(), ..p },
        Region { fast: FastPath { window: true, allowed: true, ..p.fast }, ..p },
    ] {
        assert_eq!(bound(&wrong, &free, &w), Syndrome::BIND_PARENT, "{wrong:?}");
    }
    assert_eq!(bound(&p, &free, &of_parent(Key::new(4, 2))), Syndrome::BIND_PARENT);
    assert_eq!(bound(&p, &free, &of_parent(Key::new(900, 1))), Syndrome::BIND_PARENT);
    // Bound already; a region; the driver's own.
    assert_eq!(bound(&p, &w, &w), Syndrome::KEY_STATE);
    assert_eq!(bound(&p, &Region { valid: false, ..base() }, &w), Syndrome::KEY_STATE);
    assert_eq!(bound(&p, &Region { fast: FastPath::default(), ..free }, &w), Syndrome::KEY_STATE);
    assert_eq!(bound(&p, &Region { pd: Pd(1), ..free }, &w), Syndrome::PD);
}

#[test]
fn an_invalidated_key_is_dead_for_what_stands_behind_it() {
    let remote = FastPath { remote_invalidate: true, ..base().fast };
    for op in [Op::LOCAL_INVALIDATE, Op::REMOTE_INVALIDATE] {
        let mut b = bench(Mode::Emtt, &Region { fast: remote, ..base() });
        b.send(request(1, 0, Op::READ, 0, 64));
        b.send(request(2, 0, op, 0, 0));
        b.send(request(3, 0, Op::READ, 0, 64));
        // Twice: it is not valid any more.
        b.send(request(4, 0, op, 0, 0));
        b.idle(3000);
        assert_eq!([1, 2, 3, 4].map(|id| outcome(&b, id)), [Some(0), Some(0), Some(1), Some(1)], "{op:?}");
        assert_eq!(b.script.lines, [(MPT + 3 * 64, Region { valid: false, fast: remote, ..base() }.encode().0)]);
    }
}

#[test]
fn an_invalidation_is_refused_by_key_variant_domain_function_state_and_right() {
    let ended = |region: &Region, op, change: &dyn Fn(&mut WorkRequest)| {
        let mut b = bench(Mode::Emtt, region);
        let mut wr = request(1, 0, op, 0, 0);
        change(&mut wr);
        b.send(wr);
        b.send(request(2, 0, Op::READ, 0, 64));
        b.idle(1500);
        assert!(b.script.lines.is_empty());
        Syndrome(outcome(&b, 1).unwrap())
    };
    let (base, none) = (base(), &|_: &mut WorkRequest| ());
    let local = Op::LOCAL_INVALIDATE;
    assert_eq!(ended(&base, local, &|wr| wr.key = Key::new(16, 7)), Syndrome::INVALID_KEY);
    assert_eq!(ended(&Region { valid: false, ..base }, local, none), Syndrome::INVALID_KEY);
    assert_eq!(ended(&base, local, &|wr| wr.key = Key::new(3, 6)), Syndrome::KEY_VARIANT);
    assert_eq!(ended(&base, local, &|wr| wr.pd = Pd(4)), Syndrome::PD);
    assert_eq!(ended(&Region { function: FunctionId(1), ..base }, local, none), Syndrome::FUNCTION);
    assert_eq!(ended(&Region { fast: FastPath::default(), ..base }, local, none), Syndrome::KEY_STATE);
    assert_eq!(ended(&base, Op::REMOTE_INVALIDATE, none), Syndrome::RIGHTS);
}

#[test]
fn a_grant_does_not_wait_and_what_is_taken_away_does() {
    for (rights, waits) in [(Rights::ALL, false), (NOTHING, true)] {
        let mut b = bench(Mode::Emtt, &Region { rights: READ, ..base() });
        b.send(request(0, 0, Op::READ, 0, 8));
        b.idle(800);
        b.hold_completions = true;
        b.send(request(1, 1, Op::READ, 0, 64));
        b.idle(100);
        let wr = register(&mut b, 2, 0, 0, &Region { rights, ..base() });
        b.send(wr);
        b.idle(1200);
        assert_eq!(outcome(&b, 2), (!waits).then_some(0), "a read of another stream is in flight");
        b.let_completions_go();
        b.idle(600);
        assert_eq!((outcome(&b, 1), outcome(&b, 2)), (Some(0), Some(0)));
    }
}

#[test]
fn while_a_key_drains_its_stream_other_streams_and_other_keys_go_on() {
    let mut b = bench(Mode::Emtt, &base());
    put(&mut b, MPT + 6 * 64, &base());
    let other = |id, stream| WorkRequest { key: Key::new(6, 7), ..request(id, stream, Op::WRITE, 0, 64) };
    for (n, wr) in [request(90, 0, Op::READ, 0, 8), other(91, 0)].into_iter().enumerate() {
        b.send(wr);
        b.idle(800);
        assert_eq!(b.done.len(), n + 1);
    }
    b.hold_completions = true;
    b.send(request(1, 1, Op::READ, 0, 64));
    b.idle(100);
    b.hold_completions = false;
    b.send(invalidate(2, 0));
    b.idle(600);
    // The old key is dead for every stream, though its read is out and the invalidation is not reported.
    b.send(request(3, 0, Op::WRITE, 0, 64));
    b.send(other(4, 0));
    b.send(other(5, 2));
    b.send(request(6, 2, Op::WRITE, 0, 64));
    b.idle(1500);
    assert_eq!([2, 3, 4, 5, 6].map(|id| outcome(&b, id)), [None, Some(1), Some(0), Some(0), Some(1)]);
    b.let_completions_go();
    b.idle(600);
    assert_eq!((outcome(&b, 1), outcome(&b, 2)), (Some(0), Some(0)));
}

#[test]
fn an_invalidation_of_gpu_memory_is_reported_behind_its_flush_read() {
    let fast = FastPath { flush: Some(BusAddr(SHIFT + 0x8000)), ..base().fast };
    let mut b = bench(Mode::Emtt, &Region { fast, ..base() });
    b.send(request(1, 0, Op::WRITE, 0, 512));
    b.send(invalidate(2, 0));
    b.idle(1000);
    b.delay = 700;
    b.idle(2000);
    let (flushed, tlp) = *b.tlps.last().unwrap();
    let Body::Memory { op, at: kind, address, first_be, .. } = tlp.body else { panic!("{tlp:?}") };
    assert_eq!((op, kind, address), (MemoryOp::Read, AddressType::TRANSLATED, TlpAddr(SHIFT + 0x8000)));
    assert_eq!((tlp.length_dw, first_be), (1, 0));
    assert!(at(&b, 2) > flushed);
    assert_eq!((outcome(&b, 1), outcome(&b, 2)), (Some(0), Some(0)));
}
