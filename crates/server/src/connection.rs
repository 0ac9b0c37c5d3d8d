//! Connections: few enough, none that waits for ever, and every request through the same gate.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequest, Multipart, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode, header};
use axum::routing::{MethodFilter, on};
use denym::{Error, Language};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::answer::{Answer, Failure, plain, set};
use crate::app::{App, Config};
use crate::call::Call;
use crate::gate::{self, Passed};
use crate::pages;
use crate::routes::{Handler, ROUTES, Route};

/// Connections at one time; others wait to be accepted.
const MOST_CONNECTIONS: usize = 256;

/// How long the head of a request may take, and how long a connection may say nothing.
const HEAD: Duration = Duration::from_secs(10);

/// How long a form or a document may take, and each piece of a file.
const BODY: Duration = Duration::from_secs(15);

/// Bytes of a form or a document: a policy or a hierarchy with room to spare.
const MOST_FORM: usize = 8 << 20;

/// Fields of a form.
const MOST_FIELDS: usize = 2000;

/// How often a stream of events looks at its job.
const LOOK: Duration = Duration::from_millis(250);

/// How often it says that it is still there.
const STILL_HERE: u32 = 60;

/// A server that listens and does not answer yet.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
}

impl Server {
    /// Opens the directory and listens.
    pub fn bind(config: Config) -> Result<Server, Error> {
        if !config.listen.ip().is_loopback() {
            return Err(Error::Argument {
                what: "the web application listens on this machine alone: whoever could read along elsewhere would read people's data".into(),
                help: "leave out --listen, or give an address such as 127.0.0.1:8080; reach it from elsewhere through a tunnel such as `ssh -L`".into(),
            });
        }
        let app = App::open(config)?;
        let failed = |_| Error::Argument {
            what: "the address is taken or may not be listened to".into(),
            help: "give another port with --listen 127.0.0.1:PORT, or port 0 for any that is free"
                .into(),
        };
        let listener = TcpListener::bind(app.config.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        app.listens_to(listener.local_addr().map_err(failed)?.port());
        Ok(Server {
            app: Arc::new(app),
            listener,
        })
    }

    /// The address to open, with the secret that lets in.
    pub fn url(&self) -> String {
        format!(
            "http://{}/?token={}",
            self.address(),
            self.app.secrets.token
        )
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new(self.app.config.listen.ip(), self.app.port())
    }

    /// Every route as a service, for tests that need no connection.
    #[doc(hidden)]
    pub fn router(&self) -> Router {
        router(Arc::clone(&self.app))
    }

    /// Runs jobs beside, until the queue is closed; for tests that need no connection.
    #[doc(hidden)]
    pub fn start_jobs(&self) {
        for _ in 0..self.app.config.jobs.max(1) {
            let app = Arc::clone(&self.app);
            std::thread::spawn(move || app.jobs.work(&app));
        }
    }

    /// Answers until `stop` says so; jobs that run are stopped then, and leave nothing half-written.
    pub fn run(self, stop: impl Fn() -> bool) -> Result<(), Error> {
        let failed = |_| Error::Argument {
            what: "the system gives no threads to the server".into(),
            help: "end other programs, or raise the limits of this user".into(),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(32)
            .enable_all()
            .build()
            .map_err(failed)?;
        let workers: Vec<_> = (0..self.app.config.jobs.max(1))
            .map(|_| {
                let app = Arc::clone(&self.app);
                std::thread::spawn(move || app.jobs.work(&app))
            })
            .collect();
        let app = Arc::clone(&self.app);
        let served = runtime.block_on(self.accept(stop));
        app.jobs.close();
        for worker in workers {
            // A worker that panicked has nothing left to stop.
            let _ = worker.join();
        }
        runtime.shutdown_timeout(Duration::from_secs(2));
        served
    }

    async fn accept(self, stop: impl Fn() -> bool) -> Result<(), Error> {
        let failed = |_| Error::Argument {
            what: "the server cannot listen any more".into(),
            help: "start it again".into(),
        };
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(failed)?;
        let service = TowerToHyperService::new(router(self.app));
        let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        while !stop() {
            let Ok(permit) = timeout(LOOK, Arc::clone(&permits).acquire_owned()).await else {
                continue;
            };
            let Ok(permit) = permit else { break };
            // A connection that broke while it was accepted is no reason to end.
            let Ok(Ok((stream, _))) = timeout(LOOK, listener.accept()).await else {
                continue;
            };
            let service = service.clone();
            tokio::spawn(async move {
                let connection = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD)
                    .max_buf_size(64 << 10)
                    .serve_connection(TokioIo::new(stream), service);
                // Whoever goes away in the middle has nothing to be told.
                let _ = connection.await;
                drop(permit);
            });
        }
        Ok(())
    }
}

/// Every route of the table.
fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        let filter = match route.method {
            "POST" => MethodFilter::POST,
            "PUT" => MethodFilter::PUT,
            _ => MethodFilter::GET,
        };
        let handler =
            move |State(app): State<Arc<App>>,
                  names: Result<RawPathParams, RawPathParamsRejection>,
                  request: Request| answer(app, Some(route), names.ok(), request);
        router = router.route(route.path, on(filter, handler));
    }
    let none = |State(app): State<Arc<App>>, request: Request| answer(app, None, None, request);
    router
        .method_not_allowed_fallback(none)
        .fallback(none)
        .with_state(app)
}

/// Answers one request: through the gate, its body within bounds, the handler beside the connections, the journal.
async fn answer(
    app: Arc<App>,
    route: Option<&'static Route>,
    names: Option<RawPathParams>,
    request: Request,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let language = language(&parts);
    let for_programs = parts.uri.path().starts_with("/api/");
    let mut who = "nobody";
    let names: Vec<(String, String)> = names
        .iter()
        .flat_map(|names| names.iter())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let result = respond(&app, route, &names, &parts, body, language, &mut who).await;
    let mut response = match result {
        Ok(response) => response,
        Err(failure) => failed(&failure, for_programs, language),
    };
    let status = response.status();
    let changes = !parts.method.is_safe() || route.is_some_and(|route| route.noted);
    if changes || matches!(status.as_u16(), 401 | 403 | 421) {
        let what = route.map_or_else(
            || "unknown".to_owned(),
            |route| format!("{} {}", route.method, route.path),
        );
        // Names that nobody gave to a project are whatever somebody typed.
        let known: Vec<(&str, &str)> = names
            .iter()
            .filter(|(_, value)| crate::projects::is_plain(value))
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        app.journal.note(who, &what, &known, status.as_u16());
    }
    if let Some(chosen) = chosen_language(&parts) {
        let cookie = format!(
            "denym-language={}; SameSite=Strict; Path=/; Max-Age=31536000",
            chosen.name()
        );
        set(&mut response, header::SET_COOKIE, &cookie);
    }
    response
}

async fn respond(
    app: &Arc<App>,
    route: Option<&'static Route>,
    names: &[(String, String)],
    parts: &Parts,
    body: Body,
    language: Language,
    who: &mut &'static str,
) -> Result<Response<Body>, Failure> {
    let visitor = match gate::pass(app, parts)? {
        Passed::Visitor(visitor) => visitor,
        Passed::SignedIn(cookie) => {
            *who = "browser";
            app.journal.note(who, "sign in", &[], 303);
            let mut response = Answer::See(parts.uri.path().to_owned()).response();
            set(&mut response, header::SET_COOKIE, &cookie);
            return Ok(response);
        }
    };
    *who = visitor.name();
    let Some(route) = route else {
        return Err(Failure::not_found());
    };
    let query = parts.uri.query().unwrap_or_default();
    let mut call = Call {
        names: names.iter().cloned().collect(),
        query: fields(query.as_bytes()),
        form: Vec::new(),
        json: Value::Null,
        upload: None,
        language,
        visitor,
        path: parts.uri.path().to_owned(),
    };
    if !parts.method.is_safe() {
        read_body(app, route, parts, body, &mut call).await?;
        let token = call.form.iter().find(|(name, _)| name == "form-token");
        let token = token.map(|(_, value)| value.clone());
        gate::has_form_token(app, visitor, &parts.headers, token.as_deref())?;
    }
    let handler = match route.handler {
        Handler::Events => {
            let id = call.name("job").to_owned();
            app.jobs.get(&id).ok_or_else(Failure::not_found)?;
            return Ok(plain(
                StatusCode::OK,
                "text/event-stream",
                events(Arc::clone(app), id),
            ));
        }
        Handler::Plain(handler) | Handler::Upload(handler) => handler,
    };
    let app = Arc::clone(app);
    let answered = tokio::task::spawn_blocking(move || handler(&app, &call)).await;
    // What a panic says may quote a cell; where it was is printed by whoever watches panics.
    let bug = |_| {
        Failure::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "a part of the program failed unexpectedly",
            "this is a bug of ours: please report it; nothing was published",
        )
    };
    answered.map_err(bug)?.map(Answer::response)
}

/// Reads a form, a document or a file, no larger and no slower than allowed.
async fn read_body(
    app: &Arc<App>,
    route: &Route,
    parts: &Parts,
    body: Body,
    call: &mut Call,
) -> Result<(), Failure> {
    let kind = gate::text(&parts.headers, &header::CONTENT_TYPE);
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if matches!(route.handler, Handler::Upload(_))
        && kind.eq_ignore_ascii_case("multipart/form-data")
    {
        return read_file(app, parts, body, call).await;
    }
    let bytes = timeout(BODY, axum::body::to_bytes(body, MOST_FORM)).await;
    let bytes: Bytes = bytes.map_err(|_| slow())?.map_err(|_| large())?;
    if kind.eq_ignore_ascii_case("application/json") {
        call.json = serde_json::from_slice(&bytes)
            .map_err(|_| Failure::bad("the body is no JSON", "send one JSON document in UTF-8"))?;
    } else if !bytes.is_empty() {
        call.form = fields(&bytes);
    }
    Ok(())
}

/// Reads a form with a file, the file onto the disk piece by piece. The token comes first, so that nothing is written without it.
async fn read_file(
    app: &Arc<App>,
    parts: &Parts,
    body: Body,
    call: &mut Call,
) -> Result<(), Failure> {
    use std::io::Write as _;
    let broken = || {
        Failure::bad(
            "the form cannot be read",
            "load the page again and send it once more",
        )
    };
    let limit = app.config.upload_limit;
    let declared = gate::text(&parts.headers, &header::CONTENT_LENGTH).parse::<u64>();
    if declared.is_ok_and(|length| length > limit.saturating_add(MOST_FORM as u64)) {
        return Err(large());
    }
    let mut request = Request::new(body);
    *request.headers_mut() = parts.headers.clone();
    // The bound is ours: it counts while the file is written.
    let mut request = request;
    axum::extract::DefaultBodyLimit::disable().apply(&mut request);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| broken())?;
    loop {
        let field = timeout(BODY, form.next_field()).await.map_err(|_| slow())?;
        let Some(mut field) = field.map_err(|_| broken())? else {
            return Ok(());
        };
        let name = field.name().unwrap_or_default().to_owned();
        let file = field.file_name().map(str::to_owned);
        let Some(file) = file else {
            let mut text = Vec::new();
            while let Some(piece) = timeout(BODY, field.chunk())
                .await
                .map_err(|_| slow())?
                .map_err(|_| broken())?
            {
                text.extend_from_slice(&piece);
                if text.len() > MOST_FORM || call.form.len() > MOST_FIELDS {
                    return Err(large());
                }
            }
            call.form
                .push((name, String::from_utf8(text).map_err(|_| broken())?));
            continue;
        };
        let token = call.form.iter().find(|(name, _)| name == "form-token");
        gate::has_form_token(
            app,
            call.visitor,
            &parts.headers,
            token.map(|(_, value)| value.as_str()),
        )?;
        let mut target = tempfile::Builder::new()
            .prefix("upload-")
            .tempfile_in(app.own())?;
        let mut size = 0_u64;
        while let Some(piece) = timeout(BODY, field.chunk())
            .await
            .map_err(|_| slow())?
            .map_err(|_| broken())?
        {
            size += piece.len() as u64;
            if size > limit {
                return Err(large());
            }
            target.write_all(&piece)?;
        }
        if !file.is_empty() {
            call.upload = Some((target.into_temp_path(), file));
        }
    }
}

fn slow() -> Failure {
    Failure::new(
        StatusCode::REQUEST_TIMEOUT,
        "too-slow",
        "the request came too slowly",
        "send it again over a faster connection, or put the file into the directory yourself",
    )
}

fn large() -> Failure {
    Failure::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "too-large",
        "the request is larger than this server takes",
        "put the file into the directory yourself, or raise --upload-limit",
    )
}

/// The fields of a form or of a query.
fn fields(bytes: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(bytes)
        .into_owned()
        .take(MOST_FIELDS)
        .collect()
}

/// How a job gets on, as events, until it is over.
fn events(app: Arc<App>, id: String) -> Body {
    let start = (app, id, String::new(), 0_u32, false);
    let stream =
        futures::stream::unfold(start, |(app, id, mut last, mut quiet, over)| async move {
            if over {
                return None;
            }
            loop {
                let job = app.jobs.get(&id)?;
                let over = job.state.is_over();
                let mut document = job.document();
                document["result"] = Value::Null;
                let text = document.to_string();
                if text != last || over {
                    last.clone_from(&text);
                    let event = format!("data: {text}\n\n");
                    return Some((
                        Ok::<_, std::convert::Infallible>(event),
                        (app, id, last, 0, over),
                    ));
                }
                tokio::time::sleep(LOOK).await;
                quiet += 1;
                if quiet >= STILL_HERE {
                    return Some((Ok(": still here\n\n".to_owned()), (app, id, last, 0, false)));
                }
            }
        });
    Body::from_stream(stream)
}

/// The language that was chosen in this request.
fn chosen_language(parts: &Parts) -> Option<Language> {
    let query = parts.uri.query().unwrap_or_default();
    let fields = form_urlencoded::parse(query.as_bytes());
    let word = fields.filter(|(name, _)| name == "language").last()?.1;
    let known = Language::ALL.iter().find(|(name, _)| *name == word);
    known.map(|(_, language)| *language)
}

/// The language of whoever asks: as chosen, now or before, else as the browser prefers.
fn language(parts: &Parts) -> Language {
    let known = |word: &str| {
        let found = Language::ALL.iter().find(|(name, _)| *name == word);
        found.map(|(_, language)| *language)
    };
    let kept = || {
        let mut cookies = gate::cookies(&parts.headers);
        cookies.find_map(|(name, value)| known(value).filter(|_| name == "denym-language"))
    };
    let preferred = || {
        let words = gate::text(&parts.headers, &header::ACCEPT_LANGUAGE).split(',');
        let mut words = words.map(|word| word.split([';', '-']).next().unwrap_or_default().trim());
        words.find_map(known)
    };
    chosen_language(parts)
        .or_else(kept)
        .or_else(preferred)
        .unwrap_or_default()
}

/// A failure as a page or as a document.
fn failed(failure: &Failure, for_programs: bool, language: Language) -> Response<Body> {
    let mut response = if for_programs {
        Answer::Json(failure.status, failure.document.clone()).response()
    } else {
        Answer::Page(pages::failure(failure, language)).response()
    };
    *response.status_mut() = failure.status;
    if failure.status == StatusCode::PAYLOAD_TOO_LARGE
        || failure.status == StatusCode::REQUEST_TIMEOUT
    {
        // What is left of the request is not read.
        set(&mut response, header::CONNECTION, "close");
    }
    response
}
