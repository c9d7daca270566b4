//! One way of the base-granule array.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use super::owner::AtcOwner;
use crate::comment;
use crate::export::{BlockInfo, Info};
use crate::prim::{Ram1w1r, Ram1w2r};

/// One way of the base-granule array: tag RAM with a read port for lookups and one for the engine, data RAM, and the
/// compares of both.
///
/// A word of the tag RAM (`TW` = 86 + `F` bits): 51:0 granule (IOVA 63:12), 71:52 PASID, 72 PASID valid, 73 privileged,
/// 74 global, 75 answers any PASID, 79:76 generation, 80 R, 81 W, 82 Exe, 83 valid, 84 parity of the granule, 85 parity
/// of the rest, then the function. Data RAM: 51:0 bus address 63:12, 52 U, 53 N, 54 parity. Parity is even.
///
/// Lookup: RAM read at e0; at e1 one look-up table a pair of compared bits or four bits of parity; at e2 the rest of
/// both, so that each output is a register. A word that is written at the edge of its read counts as empty, so the RAM needs
/// no collision logic. Engine: the same three steps, then `rival`, `free` and `drop` are registered.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcWay<const F: usize, const A: usize, const TW: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Set read by a lookup at this edge.
    pub lookup_set: Signal<In, Bits<A>>,
    /// That set is the one of the write port.
    pub lookup_clash: Signal<In, Bit>,
    /// The lookup in the cycle after its read: granule.
    pub asked_granule: Signal<In, Bits<52>>,
    /// Asked: function.
    pub asked_function: Signal<In, Bits<F>>,
    /// Asked: the function's generation.
    pub asked_generation: Signal<In, Bits<4>>,
    /// Asked: PASID.
    pub asked_pasid: Signal<In, Bits<20>>,
    /// Asked: a PASID is given.
    pub asked_pasid_valid: Signal<In, Bit>,
    /// Asked: privileged mode.
    pub asked_privileged: Signal<In, Bit>,
    /// Asked: R is needed.
    pub asked_read: Signal<In, Bit>,
    /// Asked: W is needed.
    pub asked_write: Signal<In, Bit>,
    /// Asked: Exe is needed.
    pub asked_exec: Signal<In, Bit>,
    /// The large-page array answers the lookup; a cycle later.
    pub asked_elsewhere: Signal<In, Bit>,
    /// The entry names the page asked for; from registers, as all that follows.
    pub named: Signal<Out, Bit>,
    /// It grants what was asked and has no parity error.
    pub good: Signal<Out, Bit>,
    /// No parity error in the word read.
    pub sound: Signal<Out, Bit>,
    /// A valid entry was read.
    pub valid: Signal<Out, Bit>,
    /// Bus address 63:12.
    pub address: Signal<Out, Bits<52>>,
    /// U.
    pub untranslated: Signal<Out, Bit>,
    /// N.
    pub no_snoop: Signal<Out, Bit>,
    /// Set read by the engine at this edge.
    pub engine_set: Signal<In, Bits<A>>,
    /// Key of the engine: granule.
    pub key_granule: Signal<In, Bits<52>>,
    /// Key: bits of the granule that are compared.
    pub key_compare: Signal<In, Bits<52>>,
    /// Key: function.
    pub key_function: Signal<In, Bits<F>>,
    /// Key: the function's generation.
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
    /// The fill must remove the entry: both would answer some lookup, or it has a parity error; four edges after the
    /// read, as what follows.
    pub rival: Signal<Out, Bit>,
    /// The way may be filled: invalid or of an old generation.
    pub free: Signal<Out, Bit>,
    /// The invalidation removes the entry.
    pub drop: Signal<Out, Bit>,
    /// Write port: this way is written.
    pub write_en: Signal<In, Bit>,
    /// Write port: set.
    pub write_set: Signal<In, Bits<A>>,
    /// Write port: the word is valid; without it the entry is cleared.
    pub write_valid: Signal<In, Bit>,
    /// Write port: tag word, its valid bit set.
    pub write_tag: Signal<In, Bits<TW>>,
    /// Write port: data word.
    pub write_data: Signal<In, Bits<55>>,
    word: Signal<Local, Bits<TW>>,
    seen: Signal<Local, Bits<TW>>,
    found: Signal<Local, Bits<TW>>,
    datum: Signal<Local, Bits<55>>,
    granule_pairs: Signal<Local, Bits<26>>,
    pasid_pairs: Signal<Local, Bits<10>>,
    granule_quads: Signal<Local, Bits<13>>,
    rest_quads: Signal<Local, Bits<8>>,
    data_quads: Signal<Local, Bits<14>>,
    odd: Signal<Local, Bit>,
    overlap: Signal<Local, Bit>,
    broken: Signal<Local, Bit>,
    tag_ram: Ram1w2r<TW, A, true>,
    data_ram: Ram1w1r<55, A, true>,
    owner: AtcOwner<F>,
    clash: DFF<Bit>,
    same_granule: DFF<Bits<26>>,
    same_pasid: DFF<Bits<10>>,
    any_pasid: DFF<Bit>,
    same_function: DFF<Bit>,
    same_generation: DFF<Bit>,
    same_kind: DFF<Bit>,
    present: DFF<Bit>,
    allowed: DFF<Bit>,
    odd_granule: DFF<Bits<13>>,
    even_granule: DFF<Bit>,
    odd_rest: DFF<Bits<8>>,
    odd_function: DFF<Bit>,
    even_rest: DFF<Bit>,
    odd_data: DFF<Bits<14>>,
    data: [DFF<Bits<54>>; 2],
    is_named: DFF<Bit>,
    is_odd: DFF<Bit>,
    is_good: DFF<Bit>,
    was_present: DFF<Bit>,
    engine_tag: DFF<Bits<TW>>,
    #[default(std::array::from_fn(|_| DFF::default()))]
    differs: [DFF<Bit>; 4],
    generation: DFF<Bit>,
    engine_valid: DFF<Bit>,
    engine_odd_granule: DFF<Bit>,
    engine_odd_rest: DFF<Bit>,
    is_rival: DFF<Bit>,
    is_free: DFF<Bit>,
    is_dropped: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize, const A: usize, const TW: usize> BlockInfo for AtcWay<F, A, TW> {
    const NAME: &'static str = "atc_way";
    const SUMMARY: &'static str = "one way of the base-granule array of the ATC";
    const GROUPS: &'static [(&'static str, &'static str)] = &[
        ("lookup_set", "Lookup: read of the RAMs"),
        ("asked_granule", "Lookup: what is asked, in the cycle after the read"),
        ("named", "Lookup: what the entry says, three edges after the read"),
        ("engine_set", "Engine: read of the tag RAM"),
        ("key_granule", "Engine: key of the fill or the invalidation"),
        ("rival", "Engine: what becomes of the entry, four edges after the read"),
        ("write_en", "Write port"),
    ];
    fn parameters() -> Vec<(&'static str, usize)> {
        assert_eq!(TW, 86 + F, "width of the tag word");
        vec![("F", F), ("A", A)]
    }
}

impl<const F: usize, const A: usize, const TW: usize> Logic for AtcWay<F, A, TW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, clash, same_granule, same_pasid, any_pasid, same_function, same_generation);
        dff_setup!(self, clock, same_kind, present, allowed, odd_granule, even_granule, odd_rest, odd_function);
        dff_setup!(self, clock, even_rest, odd_data, is_named, is_odd, is_good, was_present);
        dff_setup!(self, clock, engine_tag, generation, engine_valid);
        dff_setup!(self, clock, engine_odd_granule, engine_odd_rest, is_rival, is_free, is_dropped);
        clock!(self, clock, tag_ram, data_ram, owner);
        for i in 0..2 {
            self.data[i].clock.next = self.clock.val();
        }
        comment!("Write port. A cleared word differs in its valid bit alone: parity of an invalid word means nothing.");
        self.word.next = self.write_tag.val().replace_bit(83, self.write_valid.val());
        self.tag_ram.wr_en.next = self.write_en.val();
        self.tag_ram.wr_addr.next = self.write_set.val();
        self.tag_ram.wr_data.next = self.word.val();
        self.data_ram.wr_en.next = self.write_en.val();
        self.data_ram.wr_addr.next = self.write_set.val();
        self.data_ram.wr_data.next = self.write_data.val();

        comment!("Lookup e0: read.");
        self.tag_ram.rd0_en.next = true;
        self.tag_ram.rd0_addr.next = self.lookup_set.val();
        self.data_ram.rd_en.next = true;
        self.data_ram.rd_addr.next = self.lookup_set.val();
        self.clash.d.next = self.write_en.val() & self.lookup_clash.val();
        comment!("e1: first look-up tables of the compare (two bits each) and of parity (four).");
        self.seen.next = self.tag_ram.rd0_data.val();
        self.datum.next = self.data_ram.rd_data.val();
        self.granule_pairs.next = 0.into();
        for i in 0..26 {
            self.granule_pairs.next = self
                .granule_pairs
                .val()
                .replace_bit(i, self.seen.val().get_bits::<2>(2 * i) == self.asked_granule.val().get_bits::<2>(2 * i));
        }
        self.pasid_pairs.next = 0.into();
        for i in 0..10 {
            self.pasid_pairs.next = self.pasid_pairs.val().replace_bit(
                i,
                self.seen.val().get_bits::<2>(52 + 2 * i) == self.asked_pasid.val().get_bits::<2>(2 * i),
            );
        }
        self.granule_quads.next = 0.into();
        for i in 0..13 {
            self.granule_quads.next =
                self.granule_quads.val().replace_bit(i, self.seen.val().get_bits::<4>(4 * i).xor());
        }
        self.rest_quads.next = 0.into();
        for i in 0..8 {
            self.rest_quads.next =
                self.rest_quads.val().replace_bit(i, self.seen.val().get_bits::<4>(52 + 4 * i).xor());
        }
        self.data_quads.next = 0.into();
        for i in 0..13 {
            self.data_quads.next = self.data_quads.val().replace_bit(i, self.datum.val().get_bits::<4>(4 * i).xor());
        }
        self.data_quads.next = self.data_quads.val().replace_bit(13, self.datum.val().get_bits::<3>(52).xor());
        self.same_granule.d.next = self.granule_pairs.val();
        self.same_pasid.d.next = self.pasid_pairs.val();
        self.any_pasid.d.next = self.seen.val().get_bit(75);
        self.same_function.d.next = self.seen.val().get_bits::<F>(86) == self.asked_function.val();
        self.same_generation.d.next = self.seen.val().get_bits::<4>(76) == self.asked_generation.val();
        self.same_kind.d.next = (self.seen.val().get_bit(72) == self.asked_pasid_valid.val())
            & (self.seen.val().get_bit(73) == (self.asked_privileged.val() & self.asked_pasid_valid.val()));
        self.present.d.next = self.seen.val().get_bit(83) & !self.clash.q.val();
        self.allowed.d.next = (self.seen.val().get_bit(80) | !self.asked_read.val())
            & (self.seen.val().get_bit(81) | !self.asked_write.val())
            & (self.seen.val().get_bit(82) | !self.asked_exec.val());
        self.odd_granule.d.next = self.granule_quads.val();
        self.even_granule.d.next = self.seen.val().get_bit(84);
        self.odd_rest.d.next = self.rest_quads.val();
        self.odd_function.d.next = self.seen.val().get_bits::<F>(86).xor();
        self.even_rest.d.next = self.seen.val().get_bit(85);
        self.odd_data.d.next = self.data_quads.val();
        self.data[0].d.next = self.datum.val().get_bits::<54>(0);
        comment!("e2: the rest of both.");
        self.is_named.d.next = self.same_granule.q.val().all()
            & (self.same_pasid.q.val().all() | self.any_pasid.q.val())
            & self.same_function.q.val()
            & self.same_generation.q.val()
            & self.same_kind.q.val()
            & self.present.q.val()
            & !self.asked_elsewhere.val();
        self.odd.next = (self.odd_granule.q.val().xor() ^ self.even_granule.q.val())
            | (self.odd_rest.q.val().xor() ^ self.odd_function.q.val() ^ self.even_rest.q.val())
            | self.odd_data.q.val().xor();
        self.is_odd.d.next = self.odd.val();
        self.is_good.d.next = self.allowed.q.val() & !self.odd.val();
        self.was_present.d.next = self.present.q.val();
        self.data[1].d.next = self.data[0].q.val();
        self.named.next = self.is_named.q.val();
        self.good.next = self.is_good.q.val();
        self.sound.next = !self.is_odd.q.val();
        self.valid.next = self.was_present.q.val();
        self.address.next = self.data[1].q.val().get_bits::<52>(0);
        self.untranslated.next = self.data[1].q.val().get_bit(52);
        self.no_snoop.next = self.data[1].q.val().get_bit(53);

        comment!("Engine: read, word, partial compares, judgement.");
        self.tag_ram.rd1_en.next = true;
        self.tag_ram.rd1_addr.next = self.engine_set.val();
        self.engine_tag.d.next = self.tag_ram.rd1_data.val();
        self.found.next = self.engine_tag.q.val();
        for i in 0..4 {
            self.differs[i].clock.next = self.clock.val();
            self.differs[i].d.next = ((self.found.val().get_bits::<13>(13 * i)
                ^ self.key_granule.val().get_bits::<13>(13 * i))
                & self.key_compare.val().get_bits::<13>(13 * i))
            .any();
        }
        self.generation.d.next = self.found.val().get_bits::<4>(76) == self.key_generation.val();
        self.engine_valid.d.next = self.found.val().get_bit(83);
        self.engine_odd_granule.d.next = self.found.val().get_bits::<52>(0).xor() ^ self.found.val().get_bit(84);
        self.engine_odd_rest.d.next = self.found.val().get_bits::<32>(52).xor()
            ^ self.found.val().get_bits::<F>(86).xor()
            ^ self.found.val().get_bit(85);
        self.owner.entry_function.next = self.found.val().get_bits::<F>(86);
        self.owner.entry_pasid.next = self.found.val().get_bits::<20>(52);
        self.owner.entry_pasid_valid.next = self.found.val().get_bit(72);
        self.owner.entry_privileged.next = self.found.val().get_bit(73);
        self.owner.entry_global.next = self.found.val().get_bit(74);
        self.owner.entry_any_pasid.next = self.found.val().get_bit(75);
        self.owner.key_function.next = self.key_function.val();
        self.owner.key_pasid.next = self.key_pasid.val();
        self.owner.key_pasid_valid.next = self.key_pasid_valid.val();
        self.owner.key_privileged.next = self.key_privileged.val();
        self.owner.key_global.next = self.key_global.val();
        self.owner.key_any_pasid.next = self.key_any_pasid.val();
        self.owner.key_all.next = self.key_all.val();
        self.overlap.next =
            !(self.differs[0].q.val() | self.differs[1].q.val() | self.differs[2].q.val() | self.differs[3].q.val());
        self.broken.next = self.engine_odd_granule.q.val() | self.engine_odd_rest.q.val();
        self.is_rival.d.next = self.engine_valid.q.val()
            & (self.broken.val() | (self.overlap.val() & self.owner.rival.val() & self.generation.q.val()));
        self.is_free.d.next = !self.engine_valid.q.val() | (self.owner.same_function.val() & !self.generation.q.val());
        self.is_dropped.d.next = self.engine_valid.q.val()
            & (self.broken.val() | self.owner.everywhere.val() | (self.owner.in_range.val() & self.overlap.val()));
        self.rival.next = self.is_rival.q.val();
        self.free.next = self.is_free.q.val();
        self.drop.next = self.is_dropped.q.val();
    }
}
