//! Message bytes: what the unit asks for, and what it delivers.

use super::stalls::Stalls;
use crate::fabric::Memories;
use crate::workload::Workload;
use std::collections::VecDeque;
use types::Offset;
use types::port::{Beat, UnitIn, UnitOut, WriteData, WriteDataRequest};

/// Ranges the source keeps at a time.
const RANGES: usize = 8;

/// Bytes of writes: ranges asked for, answered in order.
#[derive(Clone, Debug)]
pub(super) struct Source {
    width: u32,
    ranges: VecDeque<WriteDataRequest>,
    /// Bytes of the first range that were handed over.
    given: u32,
}

impl Source {
    pub(super) fn new(width: u32) -> Self {
        Self { width, ranges: VecDeque::with_capacity(RANGES), given: 0 }
    }

    /// Whether no range is open.
    pub(super) fn resting(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(super) fn drive(&mut self, workload: &mut impl Workload, stalls: &mut Stalls, inp: &mut UnitIn) {
        inp.write_data_request_ready = self.ranges.len() < RANGES && !stalls.pause();
        if inp.write_data.valid || self.ranges.is_empty() || stalls.pause() {
            return;
        }
        let Some(range) = self.ranges.front() else { return };
        let bytes = (range.length.0 - self.given).min(self.width);
        let mut buffer = [0; 64];
        let buffer = &mut buffer[..bytes as usize];
        workload.source(range.stream, range.id, Offset(range.offset.0 + self.given), buffer);
        inp.write_data = WriteData {
            valid: true,
            data: Beat::from_bytes(buffer),
            keep: types::bits::mask(bytes),
            last: self.given + bytes == range.length.0,
        };
    }

    /// Looks at the handshakes; bytes handed over are shown to `seen` with their range and place in the message.
    pub(super) fn take(
        &mut self,
        inp: &mut UnitIn,
        out: &UnitOut,
        mut seen: impl FnMut(&WriteDataRequest, Offset, &WriteData),
    ) {
        if inp.write_data.valid && out.write_data_ready {
            if let Some(range) = self.ranges.front() {
                seen(range, Offset(range.offset.0 + self.given), &inp.write_data);
            }
            self.given += self.width;
            if inp.write_data.last {
                self.given = 0;
                self.ranges.pop_front();
            }
            inp.write_data = WriteData::default();
        }
        if out.write_data_request.valid && inp.write_data_request_ready {
            self.ranges.push_back(out.write_data_request);
        }
    }
}

/// Bytes of reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Sink {
    /// Bytes of the open packet so far.
    position: u32,
}

impl Sink {
    /// Takes the beat of this cycle, if there is one; its bytes are shown to `seen` too.
    pub(super) fn take(
        &mut self,
        workload: &mut impl Workload,
        memories: &mut Memories,
        inp: &UnitIn,
        out: &UnitOut,
        mut seen: impl FnMut(Offset, &[u8]),
    ) {
        let data = &out.read_data;
        if !(data.valid && inp.read_data_ready) {
            return;
        }
        let bytes = data.data.to_bytes();
        let bytes = &bytes[..data.keep.count_ones() as usize];
        let offset = Offset(data.offset.0.wrapping_add(self.position));
        workload.sink(data.stream, data.id, offset, bytes, memories);
        seen(offset, bytes);
        self.position = if data.last { 0 } else { self.position + bytes.len() as u32 };
    }
}
