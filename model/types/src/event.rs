//! What is seen at the unit's edge and told by the driver: the input of the golden judge.
//!
//! Events carry no time. The same events come from the cycle unit, from replayed Verilog and from external clients.

use crate::access::{PasidPrefix, Syndrome};
use crate::addr::{BusAddr, ByteCount, FunctionId, Iova, Key, Offset, StreamId, WrId};
use crate::port::{FunctionCfg, WorkRequest};
use crate::table::{MttEntry, PageIndex, Region};
use crate::tlp::Tlp;

/// One event. Payload bytes are borrowed: message data in order, TLP payload as it travels (first byte first).
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A function's configuration took effect.
    Configured(&'a FunctionCfg),
    /// Mode that regions inherit.
    DefaultMode(crate::access::Mode),
    /// Host memory that holds tables: the only place that table fetches may go.
    TableMemory {
        /// First address.
        base: Iova,
        /// Bytes.
        length: ByteCount,
    },
    /// From now on work requests register and invalidate keys.
    Registrations {
        /// IOVA of MPT entry 0.
        mpt: Iova,
        /// Entries of the MPT.
        entries: u32,
        /// IOVA of the memory for images.
        images: Iova,
        /// Images it has room for.
        count: u32,
    },
    /// The driver has made a region known under an MPT index (the key's index). Granting needs no drain. One that is
    /// not valid is a key set aside for work requests.
    Mapped {
        /// MPT index with the variant.
        key: Key,
        /// The region.
        region: &'a Region,
    },
    /// The driver has written one MTT entry of the region under `key`.
    PageMapped {
        /// Key of the region.
        key: Key,
        /// Page of the region.
        page: PageIndex,
        /// The entry.
        entry: MttEntry,
    },
    /// The driver has made a region's MPT entry invalid; use remains legal until a revocation is reported.
    Unmapped {
        /// Key of the region.
        key: Key,
    },
    /// A driver command that takes rights or mappings away was accepted.
    RevocationStarted {
        /// Key of the region.
        key: Key,
        /// Bus address whose zero-length read, translated, has to return before the report.
        flush: Option<BusAddr>,
    },
    /// The unit reported that revocation as done.
    RevocationReported {
        /// Key of the region.
        key: Key,
    },
    /// The driver has the unit ask for the translation of one page, for an MTT entry of a coherent region.
    TranslationAsked {
        /// Function to ask for.
        function: FunctionId,
        /// PASID to ask with.
        pasid: PasidPrefix,
        /// I/O virtual address.
        iova: Iova,
        /// Read permission alone is wanted (NW).
        no_write: bool,
    },
    /// A work request was accepted (its valid and ready were high at an edge).
    RequestAccepted(&'a WorkRequest),
    /// Message bytes were handed to the unit.
    WriteData {
        /// Stream of the message.
        stream: StreamId,
        /// Request.
        id: WrId,
        /// Offset of the first byte in the message.
        offset: Offset,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// A whole TLP left the unit.
    TlpOut {
        /// Header and PASID prefix.
        tlp: &'a Tlp,
        /// Payload, whole DWs.
        payload: &'a [u8],
    },
    /// A whole TLP reached the unit.
    TlpIn {
        /// Header and PASID prefix.
        tlp: &'a Tlp,
        /// Payload, whole DWs.
        payload: &'a [u8],
    },
    /// The unit delivered read data.
    ReadData {
        /// Stream of the message.
        stream: StreamId,
        /// Request.
        id: WrId,
        /// Offset of the first byte in the message.
        offset: Offset,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// An Invalidate Request was taken off the message stream (its ITag and range are in the TLP).
    InvalidationAccepted {
        /// The TLP.
        tlp: &'a Tlp,
        /// Its body.
        payload: &'a [u8],
    },
    /// The unit sent an Invalidate Completion.
    InvalidationCompleted {
        /// The TLP.
        tlp: &'a Tlp,
    },
    /// The unit sent a Page Request or a Stop Marker.
    PageRequested {
        /// The TLP.
        tlp: &'a Tlp,
    },
    /// A PRG Response was taken off the message stream.
    PageResponded {
        /// The TLP.
        tlp: &'a Tlp,
    },
    /// Whether MTT entries that are not present are driver events; off before it is told.
    PageEvents(bool),
    /// The driver answered one or all events of a region: what waits for an entry goes on.
    PageEventAnswered {
        /// MPT index of the region.
        index: u32,
        /// The accesses that wait are refused.
        refuse: bool,
    },
    /// A completion was reported for a request.
    MessageDone {
        /// Stream of the message.
        stream: StreamId,
        /// Request.
        id: WrId,
        /// Outcome.
        syndrome: Syndrome,
    },
    /// The unit (`None`) or one function was reset.
    Reset(Option<FunctionId>),
}
