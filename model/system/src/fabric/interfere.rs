//! Deliberate interference with TLPs on the NIC's link, for tests: rules that pick the n-th TLP of a kind and lose it,
//! delay it, double it or change it. It takes place where the link ends, so that what the unit is shown and what the
//! far side is shown is what has arrived there.

use super::kind::{Kinds, TlpKind};
use super::packet::{Class, Packet};
use super::root::space_of;
use super::{Fabric, Landing, NIC_DOWN, NIC_UP};
use crate::time::Time;
use serde::{Deserialize, Serialize};
use types::tlp::{Body, status};
use types::{ByteCount, Iova, RequesterId, Tag, TlpAddr};

/// What is done with a TLP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Act {
    /// It is lost.
    Drop,
    /// It comes later by so many nanoseconds. What may not overtake it waits behind it.
    DelayNs(u64),
    /// It waits until [`Fabric::release_held`] is called with this name. What may not overtake it waits behind it.
    Hold(String),
    /// The next TLP of its kind that may overtake it does.
    Reorder,
    /// It comes a second time, so many nanoseconds later.
    DuplicateNs(u64),
    /// EP is set.
    Poison,
    /// A completion is replaced by one without data and with this status.
    Status(u8),
    /// The byte count of a completion is changed by so much.
    ByteCount(i16),
    /// The payload, and the length in the header, are cut by so many DW.
    ShortenDw(u16),
    /// The payload, and the length in the header, grow by so many DW of zeros.
    LengthenDw(u16),
    /// Bits of one payload byte are flipped.
    Flip {
        /// Byte of the payload, from its start.
        byte: usize,
        /// Bits.
        mask: u8,
    },
    /// The payload is turned around, last byte first.
    Reverse,
    /// A completion gets another tag, a message another ITag, by exclusive or.
    TagXor(u16),
    /// The requester of a message, or the requester that a completion names, is changed by exclusive or.
    RequesterXor(u16),
    /// The ITag vector of an Invalidate Completion is changed by exclusive or.
    ItagsXor(u32),
    /// The address of a memory request is changed by exclusive or.
    AddressXor(u64),
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Kind of the TLP.
    pub tlp: TlpKind,
    /// Which of its kind, from 1.
    #[serde(default = "one")]
    pub nth: u64,
    /// How many, from the n-th on.
    #[serde(default = "one")]
    pub count: u64,
    /// What is done with it.
    pub act: Act,
}

fn one() -> u64 {
    1
}

/// What may not overtake each other: posted TLPs of one direction, completions of one tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Posted(bool),
    Completion(RequesterId, Tag),
}

#[derive(Clone, Debug)]
struct Waiting {
    due: Time,
    up: bool,
    kind: TlpKind,
    lane: Option<Lane>,
    hold: Option<String>,
    reorder: bool,
    packet: Packet,
}

/// Rules, and the TLPs that wait because of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Interference {
    kinds: Kinds,
    rules: Vec<(Rule, u64)>,
    /// In order of arrival.
    waiting: Vec<Waiting>,
    applied: u64,
}

enum Pass {
    Deliver(Packet),
    Kept,
    Dropped(Packet),
}

impl Interference {
    fn pass(&mut self, now: Time, up: bool, mut packet: Packet, tables: (Iova, ByteCount)) -> Pass {
        let kind = if up { self.kinds.outgoing(&packet.tlp, tables) } else { self.kinds.incoming(&packet.tlp) };
        let lane = lane(up, &packet);
        let mut waiting =
            Waiting { due: now, up, kind, lane, hold: None, reorder: false, packet: Packet::empty(&packet) };
        let mut kept = false;
        for (rule, seen) in &mut self.rules {
            if rule.tlp != kind {
                continue;
            }
            *seen += 1;
            if *seen < rule.nth || *seen - rule.nth >= rule.count {
                continue;
            }
            self.applied += 1;
            match &rule.act {
                Act::Drop => return Pass::Dropped(packet),
                Act::DelayNs(ns) => (kept, waiting.due) = (true, now + Time::from_ns(*ns)),
                Act::Hold(name) => (kept, waiting.due, waiting.hold) = (true, Time::NEVER, Some(name.clone())),
                Act::Reorder => (kept, waiting.due, waiting.reorder) = (true, Time::NEVER, true),
                Act::DuplicateNs(ns) => self.waiting.push(Waiting {
                    due: now + Time::from_ns(*ns),
                    lane: None,
                    packet: packet.clone(),
                    ..waiting.clone()
                }),
                act => change(act, &mut packet),
            }
        }
        // What may not overtake a TLP that waits goes with it.
        if let Some(first) = self.waiting.iter().rev().find(|w| lane.is_some() && w.lane == lane) {
            kept = true;
            waiting.due = waiting.due.max(first.due);
            if waiting.hold.is_none() {
                (waiting.hold, waiting.reorder) = (first.hold.clone(), first.reorder);
            }
        }
        if kept {
            self.waiting.push(Waiting { packet, ..waiting });
            return Pass::Kept;
        }
        for w in &mut self.waiting {
            if w.reorder && w.kind == kind && w.lane != lane {
                (w.due, w.reorder) = (now, false);
            }
        }
        Pass::Deliver(packet)
    }

    pub(super) fn next(&self) -> Time {
        self.waiting.iter().map(|w| w.due).min().unwrap_or(Time::NEVER)
    }

    fn pop(&mut self, now: Time) -> Option<(bool, Packet)> {
        let due = self.next();
        let at = self.waiting.iter().position(|w| w.due == due && due <= now)?;
        let w = self.waiting.remove(at);
        Some((w.up, w.packet))
    }
}

impl Packet {
    /// The packet without its payload.
    fn empty(of: &Self) -> Self {
        Self { tlp: of.tlp, payload: Vec::new() }
    }
}

fn lane(up: bool, packet: &Packet) -> Option<Lane> {
    match (packet.class(), packet.tlp.body) {
        (Class::Posted, _) => Some(Lane::Posted(up)),
        (_, Body::Completion { requester, tag, .. }) => Some(Lane::Completion(requester, tag)),
        _ => None,
    }
}

/// Changes a TLP; an act that does not fit its kind changes nothing.
fn change(act: &Act, packet: &mut Packet) {
    let Packet { tlp, payload } = packet;
    match (act, &mut tlp.body) {
        (Act::Poison, _) => tlp.poisoned = true,
        (Act::Status(code), Body::Completion { with_data, status, .. }) => {
            (*status, *with_data) = (*code, *code == status::SC && *with_data);
            if !*with_data {
                payload.clear();
                tlp.length_dw = 0;
            }
        }
        (Act::ByteCount(by), Body::Completion { byte_count, .. }) => {
            *byte_count = byte_count.saturating_add_signed(*by).clamp(1, 4096);
        }
        (Act::ShortenDw(by), _) if usize::from(*by) * 4 < payload.len() => {
            payload.truncate(payload.len() - 4 * usize::from(*by));
            tlp.length_dw -= by;
        }
        (Act::LengthenDw(by), _) if !payload.is_empty() => {
            payload.resize(payload.len() + 4 * usize::from(*by), 0);
            tlp.length_dw += by;
        }
        (Act::Flip { byte, mask }, _) => {
            if let Some(byte) = payload.get_mut(*byte) {
                *byte ^= mask;
            }
        }
        (Act::Reverse, _) => payload.reverse(),
        (Act::TagXor(bits), Body::Completion { tag, .. } | Body::Message { tag, .. }) => tag.0 ^= bits,
        (Act::RequesterXor(bits), Body::Completion { requester, .. } | Body::Message { requester, .. }) => {
            requester.0 ^= bits;
        }
        (Act::ItagsXor(bits), Body::Message { dw3, .. }) => *dw3 ^= bits,
        (Act::AddressXor(bits), Body::Memory { address, .. }) => *address = TlpAddr(address.0 ^ bits),
        _ => {}
    }
}

impl Fabric {
    /// Adds rules of interference.
    pub fn interfere(&mut self, rules: impl IntoIterator<Item = Rule>) {
        let interference = self.interference.get_or_insert_default();
        interference.rules.extend(rules.into_iter().map(|rule| (rule, 0)));
    }

    /// How often a rule was applied.
    pub fn interfered(&self) -> u64 {
        self.interference.as_ref().map_or(0, |i| i.applied)
    }

    /// TLPs that wait because of a rule.
    pub fn held(&self) -> usize {
        self.interference.as_ref().map_or(0, |i| i.waiting.len())
    }

    /// Lets the TLPs go that wait under a name; from now on none is held under it.
    pub fn release_held(&mut self, now: Time, name: &str) {
        let Some(interference) = &mut self.interference else { return };
        interference.rules.retain(|(rule, _)| rule.act != Act::Hold(name.to_string()));
        for w in interference.waiting.iter_mut().filter(|w| w.hold.as_deref() == Some(name)) {
            (w.due, w.hold) = (now, None);
        }
        self.next = self.earliest();
    }

    /// A packet that has arrived, unless interference keeps it.
    pub(super) fn interfere_with(&mut self, now: Time, link: usize, packet: Packet) -> Option<Packet> {
        let Some(interference) = &mut self.interference else { return Some(packet) };
        let waiting = interference.waiting.len();
        let (up, space) = (link == NIC_UP, space_of(&packet));
        let pass = interference.pass(now, up, packet, self.memories.tables.window());
        match pass {
            Pass::Deliver(packet) => {
                // A double takes buffer space of its own.
                if interference.waiting.len() > waiting {
                    self.channels[link].occupy(space);
                }
                Some(packet)
            }
            Pass::Kept => None,
            Pass::Dropped(packet) => {
                self.release(now, link, space);
                self.pool.give(packet.payload);
                None
            }
        }
    }

    /// The TLP that has waited and is due.
    pub(super) fn late_arrival(&mut self, now: Time) -> Option<Landing> {
        let (up, packet) = self.interference.as_mut()?.pop(now)?;
        self.deliver(now, if up { NIC_UP } else { NIC_DOWN }, packet)
    }
}
