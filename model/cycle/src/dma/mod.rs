//! `dma`: turns segments into TLPs and completions of TLPs into completions of requests.
//!
//! ```text
//!                ┌──────────── write engine ───────────┐
//! segment ─┬────►│ cut ─► ask for bytes ─► shift ──────┼─► posted          (write.rs)
//!          │     │ sent counter ─► segments done ──────┼─► write_sent ─┐
//!          │     └─────────────────────────────────────┘               ├─► arbiter ─► completion
//!          │     ┌──────────── read engine ────────────┐               │
//!          └────►│ cut ─► tag, slot ───────────────────┼─► read        │   (read.rs)
//! cpl ──────────►│ reassembly ─► delivery ─────────────┼─► read_data ──┘   (reassembly.rs, deliver.rs)
//!                └─────────────────────────────────────┘
//! ```
//! Atomics are reads whose operands are pulled with the bytes of writes (operands.rs).
//!
//! A segment becomes TLPs of at most MPS or MRRS bytes, whole DWs, that never cross a 4 KiB line (cut.rs). Latency from a
//! segment to its first descriptor or range asked for: 2. Rates: one read a cycle; one write TLP in ⌈(pad + payload) /
//! width⌉ cycles, back to back over TLPs, segments and requests; one beat of completions in and one of read data out.
//!
//! Operations other than writes enter the read queue. A failed request sends nothing more and completes with its first
//! failure once what it has sent is over. Whether a function may send is looked at for every TLP, when it is cut.
//!
//! Sizes: MPS is cut to `posted_buffer_bytes`, so that any TLP fits the posted buffer whole; MRRS is cut to
//! `read_slot_bytes`. A 512-byte posted buffer with MPS 512 holds a single TLP and cannot overlap two.
//!
//! Invalidation and revocation: before each commit an engine compares the epochs of its mapping with the unit's and has
//! the access judged again where they differ (again.rs). A write is committed with its last beat, so that it never waits for data with an old address; a
//! read when its tag is taken. `drained` says that nothing committed under an older epoch is in flight: reads that have
//! not come back, write beats that `tlp_tx` has not taken. It waits for nothing else. `sent` says that every write
//! committed under an older epoch has left on the link.
//!
//! Where another translation sends an access another way than its stream has written before, a flush goes between
//! (write/path.rs), under the tag that `ats` keeps for flushes.
//!
//! Progress: the engines share no resource but the completion stream, which a fair arbiter gives to either. Completions of
//! registrations come from `mpt` and take every second turn at most.

mod again;
mod cut;
mod deliver;
mod operands;
mod read;
mod reassembly;
mod tags;
mod write;

use crate::progress::{Wait, wait};
use again::EpochTable;
use read::ReadEngine;
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::Op;
use types::port::{Completion, DmaIn, DmaOut, FunctionCfg, PostedBeat, StreamNote};
use types::ports::{Block, Cycle};
use write::WriteEngine;
/// What is held here, and what it needs to go on.
pub const WAITS: &[Wait] = &[
    wait("dma.write_queue", "source.write_data", "the range has been asked for"),
    wait("dma.write_queue", "tlp_tx.posted", "its beats have no place"),
    wait("dma.write_queue", "mpt.again", "an epoch has passed it"),
    wait("dma.write_queue", "dma.unsent", "64 segments are cut and not sent"),
    wait("dma.write_queue", "dma.posted_sent", "it has changed its path: what was written before leaves first"),
    wait("dma.write_queue", "ats.flush", "it has changed its path: what was written before is flushed"),
    wait("dma.unsent", "dma.posted_sent", "its TLPs have not been sent"),
    wait("dma.unsent", "sink.completion", "its request ends"),
    wait("dma.unsent", "mpt.again", "an epoch has passed the flush of a message that has changed its path"),
    wait("dma.unsent", "ats.flush", "its message has changed its path"),
    wait("dma.posted_sent", "tlp_tx.posted", "always"),
    wait("dma.read_queue", "dma.tag", "no tag is free"),
    wait("dma.read_queue", "dma.read_slot", "no buffer space is free"),
    wait("dma.read_queue", "tlp_tx.read", "the descriptor has not been taken"),
    wait("dma.read_queue", "mpt.again", "an epoch has passed it"),
    wait("dma.read_queue", "ats.flush", "it has changed its path: what was written before is flushed"),
    wait("dma.read_queue", "source.write_data", "an atomic: its operands have been asked for"),
    wait("dma.read_queue", "dma.write_queue", "an atomic: its operands stand behind the bytes of writes"),
    wait("dma.tag", "tlp_tx.read", "its read has not been sent"),
    wait("dma.tag", "host.completion", "its read has been sent"),
    wait("dma.read_slot", "dma.tag", "its data has not come"),
    wait("dma.read_slot", "sink.read_data", "its data has come"),
    wait("dma.read_slot", "sink.completion", "its request ends"),
    wait("dma.committed", "dma.tag", "reads that used a mapping have not come back"),
    wait("dma.committed", "tlp_tx.posted", "write beats have not been taken"),
    wait("dma.committed", "ats.flush", "a flush that used a mapping has not come back"),
];

/// Completions of registrations that wait for the arbiter.
const REGISTERED: usize = 2;

/// Registered one-cycle increments; see [`DmaOut`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stats {
    write_tlp: bool,
    read_tlp: bool,
    atomic_tlp: bool,
    completion_tlp: bool,
    unexpected_completion: bool,
    done: bool,
    error: bool,
    stall_tag: bool,
    stall_buffer: bool,
    stall_data: bool,
    stall_tx: bool,
    retranslate: bool,
    timeout: bool,
}

/// The block; see the module documentation.
#[derive(Clone, Debug)]
pub struct Dma {
    cfg: UnitCfg,
    functions: Box<[FunctionCfg]>,
    write: WriteEngine,
    read: ReadEngine,
    completion: Completion,
    /// Completions of registrations, from `mpt`.
    registered: VecDeque<Completion>,
    /// The last completion was not one of them.
    registered_turn: bool,
    ended: StreamNote,
    /// The functions' epochs as of the edge before: what commits compare with.
    epochs: EpochTable,
    /// One of them began at the edge before.
    begun: bool,
    drained: bool,
    sent: bool,
    /// The arbiter's last grant went to the read engine.
    read_last: bool,
    stat: Stats,
}

impl Dma {
    fn idle(&self) -> bool {
        self.write.idle()
            && self.read.idle()
            && self.registered.is_empty()
            && !self.ended.valid
            && !self.completion.valid
            && self.stat == Stats::default()
    }

    /// Moves one completion to the output register, from either engine in turn.
    fn arbitrate(&mut self, ready: bool) {
        self.ended = StreamNote::default();
        if self.completion.valid && !ready {
            return;
        }
        let (write, read) = (self.write.completions(), self.read.completions());
        let none = write.is_empty() && read.is_empty();
        if (none || self.registered_turn)
            && let Some(next) = self.registered.pop_front()
        {
            self.registered_turn = false;
            self.completion = next;
            self.stat.done = next.syndrome.is_ok();
            self.stat.error = !self.stat.done;
            return;
        }
        let take_read = !read.is_empty() && (write.is_empty() || !self.read_last);
        let next = if take_read { read.pop_front() } else { write.pop_front() };
        self.completion = next.unwrap_or_default();
        if self.completion.valid {
            self.ended = StreamNote { valid: true, stream: self.completion.stream };
            self.registered_turn = true;
            self.read_last = take_read;
            self.stat.done = self.completion.syndrome.is_ok();
            self.stat.error = !self.stat.done;
        }
    }
}

impl Block for Dma {
    type In = DmaIn;
    type Out = DmaOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self {
            cfg: cfg.clone(),
            functions: vec![FunctionCfg::default(); cfg.functions as usize].into(),
            write: WriteEngine::new(cfg),
            read: ReadEngine::new(cfg),
            completion: Completion::default(),
            registered: VecDeque::with_capacity(REGISTERED),
            registered_turn: false,
            ended: StreamNote::default(),
            epochs: EpochTable::new(cfg.functions),
            begun: false,
            drained: true,
            sent: true,
            read_last: false,
            stat: Stats::default(),
        }
    }

    fn outputs(&self, out: &mut DmaOut) {
        let Stats { write_tlp, read_tlp, completion_tlp, unexpected_completion, done, error, .. } = self.stat;
        let Stats { stall_tag, stall_buffer, stall_data, stall_tx, retranslate, timeout, atomic_tlp, .. } = self.stat;
        // The wide groups are copied only where something changes: both sides are zero while not valid.
        match self.write.posted() {
            Some(beat) => out.posted = *beat,
            None if out.posted.valid => out.posted = PostedBeat::default(),
            None => {}
        }
        let read_data = self.read.read_data();
        if read_data.valid || out.read_data.valid {
            out.read_data = *read_data;
        }
        out.write_room = self.write.room();
        (out.read_room, out.read_room_partition) = self.read.room();
        out.write_sent = self.write.write_sent();
        out.write_data_request = *self.write.request();
        out.write_data_ready = self.write.data_ready();
        out.read = *self.read.read();
        out.read_operands = self.read.operands();
        out.completion = self.completion;
        out.ended = self.ended;
        out.registered_ready = self.registered.len() < REGISTERED;
        let (write, read) = (self.write.retranslate(), self.read.retranslate());
        out.retranslate = if write.valid { write } else { read };
        out.flushed = self.read.flushed();
        out.flush = *self.write.flush_read();
        out.drained = self.drained;
        out.sent = self.sent;
        let again = [self.write.again(), self.read.again()];
        out.judging = again.iter().any(|a| a.judging());
        out.renewed = again.iter().any(|a| a.renewed());
        out.stat_retranslate = retranslate;
        out.stat_timeout = timeout;
        out.stat_write_tlp = write_tlp;
        out.stat_read_tlp = read_tlp;
        out.stat_atomic_tlp = atomic_tlp;
        out.stat_completion_tlp = completion_tlp;
        out.stat_unexpected_completion = unexpected_completion;
        out.stat_done = done;
        out.stat_error = error;
        out.stat_stall_tag = stall_tag;
        out.stat_stall_buffer = stall_buffer;
        out.stat_stall_data = stall_data;
        out.stat_stall_tx = stall_tx;
    }

    fn step(&mut self, inp: &DmaIn) {
        if inp.reset {
            *self = Self::new(&self.cfg);
            return;
        }
        self.stat = Stats::default();
        let registered_ready = self.registered.len() < REGISTERED;
        self.arbitrate(inp.completion_ready);
        if inp.registered.valid && registered_ready {
            self.registered.push_back(inp.registered);
        }
        let flush;
        let (write, read) = match inp.segment {
            ref segment if !segment.valid => (None, None),
            ref segment if segment.flush => {
                flush = self.write.flush(segment);
                (None, Some(&flush))
            }
            ref segment if segment.tag.op == Op::WRITE => (Some(segment), None),
            ref segment => (None, Some(segment)),
        };
        // What one engine shows the other, as of before this edge.
        let (wanted, come, crossing) = (self.read.wanted(), self.write.operands(), self.read.wanted_flush());
        let flushed = self.read.flushed();
        if flushed.valid {
            self.write.paths().flushed(flushed.stream);
        }
        let mut asked = None;
        if write.is_some() || wanted.is_some() || crossing.is_some() || !self.write.idle() {
            let work = (write, wanted.as_ref(), crossing);
            let taken = self.write.step(inp, work, &self.functions, (&self.epochs, self.begun), &mut self.stat);
            asked = wanted.as_ref().filter(|_| taken);
        }
        // One request for a translation leaves in a cycle: the write engine's goes first.
        let may_ask = !self.write.retranslate().valid;
        if read.is_some() || inp.cpl.valid || !self.read.idle() {
            self.read.take_operands(asked, come);
            let against = (&self.epochs, may_ask, &*self.write.paths());
            self.read.step(inp, read, &self.functions, against, &mut self.stat);
        }
        self.begun = self.epochs.begin(&inp.invalidated, &inp.revoked);
        if self.begun {
            self.read.advance();
            self.write.paths().advance();
        }
        self.drained = self.write.drained() && self.read.drained();
        self.sent = self.write.all_sent();
        if inp.cfg.valid {
            if let Some(function) = self.functions.get_mut(usize::from(inp.cfg.function.0)) {
                *function = inp.cfg;
            }
            self.write.configured(&inp.cfg);
            self.epochs.configure(&inp.cfg);
            if inp.cfg.function.0 == 0 {
                self.read.set_tag_mode(inp.cfg.tag_mode);
            }
        }
    }

    fn idle_until(&self, inp: &DmaIn) -> Option<Cycle> {
        let inputs = inp.reset || inp.cfg.valid || inp.segment.valid || inp.cpl.valid || inp.posted_sent;
        let begins = inp.invalidated.valid || inp.revoked.valid || self.begun || inp.registered.valid;
        let quiet = !inputs && !begins && self.drained && self.sent;
        (quiet && self.idle()).then_some(Cycle(u64::MAX))
    }
}
