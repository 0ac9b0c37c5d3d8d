//! The part of the page that says what columns and labels mean.

use std::fmt::Write as _;

use crate::Report;
use crate::sections::Section;
use crate::text::{label, prose};

/// What the columns mean, where the report says it.
pub(crate) fn codebook(report: &Report) -> Option<Section> {
    if report.codebook.is_empty() {
        return None;
    }
    let language = report.language;
    let mut body = format!(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>{}</th><th>{}</th></tr></thead>\n<tbody>\n",
        language.say("statistics.column", &[]),
        language.say("codebook.means", &[]),
    );
    for column in &report.codebook {
        let _ = write!(
            body,
            "<tr><td class=\"name\"><b>{}</b><span class=\"soft\">{}</span></td><td>{}",
            label(&column.column),
            label(&column.role),
            prose(&column.shows),
        );
        if !column.labels.is_empty() {
            body.push_str("<dl class=\"labels\">");
            for (name, means) in &column.labels {
                let _ = write!(body, "<dt>{}</dt><dd>{}</dd>", label(name), prose(means));
            }
            body.push_str("</dl>");
        }
        if column.more {
            let _ = write!(
                body,
                "<span class=\"soft\">{}</span>",
                language.say("codebook.more", &[])
            );
        }
        body.push_str("</td></tr>\n");
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "codebook",
        short: language.say("codebook.short", &[]),
        heading: language.say("codebook.heading", &[]),
        lead: String::new(),
        body,
    })
}
