//! What a request is answered with: a page, a document, a file, a way on, or a failure that says what to do.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use maud::Markup;
use serde_json::{Value, json};

/// What pages may load: only what this server gives them, and nothing inline.
const POLICY_OF_PAGES: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What a report may do in its frame: show itself. It runs nothing, sends nothing and knows no cookie.
const POLICY_OF_REPORTS: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

/// What a request is answered with.
pub(crate) enum Answer {
    /// A page.
    Page(Markup),
    /// A document for programs, with its status.
    Json(StatusCode, Value),
    /// Go on there, with GET.
    See(String),
    /// A file.
    File(File),
}

/// A file of an answer.
pub(crate) struct File {
    /// What is in it.
    pub(crate) content: Vec<u8>,
    /// Its media type.
    pub(crate) kind: &'static str,
    /// The name to save it under; shown in the browser when there is none.
    pub(crate) name: Option<String>,
    /// A report that is shown in a frame of ours.
    pub(crate) framed: bool,
    /// Whether the browser may keep it: only what is the same for everybody.
    pub(crate) kept: bool,
}

impl Answer {
    /// A document with status 200.
    pub(crate) fn json(document: Value) -> Answer {
        Answer::Json(StatusCode::OK, document)
    }

    /// A file that is saved under `name`.
    pub(crate) fn saved(content: Vec<u8>, kind: &'static str, name: String) -> Answer {
        Answer::File(File {
            content,
            kind,
            name: Some(name),
            framed: false,
            kept: false,
        })
    }

    /// The answer as HTTP.
    pub(crate) fn response(self) -> Response<Body> {
        match self {
            Answer::Page(page) => text(
                StatusCode::OK,
                "text/html; charset=utf-8",
                page.into_string(),
            ),
            Answer::Json(status, document) => {
                text(status, "application/json", format!("{document:#}\n"))
            }
            Answer::See(place) => {
                let mut response = text(StatusCode::SEE_OTHER, "text/plain", String::new());
                set(&mut response, header::LOCATION, &place);
                response
            }
            Answer::File(file) => {
                let mut response = plain(StatusCode::OK, file.kind, Body::from(file.content));
                if let Some(name) = file.name {
                    let name = format!("attachment; filename=\"{}\"", safe(&name));
                    set(&mut response, header::CONTENT_DISPOSITION, &name);
                }
                if file.framed {
                    set(
                        &mut response,
                        header::CONTENT_SECURITY_POLICY,
                        POLICY_OF_REPORTS,
                    );
                }
                if file.kept {
                    set(
                        &mut response,
                        header::CACHE_CONTROL,
                        "private, max-age=31536000, immutable",
                    );
                }
                response
            }
        }
    }
}

/// Letters, digits, dots and lines of a name: the rest has no place in a header.
fn safe(name: &str) -> String {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    name.chars()
        .map(|c| if known(c) { c } else { '_' })
        .collect()
}

/// A response with every header that all of them have.
pub(crate) fn plain(status: StatusCode, kind: &str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, kind);
    set(
        &mut response,
        header::CONTENT_SECURITY_POLICY,
        POLICY_OF_PAGES,
    );
    set(&mut response, header::CACHE_CONTROL, "no-store");
    set(&mut response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(&mut response, header::REFERRER_POLICY, "no-referrer");
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        (
            "permissions-policy",
            "camera=(), geolocation=(), microphone=()",
        ),
    ] {
        set(&mut response, HeaderName::from_static(name), value);
    }
    response
}

fn text(status: StatusCode, kind: &str, text: String) -> Response<Body> {
    plain(status, kind, Body::from(text))
}

/// Sets a header; a value that cannot stand in one is left out.
pub(crate) fn set(response: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

/// Why a request is not answered: what, where, what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The status of HTTP.
    pub(crate) status: StatusCode,
    /// `{"error": {code, message, location, help}}`, as `--json` prints it.
    pub(crate) document: Value,
}

impl Failure {
    /// A failure of this code.
    pub(crate) fn new(status: StatusCode, code: &str, message: &str, help: &str) -> Failure {
        let document =
            json!({"error": {"code": code, "message": message, "location": null, "help": help}});
        Failure { status, document }
    }

    /// There is no such thing.
    pub(crate) fn not_found() -> Failure {
        Failure::new(
            StatusCode::NOT_FOUND,
            "not-found",
            "there is nothing at this address",
            "start from the list of projects",
        )
    }

    /// The request asks for something that cannot be.
    pub(crate) fn bad(message: &str, help: &str) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, "argument", message, help)
    }

    /// A part of `error`, as text.
    pub(crate) fn part(&self, key: &str) -> &str {
        self.document["error"][key].as_str().unwrap_or_default()
    }
}

impl From<denym::Error> for Failure {
    fn from(error: denym::Error) -> Failure {
        let status = match error.exit_code() {
            1 => StatusCode::CONFLICT,
            3 => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        let mut document = denym::documents::error(&error);
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            // What a bug of ours says may speak of data.
            document["error"]["location"] = Value::Null;
        }
        Failure { status, document }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        let (status, message, help) = match error.kind() {
            std::io::ErrorKind::NotFound => return Failure::not_found(),
            std::io::ErrorKind::StorageFull => (
                StatusCode::INSUFFICIENT_STORAGE,
                "there is no space left",
                "free some space and do it again; nothing was changed",
            ),
            _ => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "a file of the directory cannot be read or written",
                "look whether the directory that is served belongs to whoever runs the server",
            ),
        };
        Failure::new(status, "io", message, help)
    }
}
