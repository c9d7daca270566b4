//! Reassembly of read data in `dma`: the ring of slots, the tags in flight, and the buffer behind them.
//!
//! ```text
//! cpl ─► [stage] ─► tag context ─► checks ─► buffer: two banks, even and odd rows, DW enables
//!                        │  ▲                      │
//!                        ▼  │ left, lower, dw      ▼ row pair, shifted by address & 3
//!                 tag free, slot arrived ─────► delivery
//! ```
//!
//! A read reserves the next slot of the ring and a tag when it is issued. DW 0 of a slot is the first DW asked for, so
//! the first completion of a read needs no rotation, and later ones, which start at a multiple of the Read Completion
//! Boundary, rotate by whole DWs: a beat then covers parts of an even and an odd row, which stand in different banks.
//! Reading takes rows j and j+1 together and shifts by the byte offset (0 to 3) of the first byte.
//!
//! | stage | from edge to edge |
//! |---|---|
//! | stage | beat taken at k, its tag context read by cycle k+1 |
//! | check | data written and context updated at edge k+1; slot complete and tag free in cycle k+2 |
//!
//! Progress: a completion is never held; everything it needs was reserved at issue. The tag is free when the last beat
//! of the last completion is in the buffer, whatever the Byte Count of an earlier one said and whoever waits for the
//! data.
//!
//! A read that times out ends as if its last completion had come; its tag is kept back until that really comes.

use super::Stats;
use types::UnitCfg;
use types::access::Syndrome;
use types::addr::{FunctionId, Offset, StreamId, TlpAddr, WrId};
use types::bits::mask;
use types::port::{Beat, CplBeat};
use types::tlp::status;

/// What delivery must know of a read, or of the end of a request that sends none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotEntry {
    pub(super) stream: StreamId,
    pub(super) id: WrId,
    pub(super) function: FunctionId,
    /// Offset of the first byte in the message.
    pub(super) offset: Offset,
    /// Bytes to deliver.
    pub(super) length: u32,
    /// Bytes of the first DW in front of them.
    pub(super) pad: u32,
    /// The request ends with this slot.
    pub(super) end: bool,
    /// A flush: its end is noted to `replay`.
    pub(super) flush: bool,
    /// How the read ended.
    pub(super) syndrome: Syndrome,
}

/// A tag's context: what the next completion of its read must look like.
#[derive(Clone, Copy, Debug, Default)]
struct TagContext {
    live: bool,
    slot: u16,
    /// Whose read it is: another function's completion with the same tag is for nothing.
    function: FunctionId,
    /// Byte Count still to come.
    left: u32,
    /// Lower Address of the next byte.
    lower: u8,
    /// DW of the slot that comes next.
    dw: u32,
    /// First failure.
    syndrome: Syndrome,
    /// Parity of the epoch it was issued under.
    parity: bool,
    /// An atomic: one completion brings all, and Lower Address is reserved (PCIe 6.x 2.2.9).
    atomic: bool,
    /// The read timed out; what its late completions must still bring is in `left`.
    retired: bool,
}

/// What a read or an atomic asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) address: TlpAddr,
    /// Bytes that come back.
    pub(super) length: u32,
    pub(super) atomic: bool,
}

/// The completion TLP whose beats are coming in.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    live: bool,
    tag: u16,
    /// DW of the slot that the next beat goes to.
    dw: u32,
    /// DWs still to come.
    dw_left: u32,
    /// Bytes of the read it answers.
    carried: u32,
    /// The read ends with it.
    ends: bool,
    /// First failure.
    syndrome: Syndrome,
}

/// A read that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) tag: u16,
    pub(super) function: FunctionId,
    pub(super) stream: StreamId,
    pub(super) id: WrId,
    pub(super) syndrome: Syndrome,
    pub(super) parity: bool,
    /// The tag may be used again.
    pub(super) tag_free: bool,
}

/// Counts of a ring's slots: reserved, handed to delivery, and given back.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    reserved: u32,
    handed: u32,
    released: u32,
}

/// Bytes of the read that a completion carries.
fn carried(cpl: &CplBeat, tag: &TagContext) -> u32 {
    let pad = if tag.atomic { 0 } else { u32::from(cpl.lower_address & 3) };
    (4 * u32::from(cpl.length_dw)).saturating_sub(pad)
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Reassembly {
    /// DWs in a beat.
    lanes: u32,
    slot_dws: u32,
    slots: Box<[SlotEntry]>,
    arrived: Box<[bool]>,
    tags: Box<[TagContext]>,
    /// One DW is added, so that the shift of the last row stays inside.
    data: Box<[u32]>,
    /// One ring a partition of functions, side by side in `slots`, and the ring whose turn it is.
    rings: Vec<Ring>,
    turn: usize,
    stage: CplBeat,
    current: Current,
    /// The retired tag that is free with the last beat of the completion coming in.
    freed: Option<u16>,
}

impl Reassembly {
    pub(super) fn new(cfg: &UnitCfg) -> Self {
        let (slots, slot_dws) = (cfg.read_slots as usize, cfg.read_slot_bytes / 4);
        Self {
            lanes: cfg.data_dws(),
            slot_dws,
            slots: vec![SlotEntry::default(); slots].into(),
            arrived: vec![false; slots].into(),
            tags: vec![TagContext::default(); cfg.read_tags as usize].into(),
            data: vec![0; slots * slot_dws as usize + 1].into(),
            rings: vec![Ring::default(); cfg.shares().count()],
            turn: 0,
            stage: CplBeat::default(),
            current: Current::default(),
            freed: None,
        }
    }

    /// Whether no slot is reserved and no beat is under way.
    pub(super) fn idle(&self) -> bool {
        self.rings.iter().all(|ring| ring.reserved == ring.released) && !self.stage.valid
    }
    /// Rings with a free slot, one bit each.
    pub(super) fn room(&self) -> u8 {
        let room = |ring: &Ring| ring.reserved.wrapping_sub(ring.released) < self.ring_slots();
        self.rings.iter().enumerate().fold(0, |all, (n, ring)| all | u8::from(room(ring)) << n)
    }

    /// Slots of a ring: a power of two, as both the slots and the rings are.
    fn ring_slots(&self) -> u32 {
        (self.slots.len() / self.rings.len()) as u32
    }

    fn slot(&self, ring: usize, count: u32) -> u16 {
        (ring as u32 * self.ring_slots() + (count & (self.ring_slots() - 1))) as u16
    }

    /// Reserves the next slot of a ring; `arrived` when no data will come.
    pub(super) fn reserve(&mut self, ring: usize, entry: SlotEntry, arrived: bool) -> u16 {
        let slot = self.slot(ring, self.rings[ring].reserved);
        self.slots[usize::from(slot)] = entry;
        self.arrived[usize::from(slot)] = arrived;
        let reserved = &mut self.rings[ring].reserved;
        *reserved = reserved.wrapping_add(1);
        slot
    }

    /// A read or an atomic leaves under `tag`. A zero-length read has Byte Count 1 and the DW's own
    /// Lower Address (PCIe 6.x 2.2.9).
    pub(super) fn start(&mut self, tag: u16, slot: u16, asked: Asked, parity: bool) {
        let Asked { address, length, atomic } = asked;
        let low = (address.0 & 0x7f) as u8;
        self.tags[usize::from(tag)] = TagContext {
            live: true,
            slot,
            function: self.slots[usize::from(slot)].function,
            left: length.max(1),
            lower: if length == 0 { low & !3 } else { low },
            dw: 0,
            syndrome: Syndrome::OK,
            parity,
            atomic,
            retired: false,
        };
    }

    /// One edge of the completion pipeline: the read that ends, and the retired tag that is free again.
    pub(super) fn step(&mut self, cpl: &CplBeat, stat: &mut Stats) -> (Option<Ended>, Option<u16>) {
        let (mut ended, mut late) = (None, None);
        if self.stage.valid {
            if self.stage.sop {
                self.freed = self.late();
                self.open(stat);
            }
            if self.stage.eop {
                late = self.freed.take();
            }
            if self.current.live {
                ended = self.beat(stat);
            }
            self.stage.valid = false;
        }
        if cpl.valid {
            self.stage = *cpl;
        }
        (ended, late)
    }

    /// Checks a completion's header against the context of its tag.
    fn open(&mut self, stat: &mut Stats) {
        let cpl = &self.stage;
        let Some(tag) = self.tags.get(usize::from(cpl.index)).filter(|tag| tag.live && tag.function == cpl.function)
        else {
            self.current.live = false;
            stat.unexpected_completion = true;
            return;
        };
        let (length, count) = (u32::from(cpl.length_dw), u32::from(cpl.byte_count));
        let carried = carried(cpl, tag);
        let asked_dws = (u32::from(tag.lower & 3) + tag.left).div_ceil(4);
        let in_place = tag.atomic || cpl.lower_address == tag.lower;
        // Only a successful completion with data leaves anything to come (2.3.2); reserved statuses are UR (2.2.9).
        let (syndrome, ends) = match cpl.status {
            status::SC if length == 0 => (Syndrome::MALFORMED_COMPLETION, true),
            status::SC if tag.atomic && length != asked_dws => (Syndrome::MALFORMED_COMPLETION, true),
            status::SC if in_place && count == tag.left && length <= asked_dws => (Syndrome::OK, carried >= tag.left),
            status::SC if tag.atomic => (Syndrome::MALFORMED_COMPLETION, true),
            // Out of place, or of another size than asked. Where it is in place and calls itself the last, nothing
            // more comes; else every byte asked for is still counted, so that no late completion meets a new read.
            status::SC => (Syndrome::MALFORMED_COMPLETION, carried >= tag.left || in_place && count <= carried),
            status::CA => (Syndrome::COMPLETER_ABORT, true),
            status::RRS => (Syndrome::MALFORMED_COMPLETION, true),
            _ => (Syndrome::UNSUPPORTED_REQUEST, true),
        };
        self.current = Current { live: true, tag: cpl.index, dw: tag.dw, dw_left: length, carried, ends, syndrome };
    }

    /// Takes one beat of a matched completion.
    fn beat(&mut self, stat: &mut Stats) -> Option<Ended> {
        let (cpl, current) = (&self.stage, &mut self.current);
        let tag = &mut self.tags[usize::from(current.tag)];
        let dws = self.lanes.min(current.dw_left);
        current.dw_left -= dws;
        if current.syndrome.is_ok() && cpl.eop != (current.dw_left == 0) {
            current.syndrome = Syndrome::MALFORMED_COMPLETION;
        }
        if current.syndrome.is_ok() && cpl.poisoned {
            current.syndrome = Syndrome::POISONED;
        }
        if current.syndrome.is_ok() && tag.syndrome.is_ok() {
            let first = (u32::from(tag.slot) * self.slot_dws + current.dw) as usize;
            for (i, dw) in self.data[first..first + dws as usize].iter_mut().enumerate() {
                *dw = (cpl.data.0[i / 2] >> (32 * (i % 2))) as u32;
            }
            current.dw += dws;
        }
        if !cpl.eop {
            return None;
        }
        stat.completion_tlp = true;
        current.live = false;
        tag.left = tag.left.saturating_sub(current.carried);
        tag.lower = (u32::from(tag.lower) + current.carried) as u8 & 0x7f;
        tag.dw = current.dw;
        if tag.syndrome.is_ok() {
            tag.syndrome = current.syndrome;
        }
        let (ends, tag) = (current.ends, current.tag);
        ends.then(|| self.finish(tag))
    }

    /// Ends the read of a live tag: its slot may be delivered.
    fn finish(&mut self, tag: u16) -> Ended {
        let context = &mut self.tags[usize::from(tag)];
        context.live = false;
        let parity = context.parity;
        let entry = &mut self.slots[usize::from(context.slot)];
        entry.syndrome = context.syndrome;
        self.arrived[usize::from(context.slot)] = true;
        let SlotEntry { function, stream, id, syndrome, .. } = *entry;
        Ended { tag, function, stream, id, syndrome, parity, tag_free: true }
    }

    /// Ends the read of `tag` because its completion is overdue, unless one is coming in right now.
    pub(super) fn expire(&mut self, tag: u16) -> Option<Ended> {
        let coming = self.stage.valid && self.stage.index == tag || self.current.live && self.current.tag == tag;
        let context = self.tags.get_mut(usize::from(tag)).filter(|context| context.live && !coming)?;
        if context.syndrome.is_ok() {
            context.syndrome = Syndrome::COMPLETION_TIMEOUT;
        }
        context.retired = true;
        Some(Ended { tag_free: false, ..self.finish(tag) })
    }

    /// A completion for a tag that timed out; returns the tag once nothing more can come.
    fn late(&mut self) -> Option<u16> {
        let cpl = &self.stage;
        let tag = self.tags.get_mut(usize::from(cpl.index))?;
        if !tag.retired || tag.function != cpl.function {
            return None;
        }
        let last = tag.atomic || u32::from(cpl.byte_count) <= carried(cpl, tag);
        let ends = cpl.status != status::SC || cpl.length_dw == 0 || last;
        tag.retired = !ends;
        ends.then_some(cpl.index)
    }

    /// The oldest slot of a ring not handed over yet, if all its data has arrived; the rings in turn.
    pub(super) fn hand_over(&mut self) -> Option<(u16, SlotEntry)> {
        let count = self.rings.len();
        let ring = (0..count).map(|n| (self.turn + n) & (count - 1)).find(|ring| {
            let Ring { handed, reserved, .. } = self.rings[*ring];
            handed != reserved && self.arrived[usize::from(self.slot(*ring, handed))]
        })?;
        self.turn = (ring + 1) & (count - 1);
        let slot = self.slot(ring, self.rings[ring].handed);
        self.rings[ring].handed = self.rings[ring].handed.wrapping_add(1);
        Some((slot, self.slots[usize::from(slot)]))
    }

    /// Gives a slot back: the oldest of its ring.
    pub(super) fn release(&mut self, slot: u16) {
        let ring = usize::from(slot) / self.ring_slots() as usize;
        self.rings[ring].released = self.rings[ring].released.wrapping_add(1);
    }

    /// Bytes `from` to `from + bytes` of a slot's read, packed from lane 0; `from` is a multiple of the beat.
    pub(super) fn row(&self, slot: u16, pad: u32, from: u32, bytes: u32) -> Beat {
        let (first, shift) = ((u32::from(slot) * self.slot_dws + from / 4) as usize, 8 * pad);
        let mut beat = Beat::default();
        for (i, word) in beat.0.iter_mut().enumerate().take(bytes.div_ceil(8) as usize) {
            let dw = |n: usize| u64::from(self.data.get(first + 2 * i + n).copied().unwrap_or_default());
            let low = dw(0) | dw(1) << 32;
            *word = if shift == 0 { low } else { low >> shift | dw(2) << (64 - shift) };
            *word &= mask(8 * (bytes - 8 * i as u32).min(8));
        }
        beat
    }
}
