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
