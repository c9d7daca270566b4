//! What the fabric tests share: requests of a NIC, and a loop over what comes back.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test crate uses a part")]

use system::Time;
use system::config::Config;
use system::fabric::{Fabric, Landing, Packet, nic_function};
use types::tlp::{Attributes, Body, MemoryOp, byte_enables};
use types::{AddressType, FunctionId, Tag, Tlp, TlpAddr};

/// The preset stellar-ats with assignments.
pub fn config(sets: &[&str]) -> Config {
    Config::load("stellar-ats", sets).unwrap()
}

/// A memory request of function 0.
pub fn request(op: MemoryOp, at: AddressType, tag: u16, address: u64, payload: Vec<u8>, length: u32) -> Packet {
    let (length_dw, first_be, last_be) = byte_enables(TlpAddr(address), length);
    let body = Body::Memory {
        op,
        at,
        requester: nic_function(FunctionId(0)),
        tag: Tag(tag),
        first_be,
        last_be,
        address: TlpAddr(address & !3),
        no_write: false,
    };
    let tlp =
        Tlp { tc: 0, attributes: Attributes::default(), poisoned: false, length_dw, body, pasid: Default::default() };
    Packet { tlp, payload }
}

/// A write of whole DWs.
pub fn write(at: AddressType, address: u64, bytes: &[u8]) -> Packet {
    request(MemoryOp::Write, at, 0, address, bytes.to_vec(), bytes.len() as u32)
}

/// A read.
pub fn read(at: AddressType, tag: u16, address: u64, length: u32) -> Packet {
    request(MemoryOp::Read, at, tag, address, Vec::new(), length)
}

/// A Translation Request for `count` units.
pub fn translation(tag: u16, address: u64, count: u16) -> Packet {
    let mut packet = request(MemoryOp::Read, AddressType::TRANSLATION_REQUEST, tag, address, Vec::new(), 8);
    packet.tlp.length_dw = 2 * count;
    if let Body::Memory { first_be, last_be, .. } = &mut packet.tlp.body {
        (*first_be, *last_be) = (0xf, 0xf);
    }
    packet
}

/// Things with their times.
pub type Timed<T> = Vec<(Time, T)>;

/// Lets time pass event by event until `until`; packets for the NIC and bytes in memory with their times.
pub fn watch(fabric: &mut Fabric, until: Time) -> (Timed<Packet>, Timed<Landing>) {
    let (mut packets, mut landings) = (Vec::new(), Vec::new());
    while fabric.next_event() <= until && fabric.next_event() != Time::NEVER {
        let now = fabric.next_event();
        while let Some(landing) = fabric.advance(now) {
            landings.push((now, landing));
        }
        while let Some(packet) = fabric.receive() {
            packets.push((now, packet));
        }
    }
    (packets, landings)
}

/// The tag a completion answers.
pub fn tag_of(packet: &Packet) -> u16 {
    match packet.tlp.body {
        Body::Completion { tag, .. } => tag.0,
        _ => panic!("not a completion: {packet:?}"),
    }
}

/// The Completion Status of a completion.
pub fn status_of(packet: &Packet) -> u8 {
    match packet.tlp.body {
        Body::Completion { status, .. } => status,
        _ => panic!("not a completion: {packet:?}"),
    }
}
