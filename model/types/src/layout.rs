//! Where the MTT entries of a region stand.

use crate::table::TableWord;
use serde::{Deserialize, Serialize};

/// Entries that an MPT line can hold itself: its words 4 to 7.
pub const INLINE_ENTRIES: u64 = 4;
/// Entries of a page that a directory points at: 4 KiB of them.
pub const LEAF_ENTRIES: u64 = 512;

/// The layout of a region's MTT (2 bits of its MPT line).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MttLayout {
    /// The entries stand in a row in memory.
    #[default]
    OneLevel,
    /// The entries stand in the MPT line itself: at most [`INLINE_ENTRIES`] pages.
    Inline,
    /// A directory points at pages of [`LEAF_ENTRIES`] entries each, which may lie anywhere.
    TwoLevel,
    /// No layout: a line that says so describes no region.
    #[serde(skip)]
    Reserved,
}
crate::port_leaf!(MttLayout, 2, |v| v as u64, |b| MttLayout::from_bits(b as u8));

impl MttLayout {
    /// The layout of a 2-bit field.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::OneLevel,
            1 => Self::Inline,
            2 => Self::TwoLevel,
            _ => Self::Reserved,
        }
    }
    /// Whether a region of so many pages may have it.
    pub const fn holds(self, pages: u64) -> bool {
        match self {
            Self::OneLevel | Self::TwoLevel => true,
            Self::Inline => pages <= INLINE_ENTRIES,
            Self::Reserved => false,
        }
    }
}

/// MTT entries that an MPT line holds for the pages behind a request's first one: 3 × 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EntryWords(pub [TableWord; 3]);

impl crate::ports::PortValue for EntryWords {
    fn fields(
        _: &crate::config::UnitCfg,
        name: &str,
        _: Option<u32>,
        doc: &'static str,
        out: &mut Vec<crate::ports::Field>,
    ) {
        out.push(crate::ports::Field { name: name.into(), width: 192, doc });
    }
    fn put(&self, _: &crate::config::UnitCfg, _: Option<u32>, out: &mut crate::bits::BitWriter<'_>) {
        self.0.iter().for_each(|word| out.put(word.0, 64));
    }
    fn get(_: &crate::config::UnitCfg, _: Option<u32>, from: &mut crate::bits::BitReader<'_>) -> Self {
        Self(std::array::from_fn(|_| TableWord(from.get(64))))
    }
}
