//! Exact least-recently-used order of each set.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};
use crate::prim::Ram1w2r;

/// Exact LRU order of 2^`A` sets of up to four ways in block RAM: a bit for each pair of ways says which was used later.
///
/// Pairs (i, j) in order: bit 0 (0, 1), 1 (0, 2), 2 (0, 3), 3 (1, 2), 4 (1, 3), 5 (2, 3); 1 means that way i was used
/// after way j. A use sets the row of a way and clears its column, one look-up table a bit, and needs no arithmetic.
/// A read at the edge of a write of the same set gives the new order, from a register beside the RAM: the RAM is free of
/// collision logic, and two uses of a set in a row are both seen.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcLru<const A: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: forgets a write under way.
    pub reset: Signal<In, Bit>,
    /// Set that a lookup reads at this edge.
    pub lookup_set: Signal<In, Bits<A>>,
    /// Its order, three edges later.
    pub lookup_order: Signal<Out, Bits<6>>,
    /// Set that the engine reads at this edge.
    pub engine_set: Signal<In, Bits<A>>,
    /// Its order, three edges later.
    pub engine_order: Signal<Out, Bits<6>>,
    /// Clears a set: way 0 was used last, the highest way is the first victim.
    pub clear_en: Signal<In, Bit>,
    /// Set to clear.
    pub clear_set: Signal<In, Bits<A>>,
    /// A way was used.
    pub touch_en: Signal<In, Bit>,
    /// Its set.
    pub touch_set: Signal<In, Bits<A>>,
    /// The way, one-hot.
    pub touch_ways: Signal<In, Bits<4>>,
    /// Order to change.
    pub touch_order: Signal<In, Bits<6>>,
    /// Pairs of ways that exist.
    #[default(Constant::new(0x3fu64.into()))]
    pub(super) pairs: Constant<Bits<6>>,
    touched: Signal<Local, Bits<6>>,
    lookup_same: Signal<Local, Bit>,
    engine_same: Signal<Local, Bit>,
    ram: Ram1w2r<6, A, true>,
    write_en: DFF<Bit>,
    write_set: DFF<Bits<A>>,
    write_order: DFF<Bits<6>>,
    forward: DFF<Bits<6>>,
    lookup_forward: DFF<Bit>,
    engine_forward: DFF<Bit>,
    lookup_read: DFF<Bits<6>>,
    engine_read: DFF<Bits<6>>,
    lookup_out: DFF<Bits<6>>,
    engine_out: DFF<Bits<6>>,
    info: Info<Self>,
}

impl<const A: usize> BlockInfo for AtcLru<A> {
    const NAME: &'static str = "atc_lru";
    const SUMMARY: &'static str = "exact LRU order of the sets of the ATC, one bit a pair of ways";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("lookup_set", "Read port of lookups; the order comes three edges later"),
        ("engine_set", "Read port of the engine, likewise"),
        ("clear_en", "Clearing a set"),
        ("touch_en", "Use of a way"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("A", A)]
    }
}

impl<const A: usize> Logic for AtcLru<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_en, write_set, write_order, forward, lookup_forward, engine_forward);
        dff_setup!(self, clock, lookup_read, engine_read, lookup_out, engine_out);
        clock!(self, clock, ram);
        comment!("The order after a use: the way's row is set, its column cleared.");
        self.touched.next = self.touch_order.val();
        if self.touch_ways.val().get_bit(0) {
            self.touched.next = self.touch_order.val() | bits::<6>(0x07);
        }
        if self.touch_ways.val().get_bit(1) {
            self.touched.next = (self.touch_order.val() & bits::<6>(0x3e)) | bits::<6>(0x18);
        }
        if self.touch_ways.val().get_bit(2) {
            self.touched.next = (self.touch_order.val() & bits::<6>(0x35)) | bits::<6>(0x20);
        }
        if self.touch_ways.val().get_bit(3) {
            self.touched.next = self.touch_order.val() & bits::<6>(0x0b);
        }
        self.write_en.d.next = (self.clear_en.val() | self.touch_en.val()) & !self.reset.val();
        self.write_set.d.next = self.touch_set.val();
        self.write_order.d.next = self.touched.val() & self.pairs.val();
        if self.clear_en.val() {
            self.write_set.d.next = self.clear_set.val();
            self.write_order.d.next = self.pairs.val();
        }
        self.ram.wr_en.next = self.write_en.q.val();
        self.ram.wr_addr.next = self.write_set.q.val();
        self.ram.wr_data.next = self.write_order.q.val();

        self.ram.rd0_en.next = true;
        self.ram.rd0_addr.next = self.lookup_set.val();
        self.ram.rd1_en.next = true;
        self.ram.rd1_addr.next = self.engine_set.val();
        comment!("A read that meets a write takes what is written.");
        self.lookup_same.next = self.write_set.q.val() == self.lookup_set.val();
        self.engine_same.next = self.write_set.q.val() == self.engine_set.val();
        self.forward.d.next = self.write_order.q.val();
        self.lookup_forward.d.next = self.write_en.q.val() & self.lookup_same.val();
        self.engine_forward.d.next = self.write_en.q.val() & self.engine_same.val();
        self.lookup_read.d.next = self.ram.rd0_data.val();
        self.engine_read.d.next = self.ram.rd1_data.val();
        if self.lookup_forward.q.val() {
            self.lookup_read.d.next = self.forward.q.val();
        }
        if self.engine_forward.q.val() {
            self.engine_read.d.next = self.forward.q.val();
        }
        self.lookup_out.d.next = self.lookup_read.q.val();
        self.engine_out.d.next = self.engine_read.q.val();
        self.lookup_order.next = self.lookup_out.q.val();
        self.engine_order.next = self.engine_out.q.val();
    }
}
