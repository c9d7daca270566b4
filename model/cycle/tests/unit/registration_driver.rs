//! A driver's revocation beside a registration, at every distance: before the new line is offered to the link the request looks up
//! again and is judged by what the driver has written; behind that it has taken effect.

use crate::bench::{Bench, MPT, request};
use crate::registration::{READ, base, bench, bind, free_window, outcome, parent, put, register, window, windows};
use types::port::WorkRequest;
use types::{FastPath, Key, Mode, Op, Region, Syndrome};

/// Reads by these keys bring their lines into the cache, whatever becomes of the reads.
fn cache(b: &mut Bench, keys: &[u32]) {
    for key in keys {
        b.send(WorkRequest { key: Key::new(*key, 1), ..request(90, 1, Op::READ, 0x10_0800, 8) });
        b.idle(800);
    }
    b.done.clear();
}

/// Sends `wr`; after some cycles the driver writes `line` under a key and revokes it. The outcome of `wr`, and whether its line was
/// offered by the cycle that shows the revocation.
fn beside(mut b: Bench, wr: WorkRequest, after: u64, key: u64, line: &Region) -> (u8, bool) {
    for (at, value) in [(0x20, key as u32), (0x24, 0), (0x28, 0), (0x2c, 0), (0x30, 0)] {
        b.write_register(at, value);
    }
    b.send(wr);
    let mut offered = false;
    for _ in 0..after {
        b.idle(1);
        offered |= b.unit.wires().mpt.line.valid;
    }
    put(&mut b, MPT + key * 64, line);
    b.inp.axil_awvalid = true;
    b.inp.axil_wvalid = true;
    (b.inp.axil_awaddr, b.inp.axil_wdata, b.inp.axil_wstrb, b.inp.axil_bready) = (0x3c, 1, 15, true);
    let mut revoked = false;
    for n in 0..700 {
        b.idle(1);
        (b.inp.axil_awvalid, b.inp.axil_wvalid) = (false, false);
        offered |= !revoked && b.unit.wires().mpt.line.valid;
        revoked |= b.unit.wires().ats.revoke.valid;
        assert!(revoked || n < 100);
    }
    (outcome(&b, wr.id.0).unwrap(), offered)
}

/// At every distance the outcome is `judged` if the line had not been offered, and 0 if it had; both are met.
fn sweep(bench: impl Fn() -> (Bench, WorkRequest), key: u64, line: &Region, judged: Syndrome) {
    let mut met = [false; 2];
    for after in 105..140 {
        let (b, wr) = bench();
        let (outcome, offered) = beside(b, wr, after, key, line);
        assert_eq!(outcome, if offered { 0 } else { judged.0 }, "{after}");
        met[usize::from(offered)] = true;
    }
    assert_eq!(met, [true; 2]);
}

#[test]
fn a_registration_is_judged_by_what_the_driver_has_written_under_its_key() {
    let gone = Region { valid: false, fast: FastPath::default(), ..base() };
    let registration = || {
        let mut b = bench(Mode::Emtt, &base());
        cache(&mut b, &[3]);
        let wr = register(&mut b, 1, 0, 0, &Region { rights: READ, ..base() });
        (b, wr)
    };
    sweep(registration, 3, &gone, Syndrome::KEY_STATE);
    // Another key is no concern of it.
    sweep(registration, 6, &gone, Syndrome::OK);
}

#[test]
fn a_window_is_judged_by_what_the_driver_has_written_under_its_key_and_its_parents() {
    let binding = || {
        let mut b = windows(&parent(), &free_window());
        cache(&mut b, &[4, 5]);
        let wr = bind(&mut b, &window());
        (b, wr)
    };
    sweep(binding, 5, &Region { fast: FastPath::default(), ..free_window() }, Syndrome::KEY_STATE);
    sweep(binding, 4, &Region { valid: false, ..parent() }, Syndrome::BIND_PARENT);
    sweep(binding, 3, &Region { valid: false, ..base() }, Syndrome::OK);
}
