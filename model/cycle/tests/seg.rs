//! `seg`: one behaviour a test. A segment leaves 2 cycles after its request came; one a cycle; round robin.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::seg::Seg;
use types::port::{CheckedRequest, SegIn, SegOut, Segment, SlotNote};
use types::{Block, EntryWords, Iova, Length, Mode, MttLayout, Slot, StreamId, Syndrome, TableWord, UnitCfg, Va, WrId};

struct Bench {
    seg: Seg,
    out: SegOut,
    cycle: u64,
    cut: Vec<(u64, Segment)>,
    /// Gives slots back as soon as they are seen.
    release: bool,
}

impl Bench {
    fn new(cfg: &UnitCfg) -> Self {
        Self { seg: Seg::new(cfg), out: SegOut::default(), cycle: 0, cut: Vec::new(), release: true }
    }

    fn step(&mut self, checked: CheckedRequest) {
        let tag = self.out.segment.tag;
        let free = if self.release && self.out.segment.valid {
            SlotNote { valid: true, slot: tag.slot, stream: tag.stream }
        } else {
            SlotNote::default()
        };
        self.step_with(SegIn { reset: false, checked, free });
    }

    fn step_with(&mut self, inp: SegIn) {
        self.seg.step(&inp);
        self.seg.outputs(&mut self.out);
        self.cycle += 1;
        if self.out.segment.valid {
            self.cut.push((self.cycle, self.out.segment));
        }
    }

    fn idle(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.step(CheckedRequest::default()));
    }
}

fn cfg() -> UnitCfg {
    UnitCfg::named("small").unwrap()
}

fn request(id: u16, stream: u16, va: u64, length: u32) -> CheckedRequest {
    CheckedRequest {
        valid: true,
        id: WrId(id),
        stream: StreamId(stream),
        length: Length(length),
        mode: Mode::Emtt,
        page_log2: 12,
        va: Va(va),
        entry: Iova(0x8000),
        ..CheckedRequest::default()
    }
}

#[test]
fn first_segment_leaves_exactly_two_cycles_after_its_request() {
    let mut b = Bench::new(&cfg());
    let taken = b.cycle;
    b.step(request(0, 0, 0, 10));
    b.idle(5);
    assert_eq!(b.cut.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [taken + 2]);
}

#[test]
fn cuts_at_pages_and_walks_the_table() {
    let mut b = Bench::new(&cfg());
    b.step(request(7, 2, 0x1ff0, 0x10 + 0x1000 + 5));
    b.idle(8);
    let seen: Vec<_> = b
        .cut
        .iter()
        .map(|(at, s)| {
            (*at, s.entry.0, s.page_offset.0, s.tag.length.0, s.tag.message_offset.0, s.tag.first, s.tag.last)
        })
        .collect();
    assert_eq!(
        seen,
        [
            (2, 0x8000, 0xff0, 0x10, 0, true, false),
            (3, 0x8008, 0, 0x1000, 0x10, false, false),
            (4, 0x8010, 0, 5, 0x1010, false, true),
        ]
    );
}

#[test]
fn in_mode_ats_a_large_page_is_cut_at_the_granule_of_the_atc() {
    let mut b = Bench::new(&cfg());
    let page = 1 << 21;
    b.step(CheckedRequest { mode: Mode::Ats, page_log2: 21, ..request(0, 0, page - 0x1800, 0x2000) });
    b.idle(8);
    let seen: Vec<_> = b.cut.iter().map(|(_, s)| (s.entry.0, s.page_offset.0, s.tag.length.0)).collect();
    assert_eq!(seen, [(0x8000, page - 0x1800, 0x800), (0x8000, page - 0x1000, 0x1000), (0x8008, 0, 0x800)]);
    // In the other modes only the page counts.
    let mut b = Bench::new(&cfg());
    b.step(CheckedRequest { page_log2: 21, ..request(0, 0, page - 0x1800, 0x2000) });
    b.idle(8);
    assert_eq!(b.cut.iter().map(|(_, s)| s.tag.length.0).collect::<Vec<_>>(), [0x1800, 0x800]);
}

#[test]
fn streams_take_turns_at_segment_grain() {
    let mut b = Bench::new(&cfg());
    for stream in [0, 5, 6] {
        b.step(request(stream, stream, 0, 4 * 4096));
    }
    b.idle(20);
    // All three wait from cycle 4 on.
    let order: Vec<_> = b.cut.iter().filter(|(at, _)| *at >= 4).map(|(_, s)| s.tag.stream.0).take(6).collect();
    assert_eq!(order, [6, 0, 5, 6, 0, 5]);
    assert_eq!(b.cut.len(), 12);
}

#[test]
fn one_segment_a_cycle_for_small_requests_of_one_stream() {
    let mut b = Bench::new(&cfg());
    (0..50).for_each(|n| b.step(request(n, 0, 64 * u64::from(n), 64)));
    b.idle(5);
    assert_eq!(
        b.cut.iter().map(|(at, s)| (*at, s.tag.id.0)).collect::<Vec<_>>(),
        (0..50).map(|n| (u64::from(n) + 2, n)).collect::<Vec<_>>()
    );
}

#[test]
fn a_stream_never_holds_more_than_its_share_of_slots_and_all_slots_are_used() {
    let cfg = UnitCfg { stream_slots: 5, ..cfg() };
    let mut b = Bench::new(&cfg);
    b.release = false;
    b.step(request(0, 0, 0, 20 * 4096));
    b.idle(20);
    assert_eq!(b.cut.len(), 5);
    assert!(b.out.stat_stall_stream);
    for stream in 1..8 {
        b.step(request(stream, stream, 0, 20 * 4096));
    }
    b.idle(60);
    assert_eq!(b.cut.len() as u32, cfg.segment_slots());
    assert!(b.out.stat_stall_slot);
    let mut slots: Vec<_> = b.cut.iter().map(|(_, s)| s.tag.slot).collect();
    slots.sort();
    slots.dedup();
    assert_eq!(slots.len() as u32, cfg.segment_slots());
    // A slot that comes back in cycle t is used in t + 2: read from the free list, then cut.
    let free = SlotNote { valid: true, slot: Slot(0), stream: StreamId(0) };
    let given = b.cycle;
    b.step_with(SegIn { free, ..SegIn::default() });
    b.idle(5);
    let (at, segment) = *b.cut.last().unwrap();
    assert_eq!((at, segment.tag.slot), (given + 2, Slot(0)));
}

#[test]
fn a_failed_request_and_an_empty_one_are_one_segment_each() {
    let mut b = Bench::new(&cfg());
    b.step(CheckedRequest { syndrome: Syndrome::BOUNDS, length: Length(0), page_log2: 0, ..request(1, 0, 0, 0) });
    b.step(request(2, 0, 0x123, 0));
    b.idle(5);
    let seen: Vec<_> = b.cut.iter().map(|(_, s)| (s.tag.id.0, s.tag.syndrome, s.tag.first && s.tag.last)).collect();
    assert_eq!(seen, [(1, Syndrome::BOUNDS, true), (2, Syndrome::OK, true)]);
}

#[test]
fn segments_of_every_layout_find_their_entry() {
    let places = |request: CheckedRequest| {
        let mut b = Bench::new(&cfg());
        b.step(request);
        b.idle(12);
        b.cut.iter().map(|(_, s)| (s.entry.0, s.leaf)).collect::<Vec<_>>()
    };
    // Three pages from the middle of the first on.
    let request = request(7, 2, 0x1ff0, 0x10 + 0x1000 + 5);
    assert_eq!(places(request), [(0x8000, 0), (0x8008, 0), (0x8010, 0)]);
    let two_level = CheckedRequest { layout: MttLayout::TwoLevel, leaf: 510, ..request };
    // 510 and 511 are the last of their leaf; the next page is the first of the next word's.
    assert_eq!(places(two_level), [(0x8000, 510), (0x8000, 511), (0x8008, 0)]);
    let behind = EntryWords([11, 12, 13].map(TableWord));
    assert_eq!(
        places(CheckedRequest { layout: MttLayout::Inline, entry: Iova(10), behind, ..request }),
        [(10, 0), (11, 0), (12, 0)]
    );
}
