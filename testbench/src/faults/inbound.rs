//! Faults that show the unit something other than what has arrived.

use super::Fault;
use super::pins::{Incoming, Plant, Use};
use system::driver::registers;
use types::ats::InvalidateRange;
use types::port::{Completion, FunctionCfg, MessageTlp, TlpBeat, UnitIn, UnitOut, WorkRequest};
use types::tlp::{Body, Tlp, message_code, status};
use types::{Op, PageSize, Pasid, PasidPrefix, Pd, Syndrome};

/// Bit of an entry that a Translation Completion carries (PCIe 6.x 10.2.3).
const U: u64 = 1 << 2;
const EXE: u64 = 1 << 3;
const S: u64 = 1 << 11;

impl Plant {
    /// Changes the inputs of this cycle; `own` are the unit's outputs, `shown` what the outside sees of them.
    pub(super) fn inputs(&mut self, inp: &mut UnitIn, own: &UnitOut, shown: &UnitOut) {
        self.registering(inp, own);
        self.request(&mut inp.wr);
        self.configuration(&mut inp.cfg);
        self.completion(&mut inp.rx_cpl_tlp);
        self.message(inp, own, shown);
        if matches!(self.fault, Fault::CompletionEarly | Fault::AnswerKept) {
            self.early.inputs(inp, own);
        }
        if self.fault == Fault::CreditsIgnored {
            let fc = &mut inp.tx_fc;
            (fc.ph, fc.pd, fc.nph, fc.npd) = (0x7f, 0x7ff, 0x7f, 0x7ff);
        }
        if self.fault == Fault::WritesWaitForReads && inp.tx_fc.nph == 0 {
            (inp.tx_fc.ph, inp.tx_fc.pd) = (0, 0);
        }
        if self.fault == Fault::FetchWaitsForReads && own.tx_rd_req_tlp.valid && !shown.tx_rd_req_tlp.valid {
            inp.tx_rd_req_tlp_ready = false;
        }
        self.register(inp);
        self.page_register(inp);
        self.coherent_register(inp);
        self.mpt_register(inp);
        if self.forges() {
            self.forge(inp, own);
        }
        self.report_early();
        self.no_credit = inp.tx_fc.ph == 0;
    }

    fn register(&mut self, inp: &mut UnitIn) {
        if inp.axil_awvalid {
            self.register = inp.axil_awaddr;
        }
        match (self.fault, self.register) {
            (Fault::RevocationIgnored, registers::REVOKE_INDEX) => inp.axil_wdata ^= 1 << 10,
            (Fault::RevocationIgnored, registers::REVOKE_MTT_HI) => inp.axil_wdata ^= 1 << 10,
            (Fault::RevocationNarrow, registers::REVOKE_ENTRIES) => inp.axil_wdata = 1,
            (Fault::RevocationUnflushed, registers::COMMAND) => inp.axil_wdata &= !2,
            _ => {}
        }
    }

    fn request(&self, wr: &mut WorkRequest) {
        match self.fault {
            Fault::DomainIgnored => wr.pd = Pd(1),
            Fault::AtomicAlignmentIgnored if wr.op.is_atomic() && wr.length.0.is_power_of_two() => {
                wr.va.0 &= !u64::from(wr.length.0 - 1);
            }
            Fault::FaultsNotReported if wr.valid => wr.on_fault = false,
            Fault::WrapIgnored if wr.va.0.checked_add(u64::from(wr.length.0)).is_none() => {
                wr.length.0 = wr.va.0.wrapping_neg() as u32;
            }
            _ => {}
        }
    }

    fn configuration(&self, cfg: &mut FunctionCfg) {
        self.page_configuration(cfg);
        match self.fault {
            Fault::PayloadLimit => cfg.mps += 1,
            Fault::ReadLimit => cfg.mrrs += 1,
            Fault::TagWidthIgnored => cfg.tag_mode = 1,
            Fault::EnableIgnored => cfg.ats_enable = true,
            Fault::AtomicEnableIgnored => cfg.atomic_enable = true,
            Fault::PasidEnableIgnored => cfg.pasid_enable = true,
            Fault::BusMasterIgnored => cfg.bus_master = true,
            Fault::ResetIgnored if cfg.reset => cfg.valid = false,
            _ => {}
        }
    }

    fn completion(&mut self, beat: &mut TlpBeat) {
        if !beat.valid {
            return;
        }
        if beat.sop {
            self.open(beat);
        }
        if !beat.valid {
            return;
        }
        let (fault, Incoming { of, dws }) = (self.fault, self.incoming);
        let words = beat.strb.count_ones() as usize / 2;
        if self.incoming.of == Use::Mpt && dws == 0 {
            self.table.line(beat.data.0[0]);
        }
        for (i, word) in beat.data.0[..words].iter_mut().enumerate() {
            if of == Use::Mpt {
                self.coherent_word(dws / 2 + i, word);
            }
            self.mpt_word(of, dws / 2 + i, word);
            self.table.change(fault, (of, dws / 2 + i), word);
            if fault == Fault::ContiguousAssumed && of == Use::Mtt && *word & 8 != 0 {
                let page = *word & !0xfff;
                let follows = if dws / 2 + i == 0 { None } else { self.pages_from };
                let address = follows.map_or(page, |before| before + 4096);
                *word = address | *word & 0xfff;
                self.pages_from = Some(address);
            }
            match (of, fault) {
                (Use::Mtt, Fault::WrongOwner) if *word != 0 => *word ^= 1 << 2,
                (Use::Mtt, Fault::PageRightsIgnored) if *word != 0 => *word |= 0b11,
                (Use::Mpt, Fault::BoundsOffByOne) if dws / 2 + i == 3 => *word += 1,
                (Use::Mpt, Fault::PathUnflushed) if dws / 2 + i == 0 => *word |= 1 << 57,
                (Use::Mpt, Fault::PrivilegedDropped) if dws / 2 + i == 1 => *word &= !(1 << 21),
                (Use::Mpt, Fault::ExecuteDropped) if dws / 2 + i == 1 => *word &= !(1 << 22),
                (Use::Mpt, Fault::RightsIgnored) if dws / 2 + i == 1 => *word |= 0xf << 32,
                (Use::Translation, _) => {
                    let mut entry = word.swap_bytes();
                    match fault {
                        Fault::TranslationRights => entry |= 0b11,
                        // 4 KiB at an even page number become 8 KiB.
                        Fault::TranslationWidened if entry & (S | 1 << 12) == 0 => entry |= S,
                        Fault::UntranslatedIgnored => entry &= !U,
                        Fault::ExecuteTrusted => entry |= EXE,
                        _ => {}
                    }
                    *word = entry.swap_bytes();
                }
                _ => {}
            }
        }
        self.incoming.dws += beat.strb.count_ones() as usize;
    }

    /// The first beat of a completion.
    fn open(&mut self, beat: &mut TlpBeat) {
        let Ok(mut tlp) = Tlp::parse(beat.hdr, beat.pasid) else { return };
        let (length_dw, poisoned) = (tlp.length_dw, &mut tlp.poisoned);
        let Body::Completion { status: code, byte_count, tag, lower_address, .. } = &mut tlp.body else { return };
        self.incoming = Incoming { of: self.used_for(*tag), dws: 0 };
        let carried = (4 * length_dw).saturating_sub(u16::from(*lower_address & 3));
        if self.incoming.of == Use::Translation && (*code != status::SC || 4 * length_dw >= *byte_count) {
            self.asking = self.asking.saturating_sub(1);
        }
        if matches!(self.incoming.of, Use::Mpt | Use::Mtt) && (*code != status::SC || carried >= *byte_count) {
            self.coherent.fetching = self.coherent.fetching.saturating_sub(1);
        }
        if self.incoming.of == Use::Data && (*code != status::SC || carried >= *byte_count) {
            self.reading = self.reading.saturating_sub(1);
        }
        match self.fault {
            Fault::PoisonIgnored => *poisoned = false,
            Fault::ErrorIgnored if *code != status::SC => beat.valid = false,
            Fault::EarlyEnd if self.incoming.of == Use::Data => *byte_count = carried.min(*byte_count),
            Fault::CompletionTag if self.incoming.of == Use::Data => {
                let last = self.last_completion.replace(tag.0);
                tag.0 = last.unwrap_or(tag.0);
            }
            _ => {}
        }
        beat.hdr = tlp.header();
    }

    fn message(&mut self, inp: &mut UnitIn, own: &UnitOut, shown: &UnitOut) {
        let taken = inp.rx_msg_tlp.valid && shown.rx_msg_tlp_ready;
        self.messages += u64::from(taken);
        self.coherent_message(&inp.rx_msg_tlp, taken);
        match self.fault {
            Fault::AcceptingWaitsForCredit if self.no_credit => inp.rx_msg_tlp = MessageTlp::default(),
            Fault::CompletionEarly if taken => {
                self.early.swallow = true;
                self.early.answer(&inp.rx_msg_tlp);
            }
            Fault::AnswerKept if taken && self.asking > 0 => {
                self.early.answer(&inp.rx_msg_tlp);
                inp.rx_msg_tlp = MessageTlp::default();
            }
            Fault::LosesInvalidation if taken && self.messages == 17 => inp.rx_msg_tlp = MessageTlp::default(),
            Fault::DrainWaitsForTranslation | Fault::InvalidationWaitsForFetch => {
                let waits =
                    if self.fault == Fault::DrainWaitsForTranslation { self.asking } else { self.coherent.fetching };
                if taken {
                    self.withheld.push_back(inp.rx_msg_tlp);
                }
                inp.rx_msg_tlp = match self.withheld.front() {
                    Some(message) if waits == 0 => *message,
                    _ => MessageTlp::default(),
                };
                if inp.rx_msg_tlp.valid && own.rx_msg_tlp_ready {
                    self.withheld.pop_front();
                }
            }
            _ => {}
        }
        self.page_message(inp, own, shown);
        let code = inp.rx_msg_tlp.hdr.0[1] as u8;
        if inp.rx_msg_tlp.valid && code == message_code::INVALIDATE_REQUEST {
            self.invalidation(&mut inp.rx_msg_tlp);
        }
    }

    fn invalidation(&self, message: &mut MessageTlp) {
        let Some(mut range) = InvalidateRange::decode(message.data.to_le_bytes()) else { return };
        if self.fault == Fault::InvalidationIgnored {
            // An address that nothing uses; a PASID that nobody has keeps the entries with one.
            range = InvalidateRange { iova: types::Iova(1 << 62), size: Some(PageSize::K4), ..range };
            message.pasid = PasidPrefix { valid: true, pasid: Pasid(0xf_ffff), ..PasidPrefix::default() };
        }
        match self.fault {
            Fault::InvalidationNarrow => range.size = Some(PageSize::K4),
            Fault::InvalidationPasid => message.pasid.pasid.0 ^= 1,
            Fault::InvalidationNoPasid if !message.pasid.valid => {
                message.pasid = PasidPrefix { valid: true, pasid: Pasid(0xf_ffff), ..PasidPrefix::default() };
            }
            Fault::GlobalIgnored => range.global = false,
            Fault::InvalidationFunction => message.hdr.0[2] ^= 1 << 16,
            _ => {}
        }
        message.data = u64::from_le_bytes(range.encode());
        if self.fault == Fault::InvalidationReversed {
            message.data = message.data.swap_bytes();
        }
    }

    /// Writes are reported as soon as they are accepted.
    fn forge(&mut self, inp: &mut UnitIn, own: &UnitOut) {
        let done = (own.completion.stream, own.completion.id);
        let swallow = own.completion.valid && self.swallowed.contains(&done);
        if !self.forged.is_empty() {
            if inp.completion_ready {
                self.forged.pop_front();
            }
            inp.completion_ready = swallow;
        } else if swallow {
            inp.completion_ready = true;
        }
        if swallow && inp.completion_ready {
            self.swallowed.remove(&done);
        }
        let wr = &inp.wr;
        if self.fault == Fault::DoneBeforeSent && wr.valid && own.wr_ready && wr.op == Op::WRITE {
            self.swallowed.insert((wr.stream, wr.id));
            self.forged.push_back(completion_of(wr));
        }
    }
}

/// The completion of a request that succeeds.
pub(super) fn completion_of(wr: &WorkRequest) -> Completion {
    let (id, function, stream) = (wr.id, wr.function, wr.stream);
    Completion { valid: true, id, function, stream, syndrome: Syndrome::OK }
}
