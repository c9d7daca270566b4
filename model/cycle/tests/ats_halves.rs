//! The two completions that a Translation Request may be answered in (PCIe 6.x 10.2.2), at the pins of `ats`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::ats::Ats;
use types::port::{AtcKey, AtsIn, AtsMiss, AtsOut, AtsWake, Beat, CplBeat, FunctionCfg};
use types::{Block, FunctionId, Iova, Slot, Syndrome, TlpAddr, UnitCfg};

struct Bench {
    ats: Ats,
    inp: AtsIn,
    out: AtsOut,
    wakes: Vec<AtsWake>,
}

impl Bench {
    fn edge(&mut self) {
        self.ats.step(&self.inp);
        self.ats.outputs(&mut self.out);
        self.wakes.extend(Some(self.out.wake).filter(|w| w.valid));
    }

    /// Two granules have been asked for.
    fn asked() -> Self {
        let cfg = UnitCfg { ats_entries: 2, ..UnitCfg::named("small").unwrap() };
        let (ats, inp, out) = (Ats::new(&cfg), AtsIn::default(), AtsOut::default());
        let mut b = Self { ats, inp, out, wakes: Vec::new() };
        b.inp.reset = true;
        b.edge();
        b.inp = AtsIn { request_ready: true, fill_ready: true, fill_done: true, drained: true, ..AtsIn::default() };
        (b.inp.invalidate_ready, b.inp.invalidate_done) = (true, true);
        b.inp.cfg = FunctionCfg { valid: true, bus_master: true, ats_enable: true, ..FunctionCfg::default() };
        b.edge();
        b.inp.cfg = FunctionCfg::default();
        // What Enable has dropped is gone.
        (0..20).for_each(|_| b.edge());
        let key = AtcKey { function: FunctionId(0), iova: Iova(0x4000_0000), ..AtcKey::default() };
        b.inp.miss = AtsMiss { valid: true, slot: Slot(1), key, ..AtsMiss::default() };
        b.edge();
        b.inp.miss = AtsMiss::default();
        let sent = (0..8).any(|_| {
            b.edge();
            b.out.request.valid
        });
        assert!(sent && b.out.request.length_dw == 4, "{:?}", b.out.request);
        b
    }

    /// One translation of what is owed, 8 bytes of `owed`: R and W, 4 KiB.
    fn completion(&mut self, owed: u16, poisoned: bool) {
        self.completion_of(FunctionId(0), owed, poisoned);
    }

    fn completion_of(&mut self, function: FunctionId, owed: u16, poisoned: bool) {
        let entry = types::ats::TranslationEntry {
            address: TlpAddr(0x9000_0000),
            read: true,
            write: true,
            ..types::ats::TranslationEntry::default()
        };
        let mut data = Beat::default();
        data.0[0] = u64::from_le_bytes(entry.encode());
        let whole = CplBeat { valid: true, sop: true, eop: true, length_dw: 2, byte_count: owed, ..CplBeat::default() };
        self.inp.cpl = CplBeat { function, data, strb: 3, poisoned, ..whole };
        self.edge();
        self.inp.cpl = CplBeat::default();
        (0..8).for_each(|_| self.edge());
    }
}

#[test]
fn a_request_ends_with_the_second_of_two_whatever_the_first_has_brought() {
    for (first, second) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut b = Bench::asked();
        b.completion(16, first);
        assert_eq!(b.wakes.len(), 0, "the tag is not free yet");
        b.completion(8, second);
        let fails = first || second;
        let syndrome = if fails { Syndrome::TRANSLATION_FAILED } else { Syndrome::OK };
        let [wake] = b.wakes[..] else { panic!("{:?}", b.wakes) };
        assert_eq!((wake.syndrome, wake.fail_reads, wake.fail_writes), (syndrome, fails, fails), "{first} {second}");
    }
}

#[test]
fn what_answers_another_function_under_the_same_tag_is_for_nobody() {
    let mut b = Bench::asked();
    b.completion_of(FunctionId(1), 16, true);
    b.completion_of(FunctionId(1), 8, true);
    assert_eq!(b.wakes.len(), 0);
    b.completion(16, false);
    b.completion(8, false);
    let [wake] = b.wakes[..] else { panic!("{:?}", b.wakes) };
    assert_eq!(wake.syndrome, Syndrome::OK);
}
