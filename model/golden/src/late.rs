//! What a function had committed before its configuration took something away.
//!
//! A request is used from its commit on: when it is handed whole to the transmitter, with what it needs to leave. It leaves
//! the unit a little later, or much later where there are no credits. So after Bus Master Enable or ATS Enable has been
//! cleared, after Enable 0 → 1 and after a function-level reset, the first few TLPs of the function may be such. How many
//! there can be is told to the judge ([`Judge::with_committed`]); without, there are none. They must have been allowed
//! before the change; after a reset that is asked of the judge as it was before, since nothing of its requests is left.

use crate::strays::Strays;
use crate::versions::Serial;
use crate::{Judge, Violation};
use std::collections::BTreeMap;
use types::tlp::Body;
use types::{AddressType, Event, FunctionId, Tlp};

/// TLPs of each class that may still leave.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    posted: u32,
    non_posted: u32,
}

#[derive(Clone, Debug)]
struct Window {
    since: Serial,
    room: Room,
    /// The judge as it was before a reset.
    before: Option<Box<Judge>>,
}

/// The functions for which something may still be under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Late {
    limit: Room,
    windows: BTreeMap<FunctionId, Window>,
}

impl Late {
    pub(crate) fn limited(posted: u32, non_posted: u32) -> Self {
        Self { limit: Room { posted, non_posted }, windows: BTreeMap::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.windows.clear();
    }

    /// Something is taken away from a function; `before` is the judge before a reset.
    pub(crate) fn open(&mut self, function: FunctionId, since: Serial, before: Option<Box<Judge>>) {
        if self.limit.posted + self.limit.non_posted == 0 {
            return;
        }
        let room = self.limit;
        let window = self.windows.entry(function).or_insert(Window { since, room, before: None });
        (window.since, window.room) = (since, room);
        if before.is_some() {
            window.before = before;
        }
    }

    /// Message bytes of a request from before a reset, taken at the edge of the reset itself.
    pub(crate) fn give(&mut self, event: &Event<'_>) {
        if let Event::WriteData { .. } = event {
            for judge in self.windows.values_mut().filter_map(|w| w.before.as_mut()) {
                // What another function's judge does not know changes nothing there.
                let _ = judge.observe(event);
            }
        }
    }

    /// Whether anything is remembered about a change: nothing is, where nothing can be late.
    pub(crate) fn remembers(&self) -> bool {
        self.limit.posted + self.limit.non_posted > 0
    }

    fn may_be(&self, function: FunctionId, posted: bool) -> bool {
        let left = |w: &Window| if posted { w.room.posted } else { w.room.non_posted };
        self.windows.get(&function).is_some_and(|w| left(w) > 0)
    }

    /// A TLP of a function has left: those committed earlier leave earlier.
    fn count(&mut self, function: FunctionId, posted: bool) {
        if let Some(w) = self.windows.get_mut(&function) {
            let left = if posted { &mut w.room.posted } else { &mut w.room.non_posted };
            *left = left.saturating_sub(1);
            if w.room.posted + w.room.non_posted == 0 {
                self.windows.remove(&function);
            }
        }
    }
}

impl Judge {
    /// The same for a unit that commits requests before they leave: at most so many posted and non-posted TLPs of a
    /// function may be committed at a time.
    pub fn with_committed(self, posted: u32, non_posted: u32) -> Self {
        let strays = Strays::limited(non_posted);
        Self { late: Late::limited(posted, non_posted), strays, ..self }
    }

    /// Whether a TLP of a function may have been committed before the last change: one of its requests is as old,
    /// unless it is nobody's.
    pub(crate) fn may_be_late(&self, function: FunctionId, posted: bool, nobodys: bool) -> bool {
        let since = self.late.windows.get(&function).map_or(0, |w| w.since);
        let mut older = self.requests.open.range(..since);
        self.late.may_be(function, posted) && (nobodys || older.any(|(_, open)| open.wr.function == function))
    }

    /// A TLP left the unit: by what is in force, or as one committed before a reset.
    pub(crate) fn sent(&mut self, tlp: &Tlp, payload: &[u8]) -> Result<(), Violation> {
        let Body::Memory { op, at, requester, .. } = tlp.body else { return self.outbound(tlp, payload) };
        let asks = at == AddressType::TRANSLATION_REQUEST;
        let Some(function) = self.functions.of(requester).map(|c| c.function) else {
            return self.outbound(tlp, payload);
        };
        let mut before = None;
        if self.late.may_be(function, op.posted()) {
            before = self.late.windows.get_mut(&function).and_then(|w| w.before.take());
        }
        let outcome = match &mut before {
            // A judge that has refused something is of no use any more, so the one from before is asked first.
            Some(judge) => {
                let mut tried = judge.clone();
                if tried.observe(&Event::TlpOut { tlp, payload }).is_ok() {
                    *judge = tried;
                    // A Translation Request may as well be one of after the reset: then its answer counts now.
                    let mut now = self.clone();
                    if asks && now.outbound(tlp, payload).is_ok() {
                        *self = now;
                    }
                    Ok(())
                } else {
                    self.outbound(tlp, payload)
                }
            }
            None => self.outbound(tlp, payload),
        };
        if let Some(w) = self.late.windows.get_mut(&function) {
            w.before = before;
        }
        self.late.count(function, op.posted());
        outcome
    }
}
