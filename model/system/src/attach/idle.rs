//! Idle time: cycles in which nothing can happen are counted, not simulated.
//!
//! A cycle may be passed over when it would be like the one before it. That takes three things:
//!
//! | | by |
//! |---|---|
//! | nothing was handed over, and no input or output is up | the ports in the cycle before |
//! | the unit stays as it is while its inputs are held | [`types::Block::idle_until`] |
//! | the inputs are held | when fabric, driver and workload do something by themselves |
//!
//! The last is a time: the first edge at or after it is simulated again. So every output, every statistic and the cycle
//! of everything that happens are the same as without.

use super::System;
use crate::observer::Observer;
use crate::time::Time;
use crate::workload::Workload;
use types::port::{StatBus, UnitIn, UnitOut};
use types::{Block, Cycle};

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<U>> System<U, O> {
    /// Whether [`System::run_until`] passes over idle cycles, which it does unless it is told not to. Results do not depend
    /// on it.
    pub fn skip_idle(&mut self, skip: bool) {
        self.skip_idle = skip;
    }

    /// Cycles that were passed over so far.
    pub fn cycles_skipped(&self) -> u64 {
        self.skipped
    }

    /// Passes over idle cycles, to `limit` at most. Nothing has changed from outside since the last cycle.
    pub(super) fn pass_idle(&mut self, workload: &mut impl Workload, limit: Cycle) {
        if !self.skip_idle || self.inputs_move() || self.outputs_move() {
            return;
        }
        let Some(held) = self.held_until(workload) else { return };
        let until = self.clock.first_edge(held).min(limit);
        if until <= self.cycle {
            return;
        }
        let Some(edges) = self.unit.idle_until(&self.inp) else { return };
        let mut out = UnitOut::default();
        self.unit.outputs(&mut out);
        if out != self.out {
            return;
        }
        let until = until.min(Cycle(self.cycle.0.saturating_add(edges.0)));
        let from = self.cycle.0;
        while self.cycle < until && !self.observer.stop() {
            self.observer.cycle(self.cycle, &self.unit, &self.inp, &self.out);
            self.cycle.0 += 1;
        }
        let passed = self.cycle.0 - from;
        self.skipped += passed;
        workload.passed(passed);
    }

    /// Whether the next cycle's inputs may differ from the last one's by what was handed over in it.
    fn inputs_move(&self) -> bool {
        let i = &self.inp;
        let streams = i.wr.valid || i.write_data.valid || i.rx_cpl_tlp.valid || i.rx_msg_tlp.valid;
        let pulses = i.reset || i.cfg.valid || i.tx_wr_sent_valid;
        // Without pauses these three are up but for a source that is full.
        let ready = i.completion_ready && i.read_data_ready && i.write_data_request_ready;
        streams || pulses || !ready || self.stalls.active()
    }

    /// Whether the unit put something out in the last cycle.
    fn outputs_move(&self) -> bool {
        let o = &self.out;
        let streams = o.completion.valid || o.write_data_request.valid || o.read_data.valid;
        streams || o.tx_wr_req_tlp.valid || o.tx_rd_req_tlp.valid || o.stat != StatBus::default()
    }

    /// The time before which the surroundings hold the unit's inputs as they were in the last cycle; `None` when they are
    /// at something.
    fn held_until(&self, workload: &impl Workload) -> Option<Time> {
        // Every part of the system is named, so that a new one is thought of here.
        #[rustfmt::skip]
        let Self {
            fabric, registers, revocations, page_events, coherent, transmit, receive, source, inp, out,
            unit: _, observer: _, cfg: _, driver: _, clock: _, cycle: _, started: _, functions: _, sink: _, stalls: _,
            counter: _, counting: _, skip_idle: _, skipped: _,
        } = self;
        let driver = self.booted() && registers.idle() && revocations.resting() && coherent.idle();
        if !(driver && source.resting()) || receive.waiting() > 0 {
            return None;
        }
        let driver = page_events.resting_until(out.irq)?;
        let fabric_acts = fabric.next_event().min(fabric.resting_until()?);
        Some(driver.min(fabric_acts).min(transmit.resting_until(fabric, inp)).min(workload.resting_until()))
    }
}
