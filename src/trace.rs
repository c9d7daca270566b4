//! `rnic-xlat trace`: a short run as waves.

use crate::args::TraceArgs;
use crate::failure::Failure;
use crate::output::{Target, print};
use experiments::{Model, Point, TraceError, Watch, size_label};
use std::io::Write;
use types::bits::words_for;
use types::ports::Direction;
use waves::{Capture, CaptureError, Scope, save_file, unit_scopes};

/// Writes the cycles of a run into a capture.
struct Waves<'a, W: Write> {
    capture: Capture<W>,
    scopes: &'a [Scope],
    cycles: u64,
    /// Time of the first cycle and of the last, ps.
    span_ps: Option<(u64, u64)>,
}

/// Why the waves ended early.
#[derive(Debug, thiserror::Error)]
enum WavesError {
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

/// Runs a few messages and writes their waves and the viewer's layout.
pub(crate) fn run(args: &TraceArgs) -> Result<(), Failure> {
    let Some(name) = args.out.file_name().and_then(|n| n.to_str()).filter(|n| n.ends_with(".vcd")) else {
        return Err(Failure::Input(format!("--out {}: the name must end in .vcd", args.out.display())));
    };
    let model = Model::load(&args.preset, &args.set).map_err(Failure::input)?;
    let config = model.config();
    let mut file = Target::create(&args.out)?;
    let layout = Target::create(&args.out.with_extension("gtkw"))?;
    let scopes = unit_scopes(config.unit_cfg());
    let clock_mhz = config.unit.clock_mhz;
    let comment = format!(
        "rnic-xlat {} preset {} seed {} configuration {}",
        env!("CARGO_PKG_VERSION"),
        model.source(),
        config.seed,
        model.config_hash()
    );
    let point = Point { config: 0, bytes: args.size, iterations: args.iterations };
    let window = args.from..args.from.saturating_add(args.cycles);
    let capture = Capture::new(&mut file, &scopes, clock_mhz, &comment).map_err(Failure::run)?;
    let mut waves = Waves { capture, scopes: &scopes, cycles: 0, span_ps: None };
    let run = model.trace(&point, window, &mut waves).map_err(|e| match e {
        TraceError::Run(e) => Failure::point(e),
        TraceError::Watch(e) => Failure::run(e),
    })?;
    let Some((first_ps, last_ps)) = waves.span_ps else {
        return Err(Failure::Input(format!("--from {}: the run ends before, at cycle {}", args.from, run.cycles)));
    };
    let last = args.from + waves.cycles - 1;
    waves.capture.finish().map_err(Failure::run)?;
    let layout = layout.finish_with(&save_file(name, &scopes, first_ps..last_ps))?;
    let file = file.finish()?;
    let wrong = run.measurement.wrong;
    print(&format!(
        "{} ({}), {}: messages of {}, the first pass and {} more, {wrong} bytes wrong\n\
         cycles {} to {last} of {} written to {}\n\
         gtkwave {}\n",
        model.source(),
        model.mode(),
        model.clock_and_width(),
        size_label(args.size),
        args.iterations,
        args.from,
        run.cycles,
        file.display(),
        layout.display()
    ))?;
    Failure::if_wrong(wrong)
}
