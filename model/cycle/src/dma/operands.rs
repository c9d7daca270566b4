//! Operands of atomics in `dma`: pulled like the bytes of writes, kept until their TLP is committed.
//!
//! ```text
//! head of a read queue is an atomic ─► wanted ─► write engine asks for the range ─► operands come ─► there ─► commit
//!                                         └──── failed meanwhile: ends once they have come ──┘
//! ```
//!
//! One place a partition of functions: the next atomic of a partition asks once the one before has been committed, so that
//! what was asked for is always taken. One that fails meanwhile ends once its operands have come: the source is asked for
//! nothing of a request that has ended. Nothing is committed for an atomic while its operands are on their way, so an
//! invalidation never waits for them.
//!
//! Operands are pulled, and no part of the work request, since there they would widen every queue and every slot between
//! `mpt` and here by 256 bits.

use types::addr::Length;
use types::port::{Operands, ReleasedSegment, WriteDataRequest};

/// A range of operands to be asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) partition: u8,
    pub(super) range: WriteDataRequest,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Free,
    /// The write engine has not asked for them yet.
    Wanted,
    /// They are on their way.
    Asked,
    There,
}

/// The place of one partition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    state: State,
    range: WriteDataRequest,
    operands: Operands,
}

impl Place {
    /// Whether nothing is there, wanted, or on its way.
    pub(super) fn idle(&self) -> bool {
        self.state == State::Free
    }

    /// The range to be asked for.
    pub(super) fn wanted(&self) -> Option<WriteDataRequest> {
        (self.state == State::Wanted).then_some(self.range)
    }

    /// The write engine has asked for the range.
    pub(super) fn asked(&mut self) {
        self.state = State::Asked;
    }

    /// Operands have come.
    pub(super) fn come(&mut self, operands: Operands) {
        (self.state, self.operands) = (State::There, operands);
    }

    /// Whether operands are on their way.
    pub(super) fn waits(&self) -> bool {
        self.state == State::Asked
    }

    /// The operands of the atomic at the head of the queue; where they are not there, they are wanted.
    pub(super) fn of(&mut self, head: &ReleasedSegment) -> Option<Operands> {
        let tag = &head.tag;
        match self.state {
            State::There => return Some(self.operands),
            State::Free => {
                let length = Length(tag.op.operand_bytes(tag.length.0));
                let (stream, id, offset) = (tag.stream, tag.id, tag.message_offset);
                self.range = WriteDataRequest { valid: true, stream, id, offset, length };
                self.state = State::Wanted;
            }
            _ => {}
        }
        None
    }

    /// The atomic at the head has been committed, or has failed and waits for nothing.
    pub(super) fn end(&mut self) {
        self.state = State::Free;
    }
}
