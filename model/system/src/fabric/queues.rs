//! Packets that wait for an egress, by flow control class, with the ordering rules between classes.

use super::packet::{Class, Packet};
use std::collections::VecDeque;

/// Three queues of one ingress (or of one device's own packets).
#[derive(Clone, Debug)]
pub(super) struct Queues {
    waiting: [VecDeque<(u64, Packet)>; 3],
    sequence: u64,
    length: usize,
}

/// Order in which the classes are tried: posted first, since nothing may hold it up.
pub(super) const CLASSES: [Class; 3] = [Class::Posted, Class::Completion, Class::NonPosted];

impl Queues {
    /// Empty queues.
    pub(super) fn new() -> Self {
        Self { waiting: std::array::from_fn(|_| VecDeque::with_capacity(64)), sequence: 0, length: 0 }
    }
    /// Appends a packet.
    pub(super) fn push(&mut self, packet: Packet) {
        self.waiting[packet.class() as usize].push_back((self.sequence, packet));
        self.sequence += 1;
        self.length += 1;
    }
    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// Packets that wait.
    pub(super) fn len(&self) -> usize {
        self.length
    }
    /// The next packet of `class` that may leave: reads and completions do not pass an older posted packet, unless a
    /// completion is marked relaxed (PCIe 6.x 2.4.1).
    pub(super) fn head(&self, class: Class) -> Option<&Packet> {
        let (sequence, packet) = self.waiting[class as usize].front()?;
        let relaxed = class == Class::Completion && packet.tlp.attributes.relaxed;
        match self.waiting[Class::Posted as usize].front() {
            Some((posted, _)) if class != Class::Posted && posted < sequence && !relaxed => None,
            _ => Some(packet),
        }
    }
    /// Takes the packet that [`Queues::head`] showed.
    pub(super) fn pop(&mut self, class: Class) -> Option<Packet> {
        let packet = self.waiting[class as usize].pop_front().map(|(_, packet)| packet);
        self.length -= usize::from(packet.is_some());
        packet
    }
}

impl Default for Queues {
    fn default() -> Self {
        Self::new()
    }
}
