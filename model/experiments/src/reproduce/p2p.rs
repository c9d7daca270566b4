//! What the GPUDirect note leaves open: reads and writes between NIC and GPU with PCIe 4.0, 5.0 and 6.0.

use super::measure::messages;
use super::picture::{Corner, Line, Panel, Scale, draw};
use super::report::{Check, Grid, Judge, Report};
use super::{Context, Experiment, ReproduceError, clock_and_width};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "p2p",
    question: "does the asymmetry of peer-to-peer reads and writes outlive PCIe 3.0, and what does a root complex need?",
    presets: &["p2p-gen4", "p2p-gen5", "p2p-gen6"],
    run,
};

const GENERATIONS: [(u32, &str); 3] = [(4, "p2p-gen4"), (5, "p2p-gen5"), (6, "p2p-gen6")];
const SIZE: u64 = 1 << 20;
const SWITCH: &str = "region.mode=emtt";
const ROOT: &str = "region.mode=direct";
const READ: &str = "traffic.op=read";
const WRITE: &str = "traffic.op=write";

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let peer_reads: Vec<u32> = context.pick(vec![8, 64], vec![4, 8, 16, 32, 64, 128, 256]);
    let generations = context.pick(&GENERATIONS[..1], &GENERATIONS[..]);
    let mut runs: Vec<(usize, Vec<String>)> = Vec::new();
    for g in 0..generations.len() {
        for path in [SWITCH, ROOT] {
            runs.extend([WRITE, READ].map(|op| (g, vec![path.into(), op.into()])));
        }
        let swept = |n: &u32| (g, vec![ROOT.into(), READ.into(), format!("root.peer_reads={n}")]);
        runs.extend(peer_reads.iter().map(swept));
    }
    let count = context.pick(2, 6);
    let gbps = context.each(
        &runs,
        |_| 1,
        |(g, sets)| Ok(messages(context, generations[*g].1, sets, SIZE, count)?.bw_average_gbps),
    )?;
    let each = 4 + peer_reads.len();
    let mut report = Report::default();
    let (mut rows, mut swept, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for ((generation, preset), v) in generations.iter().zip(gbps.chunks(each)) {
        let cfg = context.config(preset, &[])?;
        report.clock += &format!("{}{}", if report.clock.is_empty() { "" } else { ", " }, clock_and_width(&cfg));
        let line = cfg.line_payload_gbps();
        let mut row = vec![format!("{generation}.0"), format!("{line:.0}")];
        row.extend(v[..4].iter().map(|x| format!("{x:.1}")));
        row.push(format!("{:.2}", v[3] / v[2]));
        rows.push(row);
        let enough = peer_reads.iter().zip(&v[4..]).find(|(_, x)| **x >= 0.95 * v[1]).map(|(n, _)| *n);
        let mut row = vec![format!("{generation}.0")];
        row.extend(v[4..].iter().map(|x| format!("{x:.1}")));
        row.push(enough.map_or("more".into(), |n| n.to_string()));
        swept.push(row);
        lines.push(Line {
            label: format!("PCIe {generation}.0"),
            points: peer_reads.iter().map(|n| f64::from(*n)).zip(v[4..].iter().copied()).collect(),
        });
        // The line, less 5 %: nothing on the switch's path is narrower.
        let what = format!("PCIe {generation}.0, write through the switch, of the line");
        report.checks.push(Check::control(&what, "Gb/s", 0.95 * line, Judge::AtLeast, v[0]));
        let what = format!("PCIe {generation}.0, root: read bandwidth grows with open reads");
        report.checks.push(Check::control(&what, "Gb/s", v[4], Judge::AtLeast, v[each - 1]));
        report.answer.push(format!(
            "PCIe {generation}.0: through the switch {:.0} Gb/s written and {:.0} read; through the root, with {} peer reads \
             open, {:.0} and {:.0}; reads match the switch from {} open on.",
            v[0],
            v[1],
            cfg.root.peer_reads,
            v[2],
            v[3],
            enough.map_or("more than are swept".into(), |n| n.to_string())
        ));
    }
    let columns = ["PCIe", "line", "switch: write", "read", "root: write", "read", "read/write at the root"];
    report.grids.push(Grid {
        title: "Gb/s, 1 MiB messages:".into(),
        columns: columns.map(String::from).to_vec(),
        rows,
    });
    let mut columns = vec!["PCIe".to_string()];
    columns.extend(peer_reads.iter().map(u32::to_string));
    columns.push("enough".into());
    report.grids.push(Grid {
        title: "Reads through the root over its open peer reads, Gb/s:".into(),
        columns,
        rows: swept,
    });
    report.notes.push(
        "No cap of a root complex is published for these generations: 32 open reads of 512 bytes are assumed and swept. The \
         cap of the root complexes measured in 2013 and 2014 is 2 and 8 such reads."
            .into(),
    );
    let panel = Panel {
        title: String::new(),
        x: ("peer reads that the root complex keeps open", Scale::Doubling),
        y: "read bandwidth [Gb/s]",
        lines,
        marks: Vec::new(),
        legend: Corner::UpperLeft,
    };
    let subtitle = format!("model of the unit: {}", report.clock);
    report.pictures.push(draw("p2p", "Peer-to-peer reads through the root complex", &subtitle, &[panel])?);
    Ok(report)
}
