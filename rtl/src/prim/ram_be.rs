//! Block RAM with byte enables.

use rust_hdl::prelude::*;

use super::ram_1w1r::{memory, parameters, timing};
use crate::export::{BlockInfo, Info};

/// Block RAM of 2^`A` words of `W` = 8 × `B` bits with one write and one read port, where each byte of a word is written
/// only if its bit of `wr_be` is set. Otherwise as [`super::Ram1w1r`], `DISJOINT`
/// included.
///
/// `W` is a parameter of its own because stable Rust cannot compute it; another value does not compile.
#[derive(LogicBlock)]
pub struct RamBe<const W: usize, const B: usize, const A: usize, const DISJOINT: bool = false> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Write this cycle.
    pub wr_en: Signal<In, Bit>,
    /// Word to write.
    pub wr_addr: Signal<In, Bits<A>>,
    /// Bytes of the word to write; bit 0 enables bits 7:0.
    pub wr_be: Signal<In, Bits<B>>,
    /// Value to write.
    pub wr_data: Signal<In, Bits<W>>,
    /// Read this cycle.
    pub rd_en: Signal<In, Bit>,
    /// Word to read.
    pub rd_addr: Signal<In, Bits<A>>,
    /// The word read last; zero before the first read.
    pub rd_data: Signal<Out, Bits<W>>,
    info: Info<Self>,
    _words: Box<[Bits<W>]>,
}

impl<const W: usize, const B: usize, const A: usize, const DISJOINT: bool> Default for RamBe<W, B, A, DISJOINT> {
    fn default() -> Self {
        const { assert!(W == 8 * B, "W must be 8 * B") }
        Self {
            clock: Default::default(),
            wr_en: Default::default(),
            wr_addr: Default::default(),
            wr_be: Default::default(),
            wr_data: Default::default(),
            rd_en: Default::default(),
            rd_addr: Default::default(),
            rd_data: Default::default(),
            info: Default::default(),
            _words: vec![Bits::default(); 1 << A].into(),
        }
    }
}

impl<const W: usize, const B: usize, const A: usize, const DISJOINT: bool> BlockInfo for RamBe<W, B, A, DISJOINT> {
    const NAME: &'static str = "ram_be";
    const SUMMARY: &'static str = "block RAM with byte enables, old value on a collision";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("wr_en", "Write port; bit 0 of the byte enables belongs to bits 7:0"),
        ("rd_en", "Read port; the data come after the edge and stay until the next read"),
    ];
    const HAND_WRITTEN: bool = true;
    fn parameters() -> Vec<(&'static str, usize)> {
        parameters(W, A, DISJOINT)
    }
}

impl<const W: usize, const B: usize, const A: usize, const DISJOINT: bool> Logic for RamBe<W, B, A, DISJOINT> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.rd_en.val() {
                self.rd_data.next = self._words[self.rd_addr.val().index()];
            }
            if self.wr_en.val() {
                let word = &mut self._words[self.wr_addr.val().index()];
                for byte in (0..B).filter(|&byte| self.wr_be.val().get_bit(byte)) {
                    word.set_bits::<8>(8 * byte, self.wr_data.val().get_bits::<8>(8 * byte));
                }
            }
        }
    }

    fn connect(&mut self) {
        self.rd_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let byte = |i: usize| {
            let (low, high, enable) = (8 * i, 8 * i + 7, if B == 1 { String::new() } else { format!("[{i}]") });
            format!("    if (wr_en & wr_be{enable}) words[wr_addr][{high}:{low}] <= wr_data[{high}:{low}];\n")
        };
        Verilog::Custom(memory(W, A, DISJOINT, &(0..B).map(byte).collect::<String>()))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        timing(&["wr_en", "wr_addr", "wr_be", "wr_data"])
    }
}
