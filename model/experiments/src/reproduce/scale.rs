//! What Stellar leaves open: when does eMTT's own table cache overflow, and who wins then?

use super::measure::{Random, count, fill, messages, random};
use super::picture::{Corner, Line, Panel, Scale, draw};
use super::report::{Check, Grid, Judge, Report};
use super::{Context, Experiment, ReproduceError, clock_and_width};
use crate::size_label;
use types::Op;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "scale",
    question: "at how much registered memory and how many regions does eMTT's table cache overflow, and who wins then?",
    presets: &["stellar-ats-4k", "stellar-emtt"],
    run,
};

/// Label, preset, what is set over it.
const MODES: [(&str, &str, &[&str]); 4] = [
    ("ATS", "stellar-ats-4k", &[]),
    ("ATS, next-page prefetch", "stellar-ats-4k", &["unit.sizes.ats_prefetch=true"]),
    ("eMTT", "stellar-emtt", &[]),
    (
        "eMTT, coherent",
        "stellar-emtt",
        // Asking for every page of a terabyte would take longer than the run.
        &["region.coherent=true", "unit.sizes.coherent_ranges=64", "driver.fills_at_once=true"],
    ),
];
const EMTT: usize = 2;
const COHERENT: usize = 3;
/// Messages that run through memory in order, far beyond the ATC's reach.
const STREAM: u64 = 16 << 20;
const PAGES: [u64; 3] = [4 << 10, 64 << 10, 2 << 20];
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Bytes of a write: one packet.
const BYTES: u32 = 1024;

/// A point: mode, page size, regions, bytes of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Case {
    mode: usize,
    page: u64,
    regions: u64,
    length: u64,
}

/// What a point gave.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    gbps: f64,
    mtt: f64,
    mpt: f64,
    asked: f64,
}

fn run(context: &Context) -> Result<Report, ReproduceError> {
    let totals = context
        .pick(vec![16 * MIB, 4 * GIB], vec![MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB, 8 * GIB, 64 * GIB, 1024 * GIB]);
    let counts: Vec<u64> = context.pick(vec![64], vec![64, 4096, 8192, 16_384, 65_536]);
    let pages = context.pick(&PAGES[..1], &PAGES[..]);
    let mut cases = Vec::new();
    for mode in 0..MODES.len() {
        for page in pages {
            // Registered in up to 16 regions, of whole pages.
            let case = |total: &u64| {
                let regions = (total / page).clamp(1, 16);
                Case { mode, page: *page, regions, length: (total / regions).max(*page) }
            };
            cases.extend(totals.iter().map(case));
        }
        // Many regions of one page.
        cases.extend(counts.iter().map(|regions| Case { mode, page: 2 * MIB, regions: *regions, length: 2 * MIB }));
    }
    cases.dedup();
    let accesses = context.pick((12_000, 2000), (40_000, 6000));
    let outcomes = context.each(&cases, |c| c.regions, |case| one(context, case, accesses))?;
    let find = |case: Case| cases.iter().position(|c| *c == case).map(|i| outcomes[i]);
    let by_size = |mode: usize, page: u64| -> Vec<(u64, Outcome)> {
        let of = |(c, o): (&Case, &Outcome)| {
            (c.mode == mode && c.page == page && c.regions <= 16).then_some((c.regions * c.length, *o))
        };
        cases.iter().zip(&outcomes).filter_map(of).collect()
    };
    let by_count = |mode: usize| -> Vec<(u64, Outcome)> {
        let of = |r: &u64| Some((*r, find(Case { mode, page: 2 * MIB, regions: *r, length: 2 * MIB })?));
        counts.iter().filter_map(of).collect()
    };
    let cfg = context.config(MODES[EMTT].1, &[])?;
    let mut report = Report { clock: clock_and_width(&cfg), ..Report::default() };
    for page in pages {
        report.grids.push(grid(
            &format!("Random {BYTES}-byte writes, pages of {}, over registered memory:", size_label(*page)),
            "registered",
            &modes().map(|m| by_size(m, *page)),
            size,
        ));
    }
    report.grids.push(grid(
        "The same over the number of regions, each one page of 2 MiB, in 64 functions:",
        "regions",
        &modes().map(by_count),
        |n| n.to_string(),
    ));
    report.grids.push(streamed(context)?);
    report.grids.push(filled(context)?);
    // 65 536 entries of 4 KiB are 256 MiB: no misses well below, many well above.
    let reach = u64::from(cfg.unit.sizes.mtt_entries) * PAGES[0];
    let small = by_size(EMTT, PAGES[0]);
    for (total, o) in &small {
        if *total <= reach / 4 {
            let what = format!("eMTT, 4 KiB pages, {}: MTT fetches a write", size(*total));
            report.checks.push(Check::control(&what, "fetches", 0.01, Judge::AtMost, o.mtt));
        } else if *total >= 4 * reach {
            // Of random places, the share beyond the cache's reach misses; a twentieth for what is asked twice.
            let beyond = 1.0 - reach as f64 / *total as f64;
            let what = format!("eMTT, 4 KiB pages, {}: MTT fetches a write", size(*total));
            report.checks.push(Check::control(&what, "fetches", beyond, Judge::Within(0.05), o.mtt));
        }
    }
    let of_emtt = |case: &Case| find(Case { mode: EMTT, ..*case });
    let coherent = cases.iter().zip(&outcomes).filter(|(case, _)| case.mode == COHERENT);
    let apart = coherent.filter_map(|(case, o)| Some((o.gbps / of_emtt(case)?.gbps - 1.0).abs()));
    let what = "coherent eMTT, every point of the tables: distance from eMTT";
    report.checks.push(Check::control(what, "of it", 0.01, Judge::AtMost, apart.fold(0.0, f64::max)));
    answer(&mut report, pages, &by_size);
    report.notes.push(
        "The unit has 256 functions at most; 64 K functions differ from 64 by their regions, which is what is swept. The \
         entries of the coherent regions are in the tables from the beginning, as if each had been asked for."
            .into(),
    );
    let panel = |title: String, x, lists: [Vec<(u64, Outcome)>; 4]| Panel {
        title,
        x,
        y: "bandwidth [Gb/s]",
        lines: MODES
            .iter()
            .zip(lists)
            .map(|((name, ..), list)| Line {
                label: (*name).into(),
                points: list.iter().map(|(x, o)| (*x as f64, o.gbps)).collect(),
            })
            .collect(),
        marks: Vec::new(),
        legend: Corner::UpperRight,
    };
    let mut panels: Vec<Panel> = pages
        .iter()
        .map(|p| {
            let title = format!("pages of {}", size_label(*p));
            panel(title, ("registered memory", Scale::Bytes), modes().map(|m| by_size(m, *p)))
        })
        .collect();
    panels.push(panel("regions of 2 MiB".into(), ("regions", Scale::Doubling), modes().map(by_count)));
    let subtitle = format!("model of the unit: {}", report.clock);
    report.pictures.push(draw("scale", "Random 1 KiB writes to GPU memory", &subtitle, &panels)?);
    Ok(report)
}

/// Indices of the modes.
fn modes() -> [usize; 4] {
    [0, 1, EMTT, COHERENT]
}

/// Messages in order: what prefetch is for.
fn streamed(context: &Context) -> Result<Grid, ReproduceError> {
    let bytes = context.pick(STREAM / 4, STREAM);
    let rows = context.each(
        &modes(),
        |_| 1,
        |mode| {
            let (name, preset, sets) = MODES[*mode];
            let sets: Vec<String> = sets.iter().map(|s| (*s).into()).collect();
            let m = messages(context, preset, &sets, bytes, 1)?;
            let asked = count(&m.measured, "agent.answered") / (bytes as f64 / 4096.0);
            Ok(vec![name.to_string(), format!("{:.1}", m.bw_average_gbps), format!("{asked:.2}")])
        },
    )?;
    let columns = ["mode", "Gb/s", "asked a page"].map(String::from).to_vec();
    Ok(Grid { title: format!("Messages of {} instead, in order, at the line's rate:", size(bytes)), columns, rows })
}

/// What the unit's own asking for every page takes, at registration.
fn filled(context: &Context) -> Result<Grid, ReproduceError> {
    let sizes = context.pick(vec![MIB], vec![MIB, 4 * MIB, 16 * MIB]);
    let rows = context.each(
        &sizes,
        |bytes| *bytes,
        |bytes| {
            let sets = ["region.coherent=true", "unit.sizes.coherent_ranges=64"].map(String::from);
            let cfg = context.config(MODES[EMTT].1, &[&sets[..], &["region.page_bytes=4096".into()]].concat())?;
            let (entries, ns) = fill(&cfg, *bytes)?;
            let per = ns / entries;
            Ok(vec![size(*bytes), format!("{entries:.0}"), format!("{:.0}", ns / 1e3), format!("{per:.0}")])
        },
    )?;
    let columns = ["registered", "entries", "µs", "ns an entry"].map(String::from).to_vec();
    Ok(Grid { title: "Filling a coherent region of 4 KiB pages, one entry at a time:".into(), columns, rows })
}

fn size(bytes: u64) -> String {
    if bytes >= 1024 * GIB { format!("{} TiB", bytes >> 40) } else { size_label(bytes) }
}

fn one(context: &Context, case: &Case, accesses: (u64, u64)) -> Result<Outcome, ReproduceError> {
    let mut sets: Vec<String> = MODES[case.mode].2.iter().map(|s| (*s).into()).collect();
    sets.extend([
        format!("region.page_bytes={}", case.page),
        format!("region.translation_bytes={}", case.page),
        "function.smallest_translation_unit_bytes=4096".into(),
        "unit.sizes.atc_granule_log2=12".into(),
        "traffic.qps=60".into(),
        "traffic.queue_depth=4".into(),
    ]);
    let cfg = context.config(MODES[case.mode].1, &sets)?;
    let spec = Random {
        regions: (case.regions, case.length),
        functions: case.regions.min(64) as u16,
        bytes: BYTES,
        align: u64::from(BYTES),
        op: Op::WRITE,
        accesses,
    };
    let m = random(&cfg, &spec)?;
    let per = |key| count(&m.counters, key) / m.accesses;
    Ok(Outcome {
        gbps: 8e-3 * m.rate * f64::from(BYTES),
        mtt: per("mtt.fetch"),
        mpt: per("mpt.fetch"),
        asked: per("agent.answered"),
    })
}

fn grid(title: &str, first: &str, lists: &[Vec<(u64, Outcome)>; 4], label: impl Fn(u64) -> String) -> Grid {
    let row = |i: usize| {
        let [(x, a), (_, p), (_, e), (_, c)] = modes().map(|m| lists[m][i]);
        let ats = a.gbps.max(p.gbps);
        vec![
            label(x),
            format!("{:.1}", a.gbps),
            format!("{:.2}", a.asked),
            format!("{:.1}", p.gbps),
            format!("{:.2}", p.asked),
            format!("{:.1}", e.gbps),
            format!("{:.2}", e.mtt),
            format!("{:.2}", e.mpt),
            format!("{:.1}", c.gbps),
            if e.gbps > 1.02 * ats {
                "eMTT"
            } else if ats > 1.02 * e.gbps {
                "ATS"
            } else {
                "even"
            }
            .into(),
        ]
    };
    let columns = [first, "ATS: Gb/s", "asked a write", "prefetch: Gb/s", "asked"];
    let columns = columns.into_iter().chain(["eMTT: Gb/s", "MTT fetches", "MPT fetches", "coherent: Gb/s", "wins"]);
    let rows = (0..lists[EMTT].len()).map(row).collect();
    Grid { title: title.into(), columns: columns.map(String::from).collect(), rows }
}

fn answer(report: &mut Report, pages: &[u64], by_size: &dyn Fn(usize, u64) -> Vec<(u64, Outcome)>) {
    for page in pages {
        let (ats, emtt) = (by_size(0, *page), by_size(EMTT, *page));
        let (Some(first), Some(last)) = (emtt.first(), emtt.last()) else { continue };
        // Overflow: one write in ten misses the MTT cache.
        let over = emtt.iter().find(|(_, o)| o.mtt > 0.1).map_or("never here".into(), |(t, _)| size(*t));
        report.answer.push(format!(
            "With pages of {} eMTT's table cache overflows at: {over}; it carries {:.0} Gb/s with {} and {:.0} with {}, ATS \
             {:.0}.",
            size_label(*page),
            first.1.gbps,
            size(first.0),
            last.1.gbps,
            size(last.0),
            ats.last().map_or(0.0, |(_, o)| o.gbps),
        ));
    }
}
