//! Bit-granular cursors over rows of 64-bit words: the packed form of a port struct.

/// Writes fields one after the other, the first at bit 0 of word 0.
#[derive(Debug)]
pub struct BitWriter<'a> {
    words: &'a mut [u64],
    position: usize,
}

impl<'a> BitWriter<'a> {
    /// A writer over `words`, which it clears.
    pub fn new(words: &'a mut [u64]) -> Self {
        words.fill(0);
        Self { words, position: 0 }
    }

    /// Appends the low `width` bits of `value` (`width` ≤ 64).
    pub fn put(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 64);
        if width == 0 {
            return;
        }
        let value = value & mask(width);
        let (word, bit) = (self.position / 64, self.position % 64);
        self.words[word] |= value << bit;
        if bit + width as usize > 64 {
            self.words[word + 1] |= value >> (64 - bit);
        }
        self.position += width as usize;
    }

    /// Bits written so far.
    pub fn position(&self) -> usize {
        self.position
    }
}

/// Reads fields one after the other, the first at bit 0 of word 0.
#[derive(Debug)]
pub struct BitReader<'a> {
    words: &'a [u64],
    position: usize,
}

impl<'a> BitReader<'a> {
    /// A reader over `words`.
    pub fn new(words: &'a [u64]) -> Self {
        Self { words, position: 0 }
    }

    /// Takes the next `width` bits (`width` ≤ 64), right-aligned.
    pub fn get(&mut self, width: u32) -> u64 {
        debug_assert!(width <= 64);
        if width == 0 {
            return 0;
        }
        let (word, bit) = (self.position / 64, self.position % 64);
        let mut value = self.words[word] >> bit;
        if bit + width as usize > 64 {
            value |= self.words[word + 1] << (64 - bit);
        }
        self.position += width as usize;
        value & mask(width)
    }
}

/// A mask of the low `width` bits (`width` ≤ 64).
pub const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The number of 64-bit words that hold `bits` bits.
pub const fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Bits needed to number `count` things, at least one.
pub const fn index_bits(count: u32) -> u32 {
    if count <= 2 { 1 } else { u32::BITS - (count - 1).leading_zeros() }
}
