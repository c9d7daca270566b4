//! What a function may ask for: its configuration, and what becomes of requests that it may not send any more.

use super::{Ats, State};
use types::Syndrome;
use types::port::{AtcKey, FunctionCfg};

/// Why a function may not ask for a translation, if it may not.
pub(super) fn refuses(function: &FunctionCfg, key: &AtcKey) -> Option<Syndrome> {
    match function {
        FunctionCfg { bus_master: false, .. } => Some(Syndrome::BUS_MASTER_OFF),
        FunctionCfg { ats_enable: false, .. } => Some(Syndrome::ATS_OFF),
        FunctionCfg { pasid_enable: false, .. } if key.pasid.valid => Some(Syndrome::PASID_OFF),
        _ => None,
    }
}

impl Ats {
    pub(super) fn configure(&mut self, cfg: &FunctionCfg) {
        let Some(function) = self.functions.get_mut(usize::from(cfg.function.0)).filter(|_| cfg.valid) else { return };
        // Implicit flush: Enable 0→1 and function-level reset, not 1→0 (10.3.7).
        if cfg.reset || cfg.ats_enable && !function.ats_enable {
            self.invalidations.flush(cfg.function);
        }
        self.lives.configure(cfg);
        self.pages.configure(function, cfg);
        *function = *cfg;
        self.silence(cfg);
        self.silence_flush(cfg);
        if cfg.function.0 == 0 {
            self.usable = self.tags[usize::from(cfg.tag_mode.min(2))];
        }
    }

    /// What a function has not sent and may not send any more, or asked for before a reset, ends.
    fn silence(&mut self, cfg: &FunctionCfg) {
        for index in 0..self.requests.len() {
            let request = &self.requests[index];
            let refused = if cfg.reset { Some(Syndrome::BUS_MASTER_OFF) } else { refuses(cfg, &request.key) };
            if request.state == State::ToSend
                && request.key.function == cfg.function
                && let Some(syndrome) = refused
            {
                self.to_send.retain(|i| usize::from(*i) != index);
                self.prefetch.withdraw(index);
                self.answer(index, syndrome, (true, true));
            }
        }
    }
}
