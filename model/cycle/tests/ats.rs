//! `ats` at its pins: when an invalidation may begin, and what a reset forgets. Everything it asks for is done at once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::ats::Ats;
use types::ats::InvalidateRange;
use types::port::{AtcKey, AtsIn, AtsMiss, AtsOut, FunctionCfg, MessageTlp, Revocation};
use types::tlp::{Attributes, Body, Routing, message_code};
use types::{Block, FunctionId, Iova, PageSize, PasidPrefix, RequesterId, Tag, Tlp, UnitCfg};

struct Bench {
    ats: Ats,
    out: AtsOut,
    inp: AtsIn,
    cycle: u32,
    /// Cycle and function of each invalidation that `atc` took, and whether it is of the whole function.
    begun: Vec<(u32, u16, bool)>,
}

impl Bench {
    /// With the functions 0 and 1 enabled, and nothing left to do.
    fn new(invalidate_interval: u32) -> Self {
        Self::with(&UnitCfg { invalidate_interval, ..UnitCfg::named("small").unwrap() })
    }

    fn with(cfg: &UnitCfg) -> Self {
        let inp = AtsIn { invalidate_ready: true, answer_ready: true, drained: true, sent: true, ..AtsIn::default() };
        let mut b = Self { ats: Ats::new(cfg), out: AtsOut::default(), inp, cycle: 0, begun: Vec::new() };
        b.inp.reset = true;
        b.idle(2);
        b.inp.reset = false;
        (0..2).for_each(|n| b.configure(&function(n, true)));
        b.idle(100);
        assert_eq!(b.begun.iter().map(|(_, f, all)| (*f, *all)).collect::<Vec<_>>(), [(0, true), (1, true)]);
        b.begun.clear();
        b
    }

    fn step(&mut self) {
        let taken = self.out.invalidate;
        if taken.valid {
            self.begun.push((self.cycle, taken.function.0, taken.all));
        }
        // The sweep takes a cycle.
        self.inp.invalidate_done = self.begun.last().is_some_and(|(at, ..)| *at + 1 == self.cycle);
        self.ats.step(&self.inp);
        self.ats.outputs(&mut self.out);
        self.cycle += 1;
    }

    fn idle(&mut self, cycles: u32) {
        (0..cycles).for_each(|_| self.step());
    }

    fn configure(&mut self, cfg: &FunctionCfg) {
        self.inp.cfg = *cfg;
        self.step();
        self.inp.cfg = FunctionCfg::default();
    }

    /// An Invalidate Request for a page of function `n`; returns the cycle in which it comes.
    fn invalidate(&mut self, n: u16) -> u32 {
        let range = InvalidateRange { global: false, iova: Iova(0x5000), size: Some(PageSize::K4) };
        let body = Body::Message {
            with_data: true,
            routing: Routing::ById,
            requester: RequesterId(0x8),
            tag: Tag(3),
            code: message_code::INVALIDATE_REQUEST,
            dw2: u32::from(function(n, true).requester.0) << 16,
            dw3: 0,
        };
        let (attributes, pasid) = (Attributes::default(), PasidPrefix::default());
        let tlp = Tlp { tc: 0, attributes, poisoned: false, length_dw: 2, body, pasid };
        let data = u64::from_le_bytes(range.encode());
        self.inp.message = MessageTlp { valid: true, hdr: tlp.header(), data, pasid };
        self.step();
        self.inp.message = MessageTlp::default();
        self.cycle - 1
    }
}

fn function(n: u16, ats_enable: bool) -> FunctionCfg {
    let requester = RequesterId(0x100 + n);
    FunctionCfg {
        valid: true,
        function: FunctionId(n),
        requester,
        bus_master: true,
        ats_enable,
        ..FunctionCfg::default()
    }
}

/// Cycles from an Invalidate Request to its invalidation with these inputs held.
fn begins(b: &mut Bench, judging: bool, renewed: bool) -> u32 {
    (b.inp.judging, b.inp.renewed) = (judging, renewed);
    let at = b.invalidate(0);
    b.idle(5000);
    (b.inp.judging, b.inp.renewed) = (false, false);
    let [(begun, 0, false)] = b.begun[..] else { panic!("{:?}", b.begun) };
    b.begun.clear();
    begun - at
}

/// By 4096 cycles at most while an access is judged again, by 256 while one stands before its commit.
#[test]
fn an_invalidation_is_put_off_up_to_its_limit_and_no_longer() {
    let mut b = Bench::new(0);
    let at_once = begins(&mut b, false, false);
    for (judging, renewed, limit) in [(true, false, 4096), (false, true, 256), (true, true, 4096), (false, true, 256)] {
        assert_eq!(begins(&mut b, judging, renewed) - at_once, limit, "{judging} {renewed}");
    }
}

#[test]
fn it_begins_when_what_it_was_put_off_for_is_over() {
    for renewed in [false, true] {
        let mut b = Bench::new(0);
        let at_once = begins(&mut b, false, false);
        b.invalidate(0);
        (b.inp.judging, b.inp.renewed) = (!renewed, renewed);
        b.idle(100);
        assert!(b.begun.is_empty());
        (b.inp.judging, b.inp.renewed) = (false, false);
        // The queue was seen a cycle after the request; now it stands there.
        let over = b.cycle;
        b.idle(20);
        assert_eq!(b.begun[0].0 - over, at_once - 1);
    }
}

/// What put one off for a while does not count for the next.
#[test]
fn the_limit_is_that_of_each_invalidation() {
    let mut b = Bench::new(0);
    let at_once = begins(&mut b, false, false);
    b.inp.judging = true;
    b.invalidate(0);
    b.idle(4000);
    b.inp.judging = false;
    b.idle(50);
    assert_eq!(b.begun.len(), 1);
    b.begun.clear();
    assert_eq!(begins(&mut b, true, false) - at_once, 4096);
}

/// A function that is enabled or reset waits for its translations of before to go, and nothing is judged again before that: so
/// neither that nor what stands before it in the queue is put off.
#[test]
fn nothing_is_put_off_while_a_function_waits_to_be_enabled() {
    for before in [false, true] {
        let mut b = Bench::new(0);
        b.configure(&function(1, false));
        b.idle(50);
        assert!(b.begun.is_empty());
        (b.inp.judging, b.inp.renewed) = (true, true);
        if before {
            b.invalidate(0);
            b.idle(10);
            assert!(b.begun.is_empty());
        }
        let at = b.cycle;
        b.configure(&function(1, true));
        b.idle(100);
        let functions: Vec<_> = b.begun.iter().map(|(_, f, all)| (*f, *all)).collect();
        assert_eq!(functions, if before { vec![(0, false), (1, true)] } else { vec![(1, true)] });
        assert!(b.begun.iter().all(|(begun, ..)| begun - at < 50));
    }
}

/// The interval is for what the host asks for. An Enable of the function does not wait for its end.
#[test]
fn requests_of_one_function_begin_an_interval_apart_and_an_enable_does_not_wait() {
    const INTERVAL: u32 = 200;
    let mut b = Bench::new(INTERVAL);
    b.idle(INTERVAL);
    for n in [0, 0, 1, 0] {
        b.invalidate(n);
    }
    b.idle(3 * INTERVAL);
    let begun = std::mem::take(&mut b.begun);
    assert_eq!(begun.iter().map(|(_, f, _)| *f).collect::<Vec<_>>(), [0, 1, 0, 0]);
    assert_eq!((begun[2].0 - begun[0].0, begun[3].0 - begun[2].0), (INTERVAL, INTERVAL));
    b.idle(INTERVAL);
    b.invalidate(0);
    b.idle(20);
    let at = b.cycle;
    b.configure(&function(0, false));
    b.configure(&function(0, true));
    b.idle(100);
    assert_eq!(b.begun.len(), 2);
    assert!(b.begun[1].2 && b.begun[1].0 - at < 50, "{:?}", b.begun);
}

/// A miss asks for its page and, ahead, for the one behind it. Whenever a reset comes, nothing is asked for afterwards.
#[test]
fn a_reset_forgets_misses_and_what_was_to_be_asked_ahead() {
    let cfg = UnitCfg { ats_prefetch: true, ..UnitCfg::named("small").unwrap() };
    for (after, request_ready) in (0..8).flat_map(|after| [(after, false), (after, true)]) {
        let mut b = Bench::with(&cfg);
        b.inp.request_ready = request_ready;
        let key = AtcKey { iova: Iova(0x7000), ..AtcKey::default() };
        b.inp.miss = AtsMiss { valid: true, key, ..AtsMiss::default() };
        b.step();
        b.inp.miss = AtsMiss::default();
        b.idle(after);
        b.inp.reset = true;
        b.step();
        (b.inp.reset, b.inp.request_ready) = (false, true);
        (0..2).for_each(|n| b.configure(&function(n, true)));
        for _ in 0..40 {
            b.step();
            assert!(!b.out.request.valid, "{after}: {:?}", b.out.request);
        }
    }
}

/// Eight entries of eight bytes are a line of 64: those from the first to the last byte, and no more.
#[test]
fn a_revocation_names_the_lines_that_hold_the_entries() {
    for (entries, count, first, lines) in [
        (0x1000, 1, 0x40, 1),
        (0x1000, 8, 0x40, 1),
        (0x1000, 9, 0x40, 2),
        (0x1038, 1, 0x40, 1),
        (0x1038, 2, 0x40, 2),
        (0x1008, 7, 0x40, 1),
        (0x1008, 8, 0x40, 2),
        (0x1_0000_0000, 512, 0x400_0000, 64),
        (0x1000, 0, 0x40, 0),
    ] {
        let mut b = Bench::new(0);
        b.inp.command = Revocation { valid: true, index: 9, entries: Iova(entries), count, ..Revocation::default() };
        let told = (0..20).find_map(|_| {
            b.step();
            b.out.revoke.valid.then_some(b.out.revoke)
        });
        let told = told.unwrap();
        assert_eq!((told.index, told.first, told.count), (9, first, lines), "{count} at {entries:#x}");
    }
}
