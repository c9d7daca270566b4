//! One queue pair: the packets of its messages, in order.

use types::WrId;

/// One packet of a message: one work request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunk {
    /// Message number.
    pub(super) message: u64,
    /// First byte in the message.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) length: u32,
    /// Bytes that came back, of a read.
    pub(super) received: u32,
}

/// A queue pair.
#[derive(Clone, Debug)]
pub(super) struct QueuePair {
    size: u64,
    mtu: u32,
    rounds: u64,
    depth: u64,
    /// Next byte to send.
    message: u64,
    offset: u64,
    /// Messages done, and bytes done of the next.
    pub(super) done: u64,
    done_bytes: u64,
    /// Requests open at the unit, a ring by request name.
    open: Vec<Chunk>,
    first: u16,
    count: u16,
}

impl QueuePair {
    /// One message of `size` bytes in packets of `mtu`; `depth` messages open at a time, `requests` requests at the unit.
    pub(super) fn new(size: u64, mtu: u32, depth: u64, requests: u32) -> Self {
        Self {
            size,
            mtu,
            rounds: 1,
            depth,
            message: 0,
            offset: 0,
            done: 0,
            done_bytes: 0,
            // A power of two up to 64, by the unit's own check.
            open: vec![Chunk::default(); requests.next_power_of_two() as usize],
            first: 0,
            count: 0,
        }
    }

    /// Another `rounds` messages.
    pub(super) fn extend(&mut self, rounds: u64) {
        self.rounds = self.rounds.saturating_add(rounds);
    }

    /// The next packet, while the window is open.
    pub(super) fn next(&self) -> Option<Chunk> {
        let window = self.message < self.rounds && self.message - self.done < self.depth;
        let length = u64::from(self.mtu).min(self.size - self.offset) as u32;
        window.then_some(Chunk { message: self.message, offset: self.offset, length, received: 0 })
    }

    /// The packet of [`QueuePair::next`] was sent.
    pub(super) fn advance(&mut self, chunk: &Chunk) {
        self.offset += u64::from(chunk.length);
        if self.offset == self.size {
            self.offset = 0;
            self.message += 1;
        }
    }

    /// Whether the unit may be given another request.
    pub(super) fn may_open(&self) -> bool {
        usize::from(self.count) < self.open.len()
    }
    /// Notes a request at the unit; its name.
    pub(super) fn open(&mut self, chunk: Chunk) -> WrId {
        let id = self.first.wrapping_add(self.count);
        let place = usize::from(id) % self.open.len();
        self.open[place] = chunk;
        self.count += 1;
        WrId(id)
    }
    /// The open request of a name.
    pub(super) fn find(&mut self, id: WrId) -> Option<&mut Chunk> {
        let place = usize::from(id.0) % self.open.len();
        (id.0.wrapping_sub(self.first) < self.count).then(|| &mut self.open[place])
    }
    /// The request that ended, which must be the oldest.
    pub(super) fn close(&mut self, id: WrId) -> Option<Chunk> {
        if self.count == 0 || id.0 != self.first {
            return None;
        }
        let chunk = self.open[usize::from(id.0) % self.open.len()];
        self.first = self.first.wrapping_add(1);
        self.count -= 1;
        Some(chunk)
    }
    /// Requests open at the unit.
    pub(super) fn outstanding(&self) -> u16 {
        self.count
    }

    /// Bytes of the oldest message are done; its number, when it is.
    pub(super) fn finish(&mut self, bytes: u32) -> Option<u64> {
        self.done_bytes += u64::from(bytes);
        if self.done_bytes < self.size {
            return None;
        }
        self.done_bytes = 0;
        self.done += 1;
        Some(self.done - 1)
    }
}
