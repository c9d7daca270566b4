//! Sizes of the unit: one table of named configurations that ties run-time sizes to const generics.

use crate::addr::FunctionId;
use crate::bits::index_bits;
use serde::{Deserialize, Serialize};

/// Replacement policy of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// Least recently used, exact.
    #[default]
    Lru,
    /// Tree pseudo-LRU.
    TreePlru,
    /// First in, first out.
    Fifo,
    /// Uniformly random, from a linear-feedback shift register.
    Random,
}

/// Sizes of one unit. Everything here is fixed at synthesis; run-time state comes over ports.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitCfg {
    /// Width of the data streams in bits: 64, 128, 256 or 512.
    pub data_bits: u32,
    /// PCI functions.
    pub functions: u32,
    /// Streams (QPs whose order is kept).
    pub streams: u32,
    /// Requests each stream may have queued before protection. Power of two.
    pub stream_depth: u32,
    /// MPT entries cached (64 bytes each).
    pub mpt_entries: u32,
    /// Ways of the MPT cache.
    pub mpt_ways: u32,
    /// MPT line fetches in flight.
    pub mpt_fetches: u32,
    /// MTT entries cached (8 bytes each, 8 a line).
    pub mtt_entries: u32,
    /// Ways of the MTT cache.
    pub mtt_ways: u32,
    /// MTT line fetches in flight.
    pub mtt_fetches: u32,
    /// Sets of the base-granule array of the ATC. Power of two.
    pub atc_sets: u32,
    /// Ways of the base-granule array of the ATC.
    pub atc_ways: u32,
    /// Entries of the large-page array of the ATC.
    pub atc_large: u32,
    /// Base-two logarithm of the ATC's base granule in bytes; the STU of every function must equal this less 12.
    pub atc_granule_log2: u32,
    /// Replacement policy of the ATC.
    pub atc_replacement: Replacement,
    /// Translation Requests in flight.
    pub ats_requests: u32,
    /// Consecutive translations asked for by one request, 1 to 16; at most 8 where the Read Completion Boundary is 64 bytes.
    pub ats_entries: u32,
    /// Whether a miss also asks for the page behind the one that missed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ats_prefetch: bool,
    /// Segments parked at a time; [`UnitCfg::slots`] adds those in the pipeline.
    pub parked_segments: u32,
    /// Segments one stream may hold at a time.
    pub stream_slots: u32,
    /// Read tags for data.
    pub read_tags: u32,
    /// Bytes of read buffer reserved by a read request; larger MRRS values are cut to this. Power of two.
    pub read_slot_bytes: u32,
    /// Read buffer slots.
    pub read_slots: u32,
    /// Posted payload buffer of `tlp_tx` in bytes.
    pub posted_buffer_bytes: u32,
    /// Partitions of what functions share: 1 (everything is everybody's), 2 or 4. Function f is in partition f modulo this;
    /// a stream's requests are all of one partition.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub partitions: u32,
    /// Cycles between the beginnings of two invalidations or revocations of one function at least; 0 for no limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub invalidate_interval: u32,
    /// Ranges of coherent regions that the unit compares invalidations with, each with a generation counter of its own;
    /// regions beyond them share that of their function.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub coherent_ranges: u32,
}

// Options that are off are left out of the canonical text, so that the fingerprint of a configuration without them stays.
const fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_one(n: &u32) -> bool {
    *n == 1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A function's share of what functions have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partitions(u32);

impl Partitions {
    /// One partition: everything is everybody's.
    pub const ONE: Self = Self(1);

    /// Partitions there are.
    pub const fn count(self) -> usize {
        self.0 as usize
    }
    /// The partition of a function.
    pub const fn of(self, function: FunctionId) -> usize {
        (function.0 as u32 & (self.0 - 1)) as usize
    }
    /// What a partition may have of `total`.
    pub const fn share(self, total: u32) -> u32 {
        total / self.0
    }
    /// The part of `total` places that is a partition's own: the first one, and how many.
    pub const fn part(self, partition: usize, total: u32) -> (u32, u32) {
        (partition as u32 * (total / self.0), total / self.0)
    }
}

/// Segments in the pipeline between `seg` and the exit of `replay` when nothing waits.
pub const PIPELINE_SLOTS: u32 = 16;
/// Page request groups that may be open at a time.
pub const PAGE_GROUPS: u32 = 16;
/// Times that an access asks for a page which was said to be there, before it ends in an error.
pub const PAGE_ROUNDS: u8 = 3;
/// Data tags that Translation Requests leave where tag numbers are short.
pub const DATA_TAGS: u32 = 8;
/// Slots that `replay` keeps for translations that `dma` looks up again, one an engine.
pub const RETRANSLATE_SLOTS: u32 = 2;

impl UnitCfg {
    /// What each function's share is.
    pub const fn shares(&self) -> Partitions {
        Partitions(self.partitions)
    }
    /// Segment slots: parked ones and those in the pipeline.
    pub const fn slots(&self) -> u32 {
        if self.parked_segments < PIPELINE_SLOTS {
            2 * self.parked_segments
        } else {
            self.parked_segments + PIPELINE_SLOTS
        }
    }
    /// Slots that `seg` hands out; the others are those of [`RETRANSLATE_SLOTS`].
    pub const fn segment_slots(&self) -> u32 {
        self.slots() - RETRANSLATE_SLOTS
    }
    /// Bits of a slot number.
    pub const fn slot_bits(&self) -> u32 {
        index_bits(self.slots())
    }
    /// Bits of a stream number: the unit's streams, and one an engine of `dma` for what it looks up again.
    pub const fn stream_bits(&self) -> u32 {
        index_bits(self.streams + RETRANSLATE_SLOTS)
    }
    /// Bits of a function number.
    pub const fn function_bits(&self) -> u32 {
        index_bits(self.functions)
    }
    /// Bits of a Translation Request's index.
    pub const fn ats_bits(&self) -> u32 {
        index_bits(self.ats_requests)
    }
    /// Bits of a page request group's number.
    pub const fn page_bits(&self) -> u32 {
        index_bits(PAGE_GROUPS)
    }
    /// Bytes in a beat of a data stream.
    pub const fn data_bytes(&self) -> u32 {
        self.data_bits / 8
    }
    /// DWs in a beat of a data stream.
    pub const fn data_dws(&self) -> u32 {
        self.data_bits / 32
    }
    /// Depth of each of the two segment queues at the entry of `dma`.
    pub const fn dma_queue(&self) -> u32 {
        8
    }
    /// Checked requests a stream may hold in `seg`.
    pub const fn seg_depth(&self) -> u32 {
        8
    }

    /// The numbering of read tags: each user has its own range, so that none can starve another. This is the one for
    /// 10-bit tags, where every range is whole; see [`UnitCfg::tags_in`].
    pub const fn tags(&self) -> TagMap {
        self.tags_in(2)
    }

    /// The numbering with 5-bit (`tag_mode` 0), 8-bit (1) or 10-bit tags (2): 32, 256 or 768 numbers.
    ///
    /// Table fetches and the flush come first, the same in every mode. Where numbers are short, data keeps up to
    /// [`DATA_TAGS`], Translation Requests take what is left of theirs, and data the rest; each partition has a tag of both.
    pub const fn tags_in(&self, tag_mode: u8) -> TagMap {
        const fn least(a: u32, b: u32) -> u32 {
            if a < b { a } else { b }
        }
        let numbers = match tag_mode {
            0 => 32,
            1 => 256,
            _ => 768,
        };
        let mpt = 0;
        let mtt = mpt + self.mpt_fetches;
        let flush = mtt + self.mtt_fetches;
        let ats = flush + 1;
        let spare = numbers - least(numbers, ats + least(self.read_tags, DATA_TAGS));
        let data = ats + least(self.ats_requests, if spare < self.partitions { self.partitions } else { spare });
        TagMap { mpt, mtt, flush, ats, data, end: least(data + self.read_tags, numbers) }
    }

    /// The configuration called `name`.
    pub fn named(name: &str) -> Option<Self> {
        NAMED.iter().find(|(n, _)| *n == name).map(|(_, cfg)| cfg.clone())
    }

    /// Checks every size; the error names the field, its value and what is allowed.
    pub fn check(&self) -> Result<(), CfgError> {
        let range = |field, value: u32, low, high| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(CfgError { field, value, allowed: format!("{low} to {high}") })
            }
        };
        let power = |field, value: u32, low: u32, high: u32| {
            if value.is_power_of_two() && (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(CfgError { field, value, allowed: format!("a power of two from {low} to {high}") })
            }
        };
        power("data_bits", self.data_bits, 64, 512)?;
        range("functions", self.functions, 1, 256)?;
        range("streams", self.streams, 1, 62)?;
        power("stream_depth", self.stream_depth, 2, 64)?;
        power("mpt_ways", self.mpt_ways, 1, 8)?;
        power("mpt_entries", self.mpt_entries, self.mpt_ways, 1 << 20)?;
        range("mpt_fetches", self.mpt_fetches, 1, 16)?;
        power("mtt_ways", self.mtt_ways, 1, 8)?;
        power("mtt_entries", self.mtt_entries, 8 * self.mtt_ways, 1 << 24)?;
        range("mtt_fetches", self.mtt_fetches, 1, 16)?;
        power("atc_sets", self.atc_sets, 1, 1 << 16)?;
        range("atc_ways", self.atc_ways, 1, 16)?;
        range("atc_large", self.atc_large, 1, 64)?;
        range("atc_granule_log2", self.atc_granule_log2, 12, 20)?;
        range("ats_requests", self.ats_requests, 1, 128)?;
        range("ats_entries", self.ats_entries, 1, 16)?;
        range("parked_segments", self.parked_segments, 2, 240)?;
        range("stream_slots", self.stream_slots, 1, self.segment_slots())?;
        range("read_tags", self.read_tags, 1, 512)?;
        power("read_slot_bytes", self.read_slot_bytes, 128, 4096)?;
        power("read_slots", self.read_slots, 2, 2048)?;
        power("posted_buffer_bytes", self.posted_buffer_bytes, 512, 1 << 17)?;
        // Each partition has a way of every cache, and a place of everything else.
        let ways = self.mpt_ways.min(self.mtt_ways).min(self.atc_ways).min(self.atc_large);
        let places = self.mpt_fetches.min(self.mtt_fetches).min(self.ats_requests).min(self.read_tags);
        let most = ways.min(places).min(self.functions).min(4);
        power("partitions", self.partitions, 1, if most == 3 { 2 } else { most.min(self.read_slots / 2) })?;
        // With 5-bit tags the flush has a number, and each partition one for Translation Requests and one for data.
        let numbers = 31 - 2 * self.partitions - self.mpt_fetches;
        range("mtt_fetches", self.mtt_fetches, 1, numbers.min(16))?;
        range("invalidate_interval", self.invalidate_interval, 0, 1 << 24)?;
        range("coherent_ranges", self.coherent_ranges, 0, 256)
    }
}

/// A size outside its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} = {value} is not allowed: it must be {allowed}")]
pub struct CfgError {
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: u32,
    /// What is allowed.
    pub allowed: String,
}

/// First tag of each user's range; see [`UnitCfg::tags_in`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagMap {
    /// MPT fetches.
    pub mpt: u32,
    /// MTT fetches.
    pub mtt: u32,
    /// The flush read.
    pub flush: u32,
    /// Translation Requests.
    pub ats: u32,
    /// Data reads.
    pub data: u32,
    /// One past the last.
    pub end: u32,
}

const fn named(data_bits: u32, streams: u32, functions: u32) -> UnitCfg {
    UnitCfg {
        data_bits,
        functions,
        streams,
        stream_depth: 16,
        mpt_entries: 8,
        mpt_ways: 2,
        mpt_fetches: 2,
        mtt_entries: 64,
        mtt_ways: 4,
        mtt_fetches: 4,
        atc_sets: 4,
        atc_ways: 4,
        atc_large: 2,
        atc_granule_log2: 12,
        atc_replacement: Replacement::Lru,
        ats_requests: 2,
        ats_entries: 1,
        ats_prefetch: false,
        parked_segments: 4,
        stream_slots: 4,
        read_tags: 4,
        read_slot_bytes: 512,
        read_slots: 8,
        posted_buffer_bytes: 4096,
        partitions: 1,
        invalidate_interval: 0,
        coherent_ranges: 0,
    }
}

/// The named configurations: export and lockstep exist for these.
pub const NAMED: &[(&str, UnitCfg)] = &[
    (
        "tiny",
        UnitCfg {
            stream_depth: 4,
            atc_ways: 2,
            mtt_ways: 2,
            mtt_fetches: 2,
            mpt_fetches: 1,
            read_slot_bytes: 128,
            posted_buffer_bytes: 512,
            ..named(64, 2, 2)
        },
    ),
    (
        "small",
        UnitCfg {
            mpt_entries: 256,
            mtt_entries: 2048,
            atc_sets: 64,
            atc_large: 16,
            ats_requests: 16,
            parked_segments: 16,
            stream_slots: 24,
            read_tags: 32,
            read_slots: 64,
            ..named(64, 8, 4)
        },
    ),
    (
        "medium",
        UnitCfg {
            mpt_entries: 1024,
            mtt_entries: 8192,
            atc_sets: 256,
            atc_large: 16,
            ats_requests: 32,
            parked_segments: 64,
            stream_slots: 48,
            mtt_fetches: 8,
            read_tags: 128,
            read_slots: 256,
            posted_buffer_bytes: 8192,
            ..named(256, 16, 64)
        },
    ),
    (
        "large",
        UnitCfg {
            mpt_entries: 8192,
            mpt_ways: 4,
            mtt_entries: 65_536,
            atc_sets: 1024,
            atc_large: 32,
            ats_requests: 64,
            parked_segments: 128,
            stream_slots: 96,
            mtt_fetches: 8,
            read_tags: 256,
            read_slots: 512,
            posted_buffer_bytes: 16_384,
            ..named(512, 62, 256)
        },
    ),
];
