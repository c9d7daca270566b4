//! `atc`: the Address Translation Cache as hardware, cycle for cycle as `cycle::atc`.
//!
//! ```text
//!  lookup ─┬─► tag, data, order RAM ─► pairs compared ─► named, good ─► select ─► result ─► statistics
//!          │         e0                 e1                e2                  e3                   e4
//!          ├─► large tags: compares ─► hit, number ─► data RAM ───────────────┘
//!          └─► key ─► pending range: partial compares ─► pending ─────────────┘
//! ```
//!
//! One lookup a cycle. No stage is deeper than three look-up tables: behind the block RAM stands one, whose results (a bit
//! a pair of compared bits, a bit four bits of parity) are registered; the next edge registers one bit a way; what follows
//! is an AND-OR over the ways.

mod base;
mod engine;
mod entry;
mod fault;
mod large;
mod large_entry;
mod lru;
mod named;
mod owner;
mod pending;
mod requests;
mod result;
mod way;

pub use base::AtcBase;
pub use engine::{AtcEngine, AtcState};
pub use entry::AtcEntry;
pub use fault::Fault;
pub use large::AtcLarge;
pub use large_entry::AtcLargeEntry;
pub use lru::AtcLru;
pub use named::{Large, Medium, Small, Tiny};
pub use owner::AtcOwner;
pub use pending::AtcPending;
pub use requests::AtcRequests;
pub use result::AtcResult;
pub use way::AtcWay;

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};
use crate::prim::Ram1w2r;

/// The Address Translation Cache.
///
/// `F` bits of a function number, `S` of a slot number, `A` of a set number, `W` ways (2 to 4), `N` = 2^`AL` large
/// entries; `TW` = 86 + `F` and `LW` = 74 + `F` are the widths of the tag words. The base granule is 4 KiB.
#[derive(LogicBlock, SmartDefault)]
pub struct Atc<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A lookup is given; one a cycle, never stalled.
    pub lookup_valid: Signal<In, Bit>,
    /// Slot that asks.
    pub lookup_slot: Signal<In, Bits<S>>,
    /// Function.
    pub lookup_key_function: Signal<In, Bits<F>>,
    /// A PASID is given.
    pub lookup_key_pasid_valid: Signal<In, Bit>,
    /// PASID.
    pub lookup_key_pasid_value: Signal<In, Bits<20>>,
    /// Execute permission is needed.
    pub lookup_key_pasid_exec: Signal<In, Bit>,
    /// Privileged mode.
    pub lookup_key_pasid_priv: Signal<In, Bit>,
    /// I/O virtual address.
    pub lookup_key_iova: Signal<In, Bits<64>>,
    /// Read permission is needed.
    pub lookup_read: Signal<In, Bit>,
    /// Write permission is needed.
    pub lookup_write: Signal<In, Bit>,
    /// A fill is offered.
    pub fill_valid: Signal<In, Bit>,
    /// Function.
    pub fill_key_function: Signal<In, Bits<F>>,
    /// It has a PASID.
    pub fill_key_pasid_valid: Signal<In, Bit>,
    /// PASID.
    pub fill_key_pasid_value: Signal<In, Bits<20>>,
    /// Execute requested; not used.
    pub fill_key_pasid_exec: Signal<In, Bit>,
    /// Privileged mode.
    pub fill_key_pasid_priv: Signal<In, Bit>,
    /// I/O virtual address, anywhere in the page.
    pub fill_key_iova: Signal<In, Bits<64>>,
    /// Bus address of the page.
    pub fill_address: Signal<In, Bits<64>>,
    /// Base-two logarithm of the translation's size.
    pub fill_size_log2: Signal<In, Bits<6>>,
    /// R.
    pub fill_read: Signal<In, Bit>,
    /// W.
    pub fill_write: Signal<In, Bit>,
    /// Exe.
    pub fill_exec: Signal<In, Bit>,
    /// Global.
    pub fill_global: Signal<In, Bit>,
    /// U.
    pub fill_untranslated: Signal<In, Bit>,
    /// N.
    pub fill_no_snoop: Signal<In, Bit>,
    /// An invalidation is offered.
    pub invalidate_valid: Signal<In, Bit>,
    /// Function.
    pub invalidate_function: Signal<In, Bits<F>>,
    /// A PASID is given.
    pub invalidate_pasid_valid: Signal<In, Bit>,
    /// PASID.
    pub invalidate_pasid_value: Signal<In, Bits<20>>,
    /// Not used.
    pub invalidate_pasid_exec: Signal<In, Bit>,
    /// Not used.
    pub invalidate_pasid_priv: Signal<In, Bit>,
    /// All PASIDs, global entries too.
    pub invalidate_global: Signal<In, Bit>,
    /// Every entry of the function.
    pub invalidate_all: Signal<In, Bit>,
    /// First address.
    pub invalidate_iova: Signal<In, Bits<64>>,
    /// Base-two logarithm of the range in bytes.
    pub invalidate_size_log2: Signal<In, Bits<6>>,
    /// Test hook: flips a parity bit of the entry written by the fill taken.
    pub inject_parity: Signal<In, Bit>,
    /// A result is given, four edges after its lookup.
    pub result_valid: Signal<Out, Bit>,
    /// Slot that asked.
    pub result_slot: Signal<Out, Bits<S>>,
    /// An entry with the permissions needed was found.
    pub result_hit: Signal<Out, Bit>,
    /// Translated address of the byte looked up; zero on a miss.
    pub result_address: Signal<Out, Bits<64>>,
    /// U.
    pub result_untranslated: Signal<Out, Bit>,
    /// N.
    pub result_no_snoop: Signal<Out, Bit>,
    /// Invalidation epoch at the lookup.
    pub result_epoch: Signal<Out, Bits<4>>,
    /// A fill is taken.
    pub fill_ready: Signal<Out, Bit>,
    /// The fill is visible to lookups.
    pub fill_done: Signal<Out, Bit>,
    /// An invalidation is taken.
    pub invalidate_ready: Signal<Out, Bit>,
    /// The invalidation is complete.
    pub invalidate_done: Signal<Out, Bit>,
    /// Statistics, one edge after the event.
    pub stat_hit_base: Signal<Out, Bit>,
    /// A lookup hit the large-page array.
    pub stat_hit_large: Signal<Out, Bit>,
    /// A lookup missed.
    pub stat_miss: Signal<Out, Bit>,
    /// It found the page without the permission.
    pub stat_miss_permission: Signal<Out, Bit>,
    /// It was held off by a pending invalidation.
    pub stat_miss_pending: Signal<Out, Bit>,
    /// A parity error was found.
    pub stat_parity: Signal<Out, Bit>,
    /// A fill was written.
    pub stat_fill: Signal<Out, Bit>,
    /// It replaced a live entry.
    pub stat_evict: Signal<Out, Bit>,
    /// An invalidation was completed.
    pub stat_invalidate: Signal<Out, Bit>,

    set: Signal<Local, Bits<A>>,
    s1_valid: DFF<Bit>,
    s1_slot: DFF<Bits<S>>,
    s1_function: DFF<Bits<F>>,
    s1_pasid_valid: DFF<Bit>,
    s1_pasid: DFF<Bits<20>>,
    s1_exec: DFF<Bit>,
    s1_privileged: DFF<Bit>,
    s1_iova: DFF<Bits<64>>,
    s1_read: DFF<Bit>,
    s1_write: DFF<Bit>,
    s2_valid: DFF<Bit>,
    s2_slot: DFF<Bits<S>>,
    s2_iova: DFF<Bits<30>>,
    s2_epoch: DFF<Bits<4>>,
    s3_valid: DFF<Bit>,
    s3_live: DFF<Bit>,
    s3_slot: DFF<Bits<S>>,
    s3_epoch: DFF<Bits<4>>,
    s3_pending: DFF<Bit>,
    s3_iova: DFF<Bits<30>>,
    base: AtcBase<F, A, W, TW>,
    answer: AtcResult<S>,
    pending: AtcPending<F>,
    requests: AtcRequests<F>,
    entry: AtcEntry<F, TW>,
    generation: Ram1w2r<4, F, true>,
    big: AtcLarge<F, N, AL, LW>,
    engine: AtcEngine<F, A>,
    info: Info<Self>,
}

impl<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> BlockInfo for Atc<F, S, A, W, N, AL, TW, LW>
{
    const NAME: &'static str = "atc";
    const SUMMARY: &'static str = "Address Translation Cache of an RDMA NIC";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("reset", "Synchronous, active high"),
        ("lookup_valid", "Lookups, one a cycle, never stalled"),
        ("fill_valid", "Fills"),
        ("invalidate_valid", "Invalidations"),
        ("inject_parity", "Test hook: flips a parity bit of the entry written by the fill taken"),
        ("result_valid", "Results in order, four edges after the lookup"),
        ("fill_ready", "Fills and invalidations"),
        ("stat_hit_base", "Statistics: increments, one cycle each"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        assert!((2..=4).contains(&W), "two to four ways");
        vec![("F", F), ("S", S), ("A", A), ("W", W), ("N", N)]
    }
}

impl<
    const F: usize,
    const S: usize,
    const A: usize,
    const W: usize,
    const N: usize,
    const AL: usize,
    const TW: usize,
    const LW: usize,
> Logic for Atc<F, S, A, W, N, AL, TW, LW>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, s1_valid, s1_slot, s1_function, s1_pasid_valid, s1_pasid, s1_exec, s1_privileged);
        dff_setup!(self, clock, s1_iova, s1_read, s1_write, s2_valid, s2_slot, s2_iova, s2_epoch);
        dff_setup!(self, clock, s3_valid, s3_live, s3_slot, s3_epoch, s3_pending, s3_iova);
        clock!(self, clock, base, answer, pending, requests, entry, generation, big, engine);

        comment!("e0: the RAMs are read.");
        self.set.next = self.lookup_key_iova.val().get_bits::<A>(12);
        self.s1_valid.d.next = self.lookup_valid.val() & !self.reset.val();
        self.s1_slot.d.next = self.lookup_slot.val();
        self.s1_function.d.next = self.lookup_key_function.val();
        self.s1_pasid_valid.d.next = self.lookup_key_pasid_valid.val();
        self.s1_pasid.d.next = self.lookup_key_pasid_value.val();
        self.s1_exec.d.next = self.lookup_key_pasid_exec.val();
        self.s1_privileged.d.next = self.lookup_key_pasid_priv.val();
        self.s1_iova.d.next = self.lookup_key_iova.val();
        self.s1_read.d.next = self.lookup_read.val();
        self.s1_write.d.next = self.lookup_write.val();
        self.generation.rd0_en.next = true;
        self.generation.rd0_addr.next = self.lookup_key_function.val();

        comment!("e1: the arrays and the pending invalidation compare.");
        self.s2_valid.d.next = self.s1_valid.q.val() & !self.reset.val();
        self.s2_slot.d.next = self.s1_slot.q.val();
        self.s2_iova.d.next = self.s1_iova.q.val().get_bits::<30>(0);
        self.s2_epoch.d.next = self.requests.epoch.val();

        comment!("e2: pending or not.");
        self.s3_valid.d.next = self.s2_valid.q.val() & !self.reset.val();
        self.s3_live.d.next = self.s2_valid.q.val() & !self.pending.held_off.val() & !self.reset.val();
        self.s3_pending.d.next = self.pending.held_off.val();
        self.s3_slot.d.next = self.s2_slot.q.val();
        self.s3_epoch.d.next = self.s2_epoch.q.val();
        self.s3_iova.d.next = self.s2_iova.q.val();

        comment!("e3 and e4: result and statistics.");
        self.answer.reset.next = self.reset.val();
        self.answer.valid.next = self.s3_valid.q.val();
        self.answer.live.next = self.s3_live.q.val();
        self.answer.pending.next = self.s3_pending.q.val();
        self.answer.slot.next = self.s3_slot.q.val();
        self.answer.epoch.next = self.s3_epoch.q.val();
        self.answer.iova.next = self.s3_iova.q.val();
        self.answer.base_hit.next = self.base.hit.val();
        self.answer.base_named.next = self.base.named.val();
        self.answer.base_odd.next = self.base.odd.val();
        self.answer.base_address.next = self.base.address.val();
        self.answer.base_untranslated.next = self.base.untranslated.val();
        self.answer.base_no_snoop.next = self.base.no_snoop.val();
        self.answer.large_hit.next = self.big.hit.val();
        self.answer.large_named.next = self.big.named.val();
        self.answer.large_data.next = self.big.data.val();
        self.result_valid.next = self.answer.result_valid.val();
        self.result_slot.next = self.answer.result_slot.val();
        self.result_hit.next = self.answer.result_hit.val();
        self.result_address.next = self.answer.result_address.val();
        self.result_untranslated.next = self.answer.result_untranslated.val();
        self.result_no_snoop.next = self.answer.result_no_snoop.val();
        self.result_epoch.next = self.answer.result_epoch.val();
        self.stat_hit_base.next = self.answer.stat_hit_base.val();
        self.stat_hit_large.next = self.answer.stat_hit_large.val();
        self.stat_miss.next = self.answer.stat_miss.val();
        self.stat_miss_permission.next = self.answer.stat_miss_permission.val();
        self.stat_miss_pending.next = self.answer.stat_miss_pending.val();
        self.stat_parity.next = self.answer.stat_parity.val();

        comment!("Base-granule array.");
        self.base.reset.next = self.reset.val();
        self.base.lookup_set.next = self.set.val();
        self.base.asked_granule.next = self.s1_iova.q.val().get_bits::<52>(12);
        self.base.asked_function.next = self.s1_function.q.val();
        self.base.asked_generation.next = self.generation.rd0_data.val();
        self.base.asked_pasid.next = self.s1_pasid.q.val();
        self.base.asked_pasid_valid.next = self.s1_pasid_valid.q.val();
        self.base.asked_privileged.next = self.s1_privileged.q.val();
        self.base.asked_read.next = self.s1_read.q.val();
        self.base.asked_write.next = self.s1_write.q.val();
        self.base.asked_exec.next = self.s1_exec.q.val();
        self.base.asked_elsewhere.next = self.big.early_hit.val();
        self.base.live.next = self.s3_live.q.val();
        self.base.live_set.next = self.s3_iova.q.val().get_bits::<A>(12);
        self.base.engine_set.next = self.engine.set.val();
        self.base.key_granule.next = self.engine.key_granule.val();
        self.base.key_compare.next = self.engine.key_compare.val();
        self.base.key_function.next = self.engine.key_function.val();
        self.base.key_generation.next = self.engine.key_generation.val();
        self.base.key_pasid.next = self.engine.key_pasid.val();
        self.base.key_pasid_valid.next = self.engine.key_pasid_valid.val();
        self.base.key_privileged.next = self.engine.key_privileged.val();
        self.base.key_global.next = self.engine.key_global.val();
        self.base.key_any_pasid.next = self.engine.key_any_pasid.val();
        self.base.key_all.next = self.engine.key_all.val();
        self.base.write_ways.next = self.engine.write_ways.val();
        self.base.write_set.next = self.engine.write_set.val();
        self.base.write_valid.next = self.engine.write_valid.val();
        self.base.write_tag.next = self.entry.tag.val();
        self.base.write_data.next = self.entry.data.val();
        self.base.order_clear.next = self.engine.order_clear.val();
        self.base.order_touch.next = self.engine.order_touch.val();

        comment!("Pending invalidation.");
        self.pending.asked_function.next = self.s1_function.q.val();
        self.pending.asked_pasid.next = self.s1_pasid.q.val();
        self.pending.asked_pasid_valid.next = self.s1_pasid_valid.q.val();
        self.pending.asked_granule.next = self.s1_iova.q.val().get_bits::<52>(12);
        self.pending.clearing.next = !self.engine.cleared.val();
        self.pending.pending_valid.next = self.requests.pending_valid.val();
        self.pending.pending_function.next = self.requests.pending_function.val();
        self.pending.pending_pasid_valid.next = self.requests.pending_pasid_valid.val();
        self.pending.pending_pasid.next = self.requests.pending_pasid.val();
        self.pending.pending_any_pasid.next = self.requests.pending_any_pasid.val();
        self.pending.pending_all.next = self.requests.pending_all.val();
        self.pending.pending_granule.next = self.requests.pending_granule.val();
        self.pending.pending_compare.next = self.requests.pending_compare.val();

        comment!("Generations.");
        self.generation.rd1_en.next = true;
        self.generation.rd1_addr.next = self.engine.key_function.val();
        self.generation.wr_en.next = self.engine.generation_write.val();
        self.generation.wr_addr.next = self.engine.generation_function.val();
        self.generation.wr_data.next = self.engine.generation_value.val();

        comment!("Large-page array.");
        self.big.reset.next = self.reset.val();
        self.big.lookup_iova.next = self.lookup_key_iova.val().get_bits::<48>(16);
        self.big.lookup_function.next = self.lookup_key_function.val();
        self.big.lookup_pasid.next = self.lookup_key_pasid_value.val();
        self.big.lookup_pasid_valid.next = self.lookup_key_pasid_valid.val();
        self.big.lookup_privileged.next = self.lookup_key_pasid_priv.val();
        self.big.lookup_read.next = self.lookup_read.val();
        self.big.lookup_write.next = self.lookup_write.val();
        self.big.lookup_exec.next = self.lookup_key_pasid_exec.val();
        self.big.walk.next = self.engine.large_walk.val();
        self.big.filling.next = self.engine.large_filling.val();
        self.big.pick.next = self.engine.large_pick.val();
        self.big.write.next = self.engine.large_write.val();
        self.big.key_iova.next = self.engine.key_granule.val().get_bits::<48>(4);
        self.big.key_compare.next = self.engine.key_compare.val().get_bits::<48>(4);
        self.big.key_low.next = self.requests.held_low.val();
        self.big.key_huge.next = self.requests.held_huge.val();
        self.big.key_function.next = self.engine.key_function.val();
        self.big.key_pasid.next = self.engine.key_pasid.val();
        self.big.key_pasid_valid.next = self.engine.key_pasid_valid.val();
        self.big.key_privileged.next = self.engine.key_privileged.val();
        self.big.key_global.next = self.engine.key_global.val();
        self.big.key_any_pasid.next = self.engine.key_any_pasid.val();
        self.big.key_all.next = self.engine.key_all.val();
        self.big.fill_read.next = self.requests.held_read.val();
        self.big.fill_write.next = self.requests.held_write.val();
        self.big.fill_exec.next = self.requests.held_exec.val();
        self.big.fill_data.next = self.entry.large_data.val();

        comment!("Requests, engine, words to write.");
        self.requests.reset.next = self.reset.val();
        self.requests.fill_valid.next = self.fill_valid.val();
        self.requests.fill_function.next = self.fill_key_function.val();
        self.requests.fill_pasid_valid.next = self.fill_key_pasid_valid.val();
        self.requests.fill_pasid.next = self.fill_key_pasid_value.val();
        self.requests.fill_privileged.next = self.fill_key_pasid_priv.val();
        self.requests.fill_granule.next = self.fill_key_iova.val().get_bits::<52>(12);
        self.requests.fill_address.next = self.fill_address.val().get_bits::<52>(12);
        self.requests.fill_size.next = self.fill_size_log2.val();
        self.requests.fill_read.next = self.fill_read.val();
        self.requests.fill_write.next = self.fill_write.val();
        self.requests.fill_exec.next = self.fill_exec.val();
        self.requests.fill_global.next = self.fill_global.val();
        self.requests.fill_untranslated.next = self.fill_untranslated.val();
        self.requests.fill_no_snoop.next = self.fill_no_snoop.val();
        self.requests.fill_flip.next = self.inject_parity.val();
        self.requests.invalidate_valid.next = self.invalidate_valid.val();
        self.requests.invalidate_function.next = self.invalidate_function.val();
        self.requests.invalidate_pasid_valid.next = self.invalidate_pasid_valid.val();
        self.requests.invalidate_pasid.next = self.invalidate_pasid_value.val();
        self.requests.invalidate_global.next = self.invalidate_global.val();
        self.requests.invalidate_all.next = self.invalidate_all.val();
        self.requests.invalidate_granule.next = self.invalidate_iova.val().get_bits::<52>(12);
        self.requests.invalidate_size.next = self.invalidate_size_log2.val();
        self.requests.cleared.next = self.engine.now_cleared.val();
        self.requests.end_fill.next = self.engine.end_fill.val();
        self.requests.end_sweep.next = self.engine.end_sweep.val();
        self.engine.reset.next = self.reset.val();
        self.engine.held_valid.next = self.requests.held_valid.val();
        self.engine.held_function.next = self.requests.held_function.val();
        self.engine.held_pasid_valid.next = self.requests.held_pasid_valid.val();
        self.engine.held_pasid.next = self.requests.held_pasid.val();
        self.engine.held_privileged.next = self.requests.held_privileged.val();
        self.engine.held_global.next = self.requests.held_global.val();
        self.engine.held_granule.next = self.requests.held_granule.val();
        self.engine.held_usable.next = self.requests.held_usable.val();
        self.engine.held_large.next = self.requests.held_large.val();
        self.engine.held_low.next = self.requests.held_low.val();
        self.engine.held_huge.next = self.requests.held_huge.val();
        self.engine.pending_valid.next = self.requests.pending_valid.val();
        self.engine.pending_function.next = self.requests.pending_function.val();
        self.engine.pending_pasid_valid.next = self.requests.pending_pasid_valid.val();
        self.engine.pending_pasid.next = self.requests.pending_pasid.val();
        self.engine.pending_global.next = self.requests.pending_global.val();
        self.engine.pending_any_pasid.next = self.requests.pending_any_pasid.val();
        self.engine.pending_all.next = self.requests.pending_all.val();
        self.engine.pending_granule.next = self.requests.pending_granule.val();
        self.engine.pending_compare.next = self.requests.pending_compare.val();
        self.engine.pasid_used.next = self.requests.pasid_used.val();
        self.engine.rivals.next = self.base.rivals.val();
        self.engine.frees.next = self.base.frees.val();
        self.engine.drops.next = self.base.drops.val();
        self.engine.order.next = self.base.order.val();
        self.entry.key_granule.next = self.engine.key_granule.val();
        self.entry.key_compare.next = self.engine.key_compare.val();
        self.entry.key_function.next = self.engine.key_function.val();
        self.entry.key_generation.next = self.engine.key_generation.val();
        self.entry.key_pasid.next = self.engine.key_pasid.val();
        self.entry.key_pasid_valid.next = self.engine.key_pasid_valid.val();
        self.entry.key_privileged.next = self.engine.key_privileged.val();
        self.entry.key_global.next = self.engine.key_global.val();
        self.entry.key_any_pasid.next = self.engine.key_any_pasid.val();
        self.entry.fill_address.next = self.requests.held_address.val();
        self.entry.fill_keep.next = self.requests.held_keep.val();
        self.entry.fill_low.next = self.requests.held_low.val();
        self.entry.fill_huge.next = self.requests.held_huge.val();
        self.entry.fill_read.next = self.requests.held_read.val();
        self.entry.fill_write.next = self.requests.held_write.val();
        self.entry.fill_exec.next = self.requests.held_exec.val();
        self.entry.fill_untranslated.next = self.requests.held_untranslated.val();
        self.entry.fill_no_snoop.next = self.requests.held_no_snoop.val();
        self.entry.fill_flip.next = self.requests.held_flip.val();
        self.engine.generation_read.next = self.generation.rd1_data.val();
        self.engine.large_walking.next = self.big.walking.val();
        self.engine.large_evicts.next = self.big.evicts.val();

        self.fill_ready.next = self.requests.fill_ready.val();
        self.fill_done.next = self.engine.fill_done.val();
        self.invalidate_ready.next = self.requests.invalidate_ready.val();
        self.invalidate_done.next = self.engine.invalidate_done.val();
        self.stat_fill.next = self.engine.stat_fill.val();
        self.stat_evict.next = self.engine.stat_evict.val();
        self.stat_invalidate.next = self.engine.invalidate_done.val();
    }
}
