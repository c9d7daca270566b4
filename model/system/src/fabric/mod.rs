//! The PCIe fabric: links, switch, root complex, memories; event driven.
//!
//! ```text
//!   unit ══ NIC link ══ switch ══ root link ══ root complex ── host memory
//!                          ║                   (IOMMU, translation agent)
//!                       GPU link
//!                          ║
//!                         GPU ── GPU memory
//! ```
//! Events at one time are taken in the order links, GPU, root complex, switch, each in order of arrival, so that a run is
//! the same every time.

mod agent;
mod channel;
mod completer;
mod iommu;
mod memories;
mod packet;
mod peers;
mod queues;
mod root;

pub use channel::{Channel, ChannelCounts, CreditCount};
pub use completer::{Completer, CompletionRules, Reply, enabled_range};
pub use iommu::{IoRange, Iommu, IommuCounts, Mapping, Scatter};
pub use memories::{Landing, Memories, Place};
pub use packet::{Class, Packet, Pool};
pub use root::{ROOT_ID, RootCounts};

use crate::config::Config;
use crate::driver::{Tables, table_range};
use crate::memory::Memory;
use crate::pattern::Pattern;
use crate::random::Random;
use crate::time::Time;
use agent::Agent;
use peers::PeerReads;
use queues::{CLASSES, Queues};
use root::{Root, space_of};
use std::collections::VecDeque;
use types::port::Credits;
use types::tlp::{Body, MemoryOp, Routing};
use types::{AddressType, BusAddr, ByteCount, FunctionId, RequesterId, Tlp};

/// Requester ID of the GPU.
pub const GPU_ID: RequesterId = RequesterId(0x0200);

/// Requester ID of a function of the NIC: bus 1, functions counted up.
pub fn nic_function(function: FunctionId) -> RequesterId {
    RequesterId(0x0100 + (function.0 & 0xff))
}

// Directions of the links; the other direction of link i is i ^ 1.
const NIC_UP: usize = 0;
const NIC_DOWN: usize = 1;
const GPU_UP: usize = 2;
const GPU_DOWN: usize = 3;
const ROOT_DOWN: usize = 4;
const ROOT_UP: usize = 5;

// Who waits for an egress: the switch's three ingress ports (fed by links 0, 2, 4), the GPU, the root complex.
const GPU_OUT: usize = 3;
const ROOT_OUT: usize = 4;

/// Bus address of the tables: above 4 GiB, so that every address takes a 64-bit header.
const TABLE_BASE: u64 = 0x1_0000_0000;
/// Room for the tables: more than 1 TiB in pages of 4 KiB takes.
const TABLE_BYTES: u64 = 32 << 30;
/// Bus address of GPU memory.
const GPU_BASE: u64 = 0x1000_0000_0000;

/// The fabric.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// All memory.
    pub memories: Memories,
    channels: [Channel; 6],
    sources: [Queues; 5],
    root: Root,
    gpu: Completer,
    gpu_read: Time,
    direct: bool,
    pool: Pool,
    inbox: VecDeque<Packet>,
    pump_at: Time,
    next: Time,
    turn: usize,
}

impl Fabric {
    /// The fabric of a configuration, with empty memories.
    pub fn new(cfg: &Config) -> Self {
        let seed = cfg.seed;
        let rules = |payload: u64| CompletionRules {
            boundary: cfg.function.read_completion_boundary_bytes,
            payload: (payload as u32).min(cfg.function.max_payload_bytes),
            random_splits: cfg.disorder.random_splits,
            jitter: Time::from_ns(cfg.disorder.jitter_ns),
        };
        let gib = |n: u64| ByteCount(n << 30);
        let tables = Tables::new(BusAddr(TABLE_BASE), ByteCount(TABLE_BYTES), cfg.memory.mpt_entries);
        let switch = Time::from_ns(cfg.switch.latency_ns);
        let root_latency = Time::from_ns(cfg.root.latency_ns);
        let none = Time(0);
        let (nic, gpu, root) = (&cfg.link.nic, &cfg.link.gpu, &cfg.link.root);
        let boundary = cfg.function.read_completion_boundary_bytes;
        let splits = cfg.disorder.random_splits.then(|| Random::new(seed, "root.agent"));
        let mut fabric = Self {
            memories: Memories {
                host: Memory::new(BusAddr(0), gib(cfg.memory.host_gib), Pattern::background(seed, 0)),
                gpu: Memory::new(BusAddr(GPU_BASE), gib(cfg.memory.gpu_gib), Pattern::background(seed, 1)),
                tables,
            },
            channels: [
                Channel::new(nic, switch, false),
                Channel::new(nic, none, true),
                Channel::new(gpu, switch, false),
                Channel::new(gpu, none, true),
                Channel::new(root, switch, false),
                Channel::new(root, root_latency, true),
            ],
            sources: std::array::from_fn(|_| Queues::new()),
            root: Root::new(
                Iommu::new(&cfg.iommu, seed),
                Agent::new(
                    &cfg.iommu,
                    cfg.function.smallest_translation_unit_bytes.trailing_zeros(),
                    boundary as u16,
                    splits,
                ),
                Completer::new(ROOT_ID, rules(cfg.root.completion_bytes), Random::new(seed, "root.completer")),
                Time::from_ns(cfg.root.memory_read_ns),
                PeerReads::new(cfg.root.peer_reads),
            ),
            gpu: Completer::new(GPU_ID, rules(cfg.memory.gpu_completion_bytes), Random::new(seed, "gpu.completer")),
            gpu_read: Time::from_ns(cfg.memory.gpu_read_ns),
            direct: cfg.switch.direct_translated,
            pool: Pool::default(),
            inbox: VecDeque::with_capacity(256),
            pump_at: Time::NEVER,
            next: Time::NEVER,
            turn: 0,
        };
        let range = table_range(&fabric.memories.tables);
        fabric.root.iommu.map(range);
        fabric
    }

    /// First bus address of GPU memory.
    pub fn gpu_base(&self) -> BusAddr {
        BusAddr(GPU_BASE)
    }
    /// Adds a range to the IOMMU.
    pub fn map(&mut self, range: IoRange) {
        self.root.iommu.map(range);
    }
    /// Takes a range out of the IOMMU and its IOTLB. The unit's ATC is not told.
    pub fn unmap(&mut self, range: IoRange) {
        self.root.iommu.unmap(range.base, range.pasid);
    }
    /// Translation Requests of this function are refused from now on.
    pub fn deny_ats(&mut self, function: RequesterId) {
        self.root.agent.deny(function);
    }

    /// An empty payload buffer.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.pool.take()
    }
    /// Gives a packet's payload buffer back.
    pub fn recycle(&mut self, packet: Packet) {
        self.pool.give(packet.payload);
    }

    /// Sends a packet of the NIC; credits must suffice. The time is that of its last byte leaving.
    pub fn send(&mut self, now: Time, packet: Packet) -> Time {
        let end = self.channels[NIC_UP].send(now, packet);
        self.next = self.next.min(self.channels[NIC_UP].next_arrival());
        end
    }
    /// When the NIC's transmitter is free.
    pub fn transmitter_free(&self) -> Time {
        self.channels[NIC_UP].free_at()
    }
    /// Credits the NIC has at `now`.
    pub fn credits(&mut self, now: Time) -> Credits {
        let channel = &mut self.channels[NIC_UP];
        channel.collect(now);
        let (p, np) = (channel.credits(Class::Posted), channel.credits(Class::NonPosted));
        Credits {
            ph: p.headers.min(0xff) as u8,
            pd: p.data.min(0xfff) as u16,
            nph: np.headers.min(0xff) as u8,
            npd: np.data.min(0xfff) as u16,
        }
    }
    /// The next packet that has reached the NIC.
    pub fn receive(&mut self) -> Option<Packet> {
        self.inbox.pop_front()
    }
    /// Sends a message of the root complex towards the NIC.
    pub fn send_message(&mut self, now: Time, packet: Packet) {
        self.sources[ROOT_OUT].push(packet);
        self.pump(now);
        self.next = self.earliest();
    }
    /// The next message that has reached the root complex.
    pub fn receive_message(&mut self) -> Option<Packet> {
        self.root.messages.pop_front()
    }
    /// Counters of the IOMMU.
    pub fn iommu_counts(&self) -> IommuCounts {
        self.root.iommu.counts()
    }
    /// Counters of the root complex.
    pub fn root_counts(&self) -> RootCounts {
        self.root.counts
    }
    /// Translation Requests answered with entries, and refused.
    pub fn agent_counts(&self) -> (u64, u64) {
        self.root.agent.counts()
    }
    /// Counters of the NIC's link, from and to the NIC.
    pub fn link_counts(&self) -> (ChannelCounts, ChannelCounts) {
        (self.channels[NIC_UP].counts(), self.channels[NIC_DOWN].counts())
    }
    /// Where a packet is stuck, one line.
    pub fn describe(&self) -> String {
        let flight: Vec<usize> = self.channels.iter().map(Channel::in_flight).collect();
        let queued: Vec<usize> = self.sources.iter().map(Queues::len).collect();
        format!(
            "fabric: in flight {flight:?} (NIC up, down, GPU up, down, root down, up), waiting {queued:?} (switch from \
             NIC, GPU, root; GPU; root), root writes {}, replies {}, peer reads waiting {}, GPU replies {}, NIC credits \
             {:?} {:?}",
            self.root.writes.len(),
            self.root.completer.pending(),
            self.root.peers.waiting(),
            self.gpu.pending(),
            self.channels[NIC_UP].credits(Class::Posted),
            self.channels[NIC_UP].credits(Class::NonPosted),
        )
    }

    /// When the next event is.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next
    }

    /// Lets everything happen up to and at `now`, but stops after bytes that reach memory, which are returned: their
    /// reader sees memory before anything else changes it.
    #[inline]
    pub fn advance(&mut self, now: Time) -> Option<Landing> {
        while self.next <= now {
            let landing = self.step();
            if landing.is_some() {
                return landing;
            }
        }
        None
    }

    fn earliest(&self) -> Time {
        let links = self.channels.iter().map(Channel::next_arrival).min().unwrap_or(Time::NEVER);
        links.min(self.gpu.next()).min(self.root.completer.next()).min(self.root.next_write()).min(self.pump_at)
    }

    /// The next event.
    fn step(&mut self) -> Option<Landing> {
        let now = self.next;
        let landing = self.event(now);
        self.pump(now);
        self.next = self.earliest();
        landing
    }

    fn event(&mut self, now: Time) -> Option<Landing> {
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

    fn release(&mut self, now: Time, link: usize, (class, data): (Class, u32)) {
        let dllps = self.channels[link].release(now, class, data);
        self.channels[link ^ 1].send_dllps(now, dllps);
    }

    fn arrive(&mut self, now: Time, link: usize, packet: Packet) -> Option<Landing> {
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
                let (done, send) = self.root.accept(now, packet, &self.memories);
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
            Body::Memory { op: MemoryOp::Read, address, .. } => {
                let reply = Reply::Read { request: packet.tlp, address: BusAddr(address.0) };
                self.gpu.schedule(now + self.gpu_read, reply);
            }
            Body::Memory { .. } => {
                let refusal = self.gpu.refusal(&packet.tlp, types::tlp::status::UR);
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
            Some(Reply::Send(packet)) => sources[GPU_OUT].push(packet),
            Some(Reply::Peer { .. }) | None => {}
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
            Some(Reply::Send(packet)) => sources[ROOT_OUT].push(packet),
            Some(Reply::Peer { request, address }) => {
                root.counts.peer_reads += 1;
                root.peers.push(request, address);
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
                    (*at, *address) = (AddressType::UNTRANSLATED, types::TlpAddr(to.0));
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
            (s, Body::Memory { at, address, .. }) => {
                let direct = s * 2 == ROOT_DOWN || (at == AddressType::TRANSLATED && self.direct);
                let gpu = self.memories.gpu.contains(BusAddr(address.0), 4);
                if direct && gpu { GPU_DOWN } else { ROOT_UP }
            }
        }
    }

    /// Sends every packet that may leave now, and notes when to try again.
    fn pump(&mut self, now: Time) {
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
