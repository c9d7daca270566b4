//! Driver events: how many may be open, who joins one, and who goes on when.

use cycle::page_events::{EVENTS, Inputs, PageEvents, Resumed};
use cycle::slot_set::SlotSet;
use types::port::{FunctionCfg, PageResume, Segment};
use types::{FunctionId, Iova, Key, Slot, Syndrome, UnitCfg};

const REGION: u32 = 5;

fn step(events: &mut PageEvents, event_ready: bool, resume: PageResume) -> Resumed {
    events.step(&Inputs { cfg: &FunctionCfg::default(), enabled: true, event_ready, resume: &resume })
}

fn bench() -> PageEvents {
    let mut events = PageEvents::new(&UnitCfg::named("small").unwrap());
    let cfg = FunctionCfg { valid: true, bus_master: true, ..FunctionCfg::default() };
    events.step(&Inputs { cfg: &cfg, enabled: true, event_ready: false, resume: &PageResume::default() });
    events
}

fn wait(events: &mut PageEvents, slot: u16, entry: u64) -> Result<bool, Syndrome> {
    let mut segment = Segment { valid: true, entry: Iova(entry), ..Segment::default() };
    segment.tag.slot = Slot(slot);
    segment.tag.function = FunctionId(0);
    segment.tag.asked.key = Key::new(REGION, 0);
    events.wait(&segment)
}

fn slots(mut set: SlotSet) -> Vec<u16> {
    let mut all = Vec::new();
    while let Some(slot) = set.first() {
        set.remove(slot);
        all.push(slot.0);
    }
    all
}

#[test]
fn accesses_of_one_entry_share_an_event_and_go_on_with_it() {
    let mut events = bench();
    assert_eq!(
        [(0, 0x100), (1, 0x100), (2, 0x108)].map(|(slot, entry)| wait(&mut events, slot, entry)),
        [Ok(true), Ok(false), Ok(true)]
    );
    let resume = PageResume { valid: true, index: REGION, number: 0, ..PageResume::default() };
    let resumed = step(&mut events, false, resume);
    assert_eq!((slots(resumed.again), slots(resumed.aside)), (vec![0, 1], vec![]));
}

/// An event that has ended may still wait for `regs` to take it, and keeps its place until then.
#[test]
fn a_segment_set_aside_looks_up_again_when_an_event_was_taken() {
    let mut events = bench();
    let last = EVENTS as u16;
    for slot in 0..last {
        assert_eq!(wait(&mut events, slot, 0x100 + 8 * u64::from(slot)), Ok(true));
    }
    assert_eq!(wait(&mut events, last, 0x200), Ok(false));
    // The driver answers for the whole region before it has read an event.
    let resumed =
        step(&mut events, false, PageResume { valid: true, index: REGION, all: true, ..PageResume::default() });
    assert_eq!((slots(resumed.again), slots(resumed.aside)), ((0..last).collect(), vec![last]));
    // Still no place for another event, so it is set aside once more, until one is taken.
    assert_eq!(wait(&mut events, last, 0x200), Ok(false));
    assert_eq!(slots(step(&mut events, false, PageResume::default()).aside), []);
    assert_eq!(slots(step(&mut events, true, PageResume::default()).aside), [last]);
    assert_eq!(wait(&mut events, last, 0x200), Ok(true));
}
