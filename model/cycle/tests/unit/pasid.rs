//! PASID prefixes: what they say, and that nothing leaves where one may not be sent.

use crate::bench::{Bench, MPT, SHIFT, function, request};
use types::ats::TranslationEntry;
use types::port::FunctionCfg;
use types::{AddressType, Mode, Op, Pasid, PasidPrefix, Syndrome, Tlp};

const PRIVILEGED: u64 = 1 << 21;
const EXECUTE: u64 = 1 << 22;

fn all_on() -> FunctionCfg {
    FunctionCfg {
        pasid_enable: true,
        pasid_priv_enable: true,
        pasid_exec_enable: true,
        atomic_enable: true,
        ..function()
    }
}

/// The region has PASID 9 and these attributes.
fn bench(mode: Mode, attributes: u64, cfg: FunctionCfg) -> Bench {
    let mut b = Bench::new("small", mode);
    b.memory.insert(MPT + 3 * 64 + 8, 9 | 1 << 20 | attributes | 0xf << 32);
    b.configure(cfg);
    b
}

fn prefix(exec: bool, privileged: bool) -> PasidPrefix {
    PasidPrefix { valid: true, pasid: Pasid(9), exec, privileged }
}

fn prefixes<'a>(tlps: impl IntoIterator<Item = &'a (u64, Tlp)>) -> Vec<PasidPrefix> {
    tlps.into_iter().map(|(_, tlp)| tlp.pasid).collect()
}

/// A read, a write, an atomic; each in a page of its own.
fn three(b: &mut Bench) {
    for (id, op) in [(1, Op::READ), (2, Op::WRITE), (3, Op::SWAP)] {
        b.send(request(id, 0, op, u64::from(id) << 12, 8));
        b.idle(400);
    }
}

#[test]
fn untranslated_requests_say_what_their_region_asks_for_and_their_function_may() {
    for (cfg, exec, privileged) in [
        (all_on(), true, true),
        (FunctionCfg { pasid_exec_enable: false, ..all_on() }, false, true),
        (FunctionCfg { pasid_priv_enable: false, ..all_on() }, true, false),
    ] {
        let mut b = bench(Mode::Direct, PRIVILEGED | EXECUTE, cfg);
        three(&mut b);
        // Execute is for reads.
        let other = prefix(false, privileged);
        assert_eq!(prefixes(&b.tlps), [prefix(exec, privileged), other, other]);
    }
    // Of no byte: nothing is executed.
    let mut b = bench(Mode::Direct, EXECUTE, all_on());
    b.send(request(1, 0, Op::READ, 0, 0));
    b.idle(400);
    assert_eq!(prefixes(&b.tlps), [prefix(false, false)]);
    let mut b = bench(Mode::Direct, 0, all_on());
    three(&mut b);
    assert_eq!(prefixes(&b.tlps), [prefix(false, false); 3]);
}

#[test]
fn so_do_translation_requests_and_translated_requests_carry_none() {
    for (cfg, exec, privileged) in [
        (all_on(), true, true),
        (FunctionCfg { pasid_exec_enable: false, ..all_on() }, false, true),
        (FunctionCfg { pasid_priv_enable: false, ..all_on() }, true, false),
    ] {
        let mut b = bench(Mode::Ats, PRIVILEGED | EXECUTE, cfg);
        b.script.agent = Some(|_, entry| TranslationEntry { exec: true, ..entry });
        three(&mut b);
        let other = prefix(false, privileged);
        assert_eq!(prefixes(&b.script.asked), [prefix(exec, privileged), other, other]);
        assert!(b.tlps.iter().all(|(_, tlp)| tlp.pasid == PasidPrefix::default()));
        assert_eq!((b.tlps.len(), b.done.iter().filter(|d| d.2 == 0).count()), (3, 3));
    }
}

#[test]
fn a_read_that_asks_for_execute_needs_exe_which_implies_r() {
    let outcome = |agent: fn(u64, TranslationEntry) -> TranslationEntry, op| {
        let mut b = bench(Mode::Ats, EXECUTE, all_on());
        b.script.agent = Some(agent);
        b.send(request(1, 0, op, 0, 8));
        b.idle(600);
        (b.done[0].2, b.tlps.len())
    };
    let access = Syndrome::TRANSLATION_ACCESS.0;
    assert_eq!(outcome(|_, e| TranslationEntry { exec: true, ..e }, Op::READ), (0, 1));
    assert_eq!(outcome(|_, e| TranslationEntry { exec: false, ..e }, Op::READ), (access, 0));
    assert_eq!(outcome(|_, e| TranslationEntry { exec: true, read: false, ..e }, Op::READ), (access, 0));
    assert_eq!(outcome(|_, e| TranslationEntry { exec: false, ..e }, Op::WRITE), (0, 1));
    assert_eq!(outcome(|_, e| TranslationEntry { exec: false, ..e }, Op::SWAP), (0, 1));
}

/// Without a PASID there is no prefix to ask with, whatever the region says beside it.
#[test]
fn a_region_without_a_pasid_asks_for_nothing() {
    let mut b = bench(Mode::Ats, EXECUTE | PRIVILEGED, all_on());
    b.memory.entry(MPT + 3 * 64 + 8).and_modify(|word| *word &= !(1 << 20));
    three(&mut b);
    assert_eq!(prefixes(&b.script.asked), [PasidPrefix::default(); 3]);
    assert_eq!(b.done.iter().filter(|d| d.2 == 0).count(), 3);
}

#[test]
fn an_entry_without_exe_asks_again_with_execute() {
    let mut b = bench(Mode::Ats, EXECUTE, all_on());
    b.send(request(1, 0, Op::WRITE, 0, 8));
    b.idle(400);
    b.script.agent = Some(|_, entry| TranslationEntry { exec: true, ..entry });
    b.send(request(2, 0, Op::READ, 0, 8));
    b.idle(400);
    assert_eq!(prefixes(&b.script.asked), [prefix(false, false), prefix(true, false)]);
    // And the entry with it serves both.
    b.send(request(3, 0, Op::READ, 0, 8));
    b.send(request(4, 0, Op::WRITE, 0, 8));
    b.idle(400);
    assert_eq!((b.script.asked.len(), b.done.iter().filter(|d| d.2 == 0).count()), (2, 4));
}

#[test]
fn an_entry_serves_only_the_mode_it_was_asked_in() {
    let mut b = bench(Mode::Ats, 0, all_on());
    b.send(request(1, 0, Op::READ, 0, 8));
    b.idle(400);
    // The same region, privileged from now on: another key with the same pages.
    for word in 0..8 {
        let value = b.memory[&(MPT + 3 * 64 + 8 * word)];
        b.memory.insert(MPT + 4 * 64 + 8 * word, value);
    }
    b.memory.entry(MPT + 4 * 64 + 8).and_modify(|word| *word |= PRIVILEGED);
    b.shift = 2 * SHIFT;
    for id in [2, 3] {
        let key = types::Key::new(4, 7);
        b.send(types::port::WorkRequest { key, ..request(id, 0, Op::READ, 0, 8) });
        b.idle(400);
    }
    b.send(request(4, 0, Op::READ, 0, 8));
    b.idle(400);
    assert_eq!(prefixes(&b.script.asked), [prefix(false, false), prefix(false, true)]);
    let at = |tlp: &Tlp| match tlp.body {
        types::tlp::Body::Memory { address, .. } => address.0,
        _ => 0,
    };
    let (user, supervisor) = (SHIFT + 0x4000_0000, 2 * SHIFT + 0x4000_0000);
    assert_eq!(b.tlps.iter().map(|(_, tlp)| at(tlp)).collect::<Vec<_>>(), [user, supervisor, supervisor, user]);
}

#[test]
fn nothing_leaves_where_the_function_has_pasid_off() {
    let off = FunctionCfg { pasid_enable: false, ..all_on() };
    for mode in [Mode::Direct, Mode::Ats] {
        let mut b = bench(mode, 0, off);
        three(&mut b);
        assert_eq!((b.tlps.len(), b.translation_requests), (0, 0), "{mode}");
        assert_eq!(b.done.iter().map(|d| d.2).collect::<Vec<_>>(), [Syndrome::PASID_OFF.0; 3]);
    }
    // What is cached was asked for with a PASID that may not be used any more.
    let mut b = bench(Mode::Ats, 0, all_on());
    b.send(request(1, 0, Op::READ, 0, 8));
    b.idle(400);
    b.configure(off);
    b.send(request(2, 0, Op::READ, 0, 8));
    b.idle(400);
    assert_eq!((b.tlps.len(), b.done[1].2), (1, Syndrome::PASID_OFF.0));
    // A GPU page of eMTT needs no prefix.
    let mut b = bench(Mode::Emtt, 0, off);
    three(&mut b);
    let translated = |tlp: &Tlp| matches!(tlp.body, types::tlp::Body::Memory { at: AddressType::TRANSLATED, .. });
    assert!(b.tlps.len() == 3 && b.tlps.iter().all(|(_, tlp)| translated(tlp)));
}
