//! Driver revocations: one command at a time through the registers, reported by the interrupt.

use crate::driver::registers::{self, Access, RegisterPort};
use std::collections::VecDeque;
use types::{BusAddr, ByteCount, FunctionId, Iova, Key};

/// A revocation command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub(super) key: Key,
    pub(super) function: FunctionId,
    pub(super) mtt: Iova,
    pub(super) entries: ByteCount,
    /// Where the flush read goes.
    pub(super) flush: Option<BusAddr>,
}

/// What the command port is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    /// Registers are being written.
    Writing(Key, Option<BusAddr>),
    /// The unit works on it.
    Working(Key),
    /// The interrupt is being cleared.
    Clearing,
}

/// Commands that wait, and the one under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Revocations {
    waiting: VecDeque<Command>,
    state: State,
}

/// What happened.
pub(super) enum News {
    Started(Key, Option<BusAddr>),
    Reported(Key),
}

impl Revocations {
    pub(super) fn push(&mut self, command: Command) {
        self.waiting.push_back(command);
    }

    /// Whether none waits or is under way for `key`.
    pub(super) fn done(&self, key: Key) -> bool {
        let busy = match self.state {
            State::Writing(k, _) | State::Working(k) => k == key,
            _ => false,
        };
        !busy && self.waiting.iter().all(|c| c.key != key)
    }

    pub(super) fn idle(&self) -> bool {
        self.state == State::Idle && self.waiting.is_empty()
    }

    /// Whether it waits for the unit, or for a command.
    pub(super) fn resting(&self) -> bool {
        matches!(self.state, State::Working(_)) || self.idle()
    }

    /// Starts the next command when the registers are free.
    /// `causes` are the interrupt causes to leave enabled.
    pub(super) fn start(&mut self, registers: &mut RegisterPort, causes: u32) {
        if self.state != State::Idle || !registers.idle() {
            return;
        }
        let Some(c) = self.waiting.pop_front() else { return };
        let flush = c.flush.unwrap_or_default().0;
        for (offset, value) in [
            (registers::REVOKE_INDEX, c.key.index()),
            (registers::REVOKE_FUNCTION, u32::from(c.function.0)),
            (registers::REVOKE_MTT_LO, c.mtt.0 as u32),
            (registers::REVOKE_MTT_HI, (c.mtt.0 >> 32) as u32),
            (registers::REVOKE_ENTRIES, c.entries.0 as u32),
            (registers::REVOKE_FLUSH_LO, flush as u32 & !3),
            (registers::REVOKE_FLUSH_HI, (flush >> 32) as u32),
            (registers::IRQ_ENABLE, causes),
            (registers::COMMAND, 1 | u32::from(c.flush.is_some()) << 1),
        ] {
            registers.push(Access::Write { offset, value });
        }
        self.state = State::Writing(c.key, c.flush);
    }

    /// A register access has ended.
    pub(super) fn accessed(&mut self, access: &Access) -> Option<News> {
        match (self.state, access) {
            (State::Writing(key, flush), Access::Write { offset: registers::COMMAND, .. }) => {
                self.state = State::Working(key);
                Some(News::Started(key, flush))
            }
            (State::Clearing, Access::Write { offset: registers::IRQ_STATUS, .. }) => {
                self.state = State::Idle;
                None
            }
            _ => None,
        }
    }

    /// The interrupt line in this cycle.
    pub(super) fn interrupt(&mut self, irq: bool, registers: &mut RegisterPort) -> Option<News> {
        let State::Working(key) = self.state else { return None };
        if !irq {
            return None;
        }
        registers.push(Access::Write { offset: registers::IRQ_STATUS, value: 1 });
        self.state = State::Clearing;
        Some(News::Reported(key))
    }
}
