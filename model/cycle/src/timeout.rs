//! Completion time-outs: a stamp a tag, compared one tag a cycle.
//!
//! Time is counted in ticks of 1024 cycles while anything is outstanding, and starts again at 0 when nothing is, so that
//! a block at rest does not change. A read ends with a time-out between `limit` and `limit + 1` ticks after it was sent,
//! and up to one cycle a tag later. Its tag is *retired*: not used again before its late completion or a reset.

/// Cycles in a tick.
pub const TICK: u32 = 1024;

/// Stamps of one block's tags.
#[derive(Clone, Debug)]
pub struct Timeouts {
    cycles: u32,
    stamps: Vec<u16>,
    sweep: usize,
}

impl Timeouts {
    /// For `tags` tags.
    pub fn new(tags: u32) -> Self {
        Self { cycles: 0, stamps: vec![0; tags as usize], sweep: 0 }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        (self.cycles, self.sweep) = (0, 0);
    }

    fn now(&self) -> u16 {
        (self.cycles / TICK) as u16
    }

    /// A tag was sent.
    pub fn start(&mut self, tag: usize) {
        self.stamps[tag] = self.now();
    }

    /// One edge; returns the tag whose turn it is if it is over its limit. `limit` is in ticks, 0 for never. The caller
    /// knows whether the tag is in use.
    pub fn step(&mut self, outstanding: bool, limit: u16) -> Option<usize> {
        if !outstanding {
            self.reset();
            return None;
        }
        // Wraps after 65 536 ticks; a limit is below that.
        self.cycles = self.cycles.wrapping_add(1) & ((1 << 26) - 1);
        let tag = self.sweep;
        self.sweep = if tag + 1 == self.stamps.len() { 0 } else { tag + 1 };
        let over = limit != 0 && self.now().wrapping_sub(self.stamps[tag]) > limit;
        over.then_some(tag)
    }
}
