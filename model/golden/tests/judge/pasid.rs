//! PASID prefixes: Execute and Privileged Mode, and functions that may not send one.

use crate::trace::{AT_00, AT_10, Request, Trace, entry, function, message, page_address, pasid, region, request};
use golden::Violation;
use types::ats::TranslationEntry;
use types::port::FunctionCfg;
use types::tlp::MemoryOp;
use types::{Event, Mode, Op, Owner, PageSize, PasidPrefix, Region, Rights, Syndrome, TlpAddr};

const BUS: u64 = 0x7_0000_0000;

fn begin(mode: Mode, region_prefix: PasidPrefix, cfg: FunctionCfg, op: Op, length: u32) -> Trace {
    let mut t = Trace::bare();
    t.ok(Event::Configured(&cfg));
    t.ok(Event::Mapped {
        key: crate::trace::KEY,
        region: &Region { pasid: region_prefix, rights: Rights::ALL, ..region(mode) },
    });
    t.page(0, entry(page_address(0), Owner::Host));
    t.accept(request(op, 1, 0, length));
    if op.writes() {
        t.give(1, 0, op.operand_bytes(length));
    }
    t
}

fn on() -> FunctionCfg {
    FunctionCfg { pasid_exec_enable: true, pasid_priv_enable: true, ..function(1) }
}

fn with(exec: bool, privileged: bool) -> PasidPrefix {
    PasidPrefix { exec, privileged, ..pasid(0x42) }
}

fn access(op: Op, prefix: PasidPrefix) -> Request {
    let request = match op {
        Op::READ => Request::read(AT_00, page_address(0), 8, 1),
        Op::WRITE => Request::write(AT_00, page_address(0), &message(0, 8)),
        _ => Request::atomic(MemoryOp::Swap, AT_00, page_address(0), &message(0, 8), 1),
    };
    Request { pasid: prefix, ..request }
}

#[test]
fn prefixes_say_what_the_region_asks_for_and_the_function_may() {
    for (cfg, may_exec, may_privileged) in [
        (on(), true, true),
        (FunctionCfg { pasid_exec_enable: false, ..on() }, false, true),
        (FunctionCfg { pasid_priv_enable: false, ..on() }, true, false),
    ] {
        for op in [Op::READ, Op::WRITE, Op::SWAP] {
            for (exec, privileged) in [(false, false), (false, true), (true, false), (true, true)] {
                // Execute is asked for by reads.
                let right = (op == Op::READ && may_exec, may_privileged) == (exec, privileged);
                let prefix = with(exec, privileged);
                let sent = begin(Mode::Direct, with(true, true), cfg, op, 8).out(&access(op, prefix));
                assert_eq!(sent.is_ok(), right, "{op:?} {prefix:?}");
                assert!(right || matches!(sent, Err(Violation::Pasid { .. })));
                let ask = Request { pasid: prefix, ..Request::translate(page_address(0), 1, op == Op::READ, 9) };
                let asked = begin(Mode::Ats, with(true, true), cfg, op, 8).out(&ask);
                assert_eq!(asked.is_ok(), right, "{op:?} {prefix:?}");
            }
        }
    }
    // A read of no bytes executes nothing.
    for (exec, right) in [(false, true), (true, false)] {
        let read = Request { pasid: with(exec, false), ..Request::read(AT_00, page_address(0), 0, 1) };
        assert_eq!(begin(Mode::Direct, with(true, false), on(), Op::READ, 0).out(&read).is_ok(), right);
    }
}

fn answer(exec: bool, read: bool) -> TranslationEntry {
    let address = TlpAddr(BUS);
    TranslationEntry { address, size: PageSize::K4, read, write: true, exec, ..TranslationEntry::default() }
}

/// A trace in which the page was asked for with `prefix` and answered.
fn asked(op: Op, region_prefix: PasidPrefix, prefix: PasidPrefix, entry: TranslationEntry) -> Trace {
    let mut t = begin(Mode::Ats, region_prefix, on(), op, 8);
    t.sent(&Request { pasid: prefix, ..Request::translate(page_address(0), 1, op == Op::READ, 9) });
    t.complete(9, 8, &entry.encode());
    t
}

#[test]
fn execute_needs_exe_which_implies_r() {
    let read = Request::read(AT_10, BUS, 8, 1);
    let ask = with(true, false);
    for (exec, r) in [(true, true), (false, true), (true, false)] {
        let granted = exec && r;
        assert_eq!(asked(Op::READ, ask, ask, answer(exec, r)).out(&read).is_ok(), granted);
        let refused = asked(Op::READ, ask, ask, answer(exec, r)).done(1, Syndrome::TRANSLATION_ACCESS);
        assert_eq!(refused.is_ok(), !granted, "{refused:?}");
    }
    // A write needs none, and what it was answered without Exe refuses no read: it asks again.
    let write = Request::write(AT_10, BUS, &message(0, 8));
    assert_eq!(asked(Op::WRITE, ask, with(false, false), answer(false, true)).out(&write), Ok(()));
    let mut t = asked(Op::WRITE, ask, with(false, false), answer(false, true));
    t.read(2, 0, 8);
    t.sent(&write);
    assert!(matches!(t.out(&read), Err(Violation::NoTranslation { .. })));
    let mut t = asked(Op::WRITE, ask, with(false, false), answer(false, true));
    t.read(2, 0, 8);
    assert!(matches!(t.done(2, Syndrome::TRANSLATION_ACCESS), Err(Violation::Syndrome { .. })));
}

#[test]
fn an_answer_serves_the_mode_it_was_asked_in() {
    let read = Request::read(AT_10, BUS, 8, 1);
    let supervisor = with(false, true);
    assert_eq!(asked(Op::READ, supervisor, supervisor, answer(false, true)).out(&read), Ok(()));
    // Asked for by a region that is not privileged; then the region is another one.
    let mut t = asked(Op::READ, with(false, false), with(false, false), answer(false, true));
    let key = types::Key::new(2, 9);
    let other = Region { variant: 9, pasid: supervisor, rights: Rights::ALL, ..region(Mode::Ats) };
    t.ok(Event::Mapped { key, region: &other });
    t.ok(Event::PageMapped { key, page: types::PageIndex(0), entry: entry(page_address(0), Owner::Host) });
    t.sent(&read);
    t.complete(1, 8, &[0; 8]);
    t.accept(types::port::WorkRequest { key, ..request(Op::READ, 2, 0, 8) });
    assert!(matches!(t.out(&Request { tag: 2, ..read }), Err(Violation::NoTranslation { .. })));
}

#[test]
fn where_the_function_has_pasid_off_nothing_leaves() {
    let off = FunctionCfg { pasid_enable: false, ..on() };
    for op in [Op::READ, Op::WRITE, Op::SWAP] {
        for prefix in [PasidPrefix::default(), pasid(0x42)] {
            let sent = begin(Mode::Direct, pasid(0x42), off, op, 8).out(&access(op, prefix));
            assert!(matches!(sent, Err(Violation::Refused { expected: Syndrome::PASID_OFF, .. })), "{sent:?}");
            let ask = Request { pasid: prefix, ..Request::translate(page_address(0), 1, op == Op::READ, 9) };
            let asked = begin(Mode::Ats, pasid(0x42), off, op, 8).out(&ask);
            assert!(matches!(asked, Err(Violation::TranslationRequest { .. })), "{asked:?}");
        }
        for mode in [Mode::Direct, Mode::Ats] {
            assert_eq!(begin(mode, pasid(0x42), off, op, 8).done(1, Syndrome::PASID_OFF), Ok(()));
            assert!(begin(mode, pasid(0x42), off, op, 8).done(1, Syndrome::OK).is_err());
            assert!(begin(mode, pasid(0x42), on(), op, 8).done(1, Syndrome::PASID_OFF).is_err());
        }
    }
    // Without a PASID there is nothing to send.
    assert_eq!(
        begin(Mode::Direct, PasidPrefix::default(), off, Op::READ, 8).out(&access(Op::READ, PasidPrefix::default())),
        Ok(())
    );
}
