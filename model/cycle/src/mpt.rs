//! `mpt`: memory protection.
//!
//! ```text
//!  wr ──► queue [stream][depth] ──pick──► q ──► e0 read cache ─► s1 ─► s2 ─► s3 check ──► checked
//!     └────────── bypass when nothing waits ────────┘                       │ miss
//!                    rewind of the stream ◄──────────────────────────────────┴─► fetch ─► fill
//! ```
//!
//! A request keeps its place in its stream's queue until it has been checked. A miss rewinds its stream to that place
//! and stalls the stream alone; younger requests of the stream that are under way are dropped when they reach the check
//! (their sequence bit is old). Other streams go on, and several lines may be in flight. Latency 4 on a hit, one request
//! a cycle. What `dma` wants to have judged again comes in a queue of its own, one an engine, behind those of the streams.
//! A revocation drops its line, marks fetches in flight as stale, and begins a grant epoch of its function, which every
//! request carries from the edge that read the table. A parity error in the cache is a miss with a
//! counter. Checks in the order of the syndromes: key, variant, PD, function, bounds, rights, operation; of an atomic the
//! operand's size and its alignment, and whether its function may send atomics.
//!
//! A request that registers or invalidates a key stalls its stream at the check, until it has taken effect (registration).

mod protection;

use crate::line_cache::{LineCache, Read};
use crate::line_fetch::LineFetches;
use crate::lives::Lives;
use crate::progress::{Wait, wait};
use crate::registration::{INSTALL, Registrations};
use protection::{again, place, protection};
use std::collections::VecDeque;
use types::config::RETRANSLATE_SLOTS;
use types::port::{Asked, CheckedRequest, CoherentPage, MptIn, MptOut, TableControl, WorkRequest};
use types::{Block, Cycle, Mode, Region, StreamId, Syndrome, UnitCfg};
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("mpt.queue", "mpt.fetch", "its key's line is not cached"),
    wait("mpt.queue", "seg.queue", "its stream has no room in seg"),
    wait("mpt.again", "mpt.fetch", "its key's line is not cached"),
    wait("mpt.again", "seg.again", "always: the engine's own place"),
    wait("mpt.fetch", "tlp_tx.mpt_fetch", "it has not been sent"),
    wait("mpt.fetch", "host.completion", "it has been sent"),
    wait("mpt.queue", "mpt.registration", "a registration stands before it, or it is one"),
    wait("mpt.registration", "mpt.fetch", "its image or a line is not here"),
    wait("mpt.registration", "tlp_tx.posted", "its line leaves"),
    wait("mpt.registration", "mpt.report", "four are not reported"),
    wait("mpt.registration", "seg.queue", "it takes something away: requests before it in its stream"),
    wait("mpt.registration", "replay.segment", "the same"),
    wait("mpt.registration", "dma.write_queue", "the same"),
    wait("mpt.registration", "dma.unsent", "the same"),
    wait("mpt.registration", "dma.read_queue", "the same"),
    wait("mpt.registration", "dma.read_slot", "the same"),
    wait("mpt.report", "ats.revocation", "something is taken away"),
    wait("mpt.report", "ats.invalidation", "one is worked on before it"),
    wait("mpt.report", "sink.completion", "it is reported"),
];

#[derive(Clone, Debug, Default)]
struct Stream {
    /// Requests, and the life of their function in which they were accepted.
    queue: VecDeque<(WorkRequest, u8)>,
    /// Requests of the queue that are under way to the check.
    issued: usize,
    /// Room in `seg` not yet promised to a request under way.
    room: u32,
    /// Flips at a rewind: requests under way with the old value are dropped.
    sequence: bool,
    stall: Stall,
    /// Data requests that have been checked and have not ended.
    outstanding: u32,
    /// The fetch for the head failed: it ends with a syndrome.
    failed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stall {
    #[default]
    No,
    /// Until this fetch ends.
    Fetch(u8),
    /// Until any fetch ends: all were in use.
    AnyFetch,
    /// Until the registration at its head has taken effect.
    Registration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    valid: bool,
    sequence: bool,
    failed: bool,
    /// A lookup for a registration, not a request.
    lookup: bool,
    request: WorkRequest,
    read: Read,
    grant: u32,
    life: u8,
}

/// The memory protection block.
#[derive(Clone, Debug)]
pub struct Mpt {
    depth: usize,
    /// Streams of work requests; those behind are the engines of `dma`.
    work_streams: usize,
    streams: Vec<Stream>,
    cache: LineCache,
    fetches: LineFetches,
    registrations: Registrations,
    next: usize,
    /// Streams that may issue, one bit each.
    candidates: u64,
    /// Streams whose queue is full, one bit each.
    full: u64,
    queued: Stage,
    stages: [Stage; 3],
    /// Grant epoch of each function.
    grants: Vec<u32>,
    /// AtomicOp Requester Enable of each function.
    atomics: Vec<bool>,
    lives: Lives,
    out: MptOut,
}

impl Mpt {
    fn reset(&mut self) {
        for s in &mut self.streams {
            s.queue.clear();
            *s = Stream { queue: std::mem::take(&mut s.queue), room: SEG_DEPTH, ..Stream::default() };
        }
        self.fetches.reset();
        self.registrations.reset();
        (self.candidates, self.full) = (0, 0);
        self.queued = Stage::default();
        self.stages = Default::default();
        self.grants.fill(0);
        self.atomics.fill(false);
        self.lives.reset();
        self.next = 0;
        self.cache.reset();
        self.out = MptOut::default();
    }

    /// The check at the end of the pipeline: passes, refuses, or rewinds the stream on a miss.
    fn check(&mut self, control: &TableControl) {
        let stage = self.stages[2];
        if !stage.valid {
            return;
        }
        if stage.lookup {
            self.registrations.found(&stage.read, &mut self.fetches);
            return;
        }
        let wr = stage.request;
        let s = &mut self.streams[usize::from(wr.stream.0)];
        if stage.sequence != s.sequence {
            s.room += 1;
            self.refresh(usize::from(wr.stream.0));
            return;
        }
        if wr.op.registers() && control.images > 0 {
            // Everything before it has been checked. It stays at the head; what follows goes back behind it.
            s.room += 1;
            s.issued = 0;
            s.sequence = !s.sequence;
            s.stall = Stall::Registration;
            self.registrations.wait(usize::from(wr.stream.0));
            self.refresh(usize::from(wr.stream.0));
            return;
        }
        let key_index = wr.key.index();
        let in_table = key_index < control.mpt_entries;
        let fetch = self.fetches.find(u64::from(key_index));
        let refusal = || self.fetches.refusal(wr.function).filter(|_| fetch.is_none());
        let refused = |syndrome| (Region::default(), syndrome);
        let (region, syndrome) = match (&stage.read.line, in_table) {
            _ if stage.life != self.lives.of(wr.function) => refused(Syndrome::BUS_MASTER_OFF),
            (_, false) => refused(Syndrome::INVALID_KEY),
            (_, true) if stage.failed => refused(Syndrome::TABLE_FETCH),
            (Some(line), true) => {
                self.cache.touch(u64::from(key_index), &stage.read);
                self.out.stat_hit = true;
                let region = Region::decode(line);
                let may = self.atomics.get(usize::from(wr.function.0)).copied().unwrap_or_default();
                (region, protection(&wr, &region, may))
            }
            (None, true) if let Some(syndrome) = refusal() => refused(syndrome),
            (None, true) => {
                self.out.stat_miss = true;
                self.out.stat_parity = stage.read.bad_parity;
                s.room += 1;
                s.issued = 0;
                s.sequence = !s.sequence;
                let fetch = fetch.or_else(|| self.fetches.open(u64::from(key_index), wr.function));
                s.stall = fetch.map_or(Stall::AnyFetch, Stall::Fetch);
                self.refresh(usize::from(wr.stream.0));
                return;
            }
        };
        s.queue.pop_front();
        s.issued -= 1;
        s.failed = false;
        s.outstanding += 1;
        self.refresh(usize::from(wr.stream.0));
        self.out.stat_refused = !syndrome.is_ok();
        self.out.checked = CheckedRequest {
            valid: true,
            id: wr.id,
            function: wr.function,
            stream: wr.stream,
            op: wr.op,
            on_fault: wr.on_fault,
            syndrome,
            asked: Asked { key: wr.key, pd: wr.pd, remote: wr.remote, grant: stage.grant, life: stage.life },
            va: wr.va,
            ..CheckedRequest::default()
        };
        if syndrome.is_ok() {
            let out = &mut self.out.checked;
            out.length = wr.length;
            out.mode = region.mode.or(control.mode.or(Mode::Direct));
            out.unordered = region.unordered;
            out.pasid = region.pasid;
            out.page_log2 = region.page_size.log2();
            let page = region.page_index(wr.va);
            place(&region, page, out);
            if region.coherent && out.mode == Mode::Emtt {
                out.coherent = CoherentPage { valid: true, iova: region.page_iova(page), counter: region.counter };
            }
        }
    }

    /// Keeps the bit vectors in step with a stream.
    fn refresh(&mut self, i: usize) {
        let s = &self.streams[i];
        let candidate = s.issued < s.queue.len() && s.room > 0 && s.stall == Stall::No;
        self.candidates = self.candidates & !(1 << i) | u64::from(candidate) << i;
        self.full = self.full & !(1 << i) | u64::from(s.queue.len() >= self.depth) << i;
    }

    /// Chooses the next request of a queue, round robin over streams that may issue.
    fn pick(&mut self) -> Option<Stage> {
        let from_next = self.candidates >> self.next << self.next;
        let i = match (from_next, self.candidates) {
            (_, 0) => return None,
            (0, all) => all.trailing_zeros(),
            (some, _) => some.trailing_zeros(),
        } as usize;
        let s = &mut self.streams[i];
        let (request, life) = s.queue[s.issued];
        // Only the head waited for the fetch that failed.
        let failed = s.failed && s.issued == 0;
        let stage = Stage { valid: true, sequence: s.sequence, failed, request, life, ..Stage::default() };
        s.issued += 1;
        s.room -= 1;
        self.next = if i + 1 == self.streams.len() { 0 } else { i + 1 };
        self.refresh(i);
        Some(stage)
    }

    /// One edge of the registrations.
    fn register(&mut self, inp: &MptIn) {
        let streams = &self.streams;
        let lives = &self.lives;
        let heads = |i: usize| {
            let head = streams[i].queue.front().map(|(request, life)| (*request, *life != lives.of(request.function)));
            (head, streams[i].outstanding > 0)
        };
        if let Some(refused) = self.registrations.step(inp, heads, &mut self.fetches) {
            self.go_on(refused);
        }
    }

    fn fill(&mut self, inp: &MptIn) {
        let arrival = self.fetches.arrival(&inp.fill, inp.control.timeout);
        let image = arrival.filter(|a| self.registrations.is_image(a));
        if let Some(image) = image {
            self.registrations.image(&image);
            self.fetches.close(image.fetch);
            self.out.stat_fetch_error = image.data.is_none() && !image.stale;
            self.wake(None, false);
        }
        let arrival = arrival.filter(|_| image.is_none());
        let (cache, fetches) = (&self.cache, &mut self.fetches);
        let line = arrival.and_then(|a| a.keep());
        let line = line.or_else(|| self.registrations.install(|key| cache.filling(key), fetches));
        let (written, swept) = self.cache.step(line, inp.inject_parity);
        let installed = written == Some(INSTALL);
        if installed && let Some(stream) = self.registrations.installed() {
            self.go_on(stream);
        }
        let written = written.filter(|_| !installed);
        self.out.revoke_done = swept;
        let unusable = arrival.filter(|a| a.data.is_none());
        let fault = unusable.is_some_and(|a| !a.stale);
        self.out.stat_fetch_error |= fault;
        for (ended, fault) in [(written, false), (unusable.map(|a| a.fetch), fault)] {
            let Some(ended) = ended else { continue };
            self.fetches.close(ended);
            self.wake(Some(ended), fault);
        }
        if self.fetches.freed() {
            self.wake(None, false);
        }
    }

    /// The registration at the head of a stream is over: what stands behind it is checked.
    fn go_on(&mut self, stream: usize) {
        let s = &mut self.streams[stream];
        s.queue.pop_front();
        s.stall = Stall::No;
        self.refresh(stream);
    }

    /// A fetch has ended, or may be used again: those that waited for it or for any go on.
    fn wake(&mut self, ended: Option<u8>, fault: bool) {
        self.registrations.wake(ended, fault);
        for i in 0..self.streams.len() {
            let s = &mut self.streams[i];
            match s.stall {
                Stall::Fetch(fetch) if Some(fetch) == ended => (s.stall, s.failed) = (Stall::No, fault),
                Stall::AnyFetch => s.stall = Stall::No,
                _ => continue,
            }
            self.refresh(i);
        }
    }
}

/// Checked requests a stream may hold in `seg`.
const SEG_DEPTH: u32 = 8;

impl Block for Mpt {
    type In = MptIn;
    type Out = MptOut;

    fn new(cfg: &UnitCfg) -> Self {
        debug_assert_eq!(cfg.seg_depth(), SEG_DEPTH);
        let depth = cfg.stream_depth as usize;
        let stream = || Stream { queue: VecDeque::with_capacity(depth), room: SEG_DEPTH, ..Stream::default() };
        Self {
            depth,
            work_streams: cfg.streams as usize,
            streams: (0..cfg.streams + RETRANSLATE_SLOTS).map(|_| stream()).collect(),
            cache: LineCache::new(cfg.mpt_entries, cfg.mpt_ways, cfg.shares()),
            fetches: LineFetches::new(cfg.mpt_fetches, cfg.shares()),
            registrations: Registrations::new(cfg),
            next: 0,
            candidates: 0,
            full: 0,
            queued: Stage::default(),
            stages: Default::default(),
            grants: vec![0; cfg.functions as usize],
            atomics: vec![false; cfg.functions as usize],
            lives: Lives::new(cfg.functions),
            out: MptOut::default(),
        }
    }

    fn outputs(&self, out: &mut MptOut) {
        *out = self.out;
    }

    fn step(&mut self, inp: &MptIn) {
        if inp.reset {
            self.reset();
            return;
        }
        let accepted = self.out.wr_ready && inp.wr.valid && usize::from(inp.wr.stream.0) < self.work_streams;
        let stalled = inp.wr.valid && !self.out.wr_ready;
        self.out = MptOut { stat_stall_input: stalled, ..MptOut::default() };
        if inp.revoke.valid {
            self.fetches.revoke();
            self.cache.revoke(u64::from(inp.revoke.index), 1);
        }
        if inp.revoked.valid
            && let Some(grant) = self.grants.get_mut(usize::from(inp.revoked.function.0))
        {
            *grant = inp.revoked.epoch;
        }
        if inp.cfg.valid
            && let Some(may) = self.atomics.get_mut(usize::from(inp.cfg.function.0))
        {
            *may = inp.cfg.atomic_enable;
        }
        // Pick from the state before this edge; room given back at this edge counts from the next one.
        let lookup = self.registrations.lookup();
        let lookup = lookup.map(|request| Stage { valid: true, lookup: true, request, ..Stage::default() });
        let picked = if lookup.is_some() { lookup } else { self.pick() };
        self.check(&inp.control);
        self.register(inp);
        self.fill(inp);
        self.out.stat_fetch = self.fetches.step(inp.fetch_ready, inp.control.mpt_base);
        self.out.fetch = self.fetches.request();
        if inp.room.valid
            && let Some(s) = self.streams.get_mut(usize::from(inp.room.stream.0))
        {
            s.room += 1;
            self.refresh(usize::from(inp.room.stream.0));
        }
        // The stage that reads the cache at this edge: the queue's output, else a request that need not wait.
        let mut reading = self.queued;
        self.queued = picked.unwrap_or_default();
        if accepted {
            let s = &mut self.streams[usize::from(inp.wr.stream.0)];
            let direct = !reading.valid
                && !self.queued.valid
                && s.issued == s.queue.len()
                && s.room > 0
                && s.stall == Stall::No
                && !s.failed;
            let life = self.lives.of(inp.wr.function);
            s.queue.push_back((inp.wr, life));
            if direct {
                s.issued += 1;
                s.room -= 1;
                reading = Stage { valid: true, sequence: s.sequence, request: inp.wr, life, ..Stage::default() };
            }
            self.refresh(usize::from(inp.wr.stream.0));
        }
        if inp.ended.valid
            && let Some(s) = self.streams.get_mut(usize::from(inp.ended.stream.0))
        {
            s.outstanding = s.outstanding.saturating_sub(1);
        }
        self.registrations.outputs(&mut self.out);
        if inp.retranslate.valid {
            let i = self.work_streams + usize::from(inp.retranslate.engine);
            let request = again(&inp.retranslate, StreamId(i as u16));
            self.streams[i].queue.push_back((request, inp.retranslate.asked.life));
            self.refresh(i);
        }
        if reading.valid {
            reading.grant = self.grants.get(usize::from(reading.request.function.0)).copied().unwrap_or_default();
            reading.read = self.cache.read(u64::from(reading.request.key.index()));
        }
        self.stages = [reading, self.stages[0], self.stages[1]];
        self.lives.configure(&inp.cfg);
        self.fetches.configure(&inp.cfg);
        self.out.wr_ready = inp.control.enable && self.cache.cleared() && self.full == 0;
    }

    fn idle_until(&self, inp: &MptIn) -> Option<Cycle> {
        let inputs =
            inp.reset || inp.wr.valid || inp.fill.valid || inp.room.valid || inp.retranslate.valid || inp.revoke.valid;
        let inputs = inputs || inp.revoked.valid || inp.ended.valid || inp.cfg.valid;
        let under_way = self.queued.valid || self.stages.iter().any(|s| s.valid) || self.cache.busy();
        let timing = inp.control.timeout != 0 && self.fetches.outstanding();
        let waiting =
            timing || self.candidates != 0 || !self.registrations.idle() || self.fetches.busy(inp.fetch_ready);
        let ready = inp.control.enable && self.full == 0;
        let pulses = self.out.checked.valid
            || self.out.revoke_done
            || self.out.stat_fields().0 != 0
            || ready != self.out.wr_ready;
        (!inputs && !under_way && !waiting && !pulses).then_some(Cycle(u64::MAX))
    }
}
