//! `tlp_rx`: matches completions to the unit's tags, assembles table lines, passes messages on.
//!
//! ```text
//! rx_cpl_tlp ─► [stage] ─► header: kind, requester, tag → number → range ─┬► line assembly ─► [mpt_fill], [mtt_fill]
//!                                                                         ├► [ats_cpl]
//!                                                                         ├► [data_cpl]
//!                                                                         └► dropped
//! rx_msg_tlp ─► two-entry skid ─► [message]
//! ```
//!
//! | stage | from edge to edge |
//! |---|---|
//! | stage | beat taken at k stands in the input register in cycle k+1 |
//! | match | `ats_cpl`, `data_cpl` in cycle k+2, one beat a cycle; a line in cycle k+2 of its last beat |
//! | message | taken at k, on `message` in cycle k+1, one a cycle |
//!
//! A completion is the unit's when its requester ID is one of the functions' and its tag lies in a range in use; a table
//! line must be for the physical function. Requester IDs stand in registers, one a function, and all sixteen bits are
//! compared: functions of one unit may lie on several buses. Fields of the header go with every beat, and the numbering of
//! tags follows the tag width of function 0, as in `tlp_tx`.
//!
//! A table line is 64 bytes at a 64-byte boundary, so it comes in one completion whatever the Read Completion Boundary;
//! anything else (length, Byte Count, status, poison, an error from the core) gives a fill that failed.
//!
//! Progress: completions are taken in every cycle. Nothing here waits, save messages for `ats`.

use std::collections::VecDeque;
use types::UnitCfg;
use types::addr::FunctionId;
use types::config::TagMap;
use types::port::{CplBeat, LineFill, MessageTlp, TlpBeat, TlpRxIn, TlpRxOut};
use types::ports::{Block, Cycle};
use types::table::Line;
use types::tlp::{Header, status};

/// Entries of the message skid buffer.
const SKID: usize = 2;
/// No requester ID.
const NOBODY: u32 = u32::MAX;
/// DWs of a table line.
const LINE_DW: u16 = 16;

/// Where the beats of the current completion go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Route {
    /// To nobody.
    #[default]
    Dropped,
    Mpt,
    Mtt,
    Ats,
    Data,
}

/// The completion whose beats are coming in.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    route: Route,
    /// Index, status and sizes, without data.
    cpl: CplBeat,
    /// Payload DWs taken so far.
    dws: u16,
    line: Line,
}

/// The block; see the module documentation.
#[derive(Clone, Debug)]
pub struct TlpRx {
    cfg: UnitCfg,
    tags: TagMap,
    /// DWs in a beat.
    lanes: u16,
    tag_mode: u8,
    /// Requester ID of each function; `NOBODY` before it is configured.
    requesters: Box<[u32]>,
    stage: TlpBeat,
    stage_error: bool,
    current: Current,
    mpt_fill: LineFill,
    mtt_fill: LineFill,
    ats_cpl: CplBeat,
    data_cpl: CplBeat,
    messages: VecDeque<MessageTlp>,
    stat_completion: bool,
    stat_dropped: bool,
}

impl TlpRx {
    /// The unit's number of a wire tag, if the tag width has it.
    fn number(&self, tag: u16) -> Option<u16> {
        match self.tag_mode {
            0 => (tag < 32).then_some(tag),
            1 => (tag < 256).then_some(tag),
            _ => tag.checked_sub(256),
        }
    }

    /// The range of a tag number and the index inside it.
    fn range(&self, number: u16) -> (Route, u16) {
        let t = &self.tags;
        let at = |base: u32| number - base as u16;
        match u32::from(number) {
            n if n < t.mtt => (Route::Mpt, at(t.mpt)),
            n if n < t.flush => (Route::Mtt, at(t.mtt)),
            // The flush read is the request behind the last Translation Request.
            n if n < t.ats => (Route::Ats, self.cfg.ats_requests as u16),
            n if n < t.data => (Route::Ats, at(t.ats)),
            n if n < t.end => (Route::Data, at(t.data)),
            _ => (Route::Dropped, 0),
        }
    }

    /// Reads a header: the first DW of a completion is 000 or 010 in Fmt and 0 1010 in Type.
    fn open(&self, hdr: &Header) -> Current {
        let [dw0, dw1, dw2, _] = hdr.0;
        let kind = dw0 >> 24;
        let requester = dw2 >> 16;
        let tag = (dw0 >> 23 & 1) << 9 | (dw0 >> 19 & 1) << 8 | dw2 >> 8 & 0xff;
        let function = self.requesters.iter().position(|id| *id == requester);
        let (mut route, index) = self.number(tag as u16).map_or((Route::Dropped, 0), |n| self.range(n));
        let table = matches!(route, Route::Mpt | Route::Mtt);
        if kind & !0x40 != 0x0a || function.is_none() || table && self.requesters[0] != requester {
            route = Route::Dropped;
        }
        let nonzero = |field: u32, zero: u16| if field == 0 { zero } else { field as u16 };
        let length_dw = if kind & 0x40 == 0 { 0 } else { nonzero(dw0 & 0x3ff, 1024) };
        let cpl = CplBeat {
            valid: true,
            index,
            function: FunctionId(function.unwrap_or(0) as u16),
            status: (dw1 >> 13 & 7) as u8,
            poisoned: dw0 >> 14 & 1 == 1,
            byte_count: nonzero(dw1 & 0xfff, 4096),
            lower_address: (dw2 & 0x7f) as u8,
            length_dw,
            ..CplBeat::default()
        };
        Current { route, cpl, dws: 0, line: Line::default() }
    }

    /// Takes the beat in the input register.
    fn take(&mut self) {
        let (sop, eop) = (self.stage.sop, self.stage.eop);
        if sop {
            self.current = self.open(&self.stage.hdr);
            self.stat_completion = true;
            self.stat_dropped = self.current.route == Route::Dropped;
        }
        let current = &mut self.current;
        current.cpl.poisoned |= self.stage_error;
        match current.route {
            Route::Dropped => {}
            Route::Mpt | Route::Mtt => {
                let first = usize::from(current.dws / 2);
                let words = usize::from(self.lanes / 2);
                if let Some(part) = current.line.0.get_mut(first..first + words) {
                    part.copy_from_slice(&self.stage.data.0[..words]);
                }
                current.dws = (current.dws + self.lanes).min(2 * LINE_DW);
                if eop {
                    let cpl = &current.cpl;
                    let ok = cpl.status == status::SC
                        && !cpl.poisoned
                        && cpl.length_dw == LINE_DW
                        && cpl.byte_count == 4 * LINE_DW
                        && cpl.lower_address & 0x3f == 0
                        && current.dws == LINE_DW;
                    let line = if ok { current.line } else { Line::default() };
                    let fill = LineFill { valid: true, index: cpl.index as u8, ok, line };
                    if current.route == Route::Mpt { self.mpt_fill = fill } else { self.mtt_fill = fill }
                }
            }
            route @ (Route::Ats | Route::Data) => {
                let to = if route == Route::Ats { &mut self.ats_cpl } else { &mut self.data_cpl };
                *to = CplBeat { sop, eop, data: self.stage.data, strb: self.stage.strb, ..current.cpl };
            }
        }
        if eop {
            current.route = Route::Dropped;
        }
    }
}

impl Block for TlpRx {
    type In = TlpRxIn;
    type Out = TlpRxOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self {
            cfg: cfg.clone(),
            tags: cfg.tags_in(0),
            lanes: cfg.data_dws() as u16,
            tag_mode: 0,
            requesters: vec![NOBODY; cfg.functions as usize].into(),
            stage: TlpBeat::default(),
            stage_error: false,
            current: Current::default(),
            mpt_fill: LineFill::default(),
            mtt_fill: LineFill::default(),
            ats_cpl: CplBeat::default(),
            data_cpl: CplBeat::default(),
            messages: VecDeque::with_capacity(SKID),
            stat_completion: false,
            stat_dropped: false,
        }
    }

    fn outputs(&self, out: &mut TlpRxOut) {
        out.rx_cpl_tlp_ready = true;
        out.rx_msg_tlp_ready = self.messages.len() < SKID;
        // Wide groups are copied only where something changes: both sides are zero while not valid.
        if self.mpt_fill.valid || out.mpt_fill.valid {
            out.mpt_fill = self.mpt_fill;
        }
        if self.mtt_fill.valid || out.mtt_fill.valid {
            out.mtt_fill = self.mtt_fill;
        }
        if self.ats_cpl.valid || out.ats_cpl.valid {
            out.ats_cpl = self.ats_cpl;
        }
        if self.data_cpl.valid || out.data_cpl.valid {
            out.data_cpl = self.data_cpl;
        }
        out.message = self.messages.front().copied().unwrap_or_default();
        out.stat_completion = self.stat_completion;
        out.stat_dropped = self.stat_dropped;
    }

    fn step(&mut self, inp: &TlpRxIn) {
        if inp.reset {
            *self = Self::new(&self.cfg);
            return;
        }
        (self.stat_completion, self.stat_dropped) = (false, false);
        if self.mpt_fill.valid {
            self.mpt_fill = LineFill::default();
        }
        if self.mtt_fill.valid {
            self.mtt_fill = LineFill::default();
        }
        if self.ats_cpl.valid {
            self.ats_cpl = CplBeat::default();
        }
        if self.data_cpl.valid {
            self.data_cpl = CplBeat::default();
        }
        if self.stage.valid {
            self.take();
            self.stage.valid = false;
        }
        if inp.rx_cpl_tlp.valid {
            self.stage = inp.rx_cpl_tlp;
            self.stage_error = inp.rx_cpl_tlp_error != 0;
        }

        let ready = self.messages.len() < SKID;
        if inp.message_ready {
            self.messages.pop_front();
        }
        if inp.rx_msg_tlp.valid && ready {
            self.messages.push_back(inp.rx_msg_tlp);
        }

        if inp.cfg.valid
            && let Some(requester) = self.requesters.get_mut(usize::from(inp.cfg.function.0))
        {
            *requester = u32::from(inp.cfg.requester.0);
            if inp.cfg.function.0 == 0 {
                self.tag_mode = inp.cfg.tag_mode;
                self.tags = self.cfg.tags_in(self.tag_mode);
            }
        }
    }

    fn idle_until(&self, inp: &TlpRxIn) -> Option<Cycle> {
        let quiet = !(inp.reset || inp.cfg.valid || inp.rx_cpl_tlp.valid || inp.rx_msg_tlp.valid);
        let fills = self.mpt_fill.valid || self.mtt_fill.valid;
        let beats = self.stage.valid || self.ats_cpl.valid || self.data_cpl.valid;
        let idle = !(fills || beats || self.stat_completion || self.stat_dropped) && self.messages.is_empty();
        (quiet && idle).then_some(Cycle(u64::MAX))
    }
}
