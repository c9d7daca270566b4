//! The payload of an atomic: the one group of that width.

use super::Beat;
use crate::bits::{BitReader, BitWriter};
use crate::config::UnitCfg;
use crate::ports::{Field, PortValue};

/// Operands of an atomic as they travel, up to 32 bytes: the first byte in bits 7:0, what is not used zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operands(pub [u64; 4]);

impl Operands {
    /// Puts the 64-bit words of a beat of `words` words in the place of those from `first` on; the others stay.
    pub fn put_words(&mut self, first: usize, words: usize, beat: &Beat) {
        for (word, from) in self.0.iter_mut().skip(first).zip(&beat.0[..words]) {
            *word = *from;
        }
    }
    /// The beat of `words` words that starts at word `first`.
    pub fn beat(&self, first: usize, words: usize) -> Beat {
        let mut beat = Beat::default();
        for (word, from) in beat.0[..words].iter_mut().zip(self.0.iter().skip(first)) {
            *word = *from;
        }
        beat
    }
}

impl PortValue for Operands {
    fn fields(_: &UnitCfg, name: &str, _: Option<u32>, doc: &'static str, out: &mut Vec<Field>) {
        out.push(Field { name: name.into(), width: 256, doc });
    }
    fn put(&self, _: &UnitCfg, _: Option<u32>, out: &mut BitWriter<'_>) {
        self.0.iter().for_each(|word| out.put(*word, 64));
    }
    fn get(_: &UnitCfg, _: Option<u32>, from: &mut BitReader<'_>) -> Self {
        Self(std::array::from_fn(|_| from.get(64)))
    }
}
