//! Layouts of the MTT as the driver writes them: what a walk by the specification finds is what one level would say.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::config;
use system::driver::{Driver, RegionSpec, TableFault};
use system::fabric::Fabric;
use types::{
    BusAddr, ByteCount, Iova, Line, Mode, MttEntry, MttLayout, Owner, PageIndex, PageSize, Region, TableWord, Va,
};

fn setup(layout: MttLayout) -> (Fabric, Driver) {
    let fabric = Fabric::new(&config(&[]));
    let driver = Driver::new(Mode::Emtt, &fabric, 7).with_layout(layout);
    (fabric, driver)
}

fn words<const N: usize>(fabric: &mut Fabric, at: u64) -> [u64; N] {
    std::array::from_fn(|i| {
        let mut bytes = [0; 8];
        fabric.memories.read(BusAddr(at + 8 * i as u64), &mut bytes);
        u64::from_le_bytes(bytes)
    })
}

fn mpt(fabric: &mut Fabric, index: u32) -> Region {
    let at = fabric.memories.tables.mpt_base().0 + 64 * u64::from(index);
    Region::decode(&Line(words(fabric, at)))
}

/// The entry of a page by the specification of the layouts; `None` where the directory has none.
fn look_up(fabric: &mut Fabric, region: &Region, page: u64) -> Option<MttEntry> {
    let word = match region.layout {
        MttLayout::OneLevel => words::<1>(fabric, region.mtt.0 + 8 * page)[0],
        MttLayout::Inline => region.inline[page as usize].0,
        MttLayout::TwoLevel => {
            let [pointer] = words(fabric, region.mtt.0 + 8 * (page / 512));
            assert_eq!(pointer >> 4 & 0xff, 0, "a page of entries is aligned to its 4 KiB");
            if pointer & 8 == 0 {
                return None;
            }
            words::<1>(fabric, (pointer & !0xfff) + 8 * (page % 512))[0]
        }
        MttLayout::Reserved => panic!("no layout"),
    };
    Some(MttEntry::decode(TableWord(word)))
}

#[test]
fn every_layout_leads_to_the_same_pages() {
    for layout in [MttLayout::OneLevel, MttLayout::Inline, MttLayout::TwoLevel] {
        // From the middle of a page: 3 pages and a bit are 4, or 2000 of them.
        for length in [3 << 12, 2000 << 12] {
            let (mut fabric, mut driver) = setup(layout);
            let spec =
                RegionSpec { start: Some(Va(0x12_3400)), owner: Owner::Gpu, ..RegionSpec::of(ByteCount(length)) };
            let registered = driver.register(&mut fabric, &spec).unwrap();
            let region = mpt(&mut fabric, registered.key.index());
            // Inline falls back where the pages are too many.
            let expected = if layout == MttLayout::Inline && length > 3 << 12 { MttLayout::OneLevel } else { layout };
            assert!(region.valid && region.layout == expected, "{region:?}");
            for page in 0..registered.pages() {
                let entry = look_up(&mut fabric, &region, page).unwrap();
                assert_eq!(entry, registered.entry(PageIndex(page)), "{layout:?} {page}");
                assert!(entry.present);
            }
        }
    }
}

#[test]
fn tables_of_two_levels_lie_apart_and_in_one_range() {
    let (mut fabric, mut driver) = setup(MttLayout::TwoLevel);
    let mut ends = Vec::new();
    for pages in [1, 512, 513, 3000] {
        let registered = driver.register(&mut fabric, &RegionSpec::of(ByteCount(pages << 12))).unwrap();
        let (first, last) = (registered.mtt.first.0, registered.mtt.first.0 + 8 * registered.mtt.words);
        ends.push((first, last));
        let region = mpt(&mut fabric, registered.key.index());
        let leaves = pages.div_ceil(512);
        let mut places: Vec<u64> =
            (0..leaves).map(|i| words::<1>(&mut fabric, region.mtt.0 + 8 * i)[0] & !0xfff).collect();
        assert!(places.iter().all(|at| (first..last).contains(at) && (first..last).contains(&region.mtt.0)));
        assert!(places.is_sorted_by(|a, b| a > b), "not in the order of the pages");
        places.dedup();
        assert_eq!(places.len() as u64, leaves);
    }
    assert!(ends.is_sorted_by(|a, b| a.1 <= b.0), "regions do not share pages of entries: {ends:x?}");
}

#[test]
fn a_page_of_entries_comes_with_its_first_entry() {
    let (mut fabric, mut driver) = setup(MttLayout::TwoLevel);
    let spec = RegionSpec { filled_on_demand: true, ..RegionSpec::of(ByteCount(1024 << 12)) };
    let registered = driver.register(&mut fabric, &spec).unwrap();
    let region = mpt(&mut fabric, registered.key.index());
    assert_eq!([0, 600].map(|page| look_up(&mut fabric, &region, page)), [None, None]);
    fabric.memories.tables.set_entry(registered.key, PageIndex(600), registered.entry(PageIndex(600)));
    assert_eq!(look_up(&mut fabric, &region, 600), Some(registered.entry(PageIndex(600))));
    assert_eq!(look_up(&mut fabric, &region, 601).map(|e| e.present), Some(false));
    assert_eq!(look_up(&mut fabric, &region, 0), None);
    // Inline entries are not filled one by one: the line that holds them is read again after a revocation alone.
    let (mut fabric, mut driver) = setup(MttLayout::Inline);
    let registered = driver.register(&mut fabric, &RegionSpec { length: ByteCount(4096), ..spec }).unwrap();
    assert_eq!(registered.region.layout, MttLayout::OneLevel);
}

#[test]
fn changed_entries_show_in_every_layout() {
    for layout in [MttLayout::OneLevel, MttLayout::Inline, MttLayout::TwoLevel] {
        let (mut fabric, mut driver) = setup(layout);
        let registered = driver.register(&mut fabric, &RegionSpec::of(ByteCount(4 << 12))).unwrap();
        let changed = MttEntry { read: false, ..registered.entry(PageIndex(2)) };
        fabric.memories.tables.set_entry(registered.key, PageIndex(2), changed);
        let region = mpt(&mut fabric, registered.key.index());
        assert_eq!(look_up(&mut fabric, &region, 2), Some(changed));
        assert_eq!(look_up(&mut fabric, &region, 3), Some(registered.entry(PageIndex(3))));
    }
}

#[test]
fn faulty_tables_are_as_asked_for() {
    let (mut fabric, mut driver) = setup(MttLayout::OneLevel);
    let spec = RegionSpec { page: PageSize::K4, ..RegionSpec::of(ByteCount(5 << 12)) };
    let mut region = |fault| {
        let registered = driver.register(&mut fabric, &RegionSpec { table_fault: Some(fault), ..spec }).unwrap();
        let region = mpt(&mut fabric, registered.key.index());
        (region.valid, region.layout, if region.valid { look_up(&mut fabric, &region, 0) } else { None })
    };
    assert_eq!(region(TableFault::ReservedLayout), (false, MttLayout::Reserved, None));
    assert_eq!(region(TableFault::InlineTooLong), (false, MttLayout::Inline, None));
    assert_eq!(region(TableFault::NoDirectory), (true, MttLayout::TwoLevel, None));
    assert_eq!(Iova(0), Region { layout: MttLayout::Inline, ..Region::default() }.mtt);
}
