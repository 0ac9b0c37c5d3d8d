//! The first screen: projects, and how to begin one.

use maud::html;

use super::{address, plain, token};
use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::examples::EXAMPLES;
use crate::projects::{self, Project, Start};
use crate::{api, jobs::State};

pub(crate) fn list(app: &App, call: &Call) -> Result<Answer, Failure> {
    let all = projects::all(&app.root)?;
    let files = projects::files(&app.root)?;
    let jobs = app.jobs.all();
    let title = call.say("web.projects", &[]);
    let main = html! {
        h1 { (title) }
        p.lead { (call.say("web.projects.lead", &[])) }
        @if all.is_empty() { p { (call.say("web.projects.none", &[])) } }
        ul.projects {
            @for project in &all {
                li.card {
                    h2 { a href=(address(&project.name, "")) { (project.name) } }
                    p.soft {
                        @if project.has_policy() {
                            @let many = project.releases().len().to_string();
                            (call.say("web.projects.releases", &[("count", &many)]))
                        } @else { (call.say("web.projects.begun", &[])) }
                    }
                }
            }
        }
        section {
            h2 { (call.say("web.new", &[])) }
            div.three {
                form.card method="post" action="/upload" enctype="multipart/form-data" {
                    (token(app))
                    h3 { (call.say("web.new.upload", &[])) }
                    p { label for="data" { (call.say("web.new.file", &[])) } input #data type="file" name="data" required; }
                    p { label for="upload-name" { (call.say("web.new.name", &[])) } input #upload-name name="name" maxlength="64" placeholder=(call.say("web.new.as-file", &[])); }
                    button type="submit" { (call.say("web.new.begin", &[])) }
                }
                form.card method="post" action="/projects" {
                    (token(app))
                    h3 { (call.say("web.new.from-directory", &[])) }
                    @if files.is_empty() {
                        p.soft { (call.say("web.new.no-files", &[])) }
                    } @else {
                        p { label for="file" { (call.say("web.new.file", &[])) }
                            select #file name="file" { @for file in &files { option { (file) } } }
                        }
                        p { label for="file-name" { (call.say("web.new.name", &[])) } input #file-name name="name" maxlength="64" placeholder=(call.say("web.new.as-file", &[])); }
                        button type="submit" { (call.say("web.new.begin", &[])) }
                    }
                }
                form.card method="post" action="/projects" {
                    (token(app))
                    h3 { (call.say("web.new.example", &[])) }
                    p.soft { (call.say("web.new.invented", &[])) }
                    p { label for="example" { (call.say("web.new.which", &[])) }
                        select #example name="example" { @for example in EXAMPLES { option { (example.name) } } }
                    }
                    button type="submit" { (call.say("web.new.begin", &[])) }
                }
            }
        }
        @if !jobs.is_empty() {
            section {
                h2 { (call.say("web.jobs", &[])) }
                div.card {
                    table.stack {
                        thead { tr { th { (call.say("web.job", &[])) } th { (call.say("web.project", &[])) } th { (call.say("web.state", &[])) } } }
                        tbody {
                            @for job in jobs.iter().take(10) {
                                tr {
                                    td { a href=(format!("/jobs/{}", job.id)) { (super::job::title(job, call.language)) " " (job.id) } }
                                    td { (job.project) }
                                    td { span.badge.good[job.state == State::Done].bad[matches!(job.state, State::Failed | State::Refused)].quiet[!matches!(job.state, State::Done | State::Failed | State::Refused)] { (super::job::state(job.state, call.language)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(plain(call, &title, &main))
}

pub(crate) fn create(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = api::create(app, call)?;
    Ok(Answer::See(address(&project.name, "")))
}

pub(crate) fn upload(app: &App, call: &Call) -> Result<Answer, Failure> {
    let (_, sent) = call
        .uploaded()
        .ok_or_else(|| Failure::bad("no file was sent", "choose a file with data first"))?;
    // A browser sends a name; whatever else stands before it is a path of another machine.
    let sent = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let file: String = sent
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if !projects::is_plain(&file) || !projects::is_data(&file) {
        return Err(Failure::bad(
            "the name of the file does not say that it is data",
            "send a file that ends in csv, tsv, txt, json, jsonl, parquet or xlsx, packed by gzip or zstd if you like",
        ));
    }
    let stem = file.split('.').next().unwrap_or_default().to_owned();
    let project = Project::create(&app.root, call.field("name").unwrap_or(&stem))?;
    let Some((upload, _)) = &call.upload else {
        return Err(Failure::not_found());
    };
    let target = project.directory.join(&file);
    std::fs::rename(upload, &target).or_else(|_| std::fs::copy(upload, &target).map(|_| ()))?;
    project.write_start(&Start {
        file,
        fields: Vec::new(),
    })?;
    Ok(Answer::See(address(&project.name, "")))
}

pub(crate) fn open(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let screen = if project.has_policy() {
        "/columns"
    } else {
        "/reading"
    };
    Ok(Answer::See(address(&project.name, screen)))
}
