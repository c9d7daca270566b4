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
mod atomic;
mod channel;
mod completer;
mod events;
mod interfere;
mod iommu;
mod kind;
mod memories;
mod packet;
mod pager;
mod peers;
mod queues;
mod redirect;
mod root;

pub use channel::{Channel, ChannelCounts, CreditCount};
pub use completer::{Completer, CompletionRules, Reply, enabled_range};
pub use interfere::{Act, Rule};
pub use iommu::{IoRange, Iommu, IommuCounts, Mapping, Scatter};
pub use kind::{Kinds, TlpKind};
pub use memories::{Landing, Memories, Place};
pub use packet::{Class, Packet, Pool};
pub use pager::PageCounts;
pub use redirect::RedirectCounts;
pub use root::{ROOT_ID, RootCounts};

use crate::config::{Config, PageAnswer};
use crate::driver::{Tables, table_range};
use crate::memory::Memory;
use crate::pattern::Pattern;
use crate::random::Random;
use crate::time::Time;
use agent::Agent;
use pager::Pager;
use queues::Queues;
use redirect::Redirect;
use root::Root;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use types::port::Credits;
use types::{BusAddr, ByteCount, FunctionId, Iova, Pasid, RequesterId};

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

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkDirection {
    /// NIC to switch.
    NicUp = NIC_UP as isize,
    /// Switch to NIC.
    NicDown = NIC_DOWN as isize,
    /// GPU to switch.
    GpuUp = GPU_UP as isize,
    /// Switch to GPU.
    GpuDown = GPU_DOWN as isize,
    /// Root complex to switch.
    RootDown = ROOT_DOWN as isize,
    /// Switch to root complex.
    RootUp = ROOT_UP as isize,
}

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
    /// GPU memory executes atomics.
    gpu_atomics: bool,
    /// When each of the reads that the GPU serves at a time is done; empty for any number.
    gpu_reads: Vec<Time>,
    redirect: Redirect,
    pool: Pool,
    interference: Option<Box<interfere::Interference>>,
    inbox: VecDeque<Packet>,
    pump_at: Time,
    next: Time,
    turn: usize,
}

/// Into how many pieces the reads in flight can be cut where they are cut and held up at random: nothing else bounds how many
/// are under way at once. At most 4096, which are 16 MiB of buffers.
fn pieces(cfg: &Config) -> usize {
    let unit = cfg.unit_cfg();
    let most = unit.read_slots * unit.read_slot_bytes / cfg.function.read_completion_boundary_bytes;
    if cfg.disorder.random_splits { most.min(4096) as usize } else { 0 }
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
                Pager::new(&cfg.iommu),
                Completer::new(ROOT_ID, rules(cfg.root.completion_bytes), Random::new(seed, "root.completer")),
                &cfg.root,
            ),
            gpu: Completer::new(GPU_ID, rules(cfg.memory.gpu_completion_bytes), Random::new(seed, "gpu.completer")),
            gpu_read: Time::from_ns(cfg.memory.gpu_read_ns),
            gpu_atomics: cfg.memory.gpu_atomics,
            gpu_reads: vec![Time(0); cfg.memory.gpu_reads as usize],
            redirect: Redirect::new(&cfg.switch),
            pool: Pool::stocked(pieces(cfg)),
            interference: None,
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
    /// Keeps one direction of a link from starting another packet before `until`.
    pub fn stall(&mut self, direction: LinkDirection, until: Time) {
        self.channels[direction as usize].stall(until);
    }
    /// Keeps credits for the NIC's TLPs of a class from coming back, or lets them come again.
    pub fn hold_credits(&mut self, class: Class, hold: bool) {
        self.channels[NIC_UP].hold_credits(class, hold);
    }
    /// Sends a message of the root complex towards the NIC.
    pub fn send_message(&mut self, now: Time, packet: Packet) {
        self.sources[ROOT_OUT].push(packet);
        self.pump(now);
        self.next = self.earliest();
    }
    /// The next message that has reached the root complex by `now`, behind the writes before it.
    pub fn receive_message(&mut self, now: Time) -> Option<Packet> {
        self.root.messages.pop_front_if(|(at, _)| *at <= now).map(|(_, packet)| packet)
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
    /// Page Requests and what became of them.
    pub fn page_counts(&self) -> PageCounts {
        self.root.pager.counts()
    }
    /// What the host answers to Page Requests from now on.
    pub fn set_page_answer(&mut self, answer: PageAnswer) {
        self.root.pager.set_answer(answer);
    }
    /// Takes a page of a paged range out of the IOMMU and its IOTLB. The unit's ATC is not told.
    pub fn page_out(&mut self, iova: Iova, pasid: Option<Pasid>) {
        self.root.iommu.page_out(iova, pasid);
    }
    /// Translated requests of the NIC to its peer that took the way through the root.
    pub fn redirect_counts(&self) -> RedirectCounts {
        self.redirect.counts()
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

    /// When the NIC's credits change next without an event; `None` when a packet waits for the NIC.
    pub fn resting_until(&self) -> Option<Time> {
        self.inbox.is_empty().then(|| self.channels[NIC_UP].next_return())
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
}
