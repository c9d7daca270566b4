//! First-in first-out buffer in block RAM.

use super::{BufferIn, Ram1w1r};

/// First-in first-out buffer of 2^`address_bits` entries with registered ready and outputs: one entry a cycle, three
/// cycles from an empty buffer's input to its output (RAM, its read register, the output register).
///
/// `in_ready` is low during reset and in the first cycle after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fifo<T> {
    ram: Ram1w1r<T>,
    depth: usize,
    wr_ptr: usize,
    rd_ptr: usize,
    fetched: bool,
    valid: bool,
    data: T,
    level: usize,
    ready: bool,
}

impl<T: Copy + Default> Fifo<T> {
    /// An empty buffer of 2^`address_bits` entries, `address_bits` ≥ 1.
    pub fn new(address_bits: u32) -> Self {
        Self {
            ram: Ram1w1r::new(address_bits),
            depth: 1 << address_bits,
            wr_ptr: 0,
            rd_ptr: 0,
            fetched: false,
            valid: false,
            data: T::default(),
            level: 0,
            ready: false,
        }
    }

    /// Input stream: an entry offered now is accepted.
    pub fn in_ready(&self) -> bool {
        self.ready
    }

    /// Output stream: an entry is offered.
    pub fn out_valid(&self) -> bool {
        self.valid
    }

    /// Output stream: the entry; zero while none is offered.
    pub fn out_data(&self) -> T {
        self.data
    }

    /// Entries held.
    pub fn level(&self) -> usize {
        self.level
    }

    /// Whether the next edge changes nothing visible, given that nothing is offered or taken at it.
    pub fn is_settled(&self) -> bool {
        let moving = self.fetched && !self.valid || self.wr_ptr != self.rd_ptr && !self.fetched;
        !moving && self.ready == (self.level != self.depth)
    }

    /// One rising edge.
    pub fn step(&mut self, inp: &BufferIn<T>) {
        let put = inp.in_valid && self.ready;
        let take = self.valid && inp.out_ready;
        let load = self.fetched && (!self.valid || take);
        let fetch = self.wr_ptr != self.rd_ptr && (!self.fetched || load);
        let read_data = self.ram.read_data();
        // The memory has no reset.
        self.ram.step(put.then_some((self.wr_ptr, inp.in_data)), fetch.then_some(self.rd_ptr));
        if inp.reset {
            (self.wr_ptr, self.rd_ptr, self.level) = (0, 0, 0);
            (self.fetched, self.valid, self.data, self.ready) = (false, false, T::default(), false);
            return;
        }
        let mask = self.depth - 1;
        self.wr_ptr = (self.wr_ptr + usize::from(put)) & mask;
        self.rd_ptr = (self.rd_ptr + usize::from(fetch)) & mask;
        self.fetched = fetch || self.fetched && !load;
        if load {
            (self.valid, self.data) = (true, read_data);
        } else if take {
            (self.valid, self.data) = (false, T::default());
        }
        self.level = self.level + usize::from(put) - usize::from(take);
        self.ready = self.level != self.depth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: BufferIn<u8> = BufferIn { reset: false, in_valid: false, in_data: 0, out_ready: false };

    #[test]
    fn three_cycles_from_input_to_output() {
        let mut fifo = Fifo::new(2);
        fifo.step(&IDLE);
        fifo.step(&BufferIn { in_valid: true, in_data: 5, ..IDLE });
        for _ in 0..2 {
            assert!(!fifo.out_valid() && !fifo.is_settled());
            fifo.step(&IDLE);
        }
        assert_eq!((fifo.out_valid(), fifo.out_data(), fifo.is_settled()), (true, 5, true));
    }

    #[test]
    fn it_holds_its_depth_and_keeps_order_at_one_entry_a_cycle() {
        let mut fifo = Fifo::new(2);
        fifo.step(&IDLE);
        let mut accepted = 0;
        for k in 1..=10 {
            accepted += usize::from(fifo.in_ready());
            fifo.step(&BufferIn { in_valid: true, in_data: k, ..IDLE });
        }
        assert_eq!((accepted, fifo.level(), fifo.in_ready()), (4, 4, false));
        let mut seen = vec![];
        for _ in 0..4 {
            assert!(fifo.out_valid());
            seen.push(fifo.out_data());
            fifo.step(&BufferIn { out_ready: true, ..IDLE });
        }
        assert_eq!(seen, [1, 2, 3, 4]);
        assert_eq!((fifo.level(), fifo.out_valid(), fifo.out_data()), (0, false, 0));
    }
}
