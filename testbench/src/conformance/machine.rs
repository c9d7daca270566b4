//! Random machines: sizes of the unit, limits, credits, latencies, disorder. A machine for races also asks for several
//! translations at a time, replaces in other ways, and has relaxed and ID-based ordering on.

use proptest::prelude::*;
use std::collections::BTreeMap;
use toml::Value;
use types::Mode;

/// Keys with dots and their values, over the test machine.
pub(super) type Machine = BTreeMap<String, Value>;

fn one_of(values: &'static [i64]) -> impl Strategy<Value = i64> {
    prop::sample::select(values)
}

/// What a machine for races may have beside.
pub(super) fn rough(machine: impl Strategy<Value = Machine>) -> impl Strategy<Value = Machine> {
    let unit = (one_of(&[1, 1, 2, 8, 16]), prop::sample::select(&["lru", "tree-plru", "fifo", "random"][..]));
    let granule = one_of(&[12, 12, 12, 16]);
    (machine, unit, granule, any::<bool>(), any::<bool>()).prop_map(|(mut out, unit, granule, relaxed, id)| {
        let mut set = |key: &str, value: Value| out.insert(key.into(), value);
        set("unit.sizes.ats_entries", unit.0.into());
        set("unit.sizes.atc_replacement", unit.1.into());
        set("unit.sizes.atc_granule_log2", granule.into());
        set("function.smallest_translation_unit_bytes", (1_i64 << granule).into());
        set("region.translation_bytes", (1_i64 << granule).into());
        set("function.relaxed_ordering", relaxed.into());
        set("function.id_ordering", id.into());
        out
    })
}

/// Credits of one link: some machines have hardly any.
fn credits() -> impl Strategy<Value = (i64, i64)> {
    (one_of(&[127, 8, 2, 1]), one_of(&[2047, 300, 64]))
}

/// Random machines whose regions inherit `mode`.
pub(super) fn machines(mode: impl Strategy<Value = Mode>) -> impl Strategy<Value = Machine> {
    let unit = (prop::sample::select(&["tiny", "small"][..]), mode, 1..1_000_000_i64);
    let limits = (0..4_u32, 0..6_u32, one_of(&[64, 128]), one_of(&[8, 5, 10]));
    let latencies = (one_of(&[20, 0, 400]), one_of(&[40, 0, 600]), one_of(&[60, 1, 500]), one_of(&[40, 1, 700]));
    let disorder = (any::<bool>(), one_of(&[0, 30, 400]), one_of(&[0, 10, 40]));
    let links = (credits(), credits(), one_of(&[4, 1, 40]), one_of(&[4, 1, 16]));
    let coherent = (one_of(&[0, 1, 2]), any::<bool>());
    let shares = (one_of(&[1, 2]), one_of(&[0, 0, 300]), coherent);
    (unit, limits, latencies, disorder, links, shares).prop_map(|(unit, limits, latencies, disorder, links, shares)| {
        let mut out = Machine::new();
        let mut set = |key: &str, value: Value| out.insert(key.into(), value);
        let (configuration, mode, seed) = unit;
        set("unit.configuration", configuration.into());
        set("unit.mode", mode.to_string().into());
        set("seed", seed.into());
        let (mps, mrrs, rcb, tags) = limits;
        let payload = 128_i64 << mps;
        set("function.max_payload_bytes", payload.into());
        set("function.max_read_request_bytes", (128_i64 << mrrs).into());
        set("function.read_completion_boundary_bytes", rcb.into());
        set("function.tag_bits", tags.into());
        let (link, agent, walk, memory) = latencies;
        set("link.nic.latency_ns", link.into());
        set("iommu.ats_ns", agent.into());
        set("iommu.walk_ns", walk.into());
        set("root.memory_read_ns", memory.into());
        set("memory.gpu_read_ns", (2 * memory).into());
        set("disorder.random_splits", disorder.0.into());
        set("disorder.jitter_ns", disorder.1.into());
        set("disorder.stall_percent", disorder.2.into());
        let (posted, non_posted, peers, lanes) = links;
        set("link.nic.posted_header_credits", posted.0.into());
        // One packet of the largest payload must fit.
        set("link.nic.posted_data_credits", posted.1.max(payload / 16).into());
        set("link.nic.non_posted_header_credits", non_posted.0.into());
        set("link.root.posted_header_credits", non_posted.0.into());
        set("root.peer_reads", peers.into());
        set("link.gpu.lanes", lanes.into());
        // `tiny` has one MPT fetch, so nothing to divide.
        let partitions = if configuration == "tiny" { 1 } else { shares.0 };
        out.insert("unit.sizes.partitions".into(), partitions.into());
        out.insert("unit.sizes.invalidate_interval".into(), shares.1.into());
        out.insert("unit.sizes.coherent_ranges".into(), shares.2.0.into());
        out.insert("driver.refills".into(), shares.2.1.into());
        out
    })
}
