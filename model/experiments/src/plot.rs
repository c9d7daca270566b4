//! Bandwidth over message size as an SVG: the model's lines beside the published points.

use crate::sizes::size_label;
use plotters::coord::ranged1d::{KeyPointHint, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// One line of the model.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend says.
    pub label: String,
    /// Message size in bytes and bandwidth in Gb/s, in order of size.
    pub points: Vec<(u64, f64)>,
}

/// A published figure.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedPoint {
    /// Message size in bytes.
    pub bytes: u64,
    /// Bandwidth in Gb/s.
    pub gbps: f64,
    /// Tolerance as a fraction of the figure: the error bar.
    pub tolerance: f64,
    /// Whether parameters were fitted to it (else it is only compared with).
    pub fitted: bool,
}

/// A plot that could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot draw the plot: {0}")]
pub struct PlotError(String);

/// Axis of message sizes: logarithm to base two, a mark at each power of two.
struct Sizes(Range<f64>);

impl Ranged for Sizes {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;
    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.0.start) / (self.0.end - self.0.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        (self.0.start.ceil() as i32..=self.0.end.floor() as i32).map(f64::from).collect()
    }
    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Sizes {
    fn format_ext(&self, value: &f64) -> String {
        size_label(1 << *value as u32)
    }
}

/// The Okabe-Ito colours, which stay apart for colour-blind eyes and in grey.
const COLOURS: [RGBColor; 5] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

const WIDTH: u32 = 1000;
const HEIGHT: u32 = 600;

/// Draws the plot; `title` and `subtitle` stand above it. The subtitle names clock and width.
pub fn bandwidth_svg(
    title: &str,
    subtitle: &str,
    series: &[Series],
    published: &[PublishedPoint],
) -> Result<String, PlotError> {
    let mut svg = String::new();
    draw(&mut svg, title, subtitle, series, published).map_err(|e| PlotError(e.to_string()))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    title: &str,
    subtitle: &str,
    series: &[Series],
    published: &[PublishedPoint],
) -> Result<(), Box<dyn std::error::Error>> {
    let sizes = || series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).chain(published.iter().map(|p| p.bytes));
    let (Some(smallest), Some(largest)) = (sizes().min(), sizes().max()) else {
        return Err("there are no points".into());
    };
    let top = series
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p.1))
        .chain(published.iter().map(|p| p.gbps * (1.0 + p.tolerance)))
        .fold(10.0, f64::max);
    let log = |bytes: u64| (bytes.max(1) as f64).log2();
    let x = Sizes(log(smallest) - 0.4..log(largest) + 0.4);
    let y = 0.0..(top / 20.0).ceil() * 20.0 + 10.0;

    let root = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&WHITE)?;
    let font = |size: u32| ("sans-serif", size).into_font();
    root.draw(&Text::new(title.to_string(), (70, 14), font(22)))?;
    root.draw(&Text::new(subtitle.to_string(), (70, 42), font(14).color(&BLACK.mix(0.7))))?;
    let mut chart = ChartBuilder::on(&root)
        .margin_top(68)
        .margin_right(24)
        .margin_bottom(10)
        .margin_left(6)
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .y_labels(12)
        .label_style(font(14))
        .axis_desc_style(font(16))
        .x_desc("message size")
        .y_desc("bandwidth, average [Gb/s]")
        .y_label_formatter(&|v| format!("{v:.0}"))
        .draw()?;

    for (i, line) in series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points = || line.points.iter().map(|(bytes, gbps)| (log(*bytes), *gbps));
        // A later line that covers an earlier one is drawn thinner, so that both are seen.
        let width = 2 * (series.len() - i) as u32;
        chart
            .draw_series(LineSeries::new(points(), colour.stroke_width(width)))?
            .label(line.label.clone())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], colour.stroke_width(width)));
        chart.draw_series(points().map(|p| Circle::new(p, 3 + width as i32 / 2, colour.filled())))?;
    }
    for (fitted, label) in [(true, "published, parameters fitted to it"), (false, "published, compared with only")] {
        let of_role = || published.iter().filter(|p| p.fitted == fitted);
        if of_role().next().is_none() {
            continue;
        }
        let fill = if fitted { BLACK.filled() } else { WHITE.filled() };
        chart
            .draw_series(of_role().map(|p| {
                let (x, spread) = (log(p.bytes), p.gbps * p.tolerance);
                ErrorBar::new_vertical(x, p.gbps - spread, p.gbps, p.gbps + spread, BLACK.stroke_width(1), 14)
            }))?
            .label(label)
            .legend(move |(x, y)| {
                EmptyElement::at((x + 13, y)) + Circle::new((0, 0), 5, fill) + Circle::new((0, 0), 5, BLACK)
            });
        chart.draw_series(of_role().map(|p| Circle::new((log(p.bytes), p.gbps), 5, fill)))?;
        chart.draw_series(of_role().map(|p| Circle::new((log(p.bytes), p.gbps), 5, BLACK)))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .margin(16)
        .legend_area_size(36)
        .label_font(font(14))
        .background_style(WHITE.mix(0.9))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}
