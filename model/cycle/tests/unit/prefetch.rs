//! Next-page prefetch: what is asked ahead, what it must not do to others, and that it is subject to everything else.

use crate::bench::{Bench, MTT, SHIFT, request};
use crate::script::{Fault, Kind};
use types::ats::{InvalidateRange, TranslationEntry};
use types::tlp::{Body, status};
use types::{Iova, Mode, MttEntry, Op, Owner, PageSize, Syndrome, TlpAddr, UnitCfg};

/// IOVA of page `n` of the bench's region.
fn iova(n: u64) -> u64 {
    0x4000_0000 + (n << 12)
}

fn cfg(requests: u32) -> UnitCfg {
    UnitCfg { ats_prefetch: true, ats_requests: requests, ..UnitCfg::named("small").unwrap() }
}

/// Tables of all pages are cached; pages 0, 8, 16 and so on are in the ATC with the pages behind them.
fn bench(requests: u32) -> Bench {
    let mut b = Bench::with(cfg(requests), Mode::Ats);
    for n in (0..64).step_by(8) {
        b.send(request(0, 0, Op::READ, n << 12, 8));
        b.idle(800);
    }
    b.done.clear();
    b.tlps.clear();
    b.script.asked.clear();
    b.script.prefetches = 0;
    b
}

fn read(b: &mut Bench, id: u16, page: u64) {
    b.send(request(id, id % 8, Op::READ, page << 12, 64));
}

/// Pages asked for.
fn pages(b: &Bench) -> Vec<u64> {
    b.script.asked().iter().map(|(address, _)| (address - iova(0)) >> 12).collect()
}

fn outcomes(b: &Bench) -> Vec<(u16, u8)> {
    let mut out: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    out.sort_unstable();
    out
}

/// Bus addresses of the data TLPs.
fn addresses(b: &Bench) -> Vec<u64> {
    let part = |tlp: &types::Tlp| match tlp.body {
        Body::Memory { address, .. } => address.0,
        other => panic!("{other:?}"),
    };
    b.tlps.iter().map(|(_, tlp)| part(tlp)).collect()
}

#[test]
fn a_miss_asks_for_the_page_behind_it_with_the_same_permission() {
    for (op, no_write) in [(Op::READ, true), (Op::WRITE, false)] {
        let mut b = bench(16);
        b.send(request(1, 0, op, 4 << 12, 64));
        b.idle(300);
        assert_eq!(b.script.asked(), [(iova(4), no_write), (iova(5), no_write)]);
        assert!(b.script.asked.iter().all(|(_, tlp)| tlp.length_dw == 2));
        // The page is there when it is needed, and a hit asks for nothing.
        b.send(request(2, 0, op, 5 << 12, 64));
        b.idle(300);
        assert_eq!((outcomes(&b), b.script.asked.len(), b.script.prefetches), (vec![(1, 0), (2, 0)], 2, 1));
        assert_eq!(addresses(&b), [SHIFT + iova(4), SHIFT + iova(5)]);
    }
}

#[test]
fn nothing_is_asked_ahead_unless_it_is_configured() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.script.asked.clear();
    read(&mut b, 1, 4);
    b.idle(300);
    assert_eq!(b.script.asked(), [(iova(4), true)]);
}

#[test]
fn it_stays_within_2_mib() {
    // The last page of a block of 2 MiB, and the one before.
    for (address, count) in [(0x401f_f000, 1), (0x401f_e000, 2)] {
        let mut b = Bench::with(cfg(16), Mode::Ats);
        let entry = MttEntry {
            address: TlpAddr(address),
            present: true,
            owner: Owner::Gpu,
            write: true,
            read: true,
            ..MttEntry::default()
        };
        b.memory.insert(MTT + 8 * 4, entry.encode().0);
        read(&mut b, 1, 4);
        b.idle(1000);
        assert_eq!(b.script.asked.len(), count, "{address:#x}");
    }
}

#[test]
fn what_is_asked_for_already_is_not_asked_again() {
    let mut b = bench(16);
    b.delay = 500;
    (2..7).for_each(|page| read(&mut b, page, page.into()));
    b.idle(2000);
    let mut asked = pages(&b);
    asked.sort_unstable();
    assert_eq!(asked, [2, 3, 4, 5, 6, 7]);
    assert_eq!(outcomes(&b), (2..7).map(|n| (n, 0)).collect::<Vec<_>>());
    // Downwards the page behind is always one that a miss has asked for.
    let mut b = bench(16);
    b.delay = 500;
    (3..7).rev().for_each(|page| read(&mut b, page, page.into()));
    b.idle(2000);
    assert_eq!((pages(&b).len(), b.script.prefetches), (5, 1));
}

#[test]
fn half_of_the_requests_stay_for_misses() {
    // Of 3 requests 2 stay, and a miss has the third; of 4 requests 2 stay, so that there is one for a prefetch.
    for (requests, asked) in [(1, 1), (2, 1), (3, 1), (4, 2)] {
        let mut b = bench(requests);
        read(&mut b, 1, 4);
        b.idle(300);
        assert_eq!(b.script.asked.len(), asked, "{requests}");
    }
}

#[test]
fn a_failure_that_nobody_asked_for_concerns_nobody() {
    for fault in [Fault::Status(status::UR), Fault::Status(status::CA), Fault::Poison] {
        let mut b = bench(16);
        b.script.fault = Some((Kind::Translation, Some(iova(5)), fault));
        read(&mut b, 1, 4);
        b.idle(300);
        assert_eq!((outcomes(&b), b.script.errors, pages(&b)), (vec![(1, 0)], 1, vec![4, 5]), "{fault:?}");
        // It is asked for again by the one that needs it, and then the failure is its own.
        read(&mut b, 2, 5);
        b.idle(300);
        assert_eq!((outcomes(&b)[1], pages(&b)[2]), ((2, Syndrome::TRANSLATION_FAILED.0), 5), "{fault:?}");
    }
}

#[test]
fn a_miss_that_joined_a_prefetch_asks_for_itself_when_that_fails() {
    let none = |_, entry| TranslationEntry { read: false, write: false, ..entry };
    for unsupported in [true, false] {
        let mut b = bench(16);
        b.delay = 400;
        read(&mut b, 1, 4);
        // The request for page 4 has left; what is said about page 5 is decided when its own leaves.
        while b.script.asked.is_empty() {
            b.idle(1);
        }
        if unsupported {
            b.script.fault = Some((Kind::Translation, Some(iova(5)), Fault::Status(status::UR)));
        } else {
            b.script.agent = Some(none);
        }
        b.idle(20);
        assert_eq!(pages(&b), [4, 5]);
        (b.script.fault, b.script.agent) = (None, None);
        b.merged = 0;
        read(&mut b, 2, 5);
        b.idle(60);
        assert_eq!(b.merged, 1);
        // The first that joins makes the page behind it the next to ask for.
        assert_eq!(pages(&b), [4, 5, 6]);
        b.idle(1500);
        assert_eq!(outcomes(&b), [(1, 0), (2, 0)]);
        assert_eq!(pages(&b)[3], 5);
        assert_eq!(addresses(&b), [SHIFT + iova(4), SHIFT + iova(5)]);
    }
}

#[test]
fn a_read_that_joins_what_was_asked_for_a_write_asks_ahead_as_a_read() {
    let mut b = bench(16);
    b.delay = 400;
    b.send(request(1, 1, Op::WRITE, 4 << 12, 64));
    b.idle(60);
    read(&mut b, 2, 5);
    b.idle(60);
    assert_eq!(b.script.asked(), [(iova(4), false), (iova(5), false), (iova(6), true)]);
}

#[test]
fn an_answer_that_an_invalidation_has_passed_is_not_used() {
    let mut b = bench(16);
    b.delay = 400;
    read(&mut b, 1, 4);
    b.idle(60);
    assert_eq!(pages(&b), [4, 5]);
    b.shift = 2 * SHIFT;
    b.invalidate(1, InvalidateRange { global: false, iova: Iova(iova(5)), size: Some(PageSize::K4) });
    b.idle(100);
    assert_eq!(b.messages.len(), 1, "the completion does not wait for the prefetch");
    b.idle(600);
    read(&mut b, 2, 5);
    b.idle(1500);
    assert_eq!(addresses(&b), [SHIFT + iova(4), 2 * SHIFT + iova(5)]);
    assert_eq!(pages(&b).iter().filter(|p| **p == 5).count(), 2);
}

#[test]
fn misses_are_sent_before_prefetches_and_make_them_their_own() {
    let mut b = bench(16);
    b.inp.tx_fc.nph = 0;
    // Requests for 2 and 3 fill the skid buffer of `tlp_tx`, that for 5 stands on the port; the one for 6 waits.
    for (id, page) in [(1, 2), (2, 5)] {
        read(&mut b, id, page);
        b.idle(40);
    }
    // Page 6 is needed now; 7 waits behind it, and the miss of page 12 goes first.
    read(&mut b, 3, 6);
    b.idle(40);
    read(&mut b, 4, 12);
    b.idle(40);
    b.script.fault = Some((Kind::Translation, Some(iova(6)), Fault::Status(status::UR)));
    b.inp.tx_fc.nph = 200;
    b.idle(600);
    assert_eq!(pages(&b), [2, 3, 5, 6, 12, 7, 13]);
    // Page 3, 7 and 13 were asked ahead; the failure of page 6 is that of the request that needed it.
    assert_eq!(b.script.prefetches, 3);
    assert_eq!(outcomes(&b), [(1, 0), (2, 0), (3, Syndrome::TRANSLATION_FAILED.0), (4, 0)]);
}

#[test]
fn a_prefetch_that_has_not_been_sent_gives_way() {
    let mut b = bench(8);
    b.inp.tx_fc.nph = 0;
    // Eight requests: 2 and 3 ahead of it, 5 and 6 ahead of it; then four misses more take the free ones.
    for (id, page) in [2, 5, 10, 12, 14, 18].into_iter().enumerate() {
        read(&mut b, id as u16, page);
        b.idle(40);
    }
    read(&mut b, 6, 20);
    b.idle(40);
    b.inp.tx_fc.nph = 200;
    b.idle(1000);
    assert_eq!(pages(&b), [2, 3, 5, 10, 12, 14, 18, 20]);
    assert_eq!(outcomes(&b), (0..7).map(|n| (n, 0)).collect::<Vec<_>>());
}

#[test]
fn everything_ends_with_few_requests_and_invalidations_all_the_time() {
    for requests in [4, 5, 16] {
        let mut b = Bench::with(cfg(requests), Mode::Ats);
        for n in 0..60 {
            read(&mut b, n, u64::from(n * 7 % 64));
            b.idle(u64::from(n % 13));
            let range = InvalidateRange {
                global: false,
                iova: Iova(iova(u64::from(n * 7 % 64 + 1))),
                size: Some(PageSize::K4),
            };
            b.invalidate(n % 32, range);
            b.idle(60);
        }
        b.idle(6000);
        assert_eq!(outcomes(&b), (0..60).map(|n| (n, 0)).collect::<Vec<_>>());
        assert!(b.script.prefetches > 0);
    }
}
