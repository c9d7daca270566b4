//! Streamed VCD capture of packed rows.

use crate::scope::{Scope, TOP};
use std::io::{self, Write};
use types::bits::{BitReader, words_for};
use vcd::{IdCode, ReferenceIndex, TimescaleUnit, Value, VarType};

/// A capture that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file could not be written.
    #[error("cannot write the wave file: {0}")]
    Io(#[from] io::Error),
    /// Time did not move forward.
    #[error("a cycle at {now} ps was captured after one at {before} ps")]
    Time {
        /// Time of the cycle before, ps.
        before: u64,
        /// Time given, ps.
        now: u64,
    },
    /// The first cycle ended before every scope was sampled, so that some signals would have no value.
    #[error("scope {0} was not sampled in the first cycle")]
    Unsampled(usize),
    /// There is no such scope, or the row is shorter than its port table.
    #[error("scope {scope} does not take a row of {words} words")]
    Row {
        /// Scope given.
        scope: usize,
        /// Length of the row in 64-bit words.
        words: usize,
    },
}

struct Signal {
    width: u32,
    id: IdCode,
}

struct Sampled {
    signals: Vec<Signal>,
    last: Vec<u64>,
    known: bool,
}

/// Writes sampled rows as a VCD: time in ps, one module a block under [`TOP`], changes only, no unknown values.
///
/// Cycle k spans one clock period from its [`Capture::tick`]: `clock` rises at its start and falls in its middle, and the
/// values sampled for it stand for the whole period. The edge that ends the period is the one that takes them. Cycles
/// that are left out (an idle stretch, say) leave the clock low and every value as it was.
pub struct Capture<W: Write> {
    vcd: vcd::Writer<W>,
    scopes: Vec<Sampled>,
    clock: IdCode,
    cycle: IdCode,
    half_period_ps: u64,
    now: Option<u64>,
}

impl<W: Write> std::fmt::Debug for Capture<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture").field("scopes", &self.scopes.len()).field("now", &self.now).finish_non_exhaustive()
    }
}

impl<W: Write> Capture<W> {
    /// Starts a capture of `scopes` at `clock_mhz`; `comment` (seed, version, configuration hash) goes into the header.
    ///
    /// Give a buffered writer: a cycle is many small writes.
    pub fn new(writer: W, scopes: &[Scope], clock_mhz: u32, comment: &str) -> Result<Self, CaptureError> {
        let mut vcd = vcd::Writer::new(writer);
        vcd.comment(comment)?;
        vcd.timescale(1, TimescaleUnit::PS)?;
        vcd.add_module(TOP)?;
        let clock = vcd.add_wire(1, "clock")?;
        let cycle = add_wire(&mut vcd, 64, "cycle")?;
        let mut sampled = Vec::with_capacity(scopes.len());
        let mut open = "";
        for scope in scopes {
            if scope.block != open {
                if !open.is_empty() {
                    vcd.upscope()?;
                }
                if !scope.block.is_empty() {
                    vcd.add_module(&scope.block)?;
                }
                open = &scope.block;
            }
            let mut signals = Vec::with_capacity(scope.fields.len());
            for field in &scope.fields {
                signals.push(Signal { width: field.width, id: add_wire(&mut vcd, field.width, &field.name)? });
            }
            let bits = signals.iter().map(|s| s.width as usize).sum();
            sampled.push(Sampled { signals, last: vec![0; words_for(bits)], known: false });
        }
        if !open.is_empty() {
            vcd.upscope()?;
        }
        vcd.upscope()?;
        vcd.enddefinitions()?;
        let half_period_ps = 500_000 / u64::from(clock_mhz.max(1));
        Ok(Self { vcd, scopes: sampled, clock, cycle, half_period_ps, now: None })
    }

    /// Starts cycle number `cycle`, `time_ps` after power-on.
    pub fn tick(&mut self, cycle: u64, time_ps: u64) -> Result<(), CaptureError> {
        if let Some(before) = self.now {
            if time_ps < before + 2 * self.half_period_ps {
                return Err(CaptureError::Time { before, now: time_ps });
            }
            self.end_cycle(before)?;
        }
        self.vcd.timestamp(time_ps)?;
        self.vcd.change_scalar(self.clock, Value::V1)?;
        change_vector(&mut self.vcd, self.cycle, 64, &mut BitReader::new(&[cycle]))?;
        self.now = Some(time_ps);
        Ok(())
    }

    /// The row of scope number `scope` in the present cycle.
    pub fn sample(&mut self, scope: usize, row: &[u64]) -> Result<(), CaptureError> {
        let bad = CaptureError::Row { scope, words: row.len() };
        let Some(sampled) = self.scopes.get_mut(scope) else { return Err(bad) };
        let words = sampled.last.len();
        let Some(row) = row.get(..words) else { return Err(bad) };
        if sampled.known && *row == *sampled.last {
            return Ok(());
        }
        let (mut old, mut new) = (BitReader::new(&sampled.last), BitReader::new(row));
        let mut start = 0;
        for signal in &sampled.signals {
            let differs = differs(&mut old, &mut new, signal.width);
            if differs || !sampled.known {
                let mut at = reader_at(row, start);
                if signal.width == 1 {
                    self.vcd.change_scalar(signal.id, at.get(1) != 0)?;
                } else {
                    change_vector(&mut self.vcd, signal.id, signal.width, &mut at)?;
                }
            }
            start += signal.width as usize;
        }
        sampled.known = true;
        sampled.last.copy_from_slice(row);
        Ok(())
    }

    /// Ends the last cycle and hands the writer back, flushed.
    pub fn finish(mut self) -> Result<(), CaptureError> {
        if let Some(now) = self.now {
            self.end_cycle(now)?;
            self.vcd.timestamp(now + 2 * self.half_period_ps)?;
        }
        Ok(self.vcd.flush()?)
    }

    fn end_cycle(&mut self, start: u64) -> Result<(), CaptureError> {
        if let Some(i) = self.scopes.iter().position(|s| !s.known) {
            return Err(CaptureError::Unsampled(i));
        }
        self.vcd.timestamp(start + self.half_period_ps)?;
        Ok(self.vcd.change_scalar(self.clock, Value::V0)?)
    }
}

fn add_wire<W: Write>(vcd: &mut vcd::Writer<W>, width: u32, name: &str) -> io::Result<IdCode> {
    let range = (width > 1).then(|| ReferenceIndex::Range(width as i32 - 1, 0));
    vcd.add_var(VarType::Wire, width, name, range)
}

/// A reader over `row` that stands at bit `start`.
fn reader_at(row: &[u64], start: usize) -> BitReader<'_> {
    let mut reader = BitReader::new(&row[start / 64..]);
    reader.get((start % 64) as u32);
    reader
}

/// Whether the next `width` bits differ; moves both readers past them.
fn differs(old: &mut BitReader<'_>, new: &mut BitReader<'_>, width: u32) -> bool {
    let mut left = width;
    let mut differs = false;
    while left > 0 {
        let take = left.min(64);
        differs |= old.get(take) != new.get(take);
        left -= take;
    }
    differs
}

/// Writes a vector's new value, most significant bit first, without its leading zeros (the VCD format extends it).
fn change_vector<W: Write>(
    vcd: &mut vcd::Writer<W>,
    id: IdCode,
    width: u32,
    from: &mut BitReader<'_>,
) -> io::Result<()> {
    // The widest signal is a 512-bit beat; anything wider takes the slow path of a vector on the heap.
    let mut fixed = [0u64; 8];
    let mut heap = Vec::new();
    let words: &mut [u64] = if width <= 512 {
        &mut fixed
    } else {
        heap.resize(words_for(width as usize), 0);
        &mut heap
    };
    let (mut left, mut top) = (width, 0);
    for (i, word) in words.iter_mut().enumerate() {
        let take = left.min(64);
        *word = from.get(take);
        left -= take;
        if *word != 0 {
            top = 64 * i as u32 + 63 - word.leading_zeros();
        }
    }
    let bit = |i: u32| Value::from(words[i as usize / 64] >> (i % 64) & 1 != 0);
    vcd.change_vector(id, (0..=top).rev().map(bit))
}
