//! Groups about pages that are not there: segments that wait for one, driver events.

use super::AtcKey;
use crate::access::Syndrome;
use crate::addr::{FunctionId, Slot, Va};
use crate::ports;

ports! {
    |cfg|
    /// A segment whose translation lacks the access it needs, and which may wait for the page.
    group PageMiss {
        /// a segment is offered
        valid: bool,
        /// its slot
        slot: Slot = cfg.slot_bits(),
        /// what it accesses
        key: AtcKey,
        /// read access is needed
        read: bool,
        /// write access is needed
        write: bool,
        /// an engine of `dma` waits for it: its access is judged again
        again: bool,
    }

    |cfg|
    /// What becomes of a segment offered in [`PageMiss`], some cycles later.
    group PageAnswer {
        /// a slot is named
        valid: bool,
        /// the slot
        slot: Slot = cfg.slot_bits(),
        /// it waits for a page request group; else it ends with `syndrome`, or is offered again when that is 0
        waits: bool,
        /// the group
        group: u8 = cfg.page_bits(),
        /// why it ends
        syndrome: Syndrome,
    }

    |cfg|
    /// A page request group has ended: its slots look up again, or fail.
    group PageWake {
        /// a group has ended
        valid: bool,
        /// the group
        group: u8 = cfg.page_bits(),
        /// why its slots fail, 0 if they look up again
        syndrome: Syndrome,
    }

    |cfg|
    /// A driver event: an access waits for an MTT entry that is not present.
    group PageEvent {
        /// an event is offered
        valid: bool,
        /// function whose access it is
        function: FunctionId = cfg.function_bits(),
        /// MPT index of the region
        index: u32 = 24,
        /// virtual address of the access
        va: Va,
        /// it writes
        write: bool,
        /// names the event among those that are open
        number: u8 = 3,
    }

    |cfg|
    /// The driver's answer to an event, or to every event of a region: what waits goes on.
    group PageResume {
        /// an answer is given: one cycle
        valid: bool,
        /// MPT index of the region
        index: u32 = 24,
        /// the event; an answer for another region than its own is none
        number: u8 = 3,
        /// every event of the region
        all: bool,
        /// the accesses end in an error instead of looking again
        refuse: bool,
    }
}
