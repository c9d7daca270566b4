//! What counts as held up, and for how long it may.

use super::super::{Blocked, Share};
use types::port::{Credits, FunctionCfg, UnitIn, UnitOut, WorkRequest};
use types::tlp::{Attributes, Body, MemoryOp, Tlp};
use types::{AddressType, Event, FunctionId, RequesterId, StreamId, Tag, TlpAddr, UnitCfg, WrId};

/// `small` with MPS 256 and no region yet: 64 + 2 × 10 + 32 × 6 + 8 × 4 × 16 (4 KiB pages).
const BOUND: u64 = 64 + 20 + 192 + 512;

fn share() -> Share {
    let mut share = Share::of(&UnitCfg { partitions: 2, ..UnitCfg::named("small").unwrap() }).unwrap();
    for f in 0..2 {
        let (function, requester) = (FunctionId(f), RequesterId(0x100 + f));
        share.event(&Event::Configured(&FunctionCfg {
            valid: true,
            function,
            requester,
            mps: 1,
            ..Default::default()
        }));
        let wr = WorkRequest { valid: true, function, stream: StreamId(f), id: WrId(7), ..Default::default() };
        share.event(&Event::RequestAccepted(&wr));
    }
    share
}

fn idle() -> UnitIn {
    UnitIn { tx_fc: Credits { ph: 9, pd: 900, nph: 9, npd: 9 }, ..UnitIn::default() }
}

/// Cycles until somebody is found to be held up, of at most 2000.
fn found(share: &mut Share, inp: &UnitIn, out: &UnitOut) -> Option<(u64, Blocked)> {
    (1..=2000).find_map(|n| share.cycle(inp, out).err().map(|blocked| (n, blocked)))
}

/// A read of function 1 leaves.
fn read(share: &mut Share) {
    let body = Body::Memory {
        op: MemoryOp::Read,
        at: AddressType::UNTRANSLATED,
        requester: RequesterId(0x101),
        tag: Tag(3),
        first_be: 0xf,
        last_be: 0,
        address: TlpAddr(0x7000_0000),
        no_write: false,
    };
    let attributes = Attributes::default();
    let tlp = Tlp { tc: 0, attributes, poisoned: false, length_dw: 1, body, pasid: Default::default() };
    share.event(&Event::TlpOut { tlp: &tlp, payload: &[] });
}

#[test]
fn nobody_may_be_held_up_longer_than_the_bound() {
    let mut s = share();
    assert_eq!(s.bound(), BOUND);
    let blocked = Blocked { partition: 0, cycles: BOUND + 1, bound: BOUND };
    assert_eq!(found(&mut s, &idle(), &UnitOut::default()), Some((BOUND + 1, blocked)));
}

#[test]
fn only_the_partition_without_an_answer_to_come_is_held_up() {
    let mut s = share();
    read(&mut s);
    let (_, blocked) = found(&mut s, &idle(), &UnitOut::default()).unwrap();
    assert_eq!(blocked.partition, 0);
    // Function 0 is done: function 1 waits for the host alone.
    s.event(&Event::MessageDone { stream: StreamId(0), id: WrId(7), syndrome: Default::default() });
    assert_eq!(found(&mut s, &idle(), &UnitOut::default()), None);
}

#[test]
fn progress_begins_the_count_again() {
    let mut s = share();
    s.event(&Event::MessageDone { stream: StreamId(0), id: WrId(7), syndrome: Default::default() });
    for _ in 0..5 {
        for _ in 0..BOUND {
            assert_eq!(s.cycle(&idle(), &UnitOut::default()), Ok(()));
        }
        s.event(&Event::ReadData { stream: StreamId(1), id: WrId(7), offset: Default::default(), bytes: &[0] });
    }
    assert_eq!(s.worst(), [0, BOUND]);
}

#[test]
fn what_the_outside_holds_up_does_not_count() {
    let no_credit = UnitIn { tx_fc: Credits { nph: 0, ..idle().tx_fc }, ..idle() };
    let mut leaves = UnitOut::default();
    leaves.tx_wr_req_tlp.valid = true;
    let mut not_taken = UnitOut::default();
    not_taken.completion.valid = true;
    for (inp, out) in [(no_credit, UnitOut::default()), (idle(), leaves), (idle(), not_taken)] {
        assert_eq!(found(&mut share(), &inp, &out), None);
    }
    // Message bytes that were asked for and do not come.
    let mut s = share();
    let mut asks = UnitOut::default();
    (asks.write_data_request.valid, asks.write_data_request.length.0) = (true, 64);
    assert_eq!(s.cycle(&UnitIn { write_data_request_ready: true, ..idle() }, &asks), Ok(()));
    assert_eq!(found(&mut s, &idle(), &UnitOut::default()), None);
    let bytes = [0; 64];
    s.event(&Event::WriteData { stream: StreamId(0), id: WrId(7), offset: Default::default(), bytes: &bytes });
    assert!(found(&mut s, &idle(), &UnitOut::default()).is_some());
}
