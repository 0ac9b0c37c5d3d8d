//! Charts as SVG: horizontal bars, columns, lines and grids, drawn to be read on paper, on a phone and in the dark.

mod bars;
mod canvas;
mod columns;
mod grid;
mod lines;

pub use bars::{Bar, Bars};
pub use columns::Columns;
pub(crate) use columns::MERGED;
pub use grid::Grid;
pub use lines::{Lines, Mark, Series};

use crate::{Language, number};

/// Colors and type of the charts; the page takes it as it is, a standalone SVG carries it inside.
pub(crate) const STYLE: &str = include_str!("chart.css");

/// Any chart.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    /// One or several horizontal bars per label.
    Bars(Bars),
    /// One or several columns per label, in order.
    Columns(Columns),
    /// Lines or dots over two numeric axes.
    Lines(Lines),
    /// Shades over two axes of labels.
    Grid(Grid),
}

/// How a chart writes its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// `0.25` reads `25 %`.
    Share,
    /// `1234.0` reads `1,234`.
    Count,
    /// `0.14286` reads `0.1429`.
    #[default]
    Number,
}

impl Chart {
    /// The chart as an `svg` element for a page that has the charts' style.
    pub fn inline(&self) -> String {
        self.draw().finish(None)
    }

    /// The chart as an SVG file of its own, with its style inside.
    pub fn standalone(&self) -> String {
        self.draw().finish(Some(STYLE))
    }

    fn draw(&self) -> canvas::Canvas {
        match self {
            Chart::Bars(bars) => bars.draw(),
            Chart::Columns(columns) => columns.draw(),
            Chart::Lines(lines) => lines.draw(),
            Chart::Grid(grid) => grid.draw(),
        }
    }
}

impl Format {
    /// The value as text under others of its kind: the same number of decimals in every row.
    fn row(self, value: f64) -> String {
        match self {
            Format::Share if (0.001..0.999).contains(&value) => {
                format!("{:.1}\u{a0}%", value * 100.0)
            }
            _ => self.text(value),
        }
    }

    /// The value as text.
    pub fn text(self, value: f64) -> String {
        match self {
            Format::Share => number::percent(value),
            Format::Count if value.is_finite() && value >= 0.0 => {
                number::count(number::whole(value.round()) as u64)
            }
            Format::Count | Format::Number => number::decimal(value),
        }
    }
}

/// The largest drawable value, or 1 when there is none: an axis must have a length.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    let max = values.filter(|v| v.is_finite()).fold(0.0, f64::max);
    if max > 0.0 { max } else { 1.0 }
}

/// The classes that color the series; a lone series has the color of "after", unless it is called "before".
fn colors(names: &[String]) -> Vec<String> {
    match names {
        [] => vec!["s1".to_owned()],
        [name] => {
            let before = Language::ALL
                .iter()
                .any(|(_, language)| *name == language.say("word.before", &[]));
            vec![if before { "s0" } else { "s1" }.to_owned()]
        }
        _ => (0..names.len()).map(|i| format!("s{}", i % 6)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest check that an SVG is well-formed: every element that opens closes, in order.
    pub(crate) fn well_formed(svg: &str) {
        let mut open = Vec::new();
        for tag in svg.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    fn hostile() -> Vec<Bar> {
        vec![
            Bar {
                label: "<script>alert(1)</script>".into(),
                values: vec![f64::NAN, 0.4],
            },
            Bar {
                label: "x".repeat(10_000),
                values: vec![f64::INFINITY, -3.0],
            },
            Bar {
                label: String::new(),
                values: vec![],
            },
        ]
    }

    #[test]
    fn hostile_input_draws() {
        let series = vec!["\"><b>".to_owned(), "\0".to_owned()];
        let points = vec![
            (0.0, f64::NAN),
            (1e300, -1e300),
            (f64::INFINITY, 2.0),
            (3.0, 4.0),
        ];
        let charts = [
            Chart::Bars(Bars {
                bars: hostile(),
                series: series.clone(),
                ..Bars::default()
            }),
            Chart::Columns(Columns {
                bars: hostile(),
                series: series.clone(),
                ..Columns::default()
            }),
            Chart::Lines(Lines {
                series: vec![Series {
                    name: "<i>".into(),
                    mark: Mark::Line,
                    points,
                    labels: vec!["<b>".into()],
                    links: vec!["\"><b>".into(); 4],
                }],
                ..Lines::default()
            }),
            Chart::Grid(Grid {
                columns: series.clone(),
                rows: series,
                values: vec![vec![f64::NAN], vec![1.0, 2.0, 3.0], vec![4.0]],
                ..Grid::default()
            }),
            Chart::Bars(Bars::default()),
            Chart::Columns(Columns::default()),
            Chart::Lines(Lines::default()),
            Chart::Grid(Grid::default()),
        ];
        for chart in charts {
            for svg in [chart.inline(), chart.standalone()] {
                well_formed(&svg);
                assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\0'));
                assert!(svg.len() < 12_000, "{}", svg.len());
            }
        }
    }

    #[test]
    fn standalone_needs_nothing_else() {
        let svg = Chart::Lines(Lines::default()).standalone();
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(svg.contains("<style>") && !svg.contains("var(--page"));
    }
}
