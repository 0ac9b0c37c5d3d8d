//! The screen of releases: the plan, the run, the verdict, the report, the attacks, the download.

use maud::{Markup, html};
use serde_json::Value;

use super::{Screen, address, findings, screen, token};
use crate::answer::{Answer, Failure, File};
use crate::app::App;
use crate::call::Call;
use crate::jobs::State;
use crate::projects::Project;
use crate::tasks::Task;
use crate::{api, unpack};

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let button = |task: &str, label: String, main: bool| {
        html! {
            form.row method="post" action=(address(&project.name, "/release")) {
                (token(app)) input type="hidden" name="task" value=(task);
                button.main[main] type="submit" { (label) }
            }
        }
    };
    let plan = app.jobs.newest(&project.name, |task| *task == Task::Plan);
    let releases = project.releases();
    let content = html! {
        p.lead { (call.say("web.release.lead", &[])) }
        div.row {
            (button("plan", call.say("web.release.plan", &[]), false))
            (button("try", call.say("web.release.try", &[]), false))
            (button("release", call.say("web.release.go", &[]), true))
        }
        @if let Some(plan) = plan.filter(|plan| plan.state == State::Done) { section.card { h2 { (call.say("web.release.planned", &[])) } (outline(&plan.result, call)) } }
        section.card {
            h2 { (call.say("web.release.all", &[])) }
            @if releases.is_empty() { p.soft { (call.say("web.release.none", &[])) } }
            ul {
                @for name in releases.iter().rev() {
                    li { a href=(address(&project.name, &format!("/releases/{name}"))) { (call.say("web.release.number", &[("name", name)])) } }
                }
            }
        }
    };
    screen(app, call, &project, Screen::Release, &content)
}

/// A plan: steps, costs, what it cannot promise.
pub(crate) fn outline(plan: &Value, call: &Call) -> Markup {
    let list = |key: &str| plan[key].as_array().cloned().unwrap_or_default();
    html! {
        (findings(&plan["findings"], call.language))
        @for warning in list("warnings") { ul.box.warn { li { (warning.as_str().unwrap_or_default()) } } }
        ol { @for step in list("steps") { li { (step.as_str().unwrap_or_default()) } } }
        dl.pairs {
            @for (key, value) in plan["costs"].as_object().into_iter().flatten() { dt { (key) } dd { (value) } }
            dt { (call.say("web.release.time", &[])) } dd { (plan["time"].as_str().unwrap_or_default()) }
        }
        h3 { (call.say("web.release.cannot", &[])) }
        ul { @for limit in list("limits") { li { (limit.as_str().unwrap_or_default()) } } }
    }
}

/// How a run went: verdict, claims, attacks.
pub(crate) fn account(result: &Value, call: &Call) -> Markup {
    let released = result["status"] == "released";
    let list = |key: &str| result[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| value.as_f64().map_or_else(String::new, denym::number);
    html! {
        div.verdict.good[released].bad[!released] role="status" {
            div {
                strong { @if released { (call.say("web.release.released", &[])) } @else { (call.say("web.release.refused", &[])) } }
                @if result["error"].is_object() { p { (text(&result["error"]["message"])) } p { (call.say("web.help", &[])) ": " (text(&result["error"]["help"])) } }
            }
        }
        (findings(&result["findings"], call.language))
        @for warning in list("warnings") { ul.box.warn { li { (text(&warning)) } } }
        dl.facts {
            div { dt { (call.say("web.release.records", &[])) } dd.value { (number(&result["records"])) } }
            div { dt { (call.say("web.release.removed", &[])) } dd.value { (number(&result["suppressed_records"])) } }
            div { dt { (text(&result["metric"]["name"])) } dd.value { (number(&result["metric"]["value"])) } }
            div { dt { (call.say("web.algorithm", &[])) } dd.value.small { (text(&result["algorithm"])) } }
        }
        (claims(&result["claims"], call))
        @if !list("attacks").is_empty() {
            section.card {
                h2 { (call.say("web.release.attacks", &[])) }
                p.soft { (call.say("web.release.attacks.lead", &[])) }
                table.stack {
                    thead { tr { th { (call.say("web.release.attack", &[])) } th { (call.say("web.release.knows", &[])) } th.n { (call.say("web.release.succeeds", &[])) } } }
                    tbody {
                        @for attack in list("attacks") {
                            tr { td { (text(&attack["attack"])) @if let Some(on) = attack["attribute"].as_str() { " · " (on) } } td.soft { (text(&attack["knows"])) } td.n { (attack["success_rate"].as_f64().map_or_else(String::new, denym::percent)) } }
                        }
                    }
                }
            }
        }
    }
}

/// Claims: what was asked, what was measured, whether it holds.
pub(crate) fn claims(list: &Value, call: &Call) -> Markup {
    let all = list.as_array().map_or(&[][..], Vec::as_slice);
    let number = |value: &Value| {
        value.as_f64().map_or_else(
            || value.as_str().unwrap_or_default().to_owned(),
            denym::number,
        )
    };
    html! {
        @if !all.is_empty() {
            section.card {
                h2 { (call.say("web.promises", &[])) }
                table.stack {
                    thead { tr { th { (call.say("web.claims.promise", &[])) } th.n { (call.say("web.claims.asked", &[])) } th.n { (call.say("web.claims.measured", &[])) } th {} } }
                    tbody {
                        @for claim in all {
                            tr {
                                td { (claim["promise"].as_str().unwrap_or_default()) @if let Some(on) = claim["attribute"].as_str() { " · " (on) } }
                                td.n data-name=(call.say("web.claims.asked", &[])) { (number(&claim["asked"])) }
                                td.n data-name=(call.say("web.claims.measured", &[])) { (number(&claim["measured"])) }
                                td { @match claim["holds"].as_bool() {
                                    Some(true) => span.badge.good { (call.say("web.claims.holds", &[])) },
                                    Some(false) => span.badge.bad { (call.say("web.claims.fails", &[])) },
                                    None => span.badge.quiet { (call.say("web.claims.attested", &[])) },
                                } }
                            }
                        }
                    }
                }
            }
        }
    }
}

pub(crate) fn start(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let task = api::task(call, &project)?;
    let home = matches!(task, Task::Plan).then(|| address(&project.name, "/release"));
    let job = app.jobs.add(&project.name, task, call.language);
    let there = home.unwrap_or_else(|| format!("/jobs/{job}"));
    Ok(Answer::See(super::job::wait(app, &job, &there)))
}

pub(crate) fn one(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let name = call.name("release");
    let bundle = project.release(name)?;
    let made = app.jobs.newest(
        &project.name,
        |task| matches!(task, Task::Release { name: own } if own == name),
    );
    let checked = app.jobs.newest(
        &project.name,
        |task| matches!(task, Task::Verify { name: own } if own == name),
    );
    let place = |rest: &str| address(&project.name, &format!("/releases/{name}{rest}"));
    let content = html! {
        h2 { (call.say("web.release.number", &[("name", name)])) }
        div.row {
            a.button.main href=(place("/release.zip")) download { (call.say("web.release.download", &[])) }
            form.row method="post" action=(place("/verify")) { (token(app)) button type="submit" { (call.say("web.release.verify", &[])) } }
        }
        @if let Some(job) = checked.filter(|job| job.state == State::Done) { (super::verify::verdict(&job.result, call)) }
        @if let Some(job) = made.filter(|job| job.state == State::Done) { (account(&job.result, call)) }
        (framed(&place("/report"), &bundle, call))
    };
    screen(app, call, &project, Screen::Release, &content)
}

/// The report in a frame that runs nothing; a kind of data without one has none.
pub(crate) fn framed(place: &str, bundle: &std::path::Path, call: &Call) -> Markup {
    html! {
        @if bundle.join("steward/report.html").is_file() {
            section {
                h2 { (call.say("web.release.report", &[])) }
                iframe.report src=(place) sandbox="" title=(call.say("web.release.report", &[])) loading="lazy" {}
                p { a href=(place) { (call.say("web.release.report-alone", &[])) } }
            }
        }
    }
}

fn report_of(bundle: &std::path::Path) -> Result<Answer, Failure> {
    Ok(Answer::File(File {
        content: std::fs::read(bundle.join("steward/report.html"))?,
        kind: "text/html; charset=utf-8",
        name: None,
        framed: true,
        kept: false,
    }))
}

pub(crate) fn report(app: &App, call: &Call) -> Result<Answer, Failure> {
    let bundle = app
        .project(call.name("project"))?
        .release(call.name("release"))?;
    report_of(&bundle)
}

pub(crate) fn candidate_report(app: &App, call: &Call) -> Result<Answer, Failure> {
    report_of(&app.project(call.name("project"))?.candidate())
}

pub(crate) fn download(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let name = call.name("release");
    let packed = unpack::pack(&project.release(name)?.join("release"))?;
    Ok(Answer::saved(
        packed,
        "application/zip",
        file_name(&project, name),
    ))
}

fn file_name(project: &Project, release: &str) -> String {
    format!("{}-{release}.zip", project.name)
}

pub(crate) fn verify(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let name = call.name("release").to_owned();
    project.release(&name)?;
    let there = address(&project.name, &format!("/releases/{name}"));
    let job = app
        .jobs
        .add(&project.name, Task::Verify { name }, call.language);
    Ok(Answer::See(super::job::wait(app, &job, &there)))
}
