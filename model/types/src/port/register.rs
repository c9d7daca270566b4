//! Groups about registration by work requests.

use crate::addr::Iova;
use crate::ports;
use crate::table::Line;

ports! {
    |cfg|
    /// A table line to write to memory.
    group LineWrite {
        /// a line is offered
        valid: bool,
        /// IOVA of the line, 64-byte aligned
        address: Iova,
        /// the line
        line: Line,
    }
}
