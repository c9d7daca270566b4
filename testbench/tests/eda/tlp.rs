//! TLP headers beside those of cocotbext-pcie (`python/tlp.py`), both ways: what we pack it packs and unpacks alike, and we
//! read and pack what it draws.
//!
//! `Tlp` of cocotbext-pcie knows memory requests with AT, atomics and completions; messages are compared with another decoder
//! (`model/types/tests/tlp/rtlp.rs`). The reserved AT 11 and reserved completion statuses it refuses, so none is drawn.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use types::tlp::{Attributes, Body, MemoryOp, status};
use types::{AddressType, Header, PasidPrefix, RequesterId, Tag, Tlp, TlpAddr};

/// TLPs of each kind and way.
const COUNT: usize = 600;
const SEED: u64 = 4;
/// Kinds there are.
const KINDS: usize = 7;

/// What a TLP is and where it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Kind {
    MRd(Request),
    MWr(Request),
    FetchAdd(Request),
    Swap(Request),
    #[serde(rename = "CAS")]
    Cas(Request),
    CplD(Completion),
    Cpl(Completion),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Request {
    at: u8,
    first_be: u8,
    last_be: u8,
    address: u64,
    no_write: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Completion {
    completer: u16,
    status: u8,
    byte_count: u16,
    lower_address: u8,
}

/// A TLP as it is told to the other side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    kind: Kind,
    tc: u8,
    relaxed: bool,
    id_order: bool,
    no_snoop: bool,
    poisoned: bool,
    length_dw: u16,
    requester: u16,
    tag: u16,
    /// Three or four DWs in hexadecimal, most significant byte first.
    bytes: String,
}

impl Line {
    /// The TLP of the fields.
    fn tlp(&self) -> Tlp {
        let (requester, tag) = (RequesterId(self.requester), Tag(self.tag));
        let request = |op, r: &Request| {
            let (at, address) = (AddressType(r.at), TlpAddr(r.address));
            let Request { first_be, last_be, no_write, .. } = *r;
            Body::Memory { op, at, requester, tag, first_be, last_be, address, no_write }
        };
        let completion = |with_data, c: &Completion| {
            let Completion { completer, status, byte_count, lower_address } = *c;
            let completer = RequesterId(completer);
            Body::Completion { with_data, completer, status, byte_count, requester, tag, lower_address }
        };
        let body = match &self.kind {
            Kind::MRd(r) => request(MemoryOp::Read, r),
            Kind::MWr(r) => request(MemoryOp::Write, r),
            Kind::FetchAdd(r) => request(MemoryOp::FetchAdd, r),
            Kind::Swap(r) => request(MemoryOp::Swap, r),
            Kind::Cas(r) => request(MemoryOp::Cas, r),
            Kind::CplD(c) => completion(true, c),
            Kind::Cpl(c) => completion(false, c),
        };
        let Self { tc, relaxed, id_order, no_snoop, poisoned, length_dw, .. } = *self;
        let attributes = Attributes { relaxed, id_order, no_snoop };
        Tlp { tc, attributes, poisoned, length_dw, body, pasid: PasidPrefix::default() }
    }

    /// What differs between the fields and the bytes for our codec, or nothing.
    fn difference(&self) -> Option<String> {
        let (tlp, packed) = (self.tlp(), hex(&self.tlp()));
        if packed != self.bytes {
            return Some(format!("packed as {packed}: {self:?}"));
        }
        let mut dws = [0; 4];
        for (dw, digits) in dws.iter_mut().zip(self.bytes.as_bytes().chunks(8)) {
            *dw = u32::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
        }
        let parsed = Tlp::parse(Header(dws), PasidPrefix::default());
        (parsed != Ok(tlp)).then(|| format!("read as {parsed:?}: {self:?}"))
    }

    /// The same fields beside bytes in which the two bits of AT have changed places, if that is another header.
    fn with_swapped_at(&self) -> Option<Self> {
        let first = u32::from_str_radix(&self.bytes[..8], 16).unwrap();
        // AT is bits 11:10 of DW0.
        let (high, low) = (first >> 11 & 1, first >> 10 & 1);
        let swapped = first & !(3 << 10) | low << 11 | high << 10;
        (high != low).then(|| Self { bytes: format!("{swapped:08x}{}", &self.bytes[8..]), ..self.clone() })
    }
}

/// The header of a TLP.
fn hex(tlp: &Tlp) -> String {
    let dws = tlp.header().0;
    // Bit 29 of DW0 is Fmt[0]: four DWs.
    let count = if dws[0] >> 29 & 1 == 1 { 4 } else { 3 };
    dws[..count].iter().map(|dw| format!("{dw:08x}")).collect()
}

/// Random TLPs, [`COUNT`] of each kind.
fn drawn() -> Vec<Line> {
    let mut rng = Pcg64Mcg::seed_from_u64(SEED);
    let mut out = Vec::new();
    for number in 0..KINDS * COUNT {
        let mut below = |n: u64| rng.next_u64() % n;
        let mut flag = || below(2) == 1;
        let [relaxed, id_order, no_snoop, poisoned, no_write, long] = std::array::from_fn(|_| flag());
        let request = Request {
            at: below(3) as u8,
            first_be: below(16) as u8,
            last_be: below(16) as u8,
            address: if long { below(u64::MAX) & !3 } else { below(1 << 32) & !3 },
            no_write,
        };
        let completion = Completion {
            completer: below(1 << 16) as u16,
            status: [status::SC, status::UR, status::RRS, status::CA][below(4) as usize],
            byte_count: 1 + below(4096) as u16,
            lower_address: below(128) as u8,
        };
        let kind = match number / COUNT {
            0 => Kind::MRd(request),
            1 => Kind::MWr(request),
            2 => Kind::FetchAdd(request),
            3 => Kind::Swap(request),
            4 => Kind::Cas(request),
            5 => Kind::CplD(completion),
            _ => Kind::Cpl(completion),
        };
        let length_dw = if matches!(kind, Kind::Cpl(_)) { 0 } else { 1 + below(1024) as u16 };
        let (tc, requester, tag) = (below(8) as u8, below(1 << 16) as u16, below(1024) as u16);
        let bytes = String::new();
        let line = Line { kind, tc, relaxed, id_order, no_snoop, poisoned, length_dw, requester, tag, bytes };
        out.push(Line { bytes: hex(&line.tlp()), ..line });
    }
    out
}

/// Gives TLPs to cocotbext-pcie. Those it draws, or what differs for it.
fn cocotb(lines: &[Line]) -> Result<Vec<Line>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("../.venv/bin/python3");
    let python = if own.is_file() { own } else { "python3".into() };
    let mut child = Command::new(python)
        .arg(root.join("python/tlp.py"))
        .args([SEED.to_string(), COUNT.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
    // It prints after it has read everything, and reads no further once something differs.
    let sent = child.stdin.take().unwrap().write_all(text.as_bytes());
    let (mut out, mut error) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    if !child.wait().unwrap().success() {
        return Err(error);
    }
    sent.unwrap();
    Ok(out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn cocotbext_pcie_packs_and_unpacks_alike() {
    let ours = drawn();
    let theirs = cocotb(&ours).unwrap();
    for (whose, lines) in [("ours", &ours), ("theirs", &theirs)] {
        let count = |is: fn(&Kind) -> bool| lines.iter().filter(|line| is(&line.kind)).count();
        let kinds = [
            count(|k| matches!(k, Kind::MRd(_))),
            count(|k| matches!(k, Kind::MWr(_))),
            count(|k| matches!(k, Kind::FetchAdd(_))),
            count(|k| matches!(k, Kind::Swap(_))),
            count(|k| matches!(k, Kind::Cas(_))),
            count(|k| matches!(k, Kind::CplD(_))),
            count(|k| matches!(k, Kind::Cpl(_))),
        ];
        assert_eq!(kinds, [COUNT; KINDS], "{whose}");
        for at in 0..3 {
            let with_at = |line: &&Line| matches!(&line.kind, Kind::MRd(r) | Kind::MWr(r) | Kind::Cas(r) if r.at == at);
            assert!(lines.iter().filter(with_at).count() > COUNT / 2, "{whose}: few have AT {at}");
        }
    }
    let differences: Vec<String> = theirs.iter().filter_map(Line::difference).collect();
    assert!(differences.is_empty(), "{} differ; the first: {}", differences.len(), differences[0]);
}

/// The comparison can fail, on both sides.
#[test]
fn swapped_at_bits_are_seen() {
    let ours = drawn();
    let swapped = ours.iter().find_map(Line::with_swapped_at).unwrap();
    let error = cocotb(std::slice::from_ref(&swapped)).unwrap_err();
    assert!(error.contains("packed as") && error.contains(&swapped.bytes), "{error}");

    let theirs = cocotb(&[]).unwrap();
    let swapped: Vec<Line> = theirs.iter().filter_map(Line::with_swapped_at).collect();
    assert!(swapped.len() > COUNT, "AT 01 and 10 are two of three values of {} requests", 5 * COUNT);
    for line in &swapped {
        assert!(line.difference().is_some_and(|d| d.starts_with("packed as")), "{line:?}");
    }
}
