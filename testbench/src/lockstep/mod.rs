//! Lockstep: two views of a block agree on every output at every clock edge.
//!
//! A *row* is one cycle: packed inputs and the outputs sampled before the edge. Reset is held in rows 0–3. Stimulus sees
//! the outputs of the row before, so that it can keep the rules of a stream. A [`Recording`] made with one view is
//! compared with another view here, or replayed on the exported Verilog by [`verilator`] and [`icarus`].

pub mod icarus;
pub mod recording;
pub mod verilator;

pub use recording::Recording;

use types::ports::{Block, Direction, Dut, Field, Ports};
use types::{UnitCfg, bits};

/// Rows in which reset is held at the start of every run.
pub const RESET_ROWS: u64 = 4;

/// Drives a block: writes the packed inputs of a row, given the outputs of the row before.
pub trait Stimulus {
    /// The inputs of row `row`; `reset` is set by the caller.
    fn drive(&mut self, row: u64, outputs: &[u64], inputs: &mut [u64]);
}

impl<F: FnMut(u64, &[u64], &mut [u64])> Stimulus for F {
    fn drive(&mut self, row: u64, outputs: &[u64], inputs: &mut [u64]) {
        self(row, outputs, inputs);
    }
}

/// The leaf signals of a block and the size of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Input signals in order.
    pub inputs: Vec<Field>,
    /// Output signals in order.
    pub outputs: Vec<Field>,
}

impl Interface {
    /// The interface of a block.
    pub fn of<B: Block>(cfg: &UnitCfg) -> Self {
        debug_assert_eq!((B::In::DIRECTION, B::Out::DIRECTION), (Direction::In, Direction::Out));
        Self { inputs: B::In::fields(cfg), outputs: B::Out::fields(cfg) }
    }

    /// 64-bit words of a packed row of inputs.
    pub fn input_words(&self) -> usize {
        words(&self.inputs)
    }

    /// 64-bit words of a packed row of outputs.
    pub fn output_words(&self) -> usize {
        words(&self.outputs)
    }
}

fn words(fields: &[Field]) -> usize {
    bits::words_for(fields.iter().map(|f| f.width as usize).sum())
}

/// Where two views part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("segment {segment}, row {row}: {signal} is {seen}, expected {expected}")]
pub struct Mismatch {
    /// Run from reset, counted from 0.
    pub segment: u64,
    /// Row of the run.
    pub row: u64,
    /// Output signal.
    pub signal: String,
    /// Value expected, hexadecimal.
    pub expected: String,
    /// Value seen, hexadecimal.
    pub seen: String,
}

/// Bits `position .. position + width` of a packed row, as hexadecimal digits.
fn hex(row: &[u64], position: usize, width: usize) -> String {
    let digit = |i: usize| {
        let at = position + 4 * i;
        let n = (width - 4 * i).min(4);
        (0..n).fold(0u32, |d, b| d | ((row[(at + b) / 64] >> ((at + b) % 64) & 1) as u32) << b)
    };
    let digits: String = (0..width.div_ceil(4)).rev().map(|i| char::from_digit(digit(i), 16).unwrap_or('?')).collect();
    format!("{width}'h{digits}")
}

/// The first output signal in which two rows differ.
pub fn difference(fields: &[Field], segment: u64, row: u64, expected: &[u64], seen: &[u64]) -> Option<Mismatch> {
    if expected == seen {
        return None;
    }
    let mut position = 0;
    for field in fields {
        let width = field.width as usize;
        let (expected, seen) = (hex(expected, position, width), hex(seen, position, width));
        if expected != seen {
            return Some(Mismatch { segment, row, signal: field.name.clone(), expected, seen });
        }
        position += width;
    }
    None
}

/// Runs `dut` against `reference` for `rows` rows; the stimulus follows the reference's outputs.
pub fn compare(
    interface: &Interface,
    reference: &mut dyn Dut,
    dut: &mut dyn Dut,
    stimulus: &mut dyn Stimulus,
    rows: u64,
) -> Result<(), Mismatch> {
    let mut inputs = vec![0; interface.input_words()];
    let (mut expected, mut seen) = (vec![0; interface.output_words()], vec![0; interface.output_words()]);
    for row in 0..rows {
        drive(stimulus, row, &expected, &mut inputs);
        reference.cycle(&inputs, &mut expected);
        dut.cycle(&inputs, &mut seen);
        // Registers without an initial value may differ until reset has been seen.
        if row >= RESET_ROWS
            && let Some(mismatch) = difference(&interface.outputs, 0, row, &expected, &seen)
        {
            return Err(mismatch);
        }
    }
    Ok(())
}

/// Writes the inputs of a row: the stimulus, under reset in the first rows.
fn drive(stimulus: &mut dyn Stimulus, row: u64, outputs: &[u64], inputs: &mut [u64]) {
    inputs.fill(0);
    stimulus.drive(row, outputs, inputs);
    // `reset` is the first input: bit 0.
    inputs[0] |= u64::from(row < RESET_ROWS);
}
