//! Whether a function is held up by functions of another partition.
//!
//! A partition whose requests are open makes progress at the unit's pins, or something outside holds it up: an answer of
//! the host is owed to it, the link has no credit or is not ready, its data is not given or not taken, a write of its own
//! waits to be sent, or a mapping is being taken away. In every other cycle it is the unit that holds it up, and the only
//! reason for more than the way through the unit is what others have in front of it. Those cycles are counted from one sign
//! of progress to the next; docs/concepts/isolation.md derives how many there may be.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use types::config::{Partitions, RETRANSLATE_SLOTS};
use types::port::{UnitIn, UnitOut};
use types::tlp::{Body, MemoryOp, status};
use types::{ByteCount, Event, FunctionId, Iova, Key, MttLayout, Region, RequesterId, StreamId, Tlp, UnitCfg, WrId};

/// The longest way through the unit between two signs of progress with nobody in front: a look-up that misses and its fetch
/// take 22 cycles to the pins, the fill of a large page up to 30, and its repetition 12.
const WAY: u64 = 64;
/// Cycles in which a write of another function keeps the engine beside those in which its beats leave: its range is asked
/// for, answered, shifted and committed.
const WRITE: u64 = 4;

/// A function was held up for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Partition of functions.
    pub partition: usize,
    /// Cycles.
    pub cycles: u64,
    /// What is allowed.
    pub bound: u64,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { partition, cycles, bound } = self;
        write!(
            f,
            "partition {partition} was held up for {cycles} cycles by what others do; at most {bound} are allowed"
        )
    }
}

/// A partition's requests and what they wait for outside.
#[derive(Clone, Debug, Default)]
struct Part {
    open: BTreeSet<(StreamId, WrId)>,
    /// Non-posted TLPs that are not answered, and Page Requests: whose, and tag or group.
    owed: BTreeSet<(RequesterId, u32)>,
    /// Posted TLPs that the link has not reported as sent.
    unsent: u32,
    blocked: u64,
    worst: u64,
}

/// Groups of Page Requests are named beside tags.
const PAGE: u32 = 1 << 16;

/// The watcher of one unit.
#[derive(Clone, Debug)]
pub struct Share {
    cfg: UnitCfg,
    shares: Partitions,
    parts: Vec<Part>,
    functions: BTreeMap<RequesterId, FunctionId>,
    tables: (Iova, ByteCount),
    /// By MPT index.
    regions: BTreeMap<u32, Region>,
    /// Base-two logarithms of the largest page of a region, and of the smallest Max_Payload_Size.
    logs: (u32, u32),
    /// Partition of each posted TLP under way.
    posted: VecDeque<Option<usize>>,
    /// Message bytes asked for and not given.
    wanted: u64,
    invalidations: BTreeSet<(RequesterId, u8)>,
    revoking: BTreeSet<Key>,
}

impl Share {
    /// The watcher of a unit of these sizes, where its functions are divided.
    pub fn of(cfg: &UnitCfg) -> Option<Self> {
        let shares = cfg.shares();
        (shares.count() > 1).then(|| Self {
            cfg: cfg.clone(),
            shares,
            parts: vec![Part::default(); shares.count()],
            functions: BTreeMap::new(),
            tables: (Iova(0), ByteCount(0)),
            regions: BTreeMap::new(),
            logs: (12, 12),
            posted: VecDeque::new(),
            wanted: 0,
            invalidations: BTreeSet::new(),
            revoking: BTreeSet::new(),
        })
    }

    /// Cycles that a partition may be held up from one sign of progress to the next.
    pub fn bound(&self) -> u64 {
        let Self { cfg, logs: (page_log2, payload_log2), .. } = self;
        // Where streams take turns, in mpt and in seg, a cycle each.
        let turns = 2 * u64::from(cfg.streams + RETRANSLATE_SLOTS);
        // Segments look up again: in mtt with each fetch that ends, in replay, in dma.
        let again = u64::from(cfg.slots()) * u64::from(cfg.mtt_fetches + 2);
        // Writes stand in one queue, a page each at most.
        let writes = (u64::from(cfg.dma_queue()) * WRITE) << page_log2.saturating_sub(*payload_log2);
        WAY + turns + again + writes
    }

    /// The most cycles that each partition was held up.
    pub fn worst(&self) -> Vec<u64> {
        self.parts.iter().map(|p| p.worst).collect()
    }

    fn of_requester(&self, requester: RequesterId) -> Option<usize> {
        self.functions.get(&requester).map(|f| self.shares.of(*f))
    }

    fn of_request(&self, stream: StreamId, id: WrId) -> Option<usize> {
        self.parts.iter().position(|p| p.open.contains(&(stream, id)))
    }

    /// Whose a table line is; `None` where it does not tell.
    fn of_line(&self, line: Iova) -> Option<usize> {
        let index = ((line.0 - self.tables.0.0) / 64) as u32;
        let holds = |r: &&Region| {
            let words = match r.layout {
                MttLayout::OneLevel => r.pages(),
                MttLayout::TwoLevel => r.pages().div_ceil(types::layout::LEAF_ENTRIES),
                MttLayout::Inline | MttLayout::Reserved => 0,
            };
            line.0.wrapping_sub(r.mtt.0 & !63) < (8 * words + (r.mtt.0 & 63)).next_multiple_of(64)
        };
        let region = self.regions.values().find(holds).or_else(|| self.regions.get(&index));
        region.map(|r| self.shares.of(r.function))
    }

    /// The partitions that a TLP belongs to: one, or all where it does not tell.
    fn of_tlp(&self, tlp: &Tlp) -> Vec<usize> {
        let all = (0..self.parts.len()).collect();
        let one = match tlp.body {
            Body::Memory { op: MemoryOp::Read, address, .. }
                if address.0.wrapping_sub(self.tables.0.0) < self.tables.1.0 =>
            {
                self.of_line(Iova(address.0))
            }
            Body::Memory { requester, .. } | Body::Message { requester, .. } => self.of_requester(requester),
            Body::Completion { .. } => None,
        };
        one.map_or(all, |part| vec![part])
    }

    fn progress(&mut self, part: Option<usize>) {
        if let Some(part) = part.and_then(|p| self.parts.get_mut(p)) {
            part.blocked = 0;
        }
    }

    /// Takes an event.
    pub fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::TableMemory { base, length } => self.tables = (base, length),
            Event::Mapped { key, region } => {
                self.regions.insert(key.index(), *region);
                self.logs.0 = self.logs.0.max(u32::from(region.page_size.log2()));
            }
            Event::Configured(cfg) => {
                self.functions.insert(cfg.requester, cfg.function);
                self.logs.1 = self.logs.1.min(7 + u32::from(cfg.mps));
                self.parts.iter_mut().for_each(|p| p.blocked = 0);
            }
            Event::RequestAccepted(wr) => {
                let part = self.shares.of(wr.function);
                self.parts[part].open.insert((wr.stream, wr.id));
                self.progress(Some(part));
            }
            Event::MessageDone { stream, id, .. } => {
                let part = self.of_request(stream, id);
                self.progress(part);
                for part in &mut self.parts {
                    part.open.remove(&(stream, id));
                }
            }
            Event::WriteData { stream, id, bytes, .. } => {
                self.wanted = self.wanted.saturating_sub(bytes.len() as u64);
                self.progress(self.of_request(stream, id));
            }
            Event::ReadData { stream, id, .. } => self.progress(self.of_request(stream, id)),
            Event::TlpOut { tlp, .. } | Event::PageRequested { tlp } => self.out(tlp),
            Event::TlpIn { tlp, payload } => self.arrived(tlp, payload),
            Event::PageResponded { tlp } => {
                if let Some(response) = types::pri::PageResponse::of(tlp) {
                    self.answered((response.target, PAGE | u32::from(response.group)));
                }
            }
            Event::InvalidationAccepted { tlp, .. } => {
                if let Body::Message { tag, dw2, .. } = tlp.body {
                    self.invalidations.insert((RequesterId((dw2 >> 16) as u16), (tag.0 & 31) as u8));
                }
            }
            Event::InvalidationCompleted { tlp } => {
                if let Body::Message { requester, dw3, .. } = tlp.body {
                    self.invalidations.retain(|(of, itag)| *of != requester || dw3 >> itag & 1 == 0);
                }
                self.out(tlp);
            }
            Event::RevocationStarted { key, .. } => {
                self.revoking.insert(key);
            }
            Event::RevocationReported { key } => {
                self.revoking.remove(&key);
            }
            Event::Reset(_) => {
                self.parts.iter_mut().for_each(|p| *p = Part { worst: p.worst, ..Part::default() });
                self.invalidations.clear();
                (self.wanted, self.posted) = (0, VecDeque::new());
            }
            _ => {}
        }
    }

    fn out(&mut self, tlp: &Tlp) {
        let of = self.of_tlp(tlp);
        for part in &of {
            self.progress(Some(*part));
        }
        if tlp.posted() {
            let one = of.first().copied().filter(|_| of.len() == 1);
            self.posted.push_back(one);
            if let Some(part) = one {
                self.parts[part].unsent += 1;
            }
        }
        let owed = match tlp.body {
            Body::Memory { requester, tag, .. } if !tlp.posted() => Some((requester, u32::from(tag.0))),
            Body::Message { requester, .. } => types::pri::PageRequest::of(tlp)
                .filter(|r| !r.is_stop_marker(tlp.pasid))
                .map(|r| (requester, PAGE | u32::from(r.group))),
            _ => None,
        };
        for (part, owed) in of.into_iter().zip(std::iter::repeat(owed)) {
            self.parts[part].owed.extend(owed);
        }
    }

    fn arrived(&mut self, tlp: &Tlp, payload: &[u8]) {
        let Body::Completion { requester, tag, status: code, byte_count, lower_address, .. } = tlp.body else { return };
        let carried = (payload.len() as u16).saturating_sub(u16::from(lower_address & 3));
        if code != status::SC || byte_count <= carried {
            self.answered((requester, u32::from(tag.0)));
        }
    }

    fn answered(&mut self, name: (RequesterId, u32)) {
        for part in self.parts.iter_mut().filter(|p| p.owed.contains(&name)) {
            part.owed.remove(&name);
            part.blocked = 0;
        }
    }

    /// The ports in one cycle.
    pub fn cycle(&mut self, inp: &UnitIn, out: &UnitOut) -> Result<(), Blocked> {
        if inp.tx_wr_sent_valid
            && let Some(Some(part)) = self.posted.pop_front()
        {
            self.parts[part].unsent -= 1;
            self.progress(Some(part));
        }
        let asks = &out.write_data_request;
        if asks.valid && inp.write_data_request_ready {
            self.wanted += u64::from(asks.length.0);
        }
        let waits = |valid: bool, ready: bool| valid && !ready;
        let outside = waits(out.tx_wr_req_tlp.valid, inp.tx_wr_req_tlp_ready)
            || waits(out.tx_rd_req_tlp.valid, inp.tx_rd_req_tlp_ready)
            || waits(out.completion.valid, inp.completion_ready)
            || waits(out.read_data.valid, inp.read_data_ready)
            || waits(asks.valid, inp.write_data_request_ready)
            || self.wanted > 0 && !inp.write_data.valid
            // A link without credit for the largest TLP, for anybody.
            || inp.tx_fc.ph == 0
            || u32::from(inp.tx_fc.pd) < 256
            || inp.tx_fc.nph == 0
            || !self.invalidations.is_empty()
            || !self.revoking.is_empty();
        // A beat that leaves is the link's time.
        let moves = out.tx_wr_req_tlp.valid || out.tx_rd_req_tlp.valid;
        if outside || moves {
            return Ok(());
        }
        let bound = self.bound();
        for (partition, part) in self.parts.iter_mut().enumerate() {
            if part.open.is_empty() || !part.owed.is_empty() || part.unsent > 0 {
                continue;
            }
            part.blocked += 1;
            part.worst = part.worst.max(part.blocked);
            if part.blocked > bound {
                return Err(Blocked { partition, cycles: part.blocked, bound });
            }
        }
        Ok(())
    }
}
