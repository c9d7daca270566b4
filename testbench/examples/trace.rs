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
    fn cycle(&mut self, c: Cycle, _: &testbench::faults::Faulty<cycle::unit::Unit>, _: &UnitIn, _: &UnitOut) {
        self.0 = c.0;
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
