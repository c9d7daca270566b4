//! The tags of data reads.
//!
//! Free tags are a queue of returned ones behind a counter of tags never used, so that reset needs no sweep and a tag is
//! used again as late as possible. Only tags that fit the unit's tag width are handed out; a change of the width waits
//! until no tag is in flight.

use std::collections::VecDeque;
use types::UnitCfg;

/// Tags of the data range, numbered from 0.
#[derive(Clone, Debug)]
pub(super) struct TagPool {
    /// Number of the first one, and how many there are, in each tag width.
    ranges: [(u16, u16); 3],
    /// Tag width in force, and the one asked for.
    mode: u8,
    pub(super) wanted: u8,
    fresh: u16,
    pub(super) returned: VecDeque<u16>,
}

impl TagPool {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        Self {
            ranges: [0, 1, 2].map(|mode| {
                let map = cfg.tags_in(mode);
                (map.data as u16, (map.end - map.data) as u16)
            }),
            mode: 0,
            wanted: 0,
            fresh: 0,
            returned: VecDeque::with_capacity(cfg.read_tags as usize),
        }
    }
    /// Number of tag 0, and the tags that fit the tag width.
    pub(super) fn range(&self) -> (u16, u16) {
        self.ranges[usize::from(self.mode.min(2))]
    }
    /// Takes over a new tag width once every tag is back.
    pub(super) fn settle(&mut self) -> bool {
        if self.mode != self.wanted && usize::from(self.fresh) == self.returned.len() {
            self.mode = self.wanted;
            self.fresh = 0;
            self.returned.clear();
        }
        self.mode == self.wanted
    }
    pub(super) fn available(&self) -> bool {
        !self.returned.is_empty() || self.fresh < self.range().1
    }
    /// A free tag; call only when one is available.
    pub(super) fn take(&mut self) -> u16 {
        self.returned.pop_front().unwrap_or_else(|| {
            self.fresh += 1;
            self.fresh - 1
        })
    }
}
