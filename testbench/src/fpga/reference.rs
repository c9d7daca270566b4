//! What open blocks reach in the same flow.

/// An open block, measured in this flow: yosys 0.70 `synth_ecp5 -abc9`, nextpnr 0.11, the wrapper of this module, three
/// seeds, LFE5UM5G-85F speed 8. Differences of less than 30 % in LUTs are noise.
#[derive(Clone, Copy, Debug)]
pub struct OpenBlock {
    /// Project and block.
    pub name: &'static str,
    /// Look-up tables.
    pub lut4: u32,
    /// Flip-flops.
    pub ff: u32,
    /// 18 Kbit block RAMs.
    pub dp16kd: u32,
    /// Median clock rate in MHz.
    pub mhz: u32,
    /// Lookups a cycle.
    pub lookups: &'static str,
    /// Whether hits go on under a miss.
    pub hit_under_miss: &'static str,
}

const fn block(
    name: &'static str,
    [lut4, ff, dp16kd, mhz]: [u32; 4],
    lookups: &'static str,
    hit_under_miss: &'static str,
) -> OpenBlock {
    OpenBlock { name, lut4, ff, dp16kd, mhz, lookups, hit_under_miss }
}

/// The open blocks with a translation cache.
pub const OPEN_BLOCKS: &[OpenBlock] = &[
    block("JingZhao v2 MTT cache, 8192 entries, 2-way", [4480, 1194, 69, 91], "1/3", "yes"),
    block("JingZhao v1 MTT RAM, 32 768 entries", [4872, 1129, 133, 87], "1", "no"),
    block("riscv-iommu IOTLB (zero-day), 16 fully associative", [9395, 3231, 0, 101], "1", "no"),
    block("CVA6 TLB, 16 fully associative", [4084, 1807, 0, 109], "1", "no"),
    block("PULP axi_rab L2, 1024 entries", [821, 302, 10, 105], "1/5", "its L1 goes on"),
    block("bsa-pcie-exerciser ATC, 1 entry", [329, 296, 0, 210], "1", "no"),
];
