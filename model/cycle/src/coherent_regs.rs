//! The driver's registers for coherent regions, a part of `regs`.
//!
//! | offset | register | |
//! |---|---|---|
//! | 0x068 | COHERENT_FUNCTION | function, 8 bits |
//! | 0x06c | COHERENT_PASID | bits 19:0 PASID, bit 20 there is one, bit 21 Privileged Mode Requested |
//! | 0x07c | COHERENT_COMMAND | wo, bits 11:0 counter; bit 29 with NW; bit 30 translate; bit 31 start the counter. SLVERR while busy |
//! | 0x080 | COHERENT_STATUS | ro, bit 0 busy; of the last answer: bit 1 failed, bits 13:8 log2 of its size |
//! | 0x084, 0x088 | COHERENT_ENTRY_LO, _HI | ro, the MTT entry of the last answer |
//! | 0x08c | COHERENT_STALE | bit 31 a stale entry was met, bits 23:0 MPT index of the first region; any write clears |
//! | 0x090, 0x094 | COHERENT_IOVA_LO, _HI | I/O virtual address, bits 63:12 |
//! | 0x098 | COHERENT_PAGES | pages of 4 KiB of a range |
//!
//! The entry is ready for the table: a GPU entry with the bus address and the generation caught with the command; for a
//! translation that says U a host entry with the I/O virtual address; without access, or without a translation, a GPU entry
//! of generation 0, which is never fresh.

use types::addr::{FunctionId, Iova, Pasid, TlpAddr};
use types::bits::mask;
use types::port::{CoherentRange, RegsIn, TranslateCommand};
use types::{MttEntry, Owner, PasidPrefix, TableWord};

/// Offset of COHERENT_STALE.
const STALE: u16 = 0x08c;

/// Whether an offset is that of one of these registers.
pub const fn has(offset: u16) -> bool {
    matches!(offset, 0x068 | 0x06c | 0x07c..=0x098)
}

/// The registers.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoherentRegs {
    function: FunctionId,
    pasid: PasidPrefix,
    iova: u64,
    pages: u32,
    translate: TranslateCommand,
    range: CoherentRange,
    failed: bool,
    size_log2: u8,
    entry: u64,
    /// MPT index of the first stale entry's region.
    stale: Option<u32>,
}

impl CoherentRegs {
    /// The command under way.
    pub fn translate(&self) -> TranslateCommand {
        self.translate
    }
    /// A counter that starts anew.
    pub fn range(&self) -> CoherentRange {
        self.range
    }

    /// What a read of an offset that is one of them returns.
    pub fn read(&self, offset: u16) -> u32 {
        match offset {
            0x068 => u32::from(self.function.0),
            0x06c => {
                let PasidPrefix { valid, pasid, privileged, .. } = self.pasid;
                pasid.0 | u32::from(valid) << 20 | u32::from(privileged) << 21
            }
            0x080 => {
                u32::from(self.translate.valid) | u32::from(self.failed) << 1 | u32::from(self.size_log2 & 0x3f) << 8
            }
            0x084 => self.entry as u32,
            0x088 => (self.entry >> 32) as u32,
            STALE => self.stale.map_or(0, |index| 1 << 31 | index),
            0x090 => self.iova as u32,
            0x094 => (self.iova >> 32) as u32,
            0x098 => self.pages,
            _ => 0,
        }
    }

    /// Writes a register, if it may be written.
    pub fn write(&mut self, offset: u16, value: u32) -> Option<()> {
        // What a command under way uses does not change under it.
        if self.translate.valid && offset != STALE {
            return None;
        }
        match offset {
            0x068 => self.function = FunctionId((value & 0xff) as u16),
            0x06c => {
                let (valid, privileged) = (value >> 20 & 1 == 1, value >> 21 & 1 == 1);
                self.pasid = PasidPrefix { valid, pasid: Pasid(value & 0xf_ffff), exec: false, privileged };
            }
            0x090 => self.iova = self.iova & !0xffff_ffff | u64::from(value & !0xfff),
            0x094 => self.iova = self.iova & 0xffff_ffff | u64::from(value) << 32,
            0x098 => self.pages = value,
            0x07c => self.command(value),
            STALE => self.stale = None,
            _ => return None,
        }
        Some(())
    }

    fn command(&mut self, value: u32) {
        let (function, pasid, counter) = (self.function, self.pasid, (value & 0xfff) as u16);
        if value >> 31 == 1 {
            let (first, pages) = (self.iova >> 12, self.pages);
            self.range = CoherentRange { valid: true, counter, function, pasid, first, pages };
        } else if value >> 30 & 1 == 1 {
            let (iova, no_write) = (Iova(self.iova), value >> 29 & 1 == 1);
            self.translate = TranslateCommand { valid: true, function, pasid, iova, no_write, counter };
        }
    }

    /// The beginning of an edge: a counter starts for one cycle. Whether the interrupt of a stale entry strikes.
    pub fn step(&mut self, inp: &RegsIn) -> bool {
        self.range = CoherentRange::default();
        let answer = &inp.translated;
        if answer.valid {
            self.failed = answer.failed;
            self.size_log2 = answer.size_log2;
            let none = answer.failed || !(answer.read || answer.write);
            let (owner, address) = match answer.untranslated && !none {
                true => (Owner::Host, self.translate.iova.0),
                false => (Owner::Gpu, answer.address.0),
            };
            let entry = MttEntry {
                address: TlpAddr(address & !mask(12)),
                present: true,
                owner,
                write: answer.write,
                read: answer.read,
                generation: if none || owner == Owner::Host { 0 } else { inp.generation },
            };
            let TableWord(word) = entry.encode();
            self.entry = word;
            self.translate = TranslateCommand::default();
        }
        let first = inp.stale.valid && self.stale.is_none();
        if first {
            self.stale = Some(inp.stale.index);
        }
        first
    }

    /// Whether something changes at the next edge.
    pub fn busy(&self, inp: &RegsIn) -> bool {
        self.range.valid || inp.translated.valid || inp.stale.valid && self.stale.is_none()
    }
}
