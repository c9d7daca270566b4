//! Two-entry buffer between two streams.

use super::BufferIn;

/// Two-entry buffer with registered ready and outputs: one entry a cycle, one cycle of latency.
///
/// `in_ready` is low during reset and in the first cycle after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skid2<T> {
    ready: bool,
    valid: bool,
    data: T,
    spare_valid: bool,
    spare: T,
}

impl<T: Copy + Default> Skid2<T> {
    /// A buffer after power-on.
    pub fn new() -> Self {
        Self::default()
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

    /// Whether the next edge changes nothing visible, given that nothing is offered or taken at it.
    pub fn is_settled(&self) -> bool {
        self.ready != self.spare_valid
    }

    /// One rising edge.
    pub fn step(&mut self, inp: &BufferIn<T>) {
        if inp.reset {
            *self = Self { spare: self.spare, ..Self::default() };
            return;
        }
        let put = inp.in_valid && self.ready;
        let open = !self.valid || inp.out_ready;
        if open {
            (self.valid, self.data) = match (self.spare_valid, put) {
                (true, _) => (true, self.spare),
                (false, true) => (true, inp.in_data),
                (false, false) => (false, T::default()),
            };
            self.spare_valid = false;
        } else if put {
            (self.spare_valid, self.spare) = (true, inp.in_data);
        }
        self.ready = !self.spare_valid;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: BufferIn<u8> = BufferIn { reset: false, in_valid: false, in_data: 0, out_ready: false };

    #[test]
    fn it_holds_two_and_then_stalls() {
        let mut skid = Skid2::new();
        skid.step(&IDLE);
        assert!(skid.in_ready());
        skid.step(&BufferIn { in_valid: true, in_data: 1, ..IDLE });
        assert_eq!((skid.in_ready(), skid.out_valid(), skid.out_data()), (true, true, 1));
        skid.step(&BufferIn { in_valid: true, in_data: 2, ..IDLE });
        assert!(!skid.in_ready());
        skid.step(&BufferIn { in_valid: true, in_data: 3, ..IDLE });
        assert_eq!(skid.out_data(), 1, "3 was not accepted");
        skid.step(&BufferIn { out_ready: true, ..IDLE });
        assert_eq!((skid.in_ready(), skid.out_data()), (true, 2));
        skid.step(&BufferIn { out_ready: true, ..IDLE });
        assert_eq!((skid.out_valid(), skid.out_data()), (false, 0));
    }

    #[test]
    fn one_entry_a_cycle_passes() {
        let mut skid = Skid2::new();
        skid.step(&IDLE);
        for k in 1..100 {
            assert!(skid.in_ready());
            skid.step(&BufferIn { in_valid: true, in_data: k, out_ready: true, reset: false });
            assert_eq!(skid.out_data(), k);
        }
    }
}
