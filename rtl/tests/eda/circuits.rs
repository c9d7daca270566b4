//! One small circuit for each way in which rust-hdl's own Verilog can differ from its simulation, compared on all inputs.

use rtl::export::{BlockInfo, Info, VerilogFile};
use rtl::rust_hdl::prelude::*;
use rtl::sim::Sim;

use crate::bench::{Recording, agrees, dut};
use crate::tools;

type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type L<const N: usize> = Signal<Local, Bits<N>>;
type B = Signal<Out, Bit>;

/// A circuit over three 4-bit inputs.
macro_rules! circuit {
    ($name:ident, { $($field:ident : $type:ty),* $(,)? }, $($update:tt)*) => {
        #[derive(LogicBlock, Default)]
        struct $name { pub a: I<4>, pub b: I<4>, pub c: I<4>, $(pub $field: $type),* }
        impl Logic for $name { $($update)* }
    };
}

/// Exports a circuit and compares it with its simulation on all 4096 inputs.
macro_rules! all_inputs {
    ($name:ident) => {{
        let (mut block, recording) = record!($name);
        agrees(&dut(block.as_mut()), &recording);
    }};
}

macro_rules! record {
    ($name:ident) => {{
        let mut block = Box::<$name>::default();
        let recording = Recording::combinational(block.as_mut(), 1 << 12, |block, k| {
            let k = k as u64;
            block.a.next = (k & 15).into();
            block.b.next = (k >> 4 & 15).into();
            block.c.next = (k >> 8).into();
        });
        (block, recording)
    }};
}

circuit!(Carry, { inc: B, dec: B, less: B, half: O<4>, halved: B, chain: B, max: O<4> }, #[hdl_gen] fn update(&mut self) {
    self.inc.next = (self.a.val() + 1) == self.b.val();
    self.dec.next = self.a.val() - 1 > self.b.val();
    self.less.next = (self.a.val() - self.b.val()) < self.c.val();
    self.half.next = (self.a.val() + self.b.val()) >> bits::<4>(1);
    self.halved.next = ((self.a.val() + self.b.val()) >> bits::<4>(1)) == bits::<4>(0);
    self.chain.next = ((self.a.val() + self.b.val() + self.c.val()) >> 1) == 7;
    self.max.next = self.a.val();
    if self.b.val() + 1 > self.max.val() { self.max.next = self.b.val() + 1; }
});

#[test]
fn arithmetic_wraps_before_it_is_compared() {
    all_inputs!(Carry);
}

circuit!(Precedence, { mask_eq: B, mix: B, sum_and: O<4>, shift_sum: O<4>, truth: B }, #[hdl_gen] fn update(&mut self) {
    self.mask_eq.next = self.a.val() & self.b.val() == self.c.val();
    self.mix.next = self.a.val() | self.b.val() ^ self.c.val() != 5;
    self.sum_and.next = self.a.val() & self.b.val() + self.c.val();
    self.shift_sum.next = self.a.val() << self.b.val() & self.c.val();
    self.truth.next = (self.a.val() == self.b.val()) || (self.b.val() != self.c.val()) && (self.c.val() == 9);
});

#[test]
fn operators_bind_as_in_rust() {
    all_inputs!(Precedence);
}

#[test]
fn a_planted_wrong_precedence_is_caught() {
    let (mut block, recording) = record!(Precedence);
    let mut files = dut(block.as_mut());
    let right = "assign mask_eq = (a & b) == c;";
    assert!(files[0].text.contains(right), "{}", files[0].text);
    files[0].text = files[0].text.replace(right, "assign mask_eq = |(a & b == c);");
    // `==` binds tighter in Verilog: a & (b == c) is true for odd a with b = c (8 * 16 inputs), while (a & b) == c is
    // true for 16 * 16 pairs (a, b) with one c each. Both are true iff b = c, a odd and a & b = b: 3^3 * 2 = 54 (bit 0
    // has a = 1 and b free, each other bit 3 of 4). They differ on 128 + 256 - 2 * 54 = 276.
    assert_eq!(recording.replay(&files), [("mask_eq".to_string(), 276)]);
}

circuit!(Casts, { sum5: O<5>, not8: O<8>, cut: O<2>, there_and_back: O<8>, nest: O<6>, inv_eq: B, some: B, every: B, parity: B },
#[hdl_gen] fn update(&mut self) {
    self.sum5.next = bit_cast::<5, 4>(self.a.val() + self.b.val());
    self.not8.next = bit_cast::<8, 4>(!self.a.val());
    self.cut.next = bit_cast::<2, 4>(self.a.val() + self.b.val());
    self.there_and_back.next = bit_cast::<8, 2>(bit_cast::<2, 4>(self.a.val() - self.b.val()));
    self.nest.next = bit_cast::<6, 5>(bit_cast::<5, 4>(self.a.val() + self.b.val()) + bit_cast::<5, 4>(!self.c.val()));
    self.inv_eq.next = bit_cast::<5, 4>(!self.a.val()) == bit_cast::<5, 4>(self.b.val());
    self.some.next = bit_cast::<5, 4>(self.a.val() + self.b.val()).any();
    self.every.next = (self.a.val() + self.b.val()).all();
    self.parity.next = (self.a.val() + self.b.val()).xor();
});

#[test]
fn casts_cut_and_widen_after_the_operand_has_wrapped() {
    all_inputs!(Casts);
}

/// A `Constant` has no `Default` of its own.
#[derive(LogicBlock)]
struct Literals {
    pub a: I<4>,
    pub b: I<4>,
    pub c: I<4>,
    pub sized: O<4>,
    pub wrapped: B,
    pub constant: B,
    three: Constant<Bits<4>>,
}
impl Default for Literals {
    fn default() -> Self {
        let (a, b, c) = Default::default();
        let (sized, wrapped, constant) = Default::default();
        Self { a, b, c, sized, wrapped, constant, three: Constant::new(3u64.into()) }
    }
}
impl Logic for Literals {
    #[hdl_gen]
    fn update(&mut self) {
        self.sized.next = bits::<4>(11) - self.a.val();
        self.wrapped.next = (self.a.val() + bits::<4>(3)) < self.b.val();
        self.constant.next = (self.a.val() + self.three.val()) < self.c.val();
    }
}

#[test]
fn literals_and_constants_have_the_width_of_their_place() {
    all_inputs!(Literals);
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Entry {
    frame: Bits<5>,
    rights: Bits<2>,
    present: Bit,
}

circuit!(Slices, { past: O<4>, wide: O<6>, twice: O<2>, sum: O<2>, at: O<2>, sum_at: O<3>, one_of: B, bit_sum: B,
    put: O<4>, put_sum: O<4>, clear: O<4>, joined: Signal<Out, Entry>, entry: Signal<Local, Entry>, field: O<2>, one: B },
#[hdl_gen] fn update(&mut self) {
    self.past.next = self.a.val().get_bits::<4>(2);
    self.wide.next = self.a.val().get_bits::<6>(0);
    self.twice.next = self.a.val().get_bits::<3>(1).get_bits::<2>(1);
    self.sum.next = (self.a.val() + self.b.val()).get_bits::<2>(1);
    self.at.next = self.a.val().get_bits::<2>(bit_cast::<2, 4>(self.c.val()).index());
    self.sum_at.next = (self.a.val() + self.b.val()).get_bits::<3>(bit_cast::<2, 4>(self.c.val()).index());
    self.one_of.next = self.a.val().get_bit(self.c.val().get_bits::<2>(1).index());
    self.bit_sum.next = (self.a.val() + self.b.val()).get_bit(3);
    self.put.next = self.a.val().replace_bit(2, self.b.val().get_bit(0));
    self.put_sum.next = (self.a.val() + self.b.val()).replace_bit(self.c.val().get_bits::<2>(0).index(), self.b.val() > self.a.val());
    self.clear.next = self.a.val().replace_bit(bit_cast::<2, 4>(self.c.val() + 1).index(), false).replace_bit(0, true);
    self.entry.next.frame = bit_cast::<5, 4>(self.a.val()) + bit_cast::<5, 4>(self.b.val());
    self.entry.next.rights = self.c.val().get_bits::<2>(2);
    self.entry.next.present = self.c.val().get_bit(0);
    self.joined.next = self.entry.val();
    self.field.next = bit_cast::<2, 5>(self.entry.val().frame);
    self.one.next = self.entry.val().frame.get_bit(4) & self.entry.val().present;
});

#[test]
fn slices_of_slices_and_fields_of_structs() {
    all_inputs!(Slices);
}

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Mode {
    Direct,
    Ats,
    Emtt,
}

circuit!(Matches, { hex: O<4>, truth: O<2>, mode: Signal<Local, Mode>, named: O<2>, is_ats: B, temp: O<4> },
#[hdl_gen] fn update(&mut self) {
    match self.a.val().index() {
        0 => { self.hex.next = 3.into(); }
        0x0a => { self.hex.next = self.b.val(); }
        0b11_00 => { self.hex.next = self.b.val() + 1; }
        7usize => { self.hex.next = !self.c.val(); }
        _ => { self.hex.next = self.a.val() - self.b.val(); }
    }
    match self.b.val() > self.c.val() {
        true => { self.truth.next = 1.into(); }
        false => { self.truth.next = 2.into(); }
    }
    self.mode.next = Mode::Direct;
    if self.a.val() > 9 { self.mode.next = Mode::Emtt; } else if self.b.val() > 9 { self.mode.next = Mode::Ats; }
    self.named.next = 0.into();
    match self.mode.val() {
        Mode::Direct => { self.named.next = 3.into(); }
        Mode::Ats => { if self.c.val().get_bit(1) { self.named.next = 1.into(); } }
        Mode::Emtt => { self.named.next = 2.into(); }
    }
    self.is_ats.next = self.mode.val() == Mode::Ats;
    self.temp.next = self.a.val() + self.b.val();
    if (self.temp.val() + self.c.val()).get_bit(3) {
        self.temp.next = bit_cast::<4, 2>((self.temp.val() + 1).get_bits::<2>(1));
    } else if (self.temp.val() - self.c.val()).get_bits::<2>(1) == 2 {
        if bit_cast::<3, 4>(self.temp.val() - 1) < bit_cast::<3, 4>(self.b.val()) { self.temp.next = self.temp.val() + 5; }
        self.temp.next = self.temp.val().replace_bit(bit_cast::<2, 4>(self.temp.val() + 1).index(), (self.temp.val() + 3).xor());
    }
});

#[test]
fn match_arms_enums_and_values_in_between() {
    all_inputs!(Matches);
}

circuit!(Wide, { x: L<33>, y: L<64>, z: L<120>, carry: B, high: O<4>, cut: O<32>, eq: B, most: O<120>, top: B, w32: O<32>, moved: O<64> },
#[hdl_gen] fn update(&mut self) {
    self.x.next = (bit_cast::<33, 4>(self.a.val()) << 29) + bit_cast::<33, 4>(self.b.val());
    self.y.next = (bit_cast::<64, 33>(self.x.val()) << self.c.val()) - 0xdead_beef_0123_4567_u64;
    self.z.next = (bit_cast::<120, 64>(self.y.val()) << 56) | bit_cast::<120, 4>(!self.a.val());
    self.carry.next = (self.x.val() + 0x1_ffff_fff8_u64).get_bit(32);
    self.high.next = self.y.val().get_bits::<4>(60);
    self.cut.next = bit_cast::<32, 33>(self.x.val() - 1);
    self.eq.next = bit_cast::<32, 64>(self.y.val() >> 4) == bit_cast::<32, 120>(self.z.val() >> 60);
    self.most.next = (self.z.val() + 1).replace_bit(119, self.b.val().any());
    self.top.next = self.z.val().get_bits::<2>(118) == bit_cast::<2, 4>(self.c.val());
    self.w32.next = (bit_cast::<32, 4>(self.a.val()) << 28) + (bit_cast::<32, 4>(self.b.val()) << 28);
    self.moved.next = self.y.val() >> bit_cast::<7, 4>(self.c.val()) + 58;
});

#[test]
fn widths_around_and_above_32_bits() {
    all_inputs!(Wide);
}

// ---- clocks, arrays, interfaces, hierarchy ------------------------------------------------------------------------

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "CmdOut"]
pub struct CmdIn {
    pub go: Signal<In, Bit>,
    pub arg: I<4>,
    pub busy: Signal<Out, Bit>,
}
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "CmdIn"]
pub struct CmdOut {
    pub go: Signal<Out, Bit>,
    pub arg: O<4>,
    pub busy: Signal<In, Bit>,
}

#[derive(LogicBlock, Default)]
pub struct Counter<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub step: I<N>,
    pub count: O<N>,
    value: DFF<Bits<N>>,
    info: Info<Self>,
}
impl<const N: usize> BlockInfo for Counter<N> {
    const NAME: &'static str = "counter";
    const SUMMARY: &'static str = "free-running sum";
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("N", N)]
    }
}
impl<const N: usize> Logic for Counter<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, value);
        self.value.d.next = self.value.q.val() + self.step.val();
        self.count.next = self.value.q.val();
    }
}

#[derive(LogicBlock, Default)]
pub struct Control {
    pub clock: Signal<In, Clock>,
    pub cmd: CmdIn,
    pub entry: Signal<Out, Entry>,
    state: DFF<Mode>,
    held: DFF<Entry>,
}
impl Logic for Control {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, held);
        self.cmd.busy.next = self.state.q.val() != Mode::Direct;
        match self.state.q.val() {
            Mode::Direct => {
                if self.cmd.go.val() {
                    self.state.d.next = Mode::Ats;
                }
            }
            Mode::Ats => {
                self.held.d.next.frame = bit_cast::<5, 4>(self.cmd.arg.val() + 1);
                self.held.d.next.present = self.cmd.arg.val().get_bit(0);
                self.state.d.next = Mode::Emtt;
            }
            Mode::Emtt => {
                self.held.d.next.rights = bit_cast::<2, 5>(self.held.q.val().frame);
                if self.held.q.val().present | (self.cmd.arg.val() == 0) {
                    self.state.d.next = Mode::Direct;
                }
            }
        }
        self.entry.next = self.held.q.val();
    }
}

#[derive(LogicBlock, Default)]
pub struct Driver {
    pub go: Signal<In, Bit>,
    pub arg: I<4>,
    pub busy: Signal<Out, Bit>,
    pub cmd: CmdOut,
}
impl Logic for Driver {
    #[hdl_gen]
    fn update(&mut self) {
        self.cmd.go.next = self.go.val() & !self.cmd.busy.val();
        self.cmd.arg.next = self.arg.val();
        self.busy.next = self.cmd.busy.val();
    }
}

#[derive(LogicBlock, Default)]
pub struct System {
    pub clock: Signal<In, Clock>,
    pub go: Signal<In, Bit>,
    pub arg: I<4>,
    pub busy: Signal<Out, Bit>,
    pub entry: Signal<Out, Entry>,
    pub sum: O<5>,
    pub wide: O<7>,
    pub late: O<5>,
    driver: Driver,
    control: Control,
    count: [Counter<5>; 3],
    big: Counter<7>,
    acc: [L<5>; 4],
    last: DFF<Bits<5>>,
}
impl Logic for System {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, control, big, last);
        self.driver.go.next = self.go.val();
        self.driver.arg.next = self.arg.val();
        CmdOut::join(&mut self.driver.cmd, &mut self.control.cmd);
        self.busy.next = self.driver.busy.val();
        self.entry.next = self.control.entry.val();
        self.acc[0].next = 0.into();
        for i in 0..3 {
            self.count[i].clock.next = self.clock.val();
            self.count[i].step.next = bit_cast::<5, 4>(self.arg.val()) + bits::<5>(1);
            if i == 1 {
                self.count[i].step.next = 7.into();
            }
            self.acc[i + 1].next = self.acc[i].val() + self.count[i].count.val();
        }
        self.sum.next = self.acc[3].val();
        self.big.step.next = bit_cast::<7, 5>(self.acc[2].val());
        self.wide.next = self.big.count.val();
        self.last.d.next = self.acc[3].val();
        self.late.next = self.last.q.val();
    }
}

/// Random commands; the generator is a plain counter scrambled by a multiplication, for a test needs no more.
fn drive(block: &mut System, k: usize) {
    let random = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    block.go.next = random & 3 == 0;
    block.arg.next = (random >> 2 & 15).into();
}

#[test]
fn state_arrays_interfaces_and_hierarchy() {
    let mut sim = Sim::new(Box::<System>::default(), |b| &mut b.clock).expect("connects");
    let before = dut(sim.block());
    let names: Vec<&str> = before.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["t_driver.v", "t_control.v", "t_counter_n5.v", "t_counter_n7.v", "dut.v"]);
    let recording = Recording::clocked(&mut sim, 20_000, drive);
    assert_eq!(dut(sim.block()), before, "a simulation leaves no trace in the text");
    agrees(&before, &recording);
}

#[test]
fn a_planted_wrong_register_is_caught() {
    let mut sim = Sim::new(Box::<System>::default(), |b| &mut b.clock).expect("connects");
    let mut files = dut(sim.block());
    let recording = Recording::clocked(&mut sim, 1_000, drive);
    let top = files.last_mut().expect("has a top");
    let wrong = top.text.replace("last_q <= last_d;", "last_q <= last_d + 5'h1;");
    assert_ne!(wrong, top.text);
    top.text = wrong;
    // Wrong in every row but the first, which shows the initial value.
    assert_eq!(recording.replay(&files), [("late".to_string(), 999)]);
}

#[test]
fn a_planted_latch_is_caught_by_the_inspection() {
    let (mut block, _) = record!(Carry);
    let mut files = dut(block.as_mut());
    let wrong = files[0].text.replace("    max = a;\n", "");
    assert_ne!(wrong, files[0].text);
    files[0].text = wrong;
    let complaint = |check: fn(&[VerilogFile], &str)| {
        let panic = std::panic::catch_unwind(|| check(&files, "dut")).expect_err("the latch was not seen");
        panic.downcast_ref::<String>().expect("has a message").clone()
    };
    assert!(complaint(tools::lint).contains("LATCH"));
    assert!(complaint(tools::synthesizable).contains("dlatch"));
}
