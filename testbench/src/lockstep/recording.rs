//! A recording: rows of packed inputs and outputs, in memory or as a stream of bytes.
//!
//! Stream format, little-endian 64-bit words: one record a run of equal rows — repeat count (≥ 1), input words, output
//! words. A repeat count of 0 starts a new segment: the next row is row 0 of a run from reset.

use super::{Interface, Stimulus, drive};
use std::io::{self, Write};
use types::ports::Dut;

/// Recorded rows of one or more segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    words: Vec<u64>,
    row_words: usize,
    input_words: usize,
}

/// A row of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Packed inputs.
    pub inputs: &'a [u64],
    /// Packed outputs, sampled before the edge.
    pub outputs: &'a [u64],
}

impl Recording {
    /// Records `rows` rows of `dut` from reset, one segment.
    pub fn of(interface: &Interface, dut: &mut dyn Dut, stimulus: &mut dyn Stimulus, rows: u64) -> Self {
        let input_words = interface.input_words();
        let row_words = input_words + interface.output_words();
        let mut words = vec![0; row_words * rows as usize];
        let mut outputs = vec![0; interface.output_words()];
        for (row, out) in words.chunks_exact_mut(row_words).enumerate() {
            let (inputs, recorded) = out.split_at_mut(input_words);
            drive(stimulus, row as u64, &outputs, inputs);
            dut.cycle(inputs, &mut outputs);
            recorded.copy_from_slice(&outputs);
        }
        Self { words, row_words, input_words }
    }

    /// Rows recorded.
    pub fn len(&self) -> usize {
        self.words.len() / self.row_words.max(1)
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The rows in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.words.chunks_exact(self.row_words.max(1)).map(|row| {
            let (inputs, outputs) = row.split_at(self.input_words);
            Row { inputs, outputs }
        })
    }

    /// Streams the recording as one segment, runs of equal rows as one record.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let put = |to: &mut dyn Write, word: u64| to.write_all(&word.to_le_bytes());
        put(to, 0)?;
        let mut rows = self.words.chunks_exact(self.row_words.max(1)).peekable();
        while let Some(row) = rows.next() {
            let mut repeat = 1;
            while rows.next_if_eq(&row).is_some() {
                repeat += 1;
            }
            put(to, repeat)?;
            row.iter().try_for_each(|word| put(to, *word))?;
        }
        Ok(())
    }
}
