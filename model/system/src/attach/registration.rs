//! The driver's side of registration by work requests.

use super::{RunError, System};
use crate::driver::registers::{self, Access};
use crate::driver::{IMAGES, RegionSpec, Registered, table_range};
use crate::observer::Observer;
use types::port::{UnitIn, UnitOut};
use types::{Block, Event, Iova, Line, Region};

impl<U: Block<In = UnitIn, Out = UnitOut>, O: Observer<U>> System<U, O> {
    /// From now on work requests may register and invalidate keys: the unit is told where images stand, and may write the
    /// tables. Before the first request.
    pub fn enable_registrations(&mut self) {
        let tables = &self.fabric.memories.tables;
        let (images, mpt, entries) = (tables.image_base(), tables.mpt_base(), tables.mpt_entries());
        let range = table_range(tables);
        self.fabric.unmap(range);
        self.fabric.map(crate::fabric::IoRange { write: true, ..range });
        for (offset, value) in [
            (registers::IMAGE_BASE_LO, images.0 as u32),
            (registers::IMAGE_BASE_HI, (images.0 >> 32) as u32),
            (registers::IMAGES, IMAGES),
        ] {
            self.registers.push(Access::Write { offset, value });
        }
        if O::EVENTS {
            self.observer.event(&Event::Registrations { mpt, entries, images, count: IMAGES });
        }
    }

    /// Puts an image in memory and returns its address, the virtual address of the request that names it.
    pub fn put_image(&mut self, image: Line) -> Iova {
        self.fabric.memories.tables.put_image(image)
    }

    /// Pins other memory for a key of work requests, which is to be `region`; the image names what is returned.
    pub fn prepare(&mut self, spec: &RegionSpec, region: &Region, index: u32) -> Result<Registered, RunError> {
        Ok(self.driver.prepare(&mut self.fabric, spec, region, index)?)
    }
}
