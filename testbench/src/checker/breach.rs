//! A broken rule, with what was seen.

use types::{RequesterId, StreamId, Tag, TlpAddr};

/// A TLP rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// Fmt and Type that this unit neither sends nor understands.
    #[error("Fmt and Type {seen:#04x} are not known here")]
    UnknownType {
        /// Bits 31:24 of DW0.
        seen: u8,
    },
    /// The unit sent a completion; it is never asked for anything.
    #[error("the unit sent a completion, but it is a requester only")]
    NotARequester,
    /// A reserved or unused header field that is not zero.
    #[error("header field {field} must be zero, seen {seen:#x}")]
    Reserved {
        /// Field.
        field: &'static str,
        /// Value.
        seen: u32,
    },
    /// Payload and Length field disagree.
    #[error("the header says {expected} bytes of payload, there are {seen}")]
    PayloadLength {
        /// By the header.
        expected: u32,
        /// Seen.
        seen: u32,
    },
    /// A 4DW header for an address below 4 GiB.
    #[error("a 4DW header for the address {address}, which is below 4 GiB")]
    LongHeader {
        /// Address.
        address: TlpAddr,
    },
    /// Byte enables that 2.2.5 does not allow for this length.
    #[error("byte enables: first {first:#06b} last {last:#06b} are not allowed for {length_dw} DW at {address}")]
    ByteEnables {
        /// DW-aligned address.
        address: TlpAddr,
        /// Length in DW.
        length_dw: u32,
        /// First DW Byte Enables.
        first: u8,
        /// Last DW Byte Enables.
        last: u8,
    },
    /// An atomic that is not allowed.
    #[error("an atomic at {address} is not allowed: {why}")]
    Atomic {
        /// DW-aligned address.
        address: TlpAddr,
        /// Reason.
        why: &'static str,
    },
    /// Across a 4 KiB line.
    #[error("{length_dw} DW at {address} cross a 4 KiB line")]
    Crosses4K {
        /// DW-aligned address.
        address: TlpAddr,
        /// Length in DW.
        length_dw: u32,
    },
    /// A payload above Max_Payload_Size.
    #[error("a payload of {seen} bytes exceeds the Max_Payload_Size of {limit}")]
    MaxPayload {
        /// Limit in bytes.
        limit: u32,
        /// Bytes seen.
        seen: u32,
    },
    /// A read above Max_Read_Request_Size.
    #[error("a read of {seen} bytes exceeds the Max_Read_Request_Size of {limit}")]
    MaxReadRequest {
        /// Limit in bytes.
        limit: u32,
        /// Bytes seen.
        seen: u32,
    },
    /// An AT value that is not legal for this kind of TLP or this function.
    #[error("AT = {seen:02b} is not allowed: {why}")]
    AddressType {
        /// AT seen.
        seen: u8,
        /// Rule.
        why: &'static str,
    },
    /// A Translation Request in the wrong form.
    #[error("Translation Request: {why}")]
    TranslationRequest {
        /// Rule.
        why: &'static str,
    },
    /// A PASID prefix where none may be.
    #[error("PASID prefix: {why}")]
    Pasid {
        /// Rule.
        why: &'static str,
    },
    /// A message the unit has no reason to send, or in the wrong form.
    #[error("message with code {code:#04x}: {why}")]
    Message {
        /// Message code.
        code: u8,
        /// Rule.
        why: &'static str,
    },
    /// A requester ID of no function.
    #[error("requester ID {seen} belongs to no function")]
    Requester {
        /// Seen.
        seen: RequesterId,
    },
    /// A memory request of a function whose bus mastering is off.
    #[error("{requester} sent a memory request with bus mastering off")]
    BusMaster {
        /// Requester.
        requester: RequesterId,
    },
    /// A tag outside the function's tag width.
    #[error("tag {tag} is not allowed with {bits}-bit tags")]
    TagWidth {
        /// Tag.
        tag: Tag,
        /// Tag width in bits.
        bits: u32,
    },
    /// A tag that is in use.
    #[error("tag {tag} of {requester} is in use")]
    TagInUse {
        /// Requester.
        requester: RequesterId,
        /// Tag.
        tag: Tag,
    },
    /// A completion for a tag that is not in use.
    #[error("a completion for tag {tag} of {requester}, which is not in use")]
    UnexpectedCompletion {
        /// Requester.
        requester: RequesterId,
        /// Tag.
        tag: Tag,
    },
    /// A completion field that does not match its request.
    #[error("completion of tag {tag}: {field} expects {expected}, seen {seen}")]
    Completion {
        /// Tag.
        tag: Tag,
        /// Field.
        field: &'static str,
        /// Expected.
        expected: u32,
        /// Seen.
        seen: u32,
    },
    /// More credits used than granted.
    #[error("credits: {used} of {class} used, {granted} granted")]
    Credits {
        /// Credit class: PH, PD, NPH, NPD.
        class: &'static str,
        /// Used with this TLP.
        used: u64,
        /// Granted so far.
        granted: u64,
    },
    /// A TLP out of its stream's order.
    #[error("order: stream {stream} sends {expected} next, seen {seen}")]
    Order {
        /// Stream.
        stream: StreamId,
        /// Address expected next.
        expected: TlpAddr,
        /// Address seen.
        seen: TlpAddr,
    },
    /// A TLP longer than what its stream has left in this range.
    #[error("order: stream {stream} has {left} bytes left at {seen}, the TLP covers {length}")]
    Overrun {
        /// Stream.
        stream: StreamId,
        /// Address.
        seen: TlpAddr,
        /// Bytes left.
        left: u32,
        /// Bytes of the TLP.
        length: u32,
    },
    /// A data TLP that no stream has issued.
    #[error("order: no stream has issued an access to {seen}")]
    NotIssued {
        /// Address.
        seen: TlpAddr,
    },
    /// Ranges of two streams overlap, so that their order cannot be checked.
    #[error("order: the range at {address} of stream {stream} overlaps one of stream {other} that is still to be sent")]
    Overlap {
        /// Stream of the new range.
        stream: StreamId,
        /// Stream of the old range.
        other: StreamId,
        /// Start of the new range.
        address: TlpAddr,
    },
    /// Issued bytes that were never sent.
    #[error("at the end: stream {stream} has not sent {left} bytes from {address} on")]
    NotSent {
        /// Stream.
        stream: StreamId,
        /// Address of the next byte.
        address: TlpAddr,
        /// Bytes left in this range.
        left: u32,
    },
    /// A request that was never answered.
    #[error("at the end: tag {tag} of {requester} is still in use")]
    NotAnswered {
        /// Requester.
        requester: RequesterId,
        /// Tag.
        tag: Tag,
    },
}
