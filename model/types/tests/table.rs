//! Table layouts: fixed vectors worked out by hand from the layout tables, bounds, page arithmetic, round trips.

#![allow(clippy::unwrap_used, reason = "test code")]

use proptest::prelude::*;
use types::{
    BusAddr, ByteCount, FastPath, FunctionId, Iova, Key, Line, Mode, MttEntry, MttLayout, Op, Owner, PageIndex,
    PageSize, Pasid, PasidPrefix, Pd, Region, Rights, Syndrome, TableWord, TlpAddr, Va,
};

#[test]
fn mtt_entry_vectors() {
    let entry = |present, owner, write, read| MttEntry {
        address: TlpAddr(0x0123_4567_89ab_c000),
        present,
        owner,
        write,
        read,
        ..MttEntry::default()
    };
    for (entry, word) in [
        (entry(false, Owner::Host, false, false), 0x0123_4567_89ab_c000),
        (entry(false, Owner::Host, false, true), 0x0123_4567_89ab_c001),
        (entry(false, Owner::Host, true, false), 0x0123_4567_89ab_c002),
        (entry(false, Owner::Gpu, false, false), 0x0123_4567_89ab_c004),
        (entry(true, Owner::Host, false, false), 0x0123_4567_89ab_c008),
        (entry(true, Owner::Gpu, true, true), 0x0123_4567_89ab_c00f),
    ] {
        assert_eq!(entry.encode(), TableWord(word));
        assert_eq!(MttEntry::decode(TableWord(word)), entry);
        let generation = MttEntry { generation: 0xa5, ..entry };
        assert_eq!(generation.encode(), TableWord(word | 0xa50));
        assert_eq!(MttEntry::decode(TableWord(word | 0xa50)), generation);
    }
}

#[test]
fn mpt_entry_vector() {
    let region = Region {
        valid: true,
        variant: 0x5a,
        pd: Pd(0x12_3456),
        function: FunctionId(3),
        page_size: PageSize::M2,
        mode: Mode::Emtt,
        unordered: true,
        pasid: PasidPrefix { valid: true, pasid: Pasid(0xa_bcde), exec: false, privileged: true },
        rights: Rights { local_write: true, remote_read: false, remote_write: true, remote_atomic: false },
        start: Va(0x7fff_1234_5678),
        length: ByteCount(0x1_0000_0001),
        mtt: Iova(0x0000_0042_0000_0040),
        coherent: true,
        counter: 0x102,
        iova: Iova(0x7000_0123_4000),
        ..Region::default()
    };
    // Word 0: variant 7:0 = 5a; PD 31:8 = 123456; function 47:32 = 0003; byte 6 = mode 3 << 6 | 21 = 0xd5;
    // byte 7 = valid | unordered << 1 | coherent << 4 = 0x13. Word 1: PASID, valid bit 20, privileged bit 21; rights 32 and 34.
    // Word 5: the counter in bits 11:0 below the address.
    let line = Line([
        0x13d5_0003_1234_565a,
        0x0000_0005_003a_bcde,
        0x0000_7fff_1234_5678,
        0x0000_0001_0000_0001,
        0x0000_0042_0000_0040,
        0x0000_7000_0123_4102,
        0,
        0,
    ]);
    assert_eq!(region.encode(), line);
    assert_eq!(Region::decode(&line), region);
    // With the key set aside (bit 63) or a window's (bit 61), the same word 5 is the parent.
    for bit in [1 << 61, 1 << 63] {
        let mut line = line;
        line.0[0] |= bit;
        let Region { coherent, counter, iova, fast, .. } = Region::decode(&line);
        assert_eq!((coherent, counter, iova, fast.parent), (true, 0, Iova(0), Key(0x0123_4102)));
    }
    // A coherent region that windows may be bound to (word 1 bit 36) has no parent.
    let mut bound = line;
    bound.0[1] |= 1 << 36;
    let fast = FastPath { bind: true, ..FastPath::default() };
    assert_eq!(Region::decode(&bound), Region { fast, ..region });
    assert_eq!(Region { fast, ..region }.encode(), bound);
    // The other single bits: exec is bit 22; remote read 33; remote atomic 35; direct 1, ats 2.
    let bits = |region: Region| region.encode().0;
    assert_eq!(bits(Region { mode: Mode::Direct, page_size: PageSize::K4, ..Region::default() })[0], 0x4c << 48);
    assert_eq!(bits(Region { mode: Mode::Ats, page_size: PageSize::K4, ..Region::default() })[0], 0x8c << 48);
    let exec = PasidPrefix { exec: true, ..PasidPrefix::default() };
    assert_eq!(bits(Region { pasid: exec, ..Region::default() })[1], 1 << 22);
    let rights = Rights { remote_read: true, remote_atomic: true, ..Rights::default() };
    assert_eq!(bits(Region { rights, ..Region::default() })[1], 0xa << 32);
    let region = Region { coherent: false, counter: 0, iova: Iova(0), ..region };
    // Layouts: two levels is 2 in bits 59:58, so 0x08 in byte 7; inline 1, and words 4 to 7 are its entries.
    assert_eq!(bits(Region { layout: MttLayout::TwoLevel, ..region })[0], 0x0bd5_0003_1234_565a);
    let inline = Region {
        layout: MttLayout::Inline,
        mtt: Iova(0),
        inline: [1, 2, 3, 4].map(TableWord),
        length: ByteCount(0x60_0000),
        ..region
    };
    assert_eq!(bits(inline), [0x07d5_0003_1234_565a, line.0[1], line.0[2], 0x60_0000, 1, 2, 3, 4]);
    assert_eq!(Region::decode(&inline.encode()), inline);
    // Word 5 cannot hold an entry and the place of a coherent region.
    assert!(!Region::decode(&Region { coherent: true, ..inline }.encode()).valid);
    // 2 MiB pages from offset 0x14_5678 of the first: 6 MiB more reach into the fourth, 7 MiB into a fifth; layout 3 is none.
    let long = Region { length: ByteCount(0x70_0000), ..inline };
    assert_eq!((inline.pages(), long.pages()), (4, 5));
    assert!(Region::decode(&inline.encode()).valid && !Region::decode(&long.encode()).valid);
    assert!(!Region::decode(&Region { layout: MttLayout::Reserved, ..region }.encode()).valid);
    // A page size below 4 KiB: log2 = 11 = 0x0b.
    assert!(!Region::decode(&Line([0x010b << 48, 0, 0, 0, 0, 0, 0, 0])).valid);
    assert!(Region::decode(&Line([0x010c << 48, 0, 0, 0, 0, 0, 0, 0])).valid);
}

#[test]
fn bounds_do_not_wrap() {
    let region = |start, length| Region { start: Va(start), length: ByteCount(length), ..Region::default() };
    let r = region(0x1000, 0x2000);
    assert!(r.contains(Va(0x1000), 0x2000));
    assert!(!r.contains(Va(0x1000), 0x2001));
    assert!(!r.contains(Va(0xfff), 1));
    assert!(r.contains(Va(0x2fff), 1));
    assert!(!r.contains(Va(0x3000), 1));
    assert!(r.contains(Va(0x3000), 0), "no byte lies outside");
    assert!(!r.contains(Va(0x3001), 0));
    // 2^64 − 16 + 32 wraps to 16: inside by naive arithmetic.
    let top = region(u64::MAX - 0xff, 0x100);
    assert!(top.contains(Va(u64::MAX - 15), 16));
    assert!(!top.contains(Va(u64::MAX - 15), 17));
    assert!(!top.contains(Va(u64::MAX - 15), 32));
    let low = region(0, 0x1000);
    assert!(!low.contains(Va(u64::MAX - 15), 32));
    // A region that itself wraps contains nothing.
    assert!(!region(u64::MAX - 0xff, 0x101).contains(Va(u64::MAX - 15), 1));
    assert!(region(0, u64::MAX).contains(Va(0), u32::MAX));
}

#[test]
fn pages_and_entries() {
    // The region starts in the middle of a page: entry 0 is for the page that holds `start`.
    let region = Region { start: Va(0x1_2345), page_size: PageSize::K64, mtt: Iova(0x8000_0040), ..Region::default() };
    assert_eq!(region.page_index(Va(0x1_2345)), PageIndex(0));
    assert_eq!(region.page_index(Va(0x1_ffff)), PageIndex(0));
    assert_eq!(region.page_index(Va(0x2_0000)), PageIndex(1));
    assert_eq!(region.entry_address(PageIndex(9)), Iova(0x8000_0088));
    let coherent = Region { iova: Iova(0x7000_0000), ..region };
    assert_eq!(coherent.page_iova(PageIndex(9)), Iova(0x7009_0000));
    // Page 1023 is the last of the second 512.
    assert_eq!(region.directory_address(PageIndex(1023)), Iova(0x8000_0048));
}

#[test]
fn page_sizes() {
    assert_eq!(PageSize::from_log2(11), None);
    assert_eq!(PageSize::from_log2(64), None);
    for (size, bytes, text) in
        [(PageSize::K4, 4096, "4K"), (PageSize::K64, 65_536, "64K"), (PageSize::M2, 2_097_152, "2M")]
    {
        assert_eq!((size.bytes(), size.offset_mask()), (ByteCount(bytes), ByteCount(bytes - 1)));
        assert_eq!(size.to_string(), text);
    }
    assert_eq!(PageSize::G1.bytes(), ByteCount(1 << 30));
    assert_eq!(PageSize::from_log2(63).unwrap().offset_mask(), ByteCount(u64::MAX >> 1));
    assert_eq!(PageSize::from_log2(19).unwrap().to_string(), "512K");
    assert_eq!(PageSize::from_log2(29).unwrap().to_string(), "512M");
}

#[test]
fn keys_rights_and_syndromes() {
    let key = Key::new(0x00ab_cdef, 0x12);
    assert_eq!((key, key.index(), key.variant()), (Key(0xabcd_ef12), 0x00ab_cdef, 0x12));
    // One right at a time: which (operation, remote) it opens. Local read is always open.
    let ops = [Op::WRITE, Op::READ, Op::FETCH_ADD, Op::SWAP, Op::CAS];
    let open = |rights: Rights| -> Vec<(u8, bool)> {
        let all = ops.iter().flat_map(|op| [(*op, false), (*op, true)]);
        all.filter(|(op, remote)| rights.allow(*op, *remote)).map(|(op, remote)| (op.0, remote)).collect()
    };
    let none = Rights::default();
    assert_eq!(open(none), [(1, false)]);
    assert_eq!(open(Rights { remote_read: true, ..none }), [(1, false), (1, true)]);
    assert_eq!(open(Rights { remote_write: true, ..none }), [(0, true), (1, false)]);
    assert_eq!(
        open(Rights { local_write: true, ..none }),
        [(0, false), (1, false), (2, false), (3, false), (4, false)]
    );
    assert_eq!(open(Rights { remote_atomic: true, ..none }), [(1, false), (2, true), (3, true), (4, true)]);
    for (code, (syndrome, _)) in Syndrome::TABLE.iter().enumerate() {
        assert_eq!(usize::from(syndrome.0), code, "codes are dense and in order");
    }
    assert_eq!((Syndrome::BOUNDS.to_string(), Syndrome(200).to_string()), ("bounds".into(), "syndrome-200".into()));
}

prop_compose! {
    fn any_region()(
        (valid, unordered, coherent) in any::<(bool, bool, bool)>(),
        variant in any::<u8>(),
        pd in 0u32..1 << 24,
        function in any::<u16>(),
        log2 in 12u8..=63,
        mode in 0u8..4,
        pasid in 0u32..1 << 20,
        f in any::<[bool; 7]>(),
        words in any::<[u64; 4]>(),
        (window, remote_invalidate, allowed, bind) in any::<(bool, bool, bool, bool)>(),
        flush in proptest::option::of(any::<u64>()),
    ) -> Region {
        // Word 5 is the place of a coherent region that is no window's and not set aside, and otherwise the parent.
        let place = coherent && !window && !allowed;
        let (parent, says) = (Key(words[3] as u32), window || allowed || bind);
        let fast = FastPath {
            allowed,
            window,
            remote_invalidate,
            bind,
            parent: if says && !place { parent } else { Key(0) },
            flush: flush.filter(|_| says).map(|address| BusAddr(address & !3)),
        };
        Region {
            valid,
            variant,
            pd: Pd(pd),
            function: FunctionId(function),
            page_size: PageSize::from_log2(log2).unwrap(),
            mode: Mode::from_bits(mode),
            unordered,
            pasid: PasidPrefix { valid: f[0], pasid: Pasid(pasid), exec: f[1], privileged: f[2] },
            rights: Rights { local_write: f[3], remote_read: f[4], remote_write: f[5], remote_atomic: f[6] },
            start: Va(words[0]),
            length: ByteCount(words[1]),
            mtt: Iova(words[2]),
            coherent,
            counter: if place { (words[3] & 0xfff) as u16 } else { 0 },
            iova: Iova(if place { words[3] & !0xfff } else { 0 }),
            fast,
            ..Region::default()
        }
    }
}

proptest! {
    #[test]
    fn regions_round_trip(region in any_region()) {
        prop_assert_eq!(Region::decode(&region.encode()), region);
    }

    #[test]
    fn mtt_entries_round_trip(word in any::<u64>()) {
        let entry = MttEntry::decode(TableWord(word));
        prop_assert_eq!(entry.encode(), TableWord(word));
        prop_assert_eq!(MttEntry::decode(entry.encode()), entry);
    }

    #[test]
    fn contained_bytes_are_inside(region in any_region(), va in any::<u64>(), near in 0u64..64, length in 1u32..4096) {
        // Both far and near the ends; each byte alone must be inside exactly when the whole is.
        for va in [va, region.start.0.wrapping_sub(near), region.start.0.wrapping_add(region.length.0).wrapping_sub(near)] {
            let whole = region.contains(Va(va), length);
            let last = va.checked_add(u64::from(length) - 1);
            let ends = region.contains(Va(va), 1) && last.is_some_and(|last| region.contains(Va(last), 1));
            prop_assert_eq!(whole, ends);
        }
    }
}
