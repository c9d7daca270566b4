//! The driver: registers memory regions, builds their tables, programs the unit.

mod fast;
mod place;
pub mod registers;
mod tables;

pub use fast::IMAGES;
pub use place::{MttPlace, TableFault};
pub use tables::{Registered, Tables};
pub(crate) use tables::{space, table_range};

use crate::fabric::{Fabric, IoRange, Scatter};
use types::bits::mask;
use types::{
    BusAddr, ByteCount, FastPath, FunctionId, Iova, Key, Mode, MttLayout, Owner, PageSize, PasidPrefix, Pd, Region,
    Rights, Va,
};

/// What is asked for when memory is registered.
#[derive(Clone, Copy, Debug)]
pub struct RegionSpec {
    /// First virtual address; `None` lets the driver choose.
    pub start: Option<Va>,
    /// Bytes.
    pub length: ByteCount,
    /// Page size of the MTT entries.
    pub page: PageSize,
    /// Page size of the IOMMU mapping, and so the size of an ATS answer.
    pub io_page: PageSize,
    /// Whose memory it is.
    pub owner: Owner,
    /// Mode of the region.
    pub mode: Mode,
    /// Rights.
    pub rights: Rights,
    /// Protection domain.
    pub pd: Pd,
    /// Function it belongs to.
    pub function: FunctionId,
    /// PASID of its accesses.
    pub pasid: PasidPrefix,
    /// No order is promised where the path changes.
    pub unordered: bool,
    /// Pages may be read, and written, by the IOMMU and the MTT.
    pub page_rights: (bool, bool),
    /// Pages come into the IOMMU when they are asked for.
    pub paged: bool,
    /// MTT entries are not present until they are filled one by one.
    pub filled_on_demand: bool,
    /// GPU pages of an eMTT region are translated by ATS and stay subject to invalidation.
    pub coherent: bool,
    /// The entries of a coherent region are there from the beginning, as if they had been asked for one by one.
    pub filled_at_once: bool,
    /// What work requests may do with the key. The address of the flush is the driver's to choose.
    pub fast: FastPath,
    /// The MPT entry is valid; otherwise the key is free for a work request to register.
    pub valid: bool,
    /// Layout of the MTT, if not the driver's usual one; see [`Driver::layout`].
    pub layout: Option<MttLayout>,
    /// What is wrong with the tables, if they are to be wrong.
    pub table_fault: Option<TableFault>,
}

impl RegionSpec {
    /// `length` bytes with every right, 4 KiB pages, host memory, the unit's mode.
    pub fn of(length: ByteCount) -> Self {
        Self {
            start: None,
            length,
            page: PageSize::K4,
            io_page: PageSize::K4,
            owner: Owner::Host,
            mode: Mode::Inherit,
            rights: Rights::ALL,
            pd: Pd(1),
            function: FunctionId(0),
            pasid: PasidPrefix::default(),
            unordered: false,
            page_rights: (true, true),
            paged: false,
            filled_on_demand: false,
            coherent: false,
            filled_at_once: false,
            fast: FastPath::default(),
            valid: true,
            layout: None,
            table_fault: None,
        }
    }
}

/// Why a region cannot be registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// A region has at least one byte.
    #[error("a region must have at least one byte")]
    Empty,
    /// The MPT is full.
    #[error("all {0} entries of the MPT are in use")]
    NoKey(u32),
    /// The table window is full.
    #[error("{0} MTT entries do not fit in the memory set aside for tables")]
    NoTable(u64),
    /// The memory is full.
    #[error("{0} bytes do not fit in the memory that is left")]
    NoMemory(u64),
    /// A GPU page of an eMTT region must be one piece of bus addresses.
    #[error("an eMTT region in GPU memory with pages of {page} needs IOMMU pages of at least that size, not {io_page}")]
    Scattered {
        /// Page size of the region.
        page: PageSize,
        /// Page size of the mapping.
        io_page: PageSize,
    },
}

/// The driver of one unit.
#[derive(Clone, Debug)]
pub struct Driver {
    default_mode: Mode,
    default_layout: MttLayout,
    next_va: u64,
    next_iova: u64,
    next_host: u64,
    next_gpu: u64,
    variant: u8,
    /// Which region each range of the unit is for.
    ranges: Vec<Option<Key>>,
    /// Mixed into the places of pages.
    seed: u64,
}

/// First I/O virtual address given out: above every bus address of host memory, so that the two never look alike.
const FIRST_IOVA: u64 = 0x7000_0000_0000;
/// No region is larger: 2^48 bytes.
const LARGEST: u64 = 1 << 48;
/// First virtual address given out.
const FIRST_VA: u64 = 0x10_0000_0000;
/// A region that asks to stand above this does not push others up: they would leave the address space.
const LAST_VA: u64 = 1 << 62;

impl Driver {
    /// The driver of a unit whose regions inherit `default_mode`.
    pub fn new(default_mode: Mode, fabric: &Fabric, seed: u64) -> Self {
        Self::with_ranges(default_mode, fabric, seed, 0)
    }

    /// The driver of a unit with `ranges` ranges for coherent regions.
    pub fn with_ranges(default_mode: Mode, fabric: &Fabric, seed: u64, ranges: u32) -> Self {
        let (base, length) = fabric.memories.tables.window();
        Self {
            default_mode,
            default_layout: MttLayout::default(),
            next_va: FIRST_VA,
            next_iova: FIRST_IOVA,
            next_host: base.0 + length.0,
            next_gpu: fabric.gpu_base().0,
            variant: 0,
            ranges: vec![None; ranges as usize],
            seed,
        }
    }

    /// The same with another usual layout of the MTT.
    pub fn with_layout(self, default_layout: MttLayout) -> Self {
        Self { default_layout, ..self }
    }

    /// The layout that a region of so many pages gets: inline falls back to one level where the pages are too many for the
    /// MPT line, or are to be filled on demand, for what stands in that line is read again after a revocation alone.
    /// What work requests may deal with has one level; the entries of a coherent region stand outside of its MPT line.
    pub fn layout(&self, spec: &RegionSpec, pages: u64) -> MttLayout {
        if spec.fast.says() {
            return MttLayout::OneLevel;
        }
        match (spec.layout.unwrap_or(self.default_layout), spec.table_fault) {
            (_, Some(TableFault::ReservedLayout)) => MttLayout::Reserved,
            (_, Some(TableFault::InlineTooLong)) => MttLayout::Inline,
            (_, Some(TableFault::NoDirectory)) => MttLayout::TwoLevel,
            (MttLayout::Inline, None) if !MttLayout::Inline.holds(pages) || spec.filled_on_demand || spec.coherent => {
                MttLayout::OneLevel
            }
            (layout, None) => layout,
        }
    }

    /// Pins memory, maps it in the IOMMU, fills MPT and MTT.
    pub fn register(&mut self, fabric: &mut Fabric, spec: &RegionSpec) -> Result<Registered, RegisterError> {
        let tables = &fabric.memories.tables;
        let index = tables.free_index().ok_or(RegisterError::NoKey(tables.mpt_entries()))?;
        let registered = self.build(fabric, spec, index)?;
        fabric.memories.tables.insert(registered);
        Ok(registered)
    }

    /// Pins memory, maps it in the IOMMU and fills its MTT; the MPT stays as it is.
    fn build(&mut self, fabric: &mut Fabric, spec: &RegionSpec, index: u32) -> Result<Registered, RegisterError> {
        if spec.length.0 == 0 {
            return Err(RegisterError::Empty);
        }
        let mode = spec.mode.or(self.default_mode);
        if mode == Mode::Emtt && spec.owner == Owner::Gpu && spec.io_page < spec.page {
            return Err(RegisterError::Scattered { page: spec.page, io_page: spec.io_page });
        }
        let align = spec.page.max(spec.io_page).bytes().0;
        let start = spec.start.map_or_else(|| self.next_va.next_multiple_of(align), |va| va.0);
        // Pages are whole in both sizes.
        let within = start % spec.page.bytes().0;
        let whole = within.checked_add(spec.length.0).and_then(|n| n.checked_next_multiple_of(align));
        let span = whole.filter(|n| *n <= LARGEST).ok_or(RegisterError::NoMemory(spec.length.0))?;
        let pages = (within + spec.length.0).div_ceil(spec.page.bytes().0);
        let layout = self.layout(spec, pages);

        // Pages lie scattered over the next power of two of places.
        let io_pages = span >> spec.io_page.log2();
        let log2 = io_pages.next_power_of_two().trailing_zeros();
        let room = 1_u64 << log2 << spec.io_page.log2();
        let next = if spec.owner == Owner::Gpu { &mut self.next_gpu } else { &mut self.next_host };
        let base = next.next_multiple_of(align);
        let inside = match spec.owner {
            Owner::Gpu => fabric.memories.gpu.contains(BusAddr(base), room),
            Owner::Host => fabric.memories.host.contains(BusAddr(base), room),
        };
        if !inside {
            return Err(RegisterError::NoMemory(room));
        }
        let mtt = fabric.memories.tables.allocate_mtt(layout, pages).ok_or(RegisterError::NoTable(pages))?;
        let mtt = MttPlace { fault: spec.table_fault, ..mtt };
        *next = base + room;

        let iova = self.next_iova.next_multiple_of(align);
        // A page between regions stays unmapped.
        self.next_iova = iova + span + align;
        if let Some(end) = start.checked_add(span).filter(|end| *end <= LAST_VA) {
            self.next_va = self.next_va.max(end);
        }
        self.variant = self.variant.wrapping_add(0x35);
        let key = Key::new(index, self.variant);
        let fits = mode == Mode::Emtt && spec.owner == Owner::Gpu && !spec.fast.of_work_requests();
        let coherent = spec.coherent && fits;
        let counter = if coherent { self.range_for(key) } else { 0 };
        let scatter = Scatter {
            base: BusAddr(base),
            log2,
            multiplier: 0x9e37_79b1,
            offset: (self.seed ^ u64::from(key.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask(log2),
        };
        let (read, write) = spec.page_rights;
        let io = IoRange {
            base: Iova(iova),
            length: ByteCount(span),
            page: spec.io_page,
            scatter,
            read,
            write,
            exec: spec.pasid.exec,
            untranslated_only: false,
            pasid: space(spec.pasid),
            paged: spec.paged,
        };
        let mut region = Region {
            valid: spec.valid,
            variant: self.variant,
            pd: spec.pd,
            function: spec.function,
            page_size: spec.page,
            mode: spec.mode,
            unordered: spec.unordered,
            pasid: spec.pasid,
            rights: spec.rights,
            start: Va(start),
            length: spec.length,
            layout,
            mtt: if layout == MttLayout::Inline { Iova(0) } else { mtt.root() },
            inline: Default::default(),
            coherent,
            counter,
            iova: if coherent { Iova(iova) } else { Iova(0) },
            fast: spec.fast,
        };
        let (filled_on_demand, filled_at_once) = (spec.filled_on_demand, spec.filled_at_once);
        let mut registered =
            Registered { key, region, owner: spec.owner, mode, io, filled_on_demand, filled_at_once, mtt };
        region.fast.flush = fast::flush_of(&registered);
        registered.region = region;
        fabric.map(io);
        Ok(registered)
    }

    /// A range of the unit for a region, as the number of its counter; 0, the function's, when none is left.
    fn range_for(&mut self, key: Key) -> u16 {
        let Some(free) = self.ranges.iter().position(Option::is_none) else { return 0 };
        self.ranges[free] = Some(key);
        free as u16 + 1
    }

    /// Makes the region's MPT entry invalid and takes its mapping out of the IOMMU. The unit's caches are not told: that
    /// is a revocation. `None` when there is no such key.
    pub fn deregister(&mut self, fabric: &mut Fabric, key: Key) -> Option<Registered> {
        let registered = fabric.memories.tables.remove(key)?;
        fabric.unmap(registered.io);
        Some(registered)
    }
}
