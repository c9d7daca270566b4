//! A configuration for people: every value with its evidence, and the published figures.

use crate::model::Model;
use crate::sizes::size_label;
use std::fmt::Write;
use system::config::{Evidence, EvidenceClass, Role};
use toml::{Table, Value};

/// The name of a class of evidence, as it is written in presets.
pub(crate) fn class_name(class: EvidenceClass) -> &'static str {
    match class {
        EvidenceClass::Documented => "documented",
        EvidenceClass::Measured => "measured",
        EvidenceClass::Derived => "derived",
        EvidenceClass::Fitted => "fitted",
        EvidenceClass::Assumed => "assumed",
    }
}

/// Every value of a model's configuration with the class of its evidence, then the sources, then published figures.
pub fn describe(model: &Model) -> String {
    let config = model.config();
    let mut out = format!(
        "{}: {}\n{}, region translated as {}, configuration {}\n\n",
        model.source(),
        config.title,
        model.clock_and_width(),
        model.mode(),
        model.config_hash()
    );
    // Serialising what was just deserialised cannot fail; if it did, the values would be missing and the evidence still said.
    let table = Table::try_from(config).unwrap_or_default();
    let mut values = Vec::new();
    for (key, value) in &table {
        if !["evidence", "published", "name", "title"].contains(&key.as_str()) {
            flatten(key, value, &mut values);
        }
    }
    let width = values.iter().map(|(key, value)| key.len() + value.len() + 3).max().unwrap_or(0).min(60);
    for (key, value) in &values {
        let class = evidence_of(&config.evidence, key).map_or("no evidence", |e| class_name(e.class));
        let _ = writeln!(out, "{:width$}  {class}", format!("{key} = {value}"));
    }
    out += "\nEvidence, by key or by the table that it stands for:\n";
    for e in &config.evidence {
        let _ = writeln!(out, "  {} ({}): {}", e.key, class_name(e.class), e.source);
    }
    if !config.published.is_empty() {
        out += "\nPublished figures:\n";
    }
    for p in &config.published {
        let role = match p.role {
            Role::Fit => "values were fitted to it",
            Role::Validate => "nothing was fitted to it",
        };
        let within = match (p.tolerance, p.within) {
            (part, _) if part > 0.0 => format!("{} %", 100.0 * part),
            (_, span) if span > 0.0 => format!("{span} {}", p.unit),
            _ => format!("a factor of {}", p.factor),
        };
        // A figure that is itself a size has no other.
        let size = if p.x == 0 { "-".into() } else { size_label(p.x) };
        let quantity = if p.quantity.is_empty() { String::new() } else { format!(" ({})", p.quantity) };
        let _ = writeln!(out, "  {size:>8}  {} {}, within {within}: {role}{quantity}", p.y, p.unit);
    }
    for warning in config.warnings() {
        let _ = writeln!(out, "\nwarning: {warning}");
    }
    out
}

/// Leaves with dotted keys.
fn flatten(key: &str, value: &Value, out: &mut Vec<(String, String)>) {
    match value {
        Value::Table(table) => table.iter().for_each(|(k, v)| flatten(&format!("{key}.{k}"), v, out)),
        leaf => out.push((key.into(), leaf.to_string())),
    }
}

/// The evidence of a key: its own, or that of the nearest table around it.
fn evidence_of<'a>(evidence: &'a [Evidence], key: &str) -> Option<&'a Evidence> {
    let mut key = key;
    loop {
        if let Some(found) = evidence.iter().find(|e| e.key == key) {
            return Some(found);
        }
        key = &key[..key.rfind('.')?];
    }
}
