//! The whole unit with an ideal host behind it: the latency budget and the rates that the architecture promises.
//!
//! Latency is counted from the cycle in which a request is taken to the cycle in which its first TLP header is offered.
//! Budget per block: mpt 4, seg 2, mtt 4, replay 3 (8 with a lookup in the ATC), dma 2, tlp_tx 2.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::unit::Unit;
use std::collections::{BTreeMap, VecDeque};
use types::ats::TranslationEntry;
use types::port::{Beat, Credits, FunctionCfg, TlpBeat, UnitIn, UnitOut, WorkRequest, WriteData};
use types::tlp::{Attributes, Body, MemoryOp, Tlp, status};
use types::{
    AddressType, Block, ByteCount, FunctionId, Header, Iova, Key, Length, Mode, MttEntry, Op, Owner, PageSize,
    PasidPrefix, Pd, Region, RequesterId, Rights, StreamId, TlpAddr, UnitCfg, Va, WrId,
};

const MPT: u64 = 0x10_0000;
const MTT: u64 = 0x20_0000;
/// Bus address = IOVA + this.
const SHIFT: u64 = 1 << 40;

struct Bench {
    cfg: UnitCfg,
    unit: Unit,
    out: UnitOut,
    inp: UnitIn,
    cycle: u64,
    memory: BTreeMap<u64, u64>,
    /// Cycles from a read's header to its completion.
    delay: u64,
    answers: VecDeque<(u64, Tlp, Vec<u8>)>,
    sending: Option<(Tlp, Vec<u8>, usize)>,
    data: VecDeque<(u32, u32)>,
    sent: VecDeque<u8>,
    /// First cycle in which each request's id was seen leaving, as data TLP: (cycle, TLP).
    tlps: Vec<(u64, Tlp)>,
    done: Vec<(u64, u16, u8)>,
    released: Vec<u64>,
    translation_requests: u32,
    merged: u32,
}

impl Bench {
    fn new(config: &str, mode: Mode) -> Self {
        let cfg = UnitCfg::named(config).unwrap();
        let mut b = Self {
            unit: Unit::new(&cfg),
            cfg,
            out: UnitOut::default(),
            inp: UnitIn::default(),
            cycle: 0,
            memory: BTreeMap::new(),
            delay: 100,
            answers: VecDeque::new(),
            sending: None,
            data: VecDeque::new(),
            sent: VecDeque::new(),
            tlps: Vec::new(),
            done: Vec::new(),
            released: Vec::new(),
            translation_requests: 0,
            merged: 0,
        };
        b.inp.tx_fc = Credits { ph: 200, pd: 2000, nph: 200, npd: 200 };
        b.region();
        b.inp.reset = true;
        b.idle(4);
        b.inp.reset = false;
        b.inp.cfg = FunctionCfg {
            valid: true,
            requester: RequesterId(0x100),
            bus_master: true,
            mps: 1,
            mrrs: 2,
            tag_mode: 1,
            ats_enable: true,
            ..FunctionCfg::default()
        };
        b.idle(1);
        b.inp.cfg = FunctionCfg::default();
        for (at, value) in [(0x10, MPT as u32), (0x14, (MPT >> 32) as u32), (0x18, 16), (0x08, 1 | (mode as u32) << 1)]
        {
            b.write_register(at, value);
        }
        while !b.out.wr_ready {
            b.idle(1);
        }
        b
    }

    /// One region of 64 pages in key 3, in memory.
    fn region(&mut self) {
        let region = Region {
            valid: true,
            variant: 7,
            pd: Pd(5),
            page_size: PageSize::K4,
            rights: Rights::ALL,
            length: ByteCount(64 << 12),
            mtt: Iova(MTT),
            ..Region::default()
        };
        for (n, word) in region.encode().0.into_iter().enumerate() {
            self.memory.insert(MPT + 3 * 64 + 8 * n as u64, word);
        }
        for n in 0..64 {
            let entry = MttEntry {
                address: TlpAddr(0x4000_0000 + (n << 12)),
                present: true,
                owner: Owner::Gpu,
                write: true,
                read: true,
            };
            self.memory.insert(MTT + 8 * n, entry.encode().0);
        }
    }

    fn write_register(&mut self, at: u16, value: u32) {
        self.inp.axil_awvalid = true;
        self.inp.axil_wvalid = true;
        (self.inp.axil_awaddr, self.inp.axil_wdata, self.inp.axil_wstrb) = (at, value, 15);
        self.inp.axil_bready = true;
        let (mut address, mut data) = (false, false);
        while !(address && data) {
            address |= self.out.axil_awready;
            data |= self.out.axil_wready;
            self.idle(1);
            self.inp.axil_awvalid &= !address;
            self.inp.axil_wvalid &= !data;
        }
        while !self.out.axil_bvalid {
            self.idle(1);
        }
        assert_eq!(self.out.axil_bresp, 0);
        self.idle(1);
    }

    fn complete(&mut self, tlp: &Tlp, request: (RequesterId, types::Tag, u64, AddressType, u8)) {
        let (requester, tag, address, at, first_be) = request;
        let bytes: Vec<u8> = match at {
            AddressType::TRANSLATION_REQUEST => {
                self.translation_requests += 1;
                let entry = TranslationEntry {
                    address: TlpAddr(address + SHIFT),
                    size: PageSize::K4,
                    read: true,
                    write: true,
                    ..TranslationEntry::default()
                };
                entry.encode().to_vec()
            }
            _ => (0..u64::from(tlp.length_dw) * 4)
                .map(|i| {
                    (self.memory.get(&((address + i) & !7)).copied().unwrap_or(0) >> (8 * ((address + i) & 7))) as u8
                })
                .collect(),
        };
        let answer = Tlp {
            tc: 0,
            attributes: Attributes::default(),
            poisoned: false,
            length_dw: tlp.length_dw,
            body: Body::Completion {
                with_data: true,
                completer: RequesterId(0),
                status: status::SC,
                byte_count: bytes.len() as u16,
                requester,
                tag,
                lower_address: (address & 0x7f) as u8 | first_be.trailing_zeros() as u8 & 3,
            },
            pasid: PasidPrefix::default(),
        };
        self.answers.push_back((self.cycle + self.delay, answer, bytes));
    }

    /// One cycle: everything the unit offers is taken.
    fn edge(&mut self) {
        let out = self.out;
        let beat = (self.cfg.data_bits / 8) as usize;
        self.inp.completion_ready = true;
        self.inp.write_data_request_ready = true;
        self.inp.read_data_ready = true;
        self.inp.tx_wr_req_tlp_ready = true;
        self.inp.tx_rd_req_tlp_ready = true;
        for out in [out.tx_wr_req_tlp, out.tx_rd_req_tlp] {
            if !out.valid || !out.sop {
                continue;
            }
            let tlp = Tlp::parse(out.hdr, out.pasid).unwrap();
            let Body::Memory { op, at, requester, tag, address, first_be, .. } = tlp.body else { panic!("{tlp:?}") };
            let table = at == AddressType::UNTRANSLATED && (MPT..MTT + 0x1000).contains(&address.0);
            if !table && at != AddressType::TRANSLATION_REQUEST {
                self.tlps.push((self.cycle, tlp));
            }
            if op == MemoryOp::Read {
                self.complete(&tlp, (requester, tag, address.0, at, first_be));
            }
        }
        self.inp.tx_wr_sent_valid = false;
        if let Some(seq) = self.sent.pop_front() {
            (self.inp.tx_wr_sent_valid, self.inp.tx_wr_sent_seq) = (true, seq);
        }
        if out.tx_wr_req_tlp.valid && out.tx_wr_req_tlp.sop {
            self.sent.push_back(out.tx_wr_req_tlp.seq);
        }
        // Write data the cycle after it was asked for.
        if self.inp.write_data.valid && out.write_data_ready {
            let head = self.data.front_mut().unwrap();
            head.1 -= head.1.min(beat as u32);
            if head.1 == 0 {
                self.data.pop_front();
            }
        }
        if out.write_data_request.valid {
            self.data.push_back((out.write_data_request.offset.0, out.write_data_request.length.0));
        }
        self.step_completions(beat);
        self.unit.step(&self.inp);
        self.unit.outputs(&mut self.out);
        self.cycle += 1;
        self.inp.write_data = self.data.front().map_or(WriteData::default(), |(_, left)| WriteData {
            valid: true,
            data: Beat([0x11; 8]),
            keep: u64::MAX >> (64 - (*left).min(beat as u32)),
            last: *left <= beat as u32,
        });
        let wires = self.unit.wires();
        if wires.replay.released.valid {
            self.released.push(self.cycle);
        }
        self.merged += u32::from(wires.ats.stat_merge);
        if self.out.completion.valid {
            self.done.push((self.cycle, self.out.completion.id.0, self.out.completion.syndrome.0));
        }
    }

    fn step_completions(&mut self, beat: usize) {
        self.inp.rx_cpl_tlp = TlpBeat::default();
        if self.sending.is_none() && self.answers.front().is_some_and(|(due, ..)| *due <= self.cycle) {
            let (_, tlp, bytes) = self.answers.pop_front().unwrap();
            self.sending = Some((tlp, bytes, 0));
        }
        let Some((tlp, bytes, at)) = &mut self.sending else { return };
        let chunk = &bytes[*at..bytes.len().min(*at + beat)];
        self.inp.rx_cpl_tlp = TlpBeat {
            valid: true,
            sop: *at == 0,
            eop: *at + chunk.len() == bytes.len(),
            hdr: if *at == 0 { tlp.header() } else { Header::default() },
            data: Beat::from_bytes(chunk),
            strb: (1u32 << (chunk.len() / 4)).wrapping_sub(1) as u16,
            ..TlpBeat::default()
        };
        *at += chunk.len();
        if *at == bytes.len() {
            self.sending = None;
        }
    }

    fn idle(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.edge());
    }

    /// Offers a request until it is taken; returns the cycle in which it was.
    fn send(&mut self, wr: WorkRequest) -> u64 {
        self.inp.wr = wr;
        while !self.out.wr_ready {
            self.edge();
        }
        let taken = self.cycle;
        self.edge();
        self.inp.wr = WorkRequest::default();
        taken
    }

    fn warm(&mut self, pages: u64) {
        for page in 0..pages {
            self.send(request(0, 0, Op::READ, page << 12, 8));
            self.idle(800);
        }
        assert_eq!(self.done.len(), pages as usize);
        assert!(self.done.iter().all(|(_, _, syndrome)| *syndrome == 0), "{:?}", self.done);
        self.done.clear();
        self.tlps.clear();
        self.released.clear();
        (self.translation_requests, self.merged) = (0, 0);
    }
}

fn request(id: u16, stream: u16, op: Op, va: u64, length: u32) -> WorkRequest {
    WorkRequest {
        valid: true,
        id: WrId(id),
        function: FunctionId(0),
        stream: StreamId(stream),
        op,
        remote: true,
        key: Key::new(3, 7),
        va: Va(va),
        length: Length(length),
        pd: Pd(5),
        ..WorkRequest::default()
    }
}

const MODES: [(Mode, u64, AddressType, u64); 3] = [
    (Mode::Direct, 17, AddressType::UNTRANSLATED, 0x4000_0000),
    (Mode::Emtt, 17, AddressType::TRANSLATED, 0x4000_0000),
    (Mode::Ats, 22, AddressType::TRANSLATED, SHIFT + 0x4000_0000),
];

#[test]
fn latency_of_a_read_that_hits_is_exactly_its_budget() {
    for config in ["small", "medium", "large"] {
        for (mode, budget, at, base) in MODES {
            let mut b = Bench::new(config, mode);
            b.warm(1);
            let taken = b.send(request(1, 0, Op::READ, 0x40, 64));
            b.idle(60);
            let (cycle, tlp) = b.tlps[0];
            assert_eq!(cycle - taken, budget, "{config} {mode}");
            let Body::Memory { at: seen, address, .. } = tlp.body else { panic!("{tlp:?}") };
            assert_eq!((seen, address), (at, TlpAddr(base + 0x40)), "{config} {mode}");
        }
    }
}

#[test]
fn latency_of_a_write_is_the_budget_of_a_read_and_its_data() {
    for (mode, budget, ..) in MODES {
        let mut b = Bench::new("large", mode);
        b.warm(1);
        let taken = b.send(request(1, 0, Op::WRITE, 0x40, 64));
        b.idle(60);
        // The range is asked for where a read's descriptor would leave. The source answers in the next cycle, and the
        // beat passes the shifter: two cycles more, then the same way through tlp_tx.
        assert_eq!(b.tlps[0].0 - taken, budget + 2, "{mode}");
        assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, 0)]);
    }
}

#[test]
fn one_translation_a_cycle_on_hits_at_the_exit_of_replay() {
    for (mode, ..) in MODES {
        for streams in [1, 8] {
            let mut b = Bench::new("large", mode);
            b.warm(1);
            b.inp.tx_fc = Credits { ph: 200, pd: 2000, nph: 200, npd: 200 };
            // Reads of 64 bytes: one segment, one header each, as many as there are data tags for.
            let count = b.cfg.tags().end.min(256) - b.cfg.tags().data;
            for n in 0..count as u16 {
                b.send(request(n, n % streams, Op::READ, 0, 64));
            }
            b.idle(60);
            let spread = b.released.last().unwrap() - b.released[0];
            assert_eq!((b.released.len() as u32, spread), (count, u64::from(count) - 1), "{mode} {streams}");
            // And one header a cycle at the pins.
            let headers: Vec<_> = b.tlps.iter().map(|(at, _)| *at).collect();
            assert_eq!(headers.last().unwrap() - headers[0], u64::from(count) - 1, "{mode} {streams}");
        }
    }
}

#[test]
fn hit_under_miss() {
    let mut b = Bench::new("large", Mode::Ats);
    b.warm(1);
    b.delay = 2000;
    for page in 10..20 {
        b.send(request(page as u16, 0, Op::READ, page << 12, 64));
    }
    for n in 0..5 {
        let taken = b.send(request(n, 1, Op::READ, 0x80, 64));
        b.idle(60);
        assert_eq!(b.tlps.last().unwrap().0 - taken, 22);
    }
    assert_eq!(b.tlps.len(), 5);
}

#[test]
fn misses_of_one_page_are_merged() {
    let mut b = Bench::new("large", Mode::Ats);
    b.warm(1);
    for n in 0..8 {
        b.send(request(n, n, Op::READ, (1 << 12) + 64 * u64::from(n), 64));
    }
    b.idle(400);
    assert_eq!((b.translation_requests, b.merged, b.tlps.len()), (1, 7, 8));
}

#[test]
fn write_rate_is_one_tlp_per_payload_over_width() {
    for config in ["small", "medium", "large"] {
        let mut b = Bench::new(config, Mode::Emtt);
        b.warm(2);
        b.send(request(1, 0, Op::WRITE, 0, 8192));
        b.idle(1500);
        // MPS 256: 32 TLPs, each 256 / width beats, back to back.
        let beats = u64::from(256 / b.cfg.data_bytes());
        let at: Vec<_> = b.tlps.iter().map(|(at, _)| *at).collect();
        assert_eq!(at.len(), 32, "{config}");
        assert!(at.windows(2).all(|w| w[1] - w[0] == beats), "{config}: {at:?}");
    }
}
