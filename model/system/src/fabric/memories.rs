//! All memory of the system, by bus address.

use super::completer::enabled_range;
use super::packet::Packet;
use crate::driver::Tables;
use crate::memory::Memory;
use types::BusAddr;
use types::tlp::Body;

/// Which memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Host memory.
    Host,
    /// The window of the tables in host memory.
    Tables,
    /// GPU memory.
    Gpu,
}

/// All memory.
#[derive(Clone, Debug)]
pub struct Memories {
    /// Host memory.
    pub host: Memory,
    /// GPU memory.
    pub gpu: Memory,
    /// Tables in host memory.
    pub tables: Tables,
}

impl Memories {
    /// Which memory holds `length` bytes from `address`, if one does.
    pub fn place(&self, address: BusAddr, length: u64) -> Option<Place> {
        if self.gpu.contains(address, length) {
            Some(Place::Gpu)
        } else if self.tables.contains(address, length) {
            Some(Place::Tables)
        } else {
            self.host.contains(address, length).then_some(Place::Host)
        }
    }
    /// Reads bytes; what no memory holds is left alone.
    pub fn read(&mut self, address: BusAddr, out: &mut [u8]) {
        match self.place(address, out.len() as u64) {
            Some(Place::Host) => self.host.read(address, out),
            Some(Place::Gpu) => self.gpu.read(address, out),
            Some(Place::Tables) => self.tables.read(address, out),
            None => {}
        }
    }
    /// Writes bytes to host or GPU memory; others are left alone.
    pub(super) fn store(&mut self, address: BusAddr, bytes: &[u8]) {
        match self.place(address, bytes.len() as u64) {
            Some(Place::Host) => self.host.write(address, bytes),
            Some(Place::Gpu) => self.gpu.write(address, bytes),
            Some(Place::Tables) | None => {}
        }
    }
    /// Writes the enabled bytes of a memory write; the place of the first and how many, unless none is.
    pub(super) fn write(&mut self, place: Place, address: BusAddr, packet: &Packet) -> Option<Landing> {
        let Body::Memory { first_be, last_be, .. } = packet.tlp.body else { return None };
        let memory = match place {
            Place::Host => &mut self.host,
            Place::Gpu => &mut self.gpu,
            // Nobody waits for a table line.
            Place::Tables => {
                self.tables.write_line(address, &packet.payload);
                return None;
            }
        };
        let dws = packet.payload.len() / 4;
        let (skip, count) = (first_be.trailing_zeros() as usize, usize::from(enabled_range(&packet.tlp).1));
        if first_be == 0 || (dws > 1 && last_be == 0) {
            // Nothing is enabled, or the request is malformed: it names no range.
            return None;
        }
        let first_run = (first_be >> skip).trailing_ones() as usize;
        let one_run =
            if dws == 1 { first_run == count } else { skip + first_run == 4 && last_be & last_be.wrapping_add(1) == 0 };
        if one_run {
            memory.write(BusAddr(address.0 + skip as u64), &packet.payload[skip..skip + count]);
        } else {
            memory.write_enabled(address, &packet.payload, |i| match i / 4 {
                0 => first_be >> i & 1 == 1,
                dw if dw + 1 == dws => last_be >> (i % 4) & 1 == 1,
                _ => true,
            });
        }
        Some(Landing { address: BusAddr(address.0 + skip as u64), length: count as u32 })
    }
}

/// Bytes that have reached memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// Where.
    pub address: BusAddr,
    /// How many.
    pub length: u32,
}
