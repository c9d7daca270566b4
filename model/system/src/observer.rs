//! What watches a run: judges, checkers, recordings, waves.

use types::port::{UnitIn, UnitOut};
use types::{Cycle, Event};

/// Watches a unit `U` in the system. Every method does nothing unless overridden, and costs nothing then.
pub trait Observer<U> {
    /// Whether [`Observer::event`] wants to be called; building events takes time.
    const EVENTS: bool = true;

    /// Something was seen at the unit's edge, or done by the driver. Events of one cycle come with what the unit put out
    /// first, since it cannot depend on what it took in at the same edge.
    fn event(&mut self, _event: &Event<'_>) {}

    /// The values of one cycle before its edge, and the unit as it is then.
    fn cycle(&mut self, _cycle: Cycle, _unit: &U, _inp: &UnitIn, _out: &UnitOut) {}

    /// Whether the run should end: the observer has seen enough.
    fn stop(&self) -> bool {
        false
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl<U> Observer<U> for Unobserved {
    const EVENTS: bool = false;
}

impl<U, O: Observer<U>> Observer<U> for &mut O {
    const EVENTS: bool = O::EVENTS;
    fn event(&mut self, event: &Event<'_>) {
        (**self).event(event);
    }
    fn cycle(&mut self, cycle: Cycle, unit: &U, inp: &UnitIn, out: &UnitOut) {
        (**self).cycle(cycle, unit, inp, out);
    }
    fn stop(&self) -> bool {
        (**self).stop()
    }
}

impl<U, A: Observer<U>, B: Observer<U>> Observer<U> for (A, B) {
    const EVENTS: bool = A::EVENTS || B::EVENTS;
    fn event(&mut self, event: &Event<'_>) {
        self.0.event(event);
        self.1.event(event);
    }
    fn cycle(&mut self, cycle: Cycle, unit: &U, inp: &UnitIn, out: &UnitOut) {
        self.0.cycle(cycle, unit, inp, out);
        self.1.cycle(cycle, unit, inp, out);
    }
    fn stop(&self) -> bool {
        self.0.stop() || self.1.stop()
    }
}

/// A closure over the unit and the cycle, for waves of its inside.
#[derive(Clone, Copy, Debug)]
pub struct Probe<F>(pub F);

impl<U, F: FnMut(&U, Cycle)> Observer<U> for Probe<F> {
    const EVENTS: bool = false;
    fn cycle(&mut self, cycle: Cycle, unit: &U, _: &UnitIn, _: &UnitOut) {
        (self.0)(unit, cycle);
    }
}
