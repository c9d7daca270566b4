//! Every TLP that leaves the unit: its form, and what kind of request it is.
//!
//! **Attributes.** Relaxed and ID-based ordering only where the function has them enabled; relaxed ordering only for data
//! of regions marked unordered, and never on a flush, which has to push writes. An answer with N set obliges whoever uses
//! it to leave No Snoop clear (PCIe 6.x 10.2.3, table of the data fields).

use crate::Judge;
use crate::data::Access;
use crate::ending::Page;
use crate::function::{executes, pasid_off, prefix, seen_prefix};
use crate::outstanding::{Pending, Read, TranslationRequest};
use crate::request::Open;
use crate::tables::Path;
use crate::translations::Used;
use crate::versions::{Serial, When};
use crate::violation::Violation;
use types::port::FunctionCfg;
use types::tlp::{Attributes, Body, MemoryOp};
use types::{AddressType, FunctionId, Iova, Line, Op, PageSize, PasidPrefix, Tag, Tlp, TlpAddr};

/// Bytes before the first enabled one, and enabled bytes, if these are contiguous; (0, 0) for a zero-length read.
fn enabled(length_dw: u16, first: u8, last: u8) -> Option<(u32, u32)> {
    let skip = first.trailing_zeros();
    let ones = |bits: u8, n: u32| u32::from(bits) == (1 << n) - 1;
    match length_dw {
        0 => None,
        1 if first == 0 && last == 0 => Some((0, 0)),
        1 => {
            let length = first.count_ones();
            (last == 0 && ones(first >> skip, length)).then_some((skip, length))
        }
        _ => {
            let tail = last.count_ones();
            let runs = first != 0 && ones(first >> skip, 4 - skip) && last != 0 && ones(last, tail);
            runs.then(|| (skip, 4 * u32::from(length_dw) - skip - (4 - tail)))
        }
    }
}

/// A memory request as it left.
pub(crate) struct Request<'a> {
    pub(crate) cfg: FunctionCfg,
    pub(crate) op: MemoryOp,
    pub(crate) at: AddressType,
    /// Traffic class.
    class: u8,
    attributes: Attributes,
    tag: Tag,
    pub(crate) enables: (u8, u8),
    /// DW-aligned.
    pub(crate) address: TlpAddr,
    no_write: bool,
    pub(crate) length_dw: u16,
    pub(crate) prefix: PasidPrefix,
    pub(crate) payload: &'a [u8],
}

/// The requests and message offsets that a data TLP may belong to, and the translations that it may have used.
pub(crate) type Attributed = (Vec<(Serial, u32)>, Vec<Used>);

impl Judge {
    /// A TLP left the unit.
    pub(crate) fn outbound(&mut self, tlp: &Tlp, payload: &[u8]) -> Result<(), Violation> {
        let Body::Memory { op, at, requester, tag, first_be, last_be, address, no_write } = tlp.body else {
            let unexpected = |what| Violation::Unexpected { what, address: TlpAddr(0), at: AddressType(0) };
            return Err(unexpected("a completion or a message told as a plain TLP"));
        };
        let cfg = *self.functions.of(requester).ok_or(Violation::Requester { seen: requester })?;
        let function = cfg.function;
        // A fetch, a table line that is written and a flush are nobody's request.
        let own = self.tables.in_memory(Iova(address.0)) || op == MemoryOp::Read && first_be == 0;
        let late = self.may_be_late(function, op.posted(), own);
        if !cfg.bus_master && !late {
            return Err(Violation::BusMasterOff { function, address });
        }
        if at != AddressType::UNTRANSLATED && !cfg.ats_enable && !late {
            return Err(Violation::AtsOff { function, address, seen: at });
        }
        let expected = 4 * u32::from(tlp.payload_dw());
        if payload.len() != expected as usize {
            return Err(Violation::PayloadLength { expected, seen: payload.len() as u32 });
        }
        let met =
            !op.posted() && (self.strays.leaves(requester, tag) || self.outstanding.read_that_met(requester, tag));
        if !op.posted() && !met && self.outstanding.uses(requester, tag) {
            return Err(Violation::TagReuse { requester, tag });
        }
        let (enables, prefix, length_dw) = ((first_be & 0xf, last_be & 0xf), seen_prefix(tlp.pasid), tlp.length_dw);
        let (class, attributes) = (tlp.tc, tlp.attributes);
        // What was enabled when the request was made.
        let oldest = self.requests.oldest(self.now);
        let enabled = |test: &dyn Fn(&FunctionCfg) -> bool| self.functions.was(function, oldest, test);
        if attributes.relaxed && !enabled(&|c| c.relaxed_ordering) {
            return Err(Violation::Attributes { address, at, what: "relaxed ordering, which the function has off" });
        }
        if attributes.id_order && !enabled(&|c| c.id_ordering) {
            return Err(Violation::Attributes { address, at, what: "ID-based ordering, which the function has off" });
        }
        let request =
            Request { cfg, op, at, class, attributes, tag, enables, address, no_write, length_dw, prefix, payload };
        let table = op == MemoryOp::Read && self.tables.in_memory(Iova(address.0));
        let pending = match (op, at) {
            (MemoryOp::Read, AddressType::TRANSLATION_REQUEST) => self.translation_request(&request)?,
            (MemoryOp::Read, AddressType::UNTRANSLATED) if table => self.fetch(&request)?,
            (MemoryOp::Read, AddressType::TRANSLATED | AddressType::UNTRANSLATED) => {
                self.access(&request).map_err(|violation| match violation {
                    Violation::Unexpected { .. } if table => {
                        Violation::TableFetch { address, why: "tables are fetched untranslated" }
                    }
                    other => other,
                })?
            }
            (MemoryOp::Write, AddressType::UNTRANSLATED) if self.tables.in_memory(Iova(address.0)) => {
                self.table_write(&request)?;
                None
            }
            (MemoryOp::Write, AddressType::TRANSLATED | AddressType::UNTRANSLATED) => self.access(&request)?,
            (op, AddressType::TRANSLATED | AddressType::UNTRANSLATED) if op.is_atomic() => self.atomic(&request)?,
            _ => return Err(Violation::Unexpected { what: "a request with an AT that it must not have", address, at }),
        };
        if let Some(pending) = pending {
            self.outstanding.insert(requester, tag, pending, met);
        }
        Ok(())
    }

    /// A table line that is written: by the physical function, untranslated, whole, without any attribute.
    fn table_write(&mut self, r: &Request<'_>) -> Result<(), Violation> {
        let address = r.address;
        let why = if r.cfg.function != FunctionId(0) {
            "tables are written by the physical function"
        } else if r.prefix.valid {
            "tables are written without a PASID"
        } else if r.attributes != Attributes::default() || r.class != 0 {
            "tables are written in order, in traffic class 0"
        } else if address.0 & 63 != 0 || r.length_dw != 16 || r.enables != (0xf, 0xf) {
            "tables are written by whole 64-byte lines"
        } else {
            let word = |n: usize| u64::from_le_bytes(std::array::from_fn(|i| r.payload[8 * n + i]));
            return self.line_written(Iova(address.0), &Line(std::array::from_fn(word)));
        };
        Err(Violation::TableWrite { address, why })
    }

    /// A data write or read, or a flush.
    fn access(&mut self, r: &Request<'_>) -> Result<Option<Pending>, Violation> {
        let (length_dw, (first, last)) = (r.length_dw, r.enables);
        let run = enabled(length_dw, first, last);
        let (skip, length) = run.ok_or(Violation::ByteEnables { length_dw, first, last })?;
        let write = r.op == MemoryOp::Write;
        let bytes = r.payload.get(skip as usize..(skip + length) as usize).unwrap_or_default();
        let address = TlpAddr(r.address.0 + u64::from(skip));
        let (function, at, prefix) = (r.cfg.function, r.at, r.prefix);
        let op = if write { Op::WRITE } else { Op::READ };
        let access = Access { function, op, at, prefix, address, length, bytes };
        if length == 0 && write {
            return Err(Violation::Unexpected { what: "a zero-length write", address, at });
        }
        let wrong = |what| Violation::Attributes { address, at, what };
        if length == 0 {
            let claims = self.reads_of_nothing(&access);
            let of_driver = self.paths.driver_flush_sent((r.cfg.requester, r.tag), &access);
            let ways: Vec<_> = self.flushes(&access).collect();
            if claims.is_empty() && ways.is_empty() && !of_driver {
                return Err(Violation::Unexpected { what: "a zero-length read", address, at });
            }
            self.paths.flush_sent((r.cfg.requester, r.tag), &access);
            if claims.is_empty() {
                if r.attributes.relaxed {
                    return Err(wrong("relaxed ordering, and so is no flush: it pushes nothing"));
                }
                let used = if of_driver { None } else { ways.into_iter().collect() };
                return Ok(Some(Pending::Flush(address, used.unwrap_or_default())));
            }
            let used = if of_driver || !ways.is_empty() { Vec::new() } else { self.used(&access, &claims) };
            // A zero-length read counts one byte (PCIe 6.x 2.2.9).
            return Ok(Some(self.reading(Read::new(claims, address, 1, used))));
        }
        let (offsets, used) = self.attributed(r, &access)?;
        if write {
            if at == AddressType::TRANSLATED {
                self.translations.written(function, r.class);
            }
            return Ok(None);
        }
        Ok(Some(self.reading(Read::new(offsets, address, length, used))))
    }

    /// Finds out whose a data TLP is, and whether its attributes and its path may be so.
    pub(crate) fn attributed(&mut self, r: &Request<'_>, access: &Access<'_>) -> Result<Attributed, Violation> {
        let (address, at) = (access.address, access.at);
        let wrong = |what| Violation::Attributes { address, at, what };
        let offsets = self.data(access)?;
        if let [(number, _)] = offsets[..]
            && let Some(open) = self.requests.open.get(&number)
        {
            self.registrations.passed(&open.wr, number)?;
        }
        if r.attributes.relaxed && !self.may_be_unordered(&offsets) {
            return Err(wrong("relaxed ordering, in a region that is ordered"));
        }
        let used = if at == AddressType::TRANSLATED && (r.attributes.no_snoop || !access.write()) {
            self.used(access, &offsets)
        } else {
            Vec::new()
        };
        if r.attributes.no_snoop && !used.is_empty() && used.iter().all(|u| u.snooped) {
            return Err(wrong("No Snoop, though its translation says N"));
        }
        self.path_of(access, &offsets)?;
        Ok((offsets, used))
    }

    pub(crate) fn reading(&mut self, read: Read) -> Pending {
        self.outstanding.reads.insert(self.now, read);
        Pending::Read(self.now)
    }

    /// Whether a data TLP may belong to a region without order.
    fn may_be_unordered(&self, claims: &[(Serial, u32)]) -> bool {
        let opens = claims.iter().filter_map(|(number, _)| self.requests.open.get(number));
        opens.flat_map(|open| self.tables.verdicts(&open.wr, When::Now)).any(|(_, r)| r.is_some_and(|r| r.unordered))
    }

    /// A table fetch: the physical function reads one 64-byte line, untranslated, without a PASID.
    fn fetch(&self, r: &Request<'_>) -> Result<Option<Pending>, Violation> {
        let address = r.address;
        let line = Iova(address.0);
        let why = if r.cfg.function != FunctionId(0) {
            "tables are fetched by the physical function"
        } else if r.prefix.valid {
            "tables are fetched without a PASID"
        } else if address.0 & 63 != 0 || r.length_dw != 16 || r.enables != (0xf, 0xf) {
            "tables are fetched by whole 64-byte lines"
        } else if !self.tables.in_memory(Iova(address.0 | 63)) {
            "the line leaves the memory that holds tables"
        } else {
            return Ok(Some(Pending::Fetch(line, Vec::new())));
        };
        Err(Violation::TableFetch { address, why })
    }

    /// A Translation Request (PCIe 6.x 10.2.2): an even length up to the Read Completion Boundary, whole pages. An open
    /// request still needs the first translation, and write permission is asked for only where that request writes. The
    /// translations behind it may be asked for with it.
    fn translation_request(&mut self, r: &Request<'_>) -> Result<Option<Pending>, Violation> {
        let (function, iova, cfg) = (r.cfg.function, Iova(r.address.0), &r.cfg);
        let refuse = |why| Err(Violation::TranslationRequest { function, iova, why });
        let rcb_dw = if cfg.rcb { 32 } else { 16 };
        let count = u32::from(r.length_dw / 2);
        if count == 0 || !r.length_dw.is_multiple_of(2) || r.length_dw > rcb_dw {
            return refuse("the length is odd or zero, or exceeds the Read Completion Boundary");
        }
        if r.enables != (0xf, 0xf) {
            return refuse("byte enables are not all set");
        }
        let Some(unit) = PageSize::from_log2(cfg.ats_stu.saturating_add(12)) else {
            return refuse("the STU is out of range");
        };
        if iova.0 & unit.offset_mask().0 != 0 {
            return refuse("the address is not aligned to the STU");
        }
        if iova.0.checked_add((u64::from(count) << unit.log2()) - 1).is_none() {
            return refuse("the range wraps past 2^64");
        }
        let pending = TranslationRequest {
            function,
            iova,
            count,
            unit,
            no_write: r.no_write,
            scope: r.prefix,
            asked: self.now,
            bytes: Vec::new(),
            failed: false,
            invalidations: Vec::new(),
        };
        let first = (iova, Iova(iova.0 | unit.offset_mask().0));
        if count == 1 && self.commands.take(&r.cfg, first, (r.prefix, r.no_write)) {
            return Ok(Some(Pending::Translation(pending)));
        }
        let mut needs = self.needs(cfg, first);
        if count == 1 {
            needs.extend(self.page_ahead(cfg, first));
        }
        if needs.is_empty() {
            return refuse("no open request needs it");
        }
        if needs.iter().all(|(scope, _)| *scope != r.prefix) {
            return refuse("the PASID prefix is not that of a request that needs it");
        }
        if needs.iter().all(|(scope, writes)| *scope != r.prefix || *writes == r.no_write) {
            return refuse(if r.no_write {
                "no reading request needs it (NW = 1)"
            } else {
                "no writing request needs it (NW = 0)"
            });
        }
        Ok(Some(Pending::Translation(pending)))
    }

    /// Who needs, or lately needed, a range of IOVAs translated: the prefix to ask with, and whether it writes.
    pub(crate) fn needs(&self, cfg: &FunctionCfg, unit: (Iova, Iova)) -> Vec<(PasidPrefix, bool)> {
        // An ended request may have asked before it ended.
        let ended = self.requests.ended.iter().map(|o| (o, 0, When::Ever));
        let open = self.requests.open.values();
        let open = open.map(|o| (o, self.requests.least_sent(o.accepted), When::Since(o.accepted)));
        self.needs_of(open.chain(ended), cfg, unit)
    }

    /// The same of some requests, each from an offset in its message, with the tables of some time.
    pub(crate) fn needs_of<'a>(
        &self,
        requests: impl Iterator<Item = (&'a Open, u32, When)>,
        cfg: &FunctionCfg,
        unit: (Iova, Iova),
    ) -> Vec<(PasidPrefix, bool)> {
        let mut out = Vec::new();
        for (open, sent, when) in requests.filter(|(o, ..)| o.wr.function == cfg.function) {
            if open.wr.op.is_atomic() && !self.atomics_allowed(cfg) {
                continue;
            }
            let scope = |sent, reads| {
                let hit = |p: &Page<'_>| {
                    let mut entries = self.tables.entries(p.region, open.wr.key, p.index, when);
                    entries.any(|e| {
                        let (first, last) = p.range(&self.tables, e);
                        let overlaps = first <= unit.1 && last >= unit.0;
                        let granted = self.tables.page_check(p.region, e, &open.wr).is_ok();
                        overlaps && granted && self.tables.path(p.region, e) == Path::Ats
                    })
                };
                let mut pages = self.pages(open, sent, when).filter(|p| !pasid_off(cfg, p.region));
                pages.find(hit).map(|p| prefix(cfg, p.region.pasid, reads))
            };
            out.extend(scope(sent, executes(&open.wr)).map(|scope| (scope, open.wr.op.writes())));
            // The flush behind a write is a read of one of its pages.
            if open.wr.op == Op::WRITE && (sent > 0 || matches!(when, When::Ever)) {
                out.extend(scope(0, false).map(|scope| (scope, false)));
            }
        }
        out
    }
}
