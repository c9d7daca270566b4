//! `rnic-xlat trace`: a short run as waves.

use crate::args::TraceArgs;
use crate::failure::Failure;
use crate::output::print;
use crate::wave_file::{Origin, WaveFile};
use experiments::{Model, Point, TraceError, size_label};

/// Runs a few messages and writes their waves and the viewer's layout.
pub(crate) fn run(args: &TraceArgs) -> Result<(), Failure> {
    let file = WaveFile::create("--out", &args.out)?;
    let model = Model::load(&args.preset, &args.set).map_err(Failure::input)?;
    let config = model.config();
    let origin = Origin {
        unit: config.unit_cfg(),
        clock_mhz: config.unit.clock_mhz,
        comment: format!("preset {} seed {} configuration {}", model.source(), config.seed, model.config_hash()),
    };
    let point = Point { config: 0, bytes: args.size, iterations: args.iterations };
    let window = args.from..args.from.saturating_add(args.cycles);
    let (run, written) = file.write(&origin, |waves| {
        model.trace(&point, window, waves).map_err(|e| match e {
            TraceError::Run(e) => Failure::point(e),
            TraceError::Watch(e) => Failure::run(e),
        })
    })?;
    let Some(written) = written else {
        return Err(Failure::Input(format!("--from {}: the run ends before, at cycle {}", args.from, run.cycles)));
    };
    let wrong = run.measurement.wrong;
    print(&format!(
        "{} ({}), {}: messages of {}, the first pass and {} more, {wrong} bytes wrong\n\
         cycles {} to {} of {} written to {}\n\
         gtkwave {}\n",
        model.source(),
        model.mode(),
        model.clock_and_width(),
        size_label(args.size),
        args.iterations,
        args.from,
        args.from + written.cycles - 1,
        run.cycles,
        written.vcd.display(),
        written.layout.display()
    ))?;
    Failure::if_wrong(wrong)
}
