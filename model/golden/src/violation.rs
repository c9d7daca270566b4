//! What the judge says when a rule is broken: rule, request, what was expected and what was seen.

use std::fmt;
use types::{
    AddressType, BusAddr, FunctionId, Iova, Key, PasidPrefix, RequesterId, StreamId, Syndrome, Tag, TlpAddr, WrId,
};

/// The name of a work request: its stream and the caller's identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// Stream.
    pub stream: StreamId,
    /// Identifier, unique among the stream's open requests.
    pub id: WrId,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {} of stream {}", self.id, self.stream)
    }
}

/// A PASID prefix for reading: `none`, or the PASID with its attribute bits.
struct Prefix<'a>(&'a PasidPrefix);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.valid {
            return f.write_str("none");
        }
        write!(f, "PASID {}", self.0.pasid)?;
        f.write_str(if self.0.exec { " execute" } else { "" })?;
        f.write_str(if self.0.privileged { " privileged" } else { "" })
    }
}

/// A rule that was broken at the unit's edge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A TLP of a requester that is no configured function.
    #[error("requester: a TLP of {seen}, which is no configured function")]
    Requester {
        /// Requester ID seen.
        seen: RequesterId,
    },
    /// A TLP of a function whose bus mastering is off.
    #[error("bus mastering: function {function} has it off, but sent a TLP to {address}")]
    BusMasterOff {
        /// Function.
        function: FunctionId,
        /// Address of the TLP.
        address: TlpAddr,
    },
    /// AT = 01 or 10 from a function whose ATS is off.
    #[error("ATS enable: function {function} has it off, but sent AT = {:02b} to {address}", seen.0)]
    AtsOff {
        /// Function.
        function: FunctionId,
        /// Address of the TLP.
        address: TlpAddr,
        /// AT seen.
        seen: AddressType,
    },
    /// A TLP that no open request needs.
    #[error("owed bytes: no open request needs {what} at {address} (AT = {:02b})", at.0)]
    Unexpected {
        /// What was sent.
        what: &'static str,
        /// Its address.
        address: TlpAddr,
        /// Its AT.
        at: AddressType,
    },
    /// The right bytes at the right address with the wrong AT.
    #[error("address type: {request} at {address} expects AT = {:02b}, seen {:02b}", expected.0, seen.0)]
    AddressType {
        /// Request.
        request: Name,
        /// Address.
        address: TlpAddr,
        /// AT that the owner and the mode require.
        expected: AddressType,
        /// AT seen.
        seen: AddressType,
    },
    /// An address that no mapping in force gives.
    #[error("translation: {request} expects {expected} for byte {offset}, seen {seen}")]
    Address {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// Address given by the newest mapping.
        expected: TlpAddr,
        /// Address seen.
        seen: TlpAddr,
    },
    /// A mapping that was taken away: its invalidation or revocation has been completed.
    #[error("stale mapping: {request} used {seen} for byte {offset} after its removal was reported")]
    Stale {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// Address seen.
        seen: TlpAddr,
    },
    /// An access in mode `ats` without a translation that allows it.
    #[error("translation: {request} has no translation of {iova} that allows byte {offset}, but sent a TLP to {seen}")]
    NoTranslation {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// What has to be translated.
        iova: Iova,
        /// Address seen.
        seen: TlpAddr,
    },
    /// A TLP for a request, or a page of it, that must be refused.
    #[error("protection: {request} must end with `{expected}`, but sent byte {offset} to {seen}")]
    Refused {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// Syndrome it must end with.
        expected: Syndrome,
        /// Address seen.
        seen: TlpAddr,
    },
    /// The wrong PASID prefix.
    #[error("PASID: {request} at {address} expects prefix {}, seen {}", Prefix(expected), Prefix(seen))]
    Pasid {
        /// Request.
        request: Name,
        /// Address.
        address: TlpAddr,
        /// Prefix that region and function require.
        expected: PasidPrefix,
        /// Prefix seen.
        seen: PasidPrefix,
    },
    /// A write whose bytes are not those of the message.
    #[error("payload: {request} wrote other bytes than the message has from byte {offset} on, {length} bytes")]
    Payload {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// Bytes written.
        length: u32,
    },
    /// A write of bytes that nobody has handed over yet.
    #[error("payload: {request} wrote byte {offset} and on, {length} bytes, before it was given them")]
    NotGiven {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// Bytes written.
        length: u32,
    },
    /// A TLP beyond the end of its request or of its page.
    #[error("owed bytes: {request} has {owed} bytes left in this page from byte {offset} on, the TLP covers {seen}")]
    Overrun {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// Bytes that may follow.
        owed: u32,
        /// Bytes of the TLP.
        seen: u32,
    },
    /// Bytes of a request before those of an earlier one of its stream.
    #[error("stream order: {request} sent a TLP to {seen} while {earlier} still owes bytes")]
    StreamOrder {
        /// Request.
        request: Name,
        /// The earlier request.
        earlier: Name,
        /// Address seen.
        seen: TlpAddr,
    },
    /// An access on the other path than the stream's last write, which no flush has followed.
    #[error("path order: {request} sent a TLP to {seen} before a flush of what {written} wrote on the other path")]
    PathOrder {
        /// Request.
        request: Name,
        /// The request that wrote.
        written: Name,
        /// Address seen.
        seen: TlpAddr,
    },
    /// Byte enables that name no contiguous range.
    #[error("byte enables: {length_dw} DW with first {first:#06b} and last {last:#06b} name no contiguous range")]
    ByteEnables {
        /// Length in DW.
        length_dw: u16,
        /// First DW Byte Enables.
        first: u8,
        /// Last DW Byte Enables.
        last: u8,
    },
    /// A payload of another length than the header says.
    #[error("payload length: the header says {expected} bytes, seen {seen}")]
    PayloadLength {
        /// Bytes by the header.
        expected: u32,
        /// Bytes seen.
        seen: u32,
    },
    /// An attribute that the request must not have.
    #[error("attributes: a request to {address} (AT = {:02b}) has {what}", at.0)]
    Attributes {
        /// Address.
        address: TlpAddr,
        /// Its AT.
        at: AddressType,
        /// Which attribute, and why not.
        what: &'static str,
    },
    /// An atomic that is not allowed.
    #[error("atomic: one at {address} (AT = {:02b}) {why}", at.0)]
    Atomic {
        /// Address.
        address: TlpAddr,
        /// Its AT.
        at: AddressType,
        /// What is wrong.
        why: &'static str,
    },
    /// A fetch from table memory in the wrong form.
    #[error("table fetch at {address}: {why}")]
    TableFetch {
        /// Address.
        address: TlpAddr,
        /// What is wrong.
        why: &'static str,
    },
    /// A table line is written that no registration asks for, or not as it has to be.
    #[error("table write: {address}: {why}")]
    TableWrite {
        /// Its address.
        address: TlpAddr,
        /// What is wrong.
        why: &'static str,
    },
    /// What stands behind a registration in its stream went on before the registration took effect, and it took effect.
    #[error("registration: {request} has taken effect, though what stands behind it went on by what was there before")]
    RegistrationOrder {
        /// The registration.
        request: Name,
    },
    /// A Translation Request that is not allowed.
    #[error("Translation Request of function {function} for {iova}: {why}")]
    TranslationRequest {
        /// Function.
        function: FunctionId,
        /// Untranslated address asked for.
        iova: Iova,
        /// What is wrong.
        why: &'static str,
    },
    /// A Page Request that is not allowed.
    #[error("Page Request of function {function} for {page}: {why}")]
    PageRequest {
        /// Function.
        function: FunctionId,
        /// Page asked for.
        page: Iova,
        /// What is wrong.
        why: &'static str,
    },
    /// A tag used again while its request is outstanding.
    #[error("tags: {requester} used tag {tag} while it is outstanding")]
    TagReuse {
        /// Requester.
        requester: RequesterId,
        /// Tag.
        tag: Tag,
    },
    /// Read data that the completions did not bring.
    #[error("read data: {request} delivered bytes from {offset} on: {why}")]
    ReadData {
        /// Request.
        request: Name,
        /// Offset in the message.
        offset: u32,
        /// What is wrong.
        why: &'static str,
    },
    /// A request reported as done while something is owed.
    #[error("owed bytes: {request} of {length} bytes was reported as done with {done} bytes {what}")]
    DoneEarly {
        /// Request.
        request: Name,
        /// Bytes of the request.
        length: u32,
        /// Bytes done.
        done: u32,
        /// What was done with them.
        what: &'static str,
    },
    /// A request that ended with a syndrome for which there is no cause.
    #[error("syndrome: {request} expects `{expected}`, seen `{seen}`")]
    Syndrome {
        /// Request.
        request: Name,
        /// The first syndrome for which there is a cause.
        expected: Syndrome,
        /// Syndrome seen.
        seen: Syndrome,
    },
    /// Completions of one stream out of order among writes or among reads.
    #[error("completion order: {request} was reported before {earlier}")]
    DoneOrder {
        /// Request.
        request: Name,
        /// The earlier request.
        earlier: Name,
    },
    /// Something about a request that is not open.
    #[error("{what} for {request}, which is not open")]
    NotOpen {
        /// Request.
        request: Name,
        /// What was seen.
        what: &'static str,
    },
    /// A request under the name of one that is open.
    #[error("{request} was accepted while one of that name is open")]
    NameInUse {
        /// Request.
        request: Name,
    },
    /// A revocation reported that was not started.
    #[error("revocation: the end of one of key {key} was reported, but none was under way")]
    RevocationUnknown {
        /// Key.
        key: Key,
    },
    /// A revocation reported before its flush read came back.
    #[error("revocation: that of key {key} was reported before the zero-length read of {address} came back")]
    RevocationUnflushed {
        /// Key.
        key: Key,
        /// Where the flush read goes.
        address: BusAddr,
    },
    /// An Invalidate Completion for an ITag that is not outstanding.
    #[error("invalidation: {requester} completed ITag {itag}, which is not outstanding")]
    InvalidationUnknown {
        /// Function's requester ID.
        requester: RequesterId,
        /// ITag.
        itag: u8,
    },
    /// An Invalidate Completion in the wrong form.
    #[error("invalidation: {requester} sent an Invalidate Completion {why}")]
    InvalidationForm {
        /// Function's requester ID.
        requester: RequesterId,
        /// What is wrong.
        why: &'static str,
    },
    /// An Invalidate Completion before a read that used the translation has come back.
    #[error("invalidation: ITag {itag} of function {function} was completed before the read of {address} came back")]
    InvalidationEarly {
        /// Function.
        function: FunctionId,
        /// ITag.
        itag: u8,
        /// Where the read goes.
        address: TlpAddr,
    },
    /// An Invalidate Request that cannot be read.
    #[error("invalidation: an Invalidate Request was accepted whose {what}")]
    InvalidationUnreadable {
        /// What is wrong.
        what: &'static str,
    },
    /// Too many ways to say which request a TLP belongs to: the trace aliases more than the judge can follow.
    #[error("too ambiguous: {states} ways to attribute the TLPs seen; give streams distinct addresses or data")]
    TooAmbiguous {
        /// Ways counted.
        states: usize,
    },
    /// Something still owed at the end.
    #[error("owed at the end: {request} is not done; {done} of {length} bytes were sent")]
    Owed {
        /// Request.
        request: Name,
        /// Bytes of the request.
        length: u32,
        /// Bytes sent.
        done: u32,
    },
    /// An invalidation still owed at the end.
    #[error("owed at the end: function {function} has not completed the invalidation with ITag {itag}")]
    InvalidationOwed {
        /// Function.
        function: FunctionId,
        /// ITag.
        itag: u8,
    },
    /// A revocation still owed at the end.
    #[error("owed at the end: the revocation of key {key} was not reported")]
    RevocationOwed {
        /// Key.
        key: Key,
    },
}
