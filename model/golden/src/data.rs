//! Data TLPs: to which open request each belongs, and whether protection, translation, owner, AT, PASID and payload fit.

use crate::Judge;
use crate::function::{executes, pasid_off, prefix};
use crate::request::{Move, Open, State};
use crate::tables::{Path, grants, part_in, protect};
use crate::translations::Used;
use crate::versions::{Serial, When};
use crate::violation::Violation;
use types::port::{FunctionCfg, WorkRequest};
use types::{AddressType, FunctionId, Iova, Op, PasidPrefix, Region, Syndrome, TlpAddr, Va};

/// What a data TLP does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    pub(crate) function: FunctionId,
    pub(crate) op: Op,
    pub(crate) at: AddressType,
    pub(crate) prefix: PasidPrefix,
    /// Address of the first enabled byte.
    pub(crate) address: TlpAddr,
    /// Enabled bytes; 0 for a zero-length read; the operand of an atomic.
    pub(crate) length: u32,
    /// The enabled bytes of a write, the payload of an atomic.
    pub(crate) bytes: &'a [u8],
}

impl Access<'_> {
    pub(crate) fn write(&self) -> bool {
        self.op == Op::WRITE
    }
}

/// Where a byte of a request may be accessed, or why not.
#[derive(Clone, Copy, Debug)]
struct Target {
    at: AddressType,
    address: TlpAddr,
    prefix: PasidPrefix,
    verdict: Verdict,
    /// The translation behind a translated access.
    via: Option<Used>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Legal for this many bytes.
    Legal(u32),
    /// The request, or the page, must be refused.
    Refused(Syndrome),
    /// No translation allows it; `address` is what has to be translated.
    NoTranslation,
    /// The translation was invalidated.
    Invalidated,
}

/// A reason against an attribution, and how close the TLP came: of all reasons the closest is reported.
type Reason = (u8, Violation);

impl Judge {
    /// A data TLP of at least one byte: attributes it, and names the request offsets it may belong to.
    pub(crate) fn data(&mut self, access: &Access<'_>) -> Result<Vec<(Serial, u32)>, Violation> {
        let mut moves = Vec::new();
        for (index, state) in self.requests.states.iter().enumerate() {
            self.moves(index, state, access, &mut moves, None);
        }
        if moves.is_empty() {
            let what = match access.op {
                Op::WRITE => "a write",
                Op::READ => "a read",
                _ => "an atomic",
            };
            let mut closest = (0, Violation::Unexpected { what, address: access.address, at: access.at });
            for (index, state) in self.requests.states.iter().enumerate() {
                self.moves(index, state, access, &mut moves, Some(&mut closest));
            }
            return Err(closest.1);
        }
        let mut claims: Vec<_> =
            moves.iter().map(|m| (m.number, self.requests.states[m.state].of(m.number).sent)).collect();
        claims.sort_unstable();
        claims.dedup();
        self.requests.follow(&moves, access.length)?;
        Ok(claims)
    }

    /// Every attribution of a TLP in one state. Bytes go out in message order and requests of a stream in order: writes
    /// after earlier writes, reads after earlier writes and reads, unless those have ended in an error. Where `closest` is
    /// given, it gets the reason that comes closest to an attribution.
    fn moves(
        &self,
        index: usize,
        state: &State,
        access: &Access<'_>,
        moves: &mut Vec<Move>,
        mut closest: Option<&mut Reason>,
    ) {
        let mut unfinished: Vec<&Open> = Vec::new();
        for (&number, open) in &self.requests.open {
            let progress = state.of(number);
            if progress.ended || progress.sent == open.wr.length.0 {
                continue;
            }
            let write = open.wr.op == Op::WRITE;
            // Pages are at least 4 KiB, so that translation keeps the low 12 bits.
            let offset_fits = (open.wr.va.0.wrapping_add(u64::from(progress.sent)) ^ access.address.0) & 0xfff == 0;
            if open.wr.op == access.op && (offset_fits || closest.is_some()) {
                let before = |o: &&&Open| o.wr.stream == open.wr.stream && (!write || o.wr.op == Op::WRITE);
                let mut blocking = unfinished.iter().filter(before);
                let reason = match self.fits(open, progress.sent, access) {
                    Ok(()) => match blocking.clone().find(|o| !self.may_fail(o, state.of(o.accepted).sent)) {
                        None => {
                            moves.push(Move { state: index, number, failed: blocking.map(|o| o.accepted).collect() });
                            None
                        }
                        Some(earlier) => {
                            let (request, earlier) = (open.name(), earlier.name());
                            Some((9, Violation::StreamOrder { request, earlier, seen: access.address }))
                        }
                    },
                    // Only the next request of a stream explains what went wrong.
                    Err(reason) => blocking.next().is_none().then_some(reason),
                };
                if let (Some(reason), Some(closest)) = (reason, closest.as_deref_mut())
                    && reason.0 > closest.0
                {
                    *closest = reason;
                }
            }
            unfinished.push(open);
        }
    }

    /// Whether a TLP can be the next one of a request that has sent `offset` bytes.
    fn fits(&self, open: &Open, offset: u32, access: &Access<'_>) -> Result<(), Reason> {
        let request = open.name();
        let unexpected = (0, Violation::Unexpected { what: "an access", address: access.address, at: access.at });
        if open.wr.function != access.function {
            return Err(unexpected);
        }
        if access.op.is_atomic() && access.length != open.wr.length.0 {
            let (address, at, why) = (access.address, access.at, "has operands of another size than its request");
            return Err((8, Violation::Atomic { address, at, why }));
        }
        let mut closest = unexpected;
        for target in self.targets(open, offset, When::Now) {
            match self.compare(open, offset, access, &target) {
                Ok(()) => return self.payload(open, offset, access),
                Err(reason) if reason.0 > closest.0 => closest = reason,
                Err(_) => {}
            }
        }
        // A mapping that was in force once: stale, not merely wrong.
        let was = |t: &Target| {
            matches!(t.verdict, Verdict::Legal(n) if n >= access.length)
                && (t.at, t.address) == (access.at, access.address)
        };
        if closest.0 < 8 && self.targets(open, offset, When::Ever).iter().any(was) {
            closest = (8, Violation::Stale { request, offset, seen: access.address });
        }
        Err(closest)
    }

    fn compare(&self, open: &Open, offset: u32, access: &Access<'_>, target: &Target) -> Result<(), Reason> {
        let (request, address, seen) = (open.name(), access.address, access.address);
        let at_address = target.address == access.address;
        match target.verdict {
            Verdict::Legal(length) if at_address && target.at == access.at && target.prefix == access.prefix => {
                let owed = length.min(open.wr.length.0 - offset);
                if access.length > owed {
                    return Err((8, Violation::Overrun { request, offset, owed, seen: access.length }));
                }
                Ok(())
            }
            Verdict::Legal(_) if at_address && target.at == access.at => {
                let (expected, seen) = (target.prefix, access.prefix);
                Err((8, Violation::Pasid { request, address, expected, seen }))
            }
            Verdict::Legal(_) if at_address => {
                Err((8, Violation::AddressType { request, address, expected: target.at, seen: access.at }))
            }
            Verdict::Refused(expected) if at_address => {
                Err((8, Violation::Refused { request, offset, expected, seen }))
            }
            Verdict::Invalidated if at_address => Err((8, Violation::Stale { request, offset, seen })),
            // Any TLP at the right offset of a page shows that a translation was guessed.
            Verdict::NoTranslation if target.address.0 & 0xfff == access.address.0 & 0xfff => {
                let rank = if at_address { 7 } else { 2 };
                Err((rank, Violation::NoTranslation { request, offset, iova: Iova(target.address.0), seen }))
            }
            _ => Err((1, Violation::Address { request, offset, expected: target.address, seen })),
        }
    }

    fn payload(&self, open: &Open, offset: u32, access: &Access<'_>) -> Result<(), Reason> {
        let (request, length) = (open.name(), access.length);
        match open.same_data(offset, access.bytes) {
            _ if access.op == Op::READ => Ok(()),
            Some(true) => Ok(()),
            Some(false) => Err((8, Violation::Payload { request, offset, length })),
            None => Err((8, Violation::NotGiven { request, offset, length })),
        }
    }

    /// Where byte `offset` of a request may be accessed, by every version of its region, page and translation.
    fn targets(&self, open: &Open, offset: u32, when: When) -> Vec<Target> {
        let wr = &open.wr;
        let mut out = Vec::new();
        let Some(cfg) = self.functions.get(wr.function) else {
            return out;
        };
        let va = Va(wr.va.0.wrapping_add(u64::from(offset)));
        for (syndrome, region) in self.tables.verdicts(wr, when) {
            let Some(region) = region else { continue };
            let (mut syndrome, mut most) = (syndrome, u32::MAX);
            if syndrome == Syndrome::BOUNDS && self.judged_again(open) {
                let part = part_in(region, wr, offset).filter(|part| part.va == va);
                syndrome = part.map_or(syndrome, |part| protect(Some(region), &part));
                let end = u128::from(region.start.0) + u128::from(region.length.0);
                most = u32::try_from(end.saturating_sub(u128::from(va.0))).unwrap_or(u32::MAX);
            }
            let mask = region.page_size.offset_mask().0;
            // No TLP crosses 4 KiB, the smallest page, so that one page and one translation always cover it.
            let left = (4096 - (va.0 & 0xfff) as u32).min(most);
            let page = region.page_index(va);
            for entry in self.tables.entries(region, wr.key, page, when) {
                let iova = Iova(self.tables.page_address(region, page, entry).0 | va.0 & mask);
                let path = self.tables.path(region, entry);
                let checks = || [self.tables.page_check(region, entry, wr), self.enabled(cfg, wr, region, path)];
                let syndrome = match syndrome {
                    Syndrome::OK => checks().into_iter().find(|s| !s.is_ok()).unwrap_or(Syndrome::OK),
                    refused => refused,
                };
                let verdict = if syndrome.is_ok() { Verdict::Legal(left) } else { Verdict::Refused(syndrome) };
                let plain = prefix(cfg, region.pasid, executes(wr));
                let (none, address) = (PasidPrefix::default(), TlpAddr(iova.0));
                let at = AddressType::UNTRANSLATED;
                let untranslated = Target { at, address, prefix: plain, verdict, via: None };
                match path {
                    Path::Untranslated => out.push(untranslated),
                    Path::Translated => {
                        out.push(Target { at: AddressType::TRANSLATED, prefix: none, ..untranslated });
                    }
                    Path::Ats if syndrome.is_ok() => self.translated(cfg, wr, iova, untranslated, when, &mut out),
                    Path::Ats => out.push(untranslated),
                }
            }
        }
        out
    }

    /// Whether a function has on what an access needs.
    fn enabled(&self, cfg: &FunctionCfg, wr: &WorkRequest, region: &Region, path: Path) -> Syndrome {
        if wr.op.is_atomic() && !self.atomics_allowed(cfg) {
            Syndrome::ATOMIC_OFF
        } else if path != Path::Translated && pasid_off(cfg, region) {
            Syndrome::PASID_OFF
        } else {
            Syndrome::OK
        }
    }

    /// The same through ATS: by each answer that grants the access, with the permissions of that answer.
    fn translated(
        &self,
        cfg: &FunctionCfg,
        wr: &WorkRequest,
        iova: Iova,
        plain: Target,
        when: When,
        out: &mut Vec<Target>,
    ) {
        let found = out.len();
        for (answer, address) in self.translations.covering(cfg.function, plain.prefix, iova) {
            let entry = &answer.entry;
            if !grants(entry.read, entry.write, wr) || plain.prefix.exec && !answer.grants_execute() {
                continue;
            }
            let target = if entry.untranslated {
                plain
            } else {
                let via = Some(answer.used(cfg.function, iova));
                Target { at: AddressType::TRANSLATED, prefix: PasidPrefix::default(), address, via, ..plain }
            };
            if answer.flushed && !self.may_be_late(cfg.function, wr.op == Op::WRITE, false) {
                continue;
            }
            let usable = answer.in_force(iova) || matches!(when, When::Ever);
            out.push(if usable { target } else { Target { verdict: Verdict::Invalidated, ..target } });
        }
        if out[found..].iter().all(|t| t.verdict == Verdict::Invalidated) {
            out.push(Target { verdict: Verdict::NoTranslation, ..plain });
        }
    }

    /// The translations that an access may have used, if it can only have left by one.
    pub(crate) fn used(&self, access: &Access<'_>, claims: &[(Serial, u32)]) -> Vec<Used> {
        let mut out = Vec::new();
        let opens = claims.iter().filter_map(|(number, offset)| Some((self.requests.open.get(number)?, *offset)));
        for (open, offset) in opens {
            for target in self.targets(open, offset, When::Now) {
                let here = TlpAddr(target.address.0 & !3) == TlpAddr(access.address.0 & !3);
                if here && target.at == access.at && matches!(target.verdict, Verdict::Legal(_)) {
                    match target.via {
                        Some(used) => out.push(used),
                        None => return Vec::new(),
                    }
                }
            }
        }
        out
    }

    /// The requests for no bytes that a zero-length read may belong to.
    pub(crate) fn reads_of_nothing(&self, access: &Access<'_>) -> Vec<(Serial, u32)> {
        let fits = |open: &Open| {
            let legal = |t: &Target| {
                let here = TlpAddr(t.address.0 & !3) == access.address && t.at == access.at;
                here && t.prefix == access.prefix && matches!(t.verdict, Verdict::Legal(_))
            };
            let mine = open.wr.op == Op::READ && open.wr.length.0 == 0 && open.wr.function == access.function;
            mine && self.targets(open, 0, When::Now).iter().any(legal)
        };
        self.requests.open.values().filter(|o| fits(o)).map(|o| (o.accepted, 0)).collect()
    }

    /// Whether byte `offset` of a request could be accessed on one path alone ever since an event.
    pub(crate) fn stays_on(&self, at: AddressType, (open, offset): (&Open, u32), event: Serial) -> bool {
        let targets = self.targets(open, offset, When::Since(event));
        targets.iter().all(|t| t.at == at || !matches!(t.verdict, Verdict::Legal(_)))
    }

    /// The ways in which byte `offset` of a request may be accessed now.
    pub(crate) fn legal(&self, open: &Open, offset: u32) -> impl Iterator<Item = (AddressType, TlpAddr, Option<Used>)> {
        let targets = self.targets(open, offset, When::Now).into_iter();
        targets.filter(|t| matches!(t.verdict, Verdict::Legal(_))).map(|t| (t.at, t.address, t.via))
    }
}
