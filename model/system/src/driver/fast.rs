//! Registration by work requests: images, the lines that the unit writes, and the tables of what is to be registered.

use super::tables::Registered;
use super::{Driver, RegionSpec, RegisterError, Tables};
use crate::fabric::Fabric;
use std::collections::BTreeMap;
use types::table::LINE_BYTES;
use types::{BusAddr, Iova, Key, Line, Mode, Owner, Region};

/// Images that the driver has room for.
pub const IMAGES: u32 = 256;

/// What work requests need in the tables, and what the unit has written there.
#[derive(Clone, Debug, Default)]
pub(super) struct FastTables {
    /// By address.
    images: BTreeMap<u64, Line>,
    next: u32,
    /// MPT lines that the unit has written, by index.
    written: BTreeMap<u32, Line>,
    /// Registrations whose MTT stands and whose MPT line does not, by the first address of the MTT.
    prepared: BTreeMap<u64, Registered>,
}

impl FastTables {
    /// The driver has written an MPT line.
    pub(super) fn forget(&mut self, index: u32) {
        self.written.remove(&index);
    }

    /// The line at an address that is an image, or the MPT line `index` where the unit has written it.
    pub(super) fn line(&self, address: u64, index: u32) -> Option<Line> {
        self.images.get(&address).or_else(|| self.written.get(&index)).copied()
    }

    /// The registration whose MTT holds an address, `placed` among those that the MPT names, with its first address.
    pub(super) fn registration_at(&self, address: u64, placed: Option<(u64, Registered)>) -> Option<(u64, Registered)> {
        let prepared = self.prepared.range(..=address).next_back().map(|(start, r)| (*start, *r));
        [placed, prepared].into_iter().flatten().max_by_key(|(start, _)| *start)
    }
}

/// Where the flush read of a revocation goes, for keys of work requests whose writes go to a peer.
pub(super) fn flush_of(registered: &Registered) -> Option<BusAddr> {
    let fast = &registered.region.fast;
    let peer = registered.owner == Owner::Gpu && matches!(registered.mode, Mode::Ats | Mode::Emtt);
    (peer && (fast.allowed || fast.bind)).then(|| BusAddr(registered.place(0).0 & !3))
}

impl Tables {
    /// IOVA of the memory for images: the end of the window.
    pub fn image_base(&self) -> Iova {
        let (base, length) = self.window();
        Iova(base.0 + length.0 - u64::from(IMAGES) * u64::from(LINE_BYTES))
    }

    /// Puts an image in the next place and returns its address. Places come around after [`IMAGES`].
    pub fn put_image(&mut self, image: Line) -> Iova {
        let at = self.image_base().0 + u64::from(self.fast.next % IMAGES) * u64::from(LINE_BYTES);
        self.fast.next += 1;
        self.fast.images.insert(at, image);
        Iova(at)
    }

    /// The unit writes an MPT line; what is no whole line of the MPT is dropped.
    pub fn write_line(&mut self, address: BusAddr, bytes: &[u8]) {
        let offset = address.0.wrapping_sub(self.mpt_base().0);
        let index = (offset / u64::from(LINE_BYTES)) as u32;
        let inside = offset < u64::from(self.mpt_entries()) * u64::from(LINE_BYTES);
        let whole = offset.is_multiple_of(u64::from(LINE_BYTES)) && bytes.len() == LINE_BYTES as usize;
        if !inside || !whole {
            return;
        }
        let mut words =
            bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)));
        let line = Line(std::array::from_fn(|_| words.next().unwrap_or(0)));
        self.fast.written.insert(index, line);
        let region = Region::decode(&line);
        let prepared = self.fast.prepared.get(&region.mtt.0).copied();
        let Some(old) = self.at(index).copied().filter(|_| region.length.0 <= super::LARGEST) else { return };
        let key = Key::new(index, region.variant);
        let new = match prepared.filter(|p| p.key.index() == index) {
            Some(prepared) => prepared,
            // A window's entries are its parent's.
            None => Registered { key, region, ..old },
        };
        self.replace(index, Registered { key, region, ..new });
    }
}

impl Driver {
    /// Pins other memory for a key of work requests and fills its MTT: a registration that an image can name. `region` is
    /// what the key is to be.
    pub fn prepare(
        &mut self,
        fabric: &mut Fabric,
        spec: &RegionSpec,
        region: &Region,
        index: u32,
    ) -> Result<Registered, RegisterError> {
        let mut registered = self.build(fabric, spec, index)?;
        let (mtt, flush) = (registered.region.mtt, registered.region.fast.flush);
        registered.region = Region { mtt, ..*region };
        registered.region.fast.flush = flush;
        registered.key = Key::new(index, region.variant);
        fabric.memories.tables.fast.prepared.insert(mtt.0, registered);
        Ok(registered)
    }
}
