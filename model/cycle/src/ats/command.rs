//! Translations that the driver asks for, to fill MTT entries of coherent regions.
//!
//! ```text
//!  translate ─► wanted ─► one of the requests, before misses ─► answer ─► translated (to regs)
//! ```
//!
//! One command is under way at a time. It takes one of the requests of its function's partition, before misses that wait,
//! so that it is never starved, and holds no more than that one. No miss joins it and the ATC keeps nothing of it: the entry
//! that the driver makes of it is what is kept. It is not withdrawn when an invalidation passes, for the generation that the
//! entry gets is that of before the request left.

use super::request::Request;
use super::{Asker, Ats};
use types::port::{AtcKey, AtsMiss, TranslateAnswer, TranslateCommand};
use types::{Iova, Syndrome, TlpAddr};

/// What has become of the command on the port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Command {
    #[default]
    None,
    /// No request was free yet.
    Wanted,
    /// A request for this address is under way, or was.
    Asked(Iova),
}

impl Ats {
    /// Takes note of the command; opens its request where one is free. Returns whether it did.
    pub(super) fn open_command(&mut self, command: &TranslateCommand) -> bool {
        match (self.command, command.valid) {
            (_, false) => self.command = Command::None,
            (Command::None, true) => self.command = Command::Wanted,
            _ => {}
        }
        if self.command != Command::Wanted {
            return false;
        }
        let partition = self.shares.of(command.function);
        let free = self.free().next();
        let index = if self.full(partition) { None } else { free.or_else(|| self.give_way(partition)) };
        let Some(index) = index.or_else(|| self.spent(partition)) else { return false };
        let mut key = AtcKey { function: command.function, pasid: command.pasid, iova: command.iova };
        key.pasid.privileged &= self.function(key.function).pasid_priv_enable;
        self.open(index, &AtsMiss { valid: true, key, write: !command.no_write, ..AtsMiss::default() }, Asker::Command);
        self.command = Command::Asked(command.iova);
        true
    }
}

/// What the driver is told of a request that has ended, which the command has asked for.
pub(super) fn told(request: &Request, command: Command) -> TranslateAnswer {
    let iova = if let Command::Asked(iova) = command { iova } else { request.key.iova };
    let failed = request.received == 0 || !matches!(request.wake.syndrome, Syndrome::OK | Syndrome::TRANSLATION_ACCESS);
    if failed {
        return TranslateAnswer { valid: true, failed, ..TranslateAnswer::default() };
    }
    let entry = &request.entries[0];
    let inside = entry.size.offset_mask().0;
    TranslateAnswer {
        valid: true,
        failed,
        address: TlpAddr(entry.address.0 & !inside | iova.0 & inside),
        size_log2: entry.size.log2(),
        read: entry.read,
        write: entry.write,
        untranslated: entry.untranslated,
    }
}
