//! How fast and how late is a link? Against the formulas of the specification.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{config, read, request, tag_of, watch, write};
use system::Time;
use system::fabric::{Fabric, Landing};
use types::AddressType;
use types::tlp::MemoryOp;

/// Femtoseconds a byte takes on Gen4 x16: 8 bits / (16 GT/s × 16 × 128/130 × 1534/1538), see the channel's own test.
const FS: u64 = 31_822;

/// Sends `count` writes of `bytes` to GPU memory as early as credits allow; times of landing.
fn stream_writes(fabric: &mut Fabric, count: usize, bytes: usize) -> Vec<(Time, Landing)> {
    let base = fabric.gpu_base().0;
    let payload = vec![0x5a; bytes];
    let mut landings = Vec::new();
    let (mut sent, mut now) = (0, Time(0));
    while landings.len() < count {
        let credits = fabric.credits(now);
        let free = fabric.transmitter_free() <= now + Time(20_000);
        if sent < count && free && credits.ph > 0 && usize::from(credits.pd) >= bytes.div_ceil(16) {
            fabric.send(now, write(AddressType::TRANSLATED, base + (sent * 256) as u64, &payload));
            sent += 1;
        } else {
            now += Time(1000);
            landings.extend(watch(fabric, now).1);
        }
    }
    landings
}

#[test]
fn writes_stream_at_the_rate_of_the_tlp_cost() {
    let mut fabric = Fabric::new(&config(&[]));
    let landings = stream_writes(&mut fabric, 2000, 256);
    let span = landings[1999].0.since(landings[0].0);
    // 256 bytes of payload take 256 + 24 bytes of wire; the DLLPs that answer travel the other way.
    let expected = 1999 * 280 * FS / 1000;
    assert!(span.0.abs_diff(expected) <= 1999, "{span} against {expected} ps");
    // 2048 bits / (280 × 31.822 ps) = 229.8 Gb/s.
    let gbps = 8.0 * 256.0 * 1999.0 / span.as_ns();
    assert!((229.5..230.1).contains(&gbps), "{gbps}");
}

#[test]
fn one_write_lands_exactly_when_two_links_and_a_switch_have_passed_it_on() {
    let mut fabric = Fabric::new(&config(&[]));
    let base = fabric.gpu_base().0;
    fabric.send(Time(0), write(AddressType::TRANSLATED, base, &[1; 256]));
    // Two links of 280 bytes of wire, each rounded up to a picosecond, and 50 ns of flight; 105 ns of switch.
    let wire = (280 * FS).div_ceil(1000);
    let at = Time(2 * wire + 2 * 50_000 + 105_000);
    assert_eq!(watch(&mut fabric, Time(at.0 - 1)).1, []);
    let landings = watch(&mut fabric, at).1;
    assert_eq!(landings.len(), 1);
    assert_eq!(landings[0], (at, Landing { address: fabric.gpu_base(), length: 256 }));
    let mut bytes = [0; 256];
    fabric.memories.gpu.read(fabric.gpu_base(), &mut bytes);
    assert_eq!(bytes, [1; 256]);
}

#[test]
fn credits_bound_the_rate_to_one_packet_a_round_trip() {
    let mut fabric = Fabric::new(&config(&["link.nic.posted_header_credits=1"]));
    let landings = stream_writes(&mut fabric, 50, 64);
    let steps: Vec<u64> = landings.windows(2).map(|w| w[1].0.since(w[0].0).0).collect();
    // The credit leaves when the switch passes the packet on at once: wire of 88 bytes + flight 50 + switch 105, and 155
    // back; the test's sender looks once a nanosecond.
    let round = (88 * FS).div_ceil(1000) + 2 * 155_000;
    for step in steps {
        assert!(step >= round && step <= round + 1000, "{step} against {round}");
    }
}

#[test]
fn reads_of_gpu_memory_come_back_at_the_rate_of_completions() {
    let mut fabric = Fabric::new(&config(&[]));
    let base = fabric.gpu_base().0;
    let (mut sent, mut now, mut bytes, mut first, mut last) = (0_u64, Time(0), 0, None, Time(0));
    while bytes < 1000 * 256 {
        if sent < 1000 && sent * 256 < bytes + 120 * 256 && fabric.credits(now).nph > 0 {
            fabric.send(now, read(AddressType::TRANSLATED, (sent % 256) as u16, base + sent * 256, 256));
            sent += 1;
            continue;
        }
        now += Time(1000);
        for (at, packet) in watch(&mut fabric, now).0 {
            first.get_or_insert((at, packet.payload.len() as u64));
            bytes += packet.payload.len() as u64;
            last = at;
        }
    }
    let (start, skipped) = first.unwrap();
    let gbps = 8.0 * (bytes - skipped) as f64 / last.since(start).as_ns();
    // 256 bytes take 276 bytes of wire; for each read of 24 bytes that went up, half an ACK and a quarter of an update of
    // 8 bytes go down with the completions: 282. 2048 bits / (282 × 31.822 ps) = 228.2 Gb/s.
    assert!((227.0..229.0).contains(&gbps), "{gbps}");
}

#[test]
fn the_wire_cost_is_24_bytes_with_a_64_bit_address_and_20_with_32_bits_or_a_completion() {
    let long = write(AddressType::UNTRANSLATED, 0x1_0000_0000, &[0; 64]);
    let short = write(AddressType::UNTRANSLATED, 0x1000, &[0; 64]);
    assert_eq!(long.wire_bytes(), 64 + 24);
    assert_eq!(short.wire_bytes(), 64 + 20);
    assert_eq!(read(AddressType::UNTRANSLATED, 0, 0x1_0000_0000, 512).wire_bytes(), 24);
    let mut fabric = Fabric::new(&config(&[]));
    let base = fabric.gpu_base().0;
    fabric.send(Time(0), read(AddressType::TRANSLATED, 7, base, 64));
    let (packets, _) = watch(&mut fabric, Time::from_ns(10_000));
    assert_eq!(tag_of(&packets[0].1), 7);
    assert_eq!(packets[0].1.wire_bytes(), 64 + 20);
}

#[test]
fn bytes_that_are_not_enabled_stay() {
    let mut fabric = Fabric::new(&config(&[]));
    let base = fabric.gpu_base();
    fabric.memories.gpu.write(base, &[0xee; 16]);
    // 7 bytes from address 3 on: 3 DW on the wire, 1 byte of the first and 2 of the last enabled.
    let packet = request(MemoryOp::Write, AddressType::TRANSLATED, 0, base.0 + 3, (0..12).collect(), 7);
    fabric.send(Time(0), packet);
    watch(&mut fabric, Time::from_ns(10_000));
    let mut bytes = [0; 16];
    fabric.memories.gpu.read(base, &mut bytes);
    assert_eq!(bytes, [0xee, 0xee, 0xee, 3, 4, 5, 6, 7, 8, 9, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee]);
}
