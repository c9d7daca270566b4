//! Epochs at the pins of the unit: they are a function's own, they do not come round, and nobody starves for them.

use crate::bench::{Bench, MPT, MTT, SHIFT, function, request};
use types::ats::InvalidateRange;
use types::port::{FunctionCfg, MessageTlp, WorkRequest};
use types::tlp::{Body, Tlp};
use types::{FunctionId, Iova, Key, Mode, Op, PageSize, RequesterId, TlpAddr};

const PAGE: InvalidateRange = InvalidateRange { global: false, iova: Iova(0x4000_0000), size: Some(PageSize::K4) };

fn address(tlp: &Tlp) -> TlpAddr {
    let Body::Memory { address, .. } = tlp.body else { panic!("{tlp:?}") };
    address
}

/// A second function with the same pages in key 4, both warm.
fn two_functions() -> Bench {
    let mut b = Bench::new("small", Mode::Ats);
    b.configure(FunctionCfg { function: FunctionId(1), requester: RequesterId(0x101), ..function() });
    b.region_of(4, FunctionId(1));
    b.warm(1);
    b.send(second(request(0, 1, Op::READ, 0, 8)));
    b.idle(800);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0]);
    b.done.clear();
    b.tlps.clear();
    b
}

fn second(wr: WorkRequest) -> WorkRequest {
    WorkRequest { function: FunctionId(1), key: Key::new(4, 7), ..wr }
}

/// Runs with an Invalidate Request for PAGE of the second function always on the port, at most 31 unanswered; returns the
/// TLPs looked up again, and the requests sent.
fn under_attack(b: &mut Bench, cycles: u64) -> (u32, usize) {
    let (mut again, mut sent, answered) = (0, 0, b.messages.len());
    let itags = |b: &Bench| -> u32 {
        let vector = |tlp: &Tlp| {
            let Body::Message { dw3, .. } = tlp.body else { panic!("{tlp:?}") };
            dw3.count_ones()
        };
        b.messages[answered..].iter().map(|(_, tlp)| vector(tlp)).sum()
    };
    for _ in 0..cycles {
        if sent < 31 + itags(b) as usize {
            b.offer_invalidate(0x101, (sent % 32) as u16, PAGE);
            sent += usize::from(b.out.rx_msg_tlp_ready);
        }
        b.edge();
        b.inp.rx_msg_tlp = MessageTlp::default();
        again += u32::from(b.unit.wires().dma.stat_retranslate);
    }
    (again, sent)
}

#[test]
fn a_write_held_through_any_number_of_invalidations_is_judged_again() {
    // Numbers at which a counter of 4, 5 or 8 bits has come round.
    for invalidations in [16, 32, 256] {
        let mut b = Bench::new("small", Mode::Ats);
        b.warm(1);
        b.hold_data = true;
        // The head is judged again at once each time, whether its data comes or not; the one behind it is not.
        b.send(request(1, 0, Op::WRITE, 0, 256));
        b.send(request(2, 0, Op::WRITE, 256, 256));
        b.idle(60);
        b.shift = 2 * SHIFT;
        for n in 0..invalidations {
            b.invalidate(n % 32, PAGE);
            // It is put off for the head, which stands before its commit.
            b.idle(500);
        }
        assert_eq!(b.messages.len(), usize::from(invalidations));
        b.hold_data = false;
        b.idle(600);
        let seen: Vec<_> = b.tlps.iter().map(|(_, tlp)| address(tlp).0 - PAGE.iova.0).collect();
        assert_eq!(seen, [2 * SHIFT, 2 * SHIFT + 256], "{invalidations}");
    }
}

#[test]
fn a_write_held_through_any_number_of_revocations_is_judged_again() {
    for revocations in [16, 32] {
        let mut b = Bench::new("small", Mode::Emtt);
        b.warm(1);
        b.hold_data = true;
        b.send(request(1, 0, Op::WRITE, 0, 256));
        b.send(request(2, 1, Op::WRITE, 0, 256));
        b.idle(60);
        // The region is gone.
        b.memory.insert(MPT + 3 * 64, 0);
        for _ in 0..revocations {
            for (at, value) in [(0x20, 3), (0x28, MTT as u32), (0x30, 64), (0x3c, 1)] {
                b.write_register(at, value);
            }
            b.idle(500);
        }
        b.hold_data = false;
        b.idle(600);
        // 1: the key is not valid.
        assert_eq!((b.tlps.len(), b.done.iter().map(|d| d.2).collect::<Vec<_>>()), (0, vec![1; 2]), "{revocations}");
    }
}

#[test]
fn an_answer_serves_all_that_is_left_of_its_segment() {
    for op in [Op::WRITE, Op::READ] {
        let mut b = Bench::new("small", Mode::Ats);
        b.warm(1);
        // Nothing of 4 KiB is committed: the data does not come, or no read may leave.
        b.hold_data = true;
        b.inp.tx_fc.nph = if op == Op::READ { 0 } else { 200 };
        b.send(request(1, 0, op, 0, 4096));
        b.idle(200);
        b.shift = 2 * SHIFT;
        let (mut again, before) = (0, b.tlps.len());
        b.invalidate(3, PAGE);
        b.hold_data = false;
        b.inp.tx_fc.nph = 200;
        for _ in 0..2500 {
            b.idle(1);
            again += u32::from(b.unit.wires().dma.stat_retranslate);
        }
        assert_eq!((before, again), (0, 1), "{op:?}");
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0], "{op:?}");
    }
}

#[test]
fn other_functions_invalidations_are_not_noticed() {
    let mut b = two_functions();
    b.send(request(1, 0, Op::WRITE, 0, 4096));
    b.send(request(2, 2, Op::READ, 0, 4096));
    let (again, sent) = under_attack(&mut b, 2000);
    assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0; 2]);
    assert_eq!(again, 0);
    assert!(sent > 50, "{sent}");
}

/// A function whose page is invalidated without pause has 4 KiB in `dma`, and another one's accesses queue behind. Each TLP
/// may need a translation of its own: 16 of MPS 256, each with an answer (`delay`), a way through the unit (22) twice, and
/// the invalidations between (100); of the other function's TLPs none.
#[test]
fn nobody_starves_behind_a_function_that_invalidates_without_pause() {
    for (op, delay) in [(Op::WRITE, 10), (Op::WRITE, 31), (Op::WRITE, 100), (Op::READ, 10), (Op::READ, 100)] {
        let mut b = two_functions();
        b.delay = delay;
        // Nothing is committed until the attack has begun.
        b.hold_data = true;
        b.inp.tx_fc.nph = 0;
        b.send(second(request(1, 1, op, 0, 4096)));
        b.idle(60);
        b.send(request(2, 0, op, 0, 4096));
        b.idle(60);
        under_attack(&mut b, 60);
        b.hold_data = false;
        b.inp.tx_fc.nph = 200;
        let (_, sent) = under_attack(&mut b, 16 * (delay + 2 * 22 + 100));
        let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
        done.sort_unstable();
        assert_eq!(done, [(1, 0), (2, 0)], "{op:?}, delay {delay}, {sent} invalidations");
    }
}
