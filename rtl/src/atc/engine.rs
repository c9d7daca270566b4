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
/// Of the fill and the invalidation that wait, the one at work stands in the `key` registers, which the compares of the
/// arrays see. `F` is the width of a function number, `A` that of a set number.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcEngine<const F: usize, const A: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Fill held: a fill waits or is at work.
    pub held_valid: Signal<In, Bit>,
    /// Fill held: function.
    pub held_function: Signal<In, Bits<F>>,
    /// Fill held: it has a PASID.
    pub held_pasid_valid: Signal<In, Bit>,
    /// Fill held: PASID, zero without one.
    pub held_pasid: Signal<In, Bits<20>>,
    /// Fill held: privileged mode.
    pub held_privileged: Signal<In, Bit>,
    /// Fill held: Global.
    pub held_global: Signal<In, Bit>,
    /// Fill held: IOVA 63:12.
    pub held_granule: Signal<In, Bits<52>>,
    /// Fill held: it grants something and fills a granule.
    pub held_usable: Signal<In, Bit>,
    /// Fill held: it fills a page of 64 KiB at least.
    pub held_large: Signal<In, Bit>,
    /// Fill held: it fills less than 2 MiB.
    pub held_low: Signal<In, Bit>,
    /// Fill held: it fills 1 GiB.
    pub held_huge: Signal<In, Bit>,
    /// Invalidation held: an invalidation waits or is at work.
    pub pending_valid: Signal<In, Bit>,
    /// Invalidation held: function.
    pub pending_function: Signal<In, Bits<F>>,
    /// Invalidation held: a PASID is given.
    pub pending_pasid_valid: Signal<In, Bit>,
    /// Invalidation held: PASID.
    pub pending_pasid: Signal<In, Bits<20>>,
    /// Invalidation held: Global Invalidate.
    pub pending_global: Signal<In, Bit>,
    /// Invalidation held: every PASID is meant.
    pub pending_any_pasid: Signal<In, Bit>,
    /// Invalidation held: the whole function.
    pub pending_all: Signal<In, Bit>,
    /// Invalidation held: IOVA 63:12.
    pub pending_granule: Signal<In, Bits<52>>,
    /// Invalidation held: bits of it that are compared.
    pub pending_compare: Signal<In, Bits<52>>,
    /// A fill with a PASID has been taken since reset.
    pub pasid_used: Signal<In, Bit>,
    /// The fill is done at this edge.
    pub end_fill: Signal<Out, Bit>,
    /// The invalidation is done at this edge.
    pub end_sweep: Signal<Out, Bit>,
    /// All sets will have been cleared after this edge.
    pub now_cleared: Signal<Out, Bit>,
    /// The fill is visible to lookups.
    pub fill_done: Signal<Out, Bit>,
    /// The fill was written.
    pub stat_fill: Signal<Out, Bit>,
    /// It replaced a live entry.
    pub stat_evict: Signal<Out, Bit>,
    /// No entry of the range is left.
    pub invalidate_done: Signal<Out, Bit>,
    /// All sets have been cleared since reset.
    pub cleared: Signal<Out, Bit>,
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
    everywhere: Signal<Local, Bit>,
    start_fill: Signal<Local, Bit>,
    start_sweep: Signal<Local, Bit>,
    clearing: Signal<Local, Bit>,
    choosing: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<4>>,
    ways: Signal<Local, Bits<4>>,
    state: DFF<AtcState>,
    step: DFF<Bits<4>>,
    is_cleared: DFF<Bit>,
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
    evicts: DFF<Bit>,
    large_written: DFF<Bit>,
    wrapped: DFF<Bit>,
    g_write: DFF<Bit>,
    g_function: DFF<Bits<F>>,
    g_value: DFF<Bits<4>>,
    o_fill_done: DFF<Bit>,
    o_stat_fill: DFF<Bit>,
    o_stat_evict: DFF<Bit>,
    o_invalidate_done: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize, const A: usize> BlockInfo for AtcEngine<F, A> {
    const NAME: &'static str = "atc_engine";
    const SUMMARY: &'static str = "clears, fills and invalidations of the ATC, one at a time";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("held_valid", "The fill that was taken"),
        ("pending_valid", "The invalidation that was taken"),
        ("end_fill", "Progress"),
        ("key_granule", "To the arrays: the fill or the invalidation at work"),
        ("set", "Base-granule array"),
        ("order_clear", "Order of use"),
        ("generation_read", "Generations"),
        ("large_walk", "Large-page array"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("F", F), ("A", A)]
    }
}

impl<const F: usize, const A: usize> Logic for AtcEngine<F, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, step, is_cleared, k_function, k_pasid_valid, k_pasid, k_privileged, k_global);
        dff_setup!(self, clock, k_any_pasid, k_all, k_granule, k_compare, k_generation, walk_compare, w_ways, w_valid);
        dff_setup!(self, clock, w_set, evicts, large_written, wrapped, g_write, g_function, g_value, o_fill_done);
        dff_setup!(self, clock, o_stat_fill, o_stat_evict, o_invalidate_done);
        for i in 0..5 {
            self.sets[i].clock.next = self.clock.val();
            self.walks[i].clock.next = self.clock.val();
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
                if self.held_valid.val() {
                    self.start_fill.next = true;
                    if !self.held_usable.val() {
                        self.end_fill.next = true;
                    } else if self.held_large.val() {
                        self.state.d.next = AtcState::Large;
                    } else {
                        self.state.d.next = AtcState::Base;
                    }
                } else if self.pending_valid.val() {
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
        self.is_cleared.d.next = self.now_cleared.val();
        self.o_fill_done.d.next = self.end_fill.val();
        self.o_invalidate_done.d.next = self.end_sweep.val();

        comment!("Key: a fill compares the page of its class, an invalidation its range.");
        self.everywhere.next = self.pending_all.val() | (!self.pending_pasid_valid.val() & self.pasid_used.val());
        if self.start_fill.val() {
            self.k_function.d.next = self.held_function.val();
            self.k_pasid_valid.d.next = self.held_pasid_valid.val();
            self.k_pasid.d.next = self.held_pasid.val();
            self.k_privileged.d.next = self.held_privileged.val();
            self.k_global.d.next = self.held_global.val();
            self.k_any_pasid.d.next = self.held_global.val() | !self.held_pasid_valid.val();
            self.k_all.d.next = false;
            self.k_granule.d.next = self.held_granule.val();
            self.k_compare.d.next = self.compare_all.val();
            if !self.held_low.val() {
                self.k_compare.d.next = self.compare_2m.val();
            }
            if self.held_huge.val() {
                self.k_compare.d.next = self.compare_1g.val();
            }
            self.sets[0].d.next = self.held_granule.val().get_bits::<A>(0);
        }
        if self.start_sweep.val() {
            self.k_function.d.next = self.pending_function.val();
            self.k_pasid_valid.d.next = self.pending_pasid_valid.val();
            self.k_pasid.d.next = self.pending_pasid.val();
            self.k_privileged.d.next = false;
            self.k_global.d.next = self.pending_global.val();
            self.k_any_pasid.d.next = self.pending_any_pasid.val();
            self.k_all.d.next = self.pending_all.val();
            self.k_granule.d.next = self.pending_granule.val();
            self.k_compare.d.next = self.pending_compare.val();
            self.walk_compare.d.next = self.pending_compare.val().get_bits::<A>(0);
            self.sets[0].d.next =
                self.pending_granule.val().get_bits::<A>(0) & self.pending_compare.val().get_bits::<A>(0);
            if self.everywhere.val() {
                self.walk_compare.d.next = 0.into();
                self.sets[0].d.next = 0.into();
            }
        }
        self.k_generation.d.next = self.generation_read.val();

        comment!("Write port of the base-granule array: first rival, else first free way, else the oldest.");
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
            self.large_written.d.next = false;
            self.w_ways.d.next = 0.into();
            self.g_write.d.next = false;
            self.o_fill_done.d.next = false;
            self.o_stat_fill.d.next = false;
            self.o_stat_evict.d.next = false;
            self.o_invalidate_done.d.next = false;
        }

        self.fill_done.next = self.o_fill_done.q.val();
        self.stat_fill.next = self.o_stat_fill.q.val();
        self.stat_evict.next = self.o_stat_evict.q.val();
        self.invalidate_done.next = self.o_invalidate_done.q.val();
        self.cleared.next = self.is_cleared.q.val();
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
    }
}
