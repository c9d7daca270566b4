//! Open work requests, and the ways in which the TLPs seen can be attributed to them.
//!
//! A data TLP carries no request's name. It belongs to the next owed bytes of some open request; where several fit, every
//! attribution is followed as one [`State`], and later events decide between them.

use crate::versions::Serial;
use crate::violation::{Name, Violation};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use types::port::WorkRequest;
use types::{Op, StreamId, WrId};

/// A work request between its acceptance and its completion.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) wr: WorkRequest,
    /// When it was accepted; also its number.
    pub(crate) accepted: Serial,
    /// When the oldest request then open was accepted: an answer that has come for that one may serve this one too.
    pub(crate) since: Serial,
    /// Message bytes handed over, by their offset.
    data: BTreeMap<u32, Vec<u8>>,
    /// Read data delivered, up to this offset.
    pub(crate) delivered: u32,
    /// It changes a key instead of accessing memory.
    pub(crate) registers: bool,
}

impl Open {
    /// What is remembered of a request that has ended.
    pub(crate) fn remembered(open: &Self) -> Self {
        Self { data: BTreeMap::new(), delivered: 0, ..*open }
    }

    /// The zero-length read of its byte at `offset`.
    pub(crate) fn read_of_nothing(&self, offset: u32) -> Self {
        let mut read = Self::remembered(self);
        read.wr.op = Op::READ;
        read.wr.va.0 = read.wr.va.0.wrapping_add(u64::from(offset));
        read.wr.length.0 = 0;
        read
    }

    pub(crate) fn name(&self) -> Name {
        Name { stream: self.wr.stream, id: self.wr.id }
    }

    /// Compares bytes with the message from `offset` on; `None` if some of them have not been handed over.
    pub(crate) fn same_data(&self, mut offset: u32, mut bytes: &[u8]) -> Option<bool> {
        while !bytes.is_empty() {
            let (start, chunk) = self.data.range(..=offset).next_back()?;
            let rest = chunk.get((offset - start) as usize..).filter(|rest| !rest.is_empty())?;
            let n = rest.len().min(bytes.len());
            if rest[..n] != bytes[..n] {
                return Some(false);
            }
            (offset, bytes) = (offset + n as u32, &bytes[n..]);
        }
        Some(true)
    }
}

/// How far one request has come in one attribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Progress {
    /// Bytes written or asked for so far: the offset of the next owed byte.
    pub(crate) sent: u32,
    /// It must have ended in an error, for a later request of its stream has gone on.
    pub(crate) ended: bool,
}

/// One attribution of the TLPs seen: the progress of every open request.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct State(BTreeMap<Serial, Progress>);

impl State {
    pub(crate) fn of(&self, number: Serial) -> Progress {
        self.0.get(&number).copied().unwrap_or_default()
    }

    /// The state after a TLP of `length` bytes for `number`, in which the `failed` requests have ended.
    fn advance(&mut self, number: Serial, length: u32, failed: &[Serial]) {
        self.0.entry(number).or_default().sent += length;
        failed.iter().for_each(|f| self.0.entry(*f).or_default().ended = true);
    }
}

/// One way to attribute a TLP.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// Index of the state it starts from.
    pub(crate) state: usize,
    /// Request that the TLP belongs to.
    pub(crate) number: Serial,
    /// Earlier requests of the stream that must have failed.
    pub(crate) failed: Vec<Serial>,
}

/// States followed at a time. Aliases multiply only while requests with the same bytes at the same address are open at
/// once; beyond this the judge says so and does not guess.
const STATES: usize = 4096;

/// Ended requests that are remembered.
const ENDED: usize = 64;

/// The open requests and the attributions.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    pub(crate) open: BTreeMap<Serial, Open>,
    names: BTreeMap<Name, Serial>,
    /// Requests whose function was reset: they may still be reported, in any way, and owe nothing.
    orphans: BTreeSet<Name>,
    /// Requests that have ended last: what was asked for them may still be on its way out.
    pub(crate) ended: VecDeque<Open>,
    pub(crate) states: Vec<State>,
}

impl Default for Requests {
    fn default() -> Self {
        Self {
            open: BTreeMap::new(),
            names: BTreeMap::new(),
            orphans: BTreeSet::new(),
            ended: VecDeque::new(),
            states: vec![State::default()],
        }
    }
}

impl Requests {
    pub(crate) fn accept(&mut self, wr: &WorkRequest, registers: bool, now: Serial) -> Result<(), Violation> {
        let since = self.open.keys().next().copied().unwrap_or(now);
        let mut open = Open { wr: *wr, accepted: now, since, data: BTreeMap::new(), delivered: 0, registers };
        if registers {
            // It has no message.
            open.wr.length.0 = 0;
        }
        let request = open.name();
        if self.names.contains_key(&request) || self.orphans.contains(&request) {
            return Err(Violation::NameInUse { request });
        }
        self.names.insert(request, now);
        self.open.insert(now, open);
        Ok(())
    }

    /// The function of a request was reset.
    pub(crate) fn orphan(&mut self, number: Serial) {
        if let Some(open) = self.open.get(&number) {
            self.orphans.insert(open.name());
        }
    }

    /// Whether a request's function was reset.
    pub(crate) fn is_orphan(&self, stream: StreamId, id: WrId) -> bool {
        self.orphans.contains(&Name { stream, id })
    }

    /// A request whose function was reset has been reported.
    pub(crate) fn bury(&mut self, stream: StreamId, id: WrId) -> bool {
        self.orphans.remove(&Name { stream, id })
    }

    /// The open request of a name.
    pub(crate) fn number(&self, stream: StreamId, id: WrId, what: &'static str) -> Result<Serial, Violation> {
        let request = Name { stream, id };
        self.names.get(&request).copied().ok_or(Violation::NotOpen { request, what })
    }

    /// When the oldest open request was accepted, or now.
    pub(crate) fn oldest(&self, now: Serial) -> Serial {
        self.open.values().map(|o| o.since).min().unwrap_or(now)
    }

    /// Message bytes were handed over.
    pub(crate) fn give(&mut self, number: Serial, offset: u32, bytes: &[u8]) {
        if let Some(open) = self.open.get_mut(&number)
            && !bytes.is_empty()
        {
            open.data.insert(offset, bytes.to_vec());
        }
    }

    /// Bytes that every attribution has sent.
    pub(crate) fn least_sent(&self, number: Serial) -> u32 {
        self.states.iter().map(|s| s.of(number).sent).min().unwrap_or(0)
    }

    /// Follows every move of `length` bytes; states without a move are refuted. `moves` is not empty.
    pub(crate) fn follow(&mut self, moves: &[Move], length: u32) -> Result<(), Violation> {
        if let ([m], [state]) = (moves, &mut self.states[..]) {
            state.advance(m.number, length, &m.failed);
        } else {
            let step = |m: &Move| {
                let mut state = self.states[m.state].clone();
                state.advance(m.number, length, &m.failed);
                state
            };
            self.states = moves.iter().map(step).collect();
            self.merge();
            if self.states.len() > STATES {
                return Err(Violation::TooAmbiguous { states: self.states.len() });
            }
        }
        for m in moves {
            self.forget_sent(m.number);
        }
        Ok(())
    }

    fn merge(&mut self) {
        self.states.sort_unstable();
        self.states.dedup();
    }

    /// Drops message bytes that no attribution needs any more.
    fn forget_sent(&mut self, number: Serial) {
        let sent = self.least_sent(number);
        if let Some(open) = self.open.get_mut(&number) {
            while let Some(first) = open.data.first_entry()
                && u64::from(*first.key()) + first.get().len() as u64 <= u64::from(sent)
            {
                first.remove();
            }
        }
    }

    /// Keeps the states that satisfy `test`; false, and nothing is changed, if there is none.
    pub(crate) fn keep(&mut self, test: impl Fn(&State) -> bool) -> bool {
        if !self.states.iter().any(&test) {
            return false;
        }
        self.states.retain(test);
        true
    }

    /// An earlier open request of the same stream and kind: writes are posted, registrations access nothing, everything
    /// else is not posted.
    pub(crate) fn earlier(&self, number: Serial) -> Option<Name> {
        let open = self.open.get(&number)?;
        let kind = |o: &Open| (o.wr.op == Op::WRITE, o.wr.op.registers() && o.registers);
        let same = |o: &&Open| o.wr.stream == open.wr.stream && kind(o) == kind(open);
        self.open.range(..number).map(|(_, o)| o).find(same).map(Open::name)
    }

    /// A request has ended, or was reset.
    pub(crate) fn remove(&mut self, number: Serial) {
        if let Some(open) = self.open.remove(&number) {
            self.names.remove(&open.name());
            self.ended.push_back(Open::remembered(&open));
            if self.ended.len() > ENDED {
                self.ended.pop_front();
            }
        }
        for state in &mut self.states {
            state.0.remove(&number);
        }
        self.merge();
    }
}
