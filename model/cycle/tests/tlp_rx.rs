//! `tlp_rx` alone: what is routed where, when, and what is dropped.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod axi;

use axi::{Chance, Stream, byte_of, edge, sample};
use cycle::tlp_rx::TlpRx;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use types::access::PasidPrefix;
use types::addr::{FunctionId, RequesterId, Tag};
use types::bits::mask;
use types::config::{NAMED, UnitCfg};
use types::port::{Beat, CplBeat, FunctionCfg, LineFill, MessageTlp, TlpBeat, TlpRxIn, TlpRxOut};
use types::ports::Block;
use types::table::Line;
use types::tlp::{Attributes, Body, Header, Tlp, status};

const PHYSICAL: RequesterId = RequesterId(0x0100);
const VIRTUAL: RequesterId = RequesterId(0x0102);

/// A completion TLP for the unit's tag `number`.
#[derive(Clone, Debug)]
struct Cpl {
    tlp: Tlp,
    payload: Vec<u8>,
    error: u8,
}

fn body(cpl: &mut Cpl, change: impl Fn(&mut u8, &mut u16, &mut RequesterId, &mut u8)) {
    if let Body::Completion { status, byte_count, requester, lower_address, .. } = &mut cpl.tlp.body {
        change(status, byte_count, requester, lower_address);
    }
}

/// A CplD of `bytes` bytes to wire tag `tag`, filled from `seed`.
fn cpl(tag: u16, bytes: u16, seed: u64) -> Cpl {
    Cpl {
        tlp: Tlp {
            tc: 0,
            attributes: Attributes::default(),
            poisoned: false,
            length_dw: bytes / 4,
            body: Body::Completion {
                with_data: bytes != 0,
                completer: RequesterId(0),
                status: status::SC,
                byte_count: bytes.max(4),
                requester: PHYSICAL,
                tag: Tag(tag),
                lower_address: 0,
            },
            pasid: PasidPrefix::default(),
        },
        payload: (0..u64::from(bytes)).map(|i| byte_of(seed << 16 | i)).collect(),
        error: 0,
    }
}

struct Bench {
    cfg: UnitCfg,
    dut: TlpRx,
    out: TlpRxOut,
    inp: TlpRxIn,
    cycle: u64,
    mpt: Vec<(u64, LineFill)>,
    mtt: Vec<(u64, LineFill)>,
    ats: Vec<(u64, CplBeat)>,
    data: Vec<(u64, CplBeat)>,
    completions: u64,
    dropped: u64,
}

impl Bench {
    fn new(cfg: UnitCfg, tag_mode: u8) -> Self {
        let mut dut = TlpRx::new(&cfg);
        dut.step(&TlpRxIn { reset: true, ..TlpRxIn::default() });
        for (function, requester) in [(0, PHYSICAL), (1, VIRTUAL)] {
            let function = FunctionId(function);
            let update = FunctionCfg { valid: true, function, requester, tag_mode, ..FunctionCfg::default() };
            dut.step(&TlpRxIn { cfg: update, ..TlpRxIn::default() });
        }
        Self {
            dut,
            cfg,
            out: TlpRxOut::default(),
            inp: TlpRxIn::default(),
            cycle: 0,
            mpt: vec![],
            mtt: vec![],
            ats: vec![],
            data: vec![],
            completions: 0,
            dropped: 0,
        }
    }

    fn tick(&mut self, beat: TlpBeat, error: u8) {
        sample(&self.dut, &mut self.out);
        let o = &self.out;
        assert!(o.rx_cpl_tlp_ready, "completions are never held");
        for (valid, payload) in [(o.mpt_fill.valid, o.mpt_fill), (o.mtt_fill.valid, o.mtt_fill)] {
            assert!(valid || payload == LineFill::default());
        }
        for (valid, payload) in [(o.ats_cpl.valid, o.ats_cpl), (o.data_cpl.valid, o.data_cpl)] {
            assert!(valid || payload == CplBeat::default());
        }
        self.mpt.extend(o.mpt_fill.valid.then_some((self.cycle, o.mpt_fill)));
        self.mtt.extend(o.mtt_fill.valid.then_some((self.cycle, o.mtt_fill)));
        self.ats.extend(o.ats_cpl.valid.then_some((self.cycle, o.ats_cpl)));
        self.data.extend(o.data_cpl.valid.then_some((self.cycle, o.data_cpl)));
        self.completions += u64::from(o.stat_completion);
        self.dropped += u64::from(o.stat_dropped);
        (self.inp.rx_cpl_tlp, self.inp.rx_cpl_tlp_error) = (beat, error);
        edge(&mut self.dut, &self.inp, &self.out);
        self.cycle += 1;
    }

    /// Sends one completion back to back, then lets it through.
    fn send(&mut self, cpl: &Cpl) {
        for beat in beats(&self.cfg, cpl) {
            self.tick(beat, cpl.error);
        }
    }

    fn settle(&mut self) {
        (0..4).for_each(|_| self.tick(TlpBeat::default(), 0));
        assert!(self.dut.idle_until(&TlpRxIn::default()).is_some());
    }
}

fn beats(cfg: &UnitCfg, cpl: &Cpl) -> Vec<TlpBeat> {
    let width = cfg.data_bytes() as usize;
    let n = cpl.payload.len().div_ceil(width).max(1);
    (0..n)
        .map(|i| {
            let part = cpl.payload.get(i * width..).unwrap_or_default();
            let part = &part[..part.len().min(width)];
            TlpBeat {
                valid: true,
                sop: i == 0,
                eop: i + 1 == n,
                hdr: if i == 0 { cpl.tlp.header() } else { Header::default() },
                data: Beat::from_bytes(part),
                strb: mask(part.len() as u32 / 4) as u16,
                ..TlpBeat::default()
            }
        })
        .collect()
}

fn wide(data_bits: u32) -> UnitCfg {
    UnitCfg { data_bits, ..NAMED[1].1.clone() }
}

// Configuration `small`: tags 0 and 1 MPT, 2 to 5 MTT, 6 flush, 7 to 22 ATS, 23 to 54 data.
const ATS0: u16 = 7;
const DATA0: u16 = 23;
const END: u16 = 55;

#[test]
fn a_line_comes_together_at_every_width() {
    for width in [64, 128, 256, 512] {
        let mut bench = Bench::new(wide(width), 2);
        for (i, tag) in [0, 1, 2, 5].into_iter().enumerate() {
            let line = cpl(256 + tag, 64, i as u64);
            bench.send(&line);
            let last = bench.cycle - 1;
            bench.settle();
            let mut words = [0; 8];
            for (word, bytes) in words.iter_mut().zip(line.payload.chunks(8)) {
                *word = u64::from_le_bytes(bytes.try_into().unwrap());
            }
            let (fills, index) = if tag < 2 { (&bench.mpt, tag) } else { (&bench.mtt, tag - 2) };
            let expected = LineFill { valid: true, index: index as u8, ok: true, line: Line(words) };
            assert_eq!(*fills.last().unwrap(), (last + 2, expected), "two cycles behind its last beat");
        }
        assert_eq!((bench.mpt.len(), bench.mtt.len(), bench.completions, bench.dropped), (2, 2, 4, 0));
    }
}

#[test]
fn a_line_that_is_not_as_asked_is_refused() {
    let good = cpl(256, 64, 1);
    let mut faults = vec![cpl(256, 60, 1), cpl(256, 128, 1), cpl(256, 0, 1)];
    // The Byte Count of a line with more or less payload.
    for bytes in [60, 128] {
        let mut other = cpl(256, bytes, 1);
        body(&mut other, |_, count, _, _| *count = 64);
        faults.push(other);
    }
    faults.push(Cpl { error: 3, ..good.clone() });
    faults.push(Cpl { tlp: Tlp { poisoned: true, ..good.tlp }, ..good.clone() });
    for change in [
        (|s, _, _, _| *s = status::UR) as fn(&mut u8, &mut u16, &mut RequesterId, &mut u8),
        |s, _, _, _| *s = status::CA,
        |s, _, _, _| *s = status::RRS,
        |_, count, _, _| *count = 128,
        |_, count, _, _| *count = 63,
        |_, _, _, lower| *lower = 4,
        |_, _, _, lower| *lower = 32,
    ] {
        let mut bad = good.clone();
        body(&mut bad, change);
        faults.push(bad);
    }
    for width in [64, 512] {
        let mut bench = Bench::new(wide(width), 2);
        for (i, fault) in faults.iter().enumerate() {
            bench.send(fault);
            bench.settle();
            let failed = LineFill { valid: true, index: 0, ok: false, line: Line::default() };
            assert_eq!(bench.mpt.last().map(|f| f.1), Some(failed), "fault {i}");
            assert_eq!(bench.mpt.len(), i + 1);
        }
        // Lower Address has seven bits: a line may stand in either half of 128 bytes.
        let mut upper = good.clone();
        body(&mut upper, |_, _, _, lower| *lower = 64);
        bench.send(&upper);
        bench.settle();
        assert!(bench.mpt.last().unwrap().1.ok);
        assert_eq!(bench.dropped, 0);
    }
}

#[test]
fn header_fields_go_with_every_beat() {
    for width in [64, 128, 256, 512] {
        let mut bench = Bench::new(wide(width), 2);
        // The flush read's tag, 6, goes to `ats` as the request behind its sixteen.
        for (tag, index, ats) in [(ATS0 + 3, 3, true), (6, 16, true), (DATA0, 0, false), (END - 1, 31, false)] {
            let mut c = cpl(256 + tag, 100, 5);
            body(&mut c, |s, count, _, lower| (*s, *count, *lower) = (status::CA, 4096, 0x7f));
            c.tlp.poisoned = tag == DATA0;
            let first = bench.cycle;
            let sent = beats(&bench.cfg, &c);
            bench.send(&c);
            bench.settle();
            let got = std::mem::take(if ats { &mut bench.ats } else { &mut bench.data });
            let expected: Vec<_> = sent
                .iter()
                .enumerate()
                .map(|(i, beat)| {
                    let cpl = CplBeat {
                        valid: true,
                        index,
                        function: FunctionId(0),
                        sop: beat.sop,
                        eop: beat.eop,
                        status: status::CA,
                        poisoned: tag == DATA0,
                        byte_count: 4096,
                        lower_address: 0x7f,
                        length_dw: 25,
                        data: beat.data,
                        strb: beat.strb,
                    };
                    (first + i as u64 + 2, cpl)
                })
                .collect();
            assert_eq!(got, expected, "one beat a cycle, two cycles behind");
        }
    }
}

#[test]
fn largest_sizes_are_zero_on_the_wire() {
    let mut bench = Bench::new(wide(512), 2);
    bench.send(&cpl(256 + DATA0, 4096, 1));
    bench.settle();
    assert_eq!(bench.data.len(), 64);
    assert!(bench.data.iter().all(|(_, b)| b.length_dw == 1024 && b.byte_count == 4096));
}

#[test]
fn an_error_of_the_core_poisons_from_its_beat_on() {
    let mut bench = Bench::new(wide(64), 2);
    for (i, beat) in beats(&wide(64), &cpl(256 + DATA0, 32, 1)).into_iter().enumerate() {
        bench.tick(beat, u8::from(i == 1));
    }
    bench.send(&cpl(256 + DATA0, 8, 1));
    bench.settle();
    assert_eq!(bench.data.iter().map(|(_, b)| b.poisoned).collect::<Vec<_>>(), [false, true, true, true, false]);
}

#[test]
fn what_is_not_the_units_is_dropped_and_counted() {
    let mut strangers = vec![];
    // Nobody's tags: one past the end, wire tags below 256 with 10-bit tags.
    for tag in [256 + END, 1023, 255, 0, 30] {
        strangers.push(cpl(tag, 64, 1));
    }
    // A requester that is none of the functions; a table line for another function than the physical one.
    for (tag, requester) in [(256 + DATA0, 0x0101), (256 + DATA0, 0x0200), (256, VIRTUAL.0), (256 + 2, VIRTUAL.0)] {
        let mut c = cpl(tag, 64, 1);
        body(&mut c, |_, _, r, _| *r = RequesterId(requester));
        strangers.push(c);
    }
    for width in [64, 512] {
        let mut bench = Bench::new(wide(width), 2);
        for (i, c) in strangers.iter().enumerate() {
            bench.send(c);
            bench.settle();
            assert_eq!((bench.dropped, bench.completions), (i as u64 + 1, i as u64 + 1));
        }
        // A request on the completion stream, and beats of no TLP.
        let mut beat = beats(&bench.cfg, &cpl(256 + DATA0, 8, 1))[0];
        beat.hdr.0[0] = beat.hdr.0[0] & 0x00ff_ffff | 0x4000_0000;
        bench.tick(beat, 0);
        bench.tick(TlpBeat { valid: true, eop: true, ..TlpBeat::default() }, 0);
        bench.settle();
        assert_eq!(bench.dropped, strangers.len() as u64 + 1);
        assert_eq!(bench.mpt.len() + bench.mtt.len() + bench.ats.len() + bench.data.len(), 0);
        // A function that is not the physical one receives its data.
        let mut c = cpl(256 + DATA0, 4, 1);
        body(&mut c, |_, _, r, _| *r = VIRTUAL);
        bench.send(&c);
        // A beat behind its last belongs to nothing.
        bench.tick(TlpBeat { valid: true, eop: true, ..TlpBeat::default() }, 0);
        bench.settle();
        assert_eq!(bench.data.len(), 1);
    }
}

#[test]
fn tag_widths() {
    for (mode, wire, found) in [
        (0, DATA0, Some(0)),
        (0, 31, Some(8)),
        (0, 32, None),
        (0, 256 + DATA0, None),
        (1, 32, Some(9)),
        (1, END - 1, Some(31)),
        (1, 256 + DATA0, None),
        (2, 256 + 32, Some(9)),
        (2, 32, None),
    ] {
        let mut bench = Bench::new(wide(64), mode);
        bench.send(&cpl(wire, 4, 1));
        bench.settle();
        assert_eq!(bench.data.first().map(|(_, b)| b.index), found, "mode {mode}, wire tag {wire}");
    }
}

#[test]
fn before_configuration_nothing_is_the_units() {
    let cfg = wide(64);
    let mut bench = Bench::new(cfg.clone(), 2);
    bench.dut = TlpRx::new(&cfg);
    bench.send(&cpl(DATA0, 4, 1));
    bench.settle();
    assert_eq!((bench.dropped, bench.data.len()), (1, 0));
}

#[test]
fn one_completion_a_cycle() {
    let mut bench = Bench::new(wide(512), 2);
    for i in 0..32 {
        bench.send(&cpl(256 + DATA0 + i, 64, u64::from(i)));
    }
    bench.settle();
    let got: Vec<_> = bench.data.iter().map(|(c, b)| (*c, b.index)).collect();
    assert_eq!(got, (0..32).map(|i| (u64::from(i) + 2, i)).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_completions_with_gaps(width in prop::sample::select(vec![64u32, 128, 256, 512]), gaps in 0u64..60, seed in any::<u64>()) {
        let mut bench = Bench::new(wide(width), 2);
        let mut chance = Chance::new(seed);
        let (mut lines, mut data, mut dropped) = (vec![], vec![], 0);
        for i in 0..80 {
            let number = chance.below(70) as u16;
            let table = number < 6;
            let bytes = if table { 64 } else { 4 * (1 + chance.below(40) as u16) };
            let c = cpl(256 + number, bytes, i);
            for beat in beats(&bench.cfg, &c) {
                while chance.percent(gaps) {
                    bench.tick(TlpBeat::default(), 0);
                }
                bench.tick(beat, 0);
            }
            match number {
                0..=5 => lines.push((number, c.payload)),
                6 => data.push((ATS0 + 16, c.payload)),
                7..=54 => data.push((number, c.payload)),
                _ => dropped += 1,
            }
        }
        bench.settle();
        let bytes = |line: &Line| line.0.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
        let mut fills: Vec<_> = bench.mpt.iter().map(|(c, f)| (*c, u16::from(f.index), bytes(&f.line))).collect();
        fills.extend(bench.mtt.iter().map(|(c, f)| (*c, 2 + u16::from(f.index), bytes(&f.line))));
        fills.sort();
        prop_assert_eq!(fills.into_iter().map(|(_, n, b)| (n, b)).collect::<Vec<_>>(), lines);
        let mut got: Vec<_> = bench.ats.iter().map(|(c, b)| (*c, ATS0, *b)).collect();
        got.extend(bench.data.iter().map(|(c, b)| (*c, DATA0, *b)));
        got.sort_by_key(|g| g.0);
        let mut tlps: Vec<(u16, Vec<u8>)> = vec![];
        for (_, base, beat) in got {
            if beat.sop {
                tlps.push((base + beat.index, vec![]));
            }
            let dws = beat.strb.trailing_ones() as usize;
            tlps.last_mut().unwrap().1.extend(&beat.data.to_bytes()[..4 * dws]);
        }
        prop_assert!(tlps == data);
        prop_assert_eq!((bench.dropped, bench.completions), (dropped, 80));
    }

    #[test]
    fn messages_pass_in_order(stall in 0u64..80, seed in any::<u64>()) {
        let mut bench = Bench::new(wide(64), 2);
        let mut chance = Chance::new(seed);
        let (mut monitor, mut got, mut sent) = (Stream::new("message"), vec![], 0u64);
        for _ in 0..400 {
            bench.dut.outputs(&mut bench.out);
            if !bench.inp.rx_msg_tlp.valid && sent < 30 && !chance.percent(stall) {
                bench.inp.rx_msg_tlp = MessageTlp { valid: true, hdr: Header([0x7200_0002, 1, 2, 3]), data: sent, ..MessageTlp::default() };
                sent += 1;
            }
            bench.inp.message_ready = !chance.percent(stall);
            if monitor.observe(bench.out.message.valid, bench.inp.message_ready, &bench.out.message) {
                got.push(bench.out.message.data);
            }
            let taken = bench.inp.rx_msg_tlp.valid && bench.out.rx_msg_tlp_ready;
            bench.dut.step(&bench.inp);
            if taken {
                bench.inp.rx_msg_tlp = MessageTlp::default();
            }
        }
        prop_assert_eq!(got, (0..30).collect::<Vec<_>>());
    }
}

#[test]
fn a_message_takes_one_cycle() {
    let mut bench = Bench::new(wide(64), 2);
    bench.inp.message_ready = true;
    let mut seen = vec![];
    for cycle in 0..10u64 {
        bench.dut.outputs(&mut bench.out);
        assert!(bench.out.rx_msg_tlp_ready);
        if bench.out.message.valid {
            seen.push((cycle, bench.out.message.data));
        }
        bench.inp.rx_msg_tlp = MessageTlp { valid: true, data: cycle, ..MessageTlp::default() };
        bench.dut.step(&bench.inp);
    }
    assert_eq!(seen, (1..10).map(|c| (c, c - 1)).collect::<Vec<_>>());
}

#[test]
fn functions_on_two_buses_are_told_apart_by_all_sixteen_bits() {
    let mut bench = Bench::new(wide(64), 2);
    // Function 1 moves to bus 2 with the low bits of function 0.
    let moved = FunctionCfg {
        valid: true,
        function: FunctionId(1),
        requester: RequesterId(0x0200),
        tag_mode: 2,
        ..FunctionCfg::default()
    };
    bench.dut.step(&TlpRxIn { cfg: moved, ..TlpRxIn::default() });
    for (i, (requester, known)) in
        [(0x0100, true), (0x0200, true), (0x0300, false), (0x0000, false), (VIRTUAL.0, false)].into_iter().enumerate()
    {
        bench.data.clear();
        let mut c = cpl(256 + DATA0, 4, i as u64);
        body(&mut c, |_, _, r, _| *r = RequesterId(requester));
        bench.send(&c);
        bench.settle();
        assert_eq!(bench.data.len(), usize::from(known), "{requester:#06x}");
        // What comes says whose it is.
        let whose = u16::from(requester == 0x0200);
        assert!(bench.data.iter().all(|(_, beat)| beat.function == FunctionId(whose)));
    }
    // Table lines are the physical function's alone.
    for (requester, count) in [(0x0200, 0), (0x0100, 1)] {
        let mut line = cpl(256, 64, 1);
        body(&mut line, |_, _, r, _| *r = RequesterId(requester));
        bench.send(&line);
        bench.settle();
        assert_eq!(bench.mpt.len(), count);
    }
}
