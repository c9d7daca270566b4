//! Random stimulus for the primitives, the same for the twin and for the exported Verilog.
#![allow(dead_code, reason = "each test program uses a part")]

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rtl::prim::{Fifo, Ram1w1r, Ram1w2r, RamBe, Skid2};

/// Widths under test: small, so that collisions and wrap-around are frequent; 33 bits are above rust-hdl's short form.
pub type Ram = Ram1w1r<33, 3>;
pub type Ram2 = Ram1w2r<5, 3>;
pub type RamBytes = RamBe<32, 4, 2>;
pub type Skid = Skid2<8>;
pub type ShortFifo = Fifo<8, 1, 2>;
pub type LongFifo = Fifo<12, 4, 5>;

/// Cycles of reset at the start.
const RESET: usize = 4;
/// Cycles after which offered load and back pressure are drawn anew.
const PHASE: usize = 48;

/// Inputs of a memory in one cycle; each block takes what it has.
#[derive(Clone, Copy, Debug, Default)]
pub struct RamRow {
    pub write: Option<(usize, u64)>,
    pub bytes: u64,
    pub read: [Option<usize>; 2],
}

/// Inputs of a stream buffer in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamRow {
    pub reset: bool,
    pub in_valid: bool,
    pub in_data: u64,
    pub out_ready: bool,
}

pub struct Stimulus {
    random: Pcg64,
    /// Chances in eighths that an entry is offered and that one is taken.
    offered: u64,
    taken: u64,
}

impl Stimulus {
    pub fn new(seed: u64) -> Self {
        Self { random: Pcg64::seed_from_u64(seed), offered: 0, taken: 0 }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random.next_u64() % n
    }

    /// A value of `bits` bits; all zeros and all ones are frequent.
    fn value(&mut self, bits: u32) -> u64 {
        let any = match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            _ => self.random.next_u64(),
        };
        any & ((1 << bits) - 1)
    }

    pub fn ram(&mut self, address_bits: u32, bits: u32, bytes: u32) -> RamRow {
        let written = self.value(address_bits) as usize;
        let read = [0, 1].map(|_| {
            let same = self.below(3) == 0;
            let address = if same { written } else { self.value(address_bits) as usize };
            (self.below(4) != 0).then_some(address)
        });
        let write = (self.below(2) == 0).then_some((written, self.value(bits)));
        RamRow { write, bytes: self.value(bytes), read }
    }

    pub fn stream(&mut self, k: usize, bits: u32) -> StreamRow {
        if k.is_multiple_of(PHASE) {
            // From a standstill to full load on each side: empty, full and streaming buffers all occur.
            (self.offered, self.taken) = (2 * self.below(5), 2 * self.below(5));
        }
        StreamRow {
            reset: k < RESET || self.below(400) == 0,
            in_valid: self.below(8) < self.offered,
            in_data: self.value(bits),
            out_ready: self.below(8) < self.taken,
        }
    }
}

macro_rules! write_port {
    ($ram:expr, $row:expr) => {
        let (address, word) = $row.write.unwrap_or((5, 21));
        $ram.wr_en.next = $row.write.is_some();
        $ram.wr_addr.next = (address as u64 & (1 << AW) - 1).into();
        $ram.wr_data.next = word.into();
    };
}

/// Unused address and data pins carry something else than zero, which must not matter.
pub fn drive_ram(ram: &mut Ram, row: &RamRow) {
    const AW: u64 = 3;
    write_port!(ram, row);
    ram.rd_en.next = row.read[0].is_some();
    ram.rd_addr.next = (row.read[0].unwrap_or(6) as u64).into();
}

pub fn drive_ram2(ram: &mut Ram2, row: &RamRow) {
    const AW: u64 = 3;
    write_port!(ram, row);
    ram.rd0_en.next = row.read[0].is_some();
    ram.rd0_addr.next = (row.read[0].unwrap_or(6) as u64).into();
    ram.rd1_en.next = row.read[1].is_some();
    ram.rd1_addr.next = (row.read[1].unwrap_or(2) as u64).into();
}

pub fn drive_ram_be(ram: &mut RamBytes, row: &RamRow) {
    const AW: u64 = 2;
    write_port!(ram, row);
    ram.wr_be.next = row.bytes.into();
    ram.rd_en.next = row.read[0].is_some();
    ram.rd_addr.next = (row.read[0].unwrap_or(3) as u64).into();
}

macro_rules! drive_stream {
    ($name:ident, $block:ty) => {
        pub fn $name(block: &mut $block, row: &StreamRow) {
            block.reset.next = row.reset;
            block.in_valid.next = row.in_valid;
            block.in_data.next = row.in_data.into();
            block.out_ready.next = row.out_ready;
        }
    };
}

drive_stream!(drive_skid, Skid);
drive_stream!(drive_short_fifo, ShortFifo);
drive_stream!(drive_long_fifo, LongFifo);
