//! Where a region's MTT entries stand: what inline, one level and two levels cost many small regions, and one large one.

use super::measure::{Random, count, random};
use super::picture::{Corner, Line, Panel, Scale, draw};
use super::report::{Check, Grid, Judge, Report};
use super::{Context, Experiment, ReproduceError, clock_and_width};
use types::Op;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "layouts",
    question: "what do MTT entries in the MPT line, in one level and in two levels cost many small regions?",
    presets: &["stellar-emtt"],
    run,
};

const LAYOUTS: [&str; 3] = ["inline", "one-level", "two-level"];
const INLINE: usize = 0;
const TWO_LEVEL: usize = 2;
/// Bytes of a read, and of a small region: one page.
const BYTES: u32 = 64;
const PAGE: u64 = 4 << 10;

/// A point: layout, regions, bytes of each, what is kept open.
#[derive(Clone, Copy, Debug)]
struct Case {
    layout: usize,
    regions: u64,
    length: u64,
    streams: u16,
    depth: u16,
}

/// What a point gave: reads a microsecond, ns, fetches a read.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    rate: f64,
    latency: f64,
    mpt: f64,
    mtt: f64,
}

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let counts: Vec<u64> = context.pick(vec![64, 65_536], vec![64, 4096, 8192, 16_384, 65_536]);
    let large = context.pick(256 << 20, 1 << 30);
    // Many reads open for the rate, one at a time for the latency.
    let mut cases = Vec::new();
    for (regions, length) in counts.iter().map(|n| (*n, PAGE)).chain([(1, large)]) {
        for (streams, depth) in [(60, 4), (1, 1)] {
            cases.extend((0..LAYOUTS.len()).map(|layout| Case { layout, regions, length, streams, depth }));
        }
    }
    let accesses = context.pick(3000, 8000);
    let outcomes = context.each(&cases, |c| c.regions, |case| one(context, case, accesses))?;
    let points: Vec<&[Outcome]> = outcomes.chunks(2 * LAYOUTS.len()).collect();
    let cfg = context.config(EXPERIMENT.presets[0], &[])?;
    let mut report = Report { clock: clock_and_width(&cfg), ..Report::default() };
    let labels: Vec<String> =
        counts.iter().map(|n| format!("{n} of 4 KiB")).chain([format!("1 of {} MiB", large >> 20)]).collect();
    let mut rows = Vec::new();
    for (label, v) in labels.iter().zip(&points) {
        for (layout, name) in LAYOUTS.iter().enumerate() {
            let (busy, alone) = (v[layout], v[LAYOUTS.len() + layout]);
            rows.push(vec![
                if layout == 0 { label.clone() } else { String::new() },
                (*name).into(),
                format!("{:.1}", busy.rate),
                format!("{:.2}", busy.mpt),
                format!("{:.2}", busy.mtt),
                format!("{:.0}", alone.latency),
                format!("{:.2}", alone.mpt),
                format!("{:.2}", alone.mtt),
            ]);
        }
    }
    let columns = ["regions", "layout", "M reads/s", "MPT fetches", "MTT fetches", "one at a time: ns", "MPT", "MTT"];
    report.grids.push(Grid {
        title: format!("Random {BYTES}-byte reads, 240 open, and one at a time; fetches a read:"),
        columns: columns.map(String::from).to_vec(),
        rows,
    });
    let (few, many) = (points[0], points[counts.len() - 1]);
    for (label, v) in labels.iter().zip(&points[..counts.len()]) {
        let what = format!("inline, {label}: MTT fetches a read");
        report.checks.push(Check::control(&what, "fetches", 0.0, Judge::AtMost, v[INLINE].mtt));
    }
    // Two lookups instead of one, 4 cycles more at the clock of the preset; a read in four may wait for another.
    let more = 4e3 / f64::from(cfg.unit.clock_mhz);
    let what = format!("{}: two levels take longer than one by 4 cycles", labels[0]);
    let added = few[LAYOUTS.len() + TWO_LEVEL].latency - few[LAYOUTS.len() + 1].latency;
    report.checks.push(Check::control(&what, "ns", more, Judge::Within(1.0), added));
    // A fetch less: inline is never slower.
    let what = format!("{}, inline against one level", labels[counts.len() - 1]);
    report.checks.push(Check::control(&what, "M reads/s", 0.99 * many[1].rate, Judge::AtLeast, many[INLINE].rate));
    report.answer.push(format!(
        "With {} a read takes {:.0} ns alone with its entry inline, {:.0} with one level, {:.0} with two; 240 open give {:.1}, \
         {:.1} and {:.1} million a second.",
        labels[counts.len() - 1],
        many[3].latency,
        many[4].latency,
        many[5].latency,
        many[0].rate,
        many[1].rate,
        many[2].rate
    ));
    let lines = |pick: &dyn Fn(&[Outcome], usize) -> f64| -> Vec<Line> {
        let points = |layout: usize| counts.iter().zip(&points).map(|(n, v)| (*n as f64, pick(v, layout))).collect();
        LAYOUTS.iter().enumerate().map(|(i, name)| Line { label: (*name).into(), points: points(i) }).collect()
    };
    let panel = |title: &str, y, lines| Panel {
        title: title.into(),
        x: ("regions of 4 KiB", Scale::Doubling),
        y,
        lines,
        marks: Vec::new(),
        legend: Corner::UpperRight,
    };
    let panels = [
        panel("240 reads open", "M reads/s", lines(&|v, i| v[i].rate)),
        panel("one at a time", "ns", lines(&|v, i| v[LAYOUTS.len() + i].latency)),
    ];
    let subtitle = format!("model of the unit: {}", report.clock);
    report.pictures.push(draw("layouts", "Random 64-byte reads over small regions", &subtitle, &panels)?);
    Ok(report)
}

fn one(context: &Context, case: &Case, accesses: u64) -> Result<Outcome, ReproduceError> {
    let sets = [
        format!("driver.mtt_layout={}", LAYOUTS[case.layout]),
        format!("region.page_bytes={PAGE}"),
        format!("region.translation_bytes={PAGE}"),
        format!("traffic.qps={}", case.streams),
        format!("traffic.queue_depth={}", case.depth),
    ];
    let cfg = context.config(EXPERIMENT.presets[0], &sets)?;
    let fraction = if case.streams == 1 { 10 } else { 1 };
    let spec = Random {
        regions: (case.regions, case.length),
        functions: 1,
        bytes: BYTES,
        align: u64::from(BYTES),
        op: Op::READ,
        // What fits in the caches is there before the count, or most of it.
        accesses: ((4 * case.regions).clamp(1000, 20_000 / (1 + fraction / 5)), accesses / fraction),
    };
    let m = random(&cfg, &spec)?;
    let per = |key| count(&m.counters, key) / m.accesses;
    Ok(Outcome { rate: m.rate, latency: m.latency_ns, mpt: per("mpt.fetch"), mtt: per("mtt.fetch") })
}
