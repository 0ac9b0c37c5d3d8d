//! The pages: made on the server, whole without a script, in the language of whoever reads them.

pub(crate) mod assets;
pub(crate) mod columns;
pub(crate) mod explore;
pub(crate) mod job;
pub(crate) mod policy;
pub(crate) mod projects;
pub(crate) mod promises;
pub(crate) mod reading;
pub(crate) mod release;
pub(crate) mod tree;
pub(crate) mod verify;

use denym::Language;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::editor::Editor;
use crate::jobs::Job;
use crate::projects::{Project, version};

/// Five look-alikes, one of them as good as any other.
const MARK: &str = "<svg viewBox=\"0 0 30 22\" aria-hidden=\"true\"><circle cx=\"5\" cy=\"6\" r=\"4\"/><circle cx=\"15\" cy=\"6\" r=\"4\"/><circle cx=\"25\" cy=\"6\" r=\"4\"/><circle cx=\"10\" cy=\"16\" r=\"4\"/><circle cx=\"20\" cy=\"16\" r=\"4\"/></svg>";

/// A screen of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Columns,
    Promises,
    Explore,
    Release,
}

impl Screen {
    const ALL: [Screen; 4] = [
        Screen::Columns,
        Screen::Promises,
        Screen::Explore,
        Screen::Release,
    ];

    fn path(self) -> &'static str {
        match self {
            Screen::Columns => "columns",
            Screen::Promises => "promises",
            Screen::Explore => "explore",
            Screen::Release => "release",
        }
    }

    fn title(self, language: Language) -> String {
        match self {
            Screen::Columns => language.say("web.columns", &[]),
            Screen::Promises => language.say("web.promises", &[]),
            Screen::Explore => language.say("web.explore", &[]),
            Screen::Release => language.say("web.release", &[]),
        }
    }
}

/// The address of something of a project; names have no letters that an address needs to escape but spaces and foreign ones.
pub(crate) fn address(project: &str, rest: &str) -> String {
    let name: String = form_urlencoded::byte_serialize(project.as_bytes()).collect();
    format!("/projects/{}{rest}", name.replace('+', "%20"))
}

/// A whole page around `main`.
pub(crate) fn page(
    language: Language,
    path: &str,
    title: &str,
    head: &Markup,
    main: &Markup,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(language.name()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " · Denym" }
                link rel="stylesheet" href=(assets::address("style.css"));
                script type="module" src=(assets::address("app.js")) {}
                (head)
            }
            body {
                a.skip href="#main" { (language.say("web.skip", &[])) }
                div #page .wide {
                    header.bar {
                        a.brand href="/" { (PreEscaped(MARK)) b { "Denym" } }
                        nav aria-label=(language.say("web.everywhere", &[])) {
                            a href="/" { (language.say("web.projects", &[])) }
                            a href="/verify" { (language.say("web.verify", &[])) }
                            @for (name, other) in Language::ALL {
                                @if other != language {
                                    a href={ (path) "?language=" (name) } lang=(name) hreflang=(name) { (other.say("web.this-language", &[])) }
                                }
                            }
                        }
                    }
                    main #main tabindex="-1" { (main) }
                }
            }
        }
    }
}

/// A page that has nothing to do with a project.
pub(crate) fn plain(call: &Call, title: &str, main: &Markup) -> Answer {
    Answer::Page(page(call.language, &call.path, title, &html! {}, main))
}

/// A screen of a project: what it shows, and the policy beside it.
pub(crate) fn screen(
    app: &App,
    call: &Call,
    project: &Project,
    screen: Screen,
    content: &Markup,
) -> Result<Answer, Failure> {
    let language = call.language;
    let title = screen.title(language);
    let main = html! {
        (steps(project, Some(screen), language))
        div.beside {
            div.content { h1 { (title) } (content) }
            (policy::aside(app, call, project)?)
        }
    };
    let title = format!("{title} · {}", project.name);
    Ok(Answer::Page(page(
        language,
        &call.path,
        &title,
        &html! {},
        &main,
    )))
}

/// The way through a project.
pub(crate) fn steps(project: &Project, at: Option<Screen>, language: Language) -> Markup {
    html! {
        nav.steps aria-label=(language.say("web.steps", &[])) {
            span.where { (project.name) }
            ol {
                @for screen in Screen::ALL {
                    li {
                        a href=(address(&project.name, &format!("/{}", screen.path()))) aria-current=[(at == Some(screen)).then_some("page")] {
                            (screen.title(language))
                        }
                    }
                }
            }
        }
    }
}

/// The secret that shows that a form is ours.
pub(crate) fn token(app: &App) -> Markup {
    html! { input type="hidden" name="form-token" value=(app.secrets.form); }
}

/// The token, and the version of the policy that is changed.
pub(crate) fn seen(app: &App, text: &str) -> Markup {
    html! { (token(app)) input type="hidden" name="seen" value=(version(text)); }
}

/// Changes the policy of a project and goes back to the screen.
pub(crate) fn edit(
    app: &App,
    call: &Call,
    back: Screen,
    change: impl FnOnce(&mut Editor) -> Result<(), Failure>,
) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let mut editor = Editor::open(&project.policy_text()?)?;
    change(&mut editor)?;
    project.write_policy(call.need("seen")?, &editor.text())?;
    let anchor = call
        .field("anchor")
        .filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    let anchor = anchor.map(|name| format!("#{name}")).unwrap_or_default();
    Ok(Answer::See(address(
        &project.name,
        &format!("/{}{anchor}", back.path()),
    )))
}

/// A page that says what failed and what to do.
pub(crate) fn failure(failure: &Failure, language: Language) -> Markup {
    let title = language.say("web.failed", &[]);
    let main = html! {
        h1 { (title) }
        (error(&failure.document["error"], language))
        p { a href="/" { (language.say("web.to-projects", &[])) } }
    };
    page(language, "/", &title, &html! {}, &main)
}

/// An error: what, where, what to do.
pub(crate) fn error(error: &serde_json::Value, language: Language) -> Markup {
    let part = |key: &str| error[key].as_str().unwrap_or_default();
    html! {
        ul.box.bad role="alert" {
            li {
                b { (part("message")) }
                @if !part("location").is_empty() { " " code { (part("location")) } }
                p { (language.say("web.help", &[])) ": " (part("help")) }
                p.soft { code { (part("code")) } }
            }
        }
    }
}

/// Findings, the worst first.
pub(crate) fn findings(list: &serde_json::Value, language: Language) -> Markup {
    let all = list.as_array().map_or(&[][..], Vec::as_slice);
    let part =
        |one: &serde_json::Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    html! {
        @for one in all {
            @let grave = one["severity"] == "grave";
            ul.box.bad[grave].warn[one["severity"] == "warning"] {
                li {
                    b { (part(one, "severity")) ": " (part(one, "finding")) }
                    @if let Some(column) = one["column"].as_str() { " " code { (column) } }
                    p { (part(one, "reason")) }
                    p { (language.say("web.help", &[])) ": " (part(one, "help")) }
                }
            }
        }
    }
}

/// Where a job stands, with a button that stops it; it moves with a script, and loads itself again without one.
pub(crate) fn progress(app: &App, job: &Job, language: Language) -> Markup {
    let (done, total) = job.progress;
    html! {
        section.card.job data-job=(job.id) aria-live="polite" {
            h2 { (job::title(job, language)) " " span.chip data-state { (job::state(job.state, language)) } }
            p { span data-phase { (job.phases.last().map_or("", |phase| phase.0.as_str())) } " "
                progress data-progress max=[(total > 0).then_some(total)] value=[(total > 0).then_some(done)] {}
            }
            dl.pairs data-phases {
                @for (name, seconds) in &job.phases { dt { (name) } dd { (format!("{seconds:.1} s")) } }
            }
            @if !job.state.is_over() {
                form method="post" action=(format!("/jobs/{}/cancel", job.id)) {
                    (token(app))
                    button type="submit" { (language.say("web.cancel", &[])) }
                }
                p.soft.no-script { (language.say("web.reload", &[])) }
            }
        }
    }
}
