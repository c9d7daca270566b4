//! Groups about coherent regions: eMTT whose GPU entries came through ATS and stay subject to invalidation.

use crate::access::PasidPrefix;
use crate::addr::{FunctionId, Iova, TlpAddr};
use crate::ports;

ports! {
    |cfg|
    /// Where a page of a coherent region can be asked for, and what says whether its MTT entry still counts.
    group CoherentPage {
        /// the region is coherent
        valid: bool,
        /// I/O virtual address of the page
        iova: Iova,
        /// generation counter: 0 that of the function, n that of range n - 1
        counter: u16 = 12,
    }

    |cfg|
    /// A generation counter starts anew, with the range of addresses whose invalidations it counts.
    group CoherentRange {
        /// a counter starts: one cycle
        valid: bool,
        /// the counter: 0 that of the function
        counter: u16 = 12,
        /// function whose addresses they are
        function: FunctionId = cfg.function_bits(),
        /// PASID of the region's accesses
        pasid: PasidPrefix,
        /// first address, in pages of 4 KiB
        first: u64 = 52,
        /// pages of 4 KiB; 0 stops the counter, after which nothing counts by it
        pages: u32,
    }

    |cfg|
    /// A driver command: the translation of one page, for an MTT entry.
    group TranslateCommand {
        /// a command is given; held until it is answered
        valid: bool,
        /// function to ask for
        function: FunctionId = cfg.function_bits(),
        /// PASID to ask with
        pasid: PasidPrefix,
        /// I/O virtual address
        iova: Iova,
        /// NW: read permission alone is wanted
        no_write: bool,
        /// generation counter whose value the entry gets
        counter: u16 = 12,
    }

    |cfg|
    /// The answer to a [`TranslateCommand`].
    group TranslateAnswer {
        /// an answer is given: one cycle
        valid: bool,
        /// there is no translation: UR, CA, a malformed answer, a time-out, or the function may not ask; nothing below counts
        failed: bool,
        /// bus address of the page asked for
        address: TlpAddr,
        /// base-two logarithm of the translation's size
        size_log2: u8 = 6,
        /// R
        read: bool,
        /// W
        write: bool,
        /// U
        untranslated: bool,
    }

    |cfg|
    /// An access has met an MTT entry of a coherent region that an invalidation has passed, or that was never filled.
    group StaleNote {
        /// one is named
        valid: bool,
        /// MPT index of the region
        index: u32 = 24,
    }
}
