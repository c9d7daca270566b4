//! A planted fault is found by somebody who watches, in runs that the unit without it passes (conformance.rs).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use testbench::conformance::{Search, Style, explore, scenarios};
use testbench::faults::Fault;

/// Scenarios among which a fault has to be found: a part of those that conformance.rs runs.
const CASES: u32 = 150;

fn found(fault: Fault, style: Style, by: &[&str]) {
    let outcome = explore(scenarios(style), Search::new(CASES, 1).with_fault(fault), |_| {});
    let failure = outcome.expect_err(&format!("{fault:?} was not found"));
    assert!(by.contains(&failure.finding.by()), "{fault:?} was found by {}: {}", failure.finding.by(), failure.finding);
    eprintln!("{fault:?}: {}", failure.finding);
}

macro_rules! faults {
    ($($name:ident: $fault:ident in $style:ident by $by:expr;)*) => {
        $(#[test] fn $name() { found(Fault::$fault, Style::$style, &$by); })*
    };
}

faults! {
    wrong_at: WrongAt in Orderly by ["judge"];
    wrong_owner: WrongOwner in Orderly by ["judge"];
    stale_tag: StaleTag in Orderly by ["judge"];
    bound_off_by_one: BoundsOffByOne in Wild by ["judge"];
    byte_enable: ByteEnable in Orderly by ["judge"];
    tag_reuse: TagReuse in Orderly by ["judge"];
    crosses_line: CrossesLine in Orderly by ["judge", "checker"];
    payload_limit: PayloadLimit in Orderly by ["checker"];
    read_limit: ReadLimit in Orderly by ["checker"];
    payload_bit: PayloadBit in Orderly by ["judge"];
    read_data_bit: ReadDataBit in Orderly by ["judge"];
    reports_ok: ReportsOk in Wild by ["judge"];
    reports_error: ReportsError in Wild by ["judge"];
    rights_ignored: RightsIgnored in Wild by ["judge"];
    page_rights_ignored: PageRightsIgnored in Wild by ["judge"];
    domain_ignored: DomainIgnored in Wild by ["judge"];
    translation_rights: TranslationRights in Wild by ["judge"];
    translation_widened: TranslationWidened in Orderly by ["judge"];
    untranslated_ignored: UntranslatedIgnored in Orderly by ["judge"];
    unasked_translation: UnaskedTranslation in Orderly by ["judge"];
    early_end: EarlyEnd in Orderly by ["judge"];
    completion_tag: CompletionTag in Orderly by ["judge", "liveness"];
    credits_ignored: CreditsIgnored in Orderly by ["checker", "ports"];
    done_before_sent: DoneBeforeSent in Orderly by ["judge"];
    relaxed: Relaxed in Orderly by ["judge"];
    operand_bit: OperandBit in Orderly by ["judge"];
    atomic_byte_enables: AtomicByteEnables in Orderly by ["judge"];
    atomic_operation: AtomicOperation in Orderly by ["judge"];
    atomic_alignment: AtomicAlignmentIgnored in Wild by ["judge"];
}
