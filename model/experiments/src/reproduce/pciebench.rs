//! pcie-bench (Neugebauer et al., SIGCOMM 2018): random 64-byte reads of an NFP6000 behind an IOMMU.

use super::measure::{Accessed, Random, random};
use super::picture::{Corner, Line, Mark, Panel, Scale, draw};
use super::report::{Check, Grid, Report, figures};
use super::{Context, Experiment, ReproduceError, clock_and_width};
use types::Op;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "pciebench",
    question: "what does an IOMMU cost small reads, in latency and in throughput?",
    presets: &["pciebench-broadwell", "pciebench-ivybridge"],
    run,
};

const HOSTS: [&str; 2] = ["pciebench-broadwell", "pciebench-ivybridge"];
/// Quantities of the presets' figures, and of the runs.
const LATENCY: &str = "latency";
const SUPER: &str = "latency, super pages";
const RATE: &str = "throughput";
const SUPER_PAGE: &str = "region.translation_bytes=2097152";
/// Look-ups that hit and cost the walker nothing: what is changed to see which mechanism makes the knee.
const SIMPLE: [&str; 1] = ["iommu.hit_interval_ns=0"];
const KNEE: u64 = 512 << 10;

struct Run {
    host: &'static str,
    quantity: &'static str,
    window: u64,
    simple: bool,
}

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let mut runs = Vec::new();
    for host in HOSTS {
        let cfg = context.config(host, &[])?;
        for quantity in [LATENCY, SUPER, RATE] {
            let windows: Vec<u64> = figures(&cfg, quantity).map(|p| p.x).collect();
            // Knees and both ends.
            let keep = |w: u64| context.pick([64 << 10, KNEE, 64 << 20].contains(&w), true);
            runs.extend(windows.into_iter().filter(|w| keep(*w)).map(|window| Run {
                host,
                quantity,
                window,
                simple: false,
            }));
        }
    }
    let windows: Vec<u64> = runs.iter().filter(|r| r.quantity == RATE).map(|r| r.window).collect();
    runs.extend(windows.into_iter().map(|window| Run { host: HOSTS[0], quantity: RATE, window, simple: true }));
    let measured = context.each(&runs, |r| if r.quantity == RATE { 1 } else { 2 }, |r| one(context, r))?;
    let mut report = Report { clock: clock_and_width(&context.config(HOSTS[0], &[])?), ..Report::default() };
    let value = |r: &Run, m: &Accessed| if r.quantity == RATE { m.rate } else { m.latency_ns };
    let find = |host: &str, quantity: &str, window: u64, simple: bool| {
        let at = runs
            .iter()
            .position(|r| r.host == host && r.quantity == quantity && r.window == window && r.simple == simple)?;
        Some(value(&runs[at], &measured[at]))
    };
    for host in HOSTS {
        let cfg = context.config(host, &[])?;
        for quantity in [LATENCY, SUPER, RATE] {
            for point in figures(&cfg, quantity) {
                let Some(model) = find(host, quantity, point.x, false) else { continue };
                let what = format!("{host}, {quantity}, {}", crate::size_label(point.x));
                report.checks.push(Check::published(&what, point, model));
            }
        }
    }
    let mut rows = Vec::new();
    for point in figures(&context.config(HOSTS[0], &[])?, RATE) {
        let (Some(full), Some(simple)) = (find(HOSTS[0], RATE, point.x, false), find(HOSTS[0], RATE, point.x, true))
        else {
            continue;
        };
        let off = |v: f64| format!("{:+.1} %", 100.0 * (v / point.y - 1.0));
        let cells = [format!("{:.1}", point.y), format!("{full:.1}"), off(full), format!("{simple:.1}"), off(simple)];
        let mut row = vec![crate::size_label(point.x)];
        row.extend(cells);
        rows.push(row);
    }
    let columns = ["window", "paper", "hits take 8 ns of the walker", "error", "hits take none", "error"];
    let title = "Throughput, Mtrans/s, with look-ups that hit taking a share of the walker and not:".to_string();
    report.grids.push(Grid { title, columns: columns.map(String::from).to_vec(), rows });
    if let (Some(full), Some(simple)) = (find(HOSTS[0], RATE, KNEE, false), find(HOSTS[0], RATE, KNEE, true)) {
        report.answer.push(
            "A random read beyond the IOTLB's reach costs the share of pages that are not cached times the walk: \
             (1 - C/W) P holds at every window on both hosts, and super pages cost nothing."
                .into(),
        );
        report.answer.push(
            "With 31 reads in flight the walker's interval, 52 ns a miss, sets the throughput of large windows.".into(),
        );
        report.answer.push(format!(
            "The knee at 512 KiB, where one read in eleven misses, is the order of delivery: a DMA engine that hands reads \
             over in the order of their requests gives {full:.1} Mtrans/s ({simple:.1} with hits that cost the walker \
             nothing), published 43.6; with 31 independent reads of 490 + 0.094 x 292 ns it would be 60."
        ));
    }
    report.pictures.push(picture(context, &report.clock, &runs, &measured)?);
    Ok(report)
}

fn one(context: &Context, run: &Run) -> Result<Accessed, ReproduceError> {
    let mut sets: Vec<String> = Vec::new();
    if run.quantity == SUPER {
        sets.push(SUPER_PAGE.into());
    }
    if run.quantity != RATE {
        sets.extend(["traffic.qps=1".into(), "traffic.queue_depth=1".into()]);
    }
    if run.simple {
        sets.extend(SIMPLE.map(String::from));
    }
    // The standard error of a mean of n reads that cost 0 or 300 ns more is at most 150 ns / sqrt(n): 1.2 ns with 16 000.
    let accesses = match run.quantity {
        RATE => context.pick((2000, 8000), (4000, 40_000)),
        SUPER => (200, 1000),
        _ => context.pick((500, 4000), (1000, 16_000)),
    };
    let spec = Random { regions: (1, run.window), functions: 1, bytes: 64, align: 64, op: Op::READ, accesses };
    random(&context.config(run.host, &sets)?, &spec)
}

fn picture(
    context: &Context,
    clock: &str,
    runs: &[Run],
    measured: &[Accessed],
) -> Result<super::Picture, ReproduceError> {
    let line = |label: &str, host: &str, quantity: &str, simple: bool| Line {
        label: label.into(),
        points: runs
            .iter()
            .zip(measured)
            .filter(|(r, _)| r.host == host && r.quantity == quantity && r.simple == simple)
            .map(|(r, m)| (r.window as f64, if quantity == RATE { m.rate } else { m.latency_ns }))
            .collect(),
    };
    let mut marks = [Vec::new(), Vec::new()];
    for host in HOSTS {
        let cfg = context.config(host, &[])?;
        for (marks, quantity) in marks.iter_mut().zip([LATENCY, RATE]) {
            marks.extend(figures(&cfg, quantity).map(Mark::of));
        }
    }
    let [latency, rate] = marks;
    let panels = [
        Panel {
            title: "one read at a time".into(),
            x: ("window", Scale::Bytes),
            y: "latency [ns]",
            lines: vec![
                line("Broadwell, 4 KiB pages", HOSTS[0], LATENCY, false),
                line("Ivy Bridge, 4 KiB pages", HOSTS[1], LATENCY, false),
                line("Broadwell, super pages", HOSTS[0], SUPER, false),
            ],
            marks: latency,
            legend: Corner::LowerRight,
        },
        Panel {
            title: "saturated, Broadwell".into(),
            x: ("window", Scale::Bytes),
            y: "reads [M/s]",
            lines: vec![
                line("hits take 8 ns of the walker", HOSTS[0], RATE, false),
                line("hits take none", HOSTS[0], RATE, true),
            ],
            marks: rate,
            legend: Corner::UpperRight,
        },
    ];
    let subtitle = format!("model of the unit: {clock}; circles: pcie-bench, SIGCOMM 2018");
    Ok(draw("pciebench", "Random 64-byte reads behind an IOMMU", &subtitle, &panels)?)
}
