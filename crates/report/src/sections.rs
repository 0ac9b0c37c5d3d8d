//! The parts of the page, each made only when there is something to show.

use std::fmt::Write as _;

use rayon::prelude::*;

use crate::codebook::codebook;
use crate::distribution;
use crate::glossary::words;
use crate::number::{count, percent};
use crate::sample::sample;
use crate::sign_off::sign_off;
use crate::statistics::statistics;
use crate::text::{label, prose};
use crate::{Bar, Bars, Chart, Format, Language, Report, class_size_bars};

/// One part of the page; `lead` and `body` are HTML.
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) short: String,
    pub(crate) heading: String,
    pub(crate) lead: String,
    pub(crate) body: String,
}

/// All parts that have something to show, in reading order.
pub(crate) fn all(report: &Report) -> Vec<Section> {
    let makers: [fn(&Report) -> Option<Section>; 13] = [
        claims, risk, attacks, losses, statistics, values, sample, figures, codebook, attempts,
        origin, words, sign_off,
    ];
    makers.iter().filter_map(|make| make(report)).collect()
}

fn unit(report: &Report) -> String {
    if report.unit.is_empty() {
        report.language.say("word.records", &[])
    } else {
        report.unit.clone()
    }
}

fn claims(report: &Report) -> Option<Section> {
    if report.claims.is_empty() {
        return None;
    }
    let language = report.language;
    let (asked, measured) = (
        language.say("claims.asked", &[]),
        language.say("claims.measured", &[]),
    );
    let mut body = format!(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>{}</th><th>{asked}</th><th>{measured}</th><th>{}</th></tr></thead>\n<tbody>\n",
        language.say("claims.promised", &[]),
        language.say("claims.result", &[]),
    );
    for claim in &report.claims {
        let sentence = if claim.explanation.is_empty() {
            let values = [("promise", claim.promise.as_str()), ("asked", &claim.asked)];
            language.say("claims.plain", &values)
        } else {
            claim.explanation.clone()
        };
        let about = claim
            .attribute
            .as_deref()
            .map(|name| format!(" ({})", label(name)))
            .unwrap_or_default();
        let check = if claim.recheckable {
            language.say("claims.recheckable", &[])
        } else {
            language.say("claims.attested", &[])
        };
        let (class, words) = match claim.holds {
            Some(true) => ("good", language.say("claims.holds", &[])),
            Some(false) => ("bad", language.say("claims.fails", &[])),
            None => ("quiet", language.say("claims.open", &[])),
        };
        let badge = format!("<span class=\"badge {class}\">{words}</span>");
        let _ = writeln!(
            body,
            "<tr><td>{}<span class=\"soft\">{}{about} · {check}</span></td><td data-name=\"{asked}\">{}</td><td data-name=\"{measured}\">{}</td><td>{badge}</td></tr>",
            prose(&sentence),
            label(&claim.promise),
            label(&claim.asked),
            label(&claim.measured),
        );
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "promises",
        short: language.say("claims.short", &[]),
        heading: language.say("claims.heading", &[]),
        lead: language.say("claims.lead", &[]),
        body,
    })
}

fn risk(report: &Report) -> Option<Section> {
    let (language, unit) = (report.language, unit(report));
    let mut body = String::new();
    let mut cards = 0;
    if let Some(risk) = &report.risk {
        if !risk.bands.is_empty() {
            let both = risk.bands.iter().any(|bar| bar.values.len() > 1);
            let series: Vec<String> = if both {
                vec![
                    language.say("word.before", &[]),
                    language.say("word.after", &[]),
                ]
            } else {
                vec![language.say("risk.share", &[])]
            };
            let chart = Bars {
                title: language.say("risk.bands", &[]),
                description: language.say("risk.bands.description", &[]),
                series: series.clone(),
                bars: risk.bands.clone(),
                format: Format::Share,
                rest: None,
                full: None,
            };
            card(
                &mut body,
                &language.say("risk.bands", &[]),
                &language.say("risk.bands.line", &[]),
                &[(String::new(), Chart::Bars(chart))],
                &table(
                    language,
                    &language.say("risk.chance", &[]),
                    &series,
                    &risk.bands,
                    Format::Share,
                ),
            );
            cards += 1;
        }
        if !risk.headlines.is_empty() {
            body.push_str("<div class=\"card\"><dl class=\"risks\">\n");
            for headline in &risk.headlines {
                let _ = writeln!(
                    body,
                    "<div><dt>{}</dt><dd class=\"turn\">{}</dd><dd class=\"why\">{}</dd></div>",
                    label(&headline.name),
                    turn(headline.before, headline.after),
                    prose(&headline.explanation)
                );
            }
            body.push_str("</dl></div>\n");
            cards += 1;
        }
    }
    if !report.class_sizes.is_empty() {
        let bars = class_size_bars(&report.class_sizes, language);
        let classes = report
            .class_sizes
            .iter()
            .fold(0_u64, |sum, size| sum.saturating_add(size.classes));
        let used = || {
            report
                .class_sizes
                .iter()
                .filter(|size| size.classes > 0)
                .map(|size| size.size)
        };
        let (smallest, largest) = (used().min().unwrap_or(0), used().max().unwrap_or(0));
        let series = vec![language.say("word.classes", &[])];
        let chart = Bars {
            title: language.say("risk.sizes", &[]),
            description: language.say("risk.sizes.description", &[("unit", &unit)]),
            series: series.clone(),
            bars: bars.clone(),
            format: Format::Count,
            rest: None,
            full: None,
        };
        card(
            &mut body,
            &language.say("risk.sizes", &[]),
            &{
                let (classes, unit) = (count(classes), label(&unit));
                let (smallest, largest) = (count(smallest), count(largest));
                let values = [
                    ("classes", classes.as_str()),
                    ("unit", &unit),
                    ("smallest", &smallest),
                    ("largest", &largest),
                ];
                if classes == "1" {
                    language.say("risk.sizes.line-one", &values)
                } else {
                    language.say("risk.sizes.line", &values)
                }
            },
            &[(String::new(), Chart::Bars(chart))],
            &table(
                language,
                &language.say("risk.size", &[]),
                &series,
                &bars,
                Format::Count,
            ),
        );
        cards += 1;
    }
    if cards == 0 {
        return None;
    }
    Some(Section {
        id: "risk",
        short: language.say("risk.short", &[]),
        heading: language.say("risk.heading", &[]),
        lead: language.say("risk.lead", &[]),
        body: if cards == 1 {
            body
        } else {
            format!("<div class=\"flow\">{body}</div>\n")
        },
    })
}

fn losses(report: &Report) -> Option<Section> {
    if report.losses.is_empty() {
        return None;
    }
    let language = report.language;
    let mut losses: Vec<&crate::Loss> = report.losses.iter().collect();
    // What lost most comes first; equals stay in the order given.
    losses.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    let bars: Vec<Bar> = losses
        .iter()
        .map(|loss| Bar {
            label: loss.attribute.clone(),
            values: vec![loss.loss],
        })
        .collect();
    let chart = Bars {
        title: language.say("losses.each", &[]),
        description: language.say("losses.line", &[]),
        series: vec![language.say("losses.loss", &[])],
        bars,
        format: Format::Share,
        rest: None,
        full: Some(1.0),
    };
    let mut how = format!(
        "<div class=\"card\"><table>\n<thead><tr><th>{}</th><th>{}</th><th class=\"n\">{}</th></tr></thead>\n<tbody>\n",
        language.say("statistics.column", &[]),
        language.say("losses.how", &[]),
        language.say("losses.loss", &[]),
    );
    for loss in losses {
        let _ = writeln!(
            how,
            "<tr><td class=\"name\">{}</td><td>{}</td><td class=\"n\">{}</td></tr>",
            label(&loss.attribute),
            prose(&loss.how),
            percent(loss.loss)
        );
    }
    how.push_str("</tbody></table></div>\n");
    let mut body = String::from("<div class=\"two\">\n");
    card(
        &mut body,
        &language.say("losses.each", &[]),
        &language.say("losses.line", &[]),
        &[(String::new(), Chart::Bars(chart))],
        "",
    );
    body.push_str(&how);
    body.push_str("</div>\n");
    if !report.measures.is_empty() {
        body.push_str(&measures(report));
    }
    Some(Section {
        id: "loss",
        short: language.say("losses.short", &[]),
        heading: language.say("losses.heading", &[]),
        lead: language.say("losses.lead", &[]),
        body,
    })
}

/// Every measure of what was lost, behind a fold.
fn measures(report: &Report) -> String {
    let language = report.language;
    let mut out = format!(
        "<div class=\"card below\"><details><summary>{}</summary><table>\n<thead><tr><th>{}</th><th>{}</th><th class=\"n\">{}</th></tr></thead>\n<tbody>\n",
        language.say("measures.summary", &[]),
        language.say("measures.measure", &[]),
        language.say("measures.range", &[]),
        language.say("measures.value", &[]),
    );
    for measure in &report.measures {
        let _ = writeln!(
            out,
            "<tr><td>{}<span class=\"soft\">{}</span></td><td>{}</td><td class=\"n\">{}</td></tr>",
            prose(&measure.meaning),
            label(&measure.name),
            prose(&measure.range),
            label(&measure.value),
        );
    }
    out.push_str("</tbody></table></details></div>\n");
    out
}

fn values(report: &Report) -> Option<Section> {
    if report.distributions.is_empty() {
        return None;
    }
    let language = report.language;
    let mut body = String::from("<div class=\"flow\">\n");
    let charts: Vec<_> = report
        .distributions
        .par_iter()
        .map(|distribution| distribution::charts(distribution, language))
        .collect();
    for (distribution, charts) in report.distributions.iter().zip(charts) {
        let (before, after) = (
            count(distribution.before.len() as u64),
            count(distribution.after.len() as u64),
        );
        let values = [("before", before.as_str()), ("after", &after)];
        let mut line = if distribution.after.is_empty() {
            language.say("values.not-released", &[])
        } else if distribution.before.is_empty() {
            language.say("values.after", &values[1..])
        } else {
            language.say("values.both", &values)
        };
        if !distribution.how.is_empty() {
            line = format!("{} {line}", sentence(&distribution.how));
        }
        let chip = if distribution.role.is_empty() {
            String::new()
        } else {
            format!(
                " <span class=\"chip\">{}</span>",
                label(&role(&distribution.role, language))
            )
        };
        card(
            &mut body,
            &format!(
                "<span class=\"name\">{}</span>{chip}",
                label(&distribution.attribute)
            ),
            &line,
            &charts,
            "",
        );
    }
    body.push_str("</div>\n");
    Some(Section {
        id: "values",
        short: language.say("values.short", &[]),
        heading: language.say("values.heading", &[]),
        lead: language.say("values.lead", &[]),
        body,
    })
}

/// A role in the words of the glossary; a policy says `quasi` for short.
fn role(name: &str, language: Language) -> String {
    match name {
        "quasi" | "quasi-identifier" => language.say("role.quasi", &[]),
        "sensitive" => language.say("role.sensitive", &[]),
        "insensitive" => language.say("role.insensitive", &[]),
        other => other.to_owned(),
    }
}

fn attacks(report: &Report) -> Option<Section> {
    let (left_out, run): (Vec<_>, Vec<_>) =
        report.attacks.iter().partition(|attack| attack.left_out);
    if report.attacks.is_empty() {
        return None;
    }
    let language = report.language;
    // Without a source there is nothing that an attack achieved before.
    let both = run.iter().any(|attack| attack.rate_before.is_some());
    let (before, after) = (
        language.say("attacks.before", &[]),
        language.say("attacks.after", &[]),
    );
    let mut body = format!(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>{}</th><th>{}</th>{}<th class=\"n\">{after}</th></tr></thead>\n<tbody>\n",
        language.say("attacks.attack", &[]),
        language.say("attacks.knows", &[]),
        if both {
            format!("<th class=\"n\">{before}</th>")
        } else {
            String::new()
        },
    );
    for attack in run {
        let rate = |rate: Option<f64>| rate.map_or_else(|| "n/a".to_owned(), percent);
        let note = if attack.note.is_empty() {
            String::new()
        } else {
            format!("<span class=\"soft\">{}</span>", prose(&attack.note))
        };
        let _ = writeln!(
            body,
            "<tr><td class=\"name\"><b>{}</b></td><td>{}{note}</td>{}<td class=\"n\" data-name=\"{after}\"><b>{}</b></td></tr>",
            label(&attack.name),
            prose(&attack.knows),
            if both {
                let rate = rate(attack.rate_before);
                format!("<td class=\"n\" data-name=\"{before}\">{rate}</td>")
            } else {
                String::new()
            },
            rate(attack.rate_after),
        );
    }
    body.push_str("</tbody></table>");
    if !left_out.is_empty() {
        let _ = write!(
            body,
            "<details><summary>{}</summary><table>\n<tbody>\n",
            language.say("attacks.left-out", &[])
        );
        for attack in left_out {
            let _ = writeln!(
                body,
                "<tr><td>{}</td><td>{}</td></tr>",
                label(&attack.name),
                prose(&attack.knows)
            );
        }
        body.push_str("</tbody></table></details>\n");
    }
    body.push_str("</div>\n");
    Some(Section {
        id: "attacks",
        short: language.say("attacks.short", &[]),
        heading: language.say("attacks.heading", &[]),
        lead: language.say("attacks.lead", &[]),
        body,
    })
}

fn attempts(report: &Report) -> Option<Section> {
    if report.attempts.is_empty() {
        return None;
    }
    let language = report.language;
    let (score, effort) = (
        language.say("attempts.score", &[]),
        language.say("attempts.effort", &[]),
    );
    // A column of dashes says nothing.
    let efforts = report
        .attempts
        .iter()
        .any(|attempt| !attempt.effort.is_empty());
    let mut body = format!(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>{}</th><th>{}</th><th class=\"n\">{score}</th>{}</tr></thead>\n<tbody>\n",
        language.say("attempts.solver", &[]),
        language.say("attempts.outcome", &[]),
        if efforts {
            format!("<th class=\"n\">{effort}</th>")
        } else {
            String::new()
        },
    );
    for attempt in &report.attempts {
        let chosen = if attempt.chosen {
            let chosen = language.say("attempts.chosen", &[]);
            format!(" <span class=\"badge good\">{chosen}</span>")
        } else {
            String::new()
        };
        let note = if attempt.note.is_empty() {
            String::new()
        } else {
            format!("<span class=\"soft\">{}</span>", prose(&attempt.note))
        };
        let shown = |text: &str| {
            if text.is_empty() {
                "\u{2013}".to_owned()
            } else {
                label(text)
            }
        };
        let _ = writeln!(
            body,
            "<tr><td><b>{}</b>{chosen}</td><td>{}{note}</td><td class=\"n\" data-name=\"{score}\">{}</td>{}</tr>",
            label(&attempt.solver),
            shown(&attempt.outcome),
            shown(&attempt.score),
            if efforts {
                let own = shown(&attempt.effort);
                format!("<td class=\"n\" data-name=\"{effort}\">{own}</td>")
            } else {
                String::new()
            },
        );
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "solvers",
        short: language.say("attempts.short", &[]),
        heading: language.say("attempts.heading", &[]),
        lead: language.say("attempts.lead", &[]),
        body,
    })
}

fn figures(report: &Report) -> Option<Section> {
    if report.figures.is_empty() {
        return None;
    }
    let mut body = String::from("<div class=\"flow\">\n");
    for figure in &report.figures {
        card(
            &mut body,
            &label(&figure.title),
            &prose(&figure.caption),
            &[(String::new(), figure.chart.clone())],
            "",
        );
    }
    body.push_str("</div>\n");
    Some(Section {
        id: "figures",
        short: report.language.say("figures.short", &[]),
        heading: report.language.say("figures.heading", &[]),
        lead: String::new(),
        body,
    })
}

fn origin(report: &Report) -> Option<Section> {
    let origin = &report.provenance;
    let language = report.language;
    let mut pairs: Vec<(String, &str)> = Vec::new();
    for (name, value) in [
        (language.say("origin.policy", &[]), &origin.policy),
        (language.say("origin.version", &[]), &origin.version),
    ] {
        if !value.is_empty() {
            pairs.push((name, value));
        }
    }
    let facts = origin.facts.iter();
    pairs.extend(facts.map(|(name, value)| (name.clone(), value.as_str())));
    if pairs.is_empty() && origin.steps.is_empty() && report.notes.is_empty() {
        return None;
    }
    let mut body = String::new();
    if !report.notes.is_empty() {
        body.push_str("<ul class=\"box\">\n");
        for note in &report.notes {
            let _ = writeln!(body, "<li>{}</li>", prose(note));
        }
        body.push_str("</ul>\n");
    }
    if !pairs.is_empty() || !origin.steps.is_empty() {
        body.push_str("<div class=\"card\">\n");
        if !origin.steps.is_empty() {
            body.push_str("<ol>\n");
            for step in &origin.steps {
                let _ = writeln!(body, "<li>{}</li>", prose(step));
            }
            body.push_str("</ol>\n");
        }
        if !pairs.is_empty() {
            body.push_str("<dl class=\"pairs\">\n");
            for (name, value) in pairs {
                let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", label(&name), label(value));
            }
            body.push_str("</dl>\n");
        }
        body.push_str("</div>\n");
    }
    Some(Section {
        id: "origin",
        short: language.say("origin.short", &[]),
        heading: language.say("origin.heading", &[]),
        lead: if origin.steps.is_empty() {
            String::new()
        } else {
            language.say("origin.lead", &[])
        },
        body,
    })
}

/// A card with a heading, a line and charts; `heading`, `line` and `after` are HTML.
fn card(body: &mut String, heading: &str, line: &str, charts: &[(String, Chart)], after: &str) {
    let _ = writeln!(body, "<div class=\"card\"><h3>{heading}</h3><p>{line}</p>");
    for (side, chart) in charts {
        if !side.is_empty() {
            let _ = write!(body, "<div class=\"side\">{side}</div>");
        }
        body.push_str(&chart.inline());
    }
    body.push_str(after);
    body.push_str("</div>\n");
}

/// The figures of a chart as a table that opens on demand.
fn table(
    language: Language,
    what: &str,
    series: &[String],
    bars: &[Bar],
    format: Format,
) -> String {
    let summary = language.say("word.as-table", &[]);
    let mut out =
        format!("<details><summary>{summary}</summary><table>\n<thead><tr><th>{what}</th>");
    for name in series {
        let _ = write!(out, "<th class=\"n\">{}</th>", label(name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for bar in bars {
        let _ = write!(out, "<tr><td>{}</td>", label(&bar.label));
        for value in &bar.values {
            let _ = write!(out, "<td class=\"n\">{}</td>", format.text(*value));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></details>\n");
    out
}

/// `100 % → 20 %`, with what is known.
fn turn(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) => format!(
            "<span class=\"was\">{}</span><span class=\"to\" aria-label=\"to\">→</span>{}",
            percent(before),
            percent(after)
        ),
        (Some(only), None) | (None, Some(only)) => percent(only),
        (None, None) => "n/a".to_owned(),
    }
}

/// Words as a sentence: a capital in front, a period behind.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let text = chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + chars.as_str()
    });
    let end = if text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{}{end}", prose(&text))
}
