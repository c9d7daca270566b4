//! Next-page prefetch: a Translation Request for one page that nobody needs yet.

use crate::Judge;
use crate::versions::When;
use types::port::FunctionCfg;
use types::{Iova, PageSize, PasidPrefix};

impl Judge {
    /// For whom a page may be asked ahead: those who need, or lately needed, the page before it, with the same prefix and
    /// permission, where both lie in the same naturally aligned 2 MiB. Nobody, unless the unit may prefetch. What is asked
    /// ahead leaves last, so that the request it is for may have gone on, or ended, meanwhile.
    pub(crate) fn page_ahead(&self, cfg: &FunctionCfg, page: (Iova, Iova)) -> Vec<(PasidPrefix, bool)> {
        let size = page.1.0 - page.0.0 + 1;
        let before = page.0.0.wrapping_sub(size);
        let same_block = (before ^ page.0.0) >> PageSize::M2.log2() == 0;
        if !self.prefetch || !same_block {
            return Vec::new();
        }
        let open = self.requests.open.values().map(|o| (o, 0, When::Since(o.accepted)));
        let ended = self.requests.ended.iter().map(|o| (o, 0, When::Ever));
        self.needs_of(open.chain(ended), cfg, (Iova(before), Iova(before + (size - 1))))
    }
}
