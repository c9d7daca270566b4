//! Pictures of the reports: panels side by side, lines of the model, published figures as circles.

use super::report::Picture;
use crate::sizes::size_label;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;
use system::config::{Published, Role};

/// A picture that could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot draw the picture: {0}")]
pub struct PictureError(String);

impl PictureError {
    pub(super) fn new(cause: &dyn std::error::Error) -> Self {
        Self(cause.to_string())
    }
}

/// How the horizontal axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Sizes in bytes, doubling.
    Bytes,
    /// Numbers, doubling.
    Doubling,
}

/// A line of the model.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) label: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// A published figure with the span of its tolerance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) span: f64,
    pub(super) fitted: bool,
}

impl Mark {
    /// A figure of a preset.
    pub(super) fn of(point: &Published) -> Self {
        let span = if point.within > 0.0 { point.within } else { point.y * point.tolerance };
        Self { x: point.x as f64, y: point.y, span, fitted: point.role == Role::Fit }
    }
}

/// One panel.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) x: (&'static str, Scale),
    pub(super) y: &'static str,
    pub(super) lines: Vec<Line>,
    pub(super) marks: Vec<Mark>,
    /// Where the legend stands.
    pub(super) legend: Corner,
}

/// A corner of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corner {
    UpperLeft,
    UpperRight,
    LowerLeft,
    LowerRight,
}

/// Horizontal axis: logarithm to base two, marks at powers of two, at most about ten.
struct Axis(Range<f64>, Scale);

impl Scale {
    /// Where a value stands on the axis.
    fn place(self, value: f64) -> f64 {
        value.max(f64::MIN_POSITIVE).log2()
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;
    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.0.start) / (self.0.end - self.0.start);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }
    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let (first, last) = (self.0.start.ceil() as i32, self.0.end.floor() as i32);
        let step = ((last - first) / 8 + 1) as usize;
        (first..=last).step_by(step).map(f64::from).collect()
    }
    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        match self.1 {
            Scale::Bytes if *value >= 40.0 => format!("{} TiB", 1_u64 << (*value as u32 - 40)),
            Scale::Bytes => size_label(1 << *value as u32),
            Scale::Doubling => format!("{}", value.exp2()),
        }
    }
}

/// Colours that stay apart for colour-blind eyes and in grey (Okabe and Ito).
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(80, 80, 80),
];

const PANEL_HEIGHT: u32 = 410;
const PANEL: u32 = 600;

/// Draws panels in a row under a title; the subtitle names clock and width.
pub(super) fn draw(name: &str, title: &str, subtitle: &str, panels: &[Panel]) -> Result<Picture, PictureError> {
    let mut svg = String::new();
    draw_into(&mut svg, title, subtitle, panels).map_err(|e| PictureError::new(&*e))?;
    Ok(Picture { name: name.into(), svg })
}

pub(super) type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

pub(super) fn font(size: u32) -> FontDesc<'static> {
    ("sans-serif", size).into_font()
}

fn draw_into(svg: &mut String, title: &str, subtitle: &str, panels: &[Panel]) -> Drawn {
    // Three in a row at most.
    let columns = if panels.len() > 3 { 2 } else { panels.len().max(1) };
    let rows = panels.len().div_ceil(columns).max(1);
    let size = ((PANEL * columns as u32).max(860), 60 + PANEL_HEIGHT * rows as u32);
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    root.draw(&Text::new(title.to_string(), (20, 12), font(21)))?;
    root.draw(&Text::new(subtitle.to_string(), (20, 40), font(14).color(&BLACK.mix(0.7))))?;
    let (_, below) = root.split_vertically(60);
    for (area, panel) in below.split_evenly((rows, columns)).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Drawn {
    let all =
        || panel.lines.iter().flat_map(|l| l.points.iter().copied()).chain(panel.marks.iter().map(|m| (m.x, m.y)));
    let xs = || all().map(|p| panel.x.1.place(p.0));
    let (low, high) = (xs().fold(f64::MAX, f64::min), xs().fold(f64::MIN, f64::max));
    if low > high {
        return Err("there are no points".into());
    }
    let top = all().map(|p| p.1).chain(panel.marks.iter().map(|m| m.y + m.span)).fold(0.0, f64::max);
    // Lines run level at the top and fall towards the right: a legend there stands above them.
    let top = top * if panel.legend == Corner::UpperRight { 1.3 } else { 1.08 };
    let pad = 0.03 * (high - low) + 0.2;
    let mut chart = ChartBuilder::on(area)
        .caption(panel.title.clone(), font(16))
        .margin_right(18)
        .margin_bottom(8)
        .margin_left(8)
        .x_label_area_size(46)
        .y_label_area_size(58)
        .build_cartesian_2d(Axis(low - pad..high + pad, panel.x.1), 0.0..top.max(1e-9))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .y_labels(8)
        .label_style(font(13))
        .axis_desc_style(font(15))
        .x_desc(panel.x.0)
        .y_desc(panel.y)
        .y_label_formatter(&|v| if top < 3.0 { format!("{v:.1}") } else { format!("{v:.0}") })
        .draw()?;
    for (i, line) in panel.lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let points = || line.points.iter().map(|(x, y)| (panel.x.1.place(*x), *y));
        // A later line that covers an earlier one is drawn thinner, so that both are seen.
        let width = if panel.lines.len() - i > 2 { 4 } else { 2 };
        chart
            .draw_series(LineSeries::new(points(), colour.stroke_width(width)))?
            .label(line.label.clone())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(width)));
        chart.draw_series(points().map(|p| Circle::new(p, 3, colour.filled())))?;
    }
    for (fitted, label) in [(true, "published, fitted to"), (false, "published, not fitted to")] {
        let of_role = || panel.marks.iter().filter(|m| m.fitted == fitted);
        if of_role().next().is_none() {
            continue;
        }
        let fill = if fitted { BLACK.filled() } else { WHITE.filled() };
        chart
            .draw_series(of_role().map(|m| {
                ErrorBar::new_vertical(panel.x.1.place(m.x), m.y - m.span, m.y, m.y + m.span, BLACK.stroke_width(1), 10)
            }))?
            .label(label)
            .legend(move |(x, y)| {
                EmptyElement::at((x + 12, y)) + Circle::new((0, 0), 4, fill) + Circle::new((0, 0), 4, BLACK)
            });
        chart.draw_series(of_role().map(|m| Circle::new((panel.x.1.place(m.x), m.y), 4, fill)))?;
        chart.draw_series(of_role().map(|m| Circle::new((panel.x.1.place(m.x), m.y), 4, BLACK)))?;
    }
    let corner = match panel.legend {
        Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
        Corner::UpperRight => SeriesLabelPosition::UpperRight,
        Corner::LowerLeft => SeriesLabelPosition::LowerLeft,
        Corner::LowerRight => SeriesLabelPosition::LowerRight,
    };
    chart
        .configure_series_labels()
        .position(corner)
        .margin(8)
        .legend_area_size(32)
        .label_font(font(13))
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
