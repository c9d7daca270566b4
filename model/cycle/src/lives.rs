//! Function-level resets, so that nothing a request of before one has asked for leaves after it.
//!
//! A function's life is named by the number of its resets, 8 bits: it is named again after 256 of them, each of which takes
//! a function 100 ms (PCIe 6.x 6.6.2). `mpt` stamps a request with it; whoever holds the request compares.

use types::FunctionId;
use types::port::{EpochNote, FunctionCfg};

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

/// Functions whose ATS Enable was set, or that were reset, and whose translations of before have not gone yet: `ats` has them
/// dropped behind the invalidations that wait. Nothing is looked up or committed by a translation of such a function.
#[derive(Clone, Debug)]
pub struct Enabling(Box<[(bool, u8)]>);

impl Enabling {
    /// Every function with ATS Enable clear.
    pub fn new(functions: u32) -> Self {
        Self(vec![(false, 0); functions as usize].into())
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.0.fill((false, 0));
    }

    /// Whether translations of before are still to go.
    pub fn under_way(&self, function: FunctionId) -> bool {
        self.0.get(usize::from(function.0)).is_some_and(|(_, drops)| *drops > 0)
    }

    /// A function's configuration, which may have its translations dropped (PCIe 6.x 10.3.7).
    pub fn configure(&mut self, cfg: &FunctionCfg) {
        if cfg.valid
            && let Some((on, drops)) = self.0.get_mut(usize::from(cfg.function.0))
        {
            *drops += u8::from(cfg.reset || cfg.ats_enable && !*on);
            *on = cfg.ats_enable;
        }
    }

    /// An invalidation epoch begins.
    pub fn note(&mut self, note: &EpochNote) {
        if note.valid
            && note.enabled
            && let Some((_, drops)) = self.0.get_mut(usize::from(note.function.0))
        {
            *drops = drops.saturating_sub(1);
        }
    }
}
