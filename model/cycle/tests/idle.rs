//! `idle_until` of every block, as its contract says it: a block comes to rest by itself, and while it calls itself idle with
//! some inputs, neither its outputs nor anything in it changes with those inputs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use cycle::{
    atc::Atc, ats::Ats, dma::Dma, mpt::Mpt, mtt::Mtt, regs::Regs, replay::Replay, seg::Seg, tlp_rx::TlpRx,
    tlp_tx::TlpTx, unit::Unit,
};
use std::fmt::Debug;
use types::port::{
    EpochNote, FunctionCfg, MappedSegment, MptIn, MptOut, ReplayIn, ReplayOut, SlotNote, TableControl, WorkRequest,
};
use types::ports::row_words;
use types::{Block, Cycle, Length, Mode, Op, Ports, UnitCfg};

/// A block, and what can be seen of it.
struct Bench<B: Block> {
    cfg: UnitCfg,
    block: B,
    /// First bit and name of each input.
    inputs: Vec<(usize, String)>,
}

impl<B: Block<In: Debug, Out: Debug> + Clone + Debug> Bench<B> {
    fn new() -> Self {
        let cfg = UnitCfg::named("tiny").unwrap();
        let mut first = 0;
        let place = |field: types::Field| {
            first += field.width as usize;
            (first - field.width as usize, field.name)
        };
        let inputs = B::In::fields(&cfg).into_iter().map(place).collect();
        let mut b = Self { block: B::new(&cfg), cfg, inputs };
        // The first input of every block is its reset.
        let reset = b.with(&[0]);
        (0..4).for_each(|_| b.block.step(&reset));
        b
    }

    /// Inputs of which these bits are set.
    fn with(&self, bits: &[usize]) -> B::In {
        let mut row = vec![0; row_words::<B::In>(&self.cfg)];
        bits.iter().for_each(|n| row[n / 64] |= 1 << (n % 64));
        B::In::unpack(&self.cfg, &row)
    }

    /// Nothing comes, and everything offered is taken.
    fn quiet(&self) -> B::In {
        let always = [
            "ready",
            "revoke_done",
            "fill_done",
            "invalidate_done",
            "drained",
            "timeout",
            "fc_ph",
            "fc_pd",
            "fc_nph",
            "fc_npd",
        ];
        let ready =
            self.inputs.iter().filter(|(_, name)| name == "sent" || always.iter().any(|end| name.ends_with(end)));
        self.with(&ready.map(|(bit, _)| *bit).collect::<Vec<_>>())
    }

    /// All that it holds and shows.
    fn state(&self) -> String {
        let mut out = B::Out::default();
        self.block.outputs(&mut out);
        format!("{:?} {out:?}", self.block)
    }

    /// An edge, at which nothing changes if the block says so; whether it did.
    fn edge(&mut self, inp: &B::In, what: &str) -> bool {
        let before = self.block.idle_until(inp).map(|until| (until, self.state()));
        self.block.step(inp);
        if let Some((until, before)) = &before {
            assert_eq!(*until, Cycle(u64::MAX));
            assert!(*before == self.state(), "changed while idle: {what}");
        }
        before.is_some()
    }

    /// Quiet inputs until it rests.
    fn rest(&mut self, what: &str) {
        let cfg = &self.cfg;
        // RAMs are cleared a set or a function a cycle, and swept so.
        let sets = cfg.atc_sets.max(cfg.functions).max(cfg.mpt_entries).max(cfg.mtt_entries);
        let limit = 3 * 1024 + 64 + sets;
        let quiet = self.quiet();
        let edges = (0..limit).take_while(|_| !self.edge(&quiet, what)).count();
        assert!(edges < limit as usize, "it never rests: {what}");
        self.edge(&quiet, what);
    }
}

/// Every input alone, with each of its payload, and behind every other input, to a block at rest. Not those that answer what was
/// not asked; and after some the block waits for more than a ready bit and need not rest again.
fn rests<B: Block<In: Debug, Out: Debug> + Clone + Debug>(answers: &[&str], waits: &[&str]) {
    let mut b = Bench::<B>::new();
    b.block.step(&b.quiet());
    b.rest("after reset");
    let rest = b.block.clone();
    let starts = |name: &str, with: &[&str]| with.iter().any(|prefix| name.starts_with(prefix));
    // Payload is zero while its valid bit is low.
    let groups: Vec<_> = b.inputs.iter().filter_map(|(bit, name)| Some((*bit, name.strip_suffix("valid")?))).collect();
    let group = |name: &str| {
        let inside = |g: &str| name.strip_prefix(g).is_some_and(|rest| rest != "valid" && rest != "ready");
        groups.iter().find(|(_, g)| inside(g)).map(|(bit, _)| *bit)
    };
    let asked = b.inputs.iter().filter(|(_, name)| !starts(name, answers));
    let cases: Vec<_> = asked.map(|(bit, name)| (b.with(&[*bit, group(name).unwrap_or(*bit)]), name.clone())).collect();
    let wakes = |inp: &B::In| rest.idle_until(inp).is_none();
    let alone: Vec<_> = cases.iter().filter(|(inp, name)| group(name).is_none() && wakes(inp)).cloned().collect();
    for (inp, name) in &cases {
        b.block = rest.clone();
        for _ in 0..4 {
            b.edge(inp, name);
        }
        // The first edge after a reset changes outputs that say what the block can take.
        b.block.step(&b.quiet());
        if !starts(name, waits) {
            b.rest(name);
        }
        for (before, other) in alone.iter().filter(|_| wakes(inp)) {
            let what = format!("{name} behind {other}");
            b.block = rest.clone();
            b.edge(before, &what);
            b.block.step(&b.quiet());
            b.edge(inp, &what);
            b.block.step(&b.quiet());
            // Twice, for what the last edge has left on an output.
            let mut idle = 0;
            for _ in 0..60 {
                idle += u32::from(b.edge(&b.quiet(), &what));
                if idle == 2 {
                    break;
                }
            }
        }
    }
}

#[test]
fn mpt_rests_until_something_comes() {
    rests::<Mpt>(&[], &[]);
}

#[test]
fn seg_rests_until_something_comes() {
    rests::<Seg>(&[], &[]);
}

#[test]
fn mtt_rests_until_something_comes() {
    rests::<Mtt>(&[], &["segment"]);
}

#[test]
fn replay_rests_until_something_comes() {
    rests::<Replay>(&["result", "page_answer"], &[]);
}

#[test]
fn atc_rests_until_something_comes() {
    rests::<Atc>(&[], &[]);
}

#[test]
fn ats_rests_until_something_comes() {
    rests::<Ats>(&[], &["flush"]);
}

#[test]
fn dma_rests_until_something_comes() {
    rests::<Dma>(&[], &[]);
}

#[test]
fn tlp_tx_rests_until_something_comes() {
    rests::<TlpTx>(&[], &["line"]);
}

#[test]
fn tlp_rx_rests_until_something_comes() {
    rests::<TlpRx>(&[], &[]);
}

#[test]
fn regs_rests_until_something_comes() {
    rests::<Regs>(&[], &[]);
}

#[test]
fn unit_rests_until_something_comes() {
    rests::<Unit>(&[], &[]);
}

/// A segment whose function was enabled just now looks again and again whether its translations of before have gone.
#[test]
fn replay_does_not_rest_while_a_segment_waits_for_its_function() {
    let mut b = Bench::<Replay>::new();
    let quiet = b.quiet();
    b.rest("after reset");
    let cfg = FunctionCfg { valid: true, bus_master: true, ats_enable: true, ..FunctionCfg::default() };
    b.edge(&ReplayIn { cfg, ..quiet }, "enable");
    b.edge(&ReplayIn { issued: SlotNote { valid: true, ..SlotNote::default() }, ..quiet }, "issue");
    let mut mapped = MappedSegment { valid: true, ..MappedSegment::default() };
    (mapped.tag.mode, mapped.tag.op, mapped.tag.length) = (Mode::Ats, Op::READ, Length(64));
    b.edge(&ReplayIn { mapped, ..quiet }, "map");
    let looked_up = |b: &mut Bench<Replay>, edges: u32| {
        (0..edges).any(|n| {
            assert!(!b.edge(&quiet, &format!("{n} edges behind")), "it waits for a note");
            let mut out = ReplayOut::default();
            b.block.outputs(&mut out);
            out.lookup.valid
        })
    };
    assert!(!looked_up(&mut b, 40));
    let invalidated = EpochNote { valid: true, enabled: true, epoch: 1, ..EpochNote::default() };
    b.edge(&ReplayIn { invalidated, ..quiet }, "note");
    assert!(looked_up(&mut b, 10));
}

/// A registration that is refused is reported, also if the report has to wait.
#[test]
fn mpt_does_not_rest_before_a_registration_is_reported() {
    for wait in [0, 20] {
        let mut b = Bench::<Mpt>::new();
        let control = TableControl { enable: true, images: 16, ..TableControl::default() };
        let quiet = MptIn { control, ..b.quiet() };
        let inp = |ready| MptIn { completion_ready: ready, ..quiet };
        (0..200).for_each(|_| _ = b.edge(&inp(true), "clear"));
        assert!(b.edge(&inp(true), "rest"));
        // No key is in a table of no entries.
        let wr = WorkRequest { valid: true, op: Op::LOCAL_INVALIDATE, ..WorkRequest::default() };
        b.edge(&MptIn { wr, ..inp(false) }, "request");
        let mut reported = 0;
        for n in 0..60 {
            b.edge(&inp(n >= wait), &format!("{n} edges behind"));
            let mut out = MptOut::default();
            b.block.outputs(&mut out);
            reported += u32::from(out.completion.valid && n + 1 >= wait);
        }
        assert_eq!(reported, 1);
        assert!(b.edge(&inp(true), "rest again"));
    }
}
