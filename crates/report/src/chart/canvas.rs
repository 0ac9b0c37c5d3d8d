//! The sheet a chart is drawn on: a few shapes, all text escaped, all coordinates rounded.

use std::fmt::Write as _;

use crate::number::coordinate as c;
use crate::text::{self, escape, shorten};

/// Width of every chart in its own units. Narrow, so that its type stays readable when a phone scales it down.
pub(crate) const WIDTH: f64 = 410.0;

/// Empty space around a chart that stands alone.
const MARGIN: f64 = 20.0;

/// How much larger than in a page a chart is that has a window of its own.
const SCALE: f64 = 2.0;

/// Where a text is anchored.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG in the making.
pub(crate) struct Canvas {
    title: String,
    description: String,
    body: String,
    /// Grows with what is drawn.
    pub(crate) height: f64,
}

impl Canvas {
    pub(crate) fn new(title: &str, description: &str) -> Canvas {
        Canvas {
            title: title.to_owned(),
            description: description.to_owned(),
            body: String::new(),
            height: 0.0,
        }
    }

    /// A rectangle with a tooltip.
    pub(crate) fn rect(&mut self, class: &str, (x, y): (f64, f64), (w, h): (f64, f64), tip: &str) {
        let radius = if w.min(h) >= 5.0 { " rx=\"2\"" } else { "" };
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{radius}",
            c(x),
            c(y),
            c(w.max(0.0)),
            c(h.max(0.0))
        );
        self.close("rect", tip);
    }

    /// A rectangle in the color of "after", as strong as `strength` (0 to 1).
    pub(crate) fn shade(
        &mut self,
        strength: f64,
        (x, y): (f64, f64),
        (w, h): (f64, f64),
        tip: &str,
    ) {
        let _ = write!(
            self.body,
            "<rect class=\"s1\" fill-opacity=\"{:.2}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            strength.clamp(0.0, 1.0),
            c(x),
            c(y),
            c(w),
            c(h)
        );
        self.close("rect", tip);
    }

    /// A dot with a tooltip.
    pub(crate) fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, tip: &str) {
        let _ = write!(
            self.body,
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"",
            c(x),
            c(y),
            c(radius)
        );
        self.close("circle", tip);
    }

    /// What follows leads to `target`, until [`Canvas::close_link`]; nothing for an empty one.
    pub(crate) fn open_link(&mut self, target: &str) {
        if !target.is_empty() {
            let _ = write!(self.body, "<a href=\"{}\">", escape(target));
        }
    }

    /// The end of what leads to `target`.
    pub(crate) fn close_link(&mut self, target: &str) {
        if !target.is_empty() {
            self.body.push_str("</a>");
        }
    }

    fn close(&mut self, element: &str, tip: &str) {
        if tip.is_empty() {
            self.body.push_str("/>");
        } else {
            let _ = write!(
                self.body,
                "><title>{}</title></{element}>",
                escape(&shorten(tip, 160))
            );
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            c(x1),
            c(y1),
            c(x2),
            c(y2)
        );
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let list: Vec<String> = points
            .iter()
            .map(|&(x, y)| format!("{},{}", c(x), c(y)))
            .collect();
        let _ = write!(
            self.body,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            list.join(" ")
        );
    }

    /// A text on the baseline `y`.
    pub(crate) fn text(&mut self, class: &str, anchor: Anchor, (x, y): (f64, f64), text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = if class.is_empty() {
            String::new()
        } else {
            format!(" class=\"{class}\"")
        };
        let _ = write!(
            self.body,
            "<text{class}{anchor} x=\"{}\" y=\"{}\">{}</text>",
            c(x),
            c(y),
            escape(text)
        );
    }

    /// The names of the series beside their colors, in as many rows as they need; nothing for a single series.
    pub(crate) fn legend(&mut self, classes: &[String], names: &[String]) {
        if names.len() < 2 {
            return;
        }
        let (mut x, mut y) = (0.0, 0.0);
        for (class, name) in classes.iter().zip(names) {
            let name = text::fit(name, 200.0);
            let width = text::width(&name) + 34.0;
            if x > 0.0 && x + width > WIDTH {
                (x, y) = (0.0, y + 19.0);
            }
            self.rect(class, (x, y + 3.0), (11.0, 11.0), "");
            self.text("soft", Anchor::Start, (x + 17.0, y + 13.0), &name);
            x += width;
        }
        self.height += y + 26.0;
    }

    /// The `svg` element; with its own namespace, style, paper and visible title when it is to stand alone.
    pub(crate) fn finish(self, style: Option<&str>) -> String {
        let height = self.height.max(1.0).ceil();
        let title = escape(&shorten(&self.title, 160));
        let description = if self.description.is_empty() {
            String::new()
        } else {
            format!("<desc>{}</desc>", escape(&shorten(&self.description, 400)))
        };
        let named =
            format!("role=\"img\" aria-label=\"{title}\"><title>{title}</title>{description}");
        let body = self.body;
        let Some(style) = style else {
            let size = format!("{} {}", c(WIDTH), c(height));
            return format!("<svg class=\"chart\" viewBox=\"0 0 {size}\" {named}{body}</svg>\n");
        };
        let head = if self.title.is_empty() { 0.0 } else { 30.0 };
        let (wide, tall) = (WIDTH + 2.0 * MARGIN, height + 2.0 * MARGIN + head);
        let (shown_wide, shown_tall) = (c(SCALE * wide), c(SCALE * tall));
        let (wide, tall) = (c(wide), c(tall));
        let (left, top) = (c(-MARGIN), c(-MARGIN - head));
        let heading = escape(&text::fit(&self.title, WIDTH * 0.8));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{shown_wide}\" height=\"{shown_tall}\" class=\"chart\" viewBox=\"{left} {top} {wide} {tall}\" {named}<style>{style}</style><rect class=\"paper\" x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{tall}\"/><text class=\"heading\" x=\"0\" y=\"-17\">{heading}</text>{body}</svg>\n"
        )
    }
}
