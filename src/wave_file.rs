//! A wave file in the making, with the viewer's layout beside it: both appear whole, or neither.

use crate::failure::Failure;
use crate::output::{Growing, Target};
use experiments::Watch;
use std::io::Write;
use std::path::{Path, PathBuf};
use types::UnitCfg;
use types::bits::words_for;
use types::ports::Direction;
use waves::{Capture, CaptureError, Scope, save_file, unit_scopes};

/// What the waves are of.
pub(crate) struct Origin<'a> {
    pub(crate) unit: &'a UnitCfg,
    pub(crate) clock_mhz: u32,
    /// Goes into the file behind the program's name and version.
    pub(crate) comment: String,
}

/// Writes the cycles of a run into a capture.
pub(crate) struct Waves<'a, W: Write> {
    capture: Capture<W>,
    scopes: &'a [Scope],
    cycles: u64,
    /// Time of the first cycle and of the last, ps.
    span_ps: Option<(u64, u64)>,
}

/// Why the waves ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WavesError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The unit and the captured scopes are out of step: a block was added to one of them only.
    #[error("scope {scope} is {block} in the unit and another in the capture")]
    Scope { scope: usize, block: &'static str },
}

impl<W: Write> Watch for Waves<'_, W> {
    type Error = WavesError;

    fn row_words(&self) -> usize {
        let bits = |scope: &Scope| scope.fields.iter().map(|f| f.width as usize).sum();
        self.scopes.iter().map(|scope| words_for(bits(scope))).max().unwrap_or(0)
    }

    fn tick(&mut self, cycle: u64, time_ps: u64) -> Result<(), WavesError> {
        self.cycles += 1;
        self.span_ps = Some((self.span_ps.map_or(time_ps, |(first, _)| first), time_ps));
        Ok(self.capture.tick(cycle, time_ps)?)
    }

    fn row(&mut self, scope: usize, block: &'static str, output: bool, row: &[u64]) -> Result<(), WavesError> {
        let direction = if output { Direction::Out } else { Direction::In };
        let expected = self.scopes.get(scope).map(|s| (s.name(), s.direction));
        if expected != Some((block, direction)) {
            return Err(WavesError::Scope { scope, block });
        }
        Ok(self.capture.sample(scope, row)?)
    }
}

/// Both files, before the run: that their place can be written is known.
pub(crate) struct WaveFile {
    name: String,
    vcd: Target,
    layout: Target,
}

/// What was written.
pub(crate) struct Written {
    pub(crate) vcd: PathBuf,
    pub(crate) layout: PathBuf,
    /// Cycles in the file.
    pub(crate) cycles: u64,
}

impl WaveFile {
    /// Opens `path`, which was given as `flag`, and the layout beside it.
    pub(crate) fn create(flag: &str, path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().and_then(|n| n.to_str()).filter(|_| path.extension().is_some_and(|e| e == "vcd"));
        let Some(name) = name else {
            return Err(Failure::Input(format!("{flag} {}: the name must end in .vcd", path.display())));
        };
        let vcd = Target::create(path)?;
        Ok(Self { name: name.into(), vcd, layout: Target::create(&path.with_extension("gtkw"))? })
    }

    /// Writes the cycles that `run` shows, and gives the files their names. Without a cycle there are no files.
    pub(crate) fn write<R>(
        self,
        origin: &Origin<'_>,
        run: impl FnOnce(&mut Waves<'_, &mut Growing>) -> Result<R, Failure>,
    ) -> Result<(R, Option<Written>), Failure> {
        let scopes = unit_scopes(origin.unit);
        let comment = format!("rnic-xlat {} {}", env!("CARGO_PKG_VERSION"), origin.comment);
        let mut vcd = self.vcd.open()?;
        let capture = Capture::new(&mut vcd, &scopes, origin.clock_mhz, &comment).map_err(Failure::run)?;
        let mut waves = Waves { capture, scopes: &scopes, cycles: 0, span_ps: None };
        let result = run(&mut waves)?;
        let Waves { capture, cycles, span_ps, .. } = waves;
        let Some((first_ps, last_ps)) = span_ps else { return Ok((result, None)) };
        capture.finish().map_err(Failure::run)?;
        let layout = self.layout.finish_with(&save_file(&self.name, &scopes, first_ps..last_ps))?;
        Ok((result, Some(Written { vcd: vcd.finish()?, layout, cycles })))
    }
}
