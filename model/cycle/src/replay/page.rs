//! Segments that may wait for a page: offered to `ats` one at a time, then kept by the group they wait for.
//!
//! ```text
//!  wake without access ─► faults ─► page (to ats) ─► page_answer: waits for a group │ offered again │ fails
//!  page_wake ─► look up again │ fail
//! ```
//!
//! Only segments with `on_fault` = wait of a function with Page Request Enable come here; all others end at once.

use super::{Entry, Replay, needs};
use crate::slot_set::SlotSet;
use std::collections::VecDeque;
use types::config::{PAGE_GROUPS, PAGE_ROUNDS};
use types::port::{FunctionCfg, PageMiss, ReplayIn, SegmentTag};
use types::{Slot, Syndrome, UnitCfg};

/// The segments that may wait, and those that do.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    /// Functions that ask for pages.
    enabled: Vec<bool>,
    /// To be offered, in turn.
    faults: VecDeque<Slot>,
    /// Slots that wait for each group.
    waiting: [SlotSet; PAGE_GROUPS as usize],
}

impl Pages {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        Self {
            enabled: vec![false; cfg.functions as usize],
            faults: VecDeque::with_capacity(cfg.slots() as usize),
            waiting: Default::default(),
        }
    }

    pub(super) fn reset(&mut self) {
        self.enabled.fill(false);
        self.faults.clear();
        self.waiting = Default::default();
    }

    fn configure(&mut self, cfg: &FunctionCfg) {
        if let Some(enabled) = self.enabled.get_mut(usize::from(cfg.function.0)).filter(|_| cfg.valid) {
            *enabled = cfg.pri_enable && cfg.pri_allocation > 0;
        }
    }

    /// A segment's translation gave too little, for the reason `syndrome`: what it ends with, or `None` if it may wait.
    pub(super) fn fault(&mut self, slot: Slot, tag: &SegmentTag, rounds: u8, syndrome: Syndrome) -> Option<Syndrome> {
        let enabled = self.enabled.get(usize::from(tag.function.0)).copied().unwrap_or_default();
        if syndrome != Syndrome::TRANSLATION_ACCESS || tag.on_fault || !enabled {
            return Some(syndrome);
        }
        if rounds >= PAGE_ROUNDS {
            return Some(Syndrome::PAGE_RETRIES);
        }
        self.faults.push_back(slot);
        None
    }
}

impl Replay {
    /// One edge of what waits for pages; `previous` is what the port offers.
    pub(super) fn step_pages(&mut self, inp: &ReplayIn, previous: PageMiss) {
        self.pages.configure(&inp.cfg);
        if inp.page_wake.valid {
            let woken = std::mem::take(&mut self.pages.waiting[usize::from(inp.page_wake.group)]);
            self.page_ended(woken, inp.page_wake.syndrome);
        }
        let answer = &inp.page_answer;
        if answer.valid {
            if answer.waits {
                self.pages.waiting[usize::from(answer.group)].insert(answer.slot);
            } else if answer.syndrome.is_ok() {
                self.pages.faults.push_back(answer.slot);
            } else {
                let mut one = SlotSet::default();
                one.insert(answer.slot);
                self.page_ended(one, answer.syndrome);
            }
        }
        if previous.valid && !inp.page_ready {
            self.out.page = previous;
        } else if let Some(slot) = self.pages.faults.pop_front() {
            let mapped = &self.entries[usize::from(slot.0)].mapped;
            let (read, write) = needs(&mapped.tag);
            // Without a byte to read any access will do.
            let read = read || !write;
            let again = slot.0 >= self.again_base;
            self.out.page = PageMiss { valid: true, slot, key: self.key_of(mapped), read, write, again };
        }
    }

    /// The wait of some slots for their page is over.
    fn page_ended(&mut self, mut slots: SlotSet, syndrome: Syndrome) {
        while let Some(slot) = slots.first() {
            slots.remove(slot);
            self.parked = self.parked.saturating_sub(1);
            let Entry { mapped, rounds, .. } = &mut self.entries[usize::from(slot.0)];
            if syndrome.is_ok() {
                *rounds += 1;
                self.retry.insert(slot);
            } else {
                mapped.tag.syndrome = syndrome;
                self.finish(slot);
            }
        }
    }
}
