//! Ports of the whole unit, the same in every view, and the statistics bus.

use super::{
    AtcOut, AtsOut, Completion, Credits, DmaOut, FunctionCfg, MessageTlp, MptOut, MttOut, ReadData, ReplayOut, SegOut,
    TlpBeat, TlpRxOut, TlpTxOut, WorkRequest, WriteData, WriteDataRequest,
};
use crate::bits::{BitReader, BitWriter, words_for};
use crate::config::UnitCfg;
use crate::ports;
use crate::ports::{Field, PortValue, Ports};

/// One `stat_*` port of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatSource {
    /// `<block>.<noun>[_<cause>]`: the key in JSON, registers and docs.
    pub key: String,
    /// Width of the increment in bits, 1 to 4.
    pub width: u32,
    /// What is counted.
    pub doc: &'static str,
}

/// Every statistic in the order of the statistics bus: blocks in pipeline order, ports in table order.
pub fn stat_sources(cfg: &UnitCfg) -> Vec<StatSource> {
    let mut out = Vec::new();
    add::<MptOut>(cfg, "mpt", &mut out);
    add::<SegOut>(cfg, "seg", &mut out);
    add::<MttOut>(cfg, "mtt", &mut out);
    add::<ReplayOut>(cfg, "replay", &mut out);
    add::<AtcOut>(cfg, "atc", &mut out);
    add::<AtsOut>(cfg, "ats", &mut out);
    add::<DmaOut>(cfg, "dma", &mut out);
    add::<TlpTxOut>(cfg, "tlp_tx", &mut out);
    add::<TlpRxOut>(cfg, "tlp_rx", &mut out);
    out
}

fn add<P: Ports>(cfg: &UnitCfg, block: &str, out: &mut Vec<StatSource>) {
    for Field { name, width, doc } in P::fields(cfg) {
        if let Some(noun) = name.strip_prefix("stat_") {
            out.push(StatSource { key: format!("{block}.{noun}"), width, doc });
        }
    }
}

/// Bits of the statistics bus.
pub fn stat_width(cfg: &UnitCfg) -> u32 {
    stat_sources(cfg).iter().map(|s| s.width).sum()
}

/// Bits of the statistics bus; a constant, since no statistic's width depends on the configuration.
const STAT_BITS: u32 = 80;

/// The increments of every statistic in one cycle, packed in the order of [`stat_sources`], the first at bit 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatBus(pub [u64; words_for(STAT_BITS as usize)]);

impl StatBus {
    /// The bus from its bits, of which it has at most 128.
    pub const fn from_bits(bits: u128) -> Self {
        const { assert!(STAT_BITS <= u128::BITS) };
        let mut words = [0; words_for(STAT_BITS as usize)];
        let mut i = 0;
        while i < words.len() {
            words[i] = (bits >> (64 * i)) as u64;
            i += 1;
        }
        Self(words)
    }
}

impl PortValue for StatBus {
    fn fields(_: &UnitCfg, name: &str, _: Option<u32>, doc: &'static str, out: &mut Vec<Field>) {
        out.push(Field { name: name.into(), width: STAT_BITS, doc });
    }
    fn put(&self, _: &UnitCfg, _: Option<u32>, out: &mut BitWriter<'_>) {
        for (i, word) in self.0.iter().enumerate() {
            out.put(*word, (STAT_BITS - 64 * i as u32).min(64));
        }
    }
    fn get(_: &UnitCfg, _: Option<u32>, from: &mut BitReader<'_>) -> Self {
        Self(std::array::from_fn(|i| from.get((STAT_BITS - 64 * i as u32).min(64))))
    }
}

ports! {
    |cfg|
    /// Inputs of the unit.
    in UnitIn {
        /// synchronous, active high
        reset: bool,
        /// configuration of one function
        cfg: FunctionCfg,
        /// work requests
        wr: WorkRequest,
        /// the completion is taken
        completion_ready: bool,
        /// the write-data request is taken
        write_data_request_ready: bool,
        /// message bytes
        write_data: WriteData,
        /// read data is taken
        read_data_ready: bool,
        /// the core takes the posted beat
        tx_wr_req_tlp_ready: bool,
        /// the core takes the non-posted beat
        tx_rd_req_tlp_ready: bool,
        /// a posted TLP was sent on the link
        tx_wr_sent_valid: bool,
        /// its sequence number
        tx_wr_sent_seq: u8 = 6,
        /// credits
        tx_fc: Credits,
        /// completions
        rx_cpl_tlp: TlpBeat,
        /// error reported by the core with a completion
        rx_cpl_tlp_error: u8 = 4,
        /// messages
        rx_msg_tlp: MessageTlp,
        /// AXI4-Lite write address channel
        axil_awvalid: bool,
        /// write address, bytes
        axil_awaddr: u16 = 12,
        /// AXI4-Lite write data channel
        axil_wvalid: bool,
        /// write data
        axil_wdata: u32,
        /// write strobes
        axil_wstrb: u8 = 4,
        /// AXI4-Lite write response taken
        axil_bready: bool,
        /// AXI4-Lite read address channel
        axil_arvalid: bool,
        /// read address, bytes
        axil_araddr: u16 = 12,
        /// AXI4-Lite read data taken
        axil_rready: bool,
    }

    |cfg|
    /// Outputs of the unit.
    out UnitOut {
        /// work requests are accepted
        wr_ready: bool,
        /// completions of work requests
        completion: Completion,
        /// ranges of messages whose bytes are wanted
        write_data_request: WriteDataRequest,
        /// message bytes are taken
        write_data_ready: bool,
        /// read data
        read_data: ReadData,
        /// posted TLPs and messages
        tx_wr_req_tlp: TlpBeat,
        /// non-posted TLPs
        tx_rd_req_tlp: TlpBeat,
        /// completions are taken: always, a requester sinks them
        rx_cpl_tlp_ready: bool,
        /// messages are taken
        rx_msg_tlp_ready: bool,
        /// AXI4-Lite write address taken
        axil_awready: bool,
        /// AXI4-Lite write data taken
        axil_wready: bool,
        /// AXI4-Lite write response
        axil_bvalid: bool,
        /// OKAY or SLVERR
        axil_bresp: u8 = 2,
        /// AXI4-Lite read address taken
        axil_arready: bool,
        /// AXI4-Lite read data
        axil_rvalid: bool,
        /// read data
        axil_rdata: u32,
        /// OKAY or SLVERR
        axil_rresp: u8 = 2,
        /// interrupt, level
        irq: bool,
        /// statistics of every block
        stat: StatBus,
    }
}
