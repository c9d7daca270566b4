//! Driver events at the pins of the unit: an MTT entry that is not present, and the driver that fills it.

use crate::bench::{Bench, MTT, function, request};
use types::port::{FunctionCfg, WorkRequest};
use types::{Mode, MttEntry, Op, Owner, Syndrome, TlpAddr};

const IRQ_ENABLE: u16 = 0x044;
const IRQ_STATUS: u16 = 0x048;
const CONTROL: u16 = 0x04c;
const STATUS: u16 = 0x050;
const INDEX: u16 = 0x054;
const VA_LO: u16 = 0x058;
const POP: u16 = 0x060;
const RESUME: u16 = 0x064;
const REFUSE: u32 = 1 << 31;
const ALL: u32 = 1 << 27;
/// MPT index of the bench's region.
const REGION: u32 = 3;

/// Writes the MTT entry of page `n`.
fn set(b: &mut Bench, n: u64, present: bool) {
    let address = TlpAddr(0x4000_0000 + (n << 12));
    let entry = MttEntry { address, present, owner: Owner::Gpu, write: true, read: true, ..MttEntry::default() };
    b.memory.insert(MTT + 8 * n, entry.encode().0);
}

/// A unit in which pages from 8 on are not present and are driver events.
fn bench(config: &str) -> Bench {
    let mut b = Bench::new(config, Mode::Emtt);
    (8..64).for_each(|n| set(&mut b, n, false));
    b.warm(1);
    b.write_register(CONTROL, 1);
    b.write_register(IRQ_ENABLE, 2);
    b
}

fn at(id: u16, stream: u16, op: Op, n: u64) -> WorkRequest {
    request(id, stream, op, (n << 12) + 0x40, 64)
}

fn outcomes(b: &Bench) -> Vec<(u16, u8)> {
    let mut done: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    done.sort_unstable();
    done
}

/// Takes the oldest event off the queue: function, index, virtual address, write, and its number as RESUME takes it.
fn pop(b: &mut Bench) -> Option<(u32, u32, u64, bool, u32)> {
    let status = b.read_register(STATUS);
    if status & 0xf == 0 {
        return None;
    }
    let (index, low, high) = (b.read_register(INDEX), b.read_register(VA_LO), b.read_register(VA_LO + 4));
    b.write_register(POP, 0);
    Some((
        status >> 8 & 0xff,
        index,
        u64::from(high) << 32 | u64::from(low),
        status >> 16 & 1 == 1,
        (status >> 20 & 7) << 24,
    ))
}

#[test]
fn without_events_and_for_a_request_that_reports_it_ends_at_once_and_alike() {
    let run = |on: u32, on_fault: bool| {
        let mut b = bench("small");
        b.write_register(CONTROL, on);
        let sent = b.send(WorkRequest { on_fault, ..at(1, 0, Op::READ, 9) });
        b.idle(1000);
        assert_eq!((b.out.irq, b.read_register(STATUS)), (false, 0));
        b.done.iter().map(|(at, id, syndrome)| (at - sent, *id, *syndrome)).collect::<Vec<_>>()
    };
    let ends = run(0, true);
    assert_eq!(ends[0].2, Syndrome::NOT_PRESENT.0);
    assert_eq!((run(0, false), run(1, true)), (ends.clone(), ends));
}

#[test]
fn the_driver_fills_the_entry_and_the_access_goes_on() {
    for op in [Op::READ, Op::WRITE] {
        let mut b = bench("small");
        b.send(at(1, 0, op, 9));
        b.idle(500);
        assert_eq!((b.out.irq, b.done.len()), (true, 0));
        assert_eq!(pop(&mut b), Some((0, REGION, (9 << 12) + 0x40, op == Op::WRITE, 0)));
        b.write_register(IRQ_STATUS, 2);
        assert_eq!((b.out.irq, pop(&mut b)), (false, None));
        // Other streams go on, in pages that share the table line as well.
        b.send(at(2, 1, Op::READ, 0));
        b.idle(300);
        assert_eq!(outcomes(&b), [(2, 0)]);
        set(&mut b, 9, true);
        b.write_register(RESUME, REGION);
        b.idle(1000);
        assert_eq!(outcomes(&b), [(1, 0), (2, 0)]);
    }
}

#[test]
fn the_driver_refuses() {
    let mut b = bench("small");
    b.send(at(1, 0, Op::WRITE, 9));
    b.idle(500);
    b.write_register(RESUME, REGION | ALL | REFUSE);
    b.idle(100);
    assert_eq!((outcomes(&b), b.tlps.len()), (vec![(1, Syndrome::PAGE_REFUSED.0)], 0));
}

#[test]
fn an_entry_that_stays_empty_ends_the_access_after_three_answers() {
    let mut b = bench("small");
    b.send(at(1, 0, Op::READ, 9));
    for _ in 0..3 {
        b.idle(500);
        let number = pop(&mut b).unwrap().4;
        assert_eq!(b.done.len(), 0);
        b.write_register(RESUME, REGION | number);
    }
    b.idle(500);
    assert_eq!((outcomes(&b), pop(&mut b)), (vec![(1, Syndrome::PAGE_RETRIES.0)], None));
    // The count is the access's own.
    b.send(at(2, 0, Op::READ, 9));
    b.idle(500);
    assert!(pop(&mut b).is_some());
}

#[test]
fn an_answer_for_another_region_changes_nothing() {
    let mut b = bench("small");
    b.send(at(1, 0, Op::READ, 9));
    b.idle(500);
    for answer in [ALL | REFUSE, ALL, REFUSE, 0] {
        b.write_register(RESUME, (REGION + 1) | answer);
    }
    // Another event of this region.
    b.write_register(RESUME, REGION | 5 << 24 | REFUSE);
    b.idle(500);
    assert_eq!((b.done.len(), pop(&mut b).is_some(), pop(&mut b)), (0, true, None));
}

#[test]
fn accesses_to_one_page_share_an_event_and_more_pages_than_events_lose_none() {
    let mut b = bench("medium");
    for n in 0..4 {
        b.send(at(n, n, Op::READ, 9));
    }
    b.idle(500);
    assert_eq!((pop(&mut b).is_some(), pop(&mut b)), (true, None));
    for n in 4..16 {
        b.send(at(n, n, Op::READ, 16 + 2 * u64::from(n)));
    }
    b.idle(1000);
    // Eight events: that of page 9 and seven more.
    let mut seen: Vec<u64> = std::iter::from_fn(|| pop(&mut b)).map(|e| e.2 >> 12).collect();
    assert_eq!(seen.len(), 7);
    (8..64).for_each(|n| set(&mut b, n, true));
    b.write_register(RESUME, REGION | ALL);
    b.idle(2000);
    // Those that waited for an event found the line as it was, or asked the driver in their turn.
    while let Some(event) = pop(&mut b) {
        seen.push(event.2 >> 12);
        b.write_register(RESUME, REGION | event.4);
        b.idle(1000);
    }
    assert_eq!(outcomes(&b), (0..16).map(|n| (n, 0)).collect::<Vec<_>>(), "{seen:?}");
}

#[test]
fn each_event_is_answered_by_itself_so_that_one_page_does_not_use_up_the_rounds_of_another() {
    let mut b = bench("small");
    for n in 0..6 {
        b.send(at(n, n, Op::READ, 16 + 8 * u64::from(n)));
    }
    b.idle(1000);
    let events: Vec<_> = std::iter::from_fn(|| pop(&mut b)).collect();
    assert_eq!(events.len(), 6);
    // Five are filled one after the other; the sixth waits through them all.
    for (n, event) in events[..5].iter().enumerate() {
        set(&mut b, event.2 >> 12, true);
        b.write_register(RESUME, REGION | event.4);
        b.idle(600);
        assert_eq!((b.done.len(), pop(&mut b)), (n + 1, None));
    }
    set(&mut b, events[5].2 >> 12, true);
    b.write_register(RESUME, REGION | events[5].4);
    b.idle(600);
    assert_eq!(outcomes(&b), (0..6).map(|n| (n, 0)).collect::<Vec<_>>());
}

#[test]
fn a_queue_that_nobody_reads_loses_nothing() {
    let mut b = bench("medium");
    for round in 0..3_u64 {
        for n in 0..8 {
            b.send(at(n, n, Op::READ, 8 + 8 * round + u64::from(n)));
        }
        b.idle(1500);
        // The driver answers without reading the queue.
        (8..64).for_each(|n| set(&mut b, n, true));
        for _ in 0..4 {
            b.write_register(RESUME, REGION | ALL);
            b.idle(1500);
        }
    }
    assert_eq!(b.done.iter().filter(|d| d.2 == 0).count(), 24, "{:?}", b.done);
    assert_eq!(b.read_register(STATUS) & 0xf, 8);
}

#[test]
fn what_is_turned_off_ends_the_wait() {
    let off = Syndrome::BUS_MASTER_OFF.0;
    for (cfg, syndrome) in [
        (Some(FunctionCfg { bus_master: false, ..function() }), off),
        (Some(FunctionCfg { reset: true, ..function() }), off),
        (None, Syndrome::NOT_PRESENT.0),
    ] {
        let mut b = bench("small");
        b.send(at(1, 0, Op::READ, 9));
        b.send(at(2, 1, Op::WRITE, 10));
        b.idle(500);
        match cfg {
            Some(cfg) => b.configure(cfg),
            None => b.write_register(CONTROL, 0),
        }
        b.idle(300);
        assert_eq!(outcomes(&b), [(1, syndrome), (2, syndrome)], "{cfg:?}");
        // Afterwards everything is as before.
        b.done.clear();
        b.configure(function());
        b.write_register(CONTROL, 1);
        set(&mut b, 9, true);
        b.send(at(3, 0, Op::READ, 9));
        b.idle(500);
        b.write_register(RESUME, REGION);
        b.idle(500);
        assert_eq!(outcomes(&b), [(3, 0)], "{cfg:?}");
    }
}

#[test]
fn a_revocation_does_not_wait_for_the_driver() {
    let mut b = bench("small");
    b.send(at(1, 0, Op::READ, 9));
    b.idle(500);
    for (at, value) in [(0x20, REGION), (0x28, MTT as u32), (0x30, 64), (0x3c, 1)] {
        b.write_register(at, value);
    }
    b.idle(200);
    assert_eq!(b.read_register(0x40), 1 << 16, "one command done");
    assert_eq!(b.done.len(), 0);
}
