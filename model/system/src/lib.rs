//! The system around the unit: PCIe fabric, memories, IOMMU, driver, traffic, configuration.
