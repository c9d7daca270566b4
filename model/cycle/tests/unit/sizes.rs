//! Page sizes: of regions, of translations, and of the smallest translation unit.

use crate::bench::{Bench, MPT, MTT, SHIFT, function, request};
use types::port::FunctionCfg;
use types::tlp::Body;
use types::{ByteCount, Iova, Mode, MttEntry, Op, Owner, PageSize, Pd, Region, Rights, Syndrome, TlpAddr, UnitCfg};

fn addresses(b: &Bench) -> Vec<u64> {
    let part = |tlp: &types::Tlp| match tlp.body {
        Body::Memory { address, .. } => address.0,
        other => panic!("{other:?}"),
    };
    b.tlps.iter().map(|(_, tlp)| part(tlp)).collect()
}

#[test]
fn regions_of_every_page_size_from_4_kib_to_1_gib() {
    for log2 in 12..=30 {
        let mut b = Bench::new("small", Mode::Emtt);
        let page_size = PageSize::from_log2(log2).unwrap();
        let region = Region {
            valid: true,
            variant: 7,
            pd: Pd(5),
            page_size,
            rights: Rights::ALL,
            length: ByteCount(3 << log2),
            mtt: Iova(MTT),
            ..Region::default()
        };
        for (n, word) in region.encode().0.into_iter().enumerate() {
            b.memory.insert(MPT + 3 * 64 + 8 * n as u64, word);
        }
        // Pages 0, 1, 2 lie at 7, 5, 3 times their size.
        for n in 0..3 {
            let address = TlpAddr((7 - 2 * n) << log2);
            let entry =
                MttEntry { address, present: true, owner: Owner::Gpu, write: true, read: true, ..MttEntry::default() };
            b.memory.insert(MTT + 8 * n, entry.encode().0);
        }
        // 64 bytes across the end of page 0, then the last 64 of the region, then one byte too far.
        b.send(request(1, 0, Op::READ, (1 << log2) - 32, 64));
        b.send(request(2, 0, Op::READ, (3 << log2) - 64, 64));
        b.send(request(3, 0, Op::READ, (3 << log2) - 63, 64));
        b.idle(1200);
        let end = 1u64 << log2;
        assert_eq!(addresses(&b), [7 * end + (end - 32), 5 * end, 3 * end + (end - 64)], "2^{log2}");
        let outcomes: Vec<_> = b.done.iter().map(|d| d.2).collect();
        assert_eq!(outcomes, [0, 0, Syndrome::BOUNDS.0], "2^{log2}");
    }
}

#[test]
fn translations_of_every_size_from_4_kib_to_1_gib() {
    for log2 in 12..=30 {
        let mut b = Bench::new("small", Mode::Ats);
        b.size = PageSize::from_log2(log2).unwrap();
        for (id, page) in [(1, 5u64), (2, 6), (3, 5)] {
            b.send(request(id, 0, Op::READ, (page << 12) + 0x40, 64));
            b.idle(800);
        }
        let iova = |page: u64| 0x4000_0040 + (page << 12);
        assert_eq!(addresses(&b), [SHIFT + iova(5), SHIFT + iova(6), SHIFT + iova(5)], "2^{log2}");
        // Of 4 KiB: an answer a page. From 2 MiB on the large array holds all of it. Between, what is held is a part of
        // the answer, at least the page asked for.
        let asked = b.script.asked.len();
        match log2 {
            12 => assert_eq!(asked, 2),
            13..=20 => assert!(asked <= 2, "2^{log2}: {asked}"),
            _ => assert_eq!(asked, 1, "2^{log2}"),
        }
    }
}

#[test]
fn a_smallest_translation_unit_above_4_kib() {
    let cfg = UnitCfg { atc_granule_log2: 16, ..UnitCfg::named("small").unwrap() };
    // STU 4 is 64 KiB; a size below that counts as UR.
    for (log2, ok) in [(12, false), (15, false), (16, true), (21, true)] {
        let mut b = Bench::with(cfg.clone(), Mode::Ats);
        b.configure(FunctionCfg { ats_stu: 4, ..function() });
        b.size = PageSize::from_log2(log2).unwrap();
        b.send(request(1, 0, Op::READ, (5 << 12) + 0x40, 64));
        b.idle(800);
        // One unit of 64 KiB, its address aligned to it, NW = 1.
        assert_eq!(b.script.asked(), [(0x4000_0000, true)], "2^{log2}");
        assert_eq!(b.script.asked[0].1.length_dw, 2);
        if !ok {
            assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [Syndrome::TRANSLATION_FAILED.0]);
            assert!(b.tlps.is_empty());
            continue;
        }
        // Pages 0 to 15 are in the unit, page 16 is not.
        b.send(request(2, 0, Op::READ, 15 << 12, 64));
        b.idle(800);
        b.send(request(3, 0, Op::READ, 16 << 12, 64));
        b.idle(800);
        let base = SHIFT + 0x4000_0000;
        assert_eq!(addresses(&b), [base + 0x5040, base + 0xf000, base + 0x1_0000], "2^{log2}");
        assert_eq!(b.script.asked.len(), if log2 == 16 { 2 } else { 1 });
    }
}

#[test]
fn an_invalidation_of_4_kib_takes_the_whole_unit() {
    let cfg = UnitCfg { atc_granule_log2: 16, ..UnitCfg::named("small").unwrap() };
    let mut b = Bench::with(cfg, Mode::Ats);
    b.configure(FunctionCfg { ats_stu: 4, ..function() });
    b.size = PageSize::K64;
    b.send(request(1, 0, Op::READ, 5 << 12, 64));
    b.idle(800);
    // The range is at least the STU (10.3.1); one that is smaller is taken for the unit it lies in.
    b.shift = 2 * SHIFT;
    let range = types::ats::InvalidateRange { global: false, iova: Iova(0x4000_9000), size: Some(PageSize::K4) };
    b.invalidate(1, range);
    b.idle(100);
    b.send(request(2, 0, Op::READ, 5 << 12, 64));
    b.idle(800);
    assert_eq!(addresses(&b), [SHIFT + 0x4000_5000, 2 * SHIFT + 0x4000_5000]);
}
