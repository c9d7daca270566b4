//! Atomics through the whole unit.

use crate::bench::{Bench, MTT, SHIFT, function, request};
use crate::script::pattern;
use types::ats::InvalidateRange;
use types::port::{Credits, FunctionCfg};
use types::tlp::{Body, MemoryOp};
use types::{AddressType, Iova, Mode, Op, PageSize, Syndrome};

fn on() -> FunctionCfg {
    FunctionCfg { atomic_enable: true, ..function() }
}

fn bench(mode: Mode) -> Bench {
    let mut b = Bench::new("small", mode);
    b.configure(on());
    b.warm(2);
    b
}

/// What left: operation, AT, address, length in DW.
fn seen(b: &Bench) -> Vec<(MemoryOp, AddressType, u64, u16)> {
    let part = |tlp: &types::Tlp| {
        let Body::Memory { op, at, address, .. } = tlp.body else { panic!("{tlp:?}") };
        (op, at, address.0, tlp.length_dw)
    };
    b.tlps.iter().map(|(_, tlp)| part(tlp)).collect()
}

#[test]
fn each_operation_in_each_mode() {
    for (mode, at, base) in [
        (Mode::Direct, AddressType::UNTRANSLATED, 0x4000_0000),
        (Mode::Emtt, AddressType::TRANSLATED, 0x4000_0000),
        (Mode::Ats, AddressType::TRANSLATED, SHIFT + 0x4000_0000),
    ] {
        for (op, kind, size, dws) in [
            (Op::FETCH_ADD, MemoryOp::FetchAdd, 4, 1),
            (Op::SWAP, MemoryOp::Swap, 8, 2),
            (Op::CAS, MemoryOp::Cas, 4, 2),
            (Op::CAS, MemoryOp::Cas, 16, 8),
        ] {
            let mut b = bench(mode);
            b.send(request(1, 0, op, 0x1ff0, size));
            b.idle(400);
            assert_eq!(seen(&b), [(kind, at, base + 0x1ff0, dws)]);
            // The bench's messages are words of 0x11.
            let operands: Vec<u8> = (0..4 * dws).map(|i| if i % 8 == 0 { 0x11 } else { 0 }).collect();
            assert_eq!(b.script.atomics[0].2, operands);
            let Body::Memory { first_be, last_be, .. } = b.tlps[0].1.body else { panic!() };
            assert_eq!((first_be, last_be), (0, 0), "byte enables are reserved");
            let before: Vec<u8> = (0..u64::from(size)).map(|i| pattern(base + 0x1ff0 + i)).collect();
            assert_eq!((&b.script.read[&1], b.done[0].2), (&before, 0));
            assert_eq!(b.done.len(), 1);
        }
    }
}

/// 17 cycles to the header like a read, and four more to pull the operands from a source that answers in the next cycle: one
/// each until they are wanted, asked for, offered by the source, and whole.
#[test]
fn latency_is_that_of_a_read_and_the_pull() {
    for (mode, read) in [(Mode::Direct, 17), (Mode::Emtt, 17), (Mode::Ats, 22)] {
        let mut b = bench(mode);
        let taken = b.send(request(1, 0, Op::FETCH_ADD, 0x1000, 8));
        b.idle(200);
        assert_eq!(b.tlps[0].0 - taken, read + 4, "{mode}");
    }
}

#[test]
fn an_invalidation_waits_for_its_answer_and_nothing_is_sent_twice() {
    let mut b = bench(Mode::Ats);
    b.hold_completions = true;
    b.send(request(1, 0, Op::FETCH_ADD, 0, 8));
    b.idle(100);
    assert_eq!(b.tlps.len(), 1);
    let range = InvalidateRange { global: false, iova: Iova(0x4000_0000), size: Some(PageSize::K4) };
    b.invalidate(3, range);
    b.idle(1000);
    assert!(b.messages.is_empty() && b.done.is_empty());
    b.let_completions_go();
    b.idle(200);
    assert_eq!((b.messages.len(), b.done.len(), b.tlps.len()), (1, 1, 1));
}

#[test]
fn one_that_waits_for_its_operands_is_translated_anew_and_holds_no_invalidation_up() {
    let mut b = bench(Mode::Ats);
    b.hold_data = true;
    b.send(request(1, 0, Op::FETCH_ADD, 0, 8));
    b.idle(100);
    let range = InvalidateRange { global: false, iova: Iova(0x4000_0000), size: Some(PageSize::K4) };
    b.invalidate(3, range);
    b.idle(1000);
    assert_eq!((b.messages.len(), b.tlps.len()), (1, 0));
    b.shift = 2 * SHIFT;
    b.hold_data = false;
    b.idle(1000);
    // Asked again after the invalidation, before the mapping changed; the next one asks after it.
    assert_eq!((b.tlps.len(), b.done.len()), (1, 1));
}

#[test]
fn in_its_stream_it_goes_behind_writes_and_a_write_passes_it() {
    let mut b = bench(Mode::Direct);
    b.hold_completions = true;
    b.inp.tx_fc = Credits { ph: 0, ..b.inp.tx_fc };
    b.send(request(1, 0, Op::WRITE, 0x100, 64));
    b.send(request(2, 0, Op::SWAP, 0, 8));
    // Another stream's goes.
    b.send(request(3, 1, Op::SWAP, 0x800, 8));
    b.idle(300);
    assert_eq!(seen(&b), [(MemoryOp::Swap, AddressType::UNTRANSLATED, 0x4000_0800, 2)]);
    b.inp.tx_fc = Credits { ph: 200, ..b.inp.tx_fc };
    b.send(request(4, 0, Op::WRITE, 0x200, 64));
    b.idle(300);
    let kinds: Vec<_> = seen(&b).iter().map(|s| (s.0, s.2 & 0xfff)).collect();
    use MemoryOp::{Swap, Write};
    let first = kinds.iter().position(|k| *k == (Write, 0x100)).unwrap();
    assert!(kinds.iter().position(|k| *k == (Swap, 0)).unwrap() > first, "{kinds:x?}");
    // A posted write does not wait for an answer.
    assert!(kinds.contains(&(Write, 0x200)) && b.done.iter().any(|d| d.1 == 4));
    b.let_completions_go();
    b.idle(300);
    assert_eq!(b.done.len(), 4);
}

#[test]
fn it_needs_both_permissions_and_asks_with_nw_clear() {
    let mut b = bench(Mode::Ats);
    b.deny_writes = Some(0x4000_2000);
    b.send(request(1, 0, Op::READ, 0x2000, 8));
    b.idle(400);
    // Cached with R alone: it asks again, with NW = 0, and is refused.
    b.script.asked.clear();
    b.send(request(2, 0, Op::SWAP, 0x2000, 8));
    b.idle(400);
    assert_eq!(b.script.asked(), [(0x4000_2000, false)]);
    assert_eq!((b.done.last().unwrap().2, b.script.atomics.len()), (Syndrome::TRANSLATION_ACCESS.0, 0));
    b.deny_writes = None;
    b.send(request(3, 0, Op::SWAP, 0x2000, 8));
    b.idle(400);
    assert_eq!((b.done.last().unwrap().2, b.script.atomics.len()), (0, 1));
    // The page's own rights: W without R.
    b.memory.entry(MTT + 8 * 20).and_modify(|word| *word &= !1);
    b.send(request(4, 0, Op::SWAP, 20 << 12, 8));
    b.idle(400);
    assert_eq!(b.done.last().unwrap().2, Syndrome::PAGE_RIGHTS.0);
}

#[test]
fn while_the_function_may_send_none_nothing_leaves() {
    let mut b = bench(Mode::Ats);
    b.configure(function());
    b.send(request(1, 0, Op::SWAP, 0, 8));
    b.send(request(2, 0, Op::SWAP, 9 << 12, 8));
    b.idle(400);
    assert!(b.done.iter().all(|d| d.2 == Syndrome::ATOMIC_OFF.0) && b.done.len() == 2);
    assert_eq!((b.tlps.len(), b.translation_requests), (0, 0));
    b.configure(on());
    b.send(request(3, 0, Op::SWAP, 0, 8));
    b.idle(400);
    assert_eq!((b.done.last().unwrap().2, b.tlps.len()), (0, 1));
}

#[test]
fn where_the_path_changes_writes_before_it_are_flushed_and_it_needs_no_flush() {
    let mut b = Bench::new("small", Mode::Emtt);
    b.configure(on());
    // Odd pages are host memory, even ones the GPU's.
    for page in (1..64).step_by(2) {
        b.memory.entry(MTT + 8 * page).and_modify(|word| *word &= !0b100);
    }
    b.warm(2);
    b.send(request(1, 0, Op::WRITE, 0, 64));
    b.send(request(2, 0, Op::SWAP, 1 << 12, 8));
    b.send(request(3, 0, Op::WRITE, 0x40, 64));
    b.idle(1000);
    let kinds: Vec<_> = seen(&b).iter().map(|s| (s.0, s.1)).collect();
    use MemoryOp::{Read, Swap, Write};
    let (gpu, host) = (AddressType::TRANSLATED, AddressType::UNTRANSLATED);
    assert_eq!(kinds, [(Write, gpu), (Read, gpu), (Swap, host), (Write, gpu)]);
    assert_eq!(b.done.len(), 3);
}
