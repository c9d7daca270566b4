//! The base-granule array: ways, and the order of their use.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use super::lru::AtcLru;
use super::way::AtcWay;
use crate::comment;
use crate::export::{BlockInfo, Info};

/// `W` ways (2 to 4) of 2^`A` sets, and the AND-OR over them.
///
/// No two ways name the page of one lookup, so nothing here needs a priority. `F` is the width of a function number, `TW` =
/// 86 + `F` that of a tag word.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcBase<const F: usize, const A: usize, const W: usize, const TW: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Lookup e0: set.
    pub lookup_set: Signal<In, Bits<A>>,
    /// Lookup e1: IOVA 63:12.
    pub asked_granule: Signal<In, Bits<52>>,
    /// Lookup e1: function.
    pub asked_function: Signal<In, Bits<F>>,
    /// Lookup e1: generation of the function.
    pub asked_generation: Signal<In, Bits<4>>,
    /// Lookup e1: PASID.
    pub asked_pasid: Signal<In, Bits<20>>,
    /// Lookup e1: a PASID is given.
    pub asked_pasid_valid: Signal<In, Bit>,
    /// Lookup e1: privileged mode.
    pub asked_privileged: Signal<In, Bit>,
    /// Lookup e1: R is needed.
    pub asked_read: Signal<In, Bit>,
    /// Lookup e1: W is needed.
    pub asked_write: Signal<In, Bit>,
    /// Lookup e1: Exe is needed.
    pub asked_exec: Signal<In, Bit>,
    /// Lookup e1: the large-page array answers; a cycle later.
    pub asked_elsewhere: Signal<In, Bit>,
    /// Lookup e3: it is valid and not held off.
    pub live: Signal<In, Bit>,
    /// Lookup e3: its set.
    pub live_set: Signal<In, Bits<A>>,
    /// e3: a way grants the access.
    pub hit: Signal<Out, Bit>,
    /// e3: a way names the page.
    pub named: Signal<Out, Bit>,
    /// e3: a word read has a parity error.
    pub odd: Signal<Out, Bit>,
    /// e3: bus address 63:12, zero without a hit.
    pub address: Signal<Out, Bits<52>>,
    /// e3: U.
    pub untranslated: Signal<Out, Bit>,
    /// e3: N.
    pub no_snoop: Signal<Out, Bit>,
    /// Engine: set read at this edge.
    pub engine_set: Signal<In, Bits<A>>,
    /// Key: IOVA 63:12.
    pub key_granule: Signal<In, Bits<52>>,
    /// Key: bits of it that are compared.
    pub key_compare: Signal<In, Bits<52>>,
    /// Key: function.
    pub key_function: Signal<In, Bits<F>>,
    /// Key: generation of the function.
    pub key_generation: Signal<In, Bits<4>>,
    /// Key: PASID.
    pub key_pasid: Signal<In, Bits<20>>,
    /// Key: a PASID is given.
    pub key_pasid_valid: Signal<In, Bit>,
    /// Key: privileged mode.
    pub key_privileged: Signal<In, Bit>,
    /// Key: Global.
    pub key_global: Signal<In, Bit>,
    /// Key: the fill answers whatever the PASID.
    pub key_any_pasid: Signal<In, Bit>,
    /// Key: the whole function.
    pub key_all: Signal<In, Bit>,
    /// Ways that a fill must clear.
    pub rivals: Signal<Out, Bits<4>>,
    /// Ways that are free.
    pub frees: Signal<Out, Bits<4>>,
    /// Ways that an invalidation clears.
    pub drops: Signal<Out, Bits<4>>,
    /// Order of use.
    pub order: Signal<Out, Bits<6>>,
    /// Ways written at this edge.
    pub write_ways: Signal<In, Bits<4>>,
    /// Set written.
    pub write_set: Signal<In, Bits<A>>,
    /// The way that is filled; the others are cleared.
    pub write_valid: Signal<In, Bits<4>>,
    /// Tag word.
    pub write_tag: Signal<In, Bits<TW>>,
    /// Data word.
    pub write_data: Signal<In, Bits<55>>,
    /// The order of `engine_set` is cleared.
    pub order_clear: Signal<In, Bit>,
    /// A fill has used `write_valid` in `engine_set`.
    pub order_touch: Signal<In, Bit>,
    clash: Signal<Local, Bit>,
    names: Signal<Local, Bit>,
    hits: Signal<Local, Bits<4>>,
    wrong: Signal<Local, Bit>,
    page: Signal<Local, Bits<52>>,
    is_untranslated: Signal<Local, Bit>,
    is_no_snoop: Signal<Local, Bit>,
    rival_ways: Signal<Local, Bits<4>>,
    free_ways: Signal<Local, Bits<4>>,
    drop_ways: Signal<Local, Bits<4>>,
    used_ways: DFF<Bits<4>>,
    used_set: DFF<Bits<A>>,
    used_order: DFF<Bits<6>>,
    #[default(std::array::from_fn(|_| AtcWay::default()))]
    way: [AtcWay<F, A, TW>; W],
    pub(super) lru: AtcLru<A>,
    info: Info<Self>,
}

impl<const F: usize, const A: usize, const W: usize, const TW: usize> BlockInfo for AtcBase<F, A, W, TW> {
    const NAME: &'static str = "atc_base";
    const SUMMARY: &'static str = "base-granule array of the ATC";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("lookup_set", "Lookup e0"),
        ("asked_granule", "Lookup e1"),
        ("live", "Lookup e3"),
        ("engine_set", "Engine: key of the fill or the invalidation"),
        ("rivals", "Engine: what becomes of the ways"),
        ("write_ways", "Engine: write port"),
        ("order_clear", "Engine: order of use"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        assert!((2..=4).contains(&W), "two to four ways");
        vec![("F", F), ("A", A), ("W", W)]
    }
}

impl<const F: usize, const A: usize, const W: usize, const TW: usize> Logic for AtcBase<F, A, W, TW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used_ways, used_set, used_order);
        clock!(self, clock, lru);
        self.clash.next = self.lookup_set.val() == self.write_set.val();
        self.names.next = false;
        self.hits.next = 0.into();
        self.wrong.next = false;
        self.page.next = 0.into();
        self.is_untranslated.next = false;
        self.is_no_snoop.next = false;
        self.rival_ways.next = 0.into();
        self.free_ways.next = 0.into();
        self.drop_ways.next = 0.into();
        for i in 0..W {
            self.way[i].clock.next = self.clock.val();
            self.way[i].lookup_set.next = self.lookup_set.val();
            self.way[i].lookup_clash.next = self.clash.val();
            self.way[i].asked_granule.next = self.asked_granule.val();
            self.way[i].asked_function.next = self.asked_function.val();
            self.way[i].asked_generation.next = self.asked_generation.val();
            self.way[i].asked_pasid.next = self.asked_pasid.val();
            self.way[i].asked_pasid_valid.next = self.asked_pasid_valid.val();
            self.way[i].asked_privileged.next = self.asked_privileged.val();
            self.way[i].asked_read.next = self.asked_read.val();
            self.way[i].asked_write.next = self.asked_write.val();
            self.way[i].asked_exec.next = self.asked_exec.val();
            self.way[i].asked_elsewhere.next = self.asked_elsewhere.val();
            self.way[i].engine_set.next = self.engine_set.val();
            self.way[i].key_granule.next = self.key_granule.val();
            self.way[i].key_compare.next = self.key_compare.val();
            self.way[i].key_function.next = self.key_function.val();
            self.way[i].key_generation.next = self.key_generation.val();
            self.way[i].key_pasid.next = self.key_pasid.val();
            self.way[i].key_pasid_valid.next = self.key_pasid_valid.val();
            self.way[i].key_privileged.next = self.key_privileged.val();
            self.way[i].key_global.next = self.key_global.val();
            self.way[i].key_any_pasid.next = self.key_any_pasid.val();
            self.way[i].key_all.next = self.key_all.val();
            self.way[i].write_en.next = self.write_ways.val().get_bit(i);
            self.way[i].write_set.next = self.write_set.val();
            self.way[i].write_valid.next = self.write_valid.val().get_bit(i);
            self.way[i].write_tag.next = self.write_tag.val();
            self.way[i].write_data.next = self.write_data.val();

            self.names.next = self.names.val() | (self.way[i].named.val() & self.way[i].sound.val());
            self.hits.next =
                self.hits.val().replace_bit(i, self.way[i].named.val() & self.way[i].good.val() & self.live.val());
            self.wrong.next = self.wrong.val() | (self.way[i].valid.val() & !self.way[i].sound.val());
            if self.hits.val().get_bit(i) {
                self.page.next = self.page.val() | self.way[i].address.val();
                self.is_untranslated.next = self.is_untranslated.val() | self.way[i].untranslated.val();
                self.is_no_snoop.next = self.is_no_snoop.val() | self.way[i].no_snoop.val();
            }
            self.rival_ways.next = self.rival_ways.val().replace_bit(i, self.way[i].rival.val());
            self.free_ways.next = self.free_ways.val().replace_bit(i, self.way[i].free.val());
            self.drop_ways.next = self.drop_ways.val().replace_bit(i, self.way[i].drop.val());
        }
        self.hit.next = self.hits.val().any();
        self.named.next = self.names.val();
        self.odd.next = self.wrong.val();
        self.address.next = self.page.val();
        self.untranslated.next = self.is_untranslated.val();
        self.no_snoop.next = self.is_no_snoop.val();
        self.rivals.next = self.rival_ways.val();
        self.frees.next = self.free_ways.val();
        self.drops.next = self.drop_ways.val();

        comment!("e4: the use of the way that hit; a fill goes first.");
        self.used_ways.d.next = self.hits.val();
        self.used_set.d.next = self.live_set.val();
        self.used_order.d.next = self.lru.lookup_order.val();
        self.order.next = self.lru.engine_order.val();
        self.lru.reset.next = self.reset.val();
        self.lru.lookup_set.next = self.lookup_set.val();
        self.lru.engine_set.next = self.engine_set.val();
        self.lru.clear_en.next = self.order_clear.val();
        self.lru.clear_set.next = self.engine_set.val();
        self.lru.touch_en.next = self.used_ways.q.val().any();
        self.lru.touch_set.next = self.used_set.q.val();
        self.lru.touch_ways.next = self.used_ways.q.val();
        self.lru.touch_order.next = self.used_order.q.val();
        if self.order_touch.val() {
            self.lru.touch_en.next = true;
            self.lru.touch_set.next = self.engine_set.val();
            self.lru.touch_ways.next = self.write_valid.val();
            self.lru.touch_order.next = self.lru.engine_order.val();
        }
        if self.reset.val() {
            self.used_ways.d.next = 0.into();
        }
    }
}
