//! Do host and GPU memory execute atomics in one step, and does traffic made of them see every old value?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{config, request, status_of, tag_of, watch, write};
use cycle::unit::Unit;
use system::fabric::{Fabric, IoRange, Packet, Scatter};
use system::{Config, RunError, System, Time};
use types::tlp::{Body, MemoryOp, status};
use types::{AddressType, BusAddr, ByteCount, Iova, PageSize, Syndrome};

const AT_00: AddressType = AddressType::UNTRANSLATED;
const AT_10: AddressType = AddressType::TRANSLATED;
const IOVA: u64 = 0x55_0000_0000;

/// 64 pages of host or GPU memory at one IOVA.
fn fabric(gpu: bool, (read, write): (bool, bool), sets: &[&str]) -> Fabric {
    let mut fabric = Fabric::new(&config(sets));
    let base = if gpu { fabric.gpu_base() } else { BusAddr(0x20_0000_0000) };
    fabric.map(IoRange {
        base: Iova(IOVA),
        length: ByteCount(64 << 12),
        page: PageSize::K4,
        scatter: Scatter::linear(base),
        read,
        write,
        exec: false,
        untranslated_only: false,
        pasid: None,
        paged: false,
    });
    fabric
}

fn atomic(op: MemoryOp, at: AddressType, tag: u16, address: u64, operands: &[u8]) -> Packet {
    let mut packet = request(op, at, tag, address, operands.to_vec(), operands.len() as u32);
    if let Body::Memory { first_be, last_be, .. } = &mut packet.tlp.body {
        (*first_be, *last_be) = (0, 0);
    }
    packet
}

/// Sends packets at once; what the answers carry, by tag.
fn answers(fabric: &mut Fabric, packets: Vec<Packet>) -> Vec<(u16, u8, Vec<u8>)> {
    for packet in packets {
        fabric.send(Time(0), packet);
    }
    let (packets, _) = watch(fabric, Time::from_ns(1_000_000));
    packets.iter().map(|(_, p)| (tag_of(p), status_of(p), p.payload.clone())).collect()
}

#[test]
fn behind_a_write_each_sees_what_the_one_before_left() {
    for (gpu, at, address) in [(false, AT_00, IOVA + 8), (true, AT_00, IOVA + 8), (true, AT_10, 0x1000_0000_0008)] {
        let mut fabric = fabric(gpu, (true, true), &[]);
        let n = |n: u64| n.to_le_bytes().to_vec();
        let both = |a, b| [n(a), n(b)].concat();
        let packets = vec![
            write(at, address, &n(u64::MAX)),
            // Wraps to 4.
            atomic(MemoryOp::FetchAdd, at, 1, address, &n(5)),
            atomic(MemoryOp::Swap, at, 2, address, &n(100)),
            atomic(MemoryOp::Cas, at, 3, address, &both(100, 7)),
            atomic(MemoryOp::Cas, at, 4, address, &both(100, 8)),
            // Its low half alone.
            atomic(MemoryOp::FetchAdd, at, 5, address, &[0xff, 0xff, 0xff, 0xff]),
        ];
        let seen = answers(&mut fabric, packets);
        let low = |n: u32| n.to_le_bytes().to_vec();
        let expected = [(1, n(u64::MAX)), (2, n(4)), (3, n(100)), (4, n(7)), (5, low(7))];
        assert_eq!(seen, expected.map(|(tag, bytes)| (tag, status::SC, bytes)), "GPU {gpu}");
        let mut held = [0; 8];
        let place = if gpu { fabric.gpu_base().0 } else { 0x20_0000_0000 } + 8;
        fabric.memories.read(BusAddr(place), &mut held);
        // 7 − 1 in 32 bits: no carry into the upper half.
        assert_eq!(u64::from_le_bytes(held), 6);
    }
}

#[test]
fn what_is_not_allowed_or_not_supported_is_answered_with_ur_and_changes_nothing() {
    let all = (true, true);
    for (gpu, at, rights, set, executed) in [
        (false, AT_00, (true, false), "seed=1", false),
        (false, AT_00, (false, true), "seed=1", false),
        (false, AT_00, all, "root.atomics=false", false),
        (true, AT_00, all, "memory.gpu_atomics=false", false),
        (true, AT_10, all, "memory.gpu_atomics=false", false),
        // The root complex passes on what it does not execute itself.
        (true, AT_00, all, "root.atomics=false", true),
        (true, AT_00, all, "seed=1", true),
    ] {
        let mut fabric = fabric(gpu, rights, &[set]);
        let place = if gpu { fabric.gpu_base().0 } else { 0x20_0000_0000 };
        let address = if at == AT_10 { place } else { IOVA };
        let held = |fabric: &mut Fabric| {
            let mut held = [0; 4];
            fabric.memories.read(BusAddr(place), &mut held);
            held
        };
        let before = held(&mut fabric);
        let seen = answers(&mut fabric, vec![atomic(MemoryOp::FetchAdd, at, 9, address, &[1, 0, 0, 0])]);
        let code = if executed { status::SC } else { status::UR };
        assert_eq!((seen.len(), seen[0].0, seen[0].1), (1, 9, code), "{set} {at:?}");
        assert_eq!(held(&mut fabric) != before, executed);
    }
}

fn machine(sets: &[&str]) -> Config {
    let all = [&["function.atomic_requests=true", "traffic.qps=4", "traffic.queue_depth=4"], sets].concat();
    config(&all)
}

#[test]
fn traffic_of_each_operation_on_each_path_finds_every_value_right() {
    for op in ["fetch-add", "swap", "cas"] {
        for (mode, memory) in [("direct", "host"), ("ats", "host"), ("ats", "gpu"), ("emtt", "gpu")] {
            let sets = [format!("traffic.op={op}"), format!("region.mode={mode}"), format!("region.memory={memory}")];
            let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
            for (size, jitter) in [(4, "0"), (8, "0"), (8, "200")] {
                let cfg = machine(&[&sets[..], &[&format!("disorder.jitter_ns={jitter}")]].concat());
                let mut system = System::<Unit>::new(&cfg);
                let m = system.run(ByteCount(size), 20).unwrap();
                assert_eq!((m.iterations, m.wrong), (20, 0), "{op} {mode} {memory} {size}");
                // Four queue pairs, the first round included.
                assert_eq!(system.statistics().get("dma.atomic_tlp"), Some(4 * 21));
            }
        }
    }
}

/// One at a time: the time of a round is the latency of an atomic, which a slower memory makes longer by what it adds.
#[test]
fn a_closed_loop_of_one_measures_latency() {
    let mean = |read_ns: u64| {
        let slow = format!("root.memory_read_ns={read_ns}");
        let loop_of_one = ["traffic.op=fetch-add", "traffic.qps=1", "traffic.queue_depth=1"];
        let sets = [&loop_of_one[..], &["region.mode=direct", "region.memory=host", &slow]].concat();
        let m = System::<Unit>::new(&machine(&sets)).run(ByteCount(8), 50).unwrap();
        let whole: u64 = m.round_times.iter().map(|t| t.0).sum();
        whole / 50 / 1000
    };
    let (fast, slow) = (mean(100), mean(1100));
    assert!((995..=1005).contains(&(slow - fast)), "{fast} {slow}");
}

#[test]
fn what_cannot_be_is_said() {
    // Other sizes than the operation has.
    let run = |op: &str, size| System::<Unit>::new(&machine(&[&format!("traffic.op={op}")])).run(ByteCount(size), 1);
    assert!(run("cas", 16).is_ok());
    for (op, size) in [("fetch-add", 16), ("swap", 64), ("cas", 32)] {
        let error = run(op, size).unwrap_err();
        assert!(matches!(error, RunError::Size { .. }), "{error}");
        assert!(error.to_string().contains(&format!("not {size}")), "{error}");
    }
    // The function may send none.
    let error = Config::load::<&str>("stellar-ats", &["traffic.op=swap"]).unwrap_err().to_string();
    assert!(error.contains("function.atomic_requests"), "{error}");
    // The peer executes none.
    let sets = ["traffic.op=swap", "region.mode=emtt", "region.memory=gpu", "memory.gpu_atomics=false"];
    let error = System::<Unit>::new(&machine(&sets)).run(ByteCount(8), 1).unwrap_err();
    assert!(matches!(error, RunError::Request { syndrome: Syndrome::UNSUPPORTED_REQUEST, .. }), "{error}");
}
