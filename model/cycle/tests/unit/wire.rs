//! What stands on the wire beside addresses: tags, ordering attributes, requester IDs; and completions in parts.

use crate::bench::{Bench, MPT, function, request};
use crate::requests::region;
use crate::script::pattern;
use types::config::NAMED;
use types::port::{FunctionCfg, WorkRequest};
use types::tlp::{Attributes, Body, MemoryOp};
use types::{AddressType, FunctionId, Iova, Key, Mode, Op, Region, RequesterId};

fn map(b: &mut Bench, key: u64, region: &Region) {
    for (n, word) in region.encode().0.into_iter().enumerate() {
        b.memory.insert(MPT + key * 64 + 8 * n as u64, word);
    }
}

#[test]
fn every_tag_width_serves_every_user_in_every_configuration() {
    for (name, cfg) in NAMED {
        for (tag_mode, first, last) in [(0, 0, 31), (1, 0, 255), (2, 256, 1023)] {
            let mut b = Bench::with(cfg.clone(), Mode::Ats);
            b.configure(FunctionCfg { tag_mode, ..function() });
            b.delay = 200;
            // Table lines, translations and data all miss; more pages than there are tags of 5 bits.
            let count = 64;
            for n in 0..count {
                b.send(request(n, n % cfg.streams as u16, Op::READ, u64::from(n) << 12, 256));
            }
            let mut left = 60_000;
            while b.done.len() < usize::from(count) && left > 0 {
                b.idle(100);
                left -= 100;
            }
            let mut ids: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
            ids.sort_unstable();
            assert_eq!(ids, (0..count).map(|n| (n, 0)).collect::<Vec<_>>(), "{name}, mode {tag_mode}");
            assert!(b.script.tags.iter().all(|tag| (first..=last).contains(tag)), "{name}: {:?}", b.script.tags);
            assert_eq!(b.script.reused, 0, "{name}, mode {tag_mode}");
        }
    }
}

#[test]
fn data_that_comes_in_parts_at_the_read_completion_boundary_is_put_together() {
    for rcb in [64, 128] {
        for offset in [0, 0x20, 0x7c] {
            let mut b = Bench::new("small", Mode::Emtt);
            b.warm(1);
            b.script.split = Some(rcb);
            b.script.read.clear();
            b.send(request(1, 0, Op::READ, offset, 2048));
            b.send(request(2, 1, Op::READ, 0x800 + offset, 256));
            b.idle(3000);
            assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [0, 0]);
            for (id, at, length) in [(1, offset, 2048), (2, 0x800 + offset, 256)] {
                let expected: Vec<u8> = (0..length).map(|i| pattern(0x4000_0000 + at + i)).collect();
                assert_eq!(b.script.read[&id], expected, "boundary {rcb}, offset {offset}");
            }
        }
    }
}

#[test]
fn ordering_attributes_are_those_of_function_and_region_and_messages_have_none() {
    for (relaxed_ordering, id_ordering) in [(false, false), (true, false), (false, true), (true, true)] {
        for unordered in [false, true] {
            let mut b = Bench::new("small", Mode::Ats);
            map(&mut b, 3, &Region { unordered, ..region() });
            b.configure(FunctionCfg { relaxed_ordering, id_ordering, ..function() });
            b.send(request(1, 0, Op::READ, 0, 64));
            b.send(request(2, 1, Op::WRITE, 0, 64));
            b.idle(1000);
            // RO only where the region asks for no order.
            let relaxed = relaxed_ordering && unordered;
            let expected = Attributes { relaxed, id_order: id_ordering, no_snoop: false };
            assert_eq!(b.tlps.iter().map(|(_, t)| t.attributes).collect::<Vec<_>>(), [expected; 2]);
            // An Invalidate Completion pushes writes only with RO and IDO clear.
            b.invalidate(1, types::ats::InvalidateRange { global: false, iova: Iova(0), size: None });
            b.idle(200);
            assert_eq!(b.messages.iter().map(|(_, t)| t.attributes).collect::<Vec<_>>(), [Attributes::default()]);
            // So does the flush read of a revocation.
            b.tlps.clear();
            crate::revoke::revoke(&mut b, Some(0x77_0000_1000));
            b.idle(400);
            let [(_, flush)] = b.tlps[..] else { panic!("{:?}", b.tlps) };
            let Body::Memory { op, at, first_be, .. } = flush.body else { panic!("{flush:?}") };
            assert_eq!((op, at, first_be), (MemoryOp::Read, AddressType::TRANSLATED, 0));
            assert!(!flush.attributes.relaxed);
        }
    }
}

#[test]
fn functions_that_differ_only_in_their_bus_are_not_mixed_up() {
    let mut b = Bench::new("small", Mode::Emtt);
    map(&mut b, 4, &Region { function: FunctionId(1), ..region() });
    // Function 1 comes last: it must not take the place of function 0.
    let other = FunctionCfg { function: FunctionId(1), requester: RequesterId(0x200), ..function() };
    b.configure(other);
    b.send(request(1, 0, Op::READ, 0, 64));
    b.send(WorkRequest { function: FunctionId(1), key: Key::new(4, 7), ..request(2, 1, Op::READ, 0x80, 64) });
    b.idle(1000);
    let mut outcomes: Vec<_> = b.done.iter().map(|d| (d.1, d.2)).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, [(1, 0), (2, 0)]);
    let requester = |tlp: &types::Tlp| match tlp.body {
        Body::Memory { requester, .. } => requester.0,
        other => panic!("{other:?}"),
    };
    let mut seen: Vec<_> = b.tlps.iter().map(|(_, tlp)| requester(tlp)).collect();
    seen.sort_unstable();
    assert_eq!(seen, [0x100, 0x200]);
}
