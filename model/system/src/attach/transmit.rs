//! TLPs that leave the unit: beats become packets on the link.

use super::RunError;
use super::stalls::Stalls;
use crate::fabric::{Fabric, Packet};
use crate::time::Time;
use std::collections::VecDeque;
use types::Tlp;
use types::port::{TlpBeat, UnitIn, UnitOut};

/// How far ahead of the wire the core takes beats: two packets of 280 bytes at 252 Gb/s.
const AHEAD: Time = Time(18_000);

/// One TLP stream out of the unit.
#[derive(Clone, Debug, Default)]
struct Assembly {
    open: Option<(Tlp, Vec<u8>, u8)>,
}

impl Assembly {
    /// Takes a beat; with the last one of a TLP, the packet and its sequence number.
    fn take(&mut self, beat: &TlpBeat, fabric: &mut Fabric) -> Result<Option<(Packet, u8)>, RunError> {
        let broken = |reason: String| RunError::Protocol { reason };
        if beat.sop {
            if self.open.is_some() {
                return Err(broken("a TLP starts before the one before it has ended".into()));
            }
            let tlp = Tlp::parse(beat.hdr, beat.pasid).map_err(|e| broken(format!("{e}: {:08x?}", beat.hdr.0)))?;
            // A TLP without data takes no buffer, which its receiver would have to give back.
            let payload = if tlp.payload_dw() > 0 { fabric.buffer() } else { Vec::new() };
            self.open = Some((tlp, payload, beat.seq));
        }
        let Some((tlp, payload, _)) = &mut self.open else {
            return Err(broken("a beat outside of a TLP".into()));
        };
        let dws = beat.strb.count_ones() as usize;
        payload.extend_from_slice(&beat.data.to_bytes()[..4 * dws]);
        if !beat.eop {
            return Ok(None);
        }
        if payload.len() != 4 * usize::from(tlp.payload_dw()) {
            return Err(broken(format!("a TLP of {} DW carries {} bytes", tlp.payload_dw(), payload.len())));
        }
        Ok(self.open.take().map(|(tlp, payload, seq)| (Packet { tlp, payload }, seq)))
    }
}

/// The transmit side of the PCIe core.
#[derive(Clone, Debug, Default)]
pub(super) struct Transmit {
    posted: Assembly,
    non_posted: Assembly,
    /// Posted TLPs on the wire: when their last byte leaves, and their sequence number.
    sent: VecDeque<(Time, u8)>,
}

impl Transmit {
    /// Sets credits, ready signals and the sent notification of this cycle.
    pub(super) fn drive(&mut self, now: Time, fabric: &mut Fabric, stalls: &mut Stalls, inp: &mut UnitIn) {
        let room = fabric.transmitter_free() <= now + AHEAD;
        inp.tx_wr_req_tlp_ready = room && !stalls.pause();
        inp.tx_rd_req_tlp_ready = room && !stalls.pause();
        inp.tx_fc = fabric.credits(now);
        let sent = self.sent.pop_front_if(|(at, _)| *at <= now);
        inp.tx_wr_sent_valid = sent.is_some();
        inp.tx_wr_sent_seq = sent.map_or(0, |(_, seq)| seq);
    }

    /// When it changes one of the inputs `inp` by itself, after a cycle in which no beat was taken.
    pub(super) fn resting_until(&self, fabric: &Fabric, inp: &UnitIn) -> Time {
        let sent = self.sent.front().map_or(Time::NEVER, |(at, _)| *at);
        // Both streams are ready at the same times when no handshake pauses.
        let room = if inp.tx_wr_req_tlp_ready { Time::NEVER } else { fabric.transmitter_free().since(AHEAD) };
        sent.min(room)
    }

    /// Takes the beats of this cycle; each packet that is whole is shown to `seen` and sent.
    pub(super) fn take(
        &mut self,
        now: Time,
        fabric: &mut Fabric,
        inp: &UnitIn,
        out: &UnitOut,
        mut seen: impl FnMut(&Packet),
    ) -> Result<(), RunError> {
        if out.tx_wr_req_tlp.valid
            && inp.tx_wr_req_tlp_ready
            && let Some((packet, seq)) = self.posted.take(&out.tx_wr_req_tlp, fabric)?
        {
            check_class(&packet, true, inp)?;
            seen(&packet);
            self.sent.push_back((fabric.send(now, packet), seq));
        }
        if out.tx_rd_req_tlp.valid
            && inp.tx_rd_req_tlp_ready
            && let Some((packet, _)) = self.non_posted.take(&out.tx_rd_req_tlp, fabric)?
        {
            check_class(&packet, false, inp)?;
            seen(&packet);
            fabric.send(now, packet);
        }
        Ok(())
    }
}

/// A packet must travel on the stream of its class, and its credits must be there.
fn check_class(packet: &Packet, posted: bool, inp: &UnitIn) -> Result<(), RunError> {
    let (headers, data) = if posted { (inp.tx_fc.ph, inp.tx_fc.pd) } else { (inp.tx_fc.nph, inp.tx_fc.npd) };
    if packet.tlp.posted() != posted {
        return Err(RunError::Protocol { reason: format!("on the wrong stream: {:?}", packet.tlp) });
    }
    if headers == 0 || u32::from(data) < packet.data_credits() {
        return Err(RunError::Protocol { reason: format!("sent without credits: {:?}", packet.tlp) });
    }
    Ok(())
}
