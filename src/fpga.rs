//! `rnic-xlat fpga`: area and clock rate of a block on an FPGA.

use crate::failure::Failure;
use crate::output::{Folder, print, remark};
use clap::Args;
use rtl::package::Request;
use std::path::PathBuf;
use testbench::fpga;

/// Synthesise, place and route a block for an ECP5 with open tools, and count its cells on UltraScale+.
#[derive(Args, Clone, Debug)]
pub(crate) struct FpgaArgs {
    /// Block to measure
    #[arg(long)]
    pub(crate) block: String,
    /// Named configuration: tiny, small, medium or large
    #[arg(long)]
    pub(crate) config: String,
    /// Placements and routings; minimum, median and maximum are shown
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) seeds: u32,
    /// Folder for what the tools write
    #[arg(long, default_value = "out/fpga")]
    pub(crate) out: PathBuf,
}

/// Runs the flow and prints the table.
pub(crate) fn run(args: &FpgaArgs) -> Result<(), Failure> {
    let request = Request::named(&args.block, &args.config).map_err(Failure::input)?;
    let folder = args.out.join(request.top());
    let _made = Folder::create(&folder)?;
    let report =
        fpga::measure(&request, args.seeds, &folder, |step| remark(&format!("{step}\n"))).map_err(|e| match e {
            fpga::FpgaError::Package(e) if e.is_input() => Failure::input(e),
            e => Failure::run(e),
        })?;
    print(&fpga::table(&report))
}
