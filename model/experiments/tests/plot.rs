//! The plot says what it was given: every label, every published point with its error bar.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use experiments::DEFAULT_SIZES;
use experiments::plot::{PublishedPoint, Series, bandwidth_svg};

/// Lines of a made-up shape: the plot does not know what it shows.
fn sample() -> (Vec<Series>, Vec<PublishedPoint>) {
    let step = |bytes: u64| if bytes <= 2 << 20 { 190.0 } else { 171.0 };
    let series = vec![
        Series { label: "stepped (ats)".into(), points: DEFAULT_SIZES.map(|b| (b, step(b))).to_vec() },
        Series { label: "flat (emtt)".into(), points: DEFAULT_SIZES.map(|b| (b, 191.0)).to_vec() },
    ];
    let published = vec![
        PublishedPoint { bytes: 1 << 20, gbps: 190.0, tolerance: 0.02, fitted: true },
        PublishedPoint { bytes: 8 << 20, gbps: 170.0, tolerance: 0.02, fitted: false },
    ];
    (series, published)
}

#[test]
fn labels_title_and_sizes_are_in_the_picture() {
    let (series, published) = sample();
    let svg = bandwidth_svg("the title", "512 bits at 500 MHz", &series, &published).unwrap();
    for text in [
        "the title",
        "512 bits at 500 MHz",
        "stepped (ats)",
        "flat (emtt)",
        "64 KiB",
        "2 MiB",
        "64 MiB",
        "published, parameters fitted to it",
        "published, compared with only",
        "Gb/s",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    // A marker a size and line; two circles (fill and rim) and one of the error bar a published point; two in the legend.
    assert_eq!(svg.matches("<circle").count(), 2 * DEFAULT_SIZES.len() + 3 * published.len() + 2 * 2);
    if let Some(dir) = std::env::var_os("PLOT_DIR") {
        std::fs::write(std::path::Path::new(&dir).join("sample.svg"), svg).unwrap();
    }
}

#[test]
fn sizes_are_spaced_by_their_logarithm() {
    let (series, _) = sample();
    let svg = bandwidth_svg("", "", &series, &[]).unwrap();
    let x: Vec<f64> = svg
        .split("<circle cx=\"")
        .skip(1)
        .take(6)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    // 64 KiB, 128, 256, 512 KiB, 1 MiB, 2 MiB: equal steps, to a pixel.
    for pair in x.windows(3) {
        assert!(((pair[1] - pair[0]) - (pair[2] - pair[1])).abs() <= 1.0, "{x:?}");
    }
}

#[test]
fn nothing_to_draw_is_an_error() {
    assert!(bandwidth_svg("", "", &[], &[]).is_err());
}
