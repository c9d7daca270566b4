//! Time limits in ticks of 1024 cycles.

use cycle::timeout::{TICK, Timeouts};

/// Cycles after its start in which tag `tag` of `tags` is first reported.
fn reported(tags: u32, tag: usize, before: u32, limit: u16) -> Option<u32> {
    let mut t = Timeouts::new(tags);
    (0..before).for_each(|_| assert_eq!(t.step(true, 0), None));
    t.start(tag);
    (1..=u32::from(limit) * TICK + 2 * TICK + tags).find(|_| t.step(true, limit) == Some(tag))
}

/// A tick is 1024 cycles, and ticks are counted from when something is outstanding. A tag is over its limit when more than `limit`
/// ticks have begun since the one it was sent in, and is looked at once in as many cycles as there are tags.
#[test]
fn a_tag_is_reported_between_its_limit_and_one_tick_more() {
    for limit in [1, 2, 7] {
        for before in [0, 1, 1000, 1023, 1024, 1500, 3 * 1024 - 1] {
            for (tags, tag) in [(1, 0), (4, 0), (4, 3)] {
                let end = (before / TICK + u32::from(limit) + 1) * TICK - before;
                let at = reported(tags, tag, before, limit).unwrap();
                assert!((end..end + tags).contains(&at), "limit {limit}, {before} cycles before: {at}, not {end}");
                assert!(at > u32::from(limit) * TICK && at <= u32::from(limit + 1) * TICK + tags);
            }
        }
    }
}

#[test]
fn without_a_limit_nothing_is_reported() {
    assert_eq!(reported(4, 1, 0, 0), None);
}

#[test]
fn every_tag_has_its_turn() {
    let mut t = Timeouts::new(3);
    (0..3).for_each(|tag| t.start(tag));
    // The turn of cycle n, counted from 0, is that of tag n mod 3.
    for n in 0..2 * TICK - 1 {
        assert_eq!(t.step(true, 1), None, "{n}");
    }
    let seen: Vec<_> = (0..6).map(|_| t.step(true, 1)).collect();
    let turn = |n: u32| Some(((2 * TICK - 1 + n) % 3) as usize);
    assert_eq!(seen, (0..6).map(turn).collect::<Vec<_>>());
}

#[test]
fn time_begins_again_when_nothing_is_outstanding() {
    let mut t = Timeouts::new(1);
    t.start(0);
    (0..1000).for_each(|_| assert_eq!(t.step(true, 1), None));
    assert_eq!(t.step(false, 1), None);
    t.start(0);
    // 2 ticks from here on, not from the first start.
    assert_eq!((1..3000).find(|_| t.step(true, 1).is_some()), Some(2 * TICK));
    t.reset();
    t.start(0);
    assert_eq!((1..3000).find(|_| t.step(true, 1).is_some()), Some(2 * TICK));
}

/// The counter has 26 bits, a stamp 16: time goes on over its end.
#[test]
fn a_limit_holds_across_the_end_of_the_counter() {
    let mut t = Timeouts::new(1);
    (0..(1 << 26) - 100).for_each(|_| _ = t.step(true, 0));
    t.start(0);
    // 100 cycles to the end of tick 65535, then two ticks: more than one tick has begun with the second.
    assert_eq!((1..4000).find(|_| t.step(true, 1).is_some()), Some(100 + TICK));
}
