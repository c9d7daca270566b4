//! An ideal host behind the unit: tables in memory, a translation agent, a completer, sources and sinks.

pub(crate) use crate::requests::{function, request};
use crate::script::{Kind, Script, pattern};
use cycle::unit::Unit;
use std::collections::{BTreeMap, VecDeque};
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::{Beat, Credits, FunctionCfg, MessageTlp, TlpBeat, UnitIn, UnitOut, WorkRequest, WriteData};
use types::tlp::{Attributes, Body, MemoryOp, Tlp, status};
use types::{
    AddressType, Block, FunctionId, Header, Mode, MttEntry, Op, Owner, PageSize, PasidPrefix, Region, RequesterId,
    TlpAddr, UnitCfg,
};

pub(crate) const MPT: u64 = 0x10_0000;
pub(crate) const MTT: u64 = 0x20_0000;
/// Bus address = IOVA + this.
pub(crate) const SHIFT: u64 = 1 << 40;

pub(crate) struct Bench {
    pub(crate) cfg: UnitCfg,
    pub(crate) unit: Unit,
    pub(crate) out: UnitOut,
    pub(crate) inp: UnitIn,
    pub(crate) cycle: u64,
    pub(crate) memory: BTreeMap<u64, u64>,
    /// Cycles from a read's header to its completion.
    pub(crate) delay: u64,
    pub(crate) answers: VecDeque<(u64, Tlp, Vec<u8>)>,
    pub(crate) sending: Option<(Tlp, Vec<u8>, usize)>,
    pub(crate) data: VecDeque<(u32, u32)>,
    pub(crate) sent: VecDeque<u8>,
    /// Sequence number of the posted TLP under way, and the cycle of the last beat of the one before.
    seq: u8,
    pub(crate) posted_end: u64,
    /// First cycle in which each request's id was seen leaving, as data TLP: (cycle, TLP).
    pub(crate) tlps: Vec<(u64, Tlp)>,
    pub(crate) done: Vec<(u64, u16, u8)>,
    pub(crate) released: Vec<u64>,
    pub(crate) translation_requests: u32,
    pub(crate) merged: u32,
    /// Bus address = IOVA + this.
    pub(crate) shift: u64,
    /// Size of the agent's translations.
    pub(crate) size: PageSize,
    /// The agent gives no access to this page.
    pub(crate) refuse: Option<u64>,
    /// The agent gives no access to pages from 10 on.
    pub(crate) refuse_all: bool,
    /// The agent gives no write access to this page.
    pub(crate) deny_writes: Option<u64>,
    /// Write data is held back.
    pub(crate) hold_data: bool,
    /// Messages that left: cycle, TLP.
    pub(crate) messages: Vec<(u64, Tlp)>,
    /// Data completions are held back.
    pub(crate) hold_completions: bool,
    held: Vec<(Tlp, Vec<u8>)>,
    /// Completions for this requester are held back, those of Translation Requests too.
    pub(crate) hold_of: Option<u16>,
    /// Every completion is lost.
    pub(crate) lose_completions: bool,
    /// What else the surroundings do, and what they have seen.
    pub(crate) script: Script,
}

impl Bench {
    pub(crate) fn new(config: &str, mode: Mode) -> Self {
        Self::with(UnitCfg::named(config).unwrap(), mode)
    }

    pub(crate) fn with(cfg: UnitCfg, mode: Mode) -> Self {
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
            seq: 0,
            posted_end: 0,
            tlps: Vec::new(),
            done: Vec::new(),
            released: Vec::new(),
            translation_requests: 0,
            merged: 0,
            shift: SHIFT,
            size: PageSize::K4,
            refuse: None,
            refuse_all: false,
            deny_writes: None,
            hold_data: false,
            messages: Vec::new(),
            hold_completions: false,
            held: Vec::new(),
            hold_of: None,
            lose_completions: false,
            script: Script::default(),
        };
        b.inp.tx_fc = Credits { ph: 200, pd: 2000, nph: 200, npd: 200 };
        b.region();
        b.inp.reset = true;
        b.idle(4);
        b.inp.reset = false;
        b.configure(function());
        for (at, value) in [(0x10, MPT as u32), (0x14, (MPT >> 32) as u32), (0x18, 16), (0x08, 1 | (mode as u32) << 1)]
        {
            b.write_register(at, value);
        }
        while !b.out.wr_ready {
            b.idle(1);
        }
        b
    }

    /// Sends the configuration of a function.
    pub(crate) fn configure(&mut self, cfg: FunctionCfg) {
        self.inp.cfg = cfg;
        self.idle(1);
        self.inp.cfg = FunctionCfg::default();
    }

    /// One region of 64 pages in key 3, in memory.
    pub(crate) fn region(&mut self) {
        self.region_of(3, FunctionId(0));
    }

    /// The same pages in another key, for another function.
    pub(crate) fn region_of(&mut self, key: u64, function: FunctionId) {
        let region = Region { function, ..crate::requests::region() };
        for (n, word) in region.encode().0.into_iter().enumerate() {
            self.memory.insert(MPT + key * 64 + 8 * n as u64, word);
        }
        for n in 0..64 {
            let entry = MttEntry {
                address: TlpAddr(0x4000_0000 + (n << 12)),
                present: true,
                owner: Owner::Gpu,
                write: true,
                read: true,
                ..MttEntry::default()
            };
            self.memory.insert(MTT + 8 * n, entry.encode().0);
        }
    }

    pub(crate) fn write_register(&mut self, at: u16, value: u32) {
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

    fn refuses(&self, iova: u64) -> bool {
        self.refuse == Some(iova) || self.refuse_all && iova >= 0x4000_a000
    }

    /// Accesses of the region carry this PASID.
    pub(crate) fn set_pasid(&mut self, pasid: PasidPrefix) {
        self.memory.insert(MPT + 3 * 64 + 8, u64::from(pasid.pasid.0) | 1 << 20 | 0xf << 32);
    }

    pub(crate) fn read_register(&mut self, at: u16) -> u32 {
        (self.inp.axil_arvalid, self.inp.axil_araddr, self.inp.axil_rready) = (true, at, true);
        while !self.out.axil_arready {
            self.idle(1);
        }
        self.idle(1);
        self.inp.axil_arvalid = false;
        while !self.out.axil_rvalid {
            self.idle(1);
        }
        assert_eq!(self.out.axil_rresp, 0);
        let data = self.out.axil_rdata;
        self.idle(1);
        data
    }

    pub(crate) fn complete(&mut self, tlp: &Tlp, request: (RequesterId, types::Tag, u64, AddressType, u8)) {
        let (requester, tag, address, at, first_be) = request;
        let table = (MPT..MTT + 0x1000).contains(&address);
        let bytes: Vec<u8> = match at {
            AddressType::TRANSLATION_REQUEST => {
                self.translation_requests += 1;
                let entry = TranslationEntry {
                    address: TlpAddr((address & !self.size.offset_mask().0) + self.shift),
                    size: self.size,
                    read: !self.refuses(address),
                    write: !self.refuses(address) && self.deny_writes != Some(address),
                    ..TranslationEntry::default()
                };
                self.script.entry(address, entry).encode().to_vec()
            }
            _ if !table => (0..u64::from(tlp.length_dw) * 4).map(|i| pattern(address + i)).collect(),
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
                // A zero-length read is answered with Byte Count 1 (2.2.9).
                byte_count: if first_be == 0 { 1 } else { bytes.len() as u16 },
                requester,
                tag,
                lower_address: (address & 0x7f) as u8
                    | if first_be == 0 { 0 } else { first_be.trailing_zeros() as u8 & 3 },
            },
            pasid: PasidPrefix::default(),
        };
        let kind = match at {
            AddressType::TRANSLATION_REQUEST => Kind::Translation,
            _ if table => Kind::Table,
            _ => Kind::Data,
        };
        let (answer, bytes) = self.script.spoil(kind, address, answer, bytes);
        let data = kind == Kind::Data;
        let held = self.hold_of == Some(requester.0);
        if let Some(boundary) = self.script.split.filter(|_| data && !held) {
            let due = self.cycle + self.delay;
            let parts = self.script.parts(boundary, address, answer, &bytes);
            self.answers.extend(parts.into_iter().map(|(tlp, bytes)| (due, tlp, bytes)));
            return;
        }
        if self.lose_completions || held || data && self.hold_completions {
            self.held.push((answer, bytes));
        } else {
            self.answers.push_back((self.cycle + self.delay, answer, bytes));
        }
    }

    /// Answers an atomic with an operand of data memory; Lower Address is reserved, and so anything.
    fn answer_atomic(&mut self, request: &Tlp) {
        let Body::Memory { op, requester, tag, address, .. } = request.body else { return };
        let bytes = 4 * request.length_dw / if op == MemoryOp::Cas { 2 } else { 1 };
        let data: Vec<u8> = (address.0..address.0 + u64::from(bytes)).map(pattern).collect();
        let body = Body::Completion {
            with_data: true,
            completer: RequesterId(0),
            status: status::SC,
            byte_count: bytes,
            requester,
            tag,
            lower_address: 0x2a,
        };
        let answer = Tlp { length_dw: bytes / 4, body, pasid: PasidPrefix::default(), ..*request };
        let (answer, data) = self.script.spoil(Kind::Data, address.0, answer, data);
        if self.hold_completions || self.lose_completions {
            self.held.push((answer, data));
        } else {
            self.answers.push_back((self.cycle + self.delay, answer, data));
        }
    }

    /// Lets the data completions go that were held back.
    pub(crate) fn let_completions_go(&mut self) {
        self.hold_completions = false;
        self.lose_completions = false;
        self.hold_of = None;
        let due = self.cycle;
        self.answers.extend(self.held.drain(..).map(|(tlp, bytes)| (due, tlp, bytes)));
    }

    /// Offers an Invalidate Request for the physical function until it is taken.
    pub(crate) fn invalidate(&mut self, itag: u16, range: InvalidateRange) {
        self.offer_invalidate(0x100, itag, range);
        self.take_message();
    }

    /// Sends a message without data to the unit.
    pub(crate) fn message(&mut self, tlp: &Tlp) {
        self.inp.rx_msg_tlp = MessageTlp { valid: true, hdr: tlp.header(), data: 0, pasid: tlp.pasid };
        self.take_message();
    }

    fn take_message(&mut self) {
        while !self.out.rx_msg_tlp_ready {
            self.edge();
        }
        self.edge();
        self.inp.rx_msg_tlp = MessageTlp::default();
    }

    /// Puts an Invalidate Request for the function with a requester ID on the message port.
    pub(crate) fn offer_invalidate(&mut self, requester: u32, itag: u16, range: InvalidateRange) {
        let tlp = Tlp {
            tc: 0,
            attributes: Attributes::default(),
            poisoned: false,
            length_dw: 2,
            body: Body::Message {
                with_data: true,
                routing: types::tlp::Routing::ById,
                requester: RequesterId(0x8),
                tag: types::Tag(itag),
                code: 1,
                dw2: requester << 16,
                dw3: 0,
            },
            pasid: PasidPrefix::default(),
        };
        let data = u64::from_le_bytes(range.encode());
        self.inp.rx_msg_tlp = MessageTlp { valid: true, hdr: tlp.header(), data, pasid: PasidPrefix::default() };
    }

    /// One cycle: everything the unit offers is taken.
    pub(crate) fn edge(&mut self) {
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
            let Body::Memory { op, at, requester, tag, address, first_be, .. } = tlp.body else {
                self.messages.push((self.cycle, tlp));
                continue;
            };
            let table = at == AddressType::UNTRANSLATED && (MPT..MTT + 0x1000).contains(&address.0);
            if !table && at != AddressType::TRANSLATION_REQUEST {
                self.tlps.push((self.cycle, tlp));
            }
            if at == AddressType::TRANSLATION_REQUEST {
                self.script.asked.push((self.cycle, tlp));
            }
            if op == MemoryOp::Read {
                self.script.sent(tag);
                self.complete(&tlp, (requester, tag, address.0, at, first_be));
            }
        }
        self.script.write_line(&out.tx_wr_req_tlp, &mut self.memory);
        if out.tx_rd_req_tlp.valid
            && let Some(tlp) = self.script.non_posted(self.cycle, &out.tx_rd_req_tlp)
        {
            self.answer_atomic(&tlp);
        }
        self.inp.tx_wr_sent_valid = false;
        if !self.script.hold_sent
            && let Some(seq) = self.sent.pop_front()
        {
            (self.inp.tx_wr_sent_valid, self.inp.tx_wr_sent_seq) = (true, seq);
        }
        if out.tx_wr_req_tlp.valid {
            if out.tx_wr_req_tlp.sop {
                self.seq = out.tx_wr_req_tlp.seq;
            }
            if out.tx_wr_req_tlp.eop {
                self.sent.push_back(self.seq);
                self.posted_end = self.cycle;
            }
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
        let data = self.data.front().filter(|_| !self.hold_data || self.inp.write_data.valid);
        self.inp.write_data = data.map_or(WriteData::default(), |(_, left)| WriteData {
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
        self.script.count(&wires.ats);
        self.script.take(&self.out.read_data);
        if self.out.completion.valid {
            self.done.push((self.cycle, self.out.completion.id.0, self.out.completion.syndrome.0));
        }
    }

    pub(crate) fn step_completions(&mut self, beat: usize) {
        self.inp.rx_cpl_tlp = TlpBeat::default();
        if self.script.gaps && !self.cycle.is_multiple_of(3) {
            return;
        }
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
            self.script.completed(tlp);
            self.sending = None;
        }
    }

    pub(crate) fn idle(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.edge());
    }

    /// Offers a request until it is taken; returns the cycle in which it was.
    pub(crate) fn send(&mut self, wr: WorkRequest) -> u64 {
        self.inp.wr = wr;
        while !self.out.wr_ready {
            self.edge();
        }
        let taken = self.cycle;
        self.edge();
        self.inp.wr = WorkRequest::default();
        taken
    }

    pub(crate) fn warm(&mut self, pages: u64) {
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
