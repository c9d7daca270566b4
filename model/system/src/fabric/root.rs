//! The root complex: host side of every access, and the path between peers that no switch takes.

use super::agent::{Agent, is_translation_request};
use super::completer::{Completer, Reply, enabled_range};
use super::iommu::Iommu;
use super::packet::{Class, Packet, Pool};
use super::pager::Pager;
use super::peers::PeerReads;
use super::{Memories, Place};
use crate::config::RootConfig;
use crate::time::Time;
use std::collections::VecDeque;
use types::tlp::{Body, MemoryOp, message_code, status};
use types::{AddressType, BusAddr, Iova, RequesterId, Tlp};

/// A write on its way to memory.
#[derive(Clone, Debug)]
pub(super) struct PendingWrite {
    pub(super) ready: Time,
    pub(super) packet: Packet,
    /// Where it goes; `None` when it is dropped.
    pub(super) target: Option<(Place, BusAddr)>,
}

/// Counters of the root complex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootCounts {
    /// Posted writes that were dropped: no mapping, no permission, no such address.
    pub dropped_writes: u64,
    /// Reads and atomics answered with UR.
    pub refused_reads: u64,
    /// Reads and atomics passed on to a peer.
    pub peer_reads: u64,
    /// Writes passed on to a peer.
    pub peer_writes: u64,
}

/// The root complex.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) iommu: Iommu,
    pub(super) agent: Agent,
    pub(super) completer: Completer,
    pub(super) writes: VecDeque<PendingWrite>,
    /// When the youngest write so far will be visible.
    last_write: Time,
    memory_read: Time,
    /// Picoseconds that a byte written to a peer takes, and when the last such write is through.
    peer_write: (u64, Time),
    pub(super) peers: PeerReads,
    /// Host memory executes atomics.
    atomics: bool,
    pub(super) pager: Pager,
    /// Messages for the driver, and when the writes before each are visible: a message pushes them.
    pub(super) messages: VecDeque<(Time, Packet)>,
    pub(super) counts: RootCounts,
}

impl Root {
    pub(super) fn new(iommu: Iommu, agent: Agent, pager: Pager, completer: Completer, cfg: &RootConfig) -> Self {
        Self {
            iommu,
            agent,
            pager,
            completer,
            writes: VecDeque::with_capacity(256),
            last_write: Time(0),
            memory_read: Time::from_ns(cfg.memory_read_ns),
            peer_write: (8000_u64.checked_div(cfg.peer_write_gbps.into()).unwrap_or(0), Time(0)),
            peers: PeerReads::new(cfg.peer_reads),
            atomics: cfg.atomics,
            messages: VecDeque::new(),
            counts: RootCounts::default(),
        }
    }

    /// Takes a packet that has arrived. Writes keep their buffer space until they are done; the answer is whether the
    /// packet gives its space back at once, and a packet to send on.
    pub(super) fn accept(
        &mut self,
        now: Time,
        packet: Packet,
        memories: &Memories,
        pool: &mut Pool,
    ) -> (bool, Option<Packet>) {
        if is_translation_request(&packet) {
            self.agent.answer(now, &packet.tlp, &mut self.iommu, &mut self.completer, pool);
            pool.give(packet.payload);
            return (true, None);
        }
        match packet.tlp.body {
            Body::Memory { op: MemoryOp::Write, .. } => {
                let (mut done, target) = self.resolve(now, &packet.tlp, memories);
                if matches!(target, Some((Place::Gpu, _))) {
                    let (ps_per_byte, through) = &mut self.peer_write;
                    *through = done.max(*through) + Time(*ps_per_byte * packet.payload.len() as u64);
                    done = *through;
                }
                // Writes stay in order.
                self.last_write = self.last_write.max(done);
                self.counts.dropped_writes += u64::from(target.is_none());
                self.writes.push_back(PendingWrite { ready: self.last_write, packet, target });
                (false, None)
            }
            Body::Memory { op, .. } => {
                let (done, target) = self.resolve(now, &packet.tlp, memories);
                // A read pushes the writes before it, and so does an atomic.
                let done = done.max(self.last_write);
                let Packet { tlp: request, payload } = packet;
                match target {
                    Some((Place::Gpu, address)) => {
                        self.completer.schedule(done, Reply::Peer { request, address, payload });
                    }
                    Some((Place::Host, address)) if op.is_atomic() && self.atomics => {
                        self.completer.schedule(done + self.memory_read, Reply::Atomic { request, address, payload });
                    }
                    Some((_, address)) if op == MemoryOp::Read => {
                        self.completer.schedule(done + self.memory_read, Reply::Read { request, address });
                    }
                    _ => self.refuse(done, &request),
                }
                (true, None)
            }
            Body::Completion { .. } => (true, self.peers.returned(packet)),
            Body::Message { code: message_code::PAGE_REQUEST, .. } => {
                self.pager.request(now, &packet.tlp, &mut self.completer);
                pool.give(packet.payload);
                (true, None)
            }
            Body::Message { .. } => {
                self.messages.push_back((self.last_write.max(now), packet));
                (true, None)
            }
        }
    }

    fn refuse(&mut self, at: Time, request: &Tlp) {
        self.counts.refused_reads += 1;
        let packet = self.completer.refusal(request, status::UR);
        self.completer.schedule(at, Reply::Send(packet));
    }

    /// Where a memory request goes and when that is known; `None` when it goes nowhere.
    fn resolve(&mut self, now: Time, request: &Tlp, memories: &Memories) -> (Time, Option<(Place, BusAddr)>) {
        let Body::Memory { op, at, requester, address, .. } = request.body else { return (now, None) };
        // A compare-and-swap carries two operands, and accesses one.
        let bytes = if op.is_atomic() { enabled_range(request).1.into() } else { 4 * u64::from(request.length_dw) };
        let (done, address) = match at {
            AddressType::UNTRANSLATED => {
                let (done, mapping) = self.iommu.translate(now, Iova(address.0), request.pasid);
                let writes = op.has_data();
                let touches = op.is_atomic() || enabled_range(request).1 > 0 && request_touches(request);
                let Some(mapping) = mapping else { return (done, None) };
                let allowed = if !touches {
                    mapping.read || mapping.write
                } else {
                    (mapping.write || !writes) && (mapping.read || op == MemoryOp::Write)
                };
                let execute = request.pasid.valid && request.pasid.exec;
                if !allowed || execute && !mapping.exec {
                    self.iommu.note_refused();
                    return (done, None);
                }
                (done, mapping.address)
            }
            AddressType::TRANSLATED if self.agent.allows(requester) => (now, BusAddr(address.0)),
            _ => return (now, None),
        };
        (done, memories.place(address, bytes).map(|place| (place, address)))
    }

    /// When the next write is visible.
    pub(super) fn next_write(&self) -> Time {
        self.writes.front().map_or(Time::NEVER, |w| w.ready)
    }
}

/// Whether the request names at least one byte.
fn request_touches(request: &Tlp) -> bool {
    !matches!(request.body, Body::Memory { first_be: 0, last_be: 0, .. })
}

/// The class and data credits of a packet, to give its buffer space back.
pub(super) fn space_of(packet: &Packet) -> (Class, u32) {
    (packet.class(), packet.data_credits())
}

/// Requester ID of the root complex.
pub const ROOT_ID: RequesterId = RequesterId(0);
