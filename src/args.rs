//! The command line.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  rnic-xlat                                       the comparison: ATS/ATC beside eMTT
  rnic-xlat bench --preset stellar-ats --sizes 1M,8M,64M
  rnic-xlat bench --set iommu.walk_ns=600 --json  any value of a preset can be set
  rnic-xlat bench --preset my-nic.toml --out out  a file builds on a preset (base = \"...\")
  rnic-xlat reproduce all --out out               published figures beside the model's
  rnic-xlat trace --preset stellar-ats --out ats.vcd
  rnic-xlat scenario testbench/scenarios          every scenario file of a folder
  rnic-xlat scenario my-race.toml --trace w.vcd   one, with its verdict and its waves
  rnic-xlat export --block atc --config small --out atc_small
  rnic-xlat fpga --block atc --config small --seeds 3
  rnic-xlat presets show stellar-ats              values, where each comes from, published figures

Exit status: 0 when every byte was checked and right; 1 when a run or a scenario failed, a byte was wrong or a published
figure was missed; 2 for bad input.";

/// How should an RDMA NIC translate addresses? A cycle-exact model of eMTT against ATS/ATC.
///
/// Without a command, the comparison runs (the same as `bench`).
#[derive(Debug, Parser)]
#[command(name = "rnic-xlat", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) bench: BenchArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bandwidth over message size, in perftest's columns, with a plot beside the published points
    #[command(after_help = EXAMPLES)]
    Bench(BenchArgs),
    /// How fast the simulation is on this host: cycles, requests and messages a second, views side by side
    BenchSim(crate::bench_sim::BenchSimArgs),
    /// Published experiments on the model: paper against model, pictures
    Reproduce(crate::reproduce::ReproduceArgs),
    /// A short run as waves: a VCD, hierarchy by block, and a GTKWave save file beside it
    Trace(TraceArgs),
    /// Scenario files: what is done to the unit, when, and what must be seen
    #[command(after_help = EXAMPLES)]
    Scenario(crate::scenario::ScenarioArgs),
    /// A block as Verilog with a self-checking bench, vectors and a README
    Export(crate::export::ExportArgs),
    /// Area and clock rate of a block on an ECP5 with open tools, and its cells on UltraScale+
    Fpga(crate::fpga::FpgaArgs),
    /// The presets: list them, or show one with the evidence for its values
    Presets(PresetsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Preset or TOML file; give it again for another one [default: the comparison's]
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) preset: Vec<String>,
    /// Message sizes, comma-separated, K, M, G being binary [default: 64K to 64M]
    #[arg(long, value_name = "LIST", value_parser = parse_sizes)]
    pub(crate) sizes: Option<Sizes>,
    /// Set one value of every preset given, by its key; give it again for another one
    #[arg(long, value_name = "A.B=VALUE")]
    pub(crate) set: Vec<String>,
    /// Messages to measure at each size [default: by size]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) iterations: Option<u64>,
    /// Print an array of rows as JSON instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Folder for the plot, made if it is not there
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Write every row with all counters as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats: Option<PathBuf>,
    /// Threads [default: one a core]; results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Simulate cycles in which nothing can happen too; results do not depend on it
    #[arg(long)]
    pub(crate) every_cycle: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Preset or TOML file
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) preset: String,
    /// VCD to write; the save file is written beside it with the ending .gtkw
    #[arg(long, value_name = "FILE.vcd")]
    pub(crate) out: PathBuf,
    /// Set one value of the preset, by its key; give it again for another one
    #[arg(long, value_name = "A.B=VALUE")]
    pub(crate) set: Vec<String>,
    /// Message size
    #[arg(long, value_name = "SIZE", default_value = "16K", value_parser = parse_one_size)]
    pub(crate) size: u64,
    /// Messages after the one that warms the caches
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) iterations: u64,
    /// First cycle to write, counted from power-on
    #[arg(long, value_name = "CYCLE", default_value_t = 0)]
    pub(crate) from: u64,
    /// Cycles to write at most; the run itself goes on to its end, so that every byte is checked
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cycles: u64,
}

#[derive(Debug, Args)]
pub(crate) struct PresetsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PresetsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PresetsCommand {
    /// Names and what they stand for
    List,
    /// Values with their evidence, published figures
    Show {
        /// Preset or TOML file
        #[arg(value_name = "NAME|FILE", value_parser = NonEmptyStringValueParser::new())]
        preset: String,
        /// Set one value of the preset, by its key; give it again for another one
        #[arg(long, value_name = "A.B=VALUE")]
        set: Vec<String>,
    },
}

/// A list of message sizes in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Sizes(pub(crate) Vec<u64>);

fn parse_sizes(list: &str) -> Result<Sizes, experiments::SizeError> {
    experiments::parse_sizes(list).map(Sizes)
}

fn parse_one_size(size: &str) -> Result<u64, experiments::SizeError> {
    match experiments::parse_sizes(size)?[..] {
        [one] => Ok(one),
        _ => Err(experiments::SizeError { given: size.into() }),
    }
}
