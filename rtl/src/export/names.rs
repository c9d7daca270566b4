//! Verilog names: reserved words, collisions, and names of the exporter's own.

use std::collections::BTreeMap;

use super::error::{Checked, Refusal};

/// Reserved words of Verilog-2005 and SystemVerilog-2017 (IEEE 1800-2017, annex B).
const VERILOG: &str = "accept_on alias always always_comb always_ff always_latch and assert assign assume automatic \
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class \
    clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign default \
    defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction \
    endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endsequence \
    endspecify endtable endtask enum event eventually expect export extends extern final first_match for force \
    foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins \
    illegal_bins implements implies import incdir include initial inout input inside instance int integer \
    interconnect interface intersect join join_any join_none large let liblist library local localparam logic \
    longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor noshowcancelled \
    not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program property \
    protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase \
    randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 \
    rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal \
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super \
    supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit \
    tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until \
    until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard \
    wire with within wor xnor xor";

/// Keywords of C++20 that are not reserved above: Verilator turns a port into a C++ member.
const CPP: &str = "alignas alignof and_eq asm auto bitand bitor bool catch char char8_t char16_t char32_t \
    co_await co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete double \
    dynamic_cast explicit false float friend goto inline long mutable namespace noexcept not_eq nullptr operator \
    or_eq private public register reinterpret_cast requires short sizeof static_assert static_cast switch template \
    thread_local throw true try typeid typename using volatile wchar_t xor_eq";

/// Checks that `name` can be written in Verilog and survives Verilator.
pub(crate) fn check_identifier(name: &str) -> Checked<()> {
    if [VERILOG, CPP].iter().any(|words| words.split_whitespace().any(|word| word == name)) {
        return Err(Refusal::ReservedWord(name.into()));
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || !name.chars().all(legal) {
        return Err(Refusal::NotAnIdentifier(name.into()));
    }
    Ok(())
}

/// The Verilog name of a rust-hdl path: `child$port` becomes `child_port`.
pub(crate) fn verilog_name(path: &str) -> String {
    path.replace('$', "_")
}

/// A path as the source writes it: `child$port` becomes `child.port`.
pub(crate) fn source_name(path: &str) -> String {
    path.replace('$', ".")
}

/// The names taken in one module: Verilog name to the path it came from.
#[derive(Debug, Default)]
pub(crate) struct Names(BTreeMap<String, String>);

impl Names {
    /// Takes the Verilog name of `path`, or says why it cannot be had.
    pub(crate) fn take(&mut self, path: &str) -> Checked<String> {
        let name = verilog_name(path);
        check_identifier(&name)?;
        if let Some(first) = self.0.insert(name.clone(), path.into()) {
            return Err(Refusal::Collision { first: source_name(&first), second: source_name(path), name });
        }
        Ok(name)
    }

    /// Takes a name that the exporter makes up: `wanted_1`, `wanted_2`, the first that is free.
    pub(crate) fn make(&mut self, wanted: &str) -> String {
        let name = (1..).map(|k| format!("{wanted}_{k}")).find(|name| !self.0.contains_key(name));
        let name = name.unwrap_or_else(|| wanted.into()); // an endless range always finds one
        self.0.insert(name.clone(), name.clone());
        name
    }
}

/// `LinkState$Idle` becomes `LINK_STATE_IDLE`.
pub(crate) fn enum_name(label: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in label.chars() {
        if c == '$' {
            out.push('_');
        } else {
            if c.is_ascii_uppercase() && lower {
                out.push('_');
            }
            out.push(c.to_ascii_uppercase());
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_reserves_its_words() {
        for word in ["table", "cell", "config", "small", "medium", "large", "priority", "logic", "template", "bool"] {
            assert_eq!(check_identifier(word), Err(Refusal::ReservedWord(word.into())));
        }
        for word in ["atc", "_x", "table_1", "smaller"] {
            assert_eq!(check_identifier(word), Ok(()));
        }
        for word in ["", "1a", "a-b", "a b", "ä"] {
            assert_eq!(check_identifier(word), Err(Refusal::NotAnIdentifier(word.into())));
        }
    }

    #[test]
    fn made_up_names_avoid_taken_ones() {
        let mut names = Names::default();
        assert_eq!(names.take("cut$1"), Ok("cut_1".into()));
        assert_eq!(names.make("cut"), "cut_2");
        assert_eq!(names.make("cut"), "cut_3");
        assert!(matches!(names.take("cut_2"), Err(Refusal::Collision { .. })));
    }

    #[test]
    fn variants_read_as_constants() {
        assert_eq!(enum_name("LinkState$WaitAck"), "LINK_STATE_WAIT_ACK");
        assert_eq!(enum_name("St$Idle"), "ST_IDLE");
    }
}
