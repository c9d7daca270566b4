//! Random regions and requests.

use super::machine::{Machine, machines};
use crate::scenario::Scenario;
use crate::scenario::schema::{Action, Expect, Marker, Operation, RegionSetup, RequestSetup, Step};
use proptest::prelude::*;
use proptest::sample::select;
use types::{Mode, MttLayout, Owner};

/// What requests may be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Every request is allowed, and no two streams touch the same bytes: all must succeed, in the order of issue.
    Orderly,
    /// Anything: missing rights, wrong keys, ranges outside.
    Wild,
}

/// What is drawn for a region.
#[derive(Clone, Debug)]
pub(super) struct RegionDraw {
    pages: u64,
    cut: u64,
    start: Option<i64>,
    page_log2: u32,
    translation_log2: u32,
    memory: Owner,
    mode: Mode,
    rights: &'static str,
    page_rights: &'static str,
    translations: Option<&'static str>,
    coherent: bool,
    layout: Option<MttLayout>,
}

pub(super) fn regions(style: Style) -> impl Strategy<Value = RegionDraw> {
    let all = |wild: &'static [&'static str], tame: &'static [&'static str]| match style {
        Style::Wild => select(wild),
        Style::Orderly => select(tame),
    };
    let rights = all(&["LRWA", "LRW", "LRWA", "R", "W", "L", "A", ""], &["LRWA"]);
    let page_rights = all(&["rw", "rw", "rw", "r", "w"], &["rw"]);
    let same = Just(None).boxed();
    let translations = match style {
        Style::Wild => prop_oneof![3 => same, 1 => select(&["r", "w", "rw", "rwu", ""][..]).prop_map(Some)].boxed(),
        Style::Orderly => prop_oneof![3 => same, 1 => Just(Some("rwu"))].boxed(),
    };
    // Somewhere in the first page, or at the top of the address space.
    let start = prop_oneof![
        3 => Just(None),
        2 => (0..0x3000_i64).prop_map(|n| Some(0x4000_0000_0000 + n)),
        1 => Just(Some(0x7_0000)),
    ];
    let sizes = (select(&[12, 12, 16, 21][..]), select(&[12, 12, 13, 16, 21][..]));
    let modes = select(&[Mode::Inherit, Mode::Inherit, Mode::Direct, Mode::Ats, Mode::Emtt][..]);
    let owner = select(&[Owner::Host, Owner::Gpu][..]);
    // Coherent regions are GPU memory in mode emtt.
    let coherent = prop::bool::weighted(0.2);
    let all_rights = (rights, page_rights, translations, coherent);
    (1..40_u64, 0..4096_u64, start, sizes, owner, modes, all_rights).prop_map(
        |(pages, cut, start, (page_log2, translation_log2), memory, mode, rights)| RegionDraw {
            pages,
            cut,
            start,
            page_log2,
            translation_log2,
            memory: if rights.3 { Owner::Gpu } else { memory },
            mode: if rights.3 { Mode::Emtt } else { mode },
            rights: rights.0,
            page_rights: rights.1,
            translations: rights.2,
            coherent: rights.3,
            // Of no draw of its own, so that a seed still gives the same regions.
            layout: [None, None, Some(MttLayout::Inline), Some(MttLayout::TwoLevel)][cut as usize % 4],
        },
    )
}

impl RegionDraw {
    pub(super) fn setup(&self, index: usize) -> RegionSetup {
        // A bus address in an MTT entry stands for a whole page.
        let translation_log2 = self.translation_log2.max(if self.memory == Owner::Gpu { self.page_log2 } else { 0 });
        RegionSetup {
            start: self.start,
            page_bytes: 1 << self.page_log2,
            translation_bytes: 1 << translation_log2,
            memory: self.memory,
            mode: self.mode,
            rights: self.rights.into(),
            pages: self.page_rights.into(),
            translations: self.translations.map(Into::into),
            coherent: self.coherent,
            layout: self.layout,
            ..RegionSetup::new(&format!("r{index}"), 4096 * self.pages - self.cut)
        }
    }
}

/// What is drawn for a request.
#[derive(Clone, Debug)]
pub(super) struct RequestDraw {
    region: prop::sample::Index,
    write: bool,
    stream: u16,
    /// Place in the region in 4 KiB lines, and from the line.
    line: prop::sample::Index,
    from_line: i64,
    bytes: u32,
    local: bool,
    /// What is wrong with it, in one of many.
    twist: u8,
    pub(super) pause: u64,
    /// An atomic instead, of the smallest operand size or one of the larger ones.
    atomic: Option<(Operation, usize)>,
}

pub(super) fn requests() -> impl Strategy<Value = RequestDraw> {
    let bytes = prop_oneof![
        6 => 0..300_u32,
        2 => select(&[127, 128, 129, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097][..]),
        2 => 0..9000_u32,
        1 => 0..=65536_u32,
    ];
    // Every offset around a line, and anywhere.
    let from_line = prop_oneof![2 => -12..12_i64, 1 => 0..4096_i64];
    let pause = prop_oneof![4 => Just(0), 1 => 0..400_u64];
    let atomics = select(&[Operation::FetchAdd, Operation::Swap, Operation::Cas][..]);
    let atomic = prop::option::weighted(0.2, (atomics, 0..3_usize));
    (
        any::<prop::sample::Index>(),
        any::<bool>(),
        0..8_u16,
        any::<prop::sample::Index>(),
        from_line,
        bytes,
        any::<bool>(),
        0..32_u8,
        (pause, atomic),
    )
        .prop_map(|(region, write, stream, line, from_line, bytes, local, twist, (pause, atomic))| RequestDraw {
            region,
            write,
            stream,
            line,
            from_line,
            bytes,
            local,
            twist,
            pause,
            atomic,
        })
}

/// An atomic on the operand at or below `offset` of a region, if the region holds it.
fn make_atomic(setup: &mut RequestSetup, (op, size): (Operation, usize), region: &RegionSetup) {
    let sizes = op.op().operand_sizes();
    let bytes = i64::from(sizes[size.min(sizes.len() - 1)]);
    // A region that the driver places starts at a page.
    let start = region.start.unwrap_or(0);
    let offset = (start + setup.offset) / bytes * bytes - start;
    if offset >= 0 && offset + bytes <= region.bytes as i64 {
        (setup.op, setup.offset, setup.bytes) = (op, offset, bytes as u32);
    }
}

impl RequestDraw {
    pub(super) fn step(&self, style: Style, regions: &[RegionSetup], streams: u16, cycle: u64) -> Step {
        let index = self.region.index(regions.len());
        let region = &regions[index];
        let lines = region.bytes.div_ceil(4096) as usize;
        let offset = 4096 * self.line.index(lines) as i64 + self.from_line;
        let mut setup = RequestSetup {
            region: region.name.clone(),
            op: if self.write { Operation::Write } else { Operation::Read },
            stream: self.stream % streams,
            offset,
            bytes: self.bytes,
            count: 1,
            local: self.local,
            ..RequestSetup::default()
        };
        if style == Style::Orderly || self.twist > 6 {
            let bytes = region.bytes as i64;
            setup.offset = offset.clamp(0, bytes - 1);
            setup.bytes = setup.bytes.min((bytes - setup.offset) as u32);
        } else {
            match self.twist {
                0 => setup.key_xor = 1,
                1 => setup.key_xor = 0x2000,
                2 => setup.pd_xor = 0x10,
                // One byte beyond the end.
                3 => setup.offset = region.bytes as i64 - i64::from(self.bytes) + 1,
                4 => setup.function = Some(1),
                // An alignment that no atomic has, mostly, or a size.
                5 => {
                    setup.op = self.atomic.map_or(Operation::Swap, |(op, _)| op);
                    setup.bytes = if self.bytes.is_multiple_of(4) { self.bytes } else { 8 };
                }
                _ => {}
            }
        }
        if (style == Style::Orderly || self.twist > 6)
            && let Some(atomic) = self.atomic
        {
            make_atomic(&mut setup, atomic, region);
        }
        if style == Style::Orderly {
            // A region belongs to one stream.
            setup.stream = index as u16 % streams;
        }
        Step { when: Marker::at(cycle), ..Step::of(Action::Request(setup)) }
    }
}

/// Random machines with random tables and requests.
pub fn scenarios(style: Style) -> impl Strategy<Value = Scenario> {
    let mode = select(&[Mode::Direct, Mode::Ats, Mode::Emtt][..]);
    let regions = prop::collection::vec(regions(style), 1..4);
    let requests = prop::collection::vec(requests(), 1..24);
    (machines(mode), regions, requests)
        .prop_map(move |(machine, regions, requests)| assemble(style, machine, &regions, &requests))
}

fn assemble(style: Style, mut machine: Machine, regions: &[RegionDraw], requests: &[RequestDraw]) -> Scenario {
    let streams = if machine.get("unit.configuration").and_then(|v| v.as_str()) == Some("tiny") { 2 } else { 8 };
    machine.insert("function.atomic_requests".into(), true.into());
    if style != Style::Orderly {
        // A foreign function on a stream would be of another partition.
        machine.remove("unit.sizes.partitions");
    }
    let regions: Vec<RegionSetup> = regions.iter().enumerate().map(|(i, r)| r.setup(i)).collect();
    let mut cycle = 0;
    let steps = requests.iter().map(|request| {
        cycle += request.pause;
        request.step(style, &regions, streams, cycle)
    });
    Scenario {
        title: "random requests".into(),
        bound: BOUND,
        steps: steps.collect(),
        machine,
        regions,
        expect: Expect { all_ok: style == Style::Orderly, ..Expect::default() },
        ..Scenario::default()
    }
}

/// Cycles within which 24 requests of at most 64 KiB end on the slowest machine drawn: one posted header at a time is a TLP
/// of at least 128 bytes per round trip of credits of about 3 µs, so 24 × 512 × 750 cycles; with margin for stalls.
pub(super) const BOUND: u64 = 15_000_000;
