//! `rnic-xlat scenario`: scenario files, each with a verdict.

use crate::failure::Failure;
use crate::output::print;
use crate::wave_file::{Origin, WaveFile, Written};
use clap::Args;
use experiments::{Tap, Unobserved};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use testbench::faults::Fault;
use testbench::scenario::{Finding, Scenario, Trial, attempt};

/// Run scenario files: what is done to the unit, when, and what must be seen.
#[derive(Args, Clone, Debug)]
pub(crate) struct ScenarioArgs {
    /// Scenario file, or a folder whose .toml files are run
    #[arg(value_name = "FILE|DIR", required_unless_present = "list_faults")]
    scenarios: Vec<PathBuf>,
    /// Write the waves of the run, with a GTKWave save file beside them; for one scenario
    #[arg(long, value_name = "FILE.vcd")]
    trace: Option<PathBuf>,
    /// Plant a fault in the unit, to see how a scenario fails; --list-faults names them
    #[arg(long, value_name = "NAME")]
    fault: Option<Fault>,
    /// The faults that can be planted, and what each does
    #[arg(long, conflicts_with_all = ["scenarios", "trace", "fault"])]
    list_faults: bool,
}

/// A scenario and the file it stands in.
struct Given {
    path: PathBuf,
    scenario: Scenario,
}

/// Runs what was given. An error when a scenario fails.
pub(crate) fn run(args: &ScenarioArgs) -> Result<(), Failure> {
    if args.list_faults {
        return print(&faults());
    }
    let given = given(&args.scenarios)?;
    let alone = matches!(args.scenarios.as_slice(), [path] if !path.is_dir());
    let failed = match (given.as_slice(), &args.trace) {
        ([one], trace) if alone => single(one, args.fault, trace.as_deref())?,
        (many, Some(_)) => {
            return Err(Failure::Input(format!("--trace: give one scenario file, not {} of them", many.len())));
        }
        (many, None) => several(many, args.fault)?,
    };
    match failed {
        0 => Ok(()),
        failed => Err(Failure::Run(format!("{failed} of {} scenarios failed", given.len()))),
    }
}

/// Every file that was named or stands in a folder that was, read before anything is run.
fn given(paths: &[PathBuf]) -> Result<Vec<Given>, Failure> {
    let mut out = Vec::new();
    for path in paths {
        let files = if path.is_dir() { files_in(path)? } else { vec![path.clone()] };
        for path in files {
            let scenario = Scenario::read(&path).map_err(|e| input(&path, &e))?;
            out.push(Given { path, scenario });
        }
    }
    Ok(out)
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |e: std::io::Error| Failure::Input(format!("{}: cannot be read: {e}", folder.display()));
    let entries = std::fs::read_dir(folder).map_err(cannot)?;
    let mut files: Vec<PathBuf> = entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>().map_err(cannot)?;
    files.retain(|f| f.extension().is_some_and(|e| e == "toml") && f.is_file());
    files.sort_unstable();
    if files.is_empty() {
        return Err(Failure::Input(format!("{}: no .toml file is in this folder", folder.display())));
    }
    Ok(files)
}

/// A scenario that cannot be run.
fn input(path: &Path, finding: &Finding) -> Failure {
    Failure::Input(match finding {
        Finding::Scenario(why) => format!("{}: {why}", path.display()),
        other => format!("{}: {other}", path.display()),
    })
}

/// Runs one scenario and says all about it; how many failed.
fn single(given: &Given, fault: Option<Fault>, trace: Option<&Path>) -> Result<usize, Failure> {
    let Given { path, scenario } = given;
    let (trial, written) = match trace {
        None => (attempt(scenario, fault, Unobserved).map_err(|e| input(path, &e))?, None),
        Some(trace) => traced(given, fault, trace)?,
    };
    let last = trial.cycles.saturating_sub(1);
    let mut text = String::new();
    let word = if trial.outcome.is_ok() { "PASS" } else { "FAIL" };
    // Writing to a String cannot fail.
    let mut line = |name: &str, words: &str| _ = writeln!(text, "{name:<9}{words}");
    line(word, &path.display().to_string());
    line("right:", &scenario.title);
    if let Some(fault) = fault {
        line("planted:", &format!("{}: {fault}", fault.name()));
    }
    match &trial.outcome {
        Ok(report) => {
            if let Some(found) = &trial.found {
                line("found:", &format!("as it must be, by {}", describe(found)));
            }
            line("seen:", &report.to_string());
        }
        Err(finding) => {
            line("found:", &format!("by {}", describe(finding)));
            line(
                "when:",
                &format!("cycle {last} from power-on, {} from the end of the boot", last.saturating_sub(trial.boot)),
            );
        }
    }
    if let Some(written) = &written {
        line("waves:", &format!("{} cycles in {}", written.cycles, written.vcd.display()));
        line("", &format!("gtkwave {}", written.layout.display()));
    }
    print(&text)?;
    Ok(usize::from(trial.outcome.is_err()))
}

/// Runs one scenario while its waves are written.
fn traced(given: &Given, fault: Option<Fault>, trace: &Path) -> Result<(Trial, Option<Written>), Failure> {
    let Given { path, scenario } = given;
    let file = WaveFile::create("--trace", trace)?;
    let config = scenario.config().map_err(|e| input(path, &e))?;
    let planted = fault.map_or(String::new(), |fault| format!(" fault {}", fault.name()));
    let origin = Origin {
        unit: config.unit_cfg(),
        clock_mhz: config.unit.clock_mhz,
        comment: format!("scenario {} seed {}{planted}", path.display(), config.seed),
    };
    file.write(&origin, |waves| {
        let mut tap = Tap::new(&config, 0..u64::MAX, waves);
        let trial = attempt(scenario, fault, &mut tap);
        tap.finish().map_err(Failure::run)?;
        trial.map_err(|e| input(path, &e))
    })
}

/// Runs scenarios, a line each and a sum; how many failed.
fn several(given: &[Given], fault: Option<Fault>) -> Result<usize, Failure> {
    let mut failed = 0;
    for Given { path, scenario } in given {
        let trial = attempt(scenario, fault, Unobserved).map_err(|e| input(path, &e))?;
        let words = match (&trial.outcome, &trial.found) {
            (Ok(_), Some(found)) => format!("found as it must be, by {}", describe(found)),
            (Ok(report), None) => report.to_string(),
            (Err(finding), _) => {
                failed += 1;
                format!("cycle {}: found by {}", trial.cycles.saturating_sub(1), describe(finding))
            }
        };
        let word = if trial.outcome.is_ok() { "pass" } else { "FAIL" };
        print(&format!("{word}  {}: {}\n", path.display(), words.lines().next().unwrap_or_default()))?;
    }
    print(&format!("{} passed, {failed} failed\n", given.len() - failed))?;
    Ok(failed)
}

/// Who found what.
fn describe(finding: &Finding) -> String {
    match finding {
        Finding::Judge(violation) => format!("the judge: {violation}"),
        Finding::Checker(breach) => format!("the TLP checker: {breach}"),
        Finding::Surroundings(breach) => format!("the TLP checker, in what the surroundings sent: {breach}"),
        Finding::Expected(what) => format!("what the scenario expects: {what}"),
        other => other.to_string(),
    }
}

fn faults() -> String {
    let names: Vec<String> = Fault::TABLE.iter().map(|(fault, _)| fault.name()).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    names.iter().zip(Fault::TABLE).map(|(name, (fault, _))| format!("{name:width$}  {fault}\n")).collect()
}
