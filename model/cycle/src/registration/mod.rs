//! Registration by work requests, a part of `mpt`: fast-register, bind, local and remote invalidate.
//!
//! ```text
//!  head of a stream ─► waiting ─► image ─► old line ─► parent ─► judge ─► line (to tlp_tx) ─► sent
//!                        ▲ fence ◄──────────────────────────────┘                              │
//!  stream goes on ◄──────┬──────────────── cache written ◄─────────────────────────────────────┘
//!                        ├─► renew: `mtt` drops the lines of the new MTT
//!                        └─► reports(4) ─► revocation (ats) ─► completion (dma)
//! ```
//!
//! One request is worked on at a time; those at the heads of other streams wait, round robin, while the streams' data
//! requests go on. The new line leaves as a posted write first; once it is on the link it goes into the cache, and what is
//! being fetched of it is marked as old, so that no fetch can bring what was there before. That is the point at which the
//! request takes effect: its stream waits there, so that what stands before it is checked by the old line and what stands
//! behind it by the new one.
//!
//! What takes something away waits for the data requests before it in its stream (the fence), for one that has not been
//! committed would be judged again by the new line. It is then revoked as a driver's command would, and reported when
//! that is over; the stream does not wait for it. What only grants does neither.
//!
//! A driver's revocation of the key or of the parent, before the new line is offered to `tlp_tx`, lets the request look up
//! again: it is judged by what the driver has written.
//!
//! The image comes through one of the fetches of `mpt` and is not cached; lines come from the cache or through a fetch. A
//! lookup takes the place of a request's in the pipeline.

mod reports;
mod rules;

use crate::line_cache::{NewLine, Read};
use crate::line_fetch::{Arrival, LineFetches};
use reports::Reports;
use rules::{Case, Change, parent_of};
use types::config::Partitions;
use types::port::{Completion, LineWrite, MptIn, MptOut, Revocation, RevokeLines, TableControl, WorkRequest};
use types::registration::IMAGE_BYTES;
use types::{Iova, Line, Op, Region, Syndrome, UnitCfg};

/// Stands for the number of a fetch where a line of a registration is written into the cache.
pub const INSTALL: u8 = u8::MAX;

/// The head of a stream: its request, and whether that is of before a function-level reset; whether data requests before it
/// have not ended.
pub type Head = (Option<(WorkRequest, bool)>, bool);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Old,
    Parent,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    Idle,
    /// The image is to be fetched.
    Image,
    /// The image is being fetched.
    Fetching(u8),
    /// A line is to be looked up.
    Lookup(Part),
    /// The lookup is in the pipeline.
    Looking(Part),
    /// The line is being fetched, or waits for any fetch to end.
    Missing(Part, Option<u8>),
    Judge,
    /// It ends in this way once there is a place for its report.
    Refused(Syndrome),
    /// A place for its report is needed.
    Room(Change),
    /// The line is offered.
    Offer(Change),
    /// It is on its way.
    Leaving(Change),
    /// It goes into the cache.
    Install(Change),
    Installing(Change),
    /// `mtt` drops what it has of the new MTT.
    Renewing,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Registrations {
    state: State,
    /// Streams with such a request at their head, one bit each; those among them that have to be alone.
    waiting: u64,
    fenced: u64,
    next: usize,
    case: Case,
    /// Entries of the MPT.
    entries: u32,
    /// A revocation has passed the lookup in the pipeline.
    outdated: bool,
    /// Bus Master Enable of each function.
    masters: Vec<bool>,
    shares: Partitions,
    line: LineWrite,
    renew: RevokeLines,
    reports: Reports,
    succeeded: Option<Op>,
    refused: bool,
    fence: bool,
}

impl Registrations {
    /// The engine of a configuration.
    pub fn new(cfg: &UnitCfg) -> Self {
        Self {
            state: State::Idle,
            waiting: 0,
            fenced: 0,
            next: 0,
            case: Case::default(),
            entries: 0,
            outdated: false,
            masters: vec![false; cfg.functions as usize],
            shares: cfg.shares(),
            line: LineWrite::default(),
            renew: RevokeLines::default(),
            reports: Reports::new(),
            succeeded: None,
            refused: false,
            fence: false,
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.state = State::Idle;
        (self.waiting, self.fenced, self.next) = (0, 0, 0);
        self.case = Case::default();
        self.outdated = false;
        self.masters.fill(false);
        (self.line, self.renew) = (LineWrite::default(), RevokeLines::default());
        self.reports.reset();
        (self.succeeded, self.refused, self.fence) = (None, false, false);
    }

    /// A request that registers or invalidates stands at the head of a stream.
    pub fn wait(&mut self, stream: usize) {
        self.waiting |= 1 << stream;
    }

    /// Nothing is under way.
    pub fn idle(&self) -> bool {
        matches!(self.state, State::Idle)
            && self.waiting == 0
            && !self.renew.valid
            && self.reports.idle()
            && self.succeeded.is_none()
            && !(self.refused || self.fence)
    }

    /// The index to look up, if one is to be: the lookup is taken.
    pub fn lookup(&mut self) -> Option<WorkRequest> {
        let State::Lookup(part) = self.state else { return None };
        self.state = State::Looking(part);
        let key = match part {
            Part::Old => self.case.wr.key,
            Part::Parent => parent_of(&self.case.image),
        };
        Some(WorkRequest { key, ..self.case.wr })
    }

    /// The lookup has come through the pipeline.
    pub fn found(&mut self, read: &Read, fetches: &mut LineFetches) {
        let State::Looking(part) = self.state else { return };
        if std::mem::take(&mut self.outdated) {
            self.state = State::Lookup(Part::Old);
            return;
        }
        match read.line {
            Some(line) => self.take(part, line),
            None => self.miss(part, fetches),
        }
    }

    fn take(&mut self, part: Part, line: Line) {
        match part {
            Part::Old => self.case.old = line,
            Part::Parent => self.case.parent = line,
        }
        let binds = part == Part::Old && self.case.wr.op == Op::BIND;
        // A parent outside the table is one that is not valid.
        let parent = binds && parent_of(&self.case.image).index() < self.entries;
        self.state = if parent { State::Lookup(Part::Parent) } else { State::Judge };
    }

    fn miss(&mut self, part: Part, fetches: &mut LineFetches) {
        let key = if part == Part::Old { self.case.wr.key } else { parent_of(&self.case.image) };
        let (line, function) = (u64::from(key.index()), self.case.wr.function);
        let fetch = fetches.find(line).or_else(|| fetches.open(line, function));
        let refusal = fetches.refusal(function).filter(|_| fetch.is_none());
        self.state = refusal.map_or(State::Missing(part, fetch), State::Refused);
    }

    /// Whether an arrival is that of the image, which then is not cached.
    pub fn is_image(&self, arrival: &Arrival) -> bool {
        matches!(self.state, State::Fetching(fetch) if fetch == arrival.fetch)
    }

    /// The image has come, or has not.
    pub fn image(&mut self, arrival: &Arrival) {
        self.state = match arrival.data {
            Some(line) => {
                self.case.image = line;
                State::Lookup(Part::Old)
            }
            None if arrival.stale => State::Image,
            None => State::Refused(Syndrome::TABLE_FETCH),
        };
    }

    /// A fetch has ended, or may be used again.
    pub fn wake(&mut self, ended: Option<u8>, fault: bool) {
        let State::Missing(part, fetch) = self.state else { return };
        if fetch.is_none() {
            self.state = State::Lookup(part);
        } else if fetch == ended {
            self.state = if fault { State::Refused(Syndrome::TABLE_FETCH) } else { State::Lookup(part) };
        }
    }

    /// The line to write into the cache, if no line of a fetch is: it is taken.
    pub fn install(&mut self, filling: impl Fn(u64) -> bool, fetches: &mut LineFetches) -> Option<NewLine> {
        let State::Install(change) = self.state else { return None };
        let key = u64::from(self.case.wr.key.index());
        if filling(key) {
            return None;
        }
        fetches.outdate(key);
        self.state = State::Installing(change);
        Some(NewLine { key, line: change.line, user: INSTALL, partition: self.shares.of(self.case.wr.function) })
    }

    /// The cache holds the new line: the request has taken effect. Its stream goes on.
    pub fn installed(&mut self) -> Option<usize> {
        let State::Installing(change) = self.state else { return None };
        let wr = self.case.wr;
        let old = Region::decode(&self.case.old);
        self.succeeded = Some(wr.op);
        let revocation = if change.revokes { revocation_of(&wr, &old) } else { Revocation::default() };
        self.reports.push(completion_of(&wr, Syndrome::OK), revocation);
        self.state = State::Idle;
        if wr.op == Op::FAST_REGISTER {
            // Entries of the new MTT may be cached from what stood there before.
            self.renew = lines_of(&wr, &change.region);
            self.state = State::Renewing;
        }
        Some(usize::from(wr.stream.0))
    }

    /// One edge of the rest; `heads` gives the heads of the streams. Returns the stream whose request was refused and goes on behind it.
    pub fn step(&mut self, inp: &MptIn, heads: impl Fn(usize) -> Head, fetches: &mut LineFetches) -> Option<usize> {
        self.renew = RevokeLines::default();
        if inp.cfg.valid
            && let Some(master) = self.masters.get_mut(usize::from(inp.cfg.function.0))
        {
            *master = inp.cfg.bus_master && !inp.cfg.reset;
        }
        self.reports.step(inp.command_done, inp.command_failed, inp.completion_ready);
        if inp.revoke.valid {
            self.driver_revokes(inp.revoke.index);
        }
        match self.state {
            State::Idle => self.pick(&inp.control, heads),
            State::Image => {
                // A number relative to the MPT's base, as those of its lines.
                let line = self.case.wr.va.0.wrapping_sub(inp.control.mpt_base.0) >> 6;
                let function = self.case.wr.function;
                self.state = match (fetches.open(line, function), fetches.refusal(function)) {
                    (Some(fetch), _) => State::Fetching(fetch),
                    (None, Some(syndrome)) => State::Refused(syndrome),
                    (None, None) => State::Image,
                };
            }
            State::Judge => self.judge(heads),
            State::Refused(syndrome) if self.reports.room() => {
                let wr = self.case.wr;
                self.refused = true;
                self.reports.push(completion_of(&wr, syndrome), Revocation::default());
                self.state = State::Idle;
                return Some(usize::from(wr.stream.0));
            }
            State::Room(change) if self.reports.room() => {
                let address = self.case.wr.key.index();
                let address = Iova(inp.control.mpt_base.0.wrapping_add(u64::from(address) << 6));
                self.line = LineWrite { valid: true, address, line: change.line };
                self.state = State::Offer(change);
            }
            State::Offer(change) if inp.line_ready => {
                self.line = LineWrite::default();
                self.state = State::Leaving(change);
            }
            State::Leaving(change) if inp.line_sent => self.state = State::Install(change),
            State::Renewing if inp.renewed => self.state = State::Idle,
            _ => {}
        }
        None
    }

    /// Chooses the next request, round robin over streams.
    fn pick(&mut self, control: &TableControl, heads: impl Fn(usize) -> Head) {
        let mut candidates = self.waiting;
        while candidates != 0 {
            let from_next = candidates >> self.next << self.next;
            let i = if from_next != 0 { from_next } else { candidates }.trailing_zeros() as usize;
            candidates &= !(1 << i);
            let (Some((wr, _)), busy) = heads(i) else { continue };
            if wr.op.has_image() {
                if busy && self.fenced >> i & 1 == 1 {
                    continue;
                }
            } else if busy {
                self.fence |= self.fenced >> i & 1 == 0;
                self.fenced |= 1 << i;
                continue;
            }
            self.next = if i == 63 { 0 } else { i + 1 };
            self.waiting &= !(1 << i);
            self.fenced &= !(1 << i);
            self.case = Case { wr, ..Case::default() };
            self.entries = control.mpt_entries;
            self.state = self.start(control);
            return;
        }
    }

    fn start(&self, control: &TableControl) -> State {
        let wr = &self.case.wr;
        if wr.key.index() >= control.mpt_entries {
            return State::Refused(Syndrome::INVALID_KEY);
        }
        if !wr.op.has_image() {
            return State::Lookup(Part::Old);
        }
        let offset = wr.va.0.wrapping_sub(control.image_base.0);
        let inside = offset < u64::from(control.images) * u64::from(IMAGE_BYTES);
        if inside && offset.is_multiple_of(u64::from(IMAGE_BYTES)) {
            State::Image
        } else {
            State::Refused(Syndrome::BAD_IMAGE)
        }
    }

    fn judge(&mut self, heads: impl Fn(usize) -> Head) {
        let wr = self.case.wr;
        let stream = usize::from(wr.stream.0);
        let (head, busy) = heads(stream);
        let master = self.masters.get(usize::from(wr.function.0)).is_some_and(|on| *on);
        self.state = match self.case.outcome() {
            _ if !master || head.is_some_and(|(_, over)| over) => State::Refused(Syndrome::BUS_MASTER_OFF),
            Err(syndrome) => State::Refused(syndrome),
            Ok(change) if change.revokes && busy => {
                self.fence = true;
                self.waiting |= 1 << stream;
                self.fenced |= 1 << stream;
                State::Idle
            }
            Ok(change) => State::Room(change),
        };
    }

    /// A driver's revocation passes: what has been looked up may be old.
    fn driver_revokes(&mut self, index: u32) {
        let mine = index == self.case.wr.key.index()
            || self.case.wr.op == Op::BIND && index == parent_of(&self.case.image).index();
        match self.state {
            State::Looking(_) if mine => self.outdated = true,
            State::Lookup(_) | State::Missing(..) | State::Judge | State::Room(_) if mine => {
                self.state = State::Lookup(Part::Old);
            }
            _ => {}
        }
    }

    /// Puts the registered outputs on the ports.
    pub fn outputs(&mut self, out: &mut MptOut) {
        out.line = self.line;
        out.renew = self.renew;
        out.command = self.reports.command();
        out.completion = self.reports.completion();
        let op = self.succeeded.take();
        out.stat_fast_register = op == Some(Op::FAST_REGISTER);
        out.stat_bind = op == Some(Op::BIND);
        out.stat_local_invalidate = op == Some(Op::LOCAL_INVALIDATE);
        out.stat_remote_invalidate = op == Some(Op::REMOTE_INVALIDATE);
        out.stat_registration_refused = std::mem::take(&mut self.refused);
        out.stat_fence = std::mem::take(&mut self.fence);
    }
}

fn completion_of(wr: &WorkRequest, syndrome: Syndrome) -> Completion {
    Completion { valid: true, id: wr.id, function: wr.function, stream: wr.stream, syndrome }
}

/// MTT entries of a region.
fn entries(region: &Region) -> u64 {
    let within = region.start.0 & region.page_size.offset_mask().0;
    let log2 = region.page_size.log2();
    // A region may end at 2^64: the sum has 65 bits.
    ((u128::from(within) + u128::from(region.length.0) + u128::from(region.page_size.offset_mask().0)) >> log2) as u64
}

fn lines_of(wr: &WorkRequest, region: &Region) -> RevokeLines {
    let first = region.mtt.0 >> 6;
    let end = region.mtt.0.wrapping_add(8 * entries(region)).wrapping_add(63) >> 6;
    RevokeLines { valid: true, index: wr.key.index(), first, count: end.wrapping_sub(first) as u32 & 0x3fff_ffff }
}

/// The revocation of what stood under a key. The entries of a window are its parent's, which stay.
fn revocation_of(wr: &WorkRequest, old: &Region) -> Revocation {
    Revocation {
        valid: true,
        function: old.function,
        index: wr.key.index(),
        entries: old.mtt,
        count: if old.fast.window { 0 } else { u32::try_from(entries(old)).unwrap_or(u32::MAX) },
        flush: old.fast.flush.is_some(),
        address: old.fast.flush.unwrap_or_default(),
    }
}
