//! MPT and MTT as the unit reads them: lines are computed from the regions, so that a table costs nothing until touched.

use std::collections::{BTreeMap, BTreeSet};
use types::access::PasidPrefix;
use types::table::{LINE_BYTES, MTT_ENTRY_BYTES};
use types::{BusAddr, ByteCount, Iova, Key, Line, Mode, MttEntry, Owner, PageIndex, Region, TableWord, TlpAddr};

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
        let within = self.region.start.0 % self.region.page_size.bytes().0;
        (within + self.region.length.0).div_ceil(self.region.page_size.bytes().0)
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
        MttEntry { address: TlpAddr(address), present: true, owner, write: self.io.write, read: self.io.read }
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

    /// Room for the MTT entries of `pages` pages, 64-byte aligned.
    pub fn allocate_mtt(&mut self, pages: u64) -> Option<Iova> {
        let bytes = pages.checked_mul(u64::from(MTT_ENTRY_BYTES))?.checked_next_multiple_of(u64::from(LINE_BYTES))?;
        let at = self.next_mtt;
        let end = at.checked_add(bytes)?;
        if end > self.base + self.length {
            return None;
        }
        self.next_mtt = end;
        Some(Iova(at))
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
        self.spans.insert(registered.region.mtt.0, index as u32);
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
        self.spans.remove(&registered.region.mtt.0);
        self.changed.retain(|(of, _), _| *of != index);
        Some(registered)
    }

    /// The region of an MPT index.
    pub fn at(&self, index: u32) -> Option<&Registered> {
        self.regions.get(index as usize)?.as_ref()
    }

    /// The region under a key.
    pub fn get(&self, key: Key) -> Option<&Registered> {
        self.regions.get(key.index() as usize)?.as_ref().filter(|r| r.key == key)
    }

    /// Overwrites one MTT entry.
    pub fn set_entry(&mut self, key: Key, page: PageIndex, entry: MttEntry) {
        self.changed.insert((key.index(), page), entry);
        let line = self.get(key).map(|r| r.region.entry_address(page).0 / u64::from(LINE_BYTES));
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
        if index < u64::from(self.mpt_entries) {
            let region = self.regions.get(index as usize).and_then(|r| *r);
            return region.map_or_else(Line::default, |r| r.region.encode());
        }
        let Some((start, mpt)) = self.spans.range(..=first).next_back() else { return Line::default() };
        let Some(registered) = self.regions[*mpt as usize] else { return Line::default() };
        let first_page = (first - start) / u64::from(MTT_ENTRY_BYTES);
        let tell = self.told.as_mut().is_some_and(|told| told.insert(line));
        Line(std::array::from_fn(|i| {
            let page = PageIndex(first_page + i as u64);
            if page.0 >= registered.pages() {
                return 0;
            }
            let entry = self.changed.get(&(*mpt, page)).copied().unwrap_or_else(|| registered.initial(page));
            if tell {
                self.news.push((registered.key, page, entry));
            }
            let TableWord(word) = entry.encode();
            word
        }))
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
