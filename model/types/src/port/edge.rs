//! Groups at the edge of the unit: configuration, work requests, message data, TLPs.

use super::Beat;
use crate::access::{Op, PasidPrefix, Syndrome};
use crate::addr::{FunctionId, Key, Length, Offset, Pd, RequesterId, StreamId, Va, WrId};
use crate::ports;
use crate::tlp::Header;

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
        /// AtomicOp Requester Enable
        atomic_enable: bool,
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
        /// bytes; of an atomic: the operand's size, 4 or 8, or 16 for a compare-and-swap
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
    /// A range of a message whose bytes the unit wants next on the write-data stream. The message of an atomic is its
    /// operand, or its compare value with the swap value behind it.
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
}
