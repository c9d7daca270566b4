//! The ANSI port list, grouped and aligned.

use rust_hdl::prelude::AtomKind;

use super::collect::{Node, Port};
use super::names::verilog_name;
use super::print::range;

/// ` (`, the ports, `);`. `variable` says which outputs are assigned in an `always` block.
pub(crate) fn port_list(node: &Node, variable: &dyn Fn(&str) -> bool) -> String {
    let ports: Vec<&Port> = node.ports.iter().filter(|port| port.is_pin()).collect();
    let names: Vec<String> = ports.iter().map(|port| verilog_name(&port.path)).collect();
    let headings = headings(node, &names);
    let column = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let mut out = String::from(" (\n");
    for (at, port) in ports.iter().enumerate() {
        if let Some(heading) = &headings[at] {
            out += if at == 0 { "" } else { "\n" };
            if !heading.is_empty() {
                out += &format!("  // {heading}\n");
            }
        }
        let direction = match port.kind {
            AtomKind::InputParameter => "input  wire",
            _ if variable(&port.path) => "output reg ",
            _ => "output wire",
        };
        let comma = if at + 1 == ports.len() { "" } else { "," };
        out += &format!("  {direction} {:column$}{}{comma}\n", range(port.width), names[at]);
    }
    out + ");\n"
}

/// For each port, the comment above it if a group starts there; an empty one is a blank line.
fn headings(node: &Node, names: &[String]) -> Vec<Option<String>> {
    let groups = node.facts.as_ref().map_or(&[][..], |facts| &facts.groups);
    if !groups.is_empty() {
        let heading = |name: &String| groups.iter().find(|g| g.0 == *name).map(|g| g.1.clone());
        return names.iter().map(heading).collect();
    }
    let prefix = |name: &String| name.split_once('_').map(|(prefix, _)| prefix.to_string());
    let prefixes: Vec<Option<String>> = names.iter().map(prefix).collect();
    let grouped = |at: usize| {
        let own = prefixes.get(at).cloned().flatten();
        let next = prefixes.get(at + 1).cloned().flatten();
        let before = at.checked_sub(1).and_then(|b| prefixes[b].clone());
        own.filter(|own| before.as_ref() == Some(own) || next.as_ref() == Some(own))
    };
    let group = |at: usize| (at < names.len()).then(|| grouped(at)).flatten();
    (0..names.len())
        .map(|at| {
            let (own, before) = (group(at), at.checked_sub(1).and_then(group));
            match own {
                _ if own == before => None,
                Some(prefix) => Some(format!("{prefix}_*")),
                None => Some(String::new()),
            }
        })
        .collect()
}
