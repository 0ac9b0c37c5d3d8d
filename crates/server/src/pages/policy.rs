//! The policy, beside every screen: what every click writes, and what the command line reads.

use maud::{Markup, html};

use super::{address, seen};
use crate::answer::{Answer, Failure};
use crate::api;
use crate::app::App;
use crate::call::Call;
use crate::projects::Project;

/// The policy with its mistakes, and a way to change it by hand.
pub(crate) fn aside(app: &App, call: &Call, project: &Project) -> Result<Markup, Failure> {
    let text = project.policy_text()?;
    let mistakes = api::mistakes(app, project);
    Ok(html! {
        aside.policy aria-label="policy.toml" {
            details open[true] {
                summary { code { "policy.toml" } }
                @for mistake in &mistakes { (super::error(mistake, call.language)) }
                pre tabindex="0" { code { (text) } }
                p.soft { (call.say("web.policy.same", &[])) " " code { "denym anonymize " (project.name) "/policy.toml" } }
                p { a href=(address(&project.name, "/policy.toml")) { (call.say("web.policy.download", &[])) } }
                details {
                    summary { (call.say("web.policy.by-hand", &[])) }
                    form method="post" action=(address(&project.name, "/policy")) {
                        (seen(app, &text))
                        input type="hidden" name="back" value=(call.path);
                        label for="policy-text" { "policy.toml" }
                        textarea #policy-text name="policy" rows="20" spellcheck="false" { (text) }
                        button type="submit" { (call.say("web.save", &[])) }
                    }
                }
            }
        }
    })
}

pub(crate) fn file(app: &App, call: &Call) -> Result<Answer, Failure> {
    let text = app.project(call.name("project"))?.policy_text()?;
    Ok(Answer::saved(
        text.into_bytes(),
        "application/toml",
        "policy.toml".to_owned(),
    ))
}

pub(crate) fn change(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    // Browsers write line ends as CR LF.
    let text = call
        .whole("policy")
        .unwrap_or_default()
        .replace("\r\n", "\n");
    project.write_policy(call.need("seen")?, &text)?;
    // Back to the screen it was changed on, which is one of this project.
    let home = address(&project.name, "/");
    let back = call
        .field("back")
        .filter(|path| path.starts_with(&home) && !path.contains(['?', '#', '\\']));
    Ok(Answer::See(back.map_or_else(
        || address(&project.name, "/columns"),
        str::to_owned,
    )))
}
