//! Stepping a rust-hdl block without threads: set inputs, sample, clock edge.

use rust_hdl::prelude::{Atom, AtomKind, Block, Clock, In, Probe, Signal, check_all, simulate};
use thiserror::Error;

/// Passes of `update_all` after which a block that still changes is taken for a loop.
const MAX_PASSES: usize = 100;

/// Why a simulation cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SimError {
    /// `check_all` of rust-hdl found an open signal, a loop or a driven input.
    #[error("rust-hdl's check fails: {0}")]
    Check(String),
    /// Signals still change after 100 passes: a combinational loop.
    #[error("the block does not settle in cycle {0}")]
    NotSettled(u64),
}

/// Connects and checks a block; needed once before it is simulated or exported.
///
/// # Errors
/// [`SimError::Check`] if a signal is open, in a loop, or driven twice.
pub fn connect<B: Block>(block: &mut B) -> Result<(), SimError> {
    block.connect_all();
    check_all(block).map_err(|e| SimError::Check(format!("{e:?}")))
}

/// A block under a clock.
pub struct Sim<B> {
    block: Box<B>,
    clock: fn(&mut B) -> &mut Signal<In, Clock>,
    cycle: u64,
}

impl<B: Block> Sim<B> {
    /// Connects and checks `block`; `clock` names its clock: `Sim::new(block, |b| &mut b.clock)`.
    ///
    /// # Errors
    /// [`SimError::Check`] if the block is not connected as it must be.
    pub fn new(mut block: Box<B>, clock: fn(&mut B) -> &mut Signal<In, Clock>) -> Result<Self, SimError> {
        connect(block.as_mut())?;
        Ok(Self { block, clock, cycle: 0 })
    }

    /// One cycle: `drive` sets the inputs' `next`, `sample` sees the settled outputs before the rising edge (row k of a
    /// recording is what both saw in cycle k), then the edge.
    ///
    /// # Errors
    /// [`SimError::NotSettled`] if the block has a combinational loop.
    pub fn cycle<T>(&mut self, drive: impl FnOnce(&mut B), sample: impl FnOnce(&B) -> T) -> Result<T, SimError> {
        drive(&mut self.block);
        self.level(false)?;
        let out = sample(&self.block);
        self.level(true)?;
        self.cycle += 1;
        Ok(out)
    }

    fn level(&mut self, clk: bool) -> Result<(), SimError> {
        (self.clock)(&mut self.block).next = Clock { clk };
        match simulate(self.block.as_mut(), MAX_PASSES) {
            true => Ok(()),
            false => Err(SimError::NotSettled(self.cycle)),
        }
    }

    /// The block, for reading internal signals.
    pub fn block(&self) -> &B {
        &self.block
    }

    /// Cycles run so far.
    pub fn cycles(&self) -> u64 {
        self.cycle
    }
}

/// Runs `work` on a thread with `bytes` of stack: the tree of a large block overflows the default stack.
///
/// # Errors
/// The operating system's error if the thread cannot be started.
pub fn with_stack<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> std::io::Result<T> {
    let thread = std::thread::Builder::new().stack_size(bytes).spawn(work)?;
    // A panic of `work` goes on in the caller.
    thread.join().or_else(|panic| std::panic::resume_unwind(panic))
}

/// A port of the top block with its present value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortValue {
    /// Verilog name.
    pub name: String,
    /// Bits.
    pub width: usize,
    /// Whether it is an input.
    pub input: bool,
    /// Value in hexadecimal digits without leading zeros.
    pub hex: String,
}

/// The ports of a block with their present values, in order, clocks left out.
pub fn ports<B: Block>(block: &B) -> Vec<PortValue> {
    let mut reader = Reader::default();
    block.accept("top", &mut reader);
    reader.ports
}

#[derive(Default)]
struct Reader {
    depth: usize,
    namespaces: Vec<String>,
    ports: Vec<PortValue>,
}

impl Probe for Reader {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(name.into());
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let input = atom.kind() == AtomKind::InputParameter;
        let pin = input || atom.kind() == AtomKind::OutputParameter;
        if self.depth != 1 || !pin || atom.descriptor().name == "clock" {
            return;
        }
        let path: Vec<&str> = self.namespaces.iter().map(String::as_str).chain([name]).collect();
        let text = format!("{:x}", atom.verilog());
        let hex = text.split_once("'h").map_or("0", |(_, digits)| digits);
        self.ports.push(PortValue {
            name: path.join("_").replace('$', "_"),
            width: atom.bits(),
            input,
            hex: hex.into(),
        });
    }
}
