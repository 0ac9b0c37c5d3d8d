//! What jobs do: each calls the library as the command does, and ends with the document that the command prints.

use denym::{ExploreRequest, Fraction, Listener, Outcome, RunOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::Failure;
use crate::app::App;
use crate::jobs::Job;
use crate::projects::{self, Project};

/// What a job does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub(crate) enum Task {
    /// Reads the data and looks at every column.
    Profile,
    /// Reads the data and drafts a policy.
    Draft,
    /// Says what the policy would do.
    Plan,
    /// Says what each bound would cost.
    Explore {
        /// The bounds to try, by name, separated by commas.
        bounds: Vec<(String, String)>,
    },
    /// Makes a candidate that is looked at and not handed out.
    Try,
    /// Makes a release.
    Release {
        /// Its name.
        name: String,
    },
    /// Checks a release from its public half.
    Verify {
        /// Its name.
        name: String,
    },
}

/// How a job ended.
pub(crate) enum Done {
    /// With the document of the command.
    Well {
        document: Value,
        drawing: Option<String>,
    },
    /// With a refusal, as the command prints it.
    Refused(Value),
    /// With an error.
    Badly(Failure),
}

/// Does what a job is to do; a panic of ours is an error like others.
pub(crate) fn run(app: &App, job: &Job, listener: &dyn Listener) -> Done {
    let result = app
        .project(&job.project)
        .and_then(|project| perform(app, &project, job, listener));
    match result {
        Ok(done) => done,
        Err(failure) => Done::Badly(failure),
    }
}

fn perform(
    app: &App,
    project: &Project,
    job: &Job,
    listener: &dyn Listener,
) -> Result<Done, Failure> {
    let well = |document: Value| Done::Well {
        document,
        drawing: None,
    };
    Ok(match &job.task {
        Task::Profile => {
            let look = app.look_now(project, job.language(), listener)?;
            well(denym::documents::profile(&look.profile, &look.reading))
        }
        Task::Draft => {
            let look = app.look_now(project, job.language(), listener)?;
            let file = project.start()?.file;
            let text = denym::draft_policy(&look.profile, &file, &look.reading);
            project.write_policy(&projects::version(""), &text)?;
            well(denym::documents::profile(&look.profile, &look.reading))
        }
        Task::Plan => {
            let policy = project.policy(&app.root)?;
            let plan = denym::guarded(|| denym::plan(&policy, &options(app), listener))?;
            well(denym::documents::plan(plan.outline()))
        }
        Task::Explore { bounds } => {
            let policy = project.policy(&app.root)?;
            let request = ExploreRequest {
                threads: app.config.threads,
                ..request(bounds)?
            };
            let found = denym::guarded(|| denym::explore(&policy, &request, listener))?;
            let document = denym::documents::exploration(&found, None);
            let drawing = found.linked_chart(|at| format!("#trial-{at}")).inline();
            Done::Well {
                document,
                drawing: Some(drawing),
            }
        }
        Task::Try => release(app, project, &project.candidate(), true, listener)?,
        Task::Release { name } => {
            let target = project.directory.join("releases").join(name);
            release(app, project, &target, false, listener)?
        }
        Task::Verify { name } => {
            let bundle = project.release(name)?;
            let threads = app.config.threads;
            let found = denym::guarded(|| denym::verify(&bundle.join("release"), threads))?;
            well(denym::documents::verification(&found))
        }
    })
}

/// As `denym anonymize policy.toml` runs, so that it makes the same bytes.
fn options(app: &App) -> RunOptions {
    RunOptions {
        threads: app.config.threads,
        patience: Some(denym::USUAL_PATIENCE),
        environment: app.config.environment,
        ..RunOptions::default()
    }
}

fn release(
    app: &App,
    project: &Project,
    target: &std::path::Path,
    force: bool,
    listener: &dyn Listener,
) -> Result<Done, Failure> {
    let policy = project.policy(&app.root)?;
    let options = RunOptions {
        force,
        ..options(app)
    };
    let outcome = denym::guarded(|| denym::anonymize(&policy, target, &options, listener));
    Ok(match outcome {
        Ok(Outcome::Released(release)) => {
            let mut document = denym::documents::account(release.account(), "released");
            // Where it is, as seen from the directory that is served.
            let place = release.bundle().strip_prefix(&app.root).ok();
            document["bundle"] = json!(place);
            Done::Well {
                document,
                drawing: None,
            }
        }
        Ok(Outcome::Refused(account)) => {
            let mut document = denym::documents::account(&account, "refused");
            document["bundle"] = Value::Null;
            Done::Refused(document)
        }
        Err(error) if error.exit_code() == 1 => {
            Done::Refused(denym::documents::refused(&policy, &error))
        }
        Err(error) => Done::Badly(error.into()),
    })
}

/// The bounds of a form as a request.
pub(crate) fn request(bounds: &[(String, String)]) -> Result<ExploreRequest, Failure> {
    let mut request = ExploreRequest::default();
    for (name, text) in bounds {
        let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
        for part in parts {
            let wrong = || {
                Failure::bad(
                    &format!("`{name}` has a bound that is no number"),
                    "write numbers with commas between them, such as 2, 5, 10; ranges such as 2..10",
                )
            };
            match name.as_str() {
                "k" => request.k.extend(whole(part).ok_or_else(wrong)?),
                "doublets" => {
                    let found = whole(part).ok_or_else(wrong)?;
                    request
                        .doublets
                        .extend(found.into_iter().map(|n| n as usize));
                }
                "items" => {
                    let found = whole(part).ok_or_else(wrong)?;
                    request.items.extend(found.into_iter().map(|n| n as usize));
                }
                "l" | "t" | "suppress" | "confidence" => {
                    let value = Fraction::parse(part).ok_or_else(wrong)?;
                    let (list, fits) = match name.as_str() {
                        "l" => (&mut request.l, value >= Fraction::ONE),
                        "t" => (&mut request.t, value <= Fraction::ONE),
                        "suppress" => (&mut request.suppress, value <= Fraction::ONE),
                        _ => (&mut request.confidence, value <= Fraction::ONE),
                    };
                    if !fits {
                        return Err(wrong());
                    }
                    list.push(value);
                }
                _ => {
                    return Err(Failure::bad(
                        "there is no such bound",
                        "take one of k, l, t, suppress, doublets, items, confidence",
                    ));
                }
            }
        }
    }
    Ok(request)
}

/// A whole number of at least 1, or a range of at most a hundred of them.
fn whole(text: &str) -> Option<Vec<u64>> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high): (u64, u64) = (low.parse().ok()?, high.parse().ok()?);
    (1 <= low && low <= high && high - low < 100).then(|| (low..=high).collect())
}
