//! Functions that are enabled or reset: from then on until `ats` says that their translations of before have gone.

use cycle::lives::Enabling;
use types::FunctionId;
use types::port::{EpochNote, FunctionCfg};

const ONE: FunctionId = FunctionId(1);

fn cfg(ats_enable: bool, reset: bool) -> FunctionCfg {
    FunctionCfg { valid: true, function: ONE, ats_enable, reset, ..FunctionCfg::default() }
}

fn gone() -> EpochNote {
    EpochNote { valid: true, function: ONE, enabled: true, ..EpochNote::default() }
}

/// For how many notes function 1 waits.
fn waits(mut e: Enabling) -> u32 {
    for n in 0..5 {
        if !e.under_way(ONE) {
            return n;
        }
        e.note(&gone());
    }
    panic!("it waits for ever");
}

#[test]
fn an_enabled_function_waits_for_its_own_note_and_no_other() {
    let mut e = Enabling::new(2);
    assert!(!e.under_way(ONE));
    e.configure(&cfg(true, false));
    assert_eq!((e.under_way(ONE), e.under_way(FunctionId(0)), e.under_way(FunctionId(9))), (true, false, false));
    for other in [
        EpochNote { valid: false, ..gone() },
        EpochNote { enabled: false, ..gone() },
        EpochNote { function: FunctionId(0), ..gone() },
        EpochNote { function: FunctionId(9), ..gone() },
    ] {
        e.note(&other);
        assert!(e.under_way(ONE), "{other:?}");
    }
    e.note(&gone());
    assert!(!e.under_way(ONE));
    // One too many is not kept for the next time.
    e.note(&gone());
    e.configure(&cfg(true, true));
    assert!(e.under_way(ONE));
}

/// PCIe 6.x 10.3.7: the function is to invalidate its ATC when ATS Enable changes from clear to set; a function-level reset clears
/// it as well.
#[test]
fn ats_enable_set_anew_and_every_reset_count_once() {
    for (what, sequence, notes) in [
        ("never enabled", &[(false, false)][..], 0),
        ("enabled", &[(true, false)], 1),
        ("enabled, and said again", &[(true, false), (true, false)], 1),
        ("enabled and disabled", &[(true, false), (false, false)], 1),
        ("enabled again", &[(true, false), (false, false), (true, false)], 2),
        ("reset while disabled", &[(false, true)], 1),
        ("reset while enabled", &[(true, false), (true, true)], 2),
        ("reset and enabled at once", &[(true, true)], 1),
        ("reset, then enabled", &[(true, false), (false, true), (true, false)], 3),
    ] {
        let mut e = Enabling::new(2);
        sequence.iter().for_each(|(ats_enable, reset)| e.configure(&cfg(*ats_enable, *reset)));
        assert_eq!(waits(e), notes, "{what}");
    }
    let mut e = Enabling::new(2);
    e.configure(&FunctionCfg { valid: false, ..cfg(true, true) });
    assert!(!e.under_way(ONE), "nothing was said");
}

#[test]
fn a_reset_of_the_unit_forgets_who_waits_and_who_was_enabled() {
    let mut e = Enabling::new(2);
    e.configure(&cfg(true, false));
    e.reset();
    assert!(!e.under_way(ONE));
    e.configure(&cfg(true, false));
    assert_eq!(waits(e), 1);
}
