//! Whether a pending invalidation holds a lookup off.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// Compares a lookup with the pending invalidation: partial compares into registers, then one bit.
///
/// `F` is the width of a function number.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcPending<const F: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Lookup: function.
    pub asked_function: Signal<In, Bits<F>>,
    /// Lookup: PASID.
    pub asked_pasid: Signal<In, Bits<20>>,
    /// Lookup: a PASID is given.
    pub asked_pasid_valid: Signal<In, Bit>,
    /// Lookup: IOVA 63:12.
    pub asked_granule: Signal<In, Bits<52>>,
    /// The RAMs are still being cleared.
    pub clearing: Signal<In, Bit>,
    /// Invalidation: an invalidation waits or is at work.
    pub pending_valid: Signal<In, Bit>,
    /// Invalidation: function.
    pub pending_function: Signal<In, Bits<F>>,
    /// Invalidation: a PASID is given.
    pub pending_pasid_valid: Signal<In, Bit>,
    /// Invalidation: PASID.
    pub pending_pasid: Signal<In, Bits<20>>,
    /// Invalidation: every PASID is meant.
    pub pending_any_pasid: Signal<In, Bit>,
    /// Invalidation: the whole function.
    pub pending_all: Signal<In, Bit>,
    /// Invalidation: IOVA 63:12.
    pub pending_granule: Signal<In, Bits<52>>,
    /// Invalidation: bits of it that are compared.
    pub pending_compare: Signal<In, Bits<52>>,
    /// The lookup must miss; after the edge.
    pub held_off: Signal<Out, Bit>,
    in_range: Signal<Local, Bit>,
    is_clearing: DFF<Bit>,
    function: DFF<Bit>,
    everywhere: DFF<Bit>,
    scope: DFF<Bit>,
    pasid: DFF<Bit>,
    #[default(std::array::from_fn(|_| DFF::default()))]
    differs: [DFF<Bit>; 4],
    info: Info<Self>,
}

impl<const F: usize> BlockInfo for AtcPending<F> {
    const NAME: &'static str = "atc_pending";
    const SUMMARY: &'static str = "whether a pending invalidation holds a lookup off";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("asked_function", "Lookup"),
        ("clearing", "From the engine"),
        ("pending_valid", "Invalidation taken and not yet done"),
        ("held_off", "Answer, after the edge"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("F", F)]
    }
}

impl<const F: usize> Logic for AtcPending<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_clearing, function, everywhere, scope, pasid);
        self.is_clearing.d.next = self.clearing.val();
        self.function.d.next = self.pending_valid.val() & (self.asked_function.val() == self.pending_function.val());
        comment!("PCIe 6.x 10.3.8: without a PASID, lookups that have one are meant at all addresses.");
        self.everywhere.d.next =
            self.pending_all.val() | (!self.pending_pasid_valid.val() & self.asked_pasid_valid.val());
        self.scope.d.next = !self.pending_pasid_valid.val() | self.asked_pasid_valid.val();
        self.pasid.d.next = (self.asked_pasid.val() == self.pending_pasid.val()) | self.pending_any_pasid.val();
        for i in 0..4 {
            self.differs[i].clock.next = self.clock.val();
            self.differs[i].d.next = ((self.asked_granule.val().get_bits::<13>(13 * i)
                ^ self.pending_granule.val().get_bits::<13>(13 * i))
                & self.pending_compare.val().get_bits::<13>(13 * i))
            .any();
        }
        self.in_range.next = self.scope.q.val()
            & self.pasid.q.val()
            & !(self.differs[0].q.val() | self.differs[1].q.val() | self.differs[2].q.val() | self.differs[3].q.val());
        self.held_off.next =
            self.is_clearing.q.val() | (self.function.q.val() & (self.everywhere.q.val() | self.in_range.val()));
    }
}
