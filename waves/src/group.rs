//! How a viewer shows the signals of a block: grouped as the port tables group them, each in a fitting radix.

use crate::scope::Scope;
use types::ports::{Direction, Field};

/// Groups that stand inside another group of the port tables and are shown with it, although they have a `valid`.
const NESTED: [&str; 3] = ["pasid", "tlp", "coherent"];

/// A number format of a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// A single bit.
    Bit,
    /// Addresses, data, headers, masks.
    Hex,
    /// Sizes, indices, identifiers.
    Decimal,
    /// Levels that are read as a curve: credits.
    Analog,
}

/// Signals of one block that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name from the port table; `statistics` for the `stat_*` ports, empty for signals that stand alone.
    pub name: String,
    /// Signal names and widths, in table order, handshake first.
    pub signals: Vec<(String, u32)>,
}

/// The groups of one block, over all its scopes; signals that stand alone come first, statistics last.
pub fn groups(scopes: &[&Scope]) -> Vec<Group> {
    let fields: Vec<(&Field, Direction)> =
        scopes.iter().flat_map(|s| s.fields.iter().map(|f| (f, s.direction))).collect();
    let heads = heads(&fields);
    let mut out = vec![Group { name: String::new(), signals: Vec::new() }];
    let mut place = |name: String, field: &Field| {
        let index = out.iter().position(|g| g.name == name).unwrap_or_else(|| {
            out.push(Group { name, signals: Vec::new() });
            out.len() - 1
        });
        out[index].signals.push((field.name.clone(), field.width));
    };
    for &(field, direction) in &fields {
        if field.name.starts_with("stat_") || field.name == "stat" {
            place("statistics".into(), field);
        } else if let Some(head) = head_of(&heads, field, direction) {
            place(head.to_string(), field);
        } else {
            place(without_handshake(&fields, &heads, field), field);
        }
    }
    for group in &mut out {
        group.signals.sort_by_key(|(name, _)| !is_handshake(name, &group.name));
    }
    out.sort_by_key(|g| (!g.name.is_empty()) as u8 + (g.name == "statistics") as u8);
    out.retain(|g| !g.signals.is_empty());
    out
}

fn is_handshake(signal: &str, group: &str) -> bool {
    signal.strip_prefix(group).is_some_and(|rest| rest == "_valid" || rest == "_ready")
}

/// Names of groups that have a `valid`, with the side that drives it.
fn heads(fields: &[(&Field, Direction)]) -> Vec<(String, Direction)> {
    let all: Vec<_> =
        fields.iter().filter_map(|(f, d)| f.name.strip_suffix("_valid").map(|p| (p.to_string(), *d))).collect();
    let nested = |(name, side): &(String, Direction)| {
        NESTED.iter().any(|inner| {
            name.strip_suffix(inner).and_then(|n| n.strip_suffix('_')).is_some_and(|outer| {
                all.iter().any(|(head, s)| s == side && (outer == head || outer.starts_with(&format!("{head}_"))))
            })
        })
    };
    all.iter().filter(|head| !nested(head)).cloned().collect()
}

/// The group a signal belongs to: a `ready` to the group of that very name, which the other side drives; anything else
/// to the longest matching name on its own side.
fn head_of<'a>(heads: &'a [(String, Direction)], field: &Field, direction: Direction) -> Option<&'a str> {
    if let Some(name) = field.name.strip_suffix("_ready")
        && let Some((head, _)) = heads.iter().find(|(head, side)| head == name && *side != direction)
    {
        return Some(head);
    }
    let member = |head: &str| field.name.strip_prefix(head).is_some_and(|rest| rest.starts_with('_'));
    let longest = heads.iter().filter(|(head, side)| *side == direction && member(head)).max_by_key(|(h, _)| h.len());
    longest.map(|(head, _)| head.as_str())
}

/// A group without a `valid` (credits, table registers): the words that the signals of one first word share. A signal
/// that shares its first word with no other stands alone.
fn without_handshake(fields: &[(&Field, Direction)], heads: &[(String, Direction)], field: &Field) -> String {
    let first = |f: &Field| f.name.split('_').next().unwrap_or_default().to_string();
    let peers: Vec<Vec<&str>> = fields
        .iter()
        .filter(|(f, d)| first(f) == first(field) && head_of(heads, f, *d).is_none())
        .map(|(f, _)| f.name.split('_').collect())
        .collect();
    if peers.len() < 2 {
        return String::new();
    }
    let shared = peers[0].iter().enumerate().take_while(|(i, w)| peers.iter().all(|p| p.get(*i) == Some(w))).count();
    peers[0][..shared].join("_")
}

/// The radix of a signal: from its width and the last words of its name.
pub fn radix(name: &str, width: u32) -> Radix {
    const DECIMAL: [&str; 18] = [
        "length", "dw", "count", "id", "index", "slot", "stream", "function", "log2", "seq", "epoch", "tag", "offset",
        "entries", "cycle", "mps", "mrrs", "stu",
    ];
    const ANALOG: [&str; 4] = ["ph", "pd", "nph", "npd"];
    let last = name.rsplit('_').next().unwrap_or(name);
    match last {
        _ if width == 1 => Radix::Bit,
        // A protection domain is called `pd` as well; credits stand in `tx_fc`.
        _ if ANALOG.contains(&last) && name.contains("fc_") => Radix::Analog,
        _ if DECIMAL.contains(&last) => Radix::Decimal,
        _ => Radix::Hex,
    }
}
