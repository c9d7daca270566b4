//! What steps that register and invalidate must keep.

use super::check::{Outcome, Rules, broken, letters, one_of, range};
use super::schema::Action;
use types::Mode;

impl Rules<'_> {
    /// A step that registers or invalidates.
    pub(super) fn registration(&self, key: &str, action: &Action) -> Outcome {
        match action {
            Action::FastRegister(r) => {
                let key = format!("{key}.do.fast-register");
                let regions = self.scenario.regions.iter().filter(|r| r.work_requests.contains('r'));
                let names = regions.map(|r| r.name.as_str());
                one_of(format!("{key}.region"), &r.region, "a region with \"r\" in work_requests", names)?;
                self.stream(format!("{key}.stream"), r.stream)?;
                letters(format!("{key}.rights"), r.rights.as_deref().unwrap_or_default(), "LRWA")?;
                let own = self.scenario.regions.iter().find(|region| region.name == r.region);
                range(format!("{key}.bytes"), r.bytes.unwrap_or(1), 1, own.map_or(1, |r| r.bytes))?;
                let spoil = r.spoil.unwrap_or_default();
                range(format!("{key}.spoil.word"), spoil.word as u64, 0, 7)?;
                range(format!("{key}.spoil.bit"), spoil.bit.into(), 0, 63)?;
                let mode = own.map(|region| region.mode.or(self.cfg.unit.mode));
                if r.moved && mode == Some(Mode::Ats) {
                    return broken(format!("{key}.moved"), true, "must be a region that is not in mode ats");
                }
                self.function_number(format!("{key}.function"), r.function.unwrap_or(0))
            }
            Action::Bind(b) => {
                let key = format!("{key}.do.bind");
                let windows = self.scenario.windows.iter().map(|w| w.name.as_str());
                one_of(format!("{key}.window"), &b.window, "a window", windows)?;
                self.region(format!("{key}.region"), &b.region)?;
                self.stream(format!("{key}.stream"), b.stream)?;
                letters(format!("{key}.rights"), &b.rights, "LRWA")
            }
            Action::LocalInvalidate(k) | Action::RemoteInvalidate(k) => {
                let name = if matches!(action, Action::LocalInvalidate(_)) { "local" } else { "remote" };
                let key = format!("{key}.do.{name}-invalidate");
                self.place(format!("{key}.region"), &k.region)?;
                self.stream(format!("{key}.stream"), k.stream)?;
                self.function_number(format!("{key}.function"), k.function.unwrap_or(0))
            }
            _ => Ok(()),
        }
    }
}
