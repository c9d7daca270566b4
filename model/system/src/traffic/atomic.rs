//! Atomics: each queue pair on one operand of its own, again and again, in a closed loop.
//!
//! The line is not modelled: a queue pair has as many atomics at the unit as its depth allows, and the next one comes with
//! the end of the oldest. Those of a queue pair are executed in order, so what each returns is known beforehand.

use super::measure::Rounds;
use super::queue_pair::QueuePair;
use super::write::{failed, request, unexpected};
use super::{Buffers, Perftest};
use crate::attach::RunError;
use crate::config::Config;
use crate::fabric::{Landing, Memories};
use crate::pattern::Pattern;
use crate::time::Time;
use crate::workload::Workload;
use types::bits::mask;
use types::port::{Completion, WorkRequest};
use types::{Offset, Op, StreamId, WrId};

/// Bytes of the largest operand.
const LARGEST: usize = 16;

/// One atomic under way: its operands, and what it has to return.
#[derive(Clone, Copy, Debug, Default)]
struct Atomic {
    operands: [u8; 2 * LARGEST],
    before: [u8; LARGEST],
}

/// What a queue pair's operand holds once everything under way is done; `None` before the first.
type Value = Option<u128>;

/// A closed loop of atomics.
#[derive(Clone, Debug)]
pub struct AtomicTraffic {
    op: Op,
    seed: u64,
    buffers: Buffers,
    pairs: Vec<QueuePair>,
    values: Vec<Value>,
    /// By request name, as in the queue pair.
    under_way: Vec<Vec<Atomic>>,
    turn: usize,
    rounds: Rounds,
    /// Rounds after which memory has been looked at.
    compared: u64,
    wrong: u64,
    failure: Option<RunError>,
    progress: u64,
}

impl AtomicTraffic {
    fn held(&self, pair: usize, memories: &mut Memories) -> u128 {
        let mut bytes = [0; LARGEST];
        let size = self.buffers.size as usize;
        memories.read(self.buffers.region.place(pair as u64 * self.buffers.stride), &mut bytes[..size]);
        u128::from_le_bytes(bytes)
    }

    /// The atomic of message `message` where the operand holds `before`, and what it leaves.
    fn atomic(&self, pair: usize, message: u64, before: u128) -> (Atomic, u128) {
        let size = self.buffers.size as usize;
        let whole = mask(64.min(8 * size as u32)) as u128 | if size == LARGEST { u128::MAX } else { 0 };
        let mut drawn = [0; LARGEST];
        Pattern::message(self.seed, pair as u16, message).fill(0, &mut drawn);
        let drawn = u128::from_le_bytes(drawn) & whole;
        let (first, second, after) = match self.op {
            Op::FETCH_ADD => (drawn, 0, before.wrapping_add(drawn) & whole),
            Op::SWAP => (drawn, 0, drawn),
            // Every other compare value is not what is there.
            _ if message.is_multiple_of(2) => (before, drawn, drawn),
            _ => (!before & whole, drawn, before),
        };
        let mut atomic = Atomic { before: before.to_le_bytes(), ..Atomic::default() };
        atomic.operands[..size].copy_from_slice(&first.to_le_bytes()[..size]);
        atomic.operands[size..2 * size].copy_from_slice(&second.to_le_bytes()[..size]);
        (atomic, after)
    }

    fn find(&self, stream: StreamId, id: WrId) -> Option<&Atomic> {
        let ring = self.under_way.get(usize::from(stream.0))?;
        ring.get(usize::from(id.0) % ring.len())
    }
}

impl Workload for AtomicTraffic {
    fn tick(&mut self, _: Time, memories: &mut Memories) {
        for pair in 0..self.values.len() {
            if self.values[pair].is_none() {
                self.values[pair] = Some(self.held(pair, memories));
            }
        }
        if self.rounds.all_done() && self.compared < self.rounds.total() {
            self.compared = self.rounds.total();
            for pair in 0..self.values.len() {
                let same = self.values[pair] == Some(self.held(pair, memories));
                self.wrong += if same { 0 } else { self.buffers.size };
            }
        }
    }

    fn offer(&mut self, _: Time) -> Option<WorkRequest> {
        let count = self.pairs.len();
        for i in 0..count {
            let pair = (self.turn + i) % count;
            let next = if self.pairs[pair].may_open() { self.pairs[pair].next() } else { None };
            let (Some(chunk), Some(before)) = (next, self.values[pair]) else { continue };
            let (atomic, after) = self.atomic(pair, chunk.message, before);
            self.values[pair] = Some(after);
            self.pairs[pair].advance(&chunk);
            let id = self.pairs[pair].open(chunk);
            let ring = &mut self.under_way[pair];
            let place = usize::from(id.0) % ring.len();
            ring[place] = atomic;
            self.turn = (pair + 1) % count;
            return Some(request(&self.buffers, pair, id, &chunk, self.op));
        }
        None
    }

    fn source(&mut self, stream: StreamId, id: WrId, offset: Offset, out: &mut [u8]) {
        if let Some(atomic) = self.find(stream, id)
            && let Some(bytes) = atomic.operands.get(offset.0 as usize..).and_then(|b| b.get(..out.len()))
        {
            out.copy_from_slice(bytes);
        }
    }

    fn sink(&mut self, stream: StreamId, id: WrId, offset: Offset, bytes: &[u8], _: &mut Memories) {
        let expected = self.find(stream, id).map(|atomic| atomic.before);
        let expected = expected.as_ref().and_then(|before| before.get(offset.0 as usize..)?.get(..bytes.len()));
        self.wrong += match expected {
            Some(expected) => bytes.iter().zip(expected).filter(|(a, b)| a != b).count() as u64,
            None => bytes.len() as u64,
        };
        if let Some(chunk) = self.pairs.get_mut(usize::from(stream.0)).and_then(|p| p.find(id)) {
            chunk.received += bytes.len() as u32;
        }
    }

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
        self.wrong += u64::from(chunk.length.abs_diff(chunk.received));
        if let Some(message) = self.pairs[pair].finish(chunk.length) {
            self.rounds.message_done(message, now);
        }
    }

    fn landed(&mut self, _: Time, landing: Landing, _: &mut Memories) {
        // Nothing writes.
        self.wrong += u64::from(landing.length);
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn describe(&self) -> String {
        let open: Vec<u16> = self.pairs.iter().map(QueuePair::outstanding).collect();
        format!("atomics: rounds done {}, requests at the unit {open:?}", self.rounds.done())
    }
}

impl Perftest for AtomicTraffic {
    fn start(cfg: &Config, buffers: Buffers, _: Time) -> Self {
        let t = &cfg.traffic;
        // Answers that are late by chance come out of order, and so are the atomics executed.
        let depth = if cfg.disorder.jitter_ns == 0 { t.queue_depth } else { 1 };
        let requests = cfg.unit_cfg().stream_depth;
        let qps = t.qps as usize;
        let pair = QueuePair::new(buffers.size, t.mtu_bytes, u64::from(depth), requests);
        Self {
            op: t.op.op(),
            seed: cfg.seed,
            buffers,
            pairs: vec![pair; qps],
            values: vec![None; qps],
            under_way: vec![vec![Atomic::default(); requests.next_power_of_two() as usize]; qps],
            turn: 0,
            rounds: Rounds::new(u64::from(t.qps)),
            compared: 0,
            wrong: 0,
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
        self.compared >= self.rounds.total()
    }
    fn wrong(&self) -> u64 {
        self.wrong
    }
}
