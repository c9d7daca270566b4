//! The block tree, collected through rust-hdl's `Probe`.

use rust_hdl::prelude::{Atom, AtomKind, Block, Probe, TimingInfo, TypeDescriptor, TypeKind, Verilog};

use super::expr::hex_of;
use super::info::{Facts, MARK};

/// A leaf signal of a block.
pub(crate) struct Port {
    /// Path inside the block, joined with `$`.
    pub(crate) path: String,
    pub(crate) kind: AtomKind,
    /// Bits.
    pub(crate) width: usize,
    pub(crate) descriptor: TypeDescriptor,
    /// Current value in hexadecimal: the value of a constant.
    pub(crate) value: String,
}

impl Port {
    pub(crate) fn is_clock(&self) -> bool {
        self.descriptor.name == "clock"
    }

    pub(crate) fn is_signed(&self) -> bool {
        matches!(self.descriptor.kind, TypeKind::Signed(_))
    }

    /// Whether it is a pin of the module.
    pub(crate) fn is_pin(&self) -> bool {
        matches!(self.kind, AtomKind::InputParameter | AtomKind::OutputParameter)
    }
}

/// A block and its sub-blocks.
pub(crate) struct Node {
    /// Field that holds the block.
    pub(crate) field: String,
    /// What the block says about itself, if it does.
    pub(crate) facts: Option<Facts>,
    pub(crate) ports: Vec<Port>,
    pub(crate) children: Vec<Node>,
    pub(crate) hdl: Verilog,
    pub(crate) timing: Vec<TimingInfo>,
}

impl Node {
    /// The initial value (hexadecimal) if this is rust-hdl's flip-flop, which is known by the timing it publishes and
    /// the text of its Verilog.
    pub(crate) fn flip_flop(&self) -> Option<&str> {
        let Verilog::Custom(text) = &self.hdl else { return None };
        let ["dff"] = self.timing.iter().map(|t| t.name.as_str()).collect::<Vec<_>>()[..] else { return None };
        if !text.contains("always @(posedge clock) begin\n   q <= d;\nend") {
            return None;
        }
        text.split("q = ").nth(1)?.split(';').next()?.split_once("'h").map(|(_, value)| value)
    }
}

/// The visitor; a block is complete when its scope ends.
#[derive(Default)]
struct Collect {
    /// Open blocks, each with its open namespaces (interfaces).
    open: Vec<(Node, Vec<String>)>,
    top: Option<Node>,
}

impl Probe for Collect {
    fn visit_start_scope(&mut self, name: &str, block: &dyn Block) {
        let node = Node {
            field: name.into(),
            facts: None,
            ports: vec![],
            children: vec![],
            hdl: block.hdl(),
            timing: block.timing(),
        };
        self.open.push((node, vec![]));
    }

    fn visit_start_namespace(&mut self, name: &str, block: &dyn Block) {
        if let Some((node, namespaces)) = self.open.last_mut() {
            if name == MARK {
                node.facts = Some(Facts::read(block.timing()));
            }
            namespaces.push(name.into());
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        if let Some((_, namespaces)) = self.open.last_mut() {
            namespaces.pop();
        }
    }

    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if let Some((node, namespaces)) = self.open.last_mut() {
            let path = namespaces.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("$");
            node.ports.push(Port {
                path,
                kind: atom.kind(),
                width: atom.bits(),
                descriptor: atom.descriptor(),
                value: hex_of(&atom.verilog()),
            });
        }
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        if let Some((node, _)) = self.open.pop() {
            match self.open.last_mut() {
                Some((parent, _)) => parent.children.push(node),
                None => self.top = Some(node),
            }
        }
    }
}

/// The tree under `block`; `None` if it is not a `LogicBlock`.
pub(crate) fn collect<B: Block>(block: &B) -> Option<Node> {
    let mut visitor = Collect::default();
    block.accept("top", &mut visitor);
    visitor.top
}
