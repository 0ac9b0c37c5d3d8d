//! A grid of shades: how much of something there is by place and hour.

use super::canvas::{Anchor, Canvas, WIDTH};
use super::{Format, largest};
use crate::{number, text};

/// A grid of shades; the stronger, the more.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// For those who cannot see the chart: what it is.
    pub title: String,
    /// For those who cannot see the chart: what it shows.
    pub description: String,
    /// What the columns are.
    pub x_axis: String,
    /// Labels of the columns.
    pub columns: Vec<String>,
    /// Labels of the rows.
    pub rows: Vec<String>,
    /// `values[row][column]`; what is absent or no number stays empty.
    pub values: Vec<Vec<f64>>,
    /// How values read.
    pub format: Format,
    /// The value of the strongest shade; the largest value when `None`.
    pub full: Option<f64>,
    /// What the strongest shade is called; `strongest` when empty.
    pub scale: String,
}

/// Height of a row.
const ROW: f64 = 20.0;

impl Grid {
    /// What the strongest shade is called.
    fn strongest(&self) -> &str {
        if self.scale.is_empty() {
            "strongest"
        } else {
            &self.scale
        }
    }

    pub(super) fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(&self.title, &self.description);
        let labels: Vec<String> = self.rows.iter().map(|row| text::fit(row, 140.0)).collect();
        let left = labels.iter().map(|l| text::width(l)).fold(20.0, f64::max) + 10.0;
        let slot = (WIDTH - left) / self.columns.len().max(1) as f64;
        let full = self.full.filter(|full| full.is_finite() && *full > 0.0);
        let max = full.unwrap_or_else(|| largest(self.values.iter().flatten().copied()));
        let mut y = 2.0;
        for (row, label) in labels.iter().enumerate() {
            canvas.text("", Anchor::End, (left - 8.0, y + ROW / 2.0 + 4.3), label);
            canvas.rect("track", (left, y), (WIDTH - left, ROW - 2.0), "");
            for (column, name) in self.columns.iter().enumerate() {
                let value = self
                    .values
                    .get(row)
                    .and_then(|values| values.get(column))
                    .copied();
                if let Some(value) = value.filter(|value| value.is_finite() && *value > 0.0) {
                    let tip = format!(
                        "{label}, {}: {}",
                        text::fit(name, 300.0),
                        self.format.text(value)
                    );
                    // 0.12 keeps the smallest value apart from none
                    let strength = 0.12 + 0.88 * (value / max).min(1.0);
                    canvas.shade(
                        strength,
                        (left + column as f64 * slot, y),
                        (slot - 1.0, ROW - 2.0),
                        &tip,
                    );
                }
            }
            y += ROW;
        }
        let names: Vec<String> = self
            .columns
            .iter()
            .map(|name| text::fit(name, 90.0))
            .collect();
        let widest = names.iter().map(|n| text::width(n)).fold(1.0, f64::max) + 8.0;
        let stride = number::stride(widest / slot);
        for (column, name) in names.iter().enumerate().step_by(stride) {
            let half = text::width(name) / 2.0;
            let x = (left + (column as f64 + 0.5) * slot).min(WIDTH - half);
            canvas.text("soft num", Anchor::Middle, (x, y + 15.0), name);
        }
        canvas.height = y + 22.0;
        let axis = if self.x_axis.is_empty() {
            String::new()
        } else {
            format!("{} · ", self.x_axis)
        };
        if !self.rows.is_empty() {
            let scale = format!("{axis}{}: {}", self.strongest(), self.format.text(max));
            canvas.text(
                "soft",
                Anchor::End,
                (WIDTH, y + 35.0),
                &text::fit(&scale, WIDTH),
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
    fn the_most_is_the_strongest() {
        let grid = Grid {
            columns: vec!["7".into(), "8".into()],
            rows: vec!["Central".into(), "North".into()],
            values: vec![vec![10.0, 0.0], vec![5.0]],
            format: Format::Count,
            ..Grid::default()
        };
        let svg = Chart::Grid(grid).inline();
        assert_eq!(svg.matches("fill-opacity").count(), 2);
        assert!(svg.contains("fill-opacity=\"1.00\"") && svg.contains("fill-opacity=\"0.56\""));
        assert!(svg.contains("<title>Central, 7: 10</title>"));
    }
}
