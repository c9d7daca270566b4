//! Tags in use, and the completions that answer them.

use super::Breach;
use super::wire::{Kind, Wire};
use std::collections::BTreeMap;
use types::port::FunctionCfg;
use types::{RequesterId, Tag};

/// What is still owed to a tag.
#[derive(Clone, Copy, Debug)]
enum Owed {
    /// Memory read: the next byte's address and the bytes left. A zero-length read is owed one DW with byte count 1.
    Bytes { next: u64, left: u32, zero_length: bool },
    /// Translation Request: entry bytes left at most, and exactly so after the first completion.
    Translations { left: u32, exact: bool },
    /// Atomic: the operand's bytes.
    Operand(u32),
}

/// Tags in use, by requester.
#[derive(Debug, Default)]
pub(super) struct Live(BTreeMap<(RequesterId, u16), Owed>);

impl Live {
    /// A non-posted request left.
    pub(super) fn insert(&mut self, wire: &Wire, kind: Kind) -> Result<(), Breach> {
        let (requester, tag) = (wire.requester(), wire.tag());
        let owed = match kind {
            Kind::Atomic => {
                // CAS carries two operands, of which one comes back.
                let operands = if wire.fmt_type() & 0x1f == 0b01110 { 2 } else { 1 };
                Owed::Operand(4 * wire.length_dw() / operands)
            }
            _ if wire.at() == 0b01 => Owed::Translations { left: 4 * wire.length_dw(), exact: false },
            _ => {
                let left = wire.enabled_bytes();
                Owed::Bytes { next: wire.first_byte(), left: left.max(1), zero_length: left == 0 }
            }
        };
        if self.0.contains_key(&(requester, tag)) {
            return Err(Breach::TagInUse { requester, tag: Tag(tag) });
        }
        self.0.insert((requester, tag), owed);
        Ok(())
    }

    /// A completion arrived; whatever breaks a rule ends its request.
    pub(super) fn completion(&mut self, wire: &Wire, payload: &[u8], cfg: Option<&FunctionCfg>) -> Result<(), Breach> {
        let key = (wire.cpl_requester(), wire.cpl_tag());
        let (requester, tag) = (key.0, Tag(key.1));
        let Some(owed) = self.0.remove(&key) else {
            return Err(Breach::UnexpectedCompletion { requester, tag });
        };
        wire.payload_fits(payload)?;
        let expect = |field, expected: u32, seen: u32| {
            if expected == seen { Ok(()) } else { Err(Breach::Completion { tag, field, expected, seen }) }
        };
        let (ok, data) = (wire.status() == 0, wire.has_data());
        if wire.status() == 0b010 {
            return Err(Breach::Completion { tag, field: "status", expected: 0, seen: 0b010 });
        }
        // Data comes with success, and only with success.
        expect("data", u32::from(ok), u32::from(data))?;
        if !ok {
            return Ok(());
        }
        if let Some(cfg) = cfg {
            let (limit, seen) = (128 << (cfg.mps & 7), 4 * wire.length_dw());
            if seen > limit {
                return Err(Breach::MaxPayload { limit, seen });
            }
        }
        let rest = match owed {
            Owed::Operand(bytes) => {
                expect("byte count", bytes, wire.byte_count())?;
                expect("length", bytes / 4, wire.length_dw())?;
                None
            }
            Owed::Translations { left, exact } => {
                let count = wire.byte_count();
                expect("whole entries", 0, count % 8 + 4 * wire.length_dw() % 8)?;
                if exact || count > left {
                    expect("byte count", left, count)?;
                }
                // A second completion is the last.
                let carried = 4 * wire.length_dw();
                if exact || carried > count {
                    expect("length", count / 4, wire.length_dw())?;
                }
                (carried < count).then_some(Owed::Translations { left: count - carried, exact: true })
            }
            Owed::Bytes { next, left, zero_length } => {
                expect("byte count", left, wire.byte_count())?;
                expect("lower address", next as u32 & 0x7f, wire.lower_address())?;
                let offset = next as u32 & 3;
                let whole = (offset + left).div_ceil(4);
                if wire.length_dw() >= whole || zero_length {
                    expect("length", whole, wire.length_dw())?;
                    None
                } else {
                    let carried = 4 * wire.length_dw() - offset;
                    let end = next + u64::from(carried);
                    // A part ends on a Read Completion Boundary.
                    let rcb = if cfg.is_some_and(|c| c.rcb) { 128 } else { 64 };
                    expect("boundary", 0, (end % rcb) as u32)?;
                    Some(Owed::Bytes { next: end, left: left - carried, zero_length })
                }
            }
        };
        if let Some(rest) = rest {
            self.0.insert(key, rest);
        }
        Ok(())
    }

    pub(super) fn finish(&self) -> Result<(), Breach> {
        match self.0.keys().next() {
            Some((requester, tag)) => Err(Breach::NotAnswered { requester: *requester, tag: Tag(*tag) }),
            None => Ok(()),
        }
    }
}
