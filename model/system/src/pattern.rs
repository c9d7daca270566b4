//! Test data: bytes that follow from a key and an offset, so that nothing has to be remembered to check them.

/// Names one sequence of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern(u64);

impl Pattern {
    /// The data of message `message` of queue pair `qp` under `seed`.
    pub fn message(seed: u64, qp: u16, message: u64) -> Self {
        Self(mix(seed ^ mix(message.wrapping_mul(0x1_0000).wrapping_add(u64::from(qp) + 1))))
    }
    /// What memory number `memory` holds where nothing was written yet; the offset is the bus address.
    pub fn background(seed: u64, memory: u64) -> Self {
        Self(mix(seed ^ mix(!memory)))
    }

    #[inline]
    fn word(self, index: u64) -> u64 {
        mix(self.0 ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Writes the bytes from `offset` on into `out`.
    pub fn fill(self, offset: u64, out: &mut [u8]) {
        self.each(offset, out.len(), |range, bytes| out[range].copy_from_slice(bytes));
    }

    /// How many of `bytes` differ from the pattern's bytes from `offset` on.
    pub fn wrong(self, offset: u64, bytes: &[u8]) -> u64 {
        let mut wrong = 0;
        self.each(offset, bytes.len(), |range, expected| {
            if bytes[range.clone()] != *expected {
                wrong += bytes[range].iter().zip(expected).filter(|(a, b)| a != b).count() as u64;
            }
        });
        wrong
    }

    #[inline]
    fn each(self, offset: u64, length: usize, mut piece: impl FnMut(std::ops::Range<usize>, &[u8])) {
        let mut at = 0;
        let mut index = offset / 8;
        let skip = (offset % 8) as usize;
        if skip != 0 {
            let n = (8 - skip).min(length);
            piece(0..n, &self.word(index).to_le_bytes()[skip..skip + n]);
            at = n;
            index += 1;
        }
        while at + 8 <= length {
            piece(at..at + 8, &self.word(index).to_le_bytes());
            at += 8;
            index += 1;
        }
        if at < length {
            piece(at..length, &self.word(index).to_le_bytes()[..length - at]);
        }
    }
}

/// One round of a multiply and shift mixer: neighbouring words differ in about half of their bits.
#[inline]
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ x >> 29).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_piece_of_a_pattern_equals_that_piece_of_the_whole() {
        let pattern = Pattern::message(7, 3, 11);
        let mut whole = [0; 200];
        pattern.fill(0, &mut whole);
        for (offset, length) in [(0, 200), (1, 7), (3, 3), (5, 64), (8, 8), (13, 100), (199, 1), (64, 0)] {
            let mut piece = vec![0; length];
            pattern.fill(offset as u64, &mut piece);
            assert_eq!(piece, whole[offset..offset + length], "offset {offset}, length {length}");
            assert_eq!(pattern.wrong(offset as u64, &piece), 0);
        }
    }

    #[test]
    fn wrong_counts_each_byte_that_differs() {
        let pattern = Pattern::message(1, 0, 0);
        let mut bytes = [0; 64];
        pattern.fill(3, &mut bytes);
        for i in [0, 5, 6, 63] {
            bytes[i] ^= 0x10;
        }
        assert_eq!(pattern.wrong(3, &bytes), 4);
    }

    #[test]
    fn another_message_shares_few_bytes() {
        let mut bytes = [0; 4096];
        Pattern::message(1, 0, 0).fill(0, &mut bytes);
        // Independent bytes agree in 1 of 256 cases: 16 of 4096; 64 is more than ten standard deviations away.
        assert!(Pattern::message(1, 0, 1).wrong(0, &bytes) > 4096 - 64);
        assert!(Pattern::message(1, 0, 0).wrong(8, &bytes) > 4096 - 64);
    }
}
