//! Planted faults: each makes the unit wrong in one way, and one of the watchers must notice.
//!
//! A fault stands at the pins of a unit that is itself right. It either changes what leaves, or shows the unit something
//! other than what has arrived, so that the unit does in good faith what a unit with that fault inside would do. The
//! surroundings, the judge and the checker always see what is on the pins outside.

mod coherent;
mod early;
mod inbound;
mod outbound;
mod pages;
mod pins;
mod registration;
mod tables;

pub use pins::Faulty;

use serde::{Deserialize, Serialize};

macro_rules! faults {
    ($($(#[doc = $doc:expr])+ $name:ident,)*) => {
        /// A fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Fault { $($(#[doc = $doc])+ $name,)* }

        impl Fault {
            /// Every fault with what it does.
            pub const TABLE: &'static [(Self, &'static str)] = &[$((Self::$name, concat!($($doc),+)),)*];
        }
    };
}

faults! {
    /// Data TLPs leave with AT 00 instead of 10, and with 10 instead of 00.
    WrongAt,
    /// The owner tag of MTT entries is read the wrong way round.
    WrongOwner,
    /// A translated TLP goes to the page that was translated before the last.
    StaleTag,
    /// A region is taken to be one byte longer.
    BoundsOffByOne,
    /// A byte more or less is enabled.
    ByteEnable,
    /// A read takes a tag that is in use.
    TagReuse,
    /// A read that ends at a 4 KiB line goes one DW beyond it.
    CrossesLine,
    /// Payloads are cut to twice Max_Payload_Size.
    PayloadLimit,
    /// Reads are cut to twice Max_Read_Request_Size.
    ReadLimit,
    /// One payload bit of each write is wrong.
    PayloadBit,
    /// One bit of the read data is wrong.
    ReadDataBit,
    /// TLPs leave without their PASID prefix.
    PasidDropped,
    /// No Snoop is set where a translation says N.
    NoSnoop,
    /// Relaxed ordering is set everywhere.
    Relaxed,
    /// Every request is reported as done without error.
    ReportsOk,
    /// Requests that are done are reported with an error.
    ReportsError,
    /// The rights of a region are taken to be all.
    RightsIgnored,
    /// The rights of a page are taken to be all.
    PageRightsIgnored,
    /// The protection domain of a request is not compared.
    DomainIgnored,
    /// Where va + length wraps past 2^64, only the part before the wrap is checked.
    WrapIgnored,
    /// The R and W of a translation are taken to be set.
    TranslationRights,
    /// A translation is used for twice its range.
    TranslationWidened,
    /// The U bit of a translation is not looked at.
    UntranslatedIgnored,
    /// Translated reads leave without having been translated.
    UnaskedTranslation,
    /// Invalidate Requests are answered without effect.
    InvalidationIgnored,
    /// Invalidate Requests take effect on their first 4 KiB alone.
    InvalidationNarrow,
    /// The body of an Invalidate Request is read with its bytes in the wrong order.
    InvalidationReversed,
    /// An Invalidate Request with a PASID takes effect on another one.
    InvalidationPasid,
    /// An Invalidate Request without a PASID leaves the entries without one alone.
    InvalidationNoPasid,
    /// Global Invalidate is not looked at.
    GlobalIgnored,
    /// An Invalidate Request takes effect on another function.
    InvalidationFunction,
    /// Invalidate Requests have no effect while a Translation Request is in flight: its answer is not discarded.
    AnswerKept,
    /// An Invalidate Completion leaves at once, before what it has to wait for.
    CompletionEarly,
    /// Invalidate Completions leave with relaxed ordering, so that they push nothing.
    CompletionRelaxed,
    /// An Invalidate Completion says that there are two copies.
    CompletionCopies,
    /// An Invalidate Completion names another ITag.
    WrongItag,
    /// An Invalidate Request is accepted only while there is a credit to answer it.
    AcceptingWaitsForCredit,
    /// The 17th Invalidate Request is lost.
    LosesInvalidation,
    /// The drain waits for Translation Requests in flight.
    DrainWaitsForTranslation,
    /// ATS Enable is taken to be always set.
    EnableIgnored,
    /// Function-level reset is not seen.
    ResetIgnored,
    /// Completions with an error are not seen.
    ErrorIgnored,
    /// A completion is taken to be the last of its request.
    EarlyEnd,
    /// The tag of a completion is not looked at: it answers the read before.
    CompletionTag,
    /// TLPs are sent without regard to credits.
    CreditsIgnored,
    /// Bus Master Enable is taken to be always set.
    BusMasterIgnored,
    /// Poison is not looked at.
    PoisonIgnored,
    /// No stream flushes where it changes its path.
    PathUnflushed,
    /// Revocations name another region.
    RevocationIgnored,
    /// A revocation is reported without its flush read.
    RevocationUnflushed,
    /// Writes wait for a non-posted credit.
    WritesWaitForReads,
    /// Table fetches wait until no data read is in flight.
    FetchWaitsForReads,
    /// A write is reported as done before it has left.
    DoneBeforeSent,
    /// Page Requests are sent without regard to the function's allocation.
    PageCreditsIgnored,
    /// Page Request Enable is taken to be always set.
    PageEnableIgnored,
    /// Requests that report faults wait instead.
    FaultsNotReported,
    /// Every Page Request names the same group.
    PageGroupStuck,
    /// PRG Responses are not seen.
    PageResponseLost,
    /// Every PRG Response is taken for a success.
    PageResponseTrusted,
    /// The group of a PRG Response is not looked at: it answers the last Page Request.
    PageGroupIgnored,
    /// The drain waits for Page Requests in flight.
    DrainWaitsForPage,
    /// The driver's answer to an event goes to another region.
    ResumeIgnored,
    /// AtomicOp Requester Enable is taken to be always set.
    AtomicEnableIgnored,
    /// The alignment of an atomic is not looked at: it goes to the multiple of its size below.
    AtomicAlignmentIgnored,
    /// One bit of an atomic's operands is wrong.
    OperandBit,
    /// Byte enables of an atomic are set.
    AtomicByteEnables,
    /// A FetchAdd leaves as a Swap.
    AtomicOperation,
    /// PASID Enable is taken to be always set.
    PasidEnableIgnored,
    /// Privileged Mode is not asked for.
    PrivilegedDropped,
    /// Execute is not asked for.
    ExecuteDropped,
    /// The Exe of a translation is taken to be set.
    ExecuteTrusted,
    /// Coherent regions are taken for plain ones: generations of MTT entries are not looked at.
    CoherentIgnored,
    /// A range of coherent addresses is taken to be its first page.
    RangeNarrow,
    /// A region without a range of its own takes that of another one.
    CounterMistaken,
    /// The entry that the driver gets has the generation of its answer, not of its request.
    GenerationLate,
    /// Invalidations wait until no table fetch is in flight.
    InvalidationWaitsForFetch,
    /// A bit of a table line that is written is wrong.
    LineBit,
    /// A registration is reported once its line has left, whatever it takes away.
    RegistrationEarly,
    /// A registration passes the data requests before it in its stream.
    RegistrationFirst,
    /// A registration is passed by a data request behind it in its stream.
    RegistrationLast,
    /// No stream goes on while a registration is not reported.
    StreamsWait,
    /// A region is taken to be 2^40 bytes longer: an MPT line, or an image.
    ParentUnbounded,
    /// Every key that is set aside for work requests may be invalidated by a remote peer.
    RemoteInvalidateUnchecked,
    /// Every valid key is taken to be set aside for work requests.
    KeyStateIgnored,
    /// The layout of an MTT is not looked at: every region has one level.
    LayoutIgnored,
    /// Every page of a region that keeps its entries in its MPT line has the first of them.
    InlineFirst,
    /// Table words that are not present are taken to be.
    PresentIgnored,
    /// A revocation drops the first line of a region's MTT alone.
    RevocationNarrow,
    /// What functions share is not divided between them.
    PartitionsIgnored,
    /// The pages of a request are taken to follow one another: its bus addresses go on from that of its first page.
    ContiguousAssumed,
    /// Tags have 8 bits, whatever the function is configured to.
    TagWidthIgnored,
    /// A read of no bytes leaves as one of the first byte of its DW.
    EmptyReadsByte,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = Self::TABLE.iter().find(|(fault, _)| fault == self).map_or("", |(_, text)| *text);
        f.write_str(text.trim())
    }
}

/// A name that no fault has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault of that name; there are {known}", known = names())]
pub struct UnknownFault;

fn names() -> String {
    Fault::TABLE.iter().map(|(fault, _)| fault.name()).collect::<Vec<_>>().join(", ")
}

impl Fault {
    /// Its name in scenario files.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

/// The name of an enum's value in files.
pub(crate) fn name_of(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(String::from)).unwrap_or_default()
}

impl std::str::FromStr for Fault {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        Self::TABLE.iter().map(|(fault, _)| *fault).find(|fault| fault.name() == name).ok_or(UnknownFault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_name_of_its_own() {
        assert_eq!(Fault::WrongAt.name(), "wrong-at");
        for (fault, _) in Fault::TABLE {
            assert_eq!(fault.name().parse(), Ok(*fault));
        }
        assert!("no-such".parse::<Fault>().is_err_and(|e| e.to_string().contains("wrong-at, wrong-owner")));
    }
}
