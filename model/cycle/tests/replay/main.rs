//! `replay`, `atc` and `ats` together against a scripted translation agent: order, parking, merging, latency.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod several;

use cycle::{atc::Atc, ats::Ats, replay::Replay};
use std::collections::VecDeque;
use types::ats::TranslationEntry;
use types::port::{
    AtcIn, AtcOut, AtsIn, AtsOut, Beat, CplBeat, FunctionCfg, MappedSegment, ReleasedSegment, ReplayIn, ReplayOut,
    SegmentTag, SlotNote, TlpDescriptor, WriteSent,
};
use types::{
    AddressType, Block, FunctionId, Length, Mode, Op, PageSize, Replacement, Slot, StreamId, Syndrome, TlpAddr, UnitCfg,
};

/// What the agent answers to a Translation Request.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    Entry(TranslationEntry),
    Status(u8),
}

struct Bench {
    replay: Replay,
    atc: Atc,
    ats: Ats,
    r: ReplayOut,
    c: AtcOut,
    a: AtsOut,
    cycle: u64,
    tag_base: u16,
    delay: u64,
    answer: fn(u64) -> Answer,
    pending: VecDeque<(u64, TlpDescriptor)>,
    beats: VecDeque<CplBeat>,
    /// Entries of an answer at most, and whether it comes in two completions.
    longest: u64,
    split: bool,
    /// Added to the byte counts of the first completion and of the second.
    miscount: [i16; 2],
    requests: Vec<TlpDescriptor>,
    released: Vec<(u64, ReleasedSegment)>,
    /// Room is given back for every release, unless held.
    hold_room: bool,
    merges: u32,
}

/// Bus address = IOVA + 2^40.
const SHIFT: u64 = 1 << 40;

fn identity(iova: u64) -> Answer {
    Answer::Entry(TranslationEntry {
        address: TlpAddr(iova + SHIFT),
        size: PageSize::K4,
        read: true,
        write: true,
        ..TranslationEntry::default()
    })
}

impl Bench {
    fn with(cfg: &UnitCfg) -> Self {
        let mut b = Self {
            replay: Replay::new(cfg),
            atc: Atc::new(cfg),
            ats: Ats::new(cfg),
            r: ReplayOut::default(),
            c: AtcOut::default(),
            a: AtsOut::default(),
            cycle: 0,
            tag_base: cfg.tags().ats as u16,
            delay: 50,
            answer: identity,
            pending: VecDeque::new(),
            beats: VecDeque::new(),
            longest: 16,
            split: false,
            miscount: [0; 2],
            requests: Vec::new(),
            released: Vec::new(),
            hold_room: false,
            merges: 0,
        };
        b.edge(true, MappedSegment::default(), WriteSent::default());
        // RAM is cleared, then the function's entries are flushed because ATS Enable went from 0 to 1.
        b.idle(cfg.atc_sets + 20);
        b
    }

    fn new() -> Self {
        Self::with(&UnitCfg::named("small").unwrap())
    }

    fn edge(&mut self, reset: bool, mapped: MappedSegment, write_sent: WriteSent) {
        let cfg = FunctionCfg { valid: true, bus_master: true, ats_enable: true, ..FunctionCfg::default() };
        if self.beats.is_empty()
            && let Some((due, request)) = self.pending.front().copied()
            && due <= self.cycle
        {
            self.pending.pop_front();
            self.answer(&request);
        }
        let cpl = self.beats.pop_front().unwrap_or_default();
        let (r, c, a) = (self.r, self.c, self.a);
        if a.request.valid {
            self.requests.push(a.request);
            self.pending.push_back((self.cycle + self.delay, a.request));
        }
        let room = r.released.valid && !self.hold_room;
        let write = r.released.tag.op == Op::WRITE;
        self.replay.step(&ReplayIn {
            reset,
            cfg,
            issued: SlotNote { valid: mapped.valid, slot: mapped.tag.slot, stream: mapped.tag.stream },
            mapped,
            result: c.result,
            miss_ready: a.miss_ready,
            miss_room: a.miss_room,
            grant_valid: a.grant_valid,
            grant_slot: a.grant_slot,
            grant_index: a.grant_index,
            grant_first: a.grant_first,
            wake: a.wake,
            invalidated: a.invalidated,
            write_room: room && write,
            read_room: room && !write,
            write_sent,
            ..ReplayIn::default()
        });
        self.atc.step(&AtcIn { reset, lookup: r.lookup, fill: a.fill, invalidate: a.invalidate, ..AtcIn::default() });
        self.ats.step(&AtsIn {
            reset,
            cfg,
            miss: r.miss,
            request_ready: true,
            cpl,
            fill_ready: c.fill_ready,
            fill_done: c.fill_done,
            invalidate_ready: c.invalidate_ready,
            invalidate_done: c.invalidate_done,
            drained: true,
            ..AtsIn::default()
        });
        self.replay.outputs(&mut self.r);
        self.atc.outputs(&mut self.c);
        self.ats.outputs(&mut self.a);
        self.cycle += 1;
        if self.r.released.valid {
            self.released.push((self.cycle, self.r.released));
        }
        self.merges += u32::from(self.a.stat_merge);
    }

    /// Queues the beats of an answer: entries for consecutive granules, one a beat at 64 bits.
    fn answer(&mut self, request: &TlpDescriptor) {
        let index = request.tag - self.tag_base;
        let count = (u64::from(request.length_dw) / 2).min(self.longest);
        let entry = |n: u64| (self.answer)((request.address.0 & !0xfff) + (n << 12));
        let head = CplBeat { valid: true, index, sop: true, eop: true, ..CplBeat::default() };
        if let Answer::Status(status) = entry(0) {
            self.beats.push_back(CplBeat { status, byte_count: 4, ..head });
            return;
        }
        let parts: &[u64] = if self.split && count > 1 { &[1, count - 1] } else { &[count] };
        let (mut n, mut left) = (0, 8 * count as u16);
        for part in parts {
            for i in 0..*part {
                let Answer::Entry(e) = entry(n) else { panic!("a status among entries") };
                let data = Beat::from_bytes(&e.encode());
                let (sop, eop, length_dw) = (i == 0, i + 1 == *part, 2 * *part as u16);
                let byte_count = left.wrapping_add_signed(self.miscount[usize::from(left < 8 * count as u16)]);
                self.beats.push_back(CplBeat { sop, eop, length_dw, byte_count, strb: 3, data, ..head });
                n += 1;
            }
            left -= 8 * *part as u16;
        }
    }

    fn idle(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.edge(false, MappedSegment::default(), WriteSent::default()));
    }

    fn send(&mut self, mapped: MappedSegment) -> u64 {
        let taken = self.cycle;
        self.edge(false, mapped, WriteSent::default());
        taken
    }

    fn slots(&self) -> Vec<u16> {
        self.released.iter().map(|(_, r)| r.tag.slot.0).collect()
    }
}

fn segment(slot: u16, stream: u16, mode: Mode, iova: u64) -> MappedSegment {
    let tag = SegmentTag {
        slot: Slot(slot),
        stream: StreamId(stream),
        op: Op::WRITE,
        length: Length(64),
        mode,
        ..SegmentTag::default()
    };
    MappedSegment { valid: true, tag, address: TlpAddr(iova), at: AddressType::UNTRANSLATED }
}

fn ats(slot: u16, stream: u16, iova: u64) -> MappedSegment {
    segment(slot, stream, Mode::Ats, iova)
}

/// Brings a page into the cache.
fn warm(b: &mut Bench, iova: u64) {
    b.send(ats(0, 0, iova));
    b.idle(100);
    assert_eq!(b.released.len(), 1);
    b.released.clear();
    b.requests.clear();
}

#[test]
fn without_a_lookup_a_segment_passes_in_exactly_three_cycles() {
    let mut b = Bench::new();
    let taken = b.send(segment(1, 0, Mode::Emtt, 0x1000));
    b.idle(6);
    assert_eq!(b.released[0].0, taken + 3);
    assert_eq!((b.r.free.valid, b.released[0].1.at), (false, AddressType::UNTRANSLATED));
}

#[test]
fn a_lookup_that_hits_costs_exactly_five_more() {
    let mut b = Bench::new();
    warm(&mut b, 0x5000);
    let taken = b.send(ats(1, 0, 0x5123));
    b.idle(12);
    let (at, released) = b.released[0];
    assert_eq!(at, taken + 8);
    assert_eq!((released.at, released.address), (AddressType::TRANSLATED, TlpAddr(SHIFT + 0x5123)));
}

#[test]
fn one_translation_a_cycle_on_hits_in_every_mode() {
    for (mode, latency) in [(Mode::Direct, 3), (Mode::Emtt, 3), (Mode::Ats, 8)] {
        for streams in [1, 4] {
            let mut b = Bench::new();
            // A change of path from the warm-up would need a flush.
            if mode == Mode::Ats {
                warm(&mut b, 0x5000);
            }
            let first = b.cycle;
            for n in 0..100u16 {
                // Slots come back well within 30 cycles; writes count as sent at once.
                let write_sent = WriteSent { valid: true, stream: StreamId(n % streams), ..WriteSent::default() };
                b.edge(false, segment(n % 30, n % streams, mode, 0x5000), write_sent);
            }
            b.idle(12);
            let at: Vec<_> = b.released.iter().map(|(at, _)| *at - first).collect();
            assert_eq!(at, (latency..100 + latency).collect::<Vec<_>>(), "{mode} {streams}");
        }
    }
}

#[test]
fn a_stream_that_hits_is_not_delayed_by_the_misses_of_another() {
    let mut b = Bench::new();
    warm(&mut b, 0x5000);
    b.delay = 500;
    for n in 0..8 {
        b.send(ats(n, 0, 0x10_0000 + 4096 * u64::from(n)));
    }
    for n in 8..16 {
        let taken = b.send(ats(n, 1, 0x5000));
        b.idle(20);
        assert_eq!(*b.released.last().map(|(at, _)| at).unwrap(), taken + 8);
    }
    b.idle(800);
    assert_eq!(b.slots(), (8..16).chain(0..8).collect::<Vec<_>>());
}

#[test]
fn order_of_a_stream_is_kept_while_later_segments_look_up_ahead() {
    let mut b = Bench::new();
    warm(&mut b, 0x5000);
    let slots = [(4, 0x10_0000), (9, 0x5000), (2, 0x20_0000), (7, 0x5000)];
    for (slot, iova) in slots {
        b.send(ats(slot, 3, iova));
    }
    b.idle(40);
    // Both misses are under way though the head waits; nothing has left.
    assert_eq!((b.requests.len(), b.released.len()), (2, 0));
    b.idle(100);
    assert_eq!(b.slots(), [4, 9, 2, 7]);
    // The four leave back to back, but for the second answer's fill.
    assert!(b.released.iter().all(|(_, r)| r.at == AddressType::TRANSLATED));
}

#[test]
fn misses_of_one_granule_share_a_request() {
    let mut b = Bench::new();
    for n in 0..6 {
        b.send(ats(n, n, 0x10_0000 + 64 * u64::from(n)));
    }
    b.idle(150);
    assert_eq!((b.requests.len(), b.merges, b.released.len()), (1, 5, 6));
}

#[test]
fn a_write_does_not_join_a_request_sent_with_no_write() {
    let mut b = Bench::new();
    let mut read = ats(0, 0, 0x10_0000);
    read.tag.op = Op::READ;
    b.send(read);
    b.idle(20);
    b.send(ats(1, 1, 0x10_0000));
    b.idle(150);
    // NW is bit 0 of the address.
    assert_eq!(b.requests.iter().map(|r| r.address.0 & 1).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(b.released.len(), 2);
}

#[test]
fn translation_request_is_as_ats_asks() {
    let mut b = Bench::new();
    b.send(ats(0, 0, 0x1234_5678_9abc));
    b.idle(20);
    let r = b.requests[0];
    assert_eq!((r.at, r.length_dw, r.first_be, r.last_be), (AddressType::TRANSLATION_REQUEST, 2, 0xf, 0xf));
    assert_eq!((r.address.0, r.function), (0x1234_5678_9000, FunctionId(0)));
}

#[test]
fn requests_in_flight_are_bounded_and_every_miss_ends() {
    for requests in [1, 2, 16] {
        let cfg = UnitCfg { ats_requests: requests, ..UnitCfg::named("small").unwrap() };
        let mut b = Bench::with(&cfg);
        for n in 0..20 {
            b.send(ats(n, n % 4, 0x10_0000 + 4096 * u64::from(n)));
        }
        let mut most = 0;
        for _ in 0..3000 {
            b.idle(1);
            most = most.max(b.pending.len());
        }
        assert_eq!((most, b.released.len()), (requests as usize, 20));
    }
}

#[test]
fn answers_without_access_end_in_an_error_and_are_not_kept() {
    fn none(_: u64) -> Answer {
        Answer::Entry(TranslationEntry::default())
    }
    fn read_only(iova: u64) -> Answer {
        match identity(iova) {
            Answer::Entry(e) => Answer::Entry(TranslationEntry { write: false, ..e }),
            other => other,
        }
    }
    fn unsupported(_: u64) -> Answer {
        Answer::Status(1)
    }
    for (answer, op, expected) in [
        (none as fn(u64) -> Answer, Op::READ, Syndrome::TRANSLATION_ACCESS),
        (read_only, Op::WRITE, Syndrome::TRANSLATION_ACCESS),
        (read_only, Op::READ, Syndrome::OK),
        (unsupported, Op::READ, Syndrome::TRANSLATION_FAILED),
    ] {
        let mut b = Bench::new();
        b.answer = answer;
        let mut s = ats(0, 0, 0x10_0000);
        s.tag.op = op;
        b.send(s);
        b.idle(120);
        assert_eq!(b.released[0].1.tag.syndrome, expected);
        // Asked for again: only a read-only answer to a read was of use.
        b.send(s);
        b.idle(120);
        assert_eq!(b.requests.len(), if expected.is_ok() { 1 } else { 2 });
    }
}

#[test]
fn a_write_that_hits_a_read_only_entry_asks_again() {
    fn upgrade(iova: u64) -> Answer {
        identity(iova)
    }
    let mut b = Bench::new();
    b.answer = |iova| match identity(iova) {
        Answer::Entry(e) => Answer::Entry(TranslationEntry { write: false, ..e }),
        other => other,
    };
    let mut read = ats(0, 0, 0x10_0000);
    read.tag.op = Op::READ;
    b.send(read);
    b.idle(120);
    b.answer = upgrade;
    b.send(ats(1, 0, 0x10_0000));
    b.idle(120);
    assert_eq!(b.released.iter().map(|(_, r)| r.tag.syndrome).collect::<Vec<_>>(), [Syndrome::OK; 2]);
    assert_eq!(b.requests.len(), 2);
}

#[test]
fn a_read_waits_for_the_writes_of_its_own_stream_only() {
    let mut b = Bench::new();
    b.send(segment(0, 0, Mode::Direct, 0x1000));
    for (slot, stream) in [(1, 0), (2, 1)] {
        let mut read = segment(slot, stream, Mode::Direct, 0x2000);
        read.tag.op = Op::READ;
        b.send(read);
    }
    b.idle(50);
    assert_eq!(b.slots(), [0, 2]);
    let sent = b.cycle;
    b.edge(false, MappedSegment::default(), WriteSent { valid: true, ..WriteSent::default() });
    b.idle(10);
    // Note taken, picked, released.
    assert_eq!(b.released.last().map(|(at, r)| (*at, r.tag.slot.0)), Some((sent + 3, 1)));
}

#[test]
fn release_stops_without_room_and_the_other_direction_goes_on() {
    let mut b = Bench::new();
    b.hold_room = true;
    for n in 0..12 {
        b.send(segment(n, 0, Mode::Direct, 0x1000));
    }
    b.idle(20);
    assert_eq!(b.released.len(), 8);
    assert!(b.r.stat_stall_dma);
    let mut read = segment(20, 1, Mode::Direct, 0x1000);
    read.tag.op = Op::READ;
    b.send(read);
    b.idle(10);
    assert_eq!(b.released.last().unwrap().1.tag.slot, Slot(20));
}

#[test]
fn untranslated_only_answers_leave_untranslated() {
    let mut b = Bench::new();
    b.answer = |iova| match identity(iova) {
        Answer::Entry(e) => Answer::Entry(TranslationEntry { untranslated: true, ..e }),
        other => other,
    };
    b.send(ats(0, 0, 0x10_0040));
    b.idle(120);
    assert_eq!((b.released[0].1.at, b.released[0].1.address), (AddressType::UNTRANSLATED, TlpAddr(0x10_0040)));
}

/// After a reset of the unit every function is in its first life again, in `mpt` as here.
#[test]
fn a_reset_of_the_unit_forgets_function_level_resets() {
    let mut b = Bench::new();
    let cfg = FunctionCfg { valid: true, reset: true, bus_master: true, ats_enable: true, ..FunctionCfg::default() };
    b.replay.step(&ReplayIn { cfg, ..ReplayIn::default() });
    b.edge(true, MappedSegment::default(), WriteSent::default());
    b.idle(UnitCfg::named("small").unwrap().atc_sets + 20);
    b.send(segment(0, 0, Mode::Ats, 0x5000));
    b.idle(200);
    assert_eq!(b.released.iter().map(|(_, r)| r.tag.syndrome).collect::<Vec<_>>(), [types::Syndrome::OK]);
}
