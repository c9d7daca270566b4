//! GTKWave save files: plain text that names the signals to show, their groups and radices.

use crate::group::{Radix, groups, radix};
use crate::scope::{Scope, TOP};
use std::fmt::Write;
use std::ops::Range;
use types::ports::Direction;

/// Title of the first group.
const OVERVIEW: &str = "transfers";

/// Trace flags of a GTKWave save file: an `@` and their sum in hexadecimal.
mod flag {
    pub(super) const HEX: u32 = 1 << 1;
    pub(super) const DECIMAL: u32 = 1 << 2;
    pub(super) const BINARY: u32 = 1 << 3;
    pub(super) const RIGHT: u32 = 1 << 5;
    pub(super) const BLANK: u32 = 1 << 9;
    pub(super) const ANALOG_STEP: u32 = 1 << 15;
    pub(super) const CLOSED: u32 = 1 << 22;
    pub(super) const GROUP_BEGIN: u32 = 1 << 23;
    pub(super) const GROUP_END: u32 = 1 << 24;
}

/// Frames of 200 pixels that the wave area of a window of 1600 pixels holds, less a margin.
const FRAMES: f64 = 4.7;

/// The save file for a capture of `scopes` over `span_ps` in `vcd_name` (a file name beside the save file).
///
/// First an overview, open: every transfer in pipeline order, by the `valid` of the unit's inputs and of each block's
/// outputs. Then a group a block, folded, in it a group for each group of its port tables. The whole span is in view.
pub fn save_file(vcd_name: &str, scopes: &[Scope], span_ps: Range<u64>) -> String {
    let mut out = String::new();
    let mut blocks: Vec<&str> = Vec::new();
    for scope in scopes {
        if !blocks.contains(&scope.block.as_str()) {
            blocks.push(&scope.block);
        }
    }
    // GTKWave shows 2^-zoom time units in a frame of 200 pixels.
    let zoom = -((span_ps.end.saturating_sub(span_ps.start)).max(1) as f64 / FRAMES).log2();
    let _ = writeln!(out, "[*] Signals of the translation unit, grouped as its port tables group them");
    let _ = writeln!(out, "[dumpfile] \"{vcd_name}\"\n[timestart] {}\n[size] 1600 1000\n[pos] -1 -1", span_ps.start);
    let _ = writeln!(out, "*{zoom:.3} {}{}", span_ps.start, " -1".repeat(26));
    let _ = writeln!(out, "[treeopen] {TOP}.\n[sst_width] 220\n[signals_width] 320\n[sst_expanded] 1");
    trace(&mut out, flag::BINARY | flag::RIGHT, &format!("{TOP}.clock"));
    trace(&mut out, flag::DECIMAL | flag::RIGHT, &format!("{TOP}.cycle[63:0]"));
    overview(&mut out, scopes);
    for block in blocks {
        let parts: Vec<&Scope> = scopes.iter().filter(|s| s.block == block).collect();
        let path = parts[0].path();
        let title = parts[0].name();
        bracket(&mut out, flag::GROUP_BEGIN | flag::CLOSED, title);
        for group in groups(&parts) {
            let title = format!("{title}.{}", group.name);
            if !group.name.is_empty() {
                bracket(&mut out, flag::GROUP_BEGIN | flag::CLOSED, &title);
            }
            for (name, width) in &group.signals {
                let range = if *width > 1 { format!("[{}:0]", width - 1) } else { String::new() };
                trace(&mut out, flags(radix(name, *width)), &format!("{path}.{name}{range}"));
            }
            if !group.name.is_empty() {
                bracket(&mut out, flag::GROUP_END | flag::CLOSED, &title);
            }
        }
        bracket(&mut out, flag::GROUP_END | flag::CLOSED, title);
    }
    out
}

/// What moves, and when: the `valid` of every group that the unit takes in or that a block puts out.
fn overview(out: &mut String, scopes: &[Scope]) {
    bracket(out, flag::GROUP_BEGIN, OVERVIEW);
    let sources = scopes.iter().filter(|s| s.block.is_empty() == (s.direction == Direction::In));
    for scope in sources {
        for group in groups(&[scope]) {
            let valid = format!("{}_valid", group.name);
            // GTKWave cuts names at their last dot, so that a colon stands between block and group.
            if group.signals.iter().any(|(name, _)| *name == valid) {
                let alias = format!("+{{{}:{}}} ", scope.name(), group.name);
                trace(out, flag::BINARY | flag::RIGHT, &format!("{alias}{}.{valid}", scope.path()));
            }
        }
    }
    bracket(out, flag::GROUP_END, OVERVIEW);
}

fn flags(radix: Radix) -> u32 {
    flag::RIGHT
        | match radix {
            Radix::Bit => flag::BINARY,
            Radix::Hex => flag::HEX,
            Radix::Decimal => flag::DECIMAL,
            Radix::Analog => flag::DECIMAL | flag::ANALOG_STEP,
        }
}

fn trace(out: &mut String, flags: u32, signal: &str) {
    let _ = writeln!(out, "@{flags:x}\n{signal}");
}

fn bracket(out: &mut String, flags: u32, title: &str) {
    let _ = writeln!(out, "@{:x}\n-{title}", flags | flag::BLANK);
}
