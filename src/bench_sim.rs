//! `rnic-xlat bench-sim`: how fast the simulation is, on this host, now.

use crate::failure::Failure;
use crate::output::{print, remark};
use clap::Args;
use experiments::speed::{self, SmallRequests, Timed, in_turns};
use experiments::{Model, size_label};
use serde::Serialize;
use std::fmt::Write as _;
use testbench::speed::{AtcRows, BLOCK};
use types::Mode;

/// Each of two things that are compared runs this often, in turns; the shortest counts.
const TURNS: u32 = 3;

#[derive(Args, Clone, Debug)]
pub(crate) struct BenchSimArgs {
    /// Shorter runs, in seconds: 8 MiB at most in place of 1 GiB
    #[arg(long)]
    small: bool,
    /// Print the lines as an array in JSON
    #[arg(long)]
    json: bool,
}

/// A line of the result.
#[derive(Clone, Debug, Serialize)]
struct Line {
    /// What was measured.
    what: String,
    /// Figure.
    value: f64,
    /// Its unit.
    unit: &'static str,
    /// The least, or with `at_most` the most, that is aimed at.
    target: Option<f64>,
    /// The target is an upper bound.
    at_most: bool,
}

impl Line {
    fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { what: what.into(), value, unit, target: None, at_most: false }
    }
    fn at_least(self, target: f64) -> Self {
        Self { target: Some(target), ..self }
    }
    fn at_most(self, target: f64) -> Self {
        Self { target: Some(target), at_most: true, ..self }
    }
    fn text(&self) -> String {
        let verdict = match self.target {
            None => String::new(),
            Some(target) => {
                let holds = if self.at_most { self.value <= target } else { self.value >= target };
                let sign = if self.at_most { "<=" } else { ">=" };
                format!("{sign} {target:<7} {}", if holds { "holds" } else { "MISSED" })
            }
        };
        format!("  {:<62} {:>9.3} {:<18} {verdict}", self.what, self.value, self.unit).trim_end().to_string() + "\n"
    }
}

/// The result as it grows.
struct Sheet {
    lines: Vec<Line>,
    quiet: bool,
}

impl Sheet {
    fn head(&self, text: &str) -> Result<(), Failure> {
        if self.quiet { Ok(()) } else { print(&format!("\n{text}\n")) }
    }
    fn add(&mut self, line: Line) -> Result<(), Failure> {
        if !self.quiet {
            print(&line.text())?;
        }
        self.lines.push(line);
        Ok(())
    }
}

/// What cannot be measured yet, and why.
const GAP: &str = "\
Not measured: the whole unit against Verilator (10 x) and against rust-hdl (100 x). Only `atc` exists in rust-hdl and is
exported; the top of configuration medium is not. What stands above is one block of ten.\n";

/// Measures and shows everything.
pub(crate) fn run(args: &BenchSimArgs) -> Result<(), Failure> {
    let mut sheet = Sheet { lines: Vec::new(), quiet: args.json };
    streaming(&mut sheet, args.small)?;
    idle(&mut sheet)?;
    requests(&mut sheet, args.small)?;
    bytes(&mut sheet, args.small)?;
    rust_hdl(&mut sheet)?;
    if args.json {
        remark(GAP);
        return print(&(serde_json::to_string_pretty(&sheet.lines).map_err(Failure::run)? + "\n"));
    }
    let missed = sheet.lines.iter().filter(|l| l.text().ends_with("MISSED\n")).count();
    let mut end = format!("\n{GAP}");
    // Writing to a String cannot fail.
    _ = writeln!(end, "Targets are of one core of a quiet machine of today; {missed} missed here and now.");
    print(&end)
}

fn model(preset: &str, sets: &[&str]) -> Result<Model, Failure> {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_string()).collect();
    Model::load(preset, &sets).map_err(Failure::input)
}

/// One core, line rate, with and without the passing over of idle cycles.
fn streaming(sheet: &mut Sheet, small: bool) -> Result<(), Failure> {
    let (bytes, count) = if small { (1 << 20, 1) } else { (8 << 20, 4) };
    sheet.head(&format!("The whole system at line rate: messages of {}, one core", size_label(bytes)))?;
    for (preset, sets) in [("stellar-emtt", &[][..]), ("stellar-ats", &[]), ("stellar-emtt", &["traffic.op=read"])] {
        let skipping = model(preset, sets)?;
        let every = skipping.clone().every_cycle();
        let run = |model: &Model| speed::messages(model, bytes, count);
        let (every, skipping) = in_turns(TURNS, || run(&every), || run(&skipping)).map_err(Failure::run)?;
        let name = [&[preset], sets].concat().join(" ");
        let rate = |t: &Timed| t.cycle_rate() / 1e6;
        sheet.add(Line::new(format!("{name}, every cycle"), rate(&every), "M cycles/s").at_least(2.5))?;
        sheet.add(Line::new(format!("{name}, idle cycles passed over"), rate(&skipping), "M cycles/s"))?;
    }
    Ok(())
}

/// A line that is mostly idle.
fn idle(sheet: &mut Sheet) -> Result<(), Failure> {
    sheet.head("The same on a line of 2 Gb/s, which leaves the unit idle: messages of 64 KiB")?;
    let skipping = model("stellar-emtt", &["traffic.line_gbps=2"])?;
    let every = skipping.clone().every_cycle();
    let run = |model: &Model| speed::messages(model, 64 << 10, 4);
    let (every, skipping) = in_turns(TURNS, || run(&every), || run(&skipping)).map_err(Failure::run)?;
    sheet.add(Line::new("every cycle", every.cycle_rate() / 1e6, "M cycles/s"))?;
    sheet.add(Line::new("idle cycles passed over", skipping.cycle_rate() / 1e6, "M cycles/s"))?;
    sheet.add(Line::new("cycles passed over", 100.0 * skipping.skipped as f64 / skipping.cycles as f64, "%"))?;
    sheet.add(Line::new("gain", every.seconds / skipping.seconds, "x"))
}

/// Small requests: the rate must not fall with their number.
fn requests(sheet: &mut Sheet, small: bool) -> Result<(), Failure> {
    sheet.head("Translated writes of 64 bytes, their translations in the unit")?;
    let most = if small { 100_000 } else { 1_000_000 };
    for mode in [Mode::Ats, Mode::Emtt] {
        let mut requests = SmallRequests::warm(mode).map_err(Failure::run)?;
        for count in [10_000, 100_000, 1_000_000].into_iter().filter(|n| *n <= most) {
            let time = requests.run(count).map_err(Failure::run)?;
            let what = format!("{mode}, run of {count}: {:.2} cycles each", time.cycles as f64 / time.moved as f64);
            sheet.add(Line::new(what, time.rate() / 1e6, "M requests/s").at_least(1.0))?;
        }
    }
    Ok(())
}

/// Cost over bytes, up to 1 GiB.
fn bytes(sheet: &mut Sheet, small: bool) -> Result<(), Failure> {
    sheet.head("One message, the system that carries it and the check of every byte: host time")?;
    for preset in ["stellar-emtt", "stellar-ats"] {
        let model = model(preset, &[])?;
        for log2 in (17..=30).step_by(3).chain([30]).filter(|log2| *log2 <= if small { 23 } else { 30 }) {
            let (what, bytes) = (size_label(1 << log2), 1 << log2);
            let time = speed::messages(&model, bytes, 0).map_err(Failure::run)?;
            sheet.add(Line::new(format!("{preset}, {what}: for a byte"), 1e9 * time.seconds / bytes as f64, "ns"))?;
            if log2 == 30 {
                sheet.add(Line::new(format!("{preset}, {what}"), time.seconds, "s").at_most(10.0))?;
            }
        }
    }
    Ok(())
}

/// The cycle model against rust-hdl, where both exist.
fn rust_hdl(sheet: &mut Sheet) -> Result<(), Failure> {
    sheet.head(&format!("Views of one block ({BLOCK}) on one recording in memory"))?;
    let rows = AtcRows::record(2_000).ok_or_else(|| Failure::run("there is no configuration medium"))?;
    let (cycle, slow) = (rows.cycle(50), rows.rust_hdl().map_err(Failure::run)?);
    if cycle.wrong + slow.wrong > 0 {
        return Err(Failure::Run(format!("{BLOCK}: the views differ in {} rows", cycle.wrong + slow.wrong)));
    }
    sheet.add(Line::new("cycle model", cycle.rate() / 1e3, "k cycles/s"))?;
    sheet.add(Line::new("rust-hdl", slow.rate() / 1e3, "k cycles/s"))?;
    sheet.add(Line::new("cycle model over rust-hdl", cycle.rate() / slow.rate(), "x").at_least(100.0))
}
