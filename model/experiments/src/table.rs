//! perftest's table.

use crate::row::Row;
use std::fmt::Write;

const RULE: usize = 125;

/// The head of the table. Clock and width stand in every row, for presets may differ in them.
pub fn header() -> String {
    let rule = "-".repeat(RULE);
    format!(
        "{rule}\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]   mode     #wrong   \
         #mtt.miss   clock x width    preset\n"
    )
}

/// One line.
pub fn line(row: &Row) -> String {
    format!(
        " {:<10} {:<14} {:<18.2} {:<20.2} {:<15.6} {:<8} {:<8} {:<11} {:<16} {}\n",
        row.bytes,
        row.iterations,
        row.bw_peak_gbps,
        row.bw_average_gbps,
        row.msg_rate_mpps,
        row.mode,
        row.wrong,
        row.mtt_misses,
        format!("{} MHz x {}", row.clock_mhz, row.data_bits),
        row.preset
    )
}

/// The whole table, closed by a rule.
pub fn table(rows: &[Row]) -> String {
    let mut out = header();
    for row in rows {
        let _ = out.write_str(&line(row));
    }
    let _ = writeln!(out, "{}", "-".repeat(RULE));
    out
}
