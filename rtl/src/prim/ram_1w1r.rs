//! Block RAM with one write and one read port.

use rust_hdl::prelude::*;

use crate::export::{BlockInfo, Info};

/// Block RAM of 2^`A` words of `W` bits with one write and one read port on one clock.
///
/// The read is synchronous: the word at `rd_addr` appears on `rd_data` after the edge at which `rd_en` was high, and
/// stays until the next read. A read of the word that is written at the same edge gives the old value, so whatever must
/// agree with the word (a valid bit) is captured at the edge of the read. `rd_data` is the register at the RAM's output;
/// a second one is the caller's. No reset: contents survive it.
///
/// The old value costs logic where the FPGA does not give it: on ECP5 a register and a multiplexer for each bit (83 FF and
/// 53 LUT4 at 36 bits). `DISJOINT` is the caller's word that no word is used that was read at the edge of its own write;
/// the RAM is then nothing but the block RAM. The simulation gives the old value all the same.
#[derive(LogicBlock)]
pub struct Ram1w1r<const W: usize, const A: usize, const DISJOINT: bool = false> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Write this cycle.
    pub wr_en: Signal<In, Bit>,
    /// Word to write.
    pub wr_addr: Signal<In, Bits<A>>,
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

impl<const W: usize, const A: usize, const DISJOINT: bool> Default for Ram1w1r<W, A, DISJOINT> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            wr_en: Default::default(),
            wr_addr: Default::default(),
            wr_data: Default::default(),
            rd_en: Default::default(),
            rd_addr: Default::default(),
            rd_data: Default::default(),
            info: Default::default(),
            _words: vec![Bits::default(); 1 << A].into(),
        }
    }
}

impl<const W: usize, const A: usize, const DISJOINT: bool> BlockInfo for Ram1w1r<W, A, DISJOINT> {
    const NAME: &'static str = "ram_1w1r";
    const SUMMARY: &'static str = "block RAM, one write and one read port, old value on a collision";
    const GROUPS: &'static [(&'static str, &'static str)] =
        &[("wr_en", "Write port"), ("rd_en", "Read port; the data come after the edge and stay until the next read")];
    const HAND_WRITTEN: bool = true;
    fn parameters() -> Vec<(&'static str, usize)> {
        parameters(W, A, DISJOINT)
    }
}

impl<const W: usize, const A: usize, const DISJOINT: bool> Logic for Ram1w1r<W, A, DISJOINT> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.rd_en.val() {
                self.rd_data.next = self._words[self.rd_addr.val().index()];
            }
            if self.wr_en.val() {
                self._words[self.wr_addr.val().index()] = self.wr_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.rd_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(memory(W, A, DISJOINT, "    if (wr_en) words[wr_addr] <= wr_data;\n"))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        timing(&["wr_en", "wr_addr", "wr_data"])
    }
}

/// Parameters of a memory; `DISJOINT` is named only if it is set.
pub(super) fn parameters(w: usize, a: usize, disjoint: bool) -> Vec<(&'static str, usize)> {
    let mut out = vec![("W", w), ("A", a)];
    out.extend(disjoint.then_some(("DISJOINT", 1)));
    out
}

/// The body of a memory of 2^`a` words of `w` bits, zero at power-on, with `write` in front of the read. Both are
/// non-blocking, so a read at the edge of a write gives the old value. The attribute tells yosys that it need not.
pub(super) fn memory(w: usize, a: usize, disjoint: bool, write: &str) -> String {
    let (high, last) = (w - 1, (1usize << a) - 1);
    let attribute = if disjoint { "(* no_rw_check *) " } else { "" };
    format!(
        "  {attribute}reg [{high}:0] words [0:{last}];
  reg [{high}:0] value = {w}'h0;
  integer i;

  initial begin
    for (i = 0; i <= {last}; i = i + 1) words[i] = {w}'h0;
  end

  always @(posedge clock) begin
{write}    if (rd_en) value <= words[rd_addr];
  end

  assign rd_data = value;
"
    )
}

/// Timing of a memory whose write port has the signals `write`.
pub(super) fn timing(write: &[&str]) -> Vec<TimingInfo> {
    let port = |name: &str, inputs: &[&str], outputs: &[&str]| TimingInfo {
        name: name.into(),
        clock: "clock".into(),
        inputs: inputs.iter().map(|s| s.to_string()).collect(),
        outputs: outputs.iter().map(|s| s.to_string()).collect(),
    };
    vec![port("ram_read", &["rd_en", "rd_addr"], &["rd_data"]), port("ram_write", write, &[])]
}
