//! Invalidations: a queue that never refuses, and an engine that works on one at a time.
//!
//! An Invalidate Request is accepted into a queue with a place for every one a function may have outstanding (32), so
//! that accepting never depends on sending (PCIe 6.x 10.3.4). The engine offers it to `atc`, which from the edge that
//! takes it blocks new use of the range and advances the epoch; waits for the sweep and until `dma` has no TLP in flight
//! that was committed under an older epoch; then answers. The answer is a posted message behind every write committed
//! before (10.3.3). Finished ITags of one agent and function that wait for the message stream go in one completion.
//!
//! ATS Enable 0→1 and function-level reset pass through the same engine, whole function and without an answer.

use std::collections::VecDeque;
use types::ats::InvalidateRange;
use types::port::{AtcInvalidate, MessageTlp, TlpDescriptor};
use types::tlp::{Body, Tlp, TlpOp, message_code};
use types::{AddressType, FunctionId, RequesterId, TlpAddr};

/// Invalidate Requests a function may have outstanding (10.3.5).
const QUEUE: u32 = 32;
/// Cycles from the edge that advances the epoch until `dma` has seen it and its `drained` has come back.
const EPOCH_ROUND_TRIP: u8 = 4;

/// Who waits for the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answer {
    function: FunctionId,
    agent: RequesterId,
    itags: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Item {
    invalidate: AtcInvalidate,
    /// `None` for what the function's configuration asks for.
    answer: Option<Answer>,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Idle,
    /// Offered to `atc`.
    Offered,
    /// Taken by `atc`; `swept` once its sweep is over.
    Working { swept: bool, wait: u8 },
}

/// What happened at an edge.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Events {
    /// `atc` took this invalidation: requests in flight must be compared with it.
    pub(super) taken: Option<AtcInvalidate>,
    /// An Invalidate Request was accepted.
    pub(super) accepted: bool,
    /// A message was dropped.
    pub(super) dropped: bool,
    /// ITags that were answered.
    pub(super) answered: bool,
}

/// Inputs of the engine at an edge.
pub(super) struct Inputs<'a> {
    pub(super) message: &'a MessageTlp,
    pub(super) answer_ready: bool,
    pub(super) invalidate_ready: bool,
    pub(super) invalidate_done: bool,
    pub(super) drained: bool,
    /// No fill is on its way into `atc`: one taken after an invalidation must not be older than it.
    pub(super) fills_quiet: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Invalidations {
    queue: VecDeque<Item>,
    current: Item,
    state: State,
    finished: Option<Answer>,
    answer: TlpDescriptor,
    epoch: u8,
}

impl Invalidations {
    pub(super) fn new(functions: u32) -> Self {
        // Every function's requests, and a reset and an Enable of each.
        let places = (functions * (QUEUE + 2)) as usize;
        Self {
            queue: VecDeque::with_capacity(places),
            current: Item::default(),
            state: State::Idle,
            finished: None,
            answer: TlpDescriptor::default(),
            epoch: 0,
        }
    }

    pub(super) fn reset(&mut self) {
        self.queue.clear();
        self.state = State::Idle;
        self.finished = None;
        self.answer = TlpDescriptor::default();
        self.epoch = 0;
    }

    pub(super) fn epoch(&self) -> u8 {
        self.epoch
    }

    pub(super) fn answer(&self) -> TlpDescriptor {
        self.answer
    }

    /// What `atc` is offered.
    pub(super) fn offer(&self) -> AtcInvalidate {
        if matches!(self.state, State::Offered) { self.current.invalidate } else { AtcInvalidate::default() }
    }

    /// Whether an invalidation is being offered: no fill may be offered beside it.
    pub(super) fn offering(&self) -> bool {
        matches!(self.state, State::Offered)
    }

    pub(super) fn idle(&self) -> bool {
        matches!(self.state, State::Idle) && self.queue.is_empty() && self.finished.is_none() && !self.answer.valid
    }

    /// Every entry of a function goes: ATS Enable 0→1, function-level reset.
    pub(super) fn flush(&mut self, function: FunctionId) {
        let invalidate = AtcInvalidate { valid: true, function, all: true, size_log2: 63, ..AtcInvalidate::default() };
        self.queue.push_back(Item { invalidate, answer: None });
    }

    /// Queues an Invalidate Request for a function whose requester ID `functions` knows.
    fn accept(&mut self, message: &MessageTlp, functions: impl Fn(RequesterId) -> Option<FunctionId>) -> bool {
        let Ok(Tlp { body: Body::Message { requester, tag, code, dw2, .. }, .. }) =
            Tlp::parse(message.hdr, message.pasid)
        else {
            return false;
        };
        let target = RequesterId((dw2 >> 16) as u16);
        let Some(function) = functions(target).filter(|_| code == message_code::INVALIDATE_REQUEST) else {
            return false;
        };
        // An undefined size is taken for every address: more than was asked for, never less.
        let range = InvalidateRange::decode(message.data.to_le_bytes());
        let size = range.and_then(|r| r.size);
        let whole = size.is_none();
        let invalidate = AtcInvalidate {
            valid: true,
            function,
            pasid: message.pasid,
            global: range.is_some_and(|r| r.global),
            all: whole && !message.pasid.valid,
            iova: range.map(|r| r.iova).unwrap_or_default(),
            size_log2: size.map_or(63, |s| s.log2()),
        };
        let answer = Some(Answer { function, agent: requester, itags: 1 << (tag.0 & 31) });
        self.queue.push_back(Item { invalidate, answer });
        true
    }

    pub(super) fn step(&mut self, inp: &Inputs<'_>, functions: impl Fn(RequesterId) -> Option<FunctionId>) -> Events {
        let mut events = Events::default();
        self.send(inp.answer_ready, &mut events);
        self.state = match self.state {
            State::Idle => match self.queue.front() {
                Some(item) if inp.fills_quiet => {
                    self.current = *item;
                    self.queue.pop_front();
                    State::Offered
                }
                _ => State::Idle,
            },
            State::Offered if inp.invalidate_ready => {
                events.taken = Some(self.current.invalidate);
                self.epoch = (self.epoch + 1) & 15;
                State::Working { swept: false, wait: EPOCH_ROUND_TRIP }
            }
            State::Offered => State::Offered,
            State::Working { swept, wait } => {
                let swept = swept || inp.invalidate_done;
                if swept && wait == 0 && inp.drained && self.finish() {
                    State::Idle
                } else {
                    State::Working { swept, wait: wait.saturating_sub(1) }
                }
            }
        };
        if inp.message.valid {
            events.accepted = self.accept(inp.message, functions);
            events.dropped = !events.accepted;
        }
        events
    }

    /// Adds the current ITag to the answer that waits, if it may share its completion.
    fn finish(&mut self) -> bool {
        let Some(answer) = self.current.answer else { return true };
        match &mut self.finished {
            None => self.finished = Some(answer),
            Some(waiting) if waiting.function == answer.function && waiting.agent == answer.agent => {
                waiting.itags |= answer.itags;
            }
            Some(_) => return false,
        }
        true
    }

    fn send(&mut self, ready: bool, events: &mut Events) {
        if self.answer.valid && !ready {
            return;
        }
        self.answer = TlpDescriptor::default();
        let Some(answer) = self.finished.take() else { return };
        events.answered = true;
        // Writes leave in TC0 alone, so there is one copy.
        let completion_count = 1u64;
        self.answer = TlpDescriptor {
            valid: true,
            op: TlpOp::MESSAGE_BY_ID,
            function: answer.function,
            at: AddressType::UNTRANSLATED,
            address: TlpAddr(u64::from(answer.agent.0) << 48 | completion_count << 32 | u64::from(answer.itags)),
            first_be: message_code::INVALIDATE_COMPLETION & 15,
            last_be: message_code::INVALIDATE_COMPLETION >> 4,
            ..TlpDescriptor::default()
        };
    }
}
