//! Ports of `replay`, `atc` and `ats`.

use super::{
    CplBeat, EpochNote, FlushDone, FlushNote, FunctionCfg, MappedSegment, MessageTlp, PageAnswer, PageMiss, PageWake,
    ReleasedSegment, Retranslated, Revocation, RevokeLines, SlotNote, TlpDescriptor, TranslateAnswer, TranslateCommand,
    WriteSent,
};
use crate::access::{PasidPrefix, Syndrome};
use crate::addr::{FunctionId, Iova, Slot, TlpAddr};
use crate::ports;

ports! {
    |cfg|
    /// What names a translation: each ATC belongs to one function, and "no PASID" is not PASID 0.
    group AtcKey {
        /// function
        function: FunctionId = cfg.function_bits(),
        /// PASID attributes
        pasid: PasidPrefix,
        /// I/O virtual address
        iova: Iova,
    }

    |cfg|
    /// A lookup; its result comes back a fixed number of cycles later.
    group AtcLookup {
        /// a lookup is given
        valid: bool,
        /// slot that asks
        slot: Slot = cfg.slot_bits(),
        /// what is looked up
        key: AtcKey,
        /// read permission is needed
        read: bool,
        /// write permission is needed
        write: bool,
    }

    |cfg|
    /// The result of a lookup.
    group AtcResult {
        /// a result is given
        valid: bool,
        /// slot that asked
        slot: Slot = cfg.slot_bits(),
        /// an entry with the permissions needed was found
        hit: bool,
        /// translated address of the very byte looked up; when `untranslated`, the IOVA again
        address: TlpAddr,
        /// U: the access must leave untranslated
        untranslated: bool,
        /// N: non-snooped access
        no_snoop: bool,
        /// invalidation epoch at the lookup
        epoch: u8 = 4,
    }

    |cfg|
    /// A translation to keep. It is cut to what the arrays can hold around `key.iova`, never widened.
    group AtcFill {
        /// a fill is offered
        valid: bool,
        /// what it translates: function, PASID, any address inside the page
        key: AtcKey,
        /// bus address of the page, aligned to its size
        address: TlpAddr,
        /// base-two logarithm of the translation's size
        size_log2: u8 = 6,
        /// R
        read: bool,
        /// W
        write: bool,
        /// Exe
        exec: bool,
        /// Global
        global: bool,
        /// U
        untranslated: bool,
        /// N
        no_snoop: bool,
    }

    |cfg|
    /// An invalidation of cached translations (facts of PCIe 6.x 10.3.8 for its scope).
    group AtcInvalidate {
        /// an invalidation is offered
        valid: bool,
        /// function whose entries are meant
        function: FunctionId = cfg.function_bits(),
        /// PASID given with the request
        pasid: PasidPrefix,
        /// Global Invalidate: all PASIDs, global entries too
        global: bool,
        /// every entry of the function, whatever the range: bumps the generation
        all: bool,
        /// first untranslated address, aligned to the size
        iova: Iova,
        /// base-two logarithm of the range in bytes, 12 to 63
        size_log2: u8 = 6,
    }

    |cfg|
    /// Inputs of `atc`.
    in AtcIn {
        /// synchronous, active high
        reset: bool,
        /// lookups, one a cycle, never stalled
        lookup: AtcLookup,
        /// fills
        fill: AtcFill,
        /// invalidations
        invalidate: AtcInvalidate,
        /// test hook: flips a parity bit of the entry written by the next fill
        inject_parity: bool,
    }

    |cfg|
    /// Outputs of `atc`.
    out AtcOut {
        /// results, in order of the lookups
        result: AtcResult,
        /// a fill is taken
        fill_ready: bool,
        /// the oldest fill taken is visible to lookups from this cycle on
        fill_done: bool,
        /// an invalidation is taken
        invalidate_ready: bool,
        /// the invalidation taken last is complete: no entry of its range is left
        invalidate_done: bool,
        /// a lookup hit the base-granule array
        stat_hit_base: bool,
        /// a lookup hit the large-page array
        stat_hit_large: bool,
        /// a lookup missed
        stat_miss: bool,
        /// a lookup found the page without the permission needed (counted as a miss as well)
        stat_miss_permission: bool,
        /// a lookup was held off by a pending invalidation (counted as a miss as well)
        stat_miss_pending: bool,
        /// a parity error was found (treated as a miss)
        stat_parity: bool,
        /// a fill was written
        stat_fill: bool,
        /// a fill replaced a live entry
        stat_evict: bool,
        /// an invalidation was completed
        stat_invalidate: bool,
    }

    |cfg|
    /// A segment that needs a translation it did not find.
    group AtsMiss {
        /// a miss is offered
        valid: bool,
        /// slot that waits
        slot: Slot = cfg.slot_bits(),
        /// what is missing
        key: AtcKey,
        /// write permission is needed
        write: bool,
        /// function-level resets of the function before its request was accepted
        life: u8,
    }

    |cfg|
    /// A Translation Request has ended: its waiting slots look up again or fail.
    group AtsWake {
        /// a request has ended
        valid: bool,
        /// its index
        index: u8 = cfg.ats_bits(),
        /// why waiting slots fail; those that do not fail look up again
        syndrome: Syndrome,
        /// slots that need read permission fail
        fail_reads: bool,
        /// slots that need write permission fail; a zero-length read fails when both bits are set
        fail_writes: bool,
    }

    |cfg|
    /// Inputs of `replay`.
    in ReplayIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// a slot was issued by `seg`, in stream order
        issued: SlotNote,
        /// segments, in any order
        mapped: MappedSegment,
        /// lookup results
        result: AtcResult,
        /// `ats` takes the miss
        miss_ready: bool,
        /// partitions of functions that may offer one more miss, one bit each
        miss_room: u8 = 4,
        /// slot whose miss was taken, some cycles later
        grant_valid: bool,
        /// that slot
        grant_slot: Slot = cfg.slot_bits(),
        /// Translation Request it waits for
        grant_index: u8 = cfg.ats_bits(),
        /// it waits for the first granule asked for
        grant_first: bool,
        /// Translation Requests that have ended
        wake: AtsWake,
        /// `dma` has room for one more write segment
        write_room: bool,
        /// `dma` has room for one more read segment
        read_room: bool,
        /// of this partition of functions
        read_room_partition: u8 = 2,
        /// the last TLP of a write segment of this stream was sent
        write_sent: WriteSent,
        /// a flush has ended
        flushed: FlushNote,
        /// an invalidation epoch begins
        invalidated: EpochNote,
        /// `ats` takes the segment that may wait for a page
        page_ready: bool,
        /// what becomes of one taken
        page_answer: PageAnswer,
        /// page request groups that have ended
        page_wake: PageWake,
    }

    |cfg|
    /// Outputs of `replay`.
    out ReplayOut {
        /// lookups
        lookup: super::AtcLookup,
        /// misses
        miss: AtsMiss,
        /// segments in stream order
        released: ReleasedSegment,
        /// slot that is free again
        free: SlotNote,
        /// a translation looked up again for `dma`
        retranslated: Retranslated,
        /// segments that may wait for a page
        page: PageMiss,
        /// a segment passed without a lookup
        stat_bypass: bool,
        /// a lookup was repeated for a parked segment
        stat_replay: bool,
        /// a segment was parked
        stat_park: bool,
        /// a segment was released
        stat_release: bool,
        /// a stream's writes were flushed because its path changes
        stat_flush: bool,
        /// a cycle in which translated segments waited for room in `dma`
        stat_stall_dma: bool,
        /// a cycle in which segments waited for a translation and none was released
        stat_stall_translation: bool,
    }

    |cfg|
    /// Inputs of `ats`.
    in AtsIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// misses
        miss: AtsMiss,
        /// `tlp_tx` takes the Translation Request
        request_ready: bool,
        /// zero-length read of `dma` to be sent under the tag of flushes
        flush: TlpDescriptor,
        /// Translation Completions
        cpl: CplBeat,
        /// `atc` takes the fill
        fill_ready: bool,
        /// the oldest fill is visible to lookups
        fill_done: bool,
        /// `atc` takes the invalidation
        invalidate_ready: bool,
        /// the invalidation is complete in `atc`
        invalidate_done: bool,
        /// messages: Invalidate Requests, PRG Responses
        message: MessageTlp,
        /// `tlp_tx` takes the message that leaves
        answer_ready: bool,
        /// no TLP of `dma` committed under an older epoch is in flight
        drained: bool,
        /// every write of `dma` committed under an older epoch has been sent on the link
        sent: bool,
        /// an access of `dma` is being judged again
        judging: bool,
        /// one has been, and stands before its commit
        renewed: bool,
        /// driver command
        command: Revocation,
        /// revocation that a registration asks for; held until it is done
        registration: Revocation,
        /// `mpt` has no line of the revocation left
        mpt_revoke_done: bool,
        /// `mtt` has no line of the revocation left
        mtt_revoke_done: bool,
        /// completion time-out in ticks of 1024 cycles, 0 for none
        timeout: u16,
        /// segments that may wait for a page
        page: PageMiss,
        /// driver command: a translation for an MTT entry
        translate: TranslateCommand,
    }

    |cfg|
    /// Outputs of `ats`.
    out AtsOut {
        /// a miss is taken
        miss_ready: bool,
        /// partitions of functions that may offer one more miss, one bit each
        miss_room: u8 = 4,
        /// a miss taken earlier now waits for a request
        grant_valid: bool,
        /// its slot
        grant_slot: Slot = cfg.slot_bits(),
        /// the request
        grant_index: u8 = cfg.ats_bits(),
        /// it waits for the first granule asked for: it fails if that gives too little
        grant_first: bool,
        /// requests that have ended
        wake: AtsWake,
        /// Translation Requests, flush reads
        request: TlpDescriptor,
        /// the flush of `dma` has ended
        flush_done: FlushDone,
        /// translations to keep
        fill: AtcFill,
        /// invalidations
        invalidate: super::AtcInvalidate,
        /// a function's configuration asks for the invalidation that is offered: no Invalidate Request does
        invalidate_implicit: bool,
        /// the message that arrived is taken
        message_ready: bool,
        /// messages that leave: Invalidate Completions, Page Requests, Stop Markers
        answer: TlpDescriptor,
        /// an invalidation epoch begins: with every invalidation that `atc` takes
        invalidated: EpochNote,
        /// a revocation starts
        revoke: RevokeLines,
        /// a grant epoch begins, one cycle after a revocation starts
        revoked: EpochNote,
        /// a segment that may wait for a page is taken
        page_ready: bool,
        /// what becomes of one taken
        page_answer: PageAnswer,
        /// page request groups that have ended
        page_wake: PageWake,
        /// the driver command is done: one cycle
        command_done: bool,
        /// the flush read of the command failed; with `command_done`
        command_failed: bool,
        /// the translation that the driver asked for
        translated: TranslateAnswer,
        /// the revocation of a registration is done: one cycle
        registration_done: bool,
        /// its flush read failed; with `registration_done`
        registration_failed: bool,
        /// a Translation Request was sent
        stat_request: bool,
        /// a miss joined a request in flight
        stat_merge: bool,
        /// a Translation Completion arrived
        stat_completion: bool,
        /// a Translation Request ended in UR, CA or a malformed answer
        stat_error: bool,
        /// an answer without the access asked for
        stat_no_access: bool,
        /// a cycle in which a miss waited because every request was in flight
        stat_stall_full: bool,
        /// Translation Requests in flight were counted up by this cycle (for averages)
        stat_busy: bool,
        /// an Invalidate Request was accepted
        stat_invalidate_request: bool,
        /// an ITag was answered in an Invalidate Completion
        stat_invalidate_completion: bool,
        /// an answer was discarded, or cut to what was asked, because an invalidation passed
        stat_discard: bool,
        /// a message was dropped: no Invalidate Request for a function of the unit, no response to an open Page Request
        stat_message_dropped: bool,
        /// a driver revocation was reported
        stat_revocation: bool,
        /// a Translation Request timed out
        stat_timeout: bool,
        /// a Page Request was sent
        stat_page_request: bool,
        /// the response to a Page Request arrived
        stat_page_response: bool,
        /// a segment was put back because no page request group was free for its function
        stat_stall_page: bool,
        /// a Translation Request was sent ahead of a miss (counted as a request as well)
        stat_prefetch: bool,
    }
}
