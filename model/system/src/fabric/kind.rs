//! What a TLP on the NIC's link is for.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use types::tlp::{Body, MemoryOp, message_code};
use types::{AddressType, ByteCount, Iova, RequesterId, Tag, Tlp};

/// What a TLP is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TlpKind {
    /// A write of message data.
    DataWrite,
    /// A read of message data.
    DataRead,
    /// A write of a table line.
    TableWrite,
    /// An atomic.
    DataAtomic,
    /// A fetch of a table line.
    TableRead,
    /// A Translation Request.
    TranslationRequest,
    /// A zero-length read.
    FlushRead,
    /// An Invalidate Completion.
    InvalidateCompletion,
    /// A Page Request.
    PageRequest,
    /// An answer to a data read.
    DataCompletion,
    /// An answer to an atomic.
    AtomicCompletion,
    /// An answer to a table fetch.
    TableCompletion,
    /// An answer to a Translation Request.
    TranslationCompletion,
    /// An answer to a zero-length read.
    FlushCompletion,
    /// An Invalidate Request.
    InvalidateRequest,
    /// A PRG Response.
    PageResponse,
    /// Anything else: an answer to nothing that is open, another message.
    Other,
}

/// Tells kinds apart: a completion is of the kind of the open request that it answers.
#[derive(Clone, Debug, Default)]
pub struct Kinds(BTreeMap<(RequesterId, Tag), TlpKind>);

impl Kinds {
    /// The kind of a TLP that leaves the NIC; `tables` is the memory that holds the tables.
    pub fn outgoing(&mut self, tlp: &Tlp, tables: (Iova, ByteCount)) -> TlpKind {
        let kind = match tlp.body {
            Body::Memory { op: MemoryOp::Write, at: AddressType::UNTRANSLATED, address, .. }
                if address.0.wrapping_sub(tables.0.0) < tables.1.0 =>
            {
                TlpKind::TableWrite
            }
            Body::Memory { op: MemoryOp::Write, .. } => TlpKind::DataWrite,
            Body::Memory { op: MemoryOp::Read, at: AddressType::TRANSLATION_REQUEST, .. } => {
                TlpKind::TranslationRequest
            }
            Body::Memory { op: MemoryOp::Read, address, first_be, .. } => {
                let table = address.0.wrapping_sub(tables.0.0) < tables.1.0;
                match (table, first_be) {
                    (true, _) => TlpKind::TableRead,
                    (false, 0) => TlpKind::FlushRead,
                    _ => TlpKind::DataRead,
                }
            }
            Body::Memory { .. } => TlpKind::DataAtomic,
            Body::Message { code: message_code::INVALIDATE_COMPLETION, .. } => TlpKind::InvalidateCompletion,
            Body::Message { code: message_code::PAGE_REQUEST, .. } => TlpKind::PageRequest,
            _ => TlpKind::Other,
        };
        if let Body::Memory { op, requester, tag, .. } = tlp.body
            && !op.posted()
        {
            self.0.insert((requester, tag), kind);
        }
        kind
    }

    /// The kind of a TLP that goes to the NIC.
    pub fn incoming(&self, tlp: &Tlp) -> TlpKind {
        match tlp.body {
            Body::Completion { requester, tag, .. } => match self.0.get(&(requester, tag)) {
                Some(TlpKind::DataRead) => TlpKind::DataCompletion,
                Some(TlpKind::DataAtomic) => TlpKind::AtomicCompletion,
                Some(TlpKind::TableRead) => TlpKind::TableCompletion,
                Some(TlpKind::TranslationRequest) => TlpKind::TranslationCompletion,
                Some(TlpKind::FlushRead) => TlpKind::FlushCompletion,
                _ => TlpKind::Other,
            },
            Body::Message { code: message_code::INVALIDATE_REQUEST, .. } => TlpKind::InvalidateRequest,
            Body::Message { code: message_code::PRG_RESPONSE, .. } => TlpKind::PageResponse,
            _ => TlpKind::Other,
        }
    }
}
