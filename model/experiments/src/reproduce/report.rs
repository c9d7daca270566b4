//! What an experiment reports: paper against model, tables, pictures, words.

use serde::Serialize;
use std::fmt::Write;
use system::config::{Config, Published, Role};

/// What a figure is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Values of the preset were chosen so that the model meets it.
    Fit,
    /// Published, and nothing was chosen for it.
    Validate,
    /// Not a published number: what must come out by itself if the mechanism is right.
    Control,
}

/// How a model's value is judged against the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judge {
    /// At most this fraction away.
    Relative(f64),
    /// At most this far away, in the unit of the figure.
    Within(f64),
    /// At most this ratio away, either way.
    Factor(f64),
    /// Not below it.
    AtLeast,
    /// Not above it.
    AtMost,
}

impl Judge {
    fn met(self, expected: f64, model: f64) -> bool {
        match self {
            Self::Relative(part) => (model - expected).abs() <= part * expected.abs(),
            Self::Within(span) => (model - expected).abs() <= span,
            // A hair more, for figures that are whole steps apart.
            Self::Factor(factor) => model > 0.0 && (model / expected).ln().abs() <= factor.ln() + 1e-9,
            Self::AtLeast => model >= expected,
            Self::AtMost => model <= expected,
        }
    }
}

impl std::fmt::Display for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Self::Relative(part) => format!("{} %", number(part * 100.0)),
            Self::Within(span) => format!("+- {}", number(*span)),
            Self::Factor(factor) => format!("x {}", number(*factor)),
            Self::AtLeast => "at least".into(),
            Self::AtMost => "at most".into(),
        };
        f.pad(&text)
    }
}

/// One figure beside the model's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What it is.
    pub what: String,
    /// Unit.
    pub unit: String,
    /// The published figure, or the bound of a control.
    pub paper: f64,
    /// The model's.
    pub model: f64,
    /// Distance as a fraction of the published figure.
    pub error: f64,
    /// How it is judged.
    pub tolerance: Judge,
    /// What it is for.
    pub role: Standing,
    /// Whether the tolerance is met.
    pub met: bool,
}

impl Check {
    /// A check.
    pub fn new(what: &str, unit: &str, (paper, model): (f64, f64), tolerance: Judge, role: Standing) -> Self {
        let error = if paper == 0.0 { 0.0 } else { model / paper - 1.0 };
        let met = tolerance.met(paper, model);
        Self { what: what.into(), unit: unit.into(), paper, model, error, tolerance, role, met }
    }

    /// A published figure of a preset.
    pub fn published(what: &str, point: &Published, model: f64) -> Self {
        let tolerance = if point.tolerance > 0.0 {
            Judge::Relative(point.tolerance)
        } else if point.within > 0.0 {
            Judge::Within(point.within)
        } else {
            Judge::Factor(point.factor)
        };
        let role = match point.role {
            Role::Fit => Standing::Fit,
            Role::Validate => Standing::Validate,
        };
        Self::new(what, &point.unit, (point.y, model), tolerance, role)
    }

    /// A control: `model` compared with `bound`.
    pub fn control(what: &str, unit: &str, bound: f64, tolerance: Judge, model: f64) -> Self {
        Self::new(what, unit, (bound, model), tolerance, Standing::Control)
    }
}

/// The published figures of one quantity.
pub(super) fn figures<'a>(cfg: &'a Config, quantity: &'a str) -> impl Iterator<Item = &'a Published> {
    cfg.published.iter().filter(move |p| p.quantity == quantity)
}

/// A table of results.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<String>>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picture {
    /// Name of the file without its ending.
    pub name: String,
    /// SVG.
    #[serde(skip)]
    pub svg: String,
}

/// A preset as an experiment starts from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// Clock of the unit, MHz.
    pub clock_mhz: u32,
    /// Width of the unit's data streams, bits.
    pub data_bits: u32,
    /// Seed of its runs.
    pub seed: u64,
    /// Hash of the whole configuration, before overrides.
    pub config_hash: String,
}

/// The outcome of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Name of the experiment.
    pub name: String,
    /// The question.
    pub question: String,
    /// Version of the program.
    pub version: String,
    /// Presets used.
    pub presets: Vec<Preset>,
    /// Clock and width of the unit.
    pub clock: String,
    /// Figures.
    pub checks: Vec<Check>,
    /// Tables.
    pub grids: Vec<Grid>,
    /// The answer, drawn from the runs.
    pub answer: Vec<String>,
    /// What has to be said beside it.
    pub notes: Vec<String>,
    /// Pictures.
    pub pictures: Vec<Picture>,
}

impl Report {
    /// How many checks have a role, and how many of those are met.
    pub fn tally(&self, role: Standing) -> (usize, usize) {
        let of_role = || self.checks.iter().filter(|c| c.role == role);
        (of_role().count(), of_role().filter(|c| c.met).count())
    }

    /// Checks that were not met.
    pub fn failed(&self) -> usize {
        self.checks.iter().filter(|c| !c.met).count()
    }

    /// The report for a person.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {}\n", self.name, self.question);
        // Writing to a string cannot fail.
        for p in &self.presets {
            let (bits, mhz) = (p.data_bits, p.clock_mhz);
            let _ =
                writeln!(out, "{}: {bits} bits at {mhz} MHz, seed {}, configuration {}", p.name, p.seed, p.config_hash);
        }
        out += "\n";
        let row = |c: &Check| {
            let error = if c.tolerance == Judge::AtLeast || c.tolerance == Judge::AtMost {
                "-".into()
            } else {
                format!("{:+.1} %", 100.0 * c.error)
            };
            let role = match c.role {
                Standing::Fit => "fit",
                Standing::Validate => "validate",
                Standing::Control => "control",
            };
            let verdict = if c.met { "met" } else { "NOT MET" };
            [
                c.what.clone(),
                number(c.paper),
                number(c.model),
                c.unit.clone(),
                error,
                c.tolerance.to_string(),
                role.into(),
                verdict.into(),
            ]
            .to_vec()
        };
        let head = ["figure", "paper", "model", "unit", "error", "tolerance", "role", "verdict"];
        let checks = Grid {
            title: String::new(),
            columns: head.iter().map(|h| (*h).into()).collect(),
            rows: self.checks.iter().map(row).collect(),
        };
        out += &checks.text();
        for grid in &self.grids {
            out += &format!("\n{}\n{}", grid.title, grid.text());
        }
        out += "\n";
        for line in self.answer.iter().chain(&self.notes) {
            out += &format!("{line}\n");
        }
        out
    }
}

impl Grid {
    /// Columns in line; the first to the left, the others to the right.
    fn text(&self) -> String {
        let mut width: Vec<usize> = self.columns.iter().map(|c| c.chars().count()).collect();
        for row in &self.rows {
            for (w, cell) in width.iter_mut().zip(row) {
                *w = (*w).max(cell.chars().count());
            }
        }
        let line = |cells: &[String]| {
            let mut text = String::from(" ");
            for (i, (cell, w)) in cells.iter().zip(&width).enumerate() {
                let _ = if i == 0 { write!(text, " {cell:<w$}") } else { write!(text, "  {cell:>w$}") };
            }
            text + "\n"
        };
        let mut out = line(&self.columns);
        let _ = writeln!(out, "  {}", "-".repeat(width.iter().sum::<usize>() + 2 * width.len().saturating_sub(1)));
        self.rows.iter().for_each(|row| out += &line(row));
        out
    }
}

/// What several experiments came to: a line each, and every figure that is out of its tolerance.
pub fn summary(reports: &[(Report, std::time::Duration)]) -> String {
    let roles = [Standing::Fit, Standing::Validate, Standing::Control];
    let row = |(report, time): &(Report, std::time::Duration)| {
        let mut row = vec![report.name.clone()];
        row.extend(roles.map(|role| match report.tally(role) {
            (0, _) => "-".into(),
            (all, met) => format!("{met} of {all}"),
        }));
        row.push(format!("{:.0} s", time.as_secs_f64()));
        row
    };
    let columns = ["met", "fit", "validate", "control", "time"].map(String::from).to_vec();
    let mut out = Grid { title: String::new(), columns, rows: reports.iter().map(row).collect() }.text();
    for (report, _) in reports {
        for c in report.checks.iter().filter(|c| !c.met) {
            let (paper, model) = (number(c.paper), number(c.model));
            let _ = writeln!(
                out,
                "not met: {}, {}: {model} {}, against {paper} ({})",
                report.name, c.what, c.unit, c.tolerance
            );
        }
    }
    out
}

/// A number with as many digits as say something.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        v if v == v.round() && v < 1e9 => format!("{value:.0}"),
        v if v >= 100.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tolerance_is_judged_at_its_edge() {
        // 5 % of 200 is 10; 210 is in, 211 is out.
        assert!(Judge::Relative(0.05).met(200.0, 210.0) && !Judge::Relative(0.05).met(200.0, 211.0));
        assert!(Judge::Within(5.0).met(490.0, 485.0) && !Judge::Within(5.0).met(490.0, 484.9));
        assert!(Judge::Factor(2.0).met(32.0, 64.0) && Judge::Factor(2.0).met(32.0, 16.0));
        assert!(!Judge::Factor(2.0).met(32.0, 65.0) && !Judge::Factor(2.0).met(32.0, 0.0));
        assert!(Judge::AtLeast.met(10.0, 10.0) && !Judge::AtLeast.met(10.0, 9.9));
        assert!(Judge::AtMost.met(10.0, 10.0) && !Judge::AtMost.met(10.0, 10.1));
    }

    #[test]
    fn a_figure_that_is_missed_is_seen() {
        let check = Check::control("x", "ns", 10.0, Judge::AtLeast, 9.0);
        let report = Report { checks: vec![check], ..Report::default() };
        assert_eq!(report.failed(), 1);
        assert!(report.text().contains("NOT MET"));
    }
}
