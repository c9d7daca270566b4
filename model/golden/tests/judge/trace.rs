//! A small language for traces: a unit with two functions, a few regions, and the TLPs it might send.

use golden::{Judge, Violation};
use types::ats::{InvalidateRange, TranslationEntry};
use types::port::{FunctionCfg, WorkRequest};
use types::tlp::{Attributes, Body, MemoryOp, Routing, message_code, status};
use types::{
    AddressType, ByteCount, Event, FunctionId, Iova, Key, Length, Mode, MttEntry, Offset, Op, Owner, PageIndex,
    PageSize, Pasid, PasidPrefix, Pd, Region, RequesterId, Rights, StreamId, Syndrome, Tag, Tlp, TlpAddr, Va, WrId,
};

pub(crate) const PF: RequesterId = RequesterId(0x0100);
pub(crate) const VF: RequesterId = RequesterId(0x0101);
pub(crate) const TABLES: u64 = 0x9000_0000;
pub(crate) const START: u64 = 0x10_0000;
pub(crate) const AT_00: AddressType = AddressType::UNTRANSLATED;
pub(crate) const AT_10: AddressType = AddressType::TRANSLATED;
pub(crate) const KEY: Key = Key::new(1, 7);

/// Where page `i` of the usual region is mapped; no two pages are neighbours.
pub(crate) fn page_address(i: u64) -> u64 {
    0x5_0000_0000 + 0x10_0000 * i
}

/// A memory request as it leaves: fields for a test to change one of.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) op: MemoryOp,
    pub(crate) requester: RequesterId,
    pub(crate) at: AddressType,
    pub(crate) class: u8,
    pub(crate) attributes: Attributes,
    pub(crate) tag: u16,
    pub(crate) address: u64,
    pub(crate) first_be: u8,
    pub(crate) last_be: u8,
    pub(crate) length_dw: u16,
    pub(crate) no_write: bool,
    pub(crate) pasid: PasidPrefix,
    pub(crate) payload: Vec<u8>,
}

impl Request {
    fn new(op: MemoryOp, at: AddressType, address: u64, length: u32) -> Self {
        let offset = (address & 3) as u32;
        let dws = (offset + length).div_ceil(4).max(1);
        let mask = |byte: u32| byte >= offset && byte < offset + length;
        let enables = |dw: u32| (0..4).filter(|b| mask(4 * dw + b)).map(|b| 1 << b).sum();
        Self {
            op,
            requester: VF,
            at,
            class: 0,
            attributes: Attributes::default(),
            tag: 0,
            address: address & !3,
            first_be: enables(0),
            last_be: if dws == 1 { 0 } else { enables(dws - 1) },
            length_dw: dws as u16,
            no_write: false,
            pasid: PasidPrefix::default(),
            payload: Vec::new(),
        }
    }
    /// A read of `length` bytes.
    pub(crate) fn read(at: AddressType, address: u64, length: u32, tag: u16) -> Self {
        Self { tag, ..Self::new(MemoryOp::Read, at, address, length) }
    }
    /// A write of `bytes`, padded to whole DWs.
    pub(crate) fn write(at: AddressType, address: u64, bytes: &[u8]) -> Self {
        let request = Self::new(MemoryOp::Write, at, address, bytes.len() as u32);
        let mut payload = vec![0xee; 4 * usize::from(request.length_dw)];
        payload[(address & 3) as usize..][..bytes.len()].copy_from_slice(bytes);
        Self { payload, ..request }
    }
    /// An atomic with its operands.
    pub(crate) fn atomic(op: MemoryOp, at: AddressType, address: u64, operands: &[u8], tag: u16) -> Self {
        let request = Self::new(op, at, address, operands.len() as u32);
        Self { tag, first_be: 0, last_be: 0, payload: operands.to_vec(), ..request }
    }
    /// A Translation Request for `count` translations.
    pub(crate) fn translate(iova: u64, count: u16, no_write: bool, tag: u16) -> Self {
        let at = AddressType::TRANSLATION_REQUEST;
        let (first_be, last_be) = (0xf, 0xf);
        Self { tag, no_write, first_be, last_be, length_dw: 2 * count, ..Self::new(MemoryOp::Read, at, iova, 8) }
    }
    /// A fetch of the table line at `address`.
    pub(crate) fn fetch(address: u64, tag: u16) -> Self {
        Self { requester: PF, ..Self::read(AT_00, address, 64, tag) }
    }
    fn tlp(&self) -> Tlp {
        let (op, at, requester, tag) = (self.op, self.at, self.requester, Tag(self.tag));
        let (first_be, last_be, address, no_write) =
            (self.first_be, self.last_be, TlpAddr(self.address), self.no_write);
        let body = Body::Memory { op, at, requester, tag, first_be, last_be, address, no_write };
        Tlp { tc: self.class, attributes: self.attributes, ..tlp(self.length_dw, body, self.pasid) }
    }
}

fn tlp(length_dw: u16, body: Body, pasid: PasidPrefix) -> Tlp {
    Tlp { tc: 0, attributes: Attributes::default(), poisoned: false, length_dw, body, pasid }
}

/// Byte `i` of every message: differs from its neighbours and between pages.
pub(crate) fn message(from: u32, length: u32) -> Vec<u8> {
    (from..from + length).map(|i| (i ^ i >> 8).wrapping_mul(167) as u8).collect()
}

/// A prefix with a PASID.
pub(crate) fn pasid(value: u32) -> PasidPrefix {
    PasidPrefix { valid: true, pasid: Pasid(value), exec: false, privileged: false }
}

/// A function's configuration with everything on.
pub(crate) fn function(function: u16) -> FunctionCfg {
    FunctionCfg {
        valid: true,
        function: FunctionId(function),
        requester: RequesterId(PF.0 + function),
        bus_master: true,
        mps: 1,
        mrrs: 2,
        ats_enable: true,
        pasid_enable: true,
        atomic_enable: true,
        ..FunctionCfg::default()
    }
}

/// The usual region: four pages of 4 KiB under [`KEY`].
pub(crate) fn region(mode: Mode) -> Region {
    Region {
        valid: true,
        variant: KEY.variant(),
        pd: Pd(5),
        function: FunctionId(1),
        page_size: PageSize::K4,
        mode,
        rights: Rights { remote_read: true, remote_write: true, ..Rights::default() },
        start: Va(START),
        length: ByteCount(0x4000),
        mtt: Iova(TABLES + 0x1000),
        ..Region::default()
    }
}

/// An entry that grants everything.
pub(crate) fn entry(address: u64, owner: Owner) -> MttEntry {
    MttEntry { address: TlpAddr(address), present: true, owner, write: true, read: true, ..MttEntry::default() }
}

/// A work request of stream 1 at an offset in the usual region.
pub(crate) fn request(op: Op, id: u16, offset: u64, length: u32) -> WorkRequest {
    WorkRequest {
        valid: true,
        id: WrId(id),
        function: FunctionId(1),
        stream: StreamId(1),
        op,
        remote: true,
        on_fault: true,
        key: KEY,
        va: Va(START.wrapping_add(offset)),
        length: Length(length),
        pd: Pd(5),
    }
}

/// A trace under judgement. The calls that return nothing must be accepted.
pub(crate) struct Trace(pub(crate) Judge);

impl Trace {
    /// Both functions configured, table memory known, nothing mapped.
    pub(crate) fn bare() -> Self {
        let mut trace = Self(Judge::new());
        trace.ok(Event::Configured(&function(0)));
        trace.ok(Event::Configured(&function(1)));
        trace.ok(Event::DefaultMode(Mode::Emtt));
        trace.ok(Event::TableMemory { base: Iova(TABLES), length: ByteCount(0x10_0000) });
        trace
    }
    /// The usual region in `mode`; pages 0 and 1 belong to the host, 2 and 3 to the GPU.
    pub(crate) fn new(mode: Mode) -> Self {
        let mut trace = Self::bare();
        trace.map(&region(mode));
        trace
    }
    pub(crate) fn map(&mut self, region: &Region) {
        let key = Key::new(KEY.index(), region.variant);
        self.ok(Event::Mapped { key, region });
        for i in 0..4 {
            self.page(i, entry(page_address(i), if i < 2 { Owner::Host } else { Owner::Gpu }));
        }
    }
    pub(crate) fn page(&mut self, page: u64, entry: MttEntry) {
        self.ok(Event::PageMapped { key: KEY, page: PageIndex(page), entry });
    }
    pub(crate) fn observe(&mut self, event: Event<'_>) -> Result<(), Violation> {
        self.0.observe(&event)
    }
    pub(crate) fn ok(&mut self, event: Event<'_>) {
        assert_eq!(self.0.observe(&event), Ok(()), "{event:?}");
    }
    pub(crate) fn accept(&mut self, wr: WorkRequest) {
        self.ok(Event::RequestAccepted(&wr));
    }
    /// Hands over message bytes of a request of stream 1.
    pub(crate) fn give(&mut self, id: u16, offset: u32, length: u32) {
        let bytes = message(offset, length);
        self.ok(Event::WriteData { stream: StreamId(1), id: WrId(id), offset: Offset(offset), bytes: &bytes });
    }
    /// Accepts a write and hands over all its bytes.
    pub(crate) fn write(&mut self, id: u16, offset: u64, length: u32) {
        self.accept(request(Op::WRITE, id, offset, length));
        self.give(id, 0, length);
    }
    pub(crate) fn read(&mut self, id: u16, offset: u64, length: u32) {
        self.accept(request(Op::READ, id, offset, length));
    }
    pub(crate) fn out(&mut self, r: &Request) -> Result<(), Violation> {
        self.0.observe(&Event::TlpOut { tlp: &r.tlp(), payload: &r.payload })
    }
    pub(crate) fn sent(&mut self, r: &Request) {
        assert_eq!(self.out(r), Ok(()), "{r:x?}");
    }
    pub(crate) fn done(&mut self, id: u16, syndrome: Syndrome) -> Result<(), Violation> {
        self.0.observe(&Event::MessageDone { stream: StreamId(1), id: WrId(id), syndrome })
    }
    /// A completion for a tag of function 1, or of the physical function.
    pub(crate) fn complete_as(
        &mut self,
        requester: RequesterId,
        tag: u16,
        status: u8,
        byte_count: u16,
        data: &[u8],
        poisoned: bool,
    ) {
        let with_data = !data.is_empty();
        let (completer, tag) = (RequesterId(8), Tag(tag));
        let body = Body::Completion { with_data, completer, status, byte_count, requester, tag, lower_address: 0 };
        let tlp = Tlp { poisoned, ..tlp((data.len() / 4) as u16, body, PasidPrefix::default()) };
        self.ok(Event::TlpIn { tlp: &tlp, payload: data });
    }
    pub(crate) fn complete(&mut self, tag: u16, byte_count: u16, data: &[u8]) {
        self.complete_as(VF, tag, status::SC, byte_count, data, false);
    }
    pub(crate) fn fail(&mut self, tag: u16, status: u8) {
        self.complete_as(VF, tag, status, 4, &[], false);
    }
    pub(crate) fn deliver(&mut self, id: u16, offset: u32, bytes: &[u8]) -> Result<(), Violation> {
        self.0.observe(&Event::ReadData { stream: StreamId(1), id: WrId(id), offset: Offset(offset), bytes })
    }
    /// One whole Translation Request and its answer of one entry.
    pub(crate) fn translation(&mut self, iova: u64, no_write: bool, tag: u16, entry: TranslationEntry) {
        self.sent(&Request::translate(iova, 1, no_write, tag));
        self.complete(tag, 8, &entry.encode());
    }
    pub(crate) fn invalidate(&mut self, itag: u16, range: InvalidateRange, prefix: PasidPrefix) {
        self.invalidate_of(VF, itag, range, prefix);
    }
    pub(crate) fn invalidate_of(
        &mut self,
        function: RequesterId,
        itag: u16,
        range: InvalidateRange,
        prefix: PasidPrefix,
    ) {
        let body = Body::Message {
            with_data: true,
            routing: Routing::ById,
            requester: RequesterId(8),
            tag: Tag(itag),
            code: message_code::INVALIDATE_REQUEST,
            dw2: u32::from(function.0) << 16,
            dw3: 0,
        };
        self.ok(Event::InvalidationAccepted { tlp: &tlp(2, body, prefix), payload: &range.encode() });
    }
    pub(crate) fn invalidated(&mut self, itags: u32, classes: u32) -> Result<(), Violation> {
        self.completed(itags, classes, |_| {})
    }
    /// An Invalidate Completion that differs from the usual one.
    pub(crate) fn completed(
        &mut self,
        itags: u32,
        classes: u32,
        change: impl FnOnce(&mut Tlp),
    ) -> Result<(), Violation> {
        let body = Body::Message {
            with_data: false,
            routing: Routing::ById,
            requester: VF,
            tag: Tag(0),
            code: message_code::INVALIDATE_COMPLETION,
            dw2: 8 << 16 | classes,
            dw3: itags,
        };
        let mut tlp = tlp(0, body, PasidPrefix::default());
        change(&mut tlp);
        self.0.observe(&Event::InvalidationCompleted { tlp: &tlp })
    }
    pub(crate) fn finish(&self) {
        assert_eq!(self.0.finish(), Ok(()));
    }
}
