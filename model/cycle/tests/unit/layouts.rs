//! Layouts of the MTT at the pins of the unit: what a cold and a warm access take, and how often tables are read.

use crate::bench::{Bench, MPT, MTT, request};
use types::{
    ByteCount, FunctionId, Iova, Mode, MttEntry, MttLayout, Op, Owner, PageSize, Pd, Region, Rights, TableWord,
};
use types::{TlpAddr, Va};

/// The region of key 3, four pages, in a layout.
fn bench(layout: MttLayout) -> Bench {
    let mut b = Bench::new("small", Mode::Emtt);
    let entry = |n: u64| MttEntry {
        address: TlpAddr(0x4000_0000 + (n << 12)),
        present: true,
        owner: Owner::Gpu,
        write: true,
        read: true,
        ..MttEntry::default()
    };
    // The page of entries is the one at MTT; its directory stands behind the entries that are used.
    let directory = MTT + 0x800;
    b.memory.insert(directory, MTT | 8);
    let region = Region {
        valid: true,
        variant: 7,
        function: FunctionId(0),
        pd: Pd(5),
        page_size: PageSize::K4,
        rights: Rights::ALL,
        start: Va(0),
        length: ByteCount(4 << 12),
        layout,
        mtt: Iova(if layout == MttLayout::TwoLevel { directory } else { MTT }),
        inline: [0, 1, 2, 3].map(|n| TableWord(entry(n).encode().0)),
        ..Region::default()
    };
    for (n, word) in region.encode().0.into_iter().enumerate() {
        b.memory.insert(MPT + 3 * 64 + 8 * n as u64, word);
    }
    b
}

/// Cycles from the acceptance of a read to its TLP, which goes to the page's own address.
fn read(b: &mut Bench, page: u64) -> u64 {
    let before = b.tlps.len();
    let taken = b.send(request(1, 0, Op::READ, (page << 12) + 0x40, 64));
    b.idle(800);
    let (cycle, tlp) = b.tlps[before];
    let types::tlp::Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
    assert_eq!(address, TlpAddr(0x4000_0040 + (page << 12)));
    cycle - taken
}

#[test]
fn a_cold_access_waits_for_one_line_two_or_three_and_a_warm_one_for_none() {
    let [(inline, inline_warm), (one, one_warm), (two, two_warm)] =
        [MttLayout::Inline, MttLayout::OneLevel, MttLayout::TwoLevel].map(|layout| {
            let mut b = bench(layout);
            (read(&mut b, 0), read(&mut b, 3))
        });
    // The budget of eMTT, and a second lookup.
    assert_eq!((inline_warm, one_warm, two_warm), (17, 17, 17 + 4));
    // A line's way is 100 cycles in the host and the rest in the unit; behind the directory it begins with a lookup.
    let line = one - inline;
    assert!((100..140).contains(&line), "{line}");
    assert_eq!(two - one, line + 4);
}

#[test]
fn a_request_over_the_pages_of_every_layout_goes_to_each() {
    for layout in [MttLayout::Inline, MttLayout::OneLevel, MttLayout::TwoLevel] {
        let mut b = bench(layout);
        b.send(request(1, 0, Op::READ, 0x10, (4 << 12) - 0x10));
        b.idle(3000);
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0], "{layout:?}");
        let pages: std::collections::BTreeSet<u64> = b
            .tlps
            .iter()
            .map(|(_, tlp)| match tlp.body {
                types::tlp::Body::Memory { address, .. } => address.0 >> 12,
                _ => panic!("{tlp:?}"),
            })
            .collect();
        assert_eq!(pages, (0x4_0000..0x4_0004).collect(), "{layout:?}");
    }
}
