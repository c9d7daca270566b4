//! What a block says about itself that rust-hdl's probe does not reveal.

use std::marker::PhantomData;

use rust_hdl::prelude::{Block, Logic, Probe, TimingInfo};

/// Facts about a block type that the exporter prints.
///
/// rust-hdl's `Probe` shows a block only as `&dyn Block`: no type name and no generics. A block therefore carries the
/// field `info: Info<Self>`, which hands these facts over. A block without it is named after the field that holds it.
pub trait BlockInfo {
    /// Verilog base name, for instance `fifo`; the exporter adds prefix and parameters.
    const NAME: &'static str;
    /// One line for the header comment, without a full stop.
    const SUMMARY: &'static str;
    /// Comments above ports: `(first port of the group, comment)`. Empty: ports are grouped by common name prefix.
    const GROUPS: &'static [(&'static str, &'static str)] = &[];
    /// Text of `formal/<NAME>.sv`, the properties included before `endmodule` under `` `ifdef FORMAL ``.
    const FORMAL: Option<&'static str> = None;
    /// Whether `Logic::hdl` is hand-written Verilog. Only memories may say so.
    const HAND_WRITTEN: bool = false;
    /// Size parameters: `(name, value)`, in the order in which they become part of the module's name.
    fn parameters() -> Vec<(&'static str, usize)> {
        Vec::new()
    }
}

/// Zero-sized field of a block that hands its [`BlockInfo`] to the exporter: `info: Info<Self>`.
#[derive(Clone, Debug)]
pub struct Info<T>(PhantomData<fn() -> T>);

impl<T> Default for Info<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// Namespace name under which the marker visits; no signal can have it, for it is not an identifier.
pub(crate) const MARK: &str = "<block info>";

/// The facts of [`BlockInfo`], as collected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) groups: Vec<(String, String)>,
    pub(crate) formal: Option<String>,
    pub(crate) hand_written: bool,
    pub(crate) parameters: Vec<(String, String)>,
}

impl Facts {
    /// Reads the facts back from the entries that [`Info`] published.
    pub(crate) fn read(entries: Vec<TimingInfo>) -> Self {
        let mut facts = Self::default();
        for TimingInfo { name: key, clock: value, mut inputs, .. } in entries {
            let detail = inputs.pop().unwrap_or_default();
            match key.as_str() {
                "name" => facts.name = value,
                "summary" => facts.summary = value,
                "group" => facts.groups.push((value, detail)),
                "formal" => facts.formal = Some(value),
                "hand_written" => facts.hand_written = true,
                _ => facts.parameters.push((value, detail)),
            }
        }
        facts
    }
}

impl<T: BlockInfo> Logic for Info<T> {
    fn update(&mut self) {}

    /// `TimingInfo` is the one structured value that a `&dyn Block` can hand out; it carries the facts as
    /// (key, value, detail). rust-hdl reads it for flip-flops and memories only.
    fn timing(&self) -> Vec<TimingInfo> {
        let entry = |key: &str, value: &str, detail: &str| TimingInfo {
            name: key.into(),
            clock: value.into(),
            inputs: vec![detail.into()],
            outputs: vec![],
        };
        let mut out = vec![entry("name", T::NAME, ""), entry("summary", T::SUMMARY, "")];
        out.extend(T::GROUPS.iter().map(|(first, comment)| entry("group", first, comment)));
        out.extend(T::FORMAL.map(|text| entry("formal", text, "")));
        if T::HAND_WRITTEN {
            out.push(entry("hand_written", "", ""));
        }
        out.extend(T::parameters().iter().map(|(name, value)| entry("parameter", name, &value.to_string())));
        out
    }
}

impl<T: BlockInfo> Block for Info<T> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, _: &str, probe: &mut dyn Probe) {
        // An empty namespace: probes that do not know the mark see nothing.
        probe.visit_start_namespace(MARK, self);
        probe.visit_end_namespace(MARK, self);
    }
}
