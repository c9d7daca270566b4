//! scratch
use rtl::export::*;
fn main() {
    let which = std::env::args().nth(1).unwrap();
    let dir = std::env::args().nth(2).unwrap();
    rtl::sim::with_stack(256 << 20, move || {
    macro_rules! go { ($t:ty) => {{ let mut b = <$t>::new(); rtl::sim::connect(b.as_mut()).unwrap();
        let o = ExportOptions{module: format!("rnic_xlat_atc_{which}"), prefix: "rnic_xlat_".into(), version: "x".into(), config: which.clone(), parameters: vec![]};
        match export(b.as_ref(), &o) { Ok(f) => for f in f { std::fs::write(format!("{dir}/{}", f.name), f.text).unwrap(); println!("{}", f.name); }, Err(e) => println!("ERR {e}") } }} }
    match which.as_str() { "tiny" => go!(rtl::atc::Tiny), _ => go!(rtl::atc::Small) }
    }).unwrap();
}
