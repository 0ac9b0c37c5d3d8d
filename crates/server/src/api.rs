//! The interface for programs: the documents of `--json`, over HTTP.
#![expect(
    clippy::unnecessary_wraps,
    reason = "every handler of the table of routes has one type"
)]

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, Failure};
use crate::app::{App, Seen};
use crate::call::Call;
use crate::examples::EXAMPLES;
use crate::projects::{self, Project, Start};
use crate::tasks::{self, Task};
use crate::unpack;

/// Names of bounds that can be explored.
pub(crate) const BOUNDS: [&str; 7] = ["k", "l", "t", "suppress", "doublets", "items", "confidence"];

pub(crate) fn projects(app: &App, _: &Call) -> Result<Answer, Failure> {
    let all = projects::all(&app.root)?;
    Ok(Answer::json(json!({
        "projects": all.iter().map(Project::document).collect::<Vec<_>>(),
        "files": projects::files(&app.root)?,
        "examples": EXAMPLES.iter().map(|example| example.name).collect::<Vec<_>>(),
    })))
}

/// Makes a project from a file of the directory, or from an example.
pub(crate) fn create(app: &App, call: &Call) -> Result<Project, Failure> {
    let example = call.field("example").map(|name| {
        let known = EXAMPLES.iter().find(|example| example.name == name);
        known.ok_or_else(|| Failure::bad("there is no such example", "take one of the list"))
    });
    let example = example.transpose()?;
    if let Some(example) = example {
        let name = call.field("name").unwrap_or(example.name);
        let project = Project::create(&app.root, name)?;
        example.write(&project.directory)?;
        return Ok(project);
    }
    let file = call.need("file")?;
    if !projects::files(&app.root)?.iter().any(|name| name == file) {
        return Err(Failure::bad(
            "there is no such file in the directory",
            "take one of the list",
        ));
    }
    let stem = file.split('.').next().unwrap_or(file);
    let project = Project::create(&app.root, call.field("name").unwrap_or(stem))?;
    project.write_start(&Start {
        file: format!("../{file}"),
        fields: Vec::new(),
    })?;
    Ok(project)
}

pub(crate) fn new_project(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = create(app, call)?;
    Ok(Answer::Json(StatusCode::CREATED, project.document()))
}

pub(crate) fn project(app: &App, call: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(app.project(call.name("project"))?.document()))
}

pub(crate) fn profile(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    match app.look(&project, call.language)? {
        Seen::Look(look) => Ok(Answer::json(denym::documents::profile(
            &look.profile,
            &look.reading,
        ))),
        Seen::Later(job) => job_answer(app, &job, StatusCode::ACCEPTED),
    }
}

/// The mistakes of a policy, as errors name them.
pub(crate) fn mistakes(app: &App, project: &Project) -> Vec<Value> {
    match project.policy(&app.root) {
        Ok(_) => Vec::new(),
        Err(failure) => match failure.document["error"]["mistakes"].as_array() {
            Some(mistakes) => mistakes.clone(),
            None => vec![failure.document["error"].clone()],
        },
    }
}

pub(crate) fn policy(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let text = project.policy_text()?;
    Ok(Answer::json(json!({
        "policy": text,
        "version": projects::version(&text),
        "mistakes": mistakes(app, &project),
    })))
}

pub(crate) fn set_policy(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let text = call.whole("policy").unwrap_or_default();
    project.write_policy(call.need("seen")?, text)?;
    policy(app, call)
}

/// The task that a form or a document asks for.
pub(crate) fn task(call: &Call, project: &Project) -> Result<Task, Failure> {
    Ok(match call.need("task")? {
        "profile" => Task::Profile,
        "draft" => Task::Draft,
        "plan" => Task::Plan,
        "explore" => {
            let fields = BOUNDS
                .iter()
                .filter_map(|name| Some((*name, call.field(name)?)));
            let bounds = fields.map(|(name, text)| (name.to_owned(), text.to_owned()));
            let bounds: Vec<(String, String)> = bounds.collect();
            tasks::request(&bounds)?;
            Task::Explore { bounds }
        }
        "try" => Task::Try,
        "release" => Task::Release {
            name: project.next_release(),
        },
        "verify" => {
            let name = call.need("release")?.to_owned();
            project.release(&name)?;
            Task::Verify { name }
        }
        _ => {
            return Err(Failure::bad(
                "there is no such task",
                "take one of profile, draft, plan, explore, try, release, verify",
            ));
        }
    })
}

pub(crate) fn new_job(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let id = app
        .jobs
        .add(&project.name, task(call, &project)?, call.language);
    job_answer(app, &id, StatusCode::ACCEPTED)
}

fn job_answer(app: &App, id: &str, status: StatusCode) -> Result<Answer, Failure> {
    let job = app.jobs.get(id).ok_or_else(Failure::not_found)?;
    Ok(Answer::Json(status, job.document()))
}

pub(crate) fn jobs(app: &App, _: &Call) -> Result<Answer, Failure> {
    let all: Vec<Value> = app
        .jobs
        .all()
        .iter()
        .map(crate::jobs::Job::document)
        .collect();
    Ok(Answer::json(json!({ "jobs": all })))
}

pub(crate) fn job(app: &App, call: &Call) -> Result<Answer, Failure> {
    job_answer(app, call.name("job"), StatusCode::OK)
}

pub(crate) fn cancel(app: &App, call: &Call) -> Result<Answer, Failure> {
    app.jobs
        .cancel(call.name("job"))
        .ok_or_else(Failure::not_found)?;
    job_answer(app, call.name("job"), StatusCode::OK)
}

pub(crate) fn certificate(app: &App, call: &Call) -> Result<Answer, Failure> {
    let bundle = app
        .project(call.name("project"))?
        .release(call.name("release"))?;
    let text = std::fs::read_to_string(bundle.join("release/certificate.json"))?;
    let document = serde_json::from_str(&text).map_err(|_| Failure::not_found())?;
    Ok(Answer::json(document))
}

pub(crate) fn promises(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(denym::documents::promises()))
}

pub(crate) fn algorithms(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(denym::documents::algorithms()))
}

pub(crate) fn metrics(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(denym::documents::metrics()))
}

pub(crate) fn findings(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(denym::documents::all_findings()))
}

/// What can be checked of a release that was sent along.
pub(crate) fn verified(app: &App, call: &Call) -> Result<Value, Failure> {
    let (file, _) = call
        .uploaded()
        .ok_or_else(|| Failure::bad("no file was sent", "choose the zip file of a release"))?;
    let place = tempfile::Builder::new()
        .prefix("dropped-")
        .tempdir_in(app.own())?;
    unpack::unpack(&file, place.path())?;
    let found = denym::guarded(|| denym::verify(place.path(), app.config.threads));
    Ok(denym::documents::verification(&found?))
}

pub(crate) fn verify(app: &App, call: &Call) -> Result<Answer, Failure> {
    Ok(Answer::json(verified(app, call)?))
}
