//! Addresses, sizes and identifiers as distinct types, so that a virtual address cannot be used as a bus address.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! newtype {
    ($(#[$meta:meta])* $name:ident($inner:ty), $width:expr, $format:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "(", $format, ")"), self.0)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, $format, self.0)
            }
        }
        $crate::port_leaf!($name, $width, |v| u64::from(v.0), |b| $name(b as $inner));
    };
}

newtype!(
    /// A virtual address of the application, as carried by a work request. 64 bits.
    Va(u64), 64, "{:#x}");
newtype!(
    /// An I/O virtual address: what the MTT gives for host entries and what the IOMMU translates. 64 bits.
    Iova(u64), 64, "{:#x}");
newtype!(
    /// A final PCI bus address: what a switch routes by. 64 bits.
    BusAddr(u64), 64, "{:#x}");
newtype!(
    /// The address field of a memory TLP; its meaning (IOVA or bus address) is told by the AT field. 64 bits.
    TlpAddr(u64), 64, "{:#x}");
newtype!(
    /// A length in bytes, up to 2^32 − 1.
    Length(u32), 32, "{}");
newtype!(
    /// An offset in bytes inside a message or a page, up to 2^32 − 1.
    Offset(u32), 32, "{}");
newtype!(
    /// A PCI function of the device. 0 is the physical function.
    FunctionId(u16), 8, "{}");
newtype!(
    /// A stream: a QP's worth of work requests whose order is kept.
    StreamId(u16), 6, "{}");
newtype!(
    /// The caller's name for a work request; comes back with its completion.
    WrId(u16), 16, "{}");
newtype!(
    /// A protection domain, 24 bits (mlx5 key context).
    Pd(u32), 24, "{:#x}");
newtype!(
    /// A memory key: index in bits 31:8, key variant in bits 7:0 (mlx4, mlx5).
    Key(u32), 32, "{:#010x}");
newtype!(
    /// Process Address Space ID, 20 bits.
    Pasid(u32), 20, "{:#x}");
newtype!(
    /// A PCI requester ID: bus 15:8, device 7:3, function 2:0.
    RequesterId(u16), 16, "{:#06x}");
newtype!(
    /// A TLP tag, up to 10 bits.
    Tag(u16), 10, "{:#x}");
newtype!(
    /// A place in the unit that one segment holds from `seg` to the exit of `replay`.
    Slot(u16), 8, "{}");

impl Key {
    /// The index into the MPT (24 bits).
    pub const fn index(self) -> u32 {
        self.0 >> 8
    }
    /// The key variant (8 bits), compared with the one in the MPT entry.
    pub const fn variant(self) -> u8 {
        self.0 as u8
    }
    /// A key of an index (24 bits) and a variant.
    pub const fn new(index: u32, variant: u8) -> Self {
        Self(index << 8 | variant as u32)
    }
}

/// A power-of-two page size, as its base-two logarithm in bytes: 12 (4 KiB) to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageSize(u8);

impl PageSize {
    /// 4 KiB, the smallest page.
    pub const K4: Self = Self(12);
    /// 64 KiB.
    pub const K64: Self = Self(16);
    /// 2 MiB.
    pub const M2: Self = Self(21);
    /// 1 GiB.
    pub const G1: Self = Self(30);

    /// A page of 2^`log2` bytes, if `log2` is between 12 and 63.
    pub const fn from_log2(log2: u8) -> Option<Self> {
        if log2 >= 12 && log2 <= 63 { Some(Self(log2)) } else { None }
    }
    /// The base-two logarithm of the size in bytes.
    pub const fn log2(self) -> u8 {
        self.0
    }
    /// The size in bytes.
    pub const fn bytes(self) -> ByteCount {
        ByteCount(1 << self.0)
    }
    /// A mask of the address bits inside the page.
    pub const fn offset_mask(self) -> ByteCount {
        ByteCount((1 << self.0) - 1)
    }
}

impl Default for PageSize {
    fn default() -> Self {
        Self::K4
    }
}

impl fmt::Display for PageSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            12..20 => write!(f, "{}K", 1u64 << (self.0 - 10)),
            20..30 => write!(f, "{}M", 1u64 << (self.0 - 20)),
            _ => write!(f, "{}G", 1u64 << (self.0 - 30)),
        }
    }
}

newtype!(
    /// A number of bytes, up to 2^64 − 1.
    ByteCount(u64), 64, "{}");
