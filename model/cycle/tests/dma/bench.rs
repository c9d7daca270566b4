//! Surroundings of `dma`: a segment source with credits, a source of message bytes, the posted buffer, a completer, sinks.

use crate::axi::{Chance, Stream, byte_of, edge, sample};
use cycle::dma::Dma;
use std::collections::{BTreeMap, VecDeque};
use types::access::{AddressType, Mode, Op, Syndrome};
use types::addr::{Length, Offset, RequesterId, StreamId, TlpAddr, WrId};
use types::bits::mask;
use types::config::{NAMED, UnitCfg};
use types::port::{
    Beat, Completion, CplBeat, DmaIn, DmaOut, FunctionCfg, Operands, PostedBeat, ReadData, ReleasedSegment, SegmentTag,
    TlpDescriptor, WriteData, WriteDataRequest,
};
use types::ports::Block;
use types::tlp::TlpOp;

/// Configuration `small` at another width.
pub(crate) fn wide(data_bits: u32) -> UnitCfg {
    UnitCfg { data_bits, ..NAMED[1].1.clone() }
}

/// The physical function with everything on, 10-bit tags.
pub(crate) fn function(mps: u32, mrrs: u32) -> FunctionCfg {
    FunctionCfg {
        valid: true,
        requester: RequesterId(0x100),
        bus_master: true,
        mps: (mps / 128).trailing_zeros() as u8,
        mrrs: (mrrs / 128).trailing_zeros() as u8,
        tag_mode: 2,
        ats_enable: true,
        atomic_enable: true,
        ..FunctionCfg::default()
    }
}

/// A whole request in one segment.
pub(crate) fn segment(op: Op, stream: u16, id: u16, address: u64, length: u32) -> ReleasedSegment {
    ReleasedSegment {
        valid: true,
        tag: SegmentTag {
            id: WrId(id),
            stream: StreamId(stream),
            op,
            first: true,
            last: true,
            length: Length(length),
            mode: Mode::Direct,
            ..SegmentTag::default()
        },
        address: TlpAddr(address),
        at: AddressType::UNTRANSLATED,
        ..ReleasedSegment::default()
    }
}

/// Byte `offset` of a message.
pub(crate) fn message(stream: StreamId, id: WrId, offset: u32) -> u8 {
    byte_of(u64::from(stream.0) << 48 | u64::from(id.0) << 32 | u64::from(offset))
}

/// Byte at `address` of the memory that reads see.
pub(crate) fn memory(address: u64) -> u8 {
    byte_of(address ^ 0x5555_0000_0000_0000)
}

/// The TLPs of a segment, found byte by byte: a new one at every 4 KiB line, and wherever the DWs touched would exceed
/// `limit` bytes.
pub(crate) fn tlps_of(address: u64, length: u32, limit: u64) -> Vec<(u64, u32)> {
    let mut out: Vec<(u64, u32)> = Vec::new();
    for byte in address..address + u64::from(length) {
        match out.last_mut() {
            Some((first, n)) if byte % 4096 != 0 && (byte / 4 - *first / 4 + 1) * 4 <= limit => *n += 1,
            _ => out.push((byte, 1)),
        }
    }
    out
}

/// A committed write TLP.
pub(crate) struct Posted {
    pub(crate) tlp: TlpDescriptor,
    pub(crate) payload: Vec<u8>,
    /// Cycles of its beats.
    pub(crate) beats: Vec<u64>,
}

/// A packet of read data.
pub(crate) struct Packet {
    pub(crate) first: ReadData,
    pub(crate) bytes: Vec<u8>,
    pub(crate) beats: Vec<u64>,
}

/// A completion TLP to be sent: header fields and payload.
#[derive(Clone)]
pub(crate) struct Cpl {
    pub(crate) head: CplBeat,
    pub(crate) payload: Vec<u8>,
    /// Beats are cut or added: the header's length is a lie.
    pub(crate) beats: Option<usize>,
}

pub(crate) struct Bench {
    pub(crate) cfg: UnitCfg,
    dut: Dma,
    pub(crate) out: DmaOut,
    pub(crate) inp: DmaIn,
    pub(crate) cycle: u64,
    pub(crate) chance: Chance,
    /// Percent of cycles in which a side is not ready, or a source has nothing.
    pub(crate) stall: u64,
    /// Sending of posted TLPs is held back.
    pub(crate) hold_sent: bool,
    /// The source of message bytes is silent.
    pub(crate) hold_write_data: bool,
    /// Completions are not taken.
    pub(crate) hold_completions: bool,
    /// Read data is not taken.
    pub(crate) hold_data: bool,
    /// The completer answers by itself.
    pub(crate) answer: bool,
    pub(crate) rcb: u64,
    pub(crate) segments: VecDeque<ReleasedSegment>,
    /// Cycle in which each segment was given.
    pub(crate) given: Vec<u64>,
    credits: [u32; 2],
    asked: VecDeque<WriteDataRequest>,
    served: u32,
    /// The source's beat was not taken.
    stuck: bool,
    collecting: Posted,
    pub(crate) posted: Vec<Posted>,
    unsent: u32,
    pub(crate) requests: Vec<(u64, WriteDataRequest)>,
    pub(crate) reads: Vec<(u64, TlpDescriptor)>,
    /// What stood beside each of them.
    pub(crate) operands: Vec<Operands>,
    /// Completions still to be sent, by tag index.
    pub(crate) answers: BTreeMap<u16, VecDeque<Cpl>>,
    /// Beats of the completion on its way.
    pub(crate) beats: VecDeque<CplBeat>,
    pub(crate) packets: Vec<Packet>,
    pub(crate) completions: Vec<(u64, Completion)>,
    pub(crate) write_sent: Vec<(u64, StreamId)>,
    pub(crate) stats: BTreeMap<&'static str, u64>,
    streams: Streams,
}

/// Monitors of write-data requests, posted beats, reads, read data and completions.
type Streams =
    (Stream<WriteDataRequest>, Stream<PostedBeat>, Stream<TlpDescriptor>, Stream<ReadData>, Stream<Completion>);

fn new_posted() -> Posted {
    Posted { tlp: TlpDescriptor::default(), payload: vec![], beats: vec![] }
}

impl Bench {
    pub(crate) fn new(cfg: UnitCfg, function: FunctionCfg, stall: u64, seed: u64) -> Self {
        assert_eq!(cfg.check(), Ok(()));
        let mut bench = Self {
            dut: Dma::new(&cfg),
            out: DmaOut::default(),
            inp: DmaIn { reset: true, ..DmaIn::default() },
            cycle: 0,
            chance: Chance::new(seed),
            stall,
            hold_sent: false,
            hold_write_data: false,
            hold_completions: false,
            hold_data: false,
            answer: true,
            rcb: 64,
            segments: VecDeque::new(),
            given: vec![],
            credits: [cfg.dma_queue(); 2],
            cfg,
            asked: VecDeque::new(),
            served: 0,
            stuck: false,
            collecting: new_posted(),
            posted: vec![],
            unsent: 0,
            requests: vec![],
            reads: vec![],
            operands: vec![],
            answers: BTreeMap::new(),
            beats: VecDeque::new(),
            packets: vec![],
            completions: vec![],
            write_sent: vec![],
            stats: BTreeMap::new(),
            streams: (
                Stream::new("write_data_request"),
                Stream::new("posted"),
                Stream::new("read"),
                Stream::new("read_data"),
                Stream::new("completion"),
            ),
        };
        bench.dut.step(&bench.inp);
        bench.inp = DmaIn { cfg: function, ..DmaIn::default() };
        bench.dut.step(&bench.inp);
        bench.inp.cfg = FunctionCfg::default();
        bench
    }

    /// Runs until the work is done; a hang fails.
    pub(crate) fn finish(&mut self, requests: usize) {
        let limit = self.cycle + 200_000;
        while self.completions.len() < requests || self.dut.idle_until(&DmaIn::default()).is_none() {
            self.tick();
            assert!(self.cycle < limit, "hang: {} of {requests} completions", self.completions.len());
        }
        assert_eq!(self.completions.len(), requests);
        assert_eq!(self.credits, [self.cfg.dma_queue(); 2], "every credit came back");
    }

    /// One cycle.
    pub(crate) fn tick(&mut self) {
        assert!(self.cycle < 500_000, "hang");
        sample(&self.dut, &mut self.out);
        let stall = self.stall;
        let mut go = || !self.chance.percent(stall);
        self.inp.posted_ready = go();
        self.inp.read_ready = go();
        self.inp.read_data_ready = go() && !self.hold_data;
        self.inp.completion_ready = go() && !self.hold_completions;
        self.inp.write_data_request_ready = go();
        self.inp.segment = ReleasedSegment::default();
        if let Some(next) = self.segments.front() {
            let credit = &mut self.credits[usize::from(next.tag.op != Op::WRITE)];
            if *credit > 0 && go() {
                *credit -= 1;
                self.inp.segment = *next;
                self.segments.pop_front();
                self.given.push(self.cycle);
            }
        }
        let more_data = go() && !self.hold_write_data || self.stuck;
        let send = go() && !self.hold_sent;
        self.drive_write_data(more_data);
        self.inp.posted_sent = send && self.unsent > 0;
        self.unsent -= u32::from(self.inp.posted_sent);
        self.drive_completions();
        self.observe();
        edge(&mut self.dut, &self.inp, &self.out);
        self.cycle += 1;
    }

    fn drive_write_data(&mut self, more: bool) {
        self.inp.write_data = WriteData::default();
        let Some(range) = self.asked.front() else { return };
        if more {
            let n = self.cfg.data_bytes().min(range.length.0 - self.served);
            let first = range.offset.0 + self.served;
            let bytes: Vec<u8> = (first..first + n).map(|o| message(range.stream, range.id, o)).collect();
            let last = self.served + n == range.length.0;
            // What lies in lanes that are not kept is nobody's.
            let bytes: Vec<u8> = bytes.into_iter().chain(std::iter::repeat(0xa5)).take(64).collect();
            self.inp.write_data = WriteData { valid: true, data: Beat::from_bytes(&bytes), keep: mask(n), last };
        }
    }

    fn drive_completions(&mut self) {
        self.inp.cpl = CplBeat::default();
        if self.beats.is_empty() && !self.answers.is_empty() && self.answer {
            let nth = self.chance.below(self.answers.len() as u64) as usize;
            let tag = *self.answers.keys().nth(nth).unwrap();
            let queue = self.answers.get_mut(&tag).unwrap();
            let cpl = queue.pop_front().unwrap();
            if queue.is_empty() {
                self.answers.remove(&tag);
            }
            self.send(&cpl);
        }
        if !self.beats.is_empty() && !self.chance.percent(self.stall) {
            self.inp.cpl = self.beats.pop_front().unwrap();
        }
    }

    /// Queues the beats of a completion.
    pub(crate) fn send(&mut self, cpl: &Cpl) {
        let width = self.cfg.data_bytes() as usize;
        let beats = cpl.beats.unwrap_or(cpl.payload.len().div_ceil(width).max(1));
        for i in 0..beats {
            let part = cpl.payload.get(i * width..).unwrap_or_default();
            let part = &part[..part.len().min(width)];
            self.beats.push_back(CplBeat {
                valid: true,
                sop: i == 0,
                eop: i + 1 == beats,
                data: Beat::from_bytes(part),
                strb: mask(part.len() as u32 / 4) as u16,
                ..cpl.head
            });
        }
    }

    /// Legal completions of a read, split at random multiples of the Read Completion Boundary (PCIe 6.x 2.3.1.1).
    pub(crate) fn complete(&mut self, read: &TlpDescriptor) -> VecDeque<Cpl> {
        if read.op != TlpOp::READ {
            // An atomic: one completion with an operand; Lower Address is reserved, and so anything.
            let bytes = 4 * u64::from(read.length_dw) / if read.op == TlpOp::CAS { 2 } else { 1 };
            let head = CplBeat {
                index: read.tag - self.cfg.tags().data as u16,
                byte_count: bytes as u16,
                lower_address: 0x55,
                length_dw: (bytes / 4) as u16,
                ..CplBeat::default()
            };
            let payload = (read.address.0..read.address.0 + bytes).map(memory).collect();
            return [Cpl { head, payload, beats: None }].into();
        }
        let first = u64::from(read.first_be.trailing_zeros() % 8 % 4);
        let start = read.address.0 + if read.first_be == 0 { 0 } else { first };
        let end_dw = read.address.0 + 4 * u64::from(read.length_dw);
        let cut = match (read.length_dw, read.last_be) {
            (1, _) => read.first_be.leading_zeros() - 4,
            (_, be) => be.leading_zeros() - 4,
        };
        let end = if read.first_be == 0 { start + 1 } else { end_dw - u64::from(cut) };
        let mut out = VecDeque::new();
        let mut from = start;
        while from < end {
            let boundary = (from / self.rcb + 1 + self.chance.below(6)) * self.rcb;
            let to = boundary.min(end);
            let payload: Vec<u8> = (from & !3..to.next_multiple_of(4)).map(memory).collect();
            out.push_back(Cpl {
                head: CplBeat {
                    index: read.tag - self.cfg.tags().data as u16,
                    byte_count: (end - from) as u16,
                    lower_address: (from & 0x7f) as u8,
                    length_dw: (payload.len() / 4) as u16,
                    ..CplBeat::default()
                },
                payload,
                beats: None,
            });
            from = to;
        }
        out
    }

    fn observe(&mut self) {
        let (o, i) = (self.out, self.inp);
        self.credits[0] += u32::from(o.write_room);
        self.credits[1] += u32::from(o.read_room);
        if o.write_sent.valid {
            self.write_sent.push((self.cycle, o.write_sent.stream));
        }
        let (request, posted, read, ..) = &mut self.streams;
        if request.observe(o.write_data_request.valid, i.write_data_request_ready, &o.write_data_request) {
            self.requests.push((self.cycle, o.write_data_request));
            self.asked.push_back(o.write_data_request);
            assert!(self.asked.len() <= 4, "at most four ranges ahead");
        }
        self.stuck = i.write_data.valid && !o.write_data_ready;
        if i.write_data.valid && o.write_data_ready {
            self.served += i.write_data.keep.count_ones();
            if i.write_data.last {
                self.asked.pop_front();
                self.served = 0;
            }
        }
        if posted.observe(o.posted.valid, i.posted_ready, &o.posted) {
            let bytes = o.posted.data.to_bytes();
            let dws = o.posted.strb.trailing_ones();
            assert_eq!(u64::from(o.posted.strb), mask(dws), "strobes are contiguous");
            self.collecting.payload.extend(&bytes[..4 * dws as usize]);
            self.collecting.beats.push(self.cycle);
            if o.posted.eop {
                self.collecting.tlp = o.posted.tlp;
                self.posted.push(std::mem::replace(&mut self.collecting, new_posted()));
                self.unsent += u32::from(o.posted.tlp.valid);
            } else {
                assert_eq!(o.posted.tlp, TlpDescriptor::default());
            }
        }
        if read.observe(o.read.valid, i.read_ready, &o.read) {
            self.reads.push((self.cycle, o.read));
            self.operands.push(o.read_operands);
            let tag = o.read.tag - self.cfg.tags().data as u16;
            assert!(u32::from(tag) < self.cfg.read_tags);
            let cpls = self.complete(&o.read);
            assert!(self.answers.insert(tag, cpls).is_none(), "tag {tag} is in flight");
        }
        let (_, _, _, data, completion) = &mut self.streams;
        if data.observe(o.read_data.valid, i.read_data_ready, &o.read_data) {
            let n = o.read_data.keep.trailing_ones();
            assert_eq!(o.read_data.keep, mask(n), "keep is contiguous");
            let width = self.cfg.data_bytes();
            assert!(n == width || o.read_data.last, "only the last beat is short");
            let bytes = &o.read_data.data.to_bytes()[..n as usize];
            match self.packets.last_mut() {
                Some(packet) if !packet.first.last => {
                    let (a, b) = (&packet.first, &o.read_data);
                    assert_eq!((a.stream, a.id, a.offset), (b.stream, b.id, b.offset));
                    packet.first.last = b.last;
                    packet.bytes.extend(bytes);
                    packet.beats.push(self.cycle);
                }
                _ => {
                    self.packets.push(Packet { first: o.read_data, bytes: bytes.into(), beats: vec![self.cycle] });
                }
            }
        }
        if completion.observe(o.completion.valid, i.completion_ready, &o.completion) {
            self.completions.push((self.cycle, o.completion));
        }
        for (name, hit) in [
            ("write_tlp", o.stat_write_tlp),
            ("read_tlp", o.stat_read_tlp),
            ("completion_tlp", o.stat_completion_tlp),
            ("unexpected", o.stat_unexpected_completion),
            ("done", o.stat_done),
            ("error", o.stat_error),
            ("stall_tag", o.stat_stall_tag),
            ("stall_buffer", o.stat_stall_buffer),
        ] {
            *self.stats.entry(name).or_default() += u64::from(hit);
        }
    }

    /// Every completion so far, as stream, request and outcome.
    pub(crate) fn outcomes(&self) -> Vec<(u16, u16, Syndrome)> {
        self.completions.iter().map(|(_, c)| (c.stream.0, c.id.0, c.syndrome)).collect()
    }
}

/// The offset of a segment inside its message.
pub(crate) fn at_offset(mut segment: ReleasedSegment, offset: u32, first: bool, last: bool) -> ReleasedSegment {
    segment.tag.message_offset = Offset(offset);
    segment.tag.first = first;
    segment.tag.last = last;
    segment
}

/// Twelve messages of up to three segments at unrelated addresses, many near 4 KiB lines.
pub(crate) fn random_messages(op: Op, seed: u64) -> Vec<ReleasedSegment> {
    let mut chance = Chance::new(seed);
    let mut out = vec![];
    for id in 0..12 {
        let (stream, parts) = (chance.below(8) as u16, 1 + chance.below(3));
        let mut offset = 0;
        for part in 0..parts {
            let largest = [8, 300, 5000][chance.below(3) as usize];
            let length = 1 + chance.below(largest) as u32;
            let low = match chance.below(3) {
                0 => chance.below(4096),
                1 => chance.below(4),
                _ => 4092 + chance.below(4),
            };
            let address = chance.below(1 << 20) << 12 | low;
            out.push(at_offset(segment(op, stream, id, address, length), offset, part == 0, part + 1 == parts));
            offset += length;
        }
    }
    out
}
