//! Registration by work requests: what an MPT line says about it, and the fields of an image.
//!
//! A work request that registers a key or binds a window names an *image*: 64 bytes in memory of the driver, in the layout
//! of an MPT line. The driver sets a key aside for work requests with [`FastPath::allowed`]; others are its own alone.

use crate::access::Op;
use crate::addr::{BusAddr, Key};
use crate::bits::mask;
use crate::table::Region;

/// Bytes of an image, at a multiple of which it stands.
pub const IMAGE_BYTES: u32 = 64;

/// What work requests may do with a key, and what they need for it.
///
/// | word | bits | field |
/// |---|---|---|
/// | 0 | 61 | the key is that of a memory window (type 2) |
/// | 0 | 62 | a remote peer may invalidate the key |
/// | 0 | 63 | the key is set aside for work requests |
/// | 1 | 36 | memory windows may be bound to the region |
/// | 5 | 31:0 | key of the region that a window is bound to |
/// | 6 | 0 | GPU memory: a revocation flushes |
/// | 6 | 63:2 | bus address of that flush's zero-length read |
///
/// Words 5 and 6 mean this only where bit 61 or 63 of word 0 or bit 36 of word 1 is set. In word 5 the first two count before
/// bit 60, and that before the third: a coherent region that is no window's and not set aside has its own place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastPath {
    /// Work requests may register and invalidate the key.
    pub allowed: bool,
    /// The key is that of a memory window.
    pub window: bool,
    /// A remote peer may invalidate the key.
    pub remote_invalidate: bool,
    /// Windows may be bound to the region.
    pub bind: bool,
    /// Region that a window is bound to.
    pub parent: Key,
    /// GPU memory: where the zero-length read goes that returns before a revocation is reported; DW-aligned.
    pub flush: Option<BusAddr>,
}

impl FastPath {
    /// Whether work requests may deal with the key at all.
    pub const fn says(self) -> bool {
        self.of_work_requests() || self.bind
    }

    /// Whether the key is that of a window, or set aside for work requests.
    pub const fn of_work_requests(self) -> bool {
        self.allowed || self.window
    }

    /// Adds the fields to the words of a line.
    pub(crate) fn encode(self, line: &mut [u64; 8]) {
        line[0] |=
            u64::from(self.window) << 61 | u64::from(self.remote_invalidate) << 62 | u64::from(self.allowed) << 63;
        line[1] |= u64::from(self.bind) << 36;
        if self.says() {
            line[5] = u64::from(self.parent.0);
            line[6] = self.flush.map_or(0, |address| address.0 & !mask(2) | 1);
        }
    }

    /// The fields of the words of a line.
    pub(crate) fn decode(w: &[u64; 8]) -> Self {
        let bit = |word: u64, n: u32| word >> n & 1 == 1;
        let flags = Self {
            allowed: bit(w[0], 63),
            window: bit(w[0], 61),
            remote_invalidate: bit(w[0], 62),
            bind: bit(w[1], 36),
            ..Self::default()
        };
        if !flags.says() {
            return flags;
        }
        let flush = bit(w[6], 0).then_some(BusAddr(w[6] & !mask(2)));
        let own = flags.of_work_requests() || !bit(w[0], 60);
        let parent = if own { Key(w[5] as u32) } else { Key(0) };
        Self { parent, flush, ..flags }
    }
}

impl Op {
    /// Registers a key with the image that the request names.
    pub const FAST_REGISTER: Self = Self(5);
    /// Binds a memory window (type 2) with the image that the request names.
    pub const BIND: Self = Self(6);
    /// Makes a key invalid, for its owner.
    pub const LOCAL_INVALIDATE: Self = Self(7);
    /// Makes a key invalid, for a remote peer.
    pub const REMOTE_INVALIDATE: Self = Self(8);

    /// Whether the request changes a key instead of accessing memory.
    pub const fn registers(self) -> bool {
        self.0 >= Self::FAST_REGISTER.0 && self.0 <= Self::REMOTE_INVALIDATE.0
    }
    /// Whether the request names an image.
    pub const fn has_image(self) -> bool {
        self.0 == Self::FAST_REGISTER.0 || self.0 == Self::BIND.0
    }
}

impl Region {
    /// The line's mark that the entry is in use: bit 56 of word 0.
    pub const VALID: u64 = 1 << 56;
    /// Bits of word 0 that say how the MTT is laid out or kept coherent; zero in a region that work requests deal with.
    pub const LAYOUT: u64 = 0b111 << 58;
}
