//! Versions of a mapping: which were in force, since when, and until which removal was reported.

/// Position of an event in the trace.
pub(crate) type Serial = u64;

/// Which versions are meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// Those in force now: what a TLP may use.
    Now,
    /// Those in force at any time since an event: what may explain the outcome of a request accepted then.
    Since(Serial),
    /// All that are remembered: to tell a stale mapping from a wrong one.
    Ever,
}

#[derive(Clone, Debug)]
struct Version<T> {
    value: T,
    made: Serial,
    superseded: Option<Serial>,
    retired: Option<Serial>,
}

/// The versions of one thing, oldest first. A version stays in force until it has been superseded *and* a removal that
/// started after that has been reported.
#[derive(Clone, Debug)]
pub(crate) struct Versions<T>(Vec<Version<T>>);

/// Retired versions beyond this number are forgotten once no open request can have seen them.
const REMEMBERED: usize = 8;

impl<T> Default for Versions<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Versions<T> {
    /// The newest version.
    pub(crate) fn current(&self) -> Option<&T> {
        self.0.last().map(|v| &v.value)
    }

    /// A new version; the older ones stay in force.
    pub(crate) fn push(&mut self, value: T, now: Serial) {
        if self.current() == Some(&value) {
            return;
        }
        if let Some(last) = self.0.last_mut() {
            last.superseded = Some(now);
        }
        self.0.push(Version { value, made: now, superseded: None, retired: None });
    }

    /// Takes out of force what had been superseded when the removal started; `oldest` is the oldest open request.
    pub(crate) fn retire(&mut self, started: Serial, now: Serial, oldest: Serial) {
        for v in &mut self.0 {
            if v.retired.is_none() && v.superseded.is_some_and(|s| s <= started) {
                v.retired = Some(now);
            }
        }
        if self.0.len() > REMEMBERED {
            self.0.retain(|v| v.retired.is_none_or(|r| r > oldest));
        }
    }

    /// The versions in force at `when`, newest first.
    pub(crate) fn seen(&self, when: When) -> impl Iterator<Item = &T> {
        self.0.iter().rev().filter(move |v| v.in_force(when)).map(|v| &v.value)
    }

    /// The same without those that were superseded by `from`, or made at `until` or later.
    pub(crate) fn seen_between(&self, when: When, from: Serial, until: Serial) -> impl Iterator<Item = &T> {
        let inside = move |v: &&Version<T>| v.made < until && v.superseded.is_none_or(|s| s > from);
        self.0.iter().rev().filter(move |v| v.in_force(when)).filter(inside).map(|v| &v.value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Version<T> {
    fn in_force(&self, when: When) -> bool {
        match (when, self.retired) {
            (When::Ever, _) | (_, None) => true,
            (When::Since(serial), Some(retired)) => retired > serial,
            (When::Now, Some(_)) => false,
        }
    }
}
