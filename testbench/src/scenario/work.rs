//! The requests of a scenario as a workload: offered in order of their streams, bytes given and checked.

use super::atomics::{Executed, Operand, Operands};
use std::collections::{BTreeMap, VecDeque};
use system::fabric::{Landing, Memories};
use system::pattern::Pattern;
use system::{Time, Workload};
use types::port::{Completion, WorkRequest};
use types::{BusAddr, Offset, StreamId, Syndrome, WrId};

/// A request that has been planned.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Index of the step it belongs to.
    pub(super) step: usize,
    pub(super) wr: WorkRequest,
    /// What an atomic has returned so far.
    returned: Vec<u8>,
    /// Where each byte of a read is, if it is known and does not change: first message offset, address, bytes.
    pub(super) places: Vec<(u32, BusAddr, u32)>,
    /// How it ended.
    pub(super) outcome: Option<Syndrome>,
    /// It was never offered, for its function was reset.
    pub(super) skipped: bool,
    /// Its bytes were compared and differ.
    wrong: Option<String>,
    delivered: u32,
}

/// Every request.
#[derive(Clone, Debug)]
pub(super) struct Work {
    seed: u64,
    depth: usize,
    pub(super) items: Vec<Item>,
    /// Per stream: those not yet offered, and those under way, oldest first.
    queues: BTreeMap<StreamId, (VecDeque<usize>, Vec<usize>)>,
    names: BTreeMap<(StreamId, WrId), usize>,
    turn: u16,
    progress: u64,
    /// Bytes that reached memory since the last look.
    pub(super) landings: Vec<Landing>,
    /// What the operands of atomics held before the first of them.
    operands: Operands,
    /// Something that cannot be: a completion of a request that is not under way.
    pub(super) strange: Option<String>,
}

impl Work {
    /// No requests; a stream has at most `depth` under way.
    pub(super) fn new(seed: u64, depth: u32) -> Self {
        Self {
            seed,
            depth: depth as usize,
            items: Vec::new(),
            queues: BTreeMap::new(),
            names: BTreeMap::new(),
            turn: 0,
            progress: 0,
            landings: Vec::new(),
            operands: Operands::new(),
            strange: None,
        }
    }

    /// The next name on any stream.
    pub(super) fn next_id(&self) -> WrId {
        WrId(self.items.len() as u16)
    }

    pub(super) fn push(&mut self, step: usize, wr: WorkRequest, places: Vec<(u32, BusAddr, u32)>) {
        let index = self.items.len();
        let item =
            Item { step, wr, places, outcome: None, skipped: false, wrong: None, delivered: 0, returned: vec![] };
        self.items.push(item);
        self.queues.entry(wr.stream).or_default().0.push_back(index);
    }

    /// The bytes of a write.
    pub(super) fn pattern(&self, index: usize) -> Pattern {
        Pattern::message(self.seed, 0, index as u64)
    }

    /// Requests of step `step` that have not ended.
    pub(super) fn open_of(&self, step: usize) -> usize {
        self.items.iter().filter(|i| i.step == step && i.outcome.is_none() && !i.skipped).count()
    }

    /// The first thing that was wrong with read data.
    pub(super) fn wrong(&self) -> Option<&String> {
        self.items.iter().find_map(|i| i.wrong.as_ref())
    }

    /// A function was reset: its requests that have not been offered never will be.
    pub(super) fn abandon(&mut self, function: types::FunctionId) {
        let mut skipped = Vec::new();
        for (waiting, _) in self.queues.values_mut() {
            for i in waiting.iter().filter(|i| self.items[**i].wr.function == function) {
                skipped.push(*i);
            }
            waiting.retain(|i| self.items[*i].wr.function != function);
        }
        skipped.into_iter().for_each(|i| self.items[i].skipped = true);
    }

    /// An atomic is planned: what its operand holds is noted, if it is the first there and its place is known.
    pub(super) fn atomic_planned(&mut self, wr: &WorkRequest, places: &[(u32, BusAddr, u32)], memories: &mut Memories) {
        if let [(0, address, length)] = places
            && wr.op.is_atomic()
            && *length == wr.length.0
        {
            self.operands.entry(*address).or_insert_with(|| {
                let mut first = vec![0; *length as usize];
                memories.read(*address, &mut first);
                Operand { first, executed: Vec::new() }
            });
        }
    }

    /// What atomics did to memory that cannot be. An operand with one that may have been executed or not is not judged.
    pub(super) fn atomics_wrong(&self, memories: &mut Memories) -> Option<String> {
        let mut operands = self.operands.clone();
        let placed = |item: &Item| match item.places[..] {
            [(0, address, _)] if item.wr.op.is_atomic() => Some(address),
            _ => None,
        };
        for (index, item) in self.items.iter().enumerate().filter(|(_, i)| i.outcome == Some(Syndrome::OK)) {
            if let Some(operand) = placed(item).and_then(|address| operands.get_mut(&address)) {
                let mut bytes = vec![0; item.wr.op.operand_bytes(item.wr.length.0) as usize];
                self.pattern(index).fill(0, &mut bytes);
                operand.executed.push(Executed { op: item.wr.op, operands: bytes, before: item.returned.clone() });
            }
        }
        // Executed, perhaps, and its answer spoilt or lost on the way back; or its function was reset under way.
        let unclear = |s: Syndrome| s > Syndrome::UNSUPPORTED_REQUEST && s <= Syndrome::BUS_MASTER_OFF;
        for item in self.items.iter().filter(|i| i.outcome.is_none_or(unclear)) {
            placed(item).map(|address| operands.remove(&address));
        }
        operands.into_iter().find_map(|(address, operand)| {
            let mut held = vec![0; operand.first.len()];
            memories.read(address, &mut held);
            operand.wrong(&held).map(|why| format!("atomics at {address}: {why}"))
        })
    }

    /// Bytes of ended reads and atomics that were not delivered.
    pub(super) fn undelivered(&self) -> Option<&Item> {
        let read = |i: &&Item| i.wr.op.reads() && i.outcome == Some(Syndrome::OK);
        self.items.iter().filter(read).find(|i| i.delivered != i.wr.length.0)
    }
}

impl Workload for Work {
    fn tick(&mut self, _: Time, _: &mut Memories) {}

    fn offer(&mut self, _: Time) -> Option<WorkRequest> {
        let depth = self.depth;
        let after: Vec<StreamId> = self
            .queues
            .range(StreamId(self.turn)..)
            .chain(self.queues.range(..StreamId(self.turn)))
            .map(|q| *q.0)
            .collect();
        for stream in after {
            let Some((waiting, open)) = self.queues.get_mut(&stream) else { continue };
            if open.len() >= depth {
                continue;
            }
            let Some(index) = waiting.pop_front() else { continue };
            open.push(index);
            let wr = self.items[index].wr;
            self.names.insert((stream, wr.id), index);
            self.turn = stream.0 + 1;
            return Some(wr);
        }
        None
    }

    fn source(&mut self, stream: StreamId, id: WrId, offset: Offset, out: &mut [u8]) {
        if let Some(index) = self.names.get(&(stream, id)) {
            self.pattern(*index).fill(u64::from(offset.0), out);
        }
    }

    fn sink(&mut self, stream: StreamId, id: WrId, offset: Offset, bytes: &[u8], memories: &mut Memories) {
        self.progress += 1;
        let Some(index) = self.names.get(&(stream, id)) else { return };
        let item = &mut self.items[*index];
        item.delivered += bytes.len() as u32;
        if item.wr.op.is_atomic() {
            // Looked at once all have ended.
            item.returned.extend_from_slice(bytes);
            return;
        }
        let mut expected = vec![0; bytes.len()];
        for (first, address, length) in &item.places {
            // The part of this piece that was delivered now.
            let (start, end) = (offset.0.max(*first), (offset.0 + bytes.len() as u32).min(first + length));
            if start < end {
                let within = (start - offset.0) as usize..(end - offset.0) as usize;
                memories.read(BusAddr(address.0 + u64::from(start - first)), &mut expected[within.clone()]);
                if expected[within.clone()] != bytes[within] {
                    item.wrong
                        .get_or_insert_with(|| format!("read {id} of stream {stream}: bytes from {start} on differ"));
                }
            }
        }
    }

    fn completed(&mut self, _: Time, completion: &Completion) {
        self.progress += 1;
        let key = (completion.stream, completion.id);
        let Some(index) = self.names.remove(&key) else {
            self.strange.get_or_insert_with(|| format!("a completion of request {} of stream {}", key.1, key.0));
            return;
        };
        self.items[index].outcome = Some(completion.syndrome);
        if let Some((_, open)) = self.queues.get_mut(&completion.stream) {
            open.retain(|i| *i != index);
        }
    }

    fn landed(&mut self, _: Time, landing: Landing, _: &mut Memories) {
        self.progress += 1;
        self.landings.push(landing);
    }

    fn progress(&self) -> u64 {
        self.progress
    }

    fn describe(&self) -> String {
        let open: Vec<String> = self
            .items
            .iter()
            .filter(|i| i.outcome.is_none())
            .take(4)
            .map(|i| format!("request {} of stream {}", i.wr.id, i.wr.stream))
            .collect();
        open.join(", ")
    }
}
