//! The whole unit with an ideal host behind it: the latency budget and the rates that the architecture promises.
//!
//! Latency is counted from the cycle in which a request is taken to the cycle in which its first TLP header is offered.
//! Budget per block: mpt 4, seg 2, mtt 4, replay 3 (8 with a lookup in the ATC), dma 2, tlp_tx 2.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod atomic;
mod bench;
mod coherent;
mod coherent_cost;
mod epochs;
mod function;
mod invalidate;
mod isolation;
mod layouts;
mod moved;
mod page_event;
mod page_isolation;
mod page_request;
mod pasid;
mod path;
mod prefetch;
mod registration;
mod registration_driver;
mod registration_races;
mod replacement;
mod requests;
mod rest;
mod revoke;
mod script;
mod sizes;
mod timeout;
mod wire;

use bench::{Bench, SHIFT, request};
use types::port::Credits;
use types::tlp::Body;
use types::{AddressType, Mode, Op, TlpAddr};

const MODES: [(Mode, u64, AddressType, u64); 3] = [
    (Mode::Direct, 17, AddressType::UNTRANSLATED, 0x4000_0000),
    (Mode::Emtt, 17, AddressType::TRANSLATED, 0x4000_0000),
    (Mode::Ats, 22, AddressType::TRANSLATED, SHIFT + 0x4000_0000),
];

#[test]
fn latency_of_a_read_that_hits_is_exactly_its_budget() {
    for config in ["small", "medium", "large"] {
        for (mode, budget, at, base) in MODES {
            let mut b = Bench::new(config, mode);
            b.warm(1);
            let taken = b.send(request(1, 0, Op::READ, 0x40, 64));
            b.idle(60);
            let (cycle, tlp) = b.tlps[0];
            assert_eq!(cycle - taken, budget, "{config} {mode}");
            let Body::Memory { at: seen, address, .. } = tlp.body else { panic!("{tlp:?}") };
            assert_eq!((seen, address), (at, TlpAddr(base + 0x40)), "{config} {mode}");
        }
    }
}

#[test]
fn latency_of_a_write_is_the_budget_of_a_read_and_its_data() {
    for (mode, budget, ..) in MODES {
        let mut b = Bench::new("large", mode);
        b.warm(1);
        let taken = b.send(request(1, 0, Op::WRITE, 0x40, 64));
        b.idle(60);
        // The range is asked for where a read's descriptor would leave. The source answers in the next cycle, and the
        // beat passes the shifter: two cycles more, then the same way through tlp_tx.
        assert_eq!(b.tlps[0].0 - taken, budget + 2, "{mode}");
        assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, 0)]);
    }
}

#[test]
fn one_translation_a_cycle_on_hits_at_the_exit_of_replay() {
    for (mode, ..) in MODES {
        for streams in [1, 8] {
            let mut b = Bench::new("large", mode);
            b.warm(1);
            b.inp.tx_fc = Credits { ph: 200, pd: 2000, nph: 200, npd: 200 };
            // Reads of 64 bytes: one segment, one header each, as many as there are data tags for.
            let count = b.cfg.tags().end.min(256) - b.cfg.tags().data;
            for n in 0..count as u16 {
                b.send(request(n, n % streams, Op::READ, 0, 64));
            }
            b.idle(60);
            let spread = b.released.last().unwrap() - b.released[0];
            assert_eq!((b.released.len() as u32, spread), (count, u64::from(count) - 1), "{mode} {streams}");
            // And one header a cycle at the pins.
            let headers: Vec<_> = b.tlps.iter().map(|(at, _)| *at).collect();
            assert_eq!(headers.last().unwrap() - headers[0], u64::from(count) - 1, "{mode} {streams}");
        }
    }
}

#[test]
fn hit_under_miss() {
    let mut b = Bench::new("large", Mode::Ats);
    b.warm(1);
    b.delay = 2000;
    for page in 10..20 {
        b.send(request(page as u16, 0, Op::READ, page << 12, 64));
    }
    for n in 0..5 {
        let taken = b.send(request(n, 1, Op::READ, 0x80, 64));
        b.idle(60);
        assert_eq!(b.tlps.last().unwrap().0 - taken, 22);
    }
    assert_eq!(b.tlps.len(), 5);
}

#[test]
fn misses_of_one_page_are_merged() {
    let mut b = Bench::new("large", Mode::Ats);
    b.warm(1);
    for n in 0..8 {
        b.send(request(n, n, Op::READ, (1 << 12) + 64 * u64::from(n), 64));
    }
    b.idle(400);
    assert_eq!((b.translation_requests, b.merged, b.tlps.len()), (1, 7, 8));
}

#[test]
fn write_rate_is_one_tlp_per_payload_over_width() {
    for config in ["small", "medium", "large"] {
        let mut b = Bench::new(config, Mode::Emtt);
        b.warm(2);
        b.send(request(1, 0, Op::WRITE, 0, 8192));
        b.idle(1500);
        // MPS 256: 32 TLPs, each 256 / width beats, back to back.
        let beats = u64::from(256 / b.cfg.data_bytes());
        let at: Vec<_> = b.tlps.iter().map(|(at, _)| *at).collect();
        assert_eq!(at.len(), 32, "{config}");
        assert!(at.windows(2).all(|w| w[1] - w[0] == beats), "{config}: {at:?}");
    }
}
