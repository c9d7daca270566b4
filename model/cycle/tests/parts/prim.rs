//! Primitives beside queues and arrays, under any load.

use crate::axi::Chance;
use cycle::prim::{BufferIn, Fifo, Ram1w1r, Ram1w2r, RamBe, Skid2};
use std::collections::VecDeque;

/// What both buffers show.
trait Buffer: Clone + PartialEq {
    fn shows(&self) -> (bool, bool, u32);
    fn settled(&self) -> bool;
    fn edge(&mut self, inp: &BufferIn<u32>);
}

impl Buffer for Fifo<u32> {
    fn shows(&self) -> (bool, bool, u32) {
        (self.in_ready(), self.out_valid(), self.out_data())
    }
    fn settled(&self) -> bool {
        self.is_settled()
    }
    fn edge(&mut self, inp: &BufferIn<u32>) {
        self.step(inp);
    }
}

impl Buffer for Skid2<u32> {
    fn shows(&self) -> (bool, bool, u32) {
        (self.in_ready(), self.out_valid(), self.out_data())
    }
    fn settled(&self) -> bool {
        self.is_settled()
    }
    fn edge(&mut self, inp: &BufferIn<u32>) {
        self.step(inp);
    }
}

/// What goes in comes out, in order; full at `depth`; settled means that nothing changes by itself.
fn carries<B: Buffer>(new: impl Fn() -> B, depth: usize, level: impl Fn(&B) -> Option<usize>) {
    let mut chance = Chance::new(3);
    let quiet = BufferIn { reset: false, in_valid: false, in_data: 0, out_ready: false };
    for (fills, drains) in [(50, 50), (90, 20), (20, 90), (100, 100), (100, 0), (0, 100), (60, 60)] {
        let (mut b, mut held, mut full) = (new(), VecDeque::new(), 0);
        for n in 0..400 {
            let reset = n == 200;
            let (ready, valid, data) = b.shows();
            let mut next = b.clone();
            next.edge(&quiet);
            assert_eq!(b.settled(), next == b, "settled is what does not change");
            let inp =
                BufferIn { reset, in_valid: chance.percent(fills), in_data: 1 + n, out_ready: chance.percent(drains) };
            assert!(valid || data == 0);
            assert_eq!(level(&b).unwrap_or(held.len()), held.len());
            full += usize::from(held.len() == depth);
            assert!(!ready || held.len() < depth, "no room is promised");
            if valid && inp.out_ready {
                assert_eq!(Some(data), held.pop_front());
            }
            if ready && inp.in_valid {
                held.push_back(inp.in_data);
            }
            b.edge(&inp);
            if reset {
                held.clear();
                assert_eq!(b.shows(), (false, false, 0));
            }
        }
        assert!(fills < 100 || drains > 0 || full > 100, "it was full");
    }
}

#[test]
fn a_fifo_is_a_queue_of_its_depth() {
    for bits in [1, 2, 4] {
        carries(|| Fifo::new(bits), 1 << bits, |fifo| Some(fifo.level()));
    }
}

#[test]
fn a_skid_buffer_is_a_queue_of_two() {
    carries(Skid2::new, 2, |_| None);
}

/// A read gives what was written before its edge, and stays; addresses wrap.
#[test]
fn memories_are_arrays_that_are_read_before_they_are_written() {
    let mut chance = Chance::new(5);
    let (mut one, mut two, mut bytes) = (Ram1w1r::<u64>::new(3), Ram1w2r::<u64>::new(3), RamBe::new(3));
    let (mut words, mut byte_words) = ([0_u64; 8], [0_u64; 8]);
    let (mut seen, mut seen_bytes) = ([0_u64; 2], 0);
    for n in 1..2000_u64 {
        let address = |chance: &mut Chance| chance.percent(70).then(|| chance.below(24) as usize);
        let (write, reads) = (address(&mut chance), [address(&mut chance), address(&mut chance)]);
        let word = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let enables = chance.below(256) as u8;
        for (seen, read) in seen.iter_mut().zip(reads) {
            *seen = read.map_or(*seen, |at| words[at % 8]);
        }
        seen_bytes = reads[0].map_or(seen_bytes, |at| byte_words[at % 8]);
        if let Some(at) = write {
            words[at % 8] = word;
            let (mut old, new) = (byte_words[at % 8].to_le_bytes(), word.to_le_bytes());
            (0..8).filter(|k| enables >> k & 1 == 1).for_each(|k| old[k] = new[k]);
            byte_words[at % 8] = u64::from_le_bytes(old);
        }
        one.step(write.map(|at| (at, word)), reads[0]);
        two.step(write.map(|at| (at, word)), reads);
        bytes.step(write.map(|at| (at, word, enables)), reads[0]);
        assert_eq!((one.read_data(), two.read_data(), bytes.read_data()), (seen[0], seen, seen_bytes));
    }
}
