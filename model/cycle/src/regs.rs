//! `regs`: the driver's registers and the statistics, behind AXI4-Lite.
//!
//! ```text
//! aw ─► [aw] ─┐
//! w ──► [w] ──┴─► decode ─► registers ─► control        ─► [b]
//! ar ─► [ar] ─► decode ─► register, or RAM row + front counter ─► [r]
//! stat ─► front counters (9 bits, one a statistic) ─► sweep ─► RAM: 32 bits a statistic
//! ```
//!
//! | offset | register | |
//! |---|---|---|
//! | 0x000 | ID | ro, 0x524e4943 ("RNIC") |
//! | 0x004 | VERSION | ro, major 31:16, minor 15:8, patch 7:0 |
//! | 0x008 | CONTROL | bit 0 enable; bits 2:1 default mode as in `types::Mode`, 0 is kept as direct |
//! | 0x00c | STATUS | ro, bit 0: requests are accepted |
//! | 0x010 | MPT_BASE_LO | bits 31:6 |
//! | 0x014 | MPT_BASE_HI | |
//! | 0x018 | MPT_ENTRIES | 25 bits, at most 2^24 |
//! | 0x01c | TIMEOUT | completion time-out in ticks of 1024 cycles, 16 bits, 0 for none; 48 828 (100 ms at 500 MHz) after reset |
//! | 0x020 | REVOKE_INDEX | MPT index, 24 bits |
//! | 0x024 | REVOKE_FUNCTION | function whose memory it is, 8 bits |
//! | 0x028, 0x02c | REVOKE_MTT_LO, _HI | IOVA of the region's first MTT entry |
//! | 0x030 | REVOKE_ENTRIES | MTT entries of the region |
//! | 0x034, 0x038 | REVOKE_FLUSH_LO, _HI | bus address for the flush read, DW-aligned |
//! | 0x03c | COMMAND | wo, bit 0: revoke; bit 1: with a flush read. SLVERR while busy |
//! | 0x040 | COMMAND_STATUS | ro, bit 0 busy, bit 1 the last flush read failed, bits 31:16 commands done |
//! | 0x044 | IRQ_ENABLE | bit 0: a command is done; bit 1: an event was queued; bit 2: a stale entry was met |
//! | 0x048 | IRQ_STATUS | as IRQ_ENABLE; write 1 to clear |
//! | 0x04c | EVENT_CONTROL | bit 0: an MTT entry that is not present is an event for requests that wait on a fault |
//! | 0x050 | EVENT_STATUS | ro, bits 3:0 events in the queue; of the oldest: bits 15:8 function, bit 16 it writes, bits 22:20 its number |
//! | 0x054 | EVENT_INDEX | ro, MPT index of the oldest event's region, 24 bits |
//! | 0x058, 0x05c | EVENT_VA_LO, _HI | ro, virtual address of the oldest event's access |
//! | 0x060 | EVENT_POP | wo, any value: the oldest event leaves the queue |
//! | 0x064 | EVENT_RESUME | wo, bits 23:0 MPT index, bits 26:24 number of the event, bit 27 all of the region; bit 31 refuse |
//! | 0x068, 0x06c, 0x07c–0x098 | COHERENT_* | coherent_regs.rs |
//! | 0x070, 0x074 | IMAGE_BASE_LO, _HI | IOVA of the memory for images of registrations, 64-byte aligned |
//! | 0x078 | IMAGES | images it has room for, at most 2^16; 0: work requests register nothing |
//! | 0x400 + 4 i | statistic i of `types::port::stat_sources` | ro, wraps at 32 bits |
//!
//! Address bits 1:0 are ignored. Another offset, and a write to a read-only register, answer SLVERR and change nothing.
//!
//! | stage | from edge to edge |
//! |---|---|
//! | write | the later of `aw` and `w` taken at k: response and `control` in cycle k+2 |
//! | read | `ar` taken at k: data in cycle k+3 (RAM row read at edge k+1, sum at edge k+2) |
//!
//! One write and one read may be under way; the channel is ready again once the response is taken.
//!
//! **How a RAM counts all statistics at once.** Every statistic has a front counter that takes its increment each
//! cycle. A sweep visits one statistic a cycle, adds its front counter to its RAM row and restarts it, so a counter is
//! emptied after as many cycles as there are statistics, at most 127; a read takes the RAM port for three of at least
//! four cycles, which makes it 508 at worst: 9 bits hold one-bit increments without loss (wider increments take wider
//! counters). A read returns row plus front counter with the sweep held, so its value is the exact count and its latency
//! does not depend on the sweep's place.
//! The model keeps the same thing as bit planes: bit i of plane p is bit p of the front counter of bus bit i, which
//! makes an update two words of logic a word of the bus.

use crate::coherent_regs::{self, CoherentRegs};
use crate::page_events::EVENTS;
use std::collections::VecDeque;
use types::UnitCfg;
use types::access::Mode;
use types::addr::{BusAddr, FunctionId, Iova};
use types::port::{PageEvent, PageResume, RegsIn, RegsOut, Revocation, StatBus, TableControl, stat_sources};
use types::ports::{Block, Cycle};

/// Value of ID.
pub const ID: u32 = 0x524e_4943;
/// Value of VERSION: 0.1.0.
pub const VERSION: u32 = 0x0000_0100;
/// Completion time-out after reset, in ticks.
pub const TIMEOUT: u16 = 48_828;
/// Cause of an interrupt: a command is done.
const IRQ_COMMAND: u32 = 1;
/// Cause of an interrupt: an event was queued.
const IRQ_EVENT: u32 = 2;
/// Cause of an interrupt: a stale entry of a coherent region was met.
const IRQ_STALE: u32 = 4;
const IRQ_CAUSES: u32 = IRQ_COMMAND | IRQ_EVENT | IRQ_STALE;
/// AXI response OKAY.
pub const OKAY: u8 = 0b00;
/// AXI response SLVERR.
pub const SLVERR: u8 = 0b10;

/// Bit planes of the front counters.
const PLANES: usize = 8;
/// Increments that the planes hold without overflow.
const FULL: u32 = (1 << PLANES) - 1;
/// Offset of the first statistic.
const STATISTICS: u16 = 0x400;
/// Largest number of images of registrations.
const MOST_IMAGES: u32 = 1 << 16;

/// The statistics: front counters as bit planes over the bus, and the rows behind them, one a bus bit.
#[derive(Clone, Debug)]
struct Statistics {
    planes: [StatBus; PLANES],
    /// Increments in the planes.
    held: u32,
    rows: Box<[u32]>,
    /// First bus bit and width of each statistic.
    places: Box<[(u16, u16)]>,
}

impl Statistics {
    fn new(cfg: &UnitCfg) -> Self {
        let mut bit = 0;
        let places: Box<[_]> = stat_sources(cfg)
            .iter()
            .map(|source| {
                let place = (bit, source.width as u16);
                bit += place.1;
                place
            })
            .collect();
        Self { planes: [StatBus::default(); PLANES], held: 0, rows: vec![0; usize::from(bit)].into(), places }
    }

    fn add(&mut self, stat: &StatBus) {
        for (i, word) in stat.0.iter().enumerate() {
            let mut carry = *word;
            for plane in &mut self.planes {
                if carry == 0 {
                    break;
                }
                (plane.0[i], carry) = (plane.0[i] ^ carry, plane.0[i] & carry);
            }
        }
        self.held += 1;
        if self.held == FULL {
            for bit in 0..self.rows.len() {
                self.rows[bit] = self.rows[bit].wrapping_add(self.front(bit));
            }
            self.planes = [StatBus::default(); PLANES];
            self.held = 0;
        }
    }

    fn front(&self, bit: usize) -> u32 {
        let plane = |(p, plane): (usize, &StatBus)| ((plane.0[bit / 64] >> (bit % 64) & 1) as u32) << p;
        self.planes.iter().enumerate().map(plane).sum()
    }

    /// Statistic `index`: its bus bits with their weights.
    fn get(&self, index: usize) -> Option<u32> {
        let (first, width) = *self.places.get(index)?;
        let bit = |i: u16| {
            let bit = usize::from(first + i);
            self.rows[bit].wrapping_add(self.front(bit)) << i
        };
        Some((0..width).map(bit).fold(0, u32::wrapping_add))
    }
}

/// The block; see the module documentation.
#[derive(Clone, Debug)]
pub struct Regs {
    cfg: UnitCfg,
    control: TableControl,
    command: Revocation,
    done: u16,
    failed: bool,
    irq_enable: u32,
    irq_status: u32,
    events: VecDeque<PageEvent>,
    resume: PageResume,
    coherent: CoherentRegs,
    aw: Option<u16>,
    w: Option<(u32, u8)>,
    b: Option<u8>,
    ar: Option<u16>,
    row_read: bool,
    r: Option<(u32, u8)>,
    statistics: Statistics,
}

impl Regs {
    /// The oldest event.
    fn event(&self) -> PageEvent {
        self.events.front().copied().unwrap_or_default()
    }

    /// What a read of `address` returns.
    fn read(&self, address: u16) -> Option<u32> {
        let (control, command) = (&self.control, &self.command);
        Some(match address & !3 {
            0x000 => ID,
            0x004 => VERSION,
            0x008 => u32::from(control.enable) | (control.mode as u32) << 1,
            0x00c => u32::from(control.enable),
            0x010 => control.mpt_base.0 as u32,
            0x014 => (control.mpt_base.0 >> 32) as u32,
            0x018 => control.mpt_entries,
            0x01c => u32::from(control.timeout),
            0x020 => command.index,
            0x024 => u32::from(command.function.0),
            0x028 => command.entries.0 as u32,
            0x02c => (command.entries.0 >> 32) as u32,
            0x030 => command.count,
            0x034 => command.address.0 as u32,
            0x038 => (command.address.0 >> 32) as u32,
            0x03c => 0,
            0x040 => u32::from(command.valid) | u32::from(self.failed) << 1 | u32::from(self.done) << 16,
            0x044 => self.irq_enable,
            0x048 => self.irq_status,
            0x04c => u32::from(control.page_events),
            0x050 => {
                let event = self.event();
                self.events.len() as u32
                    | u32::from(event.function.0) << 8
                    | u32::from(event.write) << 16
                    | u32::from(event.number) << 20
            }
            0x054 => self.event().index,
            0x058 => self.event().va.0 as u32,
            0x05c => (self.event().va.0 >> 32) as u32,
            0x060 | 0x064 => 0,
            offset if coherent_regs::has(offset) => self.coherent.read(offset),
            0x070 => control.image_base.0 as u32,
            0x074 => (control.image_base.0 >> 32) as u32,
            0x078 => control.images,
            offset => return self.statistics.get(usize::from(offset.checked_sub(STATISTICS)? / 4)),
        })
    }

    /// Writes `data` where it may be written; bytes without a strobe keep their value.
    fn write(&mut self, address: u16, data: u32, strobes: u8) -> Option<()> {
        let lanes = (0..4).map(|i| if strobes >> i & 1 == 1 { 0xff << (8 * i) } else { 0 }).sum::<u32>();
        let value = self.read(address)? & !lanes | data & lanes;
        let (control, command) = (&mut self.control, &mut self.command);
        let base = control.mpt_base.0;
        let low = |old: u64| old & !0xffff_ffff | u64::from(value);
        let high = |old: u64| old & 0xffff_ffff | u64::from(value) << 32;
        // What a command under way uses does not change under it.
        if command.valid && (0x020..0x040).contains(&(address & !3)) {
            return None;
        }
        match address & !3 {
            0x008 => {
                control.enable = value & 1 == 1;
                control.mode = Mode::from_bits((value >> 1) as u8).or(Mode::Direct);
            }
            0x010 => control.mpt_base = Iova(base & !0xffff_ffff | u64::from(value & !0x3f)),
            0x014 => control.mpt_base = Iova(base & 0xffff_ffff | u64::from(value) << 32),
            0x018 => control.mpt_entries = value & 0x1ff_ffff,
            0x01c => control.timeout = value as u16,
            0x020 => command.index = value & 0xff_ffff,
            0x024 => command.function = FunctionId((value & 0xff) as u16),
            0x028 => command.entries = Iova(low(command.entries.0)),
            0x02c => command.entries = Iova(high(command.entries.0)),
            0x030 => command.count = value,
            0x034 => command.address = BusAddr(low(command.address.0)),
            0x038 => command.address = BusAddr(high(command.address.0)),
            0x03c => (command.valid, command.flush) = (value & 1 == 1, value & 2 != 0),
            0x044 => self.irq_enable = value & IRQ_CAUSES,
            0x048 => self.irq_status &= !(data & lanes),
            0x04c => control.page_events = value & 1 == 1,
            0x060 => {
                self.events.pop_front();
            }
            0x064 => {
                self.resume = PageResume {
                    valid: true,
                    index: value & 0xff_ffff,
                    number: (value >> 24 & 7) as u8,
                    all: value >> 27 & 1 == 1,
                    refuse: value >> 31 == 1,
                };
            }
            offset if coherent_regs::has(offset) => return self.coherent.write(offset, value),
            0x070 => control.image_base = Iova(low(control.image_base.0) & !0x3f),
            0x074 => control.image_base = Iova(high(control.image_base.0)),
            0x078 => control.images = value.min(MOST_IMAGES),
            _ => return None,
        }
        Some(())
    }
}

impl Block for Regs {
    type In = RegsIn;
    type Out = RegsOut;

    fn new(cfg: &UnitCfg) -> Self {
        Self {
            cfg: cfg.clone(),
            control: TableControl { mode: Mode::Direct, timeout: TIMEOUT, ..TableControl::default() },
            command: Revocation::default(),
            done: 0,
            failed: false,
            irq_enable: 0,
            irq_status: 0,
            events: VecDeque::with_capacity(EVENTS),
            resume: PageResume::default(),
            coherent: CoherentRegs::default(),
            aw: None,
            w: None,
            b: None,
            ar: None,
            row_read: false,
            r: None,
            statistics: Statistics::new(cfg),
        }
    }

    fn outputs(&self, out: &mut RegsOut) {
        let (rdata, rresp) = self.r.unwrap_or_default();
        *out = RegsOut {
            awready: self.aw.is_none(),
            wready: self.w.is_none(),
            bvalid: self.b.is_some(),
            bresp: self.b.unwrap_or_default(),
            arready: self.ar.is_none(),
            rvalid: self.r.is_some(),
            rdata,
            rresp,
            control: self.control,
            command: self.command,
            event_ready: self.events.len() < EVENTS,
            resume: self.resume,
            range: self.coherent.range(),
            translate: self.coherent.translate(),
            irq: self.irq_enable & self.irq_status != 0,
        };
    }

    fn step(&mut self, inp: &RegsIn) {
        if inp.reset {
            *self = Self::new(&self.cfg);
            return;
        }
        // The sum of row and front counter is that before this edge.
        if let Some(address) = self.ar {
            if self.r.is_some() {
                if inp.rready {
                    (self.ar, self.r, self.row_read) = (None, None, false);
                }
            } else if self.row_read {
                self.r = Some(self.read(address).map_or((0, SLVERR), |data| (data, OKAY)));
            } else {
                self.row_read = true;
            }
        } else if inp.arvalid {
            self.ar = Some(inp.araddr);
        }
        if inp.stat != StatBus::default() {
            self.statistics.add(&inp.stat);
        }

        let event_ready = self.events.len() < EVENTS;
        self.resume = PageResume::default();
        if self.coherent.step(inp) {
            self.irq_status |= IRQ_STALE;
        }
        let (aw_ready, w_ready) = (self.aw.is_none(), self.w.is_none());
        if self.b.is_some() {
            if inp.bready {
                (self.aw, self.w, self.b) = (None, None, None);
            }
        } else if let (Some(address), Some((data, strobes))) = (self.aw, self.w) {
            self.b = Some(self.write(address, data, strobes).map_or(SLVERR, |()| OKAY));
        }
        if inp.command_done {
            self.command.valid = false;
            self.done = self.done.wrapping_add(1);
            self.failed = inp.command_failed;
            self.irq_status |= IRQ_COMMAND;
        }
        if inp.event.valid && event_ready {
            self.events.push_back(inp.event);
            self.irq_status |= IRQ_EVENT;
        }
        if inp.awvalid && aw_ready {
            self.aw = Some(inp.awaddr);
        }
        if inp.wvalid && w_ready {
            self.w = Some((inp.wdata, inp.wstrb));
        }
    }

    fn idle_until(&self, inp: &RegsIn) -> Option<Cycle> {
        let asked =
            inp.reset || inp.awvalid || inp.wvalid || inp.arvalid || inp.command_done || inp.stat != StatBus::default();
        let asked =
            asked || self.coherent.busy(inp) || self.resume.valid || inp.event.valid && self.events.len() < EVENTS;
        let write_moves = self.b.map_or(self.aw.is_some() && self.w.is_some(), |_| inp.bready);
        let read_moves = self.r.map_or(self.ar.is_some(), |_| inp.rready);
        (!asked && !write_moves && !read_moves).then_some(Cycle(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statistic_wraps_at_32_bits() {
        // 2^32 edges are too many to run: the row starts five short of the end.
        let mut statistics = Statistics::new(&types::config::NAMED[0].1);
        statistics.rows[3] = u32::MAX - 4;
        let mut bus = StatBus::default();
        bus.0[0] = 1 << 3;
        for _ in 0..300 {
            statistics.add(&bus);
        }
        assert_eq!(statistics.get(3), Some(295));
    }
}
