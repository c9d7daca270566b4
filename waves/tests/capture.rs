//! A capture read back with an independent reader (wellen): every signal of every block, at every cycle.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Cursor;
use types::bits::words_for;
use types::config::NAMED;
use waves::{Capture, CaptureError, Scope, TOP, unit_scopes};
use wellen::simple::Waveform;

const CLOCK_MHZ: u32 = 500;
const PERIOD_PS: u64 = 2000;

fn row_words(scope: &Scope) -> usize {
    words_for(scope.fields.iter().map(|f| f.width as usize).sum())
}

/// Rows with few changes from cycle to cycle, as real ones have: each word is kept, zeroed or drawn anew.
fn rows(scopes: &[Scope], cycles: usize, seed: u64) -> Vec<Vec<Vec<u64>>> {
    let mut x = seed;
    let mut next = || {
        // Constants of Knuth's MMIX generator; the high half is the better one.
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        x.rotate_left(32)
    };
    let mut out: Vec<Vec<Vec<u64>>> = Vec::new();
    for cycle in 0..cycles {
        let mut all = Vec::new();
        for (i, scope) in scopes.iter().enumerate() {
            let bits: usize = scope.fields.iter().map(|f| f.width as usize).sum();
            let mut row = if cycle == 0 { vec![0; row_words(scope)] } else { out[cycle - 1][i].clone() };
            for word in &mut row {
                match next() % 8 {
                    0 => *word = next(),
                    1 => *word = 0,
                    2 => *word ^= 1 << (next() % 64),
                    _ => {}
                }
            }
            if !bits.is_multiple_of(64) {
                *row.last_mut().unwrap() &= (1 << (bits % 64)) - 1;
            }
            all.push(row);
        }
        out.push(all);
    }
    out
}

fn write(scopes: &[Scope], rows: &[Vec<Vec<u64>>], times: &[(u64, u64)]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut capture = Capture::new(&mut file, scopes, CLOCK_MHZ, "seed 1").unwrap();
    for (cycle, (number, time)) in rows.iter().zip(times) {
        capture.tick(*number, *time).unwrap();
        for (i, row) in cycle.iter().enumerate() {
            capture.sample(i, row).unwrap();
        }
    }
    capture.finish().unwrap();
    file
}

fn changes(wave: &mut Waveform, path: &[&str], name: &str) -> Vec<(u64, String)> {
    let var = wave.hierarchy().lookup_var(path, name).unwrap_or_else(|| panic!("{path:?} {name} is missing"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let signal = wave.get_signal(signal).unwrap();
    signal.iter_changes().map(|(t, v)| (times[t as usize], v.to_bit_string().unwrap())).collect()
}

/// Bits `start .. start + width` of a row, most significant first, taken one by one.
fn bit_string(row: &[u64], start: usize, width: usize) -> String {
    (start..start + width).rev().map(|i| if row[i / 64] >> (i % 64) & 1 == 1 { '1' } else { '0' }).collect()
}

#[test]
fn every_signal_reads_back_and_only_changes_are_written() {
    for (name, cfg) in NAMED.iter().filter(|(name, _)| ["tiny", "large"].contains(name)) {
        let scopes = unit_scopes(cfg);
        let rows = rows(&scopes, 40, 7);
        // Cycles 20..25 are left out, as an idle stretch would be.
        let times: Vec<_> = (0..40u64).map(|k| if k < 20 { k } else { k + 5 }).map(|k| (k, k * PERIOD_PS)).collect();
        let mut wave = wellen::simple::read_from_reader(Cursor::new(write(&scopes, &rows, &times))).unwrap();
        for (i, scope) in scopes.iter().enumerate() {
            let path: Vec<&str> = if scope.block.is_empty() { vec![TOP] } else { vec![TOP, &scope.block] };
            let mut start = 0;
            for field in &scope.fields {
                let mut expected: Vec<(u64, String)> = Vec::new();
                for (row, (_, time)) in rows.iter().zip(&times) {
                    let value = bit_string(&row[i], start, field.width as usize);
                    if expected.last().is_none_or(|(_, last)| *last != value) {
                        expected.push((*time, value));
                    }
                }
                assert_eq!(changes(&mut wave, &path, &field.name), expected, "{name} {path:?} {}", field.name);
                start += field.width as usize;
            }
        }
    }
}

#[test]
fn clock_rises_with_a_cycle_and_stays_low_where_cycles_are_left_out() {
    let scopes = unit_scopes(&NAMED[0].1);
    let rows = rows(&scopes, 3, 1);
    let mut wave =
        wellen::simple::read_from_reader(Cursor::new(write(&scopes, &rows, &[(0, 0), (1, 2000), (9, 18_000)])))
            .unwrap();
    let expected = [(0, "1"), (1000, "0"), (2000, "1"), (3000, "0"), (18_000, "1"), (19_000, "0")];
    assert_eq!(changes(&mut wave, &[TOP], "clock"), expected.map(|(t, v)| (t, v.to_string())));
    let cycles = changes(&mut wave, &[TOP], "cycle");
    let cycles: Vec<_> = cycles.iter().map(|(t, v)| (*t, u64::from_str_radix(v, 2).unwrap())).collect();
    assert_eq!(cycles, [(0, 0), (2000, 1), (18_000, 9)]);
    assert_eq!(wave.time_table().last(), Some(&20_000));
}

#[test]
fn misuse_is_an_error_not_an_unknown_value() {
    let scopes = unit_scopes(&NAMED[0].1);
    let row = vec![0; row_words(&scopes[0])];
    let mut capture = Capture::new(Vec::new(), &scopes, CLOCK_MHZ, "").unwrap();
    capture.tick(0, 0).unwrap();
    capture.sample(0, &row).unwrap();
    assert!(matches!(capture.sample(0, &row[1..]), Err(CaptureError::Row { scope: 0, .. })));
    assert!(matches!(capture.sample(scopes.len(), &row), Err(CaptureError::Row { .. })));
    assert!(matches!(capture.tick(1, 1999), Err(CaptureError::Time { before: 0, now: 1999 })));
    assert!(matches!(capture.tick(1, 2000), Err(CaptureError::Unsampled(1))));
}
