//! What `mpt` decides by a request and the line of its key: whether it may, and where its MTT entry stands.

use types::layout::LEAF_ENTRIES;
use types::port::{CheckedRequest, Retranslate, WorkRequest};
use types::{EntryWords, Iova, MttLayout, Op, PageIndex, Region, StreamId, Syndrome};

/// Where the MTT entry of a request's first page stands, or what it is.
pub(super) fn place(region: &Region, page: PageIndex, out: &mut CheckedRequest) {
    out.layout = region.layout;
    match region.layout {
        MttLayout::OneLevel | MttLayout::Reserved => out.entry = region.entry_address(page),
        MttLayout::Inline => {
            // Pages in bounds are at most four.
            let word = |n: usize| region.inline.get(page.0 as usize + n).copied().unwrap_or_default();
            out.entry = Iova(word(0).0);
            out.behind = EntryWords([word(1), word(2), word(3)]);
        }
        MttLayout::TwoLevel => {
            out.entry = region.directory_address(page);
            out.leaf = (page.0 % LEAF_ENTRIES) as u16;
        }
    }
}

/// Bytes for which a request needs a mapping: a read of no bytes leaves as a zero-length read of one place.
fn reach(wr: &WorkRequest) -> u32 {
    if wr.op == Op::READ { wr.length.0.max(1) } else { wr.length.0 }
}

/// An access of `dma` as a request.
pub(super) fn again(access: &Retranslate, stream: StreamId) -> WorkRequest {
    WorkRequest {
        valid: true,
        function: access.function,
        stream,
        op: access.op,
        remote: access.asked.remote,
        on_fault: access.on_fault,
        key: access.asked.key,
        va: access.va,
        length: access.length,
        pd: access.asked.pd,
        ..WorkRequest::default()
    }
}

/// The outcome of protection, in the order of the syndromes. `atomics`: the function may send atomics.
pub(super) fn protection(wr: &WorkRequest, region: &Region, atomics: bool) -> Syndrome {
    if !region.valid {
        Syndrome::INVALID_KEY
    } else if region.variant != wr.key.variant() {
        Syndrome::KEY_VARIANT
    } else if region.pd != wr.pd {
        Syndrome::PD
    } else if region.function != wr.function {
        Syndrome::FUNCTION
    } else if !region.contains(wr.va, reach(wr)) {
        Syndrome::BOUNDS
    } else if !region.rights.allow(wr.op, wr.remote) {
        Syndrome::RIGHTS
    } else if wr.op == Op::WRITE || wr.op == Op::READ {
        Syndrome::OK
    } else if !wr.op.is_atomic() {
        Syndrome::UNSUPPORTED_OP
    } else if !wr.op.operand_sizes().contains(&wr.length.0) {
        Syndrome::ATOMIC_SIZE
    } else if wr.va.0 & u64::from(wr.length.0 - 1) != 0 {
        // Sizes are powers of two, and pages hold whole multiples of them.
        Syndrome::ATOMIC_ALIGNMENT
    } else if !atomics {
        Syndrome::ATOMIC_OFF
    } else {
        Syndrome::OK
    }
}
