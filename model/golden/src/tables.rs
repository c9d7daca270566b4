//! The driver's tables: regions and their pages as versions, and the protection check.

use crate::atomic::operation_check;
use crate::versions::{Serial, Versions, When};
use crate::violation::Violation;
use crate::walk::{Walks, describes};
use std::collections::BTreeMap;
use types::port::WorkRequest;
use types::{ByteCount, Iova, Key, Line, Mode, MttEntry, Op, Owner, PageIndex, Region, Syndrome, TableWord, Va};
use types::{StreamId, WrId};

/// How a page's accesses leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// AT = 00 with the entry's address.
    Untranslated,
    /// AT = 10 with the entry's address.
    Translated,
    /// The entry's address is an IOVA that ATS must translate.
    Ats,
}

/// A removal of mappings by the driver.
#[derive(Clone, Copy, Debug)]
struct Removal {
    started: Serial,
    reported: Serial,
}

/// What the driver has written.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) default_mode: Mode,
    memory: Vec<(Iova, ByteCount)>,
    /// By MPT index; `None` is an entry that is not valid.
    regions: BTreeMap<u32, Versions<Option<Region>>>,
    pages: BTreeMap<Key, BTreeMap<PageIndex, Versions<MttEntry>>>,
    /// Table words that a fetch last brought with "present" clear, by their address.
    absent: BTreeMap<Iova, Serial>,
    walks: Walks,
    revocations: Vec<(Key, Serial)>,
    last_removal: BTreeMap<u32, Removal>,
    /// Requests that stand beside a registration of their key in their stream: they see no version of the region that was
    /// superseded by the first serial, and none made at the second or later.
    bounds: BTreeMap<(StreamId, WrId), (Serial, Serial)>,
}

/// The outcome of protection. The order of the checks is that of the syndromes: key index and validity, variant,
/// protection domain, function, bounds, rights, operation.
pub(crate) fn protect(region: Option<&Region>, wr: &WorkRequest) -> Syndrome {
    let Some(region) = region.filter(|r| r.valid && describes(r)) else {
        return Syndrome::INVALID_KEY;
    };
    // 65-bit arithmetic: neither the request nor the region may wrap past 2^64.
    let (first, end) = (u128::from(wr.va.0), u128::from(wr.va.0) + u128::from(reach(wr)));
    let (low, high) = (u128::from(region.start.0), u128::from(region.start.0) + u128::from(region.length.0));
    if region.variant != wr.key.variant() {
        Syndrome::KEY_VARIANT
    } else if region.pd != wr.pd {
        Syndrome::PD
    } else if region.function != wr.function {
        Syndrome::FUNCTION
    } else if first < low || end > high || high > 1 << 64 {
        Syndrome::BOUNDS
    } else if !region.rights.allow(wr.op, wr.remote) {
        Syndrome::RIGHTS
    } else {
        operation_check(wr)
    }
}

/// The first byte of a request from `offset` on that lies in a region, as a request of its own: what is left of a request may
/// be judged again by a line that it does not fit as a whole.
pub(crate) fn part_in(region: &Region, wr: &WorkRequest, offset: u32) -> Option<WorkRequest> {
    let (first, end) = (u128::from(wr.va.0) + u128::from(offset), u128::from(wr.va.0) + u128::from(reach(wr)));
    let (low, high) = (u128::from(region.start.0), u128::from(region.start.0) + u128::from(region.length.0));
    let at = first.max(low);
    (at < end.min(high)).then(|| {
        let mut part = *wr;
        (part.va, part.length.0) = (Va(at as u64), 1);
        part
    })
}

/// Bytes of a request for which it needs a mapping: a read of no bytes is a zero-length read of one place.
pub(crate) fn reach(wr: &WorkRequest) -> u32 {
    if wr.op == Op::READ { wr.length.0.max(1) } else { wr.length.0 }
}

/// Whether R and W grant a request: a zero-length read needs either.
pub(crate) fn grants(read: bool, write: bool, wr: &WorkRequest) -> bool {
    match (wr.op, wr.length.0) {
        (Op::READ, 0) => read || write,
        (op, _) => (read || !op.reads()) && (write || !op.writes()),
    }
}

/// The outcome of a page's own check, by its entry alone.
fn page_check(entry: &MttEntry, wr: &WorkRequest) -> Syndrome {
    if !entry.present {
        Syndrome::NOT_PRESENT
    } else if !grants(entry.read, entry.write, wr) {
        Syndrome::PAGE_RIGHTS
    } else {
        Syndrome::OK
    }
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            default_mode: Mode::Direct,
            memory: Vec::new(),
            regions: BTreeMap::new(),
            pages: BTreeMap::new(),
            absent: BTreeMap::new(),
            walks: Walks::default(),
            revocations: Vec::new(),
            last_removal: BTreeMap::new(),
            bounds: BTreeMap::new(),
        }
    }
}

impl Tables {
    pub(crate) fn add_memory(&mut self, base: Iova, length: ByteCount) {
        self.memory.push((base, length));
    }

    /// Whether an address lies in memory that holds tables.
    pub(crate) fn in_memory(&self, address: Iova) -> bool {
        self.memory.iter().any(|(base, length)| address.0.wrapping_sub(base.0) < length.0)
    }

    pub(crate) fn set_region(&mut self, key: Key, region: Option<Region>, now: Serial) {
        region.iter().for_each(|r| self.walks.add(r));
        self.regions.entry(key.index()).or_default().push(region, now);
    }

    /// A key was used: if nothing stands under its index, that "nothing" may have been seen.
    pub(crate) fn used(&mut self, key: Key, now: Serial) {
        let versions = self.regions.entry(key.index()).or_default();
        if versions.is_empty() {
            versions.push(None, now);
        }
    }

    pub(crate) fn set_page(&mut self, key: Key, page: PageIndex, entry: MttEntry, now: Serial) {
        self.pages.entry(key).or_default().entry(page).or_default().push(entry, now);
    }

    pub(crate) fn revocation_started(&mut self, key: Key, now: Serial) {
        self.revocations.push((key, now));
    }

    pub(crate) fn revocation_reported(&mut self, key: Key, now: Serial, oldest: Serial) -> Result<(), Violation> {
        let position = self.revocations.iter().position(|(k, _)| *k == key);
        let position = position.ok_or(Violation::RevocationUnknown { key })?;
        let (_, started) = self.revocations.remove(position);
        self.retire(key.index(), started, now, oldest);
        Ok(())
    }

    /// A registration that grants was reported: what it superseded is not in the table any more.
    pub(crate) fn granted(&mut self, index: u32, since: Serial, now: Serial, oldest: Serial) {
        if let Some(regions) = self.regions.get_mut(&index) {
            regions.retire(since, now, oldest);
        }
    }

    pub(crate) fn retire(&mut self, index: u32, started: Serial, now: Serial, oldest: Serial) {
        if let Some(regions) = self.regions.get_mut(&index) {
            regions.retire(started, now, oldest);
        }
        for (_, pages) in self.pages.range_mut(Key::new(index, 0)..=Key::new(index, u8::MAX)) {
            pages.values_mut().for_each(|page| page.retire(started, now, oldest));
        }
        self.last_removal.insert(index, Removal { started, reported: now });
    }

    /// The function that a key's region belongs to, or belonged to last.
    pub(crate) fn owner(&self, key: Key) -> Option<types::FunctionId> {
        self.regions.get(&key.index())?.seen(When::Ever).flatten().next().map(|r| r.function)
    }

    pub(crate) fn revocation_owed(&self) -> Option<Key> {
        self.revocations.first().map(|(key, _)| *key)
    }

    /// The unit was reset: nothing old is cached any more.
    pub(crate) fn reset(&mut self, now: Serial) {
        let indices: Vec<u32> = self.regions.keys().copied().collect();
        indices.into_iter().for_each(|index| self.retire(index, now, now, now));
        self.absent.clear();
        self.walks.reset();
        self.revocations.clear();
        self.bounds.clear();
    }

    /// A registration of its key took effect before the request, in its stream.
    pub(crate) fn not_before(&mut self, wr: &WorkRequest, serial: Serial) {
        let bounds = self.bounds.entry((wr.stream, wr.id)).or_insert((0, Serial::MAX));
        bounds.0 = bounds.0.max(serial);
    }

    /// A registration of its key took effect behind the request, in its stream.
    pub(crate) fn not_behind(&mut self, wr: &WorkRequest, serial: Serial) {
        let bounds = self.bounds.entry((wr.stream, wr.id)).or_insert((0, Serial::MAX));
        bounds.1 = bounds.1.min(serial);
    }

    /// A request has ended.
    pub(crate) fn unbound(&mut self, wr: &WorkRequest) {
        self.bounds.remove(&(wr.stream, wr.id));
    }

    /// The regions under a key's index that a request may have met.
    pub(crate) fn met(&self, index: u32, wr: &WorkRequest, when: When) -> impl Iterator<Item = Option<&Region>> {
        let (from, until) = self.bounds.get(&(wr.stream, wr.id)).copied().unwrap_or((0, Serial::MAX));
        let (from, until) = if index == wr.key.index() { (from, until) } else { (0, Serial::MAX) };
        let versions = self.regions.get(&index);
        versions.into_iter().flat_map(move |v| v.seen_between(when, from, until)).map(Option::as_ref)
    }

    /// The regions that `wr` may have met, each with the outcome of protection.
    pub(crate) fn verdicts(&self, wr: &WorkRequest, when: When) -> impl Iterator<Item = (Syndrome, Option<&Region>)> {
        self.met(wr.key.index(), wr, when).map(|region| (protect(region, wr), region))
    }

    /// The entries of a page.
    pub(crate) fn entries(
        &self,
        region: &Region,
        key: Key,
        page: PageIndex,
        when: When,
    ) -> impl Iterator<Item = &MttEntry> {
        let (key, page) = self.page_of(region, key, page);
        self.pages.get(&key).and_then(|pages| pages.get(&page)).into_iter().flat_map(move |v| v.seen(when))
    }

    /// Key and number under which the driver has told of a page: those of its parent for a window's.
    fn page_of(&self, region: &Region, key: Key, page: PageIndex) -> (Key, PageIndex) {
        let own = (Key::new(key.index(), region.variant), page);
        if !region.fast.window {
            return own;
        }
        let parent = region.fast.parent;
        let regions = self.regions.get(&parent.index()).into_iter().flat_map(|v| v.seen(When::Ever)).flatten();
        let first = regions.filter(|r| r.variant == parent.variant()).map(|r| r.mtt.0).next();
        first.map_or(own, |mtt| (parent, PageIndex(page.0 + region.mtt.0.wrapping_sub(mtt) / 8)))
    }

    /// Whether a page may have been found missing since `serial`: nothing was ever written there, or a fetch brought
    /// the word with "present" clear and no removal reported before `serial` has covered that.
    pub(crate) fn absent(&self, region: &Region, key: Key, page: PageIndex, serial: Serial) -> bool {
        let removal = self.last_removal.get(&key.index());
        let counts = |b: &Serial| removal.is_none_or(|r| *b > r.started || r.reported > serial);
        self.entries(region, key, page, When::Ever).next().is_none()
            || self.walks.words(region, page).any(|word| self.absent.get(&word).is_some_and(counts))
    }

    /// A table line came back.
    pub(crate) fn fetched(&mut self, address: Iova, line: &Line, now: Serial) {
        for (i, word) in (0u64..).zip(line.0) {
            let at = Iova(address.0.wrapping_add(8 * i));
            self.walks.fetched(at, word);
            if !MttEntry::decode(TableWord(word)).present {
                self.absent.insert(at, now);
            }
        }
    }

    /// Whether the loss of a table line may concern a request: it holds MTT entries of its pages, or lies in no region's
    /// MTT, so that it may hold its MPT entry.
    pub(crate) fn may_concern(&self, line: Iova, wr: &WorkRequest) -> bool {
        let mut own = self.verdicts(wr, When::Ever).filter_map(|(syndrome, r)| r.filter(|_| syndrome.is_ok()));
        own.any(|r| self.holds(line, r, wr.va, u64::from(wr.length.0))) || !self.in_mtt(line)
    }

    /// Whether a table line holds what leads to the MTT entries of `length` bytes of a region.
    fn holds(&self, line: Iova, region: &Region, first: Va, length: u64) -> bool {
        let last = Va(first.0.wrapping_add(length.saturating_sub(1)));
        self.walks.reads(region, (region.page_index(first), region.page_index(last)), line)
    }

    /// Whether a table line holds MTT entries of any region.
    pub(crate) fn in_mtt(&self, line: Iova) -> bool {
        let mut all = self.regions.values().flat_map(|v| v.seen(When::Ever)).flatten();
        all.any(|r| self.holds(line, r, r.start, r.length.0))
    }

    /// The outcome of a page's own check in a region: where ATS decides, permissions are those of the translation.
    pub(crate) fn page_check(&self, region: &Region, entry: &MttEntry, wr: &WorkRequest) -> Syndrome {
        match page_check(entry, wr) {
            Syndrome::PAGE_RIGHTS if self.is_coherent(region) && entry.owner == Owner::Gpu => Syndrome::OK,
            outcome => outcome,
        }
    }

    /// Whether a region is coherent: its GPU pages are translated by ATS, whoever keeps the answers.
    pub(crate) fn is_coherent(&self, region: &Region) -> bool {
        region.coherent && region.mode.or(self.default_mode) == Mode::Emtt
    }

    /// The address that a page's accesses leave with, or that ATS must translate. What the entry of a coherent region's
    /// GPU page holds is the unit's own affair: an answer of before, or nothing yet.
    pub(crate) fn page_address(&self, region: &Region, page: PageIndex, entry: &MttEntry) -> Iova {
        if self.is_coherent(region) && entry.owner == Owner::Gpu {
            region.page_iova(page)
        } else {
            Iova(entry.address.0 & !region.page_size.offset_mask().0)
        }
    }

    /// How accesses to a page of a region leave.
    pub(crate) fn path(&self, region: &Region, entry: &MttEntry) -> Path {
        match (region.mode.or(self.default_mode), entry.owner) {
            (Mode::Ats, _) => Path::Ats,
            (Mode::Emtt, Owner::Gpu) if region.coherent => Path::Ats,
            (Mode::Emtt, Owner::Gpu) => Path::Translated,
            _ => Path::Untranslated,
        }
    }
}
