//! One direction of a PCIe link: time on the wire, flight, flow control credits.

use super::packet::{Class, Packet};
use crate::config::LinkConfig;
use crate::time::Time;
use std::collections::VecDeque;

/// Bytes of an ACK or flow control DLLP on the wire.
const DLLP_BYTES: u64 = 8;

/// Credits of one class; `u32::MAX` headers or data means infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreditCount {
    /// Headers.
    pub headers: u32,
    /// Data, units of 16 bytes.
    pub data: u32,
}

impl CreditCount {
    const INFINITE: Self = Self { headers: u32::MAX, data: u32::MAX };

    fn covers(&self, data: u32) -> bool {
        self.headers >= 1 && self.data >= data
    }
    fn take(&mut self, data: u32) {
        if self.headers != u32::MAX {
            self.headers = self.headers.saturating_sub(1);
        }
        if self.data != u32::MAX {
            self.data = self.data.saturating_sub(data);
        }
    }
    fn give(&mut self, data: u32) {
        // Infinite stays infinite.
        self.headers = self.headers.saturating_add(1);
        self.data = self.data.saturating_add(data);
    }
}

#[derive(Clone, Copy, Debug)]
struct Return {
    at: Time,
    class: Class,
    data: u32,
}

/// Counters of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelCounts {
    /// TLPs sent.
    pub tlps: u64,
    /// Bytes of TLPs on the wire.
    pub tlp_bytes: u64,
    /// Payload bytes.
    pub payload_bytes: u64,
    /// Bytes of DLLPs on the wire.
    pub dllp_bytes: u64,
}

/// One direction of a link, from the sender's transmitter to the receiver's buffer.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Femtoseconds a byte takes, SKP ordered sets and line coding included.
    fs_per_byte: u64,
    latency: Time,
    /// When the transmitter is free, in femtoseconds.
    busy_fs: u64,
    credits: [CreditCount; 3],
    returns: VecDeque<Return>,
    flight: VecDeque<(Time, Packet)>,
    tlps_per_ack: u32,
    tlps_per_update: u32,
    unacknowledged: u32,
    unreported: u32,
    /// Credits of a class do not come back for now; those that would have.
    hold: [bool; 3],
    held: Vec<Return>,
    counts: ChannelCounts,
}

/// Femtoseconds that a byte takes on a link of `generation` (1 to 6) and `lanes`: 8b/10b, 128b/130b or, in generation 6,
/// FLITs that carry 236 bytes of TLPs in 256; and one SKP ordered set of 4 symbols in 1538 symbols.
fn femtoseconds_per_byte(generation: u32, lanes: u32) -> u64 {
    let (mega_transfers, coded, plain) = match generation {
        1 => (2_500, 10, 8),
        2 => (5_000, 10, 8),
        3 => (8_000, 130, 128),
        4 => (16_000, 130, 128),
        5 => (32_000, 130, 128),
        _ => (64_000, 256, 236),
    };
    // 8 bits a byte × coding × SKP share, over lanes × transfers a second.
    let numerator = 8 * 1_000_000_000_u64 * coded * 1538;
    numerator.div_ceil(mega_transfers * u64::from(lanes) * plain * 1534)
}

impl Channel {
    /// One direction of a link; `extra` is the receiver's own latency, `sinks_completions` is true when the receiver is
    /// an endpoint or root complex, which must advertise infinite completion credits.
    pub fn new(cfg: &LinkConfig, extra: Time, sinks_completions: bool) -> Self {
        let completion = CreditCount { headers: cfg.completion_header_credits, data: cfg.completion_data_credits };
        Self {
            fs_per_byte: femtoseconds_per_byte(cfg.generation, cfg.lanes),
            latency: Time::from_ns(cfg.latency_ns) + extra,
            busy_fs: 0,
            credits: [
                CreditCount { headers: cfg.posted_header_credits, data: cfg.posted_data_credits },
                CreditCount { headers: cfg.non_posted_header_credits, data: cfg.non_posted_data_credits },
                if sinks_completions { CreditCount::INFINITE } else { completion },
            ],
            returns: VecDeque::with_capacity(256),
            flight: VecDeque::with_capacity(256),
            tlps_per_ack: cfg.tlps_per_ack,
            tlps_per_update: cfg.tlps_per_credit_update,
            unacknowledged: 0,
            unreported: 0,
            hold: [false; 3],
            held: Vec::new(),
            counts: ChannelCounts::default(),
        }
    }

    /// When the transmitter is free.
    pub fn free_at(&self) -> Time {
        Time(self.busy_fs.div_ceil(1000))
    }

    /// Takes in the credits that have come back by `now`.
    #[inline]
    pub fn collect(&mut self, now: Time) {
        while let Some(back) = self.returns.front()
            && back.at <= now
        {
            if self.hold[back.class as usize] {
                self.held.push(*back);
            } else {
                self.credits[back.class as usize].give(back.data);
            }
            self.returns.pop_front();
        }
    }

    /// When the next credits come back that are under way.
    pub fn next_return(&self) -> Time {
        self.returns.front().map_or(Time::NEVER, |back| back.at)
    }

    /// Credits at hand, as of the last [`Channel::collect`].
    pub fn credits(&self, class: Class) -> CreditCount {
        self.credits[class as usize]
    }

    /// Keeps the transmitter from starting another packet before `until`.
    pub fn stall(&mut self, until: Time) {
        self.busy_fs = self.busy_fs.max(until.0.saturating_mul(1000));
    }
    /// Keeps credits of a class from coming back, or lets them come again.
    pub fn hold_credits(&mut self, class: Class, hold: bool) {
        self.hold[class as usize] = hold;
        if !hold {
            let (back, rest) = std::mem::take(&mut self.held).into_iter().partition(|r| r.class == class);
            self.held = rest;
            Vec::into_iter(back).for_each(|r: Return| self.credits[class as usize].give(r.data));
        }
    }
    /// Takes buffer space at the receiver for a packet that was never sent.
    pub fn occupy(&mut self, (class, data): (Class, u32)) {
        self.credits[class as usize].take(data);
    }

    /// When `packet` may start, as far as is known: `now` when at once, [`Time::NEVER`] when it waits for credits that
    /// the receiver has not released.
    pub fn start_time(&mut self, now: Time, packet: &Packet) -> Time {
        self.collect(now);
        let free = self.free_at().max(now);
        if self.credits[packet.class() as usize].covers(packet.data_credits()) {
            return free;
        }
        self.returns.front().map_or(Time::NEVER, |back| back.at.max(free))
    }

    /// Puts `packet` on the wire behind what is there; credits must suffice. The time is that of its last byte leaving.
    pub fn send(&mut self, now: Time, packet: Packet) -> Time {
        self.collect(now);
        let bytes = packet.wire_bytes();
        self.credits[packet.class() as usize].take(packet.data_credits());
        self.counts.tlps += 1;
        self.counts.tlp_bytes += bytes;
        self.counts.payload_bytes += packet.payload.len() as u64;
        self.busy_fs = self.busy_fs.max(now.0 * 1000) + bytes * self.fs_per_byte;
        let end = self.free_at();
        self.flight.push_back((end + self.latency, packet));
        end
    }

    /// When the next packet reaches the receiver.
    #[inline]
    pub fn next_arrival(&self) -> Time {
        self.flight.front().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// The next packet, which has arrived.
    pub fn arrive(&mut self) -> Option<Packet> {
        self.flight.pop_front().map(|(_, packet)| packet)
    }

    /// The receiver has room again for a packet of `class` with `data` credits; the sender knows after the flight back.
    /// The number is how many DLLPs the receiver must send in the other direction: an ACK, a credit update.
    pub fn release(&mut self, now: Time, class: Class, data: u32) -> u32 {
        self.returns.push_back(Return { at: now + self.latency, class, data });
        self.unacknowledged += 1;
        self.unreported += 1;
        let mut dllps = 0;
        if self.unacknowledged >= self.tlps_per_ack {
            self.unacknowledged = 0;
            dllps += 1;
        }
        if self.unreported >= self.tlps_per_update {
            self.unreported = 0;
            dllps += 1;
        }
        dllps
    }

    /// Sends `count` DLLPs that acknowledge the other direction.
    pub fn send_dllps(&mut self, now: Time, count: u32) {
        if count > 0 {
            let bytes = u64::from(count) * DLLP_BYTES;
            self.counts.dllp_bytes += bytes;
            self.busy_fs = self.busy_fs.max(now.0 * 1000) + bytes * self.fs_per_byte;
        }
    }

    /// Counters.
    pub fn counts(&self) -> ChannelCounts {
        self.counts
    }
    /// Packets in flight.
    pub fn in_flight(&self) -> usize {
        self.flight.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_takes_as_long_as_generation_and_width_say() {
        // Gen4 x16: 16 GT/s × 16 lanes × 128/130 = 252.06 Gb/s, less 4 in 1538 for SKP = 251.41 Gb/s:
        // 8 bits / 251.41 Gb/s = 31.82 ps.
        assert_eq!(femtoseconds_per_byte(4, 16), 31_822);
        // Gen1 x4: 2.5 GT/s × 4 × 8/10 = 8 Gb/s: 1 ns a byte, and the SKP share.
        assert_eq!(femtoseconds_per_byte(1, 4), 1_002_608);
        // Gen6 x16: 64 GT/s × 16 = 1024 Gb/s, 236 bytes of 256 and the SKP share: 941.5 Gb/s, 8.497 ps a byte.
        assert_eq!(femtoseconds_per_byte(6, 16), 8_497);
    }
}
