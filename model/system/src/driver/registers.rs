//! The unit's registers as the driver writes them, over AXI4-Lite.

use types::port::{UnitIn, UnitOut};

/// Identification, read-only.
pub const ID: u16 = 0x000;
/// What [`ID`] holds: "RNIC" in ASCII.
pub const ID_VALUE: u32 = 0x524e_4943;
/// Bit 0 enable, bits 2:1 mode that regions inherit.
pub const CONTROL: u16 = 0x008;
/// IOVA of MPT entry 0, low half.
pub const MPT_BASE_LO: u16 = 0x010;
/// IOVA of MPT entry 0, high half.
pub const MPT_BASE_HI: u16 = 0x014;
/// Entries in the MPT, 25 bits.
pub const MPT_ENTRIES: u16 = 0x018;
/// Completion time-out in ticks of 1024 cycles, 16 bits, 0 for none.
pub const TIMEOUT: u16 = 0x01c;
/// MPT index of the region to revoke, 24 bits.
pub const REVOKE_INDEX: u16 = 0x020;
/// Function whose memory it is.
pub const REVOKE_FUNCTION: u16 = 0x024;
/// IOVA of the region's first MTT entry, low half.
pub const REVOKE_MTT_LO: u16 = 0x028;
/// IOVA of the region's first MTT entry, high half.
pub const REVOKE_MTT_HI: u16 = 0x02c;
/// MTT entries of the region.
pub const REVOKE_ENTRIES: u16 = 0x030;
/// Bus address for the flush read, low half.
pub const REVOKE_FLUSH_LO: u16 = 0x034;
/// Bus address for the flush read, high half.
pub const REVOKE_FLUSH_HI: u16 = 0x038;
/// Bit 0: revoke; bit 1: with a flush read.
pub const COMMAND: u16 = 0x03c;
/// Bit 0: a command is done; bit 1: an event was queued; bit 2: a stale entry was met.
pub const IRQ_ENABLE: u16 = 0x044;
/// As [`IRQ_ENABLE`]; write 1 to clear.
pub const IRQ_STATUS: u16 = 0x048;
/// Bit 0: an MTT entry that is not present is an event.
pub const EVENT_CONTROL: u16 = 0x04c;
/// Bits 3:0 events in the queue; of the oldest, bits 15:8 function, bit 16 it writes, bits 22:20 its number.
pub const EVENT_STATUS: u16 = 0x050;
/// MPT index of the oldest event's region.
pub const EVENT_INDEX: u16 = 0x054;
/// Virtual address of the oldest event's access, low half.
pub const EVENT_VA_LO: u16 = 0x058;
/// Virtual address of the oldest event's access, high half.
pub const EVENT_VA_HI: u16 = 0x05c;
/// Takes the oldest event off the queue.
pub const EVENT_POP: u16 = 0x060;
/// Bits 23:0 MPT index and bits 26:24 number of the event whose accesses go on; bit 27 all of the region; bit 31 refuses.
pub const EVENT_RESUME: u16 = 0x064;
/// Function of a coherent region's command.
pub const COHERENT_FUNCTION: u16 = 0x068;
/// Bits 19:0 its PASID, bit 20 there is one, bit 21 privileged.
pub const COHERENT_PASID: u16 = 0x06c;
/// I/O virtual address, low half.
pub const COHERENT_IOVA_LO: u16 = 0x090;
/// I/O virtual address, high half.
pub const COHERENT_IOVA_HI: u16 = 0x094;
/// Pages of 4 KiB of a range.
pub const COHERENT_PAGES: u16 = 0x098;
/// Bits 11:0 generation counter; bit 29 with NW; bit 30 translate; bit 31 start the counter.
pub const COHERENT_COMMAND: u16 = 0x07c;
/// Bit 0 busy; of the last answer bit 1 failed, bits 13:8 log2 of its size.
pub const COHERENT_STATUS: u16 = 0x080;
/// MTT entry of the last answer, low half.
pub const COHERENT_ENTRY_LO: u16 = 0x084;
/// MTT entry of the last answer, high half.
pub const COHERENT_ENTRY_HI: u16 = 0x088;
/// Bit 31 a stale entry was met, bits 23:0 MPT index of its region; any write clears.
pub const COHERENT_STALE: u16 = 0x08c;

/// IOVA of the memory for images of registrations, low half.
pub const IMAGE_BASE_LO: u16 = 0x070;
/// IOVA of the memory for images of registrations, high half.
pub const IMAGE_BASE_HI: u16 = 0x074;
/// Images it has room for; 0: work requests register nothing.
pub const IMAGES: u16 = 0x078;

/// One register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Write `value` to the register.
    Write {
        /// Byte offset.
        offset: u16,
        /// Value.
        value: u32,
    },
    /// Read the register.
    Read {
        /// Byte offset.
        offset: u16,
        /// What it held, once it has been read.
        value: u32,
    },
    /// Read the register and compare.
    Expect {
        /// Byte offset.
        offset: u16,
        /// What it must hold.
        value: u32,
    },
}

/// A register access that went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterFault {
    /// The unit answered SLVERR.
    #[error("the unit refused the access to register {0:#05x}")]
    Refused(u16),
    /// The register holds another value.
    #[error("register {offset:#05x} holds {found:#x} instead of {expected:#x}")]
    Differs {
        /// Byte offset.
        offset: u16,
        /// What it holds.
        found: u32,
        /// What it should hold.
        expected: u32,
    },
}

/// An AXI4-Lite initiator that performs accesses one at a time.
#[derive(Clone, Debug, Default)]
pub struct RegisterPort {
    queue: std::collections::VecDeque<Access>,
    address_sent: bool,
    data_sent: bool,
}

impl RegisterPort {
    /// Appends an access.
    pub fn push(&mut self, access: Access) {
        self.queue.push_back(access);
    }
    /// Whether all accesses are done.
    pub fn idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// Sets the unit's AXI4-Lite inputs for this cycle.
    pub fn drive(&self, inp: &mut UnitIn) {
        inp.axil_awvalid = false;
        inp.axil_wvalid = false;
        inp.axil_bready = false;
        inp.axil_arvalid = false;
        inp.axil_rready = false;
        (inp.axil_awaddr, inp.axil_wdata, inp.axil_wstrb, inp.axil_araddr) = (0, 0, 0, 0);
        match self.queue.front() {
            Some(Access::Write { offset, value }) => {
                if !self.address_sent {
                    inp.axil_awvalid = true;
                    inp.axil_awaddr = *offset;
                }
                if !self.data_sent {
                    inp.axil_wvalid = true;
                    (inp.axil_wdata, inp.axil_wstrb) = (*value, 0xf);
                }
                inp.axil_bready = self.address_sent && self.data_sent;
            }
            Some(Access::Expect { offset, .. } | Access::Read { offset, .. }) => {
                if !self.address_sent {
                    inp.axil_arvalid = true;
                    inp.axil_araddr = *offset;
                }
                inp.axil_rready = self.address_sent;
            }
            None => {}
        }
    }

    /// Looks at the handshakes of this cycle; an access that ended is returned.
    pub fn observe(&mut self, inp: &UnitIn, out: &UnitOut) -> Result<Option<Access>, RegisterFault> {
        let Some(mut access) = self.queue.front().copied() else { return Ok(None) };
        match &mut access {
            Access::Write { offset, .. } => {
                self.address_sent |= inp.axil_awvalid && out.axil_awready;
                self.data_sent |= inp.axil_wvalid && out.axil_wready;
                if !(inp.axil_bready && out.axil_bvalid) {
                    return Ok(None);
                }
                if out.axil_bresp != 0 {
                    return Err(RegisterFault::Refused(*offset));
                }
            }
            Access::Read { offset, value } => {
                self.address_sent |= inp.axil_arvalid && out.axil_arready;
                if !(inp.axil_rready && out.axil_rvalid) {
                    return Ok(None);
                }
                if out.axil_rresp != 0 {
                    return Err(RegisterFault::Refused(*offset));
                }
                *value = out.axil_rdata;
            }
            Access::Expect { offset, value } => {
                self.address_sent |= inp.axil_arvalid && out.axil_arready;
                if !(inp.axil_rready && out.axil_rvalid) {
                    return Ok(None);
                }
                if out.axil_rresp != 0 {
                    return Err(RegisterFault::Refused(*offset));
                }
                if out.axil_rdata != *value {
                    return Err(RegisterFault::Differs { offset: *offset, found: out.axil_rdata, expected: *value });
                }
            }
        }
        self.queue.pop_front();
        (self.address_sent, self.data_sent) = (false, false);
        Ok(Some(access))
    }
}
