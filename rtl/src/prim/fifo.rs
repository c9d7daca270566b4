//! First-in first-out buffer in block RAM.

use rust_hdl::prelude::*;

use super::Ram1w1r;
use crate::comment;
use crate::export::{BlockInfo, Info};

/// First-in first-out buffer of 2^`A` entries of `W` bits in block RAM, with registered ready and outputs.
///
/// An entry passes the RAM, the register at the RAM's read port and the output register: three cycles from an empty
/// buffer's input to its output, at one entry a cycle. `level` counts entries in all three places, so capacity is exactly
/// 2^`A`. `in_ready` is low during reset and in the first cycle after it. `A` ≥ 1; `L` = `A` + 1 is the width of `level`
/// (another value does not compile).
#[derive(LogicBlock)]
pub struct Fifo<const W: usize, const A: usize, const L: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Input stream.
    pub in_valid: Signal<In, Bit>,
    /// Input stream.
    pub in_data: Signal<In, Bits<W>>,
    /// Input stream: there is room.
    pub in_ready: Signal<Out, Bit>,
    /// Output stream.
    pub out_valid: Signal<Out, Bit>,
    /// Output stream; zero while `out_valid` is low.
    pub out_data: Signal<Out, Bits<W>>,
    /// Output stream.
    pub out_ready: Signal<In, Bit>,
    /// Entries held.
    pub level: Signal<Out, Bits<L>>,
    put: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    held: Signal<Local, Bits<L>>,
    depth: Constant<Bits<L>>,
    ram: Ram1w1r<W, A, true>,
    wr_ptr: DFF<Bits<A>>,
    rd_ptr: DFF<Bits<A>>,
    fetched: DFF<Bit>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    count: DFF<Bits<L>>,
    ready: DFF<Bit>,
    info: Info<Self>,
}

impl<const W: usize, const A: usize, const L: usize> Default for Fifo<W, A, L> {
    fn default() -> Self {
        const { assert!(A >= 1 && L == A + 1, "A must be at least 1 and L must be A + 1") }
        Self {
            clock: Default::default(),
            reset: Default::default(),
            in_valid: Default::default(),
            in_data: Default::default(),
            in_ready: Default::default(),
            out_valid: Default::default(),
            out_data: Default::default(),
            out_ready: Default::default(),
            level: Default::default(),
            put: Default::default(),
            take: Default::default(),
            load: Default::default(),
            fetch: Default::default(),
            held: Default::default(),
            depth: Constant::new((1u64 << A).into()),
            ram: Default::default(),
            wr_ptr: Default::default(),
            rd_ptr: Default::default(),
            fetched: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            count: Default::default(),
            ready: Default::default(),
            info: Default::default(),
        }
    }
}

impl<const W: usize, const A: usize, const L: usize> BlockInfo for Fifo<W, A, L> {
    const NAME: &'static str = "fifo";
    const SUMMARY: &'static str = "first-in first-out buffer in block RAM, registered ready and outputs";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("in_valid", "Input stream"),
        ("out_valid", "Output stream; data are zero while valid is low"),
        ("level", "Entries held"),
    ];
    const FORMAL: Option<&'static str> = Some(include_str!("../../formal/fifo.sv"));
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("W", W), ("A", A)]
    }
}

impl<const W: usize, const A: usize, const L: usize> Logic for Fifo<W, A, L> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, wr_ptr, rd_ptr, fetched, valid, data, count, ready);
        clock!(self, clock, ram);
        self.in_ready.next = self.ready.q.val();
        self.out_valid.next = self.valid.q.val();
        self.out_data.next = self.data.q.val();
        self.level.next = self.count.q.val();

        self.put.next = self.in_valid.val() & self.ready.q.val();
        self.take.next = self.valid.q.val() & self.out_ready.val();
        comment!("The output register loads what the RAM has read.");
        self.load.next = self.fetched.q.val() & (!self.valid.q.val() | self.take.val());
        comment!("The RAM reads the next entry. Entries in it never fill it, so equal pointers mean none.");
        self.fetch.next = (self.wr_ptr.q.val() != self.rd_ptr.q.val()) & (!self.fetched.q.val() | self.load.val());

        self.ram.wr_en.next = self.put.val();
        self.ram.wr_addr.next = self.wr_ptr.q.val();
        self.ram.wr_data.next = self.in_data.val();
        self.ram.rd_en.next = self.fetch.val();
        self.ram.rd_addr.next = self.rd_ptr.q.val();

        if self.put.val() {
            self.wr_ptr.d.next = self.wr_ptr.q.val() + 1;
        }
        if self.fetch.val() {
            self.rd_ptr.d.next = self.rd_ptr.q.val() + 1;
            self.fetched.d.next = true;
        } else if self.load.val() {
            self.fetched.d.next = false;
        }
        if self.load.val() {
            self.valid.d.next = true;
            self.data.d.next = self.ram.rd_data.val();
        } else if self.take.val() {
            self.valid.d.next = false;
            self.data.d.next = 0.into();
        }
        self.held.next = self.count.q.val();
        if self.put.val() & !self.take.val() {
            self.held.next = self.count.q.val() + 1;
        } else if self.take.val() & !self.put.val() {
            self.held.next = self.count.q.val() - 1;
        }
        self.count.d.next = self.held.val();
        self.ready.d.next = self.held.val() != self.depth.val();

        if self.reset.val() {
            self.wr_ptr.d.next = 0.into();
            self.rd_ptr.d.next = 0.into();
            self.fetched.d.next = false;
            self.valid.d.next = false;
            self.data.d.next = 0.into();
            self.count.d.next = 0.into();
            self.ready.d.next = false;
        }
    }
}
