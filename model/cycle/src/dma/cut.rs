//! Cutting of segments into TLPs, and what a function's configuration space allows: shared by both engines of `dma`.

use types::access::{AddressType, Mode, Op, PasidPrefix, Syndrome};
use types::addr::{Length, TlpAddr};
use types::port::{FunctionCfg, ReleasedSegment, SegmentTag, TlpDescriptor};
use types::tlp::{TlpOp, byte_enables};

/// Bytes of a line that no memory request may cross (PCIe 6.x 2.2.7.1).
const LINE: u32 = 4096;

/// Bytes that a 3-bit size field of the configuration space stands for: 128 << n, reserved values as the largest.
pub(super) const fn size_limit(field: u8) -> u32 {
    let bytes = 128 << field;
    if bytes > LINE { LINE } else { bytes }
}

/// Why nothing of `segment` may leave, or `OK`.
///
/// `life` is the one its function is in: what was asked for before a function-level reset does not leave after it.
pub(super) fn admit(segment: &ReleasedSegment, function: &FunctionCfg, life: u8) -> Syndrome {
    let tag = &segment.tag;
    if !tag.syndrome.is_ok() {
        tag.syndrome
    } else if tag.asked.life != life {
        Syndrome::BUS_MASTER_OFF
    } else if !(matches!(tag.op, Op::WRITE | Op::READ) || tag.op.is_atomic()) {
        Syndrome::UNSUPPORTED_OP
    } else {
        allow(tag, segment.at, function)
    }
}

/// Why the function may not send a TLP of a segment, or `OK`.
///
/// A PASID that may not be sent is an error: without its prefix the access would go to another address space, and a
/// translation was asked for with it.
pub(super) fn allow(tag: &SegmentTag, at: AddressType, function: &FunctionCfg) -> Syndrome {
    if !function.bus_master {
        Syndrome::BUS_MASTER_OFF
    } else if at == AddressType::TRANSLATED && !function.ats_enable {
        Syndrome::ATS_OFF
    } else if tag.op.is_atomic() && !function.atomic_enable {
        Syndrome::ATOMIC_OFF
    } else if (at == AddressType::UNTRANSLATED || tag.mode == Mode::Ats || tag.coherent)
        && tag.pasid.valid
        && !function.pasid_enable
    {
        Syndrome::PASID_OFF
    } else {
        Syndrome::OK
    }
}

/// The PASID prefix of a TLP of a segment. A translated request carries none: Translated Requests with PASID are not
/// enabled (PCIe 6.x 10.1.2). Execute is asked for where bytes are read.
pub(super) fn prefix(tag: &SegmentTag, at: AddressType, function: &FunctionCfg) -> PasidPrefix {
    let pasid = tag.pasid;
    if at == AddressType::TRANSLATED || !pasid.valid {
        return PasidPrefix::default();
    }
    PasidPrefix {
        exec: pasid.exec && function.pasid_exec_enable && tag.op == Op::READ && tag.length != Length(0),
        privileged: pasid.privileged && function.pasid_priv_enable,
        ..pasid
    }
}

/// The next TLP of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// First byte.
    pub(super) address: TlpAddr,
    /// Bytes.
    pub(super) length: u32,
    /// Nothing of the segment is left behind it.
    pub(super) last: bool,
}

impl Cut {
    /// The TLP that starts `done` bytes into `segment`: at most `limit` bytes of whole DWs, never across a 4 KiB line.
    pub(super) fn next(segment: &ReleasedSegment, done: u32, limit: u32) -> Self {
        let address = segment.address.0.wrapping_add(u64::from(done));
        let (low, left) = (address as u32, segment.tag.length.0 - done);
        let length = left.min(limit - (low & 3)).min(LINE - (low & (LINE - 1)));
        Self { address: TlpAddr(address), length, last: length == left }
    }

    /// Its descriptor, without a tag.
    ///
    /// Relaxed ordering is asked for only in unordered regions. No Snoop is never asked for: a translation with N forbids
    /// it (PCIe 6.x 10.2.3, table of the data fields), and nothing here wants it otherwise.
    pub(super) fn descriptor(&self, segment: &ReleasedSegment, function: &FunctionCfg) -> TlpDescriptor {
        let op = segment.tag.op;
        let (length_dw, first_be, last_be) = if op.is_atomic() {
            // Byte enables are reserved (2.2.7.1).
            ((op.operand_bytes(self.length) / 4) as u16, 0, 0)
        } else {
            byte_enables(self.address, self.length)
        };
        TlpDescriptor {
            valid: true,
            op: match op {
                Op::WRITE => TlpOp::WRITE,
                Op::FETCH_ADD => TlpOp::FETCH_ADD,
                Op::SWAP => TlpOp::SWAP,
                Op::CAS => TlpOp::CAS,
                _ => TlpOp::READ,
            },
            function: segment.tag.function,
            at: segment.at,
            address: TlpAddr(self.address.0 & !3),
            length_dw,
            first_be,
            last_be,
            tag: 0,
            relaxed: function.relaxed_ordering && segment.tag.unordered,
            id_order: function.id_ordering,
            no_snoop: false,
            pasid: prefix(&segment.tag, segment.at, function),
        }
    }
}

/// The request of a stream that is being cut: its failure stops the TLPs of its segments still to come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenRequest {
    /// Segments of it are still to come.
    pub(super) open: bool,
    /// Its name, unique among the stream's open requests.
    pub(super) id: types::addr::WrId,
    /// First failure.
    pub(super) syndrome: Syndrome,
}

impl OpenRequest {
    /// Starts with the first TLP or failure of a segment: a request's first segment clears what its forerunner left.
    pub(super) fn enter(&mut self, segment: &ReleasedSegment, done: u32) {
        if segment.tag.first && done == 0 {
            *self = Self { open: true, id: segment.tag.id, syndrome: Syndrome::OK };
        }
    }
    /// The failure so far of the request that `segment` belongs to, `done` bytes into the segment.
    pub(super) fn failure(&self, segment: &ReleasedSegment, done: u32) -> Syndrome {
        if segment.tag.first && done == 0 { Syndrome::OK } else { self.syndrome }
    }
}
