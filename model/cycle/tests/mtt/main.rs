//! `mtt`: one behaviour a test. A hit leaves after 4 cycles; misses park, merge by line, and others pass.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod layouts;

use cycle::mtt::Mtt;
use types::port::{FunctionCfg, LineFill, MappedSegment, MttIn, MttOut, Segment, SegmentTag};
use types::{
    AddressType, Block, FunctionId, Iova, Length, Line, Mode, MttEntry, Op, Owner, Slot, Syndrome, TlpAddr, UnitCfg,
};

struct Bench {
    mtt: Mtt,
    out: MttOut,
    cycle: u64,
    mapped: Vec<(u64, MappedSegment)>,
    fetches: Vec<(u8, Iova)>,
    merges: u32,
    parity: u32,
    walks: u32,
    inline: u32,
}

impl Bench {
    fn new() -> Self {
        let cfg = UnitCfg::named("small").unwrap();
        let mut b = Self {
            mtt: Mtt::new(&cfg),
            out: MttOut::default(),
            cycle: 0,
            mapped: Vec::new(),
            fetches: Vec::new(),
            merges: 0,
            parity: 0,
            walks: 0,
            inline: 0,
        };
        // 2048 entries: 256 lines in 4 ways, 64 sets to clear.
        b.idle(63);
        b.master(true);
        b
    }

    fn step(&mut self, inp: MttIn) {
        self.mtt.step(&inp);
        self.mtt.outputs(&mut self.out);
        self.cycle += 1;
        if self.out.mapped.valid {
            self.mapped.push((self.cycle, self.out.mapped));
        }
        if self.out.fetch.valid && inp.fetch_ready {
            self.fetches.push((self.out.fetch.index, self.out.fetch.address));
        }
        self.merges += u32::from(self.out.stat_merge);
        self.parity += u32::from(self.out.stat_parity);
        self.walks += u32::from(self.out.stat_walk);
        self.inline += u32::from(self.out.stat_inline);
    }

    /// Bus mastering of the physical function.
    fn master(&mut self, bus_master: bool) {
        let cfg = FunctionCfg { valid: true, bus_master, ..FunctionCfg::default() };
        self.step(MttIn { cfg, fetch_ready: true, ..MttIn::default() });
    }

    fn idle(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.step(MttIn { fetch_ready: true, ..MttIn::default() }));
    }

    fn send(&mut self, segment: Segment) -> u64 {
        let taken = self.cycle;
        self.step(MttIn { segment, fetch_ready: true, ..MttIn::default() });
        taken
    }

    fn fill(&mut self, index: u8, ok: bool, line: Line) {
        let fill = LineFill { valid: true, index, ok, line };
        self.step(MttIn { fill, fetch_ready: true, ..MttIn::default() });
    }

    /// Fills with a wrong parity bit.
    fn fill_badly(&mut self, index: u8, line: Line) {
        let fill = LineFill { valid: true, index, ok: true, line };
        self.step(MttIn { fill, inject_parity: true, fetch_ready: true, ..MttIn::default() });
    }

    fn warm(&mut self, entry: Iova, line: Line) {
        self.send(segment(0, entry));
        self.idle(8);
        let (index, address) = *self.fetches.last().unwrap();
        assert_eq!(address.0, entry.0 & !63);
        self.fill(index, true, line);
        self.idle(12);
        self.mapped.clear();
        self.fetches.clear();
    }
}

fn segment(slot: u16, entry: Iova) -> Segment {
    let tag =
        SegmentTag { slot: Slot(slot), op: Op::WRITE, length: Length(64), mode: Mode::Emtt, ..SegmentTag::default() };
    Segment { valid: true, tag, entry, page_log2: 12, page_offset: Iova(0x123), ..Segment::default() }
}

fn line(entry: MttEntry) -> Line {
    Line(std::array::from_fn(|n| MttEntry { address: TlpAddr(entry.address.0 + 4096 * n as u64), ..entry }.encode().0))
}

fn host() -> MttEntry {
    MttEntry {
        address: TlpAddr(0x5_0000),
        present: true,
        owner: Owner::Host,
        write: true,
        read: true,
        ..MttEntry::default()
    }
}

#[test]
fn hit_leaves_exactly_four_cycles_after_it_came() {
    let mut b = Bench::new();
    b.warm(Iova(0x1000), line(host()));
    let taken = b.send(segment(3, Iova(0x1010)));
    b.idle(8);
    let [(at, mapped)] = b.mapped[..] else { panic!("{:?}", b.mapped) };
    assert_eq!((at, mapped.tag.slot), (taken + 4, Slot(3)));
    // Third entry of the line.
    assert_eq!((mapped.address, mapped.at), (TlpAddr(0x5_2123), AddressType::UNTRANSLATED));
}

#[test]
fn owner_tag_chooses_the_address_type_in_mode_emtt_only() {
    let gpu = MttEntry { owner: Owner::Gpu, ..host() };
    for (mode, expected) in [
        (Mode::Emtt, AddressType::TRANSLATED),
        (Mode::Direct, AddressType::UNTRANSLATED),
        (Mode::Ats, AddressType::UNTRANSLATED),
    ] {
        let mut b = Bench::new();
        b.warm(Iova(0x1000), line(gpu));
        let mut s = segment(0, Iova(0x1000));
        s.tag.mode = mode;
        b.send(s);
        b.idle(8);
        assert_eq!(b.mapped[0].1.at, expected);
    }
}

#[test]
fn large_pages_keep_the_whole_offset() {
    let mut b = Bench::new();
    b.warm(Iova(0x1000), line(MttEntry { address: TlpAddr(0x4000_0000), ..host() }));
    b.send(Segment { page_log2: 21, page_offset: Iova(0x1f_fedc), ..segment(0, Iova(0x1000)) });
    b.idle(8);
    assert_eq!(b.mapped[0].1.address, TlpAddr(0x401f_fedc));
}

#[test]
fn one_segment_a_cycle_on_hits() {
    let mut b = Bench::new();
    b.warm(Iova(0x1000), line(host()));
    let first = b.cycle;
    for n in 0..30 {
        b.send(segment(n % 16, Iova(0x1000 + 8 * u64::from(n % 8))));
    }
    b.idle(8);
    assert_eq!(b.mapped.iter().map(|(at, _)| *at - first).collect::<Vec<_>>(), (4..34).collect::<Vec<_>>());
}

#[test]
fn a_hit_passes_a_miss_and_misses_of_one_line_share_a_fetch() {
    let mut b = Bench::new();
    b.warm(Iova(0x1000), line(host()));
    b.send(segment(1, Iova(0x9000)));
    b.send(segment(2, Iova(0x9038)));
    let taken = b.send(segment(3, Iova(0x1000)));
    b.idle(20);
    assert_eq!(b.mapped.iter().map(|(at, m)| (*at, m.tag.slot.0)).collect::<Vec<_>>(), [(taken + 4, 3)]);
    assert_eq!((b.fetches.len(), b.merges), (1, 1));
    b.fill(b.fetches[0].0, true, line(host()));
    b.idle(20);
    assert_eq!(b.mapped.iter().map(|(_, m)| m.tag.slot.0).collect::<Vec<_>>(), [3, 1, 2]);
    assert_eq!(b.mapped[2].1.address, TlpAddr(0x5_7123));
}

#[test]
fn more_misses_than_fetches_all_end() {
    let mut b = Bench::new();
    for n in 0..12u16 {
        b.send(segment(n, Iova(0x1_0000 + 64 * u64::from(n))));
    }
    let mut answered = 0;
    for _ in 0..200 {
        b.idle(1);
        // Four fetches at most at a time.
        assert!(b.fetches.len() - answered <= 4);
        if b.fetches.len() > answered {
            b.idle(5);
            let (index, _) = b.fetches[answered];
            answered += 1;
            b.fill(index, true, line(host()));
        }
    }
    let mut slots: Vec<_> = b.mapped.iter().map(|(_, m)| m.tag.slot.0).collect();
    slots.sort_unstable();
    assert_eq!(slots, (0..12).collect::<Vec<_>>());
}

#[test]
fn faults_of_entries() {
    let cases = [
        (MttEntry { present: false, ..host() }, Op::WRITE, Syndrome::NOT_PRESENT),
        (MttEntry { write: false, ..host() }, Op::WRITE, Syndrome::PAGE_RIGHTS),
        (MttEntry { write: false, ..host() }, Op::READ, Syndrome::OK),
        (MttEntry { read: false, ..host() }, Op::READ, Syndrome::PAGE_RIGHTS),
        (MttEntry { read: false, ..host() }, Op::WRITE, Syndrome::OK),
    ];
    for (entry, op, expected) in cases {
        let mut b = Bench::new();
        b.warm(Iova(0x1000), line(entry));
        let mut s = segment(0, Iova(0x1000));
        s.tag.op = op;
        b.send(s);
        b.idle(8);
        assert_eq!(b.mapped[0].1.tag.syndrome, expected);
    }
}

/// A read of no bytes needs R or W (PCIe 6.x 10.2.4 for translations; the table's bits mean the same).
#[test]
fn a_read_of_no_bytes_needs_either_right() {
    for (read, write, expected) in [
        (true, true, Syndrome::OK),
        (true, false, Syndrome::OK),
        (false, true, Syndrome::OK),
        (false, false, Syndrome::PAGE_RIGHTS),
    ] {
        let mut b = Bench::new();
        b.warm(Iova(0x1000), line(MttEntry { read, write, ..host() }));
        let mut s = segment(0, Iova(0x1000));
        (s.tag.op, s.tag.length) = (Op::READ, Length(0));
        b.send(s);
        b.idle(8);
        assert_eq!(b.mapped[0].1.tag.syndrome, expected, "{read} {write}");
    }
}

#[test]
fn a_failed_fetch_fails_the_segments_that_wait_and_caches_nothing() {
    let mut b = Bench::new();
    b.send(segment(1, Iova(0x9000)));
    b.send(segment(2, Iova(0x9008)));
    b.idle(10);
    b.fill(b.fetches[0].0, false, Line::default());
    b.idle(12);
    assert!(b.mapped.iter().all(|(_, m)| m.tag.syndrome == Syndrome::TABLE_FETCH));
    assert_eq!(b.mapped.len(), 2);
    b.send(segment(3, Iova(0x9000)));
    b.idle(10);
    assert_eq!(b.fetches.len(), 2);
}

#[test]
fn without_bus_mastering_of_the_physical_function_no_line_is_fetched() {
    let mut b = Bench::new();
    b.warm(Iova(0x9000), line(host()));
    b.master(false);
    for (slot, function, entry) in [(1, 0, 0x9000), (2, 0, 0xa000), (3, 1, 0xa000)] {
        let mut s = segment(slot, Iova(entry));
        s.tag.function = FunctionId(function);
        b.send(s);
        b.idle(12);
    }
    let seen: Vec<_> = b.mapped.iter().map(|(_, m)| m.tag.syndrome).collect();
    assert_eq!(seen, [Syndrome::OK, Syndrome::BUS_MASTER_OFF, Syndrome::TABLE_FETCH]);
    assert!(b.fetches.is_empty());
}

#[test]
fn segments_that_failed_protection_pass_without_a_lookup() {
    let mut b = Bench::new();
    let mut s = segment(1, Iova(0x9000));
    s.tag.syndrome = Syndrome::PD;
    let taken = b.send(s);
    b.idle(20);
    assert_eq!((b.mapped[0].0, b.mapped[0].1.tag.syndrome), (taken + 4, Syndrome::PD));
    assert!(b.fetches.is_empty());
}

/// What a bad line would translate to.
fn wrong() -> MttEntry {
    MttEntry { address: TlpAddr(0xbad_0000), ..host() }
}

#[test]
fn a_parity_error_is_a_miss_with_a_counter_and_the_line_is_fetched_again() {
    let mut b = Bench::new();
    b.send(segment(1, Iova(0x9000)));
    b.idle(10);
    b.fill_badly(b.fetches[0].0, line(wrong()));
    b.idle(20);
    assert_eq!((b.mapped.len(), b.fetches.len(), b.parity), (0, 2, 1));
    assert_eq!(b.fetches[1].1, b.fetches[0].1);
    b.fill(b.fetches[1].0, true, line(host()));
    b.idle(20);
    assert_eq!(b.mapped.iter().map(|(_, m)| m.address).collect::<Vec<_>>(), [TlpAddr(0x5_0123)]);
    // The bad way is gone, the good one hits.
    b.mapped.clear();
    let taken = b.send(segment(2, Iova(0x9008)));
    b.idle(8);
    assert_eq!((b.mapped[0].0, b.mapped[0].1.address, b.parity), (taken + 4, TlpAddr(0x5_1123), 1));
}

#[test]
fn a_bad_way_hides_no_good_one_and_goes_with_the_next_fill_of_its_set() {
    let mut b = Bench::new();
    // 64 sets: lines 0x1000 bytes apart share one.
    b.warm(Iova(0x1000), line(host()));
    b.send(segment(1, Iova(0x2000)));
    b.idle(10);
    b.fill_badly(b.fetches[0].0, line(wrong()));
    b.idle(12);
    // Its segment has missed again, and waits. The other line of the set still hits, and counts nothing.
    assert_eq!((b.fetches.len(), b.parity), (2, 1));
    let taken = b.send(segment(2, Iova(0x1000)));
    b.idle(8);
    assert_eq!((b.mapped[0].0, b.mapped[0].1.address, b.parity), (taken + 4, TlpAddr(0x5_0123), 1));
    // A third line of the set meets the bad way when it misses, and takes its place.
    b.send(segment(3, Iova(0x3000)));
    b.idle(10);
    b.fill(b.fetches[2].0, true, line(host()));
    b.idle(12);
    assert_eq!((b.mapped.len(), b.parity), (2, 2));
    b.send(segment(4, Iova(0x4000)));
    b.idle(10);
    assert_eq!((b.fetches.len(), b.parity), (4, 2), "nothing bad is left");
    b.fill(b.fetches[1].0, true, line(host()));
    b.idle(12);
    assert_eq!(b.mapped.last().map(|(_, m)| (m.tag.slot, m.address)), Some((Slot(1), TlpAddr(0x5_0123))));
}

#[test]
fn a_revocation_that_visits_a_bad_way_drops_it() {
    let mut b = Bench::new();
    b.send(segment(1, Iova(0x9000)));
    b.idle(10);
    b.fill_badly(b.fetches[0].0, line(wrong()));
    b.idle(12);
    assert_eq!((b.fetches.len(), b.parity), (2, 1));
    // Another line of the same set: 0x9000 and 0xa000 are lines 0x240 and 0x280.
    let revoke = types::port::RevokeLines { valid: true, index: 0, first: 0x280, count: 1 };
    b.step(MttIn { revoke, fetch_ready: true, ..MttIn::default() });
    b.idle(20);
    b.send(segment(2, Iova(0xb000)));
    b.idle(10);
    assert_eq!(b.parity, 1);
}
