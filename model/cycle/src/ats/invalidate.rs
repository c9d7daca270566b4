//! Invalidations: a queue that never refuses, and an engine that works on one at a time.
//!
//! An Invalidate Request is accepted into a queue with a place for every one a function may have outstanding (32), so
//! that accepting never depends on sending (PCIe 6.x 10.3.4). The engine offers it to `atc`, which from the edge that
//! takes it blocks new use of the range and begins an epoch of its function; waits for the sweep and until `dma` has no TLP in flight
//! that was committed under an older epoch; then answers. The answer is a posted message behind every write committed
//! before (10.3.3). Finished ITags of one agent and function that wait for the message stream go in one completion.
//!
//! ATS Enable 0→1 and function-level reset pass through the same engine, whole function and without an answer.
//!
//! A function that invalidates without pause may not keep an access that is judged again from its commit for ever: while
//! one is judged, or stands before its commit, the next invalidation is put off, by 4096 and 256 cycles at most.
//!
//! Where the configuration says so, two of one function begin a number of cycles apart at least; those of others go first.
//!
//! A driver revocation does too: `mpt` and `mtt` drop their lines, a grant epoch begins one cycle after they have
//! been told (so that nothing carries the new epoch with an old line), the old epoch drains, and the driver is told. For
//! GPU memory "sent" is not enough, since a peer write may still sit in a switch: once every older write has left, a
//! zero-length read on the same path (AT = 10, same function, no relaxed ordering) returns before the report.

use std::collections::VecDeque;
use types::ats::InvalidateRange;
use types::port::{AtcInvalidate, EpochNote, MessageTlp, Revocation, RevokeLines, TlpDescriptor};
use types::tlp::{Body, Tlp, TlpOp, message_code};
use types::{AddressType, FunctionId, RequesterId, TlpAddr, UnitCfg};

/// Invalidate Requests a function may have outstanding (10.3.5).
const QUEUE: u32 = 32;
/// Cycles from the edge that begins an epoch until `dma` has seen it and its `drained` has come back.
const EPOCH_ROUND_TRIP: u8 = 4;

/// Cycles for which an invalidation or a revocation is put off at most while an access is judged again: more than a
/// Translation Request takes.
const JUDGING: u16 = 4096;
/// The same while an access that has been judged again stands before its commit: more than a TLP's bytes take.
const RENEWED: u16 = 256;

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
    /// A driver command; nothing above counts.
    command: bool,
    /// With `command`: what a registration takes away.
    registration: bool,
}

impl Item {
    /// Whether the function's configuration asks for it.
    fn implicit(&self) -> bool {
        !self.command && self.answer.is_none()
    }
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Idle,
    /// Offered to `atc`.
    Offered,
    /// Taken by `atc`; `swept` once its sweep is over.
    Working { swept: bool, wait: u8 },
    /// `mpt` and `mtt` have been told; the grant epoch begins at this edge.
    Told,
    /// Both sweep.
    Revoking { mpt: bool, mtt: bool, wait: u8 },
    /// Older writes leave, then the flush read goes out.
    Flush,
    /// The flush read is out.
    Flushing,
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
    /// The driver command is done; `failed` if its flush read did not succeed.
    pub(super) command_done: bool,
    pub(super) failed: bool,
    /// It is a registration's revocation that is done.
    pub(super) registration: bool,
    /// The flush read wants to leave.
    pub(super) flush: Option<TlpDescriptor>,
}

/// Inputs of the engine at an edge.
pub(super) struct Inputs<'a> {
    pub(super) message: &'a MessageTlp,
    pub(super) answer_ready: bool,
    pub(super) invalidate_ready: bool,
    pub(super) invalidate_done: bool,
    pub(super) drained: bool,
    pub(super) sent: bool,
    pub(super) command: &'a Revocation,
    pub(super) registration: &'a Revocation,
    pub(super) mpt_done: bool,
    pub(super) mtt_done: bool,
    /// The flush read has come back, and how.
    pub(super) flushed: Option<bool>,
    /// The flush read has been taken over for sending.
    pub(super) flush_taken: bool,
    /// Its tag is kept back, since an earlier one was lost.
    pub(super) flush_retired: bool,
    /// No fill is on its way into `atc`: one taken after an invalidation must not be older than it.
    pub(super) fills_quiet: bool,
    /// An access is judged again; one has been and stands before its commit.
    pub(super) judging: bool,
    pub(super) renewed: bool,
}

impl Inputs<'_> {
    /// The command that an item of the queue stands for.
    fn commanded(&self, item: &Item) -> &Revocation {
        if item.registration { self.registration } else { self.command }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Invalidations {
    queue: VecDeque<Item>,
    current: Item,
    state: State,
    finished: Option<Answer>,
    answer: TlpDescriptor,
    /// Epochs begun so far, of either kind.
    epoch: u32,
    invalidated: EpochNote,
    revoked: EpochNote,
    revoke: RevokeLines,
    /// Cycles for which what is at the head of the queue has been put off, for either reason.
    held: (u16, u16),
    /// The commands on the ports have been queued.
    command_open: bool,
    registration_open: bool,
    flush_tag: u16,
    /// Cycles between the beginnings of two invalidations of a function, and how many are left of them for each.
    interval: u32,
    resting: Vec<u32>,
}

impl Invalidations {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        // Every function's requests, a reset and an Enable of each, the driver's command and a registration's.
        let places = (cfg.functions * (QUEUE + 2) + 2) as usize;
        Self {
            queue: VecDeque::with_capacity(places),
            current: Item::default(),
            state: State::Idle,
            finished: None,
            answer: TlpDescriptor::default(),
            epoch: 0,
            invalidated: EpochNote::default(),
            revoked: EpochNote::default(),
            held: (0, 0),
            revoke: RevokeLines::default(),
            command_open: false,
            registration_open: false,
            flush_tag: cfg.tags().flush as u16,
            interval: cfg.invalidate_interval,
            resting: vec![0; cfg.functions as usize],
        }
    }

    pub(super) fn reset(&mut self) {
        self.queue.clear();
        self.resting.fill(0);
        self.state = State::Idle;
        self.finished = None;
        self.answer = TlpDescriptor::default();
        (self.epoch, self.held) = (0, (0, 0));
        (self.invalidated, self.revoked) = Default::default();
        self.revoke = RevokeLines::default();
        (self.command_open, self.registration_open) = (false, false);
    }

    /// The invalidation epoch that begins, for one cycle.
    pub(super) fn invalidated(&self) -> EpochNote {
        self.invalidated
    }

    /// The grant epoch that begins, for one cycle.
    pub(super) fn revoked(&self) -> EpochNote {
        self.revoked
    }

    /// Begins the next epoch of a function.
    fn begin(&mut self, function: FunctionId) -> EpochNote {
        self.epoch = self.epoch.wrapping_add(1);
        EpochNote { valid: true, function, epoch: self.epoch, enabled: false }
    }

    /// Whether what waits in the queue is put off for an access that is judged again, so that it can be committed.
    fn puts_off(&mut self, judging: bool, renewed: bool) -> bool {
        let (judging, renewed) = (judging && self.held.0 < JUDGING, renewed && self.held.1 < RENEWED);
        // An enabled function waits for its translations of before to go: nothing is judged again before that.
        let waited_for = self.queue.iter().any(Item::implicit);
        let put_off = (judging || renewed) && !self.queue.is_empty() && !waited_for;
        self.held = if put_off { (self.held.0 + u16::from(judging), self.held.1 + u16::from(renewed)) } else { (0, 0) };
        put_off
    }

    pub(super) fn revoke(&self) -> RevokeLines {
        self.revoke
    }

    pub(super) fn answer(&self) -> TlpDescriptor {
        self.answer
    }

    /// What `atc` is offered.
    pub(super) fn offer(&self) -> AtcInvalidate {
        if matches!(self.state, State::Offered) { self.current.invalidate } else { AtcInvalidate::default() }
    }

    /// Whether a configuration asks for what is offered.
    pub(super) fn offers_implicit(&self) -> bool {
        self.offering() && self.current.implicit()
    }

    /// The tag of flushes.
    pub(super) fn flush_tag(&self) -> u16 {
        self.flush_tag
    }

    /// Whether the flush read must go before Translation Requests that wait.
    pub(super) fn wants_flush(&self) -> bool {
        matches!(self.state, State::Flush)
    }

    /// Whether an invalidation is being offered: no fill may be offered beside it.
    pub(super) fn offering(&self) -> bool {
        matches!(self.state, State::Offered)
    }

    pub(super) fn idle(&self) -> bool {
        matches!(self.state, State::Idle)
            && self.queue.is_empty()
            && self.resting.iter().all(|left| *left == 0)
            && self.finished.is_none()
            && !self.answer.valid
    }

    /// Every entry of a function goes: ATS Enable 0→1, function-level reset.
    pub(super) fn flush(&mut self, function: FunctionId) {
        let invalidate = AtcInvalidate { valid: true, function, all: true, size_log2: 63, ..AtcInvalidate::default() };
        self.queue.push_back(Item { invalidate, ..Item::default() });
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
        self.queue.push_back(Item { invalidate, answer, ..Item::default() });
        true
    }

    pub(super) fn step(&mut self, inp: &Inputs<'_>, functions: impl Fn(RequesterId) -> Option<FunctionId>) -> Events {
        let mut events = Events::default();
        self.send(inp.answer_ready, &mut events);
        self.revoke = RevokeLines::default();
        (self.invalidated, self.revoked) = Default::default();
        if self.interval > 0 {
            self.resting.iter_mut().for_each(|left| *left = left.saturating_sub(1));
        }
        let put_off = matches!(self.state, State::Idle) && self.puts_off(inp.judging, inp.renewed);
        let command = inp.commanded(&self.current);
        self.state = match self.state {
            State::Idle if put_off => State::Idle,
            State::Idle => match self.next(inp) {
                Some((at, item @ Item { command: true, .. })) => {
                    self.current = item;
                    self.start(at, inp.commanded(&item).function);
                    self.revoke = lines_of(inp.commanded(&item));
                    State::Told
                }
                Some((at, item)) if inp.fills_quiet => {
                    self.current = item;
                    self.start(at, item.invalidate.function);
                    State::Offered
                }
                _ => State::Idle,
            },
            State::Offered if inp.invalidate_ready => {
                events.taken = Some(self.current.invalidate);
                self.invalidated = self.begin(self.current.invalidate.function);
                self.invalidated.enabled = self.current.implicit();
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
            State::Told => {
                self.revoked = self.begin(command.function);
                State::Revoking { mpt: false, mtt: false, wait: EPOCH_ROUND_TRIP }
            }
            State::Revoking { mpt, mtt, wait } => {
                let (mpt, mtt) = (mpt || inp.mpt_done, mtt || inp.mtt_done);
                // Without a flush the report itself must not come before the writes have been sent.
                let over = mpt && mtt && wait == 0 && inp.drained && (inp.sent || command.flush);
                match (over, command.flush) {
                    (false, _) => State::Revoking { mpt, mtt, wait: wait.saturating_sub(1) },
                    (true, true) => State::Flush,
                    (true, false) => self.report(&mut events, true),
                }
            }
            State::Flush if inp.flush_taken => State::Flushing,
            State::Flush if inp.flush_retired => self.report(&mut events, false),
            State::Flush => {
                events.flush = inp.sent.then(|| self.flush_read(command));
                State::Flush
            }
            State::Flushing => match inp.flushed {
                Some(ok) => self.report(&mut events, ok),
                None => State::Flushing,
            },
        };
        // The port goes low only after the report has been seen: until then it is the same command.
        if inp.command.valid && !self.command_open {
            self.queue.push_back(Item { command: true, ..Item::default() });
        }
        self.command_open = inp.command.valid;
        if inp.registration.valid && !self.registration_open {
            self.queue.push_back(Item { command: true, registration: true, ..Item::default() });
        }
        self.registration_open = inp.registration.valid;
        if inp.message.valid {
            events.accepted = self.accept(inp.message, functions);
            events.dropped = !events.accepted;
        }
        events
    }

    /// The oldest of the queue whose function's last one is long enough ago. The order of one function stays.
    fn next(&self, inp: &Inputs<'_>) -> Option<(usize, Item)> {
        let rests = |item: &Item| {
            let function = if item.command { inp.commanded(item).function } else { item.invalidate.function };
            !item.implicit() && self.resting.get(usize::from(function.0)).is_some_and(|left| *left > 0)
        };
        self.queue.iter().copied().enumerate().find(|(_, item)| !rests(item))
    }

    /// Takes what is worked on next out of the queue.
    fn start(&mut self, at: usize, function: FunctionId) {
        self.queue.remove(at);
        if let Some(left) = self.resting.get_mut(usize::from(function.0)) {
            *left = self.interval;
        }
    }

    fn report(&self, events: &mut Events, ok: bool) -> State {
        (events.command_done, events.failed) = (true, !ok);
        events.registration = self.current.registration;
        State::Idle
    }

    fn flush_read(&self, command: &Revocation) -> TlpDescriptor {
        TlpDescriptor {
            valid: true,
            op: TlpOp::READ,
            function: command.function,
            at: AddressType::TRANSLATED,
            address: TlpAddr(command.address.0 & !3),
            length_dw: 1,
            tag: self.flush_tag,
            ..TlpDescriptor::default()
        }
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

/// The lines that hold a region's entries.
fn lines_of(command: &Revocation) -> RevokeLines {
    let first = command.entries.0 >> 6;
    let end = (command.entries.0.wrapping_add(8 * u64::from(command.count)).wrapping_add(63)) >> 6;
    RevokeLines { valid: true, index: command.index, first, count: end.wrapping_sub(first) as u32 }
}
