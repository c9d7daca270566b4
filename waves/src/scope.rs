//! What is captured: one scope a port struct.

use types::UnitCfg;
use types::port::{
    AtcIn, AtcOut, AtsIn, AtsOut, DmaIn, DmaOut, MptIn, MptOut, MttIn, MttOut, RegsIn, RegsOut, ReplayIn, ReplayOut,
    SegIn, SegOut, TlpRxIn, TlpRxOut, TlpTxIn, TlpTxOut, UnitIn, UnitOut,
};
use types::ports::{Direction, Field, Ports};

/// Name of the outermost module of every capture: the unit.
pub const TOP: &str = "rnic_xlat";

/// One port struct of one block: the rows of [`crate::Capture::sample`] are packed rows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Block name, as in the Verilog hierarchy; empty for the unit itself.
    pub block: String,
    /// Inputs or outputs of the block.
    pub direction: Direction,
    /// Leaf signals, the first at bit 0 of a row.
    pub fields: Vec<Field>,
}

impl Scope {
    /// The port struct `P` of `block` in configuration `cfg`.
    pub fn of<P: Ports>(block: &str, cfg: &UnitCfg) -> Self {
        Self { block: block.into(), direction: P::DIRECTION, fields: P::fields(cfg) }
    }

    /// Name of the block; `unit` for the unit itself.
    pub fn name(&self) -> &str {
        if self.block.is_empty() { "unit" } else { &self.block }
    }

    /// Module path of a signal, as a viewer names it.
    pub(crate) fn path(&self) -> String {
        if self.block.is_empty() { TOP.into() } else { format!("{TOP}.{}", self.block) }
    }
}

/// Every port struct of the unit: its own ports, then the blocks in pipeline order, inputs before outputs.
pub fn unit_scopes(cfg: &UnitCfg) -> Vec<Scope> {
    fn block<I: Ports, O: Ports>(out: &mut Vec<Scope>, name: &str, cfg: &UnitCfg) {
        out.push(Scope::of::<I>(name, cfg));
        out.push(Scope::of::<O>(name, cfg));
    }
    let mut out = Vec::new();
    block::<UnitIn, UnitOut>(&mut out, "", cfg);
    block::<MptIn, MptOut>(&mut out, "mpt", cfg);
    block::<SegIn, SegOut>(&mut out, "seg", cfg);
    block::<MttIn, MttOut>(&mut out, "mtt", cfg);
    block::<ReplayIn, ReplayOut>(&mut out, "replay", cfg);
    block::<AtcIn, AtcOut>(&mut out, "atc", cfg);
    block::<AtsIn, AtsOut>(&mut out, "ats", cfg);
    block::<DmaIn, DmaOut>(&mut out, "dma", cfg);
    block::<TlpTxIn, TlpTxOut>(&mut out, "tlp_tx", cfg);
    block::<TlpRxIn, TlpRxOut>(&mut out, "tlp_rx", cfg);
    block::<RegsIn, RegsOut>(&mut out, "regs", cfg);
    out
}
