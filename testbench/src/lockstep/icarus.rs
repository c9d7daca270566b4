//! A self-checking test bench in plain Verilog-2005, with its vectors as hex: for Icarus and any other simulator.

use super::verilator::{ReplayError, run};
use super::{Interface, RESET_ROWS, Recording};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use types::ports::Field;

/// Files of a self-checking bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorBench {
    /// `tb_<top>.v`.
    pub bench: String,
    /// `stimulus.hex`: one row of packed inputs a line.
    pub stimulus: String,
    /// `expected.hex`: one row of packed outputs a line.
    pub expected: String,
}

fn bits(fields: &[Field]) -> usize {
    fields.iter().map(|f| f.width as usize).sum()
}

fn line(out: &mut String, row: &[u64], bits: usize) {
    for i in (0..bits.div_ceil(4)).rev() {
        let digit = (row[i / 16] >> (4 * (i % 16)) & 15) as u32;
        out.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
    out.push('\n');
}

/// The bench of module `top` for a recording.
pub fn vector_bench(top: &str, interface: &Interface, recording: &Recording) -> VectorBench {
    let (in_bits, out_bits) = (bits(&interface.inputs), bits(&interface.outputs));
    let (mut stimulus, mut expected) = (String::new(), String::new());
    for row in recording.rows() {
        line(&mut stimulus, row.inputs, in_bits);
        line(&mut expected, row.outputs, out_bits);
    }
    let mut ports = String::new();
    let mut checks = String::new();
    let mut position = 0;
    // Writing to a String cannot fail.
    for f in &interface.inputs {
        let _ = write!(ports, ",\n    .{}(stimulus[{} +: {}])", f.name, position, f.width);
        position += f.width as usize;
    }
    position = 0;
    for f in &interface.outputs {
        let slice = format!("[{position} +: {}]", f.width);
        let _ = write!(ports, ",\n    .{}(seen{slice})", f.name);
        let _ = writeln!(
            checks,
            "        if (seen{slice} !== expected{slice}) begin\n          \
             $display(\"row %0d: {n} is %h, expected %h\", row, seen{slice}, expected{slice});\n          \
             errors = errors + 1;\n        end",
            n = f.name
        );
        position += f.width as usize;
    }
    let bench = format!(
        r#"// Self-checking bench of {top}: applies stimulus.hex and compares every output at every clock edge
// with expected.hex. Verilog-2005, no libraries. Prints PASS, or the first rows that differ and FAIL.
`timescale 1ns / 1ps

module tb_{top};
  localparam ROWS = {rows};

  reg clock = 1'b0;
  reg [{in_high}:0] stimuli [0:ROWS-1];
  reg [{out_high}:0] expectations [0:ROWS-1];
  reg [{in_high}:0] stimulus = {in_bits}'d0;
  reg [{out_high}:0] expected = {out_bits}'d0;
  wire [{out_high}:0] seen;
  integer row;
  integer errors;

  {top} dut (
    .clock(clock){ports}
  );

  initial begin
    $readmemh("stimulus.hex", stimuli);
    $readmemh("expected.hex", expectations);
    errors = 0;
    for (row = 0; row < ROWS; row = row + 1) begin
      stimulus = stimuli[row];
      expected = expectations[row];
      #5;
      // Reset is held in rows 0 to {last_reset}.
      if (row > {last_reset}) begin
{checks}        if (errors > 20) begin
          $display("FAIL: too many errors");
          $finish;
        end
      end
      clock = 1'b1;
      #5;
      clock = 1'b0;
    end
    if (errors == 0) $display("PASS: %0d rows", ROWS);
    else $display("FAIL: %0d errors in %0d rows", errors, ROWS);
    $finish;
  end
endmodule
"#,
        rows = recording.len(),
        in_high = in_bits - 1,
        out_high = out_bits - 1,
        last_reset = RESET_ROWS - 1,
    );
    VectorBench { bench, stimulus, expected }
}

/// Compiles and runs a bench with Icarus Verilog; returns the rows compared.
pub fn replay(
    folder: &Path,
    top: &str,
    files: &[String],
    interface: &Interface,
    recording: &Recording,
) -> Result<u64, ReplayError> {
    let bench = vector_bench(top, interface, recording);
    let name = format!("tb_{top}.v");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|source| ReplayError::Io { tool: "iverilog", source })
    };
    write(&name, &bench.bench)?;
    write("stimulus.hex", &bench.stimulus)?;
    write("expected.hex", &bench.expected)?;
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-o", "replay.vvp", "-s", &format!("tb_{top}")]).args(files).arg(&name);
    run("iverilog", &mut compile, folder)?;
    let text = run("vvp", Command::new("vvp").args(["-n", "replay.vvp"]), folder)?;
    let rows = recording.len() as u64;
    if text.lines().any(|l| l == format!("PASS: {rows} rows")) {
        Ok(rows)
    } else {
        Err(ReplayError::Tool { tool: "vvp", folder: folder.to_path_buf(), log: text })
    }
}
