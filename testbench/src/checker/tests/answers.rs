//! Completions against the requests they answer.

use super::super::{Breach, Checker};
use super::{ALL, NONE, READ, REQUESTER, Raw, checker, function, with};
use types::port::FunctionCfg;
use types::{Header, RequesterId, Tag};

/// A completion for tag 0x20 of the one function.
fn answer(c: &mut Checker, status: u32, count: u32, lower: u32, data: &[u8]) -> Result<(), Breach> {
    let kind = if data.is_empty() { 0x0a } else { 0x4a };
    let dws = [
        (kind << 24) + data.len() as u32 / 4,
        8 << 16 | status << 13 | count & 0xfff,
        REQUESTER << 16 | 0x2000 | lower,
        0,
    ];
    c.tlp_in(&Header(dws), data, NONE)
}

fn reading(address: u64, dw: u32, be: u32) -> Checker {
    let mut c = checker();
    assert_eq!(Raw::new(READ, address, dw, be).out(&mut c), Ok(()));
    c
}

/// The request is still open, or not.
fn open(c: &Checker) -> bool {
    c.finish() == Err(Breach::NotAnswered { requester: RequesterId(REQUESTER as u16), tag: Tag(0x20) })
}

fn is(sent: Result<(), Breach>, field: &str) {
    assert!(matches!(&sent, Err(Breach::Completion { field: f, .. }) if *f == field), "{field}: {sent:?}");
}

#[test]
fn one_completion() {
    // 0x1001 … 0x1006: six bytes in two DW; lower address 1.
    let begin = || reading(0x1000, 2, 0x7e);
    let mut c = begin();
    assert!(open(&c));
    assert_eq!(answer(&mut c, 0, 6, 1, &[0; 8]), Ok(()));
    assert_eq!(c.finish(), Ok(()));
    assert!(matches!(answer(&mut c, 0, 6, 1, &[0; 8]), Err(Breach::UnexpectedCompletion { .. })));
    is(answer(&mut begin(), 0, 8, 1, &[0; 8]), "byte count");
    is(answer(&mut begin(), 0, 5, 1, &[0; 8]), "byte count");
    is(answer(&mut begin(), 0, 6, 0, &[0; 8]), "lower address");
    is(answer(&mut begin(), 0, 6, 1, &[0; 12]), "length");
    // An answer that breaks a rule ends its request.
    let mut c = begin();
    is(answer(&mut c, 0, 6, 1, &[0; 12]), "length");
    assert!(!open(&c));
}

#[test]
fn parts_end_on_the_read_completion_boundary() {
    // 0x1024 … 0x10a3: 128 bytes. RCB 64: boundaries at 0x1040 (28 bytes on) and 0x1080.
    let begin = || reading(0x1024, 32, 0xff);
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 128, 0x24, &[0; 28]), Ok(()));
    assert_eq!(answer(&mut c, 0, 100, 0x40, &[0; 64]), Ok(()));
    assert!(open(&c));
    assert_eq!(answer(&mut c, 0, 36, 0, &[0; 36]), Ok(()));
    assert!(!open(&c));
    is(answer(&mut begin(), 0, 128, 0x24, &[0; 32]), "boundary");
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 128, 0x24, &[0; 28]), Ok(()));
    is(answer(&mut c, 0, 128, 0x40, &[0; 64]), "byte count");
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 128, 0x24, &[0; 28]), Ok(()));
    is(answer(&mut c, 0, 100, 0x24, &[0; 64]), "lower address");
    // RCB 128: 0x1040 is no boundary, 0x1080 is one.
    for (bytes, ok) in [(28, false), (92, true)] {
        let mut c = with(FunctionCfg { rcb: true, ..function() }, ALL);
        assert_eq!(Raw::new(READ, 0x1024, 32, 0xff).out(&mut c), Ok(()));
        assert_eq!(answer(&mut c, 0, 128, 0x24, &vec![0; bytes]).is_ok(), ok);
    }
}

#[test]
fn completions_keep_the_maximum_payload() {
    // 512 bytes in one completion, MPS 256; in two.
    let begin = || reading(0x1000, 128, 0xff);
    assert_eq!(answer(&mut begin(), 0, 512, 0, &[0; 512]), Err(Breach::MaxPayload { limit: 256, seen: 512 }));
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 512, 0, &[0; 256]), Ok(()));
    assert_eq!(answer(&mut c, 0, 256, 0, &[0; 256]), Ok(()));
    assert_eq!(c.finish(), Ok(()));
}

#[test]
fn statuses() {
    for status in [0b001, 0b100] {
        let mut c = reading(0x1000, 2, 0xff);
        assert_eq!(answer(&mut c, status, 8, 0, &[]), Ok(()));
        assert_eq!(c.finish(), Ok(()), "the tag is free");
        is(answer(&mut reading(0x1000, 2, 0xff), status, 8, 0, &[0; 8]), "data");
    }
    is(answer(&mut reading(0x1000, 2, 0xff), 0, 8, 0, &[]), "data");
    is(answer(&mut reading(0x1000, 2, 0xff), 0b010, 8, 0, &[]), "status");
}

#[test]
fn zero_length_reads_and_full_byte_counts() {
    let mut c = reading(0x1000, 1, 0x00);
    assert_eq!(answer(&mut c, 0, 1, 0, &[0; 4]), Ok(()));
    assert_eq!(c.finish(), Ok(()));
    is(answer(&mut reading(0x1000, 1, 0x00), 0, 4, 0, &[0; 4]), "byte count");
    // 4096 bytes are encoded as 0.
    let mut c = with(FunctionCfg { mrrs: 5, mps: 5, ..function() }, ALL);
    assert_eq!(Raw::new(READ, 0x1000, 1024, 0xff).out(&mut c), Ok(()));
    let dws = [0x4a00_0000, 8 << 16, REQUESTER << 16 | 0x2000, 0];
    assert_eq!(c.tlp_in(&Header(dws), &[0; 4096], NONE), Ok(()));
    assert_eq!(c.finish(), Ok(()));
}

#[test]
fn translation_completions() {
    // Four translations asked for.
    let begin = || {
        let mut c = checker();
        assert_eq!(Raw { at: 1, ..Raw::new(READ, 0x1000, 8, 0xff) }.out(&mut c), Ok(()));
        c
    };
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 32, 0, &[0; 32]), Ok(()));
    assert_eq!(c.finish(), Ok(()));
    // Fewer, and in two completions.
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 24, 0, &[0; 8]), Ok(()));
    assert!(open(&c));
    assert_eq!(answer(&mut c, 0, 16, 0, &[0; 16]), Ok(()));
    assert_eq!(c.finish(), Ok(()));
    // More than asked for, half an entry, a third completion.
    is(answer(&mut begin(), 0, 40, 0, &[0; 40]), "byte count");
    is(answer(&mut begin(), 0, 12, 0, &[0; 12]), "whole entries");
    is(answer(&mut begin(), 0, 8, 0, &[0; 16]), "length");
    let mut c = begin();
    assert_eq!(answer(&mut c, 0, 24, 0, &[0; 8]), Ok(()));
    is(answer(&mut c, 0, 16, 0, &[0; 8]), "length");
}

#[test]
fn atomic_completions() {
    // FetchAdd with one 8-byte operand; CAS with two.
    for (kind, dw) in [(0x4c, 2), (0x4e, 4)] {
        let begin = || {
            let mut c = checker();
            assert_eq!(Raw::new(kind, 0x1000, dw, 0).out(&mut c), Ok(()));
            c
        };
        let mut c = begin();
        assert_eq!(answer(&mut c, 0, 8, 0, &[0; 8]), Ok(()));
        assert_eq!(c.finish(), Ok(()));
        is(answer(&mut begin(), 0, 4, 0, &[0; 4]), "byte count");
        is(answer(&mut begin(), 0, 8, 0, &[0; 4]), "length");
    }
}

#[test]
fn other_tags_and_other_tlps() {
    let mut c = reading(0x1000, 2, 0xff);
    let dws = |tag: u32| Header([0x4a00_0002, 8 << 16 | 8, REQUESTER << 16 | tag << 8, 0]);
    assert!(matches!(c.tlp_in(&dws(0x21), &[0; 8], NONE), Err(Breach::UnexpectedCompletion { tag: Tag(0x21), .. })));
    // T8 set: tag 0x120 is another.
    let wide = Header([0x4a08_0002, dws(0x20).0[1], dws(0x20).0[2], 0]);
    assert!(matches!(c.tlp_in(&wide, &[0; 8], NONE), Err(Breach::UnexpectedCompletion { tag: Tag(0x120), .. })));
    assert!(open(&c));
    assert_eq!(c.tlp_in(&dws(0x20), &[0; 4], NONE), Err(Breach::PayloadLength { expected: 8, seen: 4 }));
    // An Invalidate Request.
    let invalidate = Header([0x7200_0002, 0x0008_1f01, REQUESTER << 16, 0]);
    assert_eq!(c.tlp_in(&invalidate, &[0; 8], NONE), Ok(()));
    assert!(c.tlp_in(&invalidate, &[0; 4], NONE).is_err());
}
