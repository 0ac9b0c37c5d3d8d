//! The screen of the frontier: what each bound costs, every point a candidate that can be chosen and looked at.

use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use super::{Screen, address, progress, screen, seen, token};
use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::editor::Editor;
use crate::jobs::{Job, State};
use crate::projects::Project;
use crate::tasks::Task;
use crate::{api, tasks};

/// Which bounds can be explored of which kind of data.
fn bounds(kind: &str) -> &'static [(&'static str, &'static str)] {
    match kind {
        "table" => &[
            ("k", "2, 5, 10, 20"),
            ("l", "2, 3"),
            ("t", "0.2, 0.4"),
            ("suppress", "0, 0.05"),
        ],
        "paths" => &[
            ("k", "5, 10, 20"),
            ("doublets", "1, 2"),
            ("confidence", "0.4, 0.6"),
        ],
        "transactions" => &[
            ("k", "2, 5, 10"),
            ("items", "1, 2"),
            ("confidence", "0.4, 0.6"),
        ],
        _ => &[("k", "2, 3, 4")],
    }
}

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let text = project.policy_text()?;
    let kind =
        Editor::open(&text).map_or_else(|_| "table".to_owned(), |editor| editor.kind().to_owned());
    let job = app
        .jobs
        .newest(&project.name, |task| matches!(task, Task::Explore { .. }));
    let asked = |name: &str| match job.as_ref().map(|job| &job.task) {
        Some(Task::Explore { bounds }) => {
            let found = bounds.iter().find(|(own, _)| own == name);
            found.map_or_else(String::new, |(_, text)| text.clone())
        }
        _ => String::new(),
    };
    let content = html! {
        p.lead { (call.say("web.explore.lead", &[])) }
        form.card method="post" action=(address(&project.name, "/explore")) {
            (token(app))
            div.fields {
                @for (name, example) in bounds(&kind) {
                    p { label for=(name) { (bound_name(name, call)) } input id=(name) name=(name) value=(asked(name)) placeholder=(example) size="14" autocomplete="off"; }
                }
            }
            p.soft { (call.say("web.explore.empty", &[])) }
            button.main type="submit" { (call.say("web.explore.start", &[])) }
        }
        @if let Some(job) = &job {
            @match job.state {
                State::Done => (found(app, call, &project, &text, job)),
                State::Waiting | State::Running => (progress(app, job, call.language)),
                _ => { (progress(app, job, call.language)) @if job.result["error"].is_object() { (super::error(&job.result["error"], call.language)) } }
            }
        }
    };
    screen(app, call, &project, Screen::Explore, &content)
}

/// The words for a bound.
fn bound_name(name: &str, call: &Call) -> String {
    match name {
        "k" => call.say("web.bound.k", &[]),
        "l" => call.say("web.bound.l", &[]),
        "t" => call.say("web.bound.t", &[]),
        "suppress" => call.say("web.bound.suppress", &[]),
        "doublets" => call.say("web.bound.doublets", &[]),
        "items" => call.say("web.bound.items", &[]),
        _ => call.say("web.bound.confidence", &[]),
    }
}

/// The frontier as a drawing whose points lead to the list of what was tried.
fn found(app: &App, call: &Call, project: &Project, text: &str, job: &Job) -> Markup {
    let none = Vec::new();
    let trials = job.result["trials"].as_array().unwrap_or(&none);
    let metric = job.result["metric"].as_str().unwrap_or_default();
    let names: Vec<&str> = api::BOUNDS
        .into_iter()
        .filter(|name| trials.iter().any(|trial| !trial[*name].is_null()))
        .collect();
    let number = |value: &Value| value.as_f64().map_or_else(String::new, denym::number);
    html! {
        section.card { div.picture.large { (PreEscaped(job.drawing.as_deref().unwrap_or_default())) } p.soft { (call.say("web.explore.points", &[])) } }
        div.card.scroll {
            table {
                thead { tr {
                    @for name in &names { th.n { (name) } }
                    th.n { (call.say("web.explore.risk", &[])) } th.n { (metric) } th { (call.say("web.algorithm", &[])) } th {}
                } }
                tbody {
                    @for (at, trial) in trials.iter().enumerate() {
                        @let feasible = trial["status"] == "feasible";
                        tr id={ "trial-" (at) } {
                            @for name in &names { td.n { (number(&trial[*name])) } }
                            td.n { (trial["highest_risk"].as_f64().map_or_else(String::new, denym::percent)) }
                            td.n { @if feasible { (number(&trial["value"])) } @else { (call.say("web.explore.refused", &[])) } }
                            td {
                                (trial["algorithm"].as_str().unwrap_or_default())
                                @if trial["knee"] == true { " " span.chip { (call.say("web.explore.knee", &[])) } }
                                @if let Some(why) = trial["refusal"].as_str() { span.soft { (why) } }
                            }
                            td { @if feasible {
                                form method="post" action=(address(&project.name, "/explore/choose")) {
                                    (seen(app, text))
                                    @for name in &names { input type="hidden" name=(name) value=(number(&trial[*name])); }
                                    button type="submit" { (call.say("web.explore.choose", &[])) }
                                }
                            } }
                        }
                    }
                }
            }
        }
    }
}

pub(crate) fn start(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let fields = api::BOUNDS
        .iter()
        .filter_map(|name| Some((*name, call.field(name)?)));
    let bounds: Vec<(String, String)> = fields
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect();
    tasks::request(&bounds)?;
    let job = app
        .jobs
        .add(&project.name, Task::Explore { bounds }, call.language);
    Ok(Answer::See(super::job::wait(
        app,
        &job,
        &address(&project.name, "/explore"),
    )))
}

/// Writes the bounds of a point into the policy and makes the candidate, so that before and after can be seen.
pub(crate) fn choose(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let mut editor = Editor::open(&project.policy_text()?)?;
    let fields = api::BOUNDS
        .iter()
        .filter_map(|name| Some((*name, call.field(name)?)));
    let chosen: Vec<(String, String)> = fields
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect();
    tasks::request(&chosen)?;
    editor.choose(&chosen)?;
    project.write_policy(call.need("seen")?, &editor.text())?;
    let job = app.jobs.add(&project.name, Task::Try, call.language);
    Ok(Answer::See(super::job::wait(
        app,
        &job,
        &format!("/jobs/{job}"),
    )))
}
