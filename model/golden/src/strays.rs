//! Completions that nothing under way has asked for, and the reads that may have met one.
//!
//! A completer that answers more than it was asked goes on under a tag that is free again. A read is committed some time
//! before it leaves, and from then on the unit counts what comes under its tag as its own. So a read that leaves soon after
//! such a completion may have met it: then the unit takes it for answered, in any way, and with any bytes, as any requester
//! would that has the read on its way. Its tag is free for the unit earlier than what is seen here says, and what really
//! answers it comes for nothing under way, or for the next read.
//!
//! How many TLPs can have been committed is told to the judge ([`crate::Judge::with_committed`]); without, there are none.

use std::collections::BTreeMap;
use types::{RequesterId, Tag};

/// Completions of the last few TLPs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strays {
    limit: u32,
    /// Non-posted TLPs of the requester that may still leave having met it.
    seen: BTreeMap<(RequesterId, Tag), u32>,
}

impl Strays {
    pub(crate) fn limited(non_posted: u32) -> Self {
        Self { limit: non_posted, seen: BTreeMap::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.seen.clear();
    }

    /// One has come.
    pub(crate) fn came(&mut self, requester: RequesterId, tag: Tag) {
        if self.limit > 0 {
            self.seen.insert((requester, tag), self.limit);
        }
    }

    /// A non-posted TLP leaves: whether it may have met one.
    pub(crate) fn leaves(&mut self, requester: RequesterId, tag: Tag) -> bool {
        let met = self.seen.remove(&(requester, tag)).is_some();
        self.seen.retain(|(of, _), left| {
            *left -= u32::from(*of == requester);
            *left > 0
        });
        met
    }
}
