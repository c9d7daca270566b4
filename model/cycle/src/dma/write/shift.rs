//! The shifter of the write engine: message bytes to the DW lanes of their TLP, and operands to their place.

use super::{
    Beat, DmaIn, Left, Length, Operands, PostedBeat, ReleasedSegment, SegmentTag, Stats, TlpDescriptor, WriteData,
    WriteEngine,
};
use types::access::Op;
use types::bits::mask;

impl WriteEngine {
    /// Moves a beat of message bytes to its DW lanes.
    pub(super) fn shift(&mut self, inp: &DmaIn, ready: bool, stat: &mut Stats) {
        self.whole = None;
        let space = self.posted.len() < 2;
        if let Some(beat) = self.posted.front() {
            if inp.posted_ready {
                stat.write_tlp = beat.eop && beat.tlp.valid;
                self.posted.pop_front();
                self.old_beats = self.old_beats.saturating_sub(1);
            } else {
                stat.stall_tx = true;
            }
        }
        if self.stale || self.crosses {
            return;
        }
        if self.spill {
            if space {
                self.put(&WriteData::default(), 0);
            }
        } else if ready && inp.write_data.valid {
            let Some(head) = self.pending.front() else { return };
            let bytes = self.bytes.min(head.length - self.taken);
            match head.operands {
                Some(partition) => self.take_operands(partition, &inp.write_data),
                None => self.put(&inp.write_data, bytes),
            }
        } else if ready {
            stat.stall_data = true;
        }
    }

    /// Takes one beat of an atomic's operands.
    fn take_operands(&mut self, partition: u8, from: &WriteData) {
        let Some(head) = self.pending.front() else { return };
        if self.taken == 0 {
            self.operands = Operands::default();
        }
        let mut beat = from.data;
        for (i, word) in (0..).zip(&mut beat.0) {
            // Lanes past the range carry nothing of this message.
            *word &= mask(8 * (head.length - self.taken).saturating_sub(8 * i).min(8));
        }
        self.operands.put_words((self.taken / 8) as usize, (self.bytes / 8) as usize, &beat);
        self.taken += self.bytes;
        if self.taken >= head.length {
            self.whole = Some(partition);
            self.taken = 0;
            self.pending.pop_front();
        }
    }

    /// Puts one beat with `bytes` new bytes on `posted`.
    fn put(&mut self, from: &WriteData, bytes: u32) {
        let Some(head) = self.pending.front() else { return };
        let (words, shift) = ((self.bytes / 8) as usize, 8 * head.pad);
        let mut data = from.data.0;
        if bytes < self.bytes {
            for (i, word) in data.iter_mut().enumerate() {
                // Lanes past the range carry nothing of this message.
                *word &= mask(8 * bytes.saturating_sub(8 * i as u32).min(8));
            }
        }
        if shift != 0 {
            let mut carry = self.carry;
            for word in &mut data[..words] {
                let next = *word >> (64 - shift);
                *word = *word << shift | carry;
                carry = next;
            }
            self.carry = carry;
        }
        self.taken += bytes;
        let (lanes, left) = (self.bytes / 4, u32::from(head.tlp.length_dw) - self.sent_dw);
        let eop = left <= lanes;
        if eop {
            self.committed = head.number.wrapping_add(1);
            self.again.committed();
            if !head.refused.is_ok() {
                self.dropped.push_back(head.number);
            } else if !head.tag.unordered {
                let before = self.paths.last(head.tag.stream);
                let first = head.tag.first && head.va == head.tag.va;
                let changed = !first && before.tag.id == head.tag.id && before.at != head.tlp.at;
                let left = &mut self.left[usize::from(head.segment)];
                *left = Some(Left { at: head.tlp.at, changed: changed || left.is_some_and(|left| left.changed) });
                let mut as_read = ReleasedSegment {
                    valid: true,
                    tag: SegmentTag { op: Op::READ, va: head.va, length: Length(0), ..head.tag },
                    address: head.tlp.address,
                    at: head.tlp.at,
                    no_snoop: head.tlp.no_snoop,
                    epoch: head.epochs.invalidation,
                    flush: true,
                };
                as_read.tag.asked.grant = head.epochs.grant;
                self.paths.committed(as_read, head.number);
            }
        }
        self.posted.push_back(PostedBeat {
            valid: true,
            data: Beat(data),
            strb: mask(left.min(lanes)) as u16,
            eop,
            tlp: if eop && head.refused.is_ok() { head.tlp } else { TlpDescriptor::default() },
        });
        if eop {
            self.pending.pop_front();
            (self.taken, self.sent_dw, self.carry, self.spill) = (0, 0, 0, false);
        } else {
            self.sent_dw += lanes;
            self.spill = self.taken == head.length;
        }
    }
}
