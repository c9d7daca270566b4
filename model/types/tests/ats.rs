//! ATS wire formats (PCIe 6.x 10.2.3, 10.3.1): fixed vectors and round trips.

#![allow(clippy::unwrap_used, reason = "test code")]

use proptest::prelude::*;
use types::ats::{InvalidateRange, TranslationEntry};
use types::{Iova, PageSize, TlpAddr};

fn size(log2: u8) -> PageSize {
    PageSize::from_log2(log2).unwrap()
}

#[test]
fn translation_entry_vectors() {
    let entry = |address, log2| TranslationEntry {
        address: TlpAddr(address),
        size: size(log2),
        read: true,
        write: true,
        ..TranslationEntry::default()
    };
    // 4 KiB, S = 0: the address and R, W in bits 0 and 1.
    let plain = [0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x90, 0x03];
    assert_eq!(entry(0x1234_5678_9000, 12).encode(), plain);
    // S = 1 (0x800) and bit 12 zero: 8 KiB.
    assert_eq!(entry(0x1234_5678_8000, 13).encode(), [0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x88, 0x03]);
    // 16 KiB: bits 13:12 = 01.
    assert_eq!(entry(0x1234_5678_8000, 14).encode(), [0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x98, 0x03]);
    // 2 MiB: bits 19:12 ones (0xff000), bit 20 zero; 0x1234_5660_0000 is a multiple of 2 MiB.
    assert_eq!(entry(0x1234_5660_0000, 21).encode(), [0x00, 0x00, 0x12, 0x34, 0x56, 0x6f, 0xf8, 0x03]);
    // 1 GiB: bits 28:12 ones (0x1fff_f000), bit 29 zero.
    assert_eq!(entry(0x1234_4000_0000, 30).encode(), [0x00, 0x00, 0x12, 0x34, 0x5f, 0xff, 0xf8, 0x03]);
    // Each flag alone: U bit 2, Exe 3, Priv 4, Global 5, N 10.
    let none = TranslationEntry::default();
    for (entry, low) in [
        (TranslationEntry { read: true, ..none }, 0x001u16),
        (TranslationEntry { write: true, ..none }, 0x002),
        (TranslationEntry { untranslated: true, ..none }, 0x004),
        (TranslationEntry { exec: true, ..none }, 0x008),
        (TranslationEntry { privileged: true, ..none }, 0x010),
        (TranslationEntry { global: true, ..none }, 0x020),
        (TranslationEntry { no_snoop: true, ..none }, 0x400),
    ] {
        let [high, byte] = low.to_be_bytes();
        assert_eq!(entry.encode(), [0, 0, 0, 0, 0, 0, high, byte]);
        assert_eq!(TranslationEntry::decode(entry.encode()), Some(entry));
    }
    // S = 1 with 63:12 all ones is undefined.
    assert_eq!(TranslationEntry::decode([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0x03]), None);
}

#[test]
fn invalidate_body_vectors() {
    let body = |global, iova, size| InvalidateRange { global, iova: Iova(iova), size };
    for (range, bytes) in [
        (body(false, 0, None), [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0x00]),
        (body(true, 0, None), [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0x01]),
        (body(false, 0x1234_5678_9000, Some(size(12))), [0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x90, 0x00]),
        (body(true, 0x1234_5678_9000, Some(size(12))), [0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x90, 0x01]),
        (body(false, 0x1234_5660_0000, Some(size(21))), [0x00, 0x00, 0x12, 0x34, 0x56, 0x6f, 0xf8, 0x00]),
        // Half of the space: 2^63 bytes is bits 61:12 ones, bit 62 zero; bit 63 is the address.
        (body(false, 1 << 63, Some(size(63))), [0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0x00]),
    ] {
        assert_eq!(range.encode(), bytes, "{range:?}");
        assert_eq!(InvalidateRange::decode(bytes), Some(range));
    }
    assert_eq!(InvalidateRange::decode([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0x00]), None);
}

proptest! {
    #[test]
    fn translation_entries_round_trip(address in any::<u64>(), log2 in 12u8..=63, f in any::<[bool; 7]>()) {
        let entry = TranslationEntry {
            address: TlpAddr(address & !((1u64 << log2) - 1)),
            size: size(log2),
            read: f[0],
            write: f[1],
            untranslated: f[2],
            exec: f[3],
            privileged: f[4],
            global: f[5],
            no_snoop: f[6],
        };
        prop_assert_eq!(TranslationEntry::decode(entry.encode()), Some(entry));
    }

    #[test]
    fn invalidate_bodies_round_trip(iova in any::<u64>(), log2 in 12u8..=64, global in any::<bool>()) {
        let (iova, size) = match PageSize::from_log2(log2) {
            Some(size) => (iova & !size.offset_mask().0, Some(size)),
            None => (0, None),
        };
        let range = InvalidateRange { global, iova: Iova(iova), size };
        prop_assert_eq!(InvalidateRange::decode(range.encode()), Some(range));
    }

    #[test]
    fn decoded_ranges_are_aligned(bytes in any::<[u8; 8]>()) {
        if let Some(entry) = TranslationEntry::decode(bytes) {
            prop_assert_eq!(entry.address.0 & entry.size.offset_mask().0, 0);
        }
        if let Some(InvalidateRange { iova, size: Some(size), .. }) = InvalidateRange::decode(bytes) {
            prop_assert_eq!(iova.0 & size.offset_mask().0, 0);
        }
    }
}
