//! Answers to requests for several translations: one completion or two, shorter, larger and malformed ones.

use super::*;

/// Eight translations a request; the Read Completion Boundary of the bench's function is 64 bytes, which allows no more.
fn eight() -> UnitCfg {
    UnitCfg { ats_entries: 8, ..UnitCfg::named("small").unwrap() }
}

#[test]
fn one_request_brings_consecutive_translations_in_one_completion_or_two() {
    for split in [false, true] {
        for entries in [8, 16] {
            let mut b = Bench::with(&UnitCfg { ats_entries: entries, ..eight() });
            b.split = split;
            for n in 0..16 {
                b.send(ats(n, 0, 0x10_0000 + 4096 * u64::from(n)));
            }
            b.idle(600);
            assert_eq!(b.requests.iter().map(|r| r.length_dw).collect::<Vec<_>>(), [16, 16]);
            assert!(b.released.iter().all(|(_, r)| r.tag.syndrome.is_ok() && r.at == AddressType::TRANSLATED));
            assert_eq!(b.slots(), (0..16).collect::<Vec<_>>());
        }
    }
}

#[test]
fn an_answer_shorter_than_asked_is_used_and_the_rest_asked_again() {
    let mut b = Bench::with(&eight());
    b.longest = 3;
    for n in 0..8 {
        b.send(ats(n, 0, 0x10_0000 + 4096 * u64::from(n)));
    }
    b.idle(1500);
    assert_eq!(b.slots(), (0..8).collect::<Vec<_>>());
    // Pages 0-2, 3-5, 6-8.
    assert_eq!(b.requests.iter().map(|r| r.address.0 >> 12 & 0xff).collect::<Vec<_>>(), [0, 3, 6]);
}

#[test]
fn a_page_without_access_behind_the_first_fails_alone() {
    let mut b = Bench::with(&eight());
    b.answer = |iova| match identity(iova) {
        Answer::Entry(e) if iova == 0x10_2000 => Answer::Entry(TranslationEntry { read: false, write: false, ..e }),
        other => other,
    };
    for n in 0..4 {
        b.send(ats(n, n, 0x10_0000 + 4096 * u64::from(n)));
    }
    b.idle(800);
    let mut seen: Vec<_> = b.released.iter().map(|(_, r)| (r.tag.slot.0, r.tag.syndrome.is_ok())).collect();
    seen.sort_unstable();
    assert_eq!(seen, [(0, true), (1, true), (2, false), (3, true)]);
}

#[test]
fn an_answer_of_more_large_pages_than_fit_serves_what_was_missed() {
    for policy in [Replacement::Lru, Replacement::Fifo, Replacement::TreePlru] {
        // Eight pages of 2 MiB for two places.
        let mut b = Bench::with(&UnitCfg { atc_large: 2, atc_replacement: policy, ..eight() });
        b.answer = |iova| match identity(iova & !0x1f_ffff) {
            Answer::Entry(e) => {
                // Entries of an answer follow each other by their own size.
                let n = iova >> 12 & 0xf;
                let address = TlpAddr(e.address.0 + (n << 21));
                Answer::Entry(TranslationEntry { size: PageSize::M2, address, ..e })
            }
            other => other,
        };
        b.send(ats(0, 0, 0x20_0000));
        b.idle(400);
        assert_eq!((b.requests.len(), b.slots()), (1, vec![0]), "{policy:?}");
    }
}

#[test]
fn byte_counts_of_half_entries_or_that_do_not_add_up_are_malformed() {
    for (split, miscount, malformed) in [
        (false, [0, 0], false),
        (true, [0, 0], false),
        (false, [-4, 0], true),
        (false, [-8, 0], true),
        (true, [-4, 0], true),
        // The first says 8 bytes less than the second brings, or the second that there is a third.
        (true, [-8, 0], true),
        (true, [0, 8], true),
        (true, [0, -8], true),
    ] {
        let mut b = Bench::with(&eight());
        (b.split, b.miscount) = (split, miscount);
        b.send(ats(0, 0, 0x10_0000));
        b.idle(200);
        let syndrome = b.released[0].1.tag.syndrome;
        let expected = if malformed { Syndrome::TRANSLATION_FAILED } else { Syndrome::OK };
        assert_eq!(syndrome, expected, "{split} {miscount:?}");
    }
}

#[test]
fn entries_of_different_sizes_are_malformed() {
    let mut b = Bench::with(&eight());
    b.answer = |iova| match identity(iova & !0x1f_ffff) {
        Answer::Entry(e) if iova == 0x20_1000 => Answer::Entry(TranslationEntry { size: PageSize::M2, ..e }),
        Answer::Entry(_) => identity(iova),
        other => other,
    };
    b.send(ats(0, 0, 0x20_0000));
    b.idle(200);
    assert_eq!(b.released[0].1.tag.syndrome, Syndrome::TRANSLATION_FAILED);
}
