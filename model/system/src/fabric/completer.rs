//! Answers to reads: when they come, and how they are cut into completions.

use super::packet::{Packet, Pool};
use crate::random::Random;
use crate::time::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use types::tlp::{Attributes, Body, MemoryOp, status};
use types::{BusAddr, RequesterId, Tlp};

/// How a completer cuts and delays its answers.
#[derive(Clone, Copy, Debug)]
pub struct CompletionRules {
    /// Read Completion Boundary in bytes, 64 or 128.
    pub boundary: u32,
    /// Largest payload of a completion in bytes, a multiple of the boundary, at most the requester's MPS.
    pub payload: u32,
    /// Cut at random places among those the boundary allows.
    pub random_splits: bool,
    /// Up to this much extra delay for each answer and for each of its completions.
    pub jitter: Time,
}

/// What happens at the end of a delay.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Memory is read now and the data sent back.
    Read {
        /// The request.
        request: Tlp,
        /// Where to read, DW-aligned.
        address: BusAddr,
    },
    /// Memory is read and changed now, and what it held is sent back.
    Atomic {
        /// The request.
        request: Tlp,
        /// Where, at a multiple of the operand's size.
        address: BusAddr,
        /// Operands.
        payload: Vec<u8>,
    },
    /// The request is passed on to a peer.
    Peer {
        /// The request.
        request: Tlp,
        /// Where to read, DW-aligned.
        address: BusAddr,
        /// Operands of an atomic.
        payload: Vec<u8>,
    },
    /// A finished packet is sent.
    Send(Packet),
    /// A Page Request is answered.
    Page(Tlp),
}

/// Answers of one device, in order of their time.
#[derive(Clone, Debug)]
pub struct Completer {
    id: RequesterId,
    rules: CompletionRules,
    random: Random,
    due: BinaryHeap<Reverse<(Time, u64, u32)>>,
    replies: Vec<Option<Reply>>,
    free: Vec<u32>,
    sequence: u64,
}

/// First byte's place in its 128-byte line, and number of bytes, of the range a request names (PCIe 6.x 2.3.1.1). Of an
/// atomic, what its completion says: Lower Address zero, and the bytes of an operand.
pub fn enabled_range(request: &Tlp) -> (u8, u16) {
    let Body::Memory { op, address, first_be, last_be, .. } = request.body else { return (0, 0) };
    let dws = u32::from(request.length_dw);
    if op.is_atomic() {
        // Byte enables and Lower Address are reserved; one operand comes back.
        let operands = if op == MemoryOp::Cas { 2 } else { 1 };
        return (0, (4 * dws / operands) as u16);
    }
    if first_be == 0 {
        // A zero-length read counts one byte.
        return ((address.0 & 0x7c) as u8, 1);
    }
    let skip = first_be.trailing_zeros();
    let end = if dws == 1 { 8 - first_be.leading_zeros() } else { 8 - last_be.leading_zeros() };
    let bytes = 4 * (dws - 1) + end - skip;
    (((address.0 as u32 + skip) & 0x7f) as u8, bytes as u16)
}

impl Completer {
    /// The completer of device `id`.
    pub fn new(id: RequesterId, rules: CompletionRules, random: Random) -> Self {
        Self {
            id,
            rules,
            random,
            due: BinaryHeap::with_capacity(512),
            replies: Vec::with_capacity(512),
            free: Vec::with_capacity(512),
            sequence: 0,
        }
    }

    /// Schedules `reply` for `at`, later by the jitter.
    pub fn schedule(&mut self, at: Time, reply: Reply) {
        let at = at + Time(self.random_delay());
        self.schedule_exactly(at, reply);
    }

    /// Schedules packets of one answer from `at` on, each later than the one before by the jitter at most.
    pub fn schedule_in_order(&mut self, mut at: Time, packets: impl IntoIterator<Item = Packet>) {
        for packet in packets {
            at += Time(self.random_delay());
            self.schedule_exactly(at, Reply::Send(packet));
        }
    }

    fn schedule_exactly(&mut self, at: Time, reply: Reply) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.replies.push(None);
            (self.replies.len() - 1) as u32
        });
        self.replies[slot as usize] = Some(reply);
        self.due.push(Reverse((at, self.sequence, slot)));
        self.sequence += 1;
    }

    fn random_delay(&mut self) -> u64 {
        if self.rules.jitter.0 == 0 { 0 } else { self.random.below(self.rules.jitter.0) }
    }

    /// When the next reply is due.
    #[inline]
    pub fn next(&self) -> Time {
        self.due.peek().map_or(Time::NEVER, |Reverse((at, ..))| *at)
    }

    /// The reply that is due next.
    pub fn pop(&mut self) -> Option<Reply> {
        let Reverse((_, _, slot)) = self.due.pop()?;
        self.free.push(slot);
        self.replies[slot as usize].take()
    }

    /// Replies that are waiting.
    pub fn pending(&self) -> usize {
        self.due.len()
    }

    /// A completion without data.
    pub fn refusal(&self, request: &Tlp, code: u8) -> Packet {
        self.completion(request, code, enabled_range(request).1.max(1), 0, Vec::new())
    }

    /// A completion with the payload given; `byte_count` includes what follows.
    pub fn completion(&self, request: &Tlp, code: u8, byte_count: u16, lower_address: u8, payload: Vec<u8>) -> Packet {
        let (requester, tag) = match request.body {
            Body::Memory { requester, tag, .. } => (requester, tag),
            _ => Default::default(),
        };
        let body = Body::Completion {
            with_data: !payload.is_empty(),
            completer: self.id,
            status: code,
            byte_count,
            requester,
            tag,
            lower_address,
        };
        let tlp = Tlp {
            tc: request.tc,
            attributes: Attributes { no_snoop: false, ..request.attributes },
            poisoned: false,
            length_dw: (payload.len() / 4) as u16,
            body,
            pasid: Default::default(),
        };
        Packet { tlp, payload }
    }

    /// The completion of an atomic, with what memory held before.
    pub fn atomic_answer(&self, request: &Tlp, before: Vec<u8>) -> Packet {
        let (lower, count) = enabled_range(request);
        self.completion(request, status::SC, count, lower, before)
    }

    /// Cuts the data of a read into completions. `read(first byte, buffer)` fetches data; packets go to `send` at once or,
    /// with jitter, are scheduled, those of one request in order.
    pub fn answer(
        &mut self,
        now: Time,
        request: &Tlp,
        address: BusAddr,
        pool: &mut Pool,
        mut read: impl FnMut(BusAddr, &mut [u8]),
        mut send: impl FnMut(Packet),
    ) {
        let (mut lower, mut count) = enabled_range(request);
        let end = address.0 + 4 * u64::from(request.length_dw);
        let mut at = address.0;
        let mut time = now;
        while at < end {
            let stop = self.cut(at, end);
            let mut payload = pool.take();
            payload.resize((stop - at) as usize, 0);
            read(BusAddr(at), &mut payload);
            let packet = self.completion(request, status::SC, count, lower, payload);
            // Bytes of this piece that were asked for: up to its end, from the first enabled byte on.
            let skip = if at == address.0 { u64::from(lower) & 3 } else { 0 };
            count = count.saturating_sub((stop - at - skip) as u16);
            lower = (stop & 0x7f) as u8;
            at = stop;
            let delay = self.random_delay();
            if delay == 0 && time == now {
                send(packet);
            } else {
                time += Time(delay);
                self.schedule_exactly(time, Reply::Send(packet));
            }
        }
    }

    /// Where the completion that starts at `at` ends: at a multiple of the boundary, at most the payload limit away.
    fn cut(&mut self, at: u64, end: u64) -> u64 {
        let (boundary, payload) = (u64::from(self.rules.boundary), u64::from(self.rules.payload));
        let furthest = (at + payload) / boundary * boundary;
        let stop = if self.rules.random_splits {
            let nearest = at / boundary * boundary + boundary;
            nearest + boundary * self.random.below((furthest - nearest) / boundary + 1)
        } else {
            at / payload * payload + payload
        };
        stop.min(end)
    }
}
