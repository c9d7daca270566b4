//! Memory that holds real bytes and costs only what is touched.

use crate::pattern::Pattern;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use types::{BusAddr, ByteCount};

const PAGE_LOG2: u32 = 12;
const PAGE: usize = 1 << PAGE_LOG2;

/// Hash of a page number: one multiply. The map is only looked up, never walked, so order cannot leak into results.
#[derive(Clone, Copy, Debug, Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u64(&mut self, n: u64) {
        let x = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = x ^ x >> 32;
    }
}

/// Sparse memory over a window of bus addresses. What was never written reads as the background pattern.
#[derive(Clone, Debug)]
pub struct Memory {
    base: u64,
    length: u64,
    background: Pattern,
    index: HashMap<u64, u32, BuildHasherDefault<PageHasher>>,
    pages: Vec<Box<[u8; PAGE]>>,
    /// The page used last, and where it is.
    last: (u64, u32),
}

impl Memory {
    /// Memory of `length` bytes from `base`.
    pub fn new(base: BusAddr, length: ByteCount, background: Pattern) -> Self {
        Self {
            base: base.0,
            length: length.0,
            background,
            index: HashMap::default(),
            pages: Vec::new(),
            last: (u64::MAX, 0),
        }
    }

    /// Whether `length` bytes from `address` lie inside.
    pub fn contains(&self, address: BusAddr, length: u64) -> bool {
        address.0.checked_sub(self.base).and_then(|o| o.checked_add(length)).is_some_and(|end| end <= self.length)
    }

    /// The pattern of what was never written; its offset is the bus address.
    pub fn background(&self) -> Pattern {
        self.background
    }

    /// Bytes that are held.
    pub fn resident(&self) -> ByteCount {
        ByteCount((self.pages.len() * PAGE) as u64)
    }

    fn page(&mut self, number: u64) -> Option<u32> {
        if self.last.0 == number {
            return Some(self.last.1);
        }
        let slot = *self.index.get(&number)?;
        self.last = (number, slot);
        Some(slot)
    }

    /// Reads `out.len()` bytes from `address`, which lie inside.
    pub fn read(&mut self, address: BusAddr, out: &mut [u8]) {
        each_page(address, out.len(), |number, offset, range| match self.page(number) {
            Some(slot) => out[range.clone()].copy_from_slice(&self.pages[slot as usize][offset..offset + range.len()]),
            None => self.background.fill((number << PAGE_LOG2) + offset as u64, &mut out[range]),
        });
    }

    /// Writes `bytes` from `address`; `enables(i)` tells whether byte i is written.
    pub fn write_enabled(&mut self, address: BusAddr, bytes: &[u8], enables: impl Fn(usize) -> bool) {
        each_page(address, bytes.len(), |number, offset, range| {
            let slot = self.make(number);
            for (place, i) in (offset..).zip(range) {
                if enables(i) {
                    self.pages[slot as usize][place] = bytes[i];
                }
            }
        });
    }

    /// Writes `bytes` from `address`, which lie inside.
    pub fn write(&mut self, address: BusAddr, bytes: &[u8]) {
        each_page(address, bytes.len(), |number, offset, range| {
            let slot = self.make(number);
            self.pages[slot as usize][offset..offset + range.len()].copy_from_slice(&bytes[range]);
        });
    }

    fn make(&mut self, number: u64) -> u32 {
        if let Some(slot) = self.page(number) {
            return slot;
        }
        let mut page = Box::new([0; PAGE]);
        self.background.fill(number << PAGE_LOG2, &mut page[..]);
        // 2^32 pages are 16 TiB of host memory: not reached.
        let slot = self.pages.len() as u32;
        self.pages.push(page);
        self.index.insert(number, slot);
        self.last = (number, slot);
        slot
    }
}

fn each_page(address: BusAddr, length: usize, mut piece: impl FnMut(u64, usize, std::ops::Range<usize>)) {
    let mut at = 0;
    while at < length {
        let address = address.0 + at as u64;
        let offset = address as usize & (PAGE - 1);
        let n = (PAGE - offset).min(length - at);
        piece(address >> PAGE_LOG2, offset, at..at + n);
        at += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_across_pages_and_the_rest_is_background() {
        let background = Pattern::background(5, 0);
        let mut memory = Memory::new(BusAddr(0x10_0000), ByteCount(0x10_0000), background);
        let data: Vec<u8> = (0..5000).map(|i| i as u8).collect();
        memory.write(BusAddr(0x10_0ff0), &data);
        let mut out = vec![0; 5032];
        memory.read(BusAddr(0x10_0fe0), &mut out);
        assert_eq!(out[16..5016], data);
        assert_eq!(background.wrong(0x10_0fe0, &out[..16]), 0);
        assert_eq!(background.wrong(0x10_0fe0 + 5016, &out[5016..]), 0);
        // 0x10_0ff0 + 5000 ends in the third page.
        assert_eq!(memory.resident(), ByteCount(3 * 4096));
    }

    #[test]
    fn byte_enables_leave_other_bytes_alone() {
        let mut memory = Memory::new(BusAddr(0), ByteCount(4096), Pattern::background(5, 0));
        memory.write(BusAddr(8), &[1, 2, 3, 4]);
        memory.write_enabled(BusAddr(8), &[9, 9, 9, 9], |i| i == 1 || i == 2);
        let mut out = [0; 4];
        memory.read(BusAddr(8), &mut out);
        assert_eq!(out, [1, 9, 9, 4]);
    }

    #[test]
    fn the_window_has_two_ends() {
        let memory = Memory::new(BusAddr(0x1000), ByteCount(0x1000), Pattern::background(5, 0));
        assert!(memory.contains(BusAddr(0x1000), 0x1000));
        assert!(!memory.contains(BusAddr(0x1000), 0x1001));
        assert!(!memory.contains(BusAddr(0xfff), 1));
        assert!(!memory.contains(BusAddr(u64::MAX), 2));
    }
}
