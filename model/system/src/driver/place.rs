//! Where the MTT of a region lies in memory, in each layout.
//!
//! The pages of entries of a region with two levels lie in a block, in the order opposite to that of the region's pages,
//! and its directory behind them: what the directory says is needed to find an entry. The block is one range of lines, so
//! that one revocation drops directory and leaves.

use types::layout::LEAF_ENTRIES;
use types::table::{LINE_BYTES, MTT_ENTRY_BYTES};
use types::{Iova, MttLayout, PageIndex, Region};

/// Bytes of a page of entries.
const LEAF_BYTES: u64 = LEAF_ENTRIES * MTT_ENTRY_BYTES as u64;

/// A table that a driver should not have written: what the unit must do about it is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFault {
    /// The MPT line names the layout that is reserved.
    ReservedLayout,
    /// The MPT line says that it holds the entries of more pages than it can.
    InlineTooLong,
    /// The words of the directory are not present.
    NoDirectory,
}

/// The MTT of a region in memory: what a revocation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MttPlace {
    /// First word.
    pub first: Iova,
    /// Words of 8 bytes; 0 where the entries stand in the MPT line.
    pub words: u64,
    /// Pages of entries, before the directory.
    pub(super) leaves: u64,
    pub(super) fault: Option<TableFault>,
}

/// What a word of an MTT is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Nothing.
    Nothing,
    /// The entry of a page, of which the region may have fewer.
    Entry(PageIndex),
    /// The word of the directory for this leaf.
    Leaf(u64),
}

impl MttPlace {
    pub(super) fn leaves(layout: MttLayout, pages: u64) -> u64 {
        if layout == MttLayout::TwoLevel { pages.div_ceil(LEAF_ENTRIES) } else { 0 }
    }

    /// Alignment in bytes and words that `pages` pages need.
    pub(super) fn needs(layout: MttLayout, pages: u64) -> Option<(u64, u64)> {
        Some(match layout {
            MttLayout::OneLevel | MttLayout::Reserved => (u64::from(LINE_BYTES), pages),
            MttLayout::Inline => (u64::from(LINE_BYTES), 0),
            MttLayout::TwoLevel => {
                let leaves = Self::leaves(layout, pages);
                (LEAF_BYTES, leaves.checked_mul(LEAF_ENTRIES + 1)?)
            }
        })
    }

    /// What stands in the MPT line: first entry or directory.
    pub(super) fn root(&self) -> Iova {
        Iova(self.first.0 + self.leaves * LEAF_BYTES)
    }

    pub(super) fn leaf_address(&self, leaf: u64) -> Iova {
        Iova(self.first.0 + (self.leaves - 1 - leaf) * LEAF_BYTES)
    }

    /// What word `number` is.
    pub(super) fn holds(&self, region: &Region, number: u64) -> Holds {
        let in_leaves = self.leaves * LEAF_ENTRIES;
        match region.layout {
            _ if number >= self.words => Holds::Nothing,
            MttLayout::Inline | MttLayout::Reserved => Holds::Nothing,
            MttLayout::OneLevel => Holds::Entry(PageIndex(number)),
            MttLayout::TwoLevel if number >= in_leaves => Holds::Leaf(number - in_leaves),
            MttLayout::TwoLevel => {
                let leaf = self.leaves - 1 - number / LEAF_ENTRIES;
                Holds::Entry(PageIndex(leaf * LEAF_ENTRIES + number % LEAF_ENTRIES))
            }
        }
    }

    /// Where the entry of a page stands; `None` in the MPT line.
    pub fn entry_address(&self, region: &Region, page: PageIndex) -> Option<Iova> {
        match region.layout {
            MttLayout::OneLevel | MttLayout::Reserved => Some(region.entry_address(page)),
            MttLayout::Inline => None,
            MttLayout::TwoLevel if page.0 / LEAF_ENTRIES >= self.leaves => None,
            MttLayout::TwoLevel => {
                let within = u64::from(MTT_ENTRY_BYTES) * (page.0 % LEAF_ENTRIES);
                Some(Iova(self.leaf_address(page.0 / LEAF_ENTRIES).0 + within))
            }
        }
    }
}
