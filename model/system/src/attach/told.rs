//! What is told of a run: events of the driver.

use super::revoke::News;
use super::{coherent, page_events};
use crate::driver::registers::{self, Access};
use types::Event;

/// What an observer is told of a register access that has ended.
pub(super) fn told(
    access: &Access,
    news: Option<News>,
    events: Option<page_events::News>,
    filling: Option<coherent::News>,
    mut tell: impl FnMut(&Event<'_>),
) {
    match filling {
        Some(coherent::News::Asked { function, pasid, iova, no_write }) => {
            tell(&Event::TranslationAsked { function, pasid, iova, no_write });
        }
        Some(coherent::News::Filled { key, page, entry }) => tell(&Event::PageMapped { key, page, entry }),
        None => {}
    }
    match news {
        Some(News::Started(key, flush)) => tell(&Event::RevocationStarted { key, flush }),
        Some(News::Reported(key)) => tell(&Event::RevocationReported { key }),
        None => {}
    }
    match events {
        Some(page_events::News::Enabled(on)) => tell(&Event::PageEvents(on)),
        Some(page_events::News::Answered { index, refuse }) => tell(&Event::PageEventAnswered { index, refuse }),
        Some(page_events::News::CommandDone | page_events::News::Stale(_)) | None => {}
    }
    if let Access::Write { offset: registers::CONTROL, value } = access {
        tell(&Event::DefaultMode(types::Mode::from_bits((value >> 1) as u8)));
    }
}
