//! One entry of the large-page array.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// The tag of one large-page entry in registers, compared with every lookup; the data are in a RAM beside it.
///
/// The address is compared by the chunks 63:30, 29:21 and 20:16, of which the size class uses one, two or three. Compares
/// are registered at the edge that samples the lookup, so that `hit` is one look-up table behind registers. `F` is the
/// width of a function number, `AL` that of an entry's.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcLargeEntry<const F: usize, const AL: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Number of this entry.
    pub number: Signal<In, Bits<AL>>,
    /// Lookup sampled at this edge: IOVA 63:16.
    pub lookup_iova: Signal<In, Bits<48>>,
    /// Lookup: function.
    pub lookup_function: Signal<In, Bits<F>>,
    /// Lookup: PASID.
    pub lookup_pasid: Signal<In, Bits<20>>,
    /// Lookup: a PASID is given.
    pub lookup_pasid_valid: Signal<In, Bit>,
    /// Lookup: privileged mode.
    pub lookup_privileged: Signal<In, Bit>,
    /// Lookup: R is needed.
    pub lookup_read: Signal<In, Bit>,
    /// Lookup: W is needed.
    pub lookup_write: Signal<In, Bit>,
    /// Lookup: Exe is needed.
    pub lookup_exec: Signal<In, Bit>,
    /// The entry names the page; after the edge.
    pub named: Signal<Out, Bit>,
    /// It also grants what was asked.
    pub hit: Signal<Out, Bit>,
    /// Entry at which the engine looks.
    pub look: Signal<In, Bits<AL>>,
    /// The engine looks at this entry, and it is valid.
    pub looked_valid: Signal<Out, Bit>,
    /// The entry numbered `at` becomes invalid.
    pub clear: Signal<In, Bit>,
    /// Entry to clear.
    pub at: Signal<In, Bits<AL>>,
    /// The entry numbered `target` is written at the next edge.
    pub write: Signal<In, Bit>,
    /// Entry to write.
    pub target: Signal<In, Bits<AL>>,
    /// Tag to write: IOVA 63:16.
    pub tag_iova: Signal<In, Bits<48>>,
    /// Tag: bits 20:16 of the IOVA are part of the page number (64 KiB).
    pub tag_low: Signal<In, Bit>,
    /// Tag: bits 29:21 are not (1 GiB).
    pub tag_huge: Signal<In, Bit>,
    /// Tag: function.
    pub tag_function: Signal<In, Bits<F>>,
    /// Tag: PASID.
    pub tag_pasid: Signal<In, Bits<20>>,
    /// Tag: it has a PASID.
    pub tag_pasid_valid: Signal<In, Bit>,
    /// Tag: privileged mode.
    pub tag_privileged: Signal<In, Bit>,
    /// Tag: answers whatever the PASID.
    pub tag_any_pasid: Signal<In, Bit>,
    /// Tag: R.
    pub tag_read: Signal<In, Bit>,
    /// Tag: W.
    pub tag_write: Signal<In, Bit>,
    /// Tag: Exe.
    pub tag_exec: Signal<In, Bit>,
    mine: Signal<Local, Bit>,
    middle: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    writing: DFF<Bit>,
    valid: DFF<Bit>,
    iova: DFF<Bits<48>>,
    is_low: DFF<Bit>,
    is_huge: DFF<Bit>,
    function: DFF<Bits<F>>,
    pasid: DFF<Bits<20>>,
    pasid_valid: DFF<Bit>,
    privileged: DFF<Bit>,
    any_pasid: DFF<Bit>,
    may_read: DFF<Bit>,
    may_write: DFF<Bit>,
    may_exec: DFF<Bit>,
    same_top: DFF<Bit>,
    same_high: DFF<Bit>,
    same_rest: DFF<Bit>,
    same_pasid: DFF<Bit>,
    same_owner: DFF<Bit>,
    granted: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize, const AL: usize> BlockInfo for AtcLargeEntry<F, AL> {
    const NAME: &'static str = "atc_large_entry";
    const SUMMARY: &'static str = "tag of one large-page entry of the ATC";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("number", "Number of this entry"),
        ("lookup_iova", "Lookup sampled at this edge"),
        ("named", "What the entry says, after the edge"),
        ("look", "Engine: is the entry valid?"),
        ("clear", "Engine: clear the entry numbered `at`"),
        ("write", "Engine: write the entry numbered `target`, at the next edge"),
        ("tag_iova", "Engine: tag to write"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("F", F), ("AL", AL)]
    }
}

impl<const F: usize, const AL: usize> Logic for AtcLargeEntry<F, AL> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            writing,
            valid,
            iova,
            is_low,
            is_huge,
            function,
            pasid,
            pasid_valid,
            privileged,
            any_pasid
        );
        dff_setup!(self, clock, may_read, may_write, may_exec);
        dff_setup!(self, clock, same_top, same_high, same_rest, same_pasid, same_owner, granted);
        comment!("Lookup: partial compares at the edge that samples it.");
        self.same_top.d.next = self.lookup_iova.val().get_bits::<17>(31) == self.iova.q.val().get_bits::<17>(31);
        self.same_high.d.next = self.lookup_iova.val().get_bits::<17>(14) == self.iova.q.val().get_bits::<17>(14);
        self.middle.next =
            (self.lookup_iova.val().get_bits::<9>(5) == self.iova.q.val().get_bits::<9>(5)) | self.is_huge.q.val();
        self.low.next =
            (self.lookup_iova.val().get_bits::<5>(0) == self.iova.q.val().get_bits::<5>(0)) | !self.is_low.q.val();
        self.same_rest.d.next = self.middle.val() & self.low.val();
        self.same_pasid.d.next = (self.lookup_pasid.val() == self.pasid.q.val()) | self.any_pasid.q.val();
        self.same_owner.d.next = (self.lookup_function.val() == self.function.q.val())
            & (self.lookup_pasid_valid.val() == self.pasid_valid.q.val())
            & ((self.lookup_privileged.val() & self.lookup_pasid_valid.val()) == self.privileged.q.val())
            & self.valid.q.val();
        self.granted.d.next = (self.may_read.q.val() | !self.lookup_read.val())
            & (self.may_write.q.val() | !self.lookup_write.val())
            & (self.may_exec.q.val() | !self.lookup_exec.val());
        self.named.next = self.same_top.q.val()
            & self.same_high.q.val()
            & self.same_rest.q.val()
            & self.same_pasid.q.val()
            & self.same_owner.q.val();
        self.hit.next = self.same_top.q.val()
            & self.same_high.q.val()
            & self.same_rest.q.val()
            & self.same_pasid.q.val()
            & self.same_owner.q.val()
            & self.granted.q.val();

        comment!("Engine.");
        self.looked_valid.next = self.valid.q.val() & (self.look.val() == self.number.val());
        self.mine.next = self.at.val() == self.number.val();
        self.writing.d.next = self.write.val() & (self.target.val() == self.number.val()) & !self.reset.val();
        if self.writing.q.val() {
            self.valid.d.next = true;
            self.iova.d.next = self.tag_iova.val();
            self.is_low.d.next = self.tag_low.val();
            self.is_huge.d.next = self.tag_huge.val();
            self.function.d.next = self.tag_function.val();
            self.pasid.d.next = self.tag_pasid.val();
            self.pasid_valid.d.next = self.tag_pasid_valid.val();
            self.privileged.d.next = self.tag_privileged.val();
            self.any_pasid.d.next = self.tag_any_pasid.val();
            self.may_read.d.next = self.tag_read.val();
            self.may_write.d.next = self.tag_write.val();
            self.may_exec.d.next = self.tag_exec.val();
        }
        if (self.clear.val() & self.mine.val()) | self.reset.val() {
            self.valid.d.next = false;
        }
    }
}
