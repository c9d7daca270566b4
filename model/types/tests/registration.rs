//! Fields of an MPT line that say what work requests may do with its key: fixed vectors.

use types::{BusAddr, FastPath, Key, Line, Op, Region};

#[test]
fn every_field_has_its_place() {
    let flush = Some(BusAddr(0x1234_5678_9abc));
    let fast =
        FastPath { allowed: true, window: true, remote_invalidate: true, bind: true, parent: Key(0x1234_5678), flush };
    let Line(words) = Region { fast, ..Region::default() }.encode();
    // Word 0: bits 63, 62, 61 and a page size of 4 KiB (12 << 48). Word 1: bit 36. Word 6: the address and bit 0.
    assert_eq!(words, [0xe00c_0000_0000_0000, 0x10_0000_0000, 0, 0, 0, 0x1234_5678, 0x1234_5678_9abd, 0]);
    assert_eq!(Region::decode(&Line(words)).fast, fast);
    for (one, word, bit) in [
        (FastPath { allowed: true, ..FastPath::default() }, 0, 63),
        (FastPath { remote_invalidate: true, ..FastPath::default() }, 0, 62),
        (FastPath { window: true, ..FastPath::default() }, 0, 61),
        (FastPath { bind: true, ..FastPath::default() }, 1, 36),
    ] {
        let line = Region { fast: one, ..Region::default() }.encode();
        assert_eq!(line.0[word] & !(0x3f << 48), 1 << bit);
        assert_eq!(Region::decode(&line).fast, one);
    }
}

#[test]
fn words_of_a_line_that_says_nothing_about_work_requests_are_not_looked_at() {
    let line = Line([0, 0, 0, 0, 0, 0xffff_ffff, 0xffff_ffff, 0]);
    assert_eq!(Region::decode(&line).fast, FastPath::default());
}

#[test]
fn four_operations_register() {
    let registering: Vec<u8> = (0..16).filter(|n| Op(*n).registers()).collect();
    assert_eq!(registering, [5, 6, 7, 8]);
    assert!(Op::FAST_REGISTER.has_image() && Op::BIND.has_image());
    assert!(!Op::LOCAL_INVALIDATE.has_image() && !Op::REMOTE_INVALIDATE.has_image());
}
