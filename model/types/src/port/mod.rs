//! The `ports!` tables: shared groups here, one module for the blocks of each part of the unit.
//!
//! A group's payload is zero while its `valid` is low.

mod back;
mod front;
mod translate;
mod unit;

pub use back::{
    CplBeat, DmaIn, DmaOut, PostedBeat, RegsIn, RegsOut, TlpDescriptor, TlpRxIn, TlpRxOut, TlpTxIn, TlpTxOut,
};
pub use front::{MptIn, MptOut, MttIn, MttOut, SegIn, SegOut};
pub use translate::{
    AtcFill, AtcIn, AtcInvalidate, AtcKey, AtcLookup, AtcOut, AtcResult, AtsIn, AtsMiss, AtsOut, AtsWake, PageAnswer,
    PageMiss, PageWake, ReplayIn, ReplayOut,
};
pub use unit::{StatBus, StatSource, UnitIn, UnitOut, stat_sources, stat_width};

use crate::access::{AddressType, Mode, Op, PasidPrefix, Syndrome};
use crate::addr::{BusAddr, FunctionId, Iova, Key, Length, Offset, Pd, RequesterId, Slot, StreamId, TlpAddr, Va, WrId};
use crate::ports;
use crate::table::Line;
use crate::tlp::Header;

/// A beat of a data stream, up to 64 bytes; byte 0 of the stream in bits 7:0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat(pub [u64; 8]);

impl Beat {
    /// The beat's bytes.
    pub fn to_bytes(self) -> [u8; 64] {
        let mut out = [0; 64];
        for (chunk, word) in out.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        out
    }
    /// A beat of up to 64 bytes, the rest zero.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut padded = [0; 64];
        padded[..bytes.len()].copy_from_slice(bytes);
        let mut out = [0; 8];
        for (word, chunk) in out.iter_mut().zip(padded.chunks_exact(8)) {
            let mut eight = [0; 8];
            eight.copy_from_slice(chunk);
            *word = u64::from_le_bytes(eight);
        }
        Self(out)
    }
}

impl crate::ports::PortValue for Beat {
    fn fields(
        cfg: &crate::config::UnitCfg,
        name: &str,
        _: Option<u32>,
        doc: &'static str,
        out: &mut Vec<crate::ports::Field>,
    ) {
        out.push(crate::ports::Field { name: name.into(), width: cfg.data_bits, doc });
    }
    fn put(&self, cfg: &crate::config::UnitCfg, _: Option<u32>, out: &mut crate::bits::BitWriter<'_>) {
        self.0[..cfg.data_bits as usize / 64].iter().for_each(|word| out.put(*word, 64));
    }
    fn get(cfg: &crate::config::UnitCfg, _: Option<u32>, from: &mut crate::bits::BitReader<'_>) -> Self {
        let mut out = [0; 8];
        out[..cfg.data_bits as usize / 64].iter_mut().for_each(|word| *word = from.get(64));
        Self(out)
    }
}

ports! {
    |cfg|
    /// One function's configuration, as its PCI configuration space has it; sent again whenever something changes.
    group FunctionCfg {
        /// an update is given
        valid: bool,
        /// function it is for
        function: FunctionId = cfg.function_bits(),
        /// requester ID of the function
        requester: RequesterId,
        /// Bus Master Enable
        bus_master: bool,
        /// Max_Payload_Size, 128 << n bytes
        mps: u8 = 3,
        /// Max_Read_Request_Size, 128 << n bytes
        mrrs: u8 = 3,
        /// Read Completion Boundary: 0 64 bytes, 1 128 bytes
        rcb: bool,
        /// tag width: 0 5 bits, 1 8 bits, 2 10 bits
        tag_mode: u8 = 2,
        /// Enable Relaxed Ordering
        relaxed_ordering: bool,
        /// ID-Based Ordering Request Enable
        id_ordering: bool,
        /// ATS Enable
        ats_enable: bool,
        /// Smallest Translation Unit, 4096 << n bytes
        ats_stu: u8 = 5,
        /// Page Request Enable
        pri_enable: bool,
        /// Outstanding Page Request Allocation: Page Requests that may wait for a response; 0 for none, as if not enabled
        pri_allocation: u16,
        /// PASID Enable
        pasid_enable: bool,
        /// PASID Execute Permission Enable
        pasid_exec_enable: bool,
        /// PASID Privileged Mode Enable
        pasid_priv_enable: bool,
        /// Function-level reset: one update with this bit resets the function
        reset: bool,
    }

    |cfg|
    /// A work request: one RDMA message's memory side.
    group WorkRequest {
        /// a request is offered
        valid: bool,
        /// the caller's name for it, unique among the stream's open requests
        id: WrId,
        /// function it belongs to
        function: FunctionId = cfg.function_bits(),
        /// stream whose order it keeps
        stream: StreamId = cfg.stream_bits(),
        /// operation
        op: Op,
        /// issued by a remote peer: remote rights apply
        remote: bool,
        /// on a fault: 0 wait, 1 report
        on_fault: bool,
        /// memory key
        key: Key,
        /// first virtual address
        va: Va,
        /// bytes
        length: Length,
        /// protection domain of the QP
        pd: Pd,
    }

    |cfg|
    /// The outcome of a work request.
    group Completion {
        /// a completion is offered
        valid: bool,
        /// the request's name
        id: WrId,
        /// its function
        function: FunctionId = cfg.function_bits(),
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// outcome, 0 for success
        syndrome: Syndrome,
    }

    |cfg|
    /// A range of a message whose bytes the unit wants next on the write-data stream.
    group WriteDataRequest {
        /// a range is asked for
        valid: bool,
        /// stream of the message
        stream: StreamId = cfg.stream_bits(),
        /// request
        id: WrId,
        /// offset of the first byte in the message
        offset: Offset,
        /// bytes, 1 to 4096
        length: Length = 13,
    }

    |cfg|
    /// AXI4-Stream of message bytes, packed from byte lane 0; `last` ends each requested range.
    group WriteData {
        /// TVALID
        valid: bool,
        /// TDATA
        data: Beat,
        /// TKEEP, one bit a byte, contiguous from lane 0
        keep: u64 = cfg.data_bytes(),
        /// TLAST
        last: bool,
    }

    |cfg|
    /// AXI4-Stream of read data: one packet a read request, packed from byte lane 0.
    group ReadData {
        /// TVALID
        valid: bool,
        /// TID: stream of the message
        stream: StreamId = cfg.stream_bits(),
        /// TUSER: request
        id: WrId,
        /// TUSER: offset of the packet's first byte in the message; the same in all its beats
        offset: Offset,
        /// TDATA
        data: Beat,
        /// TKEEP
        keep: u64 = cfg.data_bytes(),
        /// TLAST
        last: bool,
    }

    |cfg|
    /// A beat of a TLP stream in the form of open FPGA PCIe cores, with a PASID sideband.
    group TlpBeat {
        /// a beat is offered
        valid: bool,
        /// first beat of a TLP
        sop: bool,
        /// last beat of a TLP
        eop: bool,
        /// header, DW0 in bits 127:96; valid in the first beat, zero in others
        hdr: Header,
        /// payload, first DW in bits 31:0
        data: Beat,
        /// one bit a DW of payload
        strb: u16 = cfg.data_dws(),
        /// PASID TLP prefix
        pasid: PasidPrefix,
        /// sequence number that comes back once the TLP is sent; in the first beat
        seq: u8 = 6,
    }

    |cfg|
    /// A message TLP towards the unit.
    group MessageTlp {
        /// a message is offered
        valid: bool,
        /// header
        hdr: Header,
        /// body: eight bytes, the first in bits 7:0
        data: u64,
        /// PASID TLP prefix
        pasid: PasidPrefix,
    }

    |cfg|
    /// Credits the link has left for this device's TLPs; reflects every TLP whose last beat was taken before this cycle.
    group Credits {
        /// posted headers
        ph: u8,
        /// posted data, units of 16 bytes
        pd: u16 = 12,
        /// non-posted headers
        nph: u8,
        /// non-posted data, units of 16 bytes
        npd: u16 = 12,
    }

    |cfg|
    /// A fetch of one table line.
    group LineRequest {
        /// a fetch is offered
        valid: bool,
        /// which of the block's fetches it is
        index: u8 = 4,
        /// IOVA of the line, 64-byte aligned
        address: Iova,
    }

    |cfg|
    /// A table line that came back.
    group LineFill {
        /// a line is given
        valid: bool,
        /// which of the block's fetches it answers
        index: u8 = 4,
        /// the fetch succeeded
        ok: bool,
        /// the line; zero when the fetch failed
        line: Line,
    }

    |cfg|
    /// Table registers, static while the unit is enabled.
    group TableControl {
        /// work requests may be accepted
        enable: bool,
        /// mode that regions inherit
        mode: Mode,
        /// IOVA of MPT entry 0, 64-byte aligned
        mpt_base: Iova,
        /// entries in the MPT, at most 2^24
        mpt_entries: u32 = 25,
        /// completion time-out in ticks of 1024 cycles, 0 for none
        timeout: u16,
        /// an MTT entry that is not present is a driver event for requests that wait on a fault
        page_events: bool,
    }

    |cfg|
    /// A driver event: an access waits for an MTT entry that is not present.
    group PageEvent {
        /// an event is offered
        valid: bool,
        /// function whose access it is
        function: FunctionId = cfg.function_bits(),
        /// MPT index of the region
        index: u32 = 24,
        /// virtual address of the access
        va: Va,
        /// it writes
        write: bool,
        /// names the event among those that are open
        number: u8 = 3,
    }

    |cfg|
    /// The driver's answer to an event, or to every event of a region: what waits goes on.
    group PageResume {
        /// an answer is given: one cycle
        valid: bool,
        /// MPT index of the region
        index: u32 = 24,
        /// the event; an answer for another region than its own is none
        number: u8 = 3,
        /// every event of the region
        all: bool,
        /// the accesses end in an error instead of looking again
        refuse: bool,
    }

    |cfg|
    /// A request that passed protection, or failed it.
    group CheckedRequest {
        /// a request is given
        valid: bool,
        /// its name
        id: WrId,
        /// its function
        function: FunctionId = cfg.function_bits(),
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// operation
        op: Op,
        /// report faults instead of waiting
        on_fault: bool,
        /// bytes
        length: Length,
        /// outcome of protection; when not 0, nothing below counts
        syndrome: Syndrome,
        /// mode, resolved: never `inherit`
        mode: Mode,
        /// no flush where the path changes
        unordered: bool,
        /// PASID attributes of the region
        pasid: PasidPrefix,
        /// base-two logarithm of the region's page size
        page_log2: u8 = 6,
        /// what was asked: to ask again once a revocation has passed
        asked: Asked,
        /// first virtual address
        va: Va,
        /// IOVA of the MTT entry of the page that holds `va`
        entry: Iova,
    }

    |cfg|
    /// The part of a request that protection is judged by, kept with its segments to judge them again.
    group Asked {
        /// memory key
        key: Key,
        /// protection domain
        pd: Pd,
        /// issued by a remote peer
        remote: bool,
        /// grant epoch of the function at which the tables were read
        grant: u32,
    }

    |cfg|
    /// What a segment carries through the whole unit.
    group SegmentTag {
        /// its slot between `seg` and the exit of `replay`
        slot: Slot = cfg.slot_bits(),
        /// request
        id: WrId,
        /// function
        function: FunctionId = cfg.function_bits(),
        /// stream
        stream: StreamId = cfg.stream_bits(),
        /// operation
        op: Op,
        /// report faults instead of waiting
        on_fault: bool,
        /// first segment of its request
        first: bool,
        /// last segment of its request
        last: bool,
        /// offset of the segment in the message
        message_offset: Offset,
        /// bytes; 0 only in a request of 0 bytes or one that failed protection
        length: Length,
        /// mode, resolved
        mode: Mode,
        /// no flush where the path changes
        unordered: bool,
        /// PASID attributes
        pasid: PasidPrefix,
        /// failure so far, 0 for none
        syndrome: Syndrome,
        /// what was asked
        asked: Asked,
        /// virtual address of the segment's first byte
        va: Va,
    }

    |cfg|
    /// A segment on its way to the MTT.
    group Segment {
        /// a segment is given
        valid: bool,
        /// what it carries along
        tag: SegmentTag,
        /// IOVA of its MTT entry
        entry: Iova,
        /// base-two logarithm of the region's page size
        page_log2: u8 = 6,
        /// offset of its first byte in the region's page
        page_offset: Iova,
    }

    |cfg|
    /// A segment with its MTT entry applied.
    group MappedSegment {
        /// a segment is given
        valid: bool,
        /// what it carries along
        tag: SegmentTag,
        /// address of its first byte: bus address when `at` is translated, else IOVA
        address: TlpAddr,
        /// translated: leave translated with `address` (owner tag); untranslated: leave so, or look it up when the mode is ats
        at: AddressType,
    }

    |cfg|
    /// A segment released in stream order, ready for the DMA.
    group ReleasedSegment {
        /// a segment is given
        valid: bool,
        /// what it carries along
        tag: SegmentTag,
        /// address of its first byte
        address: TlpAddr,
        /// AT to send
        at: AddressType,
        /// non-snooped access (N bit of the translation)
        no_snoop: bool,
        /// invalidation epoch of the function at the lookup, meaningful when the translation came through the ATC
        epoch: u32,
        /// no data: a zero-length read that flushes the stream's writes; its request completes with it when it is the last
        flush: bool,
    }

    |cfg|
    /// The end of a flush.
    group FlushNote {
        /// a flush has ended
        valid: bool,
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// failure, 0 for none
        syndrome: Syndrome,
    }

    |cfg|
    /// A write segment whose TLPs have been sent, or that sends none.
    group WriteSent {
        /// a segment is named
        valid: bool,
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// failure, 0 for none
        syndrome: Syndrome,
    }

    |cfg|
    /// A function's next epoch begins: what was looked up for it before may not be committed any more.
    group EpochNote {
        /// an epoch begins: one cycle
        valid: bool,
        /// function
        function: FunctionId = cfg.function_bits(),
        /// its name: counts the epochs of the unit, so that one is named again after 2^32
        epoch: u32,
    }

    |cfg|
    /// The rest of a segment to be judged again before its next commit, because an invalidation or a revocation has
    /// passed: it goes through the whole unit as a request of its own.
    group Retranslate {
        /// an access is given; an engine has at most one under way
        valid: bool,
        /// engine that asks: 0 writes, 1 reads
        engine: bool,
        /// function
        function: FunctionId = cfg.function_bits(),
        /// operation
        op: Op,
        /// report faults instead of waiting
        on_fault: bool,
        /// what was asked
        asked: Asked,
        /// virtual address of the first byte that has not been committed
        va: Va,
        /// bytes to the end of the segment
        length: Length,
    }

    |cfg|
    /// The answer to a [`Retranslate`].
    group Retranslated {
        /// an answer is given
        valid: bool,
        /// engine that asked: 0 writes, 1 reads
        engine: bool,
        /// failure; when not 0, nothing below counts
        syndrome: Syndrome,
        /// address of the byte asked for
        address: TlpAddr,
        /// AT to send
        at: AddressType,
        /// non-snooped access
        no_snoop: bool,
        /// invalidation epoch of the function at the lookup
        epoch: u32,
        /// grant epoch of the function at which the tables were read
        grant: u32,
    }

    |cfg|
    /// A driver command that takes rights or mappings away; the tables in memory have been changed already.
    group Revocation {
        /// a command is given; held until it is done
        valid: bool,
        /// function whose memory it is
        function: FunctionId = cfg.function_bits(),
        /// MPT index
        index: u32 = 24,
        /// IOVA of the region's first MTT entry
        entries: Iova,
        /// MTT entries
        count: u32,
        /// GPU memory: a zero-length read at `address` returns before the report
        flush: bool,
        /// bus address for that read, DW-aligned
        address: BusAddr,
    }

    |cfg|
    /// The table lines that a revocation is about.
    group RevokeLines {
        /// a revocation starts: one cycle
        valid: bool,
        /// MPT index
        index: u32 = 24,
        /// number of the first MTT line: IOVA shifted right by 6
        first: u64 = 58,
        /// MTT lines
        count: u32 = 30,
    }

    |cfg|
    /// A slot's number and owner, as passed between `seg` and `replay`.
    group SlotNote {
        /// a slot is named
        valid: bool,
        /// the slot
        slot: Slot = cfg.slot_bits(),
        /// stream that holds it
        stream: StreamId = cfg.stream_bits(),
    }

    |cfg|
    /// A stream that something happened to.
    group StreamNote {
        /// a stream is named
        valid: bool,
        /// the stream
        stream: StreamId = cfg.stream_bits(),
    }
}
