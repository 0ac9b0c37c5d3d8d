//! Columns: values in their own order from left to right, for numbers, dates and windows.

use super::canvas::{Anchor, Canvas, WIDTH};
use super::{Bar, Format, colors, largest};
use crate::{number, text};

/// Columns over an axis of labels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns {
    /// For those who cannot see the chart: what it is.
    pub title: String,
    /// For those who cannot see the chart: what it shows.
    pub description: String,
    /// What the labels are.
    pub x_axis: String,
    /// Names of the series.
    pub series: Vec<String>,
    /// The columns, left to right; labels that do not fit are left out, evenly.
    pub bars: Vec<Bar>,
    /// How values read.
    pub format: Format,
    /// Whether a label is where its column begins, as in a histogram, and not its middle.
    pub starts: bool,
}

/// What joins the first and the last label of neighbors that were merged into one column.
pub(crate) const MERGED: &str = " \u{2013} ";

/// Height of the drawing without legend, labels and axis.
const HEIGHT: f64 = 130.0;

impl Columns {
    pub(super) fn draw(&self) -> Canvas {
        let series = self.series.len().max(1);
        let mut canvas = Canvas::new(&self.title, &self.description);
        let classes = colors(&self.series);
        canvas.legend(&classes, &self.series);

        let max = largest(self.bars.iter().flat_map(|bar| bar.values.iter().copied()));
        let ticks = number::ticks(0.0, max, 3);
        let full = ticks.last().copied().unwrap_or(max);
        let texts: Vec<String> = ticks.iter().map(|&tick| self.format.text(tick)).collect();
        let left = texts.iter().map(|t| text::width(t)).fold(10.0, f64::max) + 8.0;
        let room = WIDTH - left - 6.0;
        let top = canvas.height + 8.0;
        let floor = top + HEIGHT;
        let height = |value: f64| {
            if value.is_finite() {
                value.clamp(0.0, full) / full * HEIGHT
            } else {
                0.0
            }
        };
        for (tick, text) in ticks.iter().zip(&texts) {
            let y = floor - height(*tick);
            canvas.line("rule", (left, y), (left + room, y));
            canvas.text("soft num", Anchor::End, (left - 6.0, y + 4.0), text);
        }

        let slot = room / self.bars.len().max(1) as f64;
        // Columns of a histogram touch: between them is nothing.
        let inner = slot
            * if slot > 12.0 && !self.starts {
                0.78
            } else {
                0.94
            };
        let inner = if self.starts {
            inner
        } else {
            inner.min(54.0 * series as f64)
        };
        for (position, bar) in self.bars.iter().enumerate() {
            let start = left + position as f64 * slot + (slot - inner) / 2.0;
            for (index, class) in classes.iter().enumerate() {
                let value = bar.values.get(index).copied().unwrap_or(0.0);
                let tall = height(value);
                if tall > 0.0 {
                    let thick = inner / series as f64;
                    let tip = format!(
                        "{}: {}",
                        text::fit(&bar.label, 500.0),
                        self.format.text(value)
                    );
                    let tall = tall.max(1.0);
                    canvas.rect(
                        class,
                        (start + index as f64 * thick, floor - tall),
                        (thick * 0.96, tall),
                        &tip,
                    );
                }
            }
        }
        canvas.line("axis", (left, floor), (left + room, floor));

        // of a merged column the axis shows where it starts, the tooltip all of it
        let start = |label: &'_ str| label.split(MERGED).next().unwrap_or_default().to_owned();
        let labels: Vec<String> = self
            .bars
            .iter()
            .map(|bar| text::fit(&start(&bar.label), 110.0))
            .collect();
        let widest = labels.iter().map(|l| text::width(l)).fold(1.0, f64::max) + 7.0;
        let stride = number::stride(widest / slot);
        for (position, label) in labels.iter().enumerate().step_by(stride) {
            let half = text::width(label) / 2.0;
            let middle = if self.starts { 0.0 } else { 0.5 };
            let x = (left + (position as f64 + middle) * slot)
                .clamp(half.min(WIDTH / 2.0), (WIDTH - half).max(WIDTH / 2.0));
            canvas.text("soft num", Anchor::Middle, (x, floor + 17.0), label);
        }
        canvas.height = floor + 24.0;
        if !self.x_axis.is_empty() {
            let axis = text::fit(&self.x_axis, room);
            canvas.text(
                "soft",
                Anchor::Middle,
                (left + room / 2.0, floor + 36.0),
                &axis,
            );
            canvas.height += 18.0;
        }
        canvas
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn labels_thin_out_before_they_touch() {
        let bars = |n: usize| {
            (0..n)
                .map(|i| Bar {
                    label: format!("2024-{i:02}"),
                    values: vec![i as f64],
                })
                .collect()
        };
        let labels = |n| {
            let columns = Columns {
                bars: bars(n),
                ..Columns::default()
            };
            let svg = Chart::Columns(columns).inline();
            (0..n)
                .filter(|i| svg.contains(&format!(">2024-{i:02}</text>")))
                .count()
        };
        assert_eq!(labels(5), 5);
        assert_eq!(labels(60), 6); // every tenth
    }
}
