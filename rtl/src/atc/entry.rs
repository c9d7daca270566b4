//! The words of an entry to be written.

use rust_hdl::prelude::*;
use smart_default::SmartDefault;

use crate::comment;
use crate::export::{BlockInfo, Info};

/// Makes the words of both arrays out of a fill: the part of the translation around its IOVA, and parity a cycle behind.
///
/// The layouts of the words are those of `AtcWay` and `AtcLarge`. `F` is the width of a function number, `TW` = 86 + `F`
/// that of the tag word. The fill holds still for four cycles before the words are used.
#[derive(LogicBlock, SmartDefault)]
pub struct AtcEntry<const F: usize, const TW: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Key: IOVA 63:12.
    pub key_granule: Signal<In, Bits<52>>,
    /// Key: bits of it that number the page.
    pub key_compare: Signal<In, Bits<52>>,
    /// Key: function.
    pub key_function: Signal<In, Bits<F>>,
    /// Key: generation of the function.
    pub key_generation: Signal<In, Bits<4>>,
    /// Key: PASID.
    pub key_pasid: Signal<In, Bits<20>>,
    /// Key: it has a PASID.
    pub key_pasid_valid: Signal<In, Bit>,
    /// Key: privileged mode.
    pub key_privileged: Signal<In, Bit>,
    /// Key: Global.
    pub key_global: Signal<In, Bit>,
    /// Key: answers whatever the PASID.
    pub key_any_pasid: Signal<In, Bit>,
    /// Fill: bus address 63:12.
    pub fill_address: Signal<In, Bits<52>>,
    /// Fill: bits of the address that do not come from the IOVA.
    pub fill_keep: Signal<In, Bits<52>>,
    /// Fill: page of less than 2 MiB.
    pub fill_low: Signal<In, Bit>,
    /// Fill: page of 1 GiB.
    pub fill_huge: Signal<In, Bit>,
    /// Fill: R.
    pub fill_read: Signal<In, Bit>,
    /// Fill: W.
    pub fill_write: Signal<In, Bit>,
    /// Fill: Exe.
    pub fill_exec: Signal<In, Bit>,
    /// Fill: U.
    pub fill_untranslated: Signal<In, Bit>,
    /// Fill: N.
    pub fill_no_snoop: Signal<In, Bit>,
    /// Fill: a parity bit is to be flipped.
    pub fill_flip: Signal<In, Bit>,
    /// Tag word of the base-granule array, valid.
    pub tag: Signal<Out, Bits<TW>>,
    /// Its data word.
    pub data: Signal<Out, Bits<55>>,
    /// Data word of the large-page array.
    pub large_data: Signal<Out, Bits<52>>,
    mixed: Signal<Local, Bits<52>>,
    page: DFF<Bits<52>>,
    even_granule: DFF<Bit>,
    even_rest: DFF<Bit>,
    even_data: DFF<Bit>,
    info: Info<Self>,
}

impl<const F: usize, const TW: usize> BlockInfo for AtcEntry<F, TW> {
    const NAME: &'static str = "atc_entry";
    const SUMMARY: &'static str = "words of an entry of the ATC, with parity";
    const GROUPS: &'static [(&'static str, &'static str)] =
        &[("key_granule", "Key of the fill"), ("fill_address", "Fill"), ("tag", "Words")];
    fn parameters() -> Vec<(&'static str, usize)> {
        assert_eq!(TW, 86 + F, "width of the tag word");
        vec![("F", F)]
    }
}

impl<const F: usize, const TW: usize> Logic for AtcEntry<F, TW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, page, even_granule, even_rest, even_data);
        comment!("A translation larger than what is held: the bits between come from the IOVA; so do all with U.");
        self.mixed.next =
            (self.fill_address.val() & self.fill_keep.val()) | (self.key_granule.val() & !self.fill_keep.val());
        if self.fill_untranslated.val() {
            self.mixed.next = self.key_granule.val();
        }
        self.page.d.next = self.mixed.val() & self.key_compare.val();
        self.even_granule.d.next = self.key_granule.val().xor() ^ self.fill_flip.val();
        self.even_rest.d.next = self.key_function.val().xor()
            ^ self.key_pasid.val().xor()
            ^ self.key_pasid_valid.val()
            ^ self.key_privileged.val()
            ^ self.key_global.val()
            ^ self.key_any_pasid.val()
            ^ self.key_generation.val().xor()
            ^ self.fill_read.val()
            ^ self.fill_write.val()
            ^ self.fill_exec.val()
            ^ true;
        self.even_data.d.next = self.page.q.val().xor() ^ self.fill_untranslated.val() ^ self.fill_no_snoop.val();
        self.tag.next = bit_cast::<TW, 52>(self.key_granule.val())
            | (bit_cast::<TW, 20>(self.key_pasid.val()) << 52)
            | (bit_cast::<TW, 4>(self.key_generation.val()) << 76)
            | (bit_cast::<TW, F>(self.key_function.val()) << 86);
        self.tag.next = self.tag.val().replace_bit(72, self.key_pasid_valid.val());
        self.tag.next = self.tag.val().replace_bit(73, self.key_privileged.val());
        self.tag.next = self.tag.val().replace_bit(74, self.key_global.val());
        self.tag.next = self.tag.val().replace_bit(75, self.key_any_pasid.val());
        self.tag.next = self.tag.val().replace_bit(80, self.fill_read.val());
        self.tag.next = self.tag.val().replace_bit(81, self.fill_write.val());
        self.tag.next = self.tag.val().replace_bit(82, self.fill_exec.val());
        self.tag.next = self.tag.val().replace_bit(83, true);
        self.tag.next = self.tag.val().replace_bit(84, self.even_granule.q.val());
        self.tag.next = self.tag.val().replace_bit(85, self.even_rest.q.val());
        self.data.next = bit_cast::<55, 52>(self.page.q.val());
        self.data.next = self.data.val().replace_bit(52, self.fill_untranslated.val());
        self.data.next = self.data.val().replace_bit(53, self.fill_no_snoop.val());
        self.data.next = self.data.val().replace_bit(54, self.even_data.q.val());
        self.large_data.next = bit_cast::<52, 48>(self.page.q.val().get_bits::<48>(4));
        self.large_data.next = self.large_data.val().replace_bit(48, !self.fill_low.val());
        self.large_data.next = self.large_data.val().replace_bit(49, self.fill_huge.val());
        self.large_data.next = self.large_data.val().replace_bit(50, self.fill_untranslated.val());
        self.large_data.next = self.large_data.val().replace_bit(51, self.fill_no_snoop.val());
    }
}
