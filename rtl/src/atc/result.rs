//! The result of a lookup, and its statistics.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// Puts the answers of both arrays together at e3; statistics follow at e4. `S` is the width of a slot number.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcResult<const S: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Lookup: a lookup is here.
    pub valid: Signal<In, Bit>,
    /// Lookup: it is not held off.
    pub live: Signal<In, Bit>,
    /// Lookup: it is held off by a pending invalidation.
    pub pending: Signal<In, Bit>,
    /// Lookup: slot that asked.
    pub slot: Signal<In, Bits<S>>,
    /// Lookup: epoch at its compare.
    pub epoch: Signal<In, Bits<4>>,
    /// Lookup: IOVA 29:0.
    pub iova: Signal<In, Bits<30>>,
    /// Lookup: base-granule array: a way grants the access.
    pub base_hit: Signal<In, Bit>,
    /// Lookup: base-granule array: a way names the page.
    pub base_named: Signal<In, Bit>,
    /// Lookup: base-granule array: parity error.
    pub base_odd: Signal<In, Bit>,
    /// Lookup: base-granule array: bus address 63:12, zero without a hit.
    pub base_address: Signal<In, Bits<52>>,
    /// Lookup: base-granule array: U.
    pub base_untranslated: Signal<In, Bit>,
    /// Lookup: base-granule array: N.
    pub base_no_snoop: Signal<In, Bit>,
    /// Lookup: large-page array: an entry grants the access.
    pub large_hit: Signal<In, Bit>,
    /// Lookup: large-page array: an entry names the page.
    pub large_named: Signal<In, Bit>,
    /// Lookup: large-page array: data word.
    pub large_data: Signal<In, Bits<52>>,
    /// Result.
    pub result_valid: Signal<Out, Bit>,
    /// Result.
    pub result_slot: Signal<Out, Bits<S>>,
    /// Result.
    pub result_hit: Signal<Out, Bit>,
    /// Result.
    pub result_address: Signal<Out, Bits<64>>,
    /// Result.
    pub result_untranslated: Signal<Out, Bit>,
    /// Result.
    pub result_no_snoop: Signal<Out, Bit>,
    /// Result.
    pub result_epoch: Signal<Out, Bits<4>>,
    /// Statistics.
    pub stat_hit_base: Signal<Out, Bit>,
    /// Statistics.
    pub stat_hit_large: Signal<Out, Bit>,
    /// Statistics.
    pub stat_miss: Signal<Out, Bit>,
    /// Statistics.
    pub stat_miss_permission: Signal<Out, Bit>,
    /// Statistics.
    pub stat_miss_pending: Signal<Out, Bit>,
    /// Statistics.
    pub stat_parity: Signal<Out, Bit>,
    word_read: Signal<Local, Bits<52>>,
    from_large: Signal<Local, Bit>,
    large_address: Signal<Local, Bits<52>>,
    hit: Signal<Local, Bit>,
    whole: Signal<Local, Bits<64>>,
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
    o_hit_base: DFF<Bit>,
    o_hit_large: DFF<Bit>,
    o_miss: DFF<Bit>,
    o_miss_permission: DFF<Bit>,
    o_miss_pending: DFF<Bit>,
    o_parity: DFF<Bit>,
    info: Info<Self>,
}

impl<const S: usize> BlockInfo for AtcResult<S> {
    const NAME: &'static str = "atc_result";
    const SUMMARY: &'static str = "result of a lookup of the ATC, and its statistics";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("valid", "Lookup e3"),
        ("base_hit", "Base-granule array"),
        ("large_hit", "Large-page array"),
        ("result_valid", "Result"),
        ("stat_hit_base", "Statistics, an edge after the result"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        vec![("S", S)]
    }
}

impl<const S: usize> Logic for AtcResult<S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r_valid, r_slot, r_hit, r_address, r_untranslated, r_no_snoop, r_epoch, r_large);
        dff_setup!(self, clock, r_named, r_pending, r_odd, o_hit_base, o_hit_large, o_miss, o_miss_permission);
        dff_setup!(self, clock, o_miss_pending, o_parity);
        comment!("e3: either array; the large-page array has masked the other if it answers.");
        self.word_read.next = self.large_data.val();
        self.from_large.next = self.large_hit.val() & self.live.val();
        self.large_address.next = 0.into();
        if self.from_large.val() {
            self.large_address.next = bit_cast::<52, 4>(self.iova.val().get_bits::<4>(12))
                | (bit_cast::<52, 48>(self.word_read.val().get_bits::<48>(0)) << 4);
        }
        if self.from_large.val() & self.word_read.val().get_bit(48) {
            self.large_address.next = self.large_address.val() | bit_cast::<52, 9>(self.iova.val().get_bits::<9>(12));
        }
        if self.from_large.val() & self.word_read.val().get_bit(49) {
            self.large_address.next = self.large_address.val() | bit_cast::<52, 18>(self.iova.val().get_bits::<18>(12));
        }
        self.hit.next = self.from_large.val() | self.base_hit.val();
        self.whole.next = bit_cast::<64, 52>(self.large_address.val() | self.base_address.val()) << 12;
        if self.hit.val() {
            self.whole.next = self.whole.val() | bit_cast::<64, 12>(self.iova.val().get_bits::<12>(0));
        }
        self.r_valid.d.next = self.valid.val();
        self.r_slot.d.next = self.slot.val();
        self.r_epoch.d.next = self.epoch.val();
        self.r_hit.d.next = self.hit.val();
        self.r_address.d.next = self.whole.val();
        self.r_untranslated.d.next =
            self.base_untranslated.val() | (self.from_large.val() & self.word_read.val().get_bit(50));
        self.r_no_snoop.d.next = self.base_no_snoop.val() | (self.from_large.val() & self.word_read.val().get_bit(51));
        self.r_large.d.next = self.from_large.val();
        self.r_named.d.next = self.large_named.val() | self.base_named.val();
        self.r_pending.d.next = self.pending.val();
        self.r_odd.d.next = self.base_odd.val() & self.valid.val();
        if !self.valid.val() {
            self.r_slot.d.next = 0.into();
            self.r_epoch.d.next = 0.into();
        }

        comment!("e4: statistics.");
        self.o_hit_base.d.next = self.r_hit.q.val() & !self.r_large.q.val();
        self.o_hit_large.d.next = self.r_hit.q.val() & self.r_large.q.val();
        self.o_miss.d.next = self.r_valid.q.val() & !self.r_hit.q.val();
        self.o_miss_permission.d.next =
            self.r_valid.q.val() & !self.r_hit.q.val() & !self.r_pending.q.val() & self.r_named.q.val();
        self.o_miss_pending.d.next = self.r_valid.q.val() & self.r_pending.q.val();
        self.o_parity.d.next = self.r_odd.q.val();

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

        self.result_valid.next = self.r_valid.q.val();
        self.result_slot.next = self.r_slot.q.val();
        self.result_hit.next = self.r_hit.q.val();
        self.result_address.next = self.r_address.q.val();
        self.result_untranslated.next = self.r_untranslated.q.val();
        self.result_no_snoop.next = self.r_no_snoop.q.val();
        self.result_epoch.next = self.r_epoch.q.val();
        self.stat_hit_base.next = self.o_hit_base.q.val();
        self.stat_hit_large.next = self.o_hit_large.q.val();
        self.stat_miss.next = self.o_miss.q.val();
        self.stat_miss_permission.next = self.o_miss_permission.q.val();
        self.stat_miss_pending.next = self.o_miss_pending.q.val();
        self.stat_parity.next = self.o_parity.q.val();
    }
}
