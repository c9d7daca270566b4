//! One block as the text of one Verilog module.

use std::collections::{BTreeMap, BTreeSet};

use rust_hdl::prelude::{AtomKind, TypeDescriptor, TypeKind, Verilog, clog2};

use super::collect::{Node, Port};
use super::error::{Checked, Refusal};
use super::expr::{Expr, Net, Nets, Role, literal};
use super::lower::{Lower, Variants};
use super::names::{Names, enum_name, source_name, verilog_name};
use super::ports::port_list;
use super::print::{Declarations, Printer};
use super::process::processes;
use super::stmt::Stmt;

/// An instance of a sub-block, printed with the name of its module once that is known.
pub(crate) struct Instance<'a> {
    pub(crate) node: &'a Node,
    /// Position of the instance's text in the body, and the text after the module's name.
    pub(crate) text: String,
}

/// A module without its name: text before and after the instances of sub-blocks.
pub(crate) struct Body<'a> {
    /// Ports, constants and declarations.
    pub(crate) head: String,
    pub(crate) instances: Vec<Instance<'a>>,
    /// Logic and registers, without `endmodule`.
    pub(crate) tail: String,
}

/// Prints the module of `node`.
pub(crate) fn body(node: &Node) -> Checked<Body<'_>> {
    let facts = node.facts.as_ref();
    let code = match &node.hdl {
        Verilog::Combinatorial(code) => code,
        Verilog::Custom(text) if facts.is_some_and(|f| f.hand_written) && node.children.is_empty() => {
            table(node)?;
            let head = port_list(node, &|_| false);
            return Ok(Body { head, instances: vec![], tail: format!("\n{}\n", text.trim_end()) });
        }
        Verilog::Custom(_) => return Err(Refusal::CustomVerilog),
        Verilog::Empty => return Err(Refusal::NoHdl),
        _ => return Err(Refusal::BlackBox),
    };
    let Table { nets, variants, mut names } = table(node)?;
    let mut statements = vec![];
    Lower::new(&nets, &variants).block(code, &mut statements)?;
    let (clocks, statements) = clocks(statements, &nets)?;

    let mut printer = Printer::new(&nets, &mut names);
    let (mut logic, mut variables) = (String::new(), BTreeSet::new());
    for process in processes(statements, &nets)? {
        let (text, in_always) = printer.process(&process)?;
        if in_always {
            // A blank line around a block of several lines.
            logic += if logic.is_empty() || logic.ends_with("\n\n") { "" } else { "\n" };
            logic += &text;
            logic += "\n";
            variables.extend(process.targets);
        } else {
            logic += &text;
        }
    }
    let logic = logic.trim_end().to_string();

    let sheet = Sheet { node, nets: &nets, variables: &variables, clocks: &clocks };
    let mut head = port_list(node, &|path| variables.contains(path));
    head += &sheet.constants(&printer)?;
    head += &section("Signals", &sheet.signals());
    let (registers, update) = sheet.registers()?;
    head += &section("Registers", &registers);
    head += &section("Intermediate values; what is not used of them is cut off on purpose", &temporaries(&printer));
    let mut tail = String::new();
    if !logic.is_empty() {
        tail += &format!("\n{logic}\n");
    }
    tail += &update;
    Ok(Body { head, instances: sheet.instances()?, tail })
}

fn section(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n  // {title}\n{text}") }
}

/// The names of a module.
struct Table {
    nets: Nets,
    variants: Variants,
    names: Names,
}

fn table(node: &Node) -> Checked<Table> {
    let mut table = Table { nets: Nets::new(), variants: Variants::new(), names: Names::default() };
    for port in &node.ports {
        let role = match port.kind {
            AtomKind::InputParameter => Role::Input,
            AtomKind::OutputParameter => Role::Output,
            AtomKind::LocalSignal => Role::Local,
            AtomKind::Constant => Role::Constant,
            AtomKind::InOutParameter => return Err(Refusal::InOut(source_name(&port.path))),
            other => {
                let name = source_name(&port.path);
                return Err(Refusal::SignalKind { name, kind: format!("{other:?}") });
            }
        };
        table.add(port.path.clone(), port, role)?;
    }
    for child in &node.children {
        for port in &child.ports {
            let path = format!("{}${}", child.field, port.path);
            match port.kind {
                AtomKind::InputParameter => table.add(path, port, Role::ChildInput)?,
                AtomKind::OutputParameter => table.add(path, port, Role::ChildOutput)?,
                AtomKind::InOutParameter => return Err(Refusal::InOut(source_name(&path))),
                _ => {}
            }
        }
        if child.flip_flop().is_none() {
            table.names.take(&child.field)?;
        }
    }
    Ok(table)
}

impl Table {
    fn add(&mut self, path: String, port: &Port, role: Role) -> Checked<()> {
        if port.is_signed() {
            return Err(Refusal::Signed(source_name(&path)));
        }
        if port.width == 0 {
            return Err(Refusal::ZeroWidth(source_name(&path)));
        }
        add_variants(&port.descriptor, &mut self.variants)?;
        let name = self.names.take(&path)?;
        self.nets.insert(path, Net { name, width: port.width, role, clock: port.is_clock() });
        Ok(())
    }
}

fn add_variants(descriptor: &TypeDescriptor, out: &mut Variants) -> Checked<()> {
    match &descriptor.kind {
        TypeKind::Enum(labels) => {
            for (value, label) in labels.iter().enumerate() {
                let entry = (value, clog2(labels.len()));
                if out.insert(label.replace("::", "$"), entry).is_some_and(|old| old != entry) {
                    return Err(Refusal::EnumClash(descriptor.name.clone()));
                }
            }
            Ok(())
        }
        TypeKind::Composite(fields) => fields.iter().try_for_each(|field| add_variants(&field.kind, out)),
        _ => Ok(()),
    }
}

/// Clocks that are another clock passed on: path to the path it comes from.
type Clocks = BTreeMap<String, String>;

/// Takes the clock wiring out of the statements: clocks are connected by name, not through signals of their own.
fn clocks(statements: Vec<Stmt>, nets: &Nets) -> Checked<(Clocks, Vec<Stmt>)> {
    let mut clocks = Clocks::new();
    let mut rest = vec![];
    for statement in statements {
        let mut writes = BTreeSet::new();
        statement.writes(&mut writes);
        let Some(clock) = writes.into_iter().find(|net| nets[net].clock && nets[net].role != Role::Output) else {
            rest.push(statement);
            continue;
        };
        match statement {
            Stmt::Set { value: Expr::Net(from), .. } if nets[&from].clock => {
                if clocks.insert(clock.clone(), from.clone()).is_some_and(|old| old != from) {
                    return Err(Refusal::Clock(source_name(&clock)));
                }
            }
            _ => return Err(Refusal::Clock(source_name(&clock))),
        }
    }
    Ok((clocks, rest))
}

/// The parts of a module that need no expressions.
struct Sheet<'n, 'a> {
    node: &'n Node,
    nets: &'a Nets,
    /// Signals assigned in `always` blocks.
    variables: &'a BTreeSet<String>,
    clocks: &'a Clocks,
}

impl<'n> Sheet<'n, '_> {
    fn declare(&self, path: &str, out: &mut Declarations) {
        let net = &self.nets[path];
        out.add(if self.variables.contains(path) { "reg" } else { "wire" }, net.width, net.name.clone());
    }

    /// The Verilog name of the clock that arrives at `path`.
    fn clock(&self, path: &str) -> Checked<&str> {
        let mut at = path;
        for _ in 0..=self.clocks.len() {
            match self.clocks.get(at) {
                Some(from) => at = from,
                None => return Ok(&self.nets[at].name),
            }
        }
        Err(Refusal::Clock(source_name(path)))
    }

    fn constants(&self, printer: &Printer<'_>) -> Checked<String> {
        let mut out = Declarations::default();
        for port in self.node.ports.iter().filter(|port| printer.constants.contains(&port.path)) {
            let value = literal(&port.value, port.width)?;
            out.add("localparam", port.width, format!("{} = {value}", verilog_name(&port.path)));
        }
        let mut variants: Vec<_> = printer.variants.iter().collect();
        variants.sort_by_key(|(label, (value, _))| (label.split('$').next(), *value));
        for (label, (value, width)) in variants {
            out.add("localparam", *width, format!("{} = {width}'d{value}", enum_name(label)));
        }
        Ok(section("Constants", &out.text()))
    }

    /// Internal signals and the pins of sub-blocks, clocks excepted.
    fn signals(&self) -> String {
        let mut out = Declarations::default();
        let local = |port: &&Port| port.kind == AtomKind::LocalSignal && !self.clocks.contains_key(&port.path);
        for port in self.node.ports.iter().filter(local) {
            self.declare(&port.path, &mut out);
        }
        for child in self.node.children.iter().filter(|child| child.flip_flop().is_none()) {
            for port in child.ports.iter().filter(|port| port.is_pin()) {
                let path = format!("{}${}", child.field, port.path);
                if !self.clocks.contains_key(&path) {
                    self.declare(&path, &mut out);
                }
            }
        }
        out.text()
    }

    /// Declarations of the flip-flops, and one `always` block a clock.
    fn registers(&self) -> Checked<(String, String)> {
        let mut declarations = Declarations::default();
        let mut clocked: BTreeMap<&str, String> = BTreeMap::new();
        for child in &self.node.children {
            let Some(initial) = child.flip_flop() else { continue };
            let [d, q, clock] = ["d", "q", "clock"].map(|pin| format!("{}${pin}", child.field));
            let net = &self.nets[&q];
            let initial = literal(initial, net.width)?;
            declarations.add("reg", net.width, format!("{} = {initial}", net.name));
            self.declare(&d, &mut declarations);
            let update = clocked.entry(self.clock(&clock)?).or_default();
            *update += &format!("    {} <= {};\n", net.name, self.nets[&d].name);
        }
        let update = |(clock, body): (&&str, &String)| format!("\n  always @(posedge {clock}) begin\n{body}  end\n");
        Ok((declarations.text(), clocked.iter().map(update).collect()))
    }

    fn instances(&self) -> Checked<Vec<Instance<'n>>> {
        let mut out = vec![];
        for child in self.node.children.iter().filter(|child| child.flip_flop().is_none()) {
            let mut pins = vec![];
            for port in child.ports.iter().filter(|port| port.is_pin()) {
                let path = format!("{}${}", child.field, port.path);
                let net = &self.nets[&path];
                let wire = if net.clock { self.clock(&path)? } else { &net.name };
                pins.push(format!("    .{}({wire})", verilog_name(&port.path)));
            }
            let text = format!(" {} (\n{}\n  );\n", verilog_name(&child.field), pins.join(",\n"));
            out.push(Instance { node: child, text });
        }
        Ok(out)
    }
}

fn temporaries(printer: &Printer<'_>) -> String {
    let mut out = Declarations::default();
    for (name, width, text) in &printer.wires {
        out.add("wire", *width, format!("{name} = {text}"));
    }
    for (name, width) in &printer.variables {
        out.add("reg", *width, name.clone());
    }
    let out = out.text();
    if out.is_empty() {
        return out;
    }
    format!("  /* verilator lint_off UNUSEDSIGNAL */\n{out}  /* verilator lint_on UNUSEDSIGNAL */\n")
}
