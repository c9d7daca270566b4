use system::Observer;
use types::port::{UnitIn, UnitOut};
use types::{Cycle, Event};
struct P(u64, u64, u64);
impl Observer<testbench::faults::Faulty<cycle::unit::Unit>> for P {
    fn event(&mut self, e: &Event<'_>) {
        if self.0 < self.1 || self.0 > self.2 {
            return;
        }
        let c = self.0;
        match e {
            Event::TlpOut { tlp, .. } => println!(
                "{c} OUT {:?} len {} pasid {:?}",
                tlp.body,
                tlp.length_dw,
                tlp.pasid.valid.then_some(tlp.pasid.pasid)
            ),
            Event::TlpIn { tlp, payload } => {
                println!("{c} IN {:?} {:02x?} ", tlp.body, &payload[..payload.len().min(8)])
            }
            Event::WriteData { .. } | Event::PageMapped { .. } => {}
            Event::ReadData { id, offset, .. } => println!("{c} DATA {id} {offset}"),
            e => println!("{c} {e:?}"),
        }
    }
    fn cycle(&mut self, c: Cycle, u: &testbench::faults::Faulty<cycle::unit::Unit>, i: &UnitIn, o: &UnitOut) {
        self.0 = c.0;
        if std::env::var("W").is_ok() && c.0 >= self.1 && c.0 <= self.2 {
            let w = u.inner().wires();
            println!(
                "{} epoch {} grant {} drained {} sent {} | posted v{} eop{} r{} | retr {} {:?} ans {} {:?} gr{} ep{} | wd v{} r{} wdr v{} | revoke {:?}/{} mpt_done {} mtt_done {} | tx v{} sop{} eop{} sentv{} posted_sent {} | irq {}",
                c.0,
                w.ats.epoch,
                w.ats.grant,
                w.dma.drained,
                w.dma.sent,
                w.dma.posted.valid,
                w.dma.posted.eop,
                w.tlp_tx.posted_ready,
                w.dma.retranslate.valid,
                w.dma.retranslate.va,
                w.replay.retranslated.valid,
                w.replay.retranslated.syndrome,
                w.replay.retranslated.grant,
                w.replay.retranslated.epoch,
                i.write_data.valid,
                o.write_data_ready,
                o.write_data_request.valid,
                w.ats.revoke.valid,
                w.ats.revoke.index,
                w.mpt.revoke_done,
                w.mtt.revoke_done,
                o.tx_wr_req_tlp.valid,
                o.tx_wr_req_tlp.sop,
                o.tx_wr_req_tlp.eop,
                i.tx_wr_sent_valid,
                w.tlp_tx.posted_sent,
                o.irq
            );
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let s = testbench::scenario::Scenario::parse(&std::fs::read_to_string(&a[1]).unwrap()).unwrap();
    let from = a.get(2).map_or(0, |x| x.parse().unwrap());
    let to = a.get(3).map_or(u64::MAX, |x| x.parse().unwrap());
    let r = testbench::scenario::watch::<cycle::unit::Unit, _>(&s, None, P(0, from, to));
    println!("{}", testbench::scenario::Verdict::of(&r).reason);
}
