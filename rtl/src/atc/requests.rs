//! The buffers in which a fill and an invalidation wait.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// One fill and one invalidation, taken from their streams and held until the engine has done them. Sizes become masks as
/// they are taken. `F` is the width of a function number.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcRequests<const F: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Fill stream.
    pub fill_valid: Signal<In, Bit>,
    /// Fill: function.
    pub fill_function: Signal<In, Bits<F>>,
    /// Fill: a PASID is given.
    pub fill_pasid_valid: Signal<In, Bit>,
    /// Fill: PASID.
    pub fill_pasid: Signal<In, Bits<20>>,
    /// Fill: privileged mode.
    pub fill_privileged: Signal<In, Bit>,
    /// Fill: IOVA 63:12.
    pub fill_granule: Signal<In, Bits<52>>,
    /// Fill: bus address 63:12.
    pub fill_address: Signal<In, Bits<52>>,
    /// Fill: base-two logarithm of the size.
    pub fill_size: Signal<In, Bits<6>>,
    /// Fill: R.
    pub fill_read: Signal<In, Bit>,
    /// Fill: W.
    pub fill_write: Signal<In, Bit>,
    /// Fill: Exe.
    pub fill_exec: Signal<In, Bit>,
    /// Fill: Global.
    pub fill_global: Signal<In, Bit>,
    /// Fill: U.
    pub fill_untranslated: Signal<In, Bit>,
    /// Fill: N.
    pub fill_no_snoop: Signal<In, Bit>,
    /// Fill: a parity bit is to be flipped.
    pub fill_flip: Signal<In, Bit>,
    /// Fill stream.
    pub fill_ready: Signal<Out, Bit>,
    /// Invalidation stream.
    pub invalidate_valid: Signal<In, Bit>,
    /// Invalidation: function.
    pub invalidate_function: Signal<In, Bits<F>>,
    /// Invalidation: a PASID is given.
    pub invalidate_pasid_valid: Signal<In, Bit>,
    /// Invalidation: PASID.
    pub invalidate_pasid: Signal<In, Bits<20>>,
    /// Invalidation: Global Invalidate.
    pub invalidate_global: Signal<In, Bit>,
    /// Invalidation: the whole function.
    pub invalidate_all: Signal<In, Bit>,
    /// Invalidation: IOVA 63:12.
    pub invalidate_granule: Signal<In, Bits<52>>,
    /// Invalidation: base-two logarithm of the range.
    pub invalidate_size: Signal<In, Bits<6>>,
    /// Invalidation stream.
    pub invalidate_ready: Signal<Out, Bit>,
    /// All sets will have been cleared after this edge.
    pub cleared: Signal<In, Bit>,
    /// The fill is done at this edge.
    pub end_fill: Signal<In, Bit>,
    /// The invalidation is done at this edge.
    pub end_sweep: Signal<In, Bit>,
    /// Fill held: a fill waits or is at work.
    pub held_valid: Signal<Out, Bit>,
    /// Fill held: function.
    pub held_function: Signal<Out, Bits<F>>,
    /// Fill held: it has a PASID.
    pub held_pasid_valid: Signal<Out, Bit>,
    /// Fill held: PASID, zero without one.
    pub held_pasid: Signal<Out, Bits<20>>,
    /// Fill held: privileged mode.
    pub held_privileged: Signal<Out, Bit>,
    /// Fill held: Global.
    pub held_global: Signal<Out, Bit>,
    /// Fill held: IOVA 63:12.
    pub held_granule: Signal<Out, Bits<52>>,
    /// Fill held: bus address 63:12.
    pub held_address: Signal<Out, Bits<52>>,
    /// Fill held: bits of the address that do not come from the IOVA.
    pub held_keep: Signal<Out, Bits<52>>,
    /// Fill held: it grants something and fills a granule.
    pub held_usable: Signal<Out, Bit>,
    /// Fill held: it fills a page of 64 KiB at least.
    pub held_large: Signal<Out, Bit>,
    /// Fill held: it fills less than 2 MiB.
    pub held_low: Signal<Out, Bit>,
    /// Fill held: it fills 1 GiB.
    pub held_huge: Signal<Out, Bit>,
    /// Fill held: R.
    pub held_read: Signal<Out, Bit>,
    /// Fill held: W.
    pub held_write: Signal<Out, Bit>,
    /// Fill held: Exe.
    pub held_exec: Signal<Out, Bit>,
    /// Fill held: U.
    pub held_untranslated: Signal<Out, Bit>,
    /// Fill held: N.
    pub held_no_snoop: Signal<Out, Bit>,
    /// Fill held: a parity bit is to be flipped.
    pub held_flip: Signal<Out, Bit>,
    /// Invalidation held: an invalidation waits or is at work.
    pub pending_valid: Signal<Out, Bit>,
    /// Invalidation held: function.
    pub pending_function: Signal<Out, Bits<F>>,
    /// Invalidation held: a PASID is given.
    pub pending_pasid_valid: Signal<Out, Bit>,
    /// Invalidation held: PASID.
    pub pending_pasid: Signal<Out, Bits<20>>,
    /// Invalidation held: Global Invalidate.
    pub pending_global: Signal<Out, Bit>,
    /// Invalidation held: every PASID is meant.
    pub pending_any_pasid: Signal<Out, Bit>,
    /// Invalidation held: the whole function.
    pub pending_all: Signal<Out, Bit>,
    /// Invalidation held: IOVA 63:12.
    pub pending_granule: Signal<Out, Bits<52>>,
    /// Invalidation held: bits of it that are compared.
    pub pending_compare: Signal<Out, Bits<52>>,
    /// Counts invalidations taken.
    pub epoch: Signal<Out, Bits<4>>,
    /// A fill with a PASID has been taken since reset.
    pub pasid_used: Signal<Out, Bit>,
    #[default(Constant::new(u64::MAX.into()))]
    ones: Constant<Bits<64>>,
    fill_take: Signal<Local, Bit>,
    invalidate_take: Signal<Local, Bit>,
    fill_mask: Signal<Local, Bits<64>>,
    invalidate_mask: Signal<Local, Bits<64>>,
    fill_stays: Signal<Local, Bit>,
    pending_stays: Signal<Local, Bit>,
    f_valid: DFF<Bit>,
    f_function: DFF<Bits<F>>,
    f_pasid_valid: DFF<Bit>,
    f_pasid: DFF<Bits<20>>,
    f_privileged: DFF<Bit>,
    f_global: DFF<Bit>,
    f_granule: DFF<Bits<52>>,
    f_address: DFF<Bits<52>>,
    f_keep: DFF<Bits<52>>,
    f_usable: DFF<Bit>,
    f_large: DFF<Bit>,
    f_low: DFF<Bit>,
    f_huge: DFF<Bit>,
    f_read: DFF<Bit>,
    f_write: DFF<Bit>,
    f_exec: DFF<Bit>,
    f_untranslated: DFF<Bit>,
    f_no_snoop: DFF<Bit>,
    f_flip: DFF<Bit>,
    p_valid: DFF<Bit>,
    p_function: DFF<Bits<F>>,
    p_pasid_valid: DFF<Bit>,
    p_pasid: DFF<Bits<20>>,
    p_global: DFF<Bit>,
    p_any_pasid: DFF<Bit>,
    p_all: DFF<Bit>,
    p_granule: DFF<Bits<52>>,
    p_compare: DFF<Bits<52>>,
    epochs: DFF<Bits<4>>,
    any_pasid_used: DFF<Bit>,
    f_ready: DFF<Bit>,
    p_ready: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize> BlockInfo for AtcRequests<F> {
    const NAME: &'static str = "atc_requests";
    const SUMMARY: &'static str = "the fill and the invalidation that the ATC has taken";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("fill_valid", "Fill stream"),
        ("invalidate_valid", "Invalidation stream"),
        ("cleared", "From the engine"),
        ("held_valid", "The fill"),
        ("pending_valid", "The invalidation"),
        ("epoch", "What has been taken"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("F", F)]
    }
}

impl<const F: usize> Logic for AtcRequests<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            f_valid,
            f_function,
            f_pasid_valid,
            f_pasid,
            f_privileged,
            f_global,
            f_granule,
            f_address,
            f_keep,
            f_usable,
            f_large,
            f_low,
            f_huge,
            f_read,
            f_write,
            f_exec,
            f_untranslated,
            f_no_snoop,
            f_flip
        );
        dff_setup!(
            self,
            clock,
            p_valid,
            p_function,
            p_pasid_valid,
            p_pasid,
            p_global,
            p_any_pasid,
            p_all,
            p_granule,
            p_compare
        );
        dff_setup!(self, clock, epochs, any_pasid_used, f_ready, p_ready);
        self.fill_take.next = self.fill_valid.val() & self.f_ready.q.val();
        self.fill_mask.next = self.ones.val() << bit_cast::<64, 6>(self.fill_size.val());
        if self.fill_take.val() {
            self.f_function.d.next = self.fill_function.val();
            self.f_pasid_valid.d.next = self.fill_pasid_valid.val();
            self.f_pasid.d.next = self.fill_pasid.val();
            if !self.fill_pasid_valid.val() {
                self.f_pasid.d.next = 0.into();
            }
            self.f_privileged.d.next = self.fill_privileged.val() & self.fill_pasid_valid.val();
            self.f_global.d.next = self.fill_global.val() & self.fill_pasid_valid.val();
            self.f_granule.d.next = self.fill_granule.val();
            self.f_address.d.next = self.fill_address.val();
            self.f_keep.d.next = self.fill_mask.val().get_bits::<52>(12);
            self.f_usable.d.next =
                (self.fill_read.val() | self.fill_write.val()) & (self.fill_size.val() >= bits::<6>(12));
            self.f_large.d.next = self.fill_size.val() >= bits::<6>(16);
            self.f_low.d.next = self.fill_size.val() < bits::<6>(21);
            self.f_huge.d.next = self.fill_size.val() >= bits::<6>(30);
            self.f_read.d.next = self.fill_read.val();
            self.f_write.d.next = self.fill_write.val();
            self.f_exec.d.next = self.fill_exec.val();
            self.f_untranslated.d.next = self.fill_untranslated.val();
            self.f_no_snoop.d.next = self.fill_no_snoop.val();
            self.f_flip.d.next = self.fill_flip.val();
            self.any_pasid_used.d.next = self.any_pasid_used.q.val() | self.fill_pasid_valid.val();
        }
        self.invalidate_take.next = self.invalidate_valid.val() & self.p_ready.q.val();
        self.invalidate_mask.next = self.ones.val() << bit_cast::<64, 6>(self.invalidate_size.val());
        if self.invalidate_take.val() {
            self.p_function.d.next = self.invalidate_function.val();
            self.p_pasid_valid.d.next = self.invalidate_pasid_valid.val();
            self.p_pasid.d.next = self.invalidate_pasid.val();
            self.p_global.d.next = self.invalidate_global.val();
            self.p_any_pasid.d.next = self.invalidate_global.val() | !self.invalidate_pasid_valid.val();
            self.p_all.d.next = self.invalidate_all.val();
            self.p_granule.d.next = self.invalidate_granule.val();
            self.p_compare.d.next = self.invalidate_mask.val().get_bits::<52>(12);
            if self.invalidate_size.val() == bits::<6>(63) {
                self.p_compare.d.next = 0.into();
            }
            self.epochs.d.next = self.epochs.q.val() + 1;
        }

        comment!("Ready: the buffer is empty after this edge, and no fill overtakes an invalidation.");
        self.fill_stays.next = self.fill_take.val() | (self.f_valid.q.val() & !self.end_fill.val());
        self.pending_stays.next = self.invalidate_take.val() | (self.p_valid.q.val() & !self.end_sweep.val());
        self.f_valid.d.next = self.fill_stays.val();
        self.p_valid.d.next = self.pending_stays.val();
        self.f_ready.d.next = self.cleared.val() & !self.fill_stays.val() & !self.pending_stays.val();
        self.p_ready.d.next = self.cleared.val() & !self.pending_stays.val();
        if self.reset.val() {
            self.f_valid.d.next = false;
            self.p_valid.d.next = false;
            self.f_ready.d.next = false;
            self.p_ready.d.next = false;
            self.epochs.d.next = 0.into();
            self.any_pasid_used.d.next = false;
        }
        self.fill_ready.next = self.f_ready.q.val();
        self.invalidate_ready.next = self.p_ready.q.val();
        self.held_valid.next = self.f_valid.q.val();
        self.held_function.next = self.f_function.q.val();
        self.held_pasid_valid.next = self.f_pasid_valid.q.val();
        self.held_pasid.next = self.f_pasid.q.val();
        self.held_privileged.next = self.f_privileged.q.val();
        self.held_global.next = self.f_global.q.val();
        self.held_granule.next = self.f_granule.q.val();
        self.held_address.next = self.f_address.q.val();
        self.held_keep.next = self.f_keep.q.val();
        self.held_usable.next = self.f_usable.q.val();
        self.held_large.next = self.f_large.q.val();
        self.held_low.next = self.f_low.q.val();
        self.held_huge.next = self.f_huge.q.val();
        self.held_read.next = self.f_read.q.val();
        self.held_write.next = self.f_write.q.val();
        self.held_exec.next = self.f_exec.q.val();
        self.held_untranslated.next = self.f_untranslated.q.val();
        self.held_no_snoop.next = self.f_no_snoop.q.val();
        self.held_flip.next = self.f_flip.q.val();
        self.pending_valid.next = self.p_valid.q.val();
        self.pending_function.next = self.p_function.q.val();
        self.pending_pasid_valid.next = self.p_pasid_valid.q.val();
        self.pending_pasid.next = self.p_pasid.q.val();
        self.pending_global.next = self.p_global.q.val();
        self.pending_any_pasid.next = self.p_any_pasid.q.val();
        self.pending_all.next = self.p_all.q.val();
        self.pending_granule.next = self.p_granule.q.val();
        self.pending_compare.next = self.p_compare.q.val();
        self.epoch.next = self.epochs.q.val();
        self.pasid_used.next = self.any_pasid_used.q.val();
    }
}
