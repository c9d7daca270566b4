//! `tlp_tx`: headers, arbitration and credits of everything the unit sends.
//!
//! ```text
//!  posted beats ──────► payload buffer ───────────────┐
//!  eop: descriptor ──┬► order queue(32) ─► credits ───┴► header ─► [tx_wr_req_tlp]
//!  ats_message ──────┤                       ▲ PH, PD
//!  line ─► [line] ───┘
//!  mpt_fetch ─► skid ─┐
//!  mtt_fetch ─► skid ─┤ round robin ─► NPH, NPD ──► header ─► [tx_rd_req_tlp]
//!  ats_request ► skid ┤
//!  read ──────► skid ─┘
//!  tx_wr_sent ─► live[seq], from dma[seq] ─► [posted_sent]
//! ```
//!
//! | stage | from edge to edge |
//! |---|---|
//! | queue | descriptor (posted: the eop beat) taken at k, head of its queue in cycle k+1 |
//! | header | arbitration, credits and header at edge k+1; first beat in cycle k+2, then one beat a cycle |
//! | sent | `tx_wr_sent` at s: `posted_sent` in cycle s+1 |
//!
//! A posted TLP stands in the order queue from its last beat, so what is offered is wholly buffered; a last beat without
//! a descriptor drops the TLP. Messages enter the
//! same queue: one that pushes writes cannot pass any write committed before it. A message takes a turn in which
//! `posted_ready` is low; after it comes a cycle for writes.
//!
//! An MPT line that a registration writes takes a turn in the same way, with its payload in a register of its own: one at
//! a time, until `line_sent` says that it has left.
//!
//! Credits are looked at when a TLP enters the output register. `tx_fc` reflects every TLP whose last beat was taken
//! before this cycle; the one whose last beat is being taken now is subtracted here. So what is offered always has its
//! credits, and none is given away twice.
//!
//! Sequence numbers of posted TLPs come back in `tx_wr_sent`; a number is used again only after that, so 64 are under
//! way at most.
//!
//! The header is built with shifts, as the hardware wires it; `types::tlp` packs the same fields by name, and the tests
//! hold one against the other. The function's requester ID comes from a small RAM written by `cfg`. Tags: see
//! `wire_tag`.
//!
//! An atomic carries its operands in the non-posted stream, a beat or several, and stands in the skid buffer with them. One
//! that has no data credit is passed over, so that the other sources go on.
//!
//! Progress: posted and non-posted share nothing. Each non-posted source has its own skid buffer; the round robin passes
//! over a source only after serving it, or without its credits. Posted buffer and order queue drain with credits alone.

use crate::progress::{Wait, wait};
use crate::table_write;
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::AddressType;
use types::addr::{FunctionId, RequesterId, TlpAddr};
use types::bits::mask;
use types::config::TagMap;
use types::port::{Beat, LineRequest, LineWrite, Operands, TlpBeat, TlpDescriptor, TlpTxIn, TlpTxOut};
use types::ports::{Block, Cycle};
use types::tlp::{Header, TlpOp};

/// Posted TLPs buffered.
pub const POSTED_TLPS: usize = 32;
/// Entries of a skid buffer.
const SKID: usize = 2;
/// Non-posted sources, in the order of the round robin.
const SOURCES: usize = 4;
const MPT: usize = 0;
const MTT: usize = 1;
const ATS: usize = 2;
const READ: usize = 3;

/// The tag on the wire of the unit's tag `number`: with 10-bit tags, bits 9:8 may not be 00 (PCIe 6.x 2.2.6.2).
pub const fn wire_tag(number: u16, tag_mode: u8) -> u16 {
    if tag_mode >= 2 { number + 256 } else { number }
}
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("tlp_tx.posted", "link.posted", "always"),
    wait("tlp_tx.mpt_fetch", "link.non_posted", "always"),
    wait("tlp_tx.mtt_fetch", "link.non_posted", "always"),
    wait("tlp_tx.ats_request", "link.non_posted", "always"),
    wait("tlp_tx.read", "link.non_posted", "always"),
];

/// One edge's statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stats {
    posted: bool,
    non_posted: bool,
    stall_posted: bool,
    stall_non_posted: bool,
}

/// A posted TLP in order.
#[derive(Clone, Copy, Debug, Default)]
struct Posted {
    tlp: TlpDescriptor,
    /// It has payload in the buffer: a write of `dma`. Otherwise a message, or a table line.
    write: bool,
    /// Its payload is the table line.
    line: bool,
}

/// A beat of the payload buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Payload {
    data: Beat,
    strb: u16,
}

/// The block; see the module documentation.
#[derive(Clone, Debug)]
pub struct TlpTx {
    cfg: UnitCfg,
    tags: TagMap,
    requesters: Box<[RequesterId]>,
    tag_mode: u8,
    /// DWs in a beat; a power of two.
    lanes: u16,
    /// Beats of the payload buffer.
    depth: usize,
    payload: VecDeque<Payload>,
    /// Beats in the payload buffer whose TLP has not ended.
    uncommitted: usize,
    order: VecDeque<Posted>,
    /// The next cycle's place in the order queue is for a message, or for a table line.
    message_turn: bool,
    line_turn: bool,
    /// A table line on its way out, and its number once it has one.
    line: LineWrite,
    line_seq: Option<u8>,
    line_sent: bool,
    /// DWs of it that have left.
    line_done: u16,
    /// The TLP in the posted output register is the table line.
    posted_line: bool,
    posted: TlpBeat,
    /// PD credits of the TLP in the posted output register.
    posted_cost: u16,
    /// Its beats that are still in the payload buffer.
    posted_left: u16,
    seq: u8,
    live: u64,
    from_dma: u64,
    posted_sent: bool,
    sources: [VecDeque<TlpDescriptor>; SOURCES],
    /// Payloads of what stands in the skid buffer of `dma`.
    operands: VecDeque<Operands>,
    granted: usize,
    non_posted: TlpBeat,
    /// The atomic in the non-posted output register: NPD credits, payload, DWs that have not been put there.
    non_posted_cost: u16,
    payload_np: Operands,
    dws_left: u16,
    stat: Stats,
}

impl TlpTx {
    fn posted_ready(&self) -> bool {
        !self.message_turn && !self.line_turn && self.payload.len() < self.depth && self.order.len() < POSTED_TLPS
    }

    fn header(&self, tlp: &TlpDescriptor) -> Header {
        let requester = self.requesters.get(usize::from(tlp.function.0)).copied().unwrap_or_default();
        let (high, low) = ((tlp.address.0 >> 32) as u32, tlp.address.0 as u32);
        let long = high != 0;
        let (message, request) = (0x30, if long { 0x20 } else { 0x00 });
        let kind: u32 = match tlp.op {
            TlpOp::MESSAGE_TO_ROOT => message,
            TlpOp::MESSAGE_BY_ID => message | 0b010,
            TlpOp::READ => request,
            TlpOp::WRITE => 0x40 | request,
            TlpOp::FETCH_ADD => 0x4c | request,
            TlpOp::SWAP => 0x4d | request,
            _ => 0x4e | request,
        };
        let is_message = kind & 0x10 != 0;
        let tag = if is_message || tlp.op == TlpOp::WRITE { 0 } else { wire_tag(tlp.tag, self.tag_mode) };
        let tag = u32::from(tag);
        let dw0 = kind << 24
            | (tag >> 9 & 1) << 23
            | (tag >> 8 & 1) << 19
            | u32::from(tlp.id_order) << 18
            | u32::from(tlp.relaxed) << 13
            | u32::from(tlp.no_snoop) << 12
            | u32::from(tlp.at.0 & 3) << 10
            | if is_message { 0 } else { u32::from(tlp.length_dw & 0x3ff) };
        let dw1 = u32::from(requester.0) << 16
            | (tag & 0xff) << 8
            | u32::from(tlp.last_be & 0xf) << 4
            | u32::from(tlp.first_be & 0xf);
        let low = match tlp.at {
            _ if is_message => low,
            AddressType::TRANSLATION_REQUEST => low & !2,
            _ => low & !3,
        };
        Header(if is_message || long { [dw0, dw1, high, low] } else { [dw0, dw1, low, 0] })
    }

    /// A table fetch: 64 bytes by the physical function, untranslated, without PASID.
    fn line(fetch: &LineRequest, base: u32) -> TlpDescriptor {
        TlpDescriptor {
            valid: true,
            op: TlpOp::READ,
            function: FunctionId(0),
            at: AddressType::UNTRANSLATED,
            address: TlpAddr(fetch.address.0 & !63),
            length_dw: 16,
            first_be: 0xf,
            last_be: 0xf,
            tag: base as u16 + u16::from(fetch.index),
            ..TlpDescriptor::default()
        }
    }

    /// The posted output register.
    fn step_posted(&mut self, inp: &TlpTxIn) {
        let offered = self.posted.valid;
        if offered && !inp.tx_wr_req_tlp_ready {
            return;
        }
        // PH and PD of the TLP that `tx_fc` does not reflect yet.
        let ending = offered && self.posted.eop;
        self.stat.posted = ending;
        let (ph, pd) = if ending { (1, u32::from(self.posted_cost)) } else { (0, 0) };
        if offered {
            self.posted = TlpBeat::default();
        }
        if self.posted_left != 0 {
            self.posted.valid = true;
            self.put_payload();
            return;
        }
        let Some(head) = self.order.front() else { return };
        let data = head.write || head.line;
        let cost = if data { u32::from(head.tlp.length_dw).div_ceil(4) } else { 0 };
        if u32::from(inp.tx_fc.ph) < 1 + ph || u32::from(inp.tx_fc.pd) < cost + pd {
            self.stat.stall_posted = true;
            return;
        }
        let bit = 1 << self.seq;
        if self.live & bit != 0 {
            return;
        }
        self.posted = TlpBeat {
            valid: true,
            sop: true,
            eop: true,
            hdr: self.header(&head.tlp),
            pasid: head.tlp.pasid,
            seq: self.seq,
            ..TlpBeat::default()
        };
        self.posted_cost = cost as u16;
        self.live |= bit;
        self.from_dma = self.from_dma & !bit | if head.write { bit } else { 0 };
        if head.line {
            (self.line_seq, self.line_done) = (Some(self.seq), 0);
        }
        self.posted_line = head.line;
        self.seq = (self.seq + 1) & 63;
        if data {
            self.posted_left = head.tlp.length_dw.div_ceil(self.lanes);
            self.put_payload();
        }
        self.order.pop_front();
    }

    /// Puts the next payload beat of the current TLP into the posted output register.
    fn put_payload(&mut self) {
        let Payload { data, strb } = if self.posted_line {
            let (data, strb) = table_write::beat(&self.line, &mut self.line_done, self.lanes);
            Payload { data, strb }
        } else {
            self.payload.pop_front().unwrap_or_default()
        };
        self.posted_left -= 1;
        self.posted.data = data;
        self.posted.strb = strb;
        self.posted.eop = self.posted_left == 0;
    }

    /// The non-posted output register.
    fn step_non_posted(&mut self, inp: &TlpTxIn) {
        let offered = self.non_posted.valid;
        if offered && !inp.tx_rd_req_tlp_ready {
            return;
        }
        // NPH and NPD of the TLP that `tx_fc` does not reflect yet.
        let ending = offered && self.non_posted.eop;
        self.stat.non_posted = ending;
        let (nph, npd) = if ending { (1, self.non_posted_cost) } else { (0, 0) };
        if offered {
            self.non_posted = TlpBeat::default();
        }
        if self.dws_left != 0 {
            self.non_posted.valid = true;
            self.put_operands();
            return;
        }
        let waiting = |i: &usize| self.sources[*i].front();
        let covered = |i: &usize| {
            let cost = waiting(i).map(data_credits);
            inp.tx_fc.nph > nph && cost.is_some_and(|cost| inp.tx_fc.npd >= cost + npd)
        };
        let turn = || (1..=SOURCES).map(|i| (self.granted + i) % SOURCES);
        let Some(next) = turn().find(covered) else {
            self.stat.stall_non_posted = turn().any(|i| waiting(&i).is_some());
            return;
        };
        let Some(tlp) = self.sources[next].pop_front() else { return };
        let operands = if next == READ { self.operands.pop_front().unwrap_or_default() } else { Operands::default() };
        self.granted = next;
        self.non_posted_cost = data_credits(&tlp);
        self.non_posted = TlpBeat {
            valid: true,
            sop: true,
            eop: true,
            hdr: self.header(&tlp),
            pasid: tlp.pasid,
            ..TlpBeat::default()
        };
        if self.non_posted_cost != 0 {
            (self.payload_np, self.dws_left) = (operands, tlp.length_dw);
            self.put_operands();
        }
    }

    /// Puts the next beat of operands into the non-posted output register.
    fn put_operands(&mut self) {
        let (words, dws) = (usize::from(self.lanes / 2), self.dws_left.min(self.lanes));
        self.non_posted.data = self.payload_np.beat(0, words);
        self.non_posted.strb = mask(dws.into()) as u16;
        self.dws_left -= dws;
        self.non_posted.eop = self.dws_left == 0;
        let shifted = self.payload_np;
        self.payload_np = Operands(std::array::from_fn(|i| shifted.0.get(i + words).copied().unwrap_or_default()));
    }
}

/// NPD credits of a non-posted TLP: 16 bytes each of an atomic's operands, none for a read.
fn data_credits(tlp: &TlpDescriptor) -> u16 {
    if tlp.op == TlpOp::READ { 0 } else { tlp.length_dw.div_ceil(4) }
}

impl Block for TlpTx {
    type In = TlpTxIn;
    type Out = TlpTxOut;

    fn new(cfg: &UnitCfg) -> Self {
        let depth = (cfg.posted_buffer_bytes / cfg.data_bytes()) as usize;
        Self {
            cfg: cfg.clone(),
            tags: cfg.tags(),
            requesters: vec![RequesterId::default(); cfg.functions as usize].into(),
            tag_mode: 0,
            lanes: cfg.data_dws() as u16,
            depth,
            payload: VecDeque::with_capacity(depth),
            uncommitted: 0,
            order: VecDeque::with_capacity(POSTED_TLPS),
            message_turn: false,
            line_turn: false,
            line: LineWrite::default(),
            line_seq: None,
            line_sent: false,
            line_done: 0,
            posted_line: false,
            posted: TlpBeat::default(),
            posted_cost: 0,
            posted_left: 0,
            seq: 0,
            live: 0,
            from_dma: 0,
            posted_sent: false,
            sources: std::array::from_fn(|_| VecDeque::with_capacity(SKID)),
            operands: VecDeque::with_capacity(SKID),
            granted: READ,
            non_posted: TlpBeat::default(),
            non_posted_cost: 0,
            payload_np: Operands::default(),
            dws_left: 0,
            stat: Stats::default(),
        }
    }

    fn outputs(&self, out: &mut TlpTxOut) {
        out.posted_ready = self.posted_ready();
        out.read_ready = self.sources[READ].len() < SKID;
        out.mpt_fetch_ready = self.sources[MPT].len() < SKID;
        out.mtt_fetch_ready = self.sources[MTT].len() < SKID;
        out.ats_request_ready = self.sources[ATS].len() < SKID;
        out.ats_message_ready = self.message_turn;
        out.posted_sent = self.posted_sent;
        out.line_ready = self.line_turn;
        out.line_sent = self.line_sent;
        // Wide groups are copied only where something changes: both sides are zero while not valid.
        if self.posted.valid || out.tx_wr_req_tlp.valid {
            out.tx_wr_req_tlp = self.posted;
        }
        if self.non_posted.valid || out.tx_rd_req_tlp.valid {
            out.tx_rd_req_tlp = self.non_posted;
        }
        out.stat_posted = self.stat.posted;
        out.stat_non_posted = self.stat.non_posted;
        out.stat_stall_posted_credit = self.stat.stall_posted;
        out.stat_stall_non_posted_credit = self.stat.stall_non_posted;
    }

    fn step(&mut self, inp: &TlpTxIn) {
        if inp.reset {
            *self = Self::new(&self.cfg);
            return;
        }
        self.stat = Stats::default();
        let posted_ready = self.posted_ready();
        let source_ready: [bool; SOURCES] = std::array::from_fn(|i| self.sources[i].len() < SKID);
        if self.posted.valid || !self.order.is_empty() {
            self.step_posted(inp);
        }
        if self.non_posted.valid || self.sources.iter().any(|s| !s.is_empty()) {
            self.step_non_posted(inp);
        }

        let seq = 1 << (inp.tx_wr_sent_seq & 63);
        let sent = inp.tx_wr_sent_valid && self.live & seq != 0;
        self.posted_sent = sent && self.from_dma & seq != 0;
        self.line_sent = sent && self.line_seq == Some(inp.tx_wr_sent_seq & 63);
        if self.line_sent {
            (self.line, self.line_seq) = (LineWrite::default(), None);
        }
        if sent {
            self.live &= !seq;
        }

        if inp.posted.valid && posted_ready {
            self.payload.push_back(Payload { data: inp.posted.data, strb: inp.posted.strb });
            self.uncommitted += 1;
            if inp.posted.eop && inp.posted.tlp.valid {
                self.order.push_back(Posted { tlp: inp.posted.tlp, write: true, line: false });
                self.uncommitted = 0;
            } else if inp.posted.eop {
                // The write pointer goes back to where the TLP began.
                self.payload.truncate(self.payload.len() - self.uncommitted);
                self.uncommitted = 0;
            }
        }
        if inp.ats_message.valid && self.message_turn {
            self.order.push_back(Posted { tlp: inp.ats_message, write: false, line: false });
        }
        if inp.line.valid && self.line_turn {
            self.line = inp.line;
            self.order.push_back(Posted { tlp: table_write::descriptor(&inp.line), write: false, line: true });
        }
        let room = self.order.len() < POSTED_TLPS;
        // Lines go first: one has to leave before the next.
        self.line_turn = inp.line.valid && !self.line.valid && !(self.message_turn || self.line_turn) && room;
        self.message_turn = inp.ats_message.valid && !(self.message_turn || self.line_turn) && room;

        if inp.mpt_fetch.valid && source_ready[MPT] {
            self.sources[MPT].push_back(Self::line(&inp.mpt_fetch, self.tags.mpt));
        }
        if inp.mtt_fetch.valid && source_ready[MTT] {
            self.sources[MTT].push_back(Self::line(&inp.mtt_fetch, self.tags.mtt));
        }
        if inp.ats_request.valid && source_ready[ATS] {
            self.sources[ATS].push_back(inp.ats_request);
        }
        if inp.read.valid && source_ready[READ] {
            self.sources[READ].push_back(inp.read);
            self.operands.push_back(inp.read_operands);
        }

        if inp.cfg.valid {
            if let Some(requester) = self.requesters.get_mut(usize::from(inp.cfg.function.0)) {
                *requester = inp.cfg.requester;
            }
            if inp.cfg.function.0 == 0 {
                self.tag_mode = inp.cfg.tag_mode;
            }
        }
    }

    fn idle_until(&self, inp: &TlpTxIn) -> Option<Cycle> {
        let offers = inp.posted.valid
            || inp.read.valid
            || inp.mpt_fetch.valid
            || inp.mtt_fetch.valid
            || inp.ats_request.valid
            || inp.ats_message.valid
            || inp.line.valid;
        let quiet = !(inp.reset || inp.cfg.valid || offers || inp.tx_wr_sent_valid);
        let idle = !self.posted.valid
            && self.order.is_empty()
            && !self.non_posted.valid
            && self.sources.iter().all(VecDeque::is_empty)
            && !(self.message_turn || self.posted_sent || self.line_turn || self.line_sent)
            && self.stat == Stats::default();
        (quiet && idle).then_some(Cycle(u64::MAX))
    }
}
