//! Accesses judged again, when what they were for is over before the answer comes.

use crate::bench::{function, segment};
use cycle::dma::Dma;
use types::access::{AddressType, Mode, Op, Syndrome};
use types::addr::{FunctionId, TlpAddr};
use types::config::NAMED;
use types::port::{CplBeat, DmaIn, DmaOut, EpochNote, ReleasedSegment, Retranslated, TlpDescriptor};
use types::ports::Block;
use types::tlp::status;

struct Bench {
    dma: Dma,
    inp: DmaIn,
    reads: Vec<TlpDescriptor>,
    asked: usize,
    done: Vec<(u16, Syndrome)>,
}

impl Bench {
    fn new() -> Self {
        let inp = DmaIn { read_ready: true, read_data_ready: true, completion_ready: true, ..DmaIn::default() };
        // `tiny` has four read tags.
        let mut b = Self { dma: Dma::new(&NAMED[0].1), inp, reads: Vec::new(), asked: 0, done: Vec::new() };
        b.inp.cfg = function(128, 128);
        b.cycles(1);
        b.inp.cfg.valid = false;
        // Its translations of before are gone.
        b.inp.invalidated = EpochNote { valid: true, enabled: true, ..EpochNote::default() };
        b.cycles(1);
        b.inp.invalidated = EpochNote::default();
        b
    }

    fn cycles(&mut self, n: usize) {
        for _ in 0..n {
            let mut out = DmaOut::default();
            self.dma.outputs(&mut out);
            if out.read.valid {
                self.reads.push(out.read);
            }
            self.asked += usize::from(out.retranslate.valid);
            if out.completion.valid {
                self.done.push((out.completion.id.0, out.completion.syndrome));
            }
            self.dma.step(&self.inp);
            (self.inp.segment, self.inp.cpl) = (ReleasedSegment::default(), CplBeat::default());
            self.inp.retranslated = Retranslated::default();
        }
    }

    fn refuse(&mut self, index: u16) {
        let cpl = CplBeat {
            valid: true,
            index,
            sop: true,
            eop: true,
            status: status::UR,
            byte_count: 128,
            ..CplBeat::default()
        };
        self.inp.cpl = cpl;
        self.cycles(1);
    }
}

fn translated(id: u16, address: u64, length: u32, epoch: u32) -> ReleasedSegment {
    let mut s = segment(Op::READ, 0, id, address, length);
    (s.tag.mode, s.at, s.epoch) = (Mode::Ats, AddressType::TRANSLATED, epoch);
    s
}

#[test]
fn an_answer_is_not_for_the_segment_behind_the_one_that_asked() {
    for syndrome in [Syndrome::OK, Syndrome::TRANSLATION_ACCESS] {
        let mut b = Bench::new();
        b.inp.segment = translated(1, 0x10_0000, 1024, 0);
        b.cycles(10);
        assert_eq!((b.reads.len(), b.asked), (4, 0), "four tags are out");
        // An invalidation passes: the rest of the segment asks.
        b.inp.invalidated = EpochNote { valid: true, function: FunctionId(0), epoch: 1, ..EpochNote::default() };
        b.cycles(1);
        b.inp.invalidated = EpochNote::default();
        b.cycles(4);
        assert_eq!(b.asked, 1);
        // The reads are refused, so that its request ends; the next one has to ask for itself.
        b.inp.segment = translated(2, 0x20_0000, 128, 0);
        for tag in 0..4 {
            b.refuse(tag);
        }
        b.cycles(4);
        let answer = |syndrome, address| Retranslated {
            valid: true,
            engine: true,
            syndrome,
            address: TlpAddr(address),
            at: AddressType::TRANSLATED,
            epoch: 1,
            ..Retranslated::default()
        };
        b.inp.retranslated = answer(syndrome, 0x30_0000);
        b.cycles(10);
        assert_eq!((b.reads.len(), b.asked), (4, 2), "{syndrome}");
        b.inp.retranslated = answer(Syndrome::OK, 0x40_0000);
        b.cycles(10);
        assert_eq!(b.reads.get(4).map(|r| r.address), Some(TlpAddr(0x40_0000)), "{syndrome}");
        b.refuse(b.reads[4].tag - NAMED[0].1.tags().data as u16);
        b.cycles(20);
        assert_eq!(b.done, [(1, Syndrome::UNSUPPORTED_REQUEST), (2, Syndrome::UNSUPPORTED_REQUEST)], "{syndrome}");
    }
}
