//! What answers may say: failures of every kind of read, and what a translation grants.

use crate::bench::{Bench, SHIFT, request};
use crate::script::{Fault, Kind};
use types::ats::TranslationEntry;
use types::tlp::{Body, status};
use types::{AddressType, Mode, Op, Syndrome};

/// IOVA of page `n` of the bench's region.
fn iova(n: u64) -> u64 {
    0x4000_0000 + (n << 12)
}

fn outcomes(b: &Bench) -> Vec<u8> {
    b.done.iter().map(|d| d.2).collect()
}

/// AT, address and No Snoop of the data TLPs.
fn seen(b: &Bench) -> Vec<(AddressType, u64, bool)> {
    let part = |tlp: &types::Tlp| match tlp.body {
        Body::Memory { at, address, .. } => (at, address.0, tlp.attributes.no_snoop),
        other => panic!("{other:?}"),
    };
    b.tlps.iter().map(|(_, tlp)| part(tlp)).collect()
}

fn bench() -> Bench {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.script.asked.clear();
    b
}

#[test]
fn a_failed_read_of_each_kind_ends_its_request_with_its_syndrome_and_no_other() {
    let (ur, ca, poison) = (Fault::Status(status::UR), Fault::Status(status::CA), Fault::Poison);
    for (kind, fault, expected) in [
        (Kind::Data, ur, Syndrome::UNSUPPORTED_REQUEST),
        (Kind::Data, ca, Syndrome::COMPLETER_ABORT),
        (Kind::Data, poison, Syndrome::POISONED),
        (Kind::Translation, ur, Syndrome::TRANSLATION_FAILED),
        (Kind::Translation, ca, Syndrome::TRANSLATION_FAILED),
        (Kind::Translation, poison, Syndrome::TRANSLATION_FAILED),
        (Kind::Table, ur, Syndrome::TABLE_FETCH),
        (Kind::Table, ca, Syndrome::TABLE_FETCH),
        (Kind::Table, poison, Syndrome::TABLE_FETCH),
    ] {
        let mut b = bench();
        b.script.fault = Some((kind, None, fault));
        // Page 40 has neither its table line nor its translation in a cache.
        b.send(request(1, 0, Op::READ, 40 << 12, 64));
        b.idle(600);
        b.script.fault = None;
        b.script.read.clear();
        b.send(request(2, 0, Op::READ, 40 << 12, 64));
        b.idle(600);
        assert_eq!(outcomes(&b), [expected.0, 0], "{kind:?} {fault:?}");
        assert_eq!(b.script.read[&2].len(), 64);
    }
}

#[test]
fn untranslated_access_only_leaves_with_the_iova() {
    let mut b = bench();
    b.script.agent = Some(|_, entry| TranslationEntry { untranslated: true, ..entry });
    for id in 1..3 {
        b.send(request(id, 0, Op::READ, (5 << 12) + 0x40, 64));
        b.idle(300);
    }
    // U = 1 may be cached: one request.
    let expected = (AddressType::UNTRANSLATED, iova(5) + 0x40, false);
    assert_eq!((seen(&b), b.script.asked.len(), outcomes(&b)), (vec![expected; 2], 1, vec![0, 0]));
}

/// N of a translation forbids the No Snoop attribute (PCIe 6.x 10.2.3, table of the completion's fields); where it is clear
/// the function may ask for it, and this unit does not.
#[test]
fn no_snoop_is_never_asked_for() {
    for no_snoop in [true, false] {
        let mut b = bench();
        b.script.agent =
            Some(if no_snoop { |_, entry| TranslationEntry { no_snoop: true, ..entry } } else { |_, entry| entry });
        b.send(request(1, 0, Op::READ, 5 << 12, 64));
        b.send(request(2, 1, Op::WRITE, 5 << 12, 64));
        b.idle(400);
        let expected = (AddressType::TRANSLATED, SHIFT + iova(5), false);
        assert_eq!(seen(&b), [expected; 2], "N = {no_snoop}");
    }
}

#[test]
fn a_write_asks_for_more_permission_and_fails_only_if_that_answer_lacks_it() {
    fn read_only(_: u64, entry: TranslationEntry) -> TranslationEntry {
        TranslationEntry { write: false, ..entry }
    }
    for (granted, expected) in [(true, Syndrome::OK), (false, Syndrome::TRANSLATION_ACCESS)] {
        let mut b = bench();
        b.script.agent = Some(read_only);
        b.send(request(1, 0, Op::READ, 5 << 12, 64));
        b.idle(300);
        b.script.agent = if granted { None } else { Some(read_only) };
        b.send(request(2, 0, Op::WRITE, 5 << 12, 64));
        b.idle(400);
        // NW = 1 for the read, then NW = 0.
        assert_eq!(b.script.asked(), [(iova(5), true), (iova(5), false)]);
        assert_eq!(outcomes(&b), [0, expected.0]);
        assert_eq!(b.tlps.len(), 1 + usize::from(granted));
        // Reading never needed more.
        b.send(request(3, 0, Op::READ, 5 << 12, 64));
        b.idle(300);
        assert_eq!((b.script.asked.len(), outcomes(&b)[2]), (2, 0));
    }
}

#[test]
fn a_read_of_no_bytes_is_one_dw_without_byte_enables_and_needs_r_or_w() {
    let (read, write) = (
        (|_, entry| TranslationEntry { write: false, ..entry }) as fn(u64, TranslationEntry) -> TranslationEntry,
        (|_, entry| TranslationEntry { read: false, ..entry }) as fn(u64, TranslationEntry) -> TranslationEntry,
    );
    for (mode, agent) in [(Mode::Direct, None), (Mode::Emtt, None), (Mode::Ats, Some(read)), (Mode::Ats, Some(write))] {
        let mut b = Bench::new("small", mode);
        b.script.agent = agent;
        b.send(request(1, 0, Op::READ, (5 << 12) + 0x44, 0));
        b.idle(800);
        assert_eq!(outcomes(&b), [0], "{mode}");
        let [(_, tlp)] = b.tlps[..] else { panic!("{:?}", b.tlps) };
        let Body::Memory { first_be, last_be, address, .. } = tlp.body else { panic!("{tlp:?}") };
        let base = if mode == Mode::Ats { SHIFT } else { 0 };
        assert_eq!((tlp.length_dw, first_be, last_be, address.0), (1, 0, 0, base + iova(5) + 0x44), "{mode}");
        assert!(b.script.read.is_empty(), "no data is delivered");
    }
}
