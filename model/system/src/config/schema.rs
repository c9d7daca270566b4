//! The configuration schema: one struct a table, units in the key names.

use serde::{Deserialize, Serialize};
use types::{Mode, MttLayout, Owner, Replacement, UnitCfg};

/// A whole configuration, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the preset or file it came from.
    #[serde(default)]
    pub name: String,
    /// One line that says what it is.
    pub title: String,
    /// Seed of every random choice.
    pub seed: u64,
    /// The translation unit.
    pub unit: UnitSection,
    /// PCI configuration of the NIC's functions.
    pub function: FunctionSection,
    /// PCIe links.
    pub link: LinkSection,
    /// The switch.
    pub switch: SwitchConfig,
    /// The root complex.
    pub root: RootConfig,
    /// The IOMMU and its translation agent.
    pub iommu: IommuConfig,
    /// Host and GPU memory.
    pub memory: MemoryConfig,
    /// The driver.
    #[serde(default, skip_serializing_if = "is_default")]
    pub driver: DriverConfig,
    /// The registered region the traffic uses.
    pub region: RegionConfig,
    /// Traffic and the line.
    pub traffic: TrafficConfig,
    /// Deliberate disorder, for tests.
    pub disorder: DisorderConfig,
    /// Messages staged through host memory, where an experiment compares with that.
    #[serde(default, skip_serializing_if = "unset")]
    pub staging: StagingConfig,
    /// Where each value comes from.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Published figures that this configuration is compared with.
    #[serde(default)]
    pub published: Vec<Published>,
}

/// The translation unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitSection {
    /// Named configuration that gives the sizes: tiny, small, medium, large.
    pub configuration: String,
    /// Clock in MHz.
    pub clock_mhz: u32,
    /// Mode that regions inherit.
    pub mode: Mode,
    /// Sizes: those of the named configuration, with what the file overrides.
    pub sizes: UnitCfg,
}

/// PCI configuration of the NIC's functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionSection {
    /// Max_Payload_Size: 128 to 4096.
    pub max_payload_bytes: u32,
    /// Max_Read_Request_Size: 128 to 4096.
    pub max_read_request_bytes: u32,
    /// Read Completion Boundary: 64 or 128.
    pub read_completion_boundary_bytes: u32,
    /// Tag width: 5, 8 or 10.
    pub tag_bits: u32,
    /// Enable Relaxed Ordering.
    pub relaxed_ordering: bool,
    /// ID-Based Ordering Request Enable.
    pub id_ordering: bool,
    /// ATS Enable.
    pub ats_enable: bool,
    /// Smallest Translation Unit: 4096 << STU.
    pub smallest_translation_unit_bytes: u32,
    /// Outstanding Page Request Allocation; 0 leaves the Page Request Interface off.
    #[serde(default, skip_serializing_if = "is_default")]
    pub page_requests: u32,
    /// AtomicOp Requester Enable.
    #[serde(default, skip_serializing_if = "is_default")]
    pub atomic_requests: bool,
}

const fn yes() -> bool {
    true
}
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_yes(value: &bool) -> bool {
    *value
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The three links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSection {
    /// NIC to switch.
    pub nic: LinkConfig,
    /// GPU to switch.
    pub gpu: LinkConfig,
    /// Switch to root complex.
    pub root: LinkConfig,
}

/// One link, the same both ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// PCIe generation: 1 to 6.
    pub generation: u32,
    /// Lanes: 1, 2, 4, 8, 16.
    pub lanes: u32,
    /// From the last bit sent to the packet in the receiver's buffer.
    pub latency_ns: u64,
    /// Posted headers the receiver can hold.
    pub posted_header_credits: u32,
    /// Posted data the receiver can hold, units of 16 bytes.
    pub posted_data_credits: u32,
    /// Non-posted headers.
    pub non_posted_header_credits: u32,
    /// Non-posted data, units of 16 bytes.
    pub non_posted_data_credits: u32,
    /// Completion headers, where the receiver is the switch; others advertise infinite credits.
    pub completion_header_credits: u32,
    /// Completion data, units of 16 bytes.
    pub completion_data_credits: u32,
    /// One ACK DLLP answers this many TLPs.
    pub tlps_per_ack: u32,
    /// One flow control update answers this many TLPs.
    pub tlps_per_credit_update: u32,
}

/// The switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchConfig {
    /// From a packet in the ingress buffer to its start at the egress.
    pub latency_ns: u64,
    /// ACS Direct Translated P2P: translated requests go straight to the peer; otherwise everything goes to the root.
    pub direct_translated: bool,
    /// Requesters whose translated requests it can send straight to a peer; those of others go to the root. 0 for any number.
    #[serde(default, skip_serializing_if = "unset")]
    pub lut_entries: u32,
}

/// The root complex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootConfig {
    /// From a packet in its buffer to the start of its handling.
    pub latency_ns: u64,
    /// Time of a host memory read.
    pub memory_read_ns: u64,
    /// Largest payload of its completions.
    pub completion_bytes: u64,
    /// Reads it can have outstanding at a peer.
    pub peer_reads: u32,
    /// Rate at which it passes writes on to a peer, payload, Gb/s; 0 for that of the links.
    #[serde(default, skip_serializing_if = "unset")]
    pub peer_write_gbps: u32,
    /// Host memory executes atomics; otherwise they are answered with UR.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub atomics: bool,
}

/// The IOMMU and its translation agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IommuConfig {
    /// The agent answers Translation Requests and lets translated requests through.
    pub ats: bool,
    /// Time of the agent for a Translation Request, beside the look-up.
    pub ats_ns: u64,
    /// Time of an IOTLB look-up.
    pub lookup_ns: u64,
    /// Time of a page walk.
    pub walk_ns: u64,
    /// Walks at a time.
    pub walkers: u32,
    /// How long a walk keeps its walker, which then starts the next: less than `walk_ns` for a pipelined walker; 0 for
    /// all of it.
    #[serde(default, skip_serializing_if = "unset")]
    pub walk_interval_ns: u64,
    /// How long a look-up that hits keeps a walker's pipeline, and waits for it; 0 when hits pass beside the walkers.
    #[serde(default, skip_serializing_if = "unset")]
    pub hit_interval_ns: u64,
    /// Entries of the IOTLB.
    pub iotlb_entries: u32,
    /// Ways of the IOTLB; as many as entries for a fully associative one.
    pub iotlb_ways: u32,
    /// Replacement policy of the IOTLB: lru or random.
    pub iotlb_replacement: Replacement,
    /// Time of the host for a Page Request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub page_ns: u64,
    /// What the host answers to Page Requests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub page_answer: PageAnswer,
}

/// What the host does about a page that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageAnswer {
    /// It makes the page present, where the address space has it and grants the access.
    #[default]
    Map,
    /// It refuses every page.
    Refuse,
    /// It answers with a failure, which stops the function's Page Request Interface.
    Fail,
}

/// What the driver does about MTT entries that are not present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriverConfig {
    /// It has the unit raise an event for them.
    #[serde(default)]
    pub page_events: bool,
    /// Its time for an event, from the interrupt's register reads on.
    #[serde(default)]
    pub fill_ns: u64,
    /// It refuses instead of filling the entry.
    #[serde(default)]
    pub refuse: bool,
    /// It fills the entries of a coherent region anew once an access has met a stale one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refills: bool,
    /// The entries of coherent regions are there from the beginning, as if they had been asked for one by one. For regions so
    /// large that asking for every page would take longer than the run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fills_at_once: bool,
    /// How it lays out the MTT of a region: inline, one-level, two-level. Inline falls back to one level for a region of
    /// more than four pages, and for one that is filled on demand.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mtt_layout: MttLayout,
}

/// Host and GPU memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Host memory; only what is touched costs anything.
    pub host_gib: u64,
    /// GPU memory behind its BAR.
    pub gpu_gib: u64,
    /// Time of a GPU memory read.
    pub gpu_read_ns: u64,
    /// Reads that the GPU's BAR serves at a time, the others wait; 0 for any number.
    #[serde(default, skip_serializing_if = "unset")]
    pub gpu_reads: u32,
    /// Largest payload of the GPU's completions.
    pub gpu_completion_bytes: u64,
    /// GPU memory executes atomics; otherwise they are answered with UR.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub gpu_atomics: bool,
    /// Entries of the MPT in host memory.
    pub mpt_entries: u32,
}

/// The registered region the traffic uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionConfig {
    /// Whose memory.
    pub memory: Owner,
    /// Mode of the region; `inherit` takes `unit.mode`.
    pub mode: Mode,
    /// Page size of the MTT entries.
    pub page_bytes: u64,
    /// Page size of the IOMMU mapping, which is the size of an ATS answer.
    pub translation_bytes: u64,
    /// Pages come into the IOMMU when they are asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub paged: bool,
    /// MTT entries are filled when the driver gets an event about them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub filled_on_demand: bool,
    /// GPU pages are translated by ATS at registration and stay subject to invalidation; mode emtt.
    #[serde(default, skip_serializing_if = "is_default")]
    pub coherent: bool,
}

/// Operation of the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrafficOp {
    /// RDMA writes arrive from the line and go to memory.
    Write,
    /// RDMA reads are served: memory goes out on the line.
    Read,
    /// Atomics, each queue pair on an operand of its own: something is added.
    FetchAdd,
    /// Atomics: a new value is stored.
    Swap,
    /// Atomics: a new value is stored where the old one is as expected, which it is every other time.
    Cas,
}

impl TrafficOp {
    /// The operation of its work requests.
    pub const fn op(self) -> types::Op {
        match self {
            Self::Write => types::Op::WRITE,
            Self::Read => types::Op::READ,
            Self::FetchAdd => types::Op::FETCH_ADD,
            Self::Swap => types::Op::SWAP,
            Self::Cas => types::Op::CAS,
        }
    }
    /// Sizes in bytes that a message may have; `None` for any.
    pub const fn sizes(self) -> Option<&'static [u32]> {
        match self {
            Self::Write | Self::Read => None,
            _ => Some(self.op().operand_sizes()),
        }
    }
}

/// Traffic and the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficConfig {
    /// write, read, fetch-add, swap or cas.
    pub op: TrafficOp,
    /// Queue pairs.
    pub qps: u32,
    /// Messages a queue pair may have open.
    pub queue_depth: u32,
    /// Payload of a packet on the line.
    pub mtu_bytes: u32,
    /// Line rate in Gb/s.
    pub line_gbps: u32,
    /// Bytes on the line beside a packet's payload: preamble, headers, checksums, gap.
    pub packet_overhead_bytes: u32,
    /// Packets that wait for translation and DMA; the line pauses when it is full.
    pub receive_buffer_kib: u32,
    /// Read data that waits for the line.
    pub transmit_buffer_kib: u32,
    /// Cycles without progress after which a run is given up.
    pub stall_cycles: u64,
}

/// Deliberate disorder, for tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisorderConfig {
    /// Completions are cut at random places among the legal ones.
    pub random_splits: bool,
    /// Extra delay of each answer and completion, uniform below this.
    pub jitter_ns: u64,
    /// Chance of each handshake of the unit's ports to pause in a cycle, 0 to 90.
    pub stall_percent: u32,
}

/// Copies between GPU and host memory and the software around a message. Nothing of it is simulated: experiments add it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagingConfig {
    /// Time of a copy beside its bytes, during which its copy engine takes no other.
    pub copy_ns: u64,
    /// Rate of a copy, MB/s.
    pub copy_mbps: u64,
    /// What a message takes beside the sender's NIC: software, wire, the far NIC.
    pub software_ns: u64,
}

/// How a value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceClass {
    /// Stated by a standard, data sheet or paper.
    Documented,
    /// Measured by somebody who published it.
    Measured,
    /// Calculated from the above.
    Derived,
    /// Chosen so that the model meets a published figure.
    Fitted,
    /// Neither: a plausible value.
    Assumed,
}

/// Where one value, or a whole table of them, comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Key, or the table it stands for, with dots.
    pub key: String,
    /// How it is known.
    pub class: EvidenceClass,
    /// Source, or reason.
    pub source: String,
}

/// What a published figure is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Values were fitted to it.
    Fit,
    /// Nothing was fitted to it.
    Validate,
}

/// A published figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// What was measured, where a preset has figures of several kinds; the bandwidth over message size otherwise.
    #[serde(default, skip_serializing_if = "unset")]
    pub quantity: String,
    /// Message size in bytes, or the size of what is accessed.
    pub x: u64,
    /// Figure.
    pub y: f64,
    /// Unit of the figure.
    pub unit: String,
    /// Relative tolerance, 0.02 for 2 %. One of `tolerance`, `within` and `factor` is given.
    #[serde(default, skip_serializing_if = "unset")]
    pub tolerance: f64,
    /// Absolute tolerance, in `unit`.
    #[serde(default, skip_serializing_if = "unset")]
    pub within: f64,
    /// Tolerance as a ratio either way: 2 for one step of a doubling scale.
    #[serde(default, skip_serializing_if = "unset")]
    pub factor: f64,
    /// What it is used for.
    pub role: Role,
}

/// Whether a value that may be left out is what it is then: it is not written out, so that a configuration that does not
/// use it keeps its fingerprint.
fn unset<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
