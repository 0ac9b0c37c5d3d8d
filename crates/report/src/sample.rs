//! Some records of the source beside what became of them; only the steward sees it.

use std::fmt::Write as _;

use crate::sections::Section;
use crate::text::label;
use crate::{Audience, Report};

/// The sample, where there is one and the reader is the steward.
pub(crate) fn sample(report: &Report) -> Option<Section> {
    let sample = report.sample.as_ref()?;
    if report.audience != Audience::Steward || sample.rows.is_empty() {
        return None;
    }
    let language = report.language;
    let mut body =
        String::from("<div class=\"card\"><table class=\"pairs-of-rows\">\n<thead><tr><th></th>");
    for column in &sample.columns {
        let _ = write!(body, "<th>{}</th>", label(column));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    let (source, release) = (
        language.say("sample.source", &[]),
        language.say("sample.release", &[]),
    );
    for (before, after) in &sample.rows {
        let _ = write!(
            body,
            "<tr class=\"source\"><td class=\"soft\">{source}</td>"
        );
        for cell in before {
            let _ = write!(body, "<td>{}</td>", label(cell));
        }
        let _ = write!(
            body,
            "</tr>\n<tr class=\"release\"><td class=\"soft\">{release}</td>"
        );
        match after {
            Some(cells) => {
                for (cell, was) in cells.iter().zip(before) {
                    let class = if cell == was { "" } else { " class=\"new\"" };
                    let _ = write!(body, "<td{class}>{}</td>", label(cell));
                }
            }
            None => {
                let _ = write!(
                    body,
                    "<td class=\"soft\" colspan=\"{}\">{}</td>",
                    sample.columns.len().max(1),
                    language.say("sample.removed", &[])
                );
            }
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "sample",
        short: language.say("sample.short", &[]),
        heading: language.say("sample.heading", &[]),
        lead: language.say("sample.lead", &[]),
        body,
    })
}
