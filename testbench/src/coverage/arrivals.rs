//! Points of what reaches the unit: completions and Invalidate Requests.

use super::collector::{Collector, InFlight, Range, overlap};
use system::fabric::TlpKind;
use types::ats::{InvalidateRange, TranslationEntry};
use types::tlp::{Body, status};
use types::{FunctionId, RequesterId, Tlp};

impl Collector {
    /// A TLP has reached the unit.
    pub(super) fn arrived(&mut self, tlp: &Tlp, payload: &[u8], kind: TlpKind) {
        match tlp.body {
            Body::Completion { requester, tag, status: code, byte_count, .. } => {
                let key = (requester, tag);
                let Some(mut entry) = self.answered(key) else { return };
                entry.completions += 1;
                let last = code != status::SC || usize::from(byte_count) <= payload.len();
                match entry.kind {
                    TlpKind::TranslationRequest => self.answer(tlp, payload, &entry, last),
                    TlpKind::DataRead => self.data(tlp, &entry, last),
                    TlpKind::DataAtomic => {
                        let c = &mut self.coverage;
                        c.hit_if(code == status::UR, "atomic.unsupported");
                        c.hit_if(code == status::CA, "atomic.aborted");
                        c.hit_if(tlp.poisoned, "atomic.poisoned");
                    }
                    TlpKind::TableRead => {
                        self.coverage.hit_if(code != status::SC || tlp.poisoned, "fetch.failed");
                    }
                    _ => {}
                }
                if !last {
                    self.put_back(key, entry);
                }
            }
            Body::Message { tag, dw2, .. } if kind == TlpKind::InvalidateRequest => {
                self.invalidation(tlp, payload, (tag.0 & 31) as u8, RequesterId((dw2 >> 16) as u16));
            }
            _ => {}
        }
    }

    fn data(&mut self, tlp: &Tlp, of: &InFlight, last: bool) {
        let Body::Completion { status: code, .. } = tlp.body else { return };
        let rcb = self.functions.get(&of.function).is_some_and(|f| f.cfg.rcb);
        let c = &mut self.coverage;
        c.hit_if(code == status::UR, "data.unsupported");
        c.hit_if(code == status::CA, "data.aborted");
        c.hit_if(tlp.poisoned, "data.poisoned");
        c.hit_if(last && of.completions > 1, if rcb { "boundary.128" } else { "boundary.64" });
    }

    fn answer(&mut self, tlp: &Tlp, payload: &[u8], of: &InFlight, last: bool) {
        let Body::Completion { status: code, byte_count, .. } = tlp.body else { return };
        let earlier = self.in_flight(|f| f.kind == TlpKind::TranslationRequest && f.number < of.number);
        let stu = self.functions.get(&of.function).map_or(0, |f| f.cfg.ats_stu);
        let Some(asked) = of.asked else { return };
        let c = &mut self.coverage;
        c.hit_if(code == status::UR, "answer.unsupported");
        c.hit_if(code == status::CA, "answer.aborted");
        c.hit_if(tlp.poisoned, "answer.poisoned");
        c.hit_if(earlier, "answer.overtaken");
        let whole = payload.len().is_multiple_of(8) && usize::from(byte_count) >= payload.len();
        c.hit_if(code == status::SC && (!whole || byte_count > 8 * asked.entries), "answer.malformed");
        if code != status::SC || !whole {
            return;
        }
        let entries = payload.as_chunks::<8>().0.iter().filter_map(|bytes| TranslationEntry::decode(*bytes));
        let entries: Vec<TranslationEntry> = entries.collect();
        for entry in &entries {
            c.entry(entry);
            c.hit_if(entry.write && asked.no_write, "answer.write-unasked");
            c.hit_if(entry.size.log2() < 12 + stu, "answer.below-unit");
            c.hit_if(entry.exec, "answer.execute");
            c.hit_if(!entry.exec && asked.execute, "answer.no-execute");
        }
        let first = of.completions == 1;
        c.hit_if(first && byte_count > 8, "answer.several");
        c.hit_if(first && byte_count < 8 * asked.entries, "answer.shorter");
        c.hit_if(last && !first, "answer.two-completions");
        let Some(size) = entries.first().map(|e| e.size).filter(|_| first) else { return };
        let start = asked.range.0 & !size.offset_mask().0;
        let returned: Range = (start, start.saturating_add(entries.len() as u64 * size.bytes().0 - 1));
        c.hit_if(returned.0 < asked.range.0 || returned.1 > asked.range.1, "answer.larger-than-asked");
        let inside = |(_, range): &(u8, Range)| overlap(*range, asked.range);
        c.hit_if(of.passed.iter().any(inside), "race.answer-invalidated");
        let beside = |passed: &(u8, Range)| !inside(passed) && overlap(passed.1, returned);
        c.hit_if(of.passed.iter().any(beside), "race.answer-beside");
        c.hit_if(of.completed, "race.answer-after-completion");
    }

    fn invalidation(&mut self, tlp: &Tlp, payload: &[u8], itag: u8, target: RequesterId) {
        let function = self.function_of(target);
        let mine = |f: &InFlight| f.function == function;
        let reading = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataRead && f.translated);
        let atomic = self.in_flight(|f| mine(f) && f.kind == TlpKind::DataAtomic && f.translated);
        let writing = self.writing(function);
        let Some(range) = payload.try_into().ok().and_then(InvalidateRange::decode) else { return };
        let covered: Range = match range.size {
            Some(size) => (range.iova.0, range.iova.0 | size.offset_mask().0),
            None => (0, u64::MAX),
        };
        let mut asking = false;
        for f in self.asking(function) {
            asking = true;
            f.passed.push((itag, covered));
        }
        let revoking = !self.revoking.is_empty();
        let state = self.functions.entry(function).or_default();
        let c = &mut self.coverage;
        c.hit(match range.size {
            None => "invalidate.all",
            Some(size) if size.log2() == 12 => "invalidate.4k",
            Some(_) => "invalidate.larger",
        });
        c.hit_if(range.global, "invalidate.global");
        c.hit_if(tlp.pasid.valid, "invalidate.pasid");
        c.hit_if(!tlp.pasid.valid && state.asked_with_pasid, "invalidate.no-pasid-beside-pasid");
        c.hit_if(function != FunctionId(0), "invalidate.other-function");
        c.hit_if(!state.pending.is_empty(), "invalidate.several");
        c.hit_if(state.pending.len() == 31, "invalidate.full");
        c.hit_if(!state.cfg.bus_master, "invalidate.bus-master-off");
        c.hit_if(!state.cfg.ats_enable, "invalidate.ats-off");
        c.hit_if(asking, "race.invalidate-asking");
        c.hit_if(reading, "race.invalidate-reading");
        c.hit_if(atomic, "race.invalidate-atomic");
        c.hit_if(writing, "race.invalidate-writing");
        c.hit_if(revoking, "race.invalidate-revoking");
        c.hit_if(state.pending.iter().any(|(_, pending)| overlap(*pending, covered)), "race.remap-twice");
        state.pending.push((itag, covered));
    }
}
