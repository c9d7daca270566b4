//! Two-entry buffer between two streams.

use rust_hdl::prelude::*;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// Two-entry buffer with registered `in_ready` and registered outputs: it cuts every combinational path between two
/// streams at full throughput and one cycle of latency.
///
/// It stands where a block must accept while it stalls: `in_ready` falls one cycle after the output stalls, and the entry
/// that still arrives goes to the spare register. `in_ready` is low during reset and in the first cycle after it.
#[derive(LogicBlock, Default)]
pub struct Skid2<const W: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Input stream.
    pub in_valid: Signal<In, Bit>,
    /// Input stream.
    pub in_data: Signal<In, Bits<W>>,
    /// Input stream: the spare register is free.
    pub in_ready: Signal<Out, Bit>,
    /// Output stream.
    pub out_valid: Signal<Out, Bit>,
    /// Output stream; zero while `out_valid` is low.
    pub out_data: Signal<Out, Bits<W>>,
    /// Output stream.
    pub out_ready: Signal<In, Bit>,
    put: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    stalled: Signal<Local, Bit>,
    ready: DFF<Bit>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    spare_valid: DFF<Bit>,
    spare: DFF<Bits<W>>,
    info: Info<Self>,
}

impl<const W: usize> BlockInfo for Skid2<W> {
    const NAME: &'static str = "skid2";
    const SUMMARY: &'static str = "two-entry stream buffer with registered ready";
    const GROUPS: &'static [(&'static str, &'static str)] =
        &[("in_valid", "Input stream"), ("out_valid", "Output stream; data are zero while valid is low")];
    const FORMAL: Option<&'static str> = Some(include_str!("../../formal/skid2.sv"));
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("W", W)]
    }
}

impl<const W: usize> Logic for Skid2<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ready, valid, data, spare_valid, spare);
        self.in_ready.next = self.ready.q.val();
        self.out_valid.next = self.valid.q.val();
        self.out_data.next = self.data.q.val();

        self.put.next = self.in_valid.val() & self.ready.q.val();
        comment!("The output register takes a new entry or empties at this edge.");
        self.open.next = !self.valid.q.val() | self.out_ready.val();
        comment!("The spare register is in use after this edge.");
        self.stalled.next = !self.open.val() & (self.put.val() | self.spare_valid.q.val());

        if self.open.val() {
            if self.spare_valid.q.val() {
                self.valid.d.next = true;
                self.data.d.next = self.spare.q.val();
            } else if self.put.val() {
                self.valid.d.next = true;
                self.data.d.next = self.in_data.val();
            } else {
                self.valid.d.next = false;
                self.data.d.next = 0.into();
            }
        } else if self.put.val() {
            self.spare.d.next = self.in_data.val();
        }
        self.spare_valid.d.next = self.stalled.val();
        self.ready.d.next = !self.stalled.val();

        if self.reset.val() {
            self.valid.d.next = false;
            self.data.d.next = 0.into();
            self.spare_valid.d.next = false;
            self.ready.d.next = false;
        }
    }
}
