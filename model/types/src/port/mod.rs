//! The `ports!` tables: groups that blocks share, one module for the blocks of each part of the unit, and the unit itself.
//!
//! A group's payload is zero while its `valid` is low.

mod back;
mod beat;
mod between;
mod coherent;
mod edge;
mod front;
mod operands;
mod page;
mod register;
mod translate;
mod unit;

pub use back::{
    CplBeat, DmaIn, DmaOut, PostedBeat, RegsIn, RegsOut, TlpDescriptor, TlpRxIn, TlpRxOut, TlpTxIn, TlpTxOut,
};
pub use beat::Beat;
pub use between::{
    Asked, CheckedRequest, EpochNote, FlushDone, FlushNote, LineFill, LineRequest, MappedSegment, ReleasedSegment,
    Retranslate, Retranslated, Revocation, RevokeLines, Segment, SegmentTag, SlotNote, StreamNote, TableControl,
    WriteSent,
};
pub use coherent::{CoherentPage, CoherentRange, StaleNote, TranslateAnswer, TranslateCommand};
pub use edge::{
    Completion, Credits, FunctionCfg, MessageTlp, ReadData, TlpBeat, WorkRequest, WriteData, WriteDataRequest,
};
pub use front::{MptIn, MptOut, MttIn, MttOut, SegIn, SegOut};
pub use operands::Operands;
pub use page::{PageAnswer, PageEvent, PageMiss, PageResume, PageWake};
pub use register::LineWrite;
pub use translate::{
    AtcFill, AtcIn, AtcInvalidate, AtcKey, AtcLookup, AtcOut, AtcResult, AtsIn, AtsMiss, AtsOut, AtsWake, ReplayIn,
    ReplayOut,
};
pub use unit::{StatBus, StatSource, UnitIn, UnitOut, stat_sources, stat_width};
