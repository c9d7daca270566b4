//! `rnic-xlat reproduce`: published experiments, paper against model.

use crate::failure::Failure;
use crate::output::{Folder, Target, print, remark};
use clap::Args;
use experiments::Model;
use experiments::reproduce::{Context, EXPERIMENTS, Effort, Experiment, Report, find, summary};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  rnic-xlat reproduce list                the experiments and their questions
  rnic-xlat reproduce farm                one of them: table, answer, out/farm.svg and out/farm.txt
  rnic-xlat reproduce farm --set unit.sizes.mtt_entries=8192   what would another device do?
  rnic-xlat reproduce all --json >all.json

Exit status: 0 when every figure is within its tolerance; 1 when one is not, or a run failed; 2 for bad input.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// An experiment, `all` of them, or `list` for their names
    #[arg(value_name = "NAME|all|list")]
    pub(crate) name: String,
    /// Print the reports as an array in JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// A few points of each, in seconds; figures that need more points are left out
    #[arg(long)]
    pub(crate) small: bool,
    /// Set one value of every preset of the experiment, by its key; give it again for another one
    #[arg(long, value_name = "A.B=VALUE")]
    pub(crate) set: Vec<String>,
    /// Folder for picture and report of each, made if it is not there
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// Threads [default: one a core]; results do not depend on it
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

/// Runs what is named and shows it. An error when a figure is out of tolerance or a run failed; the other experiments are
/// run all the same.
pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.name == "list" {
        return print(&EXPERIMENTS.iter().map(|e| format!("{:<10}  {}\n", e.name, e.question)).collect::<String>());
    }
    let chosen = chosen(&args.name)?;
    for preset in chosen.iter().flat_map(|e| e.presets) {
        Model::load(preset, &args.set).map_err(Failure::input)?;
    }
    let _folder = Folder::create(&args.out)?;
    let threads = args.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let context =
        Context { effort: if args.small { Effort::Small } else { Effort::Full }, threads, sets: args.set.clone() };
    let mut reports: Vec<(Report, Duration)> = Vec::new();
    let mut broken: Vec<String> = Vec::new();
    for (i, experiment) in chosen.iter().enumerate() {
        if io::stderr().is_terminal() {
            remark(&format!("{} ({} of {})\n", experiment.name, i + 1, chosen.len()));
        }
        let start = Instant::now();
        match experiment.run(&context) {
            Ok(report) => {
                let text = save(&report, &args.out)?;
                if !args.json {
                    print(&(text + "\n"))?;
                }
                reports.push((report, start.elapsed()));
            }
            Err(e) => broken.push(format!("{}: {e}", experiment.name)),
        }
    }
    if args.json {
        let all: Vec<&Report> = reports.iter().map(|(report, _)| report).collect();
        print(&(serde_json::to_string_pretty(&all).map_err(Failure::run)? + "\n"))?;
    } else if chosen.len() > 1 {
        print(&summary(&reports))?;
    }
    let missed: usize = reports.iter().map(|(report, _)| report.failed()).sum();
    if missed > 0 {
        let whole: usize = reports.iter().map(|(report, _)| report.checks.len()).sum();
        broken.push(format!("{missed} of {whole} figures are out of tolerance"));
    }
    if broken.is_empty() { Ok(()) } else { Err(Failure::run(broken.join("; "))) }
}

fn chosen(name: &str) -> Result<Vec<&'static Experiment>, Failure> {
    if name == "all" {
        return Ok(EXPERIMENTS.iter().collect());
    }
    let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
    let unknown = || Failure::input(format!("no experiment is called '{name}': {}, all", names.join(", ")));
    Ok(vec![find(name).ok_or_else(unknown)?])
}

/// Writes picture and report into `folder`; the text to show.
fn save(report: &Report, folder: &Path) -> Result<String, Failure> {
    let text = report.text();
    let mut places = Vec::new();
    for picture in &report.pictures {
        places.push(Target::create(&folder.join(format!("{}.svg", picture.name)))?.finish_with(&picture.svg)?);
    }
    places.push(Target::create(&folder.join(format!("{}.txt", report.name)))?.finish_with(&text)?);
    let places: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
    Ok(format!("{text}Written: {}\n", places.join(", ")))
}
