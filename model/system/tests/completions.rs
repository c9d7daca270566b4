//! Are reads cut into completions as the Read Completion Boundary allows, with the right counts and data?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::read;
use proptest::prelude::*;
use system::Time;
use system::fabric::{Completer, CompletionRules, Packet, Pool, ROOT_ID, Reply};
use system::random::Random;
use types::tlp::{Body, status};
use types::{AddressType, BusAddr};

fn answer(rules: CompletionRules, seed: u64, address: u64, length: u32) -> Vec<Packet> {
    let mut completer = Completer::new(ROOT_ID, rules, Random::new(seed, "test"));
    let request = read(AddressType::UNTRANSLATED, 3, address, length).tlp;
    let mut packets = Vec::new();
    let mut pool = Pool::default();
    let byte = |at: u64| (at * 7 + at / 256) as u8;
    completer.answer(
        Time(0),
        &request,
        BusAddr(address & !3),
        &mut pool,
        |at, out| out.iter_mut().zip(at.0..).for_each(|(b, at)| *b = byte(at)),
        |packet| packets.push(packet),
    );
    // With jitter, some were scheduled: they come out in order of their time.
    while let Some(Reply::Send(packet)) = completer.pop() {
        packets.push(packet);
    }
    let start = address & !3;
    let data: Vec<u8> = packets.iter().flat_map(|p| p.payload.clone()).collect();
    assert!(data.iter().zip(start..).all(|(b, at)| *b == byte(at)), "data in address order");
    packets
}

fn fields(packet: &Packet) -> (u16, u8, usize) {
    let Body::Completion { with_data: true, status: status::SC, byte_count, lower_address, .. } = packet.tlp.body
    else {
        panic!("{packet:?}");
    };
    (byte_count, lower_address, packet.payload.len())
}

#[test]
fn without_disorder_completions_end_at_multiples_of_their_payload_size() {
    let rules = CompletionRules { boundary: 64, payload: 256, random_splits: false, jitter: Time(0) };
    let packets = answer(rules, 1, 0x1_0000_0030, 512);
    let got: Vec<_> = packets.iter().map(fields).collect();
    // 0x30 to 0x100 is 208 bytes, then 256, then the rest of 48; Byte Count is what is left.
    assert_eq!(got, [(512, 0x30, 208), (304, 0, 256), (48, 0, 48)]);
}

#[test]
fn a_zero_length_read_is_one_dw_with_byte_count_1() {
    let rules = CompletionRules { boundary: 64, payload: 256, random_splits: false, jitter: Time(0) };
    let packets = answer(rules, 1, 0x1_0000_0030, 0);
    assert_eq!(packets.iter().map(fields).collect::<Vec<_>>(), [(1, 0x30, 4)]);
}

#[test]
fn unaligned_reads_count_enabled_bytes_only() {
    let rules = CompletionRules { boundary: 64, payload: 128, random_splits: false, jitter: Time(0) };
    // Bytes 0x3d to 0x8a: 78 bytes; DWs from 0x3c to 0x8c, cut at 0x80.
    let got: Vec<_> = answer(rules, 1, 0x1_0000_003d, 78).iter().map(fields).collect();
    assert_eq!(got, [(78, 0x3d, 0x80 - 0x3c), (78 - 67, 0, 0x8c - 0x80)]);
}

proptest! {
    #[test]
    fn any_split_is_legal(
        seed: u64, boundary in prop_oneof![Just(64_u32), Just(128)], payload in prop_oneof![Just(128_u32), Just(256), Just(512)],
        offset in 0_u64..4096, length in 1_u32..=4096, random_splits: bool, jitter in prop_oneof![Just(0_u64), Just(5)],
    ) {
        let length = length.min(4096 - offset as u32);
        let rules = CompletionRules { boundary, payload, random_splits, jitter: Time::from_ns(jitter) };
        let address = 0x1_0000_0000 + offset;
        let packets = answer(rules, seed, address, length);
        let mut left = length;
        let mut at = address & !3;
        for (i, packet) in packets.iter().enumerate() {
            let (count, lower, bytes) = fields(packet);
            // PCIe 6.x 2.3.1.1: Byte Count is what is left, this completion included.
            prop_assert_eq!(u32::from(count), left);
            let skip = if i == 0 { address & 3 } else { 0 };
            prop_assert_eq!(u64::from(lower), (at + skip) & 0x7f);
            prop_assert!(bytes <= payload as usize && bytes > 0);
            let end = at + bytes as u64;
            if i + 1 < packets.len() {
                // All but the last end at the boundary.
                prop_assert_eq!(end % u64::from(boundary), 0);
                left -= (end - at - skip) as u32;
            }
            at = end;
        }
        prop_assert_eq!(at, (address + u64::from(length)).next_multiple_of(4));
    }
}
