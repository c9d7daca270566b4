//! `rnic-xlat`: how should an RDMA NIC translate addresses? The command line over the crates of this workspace.

mod args;
mod bench;
mod bench_sim;
mod export;
mod failure;
mod fpga;
mod output;
mod presets;
mod reproduce;
mod scenario;
mod trace;
mod wave_file;

use args::{Command, CommandLine};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let line = CommandLine::parse();
    let result = match line.command {
        None => bench::run(&line.bench),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::BenchSim(args)) => bench_sim::run(&args),
        Some(Command::Reproduce(args)) => reproduce::run(&args),
        Some(Command::Trace(args)) => trace::run(&args),
        Some(Command::Scenario(args)) => scenario::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Fpga(args)) => fpga::run(&args),
        Some(Command::Presets(args)) => presets::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
