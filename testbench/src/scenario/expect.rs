//! What a scenario file says must be seen.

use super::schema::Marker;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use system::fabric::TlpKind;

/// What must be seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The run itself is wrong, and this watcher has to find it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_by: Option<String>,
    /// Every request succeeds, and so the order of the TLPs is known beforehand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_ok: bool,
    /// Outcomes that the requests of a step may have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub outcome: BTreeMap<String, Vec<String>>,
    /// How often a kind of TLP is seen at the unit's edge: `[least, most]`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tlps: BTreeMap<TlpKind, [u64; 2]>,
    /// Counters of unit and fabric at the end: `[least, most]`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counter: BTreeMap<String, [u64; 2]>,
    /// What comes before what.
    #[serde(default, rename = "order", skip_serializing_if = "Vec::is_empty")]
    pub orders: Vec<Order>,
    /// Bytes of dropped writes and unanswered requests are part of the story: data is not compared at the far end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses_data: bool,
}

impl Expect {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One point comes before another; both must come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// This one
    pub first: Marker,
    /// before this one.
    pub then: Marker,
}
