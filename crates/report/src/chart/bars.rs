//! Horizontal bars: one row per label, one bar per series, the value written at the end of each.

use super::canvas::{Anchor, Canvas, WIDTH};
use super::{Format, colors, largest};
use crate::text;

/// One label and its value in each series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bar {
    /// What the bar stands for.
    pub label: String,
    /// One value per series; what is negative or no number is drawn as nothing.
    pub values: Vec<f64>,
}

/// Horizontal bars.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// For those who cannot see the chart: what it is.
    pub title: String,
    /// For those who cannot see the chart: what it shows.
    pub description: String,
    /// Names of the series, such as before and after.
    pub series: Vec<String>,
    /// The rows, top to bottom.
    pub bars: Vec<Bar>,
    /// What the rows leave over: written below them, not drawn, since it would dwarf them.
    pub rest: Option<Bar>,
    /// How values read.
    pub format: Format,
    /// The value of a full-length bar; the largest value when `None`.
    pub full: Option<f64>,
}

/// The most room a label may take; the rest belongs to the bars.
const LABEL: f64 = 150.0;

impl Bars {
    pub(super) fn draw(&self) -> Canvas {
        let series = self.series.len().max(1);
        let mut canvas = Canvas::new(&self.title, &self.description);
        let classes = colors(&self.series);
        canvas.legend(&classes, &self.series);

        let values = || self.bars.iter().flat_map(|bar| bar.values.iter().copied());
        let full = self
            .full
            .filter(|full| full.is_finite() && *full > 0.0)
            .unwrap_or_else(|| largest(values()));
        let labels: Vec<String> = self
            .bars
            .iter()
            .map(|bar| text::fit(&bar.label, LABEL))
            .collect();
        let left = labels
            .iter()
            .map(|l| text::width(l))
            .fold(40.0, f64::max)
            .min(LABEL)
            + 12.0;
        let right = values()
            .map(|value| text::width(&self.format.row(value)))
            .fold(30.0, f64::max)
            + 10.0;
        let room = WIDTH - left - right;

        let thick = if series == 1 { 14.0 } else { 12.0 };
        let gap = if series == 1 { 9.0 } else { 11.0 };
        let row = thick * series as f64 + (series - 1) as f64 * 2.0;
        let mut y = canvas.height + 2.0;
        for (bar, label) in self.bars.iter().zip(&labels) {
            canvas.text("", Anchor::End, (left - 10.0, y + row / 2.0 + 4.3), label);
            for (index, class) in classes.iter().enumerate() {
                let value = bar.values.get(index).copied().unwrap_or(0.0);
                let drawn = if value.is_finite() {
                    value.clamp(0.0, full)
                } else {
                    0.0
                };
                let top = y + index as f64 * (thick + 2.0);
                let width = drawn / full * room;
                let read = self.format.row(value);
                let name = self.series.get(index).map_or("", String::as_str);
                let tip = format!("{}: {read} {name}", text::fit(&bar.label, 500.0));
                canvas.rect("track", (left, top), (room, thick), "");
                if drawn > 0.0 {
                    canvas.rect(class, (left, top), (width.max(1.5), thick), tip.trim_end());
                }
                let style = if drawn > 0.0 { "num" } else { "num soft" };
                canvas.text(
                    style,
                    Anchor::End,
                    (WIDTH - 1.0, top + thick / 2.0 + 4.3),
                    &read,
                );
            }
            y += row + gap;
        }
        canvas.height = y - gap + 4.0;
        if let Some(rest) = &self.rest {
            let read: Vec<String> = rest
                .values
                .iter()
                .enumerate()
                .map(|(index, &value)| match self.series.get(index) {
                    Some(name) if series > 1 => format!("{} {name}", self.format.row(value)),
                    _ => self.format.row(value),
                })
                .collect();
            let line = format!("{}: {}", rest.label, read.join(", "));
            let line = text::fit(&line, WIDTH * 1.1);
            canvas.text("soft", Anchor::End, (WIDTH - 1.0, y + 9.0), &line);
            canvas.height = y + 15.0;
        }
        canvas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn the_longest_bar_fills_the_room() {
        let bars = Bars {
            series: vec!["before".into(), "after".into()],
            bars: vec![
                Bar {
                    label: "a".into(),
                    values: vec![0.5, 0.25],
                },
                Bar {
                    label: "b".into(),
                    values: vec![0.5, 0.0],
                },
            ],
            format: Format::Share,
            ..Bars::default()
        };
        let svg = Chart::Bars(bars).inline();
        let widths: Vec<f64> = svg
            .split("<rect class=\"s")
            .skip(3) // two swatches of the legend
            .map(|rect| {
                rect.split("width=\"")
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect();
        assert_eq!(widths.len(), 3);
        assert!((widths[0] - 2.0 * widths[1]).abs() < 0.2 && (widths[0] - widths[2]).abs() < 0.01);
        assert!(svg.contains("<title>a: 25.0\u{a0}% after</title>"));
    }
}
