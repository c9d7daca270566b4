//! The translation agent: answers Translation Requests (PCIe 6.x 10.2.2, 10.2.3).

use super::completer::{Completer, Reply};
use super::iommu::Iommu;
use super::packet::{Packet, Pool};
use crate::config::IommuConfig;
use crate::random::Random;
use crate::time::Time;
use types::ats::TranslationEntry;
use types::tlp::{Body, status};
use types::{Iova, RequesterId, Tlp, TlpAddr};

/// Bytes of one entry.
const ENTRY_BYTES: u16 = 8;

/// Entries of an answer: a request asks for 128 bytes at most.
#[derive(Clone, Copy, Debug, Default)]
struct Entries {
    entry: [TranslationEntry; 16],
    count: usize,
}

impl Entries {
    fn push(&mut self, entry: TranslationEntry) {
        self.entry[self.count] = entry;
        self.count += 1;
    }
    fn as_slice(&self) -> &[TranslationEntry] {
        &self.entry[..self.count]
    }
}

/// The agent of the root complex.
#[derive(Clone, Debug)]
pub(super) struct Agent {
    enabled: bool,
    latency: Time,
    /// Size of the units a request counts in: 2^(STU + 12) bytes.
    unit_log2: u32,
    boundary: u16,
    /// Functions that may not ask.
    denied: Vec<RequesterId>,
    /// Cut answers of several entries in two at random.
    splits: Option<Random>,
    /// Requests answered, and refused.
    counts: (u64, u64),
}

impl Agent {
    /// The agent; `unit_log2` is STU + 12, `boundary` the Read Completion Boundary in bytes.
    pub(super) fn new(cfg: &IommuConfig, unit_log2: u32, boundary: u16, splits: Option<Random>) -> Self {
        let latency = Time::from_ns(cfg.ats_ns);
        Self { enabled: cfg.ats, latency, unit_log2, boundary, denied: Vec::new(), splits, counts: (0, 0) }
    }

    /// Requests of this function are answered with UR from now on.
    pub(super) fn deny(&mut self, function: RequesterId) {
        self.denied.push(function);
    }

    /// Whether translated requests of this function are let through.
    pub(super) fn allows(&self, function: RequesterId) -> bool {
        self.enabled && !self.denied.contains(&function)
    }

    /// Requests answered with entries, and refused.
    pub(super) fn counts(&self) -> (u64, u64) {
        self.counts
    }

    /// Answers a Translation Request that reached the agent at `now`.
    pub(super) fn answer(
        &mut self,
        now: Time,
        request: &Tlp,
        iommu: &mut Iommu,
        completer: &mut Completer,
        pool: &mut Pool,
    ) {
        let Body::Memory { requester, address, .. } = request.body else { return };
        let asked = request.length_dw / 2;
        let malformed = request.length_dw % 2 == 1 || request.length_dw * 4 > self.boundary;
        if !self.allows(requester) || malformed {
            self.counts.1 += 1;
            let packet = completer.refusal(request, status::UR);
            completer.schedule(now + self.latency, Reply::Send(packet));
            return;
        }
        self.counts.0 += 1;
        let (done, entries) = self.entries(now, Iova(address.0 & !0xfff), asked, request, iommu);
        let mut bytes = pool.take();
        entries.as_slice().iter().for_each(|entry| bytes.extend_from_slice(&entry.encode()));
        self.send(done + self.latency, request, bytes, completer, pool);
    }

    /// Entries for `asked` units from `iova` on, and when they are known.
    fn entries(&mut self, now: Time, iova: Iova, asked: u16, request: &Tlp, iommu: &mut Iommu) -> (Time, Entries) {
        let mut entries = Entries::default();
        // The length was checked against the completion boundary: 16 entries at most.
        let limit = usize::from(asked).min(entries.entry.len());
        let mut done = now;
        let end = iova.0.saturating_add(u64::from(asked) << self.unit_log2);
        let mut at = iova.0;
        while at < end && entries.count < limit {
            let (known, mapping) = iommu.translate(now, Iova(at), request.pasid);
            // Entries must be of one size: the first of another size ends the answer, as does a hole.
            let Some(mapping) = mapping.filter(|m| entries.as_slice().first().is_none_or(|e| e.size == m.page)) else {
                done = if entries.count == 0 { done.max(known) } else { done };
                break;
            };
            done = done.max(known);
            entries.push(TranslationEntry {
                address: TlpAddr(mapping.address.0 & !mapping.page.offset_mask().0),
                size: mapping.page,
                read: mapping.read,
                write: mapping.write,
                // Exe implies R.
                exec: mapping.exec && mapping.read,
                untranslated: mapping.untranslated_only,
                ..TranslationEntry::default()
            });
            at = (at & !mapping.page.offset_mask().0) + mapping.page.bytes().0;
        }
        if entries.count == 0 {
            // Nothing is mapped there: success with R = W = 0, of the size of the smallest unit.
            let size = types::PageSize::from_log2(self.unit_log2 as u8).unwrap_or_default();
            entries.push(TranslationEntry { size, ..TranslationEntry::default() });
        }
        (done, entries)
    }

    /// One completion, or two with whole entries.
    fn send(&mut self, at: Time, request: &Tlp, mut bytes: Vec<u8>, completer: &mut Completer, pool: &mut Pool) {
        let total = bytes.len() as u16;
        let entries = total / ENTRY_BYTES;
        let cut = match self.splits.as_mut() {
            Some(random) if entries > 1 => ENTRY_BYTES * random.below(u64::from(entries)) as u16,
            _ => 0,
        };
        if cut == 0 {
            let packet = completer.completion(request, status::SC, total, 0, bytes);
            completer.schedule(at, Reply::Send(packet));
            return;
        }
        let mut rest = pool.take();
        rest.extend_from_slice(&bytes[usize::from(cut)..]);
        bytes.truncate(usize::from(cut));
        let lower = (self.boundary - cut) & 0x7f;
        let first = completer.completion(request, status::SC, total, lower as u8, bytes);
        let second = completer.completion(request, status::SC, total - cut, 0, rest);
        completer.schedule_in_order(at, [first, second]);
    }
}

/// Whether a packet is a Translation Request.
pub(super) fn is_translation_request(packet: &Packet) -> bool {
    matches!(packet.tlp.body, Body::Memory { at: types::AddressType::TRANSLATION_REQUEST, .. })
}
