//! Do the tables say what the driver promised, and do huge regions cost nothing?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::config;
use system::driver::{Driver, RegionSpec, RegisterError, Registered};
use system::fabric::Fabric;
use types::{
    BusAddr, ByteCount, Key, Line, Mode, MttEntry, Owner, PageIndex, PageSize, PasidPrefix, Region, TableWord, TlpAddr,
    Va,
};

fn setup(mode: Mode) -> (Fabric, Driver) {
    let fabric = Fabric::new(&config(&[]));
    let driver = Driver::new(mode, &fabric, 7);
    (fabric, driver)
}

/// The MPT entry of a key, as the unit reads it: 64 bytes, little-endian words.
fn mpt(fabric: &mut Fabric, key: Key) -> Region {
    let at = fabric.memories.tables.mpt_base().0 + 64 * u64::from(key.index());
    let mut bytes = [0; 64];
    fabric.memories.read(BusAddr(at), &mut bytes);
    Region::decode(&Line(std::array::from_fn(|i| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()))))
}

/// The MTT entry of a page, as the unit reads it.
fn mtt(fabric: &mut Fabric, region: &Region, page: u64) -> MttEntry {
    let mut bytes = [0; 8];
    fabric.memories.read(BusAddr(region.entry_address(PageIndex(page)).0), &mut bytes);
    MttEntry::decode(TableWord(u64::from_le_bytes(bytes)))
}

fn check(fabric: &mut Fabric, registered: &Registered, offset: u64) {
    let region = mpt(fabric, registered.key);
    assert_eq!(region, registered.region);
    let va = Va(region.start.0 + offset);
    let entry = mtt(fabric, &region, region.page_index(va).0);
    assert!(entry.present && entry.read && entry.write);
    let address = entry.address.0 + (va.0 & region.page_size.offset_mask().0);
    let place = if entry.owner == Owner::Gpu {
        BusAddr(address)
    } else {
        assert_eq!(fabric.memories.place(BusAddr(address), 1), None, "an IOVA never looks like a bus address");
        iommu_place(registered, address)
    };
    assert_eq!(place, registered.place(offset), "offset {offset:#x}");
    assert!(fabric.memories.place(place, 1).is_some());
}

/// The IOMMU's answer for an IOVA of the region.
fn iommu_place(registered: &Registered, iova: u64) -> BusAddr {
    let io = &registered.io;
    let offset = iova - io.base.0;
    BusAddr(io.scatter.page_address(offset >> io.page.log2(), io.page).0 + (offset & io.page.offset_mask().0))
}

#[test]
fn table_entries_lead_to_the_bytes_for_every_page_size_owner_and_mode() {
    let sizes = [PageSize::K4, PageSize::K64, PageSize::M2, PageSize::G1];
    for mode in [Mode::Direct, Mode::Ats, Mode::Emtt] {
        let (mut fabric, mut driver) = setup(mode);
        for owner in [Owner::Host, Owner::Gpu] {
            for page in sizes {
                for io_page in sizes {
                    let length = ByteCount(5 * page.bytes().0 + 1);
                    let spec = RegionSpec { page, io_page, owner, ..RegionSpec::of(length) };
                    let result = driver.register(&mut fabric, &spec);
                    if mode == Mode::Emtt && owner == Owner::Gpu && io_page < page {
                        assert_eq!(result.unwrap_err(), RegisterError::Scattered { page, io_page });
                        continue;
                    }
                    let registered = result.unwrap();
                    for offset in [0, 1, 4095, 4096, page.bytes().0, 3 * page.bytes().0 + 77, length.0 - 1] {
                        check(&mut fabric, &registered, offset);
                    }
                    // Only GPU pages of an eMTT region carry the owner tag.
                    let tagged = mtt(&mut fabric, &registered.region, 0).owner == Owner::Gpu;
                    assert_eq!(tagged, mode == Mode::Emtt && owner == Owner::Gpu);
                    // One past the last page: nothing.
                    assert!(!mtt(&mut fabric, &registered.region, registered.pages()).present);
                }
            }
        }
    }
}

#[test]
fn a_start_inside_a_page_shifts_the_entries() {
    let (mut fabric, mut driver) = setup(Mode::Direct);
    let start = Some(Va(0x7_1234_5f00));
    let registered = driver.register(&mut fabric, &RegionSpec { start, ..RegionSpec::of(ByteCount(0x200)) }).unwrap();
    // 0xf00 + 0x200 crosses a page: two entries.
    assert_eq!(registered.pages(), 2);
    for offset in [0, 0xff, 0x100, 0x1ff] {
        check(&mut fabric, &registered, offset);
    }
}

#[test]
fn the_mode_of_a_region_overrides_the_units() {
    let (mut fabric, mut driver) = setup(Mode::Ats);
    let spec = RegionSpec { mode: Mode::Emtt, owner: Owner::Gpu, ..RegionSpec::of(ByteCount(4096)) };
    let registered = driver.register(&mut fabric, &spec).unwrap();
    assert_eq!(mpt(&mut fabric, registered.key).mode, Mode::Emtt);
    assert_eq!(mtt(&mut fabric, &registered.region, 0).owner, Owner::Gpu);
    assert_eq!(mtt(&mut fabric, &registered.region, 0).address, TlpAddr(registered.place(0).0));
}

#[test]
fn a_tebibyte_in_4_kib_pages_costs_nothing_until_touched() {
    let (mut fabric, mut driver) = setup(Mode::Direct);
    let length = ByteCount(1 << 40);
    let registered = driver.register(&mut fabric, &RegionSpec::of(length)).unwrap();
    assert_eq!(registered.pages(), 1 << 28);
    for i in 0..1000 {
        check(&mut fabric, &registered, i * 0x3fff_f123 % length.0);
    }
    check(&mut fabric, &registered, length.0 - 1);
    assert_eq!(fabric.memories.host.resident(), ByteCount(0));
}

#[test]
fn deregistering_clears_the_mpt_entry_and_the_map() {
    let (mut fabric, mut driver) = setup(Mode::Direct);
    let registered = driver.register(&mut fabric, &RegionSpec::of(ByteCount(4096))).unwrap();
    assert!(mpt(&mut fabric, registered.key).valid);
    assert!(driver.deregister(&mut fabric, registered.key).is_some());
    assert!(!mpt(&mut fabric, registered.key).valid);
    assert!(driver.deregister(&mut fabric, registered.key).is_none());
    // The index is used again, under another key variant.
    let again = driver.register(&mut fabric, &RegionSpec::of(ByteCount(4096))).unwrap();
    assert_eq!(again.key.index(), registered.key.index());
    assert_ne!(again.key.variant(), registered.key.variant());
}

#[test]
fn single_entries_can_be_changed() {
    let (mut fabric, mut driver) = setup(Mode::Direct);
    let registered = driver.register(&mut fabric, &RegionSpec::of(ByteCount(16 * 4096))).unwrap();
    let entry = MttEntry { present: false, ..MttEntry::default() };
    fabric.memories.tables.set_entry(registered.key, PageIndex(9), entry);
    assert!(!mtt(&mut fabric, &registered.region, 9).present);
    assert!(mtt(&mut fabric, &registered.region, 8).present);
}

#[test]
fn what_cannot_be_registered_is_refused() {
    let (mut fabric, mut driver) = setup(Mode::Direct);
    let mut register = |spec: RegionSpec| driver.register(&mut fabric, &spec).map(|_| ());
    assert_eq!(register(RegionSpec::of(ByteCount(0))), Err(RegisterError::Empty));
    for length in [u64::MAX, 1 << 63, 1 << 48, 5 << 40] {
        assert!(matches!(register(RegionSpec::of(ByteCount(length))), Err(RegisterError::NoMemory(_))), "{length:#x}");
    }
    let pasid = PasidPrefix { valid: true, ..PasidPrefix::default() };
    assert_eq!(register(RegionSpec { pasid, ..RegionSpec::of(ByteCount(1)) }), Ok(()));
}
