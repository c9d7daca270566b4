//! What gives the unit its work.

use crate::fabric::{Landing, Memories};
use crate::time::Time;
use types::port::{Completion, WorkRequest};
use types::{Offset, StreamId, WrId};

/// Work for the unit: requests, the bytes of writes, and what becomes of them.
pub trait Workload {
    /// Called once a cycle, first.
    fn tick(&mut self, now: Time, memories: &mut Memories);
    /// The next work request, if there is one; it stays offered until the unit takes it. A workload keeps at most
    /// `stream_depth` requests of a stream open.
    fn offer(&mut self, now: Time) -> Option<WorkRequest>;
    /// Message bytes of a write, or operands of an atomic, from `offset` on.
    fn source(&mut self, stream: StreamId, id: WrId, offset: Offset, out: &mut [u8]);
    /// Message bytes of a read, or what memory held before an atomic, from `offset` on.
    fn sink(&mut self, stream: StreamId, id: WrId, offset: Offset, bytes: &[u8], memories: &mut Memories);
    /// A request has ended.
    fn completed(&mut self, now: Time, completion: &Completion);
    /// Bytes have reached memory.
    fn landed(&mut self, now: Time, landing: Landing, memories: &mut Memories);
    /// When [`Workload::tick`] or [`Workload::offer`] does something next, if nothing else happens before: a time that has
    /// come when it does at once, [`Time::NEVER`] when it only waits. The cycles before that time may be passed over. A
    /// workload that does not say is asked in every cycle.
    fn resting_until(&self) -> Time {
        Time(0)
    }
    /// So many cycles were passed over, in which it was neither ticked nor asked for a request.
    fn passed(&mut self, _cycles: u64) {}
    /// A number that grows whenever something is achieved; a run in which it stands still for long is given up.
    fn progress(&self) -> u64;
    /// One line about what is open, for a stalled run.
    fn describe(&self) -> String {
        String::new()
    }
}
