//! What do IOTLB and page walkers cost? Against the law of pcie-bench, (1 − C/W)·P, and the walkers' rate.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use system::Time;
use system::config::{Config, IommuConfig};
use system::fabric::{IoRange, Iommu, Scatter};
use system::random::Random;
use types::{BusAddr, ByteCount, Iova, PageSize, PasidPrefix};

fn config(sets: &[&str]) -> IommuConfig {
    Config::load("stellar-ats", sets).unwrap().iommu
}

fn iommu(sets: &[&str]) -> Iommu {
    let mut iommu = Iommu::new(&config(sets), 1);
    iommu.map(IoRange {
        base: Iova(0),
        length: ByteCount(1 << 30),
        page: PageSize::K4,
        scatter: Scatter::linear(BusAddr(0x40_0000_0000)),
        read: true,
        write: true,
        exec: false,
        untranslated_only: false,
        pasid: None,
        paged: false,
    });
    iommu
}

const FULL: [&str; 5] = [
    "iommu.iotlb_entries=128",
    "iommu.iotlb_ways=128",
    "iommu.lookup_ns=0",
    "iommu.walk_ns=292",
    "iommu.iotlb_replacement=random",
];

/// Mean extra latency in ns of one random read at a time over `pages` pages.
fn mean_extra(iommu: &mut Iommu, pages: u64, reads: u64) -> f64 {
    let mut random = Random::new(3, "test");
    let mut total = 0;
    for i in 0..2 * reads {
        let now = Time::from_ns(10_000 * (i + 1));
        let (done, _) = iommu.translate(now, Iova(random.below(pages) * 4096), PasidPrefix::default());
        // The first half warms up.
        total += if i >= reads { done.since(now).0 } else { 0 };
    }
    total as f64 / reads as f64 / 1e3
}

#[test]
fn random_reads_over_a_window_cost_the_share_of_pages_that_are_not_cached() {
    for policy in ["iommu.iotlb_replacement=random", "iommu.iotlb_replacement=lru"] {
        for pages in [64, 128, 256, 512, 4096] {
            let mut sets = FULL.to_vec();
            sets.push(policy);
            let mut iommu = iommu(&sets);
            let reads = 20_000;
            let extra = mean_extra(&mut iommu, pages, reads);
            let hit = (128.0 / pages as f64).min(1.0);
            // Standard error of the mean of a Bernoulli variable of 0 or 292 ns; four of them, and 1 ns.
            let error = 4.0 * 292.0 * (hit * (1.0 - hit) / reads as f64).sqrt() + 1.0;
            let expected = (1.0 - hit) * 292.0;
            assert!((extra - expected).abs() < error, "{policy}, {pages} pages: {extra} against {expected} ns");
        }
    }
}

#[test]
fn sequential_reads_fall_off_a_cliff_with_lru_and_down_a_slope_with_random() {
    let misses = |policy: &str, pages: u64| {
        let mut sets = FULL.to_vec();
        sets.push(policy);
        let mut iommu = iommu(&sets);
        for i in 0..20 * pages {
            if i == 10 * pages {
                assert!(iommu.counts().miss >= pages);
            }
            iommu.translate(Time::from_ns(1000 * i), Iova(i % pages * 4096), PasidPrefix::default());
        }
        iommu.counts().miss as f64 / (20 * pages) as f64
    };
    // In the window: only the first pass of 20 misses. One page too many: every read misses with LRU.
    assert_eq!(misses("iommu.iotlb_replacement=lru", 128), 0.05);
    assert_eq!(misses("iommu.iotlb_replacement=lru", 129), 1.0);
    let slope = misses("iommu.iotlb_replacement=random", 129);
    assert!(slope < 0.3, "{slope}");
}

#[test]
fn saturated_walkers_finish_one_walk_every_latency_over_walkers() {
    let mut iommu = iommu(&["iommu.lookup_ns=0", "iommu.walk_ns=300", "iommu.walkers=6"]);
    let ends: Vec<u64> =
        (0..600).map(|i| iommu.translate(Time(0), Iova(i * 4096), PasidPrefix::default()).0.0).collect();
    // 600 walks, 6 at a time, 300 ns each: the last ends after 30 µs.
    assert_eq!(ends[5], 300_000);
    assert_eq!(ends[6], 600_000);
    assert_eq!(ends[599], 30_000_000);
}

#[test]
fn a_pipelined_walker_starts_a_walk_every_interval() {
    let mut iommu = iommu(&["iommu.lookup_ns=0", "iommu.walk_ns=292", "iommu.walkers=1", "iommu.walk_interval_ns=52"]);
    let ends: Vec<u64> =
        (0..600).map(|i| iommu.translate(Time(0), Iova(i * 4096), PasidPrefix::default()).0.0).collect();
    // Walk i starts after i × 52 ns and takes 292.
    assert_eq!(ends[0], 292_000);
    assert_eq!(ends[1], 344_000);
    assert_eq!(ends[599], 599 * 52_000 + 292_000);
}

#[test]
fn a_hit_that_shares_the_walker_waits_for_its_interval() {
    let base = ["iommu.lookup_ns=0", "iommu.walk_ns=292", "iommu.walkers=1", "iommu.walk_interval_ns=52"];
    for (interval, expected) in [(0, [1_000_000, 1_000_000]), (8, [1_052_000, 1_060_000])] {
        let hits = format!("iommu.hit_interval_ns={interval}");
        let mut iommu = iommu(&[&base[..], &[&hits]].concat());
        let prefix = PasidPrefix::default();
        iommu.translate(Time(0), Iova(0), prefix);
        // A miss keeps the walker from 1000 to 1052 ns, a hit for 8 ns more.
        iommu.translate(Time::from_ns(1000), Iova(0x1000), prefix);
        let hits = [0, 0].map(|_| iommu.translate(Time::from_ns(1000), Iova(0), prefix).0.0);
        assert_eq!(hits, expected, "{interval}");
    }
}

#[test]
fn an_associative_iotlb_may_have_any_number_of_entries() {
    let mut iommu = iommu(&["iommu.iotlb_entries=116", "iommu.iotlb_ways=116", "iommu.iotlb_replacement=lru"]);
    let mut pass = |pages: u64| {
        let before = iommu.counts().miss;
        (0..pages).for_each(|i| _ = iommu.translate(Time::from_ns(1000 * i), Iova(i * 4096), PasidPrefix::default()));
        iommu.counts().miss - before
    };
    // In order through 116 pages, all stay; one more, and LRU has always just thrown out the next.
    assert_eq!([pass(116), pass(116), pass(117), pass(117)], [116, 0, 1, 117]);
}

#[test]
fn a_second_access_waits_for_the_walk_of_the_first_and_starts_none() {
    let mut iommu = iommu(&["iommu.lookup_ns=5", "iommu.walk_ns=300", "iommu.walkers=1"]);
    let prefix = PasidPrefix::default();
    assert_eq!(iommu.translate(Time(0), Iova(0x1000), prefix).0, Time::from_ns(305));
    assert_eq!(iommu.translate(Time::from_ns(100), Iova(0x1fff), prefix).0, Time::from_ns(305));
    assert_eq!(iommu.translate(Time::from_ns(400), Iova(0x1000), prefix).0, Time::from_ns(405));
    assert_eq!((iommu.counts().miss, iommu.counts().hit), (1, 2));
}

#[test]
fn an_unmapped_range_is_gone_from_map_and_iotlb() {
    let mut iommu = iommu(&[]);
    let prefix = PasidPrefix::default();
    assert!(iommu.translate(Time(0), Iova(0x5000), prefix).1.is_some());
    iommu.unmap(Iova(0), None);
    assert!(iommu.translate(Time(0), Iova(0x5000), prefix).1.is_none());
    assert_eq!(iommu.counts().unmapped, 1);
}

#[test]
fn scattered_pages_are_a_bijection_with_an_inverse() {
    for log2 in [0, 1, 5, 10] {
        let scatter = Scatter { base: BusAddr(0x10_0000), log2, multiplier: 0x9e37_79b1, offset: 13 };
        let count = 1 << log2;
        let mut seen: Vec<u64> = (0..count).map(|i| scatter.page_address(i, PageSize::K4).0).collect();
        for (i, address) in seen.iter().enumerate() {
            assert_eq!(scatter.page_index(BusAddr(address + 77), PageSize::K4), i as u64);
        }
        seen.sort_unstable();
        let in_order: Vec<u64> = (0..count).map(|i| 0x10_0000 + i * 4096).collect();
        assert_eq!(seen, in_order);
    }
}
