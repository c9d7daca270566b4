//! Grouping of signals, radices, and the save file against the capture it stands beside.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use types::config::NAMED;
use waves::{Capture, Radix, Scope, groups, radix, save_file, unit_scopes};

fn scopes() -> Vec<Scope> {
    unit_scopes(&NAMED[1].1)
}

fn group_names(block: &str) -> Vec<String> {
    let all = scopes();
    let parts: Vec<&Scope> = all.iter().filter(|s| s.block == block).collect();
    groups(&parts).into_iter().map(|g| g.name).collect()
}

/// The names of `expected` in their order, others between them.
fn in_order(block: &str, expected: &[&str]) {
    let names = group_names(block);
    let mut rest = names.iter();
    for name in expected {
        assert!(rest.any(|n| n == name), "{block}: {name} is missing from {names:?}, or out of order");
    }
    assert_eq!(names.last().map(String::as_str), Some("statistics"), "{block}");
}

#[test]
fn groups_are_those_of_the_port_tables() {
    in_order("dma", &["", "cfg", "segment", "write_data_request", "write_data", "posted", "read", "cpl", "completion"]);
    in_order("atc", &["", "lookup", "fill", "invalidate", "result"]);
    in_order("mpt", &["", "cfg", "control", "wr", "fill", "fetch", "room", "checked"]);
    in_order(
        "tlp_tx",
        &["", "cfg", "posted", "read", "mpt_fetch", "ats_request", "tx_wr_req_tlp", "tx_wr_sent", "tx_fc"],
    );
    // What stands inside another group is shown with it.
    for block in ["dma", "tlp_tx", "tlp_rx", "ats"] {
        let names = group_names(block);
        let nested = |n: &String| n.ends_with("pasid") || n == "tlp" || n.ends_with("_tag");
        assert!(!names.iter().any(nested), "{block}: {names:?}");
    }
}

#[test]
fn a_group_holds_both_sides_of_its_handshake_first() {
    let all = scopes();
    let parts: Vec<&Scope> = all.iter().filter(|s| s.block == "dma").collect();
    let groups = groups(&parts);
    let signals = |name: &str| -> Vec<String> {
        groups.iter().find(|g| g.name == name).unwrap().signals.iter().map(|(n, _)| n.clone()).collect()
    };
    assert_eq!(signals("write_data_request")[..2], ["write_data_request_ready", "write_data_request_valid"]);
    assert_eq!(
        signals("write_data"),
        ["write_data_valid", "write_data_ready", "write_data_data", "write_data_keep", "write_data_last"]
    );
    // The descriptor and its PASID stand inside `posted`, not beside it.
    assert!(signals("posted").contains(&"posted_tlp_pasid_value".to_string()));
    assert!(!signals("read").iter().any(|s| s.starts_with("read_data")));
}

#[test]
fn radices_fit_what_is_carried() {
    assert_eq!(radix("wr_va", 64), Radix::Hex);
    assert_eq!(radix("wr_valid", 1), Radix::Bit);
    assert_eq!(radix("wr_length", 32), Radix::Decimal);
    assert_eq!(radix("wr_pd", 24), Radix::Hex);
    assert_eq!(radix("tx_fc_pd", 12), Radix::Analog);
    assert_eq!(radix("tx_wr_req_tlp_hdr", 128), Radix::Hex);
    assert_eq!(radix("segment_tag_slot", 6), Radix::Decimal);
}

/// Signal paths of a VCD, read with the parser of another author than the capture's caller.
fn captured(scopes: &[Scope]) -> BTreeSet<String> {
    fn walk(items: &[vcd::ScopeItem], path: &str, out: &mut BTreeSet<String>) {
        for item in items {
            match item {
                vcd::ScopeItem::Scope(s) => walk(&s.items, &format!("{path}{}.", s.identifier), out),
                vcd::ScopeItem::Var(v) => {
                    let range = v.index.map(|i| i.to_string()).unwrap_or_default();
                    assert!(out.insert(format!("{path}{}{range}", v.reference)), "{path}{} twice", v.reference);
                }
                _ => {}
            }
        }
    }
    let mut file = Vec::new();
    Capture::new(&mut file, scopes, 150, "").unwrap().finish().unwrap();
    let header = vcd::Parser::new(&file[..]).parse_header().unwrap();
    let mut out = BTreeSet::new();
    walk(&header.items, "", &mut out);
    out
}

#[test]
fn save_file_names_every_captured_signal_once_and_closes_every_group() {
    for (_, cfg) in NAMED {
        let scopes = unit_scopes(cfg);
        let text = save_file("run.vcd", &scopes, 2_000..1_000_000);
        let (mut named, mut aliases) = (BTreeSet::new(), Vec::new());
        let (mut open, mut flags) = (Vec::new(), 0);
        for line in text.lines() {
            if let Some(hex) = line.strip_prefix('@') {
                flags = u32::from_str_radix(hex, 16).unwrap();
            } else if let Some(title) = line.strip_prefix('-') {
                // Bits 23 and 24 of the trace flags begin and end a group (GTKWave, analyzer.h).
                match (flags >> 23) & 3 {
                    1 => open.push(title.to_string()),
                    2 => assert_eq!(open.pop().as_deref(), Some(title)),
                    other => panic!("{title}: flags {other}"),
                }
            } else if let Some(alias) = line.strip_prefix("+{") {
                assert_eq!(open, ["transfers"], "{line}");
                aliases.push(alias.split_once("} ").unwrap());
            } else if line.starts_with("rnic_xlat.") {
                assert!(named.insert(line.to_string()), "{line} twice");
            }
        }
        assert_eq!(open, Vec::<String>::new());
        assert_eq!(named, captured(&scopes));
        // The way of a write that misses in the ATC, by the port tables' names.
        let names: Vec<&str> = aliases.iter().map(|(alias, _)| *alias).collect();
        for way in ["unit:wr", "mpt:checked", "seg:segment", "mtt:mapped", "replay:lookup", "atc:result", "replay:miss"]
        {
            assert!(names.contains(&way), "{way} is not among {names:?}");
        }
        for (alias, signal) in aliases {
            assert!(named.contains(signal), "{alias} is {signal}, which is not captured");
        }
        assert!(text.contains("[timestart] 2000\n"));
        assert!(text.contains("[dumpfile] \"run.vcd\""));
    }
}
