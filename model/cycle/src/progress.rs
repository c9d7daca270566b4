//! Who waits for whom: the places where something can be held, and what each needs to go on.
//!
//! Each block declares its own waits beside its code. [`waits`] gathers them; a test finds the graph without a cycle,
//! which is why nothing waits for ever as long as the surroundings do their part ([`EXTERNAL`]).

/// One edge of the wait-for graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Where something is held: `<block>.<place>`.
    pub holder: &'static str,
    /// What must go on first: another place, or one of [`EXTERNAL`].
    pub needs: &'static str,
    /// When.
    pub when: &'static str,
}

/// Shorthand for the tables of the blocks.
pub(crate) const fn wait(holder: &'static str, needs: &'static str, when: &'static str) -> Wait {
    Wait { holder, needs, when }
}

/// What the surroundings promise to do without waiting for the unit.
pub const EXTERNAL: [(&str, &str); 9] = [
    ("link.posted", "posted credits return"),
    ("link.non_posted", "non-posted credits return"),
    ("host.completion", "a read is completed, or its time-out strikes"),
    ("agent.completion", "a Translation Request is completed, or its time-out strikes"),
    ("agent.page_response", "a Page Request is answered, or its function is disabled or reset"),
    ("driver.resume", "an event is answered, or its function is disabled or reset"),
    ("source.write_data", "message bytes come once they are asked for"),
    ("sink.read_data", "read data is taken"),
    ("sink.completion", "completions of work requests are taken"),
];

/// The whole graph, blocks in pipeline order.
pub fn waits() -> Vec<Wait> {
    [
        crate::mpt::WAITS,
        crate::seg::WAITS,
        crate::mtt::WAITS,
        crate::replay::WAITS,
        crate::atc::WAITS,
        crate::ats::WAITS,
        crate::dma::WAITS,
        crate::tlp_tx::WAITS,
    ]
    .concat()
}

/// A cycle of the graph, as the places it passes, if there is one.
pub fn cycle_of(waits: &[Wait]) -> Option<Vec<&'static str>> {
    fn visit(at: &'static str, waits: &[Wait], path: &mut Vec<&'static str>, done: &mut Vec<&'static str>) -> bool {
        if let Some(start) = path.iter().position(|p| *p == at) {
            path.drain(..start);
            return true;
        }
        if done.contains(&at) {
            return false;
        }
        path.push(at);
        if waits.iter().filter(|w| w.holder == at).any(|w| visit(w.needs, waits, path, done)) {
            return true;
        }
        path.pop();
        done.push(at);
        false
    }
    let mut done = Vec::new();
    waits.iter().find_map(|w| {
        let mut path = Vec::new();
        visit(w.holder, waits, &mut path, &mut done).then_some(path)
    })
}
