//! The part of the page that a statistician turns to first: means, deviations, quartiles, correlations and cross tables.

use std::fmt::Write as _;

use crate::number::{decimal, percent};
use crate::sections::Section;
use crate::text::{label, prose};
use crate::{CrossTable, Figures, Language, Report};

/// Statistics before and after, where there are any.
pub(crate) fn statistics(report: &Report) -> Option<Section> {
    let language = report.language;
    let found = &report.statistics;
    let mut body = String::new();
    if !found.numbers.is_empty() {
        let _ = write!(
            body,
            "<div class=\"card\"><h3>{}</h3><p>{}</p><table>\n<thead><tr><th>{}</th>",
            language.say("statistics.numbers", &[]),
            language.say("statistics.numbers.line", &[]),
            language.say("statistics.column", &[]),
        );
        for name in [
            language.say("statistics.mean", &[]),
            language.say("statistics.deviation", &[]),
            language.say("statistics.first-quartile", &[]),
            language.say("statistics.median", &[]),
            language.say("statistics.third-quartile", &[]),
        ] {
            let _ = write!(body, "<th class=\"n\">{name}</th>");
        }
        body.push_str("</tr></thead>\n<tbody>\n");
        for moments in &found.numbers {
            let both = |of: fn(&Figures) -> f64| {
                let read = |side: Option<Figures>| {
                    side.map_or_else(|| "n/a".to_owned(), |figures| decimal(of(&figures)))
                };
                changed(&read(moments.before), &read(moments.after))
            };
            let _ = write!(
                body,
                "<tr><td class=\"name\">{}</td>",
                label(&moments.attribute)
            );
            let columns: [fn(&Figures) -> f64; 5] = [
                |figures| figures.mean,
                |figures| figures.deviation,
                |figures| figures.quartiles[0],
                |figures| figures.quartiles[1],
                |figures| figures.quartiles[2],
            ];
            for column in columns {
                let _ = write!(body, "<td class=\"n\">{}</td>", both(column));
            }
            body.push_str("</tr>\n");
        }
        body.push_str("</tbody></table></div>\n");
    }
    if !found.correlations.is_empty() {
        let _ = write!(
            body,
            "<div class=\"card\"><h3>{}</h3><p>{}</p><table>\n<thead><tr><th>{}</th><th class=\"n\">{}</th><th class=\"n\">{}</th></tr></thead>\n<tbody>\n",
            language.say("statistics.correlations", &[]),
            language.say("statistics.correlations.line", &[]),
            language.say("statistics.pair", &[]),
            language.say("word.before", &[]),
            language.say("word.after", &[]),
        );
        for pair in &found.correlations {
            let _ = writeln!(
                body,
                "<tr><td class=\"name\">{}, {}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
                label(&pair.attributes.0),
                label(&pair.attributes.1),
                coefficient(pair.before),
                coefficient(pair.after),
            );
        }
        body.push_str("</tbody></table></div>\n");
    }
    for table in &found.cross_tables {
        cross_table(&mut body, table, language);
    }
    if body.is_empty() {
        return None;
    }
    Some(Section {
        id: "statistics",
        short: language.say("statistics.short", &[]),
        heading: language.say("statistics.heading", &[]),
        lead: language.say("statistics.lead", &[]),
        body: format!("<div class=\"stacked\">{body}</div>\n"),
    })
}

/// A correlation to two places; one that rounds to nothing has no sign.
fn coefficient(value: f64) -> String {
    match value {
        value if !value.is_finite() => "n/a".to_owned(),
        value if value.abs() < 0.005 => "0".to_owned(),
        value => format!("{value:.2}"),
    }
}

/// A figure before and after, once where it is the same.
fn changed(before: &str, after: &str) -> String {
    if before == after {
        label(after)
    } else {
        format!(
            "<span class=\"was\">{}</span> {}",
            label(before),
            label(after)
        )
    }
}

fn cross_table(body: &mut String, table: &CrossTable, language: Language) {
    let (rows, columns) = (&table.attributes.0, &table.attributes.1);
    let _ = write!(
        body,
        "<div class=\"card\"><h3>{}</h3><p>{}</p><table>\n<thead><tr><th>{}</th>",
        prose(&language.say("statistics.cross", &[("rows", rows), ("columns", columns)])),
        language.say("statistics.cross.line", &[]),
        label(rows),
    );
    for column in &table.columns {
        let _ = write!(body, "<th class=\"n\">{}</th>", label(column));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for (name, cells) in table.rows.iter().zip(&table.cells) {
        let _ = write!(body, "<tr><td class=\"name\">{}</td>", label(name));
        for (before, after) in cells {
            let _ = write!(
                body,
                "<td class=\"n\">{}</td>",
                changed(&percent(*before), &percent(*after))
            );
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody></table></div>\n");
}
