//! A correct unit, written down as simply as can be, with random requests, pages, cuts and interleavings: the judge accepts
//! all of it, and refuses it as soon as one TLP differs.

use crate::trace::{AT_00, AT_10, Request, START, Trace, VF, entry, page_address, region, request};
use golden::Violation;
use proptest::prelude::*;
use std::collections::BTreeMap;
use types::port::WorkRequest;
use types::tlp::status;
use types::{AddressType, Event, Mode, Offset, Op, Owner, StreamId, Syndrome, WrId};

/// What a faulty unit does to one of its TLPs.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// AT 00 instead of 10, or the other way round.
    AddressType,
    /// The neighbouring DW.
    Address,
    /// Another page.
    Page,
    /// One byte enable less at the front.
    ByteEnable,
    /// A bit of the first enabled byte flipped; in a read, of the data that is handed over.
    Data,
    /// The TLP is left out.
    Missing,
    /// The TLP is sent twice.
    Twice,
}

/// One request of the plan, how it is cut, and its message.
#[derive(Clone, Debug)]
struct Job {
    wr: WorkRequest,
    cut: u32,
    seed: u8,
}

impl Job {
    /// Byte `i` of the message: differs between jobs.
    fn byte(&self, i: u32) -> u8 {
        (i ^ i >> 8).wrapping_mul(151).wrapping_add(u32::from(self.seed) * 29) as u8
    }
    fn bytes(&self, from: u32, length: u32) -> Vec<u8> {
        (from..from + length).map(|i| self.byte(i)).collect()
    }
}

prop_compose! {
    fn job(id: u16)(write in any::<bool>(), stream in 1u16..4, offset in 0u64..0x4000, length in 0u32..0x1800, cut in 1u32..0x900, seed in any::<u8>()) -> Job {
        let length = length.min(0x4000 - offset as u32);
        let op = if write { Op::WRITE } else { Op::READ };
        Job { wr: WorkRequest { stream: StreamId(stream), ..request(op, id, offset, length) }, cut, seed }
    }
}

/// The unit: the progress of each job, and the judge that watches.
struct Unit<'a> {
    jobs: &'a [Job],
    owners: [Owner; 4],
    trace: Trace,
    sent: Vec<u32>,
    finished: Vec<bool>,
    tags: u16,
    /// Per stream, the last write that no flush has followed.
    written: BTreeMap<StreamId, (AddressType, u64)>,
    /// Per job, the path of its last write, and whether it changed.
    paths: Vec<(Option<AddressType>, bool)>,
}

impl Unit<'_> {
    fn zero_length(&mut self, at: AddressType, address: u64) -> Result<(), Violation> {
        self.tags += 1;
        self.trace.out(&Request { first_be: 0, ..Request::read(at, address & !3, 4, self.tags) })?;
        self.trace.complete(self.tags, 1, &[0; 4]);
        Ok(())
    }

    fn flush(&mut self, stream: StreamId) -> Result<(), Violation> {
        match self.written.remove(&stream) {
            Some((at, address)) => self.zero_length(at, address),
            None => Ok(()),
        }
    }

    /// The next step of job `i`, if its stream's order allows one.
    fn step(&mut self, i: usize, fault: Option<Fault>) -> Result<bool, Violation> {
        let job = &self.jobs[i];
        let (stream, id, write) = (job.wr.stream, job.wr.id, job.wr.op == Op::WRITE);
        let earlier = |j: usize| self.jobs[j].wr.stream == stream && (!write || self.jobs[j].wr.op == Op::WRITE);
        if self.finished[i] || (0..i).any(|j| earlier(j) && !self.finished[j]) {
            return Ok(false);
        }
        let from = self.sent[i];
        if from == job.wr.length.0 {
            // A read of no bytes, and the last flush of a message that changed its path.
            if !write && from == 0 {
                let page = (job.wr.va.0 - START) >> 12;
                let at = if self.owners[page as usize] == Owner::Gpu { AT_10 } else { AT_00 };
                self.zero_length(at, page_address(page) | job.wr.va.0 & 0xfff)?;
            } else if write && self.paths[i].1 {
                self.flush(stream)?;
            }
            self.finished[i] = true;
            self.trace.observe(Event::MessageDone { stream, id, syndrome: Syndrome::OK })?;
            return Ok(true);
        }
        let va = job.wr.va.0 + u64::from(from);
        let length = job.cut.min(job.wr.length.0 - from).min(4096 - (va & 0xfff) as u32);
        let page = (va - START) >> 12;
        let at = if self.owners[page as usize] == Owner::Gpu { AT_10 } else { AT_00 };
        let address = page_address(page) | va & 0xfff;
        let bytes = job.bytes(from, length);
        if self.written.get(&stream).is_some_and(|(path, _)| *path != at) {
            self.flush(stream)?;
        }
        if write {
            self.written.insert(stream, (at, address));
            let (last, changed) = &mut self.paths[i];
            *changed |= last.replace(at).is_some_and(|last| last != at);
        }
        self.tags += 1;
        let mut tlp =
            if write { Request::write(at, address, &bytes) } else { Request::read(at, address, length, self.tags) };
        let (mut copies, mut wrong_data) = (1, false);
        match fault {
            Some(Fault::AddressType) => tlp.at.0 ^= 0b10,
            Some(Fault::Address) => tlp.address ^= 4,
            Some(Fault::Page) => tlp.address ^= 0x1000,
            Some(Fault::ByteEnable) if tlp.length_dw > 1 && tlp.first_be != 0x8 => {
                tlp.first_be &= tlp.first_be - 1;
            }
            Some(Fault::Data) if write => tlp.payload[(address & 3) as usize] ^= 0x10,
            Some(Fault::Data) => wrong_data = true,
            Some(Fault::Missing | Fault::ByteEnable) => copies = 0,
            Some(Fault::Twice) => copies = 2,
            None => {}
        }
        for copy in 0..copies {
            let tag = tlp.tag + 1000 * copy;
            self.trace.out(&Request { tag, ..tlp.clone() })?;
            if !write {
                let mut data = vec![0xdd; 4 * usize::from(tlp.length_dw)];
                data[(address & 3) as usize..][..bytes.len()].copy_from_slice(&bytes);
                self.trace.complete_as(VF, tag, status::SC, length as u16, &data, false);
            }
        }
        if !write && copies > 0 {
            let mut bytes = bytes;
            bytes[0] ^= u8::from(wrong_data);
            self.trace.observe(Event::ReadData { stream, id, offset: Offset(from), bytes: &bytes })?;
        }
        self.sent[i] += length;
        Ok(true)
    }
}

/// Runs the unit over `jobs`, choosing among them by `choices`; the `k`-th TLP has the fault. Whether it was applied.
fn run(jobs: &[Job], owners: [Owner; 4], choices: &[u8], fault: Option<(usize, Fault)>) -> Result<bool, Violation> {
    let mut trace = Trace::bare();
    let usual = region(Mode::Emtt);
    trace.map(&usual);
    for (page, owner) in (0..).zip(owners) {
        trace.page(page, entry(page_address(page), owner));
    }
    // The first owners were never in force for a request.
    trace.ok(Event::RevocationStarted { key: crate::trace::KEY });
    trace.ok(Event::RevocationReported { key: crate::trace::KEY });
    for job in jobs {
        trace.accept(job.wr);
        if job.wr.op == Op::WRITE {
            let (bytes, stream, id) = (job.bytes(0, job.wr.length.0), job.wr.stream, job.wr.id);
            trace.ok(Event::WriteData { stream, id, offset: Offset(0), bytes: &bytes });
        }
    }
    let (sent, finished) = (vec![0; jobs.len()], vec![false; jobs.len()]);
    let (written, paths) = (BTreeMap::new(), vec![(None, false); jobs.len()]);
    let mut unit = Unit { jobs, owners, trace, sent, finished, tags: 0, written, paths };
    let mut choices = choices.iter().cycle();
    let mut applied = false;
    while unit.finished.iter().any(|f| !f) {
        let start = usize::from(*choices.next().unwrap_or(&0));
        for k in 0..jobs.len() {
            let i = (start + k) % jobs.len();
            let tlp_is_next = unit.sent[i] < jobs[i].wr.length.0;
            let now = fault.filter(|(at, _)| tlp_is_next && !applied && usize::from(unit.tags) >= *at);
            if unit.step(i, now.map(|(_, fault)| fault))? {
                applied |= now.is_some();
                break;
            }
        }
    }
    unit.trace.0.finish().map(|()| applied)
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    (1usize..7).prop_flat_map(|n| (0..n as u16).map(job).collect::<Vec<_>>())
}

fn owners() -> impl Strategy<Value = [Owner; 4]> {
    any::<[bool; 4]>().prop_map(|gpu| gpu.map(|g| if g { Owner::Gpu } else { Owner::Host }))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_correct_unit_is_accepted(jobs in jobs(), owners in owners(), choices in proptest::collection::vec(any::<u8>(), 1..40)) {
        prop_assert_eq!(run(&jobs, owners, &choices, None).map(|_| ()), Ok(()));
    }

    #[test]
    fn one_wrong_tlp_is_refused(
        jobs in jobs(),
        owners in owners(),
        choices in proptest::collection::vec(any::<u8>(), 1..40),
        at in 0usize..12,
        fault in proptest::sample::select(vec![
            Fault::AddressType, Fault::Address, Fault::Page, Fault::ByteEnable, Fault::Data, Fault::Missing, Fault::Twice,
        ]),
    ) {
        // A trace that is too short for the fault is a correct one.
        match run(&jobs, owners, &choices, Some((at, fault))) {
            Ok(applied) => prop_assert!(!applied, "the fault was accepted"),
            Err(_) => prop_assert!(run(&jobs, owners, &choices, None).is_ok()),
        }
    }
}

#[test]
fn names_are_the_request() {
    let name = golden::Name { stream: StreamId(3), id: WrId(7) };
    assert_eq!(name.to_string(), "request 7 of stream 3");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_tlp_makes_the_judge_panic(
        dws in any::<[u32; 4]>(),
        (length_dw, first_be, last_be) in any::<(u16, u8, u8)>(),
        kind in proptest::sample::select(vec![0x00u32, 0x20, 0x40, 0x60, 0x4a, 0x0a, 0x4e]),
        payload in proptest::collection::vec(any::<u8>(), 0..32),
    ) {
        let header = types::Header([dws[0] & 0x00ff_ffff | kind << 24, 0x0101 << 16 | dws[1] & 0xffff, dws[2], dws[3]]);
        let Ok(mut tlp) = types::Tlp::parse(header, types::PasidPrefix::default()) else { return Ok(()) };
        // Also fields that no header can hold.
        tlp.length_dw = length_dw % 9;
        if let types::tlp::Body::Memory { first_be: f, last_be: l, .. } = &mut tlp.body {
            (*f, *l) = (first_be, last_be);
        }
        let mut t = Trace::new(Mode::Ats);
        t.write(1, 0, 16);
        t.read(2, 0x1000, 16);
        let payload = &payload[..payload.len().min(4 * usize::from(tlp.payload_dw()))];
        let _ = t.observe(Event::TlpOut { tlp: &tlp, payload });
        let _ = t.observe(Event::TlpIn { tlp: &tlp, payload });
        let _ = t.observe(Event::InvalidationAccepted { tlp: &tlp, payload });
        let _ = t.observe(Event::InvalidationCompleted { tlp: &tlp });
    }
}
