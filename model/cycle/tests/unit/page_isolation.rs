//! Pages and partitions: a function whose pages never come leaves groups and events for the others.

use crate::bench::{Bench, MTT, function, request};
use types::port::{FunctionCfg, WorkRequest};
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::tlp::Body;
use types::{FunctionId, Key, Mode, MttEntry, Op, Owner, PasidPrefix, RequesterId, Syndrome, TlpAddr, UnitCfg};

/// Requester ID of the function whose pages never come.
const OTHER: RequesterId = RequesterId(0x101);

fn bench(partitions: u32, mode: Mode) -> Bench {
    let mut b = Bench::with(UnitCfg { partitions, ..UnitCfg::named("large").unwrap() }, mode);
    let cfg = FunctionCfg { pri_enable: true, pri_allocation: 100, ..function() };
    b.configure(cfg);
    b.configure(FunctionCfg { function: FunctionId(1), requester: OTHER, ..cfg });
    b.region_of(4, FunctionId(1));
    b
}

/// The other function reads 40 pages that are not there, on four streams.
fn flood(b: &mut Bench) {
    for n in 0..40 {
        let wr = request(n, 1 + n % 4, Op::READ, (10 + u64::from(n)) << 12, 64);
        b.send(WorkRequest { function: FunctionId(1), key: Key::new(4, 7), ..wr });
    }
    b.idle(3000);
}

/// Page Requests of the other function, and of the physical one.
fn asked(b: &Bench) -> (usize, usize) {
    let own = |tlp: &types::Tlp, of: RequesterId| {
        PageRequest::of(tlp).is_some() && matches!(tlp.body, Body::Message { requester, .. } if requester == of)
    };
    let count = |of| b.messages.iter().filter(|(_, tlp)| own(tlp, of)).count();
    (count(OTHER), count(RequesterId(0x100)))
}

#[test]
fn a_function_whose_pages_never_come_leaves_groups_for_another() {
    // 16 groups: half of them with two partitions.
    for (partitions, taken, left) in [(2, 8, 1), (1, 16, 0)] {
        let mut b = bench(partitions, Mode::Ats);
        b.refuse_all = true;
        flood(&mut b);
        assert_eq!(asked(&b), (taken, 0));
        b.send(request(100, 0, Op::READ, 60 << 12, 64));
        b.idle(1000);
        assert_eq!(asked(&b), (taken, left), "{partitions}");
    }
}

#[test]
fn a_function_whose_entries_are_never_filled_leaves_events_for_another() {
    // 8 events.
    for (partitions, taken, left) in [(2, 4, 1), (1, 8, 0)] {
        let mut b = bench(partitions, Mode::Emtt);
        for n in 10..64 {
            let entry = MttEntry {
                address: TlpAddr(0),
                present: false,
                owner: Owner::Gpu,
                write: true,
                read: true,
                ..MttEntry::default()
            };
            b.memory.insert(MTT + 8 * n, entry.encode().0);
        }
        b.write_register(0x4c, 1);
        flood(&mut b);
        let pop = |b: &mut Bench| {
            let events = b.read_register(0x50) & 0xf;
            (0..events).for_each(|_| b.write_register(0x60, 0));
            b.idle(100);
            events
        };
        assert_eq!((pop(&mut b), pop(&mut b)), (taken, 0), "{partitions}");
        b.send(request(100, 0, Op::READ, 60 << 12, 64));
        b.idle(1000);
        assert_eq!(pop(&mut b), left, "{partitions}");
    }
}

/// A Response Failure ends page requests of the function that it names (PCIe 6.x 10.4.2), and no other function's.
#[test]
fn a_response_failure_of_one_function_is_none_of_another() {
    let mut b = bench(1, Mode::Ats);
    b.refuse_all = true;
    b.send(request(1, 0, Op::READ, 60 << 12, 64));
    let wr = request(2, 1, Op::READ, 61 << 12, 64);
    b.send(WorkRequest { function: FunctionId(1), key: Key::new(4, 7), ..wr });
    b.idle(1500);
    assert_eq!(asked(&b), (1, 1));
    let groups: Vec<_> = b.messages.iter().filter_map(|(_, tlp)| Some(PageRequest::of(tlp)?.group)).collect();
    let respond = |b: &mut Bench, target, code, group| {
        b.message(&PageResponse { target, code, group }.message(RequesterId(0x8), PasidPrefix::default()));
        b.idle(1000);
    };
    respond(&mut b, RequesterId(0x100), ResponseCode::FAILURE, groups[0]);
    assert_eq!(b.done.iter().map(|d| (d.1, d.2)).collect::<Vec<_>>(), [(1, Syndrome::PAGE_FAILURE.0)]);
    b.refuse_all = false;
    respond(&mut b, OTHER, ResponseCode::SUCCESS, groups[1]);
    assert_eq!((b.done.len(), b.done[1].1, b.done[1].2), (2, 2, 0));
}

/// The allocation of a function is its own: what others have asked for does
/// not count against it.
#[test]
fn allocations_are_counted_by_function() {
    let mut b = bench(1, Mode::Ats);
    let cfg = FunctionCfg { pri_enable: true, pri_allocation: 1, ..function() };
    b.configure(cfg);
    b.configure(FunctionCfg { function: FunctionId(1), requester: OTHER, ..cfg });
    b.refuse_all = true;
    for n in 0..2 {
        b.send(request(n, 0, Op::READ, (58 + u64::from(n)) << 12, 64));
        let wr = request(10 + n, 1, Op::READ, (60 + u64::from(n)) << 12, 64);
        b.send(WorkRequest { function: FunctionId(1), key: Key::new(4, 7), ..wr });
    }
    b.idle(2000);
    assert_eq!(asked(&b), (1, 1));
}
