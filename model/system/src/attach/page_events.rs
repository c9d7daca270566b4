//! The driver's side of events: MTT entries that are not present are filled after a while, or refused.
//!
//! ```text
//!  interrupt ─► IRQ_STATUS ─► EVENT_STATUS ─► index, address, pop ─► EVENT_STATUS … empty
//!                                                  └─► fill_ns later: entry in memory, EVENT_RESUME
//! ```

use crate::config::DriverConfig;
use crate::driver::Tables;
use crate::driver::registers::{self, Access, RegisterPort};
use crate::time::Time;
use std::collections::VecDeque;
use types::{Length, Va};

/// Cause of an interrupt: a command is done.
const COMMAND: u32 = 1;
/// Cause of an interrupt: an event was queued.
const EVENT: u32 = 2;
/// Cause of an interrupt: a stale entry of a coherent region was met.
const STALE: u32 = 4;
/// Bit of EVENT_RESUME that refuses.
const REFUSE: u32 = 1 << 31;

/// What the driver is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    /// The cause of the interrupt is being read.
    Cause,
    /// The queue is being emptied.
    Queue,
    /// The region of a stale entry is being read.
    Stale,
}

/// What the rest of the driver has to know of a register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// The interrupt says that a command is done.
    CommandDone,
    /// Events have been turned on or off.
    Enabled(bool),
    /// The events of a region have been answered.
    Answered {
        /// MPT index.
        index: u32,
        /// They were refused.
        refuse: bool,
    },
    /// A stale entry of the region under this MPT index was met.
    Stale(u32),
}

/// The event handler.
#[derive(Clone, Debug)]
pub(super) struct PageEvents {
    cfg: DriverConfig,
    fill: Time,
    state: State,
    /// Number, index and low half of the address of the event that is being read.
    number: u32,
    index: u32,
    low: u32,
    /// Events to serve, and when: number, MPT index, address.
    due: VecDeque<(Time, u32, u32, Va)>,
    served: u64,
}

impl PageEvents {
    pub(super) fn new(cfg: &DriverConfig) -> Self {
        let fill = Time::from_ns(cfg.fill_ns);
        Self {
            cfg: cfg.clone(),
            fill,
            state: State::Idle,
            number: 0,
            index: 0,
            low: 0,
            due: VecDeque::new(),
            served: 0,
        }
    }

    /// Whether it reads the causes of an interrupt.
    pub(super) fn reads_causes(&self) -> bool {
        self.enabled() || self.cfg.refills
    }

    /// Whether entries that are not present are events.
    fn enabled(&self) -> bool {
        self.cfg.page_events
    }

    /// Interrupt causes to leave enabled.
    pub(super) fn causes(&self) -> u32 {
        let cause = |on: bool, cause: u32| if on { cause } else { 0 };
        COMMAND | cause(self.enabled(), EVENT) | cause(self.cfg.refills, STALE)
    }

    /// Accesses at boot.
    pub(super) fn boot(&self, registers: &mut RegisterPort) {
        if self.enabled() {
            registers.push(Access::Write { offset: registers::EVENT_CONTROL, value: 1 });
        }
        if self.reads_causes() {
            registers.push(Access::Write { offset: registers::IRQ_ENABLE, value: self.causes() });
        }
    }

    pub(super) fn idle(&self) -> bool {
        self.state == State::Idle && self.due.is_empty()
    }

    /// Events answered so far.
    pub(super) fn served(&self) -> u64 {
        self.served
    }

    /// Starts what is due when the registers are free.
    pub(super) fn start(&mut self, now: Time, irq: bool, tables: &mut Tables, registers: &mut RegisterPort) {
        if !self.reads_causes() || !registers.idle() || self.state != State::Idle {
            return;
        }
        if let Some((_, number, index, va)) = self.due.pop_front_if(|(at, ..)| *at <= now) {
            let refuse = self.cfg.refuse || !fill(tables, index, va);
            self.served += 1;
            let value = index | number << 24 | if refuse { REFUSE } else { 0 };
            registers.push(Access::Write { offset: registers::EVENT_RESUME, value });
        } else if irq {
            registers.push(Access::Read { offset: registers::IRQ_STATUS, value: 0 });
            self.state = State::Cause;
        }
    }

    /// A register access has ended.
    pub(super) fn accessed(&mut self, now: Time, access: &Access, registers: &mut RegisterPort) -> Option<News> {
        match *access {
            Access::Write { offset: registers::EVENT_CONTROL, value } => return Some(News::Enabled(value & 1 == 1)),
            Access::Write { offset: registers::EVENT_RESUME, value } => {
                return Some(News::Answered { index: value & 0xff_ffff, refuse: value & REFUSE != 0 });
            }
            Access::Read { offset: registers::IRQ_STATUS, value } => {
                self.state = State::Idle;
                if value & EVENT != 0 {
                    self.state = State::Queue;
                    registers.push(Access::Write { offset: registers::IRQ_STATUS, value: EVENT });
                    registers.push(Access::Read { offset: registers::EVENT_STATUS, value: 0 });
                } else if value & STALE != 0 {
                    self.state = State::Stale;
                    registers.push(Access::Write { offset: registers::IRQ_STATUS, value: STALE });
                    registers.push(Access::Read { offset: registers::COHERENT_STALE, value: 0 });
                }
                return (value & COMMAND != 0).then_some(News::CommandDone);
            }
            Access::Read { offset: registers::EVENT_STATUS, value } => {
                if value & 0xf == 0 {
                    self.state = State::Idle;
                    return None;
                }
                self.number = value >> 20 & 7;
                for offset in [registers::EVENT_INDEX, registers::EVENT_VA_LO, registers::EVENT_VA_HI] {
                    registers.push(Access::Read { offset, value: 0 });
                }
                registers.push(Access::Write { offset: registers::EVENT_POP, value: 0 });
                registers.push(Access::Read { offset: registers::EVENT_STATUS, value: 0 });
            }
            Access::Read { offset: registers::COHERENT_STALE, value } => {
                self.state = State::Idle;
                return Some(News::Stale(value & 0xff_ffff));
            }
            Access::Read { offset: registers::EVENT_INDEX, value } => self.index = value,
            Access::Read { offset: registers::EVENT_VA_LO, value } => self.low = value,
            Access::Read { offset: registers::EVENT_VA_HI, value } => {
                let va = Va(u64::from(value) << 32 | u64::from(self.low));
                self.due.push_back((now + self.fill, self.number, self.index, va));
            }
            _ => {}
        }
        None
    }
}

/// Fills the entry of an address; false when the region has no such page.
fn fill(tables: &mut Tables, index: u32, va: Va) -> bool {
    let Some(registered) = tables.at(index).copied().filter(|r| r.region.contains(va, Length(1).0)) else {
        return false;
    };
    let page = registered.region.page_index(va);
    tables.set_entry(registered.key, page, registered.entry(page));
    true
}
