//! Groups that several blocks hand to one another: table lines, segments on their way, revocations, notes.

use super::CoherentPage;
use crate::access::{AddressType, Mode, Op, PasidPrefix, Syndrome};
use crate::addr::{BusAddr, FunctionId, Iova, Key, Length, Offset, Pd, Slot, StreamId, TlpAddr, Va, WrId};
use crate::layout::{EntryWords, MttLayout};
use crate::ports;
use crate::table::Line;

ports! {
    |cfg|
    /// A fetch of one table line.
    group LineRequest {
        /// a fetch is offered
        valid: bool,
        /// which of the block's fetches it is
        index: u8 = 4,
        /// IOVA of the line, 64-byte aligned
        address: Iova,
    }

    |cfg|
    /// A table line that came back.
    group LineFill {
        /// a line is given
        valid: bool,
        /// which of the block's fetches it answers
        index: u8 = 4,
        /// the fetch succeeded
        ok: bool,
        /// the line; zero when the fetch failed
        line: Line,
    }

    |cfg|
    /// Table registers, static while the unit is enabled.
    group TableControl {
        /// work requests may be accepted
        enable: bool,
        /// mode that regions inherit
        mode: Mode,
        /// IOVA of MPT entry 0, 64-byte aligned
        mpt_base: Iova,
        /// entries in the MPT, at most 2^24
        mpt_entries: u32 = 25,
        /// completion time-out in ticks of 1024 cycles, 0 for none
        timeout: u16,
        /// an MTT entry that is not present is a driver event for requests that wait on a fault
        page_events: bool,
        /// IOVA of the memory for images of registrations, 64-byte aligned
        image_base: Iova,
        /// images it has room for, at most 2^16; 0: work requests register nothing
        images: u32 = 17,
    }

    |cfg|
    /// A request that passed protection, or failed it.
    group CheckedRequest {
        /// a request is given
        valid: bool,
        /// its name
        id: WrId,
        /// its function
        function: FunctionId = cfg.function_bits(),
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// operation
        op: Op,
        /// report faults instead of waiting
        on_fault: bool,
        /// bytes
        length: Length,
        /// outcome of protection; when not 0, nothing below counts
        syndrome: Syndrome,
        /// mode, resolved: never `inherit`
        mode: Mode,
        /// no flush where the path changes
        unordered: bool,
        /// PASID attributes of the region
        pasid: PasidPrefix,
        /// base-two logarithm of the region's page size
        page_log2: u8 = 6,
        /// what was asked: to ask again once a revocation has passed
        asked: Asked,
        /// first virtual address
        va: Va,
        /// layout of the region's MTT
        layout: MttLayout,
        /// IOVA of the MTT entry of the page that holds `va`; two levels: of its word in the directory; inline: the entry
        entry: Iova,
        /// two levels: number of that entry in the page that the directory's word points at
        leaf: u16 = 9,
        /// inline: the entries of the pages that follow
        behind: EntryWords,
        /// a coherent region: of the page that holds `va`
        coherent: CoherentPage,
    }

    |cfg|
    /// The part of a request that protection is judged by, kept with its segments to judge them again.
    group Asked {
        /// memory key
        key: Key,
        /// protection domain
        pd: Pd,
        /// issued by a remote peer
        remote: bool,
        /// grant epoch of the function at which the tables were read
        grant: u32,
        /// function-level resets of the function before the request was accepted
        life: u8,
    }

    |cfg|
    /// What a segment carries through the whole unit.
    group SegmentTag {
        /// its slot between `seg` and the exit of `replay`
        slot: Slot = cfg.slot_bits(),
        /// request
        id: WrId,
        /// function
        function: FunctionId = cfg.function_bits(),
        /// stream
        stream: StreamId = cfg.stream_bits(),
        /// operation
        op: Op,
        /// report faults instead of waiting
        on_fault: bool,
        /// first segment of its request
        first: bool,
        /// last segment of its request
        last: bool,
        /// offset of the segment in the message
        message_offset: Offset,
        /// bytes; 0 only in a request of 0 bytes or one that failed protection
        length: Length,
        /// mode, resolved
        mode: Mode,
        /// no flush where the path changes
        unordered: bool,
        /// PASID attributes
        pasid: PasidPrefix,
        /// failure so far, 0 for none
        syndrome: Syndrome,
        /// what was asked
        asked: Asked,
        /// virtual address of the segment's first byte
        va: Va,
        /// invalidations concern it whatever its mode: its region is coherent
        coherent: bool,
    }

    |cfg|
    /// A segment on its way to the MTT.
    group Segment {
        /// a segment is given
        valid: bool,
        /// what it carries along
        tag: SegmentTag,
        /// layout of its region's MTT
        layout: MttLayout,
        /// IOVA of its MTT entry; two levels: of its word in the directory; inline: the entry itself
        entry: Iova,
        /// two levels: number of its entry in the page that the directory's word points at
        leaf: u16 = 9,
        /// base-two logarithm of the region's page size
        page_log2: u8 = 6,
        /// offset of its first byte in the region's page
        page_offset: Iova,
        /// of its page
        coherent: CoherentPage,
    }

    |cfg|
    /// A segment with its MTT entry applied.
    group MappedSegment {
        /// a segment is given
        valid: bool,
        /// what it carries along
        tag: SegmentTag,
        /// address of its first byte: bus address when `at` is translated, else IOVA
        address: TlpAddr,
        /// translated: leave translated with `address` (owner tag); untranslated: leave so, or look it up when the mode is ats
        at: AddressType,
    }

    |cfg|
    /// A segment released in stream order, ready for the DMA.
    group ReleasedSegment {
        /// a segment is given
        valid: bool,
        /// what it carries along
        tag: SegmentTag,
        /// address of its first byte
        address: TlpAddr,
        /// AT to send
        at: AddressType,
        /// non-snooped access (N bit of the translation)
        no_snoop: bool,
        /// invalidation epoch of the function at the lookup, meaningful when invalidations concern the translation
        epoch: u32,
        /// no data: a zero-length read that flushes the stream's writes; its request completes with it when it is the last
        flush: bool,
    }

    |cfg|
    /// The end of a flush.
    group FlushNote {
        /// a flush has ended
        valid: bool,
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// failure, 0 for none
        syndrome: Syndrome,
    }

    |cfg|
    /// A write segment whose TLPs have been sent, or that sends none.
    group WriteSent {
        /// a segment is named
        valid: bool,
        /// its stream
        stream: StreamId = cfg.stream_bits(),
        /// failure, 0 for none
        syndrome: Syndrome,
        /// a TLP of it has left, and its region is ordered: a change of path has it flushed
        left: bool,
        /// with `left`: AT of the last one, which another translation may have changed since the release
        at: AddressType,
    }

    |cfg|
    /// The end of a flush that `dma` asked for.
    group FlushDone {
        /// it has ended
        valid: bool,
        /// failure, 0 for none
        syndrome: Syndrome,
    }

    |cfg|
    /// A function's next epoch begins: what was looked up for it before may not be committed any more.
    group EpochNote {
        /// an epoch begins: one cycle
        valid: bool,
        /// function
        function: FunctionId = cfg.function_bits(),
        /// its name: counts the epochs of the unit, so that one is named again after 2^32
        epoch: u32,
        /// because its ATS Enable was set, or it was reset: its translations of before are gone
        enabled: bool,
    }

    |cfg|
    /// The rest of a segment to be judged again before its next commit, because an invalidation or a revocation has
    /// passed: it goes through the whole unit as a request of its own.
    group Retranslate {
        /// an access is given; an engine has at most one under way
        valid: bool,
        /// engine that asks: 0 writes, 1 reads
        engine: bool,
        /// function
        function: FunctionId = cfg.function_bits(),
        /// operation
        op: Op,
        /// report faults instead of waiting
        on_fault: bool,
        /// what was asked
        asked: Asked,
        /// virtual address of the first byte that has not been committed
        va: Va,
        /// bytes to the end of the segment
        length: Length,
    }

    |cfg|
    /// The answer to a [`Retranslate`].
    group Retranslated {
        /// an answer is given
        valid: bool,
        /// engine that asked: 0 writes, 1 reads
        engine: bool,
        /// failure; when not 0, nothing below counts
        syndrome: Syndrome,
        /// address of the byte asked for
        address: TlpAddr,
        /// AT to send
        at: AddressType,
        /// non-snooped access
        no_snoop: bool,
        /// invalidation epoch of the function at the lookup
        epoch: u32,
        /// grant epoch of the function at which the tables were read
        grant: u32,
        /// invalidations concern it
        coherent: bool,
    }

    |cfg|
    /// A driver command that takes rights or mappings away; the tables in memory have been changed already.
    group Revocation {
        /// a command is given; held until it is done
        valid: bool,
        /// function whose memory it is
        function: FunctionId = cfg.function_bits(),
        /// MPT index
        index: u32 = 24,
        /// IOVA of the region's first MTT entry
        entries: Iova,
        /// MTT entries
        count: u32,
        /// GPU memory: a zero-length read at `address` returns before the report
        flush: bool,
        /// bus address for that read, DW-aligned
        address: BusAddr,
    }

    |cfg|
    /// The table lines that a revocation is about.
    group RevokeLines {
        /// a revocation starts: one cycle
        valid: bool,
        /// MPT index
        index: u32 = 24,
        /// number of the first MTT line: IOVA shifted right by 6
        first: u64 = 58,
        /// MTT lines
        count: u32 = 30,
    }

    |cfg|
    /// A slot's number and owner, as passed between `seg` and `replay`.
    group SlotNote {
        /// a slot is named
        valid: bool,
        /// the slot
        slot: Slot = cfg.slot_bits(),
        /// stream that holds it
        stream: StreamId = cfg.stream_bits(),
    }

    |cfg|
    /// A stream that something happened to.
    group StreamNote {
        /// a stream is named
        valid: bool,
        /// the stream
        stream: StreamId = cfg.stream_bits(),
    }
}
