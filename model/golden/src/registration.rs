//! Registration by work requests: fast-register, bind, local and remote invalidate.
//!
//! Such a request changes one MPT line. It takes effect at one point of its stream: what stands before it in the stream is
//! judged by the line that was there, what stands behind it by the new one; other streams may see either until it is
//! reported. The judge knows the point from the write of the line, which leaves before anybody uses what it says.
//!
//! Where something is taken away, nothing may use it once the request is reported; before, as with a revocation of the
//! driver, both are in force. Requests of its own stream that stand before it see the old line alone.
//!
//! **The image** is 64 bytes in the memory for images, at the request's virtual address, a multiple of 64. It is what the
//! fetch since the request was accepted has brought. Outcomes in the order in which they count:
//!
//! | request | outcome | when |
//! |---|---|---|
//! | all | invalid-key | the key's index lies outside the MPT |
//! | register, bind | bad-image | its address is no place of an image |
//! | | table-fetch | the fetch of the image or of a line failed |
//! | | bus-master-off | the function has bus mastering off |
//! | | bad-image | not valid; not of the key's variant; no byte, or past 2^64; a reserved bit set; not set aside for work requests; a window for register, none for bind; windows may be bound to it; register: a parent, or an MTT not 8-byte aligned |
//! | | key-state | the key is not set aside, or is a window for register, a region or a bound window for bind |
//! | | protection-domain, function | those of the line, then those of the image, differ from the request's |
//! | bind | bind-parent | the parent is not valid, of another variant, domain or function, a window, or not to be bound to |
//! | | bounds, rights | the range leaves the parent's, or a right is not the parent's |
//! | invalidate | invalid-key, key-variant, protection-domain, function | as for an access |
//! | | key-state | the key is not set aside for work requests |
//! | | rights | remote invalidation that the line does not allow |

use crate::Judge;
use crate::request::Open;
use crate::versions::{Serial, When};
use crate::violation::{Name, Violation};
use std::collections::BTreeMap;
use types::port::WorkRequest;
use types::{Iova, Key, Line, Op, Region, Syndrome, TlpAddr};

/// When a registration took effect, and how.
#[derive(Clone, Copy, Debug)]
struct Effect {
    at: Serial,
    line: Line,
    /// It takes something away.
    revokes: bool,
    /// A flush has to come back before the report.
    flush: bool,
}

/// A registration that has not been reported.
#[derive(Clone, Debug)]
struct Registration {
    wr: WorkRequest,
    /// What fetches have brought from the place of its image.
    images: Vec<Line>,
    effect: Option<Effect>,
    /// It must end in an error, for what stands behind it has gone on by the old line.
    fails: bool,
}

impl Registration {
    fn name(&self) -> Name {
        Name { stream: self.wr.stream, id: self.wr.id }
    }
}

/// Every registration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registrations {
    mpt: Iova,
    entries: u32,
    images: Iova,
    count: u32,
    open: BTreeMap<Serial, Registration>,
}

/// A line that may be written.
struct Written {
    line: Line,
    region: Region,
    old: Region,
    revokes: bool,
}

impl Registrations {
    pub(crate) fn enable(&mut self, mpt: Iova, entries: u32, images: Iova, count: u32) {
        (self.mpt, self.entries, self.images, self.count) = (mpt, entries, images, count);
    }

    pub(crate) fn enabled(&self) -> bool {
        self.count > 0
    }

    /// A table line was fetched.
    pub(crate) fn fetched(&mut self, address: Iova, line: &Line) {
        for r in self.open.values_mut().filter(|r| r.wr.op.has_image() && r.wr.va.0 == address.0) {
            if !r.images.contains(line) {
                r.images.push(*line);
            }
        }
    }

    /// A request whose function was reset has been reported.
    pub(crate) fn bury(&mut self, name: Name) {
        self.open.retain(|_, r| r.name() != name);
    }

    /// A request has gone on: those registrations of its key before it in its stream that have not taken effect cannot.
    pub(crate) fn passed(&mut self, wr: &WorkRequest, number: Serial) -> Result<(), Violation> {
        for r in self.open.range_mut(..number).map(|(_, r)| r) {
            if r.wr.stream == wr.stream && r.wr.key.index() == wr.key.index() && r.effect.is_none() {
                r.fails = true;
            }
        }
        Ok(())
    }

    fn in_images(&self, wr: &WorkRequest) -> bool {
        let offset = wr.va.0.wrapping_sub(self.images.0);
        offset < 64 * u64::from(self.count) && offset.is_multiple_of(64)
    }
}

/// An image as a region, if it is well formed and of the request's key.
fn image_of(line: &Line, wr: &WorkRequest, window: bool) -> Option<Region> {
    let r = Region::decode(line);
    let reserved = r.encode() != *line || line.0[0] & Region::LAYOUT != 0;
    let wraps = u128::from(r.start.0) + u128::from(r.length.0) > 1 << 64;
    let wrong = !r.valid || r.variant != wr.key.variant() || r.length.0 == 0 || wraps || reserved;
    let kind = r.fast.allowed && !r.fast.bind && r.fast.window == window;
    let region = window || r.fast.parent == Key(0) && r.mtt.0.is_multiple_of(8);
    (!wrong && kind && region).then_some(r)
}

/// Whether a key's or a parent's owner is the one who asks.
fn owned(region: &Region, wr: &WorkRequest) -> Result<(), Syndrome> {
    match (region.pd == wr.pd, region.function == wr.function) {
        (false, _) => Err(Syndrome::PD),
        (true, false) => Err(Syndrome::FUNCTION),
        (true, true) => Ok(()),
    }
}

/// Whether a line over another one only grants: rights and bytes are added, and nothing else differs.
fn grants(old: &Region, new: &Region) -> bool {
    let added = new.rights.cover(old.rights) && new.length >= old.length;
    let fast = new.fast;
    !old.valid || added && Region { rights: new.rights, length: new.length, fast, ..*old } == *new
}

/// Registers `image` over `old`.
fn register(wr: &WorkRequest, image: &Line, old: &Region) -> Result<Written, Syndrome> {
    let new = image_of(image, wr, false).ok_or(Syndrome::BAD_IMAGE)?;
    if !old.fast.allowed || old.fast.window {
        return Err(Syndrome::KEY_STATE);
    }
    owned(old, wr)?;
    owned(&new, wr)?;
    Ok(Written { line: *image, region: new, old: *old, revokes: !grants(old, &new) })
}

/// Binds `image` over `old` to `parent`.
fn bind(wr: &WorkRequest, image: &Line, old: &Region, parent: &Region) -> Result<Written, Syndrome> {
    let asked = image_of(image, wr, true).ok_or(Syndrome::BAD_IMAGE)?;
    if !old.fast.allowed || !old.fast.window || old.valid {
        return Err(Syndrome::KEY_STATE);
    }
    owned(old, wr)?;
    owned(&asked, wr)?;
    let plain = parent.encode().0[0] & Region::LAYOUT == 0;
    let fits = parent.valid && parent.variant == asked.fast.parent.variant() && plain;
    if !fits || !parent.fast.bind || parent.fast.window || owned(parent, wr).is_err() {
        return Err(Syndrome::BIND_PARENT);
    }
    let last = |r: &Region| u128::from(r.start.0) + u128::from(r.length.0);
    if asked.start < parent.start || last(&asked) > last(parent) || last(parent) > 1 << 64 {
        return Err(Syndrome::BOUNDS);
    }
    if !parent.rights.cover(asked.rights) {
        return Err(Syndrome::RIGHTS);
    }
    // How its pages are found and reached is the parent's; its first page is one of the parent's.
    let log2 = parent.page_size.log2();
    let skipped = (asked.start.0 >> log2) - (parent.start.0 >> log2);
    let mut region = Region {
        page_size: parent.page_size,
        mode: parent.mode,
        unordered: parent.unordered,
        pasid: parent.pasid,
        mtt: Iova(parent.mtt.0.wrapping_add(8 * skipped)),
        ..asked
    };
    region.fast.flush = parent.fast.flush;
    Ok(Written { line: region.encode(), region, old: *old, revokes: false })
}

/// Makes `old` invalid.
fn invalidate(wr: &WorkRequest, old: &Region) -> Result<Written, Syndrome> {
    if !old.valid {
        return Err(Syndrome::INVALID_KEY);
    }
    if old.variant != wr.key.variant() {
        return Err(Syndrome::KEY_VARIANT);
    }
    owned(old, wr)?;
    if !old.fast.allowed {
        return Err(Syndrome::KEY_STATE);
    }
    if wr.op == Op::REMOTE_INVALIDATE && !old.fast.remote_invalidate {
        return Err(Syndrome::RIGHTS);
    }
    let region = Region { valid: false, ..*old };
    Ok(Written { line: region.encode(), region, old: *old, revokes: true })
}

impl Judge {
    /// A request was accepted: a registration is noted, and what stands behind one that has taken effect sees its line.
    pub(crate) fn stands_behind(&mut self, wr: &WorkRequest, now: Serial) {
        if !self.registrations.enabled() {
            return;
        }
        let before = self.registrations.open.values();
        let same = before.filter(|r| r.wr.stream == wr.stream && r.wr.key.index() == wr.key.index());
        if let Some(at) = same.filter_map(|r| r.effect.map(|e| e.at)).max() {
            self.tables.not_before(wr, at);
        }
        if wr.op.registers() {
            let registration = Registration { wr: *wr, images: Vec::new(), effect: None, fails: false };
            self.registrations.open.insert(now, registration);
        }
    }

    /// What may become of a registration, by every line that it may meet.
    fn outcomes(&self, number: Serial, r: &Registration) -> Vec<Result<Written, Syndrome>> {
        let (wr, since) = (&r.wr, When::Since(number));
        let index = wr.key.index();
        if index >= self.registrations.entries {
            return vec![Err(Syndrome::INVALID_KEY)];
        }
        if wr.op.has_image() && !self.registrations.in_images(wr) {
            return vec![Err(Syndrome::BAD_IMAGE)];
        }
        // Nothing there reads as a line of zeros.
        let met = |index| {
            let lines = self.tables.met(index, wr, since).map(|r| r.copied().unwrap_or_default());
            lines.collect::<Vec<Region>>()
        };
        let olds = met(index);
        let mut out = Vec::new();
        match wr.op {
            Op::FAST_REGISTER => {
                for (image, old) in r.images.iter().flat_map(|i| olds.iter().map(move |o| (i, o))) {
                    out.push(register(wr, image, old));
                }
            }
            Op::BIND => {
                for (image, old) in r.images.iter().flat_map(|i| olds.iter().map(move |o| (i, o))) {
                    let key = Key(image.0[5] as u32);
                    let mut parents = if key.index() < self.registrations.entries { met(key.index()) } else { vec![] };
                    if parents.is_empty() {
                        parents.push(Region::default());
                    }
                    out.extend(parents.iter().map(|parent| bind(wr, image, old, parent)));
                }
            }
            _ => out.extend(olds.iter().map(|old| invalidate(wr, old))),
        }
        out
    }

    /// The unit writes an MPT line: exactly what a registration asks for that stands in order in its stream.
    pub(crate) fn line_written(&mut self, address: Iova, line: &Line) -> Result<(), Violation> {
        let wrong = |why| Err(Violation::TableWrite { address: TlpAddr(address.0), why });
        let offset = address.0.wrapping_sub(self.registrations.mpt.0);
        if !self.registrations.enabled() || offset >= 64 * u64::from(self.registrations.entries) {
            return wrong("no line of the MPT, or no work request may write one");
        }
        let index = (offset / 64) as u32;
        let (mut found, mut others) = (None, 0);
        for (number, r) in &self.registrations.open {
            if r.wr.key.index() != index || r.effect.is_some() {
                continue;
            }
            let outcomes = self.outcomes(*number, r);
            if let Some(written) = outcomes.into_iter().flatten().find(|w| w.line == *line) {
                // One that has to fail is named only where nothing else explains the line.
                others += u32::from(!r.fails);
                if found.as_ref().is_none_or(|(_, _, fails, _)| *fails) {
                    found = Some((*number, r.name(), r.fails, written));
                }
            }
        }
        let Some((number, request, fails, written)) = found else {
            return wrong("no registration asks for this line");
        };
        if fails {
            return Err(Violation::RegistrationOrder { request });
        }
        // Where it may be that of several streams, what stands beside it there is not held to it.
        self.take_effect(number, &written, others == 1);
        Ok(())
    }

    fn take_effect(&mut self, number: Serial, written: &Written, sure: bool) {
        let now = self.now;
        let Some(wr) = self.registrations.open.get(&number).map(|r| r.wr) else { return };
        let key = Key::new(wr.key.index(), written.region.variant);
        self.tables.set_region(key, Some(written.region), now);
        let flush = if written.revokes { written.old.fast.flush } else { None };
        self.paths.driver_flush_wanted(wr.key, flush, now);
        for (accepted, open) in &self.requests.open {
            if !sure || open.wr.stream != wr.stream || open.wr.key.index() != wr.key.index() || *accepted == number {
                continue;
            }
            if *accepted > number {
                self.tables.not_before(&open.wr, now);
            } else if written.revokes {
                self.tables.not_behind(&open.wr, now);
            }
        }
        // What stands before it among the registrations of its stream has been decided.
        if sure {
            let _ = self.registrations.passed(&wr, number);
        }
        if let Some(r) = self.registrations.open.get_mut(&number) {
            let (line, revokes) = (written.line, written.revokes);
            r.effect = Some(Effect { at: now, line, revokes, flush: flush.is_some() });
        }
    }

    /// A registration was reported.
    pub(crate) fn registered(&mut self, number: Serial, seen: Syndrome) -> Result<(), Violation> {
        let Some(mut r) = self.registrations.open.get(&number).cloned() else {
            self.finished(number);
            return Ok(());
        };
        let (request, length) = (r.name(), 0);
        let outcomes = self.outcomes(number, &r);
        let mut refused = outcomes.iter().filter_map(|o| o.as_ref().err().copied());
        let flushed = seen == Syndrome::UNSUPPORTED_REQUEST && r.effect.is_some_and(|e| e.flush);
        if let Some(effect) = r.effect.filter(|_| !seen.is_ok() && !flushed)
            && let Some(other) = self.other_writer(&r, number, &effect.line)
            && let Some(o) = self.registrations.open.get_mut(&other)
        {
            // The line was that of another stream.
            (o.effect, r.effect) = (Some(effect), None);
        }
        match (r.effect, seen) {
            (Some(effect), Syndrome::OK) => self.reported(&r, &effect)?,
            // Its flush did not come back well.
            (Some(effect), Syndrome::UNSUPPORTED_REQUEST) if effect.flush => self.reported(&r, &effect)?,
            (Some(_), _) => return Err(Violation::Syndrome { request, expected: Syndrome::OK, seen }),
            (None, Syndrome::OK) => {
                let expected = refused.next();
                let other = self.twin(&r, number, &outcomes);
                match (other, expected) {
                    (Some(other), _) => self.swap(number, other)?,
                    (None, Some(expected)) => return Err(Violation::Syndrome { request, expected, seen }),
                    (None, None) => {
                        let what = "written: no line has left";
                        return Err(Violation::DoneEarly { request, length, done: 0, what });
                    }
                }
            }
            (None, seen) => {
                let explained = refused.any(|s| s == seen) || self.no_table(number, &r, seen);
                if !explained {
                    let expected = outcomes.iter().find_map(|o| o.as_ref().err().copied()).unwrap_or(Syndrome::OK);
                    return Err(Violation::Syndrome { request, expected, seen });
                }
            }
        }
        self.registrations.open.remove(&number);
        self.finished(number);
        Ok(())
    }

    /// What a registration took away is not in force any more.
    fn reported(&mut self, r: &Registration, effect: &Effect) -> Result<(), Violation> {
        let (index, now) = (r.wr.key.index(), self.now);
        let oldest = self.requests.oldest(now);
        if effect.revokes {
            self.driver_flushed(r.wr.key)?;
            self.keep_paths();
            self.tables.retire(index, effect.at, now, oldest);
        } else {
            self.tables.granted(index, effect.at, now, oldest);
        }
        Ok(())
    }

    /// A registration of another stream that asks for the same line, to which the line that left was attributed.
    fn twin(&self, r: &Registration, number: Serial, outcomes: &[Result<Written, Syndrome>]) -> Option<Serial> {
        let may = |line: &Line| outcomes.iter().flatten().any(|w| w.line == *line);
        let same = |o: &Registration| {
            let effect = o.effect.as_ref().map(|e| e.line);
            o.wr.key.index() == r.wr.key.index() && !o.fails && effect.is_some_and(|line| may(&line))
        };
        self.registrations.open.iter().find(|(n, o)| **n != number && same(o)).map(|(n, _)| *n)
    }

    /// Another registration that may have written a line and has not been seen to.
    fn other_writer(&self, r: &Registration, number: Serial, line: &Line) -> Option<Serial> {
        let index = r.wr.key.index();
        let others = self.registrations.open.iter().filter(|(n, o)| **n != number && o.wr.key.index() == index);
        let mut may = others.filter(|(n, o)| {
            o.effect.is_none() && !o.fails && self.outcomes(**n, o).iter().flatten().any(|w| w.line == *line)
        });
        may.next().map(|(n, _)| *n)
    }

    /// Whether what is left of a request may have been judged again, by a line that was written since it was accepted.
    pub(crate) fn judged_again(&self, open: &Open) -> bool {
        let since = When::Since(open.accepted);
        self.registrations.enabled() && self.tables.verdicts(&open.wr, since).any(|(s, _)| s.is_ok())
    }

    /// The line belongs to this one, and the other has not taken effect.
    fn swap(&mut self, number: Serial, other: Serial) -> Result<(), Violation> {
        let effect = self.registrations.open.get_mut(&other).and_then(|o| o.effect.take());
        let Some(r) = self.registrations.open.get(&number).cloned() else { return Ok(()) };
        effect.map_or(Ok(()), |effect| self.reported(&r, &effect))
    }

    /// Whether a registration may have ended in an error that no line explains.
    fn no_table(&self, number: Serial, r: &Registration, seen: Syndrome) -> bool {
        match seen {
            Syndrome::BUS_MASTER_OFF => self.functions.was(r.wr.function, number, |c| !c.bus_master),
            Syndrome::TABLE_FETCH => {
                let since = self.requests.open.get(&number).map_or(number, |o| o.since);
                let mpt = self.registrations.mpt.0;
                let mut own = vec![mpt.wrapping_add(64 * u64::from(r.wr.key.index()))];
                if r.wr.op.has_image() {
                    own.push(r.wr.va.0);
                }
                own.extend(r.images.iter().map(|i| mpt.wrapping_add(64 * u64::from(Key(i.0[5] as u32).index()))));
                let mine = |line: Iova| own.contains(&line.0);
                self.outstanding.failed_fetches(since, self.timeouts).any(mine)
                    || self.no_fetch(false, since)
                    || self.no_master(since)
            }
            _ => false,
        }
    }
}
