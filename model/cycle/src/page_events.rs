//! Driver events of `mtt`: accesses that wait for an entry which is not present, until the driver has filled it.
//!
//! ```text
//!  not present ─► join the event of the entry, or open one ─► event (to regs)
//!  resume ─► the events of the region end ─► look up again, or fail
//! ```
//!
//! The accesses of one entry share an event. With every event taken a segment is kept aside and looks up again when one
//! ends. The driver answers one event by its number, or all of a region, read or not.
//!
//! An access fails with `page-retries` if its entry is still not present after `PAGE_ROUNDS` answers, with `page-refused`
//! if the driver refuses, and with `bus-master-off` when its function loses Bus Master Enable or is reset.

use crate::slot_set::SlotSet;
use std::collections::VecDeque;
use types::config::{PAGE_ROUNDS, Partitions};
use types::port::{FunctionCfg, PageEvent, PageResume, Segment};
use types::{FunctionId, Iova, Op, Slot, Syndrome, UnitCfg};

/// Events that may be open at a time.
pub const EVENTS: usize = 8;
const _: () = assert!(EVENTS == 1 << 3, "an event's number has three bits");

#[derive(Clone, Copy, Debug, Default)]
struct Open {
    open: bool,
    function: FunctionId,
    /// MPT index of the region.
    index: u32,
    /// The entry that is not present.
    entry: Iova,
    waiting: SlotSet,
}

/// Slots that go on, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resumed {
    /// They look up again, and their line is fetched again.
    pub again: SlotSet,
    /// They look up again: an event is free.
    pub aside: SlotSet,
    /// They fail.
    pub failed: [(SlotSet, Syndrome); 2],
}

/// Inputs at an edge.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Function configuration.
    pub cfg: &'a FunctionCfg,
    /// Entries that are not present are driver events.
    pub enabled: bool,
    /// `regs` takes the event.
    pub event_ready: bool,
    /// The driver's answer.
    pub resume: &'a PageResume,
}

/// The open events.
#[derive(Clone, Debug)]
pub struct PageEvents {
    /// A partition of functions has its share of the events.
    shares: Partitions,
    events: [Open; EVENTS],
    /// Segments that no event was free for.
    aside: SlotSet,
    /// Answers each slot has had.
    rounds: Vec<u8>,
    enabled: bool,
    bus_masters: Vec<bool>,
    /// Events that `regs` has not taken, the first on the output.
    raised: VecDeque<PageEvent>,
}

impl PageEvents {
    /// The events of a unit.
    pub fn new(cfg: &UnitCfg) -> Self {
        Self {
            shares: cfg.shares(),
            events: Default::default(),
            aside: SlotSet::default(),
            rounds: vec![0; cfg.slots() as usize],
            enabled: false,
            bus_masters: vec![false; cfg.functions as usize],
            raised: VecDeque::with_capacity(EVENTS),
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.events = Default::default();
        self.aside = SlotSet::default();
        self.enabled = false;
        self.bus_masters.fill(false);
        self.raised.clear();
    }

    /// The registered output.
    pub fn event(&self) -> PageEvent {
        self.raised.front().copied().unwrap_or_default()
    }

    /// Whether the output changes at the next edge.
    pub fn busy(&self, inp: &Inputs<'_>) -> bool {
        inp.cfg.valid || inp.resume.valid || inp.enabled != self.enabled || !self.raised.is_empty() && inp.event_ready
    }

    /// A new segment holds the slot.
    pub fn admit(&mut self, slot: Slot) {
        self.rounds[usize::from(slot.0)] = 0;
    }

    /// Whether a segment whose entry is not present waits for the driver; the error says why it ends instead. The flag
    /// says that an event was raised.
    pub fn wait(&mut self, segment: &Segment) -> Result<bool, Syndrome> {
        let tag = &segment.tag;
        if !self.enabled || tag.on_fault {
            return Err(Syndrome::NOT_PRESENT);
        }
        if self.bus_masters.get(usize::from(tag.function.0)) != Some(&true) {
            return Err(Syndrome::BUS_MASTER_OFF);
        }
        if self.rounds[usize::from(tag.slot.0)] >= PAGE_ROUNDS {
            return Err(Syndrome::PAGE_RETRIES);
        }
        let index = tag.asked.key.index();
        let same = |e: &Open| e.open && (e.function, e.entry) == (tag.function, segment.entry);
        if let Some(event) = self.events.iter_mut().find(|e| same(e)) {
            event.waiting.insert(tag.slot);
            return Ok(false);
        }
        // Events of which `regs` has not been told count as open, so that no more are raised than there is room for.
        let of = |f: FunctionId| self.shares.of(f);
        let taken = self.events.iter().filter(|e| e.open && of(e.function) == of(tag.function)).count();
        let room = self.raised.len() < EVENTS && taken < self.shares.share(EVENTS as u32) as usize;
        let free = self.events.iter_mut().enumerate().find(|(_, e)| !e.open).filter(|_| room);
        let Some((number, event)) = free else {
            self.aside.insert(tag.slot);
            return Ok(false);
        };
        *event = Open { open: true, function: tag.function, index, entry: segment.entry, waiting: SlotSet::default() };
        event.waiting.insert(tag.slot);
        let write = tag.op != Op::READ;
        let number = number as u8;
        self.raised.push_back(PageEvent { valid: true, function: tag.function, index, va: tag.va, write, number });
        Ok(true)
    }

    /// Ends the events that `which` names.
    fn end(&mut self, which: impl Fn(usize, &Open) -> bool) -> SlotSet {
        let mut slots = SlotSet::default();
        for (_, event) in self.events.iter_mut().enumerate().filter(|(n, e)| e.open && which(*n, e)) {
            slots.union(&event.waiting);
            *event = Open::default();
        }
        slots
    }

    /// One edge: takes what the inputs say and tells which slots go on.
    pub fn step(&mut self, inp: &Inputs<'_>) -> Resumed {
        let mut resumed = Resumed::default();
        if !self.busy(inp) {
            return resumed;
        }
        let taken = inp.event_ready && self.raised.pop_front().is_some();
        let cfg = inp.cfg;
        if let Some(on) = self.bus_masters.get_mut(usize::from(cfg.function.0)).filter(|_| cfg.valid) {
            *on = cfg.bus_master;
            if cfg.reset || !cfg.bus_master {
                resumed.failed[0] = (self.end(|_, e| e.function == cfg.function), Syndrome::BUS_MASTER_OFF);
            }
        }
        self.enabled = inp.enabled;
        if !inp.enabled {
            resumed.failed[1] = (self.end(|_, _| true), Syndrome::NOT_PRESENT);
        } else if inp.resume.valid {
            let PageResume { index, number, all, .. } = *inp.resume;
            let slots = self.end(|n, e| e.index == index && (all || n == usize::from(number)));
            if inp.resume.refuse {
                resumed.failed[1] = (slots, Syndrome::PAGE_REFUSED);
            } else {
                resumed.again = slots;
                let mut left = slots;
                while let Some(slot) = left.first() {
                    left.remove(slot);
                    self.rounds[usize::from(slot.0)] += 1;
                }
            }
        }
        if taken || cfg.valid || inp.resume.valid || !inp.enabled {
            resumed.aside = std::mem::take(&mut self.aside);
        }
        resumed
    }
}
