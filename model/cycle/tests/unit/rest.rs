//! Rest and statistics: a unit that has done everything changes nothing any more, and counts what it did once.

use crate::bench::{Bench, request};
use crate::script::{Fault, Kind};
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::{AtsOut, MptOut};
use types::tlp::status;
use types::{Block, Cycle, Iova, Mode, Op, PageSize, Rights};

/// Runs, and counts the cycles in which a statistic of `ats` and one of `mpt` is set.
fn count(b: &mut Bench, cycles: u64, ats: fn(&AtsOut) -> bool, mpt: fn(&MptOut) -> bool) -> (u32, u32) {
    let mut counts = (0, 0);
    for _ in 0..cycles {
        b.idle(1);
        let wires = b.unit.wires();
        counts.0 += u32::from(ats(&wires.ats));
        counts.1 += u32::from(mpt(&wires.mpt));
    }
    counts
}

#[test]
fn a_unit_that_has_done_everything_rests() {
    for (mode, ..) in crate::MODES {
        let mut b = Bench::new("small", mode);
        for (id, op) in [(0, Op::READ), (1, Op::WRITE), (2, Op::READ), (3, Op::WRITE)] {
            b.send(request(id, id % 3, op, u64::from(id) << 12, 300));
        }
        for _ in 0..40 {
            assert_eq!(b.unit.idle_until(&b.inp), None, "{mode}: it works");
            b.idle(1);
        }
        b.idle(1500);
        assert_eq!(b.done.len(), 4);
        assert_eq!(b.unit.idle_until(&b.inp), Some(Cycle(u64::MAX)), "{mode}");
        let (out, wires) = (b.out, format!("{:?}", b.unit.wires()));
        b.idle(100);
        assert_eq!((b.out, format!("{:?}", b.unit.wires())), (out, wires), "{mode}");
    }
}

/// Time is counted for a tag that is kept back, and no more once its late completion has come.
#[test]
fn a_unit_rests_once_every_lost_completion_has_come() {
    // What is lost: data, an MTT line, data, a translation (the MTT line of page 0 has eight entries), an MTT line.
    for (mode, page) in [(Mode::Emtt, 0), (Mode::Emtt, 40), (Mode::Ats, 0), (Mode::Ats, 1), (Mode::Ats, 40)] {
        let mut b = Bench::new("small", mode);
        b.warm(1);
        b.write_register(0x1c, 1);
        b.lose_completions = true;
        b.send(request(1, 0, Op::READ, page << 12, 64));
        // A limit of one tick of 1024 cycles: nothing but the time-out is left to come after three.
        b.idle(3 * 1024);
        assert_eq!((b.done.len(), b.unit.idle_until(&b.inp)), (1, None), "{mode} {page}");
        b.let_completions_go();
        b.idle(200);
        assert_eq!(b.unit.idle_until(&b.inp), Some(Cycle(u64::MAX)), "{mode} {page}");
        b.send(request(2, 0, Op::READ, page << 12, 64));
        b.idle(1500);
        assert_eq!((b.done[1].1, b.done[1].2), (2, 0), "{mode} {page}");
        assert_eq!(b.unit.idle_until(&b.inp), Some(Cycle(u64::MAX)), "{mode} {page}");
    }
}

/// An answer without the access asked for is counted, one that is an error is not (it is counted as such).
#[test]
fn answers_without_the_access_asked_for_are_counted() {
    type Agent = fn(u64, TranslationEntry) -> TranslationEntry;
    let (none, read, write): (Agent, Agent, Agent) = (
        |_, entry| TranslationEntry { read: false, write: false, ..entry },
        |_, entry| TranslationEntry { write: false, ..entry },
        |_, entry| TranslationEntry { read: false, ..entry },
    );
    for (agent, op, expected) in [
        (None, Op::READ, 0),
        (None, Op::WRITE, 0),
        (Some(none), Op::READ, 1),
        (Some(none), Op::WRITE, 1),
        (Some(read), Op::READ, 0),
        (Some(read), Op::WRITE, 1),
        (Some(write), Op::READ, 1),
    ] {
        let mut b = Bench::new("small", Mode::Ats);
        b.script.agent = agent;
        b.send(request(1, 0, op, 5 << 12, 64));
        assert_eq!(count(&mut b, 800, |ats| ats.stat_no_access, |_| false).0, expected, "{op:?} {expected}");
    }
    let mut b = Bench::new("small", Mode::Ats);
    b.script.fault = Some((Kind::Translation, None, Fault::Status(status::UR)));
    b.send(request(1, 0, Op::READ, 5 << 12, 64));
    assert_eq!((count(&mut b, 800, |ats| ats.stat_no_access, |_| false).0, b.script.errors), (0, 1));
}

/// An answer that is discarded, or of which only the part that was asked for is kept, is counted.
#[test]
fn answers_that_an_invalidation_has_passed_are_counted() {
    for (invalidated, expected) in [(None, 0), (Some(40), 1), (Some(5), 1)] {
        let mut b = Bench::new("small", Mode::Ats);
        b.size = PageSize::M2;
        b.send(request(1, 0, Op::READ, 40 << 12, 64));
        while b.script.asked.is_empty() {
            b.idle(1);
        }
        if let Some(page) = invalidated {
            let iova = Iova(0x4000_0000 + (page << 12));
            b.invalidate(3, InvalidateRange { global: false, iova, size: Some(PageSize::K4) });
        }
        assert_eq!(count(&mut b, 800, |ats| ats.stat_discard, |_| false).0, expected, "{invalidated:?}");
    }
}

/// A registration that takes something away counts once as waiting, however long it waits and whether its outcome is known before.
#[test]
fn a_registration_that_waits_for_its_stream_is_counted_once() {
    use crate::registration::{base, bench, invalidate, register};
    for busy in [false, true] {
        let mut b = bench(Mode::Emtt, &base());
        b.warm(1);
        b.hold_completions = busy;
        b.send(request(1, 0, Op::READ, 0, 64));
        b.idle(200);
        b.send(invalidate(2, 0));
        let mut fences = count(&mut b, 400, |_| false, |mpt| mpt.stat_fence).1;
        b.let_completions_go();
        fences += count(&mut b, 400, |_| false, |mpt| mpt.stat_fence).1;
        assert_eq!((fences, b.done.len()), (u32::from(busy), 2), "invalidate");

        let mut b = bench(Mode::Emtt, &base());
        b.warm(1);
        b.hold_completions = busy;
        b.send(request(1, 0, Op::READ, 0, 64));
        b.idle(200);
        let wr = register(
            &mut b,
            2,
            0,
            0,
            &types::Region { rights: Rights { local_write: false, ..Rights::ALL }, ..base() },
        );
        b.send(wr);
        let mut fences = count(&mut b, 400, |_| false, |mpt| mpt.stat_fence).1;
        b.hold_completions = false;
        b.let_completions_go();
        fences += count(&mut b, 800, |_| false, |mpt| mpt.stat_fence).1;
        assert_eq!((fences, b.done.len()), (u32::from(busy), 2), "register");
    }
}
