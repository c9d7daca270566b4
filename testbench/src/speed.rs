//! The views of a block beside each other: how many rows of one recording each takes in a second.

use crate::lockstep::{Interface, Recording};
use crate::rtl::atc::AtcRtl;
use crate::stimulus::atc::{AtcStimulus, RandomRows};
use cycle::atc::Atc;
use rtl::atc::Medium;
use rtl::sim::{SimError, with_stack};
use std::time::Instant;
use types::{BlockDut, Dut, UnitCfg};

/// A rust-hdl tree is deep.
const STACK: usize = 256 << 20;

/// What is compared: `atc` is the block that the hardware has.
pub const BLOCK: &str = "atc, configuration medium";

/// A recording of `atc`, configuration medium, in memory.
#[derive(Clone, Debug)]
pub struct AtcRows {
    cfg: UnitCfg,
    recording: Recording,
    outputs: usize,
}

/// A block that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SpeedError {
    /// rust-hdl's own check of the block fails.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// No thread could be started.
    #[error("starting a thread for rust-hdl: {0}")]
    Thread(#[from] std::io::Error),
}

/// Rows taken, and the seconds they took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// Rows, which are cycles.
    pub rows: u64,
    /// Host time, s.
    pub seconds: f64,
    /// Rows whose outputs are not those of the recording.
    pub wrong: u64,
}

impl Rows {
    /// Rows a second.
    pub fn rate(&self) -> f64 {
        self.rows as f64 / self.seconds
    }
}

impl AtcRows {
    /// Records `rows` rows of lookups, fills and invalidations. `None` if there is no configuration medium.
    pub fn record(rows: u64) -> Option<Self> {
        let cfg = UnitCfg::named("medium")?;
        let interface = Interface::of::<Atc>(&cfg);
        let mut stimulus = AtcStimulus::new(&cfg, RandomRows::new(&cfg, 1), 1);
        let recording = Recording::of(&interface, &mut BlockDut::<Atc>::new(&cfg), &mut stimulus, rows);
        Some(Self { cfg, recording, outputs: interface.output_words() })
    }

    /// The cycle model, `times` times, each time a new one: a reset leaves RAM contents as they are.
    pub fn cycle(&self, times: u32) -> Rows {
        let mut sum = Rows { rows: 0, seconds: 0.0, wrong: 0 };
        for _ in 0..times {
            let run = self.replay(&mut BlockDut::<Atc>::new(&self.cfg));
            sum = Rows { rows: sum.rows + run.rows, seconds: sum.seconds + run.seconds, wrong: sum.wrong + run.wrong };
        }
        sum
    }

    /// The rust-hdl block, once.
    ///
    /// # Errors
    /// rust-hdl's own check of the block fails, or no thread can be had for it.
    pub fn rust_hdl(&self) -> Result<Rows, SpeedError> {
        let rows = self.clone();
        with_stack(STACK, move || {
            let mut dut = AtcRtl::new(&rows.cfg, Medium::new())?;
            Ok(rows.replay(&mut dut))
        })?
    }

    fn replay(&self, dut: &mut dyn Dut) -> Rows {
        let mut seen = vec![0; self.outputs];
        let mut wrong = 0;
        let start = Instant::now();
        for (i, row) in self.recording.rows().enumerate() {
            dut.cycle(row.inputs, &mut seen);
            // Registers without an initial value may differ until reset has been seen.
            wrong += u64::from(i >= crate::lockstep::RESET_ROWS as usize && seen != row.outputs);
        }
        Rows { rows: self.recording.len() as u64, seconds: start.elapsed().as_secs_f64(), wrong }
    }
}
