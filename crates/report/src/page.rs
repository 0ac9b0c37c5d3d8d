//! The whole page: one HTML file with its style and charts inside, that asks for nothing from anywhere.

use std::fmt::Write as _;

use crate::chart;
use crate::finding;
use crate::sections::{self, Section};
use crate::text::{label, prose};
use crate::{Audience, Outcome, Report};

const STYLE: &str = include_str!("page.css");

/// Five look-alikes, one of them as good as any other.
const MARK: &str = "<svg viewBox=\"0 0 30 22\" aria-hidden=\"true\"><circle cx=\"5\" cy=\"6\" r=\"4\"/><circle cx=\"15\" cy=\"6\" r=\"4\"/><circle cx=\"25\" cy=\"6\" r=\"4\"/><circle cx=\"10\" cy=\"16\" r=\"4\"/><circle cx=\"20\" cy=\"16\" r=\"4\"/></svg>";
const TICK: &str = "<svg viewBox=\"0 0 40 40\" aria-hidden=\"true\"><path d=\"M20 2 5 8v11c0 9.5 6.4 16.6 15 19 8.600-2.400 15-9.500 15-19V8zm-2.500 25.500-7-7 2.800-2.800 4.200 4.200 9.200-9.200 2.800 2.800z\"/></svg>";
const CROSS: &str = "<svg viewBox=\"0 0 40 40\" aria-hidden=\"true\"><path d=\"M20 3a17 17 0 1 0 0 34 17 17 0 0 0 0-34zm7.800 22-2.800 2.800-5-5-5 5-2.800-2.800 5-5-5-5 2.800-2.800 5 5 5-5 2.800 2.800-5 5z\"/></svg>";
const LENS: &str = "<svg viewBox=\"0 0 40 40\" aria-hidden=\"true\"><path d=\"M17 4a13 13 0 1 0 7.700 23.500L33 36l3-3-8.500-8.300A13 13 0 0 0 17 4zm0 4a9 9 0 1 1 0 18 9 9 0 0 1 0-18z\"/></svg>";

/// The style of pages and charts, for other pages that show them.
pub fn style() -> String {
    format!("{STYLE}{}", chart::STYLE)
}

/// The report as one self-contained HTML page. The same report gives the same bytes.
pub fn html(report: &Report) -> String {
    let language = report.language;
    let title = if report.title.is_empty() {
        language.say("page.report", &[])
    } else {
        report.title.clone()
    };
    let sections = sections::all(report);
    let mut page = String::with_capacity(64 * 1024);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>{} · {}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n<div class=\"wrap\">\n",
        language.name(),
        label(&title),
        language.say("page.title", &[]),
        chart::STYLE
    );
    head(&mut page, report, &title);
    if sections.len() > 1 {
        let _ = write!(
            page,
            "<nav aria-label=\"{}\">",
            language.say("page.contents", &[])
        );
        for section in &sections {
            let _ = write!(page, "<a href=\"#{}\">{}</a>", section.id, section.short);
        }
        page.push_str("</nav>\n");
    }
    page.push_str("<main>\n");
    for Section {
        id,
        heading,
        lead,
        body,
        ..
    } in &sections
    {
        let _ = write!(
            page,
            "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{heading}</h2>\n"
        );
        if !lead.is_empty() {
            let _ = writeln!(page, "<p class=\"lead\">{lead}</p>");
        }
        page.push_str(body);
        page.push_str("</section>\n");
    }
    let version = if report.provenance.version.is_empty() {
        String::new()
    } else {
        format!(" {}", label(&report.provenance.version))
    };
    let _ = write!(
        page,
        "</main>\n<footer>{}</footer>\n</div>\n</body>\n</html>\n",
        language.say("page.footer", &[("version", &version)])
    );
    page
}

fn head(page: &mut String, report: &Report, title: &str) {
    let language = report.language;
    let (what, whose) = match report.audience {
        Audience::Steward => (
            language.say("page.for-steward", &[]),
            language.say("page.inside", &[]),
        ),
        Audience::Recipient => (
            language.say("page.for-recipient", &[]),
            language.say("page.outside", &[]),
        ),
    };
    let _ = write!(
        page,
        "<header>\n<div class=\"brand\">{MARK}<b>Denym</b> {what}<span class=\"inside\">{whose}</span></div>\n<h1>{}</h1>\n",
        label(title)
    );
    if !report.data_name.is_empty() {
        let _ = writeln!(
            page,
            "<p class=\"soft\">{}</p>",
            prose(&language.say("page.source", &[("source", &report.data_name)]))
        );
    }
    let (mut class, mut icon, line, more) = verdict(report);
    let found = finding::banner(report);
    if let Some((own, sign, _)) = &found
        && class != "bad"
    {
        (class, icon) = (own, sign);
    }
    let _ = write!(
        page,
        "<div class=\"verdict {class}\">{icon}<div><strong>{line}</strong>"
    );
    if !more.is_empty() {
        let _ = write!(page, "<p>{more}</p>");
    }
    if let Some((_, _, sentence)) = &found {
        let _ = write!(page, "<p><b>{sentence}</b></p>");
    }
    for sentence in &report.summary {
        let _ = write!(page, "<p>{}</p>", prose(sentence));
    }
    page.push_str("</div></div>\n");
    finding::list(page, report);
    if !report.warnings.is_empty() {
        page.push_str("<ul class=\"box warn\">\n");
        for warning in &report.warnings {
            let word = language.say("page.warning", &[]);
            let _ = writeln!(page, "<li><b>{word}</b> {}</li>", prose(warning));
        }
        page.push_str("</ul>\n");
    }
    if !report.facts.is_empty() {
        page.push_str("<dl class=\"facts\">\n");
        for fact in &report.facts {
            let _ = write!(
                page,
                "<div><dt>{}</dt><dd class=\"value\">{}</dd>",
                label(&fact.name),
                label(&fact.value)
            );
            if !fact.note.is_empty() {
                let _ = write!(page, "<dd class=\"note\">{}</dd>", prose(&fact.note));
            }
            page.push_str("</div>\n");
        }
        page.push_str("</dl>\n");
    }
    page.push_str("</header>\n");
}

/// The one line everybody reads. A claim that does not hold wins over what the caller says of the outcome.
fn verdict(report: &Report) -> (&'static str, &'static str, String, String) {
    let of = report.claims.len();
    let broken = report
        .claims
        .iter()
        .filter(|claim| claim.holds == Some(false))
        .count();
    let open = report
        .claims
        .iter()
        .filter(|claim| claim.holds.is_none())
        .count();
    let language = report.language;
    let (all, wrong, right) = (of.to_string(), broken.to_string(), (of - open).to_string());
    let left = open.to_string();
    let values = [
        ("all", all.as_str()),
        ("broken", &wrong),
        ("confirmed", &right),
        ("open", &left),
    ];
    match &report.outcome {
        Outcome::Refused { because } => (
            "bad",
            CROSS,
            language.say("verdict.refused", &[]),
            prose(because),
        ),
        _ if broken > 0 => (
            "bad",
            CROSS,
            if broken == 1 {
                language.say("verdict.broken-one", &values)
            } else {
                language.say("verdict.broken", &values)
            },
            String::new(),
        ),
        Outcome::Released if open > 0 => (
            "quiet",
            LENS,
            language.say("verdict.open", &values),
            String::new(),
        ),
        Outcome::Released => {
            let line = match of {
                0 => language.say("verdict.released", &[]),
                1 => language.say("verdict.holds-one", &[]),
                2 => language.say("verdict.holds-both", &[]),
                _ => language.say("verdict.holds", &values),
            };
            ("good", TICK, line, String::new())
        }
        Outcome::Audited => (
            "quiet",
            LENS,
            language.say("verdict.audited", &[]),
            String::new(),
        ),
    }
}
