//! Draws a lockstep mismatch as a wave: `cargo run -p rnic-xlat-testbench --example mismatch > docs/mismatch.svg`.
//!
//! A copy of `atc` that ignores whole-function invalidations runs against the cycle model until an output differs.

use cycle::atc::Atc as Model;
use rtl::atc::Tiny;
use rtl::sim::with_stack;
use std::fmt::Write as _;
use testbench::lockstep::{Interface, Mismatch, RESET_ROWS, Stimulus, difference};
use testbench::rtl::atc::AtcRtl;
use testbench::stimulus::atc::{AtcStimulus, RandomRows};
use types::port::{AtcIn, AtcOut};
use types::{BlockDut, Dut, Ports, UnitCfg};

/// Rows drawn, and how many of them follow the mismatch.
const ROWS: usize = 34;
const AFTER: usize = 3;
/// Pixels of a row, of a signal, of the names.
const X: usize = 26;
const Y: usize = 26;
const NAMES: usize = 230;

/// A row in both views.
struct Seen {
    inputs: AtcIn,
    expected: AtcOut,
    seen: AtcOut,
}

/// Runs until a few rows after the first mismatch.
fn find() -> Result<(Vec<Seen>, Mismatch), String> {
    let cfg = UnitCfg::named("tiny").ok_or("no configuration tiny")?;
    let interface = Interface::of::<Model>(&cfg);
    let mut model = BlockDut::<Model>::new(&cfg);
    let mut broken = AtcRtl::new(&cfg, Tiny::new()).map_err(|e| e.to_string())?;
    let mut stimulus = AtcStimulus::new(&cfg, RandomRows::new(&cfg, 1), 1);
    let mut inputs = vec![0; interface.input_words()];
    let mut expected = vec![0; interface.output_words()];
    let mut seen = expected.clone();
    let (mut rows, mut found): (Vec<Seen>, Option<Mismatch>) = (vec![], None);
    for row in 0..100_000 {
        inputs.fill(0);
        stimulus.drive(row, &expected, &mut inputs);
        inputs[0] |= u64::from(row < RESET_ROWS);
        model.cycle(&inputs, &mut expected);
        let given = AtcIn::unpack(&cfg, &inputs);
        let mut heard = given;
        heard.invalidate.all = false;
        broken.step(&heard).map_err(|e| e.to_string())?.pack(&cfg, &mut seen);
        rows.push(Seen { inputs: given, expected: AtcOut::unpack(&cfg, &expected), seen: AtcOut::unpack(&cfg, &seen) });
        if row >= RESET_ROWS && found.is_none() {
            found = difference(&interface.outputs, 0, row, &expected, &seen);
        }
        if let Some(mismatch) = found.as_ref().filter(|m| row == m.row + AFTER as u64) {
            let mismatch = mismatch.clone();
            return Ok((rows.split_off(rows.len().saturating_sub(ROWS)), mismatch));
        }
    }
    Err("the views agree".into())
}

/// A signal of one bit over the rows.
type Bit = (&'static str, fn(&Seen) -> bool);

const SIGNALS: [Bit; 13] = [
    ("lookup_valid", |s| s.inputs.lookup.valid),
    ("fill_valid", |s| s.inputs.fill.valid),
    ("fill_ready", |s| s.expected.fill_ready),
    ("invalidate_valid", |s| s.inputs.invalidate.valid),
    ("invalidate_all", |s| s.inputs.invalidate.all),
    ("invalidate_ready  model", |s| s.expected.invalidate_ready),
    ("invalidate_ready  rtl", |s| s.seen.invalidate_ready),
    ("result_valid", |s| s.expected.result.valid),
    ("result_hit  model", |s| s.expected.result.hit),
    ("result_hit  rtl", |s| s.seen.result.hit),
    ("stat_miss_pending  model", |s| s.expected.stat_miss_pending),
    ("stat_miss_pending  rtl", |s| s.seen.stat_miss_pending),
    ("invalidate_done  model", |s| s.expected.invalidate_done),
];

fn svg(rows: &[Seen], mismatch: &Mismatch) -> String {
    let (width, height) = (NAMES + X * rows.len() + 20, Y * SIGNALS.len() + 90);
    let first = mismatch.row as usize + AFTER + 1 - rows.len();
    let at = NAMES + X * (mismatch.row as usize - first);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <rect x=\"{at}\" y=\"34\" width=\"{X}\" height=\"{}\" fill=\"#f9d6d2\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\" fill=\"#a1180b\">{mismatch}</text>\n",
        Y * SIGNALS.len() + 16,
    );
    // Writing to a String cannot fail.
    for n in (0..rows.len()).filter(|n| (first + n).is_multiple_of(5)) {
        let _ = writeln!(out, "<text x=\"{}\" y=\"46\" fill=\"#666666\">{}</text>", NAMES + X * n, first + n);
    }
    for (line, (name, value)) in SIGNALS.iter().enumerate() {
        let (low, high) = (72 + Y * line, 72 + Y * line - 14);
        let differs = name.ends_with("rtl");
        let colour = if differs { "#a1180b" } else { "#1b4f8a" };
        let _ = writeln!(out, "<text x=\"10\" y=\"{low}\" fill=\"{colour}\">{name}</text>");
        let mut path = String::new();
        for (n, row) in rows.iter().enumerate() {
            let y = if value(row) { high } else { low };
            let (from, to) = (NAMES + X * n, NAMES + X * (n + 1));
            let _ = write!(path, "{}{from},{y} L{to},{y} ", if n == 0 { 'M' } else { 'L' });
        }
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>");
    }
    out + "</svg>\n"
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (rows, mismatch) = with_stack(256 << 20, find)??;
    print!("{}", svg(&rows, &mismatch));
    Ok(())
}
