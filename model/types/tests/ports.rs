//! The port tables: packing is lossless, the statistics bus has the width its table says.

#![allow(clippy::unwrap_used, reason = "test code")]

use types::config::NAMED;
use types::port::{StatBus, UnitIn, UnitOut, stat_sources, stat_width};
use types::ports::{Ports, row_bits};

#[test]
fn statistics_bus_is_as_wide_as_its_table() {
    for (_, cfg) in NAMED {
        let field = UnitOut::fields(cfg).into_iter().find(|f| f.name == "stat").unwrap();
        assert_eq!(field.width, stat_width(cfg));
        assert!(field.width as usize <= 64 * StatBus::default().0.len());
        let mut keys: Vec<_> = stat_sources(cfg).into_iter().map(|s| s.key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), stat_sources(cfg).len());
    }
}

#[test]
fn named_configurations_are_legal() {
    for (name, cfg) in NAMED {
        assert_eq!(cfg.check(), Ok(()), "{name}");
    }
}

#[test]
fn reset_is_the_first_input_and_rows_round_trip() {
    for (_, cfg) in NAMED {
        assert_eq!(UnitIn::fields(cfg)[0].name, "reset");
        // A row whose bit i is a fixed pseudo-random bit: unpack then pack must give it back.
        let bits = row_bits::<UnitIn>(cfg);
        let mut row = vec![0u64; bits.div_ceil(64)];
        let mut x = 1u64;
        for word in &mut row {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *word = x;
        }
        if !bits.is_multiple_of(64) {
            *row.last_mut().unwrap() &= (1 << (bits % 64)) - 1;
        }
        let mut back = vec![0; row.len()];
        UnitIn::unpack(cfg, &row).pack(cfg, &mut back);
        assert_eq!(row, back);
    }
}

#[test]
fn statistics_of_every_block_are_one_bit_each() {
    // `stat_bits` takes its widths from the types; the table must agree.
    use types::port::{AtcOut, DmaOut, ReplayOut};
    fn check<P: Ports>() {
        let cfg = &NAMED[1].1;
        let table: u32 = P::fields(cfg).iter().filter(|f| f.name.starts_with("stat_")).map(|f| f.width).sum();
        assert_eq!(P::default().stat_bits(), (0, table));
    }
    check::<AtcOut>();
    check::<DmaOut>();
    check::<ReplayOut>();
    let out = AtcOut { stat_hit_large: true, stat_invalidate: true, ..AtcOut::default() };
    // hit_base, hit_large, miss, miss_permission, miss_pending, parity, fill, evict, invalidate
    assert_eq!(out.stat_bits(), (0b1_0000_0010, 9));
}

#[test]
fn no_block_has_two_ports_of_one_name() {
    use types::port::*;
    fn check<I: Ports, O: Ports>() {
        let cfg = &NAMED[1].1;
        let mut names: Vec<_> = I::fields(cfg).into_iter().chain(O::fields(cfg)).map(|f| f.name).collect();
        assert_eq!(names[0], "reset");
        names.sort();
        let twice = names.windows(2).find(|w| w[0] == w[1]);
        assert_eq!(twice, None);
    }
    check::<MptIn, MptOut>();
    check::<SegIn, SegOut>();
    check::<MttIn, MttOut>();
    check::<ReplayIn, ReplayOut>();
    check::<AtcIn, AtcOut>();
    check::<AtsIn, AtsOut>();
    check::<DmaIn, DmaOut>();
    check::<TlpTxIn, TlpTxOut>();
    check::<TlpRxIn, TlpRxOut>();
    check::<RegsIn, RegsOut>();
    check::<UnitIn, UnitOut>();
}

#[test]
fn the_statistics_bus_may_be_wider_than_a_word() {
    let cfg = &NAMED[1].1;
    let width = stat_width(cfg);
    assert!(width <= 128);
    // Each bit alone, through a row of the unit's outputs.
    let mut row = vec![0; row_bits::<UnitOut>(cfg).div_ceil(64)];
    for bit in 0..width {
        let stat = StatBus::from_bits(1 << bit);
        assert_eq!(stat.0.iter().map(|w| w.count_ones()).sum::<u32>(), 1);
        assert_eq!(stat.0[bit as usize / 64], 1 << (bit % 64));
        UnitOut { stat, ..UnitOut::default() }.pack(cfg, &mut row);
        assert_eq!(UnitOut::unpack(cfg, &row).stat, stat);
    }
}
