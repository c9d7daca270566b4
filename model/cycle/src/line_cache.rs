//! The set-associative cache of 64-byte table lines that `mpt` and `mtt` use.
//!
//! Tags, valid bits, lines and replacement state are block RAM: a lookup reads at its edge and gets the old value on a
//! write to the same address; its replacement state is written back three edges later. A fill reads its set when it
//! arrives and writes three edges later; one fill a cycle may arrive. A revocation's range of lines is pending from its
//! edge on, so that reads of it miss, and is swept one set a cycle once fills from before it have been written. After reset one set a cycle is cleared, and
//! everything misses until that is done.
//!
//! Each way has parity bits over its tag and its line, written with them and checked by every read. A way whose parity is
//! wrong never hits: if it was the one wanted, the read misses and the line is fetched again. The fill that follows takes
//! its place, as that of a free way; a sweep that visits it clears it. The model keeps what the check would find.

use crate::replacement::{Policy, SetState};
use types::config::Partitions;
use types::{Line, Replacement};

/// Edges between a read and the write that follows from it.
const WRITE_LATENCY: usize = 3;
/// Edges that a sweep waits first, for fills under way, and last, for its own writes.
const SETTLE: u32 = 4;

/// A revocation's sweep.
#[derive(Clone, Copy, Debug)]
struct Sweep {
    first: u64,
    count: u64,
    step: u32,
}

impl Sweep {
    fn covers(&self, key: u64) -> bool {
        key.wrapping_sub(self.first) < self.count
    }
}

/// A lookup's read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read {
    /// The line, when it is there.
    pub line: Option<Line>,
    /// A way of the set has wrong parity.
    pub bad_parity: bool,
    way: u32,
    state: SetState,
}

#[derive(Clone, Copy, Debug, Default)]
struct Fill {
    valid: bool,
    key: u64,
    line: Line,
    way: u32,
    /// Write a wrong parity bit.
    flip: bool,
    state: SetState,
    user: u8,
}

/// A line to keep.
#[derive(Clone, Copy, Debug)]
pub struct NewLine {
    /// Its number.
    pub key: u64,
    /// The line.
    pub line: Line,
    /// Comes back when it has been written.
    pub user: u8,
    /// Partition in whose ways it is kept.
    pub partition: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tag {
    valid: bool,
    key: u64,
    /// The parity of the tag or of the line is wrong.
    bad_parity: bool,
}

impl Tag {
    fn names(&self, key: u64) -> bool {
        self.valid && !self.bad_parity && self.key == key
    }
}

/// The cache.
#[derive(Clone, Debug)]
pub struct LineCache {
    sets: usize,
    ways: usize,
    tags: Vec<Tag>,
    lines: Vec<Line>,
    states: Vec<SetState>,
    policy: Policy,
    shares: Partitions,
    fills: [Fill; WRITE_LATENCY],
    clearing: usize,
    sweep: Option<Sweep>,
    /// Lines of a key that has been registered anew: the same, when no revocation sweeps.
    renewal: Option<Sweep>,
    /// A renewal's sweep ended at the last edge.
    renewed: bool,
}

impl LineCache {
    /// A cache of `lines` lines in `ways` ways; both powers of two.
    pub fn new(lines: u32, ways: u32, shares: Partitions) -> Self {
        let (sets, ways) = ((lines / ways) as usize, ways as usize);
        Self {
            sets,
            ways,
            tags: vec![Tag::default(); sets * ways],
            lines: vec![Line::default(); sets * ways],
            states: vec![SetState::default(); sets],
            policy: Policy::new(Replacement::Lru, ways as u32),
            shares,
            fills: [Fill::default(); WRITE_LATENCY],
            clearing: 0,
            sweep: None,
            renewal: None,
            renewed: false,
        }
    }

    /// Starts to clear, as reset does.
    pub fn reset(&mut self) {
        self.clearing = 0;
        (self.sweep, self.renewal, self.renewed) = (None, None, false);
        self.fills = [Fill::default(); WRITE_LATENCY];
    }

    /// Whether every set has been cleared since reset.
    pub fn cleared(&self) -> bool {
        self.clearing == self.sets
    }

    /// Whether a fill is on its way or sets are still being cleared.
    pub fn busy(&self) -> bool {
        !self.cleared() || self.sweep.is_some() || self.renewal.is_some() || self.fills.iter().any(|f| f.valid)
    }

    fn set_of(&self, key: u64) -> usize {
        key as usize & (self.sets - 1)
    }

    /// Lines `first` to `first + count` go; one revocation at a time.
    pub fn revoke(&mut self, first: u64, count: u64) {
        self.sweep = Some(Sweep { first, count, step: 0 });
    }

    /// The same for lines of a key that has been registered; one registration at a time.
    pub fn renew(&mut self, first: u64, count: u64) {
        self.renewal = Some(Sweep { first, count, step: 0 });
    }

    /// Whether the sweep of a registration ended at the last edge.
    pub fn renewed(&self) -> bool {
        self.renewed
    }

    /// Whether a fill of a line is on its way.
    pub fn filling(&self, key: u64) -> bool {
        self.fills.iter().any(|f| f.valid && f.key == key)
    }

    /// One edge of the sweep; returns whether a revocation's ended. A registration's goes on when there is none.
    fn sweep(&mut self) -> bool {
        self.renewed = false;
        let revoking = self.sweep.is_some();
        let Some(sweep) = (if revoking { &mut self.sweep } else { &mut self.renewal }) else { return false };
        let sets = sweep.count.min(self.sets as u64) as u32;
        let set = sweep.step.checked_sub(SETTLE).filter(|n| *n < sets);
        let ended = sweep.step >= sets + 2 * SETTLE;
        sweep.step += 1;
        let sweep = *sweep;
        if let Some(n) = set {
            let set = self.set_of(sweep.first.wrapping_add(u64::from(n)));
            for tag in &mut self.tags[set * self.ways..(set + 1) * self.ways] {
                // A wrong tag names nothing.
                tag.valid &= !(tag.bad_parity || sweep.covers(tag.key));
            }
        }
        match (ended, revoking) {
            (true, true) => self.sweep = None,
            (true, false) => (self.renewal, self.renewed) = (None, true),
            _ => {}
        }
        ended && revoking
    }

    /// Reads the set of `key`.
    pub fn read(&self, key: u64) -> Read {
        let set = self.set_of(key);
        let row = &self.tags[set * self.ways..(set + 1) * self.ways];
        let way = row
            .iter()
            .position(|tag| tag.names(key))
            .filter(|_| self.cleared() && ![self.sweep, self.renewal].iter().flatten().any(|s| s.covers(key)));
        Read {
            line: way.map(|way| self.lines[set * self.ways + way]),
            bad_parity: row.iter().any(|tag| tag.valid && tag.bad_parity),
            way: way.unwrap_or(0) as u32,
            state: self.states[set],
        }
    }

    /// Writes back the replacement state of a read that hit.
    pub fn touch(&mut self, key: u64, read: &Read) {
        let set = self.set_of(key);
        self.states[set] = self.policy.touch(read.state, read.way, false);
    }

    /// One edge: writes the fill that is due and takes a new one; returns the `user` of the fill just written, and whether
    /// a sweep ended. With `flip` the new fill is written with a wrong parity bit.
    pub fn step(&mut self, fill: Option<NewLine>, flip: bool) -> (Option<u8>, bool) {
        let swept = self.sweep();
        (self.step_fill(fill, flip), swept)
    }

    fn step_fill(&mut self, fill: Option<NewLine>, flip: bool) -> Option<u8> {
        if self.clearing < self.sets {
            let set = self.clearing;
            self.tags[set * self.ways..(set + 1) * self.ways].fill(Tag::default());
            self.states[set] = self.policy.cleared();
            self.clearing += 1;
        }
        let due = self.fills[WRITE_LATENCY - 1];
        self.fills.copy_within(0..WRITE_LATENCY - 1, 1);
        self.fills[0] = Fill::default();
        if let Some(NewLine { key, line, user, partition }) = fill {
            let set = self.set_of(key);
            let row = &self.tags[set * self.ways..(set + 1) * self.ways];
            let state = self.states[set];
            let (first, count) = self.shares.part(partition, self.ways as u32);
            let way = row
                .iter()
                .position(|tag| tag.names(key))
                .or_else(|| {
                    let free = |way: &usize| !row[*way].valid || row[*way].bad_parity;
                    (first as usize..(first + count) as usize).find(free)
                })
                .unwrap_or(self.policy.victim_among(state, first, count) as usize);
            self.fills[0] = Fill { valid: true, key, line, way: way as u32, flip, state, user };
        }
        if !due.valid {
            return None;
        }
        let set = self.set_of(due.key);
        let at = set * self.ways + due.way as usize;
        self.tags[at] = Tag { valid: true, key: due.key, bad_parity: due.flip };
        self.lines[at] = due.line;
        self.states[set] = self.policy.touch(due.state, due.way, true);
        Some(due.user)
    }
}
