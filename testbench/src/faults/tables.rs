//! Faults in how table lines are read.

use super::Fault;
use super::pins::Use;
use types::MttLayout;

/// What it remembers of the MPT line that comes in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Table {
    inline: bool,
    /// Its first entry.
    first: u64,
}

impl Table {
    /// The first word of an MPT line.
    pub(super) fn line(&mut self, word: u64) {
        self.inline = MttLayout::from_bits((word >> 58) as u8) == MttLayout::Inline;
    }

    /// Changes word `number` of a line.
    pub(super) fn change(&mut self, fault: Fault, (of, number): (Use, usize), word: &mut u64) {
        let inline = of == Use::Mpt && self.inline && number >= 4;
        if inline && number == 4 {
            self.first = *word;
        }
        match fault {
            Fault::LayoutIgnored if of == Use::Mpt && number == 0 => *word &= !(3 << 58),
            Fault::InlineFirst if inline => *word = self.first,
            Fault::PresentIgnored if of == Use::Mtt || inline => *word |= 1 << 3,
            Fault::WrongOwner if inline && *word != 0 => *word ^= 1 << 2,
            Fault::PageRightsIgnored if inline && *word != 0 => *word |= 0b11,
            _ => {}
        }
    }
}
