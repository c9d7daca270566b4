//! What coherent regions cost, in cycles and in bits: the table of docs/concepts/coherent-emtt.md, measured and computed.

use crate::bench::{Bench, request};
use crate::coherent::{OF_FUNCTION, RANGE, coherent_with, page};
use cycle::generations::Generations;
use std::fmt::Write as _;
use types::config::NAMED;
use types::{Mode, Op, UnitCfg};

/// Cycles from the edge that takes a read to its header, everything cached.
fn read(b: &mut Bench) -> u64 {
    b.warm(1);
    let taken = b.send(request(1, 0, Op::READ, 0, 64));
    b.idle(60);
    b.tlps[0].0 - taken
}

/// Cycles from the edge that takes an Invalidate Request for a page to its completion's header, the unit at rest.
fn invalidate(b: &mut Bench) -> u64 {
    b.warm(1);
    let taken = b.cycle;
    b.invalidate(1, page(0));
    b.idle(2000);
    b.messages[0].0 - taken
}

fn ranges(cfg: &UnitCfg, ranges: u32) -> UnitCfg {
    UnitCfg { coherent_ranges: ranges, ..cfg.clone() }
}

fn row(out: &mut String, what: &str, value: impl Fn(&UnitCfg) -> String) {
    let values: Vec<String> = NAMED.iter().map(|(_, cfg)| value(cfg)).collect();
    writeln!(out, "| {what} | {} |", values.join(" | ")).unwrap();
}

fn table() -> String {
    let mut out = String::new();
    let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
    writeln!(out, "| cycles | {} |\n|---|---|---|---|---|", names.join(" | ")).unwrap();
    let plain = |mode: Mode| move |cfg: &UnitCfg| read(&mut Bench::with(cfg.clone(), mode)).to_string();
    row(&mut out, "read, plain eMTT", plain(Mode::Emtt));
    let at = |counter, generation, n| move |cfg: &UnitCfg| coherent_with(ranges(cfg, n), counter, generation);
    row(&mut out, "read, coherent, fresh entry, range of its own", |cfg| read(&mut at(RANGE, 1, 64)(cfg)).to_string());
    let shared = |cfg: &UnitCfg| read(&mut at(OF_FUNCTION, 1, 0)(cfg)).to_string();
    row(&mut out, "read, coherent, fresh entry, counter of the function", shared);
    let stale = |cfg: &UnitCfg| read(&mut at(RANGE, 0, 64)(cfg)).to_string();
    row(&mut out, "read, coherent, stale entry, translation in the ATC", stale);
    row(&mut out, "read, mode ats, translation in the ATC", plain(Mode::Ats));
    let ats = |cfg: &UnitCfg| invalidate(&mut Bench::with(cfg.clone(), Mode::Ats)).to_string();
    row(&mut out, "invalidation, mode ats", ats);
    let one = |cfg: &UnitCfg| invalidate(&mut at(RANGE, 1, 1)(cfg)).to_string();
    row(&mut out, "invalidation, coherent, 1 range", one);
    let most = |cfg: &UnitCfg| invalidate(&mut at(RANGE, 1, 256)(cfg)).to_string();
    row(&mut out, "invalidation, coherent, 256 ranges", most);
    writeln!(out, "\n| bits | {} |\n|---|---|---|---|---|", names.join(" | ")).unwrap();
    let bits = |n: u32| move |cfg: &UnitCfg| Generations::bits(&ranges(cfg, n));
    row(&mut out, "counters of the functions", |cfg| bits(0)(cfg).functions.to_string());
    for n in [16, 64] {
        row(&mut out, &format!("{n} ranges, each with its counter"), |cfg| bits(n)(cfg).ranges.to_string());
    }
    row(&mut out, "carried along in `seg`, `mtt`, `replay` and `dma`", |cfg| bits(0)(cfg).carried.to_string());
    row(&mut out, "registers", |cfg| bits(0)(cfg).registers.to_string());
    out
}

#[test]
fn the_table_in_docs_is_what_is_measured() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/concepts/coherent-emtt.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- cost -->\n", "<!-- /cost -->");
    let (head, rest) = text.split_once(begin).unwrap();
    let (shown, tail) = rest.split_once(end).unwrap();
    if std::env::var_os("RNIC_XLAT_REFRESH").is_some() {
        std::fs::write(path, format!("{head}{begin}{}{end}{tail}", table())).unwrap();
        return;
    }
    assert_eq!(shown, table(), "refresh with RNIC_XLAT_REFRESH=1 cargo test -p rnic-xlat-cycle --test unit cost");
}

#[test]
fn fresh_entries_and_invalidations_cost_no_cycle() {
    for (name, cfg) in NAMED {
        let mut plain = Bench::with(cfg.clone(), Mode::Emtt);
        let mut fresh = coherent_with(ranges(cfg, 64), RANGE, 1);
        assert_eq!(read(&mut plain), read(&mut fresh), "{name}");
        let mut ats = Bench::with(cfg.clone(), Mode::Ats);
        let mut coherent = coherent_with(ranges(cfg, 256), RANGE, 1);
        assert_eq!(invalidate(&mut ats), invalidate(&mut coherent), "{name}");
    }
}
