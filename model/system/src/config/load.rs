//! Finding, merging and reading configuration sources.

use super::check;
use super::schema::Config;
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};
use types::UnitCfg;
use types::config::NAMED;

/// Presets in the binary: name and text.
pub const PRESETS: &[(&str, &str)] = &[
    ("farm", include_str!("../../presets/farm.toml")),
    ("gdr2013", include_str!("../../presets/gdr2013.toml")),
    ("gdr2014", include_str!("../../presets/gdr2014.toml")),
    ("gdr2014-dual", include_str!("../../presets/gdr2014-dual.toml")),
    ("gdr2014-plx", include_str!("../../presets/gdr2014-plx.toml")),
    ("p2p-gen4", include_str!("../../presets/p2p-gen4.toml")),
    ("p2p-gen5", include_str!("../../presets/p2p-gen5.toml")),
    ("p2p-gen6", include_str!("../../presets/p2p-gen6.toml")),
    ("pciebench-broadwell", include_str!("../../presets/pciebench-broadwell.toml")),
    ("pciebench-ivybridge", include_str!("../../presets/pciebench-ivybridge.toml")),
    ("stellar-ats", include_str!("../../presets/stellar-ats.toml")),
    ("stellar-ats-4k", include_str!("../../presets/stellar-ats-4k.toml")),
    ("stellar-emtt", include_str!("../../presets/stellar-emtt.toml")),
];

/// Names of the presets.
pub fn preset_names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Neither a preset nor a readable file.
    #[error("{name}: not a preset ({presets}) and not a readable file: {reason}")]
    NotFound {
        /// What was asked for.
        name: String,
        /// Presets there are.
        presets: String,
        /// What the file system said.
        reason: String,
    },
    /// Not TOML.
    #[error("{file}: {reason}")]
    Syntax {
        /// File.
        file: String,
        /// Place and reason.
        reason: String,
    },
    /// A value that is not allowed.
    #[error("{file}: {key} = {value}: {allowed}")]
    Value {
        /// File, preset or `--set` the value stands in.
        file: String,
        /// Key with dots.
        key: String,
        /// Value.
        value: String,
        /// What is wrong, and what is allowed.
        allowed: String,
    },
    /// An assignment that is not KEY=VALUE.
    #[error("--set {0}: write it as a.b=value, for example unit.clock_mhz=400")]
    Assignment(String),
}

/// Sources merged so far, and which of them each value comes from.
struct Merged {
    table: Table,
    origins: BTreeMap<String, String>,
    /// The preset or file that was asked for, which has to be whole.
    asked: String,
    /// It, or a preset that it is based on, is one of [`PRESETS`].
    based: bool,
}

impl Merged {
    fn new(asked: String, based: bool) -> Self {
        Self { table: Table::new(), origins: BTreeMap::new(), asked, based }
    }

    fn add(&mut self, source: &str, table: Table) {
        let Self { table: into, origins, .. } = self;
        merge(into, table, "", &mut |key| {
            origins.insert(key.to_string(), source.to_string());
        });
    }

    /// The source of a key or of the table it is in.
    fn origin(&self, key: &str) -> &str {
        let mut key = key;
        loop {
            if let Some(origin) = self.origins.get(key) {
                return origin;
            }
            let Some(dot) = key.rfind(['.', '[']) else { break };
            key = &key[..dot];
        }
        // A key that nobody set is missing from the source that should be whole.
        &self.asked
    }

    fn value(&self, key: &str) -> String {
        let mut parts = key.split(['.', '[', ']']).filter(|part| !part.is_empty());
        let mut at = parts.next().and_then(|part| self.table.get(part));
        for part in parts {
            at = match at {
                Some(Value::Table(table)) => table.get(part),
                Some(Value::Array(array)) => part.parse().ok().and_then(|i: usize| array.get(i)),
                _ => None,
            };
        }
        match at {
            None => MISSING.into(),
            Some(Value::Table(_)) => "(table)".into(),
            Some(Value::Array(_)) => "(list)".into(),
            Some(value) => value.to_string(),
        }
    }

    fn error(&self, key: &str, allowed: impl ToString) -> ConfigError {
        let (value, mut allowed) = (self.value(key), allowed.to_string());
        if !self.based && (value == MISSING || allowed.starts_with("missing field")) {
            allowed += "; a file without base = \"PRESET\" has to give every value";
        }
        ConfigError::Value { file: self.origin(key).to_string(), key: key.to_string(), value, allowed }
    }
}

/// The value of a key that nobody set.
const MISSING: &str = "(missing)";

/// Puts `from` over `into`, table by table; evidence is kept by key.
fn merge(into: &mut Table, from: Table, path: &str, set: &mut impl FnMut(&str)) {
    for (key, value) in from {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (into.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new, &path, set),
            (Some(Value::Array(old)), Value::Array(new)) if path == "evidence" => {
                set(&path);
                for entry in new {
                    old.retain(|e| e.get("key") != entry.get("key"));
                    old.push(entry);
                }
            }
            (_, Value::Table(new)) => {
                set(&path);
                let mut table = Table::new();
                merge(&mut table, new, &path, set);
                into.insert(key, Value::Table(table));
            }
            (_, value) => {
                set(&path);
                into.insert(key, value);
            }
        }
    }
}

fn parse(file: &str, text: &str) -> Result<Table, ConfigError> {
    text.parse::<Table>()
        .map_err(|e| ConfigError::Syntax { file: file.into(), reason: e.to_string().trim_end().to_string() })
}

/// Adds a source after the preset it is based on.
fn add_source(merged: &mut Merged, file: &str, text: &str) -> Result<(), ConfigError> {
    let mut table = parse(file, text)?;
    if let Some(base) = table.remove("base") {
        let named = base.as_str().and_then(|name| PRESETS.iter().find(|(n, _)| *n == name));
        let Some((name, text)) = named else {
            let presets: Vec<_> = preset_names().collect();
            return Err(ConfigError::Value {
                file: file.into(),
                key: "base".into(),
                value: base.to_string(),
                allowed: format!("must be a preset: {}", presets.join(", ")),
            });
        };
        merged.based = true;
        add_source(merged, &format!("preset {name}"), text)?;
    }
    merged.add(file, table);
    Ok(())
}

/// Parts of the longest key of a configuration, and some to spare.
const DEEPEST: usize = 8;

/// `a.b=value` as a table; a value that is not TOML is a string.
fn assignment(text: &str) -> Result<Table, ConfigError> {
    let malformed = || ConfigError::Assignment(text.to_string());
    let (key, value) = text.split_once('=').ok_or_else(malformed)?;
    let parts: Vec<&str> = key.trim().split('.').collect();
    if parts.len() > DEEPEST || parts.iter().any(|p| p.is_empty()) {
        return Err(malformed());
    }
    let value = value.trim();
    let parsed = format!("v = {value}").parse::<Table>().ok().and_then(|mut t| t.remove("v"));
    let value = parsed.unwrap_or_else(|| Value::String(value.to_string()));
    let around = |value, part: &&str| Value::Table(Table::from_iter([((*part).to_string(), value)]));
    match parts.iter().rev().fold(value, around) {
        Value::Table(table) => Ok(table),
        _ => Err(malformed()),
    }
}

/// Puts the overrides of `unit.sizes` over the named configuration.
fn resolve_sizes(merged: &mut Merged) -> Result<(), ConfigError> {
    let names = || NAMED.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let unit = merged.table.get("unit");
    for (key, value) in [("unit", unit), ("unit.sizes", unit.and_then(|u| u.get("sizes")))] {
        if value.is_some_and(|v| !v.is_table()) {
            return Err(merged.error(key, "must be a table"));
        }
    }
    let name = unit.and_then(|u| u.get("configuration")).and_then(Value::as_str);
    let Some(sizes) = name.and_then(UnitCfg::named) else {
        return Err(merged.error("unit.configuration", format!("must be one of {}", names())));
    };
    let named = Value::try_from(&sizes).ok().and_then(|v| v.as_table().cloned()).unwrap_or_default();
    let Some(Value::Table(unit)) = merged.table.get_mut("unit") else { return Ok(()) };
    let mut whole = named;
    if let Some(Value::Table(overrides)) = unit.remove("sizes") {
        whole.extend(overrides);
    }
    unit.insert("sizes".into(), Value::Table(whole));
    Ok(())
}

impl Config {
    /// The configuration of a preset's name or a file, with `--set` assignments over it.
    pub fn load<S: AsRef<str>>(preset_or_file: &str, sets: &[S]) -> Result<Self, ConfigError> {
        let preset = PRESETS.iter().find(|(name, _)| *name == preset_or_file);
        let asked = preset.map_or(preset_or_file.to_string(), |(name, _)| format!("preset {name}"));
        let mut merged = Merged::new(asked, preset.is_some());
        match preset {
            Some((name, text)) => add_source(&mut merged, &format!("preset {name}"), text)?,
            None => {
                let text = std::fs::read_to_string(preset_or_file).map_err(|e| ConfigError::NotFound {
                    name: preset_or_file.to_string(),
                    presets: preset_names().collect::<Vec<_>>().join(", "),
                    reason: e.to_string(),
                })?;
                add_source(&mut merged, preset_or_file, &text)?;
            }
        }
        Self::finish(merged, preset_or_file, sets)
    }

    /// The configuration of a text, as if it stood in a file called `file`.
    pub fn parse<S: AsRef<str>>(file: &str, text: &str, sets: &[S]) -> Result<Self, ConfigError> {
        let mut merged = Merged::new(file.to_string(), false);
        add_source(&mut merged, file, text)?;
        Self::finish(merged, file, sets)
    }

    fn finish<S: AsRef<str>>(mut merged: Merged, name: &str, sets: &[S]) -> Result<Self, ConfigError> {
        for set in sets {
            let set = set.as_ref();
            merged.add(&format!("--set {set}"), assignment(set)?);
        }
        resolve_sizes(&mut merged)?;
        let stem = Path::new(name).file_stem().and_then(|s| s.to_str()).unwrap_or(name);
        merged.table.entry("name").or_insert_with(|| Value::String(stem.to_string()));
        let table = Value::Table(merged.table.clone());
        let cfg: Self = serde_path_to_error::deserialize(table)
            .map_err(|e| merged.error(&e.path().to_string(), first_line(&e.inner().to_string())))?;
        check::check(&cfg, &merged.table).map_err(|e| merged.error(&e.key, e.allowed))?;
        Ok(cfg)
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}
