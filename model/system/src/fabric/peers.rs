//! Reads and atomics that the root complex makes at a peer on behalf of another device, a bounded number at a time.

use super::packet::Packet;
use super::root::ROOT_ID;
use std::collections::VecDeque;
use types::tlp::{Body, status};
use types::{AddressType, BusAddr, RequesterId, Tag, Tlp, TlpAddr};

#[derive(Clone, Copy, Debug)]
struct Open {
    requester: RequesterId,
    tag: Tag,
}

/// Peer reads in flight and waiting.
#[derive(Clone, Debug)]
pub(super) struct PeerReads {
    open: Vec<Option<Open>>,
    free: Vec<u16>,
    waiting: VecDeque<(Tlp, BusAddr, Vec<u8>)>,
}

impl PeerReads {
    /// At most `limit` reads in flight.
    pub(super) fn new(limit: u32) -> Self {
        let limit = limit.min(1024) as u16;
        Self { open: vec![None; usize::from(limit)], free: (0..limit).rev().collect(), waiting: VecDeque::new() }
    }

    /// Wants a read made, or an atomic with its operands; see [`PeerReads::start`].
    pub(super) fn push(&mut self, request: Tlp, address: BusAddr, payload: Vec<u8>) {
        self.waiting.push_back((request, address, payload));
    }

    /// The next read to send to the peer, if one waits and may go.
    pub(super) fn start(&mut self) -> Option<Packet> {
        let tag = *self.free.last()?;
        let (request, to, payload) = self.waiting.pop_front()?;
        self.free.pop();
        let Body::Memory { op, requester, tag: original, first_be, last_be, .. } = request.body else { return None };
        self.open[usize::from(tag)] = Some(Open { requester, tag: original });
        let body = Body::Memory {
            op,
            at: AddressType::UNTRANSLATED,
            requester: ROOT_ID,
            tag: Tag(tag),
            first_be,
            last_be,
            address: TlpAddr(to.0),
            no_write: false,
        };
        Some(Packet { tlp: Tlp { body, pasid: Default::default(), ..request }, payload })
    }

    /// A completion from the peer, under the names of the original request.
    pub(super) fn returned(&mut self, mut packet: Packet) -> Option<Packet> {
        let Body::Completion { requester, tag, status: code, byte_count, lower_address, .. } = &mut packet.tlp.body
        else {
            return None;
        };
        let number = tag.0;
        let open = (*self.open.get(usize::from(number))?)?;
        let skip = u16::from(*lower_address & 3);
        let last = *code != status::SC || *byte_count + skip <= 4 * packet.tlp.length_dw;
        (*requester, *tag) = (open.requester, open.tag);
        if last {
            self.open[usize::from(number)] = None;
            self.free.push(number);
        }
        Some(packet)
    }

    /// Reads that wait for a free place.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
