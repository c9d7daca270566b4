//! Writes that are judged again before their commit, and what becomes of those that are refused.

use super::super::Stats;
use super::super::again::{self, EpochTable, Epochs};
use super::super::cut::{allow, prefix};
use super::path::{For, WantedFlush};
use super::{Pending, WriteEngine};
use types::access::Syndrome;
use types::addr::{StreamId, TlpAddr, Va, WrId};
use types::port::{DmaIn, FunctionCfg, Retranslated};

impl WriteEngine {
    /// Has the head TLP and what follows it of its segment judged again once an epoch has passed them. Returns an answer that
    /// is for a flush.
    pub(super) fn judge(&mut self, inp: &DmaIn, functions: &[FunctionCfg], stat: &mut Stats) -> Option<Retranslated> {
        self.again.step();
        let answer = self.again.answer(&inp.retranslated);
        if self.paths.asked() {
            return answer;
        }
        if let Some(answer) = answer
            && let Some(head) = self.pending.front()
        {
            let function = functions.get(usize::from(head.tag.function.0)).copied().unwrap_or_default();
            let refused = match answer.syndrome {
                Syndrome::OK => allow(&head.tag, answer.at, &function),
                refused => refused,
            };
            if refused.is_ok() {
                let (va, segment) = (head.va, head.segment);
                self.renew(va, segment, &answer, &function);
            } else {
                self.late[usize::from(head.segment)] = refused;
                let (stream, id) = (head.tag.stream, head.tag.id);
                self.refuse(stream, id, refused);
            }
            // Whether it is outdated already shows at the end of the step.
            return None;
        }
        if self.stale
            && let Some(head) = self.pending.front()
        {
            let rest = head.tag.length.0 - head.va.0.wrapping_sub(head.tag.va.0) as u32;
            stat.retranslate = self.again.ask(&head.tag, head.va, rest);
        }
        None
    }

    /// Puts an answer for the byte at `va` in the place of the mapping of a segment's TLPs.
    fn renew(&mut self, va: Va, segment: u8, answer: &Retranslated, function: &FunctionCfg) {
        for p in self.pending.iter_mut().filter(|p| p.operands.is_none() && p.segment == segment) {
            let address = answer.address.0.wrapping_add(p.va.0.wrapping_sub(va.0));
            p.tlp.address = TlpAddr(address & !3);
            (p.tlp.at, p.tlp.pasid) = (answer.at, prefix(&p.tag, answer.at, function));
            p.epochs = Epochs { invalidation: answer.epoch, grant: answer.grant };
            p.tag.coherent = answer.coherent;
        }
        if self.done > 0
            && segment == self.unsent_in
            && let Some(cut) = self.segments.front_mut()
        {
            let done = va.0.wrapping_sub(cut.tag.va.0) as u32;
            again::apply(cut, done, answer);
        }
    }

    /// A request has failed after its cut: none of its TLPs that wait leaves, and no more are cut.
    fn refuse(&mut self, stream: StreamId, id: WrId, syndrome: Syndrome) {
        let writes = self.pending.iter_mut().filter(|p| p.operands.is_none());
        for p in writes.filter(|p| (p.tag.stream, p.tag.id) == (stream, id)) {
            p.refused = syndrome;
        }
        let open = &mut self.requests[usize::from(stream.0)];
        if open.open && open.id == id && open.syndrome.is_ok() {
            open.syndrome = syndrome;
        }
    }

    /// A function's configuration changes: what it may not send any more is not committed, however long its bytes take.
    pub(in super::super) fn configured(&mut self, function: &FunctionCfg) {
        if function.reset {
            self.paths.forget(function.function);
        }
        for n in 0..self.pending.len() {
            let p = &self.pending[n];
            // What was asked for before a function-level reset does not leave after it.
            let syndrome = if function.reset { Syndrome::BUS_MASTER_OFF } else { allow(&p.tag, p.tlp.at, function) };
            let other = p.operands.is_some() || p.tag.function != function.function;
            if other || syndrome.is_ok() || !p.refused.is_ok() {
                continue;
            }
            let (stream, id) = (p.tag.stream, p.tag.id);
            self.late[usize::from(p.segment)] = syndrome;
            if n == 0 {
                if !self.paths.asked() {
                    self.again.ended();
                }
                (self.stale, self.crosses) = (false, false);
            }
            self.refuse(stream, id, syndrome);
        }
    }

    /// Has a flush go where an access has another path than what its stream has written, or a message has changed its path.
    pub(super) fn change_path(
        &mut self,
        inp: &DmaIn,
        (wanted, answer): (Option<WantedFlush>, Option<Retranslated>),
        functions: &[FunctionCfg],
        epochs: &EpochTable,
        stat: &mut Stats,
    ) {
        let waits = |p: &&Pending| p.operands.is_none() && p.refused.is_ok() && !p.tag.unordered;
        let head = self.pending.front().filter(waits).map(|p| (p.number, p.segment, p.tag, p.tlp.at));
        if let Some((number, segment, tag, _)) = head
            && let Some(failure) = self.paths.ended(For::Write(number)).filter(|s| !s.is_ok())
        {
            self.late[usize::from(segment)] = failure;
            self.refuse(tag.stream, tag.id, failure);
        }
        self.paths.clear();
        if let Some(answer) = answer {
            self.paths.answer(&answer);
        }
        let head = head.filter(|_| self.pending.front().is_some_and(|p| p.refused.is_ok()));
        self.crosses = head.is_some_and(|(_, _, tag, at)| self.paths.between(tag.stream, at));
        let end = self.ending.map(|stream| (For::End, stream, None));
        let write = head.filter(|_| self.crosses && !self.stale);
        let write = write.map(|(number, _, tag, at)| (For::Write(number), tag.stream, Some(at)));
        let read = wanted.map(|w| (For::Read(w.partition), w.stream, Some(w.at)));
        let wanted = [end, write, read].into_iter().flatten();
        let asked = self.paths.step(&inp.flush_done, wanted, self.sent_count, functions, epochs);
        if let Some(flush) = asked
            && self.again.ask_flush(&flush.tag)
        {
            stat.retranslate = true;
            self.paths.asks();
        }
        if self.paths.read().valid || self.paths.has_ended() {
            // Nothing is put off for the flush any more.
            self.again.committed();
        }
    }
}
