//! The port for work requests has one `ready`: a neighbour that fills its streams' queues holds everybody up, one that stays
//! below their depth does not, although partitions let its requests miss all the time.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use cycle::unit::Unit;
use system::driver::RegionSpec;
use system::traffic::{Buffers, Perftest, RandomSpec, RandomTraffic, Together, WriteTraffic};
use system::{Config, System, Time};
use types::{ByteCount, FunctionId, Op};

const MESSAGE: u64 = 1 << 20;

/// The victim's bandwidth in Gb/s, and the share of cycles in which the port was not ready, beside a neighbour that reads
/// 4096 regions of 512 bytes with `depth` reads open on each of four streams.
fn beside(depth: u16) -> (f64, f64) {
    let cfg = Config::load("stellar-emtt", &["unit.sizes.partitions=2"]).unwrap();
    assert_eq!(cfg.unit_cfg().stream_depth, 64);
    let mut system = System::<Unit>::new(&cfg);
    let (stride, spec) = Buffers::spec(&cfg, MESSAGE);
    let buffers = Buffers { region: system.register(&spec).unwrap(), size: MESSAGE, stride };
    let victim = WriteTraffic::start(&cfg, buffers, system.now());
    system.configure(system.function(FunctionId(1)));
    let spec = RegionSpec {
        page: cfg.page(),
        io_page: cfg.translation_page(),
        owner: cfg.region.memory,
        function: FunctionId(1),
        ..RegionSpec::of(ByteCount(512))
    };
    let regions = (0..4096).map(|_| system.register(&spec).unwrap()).collect();
    let (streams, pause) = ((1, 4), Time(0));
    let spec = RandomSpec { regions, window: 512, bytes: 64, align: 64, op: Op::READ, streams, depth, pause };
    let mut traffic = Together::new(victim, RandomTraffic::new(spec, cfg.seed, "neighbour"));
    let mut run = |messages: u64| {
        traffic.victim.go_on(messages);
        let (start, cycles, before) = (system.now(), system.cycles().0, system.statistics());
        while !traffic.victim.rounds().all_done() {
            system.step(&mut traffic).unwrap();
        }
        let stalls = system.statistics().since(&before).get("mpt.stall_input").unwrap();
        let gbps = 8.0 * (messages * MESSAGE) as f64 / system.now().since(start).as_ns();
        (gbps, stalls as f64 / (system.cycles().0 - cycles) as f64)
    };
    run(2);
    run(4)
}

#[test]
fn a_neighbour_below_the_depth_of_its_streams_does_not_stop_the_port() {
    let (full, half) = (beside(64), beside(32));
    eprintln!("64 open: {full:?}; 32 open: {half:?}");
    // Alone the victim has 190.5 Gb/s.
    assert!(full.0 < 60.0 && full.1 > 0.95, "{full:?}");
    assert!(half.0 > 190.0 && half.1 < 0.01, "{half:?}");
}
