//! Wire formats of ATS: translation entries and Invalidate Request bodies (PCIe 6.x 10.2.3, 10.3.1).
//!
//! Both are eight bytes that go most significant byte first.

use crate::addr::{Iova, PageSize, TlpAddr};
use crate::bits::mask;

/// One entry of a Translation Completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TranslationEntry {
    /// Bus address of the translated page, aligned to `size`.
    pub address: TlpAddr,
    /// Size of the translation.
    pub size: PageSize,
    /// R.
    pub read: bool,
    /// W.
    pub write: bool,
    /// U: untranslated access only.
    pub untranslated: bool,
    /// Exe.
    pub exec: bool,
    /// Priv.
    pub privileged: bool,
    /// Global.
    pub global: bool,
    /// N: non-snooped accesses.
    pub no_snoop: bool,
}

/// Address field and S bit of a naturally aligned power-of-two range (10.2.3.2): S = 0 is 4 KiB; with S = 1 a run of
/// ones from bit 12, ended by a zero, gives the size.
fn encode_range(address: u64, size: PageSize) -> (u64, bool) {
    let log2 = u32::from(size.log2());
    if log2 == 12 {
        return (address & !mask(12), false);
    }
    (address & !mask(log2) | (mask(log2 - 1) & !mask(12)), true)
}

/// Start and size of an encoded range; `None` for S = 1 with bits 63:12 all ones, which is undefined.
fn decode_range(field: u64, s: bool) -> Option<(u64, PageSize)> {
    if !s {
        return Some((field & !mask(12), PageSize::K4));
    }
    let ones = (field >> 12).trailing_ones();
    let size = PageSize::from_log2(u8::try_from(13 + ones).ok()?)?;
    Some((field & !mask(u32::from(size.log2())), size))
}

impl TranslationEntry {
    /// Eight bytes as they travel.
    pub fn encode(&self) -> [u8; 8] {
        let (field, s) = encode_range(self.address.0, self.size);
        let bit = |b: bool, n: u32| u64::from(b) << n;
        let word = field
            | bit(s, 11)
            | bit(self.no_snoop, 10)
            | bit(self.global, 5)
            | bit(self.privileged, 4)
            | bit(self.exec, 3)
            | bit(self.untranslated, 2)
            | bit(self.write, 1)
            | bit(self.read, 0);
        word.to_be_bytes()
    }

    /// The entry of eight bytes; `None` when the size is undefined.
    pub fn decode(bytes: [u8; 8]) -> Option<Self> {
        let word = u64::from_be_bytes(bytes);
        let bit = |n: u32| word >> n & 1 == 1;
        let (address, size) = decode_range(word, bit(11))?;
        Some(Self {
            address: TlpAddr(address),
            size,
            read: bit(0),
            write: bit(1),
            untranslated: bit(2),
            exec: bit(3),
            privileged: bit(4),
            global: bit(5),
            no_snoop: bit(10),
        })
    }
}

/// What an Invalidate Request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidateRange {
    /// Global Invalidate: bit 0 of the body.
    pub global: bool,
    /// First untranslated address; with `size` `None`, every address.
    pub iova: Iova,
    /// Size of the range; `None` is invalidate-all.
    pub size: Option<PageSize>,
}

impl InvalidateRange {
    /// Eight bytes as they travel. Invalidate-all is S = 1, bits 62:12 ones, bit 63 zero.
    pub fn encode(&self) -> [u8; 8] {
        let (field, s) = match self.size {
            Some(size) => encode_range(self.iova.0, size),
            None => (mask(63) & !mask(12), true),
        };
        (field | u64::from(s) << 11 | u64::from(self.global)).to_be_bytes()
    }

    /// The range of eight bytes; `None` when the size is undefined.
    pub fn decode(bytes: [u8; 8]) -> Option<Self> {
        let word = u64::from_be_bytes(bytes);
        let s = word >> 11 & 1 == 1;
        let global = word & 1 == 1;
        if s && word >> 12 == mask(51) {
            return Some(Self { global, iova: Iova(0), size: None });
        }
        let (iova, size) = decode_range(word, s)?;
        Some(Self { global, iova: Iova(iova), size: Some(size) })
    }
}
