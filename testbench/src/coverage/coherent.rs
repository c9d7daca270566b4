//! Points of coherent regions: what the driver has asked for and filled, and what meets it.

use super::collector::Collector;
use std::collections::{BTreeMap, BTreeSet};
use types::tlp::Body;
use types::{AddressType, Event, FunctionId, Iova, Key, Op, Owner, PageIndex, RequesterId, Tag, Tlp};

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct Coherent {
    /// Keys of coherent regions.
    regions: BTreeSet<Key>,
    /// What the driver wants next.
    wanted: Option<(FunctionId, Iova)>,
    /// Its Translation Request in flight.
    asking: Option<(RequesterId, Tag)>,
    /// Bus pages of the entries filled, 4 KiB.
    filled: BTreeMap<(Key, PageIndex), u64>,
}

impl Collector {
    /// Takes an event, before the open requests know of it.
    pub(super) fn coherent(&mut self, event: &Event<'_>) {
        match *event {
            Event::Mapped { key, region } if region.coherent => drop(self.coherent.regions.insert(key)),
            Event::TranslationAsked { function, iova, no_write, .. } => {
                self.coverage.hit("coherent.command");
                self.coverage.hit_if(no_write, "coherent.command-read-only");
                self.coherent.wanted = Some((function, iova));
            }
            Event::PageMapped { key, page, entry } if self.coherent.regions.contains(&key) => {
                self.coverage.hit_if(entry.owner == Owner::Host, "coherent.host-entry");
                if entry.owner == Owner::Gpu && entry.generation != 0 {
                    let before = self.coherent.filled.insert((key, page), entry.address.0 >> 12);
                    self.coverage.hit_if(before.is_some(), "coherent.filled-again");
                }
            }
            Event::TlpOut { tlp, .. } => self.coherent_out(tlp),
            Event::TlpIn { tlp, .. } => self.coherent_in(tlp),
            Event::RevocationStarted { key, .. } => {
                let under_way = self.open.values().any(|wr| wr.key == key);
                self.coverage.hit_if(under_way && self.coherent.regions.contains(&key), "race.revoke-coherent");
            }
            Event::Configured(cfg) if cfg.reset => {
                let mine = self.coherent.asking.is_some_and(|(requester, _)| requester == cfg.requester);
                self.coverage.hit_if(mine, "race.reset-commanding");
            }
            _ => {}
        }
    }

    fn coherent_out(&mut self, tlp: &Tlp) {
        let Body::Memory { op, at, requester, tag, address, first_be, .. } = tlp.body else { return };
        let function = self.function_of(requester);
        if at == AddressType::TRANSLATION_REQUEST
            && self.coherent.wanted.is_some_and(|(f, iova)| f == function && iova.0 >> 12 == address.0 >> 12)
        {
            self.coherent.wanted = None;
            self.coherent.asking = Some((requester, tag));
        }
        if at == AddressType::TRANSLATED
            && first_be != 0
            && self.coherent.filled.values().any(|p| *p == address.0 >> 12)
        {
            self.coverage.hit(if op.posted() { "coherent.write" } else { "coherent.read" });
        }
    }

    fn coherent_in(&mut self, tlp: &Tlp) {
        match tlp.body {
            Body::Completion { requester, tag, .. } => {
                self.coherent.asking.take_if(|asking| *asking == (requester, tag));
            }
            Body::Message { code: types::tlp::message_code::INVALIDATE_REQUEST, dw2, .. } => {
                let target = RequesterId((dw2 >> 16) as u16);
                let function = self.function_of(target);
                let commanding = self.coherent.asking.is_some_and(|(requester, _)| requester == target);
                let mine = |write: bool| {
                    let of = |wr: &&types::port::WorkRequest| wr.function == function && (wr.op == Op::WRITE) == write;
                    self.open.values().filter(of).any(|wr| self.coherent.regions.contains(&wr.key))
                };
                let (reading, writing) = (mine(false), mine(true));
                self.coverage.hit_if(commanding, "race.invalidate-commanding");
                self.coverage.hit_if(reading, "race.invalidate-coherent-reading");
                self.coverage.hit_if(writing, "race.invalidate-coherent-writing");
            }
            _ => {}
        }
    }
}
