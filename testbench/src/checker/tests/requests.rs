//! Form of requests, credits, order.

use super::super::{Breach, Checker, Direction};
use super::{ALL, NONE, READ, REQUESTER, Raw, WRITE, checker, function, with};
use types::port::{Credits, FunctionCfg};
use types::{Header, Length, Pasid, PasidPrefix, RequesterId, StreamId, TlpAddr};

fn write(address: u64, dw: u32, be: u32) -> Raw {
    Raw::new(WRITE, address, dw, be)
}

fn read(address: u64, dw: u32, be: u32) -> Raw {
    Raw::new(READ, address, dw, be)
}

#[test]
fn four_kib_lines() {
    assert_eq!(write(0xf80, 32, 0xff).alone(), Ok(()));
    assert_eq!(write(0xf84, 32, 0xff).alone(), Err(Breach::Crosses4K { address: TlpAddr(0xf84), length_dw: 32 }));
    assert_eq!(write(0xffc, 1, 0x08).alone(), Ok(()));
    assert!(matches!(write(0xffc, 2, 0x18).alone(), Err(Breach::Crosses4K { .. })));
    assert!(matches!(read(0x5_0000_0ff8, 3, 0x1f).alone(), Err(Breach::Crosses4K { .. })));
}

#[test]
fn payload_and_read_limits() {
    // MPS 256 bytes is 64 DW, MRRS 512 is 128 DW.
    assert_eq!(write(0x1000, 64, 0xff).alone(), Ok(()));
    assert_eq!(write(0x1000, 65, 0xff).alone(), Err(Breach::MaxPayload { limit: 256, seen: 260 }));
    assert_eq!(read(0x1000, 128, 0xff).alone(), Ok(()));
    assert_eq!(read(0x1000, 129, 0xff).alone(), Err(Breach::MaxReadRequest { limit: 512, seen: 516 }));
    // 1024 DW are encoded as 0.
    let wide = with(FunctionCfg { mrrs: 5, ..function() }, ALL);
    for (mut c, ok) in [(wide, true), (checker(), false)] {
        assert_eq!(read(0x1000, 1024, 0xff).out(&mut c).is_ok(), ok);
    }
}

#[test]
fn byte_enables() {
    for (address, dw, be, ok) in [
        (0x1000, 1, 0x0f, true),
        (0x1000, 1, 0x05, true),  // one DW may have holes
        (0x1000, 1, 0x1f, false), // but no last enables
        (0x1000, 2, 0xff, true),
        (0x1000, 2, 0x18, true),
        (0x1000, 2, 0x5a, true),  // two DW on an 8-byte line may have holes
        (0x1004, 2, 0x5a, false), // elsewhere not
        (0x1004, 2, 0x18, true),
        (0x1000, 2, 0x0f, false), // both ends are needed
        (0x1000, 2, 0xf0, false),
        (0x1000, 3, 0x7e, true),
        (0x1000, 3, 0x7a, false),
        (0x1000, 3, 0x77, false), // first must reach the end of its DW
        (0x1000, 3, 0xef, false), // last must start at the start of its DW
    ] {
        let sent = write(address, dw, be).alone();
        assert_eq!(sent.is_ok(), ok, "{address:#x} {dw} {be:#x}: {sent:?}");
        assert!(ok || matches!(sent, Err(Breach::ByteEnables { .. })));
    }
    // A zero-length read.
    assert_eq!(read(0x1000, 1, 0x00).alone(), Ok(()));
}

#[test]
fn payload_is_as_long_as_the_header_says() {
    let w = write(0x1000, 4, 0xff);
    let send = |r: Raw, bytes: &[u8]| checker().tlp_out(&r.header(), bytes, NONE);
    assert_eq!(send(w, &[0; 16]), Ok(()));
    assert_eq!(send(w, &[0; 12]), Err(Breach::PayloadLength { expected: 16, seen: 12 }));
    assert_eq!(send(w, &[0; 17]), Err(Breach::PayloadLength { expected: 16, seen: 17 }));
    assert_eq!(send(read(0x1000, 4, 0xff), &[0; 4]), Err(Breach::PayloadLength { expected: 0, seen: 4 }));
}

#[test]
fn address_types() {
    let at = |r: Raw, at| Raw { at, ..r };
    let (w, r) = (write(0x1000, 2, 0xff), read(0x1000, 2, 0xff));
    for (raw, ok) in [
        (at(w, 0), true),
        (at(w, 1), false),
        (at(w, 2), true),
        (at(w, 3), false),
        (at(r, 1), true),
        (at(r, 2), true),
        (at(r, 3), false),
        (at(Raw::new(0x4c, 0x1000, 2, 0), 1), false),
        (at(Raw::new(0x4c, 0x1000, 2, 0), 2), true),
    ] {
        let sent = raw.alone();
        assert_eq!(sent.is_ok(), ok, "{raw:x?}");
        assert!(ok || matches!(sent, Err(Breach::AddressType { .. })));
    }
    let off = || with(FunctionCfg { ats_enable: false, ..function() }, ALL);
    assert_eq!(r.out(&mut off()), Ok(()));
    assert!(matches!(at(r, 1).out(&mut off()), Err(Breach::AddressType { seen: 1, .. })));
    assert!(matches!(at(w, 2).out(&mut off()), Err(Breach::AddressType { seen: 2, .. })));
}

#[test]
fn translation_requests() {
    let request = |address, dw, be| Raw { at: 1, ..read(address, dw, be) };
    assert_eq!(request(0x1234_5678_9000, 2, 0xff).alone(), Ok(()));
    assert_eq!(request(0x1234_5678_9001, 2, 0xff).alone(), Ok(()), "NW");
    // RCB 64 bytes is 16 DW; with 128 bytes 32 DW.
    assert_eq!(request(0x1000, 16, 0xff).alone(), Ok(()));
    let rcb = || with(FunctionCfg { rcb: true, ..function() }, ALL);
    assert_eq!(request(0x1000, 32, 0xff).out(&mut rcb()), Ok(()));
    for raw in [request(0x1000, 3, 0xff), request(0x1000, 18, 0xff), request(0x1000, 2, 0x1f), request(0x1040, 2, 0xff)]
    {
        assert!(matches!(raw.alone(), Err(Breach::TranslationRequest { .. })), "{raw:x?}");
    }
    assert!(matches!(request(0x1000, 34, 0xff).out(&mut rcb()), Err(Breach::TranslationRequest { .. })));
    assert!(matches!(request(0x1002, 2, 0xff).alone(), Err(Breach::Reserved { field: "Address[1:0]", .. })));
    assert!(matches!(read(0x1001, 2, 0xff).alone(), Err(Breach::Reserved { field: "Address[1:0]", seen: 1 })));
}

#[test]
fn headers() {
    let dws = |f: fn(&mut [u32; 4])| {
        let mut header = write(0x1000, 1, 0x0f).header().0;
        f(&mut header);
        checker().tlp_out(&Header(header), &[0; 4], NONE)
    };
    assert_eq!(dws(|_| ()), Ok(()));
    assert!(matches!(dws(|d| d[0] |= 1 << 15), Err(Breach::Reserved { field: "TD", .. })));
    assert!(matches!(dws(|d| d[0] |= 1 << 16), Err(Breach::Reserved { field: "TH", .. })));
    assert!(matches!(dws(|d| d[0] |= 1 << 17), Err(Breach::Reserved { field: "LN", .. })));
    assert!(matches!(dws(|d| d[3] = 1), Err(Breach::Reserved { field: "DW3", .. })));
    // Fmt with four DW, and an upper half of zero.
    assert!(matches!(
        dws(|d| *d = [d[0] | 0x2000_0000, d[1], 0, d[2]]),
        Err(Breach::LongHeader { address: TlpAddr(0x1000) })
    ));
    assert_eq!(dws(|d| *d = [d[0] | 0x2000_0000, d[1], 1, d[2]]), Ok(()));
    // I/O, configuration, a completion, a read with a write's type bits.
    for kind in [0x42, 0x44, 0x80] {
        let header = Header([kind << 24 | 1, REQUESTER << 16, 0, 0]);
        assert_eq!(checker().tlp_out(&header, &[0; 4], NONE), Err(Breach::UnknownType { seen: kind as u8 }));
    }
    let completion = Header([0x4a00_0001, REQUESTER << 16 | 4, 0x0200_0000, 0]);
    assert_eq!(checker().tlp_out(&completion, &[0; 4], NONE), Err(Breach::NotARequester));
}

#[test]
fn requesters_and_tags() {
    let mut header = write(0x1000, 1, 0x0f).header().0;
    header[1] = 0x0101_000f;
    let sent = checker().tlp_out(&Header(header), &[0; 4], NONE);
    assert_eq!(sent, Err(Breach::Requester { seen: RequesterId(0x0101) }));
    let mut off = with(FunctionCfg { bus_master: false, ..function() }, ALL);
    assert!(matches!(write(0x1000, 1, 0x0f).out(&mut off), Err(Breach::BusMaster { .. })));
    off.configure(&function());
    assert_eq!(write(0x1000, 1, 0x0f).out(&mut off), Ok(()));
    for (mode, tag, ok) in [
        (0, 31, true),
        (0, 32, false),
        (1, 255, true),
        (1, 256, false),
        (2, 255, false),
        (2, 256, true),
        (2, 1023, true),
    ] {
        let mut c = with(FunctionCfg { tag_mode: mode, ..function() }, ALL);
        let sent = Raw { tag, ..read(0x1000, 1, 0x0f) }.out(&mut c);
        assert_eq!(sent.is_ok(), ok, "mode {mode} tag {tag}");
        assert!(ok || matches!(sent, Err(Breach::TagWidth { .. })));
    }
    // Live tags are unique; writes have none.
    let mut c = checker();
    let r = read(0x1000, 1, 0x0f);
    assert_eq!(r.out(&mut c), Ok(()));
    assert_eq!(write(0x1000, 1, 0x0f).out(&mut c), Ok(()));
    assert_eq!(Raw { tag: 0x21, ..r }.out(&mut c), Ok(()));
    assert!(matches!(r.out(&mut c), Err(Breach::TagInUse { .. })));
}

#[test]
fn pasid_prefixes() {
    let pasid = PasidPrefix { valid: true, pasid: Pasid(0xf_ffff), exec: false, privileged: false };
    let send = |raw: Raw, cfg, prefix| with(cfg, ALL).tlp_out(&raw.header(), &raw.payload(), prefix);
    let w = write(0x1000, 1, 0x0f);
    assert_eq!(send(w, function(), pasid), Ok(()));
    let off = FunctionCfg { pasid_enable: false, ..function() };
    let privileged = PasidPrefix { privileged: true, ..pasid };
    let exec = PasidPrefix { exec: true, ..pasid };
    let long = PasidPrefix { pasid: Pasid(1 << 20), ..pasid };
    for (raw, cfg, prefix) in [
        (w, off, pasid),
        (Raw { at: 2, ..w }, function(), pasid),
        (w, function(), privileged),
        (w, function(), exec),
        (w, function(), long),
    ] {
        assert!(matches!(send(raw, cfg, prefix), Err(Breach::Pasid { .. })), "{prefix:?}");
    }
    let all = FunctionCfg { pasid_exec_enable: true, pasid_priv_enable: true, ..function() };
    assert_eq!(send(w, all, PasidPrefix { exec: true, ..privileged }), Ok(()));
}

#[test]
fn messages() {
    let send = |dws: [u32; 4]| checker().tlp_out(&Header(dws), &[], NONE);
    let completion = [0x3200_0000, REQUESTER << 16 | 0x02, 0x0008_0001, 1];
    assert_eq!(send(completion), Ok(()));
    assert_eq!(send([0x3000_0000, REQUESTER << 16 | 0x04, 0, 0x1003]), Ok(()));
    for dws in [
        [0x3000_0000, completion[1], completion[2], 1],
        [completion[0], completion[1], completion[2], 0],
        [completion[0], completion[1], 0x0008_0009, 1],
        [0x3200_0000, REQUESTER << 16 | 0x04, 0, 0x1003],
        [completion[0], REQUESTER << 16 | 0x7f, completion[2], 1],
    ] {
        assert!(matches!(send(dws), Err(Breach::Message { .. })), "{dws:x?}");
    }
    assert!(matches!(send([completion[0], 0x0200_0002, completion[2], 1]), Err(Breach::Requester { .. })));
    assert!(matches!(
        send([0x3200_0001, completion[1], completion[2], 1]),
        Err(Breach::Reserved { field: "Length", .. })
    ));
    assert!(matches!(send([0x3200_0800, completion[1], completion[2], 1]), Err(Breach::Reserved { field: "AT", .. })));
}

#[test]
fn credits() {
    let granted = |ph, pd, nph| with(function(), Credits { ph, pd, nph, npd: 0 });
    // 5 DW are 20 bytes: two data credits.
    let w = write(0x1000, 5, 0xff);
    assert_eq!(w.out(&mut granted(1, 2, 0)), Ok(()));
    assert_eq!(w.out(&mut granted(1, 1, 0)), Err(Breach::Credits { class: "PD", used: 2, granted: 1 }));
    assert_eq!(w.out(&mut granted(0, 2, 0)), Err(Breach::Credits { class: "PH", used: 1, granted: 0 }));
    let r = read(0x1000, 5, 0xff);
    assert_eq!(r.out(&mut granted(0, 0, 1)), Ok(()));
    assert_eq!(r.out(&mut granted(9, 9, 0)), Err(Breach::Credits { class: "NPH", used: 1, granted: 0 }));
    let atomic = Raw::new(0x4c, 0x1000, 2, 0);
    assert_eq!(atomic.out(&mut granted(0, 0, 1)), Err(Breach::Credits { class: "NPD", used: 1, granted: 0 }));
    // A message is posted and has no data.
    let message = Header([0x3200_0000, REQUESTER << 16 | 0x02, 0x0008_0001, 1]);
    assert_eq!(granted(1, 0, 0).tlp_out(&message, &[], NONE), Ok(()));
    assert!(matches!(granted(0, 0, 9).tlp_out(&message, &[], NONE), Err(Breach::Credits { class: "PH", .. })));
    // Used up, then granted again.
    let mut c = granted(1, 4, 0);
    assert_eq!(w.out(&mut c), Ok(()));
    let mut again = granted(1, 4, 0);
    assert_eq!(w.out(&mut again), Ok(()));
    assert!(w.out(&mut again).is_err());
    c.credits(&Credits { ph: 1, pd: 0, nph: 0, npd: 0 });
    assert_eq!(w.out(&mut c), Ok(()));
}

fn issue(c: &mut Checker, stream: u16, direction: Direction, address: u64, length: u32) -> Result<(), Breach> {
    c.issued(StreamId(stream), direction, TlpAddr(address), Length(length))
}

#[test]
fn order_within_a_stream() {
    let begin = || {
        let mut c = checker();
        for (stream, address, length) in [(1, 0x1001, 7), (1, 0x8000, 8), (2, 0x4000, 8)] {
            assert_eq!(issue(&mut c, stream, Direction::Write, address, length), Ok(()));
        }
        c
    };
    // 0x1001 … 0x1003, 0x1004 … 0x1007, then 0x8000; stream 2 whenever it likes.
    let (a, b) = (write(0x1000, 1, 0x0e), write(0x1004, 1, 0x0f));
    let (next, other) = (write(0x8000, 2, 0xff), write(0x4000, 2, 0xff));
    let mut c = begin();
    for raw in [a, other, b] {
        assert_eq!(raw.out(&mut c), Ok(()), "{raw:x?}");
    }
    assert_eq!(c.finish(), Err(Breach::NotSent { stream: StreamId(1), address: TlpAddr(0x8000), left: 8 }));
    assert_eq!(next.out(&mut c), Ok(()));
    assert_eq!(c.finish(), Ok(()));
    let order = |seen| Err(Breach::Order { stream: StreamId(1), expected: TlpAddr(0x1001), seen: TlpAddr(seen) });
    assert_eq!(b.out(&mut begin()), order(0x1004));
    assert_eq!(next.out(&mut begin()), order(0x8000));
    let mut c = begin();
    assert_eq!(a.out(&mut c), Ok(()));
    assert!(matches!(a.out(&mut c), Err(Breach::NotIssued { .. })), "twice");
    assert!(matches!(write(0x1004, 2, 0x1f).out(&mut c), Err(Breach::Overrun { left: 4, length: 5, .. })));
    assert!(matches!(write(0x1008, 1, 0x0f).out(&mut begin()), Err(Breach::NotIssued { .. })));
    // Directions are apart; tables and translations are outside.
    assert!(matches!(read(0x4000, 2, 0xff).out(&mut begin()), Err(Breach::NotIssued { .. })));
    assert_eq!(read(0x9000_0040, 16, 0xff).out(&mut begin()), Ok(()));
    assert_eq!(Raw { at: 1, ..read(0x7000, 2, 0xff) }.out(&mut begin()), Ok(()));
    assert_eq!(read(0x7000, 1, 0x00).out(&mut begin()), Ok(()), "a zero-length read");
    // Ranges of two streams that overlap.
    let mut c = begin();
    assert_eq!(issue(&mut c, 2, Direction::Write, 0x4004, 8), Ok(()), "in one stream they may");
    assert!(matches!(issue(&mut c, 3, Direction::Write, 0x1007, 1), Err(Breach::Overlap { .. })));
    assert_eq!(issue(&mut c, 3, Direction::Write, 0x1008, 1), Ok(()));
    assert_eq!(issue(&mut c, 3, Direction::Read, 0x1007, 1), Ok(()));
}

#[test]
fn atomics() {
    let wrong = |raw: Raw| matches!(raw.alone(), Err(Breach::Atomic { .. }));
    // FetchAdd and Swap of 4 and 8 bytes, CAS of 4, 8 and 16: DWs of all operands, at a multiple of one.
    for (kind, dw, size) in
        [(0x4c, 1, 4), (0x4c, 2, 8), (0x4d, 1, 4), (0x4d, 2, 8), (0x4e, 2, 4), (0x4e, 4, 8), (0x4e, 8, 16)]
    {
        let right = Raw::new(kind, 0x1000 + size, dw, 0);
        assert_eq!(right.alone(), Ok(()));
        assert_eq!(Raw { address: 0x5_0000_1000, ..right }.alone(), Ok(()));
        // The last operand of a 4 KiB line.
        assert_eq!(Raw { address: 0x2000 - size, ..right }.alone(), Ok(()));
        // Byte enables are reserved.
        assert!([0x0f, 0xf0, 0xff].iter().all(|be| wrong(Raw { be: *be, ..right })));
        let off = FunctionCfg { atomic_enable: false, ..function() };
        assert!(matches!(right.out(&mut with(off, ALL)), Err(Breach::Atomic { .. })));
        if size > 4 {
            assert!(wrong(Raw { address: 0x1000 + size / 2, ..right }));
        }
    }
    for (kind, dw) in [(0x4c, 3), (0x4c, 4), (0x4d, 8), (0x4e, 1), (0x4e, 3), (0x4e, 6), (0x4e, 16)] {
        assert!(wrong(Raw::new(kind, 0x1000, dw, 0)), "{kind:#x} {dw}");
    }
}
