//! Lines and dots over two numeric axes: a frontier, a series of windows.

use super::Format;
use super::canvas::{Anchor, Canvas, WIDTH};
use crate::{number, text};

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Points joined in the order given.
    #[default]
    Line,
    /// Points alone; one large dot marks what was chosen.
    Dots,
}

/// Points with a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// What the points are.
    pub name: String,
    /// How they are drawn.
    pub mark: Mark,
    /// Where they are; a point that is no number interrupts the line.
    pub points: Vec<(f64, f64)>,
    /// What stands beside each point and in its tip; nothing where there are fewer of them, or an empty one.
    pub labels: Vec<String>,
    /// Where each point leads on a page, such as `#trial-3`; nowhere where there are fewer of them, or an empty one.
    pub links: Vec<String>,
}

/// Lines and dots.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lines {
    /// For those who cannot see the chart: what it is.
    pub title: String,
    /// For those who cannot see the chart: what it shows.
    pub description: String,
    /// What the horizontal axis is.
    pub x_axis: String,
    /// What the vertical axis is.
    pub y_axis: String,
    /// How horizontal values read.
    pub x_format: Format,
    /// How vertical values read.
    pub y_format: Format,
    /// The series; up to six have colors and dashes of their own.
    pub series: Vec<Series>,
}

/// Height of the drawing without legend, labels and axes.
const HEIGHT: f64 = 200.0;

/// Lines of more points than this are drawn without dots.
const DOTTED: usize = 40;

/// Room between two labels of one line.
const LABEL: f64 = 48.0;

impl Lines {
    pub(super) fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(&self.title, &self.description);
        let classes: Vec<String> = (0..self.series.len())
            .map(|i| format!("d{}", i % 6))
            .collect();
        let names: Vec<String> = self
            .series
            .iter()
            .map(|series| series.name.clone())
            .collect();
        canvas.legend(&classes, &names);

        let drawable = |&(x, y): &(f64, f64)| x.abs() < 1e15 && y.abs() < 1e15;
        let points: Vec<(f64, f64)> = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().copied())
            .filter(drawable)
            .collect();
        let range = |values: &dyn Fn(&(f64, f64)) -> f64| {
            let of = || points.iter().map(values);
            (
                of().fold(f64::INFINITY, f64::min),
                of().fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let (low_x, high_x) = range(&|point| point.0);
        let (low_y, high_y) = range(&|point| point.1);
        let x_ticks = number::ticks(low_x, high_x, 6);
        let y_ticks = number::ticks(low_y.min(0.0), high_y.max(0.0), 4);
        let y_texts: Vec<String> = y_ticks
            .iter()
            .map(|&tick| self.y_format.text(tick))
            .collect();

        let left = y_texts.iter().map(|t| text::width(t)).fold(10.0, f64::max) + 10.0;
        let room = WIDTH - left - 14.0;
        let mut top = canvas.height + 10.0;
        if !self.y_axis.is_empty() {
            canvas.text(
                "soft",
                Anchor::Start,
                (0.0, top + 4.0),
                &text::fit(&self.y_axis, WIDTH),
            );
            top += 18.0;
        }
        let floor = top + HEIGHT;
        let place = |(x, y): (f64, f64)| {
            let (x0, x1) = ends(&x_ticks);
            let (y0, y1) = ends(&y_ticks);
            (
                left + (x - x0) / (x1 - x0) * room,
                floor - (y - y0) / (y1 - y0) * HEIGHT,
            )
        };
        for (&tick, text) in y_ticks.iter().zip(&y_texts) {
            let (_, y) = place((x_ticks[0], tick));
            canvas.line("rule", (left, y), (left + room, y));
            canvas.text("soft num", Anchor::End, (left - 7.0, y + 4.0), text);
        }
        canvas.line("axis", (left, floor), (left + room, floor));
        for &tick in &x_ticks {
            let (x, _) = place((tick, y_ticks[0]));
            canvas.line("axis", (x, floor), (x, floor + 4.0));
            canvas.text(
                "soft num",
                Anchor::Middle,
                (x, floor + 18.0),
                &self.x_format.text(tick),
            );
        }

        for (index, series) in self.series.iter().enumerate() {
            if series.mark == Mark::Line {
                for run in series
                    .points
                    .split(|point| !drawable(point))
                    .filter(|run| run.len() > 1)
                {
                    let run: Vec<(f64, f64)> = run.iter().map(|&point| place(point)).collect();
                    canvas.polyline(&format!("l{}", index % 6), &run);
                }
            }
            let radius = match series.mark {
                Mark::Line if series.points.len() > DOTTED => continue,
                Mark::Line => 3.0,
                Mark::Dots => 5.5,
            };
            let mut free = f64::INFINITY;
            let all = series.points.iter().copied().enumerate();
            for (at, point) in all.filter(|(_, point)| drawable(point)) {
                let (x, y) = (self.x_format.text(point.0), self.y_format.text(point.1));
                let label = series.labels.get(at).filter(|label| !label.is_empty());
                let tip = match label {
                    Some(label) => format!("{}: {label}, {x}, {y}", text::fit(&series.name, 300.0)),
                    None => format!("{}: {x}, {y}", text::fit(&series.name, 300.0)),
                };
                let link = series.links.get(at).map_or("", String::as_str);
                canvas.open_link(link);
                canvas.dot(&format!("d{}", index % 6), place(point), radius, &tip);
                canvas.close_link(link);
                // Beside the point, where the one before leaves room.
                let (px, py) = place(point);
                if let Some(label) =
                    label.filter(|_| (px - free).abs() > LABEL || free.is_infinite())
                {
                    canvas.text("soft num", Anchor::Start, (px + 5.0, py - 6.0), label);
                    free = px;
                }
            }
        }
        canvas.height = floor + 26.0;
        if !self.x_axis.is_empty() {
            let axis = text::fit(&self.x_axis, room);
            canvas.text(
                "soft",
                Anchor::Middle,
                (left + room / 2.0, floor + 38.0),
                &axis,
            );
            canvas.height += 18.0;
        }
        canvas
    }
}

fn ends(ticks: &[f64]) -> (f64, f64) {
    match ticks {
        [first, .., last] => (*first, *last),
        _ => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn a_gap_interrupts_the_line() {
        let points = vec![
            (0.0, 1.0),
            (1.0, 2.0),
            (2.0, f64::NAN),
            (3.0, 1.0),
            (4.0, 4.0),
        ];
        let series = vec![Series {
            name: "loss".into(),
            mark: Mark::Line,
            points,
            ..Series::default()
        }];
        let svg = Chart::Lines(Lines {
            series,
            ..Lines::default()
        })
        .inline();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 4);
    }

    #[test]
    fn the_axis_starts_at_nothing() {
        let series = vec![Series {
            points: vec![(5.0, 0.2), (10.0, 0.4)],
            ..Series::default()
        }];
        let svg = Chart::Lines(Lines {
            series,
            y_format: Format::Share,
            ..Lines::default()
        })
        .inline();
        assert!(svg.contains(">0\u{a0}%</text>"));
    }
}
