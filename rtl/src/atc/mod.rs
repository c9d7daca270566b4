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

mod engine;
mod fault;
mod large;
mod large_entry;
mod lru;
mod named;
mod owner;
mod way;

pub use engine::{AtcEngine, AtcState};
pub use fault::Fault;
pub use large::AtcLarge;
pub use large_entry::AtcLargeEntry;
pub use lru::AtcLru;
pub use named::{Large, Medium, Small, Tiny};
pub use owner::AtcOwner;
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
    clash: Signal<Local, Bit>,
    named: Signal<Local, Bits<4>>,
    hits: Signal<Local, Bits<4>>,
    large_hit: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    address: Signal<Local, Bits<52>>,
    large_address: Signal<Local, Bits<52>>,
    untranslated: Signal<Local, Bit>,
    no_snoop: Signal<Local, Bit>,
    large_word: Signal<Local, Bits<52>>,
    held_off: Signal<Local, Bit>,
    pending: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    whole: Signal<Local, Bits<64>>,
    rivals: Signal<Local, Bits<4>>,
    frees: Signal<Local, Bits<4>>,
    drops: Signal<Local, Bits<4>>,
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
    s2_clearing: DFF<Bit>,
    s2_function_pending: DFF<Bit>,
    s2_everywhere: DFF<Bit>,
    s2_scope: DFF<Bit>,
    s2_pasid_pending: DFF<Bit>,
    #[default(std::array::from_fn(|_| DFF::default()))]
    s2_differs: [DFF<Bit>; 4],
    s3_valid: DFF<Bit>,
    s3_live: DFF<Bit>,
    s3_slot: DFF<Bits<S>>,
    s3_epoch: DFF<Bits<4>>,
    s3_pending: DFF<Bit>,
    s3_iova: DFF<Bits<30>>,
    r_valid: DFF<Bit>,
    r_slot: DFF<Bits<S>>,
    r_hit: DFF<Bit>,
    r_address: DFF<Bits<64>>,
    r_untranslated: DFF<Bit>,
    r_no_snoop: DFF<Bit>,
    r_epoch: DFF<Bits<4>>,
    r_large: DFF<Bit>,
    r_named: DFF<Bit>,
    r_pending: DFF<Bit>,
    r_odd: DFF<Bit>,
    r_ways: DFF<Bits<4>>,
    r_set: DFF<Bits<A>>,
    r_order: DFF<Bits<6>>,
    o_hit_base: DFF<Bit>,
    o_hit_large: DFF<Bit>,
    o_miss: DFF<Bit>,
    o_miss_permission: DFF<Bit>,
    o_miss_pending: DFF<Bit>,
    o_parity: DFF<Bit>,
    #[default(std::array::from_fn(|_| AtcWay::default()))]
    way: [AtcWay<F, A, TW>; W],
    order: AtcLru<A>,
    generation: Ram1w2r<4, F, true>,
    big: AtcLarge<F, N, AL, LW>,
    engine: AtcEngine<F, A, TW>,
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
        dff_setup!(self, clock, s1_iova, s1_read, s1_write, s2_valid, s2_slot, s2_iova, s2_epoch, s2_clearing);
        dff_setup!(self, clock, s2_function_pending, s2_everywhere, s2_scope, s2_pasid_pending);
        dff_setup!(self, clock, s3_valid, s3_live, s3_slot, s3_epoch, s3_pending, s3_iova, r_valid, r_slot);
        dff_setup!(self, clock, r_hit, r_address, r_untranslated, r_no_snoop, r_epoch, r_large, r_named, r_pending);
        dff_setup!(self, clock, r_odd, r_ways, r_set, r_order, o_hit_base, o_hit_large, o_miss, o_miss_permission);
        dff_setup!(self, clock, o_miss_pending, o_parity);
        clock!(self, clock, order, generation, big, engine);

        comment!("e0: the RAMs are read.");
        self.set.next = self.lookup_key_iova.val().get_bits::<A>(12);
        self.clash.next = self.set.val() == self.engine.write_set.val();
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

        comment!("e1: partial compares with the pending invalidation.");
        self.s2_valid.d.next = self.s1_valid.q.val() & !self.reset.val();
        self.s2_slot.d.next = self.s1_slot.q.val();
        self.s2_iova.d.next = self.s1_iova.q.val().get_bits::<30>(0);
        self.s2_epoch.d.next = self.engine.epoch.val();
        self.s2_clearing.d.next = !self.engine.cleared.val();
        self.s2_function_pending.d.next =
            self.engine.pending_valid.val() & (self.s1_function.q.val() == self.engine.pending_function.val());
        self.s2_everywhere.d.next =
            self.engine.pending_all.val() | (!self.engine.pending_pasid_valid.val() & self.s1_pasid_valid.q.val());
        self.s2_scope.d.next = !self.engine.pending_pasid_valid.val() | self.s1_pasid_valid.q.val();
        self.s2_pasid_pending.d.next =
            (self.s1_pasid.q.val() == self.engine.pending_pasid.val()) | self.engine.pending_any_pasid.val();
        for i in 0..4 {
            self.s2_differs[i].clock.next = self.clock.val();
            self.s2_differs[i].d.next = ((self.s1_iova.q.val().get_bits::<13>(12 + 13 * i)
                ^ self.engine.pending_granule.val().get_bits::<13>(13 * i))
                & self.engine.pending_compare.val().get_bits::<13>(13 * i))
            .any();
        }

        comment!("e2: pending or not.");
        self.s3_valid.d.next = self.s2_valid.q.val() & !self.reset.val();
        self.s3_slot.d.next = self.s2_slot.q.val();
        self.s3_epoch.d.next = self.s2_epoch.q.val();
        self.s3_iova.d.next = self.s2_iova.q.val();
        self.held_off.next = self.s2_scope.q.val()
            & self.s2_pasid_pending.q.val()
            & !(self.s2_differs[0].q.val()
                | self.s2_differs[1].q.val()
                | self.s2_differs[2].q.val()
                | self.s2_differs[3].q.val());
        self.pending.next = self.s2_clearing.q.val()
            | (self.s2_function_pending.q.val() & (self.s2_everywhere.q.val() | self.held_off.val()));
        self.s3_pending.d.next = self.pending.val();
        self.s3_live.d.next = self.s2_valid.q.val() & !self.pending.val();

        comment!("e3: an AND-OR over the ways and the large-page array, which has masked them if it answers.");
        self.named.next = 0.into();
        self.hits.next = 0.into();
        self.odd.next = false;
        self.large_word.next = self.big.data.val();
        self.large_hit.next = self.big.hit.val() & self.s3_live.q.val();
        self.large_address.next = 0.into();
        self.untranslated.next = false;
        self.no_snoop.next = false;
        if self.large_hit.val() {
            self.large_address.next = bit_cast::<52, 4>(self.s3_iova.q.val().get_bits::<4>(12))
                | (bit_cast::<52, 48>(self.large_word.val().get_bits::<48>(0)) << 4);
            self.untranslated.next = self.large_word.val().get_bit(50);
            self.no_snoop.next = self.large_word.val().get_bit(51);
        }
        if self.large_hit.val() & self.large_word.val().get_bit(48) {
            self.large_address.next =
                self.large_address.val() | bit_cast::<52, 9>(self.s3_iova.q.val().get_bits::<9>(12));
        }
        if self.large_hit.val() & self.large_word.val().get_bit(49) {
            self.large_address.next =
                self.large_address.val() | bit_cast::<52, 18>(self.s3_iova.q.val().get_bits::<18>(12));
        }
        self.address.next = self.large_address.val();
        for i in 0..W {
            self.named.next = self.named.val().replace_bit(i, self.way[i].named.val() & self.way[i].sound.val());
            self.hits.next =
                self.hits.val().replace_bit(i, self.way[i].named.val() & self.way[i].good.val() & self.s3_live.q.val());
            self.odd.next = self.odd.val() | (self.way[i].valid.val() & !self.way[i].sound.val());
            if self.hits.val().get_bit(i) {
                self.address.next = self.address.val() | self.way[i].address.val();
                self.untranslated.next = self.untranslated.val() | self.way[i].untranslated.val();
                self.no_snoop.next = self.no_snoop.val() | self.way[i].no_snoop.val();
            }
        }
        self.hit.next = self.large_hit.val() | self.hits.val().any();
        self.whole.next = bit_cast::<64, 52>(self.address.val()) << 12;
        if self.hit.val() {
            self.whole.next = self.whole.val() | bit_cast::<64, 12>(self.s3_iova.q.val().get_bits::<12>(0));
        }
        self.r_valid.d.next = self.s3_valid.q.val();
        self.r_slot.d.next = self.s3_slot.q.val();
        self.r_epoch.d.next = self.s3_epoch.q.val();
        self.r_hit.d.next = self.hit.val();
        self.r_address.d.next = self.whole.val();
        self.r_untranslated.d.next = self.untranslated.val();
        self.r_no_snoop.d.next = self.no_snoop.val();
        self.r_large.d.next = self.large_hit.val();
        self.r_named.d.next = self.big.named.val() | self.named.val().any();
        self.r_pending.d.next = self.s3_pending.q.val();
        self.r_odd.d.next = self.odd.val() & self.s3_valid.q.val();
        self.r_ways.d.next = self.hits.val();
        self.r_set.d.next = self.s3_iova.q.val().get_bits::<A>(12);
        self.r_order.d.next = self.order.lookup_order.val();
        if !self.s3_valid.q.val() {
            self.r_slot.d.next = 0.into();
            self.r_epoch.d.next = 0.into();
        }

        comment!("e4: statistics, and the use of the way.");
        self.o_hit_base.d.next = self.r_hit.q.val() & !self.r_large.q.val();
        self.o_hit_large.d.next = self.r_hit.q.val() & self.r_large.q.val();
        self.o_miss.d.next = self.r_valid.q.val() & !self.r_hit.q.val();
        self.o_miss_permission.d.next =
            self.r_valid.q.val() & !self.r_hit.q.val() & !self.r_pending.q.val() & self.r_named.q.val();
        self.o_miss_pending.d.next = self.r_valid.q.val() & self.r_pending.q.val();
        self.o_parity.d.next = self.r_odd.q.val();
        self.order.reset.next = self.reset.val();
        self.order.lookup_set.next = self.set.val();
        self.order.engine_set.next = self.engine.set.val();
        self.order.clear_en.next = self.engine.order_clear.val();
        self.order.clear_set.next = self.engine.set.val();
        self.order.touch_en.next = self.r_hit.q.val() & !self.r_large.q.val();
        self.order.touch_set.next = self.r_set.q.val();
        self.order.touch_ways.next = self.r_ways.q.val();
        self.order.touch_order.next = self.r_order.q.val();
        if self.engine.order_touch.val() {
            self.order.touch_en.next = true;
            self.order.touch_set.next = self.engine.set.val();
            self.order.touch_ways.next = self.engine.write_valid.val();
            self.order.touch_order.next = self.order.engine_order.val();
        }

        if self.reset.val() {
            self.r_valid.d.next = false;
            self.r_slot.d.next = 0.into();
            self.r_hit.d.next = false;
            self.r_address.d.next = 0.into();
            self.r_untranslated.d.next = false;
            self.r_no_snoop.d.next = false;
            self.r_epoch.d.next = 0.into();
            self.r_odd.d.next = false;
            self.o_hit_base.d.next = false;
            self.o_hit_large.d.next = false;
            self.o_miss.d.next = false;
            self.o_miss_permission.d.next = false;
            self.o_miss_pending.d.next = false;
            self.o_parity.d.next = false;
        }

        comment!("Arrays and engine.");
        self.rivals.next = 0.into();
        self.frees.next = 0.into();
        self.drops.next = 0.into();
        for i in 0..W {
            self.way[i].clock.next = self.clock.val();
            self.way[i].lookup_set.next = self.set.val();
            self.way[i].lookup_clash.next = self.clash.val();
            self.way[i].asked_granule.next = self.s1_iova.q.val().get_bits::<52>(12);
            self.way[i].asked_function.next = self.s1_function.q.val();
            self.way[i].asked_generation.next = self.generation.rd0_data.val();
            self.way[i].asked_pasid.next = self.s1_pasid.q.val();
            self.way[i].asked_pasid_valid.next = self.s1_pasid_valid.q.val();
            self.way[i].asked_privileged.next = self.s1_privileged.q.val();
            self.way[i].asked_read.next = self.s1_read.q.val();
            self.way[i].asked_write.next = self.s1_write.q.val();
            self.way[i].asked_exec.next = self.s1_exec.q.val();
            self.way[i].asked_elsewhere.next = self.big.early_hit.val();
            self.way[i].engine_set.next = self.engine.set.val();
            self.way[i].key_granule.next = self.engine.key_granule.val();
            self.way[i].key_compare.next = self.engine.key_compare.val();
            self.way[i].key_function.next = self.engine.key_function.val();
            self.way[i].key_generation.next = self.engine.key_generation.val();
            self.way[i].key_pasid.next = self.engine.key_pasid.val();
            self.way[i].key_pasid_valid.next = self.engine.key_pasid_valid.val();
            self.way[i].key_privileged.next = self.engine.key_privileged.val();
            self.way[i].key_global.next = self.engine.key_global.val();
            self.way[i].key_any_pasid.next = self.engine.key_any_pasid.val();
            self.way[i].key_all.next = self.engine.key_all.val();
            self.way[i].write_en.next = self.engine.write_ways.val().get_bit(i);
            self.way[i].write_set.next = self.engine.write_set.val();
            self.way[i].write_valid.next = self.engine.write_valid.val().get_bit(i);
            self.way[i].write_tag.next = self.engine.write_tag.val();
            self.way[i].write_data.next = self.engine.write_data.val();
            self.rivals.next = self.rivals.val().replace_bit(i, self.way[i].rival.val());
            self.frees.next = self.frees.val().replace_bit(i, self.way[i].free.val());
            self.drops.next = self.drops.val().replace_bit(i, self.way[i].drop.val());
        }
        self.generation.rd1_en.next = true;
        self.generation.rd1_addr.next = self.engine.key_function.val();
        self.generation.wr_en.next = self.engine.generation_write.val();
        self.generation.wr_addr.next = self.engine.generation_function.val();
        self.generation.wr_data.next = self.engine.generation_value.val();

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
        self.big.key_low.next = self.engine.large_low.val();
        self.big.key_huge.next = self.engine.large_huge.val();
        self.big.key_function.next = self.engine.key_function.val();
        self.big.key_pasid.next = self.engine.key_pasid.val();
        self.big.key_pasid_valid.next = self.engine.key_pasid_valid.val();
        self.big.key_privileged.next = self.engine.key_privileged.val();
        self.big.key_global.next = self.engine.key_global.val();
        self.big.key_any_pasid.next = self.engine.key_any_pasid.val();
        self.big.key_all.next = self.engine.key_all.val();
        self.big.fill_read.next = self.engine.large_read.val();
        self.big.fill_write.next = self.engine.large_write_right.val();
        self.big.fill_exec.next = self.engine.large_exec.val();
        self.big.fill_data.next = self.engine.large_data.val();

        self.engine.reset.next = self.reset.val();
        self.engine.fill_valid.next = self.fill_valid.val();
        self.engine.fill_function.next = self.fill_key_function.val();
        self.engine.fill_pasid_valid.next = self.fill_key_pasid_valid.val();
        self.engine.fill_pasid.next = self.fill_key_pasid_value.val();
        self.engine.fill_privileged.next = self.fill_key_pasid_priv.val();
        self.engine.fill_granule.next = self.fill_key_iova.val().get_bits::<52>(12);
        self.engine.fill_address.next = self.fill_address.val().get_bits::<52>(12);
        self.engine.fill_size.next = self.fill_size_log2.val();
        self.engine.fill_read.next = self.fill_read.val();
        self.engine.fill_write.next = self.fill_write.val();
        self.engine.fill_exec.next = self.fill_exec.val();
        self.engine.fill_global.next = self.fill_global.val();
        self.engine.fill_untranslated.next = self.fill_untranslated.val();
        self.engine.fill_no_snoop.next = self.fill_no_snoop.val();
        self.engine.fill_flip.next = self.inject_parity.val();
        self.engine.invalidate_valid.next = self.invalidate_valid.val();
        self.engine.invalidate_function.next = self.invalidate_function.val();
        self.engine.invalidate_pasid_valid.next = self.invalidate_pasid_valid.val();
        self.engine.invalidate_pasid.next = self.invalidate_pasid_value.val();
        self.engine.invalidate_global.next = self.invalidate_global.val();
        self.engine.invalidate_all.next = self.invalidate_all.val();
        self.engine.invalidate_granule.next = self.invalidate_iova.val().get_bits::<52>(12);
        self.engine.invalidate_size.next = self.invalidate_size_log2.val();
        self.engine.rivals.next = self.rivals.val();
        self.engine.frees.next = self.frees.val();
        self.engine.drops.next = self.drops.val();
        self.engine.order.next = self.order.engine_order.val();
        self.engine.generation_read.next = self.generation.rd1_data.val();
        self.engine.large_walking.next = self.big.walking.val();
        self.engine.large_evicts.next = self.big.evicts.val();

        self.result_valid.next = self.r_valid.q.val();
        self.result_slot.next = self.r_slot.q.val();
        self.result_hit.next = self.r_hit.q.val();
        self.result_address.next = self.r_address.q.val();
        self.result_untranslated.next = self.r_untranslated.q.val();
        self.result_no_snoop.next = self.r_no_snoop.q.val();
        self.result_epoch.next = self.r_epoch.q.val();
        self.fill_ready.next = self.engine.fill_ready.val();
        self.fill_done.next = self.engine.fill_done.val();
        self.invalidate_ready.next = self.engine.invalidate_ready.val();
        self.invalidate_done.next = self.engine.invalidate_done.val();
        self.stat_hit_base.next = self.o_hit_base.q.val();
        self.stat_hit_large.next = self.o_hit_large.q.val();
        self.stat_miss.next = self.o_miss.q.val();
        self.stat_miss_permission.next = self.o_miss_permission.q.val();
        self.stat_miss_pending.next = self.o_miss_pending.q.val();
        self.stat_parity.next = self.o_parity.q.val();
        self.stat_fill.next = self.engine.stat_fill.val();
        self.stat_evict.next = self.engine.stat_evict.val();
        self.stat_invalidate.next = self.engine.invalidate_done.val();
    }
}
