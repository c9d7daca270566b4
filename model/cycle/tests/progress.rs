//! The wait-for graph that the blocks declare has no cycle; the page in docs shows the same graph.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::progress::{EXTERNAL, Wait, cycle_of, waits};
use std::fmt::Write as _;

#[test]
fn waiting_has_no_cycle() {
    assert_eq!(cycle_of(&waits()), None);
}

#[test]
fn every_place_ends_in_what_the_surroundings_promise() {
    let all = waits();
    for w in &all {
        let known = all.iter().any(|v| v.holder == w.needs) || EXTERNAL.iter().any(|(name, _)| *name == w.needs);
        // The ATC's engine works on by itself.
        assert!(known || w.needs == "atc.engine", "{w:?}");
    }
}

#[test]
fn a_planted_back_edge_is_found() {
    // What the design forbids: a table fetch that waits behind data reads, a drain that waits for parked
    // segments, a tag that waits for the order of delivery.
    for (holder, needs) in [
        ("mpt.fetch", "dma.read_queue"),
        ("ats.request", "ats.invalidation"),
        ("dma.tag", "dma.read_slot"),
        ("mtt.fetch", "replay.segment"),
    ] {
        let mut all = waits();
        all.push(Wait { holder, needs, when: "planted" });
        let cycle = cycle_of(&all).unwrap();
        assert!(cycle.contains(&holder) && cycle.contains(&needs), "{cycle:?}");
    }
}

/// The page's graph and table, between its markers.
fn page() -> String {
    let mut out = String::from("```mermaid\nflowchart LR\n");
    let id = |name: &str| name.replace('.', "_");
    for w in waits() {
        writeln!(out, "  {}[{}] --> {}[{}]", id(w.holder), w.holder, id(w.needs), w.needs).unwrap();
    }
    out.push_str("```\n\n| held | needs | when |\n|---|---|---|\n");
    for w in waits() {
        writeln!(out, "| `{}` | `{}` | {} |", w.holder, w.needs, w.when).unwrap();
    }
    out.push_str("\n| the surroundings promise | |\n|---|---|\n");
    for (name, promise) in EXTERNAL {
        writeln!(out, "| `{name}` | {promise} |").unwrap();
    }
    out
}

#[test]
fn the_page_in_docs_is_the_graph_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/progress.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- graph -->\n", "<!-- /graph -->");
    let (head, rest) = text.split_once(begin).unwrap();
    let (shown, tail) = rest.split_once(end).unwrap();
    if std::env::var_os("RNIC_XLAT_REFRESH").is_some() {
        std::fs::write(path, format!("{head}{begin}{}{end}{tail}", page())).unwrap();
        return;
    }
    assert_eq!(shown, page(), "refresh with RNIC_XLAT_REFRESH=1 cargo test -p rnic-xlat-cycle --test progress");
}
