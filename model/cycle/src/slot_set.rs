//! A set of slots (at most 256) as a bit vector, as hardware would hold it.

use types::Slot;

/// A set of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotSet([u64; 4]);

impl SlotSet {
    /// Adds a slot.
    pub fn insert(&mut self, slot: Slot) {
        self.0[(usize::from(slot.0) / 64) & 3] |= 1 << (slot.0 % 64);
    }
    /// Removes a slot.
    pub fn remove(&mut self, slot: Slot) {
        self.0[(usize::from(slot.0) / 64) & 3] &= !(1 << (slot.0 % 64));
    }
    /// Whether a slot is in the set.
    pub fn contains(&self, slot: Slot) -> bool {
        self.0[(usize::from(slot.0) / 64) & 3] >> (slot.0 % 64) & 1 == 1
    }
    /// The lowest slot.
    pub fn first(&self) -> Option<Slot> {
        self.0
            .iter()
            .enumerate()
            .find(|(_, w)| **w != 0)
            .map(|(i, w)| Slot((64 * i) as u16 + w.trailing_zeros() as u16))
    }
    /// The lowest slot from `start` on, else the lowest of all: round robin.
    pub fn next(&self, start: Slot) -> Option<Slot> {
        let mut above = *self;
        let word = (usize::from(start.0) / 64) & 3;
        above.0[..word].fill(0);
        above.0[word] &= u64::MAX << (start.0 % 64);
        above.first().or_else(|| self.first())
    }
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
    /// Removes every slot of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (own, gone) in self.0.iter_mut().zip(other.0) {
            *own &= !gone;
        }
    }
    /// Adds every slot of `other`.
    pub fn union(&mut self, other: &Self) {
        for (own, new) in self.0.iter_mut().zip(other.0) {
            *own |= new;
        }
    }
}
