//! The IOMMU: address map, IOTLB, page walkers.

use crate::config::IommuConfig;
use crate::random::Random;
use crate::time::Time;
use std::collections::BTreeSet;
use types::{BusAddr, ByteCount, Iova, PageSize, Pasid, PasidPrefix, Replacement};

/// Contiguous I/O virtual addresses and the pages they are scattered over; no table is stored.
#[derive(Clone, Copy, Debug)]
pub struct IoRange {
    /// First address.
    pub base: Iova,
    /// Bytes, a multiple of the page size.
    pub length: ByteCount,
    /// Page size, which is also the size of an ATS answer.
    pub page: PageSize,
    /// Where its pages lie.
    pub scatter: Scatter,
    /// Reads are allowed.
    pub read: bool,
    /// Writes are allowed.
    pub write: bool,
    /// Instructions may be fetched, by those who ask for it.
    pub exec: bool,
    /// Translations say U: untranslated access only.
    pub untranslated_only: bool,
    /// Address space it belongs to; `None` for requests without a PASID.
    pub pasid: Option<Pasid>,
    /// A page is there only once it has been asked for.
    pub paged: bool,
}

/// Places of pages: page i stands at `base` + place(i) × page size, a bijection on 2^`log2` pages.
#[derive(Clone, Copy, Debug)]
pub struct Scatter {
    /// Address of place 0.
    pub base: BusAddr,
    /// Base-two logarithm of the number of places.
    pub log2: u32,
    /// Odd multiplier; 1 and offset 0 keep pages in order.
    pub multiplier: u64,
    /// First place.
    pub offset: u64,
}

impl Scatter {
    /// Pages in order from `base`.
    pub fn linear(base: BusAddr) -> Self {
        Self { base, log2: 63, multiplier: 1, offset: 0 }
    }
    /// Address of page `index` of `page` bytes.
    pub fn page_address(&self, index: u64, page: PageSize) -> BusAddr {
        let place = index.wrapping_mul(self.multiplier).wrapping_add(self.offset) & types::bits::mask(self.log2);
        BusAddr(self.base.0.wrapping_add(place << page.log2()))
    }
    /// Which page stands at `address`: the inverse of [`Scatter::page_address`], for addresses from `base` on.
    pub fn page_index(&self, address: BusAddr, page: PageSize) -> u64 {
        let place = address.0.wrapping_sub(self.base.0) >> page.log2();
        // Newton's iteration: each round doubles the number of right bits of the inverse, from 3 of an odd number's own.
        let inverse =
            (0..5).fold(self.multiplier, |x, _| x.wrapping_mul(2_u64.wrapping_sub(self.multiplier.wrapping_mul(x))));
        place.wrapping_sub(self.offset).wrapping_mul(inverse) & types::bits::mask(self.log2)
    }
}

/// What an I/O virtual address is mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The address.
    pub address: BusAddr,
    /// Size of its page.
    pub page: PageSize,
    /// Reads are allowed.
    pub read: bool,
    /// Writes are allowed.
    pub write: bool,
    /// Instructions may be fetched.
    pub exec: bool,
    /// Untranslated access only.
    pub untranslated_only: bool,
}

/// Counters of the IOMMU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IommuCounts {
    /// Look-ups that found their page in the IOTLB, walked or being walked.
    pub hit: u64,
    /// Look-ups that needed a walk.
    pub miss: u64,
    /// Addresses without a mapping.
    pub unmapped: u64,
    /// Accesses that the mapping does not allow.
    pub refused: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PageTag {
    number: u64,
    log2: u8,
    pasid: Option<Pasid>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: PageTag,
    /// When the walk that fills it ends.
    ready: Time,
    /// Last use; 0 for an empty entry.
    used: u64,
}

/// A set-associative IOTLB.
#[derive(Clone, Debug)]
struct Iotlb {
    entries: Vec<Entry>,
    ways: usize,
    set_mask: u64,
    random: Option<Random>,
    uses: u64,
}

impl Iotlb {
    fn new(cfg: &IommuConfig, seed: u64) -> Self {
        let (entries, ways) = (cfg.iotlb_entries as usize, cfg.iotlb_ways as usize);
        let random = (cfg.iotlb_replacement == Replacement::Random).then(|| Random::new(seed, "iommu.iotlb"));
        let empty = Entry { tag: PageTag::default(), ready: Time(0), used: 0 };
        Self { entries: vec![empty; entries], ways, set_mask: (entries / ways) as u64 - 1, random, uses: 0 }
    }

    fn set(&mut self, tag: &PageTag) -> &mut [Entry] {
        let first = (tag.number & self.set_mask) as usize * self.ways;
        &mut self.entries[first..first + self.ways]
    }

    /// When the page's translation is there, if it is cached.
    fn lookup(&mut self, tag: &PageTag) -> Option<Time> {
        self.uses += 1;
        let uses = self.uses;
        let entry = self.set(tag).iter_mut().find(|e| e.used != 0 && e.tag == *tag)?;
        entry.used = uses;
        Some(entry.ready)
    }

    fn fill(&mut self, tag: PageTag, ready: Time) {
        let used = self.uses;
        let ways = self.ways as u64;
        let pick = self.random.as_mut().map(|random| random.below(ways) as usize);
        let set = self.set(&tag);
        // `ways` is at least 1, so there is a least recently used entry; an empty one has used = 0.
        let oldest = (0..set.len()).min_by_key(|i| set[*i].used).unwrap_or(0);
        let victim = if set[oldest].used == 0 { oldest } else { pick.unwrap_or(oldest) };
        set[victim] = Entry { tag, ready, used };
    }
}

/// The IOMMU of the root complex.
#[derive(Clone, Debug)]
pub struct Iommu {
    ranges: Vec<IoRange>,
    /// Pages of paged ranges that are there: address space, first address.
    present: BTreeSet<(Option<Pasid>, u64)>,
    iotlb: Iotlb,
    lookup: Time,
    walk: Time,
    /// How long a miss, and a hit, keeps a walker.
    intervals: (Time, Time),
    /// When each page walker is free.
    walkers: Vec<Time>,
    counts: IommuCounts,
}

impl Iommu {
    /// An IOMMU without mappings.
    pub fn new(cfg: &IommuConfig, seed: u64) -> Self {
        Self {
            ranges: Vec::new(),
            present: BTreeSet::new(),
            iotlb: Iotlb::new(cfg, seed),
            lookup: Time::from_ns(cfg.lookup_ns),
            walk: Time::from_ns(cfg.walk_ns),
            intervals: (
                Time::from_ns(if cfg.walk_interval_ns == 0 { cfg.walk_ns } else { cfg.walk_interval_ns }),
                Time::from_ns(cfg.hit_interval_ns),
            ),
            walkers: vec![Time(0); cfg.walkers as usize],
            counts: IommuCounts::default(),
        }
    }

    /// Adds a range.
    pub fn map(&mut self, range: IoRange) {
        let key = |r: &IoRange| (r.pasid, r.base);
        let at = self.ranges.partition_point(|r| key(r) < key(&range));
        self.ranges.insert(at, range);
    }

    /// Removes the range of an address space that starts at `base`, and its pages from the IOTLB.
    pub fn unmap(&mut self, base: Iova, pasid: Option<Pasid>) {
        if let Ok(at) = self.ranges.binary_search_by_key(&(pasid, base), |r| (r.pasid, r.base)) {
            let range = self.ranges.remove(at);
            for entry in &mut self.iotlb.entries {
                let start = entry.tag.number << entry.tag.log2;
                if entry.tag.pasid == pasid && start >= base.0 && start - base.0 < range.length.0 {
                    entry.used = 0;
                }
            }
        }
    }

    /// The range that holds an address.
    fn range(&self, iova: Iova, pasid: Option<Pasid>) -> Option<&IoRange> {
        let at = self.ranges.partition_point(|r| (r.pasid, r.base) <= (pasid, iova)).checked_sub(1)?;
        let range = &self.ranges[at];
        // The range before it in the map may be one of another address space.
        let inside = iova.0.checked_sub(range.base.0).is_some_and(|offset| offset < range.length.0);
        (range.pasid == pasid && inside).then_some(range)
    }

    /// Makes the page of an address present, if its address space has it and grants the access; whether it is there.
    pub fn page_in(&mut self, iova: Iova, prefix: PasidPrefix, read: bool, write: bool) -> bool {
        let pasid = prefix.valid.then_some(prefix.pasid);
        let Some(range) = self.range(iova, pasid) else { return false };
        if read && !range.read || write && !range.write {
            return false;
        }
        let page = iova.0 & !range.page.offset_mask().0;
        if range.paged {
            self.present.insert((pasid, page));
        }
        true
    }

    /// Takes a page of a paged range away. The unit's ATC is not told.
    pub fn page_out(&mut self, iova: Iova, pasid: Option<Pasid>) {
        let Some(range) = self.range(iova, pasid) else { return };
        let log2 = range.page.log2();
        self.present.remove(&(pasid, iova.0 >> log2 << log2));
        let gone = PageTag { number: iova.0 >> log2, log2, pasid };
        self.iotlb.entries.iter_mut().filter(|e| e.tag == gone).for_each(|e| e.used = 0);
    }

    /// The mapping of an address, without any timing.
    pub fn find(&self, iova: Iova, prefix: PasidPrefix) -> Option<Mapping> {
        let pasid = prefix.valid.then_some(prefix.pasid);
        let range = self.range(iova, pasid)?;
        let offset = iova.0 - range.base.0;
        if range.paged && !self.present.contains(&(pasid, iova.0 & !range.page.offset_mask().0)) {
            return None;
        }
        let page = range.scatter.page_address(offset >> range.page.log2(), range.page);
        Some(Mapping {
            address: BusAddr(page.0 | offset & range.page.offset_mask().0),
            page: range.page,
            read: range.read,
            write: range.write,
            exec: range.exec,
            untranslated_only: range.untranslated_only,
        })
    }

    /// Looks an address up through IOTLB and walkers: the mapping, if there is one, and when it is known.
    pub fn translate(&mut self, now: Time, iova: Iova, prefix: PasidPrefix) -> (Time, Option<Mapping>) {
        let now = now + self.lookup;
        let Some(mapping) = self.find(iova, prefix) else {
            self.counts.unmapped += 1;
            return (self.start_walk(now), None);
        };
        let log2 = mapping.page.log2();
        let tag = PageTag { number: iova.0 >> log2, log2, pasid: prefix.valid.then_some(prefix.pasid) };
        if let Some(ready) = self.iotlb.lookup(&tag) {
            self.counts.hit += 1;
            let passed = if self.intervals.1 == Time(0) { now } else { self.keep_walker(now, self.intervals.1) };
            return (ready.max(passed), Some(mapping));
        }
        self.counts.miss += 1;
        let ready = self.start_walk(now);
        self.iotlb.fill(tag, ready);
        (ready, Some(mapping))
    }

    /// Gives a walk to the walker that is free first; the time is the walk's end.
    fn start_walk(&mut self, now: Time) -> Time {
        self.keep_walker(now, self.intervals.0) + self.walk
    }

    /// Keeps the walker that is free first for `interval`; the time is its start.
    fn keep_walker(&mut self, now: Time, interval: Time) -> Time {
        // The configuration check asks for at least one walker.
        let Some(walker) = self.walkers.iter_mut().min() else { return now };
        let start = now.max(*walker);
        *walker = start + interval;
        start
    }

    /// Notes an access that the mapping does not allow.
    pub fn note_refused(&mut self) {
        self.counts.refused += 1;
    }
    /// Counters.
    pub fn counts(&self) -> IommuCounts {
        self.counts
    }
}
