//! TLPs that reach the unit: packets become beats.

use super::stalls::Stalls;
use crate::fabric::{Class, Fabric, Packet};
use std::collections::VecDeque;
use types::port::{Beat, MessageTlp, TlpBeat, UnitIn, UnitOut};

/// The receive side of the PCIe core.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    width: usize,
    completions: VecDeque<Packet>,
    /// Payload bytes of the first completion that were taken.
    taken: usize,
    messages: VecDeque<Packet>,
}

impl Receive {
    /// Beats of `width` bytes.
    pub(super) fn new(width: usize) -> Self {
        Self { width, completions: VecDeque::with_capacity(64), taken: 0, messages: VecDeque::new() }
    }

    /// Takes over what has arrived and sets the unit's inputs.
    pub(super) fn drive(&mut self, fabric: &mut Fabric, stalls: &mut Stalls, inp: &mut UnitIn) {
        while let Some(packet) = fabric.receive() {
            match packet.class() {
                Class::Completion => self.completions.push_back(packet),
                _ => self.messages.push_back(packet),
            }
        }
        if !inp.rx_cpl_tlp.valid
            && let Some(packet) = self.completions.front()
            && !stalls.pause()
        {
            inp.rx_cpl_tlp = self.beat(packet);
        }
        if !inp.rx_msg_tlp.valid
            && let Some(packet) = self.messages.front()
            && !stalls.pause()
        {
            let mut body = [0; 8];
            body[..packet.payload.len().min(8)].copy_from_slice(&packet.payload[..packet.payload.len().min(8)]);
            inp.rx_msg_tlp = MessageTlp {
                valid: true,
                hdr: packet.tlp.header(),
                data: u64::from_le_bytes(body),
                pasid: packet.tlp.pasid,
            };
        }
    }

    fn beat(&self, packet: &Packet) -> TlpBeat {
        let rest = &packet.payload[self.taken..];
        let bytes = rest.len().min(self.width);
        let sop = self.taken == 0;
        TlpBeat {
            valid: true,
            sop,
            eop: bytes == rest.len(),
            hdr: if sop { packet.tlp.header() } else { Default::default() },
            data: Beat::from_bytes(&rest[..bytes]),
            strb: types::bits::mask(bytes as u32 / 4) as u16,
            pasid: Default::default(),
            seq: 0,
        }
    }

    /// Looks at the handshakes of this cycle; each packet that the unit has wholly taken is shown to `seen`.
    pub(super) fn take(&mut self, fabric: &mut Fabric, inp: &mut UnitIn, out: &UnitOut, mut seen: impl FnMut(&Packet)) {
        if inp.rx_cpl_tlp.valid && out.rx_cpl_tlp_ready {
            self.taken += self.width;
            if inp.rx_cpl_tlp.eop {
                self.taken = 0;
                if let Some(packet) = self.completions.pop_front() {
                    seen(&packet);
                    fabric.recycle(packet);
                }
            }
            inp.rx_cpl_tlp = TlpBeat::default();
        }
        if inp.rx_msg_tlp.valid && out.rx_msg_tlp_ready {
            if let Some(packet) = self.messages.pop_front() {
                seen(&packet);
                fabric.recycle(packet);
            }
            inp.rx_msg_tlp = MessageTlp::default();
        }
    }

    /// Packets that wait for the unit.
    pub(super) fn waiting(&self) -> usize {
        self.completions.len() + self.messages.len()
    }
}
