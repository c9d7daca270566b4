//! A fixed amount of simulation, for counting instructions: `docs/development/speed.md` has the commands and the counts.
//!
//! `fixed_run PRESET [A.B=VALUE...]`: 16 messages of 1 MiB after one that warms up, every cycle simulated.

use experiments::Model;
use experiments::speed::messages;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().ok_or("give a preset, such as stellar-emtt")?;
    let sets: Vec<String> = arguments.collect();
    let time = messages(&Model::load(&preset, &sets)?.every_cycle(), 1 << 20, 16)?;
    println!("{} cycles, {} bytes", time.cycles, time.moved);
    Ok(())
}
