//! A TLP on its way, and the pool its payload comes from.

use types::Tlp;
use types::tlp::Body;

/// A TLP with its payload, whole DWs, first byte first.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Header and PASID prefix.
    pub tlp: Tlp,
    /// Payload.
    pub payload: Vec<u8>,
}

/// Flow control class (PCIe 6.x 2.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Memory writes and messages.
    Posted = 0,
    /// Reads and atomics.
    NonPosted = 1,
    /// Completions.
    Completion = 2,
}

impl Packet {
    /// The class it travels in.
    pub fn class(&self) -> Class {
        match self.tlp.body {
            Body::Completion { .. } => Class::Completion,
            _ if self.tlp.posted() => Class::Posted,
            _ => Class::NonPosted,
        }
    }

    /// Data credits it takes: units of 16 bytes.
    pub fn data_credits(&self) -> u32 {
        u32::from(self.tlp.payload_dw()).div_ceil(4)
    }

    /// Bytes on the wire: header of 12 or 16 bytes, PASID prefix of 4, payload, and 8 of framing, sequence number and
    /// LCRC: 24 bytes beside the payload with a 64-bit address, 20 with a 32-bit one and for completions.
    pub fn wire_bytes(&self) -> u64 {
        let header = match self.tlp.body {
            Body::Memory { address, .. } if address.0 >> 32 == 0 => 12,
            Body::Memory { .. } | Body::Message { .. } => 16,
            Body::Completion { .. } => 12,
        };
        let prefix = if self.tlp.pasid.valid { 4 } else { 0 };
        header + prefix + 8 + 4 * u64::from(self.tlp.payload_dw())
    }
}

/// The largest payload.
const BUFFER_BYTES: usize = 4096;

/// Payload buffers that are used again, so that a running system allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    free: Vec<Vec<u8>>,
}

impl Pool {
    /// With `count` buffers.
    pub fn stocked(count: usize) -> Self {
        Self { free: (0..count).map(|_| Vec::with_capacity(BUFFER_BYTES)).collect() }
    }
    /// An empty buffer.
    pub fn take(&mut self) -> Vec<u8> {
        self.free.pop().unwrap_or_else(|| Vec::with_capacity(BUFFER_BYTES))
    }
    /// Gives a buffer back.
    pub fn give(&mut self, mut buffer: Vec<u8>) {
        // Buffers that never held anything are not worth keeping.
        if buffer.capacity() >= 512 {
            buffer.clear();
            self.free.push(buffer);
        }
    }
}
