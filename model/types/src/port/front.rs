//! Ports of `mpt`, `seg` and `mtt`.

use super::{
    AtcInvalidate, CheckedRequest, CoherentRange, Completion, EpochNote, FunctionCfg, LineFill, LineRequest, LineWrite,
    MappedSegment, PageEvent, PageResume, Retranslate, Revocation, RevokeLines, Segment, SlotNote, StaleNote,
    StreamNote, TableControl, TranslateCommand, WorkRequest,
};
use crate::ports;

ports! {
    |cfg|
    /// Inputs of `mpt`.
    in MptIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// table registers
        control: TableControl,
        /// work requests
        wr: WorkRequest,
        /// MPT lines that came back
        fill: LineFill,
        /// `tlp_tx` takes the fetch
        fetch_ready: bool,
        /// `seg` has room for one more request of this stream
        room: StreamNote,
        /// an access of `dma` to be judged again
        retranslate: Retranslate,
        /// a revocation starts
        revoke: RevokeLines,
        /// a grant epoch begins, one cycle after the revocation starts
        revoked: EpochNote,
        /// a data request of this stream has ended
        ended: StreamNote,
        /// `tlp_tx` takes the line
        line_ready: bool,
        /// the line has left on the link
        line_sent: bool,
        /// `mtt` has dropped the lines of [`MptOut::renew`]
        renewed: bool,
        /// the revocation offered is over
        command_done: bool,
        /// its flush read failed
        command_failed: bool,
        /// `dma` takes the completion
        completion_ready: bool,
        /// test hook: flips a parity bit of the line that this cycle's fill writes
        inject_parity: bool,
    }

    |cfg|
    /// Outputs of `mpt`.
    out MptOut {
        /// work requests are accepted
        wr_ready: bool,
        /// MPT line fetches
        fetch: LineRequest,
        /// requests that passed or failed protection, in stream order
        checked: CheckedRequest,
        /// no line of the revocation is left
        revoke_done: bool,
        /// an MPT line to write to memory
        line: LineWrite,
        /// MTT lines of a key that has been registered: what is cached of them is old
        renew: RevokeLines,
        /// what a registration takes away is to be revoked
        command: Revocation,
        /// completions of requests that register and invalidate
        completion: Completion,
        /// a lookup hit the MPT cache
        stat_hit: bool,
        /// a lookup missed the MPT cache
        stat_miss: bool,
        /// a fetch was started
        stat_fetch: bool,
        /// a fetch failed
        stat_fetch_error: bool,
        /// a request failed protection
        stat_refused: bool,
        /// a cycle in which a request was offered and not accepted
        stat_stall_input: bool,
        /// a lookup missed and found a parity error in its set (counted as a miss as well)
        stat_parity: bool,
        /// a key was registered by a work request
        stat_fast_register: bool,
        /// a window was bound
        stat_bind: bool,
        /// a key was invalidated by its owner
        stat_local_invalidate: bool,
        /// a key was invalidated by a remote peer
        stat_remote_invalidate: bool,
        /// a registration, binding or invalidation was refused
        stat_registration_refused: bool,
        /// a registration that takes something away waits for earlier requests of its stream
        stat_fence: bool,
    }

    |cfg|
    /// Inputs of `seg`.
    in SegIn {
        /// synchronous, active high
        reset: bool,
        /// requests that passed or failed protection
        checked: CheckedRequest,
        /// slot that `replay` has released
        free: SlotNote,
    }

    |cfg|
    /// Outputs of `seg`.
    out SegOut {
        /// a request left this stream's queue
        room: StreamNote,
        /// segments, one a cycle, round robin over streams
        segment: Segment,
        /// a segment was cut
        stat_segment: bool,
        /// a cycle in which segments waited and none could leave: no slot was free
        stat_stall_slot: bool,
        /// a cycle in which segments waited and none could leave: every waiting stream held its share of slots
        stat_stall_stream: bool,
    }

    |cfg|
    /// Inputs of `mtt`.
    in MttIn {
        /// synchronous, active high
        reset: bool,
        /// function configuration
        cfg: FunctionCfg,
        /// segments
        segment: Segment,
        /// MTT lines that came back
        fill: LineFill,
        /// `tlp_tx` takes the fetch
        fetch_ready: bool,
        /// a revocation starts
        revoke: RevokeLines,
        /// a key has been registered with these lines; one at a time
        renew: RevokeLines,
        /// completion time-out in ticks of 1024 cycles, 0 for none
        timeout: u16,
        /// entries that are not present are driver events
        page_events: bool,
        /// `regs` takes the event
        event_ready: bool,
        /// the driver's answer
        resume: PageResume,
        /// an invalidation that `atc` is offered
        invalidate: AtcInvalidate,
        /// `atc` takes it
        invalidate_ready: bool,
        /// a configuration asks for it, which is seen here itself
        invalidate_implicit: bool,
        /// a generation counter starts anew
        range: CoherentRange,
        /// driver command: the generation of its counter is wanted
        translate: TranslateCommand,
        /// test hook: flips a parity bit of the line that this cycle's fill writes
        inject_parity: bool,
    }

    |cfg|
    /// Outputs of `mtt`.
    out MttOut {
        /// no line of the revocation is left
        revoke_done: bool,
        /// nothing that was cached before the registration is left of its lines
        renewed: bool,
        /// MTT line fetches
        fetch: LineRequest,
        /// segments with their entry applied, in any order
        mapped: MappedSegment,
        /// driver events
        event: PageEvent,
        /// generation of the command's counter when the command came, until it is answered
        generation: u8,
        /// a stale entry of a coherent region was met
        stale: StaleNote,
        /// a lookup hit the MTT cache
        stat_hit: bool,
        /// a lookup missed the MTT cache
        stat_miss: bool,
        /// a miss joined a fetch in flight
        stat_merge: bool,
        /// a fetch was started
        stat_fetch: bool,
        /// a fetch failed
        stat_fetch_error: bool,
        /// an entry was not present or its page did not grant the operation
        stat_fault: bool,
        /// a driver event was raised
        stat_event: bool,
        /// an access met a stale entry of a coherent region: it asks by ATS
        stat_stale: bool,
        /// an invalidation began a generation: entries of coherent regions became stale
        stat_generation: bool,
        /// a word of a directory was found, and led to a second lookup
        stat_walk: bool,
        /// an entry came with its segment, so that nothing was looked up
        stat_inline: bool,
        /// a lookup missed and found a parity error in its set (counted as a miss as well)
        stat_parity: bool,
    }
}
