//! GTKWave save files: plain text that names the signals to show, their groups and radices.

use crate::group::{Radix, groups, radix};
use crate::scope::{Scope, TOP};
use std::fmt::Write;

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

/// The save file for a capture of `scopes` in `vcd_name` (a file name beside the save file): a group a block, in it a
/// group for each group of its port tables. The unit's own ports are open, blocks are folded.
pub fn save_file(vcd_name: &str, scopes: &[Scope], clock_mhz: u32) -> String {
    let mut out = String::new();
    let mut blocks: Vec<&str> = Vec::new();
    for scope in scopes {
        if !blocks.contains(&scope.block.as_str()) {
            blocks.push(&scope.block);
        }
    }
    // Zoom -z shows 2^z time units a pixel; 13 bits of picoseconds show a few cycles in a hand's breadth at 500 MHz.
    let zoom = -f64::from(1_000_000 / clock_mhz.max(1)).log2() + 2.0;
    let _ = writeln!(out, "[*] Signals of the translation unit, grouped as its port tables group them");
    let _ = writeln!(out, "[dumpfile] \"{vcd_name}\"\n[size] 1600 1000\n[pos] -1 -1");
    let _ = writeln!(out, "*{zoom:.1} 0{}", " -1".repeat(26));
    let _ = writeln!(out, "[treeopen] {TOP}.\n[sst_width] 220\n[signals_width] 320\n[sst_expanded] 1");
    trace(&mut out, flag::BINARY | flag::RIGHT, &format!("{TOP}.clock"));
    trace(&mut out, flag::DECIMAL | flag::RIGHT, &format!("{TOP}.cycle[63:0]"));
    for block in blocks {
        let parts: Vec<&Scope> = scopes.iter().filter(|s| s.block == block).collect();
        let path = parts[0].path();
        let title = if block.is_empty() { "unit" } else { block };
        let closed = if block.is_empty() { 0 } else { flag::CLOSED };
        bracket(&mut out, flag::GROUP_BEGIN | closed, title);
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
        bracket(&mut out, flag::GROUP_END | closed, title);
    }
    out
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
