//! Surroundings of `tlp_tx`: sources that hold their offers, the core's credits, the link that reports what it sent.

use crate::axi::{Chance, Stream, byte_of, edge, sample};
use cycle::tlp_tx::TlpTx;
use std::collections::VecDeque;
use types::access::AddressType;
use types::addr::{FunctionId, RequesterId, Tag, TlpAddr};
use types::bits::mask;
use types::config::{NAMED, UnitCfg};
use types::port::{
    Beat, Credits, FunctionCfg, LineRequest, Operands, PostedBeat, TlpBeat, TlpDescriptor, TlpTxIn, TlpTxOut,
};
use types::ports::Block;
use types::tlp::{Attributes, Body, MemoryOp, Routing, Tlp, TlpOp};

pub(crate) const PLENTY: Credits = Credits { ph: 255, pd: 4095, nph: 255, npd: 4095 };

pub(crate) fn wide(data_bits: u32) -> UnitCfg {
    UnitCfg { data_bits, ..NAMED[1].1.clone() }
}

pub(crate) fn requester(function: u16) -> RequesterId {
    RequesterId(0x0100 + 3 * function)
}

/// What is offered on each input, and what came out.
pub(crate) struct Bench {
    pub(crate) cfg: UnitCfg,
    pub(crate) dut: TlpTx,
    pub(crate) out: TlpTxOut,
    pub(crate) inp: TlpTxIn,
    pub(crate) cycle: u64,
    pub(crate) chance: Chance,
    pub(crate) stall: u64,
    pub(crate) fc: Credits,
    /// Credits given back in each cycle, at random, up to what is owed.
    pub(crate) owed: Credits,
    pub(crate) give_back: bool,
    pub(crate) writes: VecDeque<PostedBeat>,
    pub(crate) reads: VecDeque<TlpDescriptor>,
    pub(crate) ats: VecDeque<TlpDescriptor>,
    pub(crate) mpt: VecDeque<LineRequest>,
    pub(crate) mtt: VecDeque<LineRequest>,
    pub(crate) messages: VecDeque<TlpDescriptor>,
    /// Cycle in which each was taken: last beats of writes, reads, messages.
    pub(crate) taken: [Vec<u64>; 3],
    /// Beats that were taken, with their cycle.
    pub(crate) posted: Vec<(u64, TlpBeat)>,
    pub(crate) non_posted: Vec<(u64, TlpBeat)>,
    pub(crate) unsent: VecDeque<u8>,
    pub(crate) hold_sent: bool,
    pub(crate) sent: Vec<u64>,
    pub(crate) posted_sent: Vec<u64>,
    pub(crate) streams: (Stream<TlpBeat>, Stream<TlpBeat>),
    pub(crate) stall_posted: u64,
    pub(crate) stall_non_posted: u64,
}

impl Bench {
    pub(crate) fn new(cfg: UnitCfg, stall: u64, seed: u64) -> Self {
        let mut dut = TlpTx::new(&cfg);
        dut.step(&TlpTxIn { reset: true, ..TlpTxIn::default() });
        for function in 0..cfg.functions as u16 {
            let update = FunctionCfg {
                valid: true,
                function: FunctionId(function),
                requester: requester(function),
                tag_mode: 2,
                ..FunctionCfg::default()
            };
            dut.step(&TlpTxIn { cfg: update, ..TlpTxIn::default() });
        }
        Self {
            dut,
            cfg,
            out: TlpTxOut::default(),
            inp: TlpTxIn::default(),
            cycle: 0,
            chance: Chance::new(seed),
            stall,
            fc: PLENTY,
            owed: Credits::default(),
            give_back: true,
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            ats: VecDeque::new(),
            mpt: VecDeque::new(),
            mtt: VecDeque::new(),
            messages: VecDeque::new(),
            taken: Default::default(),
            posted: vec![],
            non_posted: vec![],
            unsent: VecDeque::new(),
            hold_sent: false,
            sent: vec![],
            posted_sent: vec![],
            streams: (Stream::new("tx_wr_req_tlp"), Stream::new("tx_rd_req_tlp")),
            stall_posted: 0,
            stall_non_posted: 0,
        }
    }

    pub(crate) fn tick(&mut self) {
        sample(&self.dut, &mut self.out);
        let o = self.out;
        let i = &mut self.inp;
        let stall = self.stall;
        // An offer that was not taken stays.
        macro_rules! offer {
            ($port:ident, $ready:ident, $queue:ident) => {
                if i.$port.valid || !self.chance.percent(stall) {
                    i.$port = self.$queue.front().copied().unwrap_or_default();
                }
                if i.$port.valid && o.$ready {
                    self.$queue.pop_front();
                }
            };
        }
        offer!(posted, posted_ready, writes);
        offer!(read, read_ready, reads);
        i.read_operands = if i.read.valid { operands_of(&i.read) } else { Operands::default() };
        offer!(ats_request, ats_request_ready, ats);
        offer!(mpt_fetch, mpt_fetch_ready, mpt);
        offer!(mtt_fetch, mtt_fetch_ready, mtt);
        offer!(ats_message, ats_message_ready, messages);
        i.tx_wr_req_tlp_ready = !self.chance.percent(stall);
        i.tx_rd_req_tlp_ready = !self.chance.percent(stall);
        i.tx_fc = self.fc;
        i.tx_wr_sent_valid = false;
        if !self.hold_sent
            && !self.chance.percent(stall)
            && let Some(seq) = self.unsent.pop_front()
        {
            (i.tx_wr_sent_valid, i.tx_wr_sent_seq) = (true, seq);
            self.sent.push(self.cycle);
        }
        if o.posted_sent {
            self.posted_sent.push(self.cycle);
        }
        if i.posted.valid && o.posted_ready && i.posted.eop {
            self.taken[0].push(self.cycle);
        }
        if i.read.valid && o.read_ready {
            self.taken[1].push(self.cycle);
        }
        if i.ats_message.valid && o.ats_message_ready {
            self.taken[2].push(self.cycle);
        }
        let inp = self.inp;
        if self.streams.0.observe(o.tx_wr_req_tlp.valid, inp.tx_wr_req_tlp_ready, &o.tx_wr_req_tlp) {
            if o.tx_wr_req_tlp.eop {
                let head = self.posted.iter().rev().map(|(_, b)| b).find(|b| b.sop);
                let head = if o.tx_wr_req_tlp.sop { o.tx_wr_req_tlp } else { *head.unwrap() };
                let tlp = Tlp::parse(head.hdr, head.pasid).unwrap();
                let pd = tlp.payload_dw().div_ceil(4);
                self.fc.ph = self.fc.ph.checked_sub(1).expect("a posted header credit");
                self.fc.pd = self.fc.pd.checked_sub(pd).expect("posted data credits");
                self.owed.ph += 1;
                self.owed.pd += pd;
                self.unsent.push_back(head.seq);
            }
            self.posted.push((self.cycle, o.tx_wr_req_tlp));
        }
        if self.streams.1.observe(o.tx_rd_req_tlp.valid, inp.tx_rd_req_tlp_ready, &o.tx_rd_req_tlp) {
            if o.tx_rd_req_tlp.eop {
                let head = self.non_posted.iter().rev().map(|(_, b)| b).find(|b| b.sop);
                let head = if o.tx_rd_req_tlp.sop { o.tx_rd_req_tlp } else { *head.unwrap() };
                let npd = Tlp::parse(head.hdr, head.pasid).unwrap().payload_dw().div_ceil(4);
                self.fc.nph = self.fc.nph.checked_sub(1).expect("a non-posted header credit");
                self.fc.npd = self.fc.npd.checked_sub(npd).expect("non-posted data credits");
                self.owed.nph += 1;
                self.owed.npd += npd;
            }
            self.non_posted.push((self.cycle, o.tx_rd_req_tlp));
        }
        if self.give_back && !self.chance.percent(stall) {
            for (to, from) in [(&mut self.fc.ph, &mut self.owed.ph), (&mut self.fc.nph, &mut self.owed.nph)] {
                *to += *from;
                *from = 0;
            }
            self.fc.pd += std::mem::take(&mut self.owed.pd);
            self.fc.npd += std::mem::take(&mut self.owed.npd);
        }
        self.stall_posted += u64::from(o.stat_stall_posted_credit);
        self.stall_non_posted += u64::from(o.stat_stall_non_posted_credit);
        edge(&mut self.dut, &inp, &self.out);
        self.cycle += 1;
    }

    pub(crate) fn run(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.tick());
    }

    /// Queues a write of `dws` DWs whose payload is made of `seed`.
    pub(crate) fn write(&mut self, tlp: TlpDescriptor, seed: u64) {
        let bytes = payload(tlp.length_dw, seed);
        let width = self.cfg.data_bytes() as usize;
        let beats = bytes.len().div_ceil(width);
        for (i, part) in bytes.chunks(width).enumerate() {
            let eop = i + 1 == beats;
            self.writes.push_back(PostedBeat {
                valid: true,
                data: Beat::from_bytes(part),
                strb: mask(part.len() as u32 / 4) as u16,
                eop,
                tlp: if eop { tlp } else { TlpDescriptor::default() },
            });
        }
    }

    /// Posted TLPs as header and payload, put together from beats.
    pub(crate) fn posted_tlps(&self) -> Vec<(Tlp, Vec<u8>)> {
        whole(&self.posted)
    }

    /// Non-posted ones.
    pub(crate) fn non_posted_tlps(&self) -> Vec<(Tlp, Vec<u8>)> {
        whole(&self.non_posted)
    }
}

fn whole(beats: &[(u64, TlpBeat)]) -> Vec<(Tlp, Vec<u8>)> {
    let mut out: Vec<(Tlp, Vec<u8>)> = vec![];
    let mut open = false;
    for (_, beat) in beats {
        assert_eq!(beat.sop, !open);
        open = !beat.eop;
        if beat.sop {
            out.push((Tlp::parse(beat.hdr, beat.pasid).unwrap(), vec![]));
        } else {
            assert_eq!((beat.hdr, beat.pasid, beat.seq), Default::default());
        }
        let dws = beat.strb.trailing_ones() as usize;
        assert_eq!(u64::from(beat.strb), mask(dws as u32));
        out.last_mut().unwrap().1.extend(&beat.data.to_bytes()[..4 * dws]);
    }
    out
}

/// Operands of an atomic, made of its tag; what it does not carry is zero.
fn operands_of(read: &TlpDescriptor) -> Operands {
    let mut bytes = [0; 32];
    if read.op != TlpOp::READ {
        let carried = payload(read.length_dw, read.tag.into());
        bytes[..carried.len()].copy_from_slice(&carried);
    }
    let word = |i: usize| bytes[8 * i..8 * i + 8].iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
    Operands([0, 1, 2, 3].map(word))
}

/// An atomic that carries `dws` DWs.
pub(crate) fn atomic(op: TlpOp, tag: u16, address: u64, dws: u16) -> TlpDescriptor {
    TlpDescriptor { valid: true, op, tag, address: TlpAddr(address), length_dw: dws, ..TlpDescriptor::default() }
}

pub(crate) fn payload(dws: u16, seed: u64) -> Vec<u8> {
    (0..4 * u64::from(dws)).map(|i| byte_of(seed << 20 | i)).collect()
}

pub(crate) fn write(address: u64, length_dw: u16) -> TlpDescriptor {
    TlpDescriptor {
        valid: true,
        op: TlpOp::WRITE,
        address: TlpAddr(address),
        length_dw,
        first_be: 0xf,
        last_be: if length_dw == 1 { 0 } else { 0xf },
        ..TlpDescriptor::default()
    }
}

pub(crate) fn read(tag: u16) -> TlpDescriptor {
    TlpDescriptor { op: TlpOp::READ, tag, ..write(0x1000, 16) }
}

pub(crate) fn message(dw2: u32) -> TlpDescriptor {
    TlpDescriptor {
        valid: true,
        op: TlpOp::MESSAGE_BY_ID,
        address: TlpAddr(u64::from(dw2) << 32 | 0x8000_0001),
        first_be: 2,
        ..TlpDescriptor::default()
    }
}

/// The TLP a descriptor means, by the rules of `TlpDescriptor` and of the tag numbering.
pub(crate) fn meant(d: &TlpDescriptor) -> Tlp {
    let requester = requester(d.function.0);
    let body = match d.op {
        TlpOp::MESSAGE_BY_ID | TlpOp::MESSAGE_TO_ROOT => Body::Message {
            with_data: false,
            routing: if d.op == TlpOp::MESSAGE_BY_ID { Routing::ById } else { Routing::ToRoot },
            requester,
            tag: Tag(0),
            code: d.last_be << 4 | d.first_be,
            dw2: (d.address.0 >> 32) as u32,
            dw3: d.address.0 as u32,
        },
        op => Body::Memory {
            op: match op {
                TlpOp::READ => MemoryOp::Read,
                TlpOp::WRITE => MemoryOp::Write,
                TlpOp::FETCH_ADD => MemoryOp::FetchAdd,
                TlpOp::SWAP => MemoryOp::Swap,
                _ => MemoryOp::Cas,
            },
            at: d.at,
            requester,
            // 10-bit tags are numbered from 256.
            tag: if op == TlpOp::WRITE { Tag(0) } else { Tag(d.tag + 256) },
            first_be: d.first_be,
            last_be: d.last_be,
            address: TlpAddr(d.address.0 & !3),
            no_write: d.at == AddressType::TRANSLATION_REQUEST && d.address.0 & 1 == 1,
        },
    };
    let is_message = matches!(body, Body::Message { .. });
    Tlp {
        tc: 0,
        attributes: Attributes { relaxed: d.relaxed, id_order: d.id_order, no_snoop: d.no_snoop },
        poisoned: false,
        length_dw: if is_message { 0 } else { d.length_dw },
        body,
        pasid: d.pasid,
    }
}
