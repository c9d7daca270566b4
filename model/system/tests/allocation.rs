//! What does a running system take from the allocator: nothing once it is warm, and little for memory that is only
//! registered?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use allocation_counter::measure;
use cycle::unit::Unit;
use system::driver::RegionSpec;
use system::traffic::{Buffers, Perftest, RandomSpec, RandomTraffic, ReadTraffic, WriteTraffic};
use system::{Config, System, Time};
use types::{ByteCount, Op, PageSize};

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_string()).collect();
    Config::load("stellar-ats", &sets).unwrap()
}

fn done<W: Perftest>(system: &mut System<Unit>, traffic: &mut W) {
    system.run_until(traffic, |t, _| t.rounds().all_done() || t.failure().is_some()).unwrap();
    assert_eq!(traffic.failure(), None);
}

/// Messages behind the first that bring every queue and heap to the size it needs.
const WARM: u64 = 3;

/// Calls of the allocator in 40 messages after those that warm the system up, and the cycles of those 40.
fn calls<W: Perftest>(sets: &[&str], size: u64) -> (u64, u64) {
    let cfg = config(sets);
    let mut system = System::<Unit>::new(&cfg);
    let (stride, spec) = Buffers::spec(&cfg, size);
    let region = system.register(&spec).unwrap();
    let mut traffic = W::start(&cfg, Buffers { region, size, stride }, system.now());
    done(&mut system, &mut traffic);
    traffic.go_on(WARM);
    done(&mut system, &mut traffic);
    // Room for the times of the rounds to come is made here.
    traffic.go_on(40);
    let from = system.cycles().0;
    let seen = measure(|| done(&mut system, &mut traffic));
    // The last bytes are still on their way.
    system.run_until(&mut traffic, |t, _| t.checked()).unwrap();
    assert_eq!(traffic.wrong(), 0, "{sets:?}");
    (seen.count_total, system.cycles().0 - from)
}

#[test]
fn a_warm_system_allocates_nothing() {
    // 3 MiB are 48 translations of 64 KiB, more than the 32 of the ATC: every message misses it.
    for (sets, size) in [
        (&["unit.mode=ats"][..], 256 << 10),
        (&["unit.mode=ats"][..], 3 << 20),
        (&["unit.mode=emtt"][..], 256 << 10),
        (&["unit.mode=direct", "region.memory=host"][..], 256 << 10),
        (&["unit.mode=ats", "disorder.random_splits=true", "disorder.jitter_ns=300"][..], 256 << 10),
    ] {
        let (writes, cycles) = calls::<WriteTraffic>(sets, size);
        assert_eq!(writes, 0, "writes, {sets:?}, {size} bytes, {cycles} cycles");
        assert!(cycles > 100_000, "{cycles}");
        let (reads, cycles) = calls::<ReadTraffic>(&[sets, &["traffic.op=read"]].concat(), size);
        assert_eq!(reads, 0, "reads, {sets:?}, {size} bytes, {cycles} cycles");
        assert!(cycles > 100_000, "{cycles}");
    }
}

/// The counter sees a system that is not warm.
#[test]
fn a_cold_system_allocates() {
    let cfg = config(&[]);
    let seen = measure(|| {
        System::<Unit>::new(&cfg).run(ByteCount(1 << 16), 1).unwrap();
    });
    assert!(seen.count_total > 100, "{seen:?}");
}

/// 1 TiB in pages of 4 KiB is 2^28 entries of 8 bytes: 2 GiB of table if it were written down.
#[test]
fn a_tebibyte_in_small_pages_takes_less_than_a_gibibyte() {
    let cfg = config(&["unit.mode=emtt"]);
    let seen = measure(|| {
        let mut system = System::<Unit>::new(&cfg);
        let window = 1 << 40;
        let spec = RegionSpec { page: PageSize::K4, io_page: PageSize::K4, ..RegionSpec::of(ByteCount(window)) };
        let regions = vec![system.register(&spec).unwrap()];
        let (bytes, align, streams, depth) = (64, 64, (0, 4), 16);
        let spec = RandomSpec { regions, window, bytes, align, op: Op::READ, streams, depth, pause: Time(0) };
        let mut traffic = RandomTraffic::new(spec, 1, "traffic");
        system.run_until(&mut traffic, |t, _| t.tally().requests >= 20_000).unwrap();
        assert_eq!((traffic.wrong(), traffic.failure()), (0, None));
        // Hardly an access finds its entry in the unit: its caches hold far less.
        assert!(system.statistics().get("mtt.miss").unwrap() > 10_000);
    });
    eprintln!("at most {} MiB", seen.bytes_max >> 20);
    assert!(seen.bytes_max < 1 << 30, "{seen:?}");
}
