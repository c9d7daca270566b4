//! Faults that change what leaves the unit.

use super::Fault;
use super::pins::{Plant, Use};
use types::port::{TlpBeat, UnitOut};
use types::tlp::{Body, MemoryOp, Tlp, message_code};
use types::{AddressType, PasidPrefix, Syndrome, TlpAddr};

impl Plant {
    /// Changes the outputs of this cycle; depends on nothing that happens in it.
    pub(super) fn outputs(&self, out: &mut UnitOut) {
        if matches!(self.fault, Fault::CompletionEarly | Fault::AnswerKept) {
            self.early.outputs(out);
        }
        self.coherent_outputs(out);
        self.change(&mut out.tx_wr_req_tlp, true);
        self.change(&mut out.tx_rd_req_tlp, false);
        match self.fault {
            Fault::ReadDataBit if out.read_data.valid => out.read_data.data.0[0] ^= 1,
            Fault::ReportsOk => out.completion.syndrome = Syndrome::OK,
            Fault::ReportsError if out.completion.valid && out.completion.syndrome.is_ok() => {
                out.completion.syndrome = Syndrome::RIGHTS;
            }
            _ if self.refuses_work() => out.wr_ready = false,
            Fault::AcceptingWaitsForCredit if self.no_credit => out.rx_msg_tlp_ready = false,
            Fault::DrainWaitsForTranslation | Fault::InvalidationWaitsForFetch => out.rx_msg_tlp_ready = true,
            _ if self.forges() => {
                let key = (out.completion.stream, out.completion.id);
                match self.forged.front() {
                    Some(forged) => out.completion = *forged,
                    None if self.swallowed.contains(&key) => out.completion = Default::default(),
                    None => {}
                }
            }
            _ => {}
        }
    }

    fn change(&self, beat: &mut TlpBeat, posted: bool) {
        if !beat.valid {
            return;
        }
        if self.fault == Fault::PayloadBit && posted && beat.strb != 0 {
            beat.data.0[0] ^= 0x0101_0101;
        }
        if posted {
            self.line(beat);
        }
        if self.fault == Fault::OperandBit && !posted && beat.strb != 0 {
            beat.data.0[0] ^= 0x10;
        }
        if !beat.sop {
            return;
        }
        if self.fault == Fault::FetchWaitsForReads
            && let Ok(Tlp { body: Body::Memory { op: MemoryOp::Read, tag, .. }, .. }) = Tlp::parse(beat.hdr, beat.pasid)
            && matches!(self.used_for(tag), Use::Mpt | Use::Mtt)
            && self.reading > 0
        {
            *beat = TlpBeat::default();
            return;
        }
        if let Ok(mut tlp) = Tlp::parse(beat.hdr, beat.pasid) {
            self.header(&mut tlp);
            beat.hdr = tlp.header();
            beat.pasid = tlp.pasid;
        }
    }

    fn header(&self, tlp: &mut Tlp) {
        if self.fault == Fault::PasidDropped {
            tlp.pasid = PasidPrefix::default();
        }
        let message = matches!(tlp.body, Body::Message { .. });
        let translated = matches!(tlp.body, Body::Memory { at: AddressType::TRANSLATED, .. });
        match self.fault {
            Fault::Relaxed if !message => tlp.attributes.relaxed = true,
            Fault::CompletionRelaxed if message => tlp.attributes.relaxed = true,
            Fault::NoSnoop if translated => tlp.attributes.no_snoop = true,
            _ => {}
        }
        self.page_header(tlp);
        let length_dw = &mut tlp.length_dw;
        match &mut tlp.body {
            Body::Memory { op, at, tag, first_be, last_be, address, no_write, .. } => {
                let data = *op == MemoryOp::Write || self.used_for(*tag) == Use::Data;
                match self.fault {
                    Fault::AtomicByteEnables if op.is_atomic() => (*first_be, *last_be) = (0xf, 0xf),
                    Fault::AtomicOperation if *op == MemoryOp::FetchAdd => *op = MemoryOp::Swap,
                    Fault::WrongAt if data => {
                        *at = match *at {
                            AddressType::UNTRANSLATED => AddressType::TRANSLATED,
                            _ => AddressType::UNTRANSLATED,
                        };
                    }
                    Fault::StaleTag if *at == AddressType::TRANSLATED => {
                        let page = address.0 >> 12;
                        let old = if self.pages[1] == Some(page) { self.pages[0] } else { self.pages[1] };
                        *address = TlpAddr(old.unwrap_or(page) << 12 | address.0 & 0xfff);
                    }
                    Fault::EmptyReadsByte if *op == MemoryOp::Read && *first_be == 0 => *first_be = 1,
                    Fault::ByteEnable if data && !op.is_atomic() => {
                        let be = if *length_dw == 1 { first_be } else { last_be };
                        *be = if *be == 0xf { 0x7 } else { 0xf };
                    }
                    // That of a read in flight.
                    Fault::TagReuse if *op == MemoryOp::Read && self.reading > 0 => {
                        *tag = self.last_tag.filter(|last| self.used_for(*last) == Use::Data).unwrap_or(*tag);
                    }
                    Fault::CrossesLine
                        if data && *op == MemoryOp::Read && address.0 % 4096 + 4 * u64::from(*length_dw) == 4096 =>
                    {
                        *length_dw += 1;
                        *last_be = 1;
                    }
                    Fault::UnaskedTranslation if *at == AddressType::TRANSLATION_REQUEST => {
                        (*at, *no_write) = (AddressType::TRANSLATED, false);
                    }
                    _ => {}
                }
            }
            Body::Message { code: message_code::INVALIDATE_COMPLETION, dw3, .. } if self.fault == Fault::WrongItag => {
                *dw3 = dw3.rotate_left(1);
            }
            Body::Message { code: message_code::INVALIDATE_COMPLETION, dw2, .. }
                if self.fault == Fault::CompletionCopies =>
            {
                *dw2 = *dw2 & !7 | 2;
            }
            _ => {}
        }
    }
}
