//! A Translation Request and what its completions bring (PCIe 6.x 10.2.2, 10.2.3).
//!
//! A request asks for one or more consecutive granules from the one that missed. Its answer comes in one or two
//! completions, may be shorter than asked, never longer, and all its entries have one size. The first entry is about the
//! granule that missed; the segments that wait for it fail if it gives too little. What is behind it is kept as well, and
//! segments that joined for those granules look up again.

use types::ats::TranslationEntry;
use types::port::{AtcFill, AtcInvalidate, AtcKey, AtsWake, CplBeat};
use types::tlp::status;
use types::{FunctionId, Iova, Syndrome, TlpAddr};

/// Translations that one request may ask for (RCB 128 bytes).
pub(super) const ENTRIES: usize = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Free,
    ToSend,
    Sent,
    /// Answered; what it brought waits to be filled, then its segments are woken.
    Answered,
    /// Timed out and ended: its tag waits for its late completion.
    Retired,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Request {
    pub(super) state: State,
    /// The first granule asked for.
    pub(super) key: AtcKey,
    pub(super) write: bool,
    /// It is a prefetch, and whether a miss has joined it.
    pub(super) ahead: bool,
    pub(super) joined: bool,
    /// The driver asked for it: nobody waits here, and the ATC keeps nothing.
    pub(super) command: bool,
    /// Granules asked for.
    pub(super) asked: u8,
    /// An invalidation has passed what was asked for: the answer counts for nothing.
    pub(super) discard: bool,
    /// An invalidation of the function has passed: the answer counts for the first granule alone.
    pub(super) cut: bool,
    /// Function that has sent it, as its completions name it; while its tag is retired another one's miss may end under it.
    pub(super) sender: FunctionId,
    /// It timed out: its tag is kept back when it ends.
    pub(super) late: bool,
    /// Entries that have come, in order, and how many of them have been taken to the ATC.
    pub(super) entries: [TranslationEntry; ENTRIES],
    pub(super) received: u8,
    pub(super) filled: u8,
    /// Bytes that the second completion brings, once the first of two has come.
    pub(super) owed: u32,
    /// The header of the completion coming in is not as it should be.
    pub(super) malformed: bool,
    /// What has come is poisoned, or no translations as they should be.
    pub(super) failed: bool,
    pub(super) wake: AtsWake,
}

impl Request {
    /// Whether the request is open: not free, and not retired.
    pub(super) fn under_way(&self) -> bool {
        !matches!(self.state, State::Free | State::Retired)
    }

    /// Whether the request asks for the granule of `iova`.
    pub(super) fn covers(&self, iova: Iova, granule_log2: u32) -> bool {
        let first = self.key.iova.0 >> granule_log2;
        (iova.0 >> granule_log2).wrapping_sub(first) < u64::from(self.asked)
    }

    /// Takes a beat of a completion. Returns how the request ends with it, if it does: the syndrome and whether reads and
    /// writes of the first granule fail.
    pub(super) fn take(&mut self, cpl: &CplBeat, granule_log2: u32) -> Option<(Syndrome, (bool, bool))> {
        if cpl.sop {
            // What this completion and those behind it carry: whole entries, no more than asked for.
            let left = 8 * u32::from(self.asked - self.received);
            let (count, bytes) = (u32::from(cpl.byte_count), 4 * u32::from(cpl.length_dw));
            let whole = bytes > 0 && bytes.is_multiple_of(8) && count.is_multiple_of(8);
            // One completion or two, the second with all that is left.
            let second = self.owed == 0 || (count == self.owed && bytes == count);
            self.malformed = !whole || count > left || bytes > count || !second;
        }
        let header = cpl.status == status::SC && !self.malformed;
        self.failed |= header && cpl.poisoned;
        if header && !self.failed {
            for i in (0..cpl.strb.count_ones() as usize / 2).take(ENTRIES) {
                let entry = TranslationEntry::decode(cpl.data.0[i].to_le_bytes());
                // A size smaller than STU counts as UR; all entries have one size.
                let first = self.entries[0].size;
                let fits = |e: &TranslationEntry| {
                    u32::from(e.size.log2()) >= granule_log2 && (self.received == 0 || e.size == first)
                };
                match entry.filter(fits).filter(|_| self.received < self.asked) {
                    Some(entry) => {
                        self.entries[usize::from(self.received)] = entry;
                        self.received += 1;
                    }
                    None => self.failed = true,
                }
            }
        }
        if !cpl.eop {
            return None;
        }
        if header && u32::from(cpl.byte_count) > 4 * u32::from(cpl.length_dw) {
            // The first of two: the second comes whatever this one has brought, and the tag is not free before.
            self.owed = u32::from(cpl.byte_count) - 4 * u32::from(cpl.length_dw);
            return None;
        }
        if !header || self.failed {
            self.received = 0;
            return Some((Syndrome::TRANSLATION_FAILED, (true, true)));
        }
        let first = &self.entries[0];
        // Exe implies R (10.2.3): without it, it grants nothing.
        let exec_missing = self.key.pasid.exec && !(first.exec && first.read);
        // W = 0 in an answer to NW = 1 refuses no write; but without R as well there is nothing, for a zero-length read too.
        let no_write = !first.write && (self.write || !first.read);
        Some((Syndrome::TRANSLATION_ACCESS, (!first.read || exec_missing, no_write || exec_missing)))
    }

    /// The next entry to keep, if one is left; those without access are passed over. The first comes last: it is the one
    /// that was missed, and none of the others may take its place.
    pub(super) fn next_fill(&mut self, granule_log2: u8) -> Option<AtcFill> {
        if self.discard || self.command {
            return None;
        }
        while self.filled < self.received {
            self.filled += 1;
            let n = self.received - self.filled;
            let entry = &self.entries[usize::from(n)];
            if !(entry.read || entry.write) || self.cut && n > 0 {
                continue;
            }
            let size_log2 = entry.size.log2();
            let inside = u64::MAX >> (64 - size_log2);
            let base = self.key.iova.0 & !inside;
            let iova = if n == 0 { self.key.iova.0 } else { base.wrapping_add(u64::from(n) << size_log2) };
            let mut fill = AtcFill {
                valid: true,
                key: AtcKey { iova: Iova(iova), ..self.key },
                address: entry.address,
                size_log2,
                read: entry.read,
                write: entry.write,
                exec: entry.exec && entry.read,
                global: entry.global,
                untranslated: entry.untranslated,
                no_snoop: entry.no_snoop,
            };
            if self.cut && size_log2 > granule_log2 {
                fill.address = TlpAddr(entry.address.0 | iova & inside);
                fill.size_log2 = granule_log2;
            }
            return Some(fill);
        }
        None
    }

    /// Compares the request with an invalidation that `atc` has taken; returns whether its answer counts for less now.
    pub(super) fn compare(&mut self, invalidate: &AtcInvalidate, granule_log2: u32) -> bool {
        if !self.under_way() || self.key.function != invalidate.function {
            return false;
        }
        let (first, last) = (self.key.iova.0, self.key.iova.0 + ((u64::from(self.asked) << granule_log2) - 1));
        let size_log2 = u32::from(invalidate.size_log2).max(granule_log2);
        let low = if size_log2 >= 63 { 0 } else { invalidate.iova.0 >> size_log2 << size_log2 };
        let high = if size_log2 >= 63 { u64::MAX } else { low | (u64::MAX >> (64 - size_log2)) };
        // Without a PASID every entry that has one is meant, at all addresses (10.3.8).
        let everywhere = invalidate.all || !invalidate.pasid.valid && self.key.pasid.valid;
        let before = (self.discard, self.cut);
        self.discard |= everywhere || first <= high && low <= last;
        self.cut = true;
        before != (self.discard, self.cut)
    }
}
