//! FaRM (Dragojevic et al., NSDI 2014): random small one-sided reads over registered memory.

use super::measure::{Random, count, random};
use super::picture::{Corner, Line, Mark, Panel, Scale, draw};
use super::report::{Check, Grid, Report, figures};
use super::{Context, Experiment, ReproduceError, clock_and_width};
use crate::size_label;
use types::Op;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "farm",
    question: "how does the rate of random small reads fall with the memory that is registered, and do large pages help?",
    presets: &["farm"],
    run,
};

const PAGES: [(&str, &str); 2] =
    [("4 KiB pages", "region.page_bytes=4096"), ("2 GiB pages", "region.page_bytes=2147483648")];
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let full = vec![MIB, 4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB, 64 * MIB, 256 * MIB, GIB, 8 * GIB, 100 * GIB];
    let windows = context.pick(vec![8 * MIB, 16 * MIB, 32 * MIB, GIB], full);
    let runs: Vec<(usize, u64)> = (0..PAGES.len()).flat_map(|p| windows.iter().map(move |w| (p, *w))).collect();
    let accesses = context.pick((4000, 4000), (8000, 12_000));
    let measured = context.each(
        &runs,
        |_| 1,
        |(pages, window)| {
            let spec = Random { regions: (1, *window), functions: 1, bytes: 64, align: 64, op: Op::READ, accesses };
            random(&context.config("farm", &[PAGES[*pages].1.to_string()])?, &spec)
        },
    )?;
    let cfg = context.config("farm", &[])?;
    let mut report = Report { clock: clock_and_width(&cfg), ..Report::default() };
    let fastest = measured.iter().map(|m| m.rate).fold(0.0, f64::max);
    let at = |pages: usize, window: u64| Some(&measured[runs.iter().position(|r| *r == (pages, window))?]);
    for (p, (name, _)) in PAGES.iter().enumerate() {
        for point in figures(&cfg, &format!("rate, {name}")) {
            let Some(m) = at(p, point.x) else { continue };
            let what = format!("rate with {name}, {} registered", size_label(point.x));
            report.checks.push(Check::published(&what, point, m.rate / fastest));
        }
    }
    // Full rate: within 5 % of the fastest.
    let is_full = |w: &&u64| at(0, **w).is_some_and(|m| m.rate >= 0.95 * fastest);
    let knee = windows.iter().filter(is_full).max().copied().unwrap_or(0);
    let quantity = "largest window at full rate, 4 KiB pages";
    for point in figures(&cfg, quantity) {
        report.checks.push(Check::published(quantity, point, knee as f64));
    }
    let mut rows = Vec::new();
    for window in &windows {
        let (Some(small), Some(large)) = (at(0, *window), at(1, *window)) else { continue };
        rows.push(vec![
            size_label(*window),
            format!("{:.2}", small.rate),
            format!("{:.2}", small.rate / fastest),
            format!("{:.3}", count(&small.counters, "mtt.fetch") / small.accesses),
            format!("{:.2}", large.rate),
            format!("{:.2}", large.rate / fastest),
        ]);
    }
    let columns = ["registered", "4 KiB: M/s", "of full", "fetches a read", "2 GiB: M/s", "of full"];
    report.grids.push(Grid {
        title: "Rate of random 64-byte reads:".into(),
        columns: columns.map(String::from).to_vec(),
        rows,
    });
    if let (Some(last), Some(large)) = (at(0, windows[windows.len() - 1]), at(1, windows[windows.len() - 1])) {
        report.answer = vec![
            format!(
                "With 4 KiB pages the rate is full up to {} registered, which is the MTT cache's reach.",
                size_label(knee)
            ),
            format!(
                "Beyond it each read fetches a table line, and with {} fetches in flight beside {} data reads the rate falls \
                 to {:.2} of full.",
                cfg.unit.sizes.mtt_fetches,
                cfg.unit.sizes.read_tags,
                last.rate / fastest
            ),
            format!(
                "With 2 GiB pages one entry covers what 524 288 did: {:.2} of full with {} registered.",
                large.rate / fastest,
                size_label(windows[windows.len() - 1])
            ),
        ];
    }
    report.notes.push(
        "Only ratios are compared: the absolute rate follows from read latency and tags that are not published.".into(),
    );
    let line = |p: usize| Line {
        label: PAGES[p].0.into(),
        points: windows.iter().filter_map(|w| Some((*w as f64, at(p, *w)?.rate / fastest))).collect(),
    };
    let mut marks = Vec::new();
    for (name, _) in PAGES {
        marks.extend(figures(&cfg, &format!("rate, {name}")).map(Mark::of));
    }
    let panel = Panel {
        title: String::new(),
        x: ("registered memory", Scale::Bytes),
        y: "rate, of the fastest",
        lines: vec![line(0), line(1)],
        marks,
        legend: Corner::LowerLeft,
    };
    let subtitle = format!("model of the unit: {}; circles: FaRM, NSDI 2014", report.clock);
    report.pictures.push(draw("farm", "Random small reads over registered memory", &subtitle, &[panel])?);
    Ok(report)
}
