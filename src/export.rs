//! `rnic-xlat export`: a block as Verilog, with everything needed to check it elsewhere.

use crate::failure::Failure;
use crate::output::print;
use clap::Args;
use rtl::package::Request;
use std::path::PathBuf;
use testbench::package;

/// Write a block as Verilog with file list, self-checking bench, vectors and README.
#[derive(Args, Clone, Debug)]
pub(crate) struct ExportArgs {
    /// Block to export
    #[arg(long)]
    pub(crate) block: String,
    /// Named configuration: tiny, small, medium or large
    #[arg(long)]
    pub(crate) config: String,
    /// Folder to write; an export that stands there is replaced
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// Change a size; refused unless the hardware has it
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// Writes the package.
pub(crate) fn run(args: &ExportArgs) -> Result<(), Failure> {
    let request = Request::named(&args.block, &args.config).map_err(Failure::input)?;
    let request = args.set.iter().try_fold(request, |request, value| request.set(value)).map_err(Failure::input)?;
    let files = package::write(&request, &args.out)
        .map_err(|e| if e.is_input() { Failure::input(e) } else { Failure::run(e) })?;
    let mut text = format!("{} in {}:\n", request.top(), args.out.display());
    for file in files {
        text += &format!("  {file}\n");
    }
    print(&text)
}
