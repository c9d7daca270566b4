//! Golden functional model: the judge of what is legal at the edge of the unit.
//!
//! The judge sees no cycles and nothing from inside the unit. It is told what the driver did and what passed the unit's
//! edge, in order, and refuses the first event that the rules do not allow; [`Judge::finish`] tells what is still owed.
//!
//! | part | rules |
//! |---|---|
//! | `tables` | protection, page rights, the path (AT) that owner and mode require; versions of regions and pages |
//! | `walk` | where the words of a region's tables stand, in each layout |
//! | `function` | enables, requester IDs, PASID prefixes |
//! | `translations` | what ATS has answered, and the scope of invalidations |
//! | `data` | data TLPs: to which request each belongs, and whether it is legal for it |
//! | `atomic` | atomics: form, operands, enable |
//! | `outbound` | every TLP that leaves: form, table fetches, Translation Requests, tags |
//! | `commands` | Translation Requests that the driver wants, for the entries of coherent regions |
//! | `prefetch` | Translation Requests for a page that nobody needs yet |
//! | `outstanding` | completions |
//! | `strays` | completions that nothing asked for, and whom they may have met |
//! | `late` | what had been committed before a configuration took something away |
//! | `page_request` | Page Requests, their responses, driver events |
//! | `paths` | flushes where an ordered stream changes between translated and untranslated requests; those of revocations |
//! | `registration` | registration by work requests: what may be written into the MPT, and who sees it |
//! | `request` | bytes owed, and the attributions that are still possible |
//! | `ending` | syndromes, read data, the end of a request |
//!
//! **Versions.** A mapping is legal from the event that made it until a removal that started after it was superseded
//! has been reported: `RevocationReported` for regions and pages, `InvalidationCompleted` for translations. So between
//! a change and the report old and new are both legal, each with its own permissions.
//!
//! **Reset of a function.** Its requests may still be reported, in any way, and owe nothing; none of their TLPs may leave.
//!
//! **Events.** A message TLP is told by its own event (`InvalidationAccepted`, `InvalidationCompleted`, `PageRequested`, `PageResponded`), not by `TlpIn`
//! or `TlpOut`. `ReadData` and `WriteData` may be told in pieces of any size. After a refused event the judge's state is
//! not defined: one violation ends a trace.

mod atomic;
mod commands;
mod data;
mod ending;
mod function;
mod late;
mod outbound;
mod outstanding;
mod page_request;
mod paths;
mod prefetch;
mod registration;
mod request;
mod strays;
mod tables;
mod translations;
mod versions;
mod violation;
mod walk;

pub use violation::{Name, Violation};

use translations::{Completed, Invalidation};
use types::ats::InvalidateRange;
use types::port::FunctionCfg;
use types::tlp::Body;
use types::{Event, FunctionId, Tlp};
use versions::Serial;

/// How many non-posted requests of each kind a function may have under way at least, each with a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeastTags {
    /// Data reads.
    pub reads: usize,
    /// Translation Requests.
    pub translations: usize,
    /// Fetches of lines that hold no MTT entries: those of the MPT, and images.
    pub mpt_fetches: usize,
    /// Fetches of lines of MTT entries.
    pub mtt_fetches: usize,
}

/// The judge of one trace.
#[derive(Clone, Debug, Default)]
pub struct Judge {
    now: Serial,
    functions: function::Functions,
    tables: tables::Tables,
    translations: translations::Translations,
    outstanding: outstanding::Outstanding,
    pages: page_request::Pages,
    paths: paths::Paths,
    requests: request::Requests,
    /// Completions may take longer than the unit waits.
    timeouts: bool,
    /// Tags that a function has at least; all of one kind lost, it can send no more.
    lost: Option<LeastTags>,
    /// When all fetches of lines of other kinds, and of lines of MTT entries, were last under way.
    fetching: [Serial; 2],
    late: late::Late,
    strays: strays::Strays,
    commands: commands::Commands,
    registrations: registration::Registrations,
    /// The unit may ask ahead for the page behind one that is needed.
    prefetch: bool,
}

impl Judge {
    /// A judge before the first event: nothing is configured, nothing is mapped.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same for a trace in which completions may take longer than the unit waits. The judge does not see time: with
    /// this, whatever is under way may have taken too long.
    pub fn with_timeouts(self) -> Self {
        Self { timeouts: true, ..self }
    }

    /// The same for a trace in which completions may never come, and their tags never be used again. What needs another one
    /// of the `least` that a function has when none is left may end as the lost ones did.
    pub fn with_lost_tags(self, least: LeastTags) -> Self {
        Self { timeouts: true, lost: Some(least), ..self }
    }

    /// The same for a unit that may ask for the page behind one that is needed, before that is needed itself.
    pub fn with_prefetch(self) -> Self {
        Self { prefetch: true, ..self }
    }

    /// Takes the next event, or says which rule it breaks.
    pub fn observe(&mut self, event: &Event<'_>) -> Result<(), Violation> {
        self.now += 1;
        let (now, oldest) = (self.now, self.requests.oldest(self.now));
        match *event {
            Event::Configured(cfg) => self.configured(cfg, oldest),
            Event::DefaultMode(mode) => self.tables.default_mode = mode,
            Event::TableMemory { base, length } => self.tables.add_memory(base, length),
            Event::Mapped { key, region } => self.tables.set_region(key, Some(*region), now),
            Event::PageMapped { key, page, entry } => self.tables.set_page(key, page, entry, now),
            Event::Unmapped { key } => self.tables.set_region(key, None, now),
            Event::RevocationStarted { key, flush } => {
                self.tables.revocation_started(key, now);
                self.paths.driver_flush_wanted(key, flush, now);
            }
            Event::RevocationReported { key } => {
                self.driver_flushed(key)?;
                self.keep_paths();
                self.tables.revocation_reported(key, now, oldest)?;
            }
            Event::TranslationAsked { function, pasid, iova, no_write } => {
                self.commands.add(function, pasid, iova, no_write);
            }
            Event::Registrations { mpt, entries, images, count } => {
                self.registrations.enable(mpt, entries, images, count);
            }
            Event::RequestAccepted(wr) => {
                self.tables.used(wr.key, now);
                let registers = wr.op.registers() && self.registrations.enabled();
                self.requests.accept(wr, registers, now)?;
                self.stands_behind(wr, now);
            }
            Event::WriteData { stream, id, .. } | Event::ReadData { stream, id, .. }
                if self.requests.is_orphan(stream, id) =>
            {
                self.late.give(event);
            }
            Event::MessageDone { stream, id, .. } if self.requests.bury(stream, id) => {
                self.registrations.bury(Name { stream, id });
            }
            Event::WriteData { stream, id, offset, bytes } => {
                let number = self.requests.number(stream, id, "message bytes were taken")?;
                self.requests.give(number, offset.0, bytes);
            }
            Event::TlpOut { tlp, payload } => self.sent(tlp, payload)?,
            Event::TlpIn { tlp, payload } => {
                if let Body::Completion { requester, tag, status, byte_count, .. } = tlp.body {
                    // A zero-length read is answered with one byte.
                    let whole = byte_count == 1 && payload.len() == 4 && !tlp.poisoned;
                    self.paths.answered((requester, tag), status == types::tlp::status::SC && whole);
                    if !self.outstanding.uses(requester, tag) {
                        self.strays.came(requester, tag);
                    }
                }
                self.fetch_ends(tlp);
                let brought = self.outstanding.completion(tlp, payload, &mut self.translations, now);
                if let Some((address, line)) = brought {
                    self.tables.fetched(address, &line, now);
                    self.registrations.fetched(address, &line);
                }
            }
            Event::ReadData { stream, id, offset, bytes } => self.delivered(stream, id, offset.0, bytes)?,
            Event::InvalidationAccepted { tlp, payload } => self.invalidation_accepted(tlp, payload)?,
            Event::InvalidationCompleted { tlp } => self.invalidation_completed(tlp)?,
            Event::PageRequested { tlp } => self.page_requested(tlp)?,
            Event::PageResponded { tlp } => {
                if let Some(response) = types::pri::PageResponse::of(tlp)
                    && let Some(cfg) = self.functions.of(response.target)
                {
                    let seen = function::seen_prefix(tlp.pasid);
                    self.pages.responded(cfg.function, &response, seen, now);
                }
            }
            Event::PageEvents(on) => self.pages.switch_events(on, now, oldest),
            Event::PageEventAnswered { index, refuse } => self.pages.answered(index, refuse, now),
            Event::MessageDone { stream, id, syndrome } => self.done(stream, id, syndrome)?,
            Event::Reset(function) => self.reset(function, oldest),
        }
        Ok(())
    }

    /// The end of the trace: whether anything is still owed.
    pub fn finish(&self) -> Result<(), Violation> {
        if let Some((number, open)) = self.requests.open.first_key_value() {
            let (request, length) = (open.name(), open.wr.length.0);
            return Err(Violation::Owed { request, length, done: self.requests.least_sent(*number) });
        }
        if let Some((function, itag)) = self.translations.owed() {
            return Err(Violation::InvalidationOwed { function, itag });
        }
        match self.tables.revocation_owed() {
            Some(key) => Err(Violation::RevocationOwed { key }),
            None => Ok(()),
        }
    }

    fn configured(&mut self, cfg: &FunctionCfg, oldest: Serial) {
        if cfg.reset {
            self.reset(Some(cfg.function), oldest);
        } else if self.functions.get(cfg.function).is_some_and(|c| {
            let cleared = c.bus_master && !cfg.bus_master || c.atomic_enable && !cfg.atomic_enable;
            cleared || c.ats_enable != cfg.ats_enable
        }) {
            self.late.open(cfg.function, self.now, None);
        }
        if !cfg.reset {
            self.translations.up(cfg.function);
        }
        // `valid` and `reset` belong to the update, not to the configuration.
        let cfg = FunctionCfg { valid: false, reset: false, ..*cfg };
        if self.functions.get(cfg.function).is_some_and(|old| old.pri_enable != cfg.pri_enable) {
            self.pages.forget_function(cfg.function);
        }
        self.keep_paths();
        if self.functions.configure(cfg, self.now, oldest) {
            self.translations.enabled(cfg.function, self.late.remembers());
            self.outstanding.void_translations(cfg.function);
        }
    }

    fn reset(&mut self, function: Option<FunctionId>, oldest: Serial) {
        let Some(function) = function else {
            self.functions.clear();
            self.translations.reset();
            self.tables.reset(self.now);
            self.outstanding = outstanding::Outstanding::default();
            self.requests = request::Requests::default();
            self.paths = paths::Paths::default();
            self.late.clear();
            self.strays.clear();
            self.commands = commands::Commands::default();
            self.pages = page_request::Pages::default();
            self.registrations = registration::Registrations::default();
            return;
        };
        if self.late.remembers() {
            let before = Box::new(self.clone());
            self.late.open(function, self.now, Some(before));
        }
        if let Some(cfg) = self.functions.get(function) {
            self.outstanding.reset(cfg.requester);
        }
        self.functions.reset(function, self.now, oldest);
        self.translations.clear(function);
        self.translations.drop_pending(function);
        self.paths.reset(function);
        self.pages.forget_function(function);
        self.commands.forget(function);
        let open = self.requests.open.values();
        let gone: Vec<Serial> = open.filter(|o| o.wr.function == function).map(|o| o.accepted).collect();
        for number in gone {
            self.requests.orphan(number);
            self.finished(number);
        }
    }

    /// A request has ended: forgets what only it could have met.
    fn finished(&mut self, number: Serial) {
        self.keep_paths();
        if let Some(open) = self.requests.open.get(&number) {
            self.tables.unbound(&open.wr);
        }
        self.requests.remove(number);
        let oldest = self.requests.oldest(self.now);
        self.outstanding.forget(|n| self.requests.open.contains_key(&n), oldest);
        self.translations.forget(oldest);
        self.pages.forget(oldest);
    }

    fn invalidation_accepted(&mut self, tlp: &Tlp, payload: &[u8]) -> Result<(), Violation> {
        let unreadable = |what| Violation::InvalidationUnreadable { what };
        let Body::Message { requester, tag, dw2, .. } = tlp.body else {
            return Err(unreadable("TLP is no message"));
        };
        let target = types::RequesterId((dw2 >> 16) as u16);
        let function = self.functions.of(target).ok_or_else(|| unreadable("target is no function"))?.function;
        let body = payload.try_into().map_err(|_| unreadable("body is not 8 bytes"))?;
        let range = InvalidateRange::decode(body).ok_or_else(|| unreadable("range has no size"))?;
        let prefix = function::seen_prefix(tlp.pasid);
        let name = (requester, (tag.0 & 31) as u8);
        self.translations.accepted(Invalidation::new(function, name, range, prefix, self.now));
        Ok(())
    }

    fn invalidation_completed(&mut self, tlp: &Tlp) -> Result<(), Violation> {
        let Body::Message { requester, dw2, dw3, .. } = tlp.body else {
            return Err(Violation::InvalidationUnreadable { what: "completion is no message" });
        };
        let function = self.functions.of(requester).ok_or(Violation::Requester { seen: requester })?.function;
        // CC = 0 means 8 copies, one in each traffic class.
        let classes = if dw2 & 7 == 0 { 8 } else { dw2 & 7 };
        let agent = types::RequesterId((dw2 >> 16) as u16);
        let (class, attributes) = (tlp.tc, tlp.attributes);
        self.keep_paths();
        let seen = Completed { function, requester, agent, itags: dw3, class, classes, attributes };
        for invalidation in self.translations.completed(&seen)? {
            if let Some(address) = self.outstanding.reads_by(&invalidation, self.timeouts) {
                return Err(Violation::InvalidationEarly { function, itag: invalidation.itag, address });
            }
            self.outstanding.invalidate(&invalidation);
        }
        Ok(())
    }
}
