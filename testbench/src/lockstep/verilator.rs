//! Replays recordings on exported Verilog with Verilator: a generated C++ harness reads rows from its standard input.

use super::{Interface, Mismatch, Recording};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use types::ports::Field;

/// Why a replay could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The views part.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The simulator did not build the model.
    #[error("{tool} failed in {folder}: {log}")]
    Tool {
        /// The program.
        tool: &'static str,
        /// Where.
        folder: PathBuf,
        /// The end of its output.
        log: String,
    },
    /// The tool is missing, or files could not be written.
    #[error("cannot run {tool}: {source}")]
    Io {
        /// The program.
        tool: &'static str,
        /// Cause.
        source: io::Error,
    },
}

/// A compiled model of one exported block.
#[derive(Clone, Debug)]
pub struct Verilated {
    program: PathBuf,
    interface: Interface,
}

fn io_error(tool: &'static str) -> impl Fn(io::Error) -> ReplayError {
    move |source| ReplayError::Io { tool, source }
}

/// Runs a tool and returns its standard output; a failing exit status is an error with the end of its output.
pub(crate) fn run(tool: &'static str, command: &mut Command, folder: &Path) -> Result<String, ReplayError> {
    let output = command.current_dir(folder).output().map_err(io_error(tool))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let all = text + &String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = all.lines().collect();
    let log = lines[lines.len().saturating_sub(20)..].join("\n");
    Err(ReplayError::Tool { tool, folder: folder.to_path_buf(), log })
}

impl Verilated {
    /// Builds the model of module `top` from `files` (names relative to `folder`).
    pub fn build(folder: &Path, top: &str, files: &[String], interface: &Interface) -> Result<Self, ReplayError> {
        let folder = std::path::absolute(folder).map_err(io_error("verilator"))?;
        std::fs::write(folder.join("replay.cpp"), harness(top, interface)).map_err(io_error("verilator"))?;
        let mut command = Command::new("verilator");
        command
            .args([
                "--cc",
                "--exe",
                "--build",
                "-O3",
                "--x-assign",
                "fast",
                "--x-initial",
                "fast",
                "-Wno-fatal",
                "-Wno-lint",
            ])
            .args(["-CFLAGS", "-O1", "--Mdir", "obj_dir", "--top-module", top, "-o", "replay"])
            .args(files)
            .arg("replay.cpp");
        run("verilator", &mut command, &folder)?;
        Ok(Self { program: folder.join("obj_dir").join("replay"), interface: interface.clone() })
    }

    /// Replays segments; each is produced when it is needed. Returns the rows compared.
    pub fn replay(&self, segments: impl IntoIterator<Item = Recording>) -> Result<u64, ReplayError> {
        let tool = "the Verilator model";
        let mut child =
            Command::new(&self.program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(io_error(tool))?;
        let mut rows = 0;
        if let Some(stdin) = child.stdin.take() {
            let mut stdin = BufWriter::with_capacity(1 << 20, stdin);
            for segment in segments {
                rows += segment.len() as u64;
                // The model stops reading at a mismatch, which its output then tells.
                match segment.write(&mut stdin).and_then(|()| stdin.flush()) {
                    Err(e) if e.kind() == io::ErrorKind::BrokenPipe => break,
                    other => other.map_err(io_error(tool))?,
                }
            }
        }
        let output = child.wait_with_output().map_err(io_error(tool))?;
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.success() && text.trim() == format!("rows {rows}") {
            return Ok(rows);
        }
        Err(self.parse(&text).map_or_else(
            || ReplayError::Tool { tool, folder: self.program.clone(), log: text.trim().to_string() },
            ReplayError::Mismatch,
        ))
    }

    /// `mismatch <segment> <row> <field> <expected> <seen>`.
    fn parse(&self, text: &str) -> Option<Mismatch> {
        let mut words = text.lines().find_map(|l| l.strip_prefix("mismatch "))?.split_whitespace();
        let segment = words.next()?.parse().ok()?;
        let row = words.next()?.parse().ok()?;
        let field: &Field = self.interface.outputs.get(words.next()?.parse::<usize>().ok()?)?;
        let mut value = || Some(format!("{}'h{}", field.width, words.next()?));
        Some(Mismatch { segment, row, signal: field.name.clone(), expected: value()?, seen: value()? })
    }
}

/// The C++ that drives the model. Outputs are compared before the edge, from row 4 on.
fn harness(top: &str, interface: &Interface) -> String {
    let mut assign = String::new();
    let mut position = 0;
    // Writing to a String cannot fail.
    for f in &interface.inputs {
        if f.width <= 64 {
            let _ = writeln!(assign, "    top->{} = get(in, {position}, {});", f.name, f.width);
        } else {
            let _ = writeln!(
                assign,
                "    for (int i = 0; i * 32 < {w}; i++) top->{n}[i] = get(in, {position} + 32 * i, {w} - 32 * i);",
                n = f.name,
                w = f.width
            );
        }
        position += f.width as usize;
    }
    let mut compare = String::new();
    position = 0;
    for (i, f) in interface.outputs.iter().enumerate() {
        if f.width <= 64 {
            let _ = writeln!(
                compare,
                "    if (uint64_t(top->{n}) != get(out, {position}, {w})) fail({i}, {w}, out, {position}, [&](int) {{ return uint64_t(top->{n}); }});",
                n = f.name,
                w = f.width
            );
        } else {
            let _ = writeln!(
                compare,
                "    for (int i = 0; i * 32 < {w}; i++) if (top->{n}[i] != get(out, {position} + 32 * i, {w} - 32 * i > 32 ? 32 : {w} - 32 * i)) fail({i}, {w}, out, {position}, [&](int k) {{ return uint64_t(top->{n}[k]); }});",
                n = f.name,
                w = f.width
            );
        }
        position += f.width as usize;
    }
    format!(
        r#"// Replays packed rows on the module {top}: see the recording format in the test bench.
#include "V{top}.h"
#include "verilated.h"
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

static const int IN = {input_words}, OUT = {output_words};
static uint64_t segment = 0, row = 0, rows = 0;

static uint64_t get(const uint64_t* words, int position, int width) {{
    if (width > 64) width = 64;
    int word = position / 64, bit = position % 64;
    uint64_t value = words[word] >> bit;
    if (bit + width > 64) value |= words[word + 1] << (64 - bit);
    return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}}

template <class F> static void fail(int field, int width, const uint64_t* out, int position, F seen) {{
    std::printf("mismatch %" PRIu64 " %" PRIu64 " %d ", segment - 1, row, field);
    int step = width <= 64 ? 64 : 32;
    for (int i = (width - 1) / step; i >= 0; i--) {{
        int w = width - i * step < step ? width - i * step : step;
        std::printf("%0*" PRIx64, (w + 3) / 4, get(out, position + i * step, w));
    }}
    std::printf(" ");
    for (int i = (width - 1) / step; i >= 0; i--) {{
        int w = width - i * step < step ? width - i * step : step;
        std::printf("%0*" PRIx64, (w + 3) / 4, seen(i));
    }}
    std::printf("\n");
    std::exit(1);
}}

int main(int argc, char** argv) {{
    Verilated::commandArgs(argc, argv);
    std::unique_ptr<V{top}> top;
    std::vector<uint64_t> record(1 + IN + OUT);
    while (std::fread(record.data(), 8, 1, stdin) == 1) {{
        uint64_t repeat = record[0];
        if (repeat == 0) {{
            top = std::make_unique<V{top}>();
            segment++;
            row = 0;
            continue;
        }}
        if (std::fread(record.data() + 1, 8, IN + OUT, stdin) != size_t(IN + OUT)) return 3;
        const uint64_t *in = record.data() + 1, *out = in + IN;
        for (; repeat; repeat--, row++, rows++) {{
{assign}    top->clock = 0;
    top->eval();
    if (row >= 4) {{
{compare}    }}
    top->clock = 1;
    top->eval();
        }}
    }}
    std::printf("rows %" PRIu64 "\n", rows);
    return 0;
}}
"#,
        input_words = interface.input_words(),
        output_words = interface.output_words(),
    )
}
