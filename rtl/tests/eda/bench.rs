//! Replays what the rust-hdl simulation did on the exported Verilog in Icarus.

use std::fmt::Write as _;

use rtl::export::{ExportOptions, VerilogFile, export};
use rtl::rust_hdl::prelude::*;
use rtl::sim::{PortValue, Sim, connect, ports};

use crate::tools;

/// What a block did: its ports, and for each row their values as bits, in port order.
pub struct Recording {
    pub ports: Vec<PortValue>,
    pub rows: Vec<String>,
    pub clocked: bool,
}

impl Recording {
    fn row(values: &[PortValue]) -> String {
        values.iter().map(|p| bits_of(&p.hex, p.width)).collect()
    }

    /// Records a block without a clock: `drive` sets the inputs of row k.
    pub fn combinational<B: Block>(block: &mut B, rows: usize, mut drive: impl FnMut(&mut B, usize)) -> Self {
        connect(block).expect("connects");
        let mut out = Self { ports: vec![], rows: vec![], clocked: false };
        for k in 0..rows {
            drive(block, k);
            assert!(simulate(block, 100), "settles");
            out.ports = ports(block);
            out.rows.push(Self::row(&out.ports));
        }
        out
    }

    /// Records a clocked block.
    pub fn clocked<B: Block>(sim: &mut Sim<B>, rows: usize, mut drive: impl FnMut(&mut B, usize)) -> Self {
        let mut out = Self { ports: vec![], rows: vec![], clocked: true };
        for k in 0..rows {
            out.ports = sim.cycle(|b| drive(b, k), |b| ports(b)).expect("settles");
            out.rows.push(Self::row(&out.ports));
        }
        out
    }

    /// Runs the rows on `files` and returns the number of mismatches of each output that has any.
    pub fn replay(&self, files: &[VerilogFile]) -> Vec<(String, usize)> {
        let dir = tempfile::tempdir().expect("temporary folder");
        tools::write(dir.path(), files);
        std::fs::write(dir.path().join("rows.txt"), self.rows.join("\n")).expect("rows");
        std::fs::write(dir.path().join("tb.v"), self.bench()).expect("bench");
        let log = tools::icarus(dir.path(), files);
        assert!(log.contains("\ndone") || log.starts_with("done"), "the bench did not finish:\n{log}");
        let count = |line: &str| {
            let (name, count) = line.strip_prefix("mismatch ")?.split_once(' ')?;
            Some((name.to_string(), count.trim().parse().ok()?))
        };
        log.lines().filter_map(count).collect()
    }

    /// A bench that applies each row, compares every output with `!==` before the edge, and counts per output.
    fn bench(&self) -> String {
        let total: usize = self.ports.iter().map(|p| p.width).sum();
        let (mut declare, mut apply, mut compare, mut report) = Default::default();
        let mut pins = if self.clocked { vec![".clock(clock)".to_string()] } else { vec![] };
        let mut low = total;
        let w = |out: &mut String, text: String| writeln!(out, "{text}").expect("a String takes it");
        for PortValue { name, width, input, .. } in &self.ports {
            low -= width;
            pins.push(format!(".{name}({name})"));
            let kind = if *input { "reg " } else { "wire" };
            w(&mut declare, format!("  {kind} [{}:0] {name};", width - 1));
            if *input {
                w(&mut apply, format!("      {name} = row[{low} +: {width}];"));
            } else {
                w(&mut declare, format!("  integer bad_{name} = 0;"));
                w(&mut compare, format!("      if ({name} !== row[{low} +: {width}]) bad_{name} = bad_{name} + 1;"));
                w(&mut report, format!("    if (bad_{name}) $display(\"mismatch {name} %0d\", bad_{name});"));
            }
        }
        let (n, pins) = (self.rows.len(), pins.join(", "));
        format!(
            "module tb;\n  reg clock = 0;\n{declare}  reg [{total}-1:0] rows [0:{n}-1];\n  reg [{total}-1:0] row;\n  integer k;\n  \
             dut dut ({pins});\n  initial begin\n    $readmemb(\"rows.txt\", rows);\n    for (k = 0; k < {n}; k = k + 1) begin\n      \
             row = rows[k];\n{apply}      #5;\n{compare}      clock = 1;\n      #5;\n      clock = 0;\n    end\n{report}    \
             $display(\"done\");\n  end\nendmodule\n"
        )
    }
}

/// Hexadecimal digits as exactly `width` bits.
fn bits_of(hex: &str, width: usize) -> String {
    let digit = |c: char| format!("{:04b}", c.to_digit(16).expect("hexadecimal"));
    let bits: String = hex.chars().map(digit).collect();
    let bits = bits.trim_start_matches('0');
    assert!(bits.len() <= width, "{hex} in {width} bits");
    format!("{bits:0>width$}")
}

/// Exports a connected block as `dut`.
pub fn dut<B: Block>(block: &B) -> Vec<VerilogFile> {
    let options =
        ExportOptions { module: "dut".into(), prefix: "t_".into(), version: "test".into(), ..Default::default() };
    export(block, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// Exports, checks with the tools and replays: nothing may differ.
pub fn agrees(files: &[VerilogFile], recording: &Recording) {
    tools::lint(files, "dut");
    tools::synthesizable(files, "dut");
    assert_eq!(recording.replay(files), [], "{}", files.iter().map(|f| f.text.as_str()).collect::<String>());
}
