//! Functional coverage: named points, counted at the unit's edge. A point that no run reaches means that nothing is known
//! about it.

use std::collections::{BTreeMap, BTreeSet};
use system::Statistics;
use system::fabric::TlpKind;
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::{FunctionCfg, WorkRequest};
use types::tlp::{Body, MemoryOp, message_code, status};
use types::{AddressType, Event, FunctionId, Op, RequesterId, Syndrome, Tag, Tlp};

macro_rules! points {
    ($($name:literal: $doc:literal;)*) => {
        /// Every point that is seen in events, with what it means.
        pub const POINTS: &[(&str, &str)] = &[$(($name, $doc)),*];
    };
}

points! {
    "at.untranslated-write": "a write leaves with AT 00 (PCIe 6.x 10.2.1)";
    "at.untranslated-read": "a data read leaves with AT 00";
    "at.translated-write": "a write leaves with AT 10";
    "at.translated-read": "a data read leaves with AT 10";
    "at.zero-length-read": "a read without an enabled byte";
    "request.no-write": "a Translation Request with NW = 1 (10.2.2)";
    "request.write": "a Translation Request with NW = 0";
    "request.pasid": "a Translation Request with a PASID";
    "request.other-function": "a Translation Request of a virtual function";
    "answer.no-access": "an answer with R = W = 0 (10.2.3)";
    "answer.read-only": "an answer with R alone";
    "answer.write-only": "an answer with W alone";
    "answer.untranslated-only": "an answer with U";
    "answer.global": "an answer with Global";
    "answer.4k": "an answer of 4 KiB";
    "answer.middle": "an answer between 4 KiB and 2 MiB";
    "answer.2m": "an answer of 2 MiB";
    "answer.unsupported": "a Translation Request answered with UR";
    "answer.aborted": "a Translation Request answered with CA";
    "answer.malformed": "an answer with a wrong byte count or length";
    "answer.poisoned": "a poisoned answer";
    "answer.overtaken": "an answer to a later Translation Request comes first";
    "invalidate.4k": "an Invalidate Request for 4 KiB (10.3.1)";
    "invalidate.larger": "one for a larger range";
    "invalidate.all": "one for every address";
    "invalidate.pasid": "one with a PASID (10.3.8)";
    "invalidate.no-pasid-beside-pasid": "one without a PASID for a function that has asked with one";
    "invalidate.global": "one with Global";
    "invalidate.other-function": "one for a virtual function";
    "invalidate.several": "one while another is not complete";
    "invalidate.full": "one while 31 others are not complete (10.3.4)";
    "invalidate.bus-master-off": "one while bus mastering is off (10.3.3)";
    "invalidate.ats-off": "one while ATS is off";
    "invalidate.merged": "a completion for several ITags (10.3.2)";
    "race.invalidate-asking": "an Invalidate Request while a Translation Request of its function is in flight (10.3.6)";
    "race.invalidate-reading": "one while a translated read is in flight";
    "race.invalidate-writing": "one while a write is under way";
    "race.completion-asking": "an Invalidate Completion while a Translation Request is in flight";
    "race.revoke-reading": "a revocation while a read of the region is under way";
    "race.revoke-writing": "one while a write of the region is under way";
    "race.revoke-asking": "one while a Translation Request is in flight";
    "race.revoke-fetching": "one while a table fetch is in flight";
    "race.disable-asking": "ATS Enable cleared while a Translation Request is in flight";
    "race.reset-reading": "a function-level reset while a read is in flight";
    "race.reset-asking": "a function-level reset while a Translation Request is in flight";
    "race.reset-invalidate": "a function-level reset while an invalidation is not complete";
    "implicit.enable": "ATS Enable 0 to 1 with translations asked for before (10.3.7)";
    "implicit.reset": "a function-level reset with translations asked for before";
    "revoke.plain": "a revocation without a flush";
    "revoke.flush": "a revocation with a flush";
    "flush.path": "a flush between two paths (10.2.3.5)";
    "tags.5": "a read while the function has 5-bit tags";
    "tags.8": "a read while it has 8-bit tags";
    "tags.10": "a read while it has 10-bit tags";
    "boundary.64": "a data read answered in several completions, RCB 64";
    "boundary.128": "the same, RCB 128";
    "data.unsupported": "a data read answered with UR";
    "data.aborted": "a data read answered with CA";
    "data.poisoned": "a poisoned data completion";
    "data.unexpected": "a completion that answers nothing";
    "fetch.failed": "a table fetch answered with an error, or poisoned";
    "line.crossed": "a request over a 4 KiB line";
    "message.empty": "a request for no bytes";
}

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
    "dma.stall_tag",
    "dma.stall_buffer",
    "dma.stall_data",
    "dma.stall_tx",
    "dma.unexpected_completion",
    "tlp_tx.stall_posted_credit",
    "tlp_tx.stall_non_posted_credit",
    "tlp_rx.dropped",
];

/// Syndromes that the unit does not report yet, with the reason; every other one is a point `syndrome.<name>`.
pub const NOT_REPORTED: &[(Syndrome, &str)] = &[];

/// How often each point was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    /// Every point there is.
    pub fn points() -> impl Iterator<Item = String> {
        let seen = POINTS.iter().map(|(name, _)| (*name).to_string());
        let counters = COUNTERS.iter().map(|key| format!("stat.{key}"));
        let reported = |s: &&(Syndrome, &str)| NOT_REPORTED.iter().all(|(n, _)| *n != s.0);
        let syndromes = Syndrome::TABLE.iter().filter(reported).map(|(_, text)| format!("syndrome.{text}"));
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

    fn hit_if(&mut self, condition: bool, point: &'static str) {
        if condition {
            self.hit(point);
        }
    }
}

/// What is known of a function.
#[derive(Clone, Debug, Default)]
struct Function {
    cfg: FunctionCfg,
    /// It has asked for translations; with a PASID.
    asked: bool,
    asked_with_pasid: bool,
    /// Invalidate Requests that are not complete.
    invalidations: u32,
}

/// Non-posted TLPs in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InFlight {
    kind: TlpKind,
    translated: bool,
    function: FunctionId,
    /// Order of leaving.
    number: u64,
    /// Completions so far.
    completions: u32,
}

/// Watches events and counts points.
#[derive(Debug, Default)]
pub struct Collector {
    coverage: Coverage,
    functions: BTreeMap<FunctionId, Function>,
    live: BTreeMap<(RequesterId, Tag), InFlight>,
    open: BTreeMap<(types::StreamId, types::WrId), WorkRequest>,
    revoking: BTreeSet<types::Key>,
    number: u64,
}

impl Collector {
    /// What was reached so far.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Counts the counters of a run at its end.
    pub fn close(&mut self, statistics: &Statistics) {
        for key in COUNTERS {
            let count = statistics.get(key).unwrap_or(0);
            *self.coverage.0.entry(format!("stat.{key}")).or_default() += count;
        }
    }

    fn function_of(&self, requester: RequesterId) -> FunctionId {
        let known = |f: &&Function| f.cfg.requester == requester;
        self.functions.values().find(known).map_or(FunctionId(0), |f| f.cfg.function)
    }

    fn in_flight(&self, test: impl Fn(&InFlight) -> bool) -> bool {
        self.live.values().any(test)
    }

    /// Takes an event; `kind` is that of a TLP.
    pub fn event(&mut self, event: &Event<'_>, kind: Option<TlpKind>) {
        match *event {
            Event::TlpOut { tlp, .. } => self.out(tlp, kind.unwrap_or(TlpKind::Other)),
            Event::TlpIn { tlp, payload } => self.arrived(tlp, payload, kind.unwrap_or(TlpKind::Other)),
            Event::Configured(cfg) => self.configured(cfg),
            Event::RequestAccepted(wr) => {
                let c = &mut self.coverage;
                c.hit_if(wr.length.0 == 0, "message.empty");
                c.hit_if((wr.va.0 & 0xfff) + u64::from(wr.length.0) > 4096, "line.crossed");
                self.open.insert((wr.stream, wr.id), *wr);
            }
            Event::MessageDone { stream, id, syndrome } => {
                self.open.remove(&(stream, id));
                *self.coverage.0.entry(format!("syndrome.{syndrome}")).or_default() += 1;
            }
            Event::RevocationStarted { key, flush } => self.revocation(key, flush.is_some()),
            Event::RevocationReported { key } => drop(self.revoking.remove(&key)),
            _ => {}
        }
    }

    fn revocation(&mut self, key: types::Key, flush: bool) {
        self.revoking.insert(key);
        let of_region =
            |write: bool| self.open.values().any(|wr| wr.key.index() == key.index() && (wr.op == Op::WRITE) == write);
        let (reading, writing) = (of_region(false), of_region(true));
        let asking = self.in_flight(|f| f.kind == TlpKind::TranslationRequest);
        let fetching = self.in_flight(|f| f.kind == TlpKind::TableRead);
        let c = &mut self.coverage;
        c.hit(if flush { "revoke.flush" } else { "revoke.plain" });
        c.hit_if(reading, "race.revoke-reading");
        c.hit_if(writing, "race.revoke-writing");
        c.hit_if(asking, "race.revoke-asking");
        c.hit_if(fetching, "race.revoke-fetching");
    }

    fn configured(&mut self, cfg: &FunctionCfg) {
        let mine = |f: &InFlight| f.function == cfg.function;
        let asking = self.in_flight(|f| mine(f) && f.kind == TlpKind::TranslationRequest);
        let reading = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataRead);
        let function = self.functions.entry(cfg.function).or_default();
        let c = &mut self.coverage;
        c.hit_if(function.cfg.ats_enable && !cfg.ats_enable && !cfg.reset && asking, "race.disable-asking");
        c.hit_if(!function.cfg.ats_enable && cfg.ats_enable && function.asked, "implicit.enable");
        if cfg.reset {
            c.hit_if(function.asked, "implicit.reset");
            c.hit_if(reading, "race.reset-reading");
            c.hit_if(asking, "race.reset-asking");
            c.hit_if(function.invalidations > 0, "race.reset-invalidate");
        }
        function.cfg = *cfg;
    }

    fn out(&mut self, tlp: &Tlp, kind: TlpKind) {
        let c = &mut self.coverage;
        match tlp.body {
            Body::Memory { op, at, requester, tag, no_write, .. } => {
                let translated = at == AddressType::TRANSLATED;
                match kind {
                    TlpKind::DataWrite => {
                        c.hit(if translated { "at.translated-write" } else { "at.untranslated-write" })
                    }
                    TlpKind::DataRead => c.hit(if translated { "at.translated-read" } else { "at.untranslated-read" }),
                    TlpKind::FlushRead => {
                        c.hit("at.zero-length-read");
                        c.hit_if(self.revoking.is_empty(), "flush.path");
                    }
                    TlpKind::TranslationRequest => {
                        c.hit(if no_write { "request.no-write" } else { "request.write" });
                        c.hit_if(tlp.pasid.valid, "request.pasid");
                    }
                    _ => {}
                }
                if op == MemoryOp::Read {
                    self.read(requester, tag, kind, translated, tlp.pasid.valid);
                }
            }
            Body::Message { code: message_code::INVALIDATE_COMPLETION, requester, dw3, .. } => {
                c.hit_if(dw3.count_ones() > 1, "invalidate.merged");
                let function = self.function_of(requester);
                let asking = self.in_flight(|f| f.function == function && f.kind == TlpKind::TranslationRequest);
                self.coverage.hit_if(asking, "race.completion-asking");
                let function = self.functions.entry(function).or_default();
                function.invalidations = function.invalidations.saturating_sub(dw3.count_ones());
            }
            _ => {}
        }
    }

    fn read(&mut self, requester: RequesterId, tag: Tag, kind: TlpKind, translated: bool, pasid: bool) {
        let function = self.function_of(requester);
        self.number += 1;
        let number = self.number;
        self.live.insert((requester, tag), InFlight { kind, translated, function, number, completions: 0 });
        let state = self.functions.entry(function).or_default();
        let c = &mut self.coverage;
        c.hit(match state.cfg.tag_mode {
            0 => "tags.5",
            1 => "tags.8",
            _ => "tags.10",
        });
        if kind == TlpKind::TranslationRequest {
            c.hit_if(function != FunctionId(0), "request.other-function");
            state.asked = true;
            state.asked_with_pasid |= pasid;
        }
    }

    fn arrived(&mut self, tlp: &Tlp, payload: &[u8], kind: TlpKind) {
        match tlp.body {
            Body::Completion { requester, tag, status: code, byte_count, .. } => {
                let Some(mut entry) = self.live.get(&(requester, tag)).copied() else {
                    self.coverage.hit("data.unexpected");
                    return;
                };
                entry.completions += 1;
                let last = code != status::SC || usize::from(byte_count) <= payload.len();
                self.completion(tlp, payload, &entry, code, last);
                if last {
                    self.live.remove(&(requester, tag));
                } else {
                    self.live.insert((requester, tag), entry);
                }
            }
            Body::Message { dw2, .. } if kind == TlpKind::InvalidateRequest => {
                self.invalidation(tlp, payload, RequesterId((dw2 >> 16) as u16));
            }
            _ => {}
        }
    }

    fn completion(&mut self, tlp: &Tlp, payload: &[u8], of: &InFlight, code: u8, last: bool) {
        let earlier = self.in_flight(|f| f.kind == TlpKind::TranslationRequest && f.number < of.number);
        let rcb = self.functions.get(&of.function).is_some_and(|f| f.cfg.rcb);
        let c = &mut self.coverage;
        match of.kind {
            TlpKind::TranslationRequest => {
                c.hit_if(code == status::UR, "answer.unsupported");
                c.hit_if(code == status::CA, "answer.aborted");
                c.hit_if(tlp.poisoned, "answer.poisoned");
                c.hit_if(earlier, "answer.overtaken");
                c.hit_if(code == status::SC && (!last || payload.len() % 8 != 0), "answer.malformed");
                for bytes in payload.as_chunks::<8>().0 {
                    if let Some(entry) = TranslationEntry::decode(*bytes).filter(|_| code == status::SC) {
                        c.entry(&entry);
                    }
                }
            }
            TlpKind::DataRead => {
                c.hit_if(code == status::UR, "data.unsupported");
                c.hit_if(code == status::CA, "data.aborted");
                c.hit_if(tlp.poisoned, "data.poisoned");
                c.hit_if(last && of.completions > 1, if rcb { "boundary.128" } else { "boundary.64" });
            }
            TlpKind::TableRead => c.hit_if(code != status::SC || tlp.poisoned, "fetch.failed"),
            _ => {}
        }
    }

    fn invalidation(&mut self, tlp: &Tlp, payload: &[u8], target: RequesterId) {
        let function = self.function_of(target);
        let mine = |f: &InFlight| f.function == function;
        let asking = self.in_flight(|f| mine(f) && f.kind == TlpKind::TranslationRequest);
        let reading = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataRead && f.translated);
        let writing = self.open.values().any(|wr| wr.function == function && wr.op == Op::WRITE);
        let range = payload.try_into().ok().and_then(InvalidateRange::decode);
        let state = self.functions.entry(function).or_default();
        let c = &mut self.coverage;
        if let Some(range) = range {
            c.hit(match range.size {
                None => "invalidate.all",
                Some(size) if size.log2() == 12 => "invalidate.4k",
                Some(_) => "invalidate.larger",
            });
            c.hit_if(range.global, "invalidate.global");
        }
        c.hit_if(tlp.pasid.valid, "invalidate.pasid");
        c.hit_if(!tlp.pasid.valid && state.asked_with_pasid, "invalidate.no-pasid-beside-pasid");
        c.hit_if(function != FunctionId(0), "invalidate.other-function");
        c.hit_if(state.invalidations > 0, "invalidate.several");
        c.hit_if(state.invalidations == 31, "invalidate.full");
        c.hit_if(!state.cfg.bus_master, "invalidate.bus-master-off");
        c.hit_if(!state.cfg.ats_enable, "invalidate.ats-off");
        c.hit_if(asking, "race.invalidate-asking");
        c.hit_if(reading, "race.invalidate-reading");
        c.hit_if(writing, "race.invalidate-writing");
        state.invalidations += 1;
    }
}

impl Coverage {
    fn entry(&mut self, entry: &TranslationEntry) {
        match (entry.read, entry.write) {
            (false, false) => self.hit("answer.no-access"),
            (true, false) => self.hit("answer.read-only"),
            (false, true) => self.hit("answer.write-only"),
            (true, true) => {}
        }
        self.hit_if(entry.untranslated, "answer.untranslated-only");
        self.hit_if(entry.global, "answer.global");
        self.hit(match entry.size.log2() {
            12 => "answer.4k",
            13..=20 => "answer.middle",
            _ => "answer.2m",
        });
    }
}
