//! Registration by work requests at the pins of the unit: whatever else is under way.

use crate::bench::{Bench, MPT, MTT, request};
use crate::registration::{IMAGES, NOTHING, READ, at, base, bench, invalidate, outcome, put, register};
use crate::revoke::revoke;
use types::port::FunctionCfg;
use types::tlp::Body;
use types::{FunctionId, Iova, Key, Mode, Op, Region, Rights, Syndrome};

#[test]
fn a_switch_of_rights_stands_at_one_point_of_its_stream() {
    // Whatever the distance between the requests: what is before it ends by the old rights, what is behind it by the new.
    for gap in (0..40).chain([80, 150, 300]) {
        let mut b = bench(Mode::Emtt, &base());
        b.warm(1);
        b.send(request(1, 0, Op::WRITE, 0, 600));
        b.send(request(2, 0, Op::READ, 0, 600));
        b.idle(gap);
        let wr = register(&mut b, 3, 0, 0, &Region { rights: READ, ..base() });
        b.send(wr);
        b.idle(gap / 2);
        b.send(request(4, 0, Op::WRITE, 0, 64));
        b.send(request(5, 0, Op::READ, 0, 64));
        b.idle(3000);
        let all = [1, 2, 3, 4, 5].map(|id| outcome(&b, id));
        assert_eq!(all, [Some(0), Some(0), Some(0), Some(6), Some(0)], "{gap}");
    }
}

#[test]
fn keys_change_owner_back_and_forth() {
    // As a consensus protocol does it: each switch of the write permission in one request, and a write behind it.
    let mut b = bench(Mode::Emtt, &base());
    for n in 0..20 {
        let rights = if n % 2 == 0 { READ } else { Rights::ALL };
        let wr = register(&mut b, 2 * n, 0, u64::from(n % 16), &Region { rights, ..base() });
        b.send(wr);
        b.send(request(2 * n + 1, 0, Op::WRITE, 0, 64));
    }
    b.idle(20_000);
    for n in 0..20 {
        let expected = if n % 2 == 0 { 6 } else { 0 };
        assert_eq!((outcome(&b, 2 * n), outcome(&b, 2 * n + 1)), (Some(0), Some(expected)), "{n}");
    }
    assert_eq!(b.script.lines.len(), 20);
    // Reports of one stream come in order.
    let order: Vec<_> = b.done.iter().filter(|d| d.1 % 2 == 0).map(|d| d.1).collect();
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn after_its_report_nothing_leaves_by_what_was_taken_away() {
    for after in 0..160 {
        let mut b = bench(Mode::Emtt, &base());
        b.warm(1);
        b.send(request(1, 1, Op::WRITE, 0, 4096));
        b.idle(after);
        let wr = register(&mut b, 2, 0, 0, &Region { rights: READ, ..base() });
        b.send(wr);
        b.idle(4000);
        assert_eq!(outcome(&b, 2), Some(0));
        // The last beat of anything posted but the line itself.
        let last = b.tlps.iter().map(|(cycle, _)| *cycle).max().unwrap_or(0);
        assert!(last < at(&b, 2), "{after}: a header at {last}, the report at {}", at(&b, 2));
        assert!(matches!(outcome(&b, 1), Some(0 | 6)), "{after}");
    }
}

#[test]
fn the_new_table_is_read_though_the_old_one_was_cached() {
    let mut b = bench(Mode::Emtt, &base());
    b.warm(4);
    b.send(invalidate(1, 0));
    b.idle(1500);
    for page in 0..64 {
        // The same place in memory, for pages elsewhere.
        b.memory.entry(MTT + 8 * page).and_modify(|word| *word += 1 << 44);
    }
    let wr = register(&mut b, 2, 0, 0, &base());
    b.send(wr);
    b.send(request(3, 0, Op::READ, 0x40, 64));
    b.idle(1500);
    assert_eq!([1, 2, 3].map(|id| outcome(&b, id)), [Some(0); 3]);
    let Body::Memory { address, .. } = b.tlps[0].1.body else { panic!() };
    assert_eq!(address.0, 0x4000_0040 + (1 << 44));
}

#[test]
fn the_stream_waits_until_its_line_is_on_the_link_and_others_do_not() {
    let mut b = bench(Mode::Emtt, &Region { rights: READ, ..base() });
    b.send(request(0, 0, Op::READ, 0, 8));
    b.idle(800);
    // The line has no credit.
    b.inp.tx_fc.ph = 0;
    let wr = register(&mut b, 1, 0, 0, &base());
    b.send(wr);
    b.send(request(2, 0, Op::READ, 0, 64));
    b.send(request(3, 1, Op::READ, 0, 64));
    b.idle(1500);
    assert_eq!([1, 2, 3].map(|id| outcome(&b, id)), [None, None, Some(0)]);
    b.inp.tx_fc.ph = 200;
    b.script.hold_sent = true;
    b.idle(500);
    assert_eq!(b.script.lines.len(), 1);
    assert_eq!([1, 2].map(|id| outcome(&b, id)), [None, None], "it has not been sent");
    b.script.hold_sent = false;
    b.idle(600);
    assert_eq!([1, 2].map(|id| outcome(&b, id)), [Some(0), Some(0)]);
}

#[test]
fn registrations_of_many_streams_are_reported_each_in_its_order() {
    let mut b = bench(Mode::Emtt, &base());
    for key in 8..14 {
        put(&mut b, MPT + 64 * key, &base());
    }
    put(&mut b, IMAGES, &base());
    let mut id = 0;
    for _ in 0..4 {
        for stream in 0..6_u16 {
            let key = Key::new(8 + u32::from(stream), 7);
            b.send(types::port::WorkRequest { key, ..invalidate(id, stream) });
            b.send(types::port::WorkRequest { key, ..request(id + 1, stream, Op::FAST_REGISTER, IMAGES, 0) });
            b.send(types::port::WorkRequest { key, ..request(id + 2, stream, Op::READ, 0, 64) });
            id += 3;
        }
    }
    b.idle(30_000);
    assert_eq!(b.done.len(), usize::from(id));
    assert!(b.done.iter().all(|d| d.2 == 0), "{:?}", b.done);
    for stream in 0..6 {
        let own = |d: &&(u64, u16, u8)| d.1 / 3 % 6 == stream && d.1 % 3 != 2;
        let ids: Vec<_> = b.done.iter().filter(own).map(|d| d.1).collect();
        assert!(ids.len() == 8 && ids.is_sorted(), "{ids:?}");
    }
}

#[test]
fn a_driver_command_beside_it_ends_too_and_the_key_is_what_came_last() {
    // The driver takes the key away for good: not valid, and not set aside any more.
    let gone = Region { valid: false, fast: types::FastPath::default(), ..base() };
    for after in (0..400).step_by(7) {
        let mut b = bench(Mode::Emtt, &base());
        b.warm(1);
        let wr = register(&mut b, 1, 0, 0, &Region { rights: READ, ..base() });
        b.send(wr);
        b.idle(after);
        put(&mut b, MPT + 3 * 64, &gone);
        let before = b.script.lines.len();
        revoke(&mut b, None);
        b.idle(3000);
        assert!(b.out.irq, "{after}");
        // Its line has left before the driver's command counted, or it was judged by what the driver had written.
        let written = b.script.lines.len() > before;
        assert!([0, Syndrome::KEY_STATE.0].map(Some).contains(&outcome(&b, 1)), "{after}: {:?}", outcome(&b, 1));
        b.send(request(2, 0, Op::READ, 0, 64));
        b.idle(1500);
        assert_eq!(outcome(&b, 2), Some(u8::from(!written)), "{after}");
    }
}

#[test]
fn a_function_without_bus_mastering_changes_no_table() {
    let mut b = bench(Mode::Emtt, &base());
    b.configure(FunctionCfg { bus_master: false, ..crate::bench::function() });
    let wr = register(&mut b, 1, 0, 0, &Region { rights: NOTHING, ..base() });
    b.send(wr);
    b.idle(1500);
    assert_eq!((outcome(&b, 1), b.script.lines.len()), (Some(17), 0));
}

#[test]
fn a_reset_in_any_state_leaves_a_unit_that_works() {
    for after in (0..700).step_by(9) {
        let mut b = bench(Mode::Emtt, &base());
        b.hold_completions = after % 2 == 0;
        b.send(request(1, 1, Op::READ, 0, 64));
        b.idle(300);
        b.hold_completions = false;
        let wr = register(&mut b, 2, 0, 0, &Region { rights: READ, ..base() });
        b.send(wr);
        b.send(invalidate(3, 0));
        b.idle(after);
        let mut fresh = restart(b);
        let wr = register(&mut fresh, 4, 0, 1, &Region { variant: 8, ..base() });
        fresh.send(wr);
        fresh.send(types::port::WorkRequest { key: Key::new(3, 8), ..request(5, 0, Op::READ, 0, 64) });
        fresh.idle(2500);
        assert_eq!((outcome(&fresh, 4), outcome(&fresh, 5)), (Some(0), Some(0)), "{after}");
    }
}

/// Resets the unit and programs it again.
fn restart(mut b: Bench) -> Bench {
    b.inp.reset = true;
    b.answers.clear();
    b.sending = None;
    b.sent.clear();
    b.idle(4);
    b.inp.reset = false;
    b.done.clear();
    b.script.lines.clear();
    b.configure(crate::bench::function());
    for (at, value) in [(0x10, MPT as u32), (0x14, 0), (0x18, 16), (0x70, IMAGES as u32), (0x74, 0), (0x78, 16)] {
        b.write_register(at, value);
    }
    b.write_register(0x08, 1 | (Mode::Emtt as u32) << 1);
    while !b.out.wr_ready {
        b.idle(1);
    }
    b
}

#[test]
fn entries_of_a_table_at_the_top_of_the_address_space_are_counted_without_wrapping() {
    let top = Region { start: types::Va(u64::MAX - 0xfff), length: types::ByteCount(0x1000), mtt: Iova(MTT), ..base() };
    let mut b = bench(Mode::Emtt, &top);
    let wr = register(&mut b, 1, 0, 0, &Region { rights: READ, ..top });
    b.send(wr);
    b.send(invalidate(2, 0));
    b.idle(2000);
    assert_eq!((outcome(&b, 1), outcome(&b, 2)), (Some(0), Some(0)));
}

/// The image and the line are fetched, 100 cycles each at least, before the registration is judged.
#[test]
fn bus_mastering_that_ends_while_the_tables_are_fetched_refuses_a_registration() {
    let function = |bus_master| FunctionCfg {
        function: FunctionId(1),
        requester: types::RequesterId(0x101),
        bus_master,
        ..crate::bench::function()
    };
    let old = Region { valid: false, function: FunctionId(1), ..base() };
    for after in (0..90).step_by(10).chain([2000]) {
        let mut b = bench(Mode::Emtt, &old);
        b.configure(function(true));
        let wr = register(&mut b, 1, 0, 0, &Region { valid: true, variant: 9, ..old });
        b.send(types::port::WorkRequest { function: FunctionId(1), ..wr });
        b.idle(after);
        b.configure(function(false));
        b.idle(2000);
        let expected = if after < 90 { Syndrome::BUS_MASTER_OFF } else { Syndrome::OK };
        assert_eq!(outcome(&b, 1), Some(expected.0), "{after}");
        assert_eq!(b.script.lines.len(), usize::from(expected.is_ok()), "{after}");
    }
}
