//! A beat of payload: the one group that is as wide as the data streams.

use crate::bits::{BitReader, BitWriter};
use crate::config::UnitCfg;
use crate::ports::{Field, PortValue};

/// A beat of a data stream, up to 64 bytes; byte 0 of the stream in bits 7:0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat(pub [u64; 8]);

impl Beat {
    /// The beat's bytes.
    pub fn to_bytes(self) -> [u8; 64] {
        let mut out = [0; 64];
        for (chunk, word) in out.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        out
    }
    /// A beat of up to 64 bytes, the rest zero.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut padded = [0; 64];
        padded[..bytes.len()].copy_from_slice(bytes);
        let mut out = [0; 8];
        for (word, chunk) in out.iter_mut().zip(padded.chunks_exact(8)) {
            let mut eight = [0; 8];
            eight.copy_from_slice(chunk);
            *word = u64::from_le_bytes(eight);
        }
        Self(out)
    }
}

impl PortValue for Beat {
    fn fields(cfg: &UnitCfg, name: &str, _: Option<u32>, doc: &'static str, out: &mut Vec<Field>) {
        out.push(Field { name: name.into(), width: cfg.data_bits, doc });
    }
    fn put(&self, cfg: &UnitCfg, _: Option<u32>, out: &mut BitWriter<'_>) {
        self.0[..cfg.data_bits as usize / 64].iter().for_each(|word| out.put(*word, 64));
    }
    fn get(cfg: &UnitCfg, _: Option<u32>, from: &mut BitReader<'_>) -> Self {
        let mut out = [0; 8];
        out[..cfg.data_bits as usize / 64].iter_mut().for_each(|word| *word = from.get(64));
        Self(out)
    }
}
