//! Block RAM with one write and two read ports.

use rust_hdl::prelude::*;

use super::Ram1w1r;
use super::ram_1w1r::parameters;
use crate::export::{BlockInfo, Info};

/// Block RAM of 2^`A` words of `W` bits with one write and two read ports: two copies of [`Ram1w1r`] that are written
/// together. Each read port behaves as that of [`Ram1w1r`], `DISJOINT` included.
#[derive(LogicBlock, Default)]
pub struct Ram1w2r<const W: usize, const A: usize, const DISJOINT: bool = false> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Write this cycle.
    pub wr_en: Signal<In, Bit>,
    /// Word to write.
    pub wr_addr: Signal<In, Bits<A>>,
    /// Value to write.
    pub wr_data: Signal<In, Bits<W>>,
    /// Read this cycle, first port.
    pub rd0_en: Signal<In, Bit>,
    /// Word to read, first port.
    pub rd0_addr: Signal<In, Bits<A>>,
    /// The word read last, first port.
    pub rd0_data: Signal<Out, Bits<W>>,
    /// Read this cycle, second port.
    pub rd1_en: Signal<In, Bit>,
    /// Word to read, second port.
    pub rd1_addr: Signal<In, Bits<A>>,
    /// The word read last, second port.
    pub rd1_data: Signal<Out, Bits<W>>,
    copy0: Ram1w1r<W, A, DISJOINT>,
    copy1: Ram1w1r<W, A, DISJOINT>,
    info: Info<Self>,
}

impl<const W: usize, const A: usize, const DISJOINT: bool> BlockInfo for Ram1w2r<W, A, DISJOINT> {
    const NAME: &'static str = "ram_1w2r";
    const SUMMARY: &'static str = "block RAM, one write and two read ports, old value on a collision";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("wr_en", "Write port"),
        ("rd0_en", "First read port; the data come after the edge and stay until the next read"),
        ("rd1_en", "Second read port, likewise"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        parameters(W, A, DISJOINT)
    }
}

impl<const W: usize, const A: usize, const DISJOINT: bool> Logic for Ram1w2r<W, A, DISJOINT> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, copy0, copy1);
        self.copy0.wr_en.next = self.wr_en.val();
        self.copy0.wr_addr.next = self.wr_addr.val();
        self.copy0.wr_data.next = self.wr_data.val();
        self.copy0.rd_en.next = self.rd0_en.val();
        self.copy0.rd_addr.next = self.rd0_addr.val();
        self.rd0_data.next = self.copy0.rd_data.val();
        self.copy1.wr_en.next = self.wr_en.val();
        self.copy1.wr_addr.next = self.wr_addr.val();
        self.copy1.wr_data.next = self.wr_data.val();
        self.copy1.rd_en.next = self.rd1_en.val();
        self.copy1.rd_addr.next = self.rd1_addr.val();
        self.rd1_data.next = self.copy1.rd_data.val();
    }
}
