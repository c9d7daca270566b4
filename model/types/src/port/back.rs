//! Ports of `dma`, `tlp_tx`, `tlp_rx` and `regs`.

use super::{
    Beat, CoherentRange, Completion, Credits, EpochNote, FlushDone, FlushNote, FunctionCfg, LineFill, LineRequest,
    LineWrite, MessageTlp, Operands, PageEvent, PageResume, ReadData, ReleasedSegment, Retranslate, Retranslated,
    Revocation, StaleNote, StreamNote, TableControl, TlpBeat, TranslateAnswer, TranslateCommand, WriteData,
    WriteDataRequest, WriteSent,
};
use crate::access::{AddressType, PasidPrefix};
use crate::addr::{FunctionId, TlpAddr};
use crate::ports;
use crate::tlp::TlpOp;

ports! {
    |cfg|
    /// A TLP to build: what `tlp_tx` needs beside the payload.
    group TlpDescriptor {
        /// a TLP is offered
        valid: bool,
        /// what kind of TLP
        op: TlpOp,
        /// function that sends it
        function: FunctionId = cfg.function_bits(),
        /// AT field
        at: AddressType,
        /// DW-aligned address; bit 0 is NW in a Translation Request. Message: DW2 in 63:32, DW3 in 31:0
        address: TlpAddr,
        /// length in DW, 1 to 1024
        length_dw: u16 = 11,
        /// First DW Byte Enables; message: code bits 3:0
        first_be: u8 = 4,
        /// Last DW Byte Enables; message: code bits 7:4
        last_be: u8 = 4,
        /// read tag of the unit's numbering (`UnitCfg::tags`); 0 for posted
        tag: u16 = 10,
        /// relaxed ordering
        relaxed: bool,
        /// ID-based ordering
        id_order: bool,
        /// no snoop
        no_snoop: bool,
        /// PASID TLP prefix
        pasid: PasidPrefix,
    }

    |cfg|
    /// A beat of posted payload on its way into the buffer of `tlp_tx`.
    group PostedBeat {
        /// a beat is offered
        valid: bool,
        /// payload, first DW in bits 31:0
        data: Beat,
        /// one bit a DW of payload
        strb: u16 = cfg.data_dws(),
        /// last beat: the TLP is committed with the descriptor beside it, or dropped if that is not valid
        eop: bool,
        /// the TLP's descriptor, in the last beat
        tlp: TlpDescriptor,
    }

    |cfg|
    /// A beat of a completion, matched to one of the unit's tags.
    group CplBeat {
        /// a beat is given
        valid: bool,
        /// index inside the range of its user: data read, Translation Request
        index: u16 = 10,
        /// function that it answers, by Requester ID; in every beat
        function: FunctionId = cfg.function_bits(),
        /// first beat of a TLP
        sop: bool,
        /// last beat of a TLP
        eop: bool,
        /// Completion Status; in every beat
        status: u8 = 3,
        /// EP bit, or an error reported by the core; in every beat
        poisoned: bool,
        /// Byte Count, 1 to 4096; in every beat
        byte_count: u16 = 13,
        /// Lower Address; in every beat
        lower_address: u8 = 7,
        /// payload of the whole TLP in DW, 0 without data; in every beat
        length_dw: u16 = 11,
        /// payload, first DW in bits 31:0
        data: Beat,
        /// one bit a DW of payload
        strb: u16 = cfg.data_dws(),
    }

    |cfg|
    /// Inputs of `dma`.
    in DmaIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// segments in stream order
        segment: ReleasedSegment,
        /// the source takes the range
        write_data_request_ready: bool,
        /// message bytes
        write_data: WriteData,
        /// `tlp_tx` takes the posted beat
        posted_ready: bool,
        /// `tlp_tx` takes the read
        read_ready: bool,
        /// a posted TLP of `dma` was sent, in order
        posted_sent: bool,
        /// completions of data reads
        cpl: CplBeat,
        /// an invalidation epoch begins
        invalidated: EpochNote,
        /// a grant epoch begins
        revoked: EpochNote,
        /// completion time-out in ticks of 1024 cycles, 0 for none
        timeout: u16,
        /// a translation looked up again
        retranslated: Retranslated,
        /// the flush has ended
        flush_done: FlushDone,
        /// read data is taken
        read_data_ready: bool,
        /// the completion is taken
        completion_ready: bool,
        /// completions of requests that register and invalidate
        registered: Completion,
    }

    |cfg|
    /// Outputs of `dma`.
    out DmaOut {
        /// one more write segment may come
        write_room: bool,
        /// one more read segment may come
        read_room: bool,
        /// of this partition of functions
        read_room_partition: u8 = 2,
        /// the last TLP of a write segment was sent
        write_sent: WriteSent,
        /// a flush has ended
        flushed: FlushNote,
        /// ranges of messages whose bytes are wanted
        write_data_request: WriteDataRequest,
        /// message bytes are taken
        write_data_ready: bool,
        /// posted payload
        posted: PostedBeat,
        /// reads and atomics
        read: TlpDescriptor,
        /// payload of an atomic
        read_operands: Operands,
        /// read data
        read_data: ReadData,
        /// completions of work requests
        completion: Completion,
        /// a data request of this stream has ended: its completion is on its way
        ended: StreamNote,
        /// the completion of a registration is taken
        registered_ready: bool,
        /// a translation to look up again
        retranslate: Retranslate,
        /// zero-length read that pushes what a stream has written, for one cycle; none follows before it has ended
        flush: TlpDescriptor,
        /// no TLP committed under an older epoch is in flight
        drained: bool,
        /// every write committed under an older epoch has been sent
        sent: bool,
        /// an access is being judged again
        judging: bool,
        /// one has been, and stands before its commit
        renewed: bool,
        /// a write TLP was committed
        stat_write_tlp: bool,
        /// a read TLP was issued
        stat_read_tlp: bool,
        /// an atomic TLP was issued
        stat_atomic_tlp: bool,
        /// a completion TLP of a data read ended
        stat_completion_tlp: bool,
        /// a completion matched no read in flight
        stat_unexpected_completion: bool,
        /// a work request ended in success
        stat_done: bool,
        /// a work request ended in error
        stat_error: bool,
        /// a cycle in which a read waited for a tag
        stat_stall_tag: bool,
        /// a cycle in which a read waited for buffer space
        stat_stall_buffer: bool,
        /// a cycle in which a write or an atomic waited for message bytes
        stat_stall_data: bool,
        /// a cycle in which a beat waited for `tlp_tx`
        stat_stall_tx: bool,
        /// a translation was looked up again because an invalidation had passed
        stat_retranslate: bool,
        /// a data read timed out
        stat_timeout: bool,
    }

    |cfg|
    /// Inputs of `tlp_tx`.
    in TlpTxIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// posted payload of `dma`
        posted: PostedBeat,
        /// reads and atomics of `dma`
        read: TlpDescriptor,
        /// payload of an atomic
        read_operands: Operands,
        /// MPT line fetches
        mpt_fetch: LineRequest,
        /// MTT line fetches
        mtt_fetch: LineRequest,
        /// Translation Requests
        ats_request: TlpDescriptor,
        /// messages of `ats`
        ats_message: TlpDescriptor,
        /// MPT lines to write
        line: LineWrite,
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
    }

    |cfg|
    /// Outputs of `tlp_tx`.
    out TlpTxOut {
        /// the posted beat of `dma` is taken
        posted_ready: bool,
        /// the read of `dma` is taken
        read_ready: bool,
        /// the MPT fetch is taken
        mpt_fetch_ready: bool,
        /// the MTT fetch is taken
        mtt_fetch_ready: bool,
        /// the Translation Request is taken
        ats_request_ready: bool,
        /// the message is taken
        ats_message_ready: bool,
        /// a posted TLP of `dma` was sent, in order
        posted_sent: bool,
        /// the MPT line is taken
        line_ready: bool,
        /// the MPT line has left on the link
        line_sent: bool,
        /// posted TLPs and messages
        tx_wr_req_tlp: TlpBeat,
        /// non-posted TLPs
        tx_rd_req_tlp: TlpBeat,
        /// a posted TLP left
        stat_posted: bool,
        /// a non-posted TLP left
        stat_non_posted: bool,
        /// a cycle in which a posted TLP waited for credits
        stat_stall_posted_credit: bool,
        /// a cycle in which a non-posted TLP waited for credits
        stat_stall_non_posted_credit: bool,
    }

    |cfg|
    /// Inputs of `tlp_rx`.
    in TlpRxIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// completions
        rx_cpl_tlp: TlpBeat,
        /// error reported by the core with a completion, 0 for none
        rx_cpl_tlp_error: u8 = 4,
        /// messages
        rx_msg_tlp: MessageTlp,
        /// `ats` takes the message
        message_ready: bool,
    }

    |cfg|
    /// Outputs of `tlp_rx`.
    out TlpRxOut {
        /// completions are always taken
        rx_cpl_tlp_ready: bool,
        /// messages are taken
        rx_msg_tlp_ready: bool,
        /// MPT lines
        mpt_fill: LineFill,
        /// MTT lines
        mtt_fill: LineFill,
        /// completions of Translation Requests
        ats_cpl: CplBeat,
        /// completions of data reads
        data_cpl: CplBeat,
        /// messages for `ats`
        message: MessageTlp,
        /// a completion TLP arrived
        stat_completion: bool,
        /// a completion that belongs to no tag of the unit was dropped
        stat_dropped: bool,
    }

    |cfg|
    /// Inputs of `regs`: AXI4-Lite with 32-bit data and a 12-bit address.
    in RegsIn {
        /// synchronous, active high
        reset: bool,
        /// write address channel
        awvalid: bool,
        /// write address, bytes
        awaddr: u16 = 12,
        /// write data channel
        wvalid: bool,
        /// write data
        wdata: u32,
        /// write strobes
        wstrb: u8 = 4,
        /// write response taken
        bready: bool,
        /// read address channel
        arvalid: bool,
        /// read address, bytes
        araddr: u16 = 12,
        /// read data taken
        rready: bool,
        /// statistics of every block
        stat: super::StatBus,
        /// the driver command is done
        command_done: bool,
        /// its flush read failed
        command_failed: bool,
        /// driver events
        event: PageEvent,
        /// the answer to the driver's `translate`
        translated: TranslateAnswer,
        /// generation for the entry of that answer
        generation: u8,
        /// a stale entry of a coherent region was met
        stale: StaleNote,
    }

    |cfg|
    /// Outputs of `regs`.
    out RegsOut {
        /// write address taken
        awready: bool,
        /// write data taken
        wready: bool,
        /// write response
        bvalid: bool,
        /// OKAY or SLVERR
        bresp: u8 = 2,
        /// read address taken
        arready: bool,
        /// read data
        rvalid: bool,
        /// read data
        rdata: u32,
        /// OKAY or SLVERR
        rresp: u8 = 2,
        /// table registers
        control: TableControl,
        /// driver command
        command: Revocation,
        /// the event is taken
        event_ready: bool,
        /// the driver's answer to events
        resume: PageResume,
        /// a generation counter starts anew
        range: CoherentRange,
        /// driver command: a translation for an MTT entry
        translate: TranslateCommand,
        /// an enabled interrupt cause is pending
        irq: bool,
    }
}
