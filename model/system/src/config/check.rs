//! Rules over the whole configuration.

use super::schema::{Config, LinkConfig};
use toml::{Table, Value};
use types::{Mode, Owner, Replacement};

/// A key whose value breaks a rule.
pub(super) struct Broken {
    pub(super) key: String,
    pub(super) allowed: String,
}

type Outcome = Result<(), Broken>;

fn broken(key: &str, allowed: impl Into<String>) -> Outcome {
    Err(Broken { key: key.into(), allowed: allowed.into() })
}

fn range(key: &str, value: u64, low: u64, high: u64) -> Outcome {
    if (low..=high).contains(&value) { Ok(()) } else { broken(key, format!("must be {low} to {high}")) }
}

fn power(key: &str, value: u64, low: u64, high: u64) -> Outcome {
    if value.is_power_of_two() && (low..=high).contains(&value) {
        Ok(())
    } else {
        broken(key, format!("must be a power of two from {low} to {high}"))
    }
}

fn one_of(key: &str, value: u64, allowed: &[u64]) -> Outcome {
    if allowed.contains(&value) {
        return Ok(());
    }
    let list: Vec<String> = allowed.iter().map(u64::to_string).collect();
    broken(key, format!("must be one of {}", list.join(", ")))
}

pub(super) fn check(cfg: &Config, table: &Table) -> Outcome {
    unit(cfg)?;
    function(cfg)?;
    link("link.nic", &cfg.link.nic, cfg)?;
    link("link.gpu", &cfg.link.gpu, cfg)?;
    link("link.root", &cfg.link.root, cfg)?;
    machine(cfg)?;
    region(cfg)?;
    traffic(cfg)?;
    evidence(cfg, table)
}

fn unit(cfg: &Config) -> Outcome {
    if let Err(e) = cfg.unit.sizes.check() {
        return broken(&format!("unit.sizes.{}", e.field), format!("must be {}", e.allowed));
    }
    range("unit.clock_mhz", cfg.unit.clock_mhz.into(), 1, 5000)?;
    if cfg.unit.mode == Mode::Inherit {
        return broken("unit.mode", "must be direct, ats or emtt: there is nothing to inherit from");
    }
    Ok(())
}

fn function(cfg: &Config) -> Outcome {
    let f = &cfg.function;
    power("function.max_payload_bytes", f.max_payload_bytes.into(), 128, 4096)?;
    power("function.max_read_request_bytes", f.max_read_request_bytes.into(), 128, 4096)?;
    one_of("function.read_completion_boundary_bytes", f.read_completion_boundary_bytes.into(), &[64, 128])?;
    one_of("function.tag_bits", f.tag_bits.into(), &[5, 8, 10])?;
    power("function.smallest_translation_unit_bytes", f.smallest_translation_unit_bytes.into(), 4096, 1 << 20)?;
    let granule = 1_u64 << cfg.unit.sizes.atc_granule_log2;
    if u64::from(f.smallest_translation_unit_bytes) != granule {
        let log2 = cfg.unit.sizes.atc_granule_log2;
        return broken(
            "function.smallest_translation_unit_bytes",
            format!("must equal the ATC's granule, 2^unit.sizes.atc_granule_log2 = 2^{log2} = {granule}"),
        );
    }
    // A PRG index has 9 bits.
    range("function.page_requests", f.page_requests.into(), 0, 512)?;
    Ok(())
}

fn link(name: &str, link: &LinkConfig, cfg: &Config) -> Outcome {
    let key = |k: &str| format!("{name}.{k}");
    range(&key("generation"), link.generation.into(), 1, 6)?;
    one_of(&key("lanes"), link.lanes.into(), &[1, 2, 4, 8, 16])?;
    range(&key("latency_ns"), link.latency_ns, 0, 1_000_000)?;
    // One packet of the largest payload must fit, or nothing moves.
    let payload = u64::from(cfg.function.max_payload_bytes.div_ceil(16));
    range(&key("posted_header_credits"), link.posted_header_credits.into(), 1, 127)?;
    range(&key("posted_data_credits"), link.posted_data_credits.into(), payload, 2047)?;
    range(&key("non_posted_header_credits"), link.non_posted_header_credits.into(), 1, 127)?;
    range(&key("non_posted_data_credits"), link.non_posted_data_credits.into(), 2, 2047)?;
    range(&key("completion_header_credits"), link.completion_header_credits.into(), 1, 127)?;
    range(&key("completion_data_credits"), link.completion_data_credits.into(), payload, 2047)?;
    range(&key("tlps_per_ack"), link.tlps_per_ack.into(), 1, 1000)?;
    range(&key("tlps_per_credit_update"), link.tlps_per_credit_update.into(), 1, 1000)
}

fn machine(cfg: &Config) -> Outcome {
    let second = 1_000_000_000;
    range("switch.latency_ns", cfg.switch.latency_ns, 0, 1_000_000)?;
    range("switch.lut_entries", cfg.switch.lut_entries.into(), 0, 1 << 16)?;
    range("root.latency_ns", cfg.root.latency_ns, 0, 1_000_000)?;
    range("root.memory_read_ns", cfg.root.memory_read_ns, 0, second)?;
    range("root.peer_reads", cfg.root.peer_reads.into(), 1, 1024)?;
    range("root.peer_write_gbps", cfg.root.peer_write_gbps.into(), 0, 10_000)?;
    range("staging.copy_ns", cfg.staging.copy_ns, 0, second)?;
    range("staging.software_ns", cfg.staging.software_ns, 0, second)?;
    let boundary = u64::from(cfg.function.read_completion_boundary_bytes);
    power("root.completion_bytes", cfg.root.completion_bytes, boundary, 4096)?;
    power("memory.gpu_completion_bytes", cfg.memory.gpu_completion_bytes, boundary, 4096)?;
    let iommu = &cfg.iommu;
    range("iommu.ats_ns", iommu.ats_ns, 0, second)?;
    range("iommu.lookup_ns", iommu.lookup_ns, 0, second)?;
    range("iommu.walk_ns", iommu.walk_ns, 0, second)?;
    range("iommu.walkers", iommu.walkers.into(), 1, 1024)?;
    range("iommu.walk_interval_ns", iommu.walk_interval_ns, 0, iommu.walk_ns)?;
    range("iommu.hit_interval_ns", iommu.hit_interval_ns, 0, iommu.walk_ns)?;
    range("iommu.iotlb_entries", iommu.iotlb_entries.into(), 1, 1 << 20)?;
    // A fully associative IOTLB may have any number of entries; sets are counted by address bits.
    if iommu.iotlb_ways != iommu.iotlb_entries {
        power("iommu.iotlb_entries", iommu.iotlb_entries.into(), 1, 1 << 20)?;
        power("iommu.iotlb_ways", iommu.iotlb_ways.into(), 1, iommu.iotlb_entries.into())?;
    }
    range("iommu.page_ns", iommu.page_ns, 0, second)?;
    range("driver.fill_ns", cfg.driver.fill_ns, 0, second)?;
    if !matches!(iommu.iotlb_replacement, Replacement::Lru | Replacement::Random) {
        return broken("iommu.iotlb_replacement", "must be lru or random");
    }
    range("memory.host_gib", cfg.memory.host_gib, 64, 16 << 10)?;
    range("memory.gpu_gib", cfg.memory.gpu_gib, 1, 16 << 10)?;
    range("memory.gpu_read_ns", cfg.memory.gpu_read_ns, 0, second)?;
    range("memory.gpu_reads", cfg.memory.gpu_reads.into(), 0, 1024)?;
    range("memory.mpt_entries", cfg.memory.mpt_entries.into(), 1, 1 << 24)?;
    range("disorder.jitter_ns", cfg.disorder.jitter_ns, 0, second)?;
    range("disorder.stall_percent", cfg.disorder.stall_percent.into(), 0, 90)
}

fn region(cfg: &Config) -> Outcome {
    let r = &cfg.region;
    power("region.page_bytes", r.page_bytes, 4096, 1 << 31)?;
    power("region.translation_bytes", r.translation_bytes, 4096, 1 << 31)?;
    let mode = r.mode.or(cfg.unit.mode);
    if mode == Mode::Emtt && r.memory == Owner::Gpu && r.translation_bytes < r.page_bytes {
        return broken(
            "region.translation_bytes",
            format!("must be at least region.page_bytes = {}: an eMTT entry holds one bus address", r.page_bytes),
        );
    }
    let unit = u64::from(cfg.function.smallest_translation_unit_bytes);
    if mode == Mode::Ats && r.translation_bytes < unit {
        return broken(
            "region.translation_bytes",
            format!("must be at least function.smallest_translation_unit_bytes = {unit}: smaller answers are refused"),
        );
    }
    if mode == Mode::Ats && !(cfg.iommu.ats && cfg.function.ats_enable) {
        let key = if cfg.iommu.ats { "function.ats_enable" } else { "iommu.ats" };
        return broken(key, "must be true: the region is translated through ATS");
    }
    if r.paged && mode != Mode::Ats {
        return broken("region.paged", "must be false: only regions translated through ATS can ask for their pages");
    }
    if r.paged && cfg.function.page_requests == 0 {
        return broken("function.page_requests", "must be at least 1: the region's pages come when they are asked for");
    }
    if r.filled_on_demand && !cfg.driver.page_events {
        return broken("driver.page_events", "must be true: the region's entries are filled on events");
    }
    if r.coherent && (mode != Mode::Emtt || r.memory != Owner::Gpu) {
        return broken(
            "region.coherent",
            "must be false: only GPU memory in mode emtt has entries that came through ATS",
        );
    }
    if r.coherent && r.translation_bytes < unit {
        return broken(
            "region.translation_bytes",
            format!("must be at least function.smallest_translation_unit_bytes = {unit}: smaller answers are refused"),
        );
    }
    if mode == Mode::Emtt && r.memory == Owner::Gpu && !cfg.function.ats_enable {
        return broken("function.ats_enable", "must be true: GPU pages of an eMTT region leave as translated requests");
    }
    Ok(())
}

fn traffic(cfg: &Config) -> Outcome {
    let t = &cfg.traffic;
    if t.op.sizes().is_some() && !cfg.function.atomic_requests {
        return broken("function.atomic_requests", "must be true: the traffic is atomics");
    }
    range("traffic.qps", t.qps.into(), 1, cfg.unit.sizes.streams.into())?;
    range("traffic.queue_depth", t.queue_depth.into(), 1, 1 << 16)?;
    range("traffic.mtu_bytes", t.mtu_bytes.into(), 64, 1 << 16)?;
    range("traffic.line_gbps", t.line_gbps.into(), 1, 10_000)?;
    range("traffic.packet_overhead_bytes", t.packet_overhead_bytes.into(), 0, 1000)?;
    let packet = u64::from(t.mtu_bytes.div_ceil(1024));
    range("traffic.receive_buffer_kib", t.receive_buffer_kib.into(), packet, 1 << 20)?;
    range("traffic.transmit_buffer_kib", t.transmit_buffer_kib.into(), packet, 1 << 20)?;
    range("traffic.stall_cycles", t.stall_cycles, 1000, 1 << 40)
}

/// Every entry names a key there is.
fn evidence(cfg: &Config, table: &Table) -> Outcome {
    for (i, entry) in cfg.evidence.iter().enumerate() {
        let mut at = Some(table);
        let mut found = None;
        for part in entry.key.split('.') {
            found = at.and_then(|t| t.get(part));
            at = found.and_then(Value::as_table);
        }
        if found.is_none() {
            return broken(&format!("evidence[{i}].key"), "must be a key of this configuration");
        }
    }
    for (i, point) in cfg.published.iter().enumerate() {
        let tolerances = [("tolerance", point.tolerance), ("within", point.within), ("factor", point.factor)];
        let given: Vec<_> = tolerances.into_iter().filter(|t| t.1 != 0.0).collect();
        let &[(name, tolerance)] = &given[..] else {
            return broken(&format!("published[{i}].tolerance"), "must be given, or within, or factor: one of them");
        };
        let most = if name == "tolerance" { 1.0 } else { 1e9 };
        // Figures may be large: bytes, for one. Not a number is neither above 0 nor at most anything.
        for (name, value, most) in [("y", point.y, 1e15), (name, tolerance, most)] {
            if !(value > 0.0 && value <= most) {
                return broken(&format!("published[{i}].{name}"), format!("must be above 0 and at most {most}"));
            }
        }
    }
    Ok(())
}

pub(super) fn warnings(cfg: &Config) -> Vec<String> {
    let mut out = Vec::new();
    let (unit, line) = (cfg.unit_gbps(), f64::from(cfg.traffic.line_gbps));
    if unit < line {
        out.push(format!(
            "the unit's data path carries {} bit x {} MHz = {unit:.1} Gb/s, less than the line's {line} Gb/s: the unit \
             sets the bandwidth",
            cfg.unit.sizes.data_bits, cfg.unit.clock_mhz
        ));
    }
    let nic = &cfg.link.nic;
    if f64::from(cfg.unit.sizes.read_slot_bytes) < f64::from(cfg.function.max_read_request_bytes) {
        out.push(format!(
            "reads are cut to unit.sizes.read_slot_bytes = {}, below max_read_request_bytes = {}",
            cfg.unit.sizes.read_slot_bytes, cfg.function.max_read_request_bytes
        ));
    }
    if nic.generation < 3 && line > 50.0 {
        out.push(format!("a Gen{} x{} link is slower than the line", nic.generation, nic.lanes));
    }
    out
}
