//! The adapter: one unit, attached to fabric, driver and workload, clock edge by clock edge.

mod coherent;
mod counters;
mod data;
mod page_events;
mod receive;
mod registration;
mod revoke;
mod stalls;
mod told;
mod transmit;

use crate::config::Config;
use crate::driver::registers::{self, Access, RegisterFault, RegisterPort};
use crate::driver::{Driver, RegionSpec, RegisterError, Registered};
use crate::fabric::{Fabric, Packet, nic_function};
use crate::observer::{Observer, Unobserved};
use crate::statistics::BusCounter;
use crate::time::{Clock, Time};
use crate::workload::Workload;
use coherent::Coherent;
use data::{Sink, Source};
use page_events::PageEvents;
use receive::Receive;
use revoke::{Command, News, Revocations};
use stalls::Stalls;
use std::collections::VecDeque;
use told::told;
use transmit::Transmit;
use types::port::{FunctionCfg, UnitIn, UnitOut, WorkRequest};
use types::{Block, Cycle, Event, FunctionId, Key, PageIndex, Region, Syndrome};

/// Cycles of reset at the start.
const RESET_CYCLES: u64 = 4;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Nothing was achieved for a long time.
    #[error("no progress for {cycles} cycles, at cycle {at}\n{state}")]
    Stall {
        /// Cycles without progress.
        cycles: u64,
        /// Cycle at which the run was given up.
        at: u64,
        /// What is where.
        state: String,
    },
    /// A request ended in an error.
    #[error("request {id} of stream {stream} ended in {syndrome}")]
    Request {
        /// Its name.
        id: u16,
        /// Its stream.
        stream: u16,
        /// Its outcome.
        syndrome: Syndrome,
    },
    /// Messages of another size than the operation has.
    #[error("messages of {op:?} have {allowed:?} bytes, not {bytes}")]
    Size {
        /// Operation.
        op: crate::config::TrafficOp,
        /// Bytes of a message.
        bytes: u64,
        /// What is allowed.
        allowed: &'static [u32],
    },
    /// The unit broke a rule of its ports.
    #[error("the unit broke the rules of its ports: {reason}")]
    Protocol {
        /// What it did.
        reason: String,
    },
    /// A register access went wrong.
    #[error("programming the unit: {0}")]
    Register(#[from] RegisterFault),
    /// The region cannot be registered.
    #[error("registering memory: {0}")]
    Region(#[from] RegisterError),
    /// The observer ended the run.
    #[error("stopped by the observer at cycle {0}")]
    Stopped(u64),
}

/// A unit in its system.
#[derive(Debug)]
pub struct System<U, O = Unobserved> {
    /// The unit.
    pub unit: U,
    /// The fabric with the memories.
    pub fabric: Fabric,
    /// Who watches.
    pub observer: O,
    cfg: Config,
    driver: Driver,
    clock: Clock,
    cycle: Cycle,
    inp: UnitIn,
    out: UnitOut,
    registers: RegisterPort,
    revocations: Revocations,
    page_events: PageEvents,
    coherent: Coherent,
    /// Functions whose own generation counter has been started.
    counting: std::collections::BTreeSet<FunctionId>,
    /// The driver has done what comes before the first request.
    started: bool,
    functions: VecDeque<FunctionCfg>,
    transmit: Transmit,
    receive: Receive,
    source: Source,
    sink: Sink,
    stalls: Stalls,
    counter: BusCounter,
}

impl<U: Block<In = UnitIn, Out = UnitOut>> System<U> {
    /// The system of a configuration around a fresh unit.
    pub fn new(cfg: &Config) -> Self {
        Self::with_observer(cfg, Unobserved)
    }
}

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<U>> System<U, O> {
    /// The system of a configuration around a fresh unit, watched by `observer`.
    pub fn with_observer(cfg: &Config, observer: O) -> Self {
        let sizes = cfg.unit_cfg();
        let fabric = Fabric::new(cfg);
        let driver = Driver::with_ranges(cfg.unit.mode, &fabric, cfg.seed, sizes.coherent_ranges);
        let driver = driver.with_layout(cfg.driver.mtt_layout);
        let mut system = Self {
            unit: U::new(sizes),
            fabric,
            observer,
            driver,
            clock: Clock::from_mhz(cfg.unit.clock_mhz),
            cycle: Cycle(0),
            inp: UnitIn::default(),
            out: UnitOut::default(),
            registers: RegisterPort::default(),
            revocations: Revocations::default(),
            page_events: PageEvents::new(&cfg.driver),
            coherent: Coherent::default(),
            counting: Default::default(),
            started: false,
            functions: VecDeque::new(),
            transmit: Transmit::default(),
            receive: Receive::new(sizes.data_bytes() as usize),
            source: Source::new(sizes.data_bytes()),
            sink: Sink::default(),
            stalls: Stalls::new(cfg.disorder.stall_percent, cfg.seed),
            counter: BusCounter::new(),
            cfg: cfg.clone(),
        };
        system.boot();
        system
    }

    /// What the driver does before the first request.
    fn boot(&mut self) {
        let tables = &mut self.fabric.memories.tables;
        let (base, length) = tables.window();
        let (mpt, entries) = (tables.mpt_base().0, tables.mpt_entries());
        if O::EVENTS {
            tables.report_entries();
            self.observer.event(&Event::Reset(None));
            self.observer.event(&Event::TableMemory { base, length });
        }
        let control = 1 | (self.cfg.unit.mode as u32) << 1;
        for access in [
            Access::Expect { offset: registers::ID, value: registers::ID_VALUE },
            Access::Write { offset: registers::MPT_BASE_LO, value: mpt as u32 },
            Access::Write { offset: registers::MPT_BASE_HI, value: (mpt >> 32) as u32 },
            Access::Write { offset: registers::MPT_ENTRIES, value: entries },
            Access::Write { offset: registers::CONTROL, value: control },
        ] {
            self.registers.push(access);
        }
        self.page_events.boot(&mut self.registers);
        self.configure(self.function(FunctionId(0)));
    }

    /// PCI configuration of a function as the configuration gives it.
    pub fn function(&self, function: FunctionId) -> FunctionCfg {
        let f = &self.cfg.function;
        let size = |bytes: u32| (bytes.trailing_zeros() as u8).saturating_sub(7);
        FunctionCfg {
            valid: true,
            function,
            requester: nic_function(function),
            bus_master: true,
            mps: size(f.max_payload_bytes),
            mrrs: size(f.max_read_request_bytes),
            rcb: f.read_completion_boundary_bytes == 128,
            tag_mode: match f.tag_bits {
                5 => 0,
                8 => 1,
                _ => 2,
            },
            relaxed_ordering: f.relaxed_ordering,
            id_ordering: f.id_ordering,
            ats_enable: f.ats_enable,
            ats_stu: (f.smallest_translation_unit_bytes.trailing_zeros() as u8).saturating_sub(12),
            pri_enable: f.page_requests > 0,
            pri_allocation: f.page_requests as u16,
            atomic_enable: f.atomic_requests,
            ..FunctionCfg::default()
        }
    }

    /// Sends a function's configuration to the unit, one a cycle, from the next cycle on.
    pub fn configure(&mut self, function: FunctionCfg) {
        self.functions.push_back(FunctionCfg { valid: true, ..function });
    }

    /// Whether every register access and every function's configuration has reached the unit.
    pub fn booted(&self) -> bool {
        self.started && self.functions.is_empty() && !self.inp.cfg.valid
    }

    /// Whether the driver has nothing under way: register accesses, configurations, revocations.
    pub fn driver_idle(&self) -> bool {
        self.booted()
            && self.registers.idle()
            && self.revocations.idle()
            && self.page_events.idle()
            && self.coherent.idle()
    }

    /// Sets the unit's completion time-out in ticks of 1024 cycles, 0 for none.
    pub fn set_completion_timeout(&mut self, ticks: u16) {
        self.registers.push(Access::Write { offset: registers::TIMEOUT, value: u32::from(ticks) });
    }

    /// Makes a region's MPT entry invalid; its mapping stays, and the unit is not told. `None` when there is no such key.
    pub fn withdraw(&mut self, key: Key) -> Option<Registered> {
        let registered = self.fabric.memories.tables.remove(key)?;
        if O::EVENTS {
            self.observer.event(&Event::Unmapped { key });
        }
        Some(registered)
    }

    /// Has the unit revoke a region, whose entries in memory have been changed before: what it keeps of them is dropped and
    /// what uses them is drained. With `flush`, a zero-length read of that address returns before the report.
    pub fn revoke(&mut self, region: &Registered, flush: Option<types::BusAddr>) {
        self.revocations.push(Command {
            key: region.key,
            function: region.region.function,
            mtt: region.mtt.first,
            entries: types::ByteCount(region.mtt.words),
            flush,
        });
    }

    /// Whether every revocation of `key` has been reported.
    pub fn revoked(&self, key: Key) -> bool {
        self.revocations.done(key)
    }

    /// Registers a region.
    pub fn register(&mut self, spec: &RegionSpec) -> Result<Registered, RunError> {
        let registered = self.driver.register(&mut self.fabric, spec)?;
        if registered.region.coherent {
            let Region { counter, function, .. } = registered.region;
            let start = counter > 0 || self.counting.insert(function);
            self.coherent.registered(&registered, start);
        }
        if O::EVENTS {
            self.observer.event(&Event::Mapped { key: registered.key, region: &registered.region });
        }
        Ok(registered)
    }

    /// Deregisters a region; the unit's caches are not told. `None` when there is no such key.
    pub fn deregister(&mut self, key: Key) -> Option<Registered> {
        let registered = self.driver.deregister(&mut self.fabric, key)?;
        if O::EVENTS {
            self.observer.event(&Event::Unmapped { key });
        }
        Some(registered)
    }

    /// Overwrites one MTT entry in memory.
    pub fn set_entry(&mut self, key: Key, page: PageIndex, entry: types::MttEntry) {
        self.fabric.memories.tables.set_entry(key, page, entry);
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.cfg
    }
    /// Cycles so far.
    pub fn cycles(&self) -> Cycle {
        self.cycle
    }
    /// The time of the next edge.
    pub fn now(&self) -> Time {
        self.clock.edge(self.cycle)
    }

    /// Runs until `done`, which is asked before each cycle.
    pub fn run_until<W: Workload>(
        &mut self,
        workload: &mut W,
        mut done: impl FnMut(&W, &Self) -> bool,
    ) -> Result<(), RunError> {
        // Entries that the driver fills before the first request are progress as well.
        let mut progress = workload.progress().wrapping_add(self.coherent.filled());
        let mut since = self.cycle.0;
        while !done(workload, self) {
            self.step(workload)?;
            if self.observer.stop() {
                return Err(RunError::Stopped(self.cycle.0));
            }
            let now = workload.progress().wrapping_add(self.coherent.filled());
            if now != progress {
                (progress, since) = (now, self.cycle.0);
            } else if self.cycle.0 - since > self.cfg.traffic.stall_cycles {
                let state = self.describe(workload);
                return Err(RunError::Stall { cycles: self.cycle.0 - since, at: self.cycle.0, state });
            }
        }
        Ok(())
    }

    /// What is where, for a person.
    pub fn describe<W: Workload>(&self, workload: &W) -> String {
        let mark = |name: &str, valid: bool, ready: bool| match (valid, ready) {
            (true, false) => format!(" {name}:waits"),
            (true, true) => format!(" {name}:moves"),
            _ => String::new(),
        };
        let (i, o) = (&self.inp, &self.out);
        format!(
            "{}\nunit ports:{}{}{}{}{}{}{}; packets waiting for the unit {}; registers {}\n{}",
            workload.describe(),
            mark("wr", i.wr.valid, o.wr_ready),
            mark("completion", o.completion.valid, i.completion_ready),
            mark("write_data_request", o.write_data_request.valid, i.write_data_request_ready),
            mark("write_data", i.write_data.valid, o.write_data_ready),
            mark("read_data", o.read_data.valid, i.read_data_ready),
            mark("tx_wr_req_tlp", o.tx_wr_req_tlp.valid, i.tx_wr_req_tlp_ready),
            mark("tx_rd_req_tlp", o.tx_rd_req_tlp.valid, i.tx_rd_req_tlp_ready),
            self.receive.waiting(),
            if self.registers.idle() { "idle" } else { "busy" },
            self.fabric.describe()
        )
    }

    /// One clock cycle.
    pub fn step<W: Workload>(&mut self, workload: &mut W) -> Result<(), RunError> {
        let now = self.now();
        while let Some(landing) = self.fabric.advance(now) {
            workload.landed(now, landing, &mut self.fabric.memories);
        }
        if O::EVENTS {
            let observer = &mut self.observer;
            self.fabric.memories.tables.take_news(|key, page, entry| {
                observer.event(&Event::PageMapped { key, page, entry });
            });
        }
        workload.tick(now, &mut self.fabric.memories);
        self.drive(now, workload);
        self.unit.outputs(&mut self.out);
        self.observer.cycle(self.cycle, &self.unit, &self.inp, &self.out);
        self.counter.add(&self.out.stat);
        if !self.inp.reset {
            self.take_outputs(now, workload)?;
        }
        self.unit.step(&self.inp);
        self.cycle.0 += 1;
        if self.inp.reset { Ok(()) } else { self.take_inputs() }
    }

    /// Sets the inputs of this cycle.
    fn drive<W: Workload>(&mut self, now: Time, workload: &mut W) {
        let inp = &mut self.inp;
        inp.reset = self.cycle.0 < RESET_CYCLES;
        if inp.reset {
            return;
        }
        self.transmit.drive(now, &mut self.fabric, &mut self.stalls, inp);
        self.receive.drive(&mut self.fabric, &mut self.stalls, inp);
        self.source.drive(workload, &mut self.stalls, inp);
        inp.completion_ready = !self.stalls.pause();
        inp.read_data_ready = !self.stalls.pause();
        inp.cfg = self.functions.pop_front().unwrap_or_default();
        self.revocations.start(&mut self.registers, self.page_events.causes());
        self.page_events.start(now, self.out.irq, &mut self.fabric.memories.tables, &mut self.registers);
        self.coherent.start(&mut self.fabric.memories.tables, &mut self.registers, &mut self.revocations);
        if self.registers.idle() {
            self.started |= self.coherent.idle();
        } else {
            self.registers.drive(inp);
        }
        if self.started && !inp.wr.valid && !self.stalls.pause() {
            inp.wr = workload.offer(now).unwrap_or_default();
        }
    }

    /// Everything the unit put out in this cycle and the surroundings took.
    fn take_outputs<W: Workload>(&mut self, now: Time, workload: &mut W) -> Result<(), RunError> {
        let Self { fabric, observer, inp, out, .. } = self;
        self.transmit.take(now, fabric, inp, out, |packet| {
            if O::EVENTS {
                observer.event(&Event::TlpOut { tlp: &packet.tlp, payload: &packet.payload });
            }
        })?;
        let data = out.read_data;
        self.sink.take(workload, &mut fabric.memories, inp, out, |offset, bytes| {
            if O::EVENTS {
                observer.event(&Event::ReadData { stream: data.stream, id: data.id, offset, bytes });
            }
        });
        if out.completion.valid && inp.completion_ready {
            let done = &out.completion;
            if O::EVENTS {
                observer.event(&Event::MessageDone { stream: done.stream, id: done.id, syndrome: done.syndrome });
            }
            workload.completed(now, done);
        }
        if !self.page_events.reads_causes()
            && let Some(News::Reported(key)) = self.revocations.interrupt(out.irq, &mut self.registers)
            && O::EVENTS
        {
            observer.event(&Event::RevocationReported { key });
        }
        Ok(())
    }

    /// Everything the unit took in this cycle; the inputs that were taken are withdrawn.
    fn take_inputs(&mut self) -> Result<(), RunError> {
        let now = self.now();
        let Self { fabric, observer, inp, out, .. } = self;
        if inp.wr.valid && out.wr_ready {
            if O::EVENTS {
                observer.event(&Event::RequestAccepted(&inp.wr));
            }
            inp.wr = WorkRequest::default();
        }
        self.source.take(inp, out, |range, offset, data| {
            if O::EVENTS {
                let bytes = &data.data.to_bytes()[..data.keep.count_ones() as usize];
                observer.event(&Event::WriteData { stream: range.stream, id: range.id, offset, bytes });
            }
        });
        self.receive.take(fabric, inp, out, |packet: &Packet| {
            if O::EVENTS {
                observer.event(&Event::TlpIn { tlp: &packet.tlp, payload: &packet.payload });
            }
        });
        // What is taken at the edge of a configuration comes before it: a reset takes it away with the rest.
        if O::EVENTS && inp.cfg.valid {
            observer.event(&Event::Configured(&inp.cfg));
        }
        if !self.registers.idle() {
            let done = self.registers.observe(inp, out)?;
            if let Some(access) = done {
                let news = self.revocations.accessed(&access);
                let events = self.page_events.accessed(now, &access, &mut self.registers);
                let tables = &mut fabric.memories.tables;
                if let Some(page_events::News::Stale(index)) = events {
                    self.coherent.stale(index, tables);
                }
                let filling = self.coherent.accessed(&access, tables, &mut self.registers);
                let reported = match events {
                    Some(page_events::News::CommandDone) => self.revocations.interrupt(true, &mut self.registers),
                    _ => None,
                };
                if O::EVENTS {
                    told(&access, news.or(reported), events, filling, |event| observer.event(event));
                }
            }
            if self.registers.idle() {
                self.registers.drive(inp);
            }
        }
        Ok(())
    }
}
