//! Prints a rust-hdl block as Verilog-2005, one file a module.
//!
//! It works over rust-hdl's public `Block::accept`, `Probe`, `Atom` and `ast::Verilog` and never calls
//! `generate_verilog`, whose text can disagree with the simulation. Steps per module: collect the tree (`collect`), lower
//! the syntax tree (`lower`, `index`, `expr`), split it into processes and check them (`process`, `stmt`), print
//! (`print`, `always`, `module`, `ports`). What could mean something else in Verilog is refused with a [`Refusal`].
//!
//! # Coding rules for blocks
//!
//! Checked by the exporter unless marked (S), which a test over the source text checks:
//!
//! 1. `info: Info<Self>` in every block; no field name reserved in Verilog, SystemVerilog or C++.
//! 2. Ports are leaf signals `Bits<N>` or `Bit`; no `Signed`, no multiplication, no `InOut`.
//! 3. Every signal gets a whole default at the top of `update`; a Local is written before it is read.
//! 4. An arithmetic result goes into a Local of its exact width before it is a bit position.
//! 5. (S) `.index()` stands only as the whole argument of `get_bit`, `get_bits` or `replace_bit`, or as the subject of
//!    `match`: arithmetic on it is `usize` in Rust and wrapping in Verilog, with one syntax tree.
//! 6. (S) No `match` guard and no `..=` in `update`: the macro drops the guard and the `=`.
//! 7. (S) No own function whose name starts with `bits`, `Bits` or `bit_cast`: the macro takes it for a cast.
//! 8. No `const` or const generic inside an expression (a turbofish width is fine): use a `Constant` field.
//! 9. Loop variables only in array paths and as positions of `get_bit` and `replace_bit`.
//! 10. One clock, passed on unconditionally. The input of a sub-block is not read in the process that assigns it.
//! 11. (S) `Verilog::Custom` in `prim/ram*.rs` only.

mod always;
mod collect;
mod error;
mod expr;
mod index;
mod info;
mod lower;
mod module;
mod names;
mod ports;
mod print;
mod process;
mod stmt;

pub use error::{ExportError, Refusal};
pub use info::{BlockInfo, Info};

use rust_hdl::prelude::{Block, check_all};

use collect::{Node, collect};
use info::Facts;
use names::check_identifier;

/// What the caller decides about an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// Name of the top module, for instance `rnic_xlat_atc_small`.
    pub module: String,
    /// Prefix of the modules of sub-blocks, for instance `rnic_xlat_`.
    pub prefix: String,
    /// Version, printed in every header: `rnic-xlat 0.1.0`.
    pub version: String,
    /// Named configuration, printed in every header if it is not empty.
    pub config: String,
    /// Parameters of the configuration, printed in the header of the top: `(name, value)`.
    pub parameters: Vec<(String, String)>,
}

/// A printed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFile {
    /// Path relative to the export's folder: `<module>.v`, or `formal/<block>.sv` for included properties.
    pub name: String,
    /// Contents.
    pub text: String,
}

/// Exports `block` and its sub-blocks. Modules come before those that use them; the top is the last `.v` file.
///
/// Call `connect_all` on the block first. Whether it has been simulated makes no difference.
///
/// # Errors
/// Whatever cannot be printed with one certain meaning is refused.
pub fn export<B: Block>(block: &B, options: &ExportOptions) -> Result<Vec<VerilogFile>, ExportError> {
    let refuse = |refusal| ExportError { module: options.module.clone(), refusal };
    let top = collect(block).ok_or_else(|| refuse(Refusal::NotABlock))?;
    check_all(block).map_err(|e| refuse(Refusal::Check(format!("{e:?}"))))?;
    let mut modules = Modules { options, printed: vec![], formal: vec![] };
    modules.add(&top, true)?;
    let file = |module: Printed| VerilogFile { name: format!("{}.v", module.name), text: module.text };
    Ok(modules.printed.into_iter().map(file).chain(modules.formal).collect())
}

/// A module with its name.
struct Printed {
    name: String,
    /// Text from the port list on: equal bodies are one module.
    body: String,
    text: String,
}

/// The modules printed so far.
struct Modules<'a> {
    options: &'a ExportOptions,
    printed: Vec<Printed>,
    formal: Vec<VerilogFile>,
}

impl Modules<'_> {
    /// Prints `node`, its sub-blocks first, and returns the name of its module.
    fn add(&mut self, node: &Node, top: bool) -> Result<String, ExportError> {
        let facts = node.facts.clone().unwrap_or_else(|| Facts {
            name: node.field.split('$').next().unwrap_or_default().into(),
            ..Facts::default()
        });
        let wanted = if top { self.options.module.clone() } else { format!("{}{}", self.options.prefix, own(&facts)) };
        let refuse = |refusal| ExportError { module: wanted.clone(), refusal };
        check_identifier(&wanted).map_err(refuse)?;
        let printed = module::body(node).map_err(refuse)?;
        let mut body = printed.head;
        for instance in &printed.instances {
            let module = self.add(instance.node, false)?;
            body += &format!("\n  {module}{}", instance.text);
        }
        body += &printed.tail;
        body += &self.include(&facts);
        body += "endmodule\n";

        if let Some(same) = self.printed.iter().find(|module| !top && module.body == body) {
            return Ok(same.name.clone());
        }
        let taken =
            |name: &String| self.printed.iter().any(|m| m.name == *name) || (!top && *name == self.options.module);
        let numbered = (1..).map(|k| if k == 1 { wanted.clone() } else { format!("{wanted}_{k}") });
        let name = numbered.into_iter().find(|name| top || !taken(name)).unwrap_or_else(|| wanted.clone());
        let text = format!(
            "{}`default_nettype none\n\nmodule {name}{body}\n`default_nettype wire\n",
            self.header(&name, &facts, top)
        );
        self.printed.push(Printed { name: name.clone(), body, text });
        Ok(name)
    }

    /// The properties of a block: included, and a file of the export.
    fn include(&mut self, facts: &Facts) -> String {
        let Some(properties) = &facts.formal else { return String::new() };
        let file = VerilogFile { name: format!("formal/{}.sv", facts.name), text: properties.clone() };
        let include = format!("`include \"{}\"", file.name);
        if !self.formal.contains(&file) {
            self.formal.push(file);
        }
        let sizes: String =
            facts.parameters.iter().map(|(name, value)| format!("  localparam {name} = {value};\n")).collect();
        format!("\n`ifdef FORMAL\n{sizes}{include}\n`endif\n")
    }

    fn header(&self, name: &str, facts: &Facts, top: bool) -> String {
        let colon = if facts.summary.is_empty() { "" } else { ": " };
        let mut out = format!("// {name}{colon}{}\n//\n", facts.summary);
        let config = match self.options.config.as_str() {
            "" => String::new(),
            config => format!(", configuration {config}"),
        };
        out += &format!("// {}{config}\n", self.options.version);
        let own = facts.parameters.iter();
        let all: Vec<String> = own
            .chain(self.options.parameters.iter().filter(|_| top))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if !all.is_empty() {
            out += &format!("// Parameters: {}\n", all.join(", "));
        }
        out + "// Printed from the rust-hdl block of the same name; change that, not this file.\n\n"
    }
}

/// `fifo_w8_a4`: a block's own name with its parameters.
fn own(facts: &Facts) -> String {
    facts
        .parameters
        .iter()
        .fold(facts.name.clone(), |name, (key, value)| format!("{name}_{}{value}", key.to_lowercase()))
}
