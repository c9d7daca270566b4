//! What has to be said beside the numbers.

use crate::model::Model;
use crate::points::Point;
use crate::published::compare;
use crate::row::Row;
use crate::sizes::size_label;
use std::fmt::Write;
use system::config::EvidenceClass;
use types::Mode;

/// The remarks under the table: clock and width, what the drop needs, what is fitted and what was only compared, and that
/// the translation table is not the cause of a drop.
pub fn remarks(models: &[Model], points: &[Point], rows: &[Row]) -> String {
    let mut out = String::new();
    for (config, model) in models.iter().enumerate() {
        let of_model = points.iter().zip(rows).filter(|(p, _)| p.config == config).map(|(_, row)| row);
        about(&mut out, model, of_model);
    }
    if models.iter().any(|m| m.mode() == Mode::Ats) {
        out += "\nThe drop of an ATS curve needs exposed misses: a miss costs bandwidth only while too few others are in\n\
                flight to cover it. N translations of 4 KiB in flight at 1 us each carry N x 32.8 Gb/s.\n";
    }
    out
}

fn about<'a>(out: &mut String, model: &Model, rows: impl Iterator<Item = &'a Row> + Clone) {
    let config = model.config();
    let _ = writeln!(
        out,
        "{} ({}): {}, seed {}, configuration {}",
        model.source(),
        model.mode(),
        model.clock_and_width(),
        config.seed,
        model.config_hash()
    );
    let average = |row: &&Row| row.bw_average_gbps;
    let low = rows.clone().min_by(|a, b| average(a).total_cmp(&average(b)));
    let high = rows.clone().max_by(|a, b| average(a).total_cmp(&average(b)));
    if let (Some(low), Some(high)) = (low, high) {
        let misses: u64 = rows.clone().map(|row| row.mtt_misses).sum();
        let _ = writeln!(
            out,
            "  {:.1} Gb/s at {} to {:.1} Gb/s at {}; {misses} MTT misses after the first pass",
            low.bw_average_gbps,
            size_label(low.bytes),
            high.bw_average_gbps,
            size_label(high.bytes)
        );
    }
    if config.traffic.op.sizes().is_some() {
        rows.clone().for_each(|row| closed_loop(out, model, row));
    }
    published(out, model, rows);
    for warning in config.warnings() {
        let _ = writeln!(out, "  warning: {warning}");
    }
}

/// Latency of atomics in a closed loop: those open at a time over those done in a time (Little).
fn closed_loop(out: &mut String, model: &Model, row: &Row) {
    let config = model.config();
    let depth = config.traffic.queue_depth.min(config.unit.sizes.stream_depth);
    let open = f64::from(config.traffic.qps * depth);
    let _ = writeln!(
        out,
        "  closed loop at {}: {open} open, {:.2} million a second, {:.0} ns each",
        size_label(row.bytes),
        row.msg_rate_mpps,
        1e3 * open / row.msg_rate_mpps
    );
}

/// How the rows meet the published figures: those that values were fitted to apart from those that they were not.
fn published<'a>(out: &mut String, model: &Model, rows: impl Iterator<Item = &'a Row> + Clone) {
    let compared = compare(model, rows);
    for (fitted, role) in [(true, "fitted to them: calibration, no prediction"), (false, "not fitted to them: a test")]
    {
        let of_role = || compared.iter().filter(|c| c.published.fitted == fitted);
        let (all, met) = (of_role().count(), of_role().filter(|c| c.met()).count());
        if all == 0 {
            continue;
        }
        let _ = writeln!(out, "  {met} of {all} published figures met within their tolerance ({role})");
        for c in of_role().filter(|c| !c.met()) {
            let (size, percent) = (size_label(c.published.bytes), 100.0 * c.off());
            let _ = writeln!(out, "  not met at {size}: {:.1} Gb/s, {percent:+.1} % off {}", c.gbps, c.published.gbps);
        }
    }
    if compared.iter().any(|c| c.published.fitted) {
        let fitted = model.config().evidence.iter().filter(|e| e.class == EvidenceClass::Fitted);
        let keys: Vec<&str> = fitted.map(|e| e.key.as_str()).collect();
        let _ = writeln!(out, "  fitted: {}", keys.join(", "));
    }
}
