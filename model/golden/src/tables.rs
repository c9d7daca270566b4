//! The driver's tables: regions and their pages as versions, and the protection check.

use crate::atomic::operation_check;
use crate::versions::{Serial, Versions, When};
use crate::violation::Violation;
use std::collections::BTreeMap;
use types::port::WorkRequest;
use types::{ByteCount, Iova, Key, Line, Mode, MttEntry, Op, Owner, PageIndex, Region, Syndrome, TableWord, Va};

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
    revocations: Vec<(Key, Serial)>,
    last_removal: BTreeMap<u32, Removal>,
}

/// The outcome of protection. The order of the checks is that of the syndromes: key index and validity, variant,
/// protection domain, function, bounds, rights, operation.
pub(crate) fn protect(region: Option<&Region>, wr: &WorkRequest) -> Syndrome {
    let Some(region) = region.filter(|r| r.valid) else {
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

/// The outcome of a page's own check.
pub(crate) fn page_check(entry: &MttEntry, wr: &WorkRequest) -> Syndrome {
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
            revocations: Vec::new(),
            last_removal: BTreeMap::new(),
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

    fn retire(&mut self, index: u32, started: Serial, now: Serial, oldest: Serial) {
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
        self.revocations.clear();
    }

    /// The regions that `wr` may have met, each with the outcome of protection.
    pub(crate) fn verdicts(&self, wr: &WorkRequest, when: When) -> impl Iterator<Item = (Syndrome, Option<&Region>)> {
        let versions = self.regions.get(&wr.key.index());
        let seen = versions.into_iter().flat_map(move |v| v.seen(when));
        seen.map(|region| (protect(region.as_ref(), wr), region.as_ref()))
    }

    /// The entries of a page.
    pub(crate) fn entries(
        &self,
        region: &Region,
        key: Key,
        page: PageIndex,
        when: When,
    ) -> impl Iterator<Item = &MttEntry> {
        let key = Key::new(key.index(), region.variant);
        self.pages.get(&key).and_then(|pages| pages.get(&page)).into_iter().flat_map(move |v| v.seen(when))
    }

    /// Whether a page may have been found missing since `serial`: nothing was ever written there, or a fetch brought
    /// the word with "present" clear and no removal reported before `serial` has covered that.
    pub(crate) fn absent(&self, region: &Region, key: Key, page: PageIndex, serial: Serial) -> bool {
        let brought = self.absent.get(&region.entry_address(page));
        let removal = self.last_removal.get(&key.index());
        self.entries(region, key, page, When::Ever).next().is_none()
            || brought.is_some_and(|b| removal.is_none_or(|r| *b > r.started || r.reported > serial))
    }

    /// A table line came back.
    pub(crate) fn fetched(&mut self, address: Iova, line: &Line, now: Serial) {
        for (i, word) in (0u64..).zip(line.0) {
            if !MttEntry::decode(TableWord(word)).present {
                self.absent.insert(Iova(address.0.wrapping_add(8 * i)), now);
            }
        }
    }

    /// Whether the loss of a table line may concern a request: it holds MTT entries of its pages, or lies in no region's
    /// MTT, so that it may hold its MPT entry.
    pub(crate) fn may_concern(&self, line: Iova, wr: &WorkRequest) -> bool {
        let holds = |r: &Region, first: Va, length: u64| {
            let entry = |va| r.entry_address(r.page_index(va)).0;
            let last = Va(first.0.wrapping_add(length.saturating_sub(1)));
            (entry(first) & !63..=entry(last)).contains(&line.0)
        };
        let own = self.verdicts(wr, When::Ever).filter_map(|(syndrome, r)| r.filter(|_| syndrome.is_ok()));
        let mut all = self.regions.values().flat_map(|v| v.seen(When::Ever)).flatten();
        own.into_iter().any(|r| holds(r, wr.va, u64::from(wr.length.0))) || !all.any(|r| holds(r, r.start, r.length.0))
    }

    /// How accesses to a page of a region leave.
    pub(crate) fn path(&self, region: &Region, entry: &MttEntry) -> Path {
        match (region.mode.or(self.default_mode), entry.owner) {
            (Mode::Ats, _) => Path::Ats,
            (Mode::Emtt, Owner::Gpu) => Path::Translated,
            _ => Path::Untranslated,
        }
    }
}
