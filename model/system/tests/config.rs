//! Is a configuration read as it is written, and a mistake named?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use system::Config;
use system::config::{EvidenceClass, PRESETS, preset_names};
use types::{Mode, Replacement};

fn error(sets: &[&str]) -> String {
    Config::load("stellar-ats", sets).unwrap_err().to_string()
}

#[test]
fn every_preset_loads_without_warnings_and_its_text_has_no_other_name() {
    for name in preset_names() {
        let cfg = Config::load::<&str>(name, &[]).unwrap();
        assert_eq!(cfg.name, name);
        assert_eq!(cfg.warnings(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn later_sources_override_earlier_ones() {
    let text = "base = \"stellar-ats-4k\"\n[unit]\nclock_mhz = 400\n[unit.sizes]\natc_ways = 8\n";
    let cfg = Config::parse("mine.toml", text, &["unit.sizes.atc_ways=2", "iommu.iotlb_replacement=random"]).unwrap();
    // stellar-ats says 8 sets, stellar-ats-4k 128; the file 400 MHz; --set 2 ways; the named configuration 256 read tags.
    let sizes = cfg.unit_cfg();
    assert_eq!((sizes.atc_sets, cfg.unit.clock_mhz, sizes.atc_ways, sizes.read_tags), (128, 400, 2, 256));
    assert_eq!(cfg.iommu.iotlb_replacement, Replacement::Random);
    assert_eq!(cfg.name, "mine");
}

#[test]
fn a_file_on_disk_is_read() {
    let path = std::env::temp_dir().join(format!("rnic-xlat-config-{}.toml", std::process::id()));
    std::fs::write(&path, "base = \"stellar-emtt\"\nseed = 9\n").unwrap();
    let cfg = Config::load::<&str>(path.to_str().unwrap(), &[]);
    std::fs::remove_file(&path).unwrap();
    let cfg = cfg.unwrap();
    assert_eq!((cfg.seed, cfg.unit.mode), (9, Mode::Emtt));
}

#[test]
fn unknown_keys_are_named_with_what_is_allowed() {
    for (set, key) in [
        ("unit.clock_ghz=1", "unit.clock_ghz"),
        ("iommu.walk=3", "iommu.walk"),
        ("unit.sizes.atc_set=8", "unit.sizes.atc_set"),
        ("link.nic.speed=4", "link.nic.speed"),
        ("colour=3", "colour"),
    ] {
        let message = error(&[set]);
        assert!(message.starts_with(&format!("--set {set}: {key} = ")), "{message}");
        assert!(message.contains("unknown field") && message.contains("expected"), "{message}");
    }
}

#[test]
fn a_wrong_type_or_value_names_source_key_value_and_what_is_allowed() {
    for (set, expected) in [
        ("unit.clock_mhz=fast", "--set unit.clock_mhz=fast: unit.clock_mhz = \"fast\": invalid type"),
        ("unit.mode=dirct", "--set unit.mode=dirct: unit.mode = \"dirct\": unknown variant"),
        ("unit.mode=inherit", "--set unit.mode=inherit: unit.mode = \"inherit\": must be direct, ats or emtt"),
        ("unit.configuration=huge", "unit.configuration = \"huge\": must be one of tiny, small, medium, large"),
        ("unit.sizes.atc_sets=7", "unit.sizes.atc_sets = 7: must be a power of two from 1 to 65536"),
        ("function.max_payload_bytes=300", "function.max_payload_bytes = 300: must be a power of two from 128 to 4096"),
        ("link.nic.lanes=3", "link.nic.lanes = 3: must be one of 1, 2, 4, 8, 16"),
        ("iommu.walkers=0", "iommu.walkers = 0: must be 1 to 1024"),
        ("traffic.qps=65", "traffic.qps = 65: must be 1 to 62"),
        ("function.tag_bits=6", "function.tag_bits = 6: must be one of 5, 8, 10"),
        ("unit.sizes.ats_prefetch=2", "unit.sizes.ats_prefetch = 2: invalid type"),
        ("region.translation_bytes=4096", "region.translation_bytes = 4096: must be at least"),
        ("function.smallest_translation_unit_bytes=4096", "must equal the ATC's granule"),
        ("iommu.ats=false", "iommu.ats = false: must be true"),
        ("iommu.walk_ns=-1", "iommu.walk_ns = -1: invalid value"),
    ] {
        let message = error(&[set]);
        assert!(message.contains(expected), "{message}\nshould contain\n{expected}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    // A value of a table entry below a preset is blamed on the preset.
    let text = "base = \"stellar-ats\"\n[unit.sizes]\natc_granule_log2 = 13\n";
    let message = Config::parse::<&str>("mine.toml", text, &[]).unwrap_err().to_string();
    assert!(message.starts_with("preset stellar-ats: function.smallest_translation_unit_bytes = 65536"), "{message}");
}

#[test]
fn five_bit_tags_are_enough_and_prefetch_is_off_unless_asked_for() {
    let cfg = Config::load("stellar-ats", &["function.tag_bits=5"]).unwrap();
    assert!(!cfg.unit_cfg().ats_prefetch);
    let set = Config::load("stellar-ats", &["unit.sizes.ats_prefetch=true"]).unwrap();
    assert!(set.unit_cfg().ats_prefetch);
    // Results tell them apart; spelling out the default changes nothing.
    let plain = Config::load::<&str>("stellar-ats", &[]).unwrap().fingerprint();
    let off = Config::load("stellar-ats", &["unit.sizes.ats_prefetch=false"]).unwrap().fingerprint();
    assert_eq!((plain == off, plain == set.fingerprint()), (true, false));
}

#[test]
fn emtt_pages_of_a_gpu_must_be_whole() {
    let sets = ["region.page_bytes=2097152"];
    let message = Config::load("stellar-emtt", &sets).unwrap_err().to_string();
    assert!(message.contains("region.translation_bytes = 65536: must be at least region.page_bytes"), "{message}");
}

#[test]
fn a_missing_source_or_assignment_is_told() {
    let message = Config::load::<&str>("stellar", &[]).unwrap_err().to_string();
    assert!(message.starts_with("stellar: not a preset (") && message.contains("stellar-ats, "), "{message}");
    for set in ["unit.clock_mhz", "=3", "unit..x=1"] {
        assert!(error(&[set]).contains("write it as a.b=value"), "{set}");
    }
    let message = Config::parse::<&str>("a.toml", "base = \"stellar\"\n", &[]).unwrap_err().to_string();
    assert!(message.starts_with("a.toml: base = \"stellar\": must be a preset: "), "{message}");
    let message = Config::parse::<&str>("a.toml", "[unit\n", &[]).unwrap_err().to_string();
    assert!(message.starts_with("a.toml: TOML parse error at line 1"), "{message}");
}

#[test]
fn a_unit_slower_than_the_line_is_told_but_allowed() {
    let cfg = Config::load("stellar-ats", &["unit.clock_mhz=200"]).unwrap();
    // 512 bit × 200 MHz = 102.4 Gb/s.
    assert!(cfg.warnings()[0].contains("102.4 Gb/s"), "{:?}", cfg.warnings());
}

/// Every value of a preset has its evidence, under its own key or that of a table it is in.
#[test]
fn every_figure_has_evidence() {
    for (name, _) in PRESETS {
        let cfg = Config::load::<&str>(name, &[]).unwrap();
        let keys: BTreeSet<&str> = cfg.evidence.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys.len(), cfg.evidence.len(), "{name}: evidence twice");
        let value = toml::Value::try_from(&cfg).unwrap();
        let mut leaves = Vec::new();
        collect("", &value, &mut leaves);
        for leaf in leaves {
            let told =
                leaf.match_indices('.').map(|(i, _)| &leaf[..i]).chain([leaf.as_str()]).any(|k| keys.contains(k));
            let meta = ["name", "title", "evidence", "published"].contains(&leaf.as_str());
            assert!(told || meta, "{name}: nothing says where {leaf} comes from");
        }
        assert!(cfg.evidence.iter().any(|e| e.class == EvidenceClass::Fitted));
        assert!(cfg.evidence.iter().all(|e| e.source.len() > 10), "{name}");
    }
}

fn collect(path: &str, value: &toml::Value, out: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                collect(&if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, value, out);
            }
        }
        _ => out.push(path.to_string()),
    }
}

/// An entry of a list is named with its number and its value.
#[test]
fn evidence_about_no_key_and_figures_out_of_range_are_refused() {
    let refused = |text: &str, says: &str| {
        let text = format!("base = \"stellar-ats\"\n{text}\n");
        let message = Config::parse::<&str>("a.toml", &text, &[]).unwrap_err().to_string();
        assert!(message.starts_with(&format!("a.toml: {says}")), "{message}");
    };
    let evidence = |key: &str, class: &str| {
        // The preset's own entries come first.
        let before = Config::load::<&str>("stellar-ats", &[]).unwrap().evidence.len();
        (format!("[[evidence]]\nkey = \"{key}\"\nclass = \"{class}\"\nsource = \"x\""), format!("evidence[{before}]"))
    };
    let (text, entry) = evidence("iommu.walk", "assumed");
    refused(&text, &format!("{entry}.key = \"iommu.walk\": must be a key"));
    let (text, entry) = evidence("iommu.walk_ns.x", "dreamt");
    refused(&text, &format!("{entry}.class = \"dreamt\": unknown variant"));
    let figure = "[[published]]\nx = 1\nunit = \"Gb/s\"\nrole = \"fit\"";
    refused(&format!("{figure}\ny = nan\ntolerance = 0.1"), "published[0].y = nan: must be above 0");
    refused(
        &format!("{figure}\ny = 1\ntolerance = inf"),
        "published[0].tolerance = inf: must be above 0 and at most 1",
    );
}

/// What nobody set is missing from the file that was asked for.
#[test]
fn a_file_without_a_base_has_to_be_whole() {
    for text in ["", "title = \"x\"\n", "[unit]\nconfiguration = \"tiny\"\n"] {
        let message = Config::parse::<&str>("a.toml", text, &["seed=1"]).unwrap_err().to_string();
        assert!(message.starts_with("a.toml: "), "{message}");
        assert!(message.ends_with("a file without base = \"PRESET\" has to give every value"), "{message}");
    }
}

#[test]
fn the_line_carries_what_its_headers_leave() {
    // 200 Gb/s with 82 bytes a packet (IPv4): 196, 192, 185 Gb/s at MTU 4096, 2048, 1024.
    for (mtu, gbps) in [(4096, 196.0), (2048, 192.0), (1024, 185.0)] {
        let mtu = format!("traffic.mtu_bytes={mtu}");
        let cfg = Config::load("stellar-ats", &[mtu.as_str(), "traffic.packet_overhead_bytes=82"]).unwrap();
        assert!((cfg.line_payload_gbps() - gbps).abs() < 0.5, "{mtu}: {}", cfg.line_payload_gbps());
    }
}
