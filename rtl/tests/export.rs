//! What the exporter refuses, and how its text reads. No tool is needed here; `eda` compares the text with the simulation.
#![allow(missing_docs, unreachable_pub, reason = "circuits of a test")]

use rtl::comment;
use rtl::export::{BlockInfo, ExportError, ExportOptions, Info, Refusal, VerilogFile, export};
use rtl::rust_hdl;
use rust_hdl::prelude::*;

type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type L<const N: usize> = Signal<Local, Bits<N>>;

/// A circuit from its fields and its `update`; the attribute is passed in, for macro hygiene would hide `self` from it.
macro_rules! circuit {
    ($name:ident, { $($field:ident : $type:ty),* $(,)? }, $($update:tt)*) => {
        #[derive(LogicBlock, Default)]
        struct $name { $(pub $field: $type),* }
        impl Logic for $name { $($update)* }
    };
}

fn options() -> ExportOptions {
    ExportOptions { module: "dut".into(), version: "test".into(), ..Default::default() }
}

fn try_export<B: Block + Default>() -> Result<Vec<VerilogFile>, ExportError> {
    let mut block = Box::<B>::default();
    block.connect_all();
    export(block.as_ref(), &options())
}

fn refusal<B: Block + Default>() -> Refusal {
    try_export::<B>().expect_err("must be refused").refusal
}

circuit!(Latch, { a: I<4>, o: O<4> }, #[hdl_gen] fn update(&mut self) {
    if self.a.val() == 3 { self.o.next = self.a.val(); }
});
circuit!(HalfLatch, { a: I<4>, t: DFF<Pair>, clock: Signal<In, Clock>, o: Signal<Out, Pair> }, #[hdl_gen] fn update(&mut self) {
    clock!(self, clock, t);
    self.t.d.next.low = bit_cast::<2, 4>(self.a.val());
    self.o.next = self.t.q.val();
});
circuit!(CaseLatch, { a: I<2>, o: O<2> }, #[hdl_gen] fn update(&mut self) {
    match self.a.val().index() {
        0 => { self.o.next = 1.into(); }
        1 => { self.o.next = 2.into(); }
        _ => {}
    }
});

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Pair {
    low: Bits<2>,
    high: Bits<2>,
}

#[test]
fn latches_are_refused() {
    assert_eq!(refusal::<Latch>(), Refusal::Latch("o".into()));
    assert_eq!(refusal::<HalfLatch>(), Refusal::Latch("t.d".into()));
    assert_eq!(refusal::<CaseLatch>(), Refusal::Latch("o".into()));
}

// `(i + 1).index()` wraps and `i.index() + 1` does not, with one syntax tree.
circuit!(IndexMath, { a: I<8>, i: I<3>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val().get_bit((self.i.val() + 1).index());
});
circuit!(UsizeMath, { a: I<8>, i: I<2>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val().get_bit(self.i.val().index() + 1);
});
circuit!(BitNine, { a: I<8>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val().get_bit(8);
});

#[test]
fn computed_and_impossible_bit_positions_are_refused() {
    assert_eq!(refusal::<IndexMath>(), Refusal::IndexArithmetic("(i + 1)".into()));
    assert_eq!(refusal::<UsizeMath>(), Refusal::IndexArithmetic("(i + 1)".into()));
    assert_eq!(refusal::<BitNine>(), Refusal::IndexRange { index: 8, width: 8 });
}

circuit!(SignedPort, { a: Signal<In, Signed<4>>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val() < self.a.val();
});
circuit!(SignedCast, { a: I<4>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = signed_bit_cast::<8, 4>(signed_cast(self.a.val())) < signed_cast(bits::<8>(1));
});
circuit!(Multiply, { a: I<16>, o: O<32> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val() * self.a.val();
});
circuit!(BareShift, { a: I<4>, o: O<64> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = 1 << self.a.val();
});
circuit!(BigLiteral, { a: I<4>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val() == 16;
});

#[test]
fn what_has_no_certain_width_is_refused() {
    assert_eq!(refusal::<SignedPort>(), Refusal::Signed("a".into()));
    assert!(matches!(refusal::<SignedCast>(), Refusal::Signed(_)));
    assert_eq!(refusal::<Multiply>(), Refusal::Operator("*"));
    assert!(matches!(refusal::<BareShift>(), Refusal::Unsized { .. }));
    assert_eq!(refusal::<BigLiteral>(), Refusal::Literal { literal: "16".into(), width: 4 });
}

const LIMIT: u64 = 5;
circuit!(ConstName, { a: I<4>, o: Signal<Out, Bit> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val() == LIMIT;
});

#[derive(LogicBlock, Default)]
struct Generic<const LIMIT_OF: u64> {
    pub a: I<4>,
    pub o: Signal<Out, Bit>,
}
impl<const LIMIT_OF: u64> Logic for Generic<LIMIT_OF> {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() == LIMIT_OF;
    }
}

#[test]
fn constants_without_a_field_are_refused() {
    assert_eq!(refusal::<ConstName>(), Refusal::UnknownName("LIMIT".into()));
    assert_eq!(refusal::<Generic<3>>(), Refusal::UnknownName("LIMIT_OF".into()));
}

circuit!(Table, { table: I<4>, o: O<4> }, #[hdl_gen] fn update(&mut self) { self.o.next = self.table.val(); });
circuit!(Template, { template: I<4>, o: O<4> }, #[hdl_gen] fn update(&mut self) { self.o.next = self.template.val(); });
circuit!(Collide, { clock: Signal<In, Clock>, a: I<4>, r: DFF<Bits<4>>, r_q: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.r.clock.next = self.clock.val();
    self.r.d.next = self.a.val();
    self.r_q.next = self.r.q.val();
});
circuit!(InstanceName, { a: I<4>, small: Pass, o: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.small.a.next = self.a.val();
    self.o.next = self.small.o.val();
});
circuit!(Pass, { a: I<4>, o: O<4> }, #[hdl_gen] fn update(&mut self) { self.o.next = self.a.val(); });

#[test]
fn names_that_verilog_or_cpp_cannot_have_are_refused() {
    assert_eq!(refusal::<Table>(), Refusal::ReservedWord("table".into()));
    assert_eq!(refusal::<Template>(), Refusal::ReservedWord("template".into()));
    assert_eq!(refusal::<InstanceName>(), Refusal::ReservedWord("small".into()));
    let mut block = Pass::default();
    block.connect_all();
    let err = export(&block, &ExportOptions { module: "large".into(), ..options() }).expect_err("reserved");
    assert_eq!(err.to_string(), "module `large`: `large` is a reserved word of Verilog, SystemVerilog or C++");
}

#[test]
fn names_that_become_one_are_refused() {
    let (first, second) = ("r_q".to_string(), "r.q".to_string());
    assert_eq!(refusal::<Collide>(), Refusal::Collision { first, second, name: "r_q".into() });
}

circuit!(Gated, { clock: Signal<In, Clock>, en: Signal<In, Bit>, o: O<4>, r: DFF<Bits<4>> }, #[hdl_gen] fn update(&mut self) {
    self.r.d.next = 1.into();
    self.o.next = self.r.q.val();
    if self.en.val() { self.r.clock.next = self.clock.val(); }
});

#[test]
fn gated_clocks_are_refused() {
    assert_eq!(refusal::<Gated>(), Refusal::Clock("r.clock".into()));
}

circuit!(OwnInput, { a: I<4>, o: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.a.next = 1.into();
    self.o.next = self.a.val();
});
circuit!(ChildOutput, { a: I<4>, p: Pass, o: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.p.a.next = self.a.val();
    self.p.o.next = self.a.val();
    self.o.next = self.p.o.val();
});
circuit!(Early, { a: I<4>, t: L<4>, o: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.t.val();
    self.t.next = self.a.val();
});
// Array elements escape rust-hdl's own loop check.
circuit!(EarlyArray, { a: I<4>, t: [L<4>; 2], o: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.t[1].val();
    for i in 0..2 { self.t[i].next = self.a.val(); }
});
circuit!(Loop, { a: I<4>, t: [L<4>; 2], o: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val();
    if self.a.val() == 1 { self.o.next = self.t[0].val(); self.t[0].next = self.a.val(); } else { self.t[0].next = 0.into(); }
    self.t[1].next = 0.into();
});
circuit!(ChildInput, { clock: Signal<In, Clock>, a: I<4>, r: DFF<Bits<4>>, o: O<4> }, #[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, r);
    if self.a.val() == 1 { self.r.d.next = self.a.val(); }
    self.o.next = self.r.d.val();
    if self.a.val() == 2 { self.r.d.next = 0.into(); }
});
circuit!(NoReads, { a: I<4>, o: O<4>, p: O<4>, k: HoldFour }, #[hdl_gen] fn update(&mut self) {
    self.o.next = self.a.val();
    self.p.next = 0.into();
    if self.k.v.val() == 4 { self.p.next = 1.into(); }
});

/// A constant field; `Constant` has no `Default`, so it stands in an interface-like holder.
#[derive(Clone, Debug)]
pub struct HoldFour {
    pub v: Constant<Bits<4>>,
}
impl Default for HoldFour {
    fn default() -> Self {
        Self { v: Constant::new(4u64.into()) }
    }
}
impl Logic for HoldFour {
    fn update(&mut self) {}
}
impl Block for HoldFour {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_namespace(name, self);
        self.v.accept("v", probe);
        probe.visit_end_namespace(name, self);
    }
}

#[test]
fn wrong_drivers_and_orders_are_refused() {
    assert!(matches!(refusal::<OwnInput>(), Refusal::Check(_)));
    assert_eq!(refusal::<ChildOutput>(), Refusal::AssignedInput("p.o".into()));
    assert!(matches!(refusal::<Early>(), Refusal::Check(_)));
    assert_eq!(refusal::<EarlyArray>(), Refusal::ReadBeforeWrite("t.1".into()));
    assert_eq!(refusal::<Loop>(), Refusal::ReadBeforeWrite("t.0".into()));
    assert_eq!(refusal::<ChildInput>(), Refusal::ChildInputRead("r.d".into()));
    assert_eq!(refusal::<NoReads>(), Refusal::ReadsNothing("p".into()));
}

#[derive(LogicBlock, Default)]
struct Custom {
    pub a: I<4>,
    pub o: O<4>,
}
impl Logic for Custom {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.o.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("assign o = a;".into())
    }
}
#[derive(LogicBlock, Default)]
struct NoHdl {
    pub a: I<4>,
    pub o: O<4>,
}
impl Logic for NoHdl {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.o.connect();
    }
}

#[test]
fn hand_written_and_missing_hardware_is_refused() {
    assert_eq!(refusal::<Custom>(), Refusal::CustomVerilog);
    assert_eq!(refusal::<NoHdl>(), Refusal::NoHdl);
    let ram = refusal::<RAM<Bits<8>, 4>>();
    assert_eq!(ram, Refusal::CustomVerilog, "rust-hdl's own RAM bakes its contents in");
    assert_eq!(refusal::<Signal<In, Bit>>(), Refusal::NotABlock);
}

/// A counter that stops at a limit.
#[derive(LogicBlock)]
struct Saturate<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub step_valid: Signal<In, Bit>,
    pub step_by: I<N>,
    pub count: O<N>,
    sum: L<N>,
    limit: Constant<Bits<N>>,
    value: DFF<Bits<N>>,
    info: Info<Self>,
}
impl<const N: usize> Default for Saturate<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            step_valid: Default::default(),
            step_by: Default::default(),
            count: Default::default(),
            sum: Default::default(),
            limit: Constant::new(200u64.into()),
            value: Default::default(),
            info: Default::default(),
        }
    }
}
impl<const N: usize> BlockInfo for Saturate<N> {
    const NAME: &'static str = "saturate";
    const SUMMARY: &'static str = "counter that stops at a limit";
    const GROUPS: &'static [(&'static str, &'static str)] =
        &[("step_valid", "Steps, ignored while valid is low"), ("count", "Value of the last edge")];
    const FORMAL: Option<&'static str> = Some("always @* assert (count <= 200);\n");
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("N", N)]
    }
}
impl<const N: usize> Logic for Saturate<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, value);
        comment!("Wraps; the limit is far from the end.");
        self.sum.next = self.value.q.val() + self.step_by.val();
        comment!(
            "A comment longer than what the compiler prints in one line is carried as well, for it counts as one."
        );
        self.count.next = self.value.q.val();
        if self.reset.val() {
            self.value.d.next = 0.into();
        } else if self.step_valid.val() {
            if self.sum.val() < self.limit.val() {
                self.value.d.next = self.sum.val();
            } else {
                self.value.d.next = self.limit.val();
            }
        }
    }
}

/// The text a reader gets: written down from the rules of the module documentation.
const SATURATE: &str = "\
// dut: counter that stops at a limit
//
// test, configuration tiny
// Parameters: N = 8, LIMIT = 200
// Printed from the rust-hdl block of the same name; change that, not this file.

`default_nettype none

module dut (
  input  wire       clock,
  input  wire       reset,

  // Steps, ignored while valid is low
  input  wire       step_valid,
  input  wire [7:0] step_by,

  // Value of the last edge
  output wire [7:0] count
);

  // Constants
  localparam [7:0] limit = 8'hc8;

  // Signals
  wire [7:0] sum;

  // Registers
  reg [7:0] value_q = 8'h0;
  reg [7:0] value_d;

  always @* begin
    value_d = value_q;
    if (reset) begin
      value_d = 8'h0;
    end else if (step_valid) begin
      if (sum < limit) begin
        value_d = sum;
      end else begin
        value_d = limit;
      end
    end
  end

  // Wraps; the limit is far from the end.
  assign sum = value_q + step_by;
  // A comment longer than what the compiler prints in one line is carried as well, for it counts as one.
  assign count = value_q;

  always @(posedge clock) begin
    value_q <= value_d;
  end

`ifdef FORMAL
  localparam N = 8;
`include \"formal/saturate.sv\"
`endif
endmodule

`default_nettype wire
";

#[test]
fn the_text_reads_as_written_by_hand() {
    let mut block = Saturate::<8>::default();
    block.connect_all();
    let options =
        ExportOptions { config: "tiny".into(), parameters: vec![("LIMIT".into(), "200".into())], ..options() };
    let files = export(&block, &options).expect("exports");
    assert_eq!(files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["dut.v", "formal/saturate.sv"]);
    assert_eq!(files[0].text, SATURATE);
    assert_eq!(files[1].text, "always @* assert (count <= 200);\n");
}

#[derive(LogicBlock, Default)]
struct Bank {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub step: I<8>,
    pub wide: I<12>,
    pub sum: O<8>,
    pub top: O<12>,
    cells: [Saturate<8>; 3],
    last: Saturate<12>,
}
impl Logic for Bank {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..3 {
            self.cells[i].clock.next = self.clock.val();
            self.cells[i].reset.next = self.reset.val();
            self.cells[i].step_valid.next = true;
            self.cells[i].step_by.next = self.step.val();
        }
        self.last.clock.next = self.clock.val();
        self.last.reset.next = self.reset.val();
        self.last.step_valid.next = true;
        self.last.step_by.next = self.wide.val();
        self.sum.next = self.cells[0].count.val() + self.cells[1].count.val() + self.cells[2].count.val();
        self.top.next = self.last.count.val();
    }
}

#[test]
fn modules_are_named_by_configuration_and_printed_once() {
    let mut block = Box::<Bank>::default();
    block.connect_all();
    let files = export(block.as_ref(), &ExportOptions { prefix: "p_".into(), ..options() }).expect("exports");
    let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["p_saturate_n8.v", "p_saturate_n12.v", "dut.v", "formal/saturate.sv"]);
    for instance in ["p_saturate_n8 cells_0 (", "p_saturate_n8 cells_2 (", "p_saturate_n12 last ("] {
        assert!(files[2].text.contains(instance), "{instance} in\n{}", files[2].text);
    }
    assert_eq!(export(block.as_ref(), &options()).expect("exports").len(), 4, "the same again");
}

/// A syntax tree that Rust's types would not let `update` have.
#[derive(LogicBlock, Default)]
struct Mismatch {
    pub a: I<8>,
    pub o: O<4>,
}
impl Logic for Mismatch {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.o.connect();
    }
    fn hdl(&self) -> Verilog {
        let signal = |name: &str| ast::VerilogExpression::Signal(name.into());
        Verilog::Combinatorial(vec![ast::VerilogStatement::Assignment(signal("o"), signal("a"))])
    }
}

#[test]
fn an_operand_of_another_width_than_its_place_is_refused() {
    assert_eq!(refusal::<Mismatch>(), Refusal::WidthMismatch { found: 8, expected: 4, expression: "a".into() });
}
