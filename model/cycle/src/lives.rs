//! Function-level resets, so that nothing a request of before one has asked for leaves after it.
//!
//! A function's life is named by the number of its resets, 8 bits: it is named again after 256 of them, each of which takes
//! a function 100 ms (PCIe 6.x 6.6.2). `mpt` stamps a request with it; whoever holds the request compares.

use types::FunctionId;
use types::port::FunctionCfg;

/// The lives of every function.
#[derive(Clone, Debug)]
pub struct Lives(Box<[u8]>);

impl Lives {
    /// Every function in its first life.
    pub fn new(functions: u32) -> Self {
        Self(vec![0; functions as usize].into())
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.0.fill(0);
    }

    /// The life a function is in.
    pub fn of(&self, function: FunctionId) -> u8 {
        self.0.get(usize::from(function.0)).copied().unwrap_or_default()
    }

    /// A function's configuration: a reset begins another life.
    pub fn configure(&mut self, cfg: &FunctionCfg) {
        if cfg.valid
            && cfg.reset
            && let Some(life) = self.0.get_mut(usize::from(cfg.function.0))
        {
            *life = life.wrapping_add(1);
        }
    }
}
