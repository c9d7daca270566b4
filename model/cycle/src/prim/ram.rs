//! Memories with synchronous read: one write and one or two read ports, or byte enables.

/// Block RAM with one write and one read port.
///
/// The word read at an edge is on the output after it and stays until the next read. A read of the word that is written
/// at the same edge gives the old value. Zero at power-on; no reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ram1w1r<T> {
    words: Box<[T]>,
    read_data: T,
}

impl<T: Copy + Default> Ram1w1r<T> {
    /// A memory of 2^`address_bits` words.
    pub fn new(address_bits: u32) -> Self {
        Self { words: vec![T::default(); 1 << address_bits].into(), read_data: T::default() }
    }

    /// The word read last.
    pub fn read_data(&self) -> T {
        self.read_data
    }

    /// One rising edge: writes `(address, word)` and reads an address. Addresses wrap at the number of words.
    pub fn step(&mut self, write: Option<(usize, T)>, read: Option<usize>) {
        let mask = self.words.len() - 1;
        if let Some(address) = read {
            self.read_data = self.words[address & mask];
        }
        if let Some((address, word)) = write {
            self.words[address & mask] = word;
        }
    }
}

/// Block RAM with one write and two read ports, each as that of [`Ram1w1r`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ram1w2r<T> {
    words: Box<[T]>,
    read_data: [T; 2],
}

impl<T: Copy + Default> Ram1w2r<T> {
    /// A memory of 2^`address_bits` words.
    pub fn new(address_bits: u32) -> Self {
        Self { words: vec![T::default(); 1 << address_bits].into(), read_data: [T::default(); 2] }
    }

    /// The words read last, by port.
    pub fn read_data(&self) -> [T; 2] {
        self.read_data
    }

    /// One rising edge: writes `(address, word)` and reads an address at each port. Addresses wrap.
    pub fn step(&mut self, write: Option<(usize, T)>, read: [Option<usize>; 2]) {
        let mask = self.words.len() - 1;
        for (data, address) in self.read_data.iter_mut().zip(read) {
            if let Some(address) = address {
                *data = self.words[address & mask];
            }
        }
        if let Some((address, word)) = write {
            self.words[address & mask] = word;
        }
    }
}

/// Block RAM of words of up to 64 bits with byte enables; otherwise as [`Ram1w1r`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RamBe {
    words: Box<[u64]>,
    read_data: u64,
}

impl RamBe {
    /// A memory of 2^`address_bits` words.
    pub fn new(address_bits: u32) -> Self {
        Self { words: vec![0; 1 << address_bits].into(), read_data: 0 }
    }

    /// The word read last.
    pub fn read_data(&self) -> u64 {
        self.read_data
    }

    /// One rising edge: writes `(address, word, bytes)`, where bit k of `bytes` enables bits 8k+7:8k, and reads an
    /// address. Addresses wrap.
    pub fn step(&mut self, write: Option<(usize, u64, u8)>, read: Option<usize>) {
        let index_mask = self.words.len() - 1;
        if let Some(address) = read {
            self.read_data = self.words[address & index_mask];
        }
        if let Some((address, word, bytes)) = write {
            let mask = (0..8).filter(|k| bytes >> k & 1 == 1).fold(0u64, |mask, k| mask | 0xff << (8 * k));
            let old = &mut self.words[address & index_mask];
            *old = *old & !mask | word & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_at_the_edge_of_a_write_gives_the_old_word() {
        let mut ram = Ram1w1r::<u32>::new(2);
        ram.step(Some((3, 7)), Some(3));
        assert_eq!(ram.read_data(), 0);
        ram.step(Some((3, 8)), Some(3));
        assert_eq!(ram.read_data(), 7);
        ram.step(None, None);
        assert_eq!(ram.read_data(), 7, "stays until the next read");
        ram.step(None, Some(7));
        assert_eq!(ram.read_data(), 8, "7 wraps to 3");
    }

    #[test]
    fn bytes_that_are_not_enabled_stay() {
        let mut ram = RamBe::new(1);
        ram.step(Some((0, 0x1122_3344, 0b1111)), None);
        ram.step(Some((0, 0xaabb_ccdd, 0b0101)), None);
        ram.step(None, Some(0));
        assert_eq!(ram.read_data(), 0x11bb_33dd);
    }
}
