//! The sizes and ports of `atc` are those of the one table in `types`.

use rtl::atc::{Large, Medium, Small, Tiny};
use rtl::export::BlockInfo;
use rtl::rust_hdl::prelude::Block as Hdl;
use rtl::sim::{connect, ports, with_stack};
use types::port::{AtcIn, AtcOut};
use types::ports::Field;
use types::{Ports, Replacement, UnitCfg};

fn check<B: Hdl + BlockInfo>(name: &str, block: &mut B) {
    let cfg = UnitCfg::named(name).expect("a named configuration");
    let log2 = |n: u32| n.trailing_zeros() as usize;
    let expected = vec![
        ("F", cfg.function_bits() as usize),
        ("S", cfg.slot_bits() as usize),
        ("A", log2(cfg.atc_sets)),
        ("W", cfg.atc_ways as usize),
        ("N", cfg.atc_large as usize),
    ];
    assert_eq!(B::parameters(), expected, "{name}");
    assert!(cfg.functions.is_power_of_two() && cfg.functions <= cfg.atc_sets, "functions are cleared with the sets");
    assert_eq!((cfg.atc_granule_log2, cfg.atc_replacement), (12, Replacement::Lru), "what the hardware has");

    connect(block).expect("connects");
    let seen = ports(block);
    let of = |input: bool| -> Vec<(String, u32)> {
        seen.iter().filter(|p| p.input == input).map(|p| (p.name.clone(), p.width as u32)).collect()
    };
    let table = |fields: Vec<Field>| -> Vec<(String, u32)> { fields.into_iter().map(|f| (f.name, f.width)).collect() };
    assert_eq!(of(true), table(AtcIn::fields(&cfg)), "inputs of {name}");
    assert_eq!(of(false), table(AtcOut::fields(&cfg)), "outputs of {name}");
}

#[test]
fn named_configurations_follow_the_table() {
    with_stack(256 << 20, || {
        check("tiny", Tiny::new().as_mut());
        check("small", Small::new().as_mut());
        check("medium", Medium::new().as_mut());
        check("large", Large::new().as_mut());
    })
    .expect("a thread");
}
