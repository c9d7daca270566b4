//! Potluri et al., ICPP 2013: a NIC reads GPU memory through the root complex, or the host stages the bytes.

use super::measure::messages;
use super::picture::{Corner, Line, Mark, Panel, Scale, draw};
use super::report::{Check, Grid, Judge, Report};
use super::{Context, Experiment, ReproduceError, clock_and_width};
use crate::size_label;
use system::Config;
use system::config::StagingConfig;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "gdr2013",
    question: "up to which message size is it better that the NIC reads GPU memory itself, through the root complex?",
    presets: &["gdr2013"],
    run,
};

const PRESET: &str = "gdr2013";
const READ: &str = "traffic.op=read";
const WRITE: &str = "traffic.op=write";
const HOST: &str = "region.memory=host";
const GPU: &str = "region.memory=gpu";
/// One message at a time.
const ALONE: &str = "traffic.queue_depth=1";
/// So large that bandwidth grows no further; the figures are for 4 MiB.
const LARGE: u64 = 4 << 20;
const LARGE_SMALL_EFFORT: u64 = 1 << 20;

/// What is measured at one size: time of a message alone and of one in a stream, microseconds.
#[derive(Clone, Copy)]
struct Times {
    bytes: u64,
    alone: f64,
    streamed: f64,
}

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let sizes: Vec<u64> = (3..=22).map(|log2| 1 << log2).collect();
    let large = context.pick(LARGE_SMALL_EFFORT, LARGE);
    let keep = |s: &u64| context.pick(matches!(*s, 8 | 4096..=65_536 | LARGE_SMALL_EFFORT), true);
    let sizes: Vec<u64> = sizes.into_iter().filter(keep).collect();
    let cfg = context.config(PRESET, &[])?;
    let (gpu, host) = (times(context, GPU, &sizes)?, times(context, HOST, &sizes)?);
    let write =
        |memory: &str| -> Result<f64, ReproduceError> { Ok(rate(large, time(context, &[WRITE, memory], large, 2)?)) };
    let (gpu_write, host_write) = (write(GPU)?, write(HOST)?);
    let (direct, staged): (Vec<Times>, Vec<Times>) =
        (gpu.iter().map(|t| direct(t, &cfg.staging)).collect(), host.iter().map(|t| staged(t, &cfg.staging)).collect());
    // The largest size up to which direct is the better one.
    let switch_over = |of: fn(&Times) -> f64| {
        let better = direct.iter().zip(&staged).take_while(|(d, s)| of(d) <= of(s));
        better.map(|(d, _)| d.bytes).last().unwrap_or(0)
    };
    let at = |list: &[Times], bytes: u64| list.iter().find(|t| t.bytes == bytes).copied();
    let (latency_switch, bandwidth_switch) = (switch_over(|t| t.alone), switch_over(|t| t.streamed));
    let mut report = Report { clock: clock_and_width(&cfg), ..Report::default() };
    for point in &cfg.published {
        let model = match point.quantity.as_str() {
            "read through the root" => at(&direct, point.x.min(large)).map(|t| rate(t.bytes, t.streamed)),
            "read, staged" => at(&staged, point.x.min(large)).map(|t| rate(t.bytes, t.streamed)),
            "latency, direct" => at(&direct, point.x).map(|t| t.alone),
            "latency, staged" => at(&staged, point.x).map(|t| t.alone),
            "largest message that is better direct, latency test" => Some(latency_switch as f64),
            _ => Some(bandwidth_switch as f64),
        };
        if let Some(model) = model {
            report.checks.push(Check::published(&point.quantity, point, model));
        }
    }
    let what = "write to GPU memory, of write to host memory: not limited";
    report.checks.push(Check::control(what, "ratio", 0.95, Judge::AtLeast, gpu_write / host_write));
    let row = |(d, s): (&Times, &Times)| {
        let cells = [d.alone, s.alone].map(|t| format!("{t:.2}"));
        let rates = [d, s].map(|t| format!("{:.0}", rate(t.bytes, t.streamed)));
        [vec![size_label(d.bytes)], cells.to_vec(), rates.to_vec()].concat()
    };
    report.grids.push(Grid {
        title: "Time of a message alone, us, and bandwidth of many, MB/s:".into(),
        columns: ["message", "direct, us", "staged, us", "direct, MB/s", "staged, MB/s"].map(String::from).to_vec(),
        rows: direct.iter().zip(&staged).map(row).collect(),
    });
    if let (Some(d), Some(s)) = (at(&direct, large), at(&staged, large)) {
        report.answer = vec![
            format!(
                "Through the root complex the NIC reads GPU memory at {:.0} MB/s, against {:.0} staged through the host; \
                 writes are not limited ({gpu_write:.0} MB/s).",
                rate(large, d.streamed),
                rate(large, s.streamed)
            ),
            format!(
                "Direct is the better one up to {} in the latency test and {} in the bandwidth test.",
                size_label(latency_switch),
                size_label(bandwidth_switch)
            ),
            format!(
                "The cap is {} reads of {} bytes that the root complex keeps open at a peer, over their round trip.",
                cfg.root.peer_reads, cfg.function.max_read_request_bytes
            ),
        ];
    }
    report.notes.push(
        "Simulated: the sender's NIC, links, root complex and memories. Analytic, added: copies by the GPU's copy engine \
         (staging.copy_ns, staging.copy_mbps) and software, wire and far NIC (staging.software_ns)."
            .into(),
    );
    report.pictures.push(picture(&cfg, &report.clock, &direct, &staged)?);
    Ok(report)
}

/// Time of a message in microseconds.
fn time(context: &Context, sets: &[&str], bytes: u64, count: u64) -> Result<f64, ReproduceError> {
    let sets: Vec<String> = sets.iter().map(|s| (*s).into()).collect();
    Ok(8e-3 * bytes as f64 / messages(context, PRESET, &sets, bytes, count)?.bw_average_gbps)
}

/// MB/s of messages that take so many microseconds each.
fn rate(bytes: u64, us: f64) -> f64 {
    bytes as f64 / us
}

fn times(context: &Context, memory: &str, sizes: &[u64]) -> Result<Vec<Times>, ReproduceError> {
    context.each(
        sizes,
        |s| *s,
        |bytes| {
            let many = ((1 << 20) / bytes).clamp(2, 128);
            // One large message is like the next.
            let alone = time(context, &[READ, memory, ALONE], *bytes, if *bytes < PIECE { 4 } else { 1 })?;
            Ok(Times { bytes: *bytes, alone, streamed: time(context, &[READ, memory], *bytes, many)? })
        },
    )
}

/// The NIC reads GPU memory.
fn direct(gpu: &Times, staging: &StagingConfig) -> Times {
    Times { alone: gpu.alone + staging.software_ns as f64 / 1e3, ..*gpu }
}

/// A copy to the host, the NIC reads host memory, a copy from the far host: one after the other for a message alone, at the
/// same time for many.
fn staged(host: &Times, staging: &StagingConfig) -> Times {
    let copy = staging.copy_ns as f64 / 1e3 + host.bytes as f64 / staging.copy_mbps.max(1) as f64;
    let alone = host.alone + staging.software_ns as f64 / 1e3 + 2.0 * copy;
    // A large message is cut into pieces that follow each other, so that a copy's fixed time is hidden.
    let piece = if host.bytes >= PIECE { host.bytes as f64 / staging.copy_mbps.max(1) as f64 } else { copy };
    Times { bytes: host.bytes, alone, streamed: host.streamed.max(piece) }
}

/// From here on a message is staged in pieces.
const PIECE: u64 = 512 << 10;

fn picture(cfg: &Config, clock: &str, direct: &[Times], staged: &[Times]) -> Result<super::Picture, ReproduceError> {
    let line = |label: &str, list: &[Times], of: fn(&Times) -> f64, most: u64| Line {
        label: label.into(),
        points: list.iter().filter(|t| t.bytes <= most).map(|t| (t.bytes as f64, of(t))).collect(),
    };
    // The figures of a unit; switch-over points are sizes and stand in the table only.
    let marks = |unit: &str| -> Vec<Mark> {
        let of_unit = cfg.published.iter().filter(|p| p.unit == unit);
        of_unit.map(Mark::of).collect()
    };
    let panel = |title: &str, (y, unit), of: fn(&Times) -> f64, most, legend| Panel {
        title: title.into(),
        x: ("message size", Scale::Bytes),
        y,
        lines: vec![line("direct, through the root", direct, of, most), line("staged", staged, of, most)],
        marks: marks(unit),
        legend,
    };
    let panels = [
        panel("a message alone", ("time [us]", "us"), |t| t.alone, 128 << 10, Corner::UpperLeft),
        panel("many messages", ("bandwidth [MB/s]", "MB/s"), |t| rate(t.bytes, t.streamed), LARGE, Corner::UpperLeft),
    ];
    let subtitle = format!("model of the unit: {clock}; circles: Potluri et al., ICPP 2013");
    Ok(draw("gdr2013", "GPU memory to the wire: read by the NIC, or staged", &subtitle, &panels)?)
}
