//! Who made a release, of what, and room for two to answer for it.

use std::fmt::Write as _;

use crate::sections::Section;
use crate::text::label;
use crate::{Audience, Report};

/// The last part of the page, to be printed and signed.
pub(crate) fn sign_off(report: &Report) -> Option<Section> {
    let sign_off = report.sign_off.as_ref()?;
    let language = report.language;
    let mut body = String::from("<div class=\"card\"><dl class=\"pairs\">\n");
    let mut pair = |name: String, value: &str| {
        let _ = writeln!(body, "<dt>{}</dt><dd>{}</dd>", label(&name), label(value));
    };
    let open = "\u{2013}";
    let or_open = |text: &str| {
        if text.is_empty() {
            open.to_owned()
        } else {
            text.to_owned()
        }
    };
    pair(
        language.say("sign-off.prepared-by", &[]),
        &or_open(&sign_off.prepared_by),
    );
    pair(language.say("sign-off.date", &[]), &or_open(&sign_off.date));
    if report.audience == Audience::Steward {
        for (file, fingerprint) in &sign_off.sources {
            pair(
                language.say("sign-off.source", &[("file", file)]),
                fingerprint,
            );
        }
    }
    for (file, fingerprint) in &sign_off.released {
        pair(
            language.say("sign-off.released", &[("file", file)]),
            fingerprint,
        );
    }
    body.push_str("</dl>\n");
    if report.audience == Audience::Steward {
        body.push_str("<div class=\"signatures\">");
        for key in [
            language.say("sign-off.first", &[]),
            language.say("sign-off.second", &[]),
        ] {
            let _ = write!(
                body,
                "<div><span>{key}</span><span class=\"soft\">{}</span></div>",
                language.say("sign-off.line", &[])
            );
        }
        body.push_str("</div>\n");
    }
    body.push_str("</div>\n");
    Some(Section {
        id: "sign-off",
        short: language.say("sign-off.short", &[]),
        heading: language.say("sign-off.heading", &[]),
        lead: String::new(),
        body,
    })
}
