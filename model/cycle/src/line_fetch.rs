//! Table line fetches in flight, as `mpt` and `mtt` keep them: a few entries, merged by line, sent one at a time.
//!
//! The physical function fetches, for every function. While its bus mastering is off nothing is opened, and what has not been
//! offered fails.

use crate::line_cache::NewLine;
use crate::timeout::Timeouts;
use types::config::Partitions;
use types::port::{FunctionCfg, LineFill, LineRequest};
use types::{FunctionId, Iova, Line, Syndrome};

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    open: bool,
    to_send: bool,
    line: u64,
    partition: usize,
    /// A revocation has started since it was opened: what it brings may be old.
    stale: bool,
    /// It timed out: its tag is kept back until its late completion.
    retired: bool,
}

/// A line that has arrived for an open fetch.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Number of the line in its table.
    pub line: u64,
    /// Which fetch it answers.
    pub fetch: u8,
    /// The line; `None` when the fetch failed or is stale.
    pub data: Option<Line>,
    /// It may be older than a revocation: whoever waits asks again.
    pub stale: bool,
    /// Partition that asked first.
    partition: usize,
}

impl Arrival {
    /// What is to be kept.
    pub fn keep(&self) -> Option<NewLine> {
        let Self { line: key, fetch: user, partition, .. } = *self;
        self.data.map(|line| NewLine { key, line, user, partition })
    }
}

/// The fetches of one block.
#[derive(Clone, Debug)]
pub struct LineFetches {
    entries: Vec<Entry>,
    shares: Partitions,
    timeouts: Timeouts,
    /// Bus mastering of the physical function.
    bus_master: bool,
    /// A fetch that had timed out may be used again.
    freed: bool,
    /// The output register.
    request: LineRequest,
}

impl LineFetches {
    /// Room for `count` fetches.
    pub fn new(count: u32, shares: Partitions) -> Self {
        Self {
            shares,
            entries: vec![Entry::default(); count as usize],
            timeouts: Timeouts::new(count),
            bus_master: false,
            freed: false,
            request: LineRequest::default(),
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
        self.timeouts.reset();
        (self.bus_master, self.freed) = (false, false);
        self.request = LineRequest::default();
    }

    /// The registered output.
    pub fn request(&self) -> LineRequest {
        self.request
    }

    /// The open fetch of a line.
    pub fn find(&self, line: u64) -> Option<u8> {
        self.entries.iter().position(|e| e.open && e.line == line).map(|i| i as u8)
    }

    /// A function's configuration.
    pub fn configure(&mut self, cfg: &FunctionCfg) {
        if cfg.valid && cfg.function == FunctionId(0) {
            self.bus_master = cfg.bus_master;
        }
    }

    /// Opens a fetch for a function, if one may leave and is free and the function's partition has not its share already.
    pub fn open(&mut self, line: u64, function: FunctionId) -> Option<u8> {
        if !self.bus_master {
            return None;
        }
        let partition = self.shares.of(function);
        let free = self.entries.iter().position(|e| !e.open && !e.retired)?;
        let held = self.entries.iter().filter(|e| (e.open || e.retired) && e.partition == partition).count();
        if held >= self.shares.share(self.entries.len() as u32) as usize {
            return None;
        }
        self.entries[free] = Entry { open: true, to_send: true, line, partition, ..Entry::default() };
        Some(free as u8)
    }

    /// What `fill` brings, if it answers an open fetch; else the fetch that times out at this edge, or may not leave, if any.
    /// `limit` as in [`Timeouts::step`].
    pub fn arrival(&mut self, fill: &LineFill, limit: u16) -> Option<Arrival> {
        let outstanding = self.entries.iter().any(|e| e.open || e.retired);
        let over = self.timeouts.step(outstanding, limit);
        if !fill.valid {
            let over = over.filter(|i| self.entries[*i].open && !self.entries[*i].to_send);
            let held = || self.entries.iter().position(|e| e.to_send).filter(|_| !self.bus_master);
            let fetch = over.or_else(held)?;
            let entry = &mut self.entries[fetch];
            (entry.retired, entry.to_send) = (!entry.to_send, false);
            let Entry { line, stale, partition, .. } = *entry;
            return Some(Arrival { line, fetch: fetch as u8, data: None, stale, partition });
        }
        let entry = self.entries.get_mut(usize::from(fill.index))?;
        self.freed |= std::mem::take(&mut entry.retired);
        let entry = Some(&*entry).filter(|e| e.open && !e.to_send)?;
        let data = (fill.ok && !entry.stale).then_some(fill.line);
        let Entry { line, stale, partition, .. } = *entry;
        Some(Arrival { line, fetch: fill.index, data, stale, partition })
    }

    /// A revocation starts: nothing under way may be kept.
    pub fn revoke(&mut self) {
        self.entries.iter_mut().for_each(|e| e.stale = true);
    }

    /// A line has been written: what is under way of it may be older.
    pub fn outdate(&mut self, line: u64) {
        self.entries.iter_mut().filter(|e| e.line == line).for_each(|e| e.stale = true);
    }

    /// Whether the late completion of a fetch has come: whoever waits for any fetch asks again.
    pub fn freed(&mut self) -> bool {
        std::mem::take(&mut self.freed)
    }

    /// Why no fetch can be opened for a function: none may leave, or until a late completion comes, which may be never.
    pub fn refusal(&self, function: FunctionId) -> Option<Syndrome> {
        if !self.bus_master {
            return Some(if function == FunctionId(0) { Syndrome::BUS_MASTER_OFF } else { Syndrome::TABLE_FETCH });
        }
        let partition = self.shares.of(function);
        let retired = self.entries.iter().filter(|e| e.retired && e.partition == partition).count();
        (retired >= self.shares.share(self.entries.len() as u32) as usize).then_some(Syndrome::TABLE_FETCH)
    }

    /// Ends a fetch.
    pub fn close(&mut self, fetch: u8) {
        self.entries[usize::from(fetch)].open = false;
    }

    /// One edge of the output register; `base` is the address of line 0. Returns whether a fetch was started.
    pub fn step(&mut self, ready: bool, base: Iova) -> bool {
        if self.request.valid && !ready {
            return false;
        }
        self.request = LineRequest::default();
        let Some(i) = self.entries.iter().position(|e| e.to_send && self.bus_master) else { return false };
        let entry = &mut self.entries[i];
        entry.to_send = false;
        let address = Iova(base.0.wrapping_add(entry.line << 6));
        self.request = LineRequest { valid: true, index: i as u8, address };
        self.timeouts.start(i);
        true
    }

    /// Whether a fetch is on its way: with a time-out that is a change to come.
    pub fn outstanding(&self) -> bool {
        self.entries.iter().any(|e| e.open || e.retired)
    }

    /// Whether the output register changes at the next edge.
    pub fn busy(&self, ready: bool) -> bool {
        if self.request.valid { ready } else { self.entries.iter().any(|e| e.to_send) }
    }
}
