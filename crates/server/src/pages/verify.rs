//! A release that somebody received: dropped in, measured again, with what rests on whose word.

use maud::{Markup, html};
use serde_json::Value;

use super::{plain, token};
use crate::answer::{Answer, Failure};
use crate::api;
use crate::app::App;
use crate::call::Call;

#[expect(clippy::unnecessary_wraps, reason = "every handler is of one type")]
pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    Ok(form(app, call, &html! {}))
}

fn form(app: &App, call: &Call, found: &Markup) -> Answer {
    let title = call.say("web.verify", &[]);
    let main = html! {
        h1 { (title) }
        p.lead { (call.say("web.verify.lead", &[])) }
        form.card method="post" action="/verify" enctype="multipart/form-data" {
            (token(app))
            p { label for="release" { (call.say("web.verify.file", &[])) } input #release type="file" name="release" accept=".zip,application/zip" required; }
            button.main type="submit" { (call.say("web.verify.go", &[])) }
        }
        (found)
    };
    plain(call, &title, &main)
}

pub(crate) fn check(app: &App, call: &Call) -> Result<Answer, Failure> {
    let found = api::verified(app, call)?;
    Ok(form(app, call, &verdict(&found, call)))
}

/// What was found of a release.
pub(crate) fn verdict(found: &Value, call: &Call) -> Markup {
    let verdict = found["verdict"].as_str().unwrap_or_default();
    let list = |key: &str| found[key].as_array().cloned().unwrap_or_default();
    let number = |key: &str| found[key].as_u64().unwrap_or_default().to_string();
    html! {
        div.verdict.good[verdict == "verified"].bad[verdict == "failed"].warn[!matches!(verdict, "verified" | "failed")] role="status" {
            div {
                strong { (call.say("web.verify.verdict", &[])) ": " (verdict) }
                p { (call.say("web.verify.again", &[("again", &number("measured_again")), ("attested", &number("attested"))])) }
                p { @if found["data_intact"] == true { (call.say("web.verify.intact", &[])) } @else { (call.say("web.verify.changed", &[])) } }
            }
        }
        @for problem in list("problems") { ul.box.bad { li { (problem.as_str().unwrap_or_default()) } } }
        (super::release::claims(&found["claims"], call))
    }
}
