//! What the host does in a run: the actions of a scenario's steps.

use super::agent::Wanted;
use super::engine::Run;
use super::finding::Finding;
use super::jury::Freed;
use super::schema::{
    Action, CreditClass, FunctionSetup, InvalidateSetup, Operation, RemapOrder, RemapSetup, RequestSetup, RevokeSetup,
    Scenario,
};
use crate::checker::Direction;
use crate::faults::Faulty;
use std::collections::BTreeMap;
use system::fabric::{Act, Class, nic_function};
use system::{Observer, Time};
use types::ats::InvalidateRange;
use types::port::{FunctionCfg, UnitIn, UnitOut, WorkRequest};
use types::{Block, Event, FunctionId, Iova, Length, Op, Owner, PageSize, Pasid, PasidPrefix, StreamId, Va};

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<Faulty<U>>> Run<'_, U, O> {
    fn remap(&mut self, i: usize, setup: &RemapSetup) -> Result<(), Finding> {
        let in_tables = self.place(&setup.region)?.in_tables();
        if setup.order == RemapOrder::AtcFirst {
            self.steps[i].change_after = true;
        } else {
            self.change(i, setup);
        }
        if setup.order != RemapOrder::Silent && !in_tables {
            let wanted = self.invalidation_of_pages(i, &setup.region, setup.page, setup.pages)?;
            self.invalidator.want(wanted);
        }
        Ok(())
    }

    /// Changes the mapping of pages: in the IOMMU, and in the MTT where that holds bus addresses.
    fn change(&mut self, i: usize, setup: &RemapSetup) {
        let Some(place) = self.places.get_mut(&setup.region) else { return };
        // Where the writes went until now.
        let flush = place.first();
        self.steps[i].freeing = place.remap(&mut self.system.fabric, setup, &mut self.frames);
        if !place.in_tables() {
            return;
        }
        let (registered, entries) = (place.registered, place.entries(setup));
        for (page, entry) in entries {
            self.system.set_entry(registered.key, page, entry);
            let event = Event::PageMapped { key: registered.key, page, entry };
            Observer::<Faulty<U>>::event(&mut self.system.observer, &event);
        }
        if setup.order != RemapOrder::Silent {
            self.system.revoke(&registered, flush);
        }
    }

    /// What follows the end of an invalidation. Whether the remap is over.
    pub(super) fn remap_finished(&mut self, i: usize, setup: &RemapSetup) -> bool {
        let now = self.system.cycles().0;
        let answered = *self.steps[i].answered.get_or_insert(now);
        if self.steps[i].change_after && now < answered + setup.pause {
            return false;
        }
        if std::mem::take(&mut self.steps[i].change_after) {
            self.change(i, setup);
        }
        let Some(place) = self.places.get(&setup.region) else { return true };
        if place.in_tables() && !self.system.revoked(place.registered.key) {
            return false;
        }
        // A write to a peer goes another way than the message that answers an invalidation; a revocation flushes it.
        let pushed = place.owner == Owner::Host || place.in_tables();
        let freed = std::mem::take(&mut self.steps[i].freeing);
        if setup.order != RemapOrder::Silent {
            self.free(freed, pushed);
        }
        true
    }

    pub(super) fn free(&mut self, ranges: Vec<(u64, u64)>, pushed: bool) {
        if self.reset {
            // Nobody has told when what a function had committed before its reset has left.
            return;
        }
        let freed = ranges.into_iter().map(|(first, last)| Freed { first, last, pushed });
        self.system.observer.0.freed.extend(freed);
    }

    /// What follows the report of a revocation: mapping and ATC. Whether that is over.
    pub(super) fn revoke_finished(&mut self, i: usize, setup: &RevokeSetup) -> bool {
        let Some(place) = self.places.get_mut(&setup.region) else { return true };
        if !self.system.revoked(place.registered.key) {
            return false;
        }
        if self.steps[i].unmapped {
            return true;
        }
        self.steps[i].unmapped = true;
        let answers_change = self.scenario.interfere.iter().any(|rule| matches!(rule.act, Act::Flip { .. }));
        let (pushed, by_ats) = (place.pushed(setup, answers_change), place.by_ats());
        let freed = place.unmap(&mut self.system.fabric);
        let region = Some(setup.region.clone());
        self.free(freed, pushed);
        if by_ats && let Ok(wanted) = self.invalidation(i, &InvalidateSetup { region, ..InvalidateSetup::default() }) {
            self.invalidator.want(wanted);
            return false;
        }
        true
    }

    pub(super) fn fire(&mut self, i: usize, now: u64) -> Result<(), Finding> {
        self.steps[i].fired = Some(now);
        let scenario = self.scenario;
        match &scenario.steps[i].action {
            Action::Request(setup) => self.request(i, setup),
            Action::Invalidate(setup) => {
                let wanted = self.invalidation(i, setup)?;
                (0..setup.count).for_each(|_| self.invalidator.want(wanted));
                Ok(())
            }
            Action::Remap(setup) => self.remap(i, setup),
            Action::Configure(setup) => {
                self.configure(setup);
                Ok(())
            }
            Action::Stall { link, cycles } => {
                let period = 1_000_000 / u64::from(self.system.config().unit.clock_mhz);
                let until = self.system.now() + Time(cycles * period);
                self.system.fabric.stall(*link, until);
                Ok(())
            }
            Action::HoldCredits(class) => {
                self.system.fabric.hold_credits(fabric_class(*class), true);
                Ok(())
            }
            Action::ReturnCredits(class) => {
                self.system.fabric.hold_credits(fabric_class(*class), false);
                Ok(())
            }
            Action::AnswerPages(answer) => {
                self.system.fabric.set_page_answer(*answer);
                Ok(())
            }
            Action::Revoke(setup) => {
                let place = self.place(&setup.region)?;
                let registered = place.registered;
                let flush = if place.flushed(setup) { place.first() } else { None };
                self.system.withdraw(registered.key);
                self.system.revoke(&registered, flush);
                Ok(())
            }
            Action::FastRegister(setup) => self.fast_register(i, setup),
            Action::Bind(setup) => self.bind(i, setup),
            Action::LocalInvalidate(setup) => self.invalidate_key(i, setup, Op::LOCAL_INVALIDATE),
            Action::RemoteInvalidate(setup) => self.invalidate_key(i, setup, Op::REMOTE_INVALIDATE),
            Action::Release(name) => {
                let time = self.system.now();
                self.system.fabric.release_held(time, name);
                Ok(())
            }
            Action::Deregister(name) => {
                let key = self.place(name)?.registered.key;
                self.system.deregister(key);
                Ok(())
            }
        }
    }

    /// The machine's configuration of a function, and what is given.
    pub(super) fn configure(&mut self, setup: &FunctionSetup) {
        let size = |bytes: u32| (bytes.trailing_zeros() as u8).saturating_sub(7);
        let function = FunctionId(setup.number);
        let base = self.system.function(function);
        let cfg = FunctionCfg {
            bus_master: setup.bus_master.unwrap_or(base.bus_master),
            ats_enable: setup.ats.unwrap_or(base.ats_enable),
            pasid_enable: setup.pasid.unwrap_or(base.pasid_enable),
            pasid_priv_enable: setup.pasid_privileged.unwrap_or(base.pasid_priv_enable),
            pasid_exec_enable: setup.pasid_execute.unwrap_or(base.pasid_exec_enable),
            atomic_enable: setup.atomics.unwrap_or(base.atomic_enable),
            mps: setup.max_payload_bytes.map_or(base.mps, size),
            mrrs: setup.max_read_request_bytes.map_or(base.mrrs, size),
            relaxed_ordering: setup.relaxed_ordering.unwrap_or(base.relaxed_ordering),
            pri_enable: setup.page_requests.map_or(base.pri_enable, |n| n > 0),
            pri_allocation: setup.page_requests.unwrap_or(base.pri_allocation),
            reset: setup.reset,
            ..base
        };
        if setup.denied_by_agent {
            self.system.fabric.deny_ats(nic_function(function));
        }
        if setup.reset {
            self.reset = true;
            self.invalidator.excuse(function);
            self.work.abandon(function);
        } else {
            self.invalidator.up(function);
        }
        self.system.configure(cfg);
    }

    fn request(&mut self, i: usize, setup: &RequestSetup) -> Result<(), Finding> {
        let place = self.place(&setup.region)?.clone();
        let region = &place.registered.region;
        for n in 0..i64::from(setup.count) {
            let offset = setup.offset.wrapping_add(n.wrapping_mul(setup.stride.unwrap_or(i64::from(setup.bytes))));
            let wr = WorkRequest {
                valid: true,
                id: self.work.next_id(),
                function: setup.function.map_or(region.function, FunctionId),
                stream: StreamId(setup.stream),
                op: setup.op.op(),
                remote: !setup.local,
                on_fault: !setup.wait,
                key: types::Key(place.registered.key.0 ^ setup.key_xor),
                va: Va(region.start.0.wrapping_add(offset as u64)),
                length: Length(setup.bytes),
                pd: types::Pd(region.pd.0 ^ setup.pd_xor),
            };
            let inside = region.contains(wr.va, setup.bytes);
            let lost = wr.op == Op::WRITE && !place.writable();
            let known = inside && !place.moves && !lost && !self.overlapped(setup, offset);
            let places = if known { place.places(offset as u64, setup.bytes) } else { Vec::new() };
            self.work.atomic_planned(&wr, &places, &mut self.system.fabric.memories);
            if self.ordered && inside && !wr.op.is_atomic() {
                let direction = if wr.op == Op::WRITE { Direction::Write } else { Direction::Read };
                let pieces = place.leaves(place.registered.mode, offset as u64, setup.bytes);
                self.jury().pieces.insert((wr.stream, wr.id), (direction, pieces));
            }
            self.work.push(i, wr, places);
        }
        Ok(())
    }

    /// Whether another request changes some of these bytes; of atomics only writes and atomics of a part of the operand do,
    /// since what the others return tells what they did.
    fn overlapped(&self, setup: &RequestSetup, offset: i64) -> bool {
        let (end, atomic) = (offset + i64::from(setup.bytes), setup.op.op().is_atomic());
        let hits = |w: &&Changed| w.first < end && offset < w.last;
        let alike = |w: &&Changed| atomic && w.atomic && (w.first, w.last) == (offset, end);
        let list = self.written.get(&setup.region).into_iter().flatten();
        list.filter(hits).filter(|w| !alike(w)).count() > usize::from(setup.op == Operation::Write)
    }

    fn invalidation_of_pages(&self, step: usize, name: &str, page: u64, pages: u64) -> Result<Wanted, Finding> {
        let log2 = self.place(name)?.registered.io.page.log2() - 12;
        let setup = InvalidateSetup {
            region: Some(name.to_string()),
            page: page << log2,
            pages: pages << log2,
            ..InvalidateSetup::default()
        };
        self.invalidation(step, &setup)
    }

    fn invalidation(&self, step: usize, setup: &InvalidateSetup) -> Result<Wanted, Finding> {
        let place = setup.region.as_ref().map(|name| self.place(name)).transpose()?;
        let own = place.map(|p| p.registered.region.pasid).unwrap_or_default();
        let pasid = match setup.pasid {
            None => PasidPrefix { exec: false, privileged: false, ..own },
            Some(n) if n < 0 => PasidPrefix::default(),
            Some(n) => PasidPrefix { valid: true, pasid: Pasid(n as u32), ..PasidPrefix::default() },
        };
        let base = place.map_or(Iova(0), |p| Iova(p.registered.io.base.0 + (setup.page << 12)));
        let size = if setup.pages == 0 {
            None
        } else {
            // The smallest aligned range that covers them all.
            let log2 = setup.pages.is_power_of_two().then(|| {
                let last = base.0 + (setup.pages << 12) - 1;
                (64 - (base.0 ^ last).leading_zeros()) as u8
            });
            let size = log2.and_then(PageSize::from_log2);
            Some(size.ok_or_else(|| Finding::Scenario(format!("{} pages are no range", setup.pages)))?)
        };
        let iova = size.map_or(Iova(0), |s| Iova(base.0 & !s.offset_mask().0));
        let function = setup.function.map(FunctionId);
        let function = function.or_else(|| place.map(|p| p.registered.region.function)).unwrap_or_default();
        Ok(Wanted { step, function, range: InvalidateRange { global: setup.global, iova, size }, pasid })
    }
}

fn fabric_class(class: CreditClass) -> Class {
    match class {
        CreditClass::Posted => Class::Posted,
        CreditClass::NonPosted => Class::NonPosted,
    }
}

/// Bytes of a region that a request changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Changed {
    first: i64,
    /// One past the last.
    last: i64,
    atomic: bool,
}

/// What requests change, by region.
pub(super) fn written(scenario: &Scenario) -> BTreeMap<String, Vec<Changed>> {
    let mut out: BTreeMap<String, Vec<Changed>> = BTreeMap::new();
    for step in &scenario.steps {
        if let Action::Request(r) = &step.action
            && r.op != Operation::Read
        {
            for n in 0..i64::from(r.count) {
                let first = r.offset.wrapping_add(n.wrapping_mul(r.stride.unwrap_or(i64::from(r.bytes))));
                let (last, atomic) = (first.wrapping_add(i64::from(r.bytes)), r.op.op().is_atomic());
                out.entry(r.region.clone()).or_default().push(Changed { first, last, atomic });
            }
        }
    }
    out
}
