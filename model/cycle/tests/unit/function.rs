//! What a function's configuration changes: ATS Enable, Bus Master Enable, function-level reset.

use crate::bench::{Bench, SHIFT, function, request};
use types::ats::InvalidateRange;
use types::port::FunctionCfg;
use types::tlp::Body;
use types::{Iova, Mode, Op, PageSize, Syndrome, TlpAddr};

fn outcomes(b: &Bench) -> Vec<u8> {
    b.done.iter().map(|d| d.2).collect()
}

#[test]
fn enable_cleared_stops_use_but_not_answers_and_enable_set_forgets() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(2);
    b.configure(FunctionCfg { ats_enable: false, ..function() });
    b.send(request(1, 0, Op::READ, 0, 64));
    b.send(request(2, 0, Op::READ, 9 << 12, 64));
    b.idle(200);
    assert_eq!((outcomes(&b), b.tlps.len(), b.translation_requests), (vec![Syndrome::ATS_OFF.0; 2], 0, 0));
    b.invalidate(7, InvalidateRange { global: false, iova: Iova(0), size: None });
    b.idle(100);
    assert_eq!(b.messages.len(), 1, "invalidations are answered all the same");
    b.shift = 2 * SHIFT;
    b.configure(function());
    b.idle(40);
    b.send(request(3, 0, Op::READ, 1 << 12, 64));
    b.idle(400);
    let Body::Memory { address, .. } = b.tlps[0].1.body else { panic!("{:?}", b.tlps) };
    assert_eq!((address, b.translation_requests), (TlpAddr(2 * SHIFT + 0x4000_1000), 1));
}

#[test]
fn enable_set_flushes_even_without_an_invalidation() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.configure(FunctionCfg { ats_enable: false, ..function() });
    b.configure(function());
    b.idle(40);
    b.send(request(3, 0, Op::READ, 0, 64));
    b.idle(400);
    assert_eq!((b.translation_requests, outcomes(&b)), (1, vec![0]));
}

/// Reads that wait for credits keep an invalidation from its end, so that what Enable drops waits behind it in the queue.
#[test]
fn enable_set_keeps_back_what_was_translated_before_though_other_invalidations_go_first() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    let credits = std::mem::take(&mut b.inp.tx_fc.nph);
    for n in 0..8 {
        b.send(request(n, n, Op::READ, 64 * u64::from(n), 64));
    }
    b.idle(100);
    b.invalidate(7, InvalidateRange { global: false, iova: Iova(0x4002_0000), size: Some(PageSize::K4) });
    b.idle(50);
    b.configure(FunctionCfg { ats_enable: false, ..function() });
    b.configure(function());
    b.shift = 2 * SHIFT;
    b.inp.tx_fc.nph = credits;
    b.idle(1500);
    let shift = |tlp: &types::Tlp| {
        let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
        address.0 / SHIFT
    };
    let before = b.tlps.iter().take_while(|(_, tlp)| shift(tlp) == 1).count();
    // Committed by then: two in `tlp_tx`, one on the pins and one on its way there.
    assert!(before <= 4, "{before}");
    assert!(b.tlps[before..].iter().all(|(_, tlp)| shift(tlp) == 2), "{:?}", b.tlps);
    // Enable was clear for a cycle, in which at most one may have come to its turn.
    let off = outcomes(&b).iter().filter(|s| **s == Syndrome::ATS_OFF.0).count();
    assert!(off <= 1 && b.tlps.len() + off == 8, "{:?}", b.done);
    assert_eq!((b.done.len(), b.messages.len()), (8, 1));
}

#[test]
fn bus_master_off_sends_nothing() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(1);
    b.configure(FunctionCfg { bus_master: false, ..function() });
    b.send(request(1, 0, Op::READ, 0, 64));
    b.send(request(2, 1, Op::WRITE, 0, 64));
    b.send(request(3, 2, Op::WRITE, 7 << 12, 64));
    b.idle(300);
    assert_eq!((outcomes(&b), b.tlps.len(), b.translation_requests), (vec![Syndrome::BUS_MASTER_OFF.0; 3], 0, 0));
}

#[test]
fn function_level_reset_with_work_in_flight_hangs_nothing_and_forgets_every_translation() {
    let mut b = Bench::new("small", Mode::Ats);
    b.warm(2);
    b.write_register(0x1c, 1);
    b.lose_completions = true;
    b.hold_data = true;
    b.send(request(1, 0, Op::READ, 0, 64));
    b.send(request(2, 1, Op::READ, 9 << 12, 64));
    b.send(request(3, 2, Op::WRITE, 1 << 12, 600));
    b.invalidate(3, InvalidateRange { global: false, iova: Iova(0x4000_5000), size: Some(types::PageSize::K4) });
    b.idle(60);
    b.configure(FunctionCfg { reset: true, bus_master: false, ats_enable: false, ..function() });
    b.hold_data = false;
    b.idle(4 * 1024);
    let mut ids: Vec<_> = b.done.iter().map(|d| d.1).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3], "everything ends");
    b.done.clear();
    b.tlps.clear();
    b.translation_requests = 0;
    b.let_completions_go();
    b.shift = 3 * SHIFT;
    b.configure(function());
    b.idle(100);
    b.send(request(4, 0, Op::READ, 0, 64));
    b.idle(400);
    let Body::Memory { address, .. } = b.tlps[0].1.body else { panic!("{:?}", b.tlps) };
    assert_eq!((outcomes(&b), address), (vec![0], TlpAddr(3 * SHIFT + 0x4000_0000)));
}

#[test]
fn a_write_whose_bytes_come_after_its_function_was_switched_off_sends_nothing() {
    let off = [
        (FunctionCfg { bus_master: false, ..function() }, Syndrome::BUS_MASTER_OFF),
        (FunctionCfg { ats_enable: false, ..function() }, Syndrome::ATS_OFF),
        (FunctionCfg { reset: true, bus_master: false, ats_enable: false, ..function() }, Syndrome::BUS_MASTER_OFF),
    ];
    for (off, syndrome) in off {
        let mut b = Bench::new("small", Mode::Ats);
        b.warm(1);
        b.hold_data = true;
        // Several TLPs of 256 bytes, all translated and waiting for bytes.
        b.send(request(1, 0, Op::WRITE, 0, 1500));
        b.idle(100);
        b.configure(off);
        b.idle(10);
        b.hold_data = false;
        b.idle(1000);
        assert_eq!((outcomes(&b), b.tlps.len()), (vec![syndrome.0], 0));
        assert!(b.data.is_empty(), "all its bytes are taken");
        b.configure(function());
        b.idle(10);
        b.send(request(2, 0, Op::WRITE, 0, 64));
        b.idle(400);
        assert_eq!((outcomes(&b), b.tlps.len()), (vec![syndrome.0, 0], 1));
    }
}

/// Requests wait everywhere: in front of a table line, a translation, write data, a tag. A reset that leaves the function on
/// ends them all; nothing of them leaves after it.
#[test]
fn what_waits_at_a_function_level_reset_never_leaves_though_the_function_stays_on() {
    for mode in [Mode::Direct, Mode::Ats, Mode::Emtt] {
        let cfg = types::UnitCfg { read_tags: 4, ..types::UnitCfg::named("small").unwrap() };
        let mut b = Bench::with(cfg, mode);
        b.warm(2);
        b.hold_data = true;
        b.hold_completions = true;
        // Four reads with the four tags, and one behind them; a write without data; pages that are not cached.
        for n in 0..5 {
            b.send(request(n, 0, Op::READ, 64 * u64::from(n), 64));
        }
        b.send(request(5, 1, Op::WRITE, 0, 600));
        b.send(request(6, 2, Op::WRITE, 1 << 12, 600));
        b.send(request(7, 3, Op::READ, 40 << 12, 64));
        b.send(request(8, 4, Op::READ, 5 << 12, 64));
        b.idle(200);
        assert_eq!(b.tlps.len(), 4, "{mode}");
        let (tlps, asked) = (b.tlps.len(), b.translation_requests);
        b.configure(FunctionCfg { reset: true, ..function() });
        b.hold_data = false;
        b.let_completions_go();
        b.hold_completions = false;
        b.idle(3000);
        assert_eq!((b.tlps.len(), b.translation_requests), (tlps, asked), "{mode}");
        let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
        done.sort_unstable();
        let off = Syndrome::BUS_MASTER_OFF.0;
        assert_eq!(done.iter().map(|d| d.0).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>(), "{mode}");
        assert!(done[4..].iter().all(|d| d.1 == off), "{mode}: {done:?}");
        b.send(request(9, 0, Op::READ, 0, 64));
        b.idle(600);
        assert_eq!(b.done.last().map(|d| (d.1, d.2)), Some((9, 0)), "{mode}");
    }
}
