//! Delivery of read data in `dma`: slots leave the ring in issue order, one packet each.
//!
//! ```text
//! ring head arrived ─► [packet] ─► row pair read ─► [row] ─► [read_data] ─► completion at the end of the request
//! ```
//!
//! | stage | from edge to edge |
//! |---|---|
//! | packet | slot complete in cycle a, its entry in the packet register in cycle a+1; the next slot follows without a gap |
//! | row | one beat a cycle in the buffer's output register from cycle a+2 |
//! | out | on `read_data` in cycle a+3; the completion goes to the arbiter with the edge that takes the last beat |
//!
//! A request that failed delivers nothing more: the rest of its slots are dropped, one a cycle. The first failure in
//! delivery order is its outcome.
//!
//! Progress: only the ready of `read_data` and of `completion` hold it back; neither tags nor issue of reads to other
//! slots wait for it.

use super::reassembly::{Reassembly, SlotEntry};
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::Syndrome;
use types::bits::mask;
use types::port::{Completion, DmaIn, FlushNote, ReadData};

/// Completions waiting for the arbiter.
const COMPLETIONS: usize = 4;

/// A slot on its way out.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    live: bool,
    slot: u16,
    entry: SlotEntry,
    /// Bytes read from the buffer.
    read: u32,
    /// Outcome of the request so far; not `OK`: deliver nothing.
    outcome: Syndrome,
}

/// A beat, the end of a request, or both.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    beat: ReadData,
    end: Completion,
}

impl Row {
    fn live(&self) -> bool {
        self.beat.valid || self.end.valid
    }
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Deliver {
    bytes: u32,
    packet: Packet,
    row: Row,
    out: Row,
    /// Outcome so far of the request that each stream is delivering.
    outcomes: Box<[Syndrome]>,
    flushed: FlushNote,
    completions: VecDeque<Completion>,
}

impl Deliver {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        Self {
            bytes: cfg.data_bytes(),
            packet: Packet::default(),
            row: Row::default(),
            out: Row::default(),
            outcomes: vec![Syndrome::OK; 1 << cfg.stream_bits()].into(),
            flushed: FlushNote::default(),
            completions: VecDeque::with_capacity(COMPLETIONS),
        }
    }

    /// Whether nothing is under way behind the ring.
    pub(super) fn idle(&self) -> bool {
        let empty = !self.packet.live && !self.row.live() && !self.out.live();
        empty && self.completions.is_empty() && !self.flushed.valid
    }
    /// The end of a flush, for one cycle.
    pub(super) fn flushed(&self) -> FlushNote {
        self.flushed
    }
    pub(super) fn read_data(&self) -> &ReadData {
        &self.out.beat
    }
    /// The completion queue, for the arbiter.
    pub(super) fn completions(&mut self) -> &mut VecDeque<Completion> {
        &mut self.completions
    }

    /// One edge.
    pub(super) fn step(&mut self, inp: &DmaIn, buffer: &mut Reassembly) {
        self.flushed = FlushNote::default();
        if self.out.live() && (inp.read_data_ready || !self.out.beat.valid) {
            if self.out.end.valid {
                self.completions.push_back(self.out.end);
            }
            self.out = Row::default();
        }
        // The end of a request enters the output register only with a place for its completion.
        if self.row.live() && !self.out.live() && (!self.row.end.valid || self.completions.len() < COMPLETIONS) {
            self.out = std::mem::take(&mut self.row);
        }
        if self.packet.live && !self.row.live() {
            self.read(buffer);
        }
        if !self.packet.live
            && let Some((slot, entry)) = buffer.hand_over()
        {
            let outcome = &mut self.outcomes[usize::from(entry.stream.0)];
            // A flush is no part of a read request of its stream.
            let mut own = entry.syndrome;
            let outcome = if entry.flush { &mut own } else { outcome };
            if outcome.is_ok() {
                *outcome = entry.syndrome;
            }
            self.packet = Packet { live: true, slot, entry, read: 0, outcome: *outcome };
            if entry.end {
                *outcome = Syndrome::OK;
            }
        }
    }

    /// Reads the next beat of the packet, or drops the packet.
    fn read(&mut self, buffer: &mut Reassembly) {
        let entry = self.packet.entry;
        let packet = &mut self.packet;
        let deliver = packet.outcome.is_ok() && entry.length != 0;
        let bytes = if deliver { self.bytes.min(entry.length - packet.read) } else { 0 };
        let done = !deliver || packet.read + bytes == entry.length;
        if deliver {
            self.row.beat = ReadData {
                valid: true,
                stream: entry.stream,
                id: entry.id,
                offset: entry.offset,
                data: buffer.row(packet.slot, entry.pad, packet.read, bytes),
                keep: mask(bytes),
                last: done,
            };
        }
        if done {
            if entry.end {
                self.row.end = Completion {
                    valid: true,
                    id: entry.id,
                    function: entry.function,
                    stream: entry.stream,
                    syndrome: packet.outcome,
                };
            }
            if entry.flush {
                self.flushed = FlushNote { valid: true, stream: entry.stream, syndrome: packet.outcome };
            }
            buffer.release(packet.slot);
            packet.live = false;
        }
        packet.read += bytes;
    }
}
