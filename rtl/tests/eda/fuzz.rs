//! Random expressions: the printed Verilog against rust-hdl's own `Bits` arithmetic, on all values of three 4-bit inputs.
//!
//! An expression is built as a tree of its own, which is turned into rust-hdl's syntax tree as `#[hdl_gen]` would write
//! it, and evaluated with `Bits<N>` as `update` would compute it.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rtl::rust_hdl::core::ast::{VerilogExpression as Ast, VerilogOp as Op, VerilogOpUnary as Unary, VerilogStatement};
use rtl::rust_hdl::prelude::*;

use crate::bench::{Recording, dut};
use crate::tools;

const OUTPUTS: usize = 24;
const DEPTH: usize = 4;
/// Widest value; outputs have this width.
const MAX: usize = 9;

/// A bit position: a constant, or the low two bits of `c`.
#[derive(Clone, Copy)]
enum At {
    Fixed(usize),
    Computed,
}

/// An expression; its width is known to its parent. A truth value has width 0 here.
enum Tree {
    Input(usize),
    /// `bits::<w>(n)` if true, else a bare number.
    Number(u64, bool),
    Cast(Box<Tree>, usize),
    Binary(Box<Tree>, Op, Box<Tree>),
    Shift(Box<Tree>, Op, Box<Tree>, usize),
    Not(Box<Tree>),
    Slice(Box<Tree>, usize, At),
    Replace(Box<Tree>, At, Box<Tree>),
    Compare(Box<Tree>, Op, Box<Tree>, usize),
    Reduce(Box<Tree>, Unary, usize),
    Bit(Box<Tree>, usize, At),
}

/// Draws trees.
struct Draw(Pcg64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }
    fn width(&mut self) -> usize {
        1 + self.below(MAX)
    }
    fn position(&mut self, width: usize) -> At {
        if width >= 4 && self.below(2) == 0 { At::Computed } else { At::Fixed(self.below(width)) }
    }
    fn number(&mut self, width: usize) -> u64 {
        self.0.next_u64() % (1 << width)
    }
    fn pick(&mut self, ops: &[Op]) -> Op {
        ops[self.below(ops.len())].clone()
    }

    fn value(&mut self, w: usize, depth: usize) -> Box<Tree> {
        if depth == 0 {
            return Box::new(match self.below(10) {
                0 => Tree::Number(self.number(w), true),
                _ if w == 4 => Tree::Input(self.below(3)),
                _ => Tree::Cast(Box::new(Tree::Input(self.below(3))), 4),
            });
        }
        let arithmetic = [Op::Add, Op::Sub, Op::BitAnd, Op::BitOr, Op::BitXor];
        Box::new(match self.below(9) {
            0..3 => Tree::Binary(self.value(w, depth - 1), self.pick(&arithmetic), self.value(w, depth - 1)),
            3 => {
                let number = Box::new(Tree::Number(self.number(w), false));
                Tree::Binary(self.value(w, depth - 1), self.pick(&arithmetic), number)
            }
            4 => {
                let amount = 2 + self.below(3);
                let op = self.pick(&[Op::Shl, Op::Shr]);
                Tree::Shift(self.value(w, depth - 1), op, self.value(amount, depth - 1), amount)
            }
            5 => Tree::Not(self.value(w, depth - 1)),
            6 => {
                let from = self.width();
                Tree::Cast(self.value(from, depth - 1), from)
            }
            7 => {
                let from = self.width();
                Tree::Slice(self.value(from, depth - 1), from, self.position(from))
            }
            _ => Tree::Replace(self.value(w, depth - 1), self.position(w), self.truth(depth - 1)),
        })
    }

    fn truth(&mut self, depth: usize) -> Box<Tree> {
        let w = self.width();
        Box::new(match if depth == 0 { 4 } else { self.below(8) } {
            0..3 => {
                let op = self.pick(&[Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                let number = self.below(4) == 0;
                let right =
                    if number { Box::new(Tree::Number(self.number(w), false)) } else { self.value(w, depth - 1) };
                Tree::Compare(self.value(w, depth - 1), op, right, w)
            }
            3 => {
                let op = [Unary::All, Unary::Any, Unary::Xor][self.below(3)].clone();
                Tree::Reduce(self.value(w, depth - 1), op, w)
            }
            4 => Tree::Bit(self.value(w, depth.saturating_sub(1)), w, self.position(w)),
            5 | 6 => {
                let op = self.pick(&[Op::LogicalAnd, Op::LogicalOr, Op::BitAnd, Op::BitOr, Op::BitXor]);
                Tree::Binary(self.truth(depth - 1), op, self.truth(depth - 1))
            }
            _ => Tree::Not(self.truth(depth - 1)),
        })
    }
}

// ---- as rust-hdl's syntax tree --------------------------------------------------------------------------------------

fn position(at: At) -> Box<Ast> {
    Box::new(match at {
        At::Fixed(i) => Ast::Literal((i as i32).into()),
        At::Computed => Ast::Cast(Box::new(Ast::Signal("c".into())), 2),
    })
}

impl Tree {
    /// The tree at width `w`, parenthesised as the source would be.
    fn ast(&self, w: usize) -> Box<Ast> {
        let binary = |a: Box<Ast>, op: &Op, b: Box<Ast>| Ast::Paren(Box::new(Ast::Binary(a, op.clone(), b)));
        Box::new(match self {
            Self::Input(i) => Ast::Signal(["a", "b", "c"][*i].into()),
            Self::Number(n, true) => Ast::Cast(Box::new(Ast::Literal((*n as i32).into())), w),
            Self::Number(n, false) => Ast::Literal((*n as i32).into()),
            Self::Cast(inner, from) => Ast::Cast(inner.ast(*from), w),
            Self::Binary(a, op, b) => binary(a.ast(w), op, b.ast(w)),
            Self::Shift(a, op, b, from) => binary(a.ast(w), op, b.ast(*from)),
            Self::Not(a) => Ast::Unary(Unary::Not, a.ast(w)),
            Self::Slice(a, from, at) => Ast::Slice(a.ast(*from), w, position(*at)),
            Self::Replace(a, at, bit) => Ast::IndexReplace(a.ast(w), position(*at), bit.ast(0)),
            Self::Compare(a, op, b, from) => binary(a.ast(*from), op, b.ast(*from)),
            Self::Reduce(a, op, from) => Ast::Unary(op.clone(), a.ast(*from)),
            Self::Bit(a, from, at) => Ast::Index(a.ast(*from), position(*at)),
        })
    }
}

// ---- as rust-hdl computes -------------------------------------------------------------------------------------------

/// Evaluates an expression with the const generic `$n` equal to `$w`.
macro_rules! at_width {
    ($w:expr, $n:ident => $e:expr) => {
        at_width!($w, $n => $e, 1, 2, 3, 4, 5, 6, 7, 8, 9)
    };
    ($w:expr, $n:ident => $e:expr, $($k:literal),*) => {
        match $w {
            $($k => { const $n: usize = $k; $e })*
            w => unreachable!("width {w}"),
        }
    };
}

impl Tree {
    fn eval(&self, w: usize, inputs: [u64; 3]) -> u64 {
        let at = |at: At| match at {
            At::Fixed(i) => i,
            At::Computed => bit_cast::<2, 4>(bits::<4>(inputs[2])).index(),
        };
        match self {
            Self::Input(i) => inputs[*i],
            Self::Number(n, _) => *n,
            Self::Cast(inner, from) => {
                let x = inner.eval(*from, inputs);
                at_width!(*from, N => at_width!(w, M => bit_cast::<M, N>(bits(x)).into()))
            }
            Self::Binary(a, op, b) if w == 0 => {
                let (a, b) = (a.eval(0, inputs) == 1, b.eval(0, inputs) == 1);
                u64::from(match op {
                    Op::LogicalAnd => a && b,
                    Op::LogicalOr => a || b,
                    Op::BitAnd => a & b,
                    Op::BitOr => a | b,
                    _ => a ^ b,
                })
            }
            Self::Binary(a, op, b) => {
                let (a, b) = (a.eval(w, inputs), b.eval(w, inputs));
                at_width!(w, N => {
                    let (a, b) = (bits::<N>(a), bits::<N>(b));
                    match op {
                        Op::Add => a + b,
                        Op::Sub => a - b,
                        Op::BitAnd => a & b,
                        Op::BitOr => a | b,
                        _ => a ^ b,
                    }.into()
                })
            }
            Self::Shift(a, op, b, from) => {
                let (a, b) = (a.eval(w, inputs), b.eval(*from, inputs));
                at_width!(w, N => if matches!(op, Op::Shl) { bits::<N>(a) << b } else { bits::<N>(a) >> b }.into())
            }
            Self::Not(a) if w == 0 => 1 - a.eval(0, inputs),
            Self::Not(a) => {
                let a = a.eval(w, inputs);
                at_width!(w, N => (!bits::<N>(a)).into())
            }
            Self::Slice(a, from, i) => {
                let (a, i) = (a.eval(*from, inputs), at(*i));
                at_width!(*from, N => at_width!(w, M => bits::<N>(a).get_bits::<M>(i).into()))
            }
            Self::Replace(a, i, bit) => {
                let (a, bit) = (a.eval(w, inputs), bit.eval(0, inputs) == 1);
                at_width!(w, N => bits::<N>(a).replace_bit(at(*i), bit).into())
            }
            Self::Compare(a, op, b, from) => {
                let (a, b) = (a.eval(*from, inputs), b.eval(*from, inputs));
                u64::from(at_width!(*from, N => {
                    let (a, b) = (bits::<N>(a), bits::<N>(b));
                    match op {
                        Op::Eq => a == b,
                        Op::Ne => a != b,
                        Op::Lt => a < b,
                        Op::Le => a <= b,
                        Op::Gt => a > b,
                        _ => a >= b,
                    }
                }))
            }
            Self::Reduce(a, op, from) => {
                let a = a.eval(*from, inputs);
                u64::from(at_width!(*from, N => match op {
                    Unary::All => bits::<N>(a).all(),
                    Unary::Any => bits::<N>(a).any(),
                    _ => bits::<N>(a).xor(),
                }))
            }
            Self::Bit(a, from, i) => {
                let a = a.eval(*from, inputs);
                u64::from(at_width!(*from, N => bits::<N>(a).get_bit(at(*i))))
            }
        }
    }
}

// ---- as a block -----------------------------------------------------------------------------------------------------

/// A block whose `update` and syntax tree are given by expressions: of values and of truth values.
struct Fuzz {
    inputs: [Signal<In, Bits<4>>; 3],
    values: Vec<(Signal<Out, Bits<MAX>>, Box<Tree>)>,
    truths: Vec<(Signal<Out, Bit>, Box<Tree>)>,
}

impl Fuzz {
    fn new(seed: u64) -> Self {
        let mut draw = Draw(Pcg64::seed_from_u64(seed));
        Self {
            inputs: Default::default(),
            // A cast at the root brings every width to the output's.
            values: (0..OUTPUTS)
                .map(|_| {
                    let from = draw.width();
                    (Signal::default(), Box::new(Tree::Cast(draw.value(from, DEPTH), from)))
                })
                .collect(),
            truths: (0..OUTPUTS).map(|_| (Signal::default(), draw.truth(DEPTH))).collect(),
        }
    }
}

impl Logic for Fuzz {
    fn update(&mut self) {
        let inputs = [0, 1, 2].map(|i: usize| self.inputs[i].val().into());
        for (signal, tree) in &mut self.values {
            signal.next = tree.eval(MAX, inputs).into();
        }
        for (signal, tree) in &mut self.truths {
            signal.next = tree.eval(0, inputs) == 1;
        }
    }
    fn connect(&mut self) {
        self.values.iter_mut().for_each(|(signal, _)| signal.connect());
        self.truths.iter_mut().for_each(|(signal, _)| signal.connect());
    }
    fn hdl(&self) -> Verilog {
        let set = |name: String, value: Box<Ast>| VerilogStatement::Assignment(Ast::Signal(name), *value);
        let values = self.values.iter().enumerate().map(|(i, (_, t))| set(format!("value[{i}]$next"), t.ast(MAX)));
        let truths = self.truths.iter().enumerate().map(|(i, (_, t))| set(format!("truth[{i}]$next"), t.ast(0)));
        Verilog::Combinatorial(values.chain(truths).collect())
    }
}

impl Block for Fuzz {
    fn connect_all(&mut self) {
        self.connect();
    }
    fn update_all(&mut self) {
        self.update();
        self.inputs.update_all();
        self.values.iter_mut().for_each(|(signal, _)| signal.update_all());
        self.truths.iter_mut().for_each(|(signal, _)| signal.update_all());
    }
    fn has_changed(&self) -> bool {
        let outputs = self.values.iter().any(|o| o.0.has_changed()) || self.truths.iter().any(|o| o.0.has_changed());
        self.inputs.has_changed() || outputs
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.inputs.iter().zip(["a", "b", "c"]).for_each(|(signal, name)| signal.accept(name, probe));
        self.values.iter().enumerate().for_each(|(i, o)| o.0.accept(&format!("value${i}"), probe));
        self.truths.iter().enumerate().for_each(|(i, o)| o.0.accept(&format!("truth${i}"), probe));
        probe.visit_end_scope(name, self);
    }
}

fn fuzz(seed: u64) {
    let mut block = Box::new(Fuzz::new(seed));
    let recording = Recording::combinational(block.as_mut(), 1 << 12, |block, k| {
        for (i, input) in block.inputs.iter_mut().enumerate() {
            input.next = (k as u64 >> (4 * i) & 15).into();
        }
    });
    let files = dut(block.as_ref());
    // Random comparisons are often constant; of widths the lint must have nothing to say.
    tools::lint_but(&files, "dut", &["-Wno-CMPCONST", "-Wno-UNSIGNED"]);
    assert_eq!(recording.replay(&files), [], "seed {seed}\n{}", files[0].text);
}

#[test]
fn random_expressions_1() {
    (1..=10).for_each(fuzz);
}

#[test]
fn random_expressions_2() {
    (11..=20).for_each(fuzz);
}
