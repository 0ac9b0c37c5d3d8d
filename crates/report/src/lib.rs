//! HTML and SVG from plain data: the report a data steward reads before a release leaves the house.
//!
//! A [`Report`] is a plain struct; [`html`] turns it into one page that needs nothing else: no script, no font, no
//! network. The charts are public too, so that a frontier or a window series can be written as an SVG file of its own with
//! [`Chart::standalone`]. Nothing here reads a clock, a file or the environment: the same report gives the same bytes.
//!
//! Labels come from data and are treated as hostile: escaped, stripped of control characters and cut to a readable length.
//!
//! ```
//! use denym_report::{Claim, Outcome, Report, html};
//!
//! let report = Report {
//!     title: "Discharges".into(),
//!     outcome: Outcome::Released,
//!     claims: vec![Claim {
//!         promise: "k-anonymity".into(),
//!         asked: "at least 5".into(),
//!         measured: "7".into(),
//!         holds: Some(true),
//!         ..Claim::default()
//!     }],
//!     ..Report::default()
//! };
//! assert!(html(&report).starts_with("<!doctype html>"));
//! ```

mod bins;
mod chart;
mod codebook;
mod distribution;
mod finding;
mod glossary;
mod histogram;
mod language;
mod number;
mod page;
mod report;
mod sample;
mod sections;
mod sign_off;
mod statistics;
mod text;

pub use bins::{class_size_bars, class_sizes, risk_bars};
pub use chart::{Bar, Bars, Chart, Columns, Format, Grid, Lines, Mark, Series};
pub use distribution::values_chart;
pub use finding::{Finding, Severity};
pub use language::Language;
pub use number::{count, decimal, percent};
pub use page::{html, style};
pub use report::{
    About, Attack, Attempt, Audience, Claim, ClassSize, Correlation, Count, CrossTable,
    Distribution, Explained, Fact, Figure, Figures, Headline, Loss, Measure, Moments, Outcome,
    Provenance, Report, Risk, Sample, SignOff, Statistics,
};
pub use text::{escape, shorten};
