//! MPT and MTT as the unit reads them: lines are computed from the regions, so that a table costs nothing until touched.

use std::collections::{BTreeMap, BTreeSet};
use types::access::PasidPrefix;
use types::layout::LEAF_ENTRIES;
use types::table::{LINE_BYTES, MTT_ENTRY_BYTES};
use types::{
    BusAddr, ByteCount, Iova, Key, Line, Mode, MttEntry, MttLayout, Owner, PageIndex, Region, TableWord, TlpAddr,
};

use super::fast::FastTables;
use super::place::{Holds, MttPlace, TableFault};
use crate::fabric::{IoRange, Scatter};

/// A region as the driver knows it.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// Its key.
    pub key: Key,
    /// Its MPT entry.
    pub region: Region,
    /// Who owns its memory.
    pub owner: Owner,
    /// The mode that applies to it, its own or the unit's.
    pub mode: Mode,
    /// I/O virtual addresses of its pages, and where those lie.
    pub io: IoRange,
    /// Entries are not present until they are filled one by one.
    pub filled_on_demand: bool,
    /// Entries of a coherent region are there from the beginning, as if they had been asked for.
    pub filled_at_once: bool,
    /// Its MTT in memory.
    pub mtt: MttPlace,
}

impl Registered {
    /// Where byte `offset` of the region is in memory, by the driver's own book.
    pub fn place(&self, offset: u64) -> BusAddr {
        let within = self.region.start.0 % self.region.page_size.bytes().0 + offset;
        let page = self.io.scatter.page_address(within >> self.io.page.log2(), self.io.page);
        BusAddr(page.0 | within & self.io.page.offset_mask().0)
    }

    /// Pages of the region.
    pub fn pages(&self) -> u64 {
        self.region.pages()
    }

    /// Whether the driver has the unit ask for the region's entries.
    pub fn asks(&self) -> bool {
        self.region.coherent && !self.filled_at_once && !self.filled_on_demand
    }

    /// The MTT entry that page `index` has after registration.
    pub fn initial(&self, index: PageIndex) -> MttEntry {
        let entry = self.entry(index);
        MttEntry { present: entry.present && !self.filled_on_demand, ..entry }
    }

    /// The MTT entry that leads to page `index`.
    pub fn entry(&self, index: PageIndex) -> MttEntry {
        if index.0 >= self.pages() {
            return MttEntry::default();
        }
        let offset = index.0 << self.region.page_size.log2();
        let final_address = self.mode == Mode::Emtt && self.owner == Owner::Gpu;
        let address = if final_address {
            let page = self.io.scatter.page_address(offset >> self.io.page.log2(), self.io.page);
            page.0 | offset & self.io.page.offset_mask().0
        } else {
            self.io.base.0 + offset
        };
        let owner = if final_address { Owner::Gpu } else { Owner::Host };
        let (write, read) = (self.io.write, self.io.read);
        let entry = MttEntry { address: TlpAddr(address), present: true, owner, write, read, generation: 0 };
        match (final_address && self.region.coherent, self.filled_at_once) {
            (false, _) => entry,
            // Counters start at 1.
            (true, true) => MttEntry { generation: 1, ..entry },
            // The driver does not know the address before the unit has asked for it.
            (true, false) => MttEntry { address: TlpAddr(0), ..entry },
        }
    }
}

/// The tables of one unit: a window of host memory, at IOVA = bus address.
#[derive(Clone, Debug)]
pub struct Tables {
    base: u64,
    length: u64,
    mpt_entries: u32,
    /// By MPT index; `None` for an invalid entry.
    regions: Vec<Option<Registered>>,
    /// No entry below this is free.
    taken: usize,
    /// First address of each region's MTT entries, in order, with the MPT index.
    spans: BTreeMap<u64, u32>,
    next_mtt: u64,
    /// Entries that were changed one by one.
    changed: BTreeMap<(u32, PageIndex), MttEntry>,
    /// Lines that an observer was told of; `None` while nobody observes.
    told: Option<BTreeSet<u64>>,
    /// Entries to tell an observer.
    news: Vec<(Key, PageIndex, MttEntry)>,
    /// What work requests need and have changed.
    pub(super) fast: FastTables,
}

impl Tables {
    /// Empty tables for `mpt_entries` regions, in host memory from `base`.
    pub fn new(base: BusAddr, length: ByteCount, mpt_entries: u32) -> Self {
        Self {
            base: base.0,
            length: length.0,
            mpt_entries,
            regions: Vec::new(),
            taken: 0,
            spans: BTreeMap::new(),
            next_mtt: base.0 + u64::from(mpt_entries) * u64::from(LINE_BYTES),
            changed: BTreeMap::new(),
            told: None,
            news: Vec::new(),
            fast: FastTables::default(),
        }
    }

    /// From now on, entries are reported through [`Tables::take_news`] when their line is first read.
    pub fn report_entries(&mut self) {
        self.told.get_or_insert_default();
    }
    /// Entries whose line was read for the first time since the last call.
    pub fn take_news(&mut self, mut each: impl FnMut(Key, PageIndex, MttEntry)) {
        self.news.drain(..).for_each(|(key, page, entry)| each(key, page, entry));
    }

    /// IOVA of MPT entry 0.
    pub fn mpt_base(&self) -> Iova {
        Iova(self.base)
    }
    /// Entries of the MPT.
    pub fn mpt_entries(&self) -> u32 {
        self.mpt_entries
    }
    /// The window that holds all tables.
    pub fn window(&self) -> (Iova, ByteCount) {
        (Iova(self.base), ByteCount(self.length))
    }
    /// Whether `length` bytes from `address` lie in the window.
    pub fn contains(&self, address: BusAddr, length: u64) -> bool {
        address.0.checked_sub(self.base).and_then(|o| o.checked_add(length)).is_some_and(|end| end <= self.length)
    }

    /// Room for the MTT of `pages` pages in a layout.
    pub fn allocate_mtt(&mut self, layout: MttLayout, pages: u64) -> Option<MttPlace> {
        let (align, words) = MttPlace::needs(layout, pages)?;
        let at = self.next_mtt.checked_next_multiple_of(align)?;
        let bytes = words.checked_mul(u64::from(MTT_ENTRY_BYTES))?.checked_next_multiple_of(u64::from(LINE_BYTES))?;
        let end = at.checked_add(bytes)?;
        if end > self.image_base().0 {
            return None;
        }
        if words > 0 {
            self.next_mtt = end;
        }
        Some(MttPlace { first: Iova(at), words, leaves: MttPlace::leaves(layout, pages), fault: None })
    }

    /// The lowest MPT index that is free.
    pub fn free_index(&self) -> Option<u32> {
        let after = self.regions.iter().skip(self.taken).position(Option::is_none);
        let index = after.map_or(self.regions.len(), |i| self.taken + i) as u32;
        (index < self.mpt_entries).then_some(index)
    }

    /// Makes a region's entry valid.
    pub fn insert(&mut self, registered: Registered) {
        let index = registered.key.index() as usize;
        if self.regions.len() <= index {
            self.regions.resize(index + 1, None);
        }
        if registered.mtt.words > 0 {
            self.spans.insert(registered.mtt.first.0, index as u32);
        }
        let line = self.mpt_line(index as u32);
        if let Some(told) = &mut self.told {
            told.remove(&line);
        }
        self.fast.forget(index as u32);
        self.regions[index] = Some(registered);
        // Entries are given out lowest first, so that this one was the lowest that was free.
        if index == self.taken {
            self.taken += 1;
        }
    }

    /// Makes a region's entry invalid and forgets its MTT entries.
    pub fn remove(&mut self, key: Key) -> Option<Registered> {
        let index = key.index();
        let slot = self.regions.get_mut(index as usize)?;
        if slot.is_some_and(|r| r.key != key) {
            return None;
        }
        let registered = slot.take()?;
        self.taken = self.taken.min(index as usize);
        if registered.mtt.words > 0 {
            self.spans.remove(&registered.mtt.first.0);
        }
        self.fast.forget(index);
        self.changed.retain(|(of, _), _| *of != index);
        Some(registered)
    }

    /// The unit has written the line of an index: the region is another one, and its entries are told again.
    pub(super) fn replace(&mut self, index: u32, registered: Registered) {
        let Some(slot) = self.regions.get_mut(index as usize) else { return };
        *slot = Some(registered);
        let (first, line) = (registered.region.mtt.0, u64::from(LINE_BYTES));
        let last = first.saturating_add(registered.pages() * u64::from(MTT_ENTRY_BYTES));
        if let Some(told) = self.told.as_mut() {
            told.retain(|at| !(first / line..last.div_ceil(line)).contains(at));
        }
    }

    /// The region of an MPT index.
    pub fn at(&self, index: u32) -> Option<&Registered> {
        self.regions.get(index as usize)?.as_ref()
    }

    /// The regions that share the generation counter of a coherent region, itself among them.
    pub fn under_counter_of(&self, region: &Registered) -> impl Iterator<Item = &Registered> {
        let (function, counter) = (region.region.function, region.region.counter);
        let same = move |r: &&Registered| {
            r.region.coherent && r.region.counter == counter && (counter > 0 || r.region.function == function)
        };
        self.regions.iter().flatten().filter(same)
    }

    /// The region under a key.
    pub fn get(&self, key: Key) -> Option<&Registered> {
        self.regions.get(key.index() as usize)?.as_ref().filter(|r| r.key == key)
    }

    /// Overwrites one MTT entry.
    pub fn set_entry(&mut self, key: Key, page: PageIndex, entry: MttEntry) {
        self.changed.insert((key.index(), page), entry);
        let line = self.get(key).map(|r| match r.mtt.entry_address(&r.region, page) {
            Some(address) => address.0 / u64::from(LINE_BYTES),
            None => self.mpt_line(key.index()),
        });
        // A line that was told before is told again, since it has changed.
        if let (Some(told), Some(line)) = (self.told.as_mut(), line) {
            told.remove(&line);
        }
    }

    /// The MTT entry in force.
    pub fn entry(&self, key: Key, page: PageIndex) -> Option<MttEntry> {
        let registered = self.get(key)?;
        Some(self.changed.get(&(key.index(), page)).copied().unwrap_or_else(|| registered.initial(page)))
    }

    /// The line that holds `address`.
    pub fn line(&mut self, address: BusAddr) -> Line {
        let line = address.0 / u64::from(LINE_BYTES);
        let first = line * u64::from(LINE_BYTES);
        let index = (first - self.base) / u64::from(LINE_BYTES);
        if let Some(line) = self.fast.line(first, index as u32) {
            return line;
        }
        if index < u64::from(self.mpt_entries) {
            return self.mpt_words(index as u32, line);
        }
        let placed = self.spans.range(..=first).next_back();
        let placed = placed.and_then(|(start, mpt)| self.regions[*mpt as usize].map(|r| (*start, r)));
        let Some((start, registered)) = self.fast.registration_at(first, placed) else { return Line::default() };
        let mpt = registered.key.index();
        let tell = self.told.as_mut().is_some_and(|told| told.insert(line));
        Line(std::array::from_fn(|i| {
            let word = (first - start) / u64::from(MTT_ENTRY_BYTES) + i as u64;
            match registered.mtt.holds(&registered.region, word) {
                Holds::Nothing => 0,
                Holds::Entry(page) => self.entry_word(mpt, &registered, page, tell),
                Holds::Leaf(leaf) => {
                    let there = !registered.filled_on_demand || self.filled(mpt, leaf);
                    let there = there && registered.mtt.fault != Some(TableFault::NoDirectory);
                    registered.mtt.leaf_address(leaf).0 | u64::from(there) << 3
                }
            }
        }))
    }

    /// Number of the line that holds an MPT entry.
    fn mpt_line(&self, index: u32) -> u64 {
        self.base / u64::from(LINE_BYTES) + u64::from(index)
    }

    /// An MPT entry, with the MTT entries that stand in it.
    fn mpt_words(&mut self, index: u32, line: u64) -> Line {
        let Some(registered) = self.regions.get(index as usize).and_then(|r| *r) else { return Line::default() };
        let mut region = registered.region;
        if region.layout == MttLayout::Inline {
            let tell = self.told.as_mut().is_some_and(|told| told.insert(line));
            region.inline = std::array::from_fn(|i| {
                let page = PageIndex(i as u64);
                TableWord(self.entry_word(index, &registered, page, tell && page.0 < registered.pages()))
            });
        }
        region.encode()
    }

    /// An MTT entry in memory; 0 behind the region's last page.
    fn entry_word(&mut self, mpt: u32, registered: &Registered, page: PageIndex, tell: bool) -> u64 {
        if page.0 >= registered.pages() {
            return 0;
        }
        let entry = self.changed.get(&(mpt, page)).copied().unwrap_or_else(|| registered.initial(page));
        if tell {
            self.news.push((registered.key, page, entry));
        }
        entry.encode().0
    }

    /// Whether one of the entries of a leaf has been filled.
    fn filled(&self, mpt: u32, leaf: u64) -> bool {
        let (first, last) = (PageIndex(leaf * LEAF_ENTRIES), PageIndex((leaf + 1) * LEAF_ENTRIES));
        self.changed.range((mpt, first)..(mpt, last)).any(|(_, entry)| entry.present)
    }

    /// Reads bytes, which lie in the window.
    pub fn read(&mut self, address: BusAddr, out: &mut [u8]) {
        let mut at = 0;
        while at < out.len() {
            let here = address.0 + at as u64;
            let Line(words) = self.line(BusAddr(here));
            let skip = (here % u64::from(LINE_BYTES)) as usize;
            for (i, byte) in out[at..].iter_mut().take(LINE_BYTES as usize - skip).enumerate() {
                *byte = words[(skip + i) / 8].to_le_bytes()[(skip + i) % 8];
            }
            at += LINE_BYTES as usize - skip;
        }
    }
}

/// The map of the tables themselves: pinned driver memory, at IOVA = bus address, readable without a PASID.
pub(crate) fn table_range(tables: &Tables) -> IoRange {
    let (base, length) = tables.window();
    IoRange {
        base,
        length,
        page: types::PageSize::M2,
        scatter: Scatter::linear(BusAddr(base.0)),
        read: true,
        write: false,
        exec: false,
        untranslated_only: false,
        pasid: None,
        paged: false,
    }
}

/// The PASID of an access as the address map names address spaces.
pub(crate) fn space(prefix: PasidPrefix) -> Option<types::Pasid> {
    prefix.valid.then_some(prefix.pasid)
}
