//! `cargo bench -p rnic-xlat-testbench`: the cycle model of `atc` beside the rust-hdl block, on one recording.
#![allow(clippy::unwrap_used, reason = "a bench that cannot run has failed")]

use divan::Bencher;
use divan::counter::ItemsCount;
use testbench::speed::AtcRows;

fn main() {
    divan::main();
}

/// The items are cycles.
#[divan::bench(sample_count = 10)]
fn cycle_model(bencher: Bencher<'_, '_>) {
    let rows = AtcRows::record(2_000).unwrap();
    bencher.counter(ItemsCount::new(20_000_u64)).bench(|| rows.cycle(10));
}

/// The items are cycles.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn rust_hdl(bencher: Bencher<'_, '_>) {
    let rows = AtcRows::record(2_000).unwrap();
    bencher.counter(ItemsCount::new(2_000_u64)).bench(|| rows.rust_hdl().unwrap());
}
