//! The engine: clears after reset, writes fills and carries out invalidations, one at a time.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// What the engine is doing.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum AtcState {
    /// Clearing the RAMs after reset, one set a cycle.
    Clear,
    /// The last clear reaches the RAMs.
    Settle,
    /// Nothing, or starting what waits.
    Idle,
    /// A fill of the base-granule array.
    Base,
    /// A fill of the large-page array.
    Large,
    /// An invalidation.
    Sweep,
}

/// Sequences fills and invalidations over the second read ports and the write ports of the arrays.
///
/// A fill and an invalidation wait in a buffer each; the one at work stands in the `key` registers, which the compares of
/// the arrays see. The range of an invalidation is pending from the edge that takes it. `F` is the width of a function
/// number, `A` that of a set number, `TW` = 86 + `F` that of a tag word (see the way).
#[derive(LogicBlock, SmartDefault)]
pub struct AtcEngine<const F: usize, const A: usize, const TW: usize> {
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
    /// The fill is visible to lookups.
    pub fill_done: Signal<Out, Bit>,
    /// The fill was written.
    pub stat_fill: Signal<Out, Bit>,
    /// It replaced a live entry.
    pub stat_evict: Signal<Out, Bit>,
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
    /// No entry of the range is left.
    pub invalidate_done: Signal<Out, Bit>,
    /// Epoch: counts invalidations taken.
    pub epoch: Signal<Out, Bits<4>>,
    /// All sets have been cleared since reset.
    pub cleared: Signal<Out, Bit>,
    /// Invalidation taken and not yet done.
    pub pending_valid: Signal<Out, Bit>,
    /// Pending: function.
    pub pending_function: Signal<Out, Bits<F>>,
    /// Pending: a PASID is given.
    pub pending_pasid_valid: Signal<Out, Bit>,
    /// Pending: PASID.
    pub pending_pasid: Signal<Out, Bits<20>>,
    /// Pending: every PASID is meant.
    pub pending_any_pasid: Signal<Out, Bit>,
    /// Pending: the whole function.
    pub pending_all: Signal<Out, Bit>,
    /// Pending: IOVA 63:12.
    pub pending_granule: Signal<Out, Bits<52>>,
    /// Pending: bits of it that are compared.
    pub pending_compare: Signal<Out, Bits<52>>,
    /// Key: IOVA 63:12.
    pub key_granule: Signal<Out, Bits<52>>,
    /// Key: bits of it that are compared.
    pub key_compare: Signal<Out, Bits<52>>,
    /// Key: function.
    pub key_function: Signal<Out, Bits<F>>,
    /// Key: generation of the function.
    pub key_generation: Signal<Out, Bits<4>>,
    /// Key: PASID.
    pub key_pasid: Signal<Out, Bits<20>>,
    /// Key: a PASID is given.
    pub key_pasid_valid: Signal<Out, Bit>,
    /// Key: privileged mode.
    pub key_privileged: Signal<Out, Bit>,
    /// Key: Global.
    pub key_global: Signal<Out, Bit>,
    /// Key: the fill answers whatever the PASID.
    pub key_any_pasid: Signal<Out, Bit>,
    /// Key: the whole function.
    pub key_all: Signal<Out, Bit>,
    /// Base array: set read at this edge.
    pub set: Signal<Out, Bits<A>>,
    /// Base array: ways a fill must clear.
    pub rivals: Signal<In, Bits<4>>,
    /// Base array: ways that are free.
    pub frees: Signal<In, Bits<4>>,
    /// Base array: ways an invalidation clears.
    pub drops: Signal<In, Bits<4>>,
    /// Base array: order of use of the set.
    pub order: Signal<In, Bits<6>>,
    /// Base array: ways written at this edge.
    pub write_ways: Signal<Out, Bits<4>>,
    /// Base array: set written.
    pub write_set: Signal<Out, Bits<A>>,
    /// Base array: the way that is filled; the others are cleared.
    pub write_valid: Signal<Out, Bits<4>>,
    /// Base array: tag word.
    pub write_tag: Signal<Out, Bits<TW>>,
    /// Base array: data word.
    pub write_data: Signal<Out, Bits<55>>,
    /// Order of use: set `set` is cleared.
    pub order_clear: Signal<Out, Bit>,
    /// Order of use: a fill has used `write_valid` in set `set`.
    pub order_touch: Signal<Out, Bit>,
    /// Generation RAM: function read at this edge is the key's; its generation.
    pub generation_read: Signal<In, Bits<4>>,
    /// Generation RAM: write.
    pub generation_write: Signal<Out, Bit>,
    /// Generation RAM: function.
    pub generation_function: Signal<Out, Bits<F>>,
    /// Generation RAM: value.
    pub generation_value: Signal<Out, Bits<4>>,
    /// Large array: walk all entries.
    pub large_walk: Signal<Out, Bit>,
    /// Large array: the walk is for a fill.
    pub large_filling: Signal<Out, Bit>,
    /// Large array: the walk is under way.
    pub large_walking: Signal<In, Bit>,
    /// Large array: fix and clear the entry.
    pub large_pick: Signal<Out, Bit>,
    /// Large array: the entry was live.
    pub large_evicts: Signal<In, Bit>,
    /// Large array: write the entry.
    pub large_write: Signal<Out, Bit>,
    /// Large array: page of 64 KiB.
    pub large_low: Signal<Out, Bit>,
    /// Large array: page of 1 GiB.
    pub large_huge: Signal<Out, Bit>,
    /// Large array: R of the fill.
    pub large_read: Signal<Out, Bit>,
    /// Large array: W of the fill.
    pub large_write_right: Signal<Out, Bit>,
    /// Large array: Exe of the fill.
    pub large_exec: Signal<Out, Bit>,
    /// Large array: data word.
    pub large_data: Signal<Out, Bits<52>>,
    #[default(Constant::new(u64::MAX.into()))]
    ones: Constant<Bits<64>>,
    /// Bits of IOVA 63:12 that number a page of 4 KiB.
    #[default(Constant::new(0xf_ffff_ffff_ffffu64.into()))]
    compare_all: Constant<Bits<52>>,
    /// The same of 2 MiB.
    #[default(Constant::new(0xf_ffff_ffff_fe00u64.into()))]
    compare_2m: Constant<Bits<52>>,
    /// The same of 1 GiB.
    #[default(Constant::new(0xf_ffff_fffc_0000u64.into()))]
    compare_1g: Constant<Bits<52>>,
    /// Step of a sweep whose edge releases the range: the last write of a walk, begun at step 4, is done by then.
    #[default(Constant::new(9u64.into()))]
    pub(super) sweep_end: Constant<Bits<4>>,
    /// Step of a large fill before the one that writes: lookups under way have passed by then.
    #[default(Constant::new(4u64.into()))]
    pub(super) large_end: Constant<Bits<4>>,
    fill_take: Signal<Local, Bit>,
    invalidate_take: Signal<Local, Bit>,
    fill_mask: Signal<Local, Bits<64>>,
    invalidate_mask: Signal<Local, Bits<64>>,
    fill_stays: Signal<Local, Bit>,
    pending_stays: Signal<Local, Bit>,
    now_cleared: Signal<Local, Bit>,
    everywhere: Signal<Local, Bit>,
    start_fill: Signal<Local, Bit>,
    start_sweep: Signal<Local, Bit>,
    clearing: Signal<Local, Bit>,
    choosing: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<4>>,
    ways: Signal<Local, Bits<4>>,
    mixed: Signal<Local, Bits<52>>,
    tag: Signal<Local, Bits<TW>>,
    end_fill: Signal<Local, Bit>,
    end_sweep: Signal<Local, Bit>,
    state: DFF<AtcState>,
    step: DFF<Bits<4>>,
    is_cleared: DFF<Bit>,
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
    pasid_used: DFF<Bit>,
    k_function: DFF<Bits<F>>,
    k_pasid_valid: DFF<Bit>,
    k_pasid: DFF<Bits<20>>,
    k_privileged: DFF<Bit>,
    k_global: DFF<Bit>,
    k_any_pasid: DFF<Bit>,
    k_all: DFF<Bit>,
    k_granule: DFF<Bits<52>>,
    k_compare: DFF<Bits<52>>,
    k_generation: DFF<Bits<4>>,
    sets: [DFF<Bits<A>>; 5],
    walks: [DFF<Bit>; 5],
    walk_compare: DFF<Bits<A>>,
    w_ways: DFF<Bits<4>>,
    w_valid: DFF<Bits<4>>,
    w_set: DFF<Bits<A>>,
    address: DFF<Bits<52>>,
    even_granule: DFF<Bit>,
    even_rest: DFF<Bit>,
    even_data: DFF<Bit>,
    evicts: DFF<Bit>,
    large_written: DFF<Bit>,
    wrapped: DFF<Bit>,
    g_write: DFF<Bit>,
    g_function: DFF<Bits<F>>,
    g_value: DFF<Bits<4>>,
    o_fill_ready: DFF<Bit>,
    o_fill_done: DFF<Bit>,
    o_stat_fill: DFF<Bit>,
    o_stat_evict: DFF<Bit>,
    o_invalidate_ready: DFF<Bit>,
    o_invalidate_done: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize, const A: usize, const TW: usize> BlockInfo for AtcEngine<F, A, TW> {
    const NAME: &'static str = "atc_engine";
    const SUMMARY: &'static str = "clears, fills and invalidations of the ATC, one at a time";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("fill_valid", "Fill stream"),
        ("invalidate_valid", "Invalidation stream"),
        ("epoch", "To the lookups: epoch, and the invalidation that is pending"),
        ("key_granule", "To the arrays: the fill or the invalidation at work"),
        ("set", "Base-granule array"),
        ("order_clear", "Order of use"),
        ("generation_read", "Generations"),
        ("large_walk", "Large-page array"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        assert_eq!(TW, 86 + F, "width of the tag word");
        vec![("F", F), ("A", A)]
    }
}

impl<const F: usize, const A: usize, const TW: usize> Logic for AtcEngine<F, A, TW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, step, is_cleared, f_valid, f_function, f_pasid_valid, f_pasid, f_privileged);
        dff_setup!(self, clock, f_global, f_granule, f_address, f_keep, f_usable, f_large, f_low, f_huge);
        dff_setup!(self, clock, f_read, f_write, f_exec, f_untranslated, f_no_snoop, f_flip, p_valid, p_function);
        dff_setup!(self, clock, p_pasid_valid, p_pasid, p_global, p_any_pasid, p_all, p_granule, p_compare);
        dff_setup!(self, clock, epochs, pasid_used, k_function, k_pasid_valid, k_pasid, k_privileged, k_global);
        dff_setup!(self, clock, k_any_pasid, k_all, k_granule, k_compare, k_generation, walk_compare);
        dff_setup!(self, clock, w_ways, w_valid, w_set, address, even_granule, even_rest, even_data, evicts, wrapped);
        dff_setup!(self, clock, large_written);
        dff_setup!(self, clock, g_write, g_function, g_value, o_fill_ready, o_fill_done, o_stat_fill, o_stat_evict);
        dff_setup!(self, clock, o_invalidate_ready, o_invalidate_done);
        for i in 0..5 {
            self.sets[i].clock.next = self.clock.val();
            self.walks[i].clock.next = self.clock.val();
        }
        comment!("Buffers. Sizes become masks as they are taken.");
        self.fill_take.next = self.fill_valid.val() & self.o_fill_ready.q.val();
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
            self.pasid_used.d.next = self.pasid_used.q.val() | self.fill_pasid_valid.val();
        }
        self.invalidate_take.next = self.invalidate_valid.val() & self.o_invalidate_ready.q.val();
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

        comment!("Steps.");
        self.step.d.next = self.step.q.val() + 1;
        self.clearing.next = false;
        self.start_fill.next = false;
        self.start_sweep.next = false;
        self.end_fill.next = false;
        self.end_sweep.next = false;
        self.choosing.next = false;
        self.order_touch.next = false;
        self.large_walk.next = false;
        self.large_pick.next = false;
        self.large_write.next = false;
        self.now_cleared.next = self.is_cleared.q.val();
        self.o_stat_fill.d.next = false;
        self.o_stat_evict.d.next = false;
        self.g_write.d.next = false;
        self.g_function.d.next = self.k_function.q.val();
        self.g_value.d.next = self.k_generation.q.val() + 1;
        self.sets[0].d.next = self.sets[0].q.val();
        self.walks[0].d.next = false;
        if self.walks[0].q.val() {
            self.sets[0].d.next = self.sets[0].q.val() + 1;
            self.walks[0].d.next = !(self.sets[0].q.val() | self.walk_compare.q.val()).all();
        }
        match self.state.q.val() {
            AtcState::Clear => {
                self.clearing.next = true;
                self.g_write.d.next = true;
                self.g_function.d.next = self.sets[0].q.val().get_bits::<F>(0);
                self.g_value.d.next = 0.into();
                self.sets[0].d.next = self.sets[0].q.val() + 1;
                if self.sets[0].q.val().all() {
                    self.state.d.next = AtcState::Settle;
                    self.step.d.next = 0.into();
                }
            }
            AtcState::Settle => {
                if self.step.q.val() == bits::<4>(1) {
                    self.state.d.next = AtcState::Idle;
                    self.now_cleared.next = true;
                }
            }
            AtcState::Idle => {
                self.step.d.next = 0.into();
                if self.f_valid.q.val() {
                    self.start_fill.next = true;
                    if !self.f_usable.q.val() {
                        self.end_fill.next = true;
                    } else if self.f_large.q.val() {
                        self.state.d.next = AtcState::Large;
                    } else {
                        self.state.d.next = AtcState::Base;
                    }
                } else if self.p_valid.q.val() {
                    self.start_sweep.next = true;
                    self.state.d.next = AtcState::Sweep;
                }
            }
            AtcState::Base => {
                self.choosing.next = self.step.q.val() == bits::<4>(4);
                if self.step.q.val() == bits::<4>(5) {
                    self.order_touch.next = true;
                    self.end_fill.next = true;
                    self.o_stat_fill.d.next = true;
                    self.o_stat_evict.d.next = self.evicts.q.val();
                    self.state.d.next = AtcState::Idle;
                }
            }
            AtcState::Large => {
                self.large_walk.next = self.step.q.val() == bits::<4>(0);
                if self.step.q.val() == bits::<4>(1) {
                    self.large_pick.next = !self.large_walking.val();
                    if self.large_walking.val() {
                        self.step.d.next = 1.into();
                    }
                }
                self.large_write.next = self.step.q.val() == self.large_end.val();
                self.large_written.d.next = self.large_write.val();
                if self.large_written.q.val() {
                    self.large_written.d.next = false;
                    self.end_fill.next = true;
                    self.o_stat_fill.d.next = true;
                    self.o_stat_evict.d.next = self.large_evicts.val();
                    self.state.d.next = AtcState::Idle;
                }
            }
            AtcState::Sweep => {
                if self.step.q.val() == bits::<4>(2) {
                    self.g_write.d.next = self.k_all.q.val();
                    self.wrapped.d.next = self.k_generation.q.val() == bits::<4>(15);
                }
                if self.step.q.val() == bits::<4>(3) {
                    self.large_walk.next = true;
                    self.walks[0].d.next = !self.k_all.q.val() | self.wrapped.q.val();
                }
                if (self.step.q.val() == bits::<4>(4)) & (self.walks[0].q.val() | self.large_walking.val()) {
                    self.step.d.next = 4.into();
                }
                if self.step.q.val() == self.sweep_end.val() {
                    self.end_sweep.next = true;
                    self.state.d.next = AtcState::Idle;
                }
            }
        }
        self.large_filling.next = self.state.q.val() == AtcState::Large;
        self.fill_stays.next = self.fill_take.val() | (self.f_valid.q.val() & !self.end_fill.val());
        self.pending_stays.next = self.invalidate_take.val() | (self.p_valid.q.val() & !self.end_sweep.val());
        self.f_valid.d.next = self.fill_stays.val();
        self.p_valid.d.next = self.pending_stays.val();
        self.is_cleared.d.next = self.now_cleared.val();
        self.o_fill_done.d.next = self.end_fill.val();
        self.o_invalidate_done.d.next = self.end_sweep.val();
        self.o_fill_ready.d.next = self.now_cleared.val() & !self.fill_stays.val() & !self.pending_stays.val();
        self.o_invalidate_ready.d.next = self.now_cleared.val() & !self.pending_stays.val();

        comment!("Key: a fill compares the page of its class, an invalidation its range.");
        self.everywhere.next = self.p_all.q.val() | (!self.p_pasid_valid.q.val() & self.pasid_used.q.val());
        if self.start_fill.val() {
            self.k_function.d.next = self.f_function.q.val();
            self.k_pasid_valid.d.next = self.f_pasid_valid.q.val();
            self.k_pasid.d.next = self.f_pasid.q.val();
            self.k_privileged.d.next = self.f_privileged.q.val();
            self.k_global.d.next = self.f_global.q.val();
            self.k_any_pasid.d.next = self.f_global.q.val() | !self.f_pasid_valid.q.val();
            self.k_all.d.next = false;
            self.k_granule.d.next = self.f_granule.q.val();
            self.k_compare.d.next = self.compare_all.val();
            if !self.f_low.q.val() {
                self.k_compare.d.next = self.compare_2m.val();
            }
            if self.f_huge.q.val() {
                self.k_compare.d.next = self.compare_1g.val();
            }
            self.sets[0].d.next = self.f_granule.q.val().get_bits::<A>(0);
        }
        if self.start_sweep.val() {
            self.k_function.d.next = self.p_function.q.val();
            self.k_pasid_valid.d.next = self.p_pasid_valid.q.val();
            self.k_pasid.d.next = self.p_pasid.q.val();
            self.k_privileged.d.next = false;
            self.k_global.d.next = self.p_global.q.val();
            self.k_any_pasid.d.next = self.p_any_pasid.q.val();
            self.k_all.d.next = self.p_all.q.val();
            self.k_granule.d.next = self.p_granule.q.val();
            self.k_compare.d.next = self.p_compare.q.val();
            self.walk_compare.d.next = self.p_compare.q.val().get_bits::<A>(0);
            self.sets[0].d.next = self.p_granule.q.val().get_bits::<A>(0) & self.p_compare.q.val().get_bits::<A>(0);
            if self.everywhere.val() {
                self.walk_compare.d.next = 0.into();
                self.sets[0].d.next = 0.into();
            }
        }
        self.k_generation.d.next = self.generation_read.val();

        comment!("Entry: the part of the translation around the IOVA, and parity a cycle behind.");
        self.mixed.next =
            (self.f_address.q.val() & self.f_keep.q.val()) | (self.f_granule.q.val() & !self.f_keep.q.val());
        if self.f_untranslated.q.val() {
            self.mixed.next = self.f_granule.q.val();
        }
        self.address.d.next = self.mixed.val() & self.k_compare.q.val();
        self.even_granule.d.next = self.k_granule.q.val().xor() ^ self.f_flip.q.val();
        self.even_rest.d.next = self.k_function.q.val().xor()
            ^ self.k_pasid.q.val().xor()
            ^ self.k_pasid_valid.q.val()
            ^ self.k_privileged.q.val()
            ^ self.k_global.q.val()
            ^ self.k_any_pasid.q.val()
            ^ self.k_generation.q.val().xor()
            ^ self.f_read.q.val()
            ^ self.f_write.q.val()
            ^ self.f_exec.q.val()
            ^ true;
        self.even_data.d.next = self.address.q.val().xor() ^ self.f_untranslated.q.val() ^ self.f_no_snoop.q.val();
        self.tag.next = bit_cast::<TW, 52>(self.k_granule.q.val())
            | (bit_cast::<TW, 20>(self.k_pasid.q.val()) << 52)
            | (bit_cast::<TW, 4>(self.k_generation.q.val()) << 76)
            | (bit_cast::<TW, F>(self.k_function.q.val()) << 86);
        self.tag.next = self.tag.val().replace_bit(72, self.k_pasid_valid.q.val());
        self.tag.next = self.tag.val().replace_bit(73, self.k_privileged.q.val());
        self.tag.next = self.tag.val().replace_bit(74, self.k_global.q.val());
        self.tag.next = self.tag.val().replace_bit(75, self.k_any_pasid.q.val());
        self.tag.next = self.tag.val().replace_bit(80, self.f_read.q.val());
        self.tag.next = self.tag.val().replace_bit(81, self.f_write.q.val());
        self.tag.next = self.tag.val().replace_bit(82, self.f_exec.q.val());
        self.tag.next = self.tag.val().replace_bit(83, true);
        self.tag.next = self.tag.val().replace_bit(84, self.even_granule.q.val());
        self.tag.next = self.tag.val().replace_bit(85, self.even_rest.q.val());
        self.write_tag.next = self.tag.val();
        self.write_data.next = bit_cast::<55, 52>(self.address.q.val());
        self.write_data.next = self.write_data.val().replace_bit(52, self.f_untranslated.q.val());
        self.write_data.next = self.write_data.val().replace_bit(53, self.f_no_snoop.q.val());
        self.write_data.next = self.write_data.val().replace_bit(54, self.even_data.q.val());
        self.large_data.next = bit_cast::<52, 48>(self.address.q.val().get_bits::<48>(4));
        self.large_data.next = self.large_data.val().replace_bit(48, !self.f_low.q.val());
        self.large_data.next = self.large_data.val().replace_bit(49, self.f_huge.q.val());
        self.large_data.next = self.large_data.val().replace_bit(50, self.f_untranslated.q.val());
        self.large_data.next = self.large_data.val().replace_bit(51, self.f_no_snoop.q.val());

        comment!(
            "Write port of the base-granule array: first rival, else first free way, else the least recently used."
        );
        self.ways.next = self.frees.val();
        if self.rivals.val().any() {
            self.ways.next = self.rivals.val();
        }
        if self.ways.val().get_bit(0) {
            self.chosen.next = 1.into();
        } else if self.ways.val().get_bit(1) {
            self.chosen.next = 2.into();
        } else if self.ways.val().get_bit(2) {
            self.chosen.next = 4.into();
        } else if self.ways.val().get_bit(3) {
            self.chosen.next = 8.into();
        } else if !self.order.val().get_bits::<3>(0).any() {
            self.chosen.next = 1.into();
        } else if self.order.val().get_bit(0) & !self.order.val().get_bits::<2>(3).any() {
            self.chosen.next = 2.into();
        } else if self.order.val().get_bit(1) & self.order.val().get_bit(3) & !self.order.val().get_bit(5) {
            self.chosen.next = 4.into();
        } else {
            self.chosen.next = 8.into();
        }
        for i in 1..5 {
            self.sets[i].d.next = self.sets[i - 1].q.val();
            self.walks[i].d.next = self.walks[i - 1].q.val() & !self.reset.val();
        }
        self.w_set.d.next = self.sets[4].q.val();
        self.w_ways.d.next = 0.into();
        self.w_valid.d.next = self.w_valid.q.val();
        if self.clearing.val() {
            self.w_set.d.next = self.sets[0].q.val();
            self.w_ways.d.next = bits::<4>(15);
            self.w_valid.d.next = 0.into();
        } else if self.choosing.val() {
            self.w_ways.d.next = self.chosen.val() | self.rivals.val();
            self.w_valid.d.next = self.chosen.val();
            self.evicts.d.next = !self.ways.val().any();
        } else if self.walks[4].q.val() {
            self.w_ways.d.next = self.drops.val();
            self.w_valid.d.next = 0.into();
        }

        if self.reset.val() {
            self.state.d.next = AtcState::Clear;
            self.sets[0].d.next = 0.into();
            self.walks[0].d.next = false;
            self.is_cleared.d.next = false;
            self.f_valid.d.next = false;
            self.p_valid.d.next = false;
            self.epochs.d.next = 0.into();
            self.pasid_used.d.next = false;
            self.large_written.d.next = false;
            self.w_ways.d.next = 0.into();
            self.g_write.d.next = false;
            self.o_fill_ready.d.next = false;
            self.o_fill_done.d.next = false;
            self.o_stat_fill.d.next = false;
            self.o_stat_evict.d.next = false;
            self.o_invalidate_ready.d.next = false;
            self.o_invalidate_done.d.next = false;
        }

        self.fill_ready.next = self.o_fill_ready.q.val();
        self.fill_done.next = self.o_fill_done.q.val();
        self.stat_fill.next = self.o_stat_fill.q.val();
        self.stat_evict.next = self.o_stat_evict.q.val();
        self.invalidate_ready.next = self.o_invalidate_ready.q.val();
        self.invalidate_done.next = self.o_invalidate_done.q.val();
        self.epoch.next = self.epochs.q.val();
        self.cleared.next = self.is_cleared.q.val();
        self.pending_valid.next = self.p_valid.q.val();
        self.pending_function.next = self.p_function.q.val();
        self.pending_pasid_valid.next = self.p_pasid_valid.q.val();
        self.pending_pasid.next = self.p_pasid.q.val();
        self.pending_any_pasid.next = self.p_any_pasid.q.val();
        self.pending_all.next = self.p_all.q.val();
        self.pending_granule.next = self.p_granule.q.val();
        self.pending_compare.next = self.p_compare.q.val();
        self.key_granule.next = self.k_granule.q.val();
        self.key_compare.next = self.k_compare.q.val();
        self.key_function.next = self.k_function.q.val();
        self.key_generation.next = self.k_generation.q.val();
        self.key_pasid.next = self.k_pasid.q.val();
        self.key_pasid_valid.next = self.k_pasid_valid.q.val();
        self.key_privileged.next = self.k_privileged.q.val();
        self.key_global.next = self.k_global.q.val();
        self.key_any_pasid.next = self.k_any_pasid.q.val();
        self.key_all.next = self.k_all.q.val();
        self.set.next = self.sets[0].q.val();
        self.write_ways.next = self.w_ways.q.val();
        self.write_set.next = self.w_set.q.val();
        self.write_valid.next = self.w_valid.q.val();
        self.order_clear.next = self.clearing.val();
        self.generation_write.next = self.g_write.q.val();
        self.generation_function.next = self.g_function.q.val();
        self.generation_value.next = self.g_value.q.val();
        self.large_low.next = self.f_low.q.val();
        self.large_huge.next = self.f_huge.q.val();
        self.large_read.next = self.f_read.q.val();
        self.large_write_right.next = self.f_write.q.val();
        self.large_exec.next = self.f_exec.q.val();
    }
}
