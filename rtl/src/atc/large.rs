//! The large-page array.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use super::large_entry::AtcLargeEntry;
use super::owner::AtcOwner;
use crate::comment;
use crate::export::{BlockInfo, Info};
use crate::prim::Ram1w1r;

/// Fully associative array of `N` = 2^`AL` translations of 64 KiB, 2 MiB or 1 GiB.
///
/// Tags are in registers and compared with every lookup; data are in a small RAM that is read with the number of the
/// entry that hit. That works because at most one entry answers a lookup: a fill first drops every entry that overlaps
/// it. For that, and for invalidations, the engine walks the entries one a cycle through a second copy of the tags in
/// RAM: one comparator instead of `N`, and no wide multiplexer.
///
/// A word of the tag RAM (`LW` = 74 + `F` bits): 47:0 IOVA 63:16, 67:48 PASID, 68 PASID valid, 69 privileged, 70 global,
/// 71 answers any PASID, 72 page of 64 KiB, 73 of 1 GiB, then the function. Data RAM: 47:0 bus address 63:16, 48 page
/// above 64 KiB, 49 of 1 GiB, 50 U, 51 N.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcLarge<const F: usize, const N: usize, const AL: usize, const LW: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Lookup sampled at this edge: IOVA 63:16.
    pub lookup_iova: Signal<In, Bits<48>>,
    /// Lookup: function.
    pub lookup_function: Signal<In, Bits<F>>,
    /// Lookup: PASID.
    pub lookup_pasid: Signal<In, Bits<20>>,
    /// Lookup: a PASID is given.
    pub lookup_pasid_valid: Signal<In, Bit>,
    /// Lookup: privileged mode.
    pub lookup_privileged: Signal<In, Bit>,
    /// Lookup: R is needed.
    pub lookup_read: Signal<In, Bit>,
    /// Lookup: W is needed.
    pub lookup_write: Signal<In, Bit>,
    /// Lookup: Exe is needed.
    pub lookup_exec: Signal<In, Bit>,
    /// An entry answers, two edges after the lookup.
    pub early_hit: Signal<Out, Bit>,
    /// The same an edge later, beside what follows.
    pub hit: Signal<Out, Bit>,
    /// An entry names the page, whatever it grants.
    pub named: Signal<Out, Bit>,
    /// Data word of the entry that hit.
    pub data: Signal<Out, Bits<52>>,
    /// Engine: walk all entries.
    pub walk: Signal<In, Bit>,
    /// Engine: the walk is for a fill.
    pub filling: Signal<In, Bit>,
    /// Engine: the walk is under way.
    pub walking: Signal<Out, Bit>,
    /// Engine: fixes and clears the entry to fill.
    pub pick: Signal<In, Bit>,
    /// Engine: the entry that was picked was live.
    pub evicts: Signal<Out, Bit>,
    /// Engine: writes the entry that was picked, at the next edge.
    pub write: Signal<In, Bit>,
    /// Key: IOVA 63:16.
    pub key_iova: Signal<In, Bits<48>>,
    /// Key: bits of the IOVA that are compared.
    pub key_compare: Signal<In, Bits<48>>,
    /// Key: the fill is of 64 KiB.
    pub key_low: Signal<In, Bit>,
    /// Key: the fill is of 1 GiB.
    pub key_huge: Signal<In, Bit>,
    /// Key: function.
    pub key_function: Signal<In, Bits<F>>,
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
    /// Fill: R.
    pub fill_read: Signal<In, Bit>,
    /// Fill: W.
    pub fill_write: Signal<In, Bit>,
    /// Fill: Exe.
    pub fill_exec: Signal<In, Bit>,
    /// Fill: data word.
    pub fill_data: Signal<In, Bits<52>>,
    #[default(std::array::from_fn(|i| Constant::new((i as u64).into())))]
    numbers: [Constant<Bits<AL>>; N],
    #[default(Constant::new((N as u64 - 1).into()))]
    pub(super) last: Constant<Bits<AL>>,
    which: Signal<Local, Bits<AL>>,
    any_hit: Signal<Local, Bit>,
    any_named: Signal<Local, Bit>,
    looked: Signal<Local, Bit>,
    word: Signal<Local, Bits<LW>>,
    seen: Signal<Local, Bits<LW>>,
    middle: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    overlap: Signal<Local, Bit>,
    removed: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    at: Signal<Local, Bits<AL>>,
    #[default(std::array::from_fn(|_| AtcLargeEntry::default()))]
    entry: [AtcLargeEntry<F, AL>; N],
    tag_ram: Ram1w1r<LW, AL, true>,
    data_ram: Ram1w1r<52, AL, true>,
    owner: AtcOwner<F>,
    number_hit: DFF<Bits<AL>>,
    hit_1: DFF<Bit>,
    hit_2: DFF<Bit>,
    named_1: DFF<Bit>,
    named_2: DFF<Bit>,
    active: [DFF<Bit>; 4],
    index: [DFF<Bits<AL>>; 4],
    differs_top: DFF<Bit>,
    differs_high: DFF<Bit>,
    differs_rest: DFF<Bit>,
    live: DFF<Bit>,
    drop: DFF<Bit>,
    free: DFF<Bit>,
    found: DFF<Bit>,
    target: DFF<Bits<AL>>,
    next_victim: DFF<Bits<AL>>,
    picked: DFF<Bit>,
    writing: DFF<Bit>,
    evicting: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize, const N: usize, const AL: usize, const LW: usize> BlockInfo for AtcLarge<F, N, AL, LW> {
    const NAME: &'static str = "atc_large";
    const SUMMARY: &'static str = "large-page array of the ATC, fully associative";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("lookup_iova", "Lookup sampled at this edge"),
        ("early_hit", "What the array says; data three edges after the lookup"),
        ("walk", "Engine: steps of a fill or an invalidation"),
        ("key_iova", "Engine: key of the fill or the invalidation"),
        ("fill_read", "Engine: entry to write"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        assert_eq!((N, LW), (1 << AL, 74 + F), "entries, and width of the tag word");
        vec![("F", F), ("N", N)]
    }
}

impl<const F: usize, const N: usize, const AL: usize, const LW: usize> Logic for AtcLarge<F, N, AL, LW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, number_hit, hit_1, hit_2, named_1, named_2, differs_top, differs_high, differs_rest);
        dff_setup!(self, clock, live, drop, free, found, target, next_victim, picked, writing, evicting);
        clock!(self, clock, tag_ram, data_ram, owner);
        for i in 0..4 {
            self.active[i].clock.next = self.clock.val();
            self.index[i].clock.next = self.clock.val();
        }
        comment!("Lookup e1: at most one entry answers, so its number is an OR.");
        self.which.next = 0.into();
        self.any_hit.next = false;
        self.any_named.next = false;
        for i in 0..N {
            if self.entry[i].hit.val() {
                self.which.next = self.which.val() | self.numbers[i].val();
            }
            self.any_hit.next = self.any_hit.val() | self.entry[i].hit.val();
            self.any_named.next = self.any_named.val() | self.entry[i].named.val();
        }
        self.number_hit.d.next = self.which.val();
        self.hit_1.d.next = self.any_hit.val();
        self.named_1.d.next = self.any_named.val();
        comment!("e2: its data.");
        self.data_ram.rd_en.next = true;
        self.data_ram.rd_addr.next = self.number_hit.q.val();
        self.hit_2.d.next = self.hit_1.q.val();
        self.named_2.d.next = self.named_1.q.val();
        self.early_hit.next = self.hit_1.q.val();
        self.hit.next = self.hit_2.q.val();
        self.named.next = self.named_2.q.val();
        self.data.next = self.data_ram.rd_data.val();

        comment!("Walk: an entry is read in step 0, compared in 1, judged in 2, cleared in 3.");
        for i in 1..4 {
            self.active[i].d.next = self.active[i - 1].q.val() & !self.reset.val();
            self.index[i].d.next = self.index[i - 1].q.val();
        }
        self.active[0].d.next = self.walk.val() | (self.active[0].q.val() & (self.index[0].q.val() != self.last.val()));
        self.index[0].d.next = self.index[0].q.val() + 1;
        if self.walk.val() {
            self.index[0].d.next = 0.into();
        }
        if self.reset.val() {
            self.active[0].d.next = false;
        }
        self.walking.next =
            self.active[0].q.val() | self.active[1].q.val() | self.active[2].q.val() | self.active[3].q.val();
        self.tag_ram.rd_en.next = true;
        self.tag_ram.rd_addr.next = self.index[0].q.val();
        self.seen.next = self.tag_ram.rd_data.val();
        self.differs_top.d.next = ((self.seen.val().get_bits::<17>(31) ^ self.key_iova.val().get_bits::<17>(31))
            & self.key_compare.val().get_bits::<17>(31))
        .any();
        self.differs_high.d.next = ((self.seen.val().get_bits::<17>(14) ^ self.key_iova.val().get_bits::<17>(14))
            & self.key_compare.val().get_bits::<17>(14))
        .any();
        self.middle.next = ((self.seen.val().get_bits::<9>(5) ^ self.key_iova.val().get_bits::<9>(5))
            & self.key_compare.val().get_bits::<9>(5))
        .any()
            & !self.seen.val().get_bit(73);
        self.low.next = ((self.seen.val().get_bits::<5>(0) ^ self.key_iova.val().get_bits::<5>(0))
            & self.key_compare.val().get_bits::<5>(0))
        .any()
            & self.seen.val().get_bit(72);
        self.differs_rest.d.next = self.middle.val() | self.low.val();
        self.looked.next = false;
        for i in 0..N {
            self.looked.next = self.looked.val() | self.entry[i].looked_valid.val();
        }
        self.live.d.next = self.looked.val();
        self.owner.entry_function.next = self.seen.val().get_bits::<F>(74);
        self.owner.entry_pasid.next = self.seen.val().get_bits::<20>(48);
        self.owner.entry_pasid_valid.next = self.seen.val().get_bit(68);
        self.owner.entry_privileged.next = self.seen.val().get_bit(69);
        self.owner.entry_global.next = self.seen.val().get_bit(70);
        self.owner.entry_any_pasid.next = self.seen.val().get_bit(71);
        self.owner.key_function.next = self.key_function.val();
        self.owner.key_pasid.next = self.key_pasid.val();
        self.owner.key_pasid_valid.next = self.key_pasid_valid.val();
        self.owner.key_privileged.next = self.key_privileged.val();
        self.owner.key_global.next = self.key_global.val();
        self.owner.key_any_pasid.next = self.key_any_pasid.val();
        self.owner.key_all.next = self.key_all.val();
        self.overlap.next = !(self.differs_top.q.val() | self.differs_high.q.val() | self.differs_rest.q.val());
        self.removed.next = self.owner.everywhere.val() | (self.owner.in_range.val() & self.overlap.val());
        if self.filling.val() {
            self.removed.next = self.owner.rival.val() & self.overlap.val();
        }
        self.drop.d.next = self.active[2].q.val() & self.removed.val() & !self.reset.val();
        self.free.d.next = self.active[2].q.val() & (!self.live.q.val() | self.removed.val()) & !self.reset.val();

        comment!("The entry to fill: the first that is free after the walk, else the next victim.");
        if self.free.q.val() & !self.found.q.val() {
            self.found.d.next = true;
            self.target.d.next = self.index[3].q.val();
        }
        if self.pick.val() & !self.found.q.val() {
            self.target.d.next = self.next_victim.q.val();
            self.next_victim.d.next = self.next_victim.q.val() + 1;
        }
        if self.pick.val() {
            self.evicting.d.next = !self.found.q.val();
        }
        self.picked.d.next = self.pick.val() & !self.reset.val();
        if self.walk.val() | self.reset.val() {
            self.found.d.next = false;
        }
        if self.reset.val() {
            self.next_victim.d.next = 0.into();
        }
        self.evicts.next = self.evicting.q.val();
        self.clear.next = self.drop.q.val() | self.picked.q.val();
        self.at.next = self.target.q.val();
        if self.drop.q.val() {
            self.at.next = self.index[3].q.val();
        }

        self.word.next = bit_cast::<LW, 48>(self.key_iova.val())
            | (bit_cast::<LW, 20>(self.key_pasid.val()) << 48)
            | (bit_cast::<LW, F>(self.key_function.val()) << 74);
        self.word.next = self.word.val().replace_bit(68, self.key_pasid_valid.val());
        self.word.next = self.word.val().replace_bit(69, self.key_privileged.val());
        self.word.next = self.word.val().replace_bit(70, self.key_global.val());
        self.word.next = self.word.val().replace_bit(71, self.key_any_pasid.val());
        self.word.next = self.word.val().replace_bit(72, self.key_low.val());
        self.word.next = self.word.val().replace_bit(73, self.key_huge.val());
        self.writing.d.next = self.write.val() & !self.reset.val();
        self.tag_ram.wr_en.next = self.writing.q.val();
        self.tag_ram.wr_addr.next = self.target.q.val();
        self.tag_ram.wr_data.next = self.word.val();
        self.data_ram.wr_en.next = self.writing.q.val();
        self.data_ram.wr_addr.next = self.target.q.val();
        self.data_ram.wr_data.next = self.fill_data.val();
        for i in 0..N {
            self.entry[i].clock.next = self.clock.val();
            self.entry[i].reset.next = self.reset.val();
            self.entry[i].number.next = self.numbers[i].val();
            self.entry[i].lookup_iova.next = self.lookup_iova.val();
            self.entry[i].lookup_function.next = self.lookup_function.val();
            self.entry[i].lookup_pasid.next = self.lookup_pasid.val();
            self.entry[i].lookup_pasid_valid.next = self.lookup_pasid_valid.val();
            self.entry[i].lookup_privileged.next = self.lookup_privileged.val();
            self.entry[i].lookup_read.next = self.lookup_read.val();
            self.entry[i].lookup_write.next = self.lookup_write.val();
            self.entry[i].lookup_exec.next = self.lookup_exec.val();
            self.entry[i].look.next = self.index[1].q.val();
            self.entry[i].clear.next = self.clear.val();
            self.entry[i].write.next = self.write.val();
            self.entry[i].at.next = self.at.val();
            self.entry[i].target.next = self.target.q.val();
            self.entry[i].tag_iova.next = self.key_iova.val();
            self.entry[i].tag_low.next = self.key_low.val();
            self.entry[i].tag_huge.next = self.key_huge.val();
            self.entry[i].tag_function.next = self.key_function.val();
            self.entry[i].tag_pasid.next = self.key_pasid.val();
            self.entry[i].tag_pasid_valid.next = self.key_pasid_valid.val();
            self.entry[i].tag_privileged.next = self.key_privileged.val();
            self.entry[i].tag_any_pasid.next = self.key_any_pasid.val();
            self.entry[i].tag_read.next = self.fill_read.val();
            self.entry[i].tag_write.next = self.fill_write.val();
            self.entry[i].tag_exec.next = self.fill_exec.val();
        }
    }
}
