//! Processes as `assign` and `always @*`.

use super::error::Checked;
use super::expr::Expr;
use super::names::enum_name;
use super::print::{Printer, part};
use super::process::Process;
use super::stmt::Stmt;

impl Printer<'_> {
    /// Prints a process; the second value says whether its targets are variables (`reg`).
    pub(crate) fn process(&mut self, process: &Process) -> Checked<(String, bool)> {
        self.targets = process.targets.clone();
        let mut comments = String::new();
        let mut code = vec![];
        for statement in &process.statements {
            match statement {
                Stmt::Comment(text) if code.is_empty() => comments += &format!("  // {text}\n"),
                other => code.push(other),
            }
        }
        if let [Stmt::Set { net, part: None, value }] = code[..] {
            let target = self.nets[net].clone();
            return Ok((
                format!("{comments}  assign {} = {};\n", target.name, self.value(value, target.width)?),
                false,
            ));
        }
        let first = self.variables.len();
        let body = self.statements(&process.statements, 2)?;
        let mut out = String::from("  always @* begin\n");
        for (name, width) in &self.variables[first..] {
            out += &format!("    {name} = {width}'h0;\n");
        }
        Ok((out + &body + "  end\n", true))
    }

    fn statements(&mut self, statements: &[Stmt], depth: usize) -> Checked<String> {
        let pad = "  ".repeat(depth);
        let mut out = String::new();
        for statement in statements {
            let text = self.statement(statement, depth)?;
            for assignment in self.pending.drain(..) {
                out += &format!("{pad}{assignment}\n");
            }
            out += &text;
        }
        Ok(out)
    }

    /// A nested block. Temporaries of the statement around it stay pending, for they stand before that statement.
    fn nested(&mut self, statements: &[Stmt], depth: usize) -> Checked<String> {
        let outer = std::mem::take(&mut self.pending);
        let text = self.statements(statements, depth)?;
        self.pending = outer;
        Ok(text)
    }

    fn statement(&mut self, statement: &Stmt, depth: usize) -> Checked<String> {
        let pad = "  ".repeat(depth);
        let mut out = String::new();
        match statement {
            Stmt::Comment(text) => out += &format!("{pad}// {text}\n"),
            Stmt::Set { net, part: bits, value } => {
                let target = self.nets[net].clone();
                let (low, width) = bits.unwrap_or((0, target.width));
                let value = self.value(value, width)?;
                out += &format!("{pad}{}{} = {value};\n", target.name, part(target.width, low, width));
            }
            Stmt::If(test, yes, no) => {
                out += &format!("{pad}if ({}) begin\n", self.value(test, 1)?);
                out += &self.nested(yes, depth + 1)?;
                let mut rest = no;
                while let [Stmt::If(test, yes, no)] = rest.as_slice() {
                    out += &format!("{pad}end else if ({}) begin\n", self.value(test, 1)?);
                    out += &self.nested(yes, depth + 1)?;
                    rest = no;
                }
                if !rest.is_empty() {
                    out += &format!("{pad}end else begin\n");
                    out += &self.nested(rest, depth + 1)?;
                }
                out += &format!("{pad}end\n");
            }
            Stmt::Case(subject, arms) => {
                let width = subject.sized(self.nets, "a match's subject")?;
                out += &format!("{pad}case ({})\n", self.value(subject, width)?);
                for (at, (label, body)) in arms.iter().enumerate() {
                    // Rust has checked that the arms cover everything, so the last may be the default: encodings that no
                    // variant has then infer no latch.
                    let head = match label {
                        Some(label) if at + 1 < arms.len() => format!("{}: begin", self.at(label, width)?),
                        Some(Expr::Variant { label, .. }) => format!("default: begin // {}", enum_name(label)),
                        _ => "default: begin".into(),
                    };
                    out += &format!("{pad}  {head}\n");
                    out += &self.nested(body, depth + 2)?;
                    out += &format!("{pad}  end\n");
                }
                out += &format!("{pad}endcase\n");
            }
        }
        Ok(out)
    }
}
