//! The set of slots beside an ordinary set.

use crate::axi::Chance;
use cycle::slot_set::SlotSet;
use std::collections::BTreeSet;
use types::Slot;

fn of(slots: &BTreeSet<u16>) -> SlotSet {
    let mut set = SlotSet::default();
    slots.iter().for_each(|slot| set.insert(Slot(*slot)));
    set
}

#[test]
fn every_operation_is_that_of_a_set() {
    let mut chance = Chance::new(4);
    for density in [2, 20, 200] {
        let (mut set, mut model) = (SlotSet::default(), BTreeSet::new());
        for _ in 0..300 {
            let slot = chance.below(256) as u16;
            match chance.below(4) {
                0 | 1 if model.len() < density => {
                    set.insert(Slot(slot));
                    model.insert(slot);
                }
                2 => {
                    let some: BTreeSet<u16> = (0..20).map(|_| chance.below(256) as u16).collect();
                    if model.len() + some.len() < density {
                        set.union(&of(&some));
                        model.extend(&some);
                    } else {
                        set.subtract(&of(&some));
                        model.retain(|slot| !some.contains(slot));
                    }
                }
                _ => {
                    set.remove(Slot(slot));
                    model.remove(&slot);
                }
            }
            assert_eq!(set, of(&model));
            assert_eq!((set.first(), set.is_empty()), (model.first().copied().map(Slot), model.is_empty()));
            assert_eq!(set.contains(Slot(slot)), model.contains(&slot));
            // The first from a slot on, and round the end.
            let next = model.range(slot..).next().or(model.first()).copied();
            assert_eq!(set.next(Slot(slot)), next.map(Slot));
        }
        assert!((0..256).all(|slot| set.contains(Slot(slot)) == model.contains(&slot)));
    }
}
