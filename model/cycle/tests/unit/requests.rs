//! What the tests at the pins ask for: a request, a region, a function.

use crate::bench::MTT;
use types::port::{FunctionCfg, WorkRequest};
use types::{
    ByteCount, FunctionId, Iova, Key, Length, Op, PageSize, Pd, Region, RequesterId, Rights, StreamId, Va, WrId,
};

/// A request of a remote peer with key 3.
pub(crate) fn request(id: u16, stream: u16, op: Op, va: u64, length: u32) -> WorkRequest {
    WorkRequest {
        valid: true,
        id: WrId(id),
        function: FunctionId(0),
        stream: StreamId(stream),
        op,
        remote: true,
        key: Key::new(3, 7),
        va: Va(va),
        length: Length(length),
        pd: Pd(5),
        ..WorkRequest::default()
    }
}

/// The physical function with everything on: MPS 256, MRRS 512, 8-bit tags.
pub(crate) fn function() -> FunctionCfg {
    FunctionCfg {
        valid: true,
        requester: RequesterId(0x100),
        bus_master: true,
        mps: 1,
        mrrs: 2,
        tag_mode: 1,
        ats_enable: true,
        ..FunctionCfg::default()
    }
}

/// 64 pages of 4 KiB with every right, as key 3 names them.
pub(crate) fn region() -> Region {
    Region {
        valid: true,
        variant: 7,
        pd: Pd(5),
        page_size: PageSize::K4,
        rights: Rights::ALL,
        length: ByteCount(64 << 12),
        mtt: Iova(MTT),
        ..Region::default()
    }
}
