//! `rnic-xlat bench`: the comparison.

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output::{Folder, Target, print, remark};
use experiments::plot::{Series, bandwidth_svg};
use experiments::{DEFAULT_SIZES, Model, Row, bench, gbps_points, points, remarks, table};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::thread;

/// The presets compared when none is named.
const COMPARISON: [&str; 3] = ["stellar-ats", "stellar-ats-4k", "stellar-emtt"];

/// Runs the comparison and shows it. An error when a byte was wrong.
pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let mut named: Vec<&str> = args.preset.iter().map(String::as_str).collect();
    if named.is_empty() {
        named = COMPARISON.into();
    }
    // Twice the same is one line of the plot, as it is with sizes.
    let mut seen = BTreeSet::new();
    named.retain(|name| seen.insert(*name));
    let mut models: Vec<Model> =
        named.iter().map(|preset| Model::load(preset, &args.set)).collect::<Result<_, _>>().map_err(Failure::input)?;
    if args.every_cycle {
        models = models.into_iter().map(Model::every_cycle).collect();
    }
    let mut sizes = args.sizes.as_ref().map_or(DEFAULT_SIZES.to_vec(), |s| s.0.clone());
    sizes.sort_unstable();
    sizes.dedup();
    let _folder = Folder::create(&args.out)?;
    let plot = args.out.join("bandwidth.svg");
    if args.stats.as_ref().is_some_and(|stats| same_place(stats, &plot)) {
        return Err(Failure::Input(format!("--stats {}: the plot is written there", plot.display())));
    }
    let plot = Target::create(&plot)?;
    let stats = args.stats.as_deref().map(Target::create).transpose()?;

    let points = points(models.len(), &sizes, args.iterations);
    let bar = progress(points.len() as u64);
    let threads = args.threads.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let results = bench(&models, &points, threads, |_| bar.inc(1)).map_err(Failure::point)?;
    bar.finish_and_clear();

    let rows: Vec<Row> = results.iter().map(|r| r.row.clone()).collect();
    let plot = plot.finish_with(&svg(&models, &points, &rows)?)?;
    let words = remarks(&models, &points, &rows) + &format!("\nPlot: {}\n", plot.display());
    if let Some(target) = stats {
        target.finish_with(&json(&results)?)?;
    }
    if args.json {
        remark(&words);
        print(&json(&rows)?)?;
    } else {
        print(&(table::table(&rows) + "\n" + &words))?;
    }
    Failure::if_wrong(rows.iter().map(|row| row.wrong).sum())
}

/// Whether two files are one, however their folder is written. The folder of the second exists.
fn same_place(a: &Path, b: &Path) -> bool {
    let folder = |file: &Path| match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.canonicalize(),
        _ => Path::new(".").canonicalize(),
    };
    a.file_name() == b.file_name() && matches!((folder(a), folder(b)), (Ok(a), Ok(b)) if a == b)
}

fn progress(points: u64) -> ProgressBar {
    let target = if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let style = ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} points");
    ProgressBar::with_draw_target(Some(points), target)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The plot: a line a model, and every published figure of the models once.
fn svg(models: &[Model], points: &[experiments::Point], rows: &[Row]) -> Result<String, Failure> {
    let line = |config: usize| {
        let of_config = points.iter().zip(rows).filter(move |(p, _)| p.config == config);
        of_config.map(|(p, row)| (p.bytes, row.bw_average_gbps)).collect()
    };
    let series: Vec<_> = models
        .iter()
        .enumerate()
        .map(|(i, m)| Series { label: format!("{} ({})", m.source(), m.mode()), points: line(i) })
        .collect();
    let mut published: Vec<_> = models.iter().flat_map(gbps_points).collect();
    published.sort_by(|a, b| (a.bytes, a.fitted).cmp(&(b.bytes, b.fitted)).then(a.gbps.total_cmp(&b.gbps)));
    published.dedup();
    let mut clocks: Vec<_> = models.iter().map(Model::clock_and_width).collect();
    clocks.dedup();
    let subtitle = format!("model of the unit: {}; rnic-xlat {}", clocks.join(", "), env!("CARGO_PKG_VERSION"));
    bandwidth_svg("RDMA bandwidth over message size", &subtitle, &series, &published).map_err(Failure::run)
}

fn json<T: serde::Serialize>(rows: &[T]) -> Result<String, Failure> {
    serde_json::to_string_pretty(rows).map(|text| text + "\n").map_err(Failure::run)
}
