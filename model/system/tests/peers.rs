//! What limits accesses to a peer: the reads that a GPU serves at a time, the rate at which a root complex passes writes on.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{config, read, watch, write};
use system::Time;
use system::fabric::Fabric;
use types::AddressType;

/// Arrival of the completions of four reads of GPU memory that were sent together, ns apart from the one before.
fn gaps(sets: &[&str]) -> Vec<f64> {
    let mut fabric = Fabric::new(&config(sets));
    let base = fabric.gpu_base().0;
    (0..4).for_each(|tag| _ = fabric.send(Time(0), read(AddressType::TRANSLATED, tag, base + u64::from(tag) * 64, 64)));
    let packets = watch(&mut fabric, Time::from_ns(100_000)).0;
    assert_eq!(packets.len(), 4);
    packets.windows(2).map(|p| p[1].0.since(p[0].0).as_ns()).collect()
}

#[test]
fn a_gpu_that_serves_one_read_at_a_time_answers_every_read_time() {
    assert_eq!(gaps(&["memory.gpu_reads=1", "memory.gpu_read_ns=300"]), [300.0; 3]);
    // Two at a time: the second follows the first on the link, the third waits for the first's place.
    let two = gaps(&["memory.gpu_reads=2", "memory.gpu_read_ns=300"]);
    assert!(two[0] < 5.0 && two[1] > 290.0 && two[2] < 5.0, "{two:?}");
    assert!(gaps(&["memory.gpu_read_ns=300"]).iter().all(|gap| *gap < 5.0));
}

#[test]
fn a_root_complex_passes_writes_on_to_a_peer_at_its_rate() {
    for (gbps, expected) in [(8, 256.0), (80, 25.6)] {
        let sets = ["switch.direct_translated=false", &format!("root.peer_write_gbps={gbps}")];
        let mut fabric = Fabric::new(&config(&sets));
        let base = fabric.gpu_base().0;
        for i in 0..20 {
            fabric.send(Time(0), write(AddressType::TRANSLATED, base + 256 * i, &[7; 256]));
        }
        let landings = watch(&mut fabric, Time::from_ns(100_000)).1;
        assert_eq!(landings.len(), 20);
        // 256 bytes at 8 Gb/s take 256 ns.
        let span = landings[19].0.since(landings[0].0).as_ns();
        assert!((span / 19.0 - expected).abs() < 0.1, "{span}");
    }
}
