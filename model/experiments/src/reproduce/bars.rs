//! Bars: a group for each of several things that have no order, a bar for each series, names written out at the left.

use super::picture::{COLOURS, Drawn, PictureError, font};
use super::report::Picture;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Bars in groups.
#[derive(Clone, Debug)]
pub(super) struct Bars {
    /// What the length of a bar is.
    pub(super) axis: &'static str,
    /// Length of the axis.
    pub(super) top: f64,
    pub(super) series: Vec<String>,
    /// Name of each group and its values, by series.
    pub(super) groups: Vec<(String, Vec<f64>)>,
}

const WIDTH: i32 = 860;
const LEFT: i32 = 230;
const RIGHT: i32 = 40;
const TOP: i32 = 96;
const BAR: i32 = 12;
const GAP: i32 = 12;
const BELOW: i32 = 58;
const MARKS: i32 = 5;

/// Draws bars under a title; the subtitle names clock and width.
pub(super) fn draw_bars(name: &str, title: &str, subtitle: &str, bars: &Bars) -> Result<Picture, PictureError> {
    let mut svg = String::new();
    draw_into(&mut svg, title, subtitle, bars).map_err(|e| PictureError::new(&*e))?;
    Ok(Picture { name: name.into(), svg })
}

fn draw_into(svg: &mut String, title: &str, subtitle: &str, bars: &Bars) -> Drawn {
    let group = bars.series.len() as i32 * BAR + GAP;
    let bottom = TOP + group * bars.groups.len() as i32;
    let area = SVGBackend::with_string(svg, (WIDTH as u32, (bottom + BELOW) as u32)).into_drawing_area();
    area.fill(&WHITE)?;
    area.draw(&Text::new(title.to_string(), (20, 12), font(21)))?;
    area.draw(&Text::new(subtitle.to_string(), (20, 40), font(14).color(&BLACK.mix(0.7))))?;
    let mut at = 20;
    for (label, colour) in bars.series.iter().zip(COLOURS) {
        area.draw(&Rectangle::new([(at, 70), (at + 22, 80)], colour.filled()))?;
        area.draw(&Text::new(label.clone(), (at + 28, 69), font(13)))?;
        at += 56 + 7 * label.chars().count() as i32;
    }
    let x = |value: f64| LEFT + (value.clamp(0.0, bars.top) / bars.top * f64::from(WIDTH - LEFT - RIGHT)) as i32;
    let middle = |h| Pos::new(h, VPos::Center);
    for mark in 0..=MARKS {
        let value = bars.top * f64::from(mark) / f64::from(MARKS);
        let line = BLACK.mix(if mark == 0 { 0.8 } else { 0.12 });
        area.draw(&PathElement::new([(x(value), TOP - 6), (x(value), bottom)], line))?;
        let style = TextStyle::from(font(13)).pos(middle(HPos::Center));
        area.draw(&Text::new(format!("{value:.0}"), (x(value), bottom + 14), style))?;
    }
    let style = TextStyle::from(font(15)).pos(middle(HPos::Center));
    area.draw(&Text::new(bars.axis, ((LEFT + WIDTH - RIGHT) / 2, bottom + 38), style))?;
    for (i, (label, values)) in bars.groups.iter().enumerate() {
        let top = TOP + group * i as i32;
        let style = TextStyle::from(font(13)).pos(middle(HPos::Right));
        area.draw(&Text::new(label.clone(), (LEFT - 10, top + (group - GAP) / 2), style))?;
        for (j, (value, colour)) in values.iter().zip(COLOURS).enumerate() {
            let y = top + BAR * j as i32;
            area.draw(&Rectangle::new([(LEFT, y), (x(*value), y + BAR - 2)], colour.filled()))?;
            let style = TextStyle::from(font(10)).pos(middle(HPos::Left));
            area.draw(&Text::new(format!("{value:.0}"), (x(*value) + 4, y + BAR / 2 - 1), style))?;
        }
    }
    area.present()?;
    Ok(())
}
