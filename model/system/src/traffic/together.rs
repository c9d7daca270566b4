//! Two workloads on one unit, told apart by their streams.

use super::RandomTraffic;
use crate::fabric::{Landing, Memories};
use crate::time::Time;
use crate::workload::Workload;
use types::port::{Completion, WorkRequest};
use types::{Offset, StreamId, WrId};

/// A workload and a neighbour that only reads, so that what lands in memory is the first one's.
#[derive(Clone, Debug)]
pub struct Together<W> {
    /// The workload that is looked at.
    pub victim: W,
    /// Its neighbour.
    pub neighbour: RandomTraffic,
    turn: bool,
}

impl<W: Workload> Together<W> {
    /// Both, taking turns.
    pub fn new(victim: W, neighbour: RandomTraffic) -> Self {
        Self { victim, neighbour, turn: false }
    }
}

impl<W: Workload> Workload for Together<W> {
    fn tick(&mut self, now: Time, memories: &mut Memories) {
        self.victim.tick(now, memories);
    }
    fn offer(&mut self, now: Time) -> Option<WorkRequest> {
        self.turn = !self.turn;
        if self.turn {
            self.victim.offer(now).or_else(|| self.neighbour.offer(now))
        } else {
            self.neighbour.offer(now).or_else(|| self.victim.offer(now))
        }
    }
    fn source(&mut self, stream: StreamId, id: WrId, offset: Offset, out: &mut [u8]) {
        if self.neighbour.owns(stream) {
            self.neighbour.source(stream, id, offset, out);
        } else {
            self.victim.source(stream, id, offset, out);
        }
    }
    fn sink(&mut self, stream: StreamId, id: WrId, offset: Offset, bytes: &[u8], memories: &mut Memories) {
        if self.neighbour.owns(stream) {
            self.neighbour.sink(stream, id, offset, bytes, memories);
        } else {
            self.victim.sink(stream, id, offset, bytes, memories);
        }
    }
    fn completed(&mut self, now: Time, completion: &Completion) {
        if self.neighbour.owns(completion.stream) {
            self.neighbour.completed(now, completion);
        } else {
            self.victim.completed(now, completion);
        }
    }
    fn landed(&mut self, now: Time, landing: Landing, memories: &mut Memories) {
        self.victim.landed(now, landing, memories);
    }
    fn progress(&self) -> u64 {
        self.victim.progress()
    }
    fn resting_until(&self) -> Time {
        self.victim.resting_until().min(self.neighbour.resting_until())
    }
    fn passed(&mut self, cycles: u64) {
        self.turn ^= cycles % 2 == 1;
        self.victim.passed(cycles);
        self.neighbour.passed(cycles);
    }
    fn describe(&self) -> String {
        format!("{}\n{}", self.victim.describe(), self.neighbour.describe())
    }
}
