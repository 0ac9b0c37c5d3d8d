//! Every route in one table: the router, the description of the interface and its tests are made from it.

use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::{api, pages};

/// Answers a request; it may take its time, since it runs beside the connections.
type Answering = fn(&App, &Call) -> Result<Answer, Failure>;

/// How a request is handled.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// Its body is a form or a document.
    Plain(Answering),
    /// Its body may have a file.
    Upload(Answering),
    /// It is answered by events as long as a job runs.
    Events,
}

/// A route.
pub(crate) struct Route {
    /// `GET`, `POST` or `PUT`.
    pub(crate) method: &'static str,
    /// The address; names in braces.
    pub(crate) path: &'static str,
    /// What it does, in one sentence.
    pub(crate) summary: &'static str,
    /// The fields of its form or document, and what they mean.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    /// Who answers.
    pub(crate) handler: Handler,
    /// Whether the journal has it although nothing is changed: something leaves the house.
    pub(crate) noted: bool,
}

const fn get(path: &'static str, summary: &'static str, handler: Answering) -> Route {
    Route {
        method: "GET",
        path,
        summary,
        fields: &[],
        handler: Handler::Plain(handler),
        noted: false,
    }
}

const fn change(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    fields: &'static [(&'static str, &'static str)],
    handler: Answering,
) -> Route {
    Route {
        method,
        path,
        summary,
        fields,
        handler: Handler::Plain(handler),
        noted: true,
    }
}

const fn noted(mut route: Route) -> Route {
    route.noted = true;
    route
}

const fn with_file(mut route: Route) -> Route {
    if let Handler::Plain(handler) = route.handler {
        route.handler = Handler::Upload(handler);
    }
    route
}

const SEEN: (&str, &str) = (
    "seen",
    "the version of the policy that was seen; another one is not overwritten",
);

/// Every route.
pub(crate) const ROUTES: &[Route] = &[
    // For programs.
    get(
        "/api/v1/openapi.json",
        "This description",
        crate::openapi::get,
    ),
    get(
        "/api/v1/projects",
        "Projects, files that may become one, and examples",
        api::projects,
    ),
    change(
        "POST",
        "/api/v1/projects",
        "A new project from a file of the directory or from an example",
        &[
            ("name", "its name"),
            ("file", "a file of the directory"),
            ("example", "the name of an example, instead of a file"),
        ],
        api::new_project,
    ),
    get("/api/v1/projects/{project}", "One project", api::project),
    get(
        "/api/v1/projects/{project}/profile",
        "What is in its data, as `denym profile --json`",
        api::profile,
    ),
    get(
        "/api/v1/projects/{project}/policy",
        "Its policy, the version of it, and its mistakes",
        api::policy,
    ),
    change(
        "PUT",
        "/api/v1/projects/{project}/policy",
        "Writes its policy",
        &[("policy", "the text"), SEEN],
        api::set_policy,
    ),
    change(
        "POST",
        "/api/v1/projects/{project}/jobs",
        "A new job: `profile`, `draft`, `plan`, `explore`, `try`, `release` or `verify`",
        &[
            ("task", "what to do"),
            ("release", "verify: the release to check"),
            ("k", "explore: bounds, with commas between them"),
            ("l", "explore: bounds of l-diversity"),
            ("t", "explore: bounds of t-closeness"),
            (
                "suppress",
                "explore: shares of records that may be suppressed",
            ),
            ("doublets", "explore: doublets that are known"),
            ("items", "explore: items that are known"),
            ("confidence", "explore: bounds of confidence"),
        ],
        api::new_job,
    ),
    get(
        "/api/v1/projects/{project}/releases/{release}/certificate.json",
        "What a release claims",
        api::certificate,
    ),
    get("/api/v1/jobs", "Every job, the newest first", api::jobs),
    get(
        "/api/v1/jobs/{job}",
        "One job; when it is over, `result` is the document of the command",
        api::job,
    ),
    change(
        "POST",
        "/api/v1/jobs/{job}/cancel",
        "Stops a job",
        &[],
        api::cancel,
    ),
    Route {
        method: "GET",
        path: "/api/v1/jobs/{job}/events",
        summary: "How a job gets on, as server-sent events",
        fields: &[],
        handler: Handler::Events,
        noted: false,
    },
    get(
        "/api/v1/promises",
        "Every promise, as `denym promises --json`",
        api::promises,
    ),
    get(
        "/api/v1/algorithms",
        "Every algorithm, as `denym algorithms --json`",
        api::algorithms,
    ),
    get(
        "/api/v1/metrics",
        "Every metric, as `denym metrics --json`",
        api::metrics,
    ),
    get(
        "/api/v1/findings",
        "Every finding, as `denym findings --json`",
        api::findings,
    ),
    with_file(change(
        "POST",
        "/api/v1/verify",
        "Checks a release that is sent as a zip file, as `denym verify --json`",
        &[("file", "the zip file")],
        api::verify,
    )),
    // For people.
    get("/", "Projects", pages::projects::list),
    get(
        "/style.css",
        "The style of every page",
        pages::assets::style,
    ),
    get("/app.js", "What moves on pages", pages::assets::script),
    change(
        "POST",
        "/projects",
        "A new project",
        &[("name", ""), ("file", ""), ("example", "")],
        pages::projects::create,
    ),
    with_file(change(
        "POST",
        "/upload",
        "A new project from a file that is sent",
        &[("name", ""), ("data", "")],
        pages::projects::upload,
    )),
    get(
        "/projects/{project}",
        "The first screen of a project",
        pages::projects::open,
    ),
    get(
        "/projects/{project}/reading",
        "How data is read",
        pages::reading::show,
    ),
    change(
        "POST",
        "/projects/{project}/reading",
        "Says how data is read",
        &[],
        pages::reading::change,
    ),
    change(
        "POST",
        "/projects/{project}/draft",
        "Drafts a policy",
        &[],
        pages::reading::draft,
    ),
    get(
        "/projects/{project}/columns",
        "Columns",
        pages::columns::show,
    ),
    change(
        "POST",
        "/projects/{project}/columns/role",
        "The role of a column",
        &[("column", ""), ("role", ""), SEEN],
        pages::columns::set_role,
    ),
    change(
        "POST",
        "/projects/{project}/columns/hierarchy",
        "How a column generalizes",
        &[("column", ""), ("form", ""), ("value", ""), SEEN],
        pages::columns::set_hierarchy,
    ),
    get(
        "/projects/{project}/columns/{column}/tree",
        "A hierarchy by hand",
        pages::tree::show,
    ),
    change(
        "POST",
        "/projects/{project}/columns/{column}/tree",
        "Writes a hierarchy by hand",
        &[("tree", ""), SEEN],
        pages::tree::change,
    ),
    get(
        "/projects/{project}/promises",
        "Promises",
        pages::promises::show,
    ),
    change(
        "POST",
        "/projects/{project}/promises/set",
        "The numbers of a promise",
        &[("key", ""), ("at", ""), SEEN],
        pages::promises::set,
    ),
    change(
        "POST",
        "/projects/{project}/promises/add",
        "One more promise",
        &[("promise", ""), SEEN],
        pages::promises::add,
    ),
    change(
        "POST",
        "/projects/{project}/promises/remove",
        "One promise fewer",
        &[("key", ""), ("at", ""), SEEN],
        pages::promises::remove,
    ),
    change(
        "POST",
        "/projects/{project}/promises/settings",
        "What is known, and what may be lost",
        &[SEEN],
        pages::promises::settings,
    ),
    noted(get(
        "/projects/{project}/policy.toml",
        "The policy as a file",
        pages::policy::file,
    )),
    change(
        "POST",
        "/projects/{project}/policy",
        "Writes the policy by hand",
        &[("policy", ""), SEEN],
        pages::policy::change,
    ),
    get(
        "/projects/{project}/explore",
        "What each bound costs",
        pages::explore::show,
    ),
    change(
        "POST",
        "/projects/{project}/explore",
        "Tries bounds",
        &[],
        pages::explore::start,
    ),
    change(
        "POST",
        "/projects/{project}/explore/choose",
        "Takes a point of the frontier",
        &[SEEN],
        pages::explore::choose,
    ),
    get(
        "/projects/{project}/candidate/report",
        "The report of a candidate",
        pages::release::candidate_report,
    ),
    get(
        "/projects/{project}/release",
        "Plan, release, releases",
        pages::release::show,
    ),
    change(
        "POST",
        "/projects/{project}/release",
        "Makes a plan, a candidate or a release",
        &[("task", "")],
        pages::release::start,
    ),
    get(
        "/projects/{project}/releases/{release}",
        "One release",
        pages::release::one,
    ),
    get(
        "/projects/{project}/releases/{release}/report",
        "Its report",
        pages::release::report,
    ),
    noted(get(
        "/projects/{project}/releases/{release}/release.zip",
        "Its public half",
        pages::release::download,
    )),
    change(
        "POST",
        "/projects/{project}/releases/{release}/verify",
        "Checks it as a recipient would",
        &[],
        pages::release::verify,
    ),
    get("/jobs/{job}", "One job", pages::job::show),
    change(
        "POST",
        "/jobs/{job}/cancel",
        "Stops it",
        &[],
        pages::job::cancel,
    ),
    change(
        "POST",
        "/jobs/{job}/again",
        "Does it once more",
        &[],
        pages::job::again,
    ),
    get(
        "/verify",
        "Checks a release that is dropped in",
        pages::verify::show,
    ),
    with_file(change(
        "POST",
        "/verify",
        "Checks it",
        &[("release", "")],
        pages::verify::check,
    )),
];
