//! What happens in the fabric: arrivals, answers, writes that become visible, packets that find their way.

use super::completer::Reply;
use super::packet::{Class, Packet};
use super::queues::CLASSES;
use super::root::space_of;
use super::{
    Channel, Fabric, GPU_DOWN, GPU_OUT, GPU_UP, Landing, NIC_DOWN, NIC_UP, Place, ROOT_DOWN, ROOT_OUT, ROOT_UP,
};
use crate::time::Time;
use types::tlp::{Body, MemoryOp, Routing, status};
use types::{AddressType, BusAddr, RequesterId, Tlp, TlpAddr};

impl Fabric {
    pub(super) fn earliest(&self) -> Time {
        let links = self.channels.iter().map(Channel::next_arrival).min().unwrap_or(Time::NEVER);
        let late = self.interference.as_ref().map_or(Time::NEVER, |i| i.next());
        let devices = self.gpu.next().min(self.root.completer.next()).min(self.root.next_write());
        links.min(devices).min(self.pump_at).min(late)
    }

    /// The next event.
    pub(super) fn step(&mut self) -> Option<Landing> {
        let now = self.next;
        let landing = self.event(now);
        self.pump(now);
        self.next = self.earliest();
        landing
    }

    fn event(&mut self, now: Time) -> Option<Landing> {
        if self.interference.as_ref().is_some_and(|i| i.next() <= now) {
            return self.late_arrival(now);
        }
        for link in 0..self.channels.len() {
            if self.channels[link].next_arrival() <= now {
                let packet = self.channels[link].arrive()?;
                return self.arrive(now, link, packet);
            }
        }
        if self.gpu.next() <= now {
            self.gpu_reply(now);
        } else if self.root.next_write() <= now {
            return self.root_write(now);
        } else if self.root.completer.next() <= now {
            self.root_reply(now);
        }
        None
    }

    pub(super) fn release(&mut self, now: Time, link: usize, (class, data): (Class, u32)) {
        let dllps = self.channels[link].release(now, class, data);
        self.channels[link ^ 1].send_dllps(now, dllps);
    }

    fn arrive(&mut self, now: Time, link: usize, packet: Packet) -> Option<Landing> {
        let packet = match link {
            NIC_UP | NIC_DOWN => self.interfere_with(now, link, packet)?,
            _ => packet,
        };
        self.deliver(now, link, packet)
    }

    pub(super) fn deliver(&mut self, now: Time, link: usize, packet: Packet) -> Option<Landing> {
        match link {
            NIC_DOWN => {
                self.release(now, link, space_of(&packet));
                self.inbox.push_back(packet);
            }
            GPU_DOWN => {
                self.release(now, link, space_of(&packet));
                return self.gpu_accept(now, packet);
            }
            ROOT_UP => {
                let space = space_of(&packet);
                let (done, send) = self.root.accept(now, packet, &self.memories, &mut self.pool);
                if done {
                    self.release(now, link, space);
                }
                if let Some(packet) = send {
                    self.sources[ROOT_OUT].push(packet);
                    self.start_peer_reads();
                }
            }
            _ => self.sources[link / 2].push(packet),
        }
        None
    }

    fn gpu_accept(&mut self, now: Time, packet: Packet) -> Option<Landing> {
        match packet.tlp.body {
            Body::Memory { op: MemoryOp::Write, address, .. } => {
                let landing = self.memories.write(Place::Gpu, BusAddr(address.0), &packet);
                self.pool.give(packet.payload);
                return landing;
            }
            Body::Memory { op, address, .. } if op == MemoryOp::Read || self.gpu_atomics => {
                let (request, address) = (packet.tlp, BusAddr(address.0));
                let reply = match op {
                    MemoryOp::Read => Reply::Read { request, address },
                    _ => Reply::Atomic { request, address, payload: packet.payload },
                };
                let done = match self.gpu_reads.iter_mut().min() {
                    Some(place) => {
                        *place = now.max(*place) + self.gpu_read;
                        *place
                    }
                    None => now + self.gpu_read,
                };
                self.gpu.schedule(done, reply);
            }
            Body::Memory { .. } => {
                let refusal = self.gpu.refusal(&packet.tlp, status::UR);
                self.gpu.schedule(now, Reply::Send(refusal));
                self.pool.give(packet.payload);
            }
            _ => self.pool.give(packet.payload),
        }
        None
    }

    fn gpu_reply(&mut self, now: Time) {
        let Self { gpu, memories, pool, sources, .. } = self;
        match gpu.pop() {
            Some(Reply::Read { request, address }) => gpu.answer(
                now,
                &request,
                address,
                pool,
                |at, out| memories.gpu.read(at, out),
                |packet| sources[GPU_OUT].push(packet),
            ),
            Some(Reply::Atomic { request, address, payload }) => {
                let mut before = pool.take();
                memories.atomic(&request, address, &payload, &mut before);
                pool.give(payload);
                sources[GPU_OUT].push(gpu.atomic_answer(&request, before));
            }
            Some(Reply::Send(packet)) => sources[GPU_OUT].push(packet),
            Some(Reply::Peer { .. } | Reply::Page(_)) | None => {}
        }
    }

    fn root_reply(&mut self, now: Time) {
        let Self { root, memories, pool, sources, .. } = self;
        match root.completer.pop() {
            Some(Reply::Read { request, address }) => root.completer.answer(
                now,
                &request,
                address,
                pool,
                |at, out| memories.read(at, out),
                |packet| sources[ROOT_OUT].push(packet),
            ),
            Some(Reply::Atomic { request, address, payload }) => {
                let mut before = pool.take();
                memories.atomic(&request, address, &payload, &mut before);
                pool.give(payload);
                sources[ROOT_OUT].push(root.completer.atomic_answer(&request, before));
            }
            Some(Reply::Send(packet)) => sources[ROOT_OUT].push(packet),
            Some(Reply::Page(request)) => {
                if let Some(packet) = root.pager.serve(&request, &mut root.iommu) {
                    sources[ROOT_OUT].push(packet);
                }
            }
            Some(Reply::Peer { request, address, payload }) => {
                root.counts.peer_reads += 1;
                root.peers.push(request, address, payload);
                self.start_peer_reads();
            }
            None => {}
        }
    }

    fn start_peer_reads(&mut self) {
        while let Some(packet) = self.root.peers.start() {
            self.sources[ROOT_OUT].push(packet);
        }
    }

    /// The oldest write of the root complex becomes visible.
    fn root_write(&mut self, now: Time) -> Option<Landing> {
        let write = self.root.writes.pop_front()?;
        self.release(now, ROOT_UP, space_of(&write.packet));
        let mut packet = write.packet;
        match write.target {
            Some((Place::Gpu, to)) => {
                self.root.counts.peer_writes += 1;
                if let Body::Memory { at, address, .. } = &mut packet.tlp.body {
                    (*at, *address) = (AddressType::UNTRANSLATED, TlpAddr(to.0));
                }
                packet.tlp.pasid = Default::default();
                self.sources[ROOT_OUT].push(packet);
            }
            Some((place, to)) => {
                let landing = self.memories.write(place, to, &packet);
                self.pool.give(packet.payload);
                return landing;
            }
            None => self.pool.give(packet.payload),
        }
        None
    }

    /// The link on which a packet of `source` leaves.
    fn route(&self, source: usize, tlp: &Tlp) -> usize {
        match (source, tlp.body) {
            (GPU_OUT, _) => GPU_UP,
            (ROOT_OUT, _) => ROOT_DOWN,
            (_, Body::Completion { requester, .. }) => by_id(requester),
            (_, Body::Message { routing: Routing::ById, dw2, .. }) => by_id(RequesterId((dw2 >> 16) as u16)),
            (_, Body::Message { .. }) => ROOT_UP,
            // Untranslated requests go up; what comes down goes by address, and only the GPU has memory below.
            (s, Body::Memory { at, address, requester, .. }) => {
                let direct = s * 2 == ROOT_DOWN || self.redirect.straight(at, requester);
                let gpu = self.memories.gpu.contains(BusAddr(address.0), 4);
                if direct && gpu { GPU_DOWN } else { ROOT_UP }
            }
        }
    }

    /// Sends every packet that may leave now, and notes when to try again.
    pub(super) fn pump(&mut self, now: Time) {
        self.pump_at = Time::NEVER;
        let count = self.sources.len();
        for turn in 0..count {
            let source = (self.turn + turn) % count;
            if !self.sources[source].is_empty() {
                self.pump_source(now, source);
            }
        }
        self.turn = (self.turn + 1) % count;
    }

    fn pump_source(&mut self, now: Time, source: usize) {
        for class in CLASSES {
            while let Some(packet) = self.sources[source].head(class) {
                let link = self.route(source, &packet.tlp);
                let start = self.channels[link].start_time(now, packet);
                if start > now {
                    self.pump_at = self.pump_at.min(start);
                    break;
                }
                let Some(packet) = self.sources[source].pop(class) else { break };
                let space = space_of(&packet);
                if source * 2 == NIC_UP
                    && let Body::Memory { at, address, requester, .. } = packet.tlp.body
                    && at == AddressType::TRANSLATED
                    && self.memories.gpu.contains(BusAddr(address.0), 4)
                {
                    self.redirect.sent(at, requester);
                }
                self.channels[link].send(now, packet);
                if source < GPU_OUT {
                    self.release(now, source * 2, space);
                }
            }
        }
    }
}

fn by_id(id: RequesterId) -> usize {
    match id.0 >> 8 {
        1 => NIC_DOWN,
        2 => GPU_DOWN,
        _ => ROOT_UP,
    }
}
