//! Reading a scenario file: an error names the line, the key, its value and what is allowed.

use super::check;
use super::finding::Finding;
use super::schema::Scenario;
use serde_path_to_error::{Path as KeyPath, Segment};
use std::path::Path;
use toml::{Table, Value};

impl Scenario {
    /// The scenario of a text.
    pub fn parse(text: &str) -> Result<Self, Finding> {
        let at = |e: &toml::de::Error| match e.span() {
            Some(span) => format!("line {}: ", 1 + text.bytes().take(span.start).filter(|b| *b == b'\n').count()),
            None => String::new(),
        };
        let syntax = |e: toml::de::Error| Finding::Scenario(format!("{}{}", at(&e), e.message()));
        let reader = toml::Deserializer::parse(text).map_err(syntax)?;
        let scenario: Self = serde_path_to_error::deserialize(reader).map_err(|e| {
            let (place, key) = (at(e.inner()), assignment(text, e.path()));
            Finding::Scenario(format!("{place}{key}{}", e.inner().message()))
        })?;
        check::check(&scenario, &scenario.config()?)?;
        Ok(scenario)
    }

    /// The scenario in a file; an error does not name the file.
    pub fn read(path: &Path) -> Result<Self, Finding> {
        let text = std::fs::read_to_string(path).map_err(|e| Finding::Scenario(format!("cannot be read: {e}")))?;
        Self::parse(&text)
    }

    /// The text of a scenario.
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_else(|e| format!("# {e}"))
    }
}

/// `step[1].do.request.op = "wriet": `, as far as the key is known.
fn assignment(text: &str, path: &KeyPath) -> String {
    let mut at = text.parse::<Table>().ok().map(Value::Table);
    for segment in path {
        at = match (at, segment) {
            (Some(Value::Table(mut table)), Segment::Map { key } | Segment::Enum { variant: key }) => table.remove(key),
            (Some(Value::Array(mut array)), Segment::Seq { index }) => {
                (*index < array.len()).then(|| array.swap_remove(*index))
            }
            _ => None,
        };
    }
    match (path.iter().len(), at) {
        (0, _) => String::new(),
        (_, None | Some(Value::Table(_) | Value::Array(_))) => format!("{path}: "),
        (_, Some(value)) => format!("{path} = {value}: "),
    }
}
