//! Who watches a run: the golden judge, the TLP checker, the count of TLPs, and memory that must not be used any more.

use super::finding::Finding;
use crate::checker::{Checker, CheckerConfig, Direction, Share};
use crate::coverage::Collector;
use golden::{Judge, LeastTags};
use std::collections::BTreeMap;
use system::Observer;
use system::fabric::{Kinds, TlpKind};
use types::config::TagMap;
use types::port::{Credits, UnitIn, UnitOut};
use types::tlp::{Body, MemoryOp, message_code};
use types::{AddressType, ByteCount, Cycle, Event, Iova, Length, StreamId, Syndrome, Tlp, TlpAddr, UnitCfg, WrId};

/// Memory that was taken away and reported so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    /// First bus address.
    pub(crate) first: u64,
    /// Last bus address.
    pub(crate) last: u64,
    /// What was written before has been pushed ahead of the report: nothing may land any more.
    pub(crate) pushed: bool,
}

/// Where the bytes of a request go, in order.
pub(crate) type Pieces = (Direction, Vec<(TlpAddr, Length)>);

/// TLPs of one function that the unit may have committed and not sent: 32 whole ones in the order queue of `tlp_tx`, one on
/// the pins and one on its way there; two of each source of non-posted ones, and one on the pins.
const POSTED: u32 = 34;
const NON_POSTED: u32 = 9;

/// The watchers.
#[derive(Debug)]
pub struct Jury {
    judge: Judge,
    checker: Checker,
    kinds: Kinds,
    tables: (Iova, ByteCount),
    /// Something interferes with TLPs: what reaches the unit need not be right.
    interfered: bool,
    granted: [u64; 4],
    spent: [u64; 4],
    cycle: u64,
    /// Cycles in which each kind of TLP was seen.
    pub(crate) seen: BTreeMap<TlpKind, Vec<u64>>,
    total: u64,
    /// Outcomes of requests, by how often.
    pub(crate) outcomes: BTreeMap<Syndrome, u64>,
    pub(crate) freed: Vec<Freed>,
    /// Where the bytes of requests go, told to the checker when the request is accepted.
    pub(crate) pieces: BTreeMap<(StreamId, WrId), Pieces>,
    finding: Option<Finding>,
    /// Where the unit's functions are divided.
    pub(crate) share: Option<Share>,
    /// Points of functional coverage.
    pub(crate) collector: Collector,
}

impl Jury {
    /// The watchers of a fresh system. `interfered`: the fabric may show the unit TLPs that break rules; `timeouts`:
    /// completions may take longer than the unit waits.
    pub fn new(unit: &UnitCfg, interfered: bool, timeouts: bool) -> Self {
        let judge = Judge::new().with_committed(POSTED, NON_POSTED);
        // Tags of the fewest that a function may have, whatever the tag width.
        let least = |count: fn(&TagMap) -> u32| {
            let all = (0..3).map(|mode| unit.shares().share(count(&unit.tags_in(mode))).max(1));
            all.min().unwrap_or(1) as usize
        };
        let tags = LeastTags {
            reads: least(|map| map.end - map.data),
            translations: least(|map| map.data - map.ats),
            mpt_fetches: least(|map| map.mtt - map.mpt),
            mtt_fetches: least(|map| map.flush - map.mtt),
        };
        let judge = if timeouts { judge.with_lost_tags(tags) } else { judge };
        Self {
            judge: if unit.ats_prefetch { judge.with_prefetch() } else { judge },
            checker: Checker::new(CheckerConfig::default()),
            kinds: Kinds::default(),
            tables: (Iova(0), ByteCount(0)),
            interfered,
            granted: [0; 4],
            spent: [0; 4],
            cycle: 0,
            seen: BTreeMap::new(),
            total: 0,
            outcomes: BTreeMap::new(),
            freed: Vec::new(),
            pieces: BTreeMap::new(),
            finding: None,
            share: Share::of(unit),
            collector: Collector::default(),
        }
    }

    /// The first thing that was not right.
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_ref()
    }

    /// The end of the run: whether anything is owed.
    pub fn finish(&self) -> Result<(), Finding> {
        if let Some(finding) = &self.finding {
            return Err(finding.clone());
        }
        self.judge.finish().map_err(Finding::Judge)?;
        if self.interfered { Ok(()) } else { self.checker.finish().map_err(Finding::Checker) }
    }

    /// TLPs so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn found(&mut self, finding: Finding) {
        self.finding.get_or_insert(finding);
    }

    fn judge(&mut self, event: &Event<'_>) {
        if let Some(share) = &mut self.share {
            share.event(event);
        }
        if let Err(violation) = self.judge.observe(event) {
            self.found(Finding::Judge(violation));
        }
    }

    fn note(&mut self, kind: TlpKind) {
        self.total += 1;
        self.seen.entry(kind).or_default().push(self.cycle);
    }

    fn out(&mut self, tlp: &Tlp, payload: &[u8]) {
        let kind = self.kinds.outgoing(tlp, self.tables);
        self.note(kind);
        self.collector.event(&Event::TlpOut { tlp, payload }, Some(kind));
        match tlp.body {
            Body::Message { code: message_code::INVALIDATE_COMPLETION, .. } => {
                self.judge(&Event::InvalidationCompleted { tlp });
            }
            Body::Message { code: message_code::PAGE_REQUEST, .. } => self.judge(&Event::PageRequested { tlp }),
            Body::Message { .. } => {}
            _ => self.judge(&Event::TlpOut { tlp, payload }),
        }
        if let Err(breach) = self.checker.tlp_out(&tlp.header(), payload, tlp.pasid) {
            self.found(Finding::Checker(breach));
        }
        let data = u64::from(tlp.payload_dw().div_ceil(4));
        let class = if tlp.posted() { 0 } else { 2 };
        self.spent[class] += 1;
        self.spent[class + 1] += data;
        if let Body::Memory { op, at: AddressType::TRANSLATED, address, .. } = tlp.body {
            let what = match op {
                MemoryOp::Write => "a translated write",
                MemoryOp::Read => "a translated read",
                _ => "a translated atomic",
            };
            self.used(what, address.0, false);
        }
    }

    /// An access to a bus address; `landing` where it is one that left earlier.
    pub(crate) fn used(&mut self, what: &'static str, address: u64, landing: bool) {
        let hit = |f: &Freed| (f.first..=f.last).contains(&address) && (f.pushed || !landing);
        if self.freed.iter().any(hit) {
            self.found(Finding::UseAfterFree { what, address: TlpAddr(address) });
        }
    }

    fn arrived(&mut self, tlp: &Tlp, payload: &[u8]) {
        let kind = self.kinds.incoming(tlp);
        self.note(kind);
        self.collector.event(&Event::TlpIn { tlp, payload }, Some(kind));
        match tlp.body {
            Body::Message { code: message_code::INVALIDATE_REQUEST, .. } => {
                self.judge(&Event::InvalidationAccepted { tlp, payload });
            }
            Body::Message { code: message_code::PRG_RESPONSE, .. } => self.judge(&Event::PageResponded { tlp }),
            Body::Message { .. } => {}
            _ => self.judge(&Event::TlpIn { tlp, payload }),
        }
        if let Err(breach) = self.checker.tlp_in(&tlp.header(), payload, tlp.pasid)
            && !self.interfered
        {
            self.found(Finding::Surroundings(breach));
        }
    }

    /// Credits granted so far are those at hand and those spent.
    fn grant(&mut self, at_hand: &Credits) {
        let at_hand = [u64::from(at_hand.ph), at_hand.pd.into(), at_hand.nph.into(), at_hand.npd.into()];
        let mut more = [0; 4];
        for (i, at_hand) in at_hand.into_iter().enumerate() {
            let granted = self.granted[i].max(self.spent[i] + at_hand);
            (more[i], self.granted[i]) = (granted - self.granted[i], granted);
        }
        if more != [0; 4] {
            let [ph, pd, nph, npd]: [u64; 4] = more;
            self.checker.credits(&Credits { ph: ph as u8, pd: pd as u16, nph: nph as u8, npd: npd as u16 });
        }
    }
}

impl<U> Observer<U> for Jury {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::TlpOut { tlp, payload } => return self.out(tlp, payload),
            Event::TlpIn { tlp, payload } => return self.arrived(tlp, payload),
            Event::TableMemory { base, length } => {
                self.tables = (base, length);
                let tables = vec![(TlpAddr(base.0), length)];
                let committed = (POSTED, NON_POSTED);
                self.checker = Checker::new(CheckerConfig { tables, committed, ..CheckerConfig::default() });
            }
            Event::Configured(cfg) => self.checker.configure(cfg),
            Event::RequestAccepted(wr) => {
                let (direction, pieces) = self.pieces.remove(&(wr.stream, wr.id)).unwrap_or((Direction::Read, vec![]));
                for (address, length) in pieces {
                    if let Err(breach) = self.checker.issued(wr.stream, direction, address, length) {
                        self.found(Finding::Scenario(breach.to_string()));
                    }
                }
            }
            Event::MessageDone { syndrome, .. } => *self.outcomes.entry(syndrome).or_default() += 1,
            _ => {}
        }
        self.collector.event(event, None);
        self.judge(event);
    }

    fn cycle(&mut self, cycle: Cycle, _: &U, inp: &UnitIn, out: &UnitOut) {
        self.cycle = cycle.0;
        if let Some(Err(blocked)) = self.share.as_mut().map(|share| share.cycle(inp, out)) {
            self.found(Finding::Isolation(blocked));
        }
        self.grant(&inp.tx_fc);
    }

    fn stop(&self) -> bool {
        self.finding.is_some()
    }
}
