//! NVIDIA developer blog, 2014: GPUDirect RDMA through the root complex and through a switch.

use super::measure::messages;
use super::picture::{Corner, Line, Mark, Panel, Scale, draw};
use super::report::{Check, Grid, Report};
use super::{Context, Experiment, ReproduceError, clock_and_width};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "gdr2014",
    question: "what do root complex and switch carry between a NIC and a GPU, in each direction?",
    presets: &["gdr2014", "gdr2014-dual", "gdr2014-plx"],
    run,
};

const WRITE: &str = "traffic.op=write";
const READ: &str = "traffic.op=read";
/// The GPU's clock goes from 745 to 875 MHz, and the time it takes for a read with it.
const BOOST: (u64, u64) = (745, 875);

/// Preset, what is measured (as the preset's figure calls it), overrides.
type Case = (&'static str, &'static str, Vec<String>);

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let read_ns = context.config("gdr2014", &[])?.memory.gpu_read_ns;
    let boosted = format!("memory.gpu_read_ns={}", read_ns * BOOST.0 / BOOST.1);
    let case = |preset, what, sets: &[&str]| -> Case { (preset, what, sets.iter().map(|s| (*s).into()).collect()) };
    let cases = [
        case("gdr2014", "write through the root", &[WRITE]),
        case("gdr2014", "read through the root", &[READ]),
        case("gdr2014", "read through the root, GPU boost", &[READ, &boosted]),
        case("gdr2014-dual", "write to the host", &[WRITE, "region.memory=host"]),
        case("gdr2014-dual", "write through the root", &[WRITE]),
        case("gdr2014-dual", "read through the root", &[READ]),
        case("gdr2014-plx", "write through the switch", &[WRITE]),
        case("gdr2014-plx", "read through the switch", &[READ]),
    ];
    let full: Vec<u64> = (10..=22).step_by(2).map(|log2| 1 << log2).collect();
    // The figures are for 4 MiB; from 1 MiB on bandwidth hardly grows.
    let sizes = context.pick(vec![1 << 20], full);
    let runs: Vec<(usize, u64)> = (0..cases.len()).flat_map(|c| sizes.iter().map(move |s| (c, *s))).collect();
    let gbytes = context.each(
        &runs,
        |r| r.1,
        |(c, size)| {
            let (preset, _, sets) = &cases[*c];
            let count = ((1 << 20) / size).clamp(2, 256);
            Ok(messages(context, preset, sets, *size, count)?.bw_average_gbps / 8.0)
        },
    )?;
    let large = sizes[sizes.len() - 1];
    let value = |c: usize, size: u64| runs.iter().position(|r| *r == (c, size)).map(|i| gbytes[i]);
    let mut report = Report { clock: clock_and_width(&context.config("gdr2014", &[])?), ..Report::default() };
    let (mut rows, mut marks) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (c, (preset, what, _)) in cases.iter().enumerate() {
        for point in context.config(preset, &[])?.published.iter().filter(|p| p.quantity == *what) {
            let Some(model) = value(c, point.x.min(large)) else { continue };
            report.checks.push(Check::published(&format!("{preset}, {what}"), point, model));
            marks[usize::from(what.starts_with("read"))].push(Mark::of(point));
        }
        let mut row = vec![format!("{preset}, {what}")];
        row.extend(sizes.iter().map(|s| value(c, *s).map_or("-".into(), |v| format!("{v:.2}"))));
        rows.push(row);
    }
    let mut columns = vec!["GB/s".into()];
    columns.extend(sizes.iter().map(|s| crate::size_label(*s)));
    report.grids.push(Grid { title: "Bandwidth over message size:".into(), columns, rows });
    let at = |c: usize| value(c, large).unwrap_or(0.0);
    report.answer = vec![
        format!(
            "Through the root complex one rail is written at {:.1} GB/s, the line's rate, and read at {:.1}; a second rail \
             brings writes to {:.1} and reads to {:.1}.",
            at(0),
            at(1),
            at(4),
            at(5)
        ),
        format!(
            "Reads follow the GPU's clock, {:.1} GB/s with boost, since open reads over a round trip set them.",
            at(2)
        ),
        format!(
            "Behind a switch two rails are written at {:.1} and read at {:.1} GB/s: the GPU is the limit.",
            at(6),
            at(7)
        ),
    ];
    report.notes.push(
        "What a GPU read takes varies by up to disorder.jitter_ns. Caps of root complex and GPU are fitted, each to one figure; \
         validated are one rail's writes and the gain of GPU boost. Reads on two rails through the root have no published \
         figure."
            .into(),
    );
    let [writes, reads] = marks;
    let panel = |title: &str, chosen: &[usize], marks| Panel {
        title: title.into(),
        x: ("message size", Scale::Bytes),
        y: "bandwidth [GB/s]",
        lines: chosen
            .iter()
            .map(|c| Line {
                label: format!("{}, {}", cases[*c].0, cases[*c].1),
                points: sizes.iter().filter_map(|s| Some((*s as f64, value(*c, *s)?))).collect(),
            })
            .collect(),
        marks,
        legend: Corner::LowerRight,
    };
    let panels = [panel("RDMA writes", &[0, 3, 4, 6], writes), panel("RDMA reads served", &[1, 2, 5, 7], reads)];
    let subtitle = format!("model of the unit: {}; circles: NVIDIA developer blog, 2014", report.clock);
    report.pictures.push(draw("gdr2014", "GPUDirect RDMA through root complex and switch", &subtitle, &panels)?);
    Ok(report)
}
