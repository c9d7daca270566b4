//! Layout of the tables in host memory. The driver writes them; the unit reads them, and writes the MPT lines of keys that the
//! driver has set aside for work requests (`registration`).
//!
//! MTT entry: 8 bytes little-endian, 8 a line. MPT entry: 64 bytes little-endian, one a line.

use crate::access::{Mode, Owner, PasidPrefix, Rights};
use crate::addr::{ByteCount, FunctionId, Iova, PageSize, Pasid, Pd, TlpAddr, Va};
use crate::bits::mask;
use crate::layout::{LEAF_ENTRIES, MttLayout};
use crate::registration::FastPath;

/// Bytes of a table line: what one fetch brings.
pub const LINE_BYTES: u32 = 64;
/// Bytes of an MTT entry.
pub const MTT_ENTRY_BYTES: u32 = 8;

/// One table line as eight little-endian 64-bit words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Line(pub [u64; 8]);

impl crate::ports::PortValue for Line {
    fn fields(
        _: &crate::config::UnitCfg,
        name: &str,
        _: Option<u32>,
        doc: &'static str,
        out: &mut Vec<crate::ports::Field>,
    ) {
        out.push(crate::ports::Field { name: name.into(), width: 512, doc });
    }
    fn put(&self, _: &crate::config::UnitCfg, _: Option<u32>, out: &mut crate::bits::BitWriter<'_>) {
        self.0.iter().for_each(|word| out.put(*word, 64));
    }
    fn get(_: &crate::config::UnitCfg, _: Option<u32>, from: &mut crate::bits::BitReader<'_>) -> Self {
        Self(std::array::from_fn(|_| from.get(64)))
    }
}

/// A Memory Translation Table entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MttEntry {
    /// Page address, bits 63:12; an IOVA for host pages, a bus address for GPU pages of an eMTT region.
    pub address: TlpAddr,
    /// Bit 3: the page is present.
    pub present: bool,
    /// Bit 2: the owner tag.
    pub owner: Owner,
    /// Bit 1: the page may be written.
    pub write: bool,
    /// Bit 0: the page may be read.
    pub read: bool,
    /// Bits 11:4: in a coherent region, the generation under which a GPU page was translated; ignored elsewhere.
    pub generation: u8,
}

impl MttEntry {
    /// The 8-byte word in memory.
    pub fn encode(self) -> TableWord {
        TableWord(
            (self.address.0 & !mask(12))
                | u64::from(self.generation) << 4
                | u64::from(self.present) << 3
                | u64::from(self.owner == Owner::Gpu) << 2
                | u64::from(self.write) << 1
                | u64::from(self.read),
        )
    }
    /// The entry of an 8-byte word.
    pub fn decode(word: TableWord) -> Self {
        let word = word.0;
        Self {
            address: TlpAddr(word & !mask(12)),
            present: word >> 3 & 1 == 1,
            owner: if word >> 2 & 1 == 1 { Owner::Gpu } else { Owner::Host },
            write: word >> 1 & 1 == 1,
            read: word & 1 == 1,
            generation: (word >> 4) as u8,
        }
    }
}

/// Eight bytes of a table, little-endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TableWord(pub u64);

/// A memory region: what an MPT entry says.
///
/// | word | bits | field |
/// |---|---|---|
/// | 0 | 7:0 | key variant |
/// | 0 | 31:8 | protection domain |
/// | 0 | 47:32 | function |
/// | 0 | 53:48 | page size, base-two logarithm |
/// | 0 | 55:54 | mode: 0 unit default, 1 direct, 2 ats, 3 emtt |
/// | 0 | 56 | valid |
/// | 0 | 57 | unordered: no flush where the path changes |
/// | 0 | 60 | coherent: in mode emtt, GPU entries came through ATS and stay subject to invalidation |
/// | 0 | 59:58 | layout of the MTT: 0 one level, 1 inline, 2 two levels, 3 reserved |
/// | 1 | 19:0 | PASID |
/// | 1 | 20, 21, 22 | PASID valid, Privileged Mode Requested, Execute Requested |
/// | 1 | 32, 33, 34, 35 | local write, remote read, remote write, remote atomic |
/// | 2 | 63:0 | start virtual address |
/// | 3 | 63:0 | length in bytes |
/// | 4 | 63:0 | one level: IOVA of the region's first MTT entry, 8-byte aligned |
/// | 4 | 63:0 | two levels: IOVA of the region's directory, 8-byte aligned |
/// | 4–7 | 63:0 | inline: the region's MTT entries themselves, that of its first page in word 4 |
/// | 5 | 11:0 | coherent regions: number of the generation counter, 0 for that of the function |
/// | 5 | 63:12 | coherent regions: I/O virtual address of the page of the first MTT entry |
/// | 5–7 | | otherwise, and in the key of a window or of work requests: [`FastPath`], or reserved, zero |
///
/// A region that work requests deal with has one level.
///
/// **Directory.** One word of 8 bytes for every 512 pages of the region: bits 63:12 the IOVA of a page of 4 KiB that holds
/// their MTT entries in order, bit 3 present. Other bits are ignored. Where it is not present, none of those pages is.
///
/// **Lines that describe no region.** Layout 3, layout 1 with more than four pages, and layout 1 in a coherent region count
/// as not valid, as a page size below 4 KiB does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Region {
    /// The entry is in use.
    pub valid: bool,
    /// Key variant.
    pub variant: u8,
    /// Protection domain.
    pub pd: Pd,
    /// Owning function.
    pub function: FunctionId,
    /// Page size of the region's MTT entries.
    pub page_size: PageSize,
    /// Mode override.
    pub mode: Mode,
    /// No order is promised where the path changes.
    pub unordered: bool,
    /// PASID attributes of the region's accesses.
    pub pasid: PasidPrefix,
    /// Rights.
    pub rights: Rights,
    /// First virtual address.
    pub start: Va,
    /// Length in bytes.
    pub length: ByteCount,
    /// Where the entries stand that follow.
    pub layout: MttLayout,
    /// Where the region's MTT entries stand, or its directory; entry 0 is for the page that holds `start`.
    pub mtt: Iova,
    /// GPU entries came through ATS and stay subject to invalidation; counts in mode emtt alone.
    pub coherent: bool,
    /// Generation counter of a coherent region, 12 bits: 0 that of its function, n that of range n − 1 of the unit.
    pub counter: u16,
    /// I/O virtual address of a coherent region's first page, aligned to its page size.
    pub iova: Iova,
    /// What work requests may do with the key.
    pub fast: FastPath,
    /// The MTT entries of a region that holds them itself.
    pub inline: [TableWord; 4],
}

impl Region {
    /// The 64-byte line in memory.
    pub fn encode(&self) -> Line {
        let bit = |b: bool, n: u32| u64::from(b) << n;
        let mut line = [0; 8];
        line[0] = u64::from(self.variant)
            | (u64::from(self.pd.0) & mask(24)) << 8
            | u64::from(self.function.0) << 32
            | u64::from(self.page_size.log2()) << 48
            | (self.mode as u64) << 54
            | bit(self.valid, 56)
            | bit(self.unordered, 57)
            | (self.layout as u64) << 58
            | bit(self.coherent, 60);
        line[1] = u64::from(self.pasid.pasid.0) & mask(20)
            | bit(self.pasid.valid, 20)
            | bit(self.pasid.privileged, 21)
            | bit(self.pasid.exec, 22)
            | bit(self.rights.local_write, 32)
            | bit(self.rights.remote_read, 33)
            | bit(self.rights.remote_write, 34)
            | bit(self.rights.remote_atomic, 35);
        line[2] = self.start.0;
        line[3] = self.length.0;
        line[4] = self.mtt.0;
        self.fast.encode(&mut line);
        if self.coherent && !self.fast.of_work_requests() {
            line[5] = self.iova.0 & !mask(12) | u64::from(self.counter) & mask(12);
        }
        if self.layout == MttLayout::Inline {
            line[4..].copy_from_slice(&self.inline.map(|word| word.0));
        }
        Line(line)
    }

    /// The region of a line. A page size below 4 KiB makes it invalid, and so does a layout that cannot hold its pages.
    pub fn decode(line: &Line) -> Self {
        let w = &line.0;
        let bit = |word: u64, n: u32| word >> n & 1 == 1;
        let page_size = PageSize::from_log2((w[0] >> 48 & mask(6)) as u8);
        let layout = MttLayout::from_bits((w[0] >> 58) as u8);
        let inline = layout == MttLayout::Inline;
        let (coherent, fast) = (bit(w[0], 60), FastPath::decode(w));
        let place = if coherent && !inline && !fast.of_work_requests() { w[5] } else { 0 };
        let region = Self {
            valid: bit(w[0], 56) && page_size.is_some(),
            variant: w[0] as u8,
            pd: Pd((w[0] >> 8 & mask(24)) as u32),
            function: FunctionId((w[0] >> 32) as u16),
            page_size: page_size.unwrap_or_default(),
            mode: Mode::from_bits((w[0] >> 54) as u8),
            unordered: bit(w[0], 57),
            pasid: PasidPrefix {
                valid: bit(w[1], 20),
                pasid: Pasid((w[1] & mask(20)) as u32),
                exec: bit(w[1], 22),
                privileged: bit(w[1], 21),
            },
            rights: Rights {
                local_write: bit(w[1], 32),
                remote_read: bit(w[1], 33),
                remote_write: bit(w[1], 34),
                remote_atomic: bit(w[1], 35),
            },
            start: Va(w[2]),
            length: ByteCount(w[3]),
            layout,
            mtt: Iova(if inline { 0 } else { w[4] }),
            inline: if inline { [w[4], w[5], w[6], w[7]].map(TableWord) } else { Default::default() },
            coherent,
            counter: (place & mask(12)) as u16,
            iova: Iova(place & !mask(12)),
            fast,
        };
        Self { valid: region.valid && layout.holds(region.pages()) && !(inline && coherent), ..region }
    }

    /// Pages of the region: those that hold at least one of its bytes.
    pub fn pages(&self) -> u64 {
        let size = self.page_size.bytes().0;
        let within = u128::from(self.start.0 % size) + u128::from(self.length.0);
        within.div_ceil(u128::from(size)) as u64
    }

    /// Whether `length` bytes from `va` lie inside the region; a range that wraps past 2^64 does not.
    pub fn contains(&self, va: Va, length: u32) -> bool {
        // 65-bit arithmetic: neither end may wrap.
        let (first, end) = (u128::from(va.0), u128::from(va.0) + u128::from(length));
        let (low, high) = (u128::from(self.start.0), u128::from(self.start.0) + u128::from(self.length.0));
        first >= low && end <= high && high <= 1 << 64
    }

    /// Index of the MTT entry of the page that holds `va`, which must lie inside the region.
    pub fn page_index(&self, va: Va) -> PageIndex {
        let log2 = self.page_size.log2();
        PageIndex((va.0 >> log2).wrapping_sub(self.start.0 >> log2))
    }

    /// I/O virtual address of page `index` of a coherent region.
    pub fn page_iova(&self, index: PageIndex) -> Iova {
        Iova(self.iova.0.wrapping_add(index.0 << self.page_size.log2()))
    }

    /// Where the MTT entry of page `index` stands, in a table of one level.
    pub fn entry_address(&self, index: PageIndex) -> Iova {
        Iova(self.mtt.0.wrapping_add(index.0.wrapping_mul(u64::from(MTT_ENTRY_BYTES))))
    }

    /// Where the word of the directory stands that leads to the MTT entry of page `index`, in a table of two levels.
    pub fn directory_address(&self, index: PageIndex) -> Iova {
        self.entry_address(PageIndex(index.0 / LEAF_ENTRIES))
    }
}

/// Number of a page inside its region, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageIndex(pub u64);
