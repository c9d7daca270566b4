//! Every rule with a TLP that keeps it and one that breaks it.

mod answers;
mod requests;
mod share;

use super::{Breach, Checker, CheckerConfig};
use types::port::{Credits, FunctionCfg};
use types::{ByteCount, FunctionId, Header, PasidPrefix, RequesterId, TlpAddr};

pub(super) const NONE: PasidPrefix =
    PasidPrefix { valid: false, pasid: types::Pasid(0), exec: false, privileged: false };
pub(super) const REQUESTER: u32 = 0x0100;
pub(super) const ALL: Credits = Credits { ph: 255, pd: 4095, nph: 255, npd: 4095 };

/// MPS 256, MRRS 512, RCB 64, 8-bit tags, ATS on, PASID on.
pub(super) fn function() -> FunctionCfg {
    FunctionCfg {
        valid: true,
        function: FunctionId(0),
        requester: RequesterId(REQUESTER as u16),
        bus_master: true,
        mps: 1,
        mrrs: 2,
        tag_mode: 1,
        ats_enable: true,
        pasid_enable: true,
        atomic_enable: true,
        ..FunctionCfg::default()
    }
}

pub(super) fn with(cfg: FunctionCfg, credits: Credits) -> Checker {
    let tables = vec![(TlpAddr(0x9000_0000), ByteCount(0x1000))];
    Checker::new(CheckerConfig { functions: vec![cfg], credits, tables, ..CheckerConfig::default() })
}

pub(super) fn checker() -> Checker {
    with(function(), ALL)
}

/// A memory request in raw DWs; `kind` is Fmt and Type with three header DWs, a fourth comes by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) kind: u32,
    pub(super) at: u32,
    pub(super) tag: u32,
    pub(super) be: u32,
    pub(super) dw: u32,
    pub(super) address: u64,
}

pub(super) const READ: u32 = 0x00;
pub(super) const WRITE: u32 = 0x40;

impl Raw {
    pub(super) fn new(kind: u32, address: u64, dw: u32, be: u32) -> Self {
        Self { kind, at: 0, tag: 0x20, be, dw, address }
    }
    pub(super) fn header(&self) -> Header {
        let long = self.address >> 32 != 0;
        let kind = self.kind | if long { 0x20 } else { 0 };
        let dw0 = kind << 24 | (self.tag >> 9 & 1) << 23 | (self.tag >> 8 & 1) << 19 | self.at << 10 | self.dw & 0x3ff;
        let dw1 = REQUESTER << 16 | (self.tag & 0xff) << 8 | self.be;
        let (high, low) = ((self.address >> 32) as u32, self.address as u32);
        Header(if long { [dw0, dw1, high, low] } else { [dw0, dw1, low, 0] })
    }
    pub(super) fn payload(&self) -> Vec<u8> {
        vec![0x5a; if self.kind & 0x40 != 0 { 4 * self.dw as usize } else { 0 }]
    }
    pub(super) fn out(&self, checker: &mut Checker) -> Result<(), Breach> {
        checker.tlp_out(&self.header(), &self.payload(), NONE)
    }
    /// Sent alone on a fresh link.
    pub(super) fn alone(&self) -> Result<(), Breach> {
        self.out(&mut checker())
    }
}
