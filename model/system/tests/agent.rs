//! Does the translation agent answer as PCIe 6.x 10.2 says, and when?
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{config, read, status_of, tag_of, translation, watch, write};
use system::Time;
use system::driver::{Driver, RegionSpec};
use system::fabric::{Fabric, IoRange, Scatter, nic_function};
use types::ats::TranslationEntry;
use types::tlp::{Body, status};
use types::{AddressType, BusAddr, ByteCount, FunctionId, Iova, Mode, PageSize, TlpAddr};

const IOVA: u64 = 0x55_0000_0000;

fn fabric(page: PageSize, sets: &[&str]) -> Fabric {
    let mut fabric = Fabric::new(&config(sets));
    fabric.map(IoRange {
        base: Iova(IOVA),
        length: ByteCount(64 << 20),
        page,
        scatter: Scatter::linear(fabric.gpu_base()),
        read: true,
        write: false,
        exec: false,
        untranslated_only: false,
        pasid: None,
        paged: false,
    });
    fabric
}

/// 4 KiB units, as in stellar-ats-4k.
const SMALL: [&str; 2] = ["unit.sizes.atc_granule_log2=12", "function.smallest_translation_unit_bytes=4096"];

fn ask(fabric: &mut Fabric, iova: u64, count: u16) -> Vec<(Time, system::fabric::Packet)> {
    fabric.send(Time(0), translation(5, iova, count));
    let (packets, landings) = watch(fabric, Time::from_ns(100_000));
    assert!(landings.is_empty());
    assert!(packets.iter().all(|(_, p)| tag_of(p) == 5));
    packets
}

fn entries(packets: &[(Time, system::fabric::Packet)]) -> Vec<TranslationEntry> {
    let bytes: Vec<u8> = packets.iter().flat_map(|(_, p)| p.payload.clone()).collect();
    bytes.chunks(8).map(|c| TranslationEntry::decode(c.try_into().unwrap()).unwrap()).collect()
}

#[test]
fn the_answer_is_the_page_with_its_size_and_its_own_permissions() {
    for page in [PageSize::K4, PageSize::K64, PageSize::M2] {
        let mut fabric = fabric(page, &SMALL);
        let inside = 3 * page.bytes().0 + 0x800_000 % page.bytes().0;
        let packets = ask(&mut fabric, IOVA + inside, 1);
        assert_eq!(packets.len(), 1);
        let got = entries(&packets);
        let address = TlpAddr(fabric.gpu_base().0 + 3 * page.bytes().0);
        let expected = TranslationEntry { address, size: page, read: true, ..TranslationEntry::default() };
        assert_eq!(got, [expected], "{page}");
    }
}

#[test]
fn the_bytes_on_the_wire_go_most_significant_first() {
    let mut fabric = fabric(PageSize::M2, &SMALL);
    let packets = ask(&mut fabric, IOVA + 0x123_000, 1);
    // Page at 0x1000_0000_0000, 2 MiB: bits 19:12 ones, bit 20 zero, S; R.
    assert_eq!(packets[0].1.payload, [0x00, 0x00, 0x10, 0x00, 0x00, 0x0f, 0xf8, 0x01]);
}

#[test]
fn nothing_mapped_is_a_success_with_r_and_w_zero() {
    let mut fabric = fabric(PageSize::K4, &SMALL);
    let packets = ask(&mut fabric, IOVA - 0x1000, 4);
    assert_eq!(status_of(&packets[0].1), status::SC);
    let got = entries(&packets);
    assert_eq!(got.len(), 1);
    assert!(!got[0].read && !got[0].write);
}

#[test]
fn several_units_give_contiguous_entries_of_one_size_up_to_the_end_of_the_map() {
    let mut fabric = fabric(PageSize::K4, &SMALL);
    let got = entries(&ask(&mut fabric, IOVA + (64 << 20) - 3 * 4096, 8));
    let base = fabric.gpu_base().0 + (64 << 20) - 3 * 4096;
    assert_eq!(got.iter().map(|e| e.address.0).collect::<Vec<_>>(), [base, base + 4096, base + 8192]);
    assert!(got.iter().all(|e| e.size == PageSize::K4));
}

#[test]
fn random_splits_give_one_or_two_completions_of_whole_entries() {
    let mut numbers = [0; 3];
    for seed in 0..40 {
        let seed = format!("seed={seed}");
        let mut fabric =
            fabric(PageSize::K4, &[&SMALL[..], &["disorder.random_splits=true", seed.as_str()][..]].concat());
        let packets = ask(&mut fabric, IOVA, 8);
        numbers[packets.len()] += 1;
        assert_eq!(entries(&packets).len(), 8);
        let mut left = 64;
        for (_, packet) in &packets {
            let Body::Completion { byte_count, .. } = packet.tlp.body else { panic!() };
            assert_eq!(byte_count, left);
            left -= packet.payload.len() as u16;
        }
    }
    assert!(numbers[1] > 0 && numbers[2] > 0, "{numbers:?}");
}

#[test]
fn a_function_that_may_not_ask_gets_ur_and_so_does_a_request_that_is_too_long() {
    let mut fabric = fabric(PageSize::K4, &SMALL);
    assert_eq!(status_of(&ask(&mut fabric, IOVA, 9)[0].1), status::UR);
    fabric.deny_ats(nic_function(FunctionId(0)));
    assert_eq!(status_of(&ask(&mut fabric, IOVA, 1)[0].1), status::UR);
    assert_eq!(fabric.agent_counts(), (0, 2));
    // Nor are its translated requests let through.
    fabric.send(Time::from_ns(200_000), read(AddressType::TRANSLATED, 9, 0x2000_0000, 64));
    let (packets, _) = watch(&mut fabric, Time::from_ns(300_000));
    assert_eq!((tag_of(&packets[0].1), status_of(&packets[0].1)), (9, status::UR));
}

#[test]
fn the_answer_comes_after_links_switch_agent_and_on_a_miss_a_walk() {
    let sets = [&SMALL[..], &["iommu.ats_ns=600", "iommu.walk_ns=411", "iommu.lookup_ns=5"][..]].concat();
    let mut fabric = fabric(PageSize::K4, &sets);
    let byte = |n: u64| (n * 31_822).div_ceil(1000);
    // Up: 24 bytes on two links, flight 50 + switch 105, 50 + root 100. Down: 28 bytes on two links, 50 + 105, 50. The
    // sender of the answer has sent no DLLP yet that would be in its way for this first TLP.
    let path = 2 * byte(24) + 305_000 + 2 * byte(28) + 205_000;
    let first = ask(&mut fabric, IOVA, 1)[0].0;
    assert_eq!(first.0, path + 605_000 + 411_000);
    // Again: the IOTLB has it.
    let start = Time::from_ns(200_000);
    fabric.send(start, translation(5, IOVA, 1));
    assert!(watch(&mut fabric, Time(start.0 + path + 605_000 - 1)).0.is_empty());
    assert_eq!(watch(&mut fabric, Time::from_ns(300_000)).0[0].0.0, start.0 + path + 605_000);
}

#[test]
fn untranslated_accesses_are_translated_too_and_refused_without_permission() {
    let mut fabric = fabric(PageSize::K4, &[]);
    fabric.memories.gpu.write(fabric.gpu_base(), &[9; 64]);
    fabric.send(Time(0), read(AddressType::UNTRANSLATED, 1, IOVA, 64));
    fabric.send(Time(0), read(AddressType::UNTRANSLATED, 2, IOVA - 4096, 64));
    // The mapping is read-only: a posted write is dropped, and nobody is told.
    fabric.send(Time(0), write(AddressType::UNTRANSLATED, IOVA + 4096, &[1; 64]));
    let (packets, landings) = watch(&mut fabric, Time::from_ns(100_000));
    assert!(landings.is_empty());
    assert_eq!(packets.len(), 2);
    let find = |tag| packets.iter().map(|(_, p)| p).find(|p| tag_of(p) == tag).unwrap();
    assert_eq!(find(1).payload, [9; 64]);
    assert_eq!(status_of(find(2)), status::UR);
    let counts = fabric.root_counts();
    assert_eq!((counts.dropped_writes, counts.refused_reads, counts.peer_reads), (1, 1, 1));
}

#[test]
fn a_read_pushes_the_writes_before_it_even_through_a_walk() {
    let cfg = config(&["iommu.walk_ns=5000", "iommu.iotlb_entries=16"]);
    let mut fabric = Fabric::new(&cfg);
    let mut driver = Driver::new(Mode::Direct, &fabric, 1);
    let region = driver.register(&mut fabric, &RegionSpec::of(ByteCount(1 << 20))).unwrap();
    let iova = region.io.base.0;
    // The read's page is in the IOTLB, the write's needs a walk of 5 µs.
    fabric.send(Time(0), read(AddressType::UNTRANSLATED, 1, iova, 4));
    watch(&mut fabric, Time::from_ns(20_000));
    let start = Time::from_ns(20_000);
    fabric.send(start, write(AddressType::UNTRANSLATED, iova + 0x5000, &[7; 64]));
    fabric.send(start, read(AddressType::UNTRANSLATED, 2, iova, 4));
    let (packets, landings) = watch(&mut fabric, Time::from_ns(40_000));
    assert_eq!(landings[0].1.address, region.place(0x5000));
    assert!(landings[0].0 > start + Time::from_ns(5000));
    assert!(packets[0].0 > landings[0].0, "the answer leaves after the write is visible");
}

#[test]
fn a_bounded_number_of_peer_reads_bounds_their_rate() {
    let rate = |reads: u32| {
        let cap = format!("root.peer_reads={reads}");
        let mut fabric = fabric(PageSize::M2, &[cap.as_str(), "iommu.lookup_ns=0"]);
        for tag in 0..100 {
            fabric.send(Time(0), read(AddressType::UNTRANSLATED, tag, IOVA + 64 * u64::from(tag), 64));
        }
        let (packets, _) = watch(&mut fabric, Time::from_ns(200_000));
        assert_eq!(packets.len(), 100);
        packets[99].0.since(packets[19].0).0 as f64 / 80.0
    };
    // One at a time: root to GPU and back: 24 and 84 bytes on two links each, 50 + 105 + 50 ns each way (and 100 ns at the
    // root), 300 ns of GPU memory = 816.9 ns a read, and a few DLLPs.
    let one = rate(1);
    assert!((816_000.0..822_000.0).contains(&one), "{one}");
    let four = rate(4);
    assert!((0.24..0.26).contains(&(four / one)), "{four} against {one}");
}

#[test]
fn without_direct_translated_p2p_everything_goes_through_the_root() {
    let mut fabric = fabric(PageSize::K4, &["switch.direct_translated=false"]);
    let base = fabric.gpu_base();
    fabric.send(Time(0), write(AddressType::TRANSLATED, base.0 + 128, &[3; 64]));
    let (_, landings) = watch(&mut fabric, Time::from_ns(100_000));
    assert_eq!(landings[0].1.address, BusAddr(base.0 + 128));
    assert_eq!(fabric.root_counts().peer_writes, 1);
}
