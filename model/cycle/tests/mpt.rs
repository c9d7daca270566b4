//! `mpt`: one behaviour a test. A hit leaves 4 cycles after it was taken; a miss stalls its own stream only.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::mpt::Mpt;
use types::port::{
    Asked, CheckedRequest, FunctionCfg, LineFill, MptIn, MptOut, Retranslate, StreamNote, TableControl, WorkRequest,
};
use types::{
    Block, ByteCount, FunctionId, Iova, Key, Length, Mode, MttLayout, Op, PageSize, Pd, Region, Rights, StreamId,
    Syndrome, TableWord, UnitCfg, Va, WrId,
};

const BASE: u64 = 0x10_0000;

struct Bench {
    mpt: Mpt,
    out: MptOut,
    control: TableControl,
    cycle: u64,
    done: Vec<(u64, CheckedRequest)>,
    /// Fetches taken and not answered yet.
    fetches: std::collections::VecDeque<(u8, Iova)>,
    parity: u32,
}

impl Bench {
    fn new() -> Self {
        let cfg = UnitCfg::named("small").unwrap();
        let control = TableControl {
            enable: true,
            mode: Mode::Emtt,
            mpt_base: Iova(BASE),
            mpt_entries: 1000,
            ..TableControl::default()
        };
        let mut b = Self {
            mpt: Mpt::new(&cfg),
            out: MptOut::default(),
            control,
            cycle: 0,
            done: Vec::new(),
            fetches: Default::default(),
            parity: 0,
        };
        b.step(MptIn { reset: true, ..MptIn::default() });
        b.master(true);
        while !b.out.wr_ready {
            b.idle(1);
        }
        b
    }

    /// One edge; a checked request gives its room back at once.
    fn step(&mut self, inp: MptIn) {
        let room = StreamNote { valid: self.out.checked.valid, stream: self.out.checked.stream };
        if self.out.fetch.valid && inp.fetch_ready {
            self.fetches.push_back((self.out.fetch.index, self.out.fetch.address));
        }
        self.mpt.step(&MptIn { control: self.control, room, ..inp });
        self.mpt.outputs(&mut self.out);
        self.cycle += 1;
        self.parity += u32::from(self.out.stat_parity);
        if self.out.checked.valid {
            self.done.push((self.cycle, self.out.checked));
        }
    }

    fn idle(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.step(MptIn { fetch_ready: true, ..MptIn::default() }));
    }

    /// Bus mastering of the physical function.
    fn master(&mut self, bus_master: bool) {
        let cfg = FunctionCfg { valid: true, bus_master, ..FunctionCfg::default() };
        self.step(MptIn { cfg, fetch_ready: true, ..MptIn::default() });
    }

    /// Offers a request; returns the cycle in which it was taken.
    fn send(&mut self, wr: WorkRequest) -> u64 {
        assert!(self.out.wr_ready);
        let taken = self.cycle;
        self.step(MptIn { wr, fetch_ready: true, ..MptIn::default() });
        taken
    }

    fn fill(&mut self, index: u8, region: Option<&Region>) {
        self.fill_with(index, region, false);
    }

    fn fill_with(&mut self, index: u8, region: Option<&Region>, inject_parity: bool) {
        let fill =
            LineFill { valid: true, index, ok: region.is_some(), line: region.map(Region::encode).unwrap_or_default() };
        self.step(MptIn { fill, inject_parity, fetch_ready: true, ..MptIn::default() });
    }

    /// Brings the region of `key` into the cache by a first request, which is checked.
    fn warm(&mut self, wr: WorkRequest, region: &Region) {
        self.send(wr);
        self.idle(10);
        let (index, address) = self.fetches.pop_front().unwrap();
        assert_eq!(address, Iova(BASE + 64 * u64::from(wr.key.index())));
        self.fill(index, Some(region));
        self.idle(12);
        self.done.clear();
    }
}

fn region() -> Region {
    Region {
        valid: true,
        variant: 0x5a,
        pd: Pd(77),
        function: FunctionId(2),
        page_size: PageSize::K4,
        mode: Mode::Inherit,
        rights: Rights::ALL,
        start: Va(0x7000_0100),
        length: ByteCount(0x10_0000),
        mtt: Iova(0x20_0000),
        ..Region::default()
    }
}

fn request(id: u16, stream: u16) -> WorkRequest {
    WorkRequest {
        valid: true,
        id: WrId(id),
        function: FunctionId(2),
        stream: StreamId(stream),
        op: Op::WRITE,
        remote: true,
        key: Key::new(9, 0x5a),
        va: Va(0x7000_2345),
        length: Length(100),
        pd: Pd(77),
        ..WorkRequest::default()
    }
}

#[test]
fn hit_leaves_exactly_four_cycles_after_it_was_taken() {
    let mut b = Bench::new();
    b.warm(request(0, 0), &region());
    let taken = b.send(request(1, 3));
    b.idle(10);
    let [(at, checked)] = b.done[..] else { panic!("{:?}", b.done) };
    assert_eq!(at, taken + 4);
    // Page 2 of the region that starts in page 0x70000: its third entry.
    assert_eq!((checked.syndrome, checked.mode, checked.entry), (Syndrome::OK, Mode::Emtt, Iova(0x20_0010)));
}

#[test]
fn one_request_a_cycle_on_hits_of_one_stream_and_of_many() {
    for streams in [1, 8] {
        let mut b = Bench::new();
        b.warm(request(0, 0), &region());
        let first = b.cycle;
        for n in 0..100 {
            b.send(request(n, n % streams));
        }
        b.idle(10);
        let at: Vec<_> = b.done.iter().map(|(at, c)| (*at - first, c.id.0)).collect();
        assert_eq!(at, (0..100).map(|n| (u64::from(n) + 4, n)).collect::<Vec<_>>());
    }
}

#[test]
fn each_broken_rule_gives_its_own_syndrome() {
    let r = region();
    let ok = request(1, 0);
    let end = Va(r.start.0 + r.length.0);
    let no_write = Rights { remote_write: false, ..Rights::ALL };
    let cases = [
        (r, ok, Syndrome::OK),
        (r, WorkRequest { key: Key::new(1000, 0x5a), ..ok }, Syndrome::INVALID_KEY),
        (Region { valid: false, ..r }, ok, Syndrome::INVALID_KEY),
        (Region { variant: 1, ..r }, ok, Syndrome::KEY_VARIANT),
        (r, WorkRequest { pd: Pd(78), ..ok }, Syndrome::PD),
        (r, WorkRequest { function: FunctionId(1), ..ok }, Syndrome::FUNCTION),
        (r, WorkRequest { va: Va(r.start.0 - 1), ..ok }, Syndrome::BOUNDS),
        (r, WorkRequest { va: Va(end.0 - 100), ..ok }, Syndrome::OK),
        (r, WorkRequest { va: Va(end.0 - 99), ..ok }, Syndrome::BOUNDS),
        // Wraps past 2^64: the end would be 20 in 64 bits, inside this region that starts at 0.
        (
            Region { start: Va(0), length: ByteCount(u64::MAX), ..r },
            WorkRequest { va: Va(u64::MAX - 79), ..ok },
            Syndrome::BOUNDS,
        ),
        (Region { rights: no_write, ..r }, ok, Syndrome::RIGHTS),
        (Region { rights: no_write, ..r }, WorkRequest { remote: false, ..ok }, Syndrome::OK),
        (r, WorkRequest { op: Op(9), ..ok }, Syndrome::UNSUPPORTED_OP),
        // A read of no bytes leaves as a zero-length read of one place, which must be inside; a write of none goes nowhere.
        (r, WorkRequest { op: Op::READ, length: Length(0), va: Va(end.0 - 1), ..ok }, Syndrome::OK),
        (r, WorkRequest { op: Op::READ, length: Length(0), va: end, ..ok }, Syndrome::BOUNDS),
        (r, WorkRequest { length: Length(0), va: end, ..ok }, Syndrome::OK),
        // The first broken rule counts.
        (Region { variant: 1, pd: Pd(1), ..r }, WorkRequest { va: Va(0), ..ok }, Syndrome::KEY_VARIANT),
    ];
    for (i, (region, wr, expected)) in cases.into_iter().enumerate() {
        let mut b = Bench::new();
        let warm = WorkRequest { key: Key::new(9, 0), ..request(0, 1) };
        b.warm(warm, &region);
        b.send(wr);
        b.idle(10);
        assert_eq!(b.done.last().unwrap().1.syndrome, expected, "case {i}");
    }
}

/// An access of `dma` that is judged again is judged as a request for the rest of it, and carries what was asked.
#[test]
fn an_access_that_is_judged_again_is_judged_by_the_same_rules() {
    let r = region();
    let ok = Retranslate {
        valid: true,
        function: FunctionId(2),
        op: Op::WRITE,
        asked: Asked { key: Key::new(9, 0x5a), pd: Pd(77), remote: true, ..Asked::default() },
        va: Va(0x7000_2345),
        length: Length(100),
        ..Retranslate::default()
    };
    let asked = |asked: Asked| Retranslate { asked, ..ok };
    let no_write = Region { rights: Rights { remote_write: false, ..Rights::ALL }, ..r };
    let no_read = Region { rights: Rights { remote_read: false, ..Rights::ALL }, ..r };
    let cases = [
        (r, ok, Syndrome::OK),
        (r, Retranslate { engine: true, on_fault: true, op: Op::READ, ..ok }, Syndrome::OK),
        (r, asked(Asked { key: Key::new(9, 0x5b), ..ok.asked }), Syndrome::KEY_VARIANT),
        (r, asked(Asked { pd: Pd(78), ..ok.asked }), Syndrome::PD),
        (r, Retranslate { function: FunctionId(1), ..ok }, Syndrome::FUNCTION),
        (r, Retranslate { va: Va(r.start.0 - 1), ..ok }, Syndrome::BOUNDS),
        (r, Retranslate { length: Length(0x10_0000), ..ok }, Syndrome::BOUNDS),
        (no_write, ok, Syndrome::RIGHTS),
        (no_write, Retranslate { op: Op::READ, ..ok }, Syndrome::OK),
        (no_read, Retranslate { op: Op::READ, ..ok }, Syndrome::RIGHTS),
        (no_write, asked(Asked { remote: false, ..ok.asked }), Syndrome::OK),
    ];
    for (i, (region, access, expected)) in cases.into_iter().enumerate() {
        let mut b = Bench::new();
        b.warm(WorkRequest { key: Key::new(9, 0), ..request(0, 1) }, &region);
        b.step(MptIn { retranslate: access, fetch_ready: true, ..MptIn::default() });
        b.idle(10);
        let [(_, checked)] = b.done[..] else { panic!("case {i}: {:?}", b.done) };
        assert_eq!(checked.syndrome, expected, "case {i}");
        // The engines have the streams behind those of requests.
        let stream = UnitCfg::named("small").unwrap().streams + u32::from(access.engine);
        assert_eq!(u32::from(checked.stream.0), stream, "case {i}");
        let seen = (checked.function, checked.op, checked.on_fault, checked.asked, checked.va);
        assert_eq!(seen, (access.function, access.op, access.on_fault, access.asked, access.va), "case {i}");
        assert_eq!(checked.length, if expected.is_ok() { access.length } else { Length(0) }, "case {i}");
    }
}

#[test]
fn other_streams_pass_a_stream_that_misses() {
    let mut b = Bench::new();
    b.warm(request(0, 0), &region());
    b.send(WorkRequest { key: Key::new(10, 0x5a), ..request(1, 0) });
    b.send(request(2, 0));
    let taken = b.send(request(3, 1));
    b.idle(40);
    // Stream 0 waits for its fetch, request 2 behind request 1; stream 1 is not delayed at all.
    assert_eq!(b.done.iter().map(|(at, c)| (*at, c.id.0)).collect::<Vec<_>>(), [(taken + 4, 3)]);
}

#[test]
fn order_in_a_stream_survives_misses() {
    let mut b = Bench::new();
    for n in 0..6u16 {
        b.send(WorkRequest { key: Key::new(10 + u32::from(n % 3), 0x5a), ..request(n, 0) });
    }
    for _ in 0..3 {
        b.idle(20);
        let (index, _) = b.fetches.pop_front().unwrap();
        b.fill(index, Some(&region()));
    }
    b.idle(20);
    assert_eq!(
        b.done.iter().map(|(_, c)| (c.id.0, c.syndrome)).collect::<Vec<_>>(),
        (0..6).map(|n| (n, Syndrome::OK)).collect::<Vec<_>>()
    );
}

#[test]
fn a_failed_fetch_ends_the_request_that_waited_and_caches_nothing() {
    let mut b = Bench::new();
    b.send(request(1, 0));
    b.send(request(2, 0));
    for ok in [false, true] {
        b.idle(20);
        let (index, _) = b.fetches.pop_front().unwrap();
        b.fill(index, ok.then_some(&region()));
    }
    b.idle(20);
    let seen: Vec<_> = b.done.iter().map(|(_, c)| (c.id.0, c.syndrome)).collect();
    assert_eq!(seen, [(1, Syndrome::TABLE_FETCH), (2, Syndrome::OK)]);
}

/// The physical function fetches for every function.
#[test]
fn without_bus_mastering_of_the_physical_function_no_line_is_fetched() {
    let own = |id, stream| WorkRequest { function: FunctionId(0), key: Key::new(11, 0x5a), ..request(id, stream) };
    let mut b = Bench::new();
    b.warm(request(1, 0), &region());
    b.master(false);
    // Its line is cached; another's is not, and one of the physical function itself.
    b.send(request(2, 0));
    b.send(WorkRequest { key: Key::new(10, 0x5a), ..request(3, 1) });
    b.send(own(4, 2));
    b.idle(20);
    let outcomes = |b: &Bench| b.done.iter().map(|(_, c)| (c.id.0, c.syndrome)).collect::<Vec<_>>();
    assert_eq!(outcomes(&b), [(2, Syndrome::OK), (3, Syndrome::TABLE_FETCH), (4, Syndrome::BUS_MASTER_OFF)]);
    assert!(b.fetches.is_empty());
    b.master(true);
    b.send(own(5, 2));
    b.idle(20);
    assert_eq!(b.fetches.len(), 1);
}

#[test]
fn a_fetch_that_has_not_been_offered_fails_when_it_goes_off() {
    let mut b = Bench::new();
    let wait = |b: &mut Bench| (0..20).for_each(|_| b.step(MptIn::default()));
    // Nothing is taken: the first fetch stands at the output, the second behind it.
    for (id, index) in [(1, 9), (2, 10)] {
        b.step(MptIn { wr: WorkRequest { key: Key::new(index, 0x5a), ..request(id, id) }, ..MptIn::default() });
    }
    wait(&mut b);
    let cfg = FunctionCfg { valid: true, ..FunctionCfg::default() };
    b.step(MptIn { cfg, ..MptIn::default() });
    wait(&mut b);
    let seen: Vec<_> = b.done.iter().map(|(_, c)| (c.id.0, c.syndrome)).collect();
    assert_eq!(seen, [(2, Syndrome::TABLE_FETCH)]);
    b.idle(20);
    let (index, address) = b.fetches.pop_front().unwrap();
    assert_eq!((address, b.fetches.len()), (Iova(BASE + 64 * 9), 0));
    b.fill(index, Some(&region()));
    b.idle(20);
    assert_eq!((b.done.len(), b.done[1].1.syndrome), (2, Syndrome::OK));
}

#[test]
fn requests_for_one_line_share_a_fetch() {
    let mut b = Bench::new();
    for stream in 0..8 {
        b.send(request(stream, stream));
    }
    b.idle(30);
    b.fill(0, Some(&region()));
    b.idle(30);
    assert_eq!((b.done.len(), b.fetches.len()), (8, 1));
}

#[test]
fn a_full_queue_holds_requests_back_and_loses_none() {
    let mut b = Bench::new();
    let mut sent = 0;
    for _ in 0..100 {
        if b.out.wr_ready {
            b.send(request(sent, 0));
            sent += 1;
        } else {
            b.idle(1);
        }
    }
    // 16 places a stream, none checked while the fetch is out.
    assert_eq!(sent, 16);
    b.fill(0, Some(&region()));
    b.idle(60);
    assert_eq!(b.done.iter().map(|(_, c)| c.id.0).collect::<Vec<_>>(), (0..16).collect::<Vec<_>>());
}

#[test]
fn a_parity_error_is_a_miss_with_a_counter_and_the_entry_is_fetched_again() {
    let mut b = Bench::new();
    b.send(request(1, 0));
    b.idle(20);
    let (index, address) = b.fetches.pop_front().unwrap();
    // What stands in the cache would be refused; it is never looked at.
    b.fill_with(index, Some(&Region { variant: 1, ..region() }), true);
    b.idle(20);
    let (again, same) = b.fetches.pop_front().unwrap();
    assert_eq!((b.done.len(), b.parity, same), (0, 1, address));
    b.fill(again, Some(&region()));
    b.idle(20);
    assert_eq!(b.done.iter().map(|(_, c)| (c.id.0, c.syndrome)).collect::<Vec<_>>(), [(1, Syndrome::OK)]);
    // The bad way is gone, the good one hits.
    b.done.clear();
    let taken = b.send(request(2, 0));
    b.idle(20);
    assert_eq!((b.done[0].0, b.parity, b.fetches.len()), (taken + 4, 1, 0));
}

#[test]
fn a_parity_error_whose_second_fetch_fails_is_a_failed_fetch() {
    let mut b = Bench::new();
    b.send(request(1, 0));
    b.idle(20);
    let (index, _) = b.fetches.pop_front().unwrap();
    b.fill_with(index, Some(&region()), true);
    b.idle(20);
    let (again, _) = b.fetches.pop_front().unwrap();
    b.fill(again, None);
    b.idle(20);
    assert_eq!(b.done.iter().map(|(_, c)| c.syndrome).collect::<Vec<_>>(), [Syndrome::TABLE_FETCH]);
    // The bad way is still there and still no hit.
    b.send(request(2, 0));
    b.idle(20);
    assert_eq!((b.fetches.len(), b.parity), (1, 2));
}

#[test]
fn a_request_carries_what_its_layout_needs() {
    // The request lies in the third page: 0x7000_2345 in a region from 0x7000_0100.
    let checked = |region: Region| {
        let mut b = Bench::new();
        b.warm(request(0, 0), &region);
        b.send(request(1, 0));
        b.idle(10);
        b.done[0].1
    };
    let one = checked(region());
    assert_eq!((one.layout, one.entry, one.syndrome), (MttLayout::OneLevel, Iova(0x20_0010), Syndrome::OK));
    let inline = Region {
        layout: MttLayout::Inline,
        inline: [21, 22, 23, 24].map(TableWord),
        length: ByteCount(0x3000),
        ..region()
    };
    let seen = checked(inline);
    assert_eq!((seen.layout, seen.entry), (MttLayout::Inline, Iova(23)));
    assert_eq!(seen.behind.0.map(|word| word.0), [24, 0, 0]);
    // The same place 600 pages further on: 602 = 512 + 90.
    let two = checked(Region {
        layout: MttLayout::TwoLevel,
        start: Va(0x7000_0100 - (600 << 12)),
        length: ByteCount(1 << 30),
        ..region()
    });
    assert_eq!((two.layout, two.entry, two.leaf), (MttLayout::TwoLevel, Iova(0x20_0008), 90));
    // Lines that describe no region: nothing is said of an entry.
    let long = Region { length: ByteCount(0x3f01), ..inline };
    for bad in [Region { layout: MttLayout::Reserved, ..region() }, long] {
        let seen = checked(bad);
        assert_eq!((seen.syndrome, seen.entry), (Syndrome::INVALID_KEY, Iova(0)));
    }
    assert!(checked(Region { length: ByteCount(0x3f00), ..inline }).syndrome.is_ok(), "four pages exactly");
}

/// A fetch that was lost is free again with its late completion, and who waits for a free one has it at once, though none of the
/// others has ended.
#[test]
fn a_late_completion_lets_the_next_miss_be_fetched() {
    let mut b = Bench::new();
    b.control.timeout = 1;
    let fetches = UnitCfg::named("small").unwrap().mpt_fetches;
    let miss = |n: u32| WorkRequest { key: Key::new(20 + n, 0x5a), ..request(n as u16, n as u16) };
    b.send(miss(0));
    // Lost after two ticks of 1024 cycles at most.
    b.idle(3 * 1024);
    assert_eq!(b.done.iter().map(|(_, c)| c.syndrome).collect::<Vec<_>>(), [Syndrome::TABLE_FETCH]);
    let (lost, _) = b.fetches.pop_front().unwrap();
    // As many as there are fetches: one of them waits, since one fetch is kept back.
    (1..=fetches).for_each(|n| _ = b.send(miss(n)));
    b.idle(100);
    assert_eq!(b.fetches.len() as u32, fetches - 1);
    b.fill(lost, Some(&region()));
    b.idle(20);
    assert_eq!(b.fetches.len() as u32, fetches);
    assert_eq!(b.done.len(), 1);
}
