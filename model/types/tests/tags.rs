//! The numbering of read tags: nobody is left without one.

#![allow(clippy::unwrap_used, reason = "test code")]

use types::UnitCfg;
use types::config::NAMED;

#[test]
fn every_user_has_a_tag_in_every_width() {
    let odd = UnitCfg { mpt_fetches: 16, mtt_fetches: 13, ..NAMED[3].1.clone() };
    assert_eq!(odd.check(), Ok(()));
    for (name, cfg) in NAMED.iter().map(|(name, cfg)| (*name, cfg)).chain([("odd", &odd)]) {
        for (mode, numbers) in [(0, 32), (1, 256), (2, 768)] {
            let t = cfg.tags_in(mode);
            // In order, none empty, all of them numbers that exist.
            let ends = [t.mpt, t.mtt, t.flush, t.ats, t.data, t.end];
            assert!(ends.windows(2).all(|w| w[0] < w[1]), "{name}, mode {mode}: {t:?}");
            assert!(t.end <= numbers, "{name}, mode {mode}: {t:?}");
            // No more than the user has places for.
            assert_eq!((t.mtt - t.mpt, t.flush - t.mtt, t.ats - t.flush), (cfg.mpt_fetches, cfg.mtt_fetches, 1));
            assert!(
                t.data - t.ats <= cfg.ats_requests && t.end - t.data <= cfg.read_tags,
                "{name}, mode {mode}: {t:?}"
            );
        }
    }
}

#[test]
fn short_numbers_are_shared_by_arithmetic() {
    let of = |name: &str, mode| {
        let t = UnitCfg::named(name).unwrap().tags_in(mode);
        (t.data - t.ats, t.end - t.data)
    };
    // small: 2 + 4 + 1 come first. 32 - 7 = 25: all 16 requests, 9 data tags.
    assert_eq!(of("small", 0), (16, 9));
    // medium: 2 + 8 + 1. 32 - 11 = 21: data keeps 8, requests have 13 of 32.
    assert_eq!(of("medium", 0), (13, 8));
    // large, 8 bits: 256 - 11 = 245: all 64 requests, 181 data tags of 256.
    assert_eq!(of("large", 1), (64, 181));
    assert_eq!(of("large", 2), (64, 256));
}

#[test]
fn fetches_that_leave_no_tag_are_refused() {
    for (mpt_fetches, mtt_fetches, partitions, ok) in [
        (13, 16, 1, true),
        (14, 15, 1, true),
        (14, 16, 1, false),
        (16, 14, 1, false),
        // 31 numbers beside the flush, two a partition.
        (13, 14, 2, true),
        (13, 15, 2, false),
        (12, 11, 4, true),
        (12, 12, 4, false),
    ] {
        let cfg = UnitCfg { mpt_fetches, mtt_fetches, partitions, ..NAMED[3].1.clone() };
        assert_eq!(cfg.check().is_ok(), ok, "{mpt_fetches} + {mtt_fetches}, {partitions}");
        let t = cfg.tags_in(0);
        let shares = ok && t.data - t.ats >= partitions && t.end - t.data >= partitions;
        assert_eq!(shares, ok, "{mpt_fetches} + {mtt_fetches}, {partitions}: {t:?}");
    }
}
