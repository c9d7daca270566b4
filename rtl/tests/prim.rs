//! The primitives in lockstep: rust-hdl against the twin in plain Rust, every output at every edge.
#![allow(missing_docs, unreachable_pub, reason = "a test")]

mod stimulus;

use cycle::prim::{self as twin, BufferIn};
use rtl::sim::Sim;
use stimulus::{
    LongFifo, Ram, Ram2, RamBytes, ShortFifo, Skid, Stimulus, StreamRow, drive_long_fifo, drive_ram, drive_ram_be,
    drive_ram2, drive_short_fifo, drive_skid,
};

const CYCLES: usize = 20_000;

#[test]
fn ram_1w1r() {
    let mut sim = Sim::new(Box::<Ram>::default(), |b| &mut b.clock).expect("connects");
    let mut twin = twin::Ram1w1r::<u64>::new(3);
    let mut stimulus = Stimulus::new(1);
    for k in 0..CYCLES {
        let row = stimulus.ram(3, 33, 0);
        let data: u64 = sim.cycle(|b| drive_ram(b, &row), |b| b.rd_data.val().into()).expect("settles");
        assert_eq!(data, twin.read_data(), "row {k}: {row:x?}");
        twin.step(row.write, row.read[0]);
    }
}

#[test]
fn ram_1w2r() {
    let mut sim = Sim::new(Box::<Ram2>::default(), |b| &mut b.clock).expect("connects");
    let mut twin = twin::Ram1w2r::<u64>::new(3);
    let mut stimulus = Stimulus::new(2);
    for k in 0..CYCLES {
        let row = stimulus.ram(3, 5, 0);
        let sample = |b: &Ram2| [u64::from(b.rd0_data.val()), u64::from(b.rd1_data.val())];
        let data = sim.cycle(|b| drive_ram2(b, &row), sample).expect("settles");
        assert_eq!(data, twin.read_data(), "row {k}: {row:x?}");
        twin.step(row.write, row.read);
    }
}

#[test]
fn ram_be() {
    let mut sim = Sim::new(Box::<RamBytes>::default(), |b| &mut b.clock).expect("connects");
    let mut twin = twin::RamBe::new(2);
    let mut stimulus = Stimulus::new(3);
    for k in 0..CYCLES {
        let row = stimulus.ram(2, 32, 4);
        let data: u64 = sim.cycle(|b| drive_ram_be(b, &row), |b| b.rd_data.val().into()).expect("settles");
        assert_eq!(data, twin.read_data(), "row {k}: {row:x?}");
        twin.step(row.write.map(|(address, word)| (address, word, row.bytes as u8)), row.read[0]);
    }
}

fn inputs(row: &StreamRow) -> BufferIn<u64> {
    BufferIn { reset: row.reset, in_valid: row.in_valid, in_data: row.in_data, out_ready: row.out_ready }
}

/// What a run of a stream buffer has shown.
#[derive(Debug, Default)]
struct Coverage {
    full: usize,
    empty: usize,
    passing: usize,
    resets: usize,
}

impl Coverage {
    fn add(&mut self, row: &StreamRow, ready: bool, valid: bool) {
        self.full += usize::from(!ready && valid && !row.reset);
        self.empty += usize::from(ready && !valid);
        self.passing += usize::from(ready && row.in_valid && valid && row.out_ready);
        self.resets += usize::from(row.reset);
    }

    fn check(&self) {
        let least = [self.full, self.empty, self.passing, self.resets].into_iter().min();
        assert!(least > Some(20), "the stimulus does not reach all states: {self:?}");
    }
}

/// A payload is zero while its valid is low.
fn check_payload(valid: bool, data: u64) {
    assert!(valid || data == 0);
}

#[test]
fn skid2() {
    let mut sim = Sim::new(Box::<Skid>::default(), |b| &mut b.clock).expect("connects");
    let mut twin = twin::Skid2::<u64>::new();
    let (mut stimulus, mut coverage) = (Stimulus::new(4), Coverage::default());
    for k in 0..CYCLES {
        let row = stimulus.stream(k, 8);
        let sample = |b: &Skid| (b.in_ready.val(), b.out_valid.val(), u64::from(b.out_data.val()));
        let outputs = sim.cycle(|b| drive_skid(b, &row), sample).expect("settles");
        assert_eq!(outputs, (twin.in_ready(), twin.out_valid(), twin.out_data()), "row {k}: {row:x?}");
        check_payload(outputs.1, outputs.2);
        coverage.add(&row, outputs.0, outputs.1);
        let mut idle = twin;
        idle.step(&BufferIn::default());
        assert_eq!(twin.is_settled(), idle == twin, "row {k}");
        twin.step(&inputs(&row));
    }
    coverage.check();
}

/// One FIFO in lockstep; the block types differ in their parameters, so this is a macro.
macro_rules! fifo_lockstep {
    ($block:ty, $drive:ident, $address_bits:literal, $bits:literal, $seed:literal) => {{
        let mut sim = Sim::new(Box::<$block>::default(), |b| &mut b.clock).expect("connects");
        let mut twin = twin::Fifo::<u64>::new($address_bits);
        let (mut stimulus, mut coverage) = (Stimulus::new($seed), Coverage::default());
        for k in 0..CYCLES {
            let row = stimulus.stream(k, $bits);
            let sample =
                |b: &$block| (b.in_ready.val(), b.out_valid.val(), u64::from(b.out_data.val()), b.level.val().index());
            let outputs = sim.cycle(|b| $drive(b, &row), sample).expect("settles");
            let expected = (twin.in_ready(), twin.out_valid(), twin.out_data(), twin.level());
            assert_eq!(outputs, expected, "row {k}: {row:x?}");
            check_payload(outputs.1, outputs.2);
            coverage.add(&row, outputs.0, outputs.1);
            let mut idle = twin.clone();
            idle.step(&BufferIn::default());
            assert_eq!(twin.is_settled(), idle == twin, "row {k}");
            twin.step(&inputs(&row));
        }
        coverage.check();
    }};
}

#[test]
fn fifo_of_two() {
    fifo_lockstep!(ShortFifo, drive_short_fifo, 1, 8, 5);
}

#[test]
fn fifo_of_sixteen() {
    fifo_lockstep!(LongFifo, drive_long_fifo, 4, 12, 6);
}
