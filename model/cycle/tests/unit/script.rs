//! What the surroundings may do beside answering well, and what they note.

use std::collections::{BTreeMap, BTreeSet};
use types::AddressType;
use types::ats::TranslationEntry;
use types::port::{AtsOut, ReadData, TlpBeat};
use types::tlp::{Body, MemoryOp, Tlp, status};

/// What a read is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Table,
    Translation,
    Data,
}

/// How a completion goes wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    Status(u8),
    Poison,
}

/// Byte of data memory at an address: 251 is prime, so that no two places within a page are taken for one another.
pub(crate) fn pattern(address: u64) -> u8 {
    (address % 251) as u8
}

#[derive(Default)]
pub(crate) struct Script {
    /// What the agent makes of the entry it would answer at an address.
    pub(crate) agent: Option<fn(u64, TranslationEntry) -> TranslationEntry>,
    /// Completions of this kind fail, all or those for one address.
    pub(crate) fault: Option<(Kind, Option<u64>, Fault)>,
    /// Data comes in parts that end at multiples of this.
    pub(crate) split: Option<u64>,
    /// Translation Requests that left, with their cycle.
    pub(crate) asked: Vec<(u64, Tlp)>,
    /// Message bytes delivered, by request.
    pub(crate) read: BTreeMap<u16, Vec<u8>>,
    /// Tags in flight, all tags seen, and how often one was used while in flight.
    in_flight: BTreeSet<u16>,
    pub(crate) tags: BTreeSet<u16>,
    pub(crate) reused: u32,
    /// Atomics that left: cycle of the last beat, TLP, operands.
    pub(crate) atomics: Vec<(u64, Tlp, Vec<u8>)>,
    /// The one whose beats come.
    open: Option<(Tlp, Vec<u8>)>,
    /// `ats.prefetch` and `ats.error`.
    pub(crate) prefetches: u32,
    pub(crate) errors: u32,
    /// Table lines that were written: address and words.
    pub(crate) lines: Vec<(u64, [u64; 8])>,
    /// The line that is being written, and how many words of it have come.
    line: Option<(u64, [u64; 8], usize)>,
    /// Posted TLPs stay on the link.
    pub(crate) hold_sent: bool,
}

impl Script {
    pub(crate) fn entry(&self, address: u64, entry: TranslationEntry) -> TranslationEntry {
        self.agent.map_or(entry, |agent| agent(address, entry))
    }

    /// Addresses asked for, and NW.
    pub(crate) fn asked(&self) -> Vec<(u64, bool)> {
        let part = |(_, tlp): &(u64, Tlp)| match tlp.body {
            Body::Memory { address, no_write, .. } => (address.0, no_write),
            other => panic!("{other:?}"),
        };
        self.asked.iter().map(part).collect()
    }

    pub(crate) fn spoil(&self, kind: Kind, address: u64, mut answer: Tlp, bytes: Vec<u8>) -> (Tlp, Vec<u8>) {
        match self.fault.filter(|(k, at, _)| *k == kind && at.is_none_or(|at| at == address)) {
            None => {}
            Some((_, _, Fault::Poison)) => answer.poisoned = true,
            Some((_, _, Fault::Status(code))) => {
                if let Body::Completion { with_data, status, .. } = &mut answer.body {
                    (*with_data, *status) = (false, code);
                }
                answer.length_dw = 0;
                return (answer, Vec::new());
            }
        }
        (answer, bytes)
    }

    /// A completion in parts that end at multiples of `boundary`.
    pub(crate) fn parts(&self, boundary: u64, address: u64, whole: Tlp, bytes: &[u8]) -> Vec<(Tlp, Vec<u8>)> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let here = address + at as u64;
            let size = ((boundary - here % boundary) as usize).min(bytes.len() - at);
            let mut part = Tlp { length_dw: (size / 4) as u16, ..whole };
            if let Body::Completion { byte_count, lower_address, .. } = &mut part.body {
                (*byte_count, *lower_address) = ((bytes.len() - at) as u16, (here & 0x7f) as u8);
            }
            out.push((part, bytes[at..at + size].to_vec()));
            at += size;
        }
        out
    }

    pub(crate) fn sent(&mut self, tag: types::Tag) {
        self.reused += u32::from(!self.in_flight.insert(tag.0));
        self.tags.insert(tag.0);
    }

    pub(crate) fn completed(&mut self, tlp: &Tlp) {
        let Body::Completion { tag, byte_count, status: code, .. } = tlp.body else { return };
        if code != status::SC || byte_count <= 4 * tlp.length_dw {
            self.in_flight.remove(&tag.0);
        }
    }

    /// A beat of the non-posted stream; returns an atomic that is whole with it.
    pub(crate) fn non_posted(&mut self, cycle: u64, beat: &TlpBeat) -> Option<Tlp> {
        if beat.sop {
            self.open = Tlp::parse(beat.hdr, beat.pasid).ok().map(|tlp| (tlp, Vec::new()));
        }
        let (tlp, bytes) = self.open.as_mut()?;
        bytes.extend(&beat.data.to_bytes()[..4 * beat.strb.count_ones() as usize]);
        let atomic = matches!(tlp.body, Body::Memory { op, .. } if op.is_atomic());
        let (tlp, bytes) = self.open.take_if(|_| beat.eop)?;
        if atomic {
            self.atomics.push((cycle, tlp, bytes));
        }
        atomic.then_some(tlp)
    }

    pub(crate) fn count(&mut self, ats: &AtsOut) {
        self.prefetches += u32::from(ats.stat_prefetch);
        self.errors += u32::from(ats.stat_error);
    }

    /// A beat of a posted TLP: one that writes a table line changes the memory with its last beat.
    pub(crate) fn write_line(&mut self, beat: &TlpBeat, memory: &mut BTreeMap<u64, u64>) {
        if !beat.valid {
            return;
        }
        if beat.sop {
            let tlp = Tlp::parse(beat.hdr, beat.pasid).unwrap();
            self.line = match tlp.body {
                Body::Memory {
                    op: MemoryOp::Write, at: AddressType::UNTRANSLATED, address, first_be, last_be, ..
                } if address.0 < 0x4000_0000 => {
                    assert_eq!((tlp.length_dw, first_be, last_be, tlp.pasid.valid), (16, 15, 15, false));
                    Some((address.0, [0; 8], 0))
                }
                _ => None,
            };
        }
        let Some((address, words, count)) = &mut self.line else { return };
        for word in &beat.data.0[..beat.strb.count_ones() as usize / 2] {
            words[*count] = *word;
            *count += 1;
        }
        if beat.eop {
            assert_eq!(*count, 8);
            self.lines.push((*address, *words));
            memory.extend((0..8).map(|n| (*address + 8 * n as u64, words[n])));
        }
    }

    /// Read data: always taken.
    pub(crate) fn take(&mut self, beat: &ReadData) {
        if beat.valid {
            let bytes = beat.data.to_bytes();
            let count = beat.keep.count_ones() as usize;
            self.read.entry(beat.id.0).or_default().extend(&bytes[..count]);
        }
    }
}
