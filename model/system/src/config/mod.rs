//! Configuration: presets, files, `--set`, checked as a whole.
//!
//! Later sources override earlier ones: preset, file, `--set`. An error names the source, the key, the value and what is
//! allowed.

mod check;
mod load;
mod schema;

pub use load::{ConfigError, PRESETS, preset_names};
pub use schema::{
    Config, DisorderConfig, DriverConfig, Evidence, EvidenceClass, FunctionSection, IommuConfig, LinkConfig,
    LinkSection, MemoryConfig, PageAnswer, Published, RegionConfig, Role, RootConfig, StagingConfig, SwitchConfig,
    TrafficConfig, TrafficOp, UnitSection,
};

use types::{PageSize, UnitCfg};

impl Config {
    /// Sizes of the unit.
    pub fn unit_cfg(&self) -> &UnitCfg {
        &self.unit.sizes
    }
    /// Width × clock of the unit's data path in Gb/s.
    pub fn unit_gbps(&self) -> f64 {
        f64::from(self.unit.sizes.data_bits) * f64::from(self.unit.clock_mhz) / 1e3
    }
    /// Payload bandwidth of the line in Gb/s at the configured MTU.
    pub fn line_payload_gbps(&self) -> f64 {
        let mtu = f64::from(self.traffic.mtu_bytes);
        f64::from(self.traffic.line_gbps) * mtu / (mtu + f64::from(self.traffic.packet_overhead_bytes))
    }
    /// Page size of the region's MTT entries.
    pub fn page(&self) -> PageSize {
        page_size(self.region.page_bytes)
    }
    /// Page size of the IOMMU mapping.
    pub fn translation_page(&self) -> PageSize {
        page_size(self.region.translation_bytes)
    }
    /// What a person should know of this configuration although it is legal.
    pub fn warnings(&self) -> Vec<String> {
        check::warnings(self)
    }
    /// A number that tells configurations apart, for results: FNV-1a over the canonical text.
    pub fn fingerprint(&self) -> u64 {
        let text = toml::to_string(self).unwrap_or_default();
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
    }
}

/// The check has seen that it is a power of two of at least 4096.
fn page_size(bytes: u64) -> PageSize {
    PageSize::from_log2(bytes.trailing_zeros() as u8).unwrap_or_default()
}
