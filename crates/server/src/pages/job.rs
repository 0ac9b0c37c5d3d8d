//! One job: how it gets on while it runs, and what it found when it is over.

use std::time::{Duration, Instant};

use denym::Language;
use maud::{Markup, html};

use super::{address, page, progress, steps, token};
use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::jobs::{Job, State};
use crate::tasks::Task;

/// How long an answer waits for a job: most are done by then, and the page of the job is not needed.
const PATIENCE: Duration = Duration::from_millis(1200);

/// Where to go on: `there` when the job is done soon, else to the page of the job.
pub(crate) fn wait(app: &App, job: &str, there: &str) -> String {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        match app.jobs.get(job).map(|job| job.state) {
            Some(State::Done) => return there.to_owned(),
            Some(state) if state.is_over() => break,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    format!("/jobs/{job}")
}

/// What a job does, in words.
pub(crate) fn title(job: &Job, language: Language) -> String {
    match &job.task {
        Task::Profile => language.say("web.task.profile", &[]),
        Task::Draft => language.say("web.task.draft", &[]),
        Task::Plan => language.say("web.task.plan", &[]),
        Task::Explore { .. } => language.say("web.task.explore", &[]),
        Task::Try => language.say("web.task.try", &[]),
        Task::Release { .. } => language.say("web.task.release", &[]),
        Task::Verify { .. } => language.say("web.task.verify", &[]),
    }
}

/// How a job stands, in words.
pub(crate) fn state(state: State, language: Language) -> String {
    match state {
        State::Waiting => language.say("web.state.waiting", &[]),
        State::Running => language.say("web.state.running", &[]),
        State::Done => language.say("web.state.done", &[]),
        State::Refused => language.say("web.state.refused", &[]),
        State::Failed => language.say("web.state.failed", &[]),
        State::Cancelled => language.say("web.state.cancelled", &[]),
        State::Interrupted => language.say("web.state.interrupted", &[]),
    }
}

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let job = app
        .jobs
        .get(call.name("job"))
        .ok_or_else(Failure::not_found)?;
    let project = app.project(&job.project).ok();
    let title = title(&job, call.language);
    // Without a script the page loads itself again as long as the job runs.
    let head = html! {
        @if !job.state.is_over() { noscript { meta http-equiv="refresh" content="2"; } }
    };
    let main = html! {
        @if let Some(project) = project.as_ref().filter(|project| project.has_policy()) { (steps(project, None, call.language)) }
        h1 { (title) ": " (job.project) }
        (progress(app, &job, call.language))
        @if job.state.is_over() { (result(app, call, &job)) }
    };
    let title = format!("{title} · {}", job.project);
    Ok(Answer::Page(page(
        call.language,
        &call.path,
        &title,
        &head,
        &main,
    )))
}

/// What a job found, or why it did not, and the way on.
fn result(app: &App, call: &Call, job: &Job) -> Markup {
    let place = |rest: &str| address(&job.project, rest);
    let on = |place: String, label: String| html! { p { a.button.main href=(place) { (label) } } };
    let done = job.state == State::Done;
    let candidate = app.project(&job.project).map(|project| project.candidate());
    html! {
        @if job.state == State::Interrupted { ul.box.warn { li { (call.say("web.job.interrupted", &[])) } } }
        @if job.state == State::Cancelled { ul.box.warn { li { (call.say("web.job.cancelled", &[])) } } }
        @match &job.task {
            Task::Profile | Task::Draft if done => (on(place("/columns"), call.say("web.job.columns", &[]))),
            Task::Plan if done => (super::release::outline(&job.result, call)),
            Task::Explore { .. } if done => (on(place("/explore"), call.say("web.job.explore", &[]))),
            Task::Try if done => {
                p { (call.say("web.job.candidate", &[])) }
                (super::release::account(&job.result, call))
                @if let Ok(candidate) = &candidate { (super::release::framed(&place("/candidate/report"), candidate, call)) }
                (on(place("/release"), call.say("web.job.release", &[])))
            },
            Task::Release { name } if done => {
                (super::release::account(&job.result, call))
                (on(place(&format!("/releases/{name}")), call.say("web.job.open", &[])))
            },
            Task::Verify { name } if done => (on(place(&format!("/releases/{name}")), call.say("web.job.open", &[]))),
            Task::Try | Task::Release { .. } if job.state == State::Refused => (super::release::account(&job.result, call)),
            _ => { @if job.state == State::Failed || job.state == State::Refused { (super::error(&job.result["error"], call.language)) } }
        }
        @if !done {
            form method="post" action=(format!("/jobs/{}/again", job.id)) { (token(app)) button type="submit" { (call.say("web.job.again", &[])) } }
        }
    }
}

pub(crate) fn cancel(app: &App, call: &Call) -> Result<Answer, Failure> {
    let job = app
        .jobs
        .cancel(call.name("job"))
        .ok_or_else(Failure::not_found)?;
    // The run stops at its next step, which is soon: wait for it rather than show a page that is old at once.
    let since = Instant::now();
    while since.elapsed() < PATIENCE
        && app
            .jobs
            .get(&job.id)
            .is_some_and(|job| !job.state.is_over())
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(Answer::See(format!("/jobs/{}", job.id)))
}

pub(crate) fn again(app: &App, call: &Call) -> Result<Answer, Failure> {
    let old = app
        .jobs
        .get(call.name("job"))
        .ok_or_else(Failure::not_found)?;
    let project = app.project(&old.project)?;
    let task = match old.task {
        Task::Release { .. } => Task::Release {
            name: project.next_release(),
        },
        other => other,
    };
    let job = app.jobs.add(&project.name, task, call.language);
    Ok(Answer::See(format!("/jobs/{job}")))
}
