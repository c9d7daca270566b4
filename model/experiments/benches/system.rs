//! `cargo bench -p rnic-xlat-experiments`: the whole system, one core.
#![allow(clippy::unwrap_used, reason = "a bench that cannot run has failed")]

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use experiments::Model;
use experiments::speed::{SmallRequests, messages};
use types::Mode;

fn main() {
    divan::main();
}

fn model(preset: &str, sets: &[&str]) -> Model {
    Model::load(preset, &sets.iter().map(|s| (*s).to_string()).collect::<Vec<_>>()).unwrap()
}

/// Messages of 1 MiB at line rate: the items are cycles of the unit.
#[divan::bench(args = ["stellar-emtt", "stellar-ats", "stellar-emtt traffic.op=read"], sample_count = 10)]
fn streaming(bencher: Bencher<'_, '_>, what: &str) {
    let words: Vec<&str> = what.split(' ').collect();
    let model = model(words[0], &words[1..]).every_cycle();
    let cycles = messages(&model, 1 << 20, 2).unwrap().cycles;
    bencher.counter(ItemsCount::new(cycles)).bench(|| messages(black_box(&model), 1 << 20, 2).unwrap());
}

/// The same line at a tenth of its rate, with every cycle simulated and without the idle ones.
#[divan::bench(args = [false, true], sample_count = 10)]
fn a_tenth_of_the_line(bencher: Bencher<'_, '_>, every_cycle: bool) {
    let model = model("stellar-emtt", &["traffic.line_gbps=20"]);
    let model = if every_cycle { model.every_cycle() } else { model };
    let cycles = messages(&model, 64 << 10, 2).unwrap().cycles;
    bencher.counter(ItemsCount::new(cycles)).bench(|| messages(black_box(&model), 64 << 10, 2).unwrap());
}

/// Requests of 64 bytes whose translations are in the unit: the items are requests.
#[divan::bench(args = [Mode::Ats, Mode::Emtt], sample_count = 10)]
fn small_requests(bencher: Bencher<'_, '_>, mode: Mode) {
    let mut small = SmallRequests::warm(mode).unwrap();
    bencher.counter(ItemsCount::new(20_000_u64)).bench_local(|| small.run(20_000).unwrap());
}

/// One message of a size, system and all: the host's time for a byte.
#[divan::bench(args = [100_000, 1_000_000, 10_000_000], sample_count = 5)]
fn one_message(bencher: Bencher<'_, '_>, bytes: u64) {
    let model = model("stellar-emtt", &[]);
    bencher.counter(BytesCount::new(bytes)).bench(|| messages(black_box(&model), bytes, 0).unwrap());
}
