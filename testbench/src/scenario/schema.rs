//! The form of a scenario file.

pub use super::expect::{Expect, Order};
pub use super::registration::{BindSetup, FastRegisterSetup, KeySetup, Spoil, WindowSetup};
use crate::faults::Fault;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use system::config::PageAnswer;
use system::driver::TableFault;
use system::fabric::{LinkDirection, Rule, TlpKind};
use types::{Mode, MttLayout, Owner};

/// A scenario: a machine, its regions, what happens when, and what must be seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line that says what happens and what is right.
    pub title: String,
    /// Planted faults with which it must fail, and who has to find each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fails_with: BTreeMap<Fault, String>,
    /// Cycles within which everything has ended: requests, invalidations, TLPs on their way.
    pub bound: u64,
    /// Values put over the test machine's, by key with dots.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub machine: BTreeMap<String, toml::Value>,
    /// Completion time-out of the unit in ticks of 1024 cycles, 0 for none; without, what it is after reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_timeout_ticks: Option<u16>,
    /// Functions whose PCI configuration is not the machine's.
    #[serde(default, rename = "function", skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionSetup>,
    /// Registered memory.
    #[serde(default, rename = "region", skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RegionSetup>,
    /// Memory windows (type 2), free at first.
    #[serde(default, rename = "window", skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<WindowSetup>,
    /// What happens.
    #[serde(default, rename = "step", skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// What the fabric does to TLPs.
    #[serde(default, rename = "interfere", skip_serializing_if = "Vec::is_empty")]
    pub interfere: Vec<Rule>,
    /// What must be seen, beside what every run must keep.
    #[serde(default, skip_serializing_if = "Expect::is_empty")]
    pub expect: Expect,
}

/// PCI configuration of a function: what differs from the machine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionSetup {
    /// The function.
    pub number: u16,
    /// Bus Master Enable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus_master: Option<bool>,
    /// ATS Enable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ats: Option<bool>,
    /// PASID Enable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pasid: Option<bool>,
    /// PASID Privileged Mode Enable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pasid_privileged: Option<bool>,
    /// PASID Execute Permission Enable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pasid_execute: Option<bool>,
    /// AtomicOp Requester Enable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub atomics: Option<bool>,
    /// Max_Payload_Size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_payload_bytes: Option<u32>,
    /// Max_Read_Request_Size in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_read_request_bytes: Option<u32>,
    /// Enable Relaxed Ordering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaxed_ordering: Option<bool>,
    /// Outstanding Page Request Allocation; 0 turns the Page Request Interface off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_requests: Option<u16>,
    /// One function-level reset.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
    /// The translation agent refuses the function's Translation Requests and translated requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied_by_agent: bool,
}

/// A registered region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionSetup {
    /// Its name in this file.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
    /// First virtual address, modulo 2^64; without, the driver chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// It stands at the IOVAs of another region; its pages are its own where its PASID is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iova_of: Option<String>,
    /// Function it belongs to.
    #[serde(default)]
    pub function: u16,
    /// Page size of its MTT entries.
    #[serde(default = "small_page")]
    pub page_bytes: u64,
    /// Page size of its IOMMU mapping, and so of an ATS answer.
    #[serde(default = "small_page")]
    pub translation_bytes: u64,
    /// Whose memory.
    #[serde(default)]
    pub memory: Owner,
    /// Mode.
    #[serde(default)]
    pub mode: Mode,
    /// PASID of its accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pasid: Option<u32>,
    /// Its accesses ask for Privileged Mode.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub privileged: bool,
    /// Its reads ask for Execute, which its translations grant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub execute: bool,
    /// No order is promised where the path changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unordered: bool,
    /// Verbs rights: letters of `L` local write, `R` remote read, `W` remote write, `A` remote atomic.
    #[serde(default = "all_rights")]
    pub rights: String,
    /// Rights of its pages: letters of `r` and `w`.
    #[serde(default = "all_page_rights")]
    pub pages: String,
    /// The same in the IOMMU, if it differs; `x` for execution, `u` for translations that say untranslated access only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translations: Option<String>,
    /// Pages come into the IOMMU when they are asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paged: bool,
    /// MTT entries are not present until the driver fills them on an event.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub filled_on_demand: bool,
    /// GPU pages of an eMTT region come through ATS.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub coherent: bool,
    /// What work requests may do with its key: letters of `r` register and invalidate, `i` invalidate for a remote peer,
    /// `b` bind windows to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub work_requests: String,
    /// Its key is free at first: it is registered by a work request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Layout of its MTT, if not the driver's usual one: `inline` falls back where the region is too large for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<MttLayout>,
    /// What the driver does wrong in its tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_fault: Option<TableFault>,
}
fn small_page() -> u64 {
    4096
}
fn all_rights() -> String {
    "LRW".into()
}
fn all_page_rights() -> String {
    "rw".into()
}

impl RegionSetup {
    /// `bytes` bytes with everything allowed.
    pub fn new(name: &str, bytes: u64) -> Self {
        Self {
            name: name.into(),
            bytes,
            start: None,
            iova_of: None,
            function: 0,
            page_bytes: small_page(),
            translation_bytes: small_page(),
            memory: Owner::Host,
            mode: Mode::Inherit,
            pasid: None,
            privileged: false,
            execute: false,
            unordered: false,
            rights: all_rights(),
            pages: all_page_rights(),
            translations: None,
            paged: false,
            filled_on_demand: false,
            coherent: false,
            work_requests: String::new(),
            free: false,
            layout: None,
            table_fault: None,
        }
    }
}

/// Something that happens, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Name, for other steps and for what must be seen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// When; without, at once.
    #[serde(default, skip_serializing_if = "Marker::is_empty")]
    pub when: Marker,
    /// So many cycles after that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plus: u64,
    /// It need not come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// What.
    #[serde(rename = "do")]
    pub action: Action,
}

impl Step {
    /// An action at once.
    pub fn of(action: Action) -> Self {
        Self { name: String::new(), when: Marker::default(), plus: 0, optional: false, action }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// A point in a run: one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    /// A cycle, counted from the end of the boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
    /// A TLP of this kind is seen at the unit's edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tlp: Option<TlpKind>,
    /// Which of its kind, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u64>,
    /// The step of this name has been taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// What the step of this name started has ended: its requests, its invalidation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
}

impl Marker {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    /// The n-th TLP of a kind.
    pub fn tlp(kind: TlpKind, nth: u64) -> Self {
        Self { tlp: Some(kind), nth: Some(nth), ..Self::default() }
    }
    /// A cycle after the boot.
    pub fn at(cycle: u64) -> Self {
        Self { cycle: Some(cycle), ..Self::default() }
    }
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Work requests are offered.
    Request(RequestSetup),
    /// An Invalidate Request is sent.
    Invalidate(InvalidateSetup),
    /// The mapping of pages changes.
    Remap(RemapSetup),
    /// A function's PCI configuration changes: to the machine's, and what is given here.
    Configure(FunctionSetup),
    /// One direction of a link starts no packet for so many cycles.
    Stall {
        /// Direction.
        link: LinkDirection,
        /// Cycles.
        cycles: u64,
    },
    /// Credits for the unit's TLPs of a class no longer come back.
    HoldCredits(CreditClass),
    /// They come again.
    ReturnCredits(CreditClass),
    /// TLPs that wait under a name go on.
    Release(String),
    /// A region's MPT entry is made invalid and its mapping is taken away; the unit is not told.
    Deregister(String),
    /// What the host answers to Page Requests from now on.
    AnswerPages(PageAnswer),
    /// A region is taken away: its MPT entry is made invalid, the unit revokes it, and once that is reported its mapping
    /// goes, and what the ATC holds of it.
    Revoke(RevokeSetup),
    /// A work request registers a region's key.
    FastRegister(FastRegisterSetup),
    /// A work request binds a window.
    Bind(BindSetup),
    /// A work request makes a key invalid, for its owner.
    LocalInvalidate(KeySetup),
    /// A work request makes a key invalid, for a remote peer.
    RemoteInvalidate(KeySetup),
}

/// Flow control class of the unit's TLPs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CreditClass {
    /// Writes and messages.
    Posted,
    /// Reads.
    NonPosted,
}

/// A revocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokeSetup {
    /// Region.
    pub region: String,
    /// With a flush read; without a value, where the region's writes go to a peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush: Option<bool>,
}

/// Operation of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Write message data to memory.
    #[default]
    Write,
    /// Read memory.
    Read,
    /// Atomics of `bytes` bytes: add to memory,
    FetchAdd,
    /// store in it,
    Swap,
    /// or store in it if it holds what is expected.
    Cas,
}

impl Operation {
    /// As a work request has it.
    pub const fn op(self) -> types::Op {
        match self {
            Self::Write => types::Op::WRITE,
            Self::Read => types::Op::READ,
            Self::FetchAdd => types::Op::FETCH_ADD,
            Self::Swap => types::Op::SWAP,
            Self::Cas => types::Op::CAS,
        }
    }
}

/// Work requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestSetup {
    /// Region.
    pub region: String,
    /// Operation.
    pub op: Operation,
    /// Stream.
    #[serde(default)]
    pub stream: u16,
    /// First byte in the region; modulo 2^64.
    #[serde(default)]
    pub offset: i64,
    /// Bytes.
    pub bytes: u32,
    /// How many.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
    /// Distance of the first bytes of two of them; without, they follow each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<i64>,
    /// Local rights apply instead of remote ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Function that asks, if not the region's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<u16>,
    /// Changes the key by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub key_xor: u32,
    /// They wait on a fault; otherwise they report it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wait: bool,
    /// Changes the protection domain by exclusive or.
    #[serde(default, skip_serializing_if = "is_zero32")]
    pub pd_xor: u32,
}
fn one() -> u32 {
    1
}
fn is_one(n: &u32) -> bool {
    *n == 1
}
fn is_zero32(n: &u32) -> bool {
    *n == 0
}

/// An Invalidate Request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvalidateSetup {
    /// Region whose IOVAs, function and PASID are named; without, every address of `function`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Function, if not the region's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<u16>,
    /// First 4 KiB page of the region.
    #[serde(default)]
    pub page: u64,
    /// Number of 4 KiB pages, a power of two, of which the range is a multiple; 0 is every address.
    #[serde(default)]
    pub pages: u64,
    /// PASID to name, if not the region's; -1 is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pasid: Option<i64>,
    /// Global Invalidate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub global: bool,
    /// How many requests like this, with an ITag each.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
}

/// In which order a mapping is taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemapOrder {
    /// The IOMMU and its TLB, then the ATC: the right order.
    #[default]
    IommuFirst,
    /// The ATC, then the IOMMU: wrong, for the ATC may fetch the old mapping again in between.
    AtcFirst,
    /// The IOMMU alone.
    Silent,
}

/// A change of mappings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemapSetup {
    /// Region.
    pub region: String,
    /// First page, in units of the region's translation size.
    #[serde(default)]
    pub page: u64,
    /// Number of pages, a power of two.
    #[serde(default = "one64")]
    pub pages: u64,
    /// What they become: `moved` to new frames, or in place with letters of `r` and `w`, or empty for nothing there, or
    /// `out` for pages of a paged region that have to be asked for again.
    #[serde(default = "moved")]
    pub to: String,
    /// Whether translations say that accesses must stay untranslated; without, as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untranslated_only: Option<bool>,
    /// Order.
    #[serde(default)]
    pub order: RemapOrder,
    /// Cycles that the driver takes between the ATC and the IOMMU, where the ATC comes first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pause: u64,
}

fn one64() -> u64 {
    1
}
fn moved() -> String {
    "moved".into()
}
