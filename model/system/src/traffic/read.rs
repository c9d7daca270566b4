//! RDMA reads served: packets are read from memory and leave on the line.

use super::line::Line;
use super::measure::Rounds;
use super::queue_pair::{Chunk, QueuePair};
use super::write::{failed, request, unexpected};
use super::{Buffers, Perftest};
use crate::attach::RunError;
use crate::config::Config;
use crate::fabric::{Landing, Memories, Place};
use crate::time::Time;
use crate::workload::Workload;
use std::collections::VecDeque;
use types::port::{Completion, WorkRequest};
use types::{Offset, Op, StreamId, WrId};

/// The responder of RDMA reads. Memory holds its background pattern, and the far end of the line knows it.
#[derive(Clone, Debug)]
pub struct ReadTraffic {
    buffers: Buffers,
    pairs: Vec<QueuePair>,
    line: Line,
    /// Packets on the line: when they are gone, whose they are, payload.
    leaving: VecDeque<(Time, usize, u32)>,
    /// Free bytes of the transmit buffer; a request reserves its own.
    buffer: u64,
    turn: usize,
    rounds: Rounds,
    wrong: u64,
    failure: Option<RunError>,
    progress: u64,
}

impl ReadTraffic {
    /// The next packet that the unit may be asked for, and whose it is.
    fn next(&self) -> Option<(usize, Chunk)> {
        let count = self.pairs.len();
        (0..count).map(|i| (self.turn + i) % count).find_map(|pair| {
            let next = if self.pairs[pair].may_open() { self.pairs[pair].next() } else { None };
            next.filter(|chunk| u64::from(chunk.length) <= self.buffer).map(|chunk| (pair, chunk))
        })
    }
}

impl Workload for ReadTraffic {
    #[inline]
    fn tick(&mut self, now: Time, _: &mut Memories) {
        while let Some((at, pair, bytes)) = self.leaving.pop_front_if(|(at, ..)| *at <= now) {
            self.progress += 1;
            self.buffer += u64::from(bytes);
            if let Some(message) = self.pairs[pair].finish(bytes) {
                self.rounds.message_done(message, at);
            }
        }
    }

    fn offer(&mut self, _: Time) -> Option<WorkRequest> {
        let (pair, chunk) = self.next()?;
        self.buffer -= u64::from(chunk.length);
        self.pairs[pair].advance(&chunk);
        self.turn = (pair + 1) % self.pairs.len();
        let id = self.pairs[pair].open(chunk);
        Some(request(&self.buffers, pair, id, &chunk, Op::READ))
    }

    fn source(&mut self, _: StreamId, _: WrId, _: Offset, _: &mut [u8]) {}

    fn sink(&mut self, stream: StreamId, id: WrId, offset: Offset, bytes: &[u8], memories: &mut Memories) {
        let pair = usize::from(stream.0);
        let Some(chunk) = self.pairs.get_mut(pair).and_then(|p| p.find(id)) else {
            self.wrong += bytes.len() as u64;
            return;
        };
        chunk.received += bytes.len() as u32;
        let mut at = pair as u64 * self.buffers.stride + chunk.offset + u64::from(offset.0);
        let mut rest = bytes;
        while !rest.is_empty() {
            // The background's offset is the bus address, so that the place counts too; 4 KiB is in one piece.
            let piece = rest.len().min((4096 - at % 4096) as usize);
            let place = self.buffers.region.place(at);
            let pattern = match memories.place(place, piece as u64) {
                Some(Place::Gpu) => memories.gpu.background(),
                _ => memories.host.background(),
            };
            self.wrong += pattern.wrong(place.0, &rest[..piece]);
            (at, rest) = (at + piece as u64, &rest[piece..]);
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
        self.wrong += u64::from(chunk.length.abs_diff(chunk.received));
        self.line.idle_until(now);
        self.leaving.push_back((self.line.send(chunk.length), pair, chunk.length));
    }

    fn landed(&mut self, _: Time, landing: Landing, _: &mut Memories) {
        // Nothing writes.
        self.wrong += u64::from(landing.length);
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn resting_until(&self) -> Time {
        let leaves = self.leaving.front().map_or(Time::NEVER, |(at, ..)| *at);
        if self.next().is_some() { Time(0) } else { leaves }
    }

    fn describe(&self) -> String {
        let open: Vec<u16> = self.pairs.iter().map(QueuePair::outstanding).collect();
        format!(
            "reads: rounds done {}, requests at the unit {open:?}, packets on the line {}, free transmit buffer {}",
            self.rounds.done(),
            self.leaving.len(),
            self.buffer
        )
    }
}

impl Perftest for ReadTraffic {
    fn start(cfg: &Config, buffers: Buffers, now: Time) -> Self {
        let t = &cfg.traffic;
        let requests = cfg.unit_cfg().stream_depth;
        let pair = QueuePair::new(buffers.size, t.mtu_bytes, u64::from(t.queue_depth), requests);
        Self {
            buffers,
            pairs: vec![pair; t.qps as usize],
            line: Line::new(t, now),
            leaving: VecDeque::with_capacity(256),
            buffer: u64::from(t.transmit_buffer_kib) * 1024,
            turn: 0,
            rounds: Rounds::new(u64::from(t.qps)),
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
        self.rounds.all_done()
    }
    fn wrong(&self) -> u64 {
        self.wrong
    }
}
