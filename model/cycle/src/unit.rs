//! The translation unit: every block, wired.
//!
//! One step samples the outputs of all blocks, then steps all of them: no wire depends on another wire of the same cycle.

use crate::{atc::Atc, ats::Ats, dma::Dma, mpt::Mpt, mtt::Mtt, regs::Regs, replay::Replay, seg::Seg};
use crate::{tlp_rx::TlpRx, tlp_tx::TlpTx};
use types::port::{
    AtcIn, AtcOut, AtsIn, AtsOut, DmaIn, DmaOut, MptIn, MptOut, MttIn, MttOut, RegsIn, RegsOut, ReplayIn, ReplayOut,
    SegIn, SegOut, SlotNote, StatBus, TlpRxIn, TlpRxOut, TlpTxIn, TlpTxOut, UnitIn, UnitOut,
};
use types::{Block, Cycle, Ports, UnitCfg};

/// Registered outputs of every block in one cycle.
#[derive(Clone, Debug, Default)]
pub struct Wires {
    /// Outputs of `mpt`.
    pub mpt: MptOut,
    /// Outputs of `seg`.
    pub seg: SegOut,
    /// Outputs of `mtt`.
    pub mtt: MttOut,
    /// Outputs of `replay`.
    pub replay: ReplayOut,
    /// Outputs of `atc`.
    pub atc: AtcOut,
    /// Outputs of `ats`.
    pub ats: AtsOut,
    /// Outputs of `dma`.
    pub dma: DmaOut,
    /// Outputs of `tlp_tx`.
    pub tlp_tx: TlpTxOut,
    /// Outputs of `tlp_rx`.
    pub tlp_rx: TlpRxOut,
    /// Outputs of `regs`.
    pub regs: RegsOut,
}

impl Wires {
    /// The statistics bus: blocks in pipeline order.
    fn stat(&self) -> StatBus {
        let (mut bits, mut width) = (0u128, 0);
        let mut add = |(block, n): (u64, u32)| {
            bits |= u128::from(block) << width;
            width += n;
        };
        add(self.mpt.stat_bits());
        add(self.seg.stat_bits());
        add(self.mtt.stat_bits());
        add(self.replay.stat_bits());
        add(self.atc.stat_bits());
        add(self.ats.stat_bits());
        add(self.dma.stat_bits());
        add(self.tlp_tx.stat_bits());
        add(self.tlp_rx.stat_bits());
        StatBus::from_bits(bits)
    }
}

/// The translation unit.
#[derive(Clone, Debug)]
pub struct Unit {
    mpt: Mpt,
    seg: Seg,
    mtt: Mtt,
    replay: Replay,
    atc: Atc,
    ats: Ats,
    dma: Dma,
    tlp_tx: TlpTx,
    tlp_rx: TlpRx,
    regs: Regs,
    wires: Wires,
    stat: StatBus,
}

impl Unit {
    /// Outputs of every block in the current cycle.
    pub fn wires(&self) -> &Wires {
        &self.wires
    }

    fn sample(&mut self) {
        let w = &mut self.wires;
        self.mpt.outputs(&mut w.mpt);
        self.seg.outputs(&mut w.seg);
        self.mtt.outputs(&mut w.mtt);
        self.replay.outputs(&mut w.replay);
        self.atc.outputs(&mut w.atc);
        self.ats.outputs(&mut w.ats);
        self.dma.outputs(&mut w.dma);
        self.tlp_tx.outputs(&mut w.tlp_tx);
        self.tlp_rx.outputs(&mut w.tlp_rx);
        self.regs.outputs(&mut w.regs);
    }

    /// Inputs of `mpt` in a cycle.
    fn mpt_in(inp: &UnitIn, w: &Wires) -> MptIn {
        MptIn {
            reset: inp.reset,
            cfg: inp.cfg,
            control: w.regs.control,
            wr: inp.wr,
            fill: w.tlp_rx.mpt_fill,
            fetch_ready: w.tlp_tx.mpt_fetch_ready,
            room: w.seg.room,
            retranslate: w.dma.retranslate,
            revoke: w.ats.revoke,
            revoked: w.ats.revoked,
            ended: w.dma.ended,
            line_ready: w.tlp_tx.line_ready,
            line_sent: w.tlp_tx.line_sent,
            renewed: w.mtt.renewed,
            command_done: w.ats.registration_done,
            command_failed: w.ats.registration_failed,
            completion_ready: w.dma.registered_ready,
            inject_parity: false,
        }
    }

    fn replay_in(inp: &UnitIn, w: &Wires) -> ReplayIn {
        let tag = &w.seg.segment.tag;
        ReplayIn {
            reset: inp.reset,
            cfg: inp.cfg,
            issued: SlotNote { valid: w.seg.segment.valid, slot: tag.slot, stream: tag.stream },
            mapped: w.mtt.mapped,
            result: w.atc.result,
            miss_ready: w.ats.miss_ready,
            miss_room: w.ats.miss_room,
            grant_valid: w.ats.grant_valid,
            grant_slot: w.ats.grant_slot,
            grant_index: w.ats.grant_index,
            grant_first: w.ats.grant_first,
            wake: w.ats.wake,
            write_room: w.dma.write_room,
            read_room: w.dma.read_room,
            read_room_partition: w.dma.read_room_partition,
            write_sent: w.dma.write_sent,
            flushed: w.dma.flushed,
            invalidated: w.ats.invalidated,
            page_ready: w.ats.page_ready,
            page_answer: w.ats.page_answer,
            page_wake: w.ats.page_wake,
        }
    }

    fn atc_in(inp: &UnitIn, w: &Wires) -> AtcIn {
        AtcIn {
            reset: inp.reset,
            lookup: w.replay.lookup,
            fill: w.ats.fill,
            invalidate: w.ats.invalidate,
            inject_parity: false,
        }
    }

    fn ats_in(inp: &UnitIn, w: &Wires) -> AtsIn {
        AtsIn {
            reset: inp.reset,
            cfg: inp.cfg,
            miss: w.replay.miss,
            request_ready: w.tlp_tx.ats_request_ready,
            flush: w.dma.flush,
            cpl: w.tlp_rx.ats_cpl,
            fill_ready: w.atc.fill_ready,
            fill_done: w.atc.fill_done,
            invalidate_ready: w.atc.invalidate_ready,
            invalidate_done: w.atc.invalidate_done,
            message: w.tlp_rx.message,
            answer_ready: w.tlp_tx.ats_message_ready,
            drained: w.dma.drained,
            sent: w.dma.sent,
            judging: w.dma.judging,
            renewed: w.dma.renewed,
            command: w.regs.command,
            registration: w.mpt.command,
            mpt_revoke_done: w.mpt.revoke_done,
            mtt_revoke_done: w.mtt.revoke_done,
            timeout: w.regs.control.timeout,
            page: w.replay.page,
            translate: w.regs.translate,
        }
    }

    fn dma_in(inp: &UnitIn, w: &Wires) -> DmaIn {
        DmaIn {
            reset: inp.reset,
            cfg: inp.cfg,
            segment: w.replay.released,
            write_data_request_ready: inp.write_data_request_ready,
            write_data: inp.write_data,
            posted_ready: w.tlp_tx.posted_ready,
            read_ready: w.tlp_tx.read_ready,
            posted_sent: w.tlp_tx.posted_sent,
            cpl: w.tlp_rx.data_cpl,
            invalidated: w.ats.invalidated,
            revoked: w.ats.revoked,
            timeout: w.regs.control.timeout,
            retranslated: w.replay.retranslated,
            flush_done: w.ats.flush_done,
            read_data_ready: inp.read_data_ready,
            completion_ready: inp.completion_ready,
            registered: w.mpt.completion,
        }
    }

    fn tlp_tx_in(inp: &UnitIn, w: &Wires) -> TlpTxIn {
        TlpTxIn {
            reset: inp.reset,
            cfg: inp.cfg,
            posted: w.dma.posted,
            read: w.dma.read,
            read_operands: w.dma.read_operands,
            mpt_fetch: w.mpt.fetch,
            mtt_fetch: w.mtt.fetch,
            ats_request: w.ats.request,
            ats_message: w.ats.answer,
            line: w.mpt.line,
            tx_wr_req_tlp_ready: inp.tx_wr_req_tlp_ready,
            tx_rd_req_tlp_ready: inp.tx_rd_req_tlp_ready,
            tx_wr_sent_valid: inp.tx_wr_sent_valid,
            tx_wr_sent_seq: inp.tx_wr_sent_seq,
            tx_fc: inp.tx_fc,
        }
    }

    fn tlp_rx_in(inp: &UnitIn, w: &Wires) -> TlpRxIn {
        TlpRxIn {
            reset: inp.reset,
            cfg: inp.cfg,
            rx_cpl_tlp: inp.rx_cpl_tlp,
            rx_cpl_tlp_error: inp.rx_cpl_tlp_error,
            rx_msg_tlp: inp.rx_msg_tlp,
            message_ready: w.ats.message_ready,
        }
    }

    fn regs_in(inp: &UnitIn, w: &Wires, stat: StatBus) -> RegsIn {
        RegsIn {
            reset: inp.reset,
            awvalid: inp.axil_awvalid,
            awaddr: inp.axil_awaddr,
            wvalid: inp.axil_wvalid,
            wdata: inp.axil_wdata,
            wstrb: inp.axil_wstrb,
            bready: inp.axil_bready,
            arvalid: inp.axil_arvalid,
            araddr: inp.axil_araddr,
            rready: inp.axil_rready,
            stat,
            command_done: w.ats.command_done,
            command_failed: w.ats.command_failed,
            event: w.mtt.event,
            translated: w.ats.translated,
            generation: w.mtt.generation,
            stale: w.mtt.stale,
        }
    }

    /// Ports of every block in the current cycle, with the inputs `inp` of the unit: block name, outputs or inputs, and
    /// the packed row. For waves and recordings.
    pub fn visit(&self, cfg: &UnitCfg, inp: &UnitIn, row: &mut [u64], mut f: impl FnMut(&'static str, bool, &[u64])) {
        let w = &self.wires;
        let mut show = |name, output, ports: &dyn Fn(&mut [u64])| {
            ports(row);
            f(name, output, row);
        };
        macro_rules! block {
            ($name:literal, $in:expr, $out:expr) => {
                show($name, false, &|row| $in.pack(cfg, row));
                show($name, true, &|row| $out.pack(cfg, row));
            };
        }
        let unit = self.unit_out();
        block!("unit", inp, unit);
        block!("mpt", Self::mpt_in(inp, w), w.mpt);
        block!("seg", SegIn { reset: inp.reset, checked: w.mpt.checked, free: w.replay.free }, w.seg);
        block!("mtt", Self::mtt_in(inp, w), w.mtt);
        block!("replay", Self::replay_in(inp, w), w.replay);
        block!("atc", Self::atc_in(inp, w), w.atc);
        block!("ats", Self::ats_in(inp, w), w.ats);
        block!("dma", Self::dma_in(inp, w), w.dma);
        block!("tlp_tx", Self::tlp_tx_in(inp, w), w.tlp_tx);
        block!("tlp_rx", Self::tlp_rx_in(inp, w), w.tlp_rx);
        block!("regs", Self::regs_in(inp, w, self.stat), w.regs);
    }

    fn mtt_in(inp: &UnitIn, w: &Wires) -> MttIn {
        MttIn {
            reset: inp.reset,
            cfg: inp.cfg,
            segment: w.seg.segment,
            fill: w.tlp_rx.mtt_fill,
            fetch_ready: w.tlp_tx.mtt_fetch_ready,
            revoke: w.ats.revoke,
            renew: w.mpt.renew,
            timeout: w.regs.control.timeout,
            page_events: w.regs.control.page_events,
            event_ready: w.regs.event_ready,
            resume: w.regs.resume,
            invalidate: w.ats.invalidate,
            invalidate_ready: w.atc.invalidate_ready,
            invalidate_implicit: w.ats.invalidate_implicit,
            range: w.regs.range,
            translate: w.regs.translate,
            inject_parity: false,
        }
    }

    fn unit_out(&self) -> UnitOut {
        let w = &self.wires;
        UnitOut {
            wr_ready: w.mpt.wr_ready,
            completion: w.dma.completion,
            write_data_request: w.dma.write_data_request,
            write_data_ready: w.dma.write_data_ready,
            read_data: w.dma.read_data,
            tx_wr_req_tlp: w.tlp_tx.tx_wr_req_tlp,
            tx_rd_req_tlp: w.tlp_tx.tx_rd_req_tlp,
            rx_cpl_tlp_ready: w.tlp_rx.rx_cpl_tlp_ready,
            rx_msg_tlp_ready: w.tlp_rx.rx_msg_tlp_ready,
            axil_awready: w.regs.awready,
            axil_wready: w.regs.wready,
            axil_bvalid: w.regs.bvalid,
            axil_bresp: w.regs.bresp,
            axil_arready: w.regs.arready,
            axil_rvalid: w.regs.rvalid,
            axil_rdata: w.regs.rdata,
            axil_rresp: w.regs.rresp,
            irq: w.regs.irq,
            stat: self.stat,
        }
    }
}

impl Block for Unit {
    type In = UnitIn;
    type Out = UnitOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self {
            mpt: Mpt::new(cfg),
            seg: Seg::new(cfg),
            mtt: Mtt::new(cfg),
            replay: Replay::new(cfg),
            atc: Atc::new(cfg),
            ats: Ats::new(cfg),
            dma: Dma::new(cfg),
            tlp_tx: TlpTx::new(cfg),
            tlp_rx: TlpRx::new(cfg),
            regs: Regs::new(cfg),
            wires: Wires::default(),
            stat: StatBus::default(),
        }
    }

    fn outputs(&self, out: &mut UnitOut) {
        *out = self.unit_out();
    }

    fn step(&mut self, inp: &UnitIn) {
        let w = &self.wires;
        self.mpt.step(&Self::mpt_in(inp, w));
        self.seg.step(&SegIn { reset: inp.reset, checked: w.mpt.checked, free: w.replay.free });
        self.mtt.step(&Self::mtt_in(inp, w));
        self.replay.step(&Self::replay_in(inp, w));
        self.atc.step(&Self::atc_in(inp, w));
        self.ats.step(&Self::ats_in(inp, w));
        self.dma.step(&Self::dma_in(inp, w));
        self.tlp_tx.step(&Self::tlp_tx_in(inp, w));
        self.tlp_rx.step(&Self::tlp_rx_in(inp, w));
        self.regs.step(&Self::regs_in(inp, w, self.stat));
        self.sample();
        self.stat = self.wires.stat();
    }

    fn idle_until(&self, inp: &UnitIn) -> Option<Cycle> {
        let w = &self.wires;
        let blocks = [
            self.mpt.idle_until(&Self::mpt_in(inp, w))?,
            self.seg.idle_until(&SegIn { reset: inp.reset, checked: w.mpt.checked, free: w.replay.free })?,
            self.mtt.idle_until(&Self::mtt_in(inp, w))?,
            self.replay.idle_until(&Self::replay_in(inp, w))?,
            self.atc.idle_until(&Self::atc_in(inp, w))?,
            self.ats.idle_until(&Self::ats_in(inp, w))?,
            self.dma.idle_until(&Self::dma_in(inp, w))?,
            self.tlp_tx.idle_until(&Self::tlp_tx_in(inp, w))?,
            self.tlp_rx.idle_until(&Self::tlp_rx_in(inp, w))?,
            self.regs.idle_until(&Self::regs_in(inp, w, self.stat))?,
        ];
        blocks.into_iter().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::port::stat_width;

    #[test]
    fn the_first_and_the_last_statistic_stand_at_the_ends_of_the_bus() {
        let mut wires = Wires::default();
        assert_eq!(wires.stat(), StatBus::default());
        wires.mpt.stat_hit = true;
        wires.tlp_rx.stat_dropped = true;
        let last = stat_width(&types::config::NAMED[0].1) - 1;
        assert!(last >= 64, "the bus is wider than a word");
        assert_eq!(wires.stat(), StatBus::from_bits(1 | 1 << last));
    }
}
