//! Functional coverage: named points, counted at the unit's edge. A point that no run reaches means that nothing is known
//! about it.
//!
//! | part | |
//! |---|---|
//! | `points` | the points that are seen in events |
//! | `collector` | what leaves, what is configured and revoked |
//! | `arrivals` | what reaches the unit |
//! | `coherent` | what concerns coherent regions |

mod arrivals;
mod coherent;
mod collector;
mod points;

pub use collector::Collector;
pub use points::POINTS;

use std::collections::BTreeMap;
use system::Statistics;
use types::ats::TranslationEntry;
use types::tlp::MemoryOp;
use types::{Syndrome, Tlp};

/// Counters of the unit that must not stay zero, as points `stat.<key>`.
pub const COUNTERS: &[&str] = &[
    "mpt.hit",
    "mpt.miss",
    "mpt.refused",
    "mpt.fetch_error",
    "seg.stall_slot",
    "seg.stall_stream",
    "mtt.hit",
    "mtt.miss",
    "mtt.merge",
    "mtt.fault",
    "mtt.fetch_error",
    "mtt.stale",
    "mtt.generation",
    "driver.filled",
    "mtt.walk",
    "mtt.inline",
    "replay.park",
    "replay.replay",
    "replay.stall_dma",
    "atc.hit_base",
    "atc.hit_large",
    "atc.miss",
    "atc.miss_permission",
    "atc.miss_pending",
    "atc.evict",
    "atc.invalidate",
    "ats.merge",
    "ats.error",
    "ats.no_access",
    "ats.stall_full",
    "ats.discard",
    "dma.retranslate",
    "dma.atomic_tlp",
    "dma.stall_tag",
    "dma.stall_buffer",
    "dma.stall_data",
    "dma.stall_tx",
    "dma.unexpected_completion",
    "dma.timeout",
    "ats.timeout",
    "ats.revocation",
    "replay.bypass",
    "replay.flush",
    "tlp_tx.stall_posted_credit",
    "tlp_tx.stall_non_posted_credit",
    "tlp_rx.dropped",
    "mpt.fast_register",
    "mpt.bind",
    "mpt.local_invalidate",
    "mpt.remote_invalidate",
    "mpt.registration_refused",
    "mpt.fence",
];

/// Syndromes that no scenario brings about, with where they are tested; every other one is a point.
pub const ELSEWHERE: &[(Syndrome, &str)] = &[
    (Syndrome::PAGE_RETRIES, "the agent says success again and again without a mapping: model/cycle"),
    (Syndrome::UNSUPPORTED_OP, "scenarios know no other operations than the unit: model/cycle"),
    (Syndrome::PAGE_REFUSED, "the driver refuses a page event: model/cycle"),
];

/// How often each point was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    /// Every point there is: those of [`POINTS`], `stat.<counter>` for each of [`COUNTERS`], `syndrome.<name>` for each.
    pub fn points() -> impl Iterator<Item = String> {
        let seen = POINTS.iter().map(|(name, _)| (*name).to_string());
        let counters = COUNTERS.iter().map(|key| format!("stat.{key}"));
        let here = |s: &&(Syndrome, &str)| ELSEWHERE.iter().all(|(e, _)| *e != s.0);
        let syndromes = Syndrome::TABLE.iter().filter(here).map(|(_, text)| format!("syndrome.{text}"));
        seen.chain(counters).chain(syndromes)
    }

    /// Adds what another run has reached.
    pub fn add(&mut self, other: &Self) {
        for (point, count) in &other.0 {
            *self.0.entry(point.clone()).or_default() += count;
        }
    }

    /// How often a point was reached.
    pub fn count(&self, point: &str) -> u64 {
        self.0.get(point).copied().unwrap_or(0)
    }

    /// Points that were never reached.
    pub fn missing(&self) -> Vec<String> {
        Self::points().filter(|point| self.count(point) == 0).collect()
    }

    fn hit(&mut self, point: &'static str) {
        debug_assert!(POINTS.iter().any(|(name, _)| *name == point), "{point} is not in the table");
        // Names are short, and most are there already.
        match self.0.get_mut(point) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(point.to_string(), 1)),
        }
    }

    fn syndrome(&mut self, syndrome: Syndrome) {
        *self.0.entry(format!("syndrome.{syndrome}")).or_default() += 1;
    }

    fn counters(&mut self, statistics: &Statistics) {
        for key in COUNTERS {
            let count = statistics.get(key).unwrap_or(0);
            *self.0.entry(format!("stat.{key}")).or_default() += count;
        }
    }

    /// One entry of an answer.
    fn entry(&mut self, entry: &TranslationEntry) {
        match (entry.read, entry.write) {
            (false, false) => self.hit("answer.no-access"),
            (true, false) => self.hit("answer.read-only"),
            (false, true) => self.hit("answer.write-only"),
            (true, true) => {}
        }
        self.hit_if(entry.untranslated, "answer.untranslated-only");
        self.hit_if(entry.global, "answer.global");
        self.hit_if(entry.no_snoop, "answer.no-snoop");
        self.hit(match entry.size.log2() {
            12 => "answer.4k",
            13..=20 => "answer.middle",
            _ => "answer.2m",
        });
    }

    /// An atomic that leaves.
    fn atomic(&mut self, tlp: &Tlp, op: MemoryOp) {
        let (point, operands) = match op {
            MemoryOp::FetchAdd => ("atomic.fetch-add", 1),
            MemoryOp::Swap => ("atomic.swap", 1),
            _ => ("atomic.cas", 2),
        };
        self.hit(point);
        self.hit(match 4 * tlp.length_dw / operands {
            4 => "atomic.4",
            8 => "atomic.8",
            _ => "atomic.16",
        });
        self.hit_if(tlp.pasid.valid, "atomic.pasid");
    }

    fn hit_if(&mut self, condition: bool, point: &'static str) {
        if condition {
            self.hit(point);
        }
    }
}
