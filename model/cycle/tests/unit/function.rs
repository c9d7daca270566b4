//! What a function's configuration changes: ATS Enable, Bus Master Enable, function-level reset.

use crate::bench::{Bench, SHIFT, function, request};
use types::ats::InvalidateRange;
use types::port::FunctionCfg;
use types::tlp::Body;
use types::{Iova, Mode, Op, Syndrome, TlpAddr};

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
