//! The engine's compare of the owner of an entry with the owner a fill or an invalidation names.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// Compares an entry's owner with the engine's key in two steps: wide compares into registers, then the three questions.
///
/// `F` is the width of a function number. The key holds still while it is compared.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcOwner<const F: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Owner of the entry: function.
    pub entry_function: Signal<In, Bits<F>>,
    /// Owner of the entry: PASID, zero without one.
    pub entry_pasid: Signal<In, Bits<20>>,
    /// Owner of the entry: it has a PASID.
    pub entry_pasid_valid: Signal<In, Bit>,
    /// Owner of the entry: privileged mode.
    pub entry_privileged: Signal<In, Bit>,
    /// Owner of the entry: Global.
    pub entry_global: Signal<In, Bit>,
    /// The entry answers whatever the PASID: it is global or has none.
    pub entry_any_pasid: Signal<In, Bit>,
    /// Key: function.
    pub key_function: Signal<In, Bits<F>>,
    /// Key: PASID.
    pub key_pasid: Signal<In, Bits<20>>,
    /// Key: a PASID is given.
    pub key_pasid_valid: Signal<In, Bit>,
    /// Key: privileged mode (fills).
    pub key_privileged: Signal<In, Bit>,
    /// Key: Global.
    pub key_global: Signal<In, Bit>,
    /// Key: the entry to be filled answers whatever the PASID.
    pub key_any_pasid: Signal<In, Bit>,
    /// Key: the whole function (invalidations).
    pub key_all: Signal<In, Bit>,
    /// The entry is of the function named; this and what follows come one edge after the entry.
    pub same_function: Signal<Out, Bit>,
    /// A lookup exists that both the entry and the fill answer, were they of one page.
    pub rival: Signal<Out, Bit>,
    /// The invalidation means the entry at all addresses.
    pub everywhere: Signal<Out, Bit>,
    /// The invalidation means the entry inside its range.
    pub in_range: Signal<Out, Bit>,
    scoped: Signal<Local, Bit>,
    function: DFF<Bit>,
    pasid: DFF<Bit>,
    kind: DFF<Bit>,
    pasid_valid: DFF<Bit>,
    global: DFF<Bit>,
    any_pasid: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize> BlockInfo for AtcOwner<F> {
    const NAME: &'static str = "atc_owner";
    const SUMMARY: &'static str = "whether a fill or an invalidation of the ATC concerns an entry's owner";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("entry_function", "Owner of the entry"),
        ("key_function", "Owner named by the fill or the invalidation"),
        ("same_function", "Answers, one edge after the entry"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("F", F)]
    }
}

impl<const F: usize> Logic for AtcOwner<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, function, pasid, kind, pasid_valid, global, any_pasid);
        self.function.d.next = self.entry_function.val() == self.key_function.val();
        self.pasid.d.next = self.entry_pasid.val() == self.key_pasid.val();
        self.kind.d.next = (self.entry_pasid_valid.val() == self.key_pasid_valid.val())
            & (self.entry_privileged.val() == self.key_privileged.val());
        self.pasid_valid.d.next = self.entry_pasid_valid.val();
        self.global.d.next = self.entry_global.val();
        self.any_pasid.d.next = self.entry_any_pasid.val();

        self.same_function.next = self.function.q.val();
        self.rival.next = self.function.q.val()
            & self.kind.q.val()
            & (self.pasid.q.val() | self.any_pasid.q.val() | self.key_any_pasid.val());
        comment!("PCIe 6.x 10.3.8: without a PASID, entries that have one are meant at all addresses.");
        self.everywhere.next =
            self.function.q.val() & (self.key_all.val() | (!self.key_pasid_valid.val() & self.pasid_valid.q.val()));
        self.scoped.next = self.key_global.val() | (!self.global.q.val() & self.pasid.q.val());
        self.in_range.next =
            self.function.q.val() & (!self.key_pasid_valid.val() | (self.pasid_valid.q.val() & self.scoped.val()));
    }
}
