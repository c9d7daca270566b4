//! Where the words of a region's tables stand, by the specification of the MPT line (`types::table::Region`).
//!
//! The judge does not say which lines a unit has to fetch; it needs the places to know which request the loss of a line, or
//! a word that is not present, may concern.

use std::collections::BTreeMap;
use types::layout::LEAF_ENTRIES;
use types::{Iova, MttLayout, PageIndex, Region};

/// Whether a valid MPT line describes a region: its layout is one, and can hold its pages.
pub(crate) fn describes(region: &Region) -> bool {
    match region.layout {
        MttLayout::OneLevel | MttLayout::TwoLevel => true,
        // Words 4 to 7 of the line: four pages, counted from the one that holds the first byte.
        MttLayout::Inline => {
            let page = u128::from(region.page_size.bytes().0);
            let end = u128::from(region.start.0) % page + u128::from(region.length.0);
            end <= 4 * page
        }
        MttLayout::Reserved => false,
    }
}

/// Directories of the regions with two levels, and the pages of entries that they were seen to point at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walks {
    /// First word of each directory, and how many words.
    directories: BTreeMap<Iova, u64>,
    /// What a fetch last brought of a word of a directory: the page that it points at.
    leaves: BTreeMap<Iova, Iova>,
}

impl Walks {
    /// A region is made known.
    pub(crate) fn add(&mut self, region: &Region) {
        if region.layout == MttLayout::TwoLevel {
            let words = region.pages().div_ceil(LEAF_ENTRIES);
            let known = self.directories.entry(region.mtt).or_default();
            *known = words.max(*known);
        }
    }

    pub(crate) fn reset(&mut self) {
        self.leaves.clear();
    }

    /// A fetch brought a word of a table. Where a word of a directory is not present any more, the page it pointed at before
    /// may still be on its way.
    pub(crate) fn fetched(&mut self, at: Iova, word: u64) {
        let directory = self.directories.range(..=at).next_back();
        if word >> 3 & 1 == 1 && directory.is_some_and(|(first, words)| at.0 - first.0 < 8 * words) {
            self.leaves.insert(at, Iova(word & !0xfff));
        }
    }

    /// Addresses of the words that lead to a page of a region.
    pub(crate) fn words(&self, region: &Region, page: PageIndex) -> impl Iterator<Item = Iova> {
        let (first, second) = match region.layout {
            MttLayout::OneLevel => (Some(Iova(region.mtt.0.wrapping_add(8 * page.0))), None),
            MttLayout::TwoLevel => {
                let word = Iova(region.mtt.0.wrapping_add(8 * (page.0 / LEAF_ENTRIES)));
                let entry = |leaf: &Iova| Iova(leaf.0 | (8 * (page.0 % LEAF_ENTRIES)));
                (Some(word), self.leaves.get(&word).map(entry))
            }
            MttLayout::Inline | MttLayout::Reserved => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Whether a line holds a word that leads to one of some pages of a region, first and last.
    pub(crate) fn reads(&self, region: &Region, (first, last): (PageIndex, PageIndex), line: Iova) -> bool {
        let within = |from: u64, to: u64| (from & !63..=to).contains(&line.0);
        let at = |word: u64| region.mtt.0.wrapping_add(8 * word);
        let (low, high) = (first.0 / LEAF_ENTRIES, last.0 / LEAF_ENTRIES);
        match region.layout {
            MttLayout::OneLevel => within(at(first.0), at(last.0)),
            MttLayout::TwoLevel => {
                within(at(low), at(high))
                    || self.leaves.range(Iova(at(low))..=Iova(at(high))).any(|(word, leaf)| {
                        let number = (word.0 - region.mtt.0) / 8;
                        let from = if number == low { first.0 % LEAF_ENTRIES } else { 0 };
                        let to = if number == high { last.0 % LEAF_ENTRIES } else { LEAF_ENTRIES - 1 };
                        within(leaf.0 + 8 * from, leaf.0 + 8 * to)
                    })
            }
            MttLayout::Inline | MttLayout::Reserved => false,
        }
    }
}
