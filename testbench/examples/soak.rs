//! Random scenarios back to back for so many cycles, watched by everything that watches a scenario:
//! `cargo run --release -p rnic-xlat-testbench --example soak -- --cycles 100000000 --seed 1`

use std::process::ExitCode;
use std::time::Instant;
use testbench::conformance::{Tally, soak};

fn main() -> ExitCode {
    let (mut cycles, mut seed) = (100_000_000, 1);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.chunks(2) {
        let value = pair.get(1).and_then(|v| v.parse().ok());
        match (pair[0].as_str(), value) {
            ("--cycles", Some(value)) => cycles = value,
            ("--seed", Some(value)) => seed = value,
            (other, _) => {
                eprintln!("soak [--cycles N] [--seed N]; not understood: {other}");
                return ExitCode::from(2);
            }
        }
    }
    let start = Instant::now();
    let mut shown = 0;
    let progress = |tally: &Tally| {
        if tally.cycles / (cycles / 10).max(1) > shown {
            shown = tally.cycles / (cycles / 10).max(1);
            eprintln!("{tally}");
        }
    };
    match soak(cycles, seed, progress) {
        Ok(tally) => {
            let seconds = start.elapsed().as_secs_f64();
            println!("seed {seed}: {tally}; 0 violations; {seconds:.0} s");
            let missing = tally.coverage.missing();
            if !missing.is_empty() {
                println!("never reached: {}", missing.join(", "));
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("{}\n\n{}", failure.finding, failure.scenario.to_text());
            ExitCode::FAILURE
        }
    }
}
