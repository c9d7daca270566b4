//! Watches events and counts points: what leaves, what is configured and revoked.

use super::Coverage;
use super::coherent::Coherent;
use std::collections::{BTreeMap, BTreeSet};
use system::Statistics;
use system::fabric::TlpKind;
use types::port::{FunctionCfg, WorkRequest};
use types::tlp::{Body, message_code};
use types::{AddressType, Event, FunctionId, Key, MttLayout, Op, RequesterId, StreamId, Syndrome, Tag, Tlp, WrId};

/// First and last address of a range.
pub(super) type Range = (u64, u64);

pub(super) fn overlap(a: Range, b: Range) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

/// What is known of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    pub(super) cfg: FunctionCfg,
    /// It has asked for translations; with a PASID.
    asked: bool,
    pub(super) asked_with_pasid: bool,
    /// Invalidate Requests that are not complete: ITag and range.
    pub(super) pending: Vec<(u8, Range)>,
}

/// What a Translation Request asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) range: Range,
    pub(super) entries: u16,
    pub(super) no_write: bool,
    pub(super) execute: bool,
}

/// A non-posted TLP in flight.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub(super) kind: TlpKind,
    pub(super) translated: bool,
    pub(super) function: FunctionId,
    /// Order of leaving.
    pub(super) number: u64,
    /// Completions so far.
    pub(super) completions: u32,
    pub(super) asked: Option<Asked>,
    /// Invalidations accepted since it left: ITag and range.
    pub(super) passed: Vec<(u8, Range)>,
    /// One of them, of what it asked for, has been completed.
    pub(super) completed: bool,
    /// Its function has been reset, or a request of its function given up.
    reset: bool,
    given_up: bool,
}

/// Watches events and counts points.
#[derive(Debug, Default)]
pub struct Collector {
    pub(super) coverage: Coverage,
    pub(super) functions: BTreeMap<FunctionId, Function>,
    live: BTreeMap<(RequesterId, Tag), InFlight>,
    pub(super) open: BTreeMap<(StreamId, WrId), WorkRequest>,
    pub(super) revoking: BTreeSet<Key>,
    /// Layout of the newest region under each MPT index.
    layouts: BTreeMap<u32, MttLayout>,
    number: u64,
    pub(super) coherent: Coherent,
}

impl Collector {
    /// What was reached so far.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// Counts the counters of a run at its end.
    pub fn close(&mut self, statistics: &Statistics) {
        self.coverage.counters(statistics);
    }

    pub(super) fn function_of(&self, requester: RequesterId) -> FunctionId {
        let known = |f: &&Function| f.cfg.requester == requester;
        self.functions.values().find(known).map_or(FunctionId(0), |f| f.cfg.function)
    }

    pub(super) fn in_flight(&self, test: impl Fn(&InFlight) -> bool) -> bool {
        self.live.values().any(test)
    }

    /// Translation Requests of a function in flight.
    pub(super) fn asking(&mut self, function: FunctionId) -> impl Iterator<Item = &mut InFlight> {
        let mine = move |f: &&mut InFlight| f.function == function && f.kind == TlpKind::TranslationRequest;
        self.live.values_mut().filter(mine)
    }

    pub(super) fn writing(&self, function: FunctionId) -> bool {
        self.open.values().any(|wr| wr.function == function && wr.op == Op::WRITE)
    }

    /// Takes an event; `kind` is that of a TLP.
    pub fn event(&mut self, event: &Event<'_>, kind: Option<TlpKind>) {
        self.coherent(event);
        match *event {
            Event::TlpOut { tlp, .. } => self.out(tlp, kind.unwrap_or(TlpKind::Other)),
            Event::TlpIn { tlp, payload } => self.arrived(tlp, payload, kind.unwrap_or(TlpKind::Other)),
            Event::Configured(cfg) => self.configured(cfg),
            Event::RequestAccepted(wr) => {
                let c = &mut self.coverage;
                c.hit_if(wr.length.0 == 0, "message.empty");
                c.hit_if((wr.va.0 & 0xfff) + u64::from(wr.length.0) > 4096, "line.crossed");
                self.registering(wr);
                self.open.insert((wr.stream, wr.id), *wr);
            }
            Event::MessageDone { stream, id, syndrome } => {
                self.coverage.syndrome(syndrome);
                let request = self.open.remove(&(stream, id));
                let ends = request.is_some_and(|wr| !wr.op.registers());
                let waits = |wr: &WorkRequest| wr.op.registers() && !wr.op.has_image();
                self.coverage.hit_if(ends && self.open.values().any(waits), "race.register-passed");
                let layout = request.and_then(|wr| self.layouts.get(&wr.key.index()).copied());
                match layout {
                    Some(MttLayout::Inline) if syndrome.is_ok() => self.coverage.hit("layout.inline"),
                    Some(MttLayout::TwoLevel) if syndrome.is_ok() => self.coverage.hit("layout.two-level"),
                    Some(MttLayout::Reserved) if syndrome == Syndrome::INVALID_KEY => self.coverage.hit("layout.none"),
                    _ => {}
                }
                if let Some(wr) = request.filter(|_| syndrome == Syndrome::COMPLETION_TIMEOUT) {
                    let data = |f: &InFlight| matches!(f.kind, TlpKind::DataRead | TlpKind::DataAtomic);
                    let mine = |f: &&mut InFlight| f.function == wr.function && data(f);
                    self.live.values_mut().filter(mine).for_each(|f| f.given_up = true);
                }
            }
            Event::Mapped { key, region } => {
                let layout = if region.layout.holds(region.pages()) { region.layout } else { MttLayout::Reserved };
                self.layouts.insert(key.index(), layout);
            }
            Event::RevocationStarted { key, flush } => self.revocation(key, flush.is_some()),
            Event::RevocationReported { key } => drop(self.revoking.remove(&key)),
            _ => {}
        }
    }

    fn registering(&mut self, wr: &WorkRequest) {
        let key = |o: &&WorkRequest| o.key.index() == wr.key.index();
        let before = || self.open.values().filter(key);
        let behind = before().any(|o| o.op.registers() && o.stream == wr.stream);
        let others = |test: fn(&WorkRequest) -> bool| before().any(|o| o.stream != wr.stream && test(o));
        let (reading, writing) = (others(|o| o.op == Op::READ), others(|o| o.op == Op::WRITE));
        let c = &mut self.coverage;
        if !wr.op.registers() {
            c.hit_if(behind, "race.register-behind");
            return;
        }
        c.hit_if(reading, "race.register-reading");
        c.hit_if(writing, "race.register-writing");
        c.hit_if(!self.revoking.is_empty(), "race.register-revoking");
    }

    fn revocation(&mut self, key: Key, flush: bool) {
        let of_region =
            |write: bool| self.open.values().any(|wr| wr.key.index() == key.index() && (wr.op == Op::WRITE) == write);
        let (reading, writing) = (of_region(false), of_region(true));
        let atomic = self.open.values().any(|wr| wr.key.index() == key.index() && wr.op.is_atomic());
        let asking = self.in_flight(|f| f.kind == TlpKind::TranslationRequest);
        let fetching = self.in_flight(|f| f.kind == TlpKind::TableRead);
        let invalidating = self.functions.values().any(|f| !f.pending.is_empty());
        self.revoking.insert(key);
        let walked = self.layouts.get(&key.index()) == Some(&MttLayout::TwoLevel);
        let c = &mut self.coverage;
        c.hit(if flush { "revoke.flush" } else { "revoke.plain" });
        c.hit_if(reading, "race.revoke-reading");
        c.hit_if(atomic, "race.revoke-atomic");
        c.hit_if(writing, "race.revoke-writing");
        c.hit_if(asking, "race.revoke-asking");
        c.hit_if(fetching, "race.revoke-fetching");
        c.hit_if(fetching && walked, "race.revoke-walking");
        c.hit_if(invalidating, "race.revoke-invalidating");
    }

    fn configured(&mut self, cfg: &FunctionCfg) {
        let registering = self.open.values().any(|wr| wr.function == cfg.function && wr.op.registers());
        let mine = |f: &InFlight| f.function == cfg.function;
        let asking = self.in_flight(|f| mine(f) && f.kind == TlpKind::TranslationRequest);
        let reading = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataRead);
        let atomic = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataAtomic);
        let reading_translated = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataRead && f.translated);
        let (writing, revoking) = (self.writing(cfg.function), !self.revoking.is_empty());
        let function = self.functions.entry(cfg.function).or_default();
        let c = &mut self.coverage;
        if function.cfg.ats_enable && !cfg.ats_enable && !cfg.reset {
            c.hit_if(asking, "race.disable-asking");
            c.hit_if(reading_translated, "race.disable-reading");
            c.hit_if(writing, "race.disable-writing");
        }
        if function.cfg.bus_master && !cfg.bus_master && !cfg.reset {
            c.hit_if(reading, "race.bus-master-reading");
            c.hit_if(writing, "race.bus-master-writing");
        }
        c.hit_if(!function.cfg.ats_enable && cfg.ats_enable && function.asked, "implicit.enable");
        if cfg.reset {
            c.hit_if(registering, "race.reset-registering");
            c.hit("reset.function");
            c.hit_if(function.asked, "implicit.reset");
            c.hit_if(reading, "race.reset-reading");
            c.hit_if(atomic, "race.reset-atomic");
            c.hit_if(writing, "race.reset-writing");
            c.hit_if(asking, "race.reset-asking");
            c.hit_if(revoking, "race.reset-revoke");
            c.hit_if(!function.pending.is_empty(), "race.reset-invalidate");
            function.pending.clear();
            self.live.values_mut().filter(|f| f.function == cfg.function).for_each(|f| f.reset = true);
        }
        function.cfg = *cfg;
    }

    fn out(&mut self, tlp: &Tlp, kind: TlpKind) {
        let c = &mut self.coverage;
        match tlp.body {
            Body::Memory { op, at, .. } => {
                let translated = at == AddressType::TRANSLATED;
                c.hit_if(tlp.attributes.relaxed, "attribute.relaxed");
                c.hit_if(tlp.attributes.id_order, "attribute.id-order");
                match kind {
                    TlpKind::DataWrite if translated => c.hit("at.translated-write"),
                    TlpKind::DataWrite => c.hit("at.untranslated-write"),
                    TlpKind::DataRead if translated => c.hit("at.translated-read"),
                    TlpKind::DataRead => c.hit("at.untranslated-read"),
                    TlpKind::DataAtomic if translated => c.hit("at.translated-atomic"),
                    TlpKind::DataAtomic => c.hit("at.untranslated-atomic"),
                    TlpKind::FlushRead => {
                        c.hit("at.zero-length-read");
                        c.hit_if(self.revoking.is_empty(), "flush.path");
                    }
                    _ => {}
                }
                if at == AddressType::UNTRANSLATED {
                    c.hit_if(tlp.pasid.valid && tlp.pasid.exec, "pasid.execute");
                    c.hit_if(tlp.pasid.valid && tlp.pasid.privileged, "pasid.privileged");
                }
                if op.is_atomic() {
                    c.atomic(tlp, op);
                }
                if !op.posted() {
                    self.read(tlp, kind);
                }
            }
            Body::Message { code: message_code::INVALIDATE_COMPLETION, requester, dw3, .. } => {
                c.hit_if(dw3.count_ones() > 1, "invalidate.merged");
                let function = self.function_of(requester);
                let named = |itag: u8| dw3 >> (itag & 31) & 1 == 1;
                let mut asking = false;
                for f in self.asking(function) {
                    asking = true;
                    let range = f.asked.map_or((0, 0), |a| a.range);
                    f.completed |= f.passed.iter().any(|(itag, r)| named(*itag) && overlap(*r, range));
                }
                self.coverage.hit_if(asking, "race.completion-asking");
                self.functions.entry(function).or_default().pending.retain(|(itag, _)| !named(*itag));
            }
            _ => {}
        }
    }

    fn read(&mut self, tlp: &Tlp, kind: TlpKind) {
        let Body::Memory { at, requester, tag, address, no_write, .. } = tlp.body else { return };
        let function = self.function_of(requester);
        self.number += 1;
        let state = self.functions.entry(function).or_default();
        let c = &mut self.coverage;
        c.hit(match state.cfg.tag_mode {
            0 => "tags.5",
            1 => "tags.8",
            _ => "tags.10",
        });
        let mut asked = None;
        if kind == TlpKind::TranslationRequest {
            let (entries, unit_log2) = (tlp.length_dw / 2, 12 + u32::from(state.cfg.ats_stu));
            c.hit(if no_write { "request.no-write" } else { "request.write" });
            c.hit_if(tlp.pasid.valid, "request.pasid");
            c.hit_if(tlp.pasid.valid && tlp.pasid.exec, "request.execute");
            c.hit_if(tlp.pasid.valid && tlp.pasid.privileged, "request.privileged");
            c.hit_if(function != FunctionId(0), "request.other-function");
            c.hit_if(entries > 1, "request.several");
            c.hit_if(unit_log2 > 12, "request.unit");
            state.asked = true;
            state.asked_with_pasid |= tlp.pasid.valid;
            let last = address.0.saturating_add((u64::from(entries) << unit_log2) - 1);
            let execute = tlp.pasid.valid && tlp.pasid.exec;
            asked = Some(Asked { range: (address.0, last), entries, no_write, execute });
        }
        let entry = InFlight {
            kind,
            translated: at == AddressType::TRANSLATED,
            function,
            number: self.number,
            completions: 0,
            asked,
            passed: Vec::new(),
            completed: false,
            reset: false,
            given_up: false,
        };
        self.live.insert((requester, tag), entry);
    }

    /// Takes the request that a completion answers; it is put back where it is not the last.
    pub(super) fn answered(&mut self, key: (RequesterId, Tag)) -> Option<InFlight> {
        let entry = self.live.remove(&key);
        let c = &mut self.coverage;
        match &entry {
            None => c.hit("data.unexpected"),
            Some(f) => {
                c.hit_if(f.reset, "race.reset-answer");
                c.hit_if(f.given_up && f.kind == TlpKind::DataRead, "data.late");
                c.hit_if(f.given_up && f.kind == TlpKind::DataAtomic, "atomic.late");
            }
        }
        entry
    }

    pub(super) fn put_back(&mut self, key: (RequesterId, Tag), entry: InFlight) {
        self.live.insert(key, entry);
    }
}
