//! RDMA writes: packets arrive from the line into a receive buffer and go to memory.

use super::line::Line;
use super::measure::Rounds;
use super::queue_pair::{Chunk, QueuePair};
use super::{Buffers, Perftest};
use crate::attach::RunError;
use crate::config::Config;
use crate::driver::Registered;
use crate::fabric::{Landing, Memories};
use crate::pattern::Pattern;
use crate::time::Time;
use crate::workload::Workload;
use std::collections::VecDeque;
use types::port::{Completion, WorkRequest};
use types::{ByteCount, Length, Offset, Op, StreamId, Va, WrId};

/// What has reached memory of a queue pair's messages.
#[derive(Clone, Copy, Debug, Default)]
struct Landed {
    /// Messages that were checked.
    checked: u64,
    /// Bytes of the next.
    bytes: u64,
}

/// The receive side of RDMA writes.
#[derive(Clone, Debug)]
pub struct WriteTraffic {
    buffers: Buffers,
    seed: u64,
    pairs: Vec<QueuePair>,
    landed: Vec<Landed>,
    /// Packets in the receive buffer that the unit was not told of.
    arrived: Vec<VecDeque<Chunk>>,
    /// Queue pairs with such packets, one bit each.
    waiting: u64,
    line: Line,
    /// The packet on the line: when it is in the buffer, and whose it is.
    incoming: Option<(Time, usize, Chunk)>,
    /// The line stands still.
    paused: bool,
    buffer: u64,
    /// Next queue pair to send, and next to be given to the unit.
    turn: (usize, usize),
    rounds: Rounds,
    wrong: u64,
    /// Bytes that landed outside of every buffer.
    stray: u64,
    failure: Option<RunError>,
    progress: u64,
}

impl WriteTraffic {
    fn pattern(&self, pair: usize, message: u64) -> Pattern {
        Pattern::message(self.seed, pair as u16, message)
    }

    /// The next packet of the line, whose it is first, if the buffer has room for it.
    fn next(&self) -> Option<(usize, Chunk)> {
        let count = self.pairs.len();
        let next = (0..count).map(|i| (self.turn.0 + i) % count).find_map(|p| Some((p, self.pairs[p].next()?)));
        next.filter(|(_, chunk)| u64::from(chunk.length) <= self.buffer)
    }

    /// Lets packets arrive up to `now`; the line pauses while the buffer has no room for the next.
    fn receive(&mut self, now: Time) {
        loop {
            if let Some((at, pair, chunk)) = self.incoming {
                if at > now {
                    return;
                }
                self.arrived[pair].push_back(chunk);
                self.waiting |= 1 << pair;
                self.incoming = None;
            }
            let count = self.pairs.len();
            let Some((pair, chunk)) = self.next() else {
                self.paused = true;
                return;
            };
            if self.paused {
                self.line.idle_until(now);
                self.paused = false;
            }
            self.pairs[pair].advance(&chunk);
            self.turn.0 = (pair + 1) % count;
            self.buffer -= u64::from(chunk.length);
            self.incoming = Some((self.line.send(chunk.length), pair, chunk));
        }
    }

    /// Compares a message in memory with what was sent.
    fn check(&mut self, pair: usize, message: u64, memories: &mut Memories) {
        let pattern = self.pattern(pair, message);
        let mut page = [0; 4096];
        let mut at = 0;
        while at < self.buffers.size {
            // Buffers start at 4 KiB pages, and no page is smaller.
            let bytes = (self.buffers.size - at).min(4096) as usize;
            let place = self.buffers.region.place(pair as u64 * self.buffers.stride + at);
            memories.read(place, &mut page[..bytes]);
            self.wrong += pattern.wrong(at, &page[..bytes]);
            at += bytes as u64;
        }
    }
}

impl Workload for WriteTraffic {
    #[inline]
    fn tick(&mut self, now: Time, _: &mut Memories) {
        self.receive(now);
    }

    fn offer(&mut self, _: Time) -> Option<WorkRequest> {
        // Round robin: queue pairs from the turn on first, then those before it.
        let after = self.waiting & (u64::MAX << self.turn.1);
        for mut set in [after, self.waiting & !after] {
            while set != 0 {
                let pair = set.trailing_zeros() as usize;
                set &= set - 1;
                if !self.pairs[pair].may_open() {
                    continue;
                }
                let Some(chunk) = self.arrived[pair].pop_front() else { continue };
                if self.arrived[pair].is_empty() {
                    self.waiting &= !(1 << pair);
                }
                self.turn.1 = (pair + 1) % self.pairs.len();
                let id = self.pairs[pair].open(chunk);
                return Some(request(&self.buffers, pair, id, &chunk, Op::WRITE));
            }
        }
        None
    }

    fn source(&mut self, stream: StreamId, id: WrId, offset: Offset, out: &mut [u8]) {
        let pair = usize::from(stream.0);
        if let Some(chunk) = self.pairs.get_mut(pair).and_then(|p| p.find(id)) {
            let (message, at) = (chunk.message, chunk.offset + u64::from(offset.0));
            self.pattern(pair, message).fill(at, out);
        }
    }

    fn sink(&mut self, _: StreamId, _: WrId, _: Offset, _: &[u8], _: &mut Memories) {}

    fn completed(&mut self, now: Time, completion: &Completion) {
        let pair = usize::from(completion.stream.0);
        let Some(chunk) = self.pairs.get_mut(pair).and_then(|p| p.close(completion.id)) else {
            self.failure.get_or_insert(unexpected(completion));
            return;
        };
        if !completion.syndrome.is_ok() {
            self.failure.get_or_insert(failed(completion));
        }
        self.progress += 1;
        self.buffer += u64::from(chunk.length);
        if let Some(message) = self.pairs[pair].finish(chunk.length) {
            self.rounds.message_done(message, now);
        }
    }

    fn landed(&mut self, _: Time, landing: Landing, memories: &mut Memories) {
        self.progress += 1;
        let io = &self.buffers.region.io;
        let page = io.scatter.page_index(landing.address, io.page);
        let offset = (page << io.page.log2()) | landing.address.0 & io.page.offset_mask().0;
        let (pair, within) = ((offset / self.buffers.stride) as usize, offset % self.buffers.stride);
        let inside = landing.address >= io.scatter.base
            && pair < self.pairs.len()
            && within + u64::from(landing.length) <= self.buffers.size;
        if !inside {
            self.stray += u64::from(landing.length);
            return;
        }
        // Messages of a queue pair land in order, so that a whole one stands in memory before the next begins.
        self.landed[pair].bytes += u64::from(landing.length);
        if self.landed[pair].bytes >= self.buffers.size {
            self.landed[pair].bytes -= self.buffers.size;
            let message = self.landed[pair].checked;
            self.landed[pair].checked += 1;
            self.check(pair, message, memories);
        }
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn resting_until(&self) -> Time {
        let offers = |pair: usize| self.waiting >> pair & 1 == 1 && self.pairs[pair].may_open();
        let sends = self.incoming.is_none() && self.next().is_some();
        if sends || self.waiting != 0 && (0..self.pairs.len()).any(offers) {
            return Time(0);
        }
        self.incoming.map_or(Time::NEVER, |(at, ..)| at)
    }

    fn describe(&self) -> String {
        let open: Vec<u16> = self.pairs.iter().map(QueuePair::outstanding).collect();
        let queued: Vec<usize> = self.arrived.iter().map(VecDeque::len).collect();
        format!(
            "writes: rounds done {}, requests at the unit {open:?}, packets waiting {queued:?}, free receive buffer {}, \
             line {}",
            self.rounds.done(),
            ByteCount(self.buffer),
            if self.paused { "paused" } else { "busy" }
        )
    }
}

/// The work request of a packet.
pub(super) fn request(buffers: &Buffers, pair: usize, id: WrId, chunk: &Chunk, op: Op) -> WorkRequest {
    let offset = pair as u64 * buffers.stride + chunk.offset;
    request_at(&buffers.region, StreamId(pair as u16), id, offset, chunk.length, op)
}

/// A work request over `length` bytes of a region from `offset` on.
pub(super) fn request_at(
    registered: &Registered,
    stream: StreamId,
    id: WrId,
    offset: u64,
    length: u32,
    op: Op,
) -> WorkRequest {
    let region = &registered.region;
    WorkRequest {
        valid: true,
        id,
        function: region.function,
        stream,
        op,
        remote: true,
        on_fault: false,
        key: registered.key,
        va: Va(region.start.0 + offset),
        length: Length(length),
        pd: region.pd,
    }
}

/// A request ended in an error.
pub(super) fn failed(completion: &Completion) -> RunError {
    RunError::Request { id: completion.id.0, stream: completion.stream.0, syndrome: completion.syndrome }
}

/// A completion that nothing waits for, or not yet.
pub(super) fn unexpected(completion: &Completion) -> RunError {
    let (id, stream) = (completion.id, completion.stream);
    RunError::Protocol { reason: format!("completion of request {id} of stream {stream}, which is not its oldest") }
}

impl Perftest for WriteTraffic {
    fn start(cfg: &Config, buffers: Buffers, now: Time) -> Self {
        let t = &cfg.traffic;
        let requests = cfg.unit_cfg().stream_depth;
        let pair = QueuePair::new(buffers.size, t.mtu_bytes, u64::from(t.queue_depth), requests);
        let qps = t.qps as usize;
        Self {
            buffers,
            seed: cfg.seed,
            pairs: vec![pair; qps],
            landed: vec![Landed::default(); qps],
            arrived: vec![VecDeque::with_capacity(256); qps],
            waiting: 0,
            line: Line::new(t, now),
            incoming: None,
            paused: true,
            buffer: u64::from(t.receive_buffer_kib) * 1024,
            turn: (0, 0),
            rounds: Rounds::new(qps as u64),
            wrong: 0,
            stray: 0,
            failure: None,
            progress: 0,
        }
    }
    fn go_on(&mut self, rounds: u64) {
        self.rounds.extend(rounds);
        self.pairs.iter_mut().for_each(|pair| pair.extend(rounds));
    }
    fn rounds(&self) -> &Rounds {
        &self.rounds
    }
    fn failure(&self) -> Option<RunError> {
        self.failure.clone()
    }
    fn checked(&self) -> bool {
        self.landed.iter().all(|l| l.checked >= self.rounds.total())
    }
    fn wrong(&self) -> u64 {
        let whole = self.rounds.total() * self.buffers.size;
        let missing = |l: &Landed| whole.saturating_sub(l.checked * self.buffers.size + l.bytes);
        // Bytes of a message that never became whole were not compared: they count as wrong.
        let unchecked = |l: &Landed| if l.checked < self.rounds.total() { l.bytes } else { 0 };
        self.wrong + self.stray + self.landed.iter().map(|l| missing(l) + unchecked(l)).sum::<u64>()
    }
}
