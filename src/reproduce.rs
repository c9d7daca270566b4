//! `rnic-xlat reproduce`: published experiments, paper against model.

use crate::failure::Failure;
use crate::output::{Folder, Target, print};
use clap::Args;
use experiments::reproduce::{Context, EXPERIMENTS, Effort, Experiment, Report, find};
use std::path::PathBuf;
use std::thread;

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// An experiment, or `all`; `list` names them
    #[arg(value_name = "NAME|all|list")]
    pub(crate) name: String,
    /// Print the reports as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// A few points only
    #[arg(long)]
    pub(crate) small: bool,
    /// Folder for the pictures, made if it is not there
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Threads [default: one a core]; results do not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

/// Runs what is named and shows it. An error when a figure is out of tolerance.
pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.name == "list" {
        return print(&EXPERIMENTS.iter().map(|e| format!("{:<12} {}\n", e.name, e.question)).collect::<String>());
    }
    let chosen: Vec<&Experiment> = if args.name == "all" {
        EXPERIMENTS.iter().collect()
    } else {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        let unknown = || Failure::input(format!("no experiment is called '{}': {}, all", args.name, names.join(", ")));
        vec![find(&args.name).ok_or_else(unknown)?]
    };
    let _folder = Folder::create(&args.out)?;
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let context = Context { effort: if args.small { Effort::Small } else { Effort::Full }, threads };
    let mut reports: Vec<Report> = Vec::new();
    for experiment in chosen {
        let report = experiment.run(&context).map_err(Failure::run)?;
        let mut text = report.text();
        for picture in &report.pictures {
            let place = Target::create(&args.out.join(format!("{}.svg", picture.name)))?.finish_with(&picture.svg)?;
            text += &format!("Picture: {}\n", place.display());
        }
        if !args.json {
            print(&(text + "\n"))?;
        }
        reports.push(report);
    }
    if args.json {
        print(&(serde_json::to_string_pretty(&reports).map_err(Failure::run)? + "\n"))?;
    }
    let missed: usize = reports.iter().map(Report::failed).sum();
    let whole: usize = reports.iter().map(|r| r.checks.len()).sum();
    match missed {
        0 => Ok(()),
        _ => Err(Failure::run(format!("{missed} of {whole} figures are out of tolerance"))),
    }
}
