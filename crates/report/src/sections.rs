//! The parts of the page, each made only when there is something to show.

use std::fmt::Write as _;

use rayon::prelude::*;

use crate::distribution;
use crate::glossary::words;
use crate::number::{count, percent};
use crate::text::{label, prose};
use crate::{Bar, Bars, Chart, Format, Report, class_size_bars};

/// One part of the page; `lead` and `body` are HTML.
pub(crate) struct Section {
    pub(crate) id: &'static str,
    pub(crate) short: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) lead: String,
    pub(crate) body: String,
}

/// All parts that have something to show, in reading order.
pub(crate) fn all(report: &Report) -> Vec<Section> {
    let makers: [fn(&Report) -> Option<Section>; 9] = [
        claims, risk, losses, values, attacks, attempts, figures, origin, words,
    ];
    makers.iter().filter_map(|make| make(report)).collect()
}

fn unit(report: &Report) -> &str {
    if report.unit.is_empty() {
        "records"
    } else {
        &report.unit
    }
}

fn claims(report: &Report) -> Option<Section> {
    if report.claims.is_empty() {
        return None;
    }
    let mut body = String::from(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>What was promised</th><th>Asked</th><th>Measured</th><th>Result</th></tr></thead>\n<tbody>\n",
    );
    for claim in &report.claims {
        let sentence = if claim.explanation.is_empty() {
            format!(
                "The promise {} was asked for: {}.",
                claim.promise, claim.asked
            )
        } else {
            claim.explanation.clone()
        };
        let about = claim
            .attribute
            .as_deref()
            .map(|name| format!(" on {}", label(name)))
            .unwrap_or_default();
        let check = if claim.recheckable {
            "anyone can re-check it from the release"
        } else {
            "attested: re-checking it needs the source"
        };
        let badge = match claim.holds {
            Some(true) => "<span class=\"badge good\">✓ holds</span>",
            Some(false) => "<span class=\"badge bad\">✗ does not hold</span>",
            None => "<span class=\"badge quiet\">not measured</span>",
        };
        let _ = writeln!(
            body,
            "<tr><td>{}<span class=\"soft\">{}{about} · {check}</span></td><td data-name=\"Asked\">{}</td><td data-name=\"Measured\">{}</td><td>{badge}</td></tr>",
            prose(&sentence),
            label(&claim.promise),
            label(&claim.asked),
            label(&claim.measured),
        );
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "promises",
        short: "Promises",
        heading: "What was promised, and what was measured",
        lead: "Every promise was measured again on the finished data, by code that shares nothing with the code that made it.".into(),
        body,
    })
}

fn risk(report: &Report) -> Option<Section> {
    let unit = unit(report);
    let mut body = String::new();
    let mut cards = 0;
    if let Some(risk) = &report.risk {
        if !risk.bands.is_empty() {
            let both = risk.bands.iter().any(|bar| bar.values.len() > 1);
            let series: Vec<String> = if both {
                vec!["before".into(), "after".into()]
            } else {
                vec!["share".into()]
            };
            let chart = Bars {
                title: "Chance of being found, before and after".into(),
                description: "Share of the records in each band of risk, worst band first.".into(),
                series: series.clone(),
                bars: risk.bands.clone(),
                format: Format::Share,
                rest: None,
                full: None,
            };
            card(
                &mut body,
                "Chance of being found",
                "Share of all records by how likely someone who knows every linkable detail picks the right person. Less at the top is better.",
                &[("", Chart::Bars(chart))],
                &table("Chance", &series, &risk.bands, Format::Share),
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
        let bars = class_size_bars(&report.class_sizes);
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
        let series = vec!["classes".to_owned()];
        let chart = Bars {
            title: "Class sizes after".into(),
            description: format!("Number of classes by how many {unit} look the same."),
            series: series.clone(),
            bars: bars.clone(),
            format: Format::Count,
            rest: None,
            full: None,
        };
        card(
            &mut body,
            "How many look the same",
            &format!(
                "{} {} in the release. The smallest has {} {unit}, the largest {}.",
                count(classes),
                if classes == 1 {
                    "class of look-alikes is"
                } else {
                    "classes of look-alikes are"
                },
                count(smallest),
                count(largest),
                unit = label(unit),
            ),
            &[("", Chart::Bars(chart))],
            &table("Class size", &series, &bars, Format::Count),
        );
        cards += 1;
    }
    if cards == 0 {
        return None;
    }
    Some(Section {
        id: "risk",
        short: "Risk",
        heading: "How easily someone could be found",
        lead: "The adversary is assumed to know every linkable detail of a person and to look for that person in the data.".into(),
        body: if cards == 1 { body } else { format!("<div class=\"flow\">{body}</div>\n") },
    })
}

fn losses(report: &Report) -> Option<Section> {
    if report.losses.is_empty() {
        return None;
    }
    let bars: Vec<Bar> = report
        .losses
        .iter()
        .map(|loss| Bar {
            label: loss.attribute.clone(),
            values: vec![loss.loss],
        })
        .collect();
    let chart = Bars {
        title: "Loss of each attribute".into(),
        description: "0 % is as detailed as the source, 100 % is nothing left.".into(),
        series: vec!["loss".into()],
        bars,
        format: Format::Share,
        rest: None,
        full: Some(1.0),
    };
    let mut how = String::from(
        "<div class=\"card\"><table>\n<thead><tr><th>Attribute</th><th>What was done</th><th class=\"n\">Loss</th></tr></thead>\n<tbody>\n",
    );
    for loss in &report.losses {
        let _ = writeln!(
            how,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td></tr>",
            label(&loss.attribute),
            prose(&loss.how),
            percent(loss.loss)
        );
    }
    how.push_str("</tbody></table></div>\n");
    let mut body = String::from("<div class=\"two\">\n");
    card(
        &mut body,
        "Loss of each attribute",
        "0 % is as detailed as the source, 100 % is nothing left.",
        &[("", Chart::Bars(chart))],
        "",
    );
    body.push_str(&how);
    body.push_str("</div>\n");
    Some(Section {
        id: "loss",
        short: "Loss",
        heading: "What the data lost",
        lead: "Safety costs detail. This is how much each attribute gave up.".into(),
        body,
    })
}

fn values(report: &Report) -> Option<Section> {
    if report.distributions.is_empty() {
        return None;
    }
    let mut body = String::from("<div class=\"flow\">\n");
    let charts: Vec<_> = report
        .distributions
        .par_iter()
        .map(distribution::charts)
        .collect();
    for (distribution, charts) in report.distributions.iter().zip(charts) {
        let name = |n: usize| {
            format!(
                "{} {}",
                count(n as u64),
                if n == 1 { "value" } else { "values" }
            )
        };
        let mut line = if distribution.after.is_empty() {
            "Not released.".to_owned()
        } else if distribution.before.is_empty() {
            format!("{}.", name(distribution.after.len()))
        } else {
            format!(
                "{} before, {} after.",
                name(distribution.before.len()),
                count(distribution.after.len() as u64)
            )
        };
        if !distribution.how.is_empty() {
            line = format!("{} {line}", sentence(&distribution.how));
        }
        let chip = if distribution.role.is_empty() {
            String::new()
        } else {
            format!(
                " <span class=\"chip\">{}</span>",
                label(role(&distribution.role))
            )
        };
        card(
            &mut body,
            &format!("{}{chip}", label(&distribution.attribute)),
            &line,
            &charts,
            "",
        );
    }
    body.push_str("</div>\n");
    Some(Section {
        id: "values",
        short: "Values",
        heading: "Each attribute before and after",
        lead: "Shares of the records on each side. Suppressed records are missing from the after side.".into(),
        body,
    })
}

/// A role in the words of the glossary; a policy says `quasi` for short.
fn role(name: &str) -> &str {
    match name {
        "quasi" => "quasi-identifier",
        other => other,
    }
}

fn attacks(report: &Report) -> Option<Section> {
    if report.attacks.is_empty() {
        return None;
    }
    let mut body = String::from(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>Attack</th><th>What the adversary knows</th><th class=\"n\">Success before</th><th class=\"n\">after</th></tr></thead>\n<tbody>\n",
    );
    for attack in &report.attacks {
        let rate = |rate: Option<f64>| rate.map_or_else(|| "n/a".to_owned(), percent);
        let note = if attack.note.is_empty() {
            String::new()
        } else {
            format!("<span class=\"soft\">{}</span>", prose(&attack.note))
        };
        let _ = writeln!(
            body,
            "<tr><td><b>{}</b></td><td>{}{note}</td><td class=\"n\" data-name=\"Success before\">{}</td><td class=\"n\" data-name=\"Success after\"><b>{}</b></td></tr>",
            label(&attack.name),
            prose(&attack.knows),
            rate(attack.rate_before),
            rate(attack.rate_after),
        );
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "attacks",
        short: "Attacks",
        heading: "What our own attackers achieved",
        lead: "Before a release leaves, it is attacked with what the named adversary knows.".into(),
        body,
    })
}

fn attempts(report: &Report) -> Option<Section> {
    if report.attempts.is_empty() {
        return None;
    }
    let mut body = String::from(
        "<div class=\"card\"><table class=\"stack\">\n<thead><tr><th>Solver</th><th>Outcome</th><th class=\"n\">Score</th><th class=\"n\">Effort</th></tr></thead>\n<tbody>\n",
    );
    for attempt in &report.attempts {
        let chosen = if attempt.chosen {
            " <span class=\"badge good\">chosen</span>"
        } else {
            ""
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
            "<tr><td><b>{}</b>{chosen}</td><td>{}{note}</td><td class=\"n\" data-name=\"Score\">{}</td><td class=\"n\" data-name=\"Effort\">{}</td></tr>",
            label(&attempt.solver),
            shown(&attempt.outcome),
            shown(&attempt.score),
            shown(&attempt.effort),
        );
    }
    body.push_str("</tbody></table></div>\n");
    Some(Section {
        id: "solvers",
        short: "Solvers",
        heading: "How the release was found",
        lead: "Each solver that was tried, and how it fared.".into(),
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
            &[("", figure.chart.clone())],
            "",
        );
    }
    body.push_str("</div>\n");
    Some(Section {
        id: "figures",
        short: "Figures",
        heading: "More to see",
        lead: String::new(),
        body,
    })
}

fn origin(report: &Report) -> Option<Section> {
    let origin = &report.provenance;
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for (name, value) in [("Policy", &origin.policy), ("Version", &origin.version)] {
        if !value.is_empty() {
            pairs.push((name, value));
        }
    }
    pairs.extend(
        origin
            .facts
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    );
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
                let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", label(name), label(value));
            }
            body.push_str("</dl>\n");
        }
        body.push_str("</div>\n");
    }
    Some(Section {
        id: "origin",
        short: "Origin",
        heading: "Notes and origin",
        lead: "What was done, step by step. The same source, policy, seed and version give the same release again.".into(),
        body,
    })
}

/// A card with a heading, a line and charts; `heading`, `line` and `after` are HTML.
fn card(
    body: &mut String,
    heading: &str,
    line: &str,
    charts: &[(&'static str, Chart)],
    after: &str,
) {
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
fn table(what: &str, series: &[String], bars: &[Bar], format: Format) -> String {
    let mut out = format!(
        "<details><summary>Figures as a table</summary><table>\n<thead><tr><th>{what}</th>"
    );
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
