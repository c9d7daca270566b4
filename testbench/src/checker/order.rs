//! Order within a stream: data TLPs against the order in which the test bench says they are issued.

use super::Breach;
use std::collections::{BTreeMap, VecDeque};
use types::{Length, StreamId, TlpAddr};

/// Direction of a data access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Memory writes.
    Write,
    /// Memory reads.
    Read,
}

/// Bytes still to be sent at one place.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    left: u32,
}

impl Range {
    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (u128::from(self.start), u128::from(other.start));
        a < b + u128::from(other.left) && b < a + u128::from(self.left)
    }
}

/// What each stream sends next, in each direction.
#[derive(Debug, Default)]
pub(super) struct Order {
    queues: BTreeMap<(Direction, StreamId), VecDeque<Range>>,
    /// Whether any order was told; without, none is checked.
    told: bool,
}

impl Order {
    pub(super) fn issue(
        &mut self,
        stream: StreamId,
        direction: Direction,
        address: TlpAddr,
        length: Length,
    ) -> Result<(), Breach> {
        let new = Range { start: address.0, left: length.0 };
        let others = self.queues.iter().filter(|((d, s), _)| *d == direction && *s != stream);
        if let Some(((_, other), _)) = others.into_iter().find(|(_, q)| q.iter().any(|r| r.overlaps(&new))) {
            return Err(Breach::Overlap { stream, other: *other, address });
        }
        self.told = true;
        if new.left > 0 {
            self.queues.entry((direction, stream)).or_default().push_back(new);
        }
        Ok(())
    }

    /// A data TLP of `length` bytes was sent.
    pub(super) fn sent(&mut self, direction: Direction, address: u64, length: u32) -> Result<(), Breach> {
        if !self.told {
            return Ok(());
        }
        let seen = TlpAddr(address);
        let mut queues = self.queues.iter_mut().filter(|((d, _), _)| *d == direction);
        let holds = |r: &Range| address.wrapping_sub(r.start) < u64::from(r.left);
        let Some(((_, stream), queue)) = queues.find(|(_, q)| q.iter().any(holds)) else {
            return Err(Breach::NotIssued { seen });
        };
        let stream = *stream;
        match queue.front_mut() {
            Some(head) if head.start == address && length > head.left => {
                Err(Breach::Overrun { stream, seen, left: head.left, length })
            }
            Some(head) if head.start == address => {
                head.start = head.start.wrapping_add(u64::from(length));
                head.left -= length;
                if head.left == 0 {
                    queue.pop_front();
                }
                Ok(())
            }
            head => {
                let expected = TlpAddr(head.map_or(0, |h| h.start));
                Err(Breach::Order { stream, expected, seen })
            }
        }
    }

    pub(super) fn finish(&self) -> Result<(), Breach> {
        match self.queues.iter().find_map(|((_, stream), q)| q.front().map(|r| (*stream, *r))) {
            Some((stream, r)) => Err(Breach::NotSent { stream, address: TlpAddr(r.start), left: r.left }),
            None => Ok(()),
        }
    }
}
