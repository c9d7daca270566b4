//! The driver's side of coherent regions: it has the unit ask for the translation of every page and puts the answers into
//! the table, at registration and, where it is configured to, when accesses meet stale entries.
//!
//! ```text
//!  register ─► start the counter ─► for each page: COHERENT_COMMAND, wait, entry ─► table
//!  stale    ─► for each page the same ─► the unit drops the region's lines ─► COHERENT_STALE cleared
//!  a counter that has named every generation: entries of its regions to generation 0, lines dropped, then as at registration
//! ```
//!
//! Nothing of this is needed for an invalidation to take effect; it makes the region quick again.

use super::revoke::{Command, Revocations};
use crate::driver::registers::{self, Access, RegisterPort};
use crate::driver::{Registered, Tables};
use std::collections::VecDeque;
use types::{ByteCount, FunctionId, Iova, Key, MttEntry, Owner, PageIndex, PasidPrefix, TableWord};

/// Bit of COHERENT_COMMAND that starts a counter.
const START: u32 = 1 << 31;
/// Bit that asks for a translation.
const TRANSLATE: u32 = 1 << 30;
/// Bit that asks for reading alone.
const NO_WRITE: u32 = 1 << 29;

/// Something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Starts the counter of a region.
    Start(Key),
    /// Fills the entry of a page.
    Fill(Key, PageIndex),
    /// Makes every entry of a region one that never counts.
    Clear(Key),
    /// Has the unit drop the region's lines.
    Drop(Key),
    /// Asks to be told of the next stale entry.
    Listen,
}

/// What an observer is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum News {
    /// A translation is asked for.
    Asked { function: FunctionId, pasid: PasidPrefix, iova: Iova, no_write: bool },
    /// An entry was written.
    Filled { key: Key, page: PageIndex, entry: MttEntry },
}

/// The tasks, and the one under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Coherent {
    todo: VecDeque<Task>,
    current: Option<Task>,
    /// Of the answer that is being read: whether it is of a whole page, and the low half of its entry.
    whole: bool,
    low: u32,
    filled: u64,
}

impl Coherent {
    pub(super) fn idle(&self) -> bool {
        self.todo.is_empty() && self.current.is_none()
    }

    /// Entries filled so far.
    pub(super) fn filled(&self) -> u64 {
        self.filled
    }

    /// A region has been registered; `start` where its counter has not been started.
    pub(super) fn registered(&mut self, region: &Registered, start: bool) {
        self.todo.extend(start.then_some(Task::Start(region.key)));
        if region.asks() {
            self.fill(region);
        }
    }

    fn fill(&mut self, region: &Registered) {
        self.todo.extend((0..region.pages()).map(|page| Task::Fill(region.key, PageIndex(page))));
    }

    /// An access has met a stale entry of the region under an MPT index.
    pub(super) fn stale(&mut self, index: u32, tables: &Tables) {
        if let Some(region) = tables.at(index).filter(|r| r.region.coherent) {
            let (region, key) = (*region, region.key);
            self.fill(&region);
            self.todo.push_back(Task::Drop(key));
        }
        self.todo.push_back(Task::Listen);
    }

    /// The counter of a region has named every generation: it starts anew.
    fn start_anew(&mut self, region: &Registered, tables: &Tables) {
        let under: Vec<Registered> = tables.under_counter_of(region).copied().collect();
        let named = |key: &Key| under.iter().any(|r| r.key == *key);
        self.todo.retain(|task| !matches!(task, Task::Fill(key, _) | Task::Start(key) if named(key)));
        let mut first: Vec<Task> = under.iter().flat_map(|r| [Task::Clear(r.key), Task::Drop(r.key)]).collect();
        first.push(Task::Start(region.key));
        for r in &under {
            first.extend((0..r.pages()).map(|page| Task::Fill(r.key, PageIndex(page))));
            first.push(Task::Drop(r.key));
        }
        first.into_iter().rev().for_each(|task| self.todo.push_front(task));
    }

    /// Starts the next task when the registers are free.
    pub(super) fn start(&mut self, tables: &mut Tables, registers: &mut RegisterPort, revocations: &mut Revocations) {
        if let Some(Task::Drop(key)) = self.current
            && revocations.done(key)
        {
            self.current = None;
        }
        if self.current.is_some() || !registers.idle() {
            return;
        }
        let Some(task) = self.todo.pop_front() else { return };
        let known = match task {
            Task::Start(key) | Task::Fill(key, _) | Task::Clear(key) | Task::Drop(key) => tables.get(key).copied(),
            Task::Listen => None,
        };
        match (task, known) {
            (Task::Listen, _) => {
                registers.push(Access::Write { offset: registers::COHERENT_STALE, value: 0 });
                self.current = Some(task);
            }
            // The region has gone.
            (_, None) => {}
            (Task::Start(_), Some(r)) => {
                let pages = (r.io.length.0 >> 12) as u32;
                registers.push(Access::Write { offset: registers::COHERENT_PAGES, value: pages });
                command(registers, &r, r.region.iova, START);
                self.current = Some(task);
            }
            (Task::Fill(_, page), Some(r)) => {
                let no_write = if r.io.write { 0 } else { NO_WRITE };
                command(registers, &r, r.region.page_iova(page), TRANSLATE | no_write);
                registers.push(Access::Read { offset: registers::COHERENT_STATUS, value: 0 });
                self.current = Some(task);
            }
            (Task::Clear(key), Some(r)) => {
                for page in (0..r.pages()).map(PageIndex) {
                    if let Some(entry) = tables.entry(key, page) {
                        tables.set_entry(key, page, MttEntry { generation: 0, ..entry });
                    }
                }
            }
            (Task::Drop(key), Some(r)) => {
                let (function, mtt, entries) = (r.region.function, r.region.mtt, ByteCount(r.pages()));
                revocations.push(Command { key, function, mtt, entries, flush: None });
                self.current = Some(task);
            }
        }
    }

    /// A register access has ended.
    pub(super) fn accessed(
        &mut self,
        access: &Access,
        tables: &mut Tables,
        registers: &mut RegisterPort,
    ) -> Option<News> {
        match (*access, self.current) {
            (Access::Write { offset: registers::COHERENT_COMMAND, .. }, Some(Task::Start(_)))
            | (Access::Write { offset: registers::COHERENT_STALE, .. }, Some(Task::Listen)) => self.current = None,
            (Access::Write { offset: registers::COHERENT_COMMAND, value }, Some(Task::Fill(key, page))) => {
                let r = tables.get(key)?;
                let (function, pasid, iova) = (r.region.function, r.region.pasid, r.region.page_iova(page));
                return Some(News::Asked { function, pasid, iova, no_write: value & NO_WRITE != 0 });
            }
            (Access::Read { offset: registers::COHERENT_STATUS, value }, Some(Task::Fill(key, _))) => {
                if value & 1 == 1 {
                    registers.push(Access::Read { offset: registers::COHERENT_STATUS, value: 0 });
                    return None;
                }
                let page_log2 = tables.get(key).map_or(0, |r| r.region.page_size.log2());
                self.whole = value >> 8 & 0x3f >= u32::from(page_log2);
                registers.push(Access::Read { offset: registers::COHERENT_ENTRY_LO, value: 0 });
                registers.push(Access::Read { offset: registers::COHERENT_ENTRY_HI, value: 0 });
            }
            (Access::Read { offset: registers::COHERENT_ENTRY_LO, value }, _) => self.low = value,
            (Access::Read { offset: registers::COHERENT_ENTRY_HI, value }, Some(Task::Fill(key, page))) => {
                self.current = None;
                let word = TableWord(u64::from(value) << 32 | u64::from(self.low));
                return self.answered(key, page, MttEntry::decode(word), tables);
            }
            _ => {}
        }
        None
    }

    fn answered(&mut self, key: Key, page: PageIndex, mut entry: MttEntry, tables: &mut Tables) -> Option<News> {
        let region = *tables.get(key)?;
        let translated = entry.owner == Owner::Gpu && (entry.read || entry.write);
        if translated && entry.generation == 0 {
            self.start_anew(&region, tables);
            return None;
        }
        if translated && !self.whole {
            // The page is in pieces: each is asked for when it is used.
            entry.generation = 0;
        }
        self.filled += 1;
        tables.set_entry(key, page, entry);
        Some(News::Filled { key, page, entry })
    }
}

/// A command about an address of a region.
fn command(registers: &mut RegisterPort, r: &Registered, iova: Iova, what: u32) {
    let PasidPrefix { valid, pasid, privileged, .. } = r.region.pasid;
    for (offset, value) in [
        (registers::COHERENT_FUNCTION, u32::from(r.region.function.0)),
        (registers::COHERENT_PASID, pasid.0 | u32::from(valid) << 20 | u32::from(privileged) << 21),
        (registers::COHERENT_IOVA_LO, iova.0 as u32),
        (registers::COHERENT_IOVA_HI, (iova.0 >> 32) as u32),
        (registers::COHERENT_COMMAND, what | u32::from(r.region.counter)),
    ] {
        registers.push(Access::Write { offset, value });
    }
}
