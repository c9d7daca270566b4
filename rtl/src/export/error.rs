//! Why a block cannot be exported.

use thiserror::Error;

/// A block was refused: nothing is printed that could mean something else than the simulation does.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("module `{module}`: {refusal}")]
pub struct ExportError {
    /// Verilog name of the module in which the reason lies.
    pub module: String,
    /// The reason.
    pub refusal: Refusal,
}

/// The reasons to refuse a block. Names are shown as the source writes them (`child.port`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// `check_all` of rust-hdl found an open signal, a loop or a driven input.
    #[error("rust-hdl's own check fails (was connect_all called?): {0}")]
    Check(String),
    /// The top is a signal or an interface.
    #[error("it is not a LogicBlock")]
    NotABlock,
    /// Reserved in Verilog, SystemVerilog or C++.
    #[error("`{0}` is a reserved word of Verilog, SystemVerilog or C++")]
    ReservedWord(String),
    /// Not `[A-Za-z_][A-Za-z0-9_]*`.
    #[error("`{0}` is not a Verilog identifier")]
    NotAnIdentifier(String),
    /// Two names become one when `.` is written as `_`.
    #[error("`{first}` and `{second}` would both be called `{name}`")]
    Collision {
        /// The name that came first.
        first: String,
        /// The name that came second.
        second: String,
        /// Their common Verilog name.
        name: String,
    },
    /// A name in an expression that is no signal: a `const` or const generic reaches the syntax tree as a bare name.
    #[error(
        "`{0}` is not a signal of this block (a const or const generic in an expression is only a name: use a Constant field)"
    )]
    UnknownName(String),
    /// Bidirectional signals.
    #[error("`{0}` is bidirectional (InOut)")]
    InOut(String),
    /// `Signed` arithmetic: the syntax tree loses the width of `signed_bit_cast`.
    #[error("`{0}` is Signed; use Bits")]
    Signed(String),
    /// A signal type other than input, output, local or constant.
    #[error("`{name}` is a signal of kind {kind}")]
    SignalKind {
        /// The signal.
        name: String,
        /// rust-hdl's word for its kind.
        kind: String,
    },
    /// A signal without bits.
    #[error("`{0}` has no bits")]
    ZeroWidth(String),
    /// `Verilog::Custom` outside the memories that declare it.
    #[error("hand-written Verilog is allowed in memories only (BlockInfo::HAND_WRITTEN)")]
    CustomVerilog,
    /// `Verilog::Empty`.
    #[error("it has no hardware description (is #[hdl_gen] missing?)")]
    NoHdl,
    /// `Verilog::Blackbox` or `Verilog::Wrapper`.
    #[error("black boxes and wrappers cannot be exported")]
    BlackBox,
    /// Not assigned on every path.
    #[error("`{0}` is not assigned on every path: a latch (give it a default first)")]
    Latch(String),
    /// Read before it is written: a loop, a latch, or a value of the pass before.
    #[error("`{0}` is read before it is written")]
    ReadBeforeWrite(String),
    /// The input of a sub-block is read between its assignments: the simulation reads its last value there.
    #[error("`{0}` is read by the process that assigns it, where the simulation sees its final value: use a Local")]
    ChildInputRead(String),
    /// A conditional process over constants alone never runs in an event-driven simulator.
    #[error("the process that assigns `{0}` reads no signal: assign one whole constant instead")]
    ReadsNothing(String),
    /// Assignment to an input, a constant or the output of a sub-block.
    #[error("`{0}` is assigned, but it is driven from elsewhere (an input, a constant or a sub-block's output)")]
    AssignedInput(String),
    /// Assignment to something that is no signal.
    #[error("assignment to `{0}`, which is not a signal")]
    Target(String),
    /// Assignment to a part whose position is not a constant.
    #[error("part of `{0}` is assigned at a computed position")]
    ComputedOffset(String),
    /// A clock that is not another clock passed on.
    #[error("clock `{0}` must be driven by another clock, unconditionally and once")]
    Clock(String),
    /// An operand whose width nothing determines.
    #[error("the width of {what} is unknown: {expression}")]
    Unsized {
        /// Role of the expression.
        what: &'static str,
        /// The expression.
        expression: String,
    },
    /// Two widths where one is needed.
    #[error("{found} bits where {expected} are expected: {expression}")]
    WidthMismatch {
        /// Width of the expression.
        found: usize,
        /// Width of its place.
        expected: usize,
        /// The expression.
        expression: String,
    },
    /// A literal that needs more bits than its place has, or is negative.
    #[error("literal {literal} does not fit {width} bits")]
    Literal {
        /// The literal.
        literal: String,
        /// Width of its place.
        width: usize,
    },
    /// Arithmetic in a bit position, where Rust computes in `usize` or in `Bits` and the syntax tree does not say which.
    #[error("arithmetic in a bit position (`{0}`): put it in a Local first")]
    IndexArithmetic(String),
    /// A constant bit position outside the value.
    #[error("bit {index} of a value of {width} bits")]
    IndexRange {
        /// The position.
        index: i128,
        /// Width of the value.
        width: usize,
    },
    /// An array index that is neither a number nor made of loop variables.
    #[error("array index `{0}` cannot be evaluated")]
    ArrayIndex(String),
    /// An operator without an exported meaning: multiplication, negation.
    #[error("operator `{0}` is not supported")]
    Operator(&'static str),
    /// A constant expression outside what is folded.
    #[error("constant expression `{0}` cannot be evaluated")]
    Constant(String),
    /// `_` before the last arm of a `match`.
    #[error("`_` must be the last arm of a match")]
    MatchOrder,
    /// Two enums of one name.
    #[error("two enums are called `{0}` and have different variants")]
    EnumClash(String),
}

/// Result inside the exporter, before the module is known.
pub(crate) type Checked<T> = Result<T, Refusal>;
