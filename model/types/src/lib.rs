//! Plain types shared by every view of the translation unit: addresses, rights, syndromes, tables, ports, TLPs, events.
//!
//! Nothing here models anything. Layouts have fixed vectors in `tests/`.

pub mod access;
pub mod addr;
pub mod ats;
pub mod bits;
pub mod config;
pub mod event;
pub mod layout;
pub mod port;
pub mod ports;
pub mod pri;
pub mod registration;
pub mod table;
pub mod tlp;

pub use access::{AddressType, Mode, Op, Owner, PasidPrefix, Rights, Syndrome};
pub use addr::{
    BusAddr, ByteCount, FunctionId, Iova, Key, Length, Offset, PageSize, Pasid, Pd, RequesterId, Slot, StreamId, Tag,
    TlpAddr, Va, WrId,
};
pub use config::{Replacement, UnitCfg};
pub use event::Event;
pub use layout::{EntryWords, MttLayout};
pub use ports::{Block, BlockDut, Cycle, Dut, Field, Ports};
pub use registration::FastPath;
pub use table::{Line, MttEntry, PageIndex, Region, TableWord};
pub use tlp::{Header, Tlp};
