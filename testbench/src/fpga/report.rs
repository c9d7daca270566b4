//! Reading the tools' reports, and the table.

use super::{AIM_MHZ, FpgaError, OPEN_BLOCKS, OpenBlock, PART};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Cells by type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count(pub Vec<(String, u64)>);

impl Count {
    /// Cells of one type.
    pub fn of(&self, cell: &str) -> u64 {
        self.0.iter().find(|(name, _)| name == cell).map_or(0, |(_, n)| *n)
    }

    /// Cells whose type starts with `prefix`.
    pub fn starting(&self, prefix: &str) -> u64 {
        self.0.iter().filter(|(name, _)| name.starts_with(prefix)).map(|(_, n)| n).sum()
    }
}

/// The slowest path of one placement.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticalPath {
    /// Cell where it starts.
    pub from: String,
    /// Cell where it ends.
    pub to: String,
    /// Look-up tables on the way.
    pub levels: usize,
    /// Delay in cells, ns.
    pub logic_ns: f64,
    /// Delay in wires, ns.
    pub routing_ns: f64,
}

/// One placement and routing.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Clock rate reached, MHz.
    pub mhz: f64,
    /// What limits it.
    pub path: CriticalPath,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Module.
    pub top: String,
    /// ECP5 cells of the block alone.
    pub ecp5: Count,
    /// UltraScale+ cells of the block alone.
    pub ultrascale: Count,
    /// One a seed.
    pub timings: Vec<Timing>,
}

impl Report {
    /// Least, median (the lower of two) and greatest clock rate in MHz.
    pub fn mhz(&self) -> Option<(f64, f64, f64)> {
        let mut all: Vec<f64> = self.timings.iter().map(|t| t.mhz).collect();
        all.sort_by(f64::total_cmp);
        Some((*all.first()?, all[(all.len() - 1) / 2], *all.last()?))
    }

    /// The run with the median clock rate.
    pub fn median(&self) -> Option<&Timing> {
        let (_, median, _) = self.mhz()?;
        self.timings.iter().find(|t| t.mhz == median)
    }
}

fn json(path: &Path) -> Result<Value, FpgaError> {
    let text = fs::read_to_string(path).map_err(|source| FpgaError::Io { path: path.into(), source })?;
    serde_json::from_str(&text).map_err(|e| FpgaError::Report { path: path.into(), reason: e.to_string() })
}

/// Cell counts out of `stat -json`: those of the design, or of its only module.
pub(super) fn read_counts(path: &Path) -> Result<Count, FpgaError> {
    let value = json(path)?;
    let cells = value.pointer("/design/num_cells_by_type").or_else(|| {
        let modules = value.get("modules")?.as_object()?;
        modules.values().next()?.get("num_cells_by_type")
    });
    let cells = cells
        .and_then(Value::as_object)
        .ok_or_else(|| FpgaError::Report { path: path.into(), reason: "no cell counts".into() })?;
    Ok(Count(cells.iter().map(|(name, n)| (name.clone(), n.as_u64().unwrap_or(0))).collect()))
}

/// Clock rate and critical path out of nextpnr's report.
pub(super) fn read_timing(path: &Path) -> Result<Timing, FpgaError> {
    let value = json(path)?;
    let missing = |what: &str| FpgaError::Report { path: path.into(), reason: format!("no {what}") };
    let clocks = value.get("fmax").and_then(Value::as_object).ok_or_else(|| missing("fmax"))?;
    let mhz = clocks.values().next().and_then(|c| c.get("achieved")?.as_f64()).ok_or_else(|| missing("clock"))?;
    let paths = value.get("critical_paths").and_then(Value::as_array).ok_or_else(|| missing("critical paths"))?;
    let end = |path: &Value, key: &str| path.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    // From the clock to the clock: not from a pin, not to one.
    let steps = paths
        .iter()
        .find(|p| end(p, "from") == end(p, "to") && !end(p, "from").contains("async"))
        .and_then(|p| p.get("path")?.as_array())
        .ok_or_else(|| missing("path between flip-flops"))?;
    let kind = |step: &Value| step.get("type").and_then(Value::as_str).unwrap_or_default().to_string();
    let delay = |step: &Value| step.get("delay").and_then(Value::as_f64).unwrap_or(0.0);
    let sum = |routing: bool| steps.iter().filter(|s| (kind(s) == "routing") == routing).map(delay).sum();
    let cell = |step: Option<&Value>, at: &str| {
        let name = step.and_then(|s| s.pointer(at)?.as_str()).unwrap_or_default();
        name.trim_start_matches("dut.").split("_TRELLIS").next().unwrap_or_default().to_string()
    };
    Ok(Timing {
        mhz,
        path: CriticalPath {
            from: cell(steps.first(), "/from/cell"),
            to: cell(steps.last(), "/to/cell"),
            levels: steps.iter().filter(|s| kind(s) == "logic").count(),
            logic_ns: sum(false),
            routing_ns: sum(true),
        },
    })
}

/// The report as Markdown, beside what open blocks reach.
pub fn table(report: &Report) -> String {
    let mut out = format!("{PART}, place and route aims at {AIM_MHZ} MHz, {} seeds\n\n", report.timings.len());
    let (least, median, most) = report.mhz().unwrap_or_default();
    out += "| block | LUT4 | FF | DP16KD | MHz min / median / max | lookups a cycle | hit under miss |\n";
    out += "|---|---|---|---|---|---|---|\n";
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "| **{}** | {} | {} | {} | **{least:.0} / {median:.0} / {most:.0}** | 1 | yes |",
        report.top,
        report.ecp5.of("LUT4"),
        report.ecp5.of("TRELLIS_FF"),
        report.ecp5.of("DP16KD"),
    );
    for b in OPEN_BLOCKS {
        let OpenBlock { name, lut4, ff, dp16kd, mhz, lookups, hit_under_miss } = b;
        let _ = writeln!(out, "| {name} | {lut4} | {ff} | {dp16kd} | {mhz} | {lookups} | {hit_under_miss} |");
    }
    if let Some(Timing { mhz, path }) = report.median() {
        let _ = writeln!(
            out,
            "\nCritical path of the median run ({mhz:.0} MHz): {} → {}, {} look-up tables, {:.2} ns in cells and {:.2} ns in wires.",
            path.from, path.to, path.levels, path.logic_ns, path.routing_ns
        );
    }
    let x = &report.ultrascale;
    let _ = writeln!(
        out,
        "\nBesides on ECP5: {} TRELLIS_DPR16X4 (LUT RAM). UltraScale+ (yosys `synth_xilinx -family xcup`, counts only): \
         {} LUT, {} FF, {} RAMB18, {} RAMB36, {} LUT RAM cells.",
        report.ecp5.of("TRELLIS_DPR16X4"),
        (1..=6).map(|n| x.of(&format!("LUT{n}"))).sum::<u64>(),
        x.starting("FD"),
        x.starting("RAMB18"),
        x.starting("RAMB36"),
        x.starting("RAM32") + x.starting("RAM64") + x.starting("RAM16"),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(mhz: f64) -> Timing {
        let path = CriticalPath { from: "a".into(), to: "b".into(), levels: 3, logic_ns: 1.0, routing_ns: 3.0 };
        Timing { mhz, path }
    }

    #[test]
    fn median_of_three_and_of_two() {
        let mut report = Report {
            top: "t".into(),
            ecp5: Count::default(),
            ultrascale: Count::default(),
            timings: vec![timing(210.0), timing(250.0), timing(230.0)],
        };
        assert_eq!(report.mhz(), Some((210.0, 230.0, 250.0)));
        report.timings.pop();
        assert_eq!(report.mhz(), Some((210.0, 210.0, 250.0)), "the lower of two");
    }
}
